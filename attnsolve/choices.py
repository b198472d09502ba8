"""The words that the command line's options take."""

from __future__ import annotations

from enum import StrEnum


class Detail(StrEnum):
    """How much of the work is shown."""

    brief = "brief"
    normal = "normal"
    full = "full"


class Format(StrEnum):
    """What is printed."""

    terminal = "terminal"
    text = "text"
    markdown = "markdown"
    json = "json"


class Math(StrEnum):
    """How mathematics is written in Markdown."""

    github = "github"
    dollar = "dollar"
    latex = "latex"
    none = "none"


class Report(StrEnum):
    """What a check prints."""

    terminal = "terminal"
    text = "text"
    markdown = "markdown"
    json = "json"
    csv = "csv"


class Described(StrEnum):
    """What a schema is of."""

    problem = "problem"
    solution = "solution"
    check = "check"
    lint = "lint"


class Solutions(StrEnum):
    """What a worksheet holds."""

    inline = "inline"
    none = "none"
    separate = "separate"
