"""What every public call has around it: the bounds on time and memory, and one message for whatever is wrong with what
it was given."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from attnsolve.bounds import digits as checked_digits
from attnsolve.errors import RequestError, nearest, plain, shortened
from attnsolve.guard import bounded
from attnsolve.unsolvable import refusing

if TYPE_CHECKING:
    from attnsolve.spec.problem import Problem


HUGE = 10**20


@contextmanager
def asked(problem: Problem) -> Iterator[None]:
    """Answer a question about a problem within the bounds; what the arithmetic can't do is refused with its file."""
    with bounded(problem.file), refusing(problem.file, problem.at):
        yield


def described(value: object) -> str:
    """What a caller passed, in words.

    >>> described(None), described([1]), described(7), described({1})
    ('None', 'a list', '7', 'a set')
    """
    if isinstance(value, int) and abs(value) >= HUGE:
        return "a huge number"  # which Python may refuse to write
    if value is None or isinstance(value, int | float):
        return repr(value)
    if isinstance(value, str):
        return plain(repr(value if len(value) <= 40 else f"{value[:37]}..."))
    if isinstance(value, Mapping):
        return "a mapping"
    name = type(value).__name__
    return f"a {name}" if isinstance(value, list | tuple | set) else f"a value of type {plain(name)}"


def unexpected(what: str, expected: str, value: object) -> RequestError:
    """The message about a value of the wrong sort."""
    return RequestError(f"{what} must be {expected}, but {described(value)} was found")


def path_of(value: object, what: str) -> str:
    """The name of a file, whatever says it."""
    if isinstance(value, str):
        if "\n" in value:
            message = f"{what} must be the name of a file, but text of several lines was found"
            raise RequestError(f"{message}\n    save it as a file, or give its keys as a mapping")
        return value
    if isinstance(value, os.PathLike):
        name = os.fspath(value)
        if isinstance(name, str):
            return name
    raise unexpected(what, "the name of a file", value)


def figures_of(digits: Any, call: str) -> int | None:
    """A number of significant digits, if that many may be asked for; None where nobody asked. `call` is what asks."""
    if digits is None:
        return None
    wanted = 0 if isinstance(digits, bool) else min(digits, HUGE) if isinstance(digits, int) else digits
    return checked_digits(wanted, f"{call}({described(digits)})")


def columns(width: object) -> int:
    """A width in columns."""
    if isinstance(width, bool) or not isinstance(width, int) or not 40 <= width <= 1000:
        raise unexpected("width", "a whole number from 40 to 1000", width)
    return width


def one_of(what: str, value: Any, words: Sequence[str]) -> None:
    """Refuse anything but one of some words."""
    if not isinstance(value, str) or value not in words:
        fix = nearest(shortened(value), words) if isinstance(value, str) else ""
        message = f"{what} must be {', '.join(words[:-1])} or {words[-1]}, but {described(value)} was found"
        raise RequestError(f"{message}\n    {fix}" if fix.startswith("did you mean") else message)


def words_of(what: str, value: object) -> tuple[str, ...]:
    """One word, or several."""
    words = (value,) if isinstance(value, str) else value
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        raise unexpected(what, "a name or a list of names", value)
    return tuple(words)
