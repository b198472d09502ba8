"""Which problem of a file is meant: by its number, counted from 1, or by its title."""

from __future__ import annotations

from collections.abc import Sequence

from attnsolve.errors import RequestError, plain
from attnsolve.library.words import folded
from attnsolve.spec import reader
from attnsolve.spec.fields import Faults, read_text


def title_of(node: reader.Node) -> str:
    """The title that a problem has, whatever else may be wrong with it."""
    entries = node.entries if isinstance(node, reader.Mapping) else ()
    return next((read_text(value, "title", Faults("")) for key, value in entries if key.text == "title"), "")


def wanted(file: str, titles: Sequence[str], chosen: str | None) -> list[int]:
    """The numbers of the problems asked for: of all, or of the one that was chosen."""
    if chosen is None:
        return list(range(1, len(titles) + 1))
    number = find_problem(titles, chosen)
    if number is None:
        raise RequestError(f"--problem {plain(chosen)}: {plain(file)} has no such problem; {known(titles)}")
    return [number]


def find_problem(titles: Sequence[str], name: str) -> int | None:
    """The number of the problem that a number (2, problem 2) or a title means."""
    plain_name = folded(name)
    matching = [number for number, title in enumerate(titles, start=1) if title and folded(title) == plain_name]
    if len(matching) == 1:
        return matching[0]
    digits = plain_name.removeprefix("problem")
    is_number = digits.isascii() and digits.isdigit() and len(digits) < 6
    return int(digits) if is_number and 1 <= int(digits) <= len(titles) else None


def known(titles: Sequence[str]) -> str:
    """Every problem that could have been meant."""
    return "known: " + ", ".join(f"{n} ({plain(title)})" if title else str(n) for n, title in enumerate(titles, 1))
