"""Where the quantities of a problem go as its letters tend to their limits: decided by signs, in cases where these hang
on other letters, or refused."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import sympy
from flint import arb

from attnsolve.algebra.cases import Assumptions, Condition, LetterFunction, Outcome, explore
from attnsolve.algebra.conditions import merged, needed
from attnsolve.algebra.limits import Approach, Unbounded, sides
from attnsolve.algebra.quotients import Effort
from attnsolve.algebra.rational import RationalFunction
from attnsolve.algebra.scalars import Field, FieldElement
from attnsolve.algebra.table import TermError
from attnsolve.errors import UnsolvableError
from attnsolve.numbers import Unavailable
from attnsolve.numbers.closed import Cell, Quotient
from attnsolve.numbers.surds import Euler
from attnsolve.numbers.symbolic import to_expression
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.algebra.signs import Judge
    from attnsolve.key import Key
    from attnsolve.spec.problem import Tendency

MOST_CASES, MOST_SHOWN = 40, 13
"""Cases that are worked out, and that are shown once those with the same limits were put together: three letters can be
in 13 orders, ties included."""

CONSTANTS = {sympy.pi: arb.pi, sympy.E: lambda: arb(1).exp()}
"""Numbers that stand among the letters of a field. What e has to do with its powers is not known there, so that equal
numbers may not be seen to be equal; but no sign is ever taken from that."""
Rows = tuple[tuple[sympy.Expr | None, ...], ...]
Found = FieldElement | int
"""A limit: a scalar, or the sign of what grows beyond all bounds."""


@record
class LimitCase(Record):
    """Where every quantity goes under some conditions on the other letters; under none, always."""

    conditions: tuple[Condition, ...]
    rows: Mapping[Key, Rows]
    lacks: str = ""
    """Why there are no limits in this case, where there are none: then every entry is None."""


def limits_of(
    quantities: Mapping[Key, Sequence[Sequence[Cell]]], limits: Sequence[Tendency], letters: Sequence[sympy.Symbol]
) -> tuple[LimitCase, ...]:
    """The limits of some exact quantities, one letter after another, in every case that they hang on."""
    cells = [cell for rows in quantities.values() for row in rows for cell in row]
    effort = Effort()

    def work(case: Assumptions) -> list[Found] | str:
        ring = Field(letters, effort, CONSTANTS)
        try:
            values = [_scalar(cell, ring, case) for cell in cells]
            return _Limits(ring, limits).of(values, case.signs(ring))
        except ZeroDivisionError:
            return "there is no value, since an entry would be divided by 0"
        except TermError as error:
            return str(error)

    try:
        outcomes = explore(work, Assumptions(), MOST_CASES, frozenset(limit.symbol for limit in limits))
        cases = tuple(_shown(quantities, outcomes))
        if len(cases) > MOST_SHOWN:
            raise Unavailable
    except Unavailable:
        raise UnsolvableError(_refusal(limits, letters)) from None
    if all(case.lacks for case in cases):
        raise UnsolvableError(cases[0].lacks)
    return cases


def _refusal(limits: Sequence[Tendency], letters: Sequence[sympy.Symbol]) -> str:
    going = ", ".join(f"{limit.symbol} tends to {_target(limit)}" for limit in limits)
    others = [str(letter) for letter in letters if letter not in [limit.symbol for limit in limits]]
    if not others:
        return f"the limit as {going} can't be found: leave limit out, or simplify the entries"
    return (
        f"the limit as {going} depends on {', '.join(others)} in a way that can't be split into a few cases: "
        "give some of these letters values, or declare their signs (positive, negative)"
    )


def _target(limit: Tendency) -> str:
    """Where a letter goes, as a message has it."""
    if limit.to.is_infinite:
        return "∞" if limit.to > 0 else "−∞"
    return str(limit.to)


class _Limits:
    """Limits over one field, in one case."""

    def __init__(self, ring: Field, limits: Sequence[Tendency]) -> None:
        self.ring = ring
        self.limits = limits

    def of(self, values: Sequence[FieldElement], judge: Judge) -> list[Found]:
        """The limits of some scalars: in the first letter first, while those after it are on their way."""
        return self._taken(list(values), len(self.limits), judge)

    def _taken(self, values: list[Found], count: int, judge: Judge) -> list[Found]:
        if not count:
            return values
        limit = self.limits[count - 1]
        found: list[list[Found]] = []
        for side, target in self._ways(limit, judge):
            approach = Approach(self.ring, self.ring.generators[limit.symbol], target, side, judge)
            before = self._taken(values, count - 1, approach)
            found.append([self._one(x, approach, judge) for x in before])
        if any(_differ(x, y) for x, y in zip(found[0], found[-1], strict=True)):
            raise TermError(f"there is no limit as {limit.symbol} tends to {limit.to}: it differs from side to side")
        return found[0]

    def _one(self, value: Found, approach: Approach, judge: Judge) -> Found:
        if isinstance(value, int):
            return value
        found = approach.limit(value)
        return judge.of(found.factor) if isinstance(found, Unbounded) else found

    def _ways(self, limit: Tendency, judge: Judge) -> list[tuple[int, FieldElement | None]]:
        """From which sides a letter may come to its target, and which that is; infinity has one side."""
        if limit.to.is_infinite:
            return [(1 if limit.to > 0 else -1, None)]
        target = self.ring.of(limit.to)
        found: list[tuple[int, FieldElement | None]] = [(side, target) for side in sides(limit.symbol, target, judge)]
        if not found:
            sign = "negative" if limit.symbol.is_negative else "not negative"
            raise TermError(f"{limit.symbol} is {sign}, so it can't tend to {limit.to}")
        return found


def _differ(left: Found, right: Found) -> bool:
    if isinstance(left, int) or isinstance(right, int):
        return type(left) is not type(right) or left != right
    return left != right


def _scalar(cell: Cell, ring: Field, case: Assumptions) -> FieldElement:
    """A cell of an exact matrix, in one case."""
    if isinstance(cell, Quotient):
        base = cell.ring.base
        rate = ring.one if isinstance(base, Euler) else _scalar(base, ring, case).log()
        put = partial(_scalar, ring=ring, case=case)
        return cell.valued(put, lambda e: (put(e) * rate).exp(), ring.total)
    if isinstance(cell, Fraction):
        return ring.number(cell)
    if isinstance(cell, float):
        raise Unavailable
    scalar = ring.of(to_expression(cell))
    return within(scalar, ring, case) if case.values else scalar


def within(scalar: FieldElement, ring: Field, case: Assumptions) -> FieldElement:
    """A scalar in another field, or the same, with its letters as they are in a case."""

    def put(function: RationalFunction) -> FieldElement:
        return LetterFunction(scalar.ring, function).within(ring, lambda symbol: case.value(ring, symbol))

    return scalar.valued(put, lambda e: put(e).exp(), ring.total)


# ── how it is shown ─────────────────────────────────────────────────────────────────────────────


def _shown(
    quantities: Mapping[Key, Sequence[Sequence[Cell]]], outcomes: Sequence[Outcome[list[Found] | str]]
) -> Iterator[LimitCase]:
    for result in merged(outcomes, _same):
        found = result.outcome.found
        cells = iter([] if isinstance(found, str) else [_expression(x) for x in found])
        rows = {key: tuple(tuple(next(cells, None) for _ in row) for row in rows) for key, rows in quantities.items()}
        yield LimitCase(tuple(needed(result.conditions)), rows, found if isinstance(found, str) else "")


def _same(general: list[Found] | str, special: list[Found] | str, case: Assumptions) -> bool:
    if isinstance(general, str) or isinstance(special, str):
        return general == special
    for left, right in zip(general, special, strict=True):
        if isinstance(left, int) or isinstance(right, int):
            if _differ(left, right):
                return False
            continue
        try:
            if within(left, right.ring, case) != right:
                return False
        except (Unavailable, ZeroDivisionError):
            return False
    return True


def _expression(found: Found) -> sympy.Expr:
    if isinstance(found, int):
        return found * sympy.oo
    try:
        return found.ring.plain(found.function).expression()
    except Unavailable:
        return found.expression()
