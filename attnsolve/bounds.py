"""How large a problem may be, and how long it may take: every bound on what strangers' files can cost, in one place.

`allowed()` gives the bounds in force. Those that an honest user may need to raise are raised for one run, with
`--bound side=1000` on the command line or `with attnsolve.bounds(side=1000):` in Python; the others hold the grammars
together (an expression nested deeper would exhaust the stack) and are fixed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import field, fields, replace
from functools import cache
from types import ModuleType

from attnsolve.errors import RequestError, nearest, plain
from attnsolve.numbers import LONGEST_TEXT, MOST_TOKENS
from attnsolve.record import Record, record

HIGHEST = 10**12
"""No bound may be raised further: what is counted stays a number that a machine can count to."""


def _may_be_raised(value: int, meaning: str) -> int:
    number: int = field(default=value, metadata={"meaning": meaning, "fixed": False})
    return number


def _fixed(value: int, meaning: str) -> int:
    number: int = field(default=value, metadata={"meaning": meaning, "fixed": True})
    return number


@record
class Bounds(Record):
    """Every bound, with its meaning."""

    seconds: int = _may_be_raised(8, "processor time for one file")
    megabytes: int = _may_be_raised(900, "memory")
    work: int = _may_be_raised(10_000_000, "multiplications for one file, plus 100 for every entry shown")
    file_bytes: int = _may_be_raised(4_000_000, "bytes of one file")
    documents: int = _may_be_raised(200, "problems in one file")
    nodes: int = _may_be_raised(400_000, "values in one file, with aliases expanded")
    side: int = _may_be_raised(512, "rows or columns of a matrix, and tokens")
    cells: int = _may_be_raised(20_000_000, "entries of all given matrices of a float problem")
    heads: int = _may_be_raised(64, "heads")
    cases: int = _may_be_raised(16, "cases that a problem compares")
    quantities: int = _may_be_raised(2_000, "quantities that the formulas of a sheet make, repeats unrolled")
    symbols: int = _may_be_raised(8, "declared symbols")
    digits: int = _may_be_raised(200, "significant digits asked for")
    places: int = _may_be_raised(50, "decimal places rounded to")
    samples: int = _may_be_raised(2_000_000, "samples of a simulation")
    draws: int = _may_be_raised(100_000_000, "numbers drawn in one simulation")
    label_characters: int = _may_be_raised(60, "characters of a token's name")
    text_characters: int = _may_be_raised(2_000, "characters of a title, a source or a statement")
    nesting: int = _fixed(12, "nesting depth of lists and mappings")
    number_characters: int = _fixed(400, "characters of one number")
    number_digits: int = _fixed(100, "digits of one literal")
    number_nesting: int = _fixed(20, "nesting depth of brackets in one number")
    number_terms: int = _fixed(60, "terms of one number once it is multiplied out")
    number_bits: int = _fixed(1400, "bits of the integers in one number")
    decimal_exponent: int = _fixed(400, "the n of 1e±n")
    power: int = _fixed(64, "the n of x^n")
    answer_characters: int = _fixed(LONGEST_TEXT, "characters of one number in an answer, and of an exact form")
    answer_tokens: int = _fixed(
        MOST_TOKENS, "numbers, names and signs in one number of an answer, and in an exact form"
    )
    answer_bits: int = _fixed(70_000, "bits of the integers in one number of an answer")
    answer_exponent: int = _fixed(6_000, "the n of 1e±n in an answer")
    exponent: int = _fixed(10**15, "the x of e^x in an answer")
    shift: int = _fixed(2_000, "the x of 2^x in an answer, where x is a fraction")
    radicand: int = _fixed(10**12, "the n of sqrt(n); larger ones take too long to factor")
    name_characters: int = _fixed(200, "characters of a name in an answer file")
    letter_characters: int = _fixed(12, "characters of a part's letter")
    query_characters: int = _fixed(200, "characters of a query of random-keys")
    claim_characters: int = _fixed(2000, "characters of a claim")
    link_characters: int = _fixed(400, "characters of one side of a claim")
    claim_nesting: int = _fixed(24, "nesting depth of brackets in a claim")
    derived_digits: int = _fixed(18, "digits of the numerator and the denominator of a number in a derivation")
    marks: int = _fixed(1_000_000, "marks of one part")
    claim_letters: int = _fixed(20, "letters that a claim declares")
    claim_links: int = _fixed(20, "links of a claim's chain")
    claim_side: int = _fixed(6, "rows or columns of a claim's matrices")
    claim_rows: int = _fixed(16, "rows of identity(n) and ones(n) in a claim")
    sum_terms: int = _fixed(64, "terms of one sum in a claim")
    nested_terms: int = _fixed(1024, "terms of nested sums in a claim")


DEFAULT = Bounds()
_in_force: ContextVar[Bounds] = ContextVar("bounds", default=DEFAULT)


@cache
def fixed() -> frozenset[str]:
    """The bounds that nobody may raise."""
    return frozenset(bound.name for bound in fields(Bounds) if bound.metadata["fixed"])


def allowed() -> Bounds:
    """The bounds in force."""
    return _in_force.get()


@contextmanager
def changed(**values: int) -> Iterator[None]:
    """Other bounds, for as long as it lasts."""
    token = _in_force.set(replace(allowed(), **values))
    try:
        yield
    finally:
        _in_force.reset(token)


def use(bounds: Bounds) -> None:
    """Put bounds in force for good: a worker process takes over those of the one that started it."""
    _in_force.set(bounds)


def raises(name: str, needed: int) -> str:
    """How to go on from a bound that was met, unless it is fixed."""
    return "" if name in fixed() else f"--bound {name}={needed} raises it"


def digits(wanted: int, message: str) -> int:
    """A number of significant digits that somebody asks for, if that many may be asked for."""
    most = allowed().digits
    if not isinstance(wanted, int) or not 1 <= wanted <= most:
        fix = f"\n    {raises('digits', wanted)}" if isinstance(wanted, int) and wanted > most else ""
        raise RequestError(f"{message}: a whole number from 1 to {most} was expected{fix}")
    return wanted


def described() -> list[tuple[str, int, str]]:
    """Every bound in force: its name, value and meaning."""
    bounds = allowed()
    return [(bound.name, getattr(bounds, bound.name), bound.metadata["meaning"]) for bound in fields(bounds)]


def read(settings: Iterable[str]) -> dict[str, int]:
    """What `--bound NAME=N` asks for."""
    chosen: dict[str, int] = {}
    for setting in settings:
        name, _, value = setting.partition("=")
        _known(name, f"--bound {setting}")
        if not (value.isascii() and value.isdigit() and len(value) <= 13 and 1 <= int(value) <= HIGHEST):
            example = f"--bound {name}={2 * getattr(allowed(), name)}"
            raise RequestError(f"--bound {setting}: {_EXPECTED}, as in {example}")
        chosen[name] = int(value)
    return chosen


def raised(values: Mapping[str, int]) -> AbstractContextManager[None]:
    """What `with attnsolve.bounds(seconds=60):` asks for."""
    for name, value in values.items():
        _known(name, f"bounds({name}=...)")
        if type(value) is not int or not 1 <= value <= HIGHEST:
            example = f"bounds({name}={2 * getattr(allowed(), name)})"
            written = isinstance(value, float | str) or (isinstance(value, int) and abs(value) < HIGHEST**2)
            found = plain(repr(value)[:40]) if written else type(value).__name__
            raise RequestError(f"bounds({name}={found}): {_EXPECTED}, as in {example}")
    return changed(**values)


_EXPECTED = f"a whole number from 1 to {HIGHEST:,} was expected"


def _known(name: str, request: str) -> None:
    """Refuse a name that is no bound, or the name of one that is fixed."""
    names = [bound.name for bound in fields(Bounds)]
    if name not in names:
        known = [name for name in names if name not in fixed()]
        raise RequestError(f"{request}: there is no bound {name!r}; {nearest(name, known)}")
    if name in fixed():
        raise RequestError(f"{request}: {name} is fixed; attnsolve bounds lists those that can be raised")


class _Callable(ModuleType):
    """This module: once it is imported it stands in its package in place of the function `attnsolve.bounds`, and does
    the same."""

    def __call__(self, **values: int) -> AbstractContextManager[None]:
        return raised(values)


sys.modules[__name__].__class__ = _Callable
