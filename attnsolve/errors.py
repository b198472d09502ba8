"""Everything that can go wrong in a user's hands, as one tree.

AttnsolveError            prints its message on stderr and ends the program with its exit code
├─ FileProblem            a file can't be found, read or understood as text
├─ ProblemError           a problem file says something that can't be; one line a fault, each with its place
├─ CostError              a Python call took more time or memory than is allowed: what TooCostly becomes there
├─ UnsolvableError        the file is well formed but the arithmetic can't be done (a row sum of zero)
├─ TermError              a claim has no value: shapes that don't meet, a name nobody declared
└─ RequestError           somebody asks for what isn't there (an unknown token, a cell out of range)
TooCostly                 the same for work that takes more time or memory than is allowed; no AttnsolveError
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from attnsolve.record import Record, record

MOST_LISTED = 100
"""Faults of one file; the others are only counted."""
LONGEST_MESSAGE = 800
"""Characters of one message: a name that somebody wrote may stand in it, however long."""


class Mark(NamedTuple):
    """A place in a file, counted from 1 as editors do; line 0 where there is no file."""

    line: int
    column: int


@record
class Fault(Record):
    """One thing wrong in a file: what was found and expected, and the likeliest way to mend it."""

    file: str
    at: Mark
    message: str
    fix: str = ""

    def __str__(self) -> str:
        file = plain(self.file)
        place = f"{file}:{self.at.line}:{self.at.column}" if self.at.line else file
        message = f"{place}: {shortened(self.message)}"
        return f"{message}\n    {self.fix}" if self.fix else message


class AttnsolveError(Exception):
    """The base of all of them; `str()` is what the user reads."""

    exit_code = 2


class FileProblem(AttnsolveError):
    """A file that can't be opened, read or decoded."""


class ProblemError(AttnsolveError):
    """Every fault found in a problem file, in the order of its lines."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(sorted(dict.fromkeys(faults), key=lambda fault: fault.at))
        listed_faults = [str(fault) for fault in self.faults[:MOST_LISTED]]
        left = len(self.faults) - len(listed_faults)
        super().__init__(
            "\n".join([*listed_faults, f"and {count(left, 'more fault')} like these"] if left else listed_faults)
        )


class UnsolvableError(AttnsolveError):
    """A well-formed problem whose arithmetic has no answer."""


class TooCostly(BaseException):
    """Work that went beyond its time or memory. Like an interrupt it gets through to the end, past whatever tries one
    thing after the other and passes over those that fail."""

    exit_code = 2


class CostError(AttnsolveError):
    """Work that went beyond its time or memory, in a program that calls this one."""


class TermError(AttnsolveError):
    """A claim that has no value: shapes that don't meet, a name nobody declared. The message says which."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class RequestError(AttnsolveError):
    """A request for something that isn't there, on the command line or in Python."""


def plain(text: str) -> str:
    """Text on one line that a terminal shows as it stands: what would move the cursor, turn the direction of writing,
    hide or break the line is spelled out.

    >>> plain("a\\x1b[2Jb")
    'a\\\\x1b[2Jb'
    """
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(message: str) -> str:
    """A message without the middle of it, where it is longer than anybody reads."""
    half = LONGEST_MESSAGE // 2
    return message if len(message) <= LONGEST_MESSAGE else f"{message[:half]}...{message[-half:]}"


MOST_NAMED = 30
"""A list of known words longer than this is cut."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Suggest the likeliest intended word, or list them all when none is close.

    >>> nearest("wieghts", ["weights", "inputs"])
    'did you mean weights?'
    """
    choices = list(known)
    by_folded = {choice.casefold(): choice for choice in choices}
    close = get_close_matches(word.casefold(), by_folded, n=1, cutoff=0.6)
    if close:
        return f"did you mean {by_folded[close[0]]}?"
    shown = choices if len(choices) <= MOST_NAMED else [*choices[:MOST_NAMED], "..."]
    return f"known: {', '.join(shown)}"


def listed(names: Sequence[str]) -> str:
    """Names as a sentence has them: `listed(["a", "b", "c"])` is "a, b and c"."""
    return f"{', '.join(names[:-1])} and {names[-1]}" if len(names) > 1 else names[0]


def in_running_text(title: str) -> str:
    """A title within a sentence: `in_running_text("Layer norm")` is "layer norm", but ReLU stays ReLU."""
    first, space, rest = title.partition(" ")
    return (first.lower() if first[1:] == first[1:].lower() else first) + space + rest


def count(number: int, noun: str, plural: str = "") -> str:
    """Say a number of things in English: `count(1, "row")` is "1 row", `count(2, "row")` is "2 rows"."""
    return f"{number} {noun}" if number == 1 else f"{number} {plural or noun + 's'}"


def there_are(number: int, noun: str, plural: str = "") -> str:
    """How many there are of something: "there is 1 row", "there are 2 rows"."""
    return f"there {'is' if number == 1 else 'are'} {count(number, noun, plural)}"
