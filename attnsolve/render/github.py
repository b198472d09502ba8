"""What GitHub's rendering of mathematics breaks on, as rules; every export is held against them first."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attnsolve.record import Record, record

MOST_SCRIPTS = 80
MOST_COLOURS = 49
MOST_BYTES = 150_000
"""Beyond this GitHub may stop rendering mathematics; longer worksheets are split into several files."""

FENCE = "```"
_BANNED = re.compile(
    r"\\(operatorname|mbox|phantom|hphantom|vphantom|newcommand|renewcommand|def|require|href|includegraphics|char)(?![A-Za-z])"
)
_INLINE = re.compile(r"\$`(.*?)`\$")


@record
class Trap(Record):
    """A place that GitHub would break, and why."""

    line: int
    description: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.description}"


def traps(markdown: str) -> list[Trap]:
    """Every trap in a Markdown text; an empty list is a clean bill of health."""
    found = [*_in_text(markdown), *_in_blocks(markdown)]
    if len(markdown.encode()) > MOST_BYTES:
        found.append(Trap(1, f"the file is larger than {MOST_BYTES:,} bytes"))
    return sorted(found, key=lambda trap: trap.line)


def _fences(lines: list[str]) -> Iterator[tuple[int, int]]:
    """Where each fence opens and closes; it takes at least as many backticks to close it as opened it."""
    opened, ticks = 0, ""
    for number, line in enumerate(lines):
        if not ticks and (match := re.match(f"{FENCE}`*", line)):
            opened, ticks = number, match[0]
        elif ticks and line.startswith(ticks) and not line.strip("` "):
            yield opened, number
            ticks = ""
    if ticks:
        yield opened, len(lines)


def _math_blocks(markdown: str) -> Iterator[tuple[int, list[str], list[str]]]:
    """Each math fence: its first line's number, its lines, and the lines just before and after it."""
    lines = markdown.split("\n")
    for opened, closed in _fences(lines):
        if lines[opened].startswith(f"{FENCE}math"):
            around = [lines[i] for i in (opened - 1, closed + 1) if 0 <= i < len(lines)]
            yield opened + 1, lines[opened + 1 : closed], around


def _in_blocks(markdown: str) -> Iterator[Trap]:
    for start, lines, around in _math_blocks(markdown):
        if any(line.strip() for line in around):
            yield Trap(start, "a math fence needs an empty line before and after it")
        for number, line in enumerate(lines, start=start + 1):
            if not line.strip():
                yield Trap(number, "an empty line inside mathematics")
            if re.search(r"\\\\(?!(\[\d+pt\])?$)", line.rstrip()):
                yield Trap(number, r"\\ in the middle of a line: rows of a matrix would run together")
            yield from (Trap(number, description) for description in _in_maths(line))
        block = "\n".join(lines)
        if len(re.findall(r"[_^]\{", block)) > MOST_SCRIPTS:
            yield Trap(start, f"more than {MOST_SCRIPTS} braced scripts in one block")
        if block.count(r"\color") > MOST_COLOURS:
            yield Trap(start, f"more than {MOST_COLOURS} colours in one block")


def _in_maths(latex: str) -> Iterator[str]:
    if match := _BANNED.search(latex):
        yield f"{match[0]} is refused"
    if re.search(r"(?<!\\)[<>]", latex):
        yield r"< and > are read as HTML: write \lt and \gt"
    if re.search(r"(?<!\\)%", latex):
        yield "% starts a comment"
    if "$" in latex.replace(r"\$", ""):
        yield "a dollar sign inside mathematics"
    if "^*" in latex:
        yield r"^* is read as emphasis: write ^{\ast}"
    if re.search(r"\[[^\]]*\]\(", latex):
        yield r"[...](...) is read as a link: write \lbrack and \rbrack"
    if r"\sqrt{\frac" in latex:
        yield "a root drawn around a fraction comes out oversized"


def _in_text(markdown: str) -> Iterator[Trap]:
    lines = markdown.split("\n")
    fenced = {number for opened, closed in _fences(lines) for number in range(opened, closed + 1)}
    for number, line in enumerate(lines):
        if number not in fenced:
            yield from (Trap(number + 1, description) for description in _in_line(line))


def _in_line(line: str) -> Iterator[str]:
    inline = list(_INLINE.finditer(line))
    if "$$" in line or re.search(r"(?<![\\`])\$(?!`)", line):
        yield "mathematics in dollar signs: use a fence, or $`...`$"
    if "<details" in line:
        yield "mathematics in <details> is not rendered"
    for match in inline:
        before, after = line[: match.start()][-1:], line[match.end() :][:1]
        if before and (before.isalnum() or before in "\"'([{*_"):
            yield f"inline mathematics glued to {before!r}"
        if after and (after.isalnum() or after in "\"')]}*_"):
            yield f"inline mathematics glued to {after!r}"
        yield from _in_maths(match[1])
    if inline and re.match(r"\s*([-*+]|\d+[.)])\s|#", line):
        yield "mathematics in a list or a heading"
    if inline and re.search(r"\[[^\]]*\$`[^\]]*\]\(|\[\^", line):
        yield "mathematics in a link or a footnote"
