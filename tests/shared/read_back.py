"""Displayed arithmetic as it reads: what the printed text comes to in our own grammar, and what the roundings of its
numbers leave open.

Every stretch of arithmetic is printed in Unicode and in ASCII, and both texts are read with the grammar of numbers
(`spec.number`). What that grammar has no words for (matrices, tanh, max, −∞, letters with an index) is walked as
notation, down to the stretches that it has.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, reduce
from operator import add
from typing import Any

import sympy
from flint import arb, ctx, fmpq
from shared.tables import Ball, Table, joined, shares, softmax

from attnsolve import notation as n
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.spec.number import parse_number

BITS = 256
DIGITS = 70
"""Decimal digits to which a text that comes to no fraction is worked out."""
PRINTERS = {"Unicode": TextPrinter(), "ASCII": TextPrinter(ASCII)}
EULER = n.Sym("e")
MOST_TERMS = 50

Letters = Callable[[n.Sym], Table]
"""What a letter stands for; LookupError for one that stands for nothing."""


class Unreadable(Exception):
    """Notation that no number can be made of: a letter of no quantity, a word, dots."""


class Misread(AssertionError):
    """A text that our grammar refuses, or takes for something else than was meant."""


# ── numerals ──────────────────────────────────────────────────────────────────────────────────────


def places(numeral: n.Num) -> int:
    """Decimal places (negative: tens, hundreds)."""
    return len(numeral.text.partition(".")[2]) - (numeral.exponent or 0)


def figures(numeral: n.Num) -> int:
    """Significant digits."""
    return len(numeral.text.lstrip("-").replace(".", "").lstrip("0"))


def half_unit(decimal_places: int) -> Fraction:
    """Half a unit of the last of so many places."""
    return Fraction(10) ** -decimal_places / 2


def exactly(value: Fraction) -> Ball:
    return arb(fmpq(value.numerator, value.denominator))


def numerals(part: object) -> list[n.Num]:
    """Every numeral in some notation."""
    if isinstance(part, n.Num):
        return [part]
    if isinstance(part, tuple):
        return [numeral for inner in part for numeral in numerals(inner)]
    return numerals(tuple(part.__dict__.values())) if isinstance(part, n.Notation) else []


def rounded(part: n.Notation) -> list[n.Num]:
    return [numeral for numeral in numerals(part) if numeral.rounded]


# ── notation as matrices of balls ─────────────────────────────────────────────────────────────────


class Walk(ABC):
    """Works notation out; what a numeral stands for is left open."""

    def __init__(self, letters: Letters, down: bool = False) -> None:
        self.letters = letters
        self.down = down
        """Whether a softmax of a matrix is taken down its columns."""

    @abstractmethod
    def numeral(self, node: n.Num) -> Ball: ...

    def value(self, node: n.Notation) -> Table:
        """What it comes to; Unreadable where it is no arithmetic."""
        method = getattr(self, f"_{type(node).__name__.lower()}", None)
        if method is None:
            raise Unreadable(type(node).__name__)
        found: Table = method(node)
        return found

    def single(self, node: n.Notation) -> Ball:
        return self.value(node).single()

    def _num(self, node: n.Num) -> Table:
        return Table.number(self.numeral(node))

    def _infinity(self, node: n.Infinity) -> Table:
        return Table.number(arb("-inf") if node.negative else arb("inf"))

    def _sym(self, node: n.Sym) -> Table:
        try:
            return self.letters(node)
        except LookupError:
            raise Unreadable(PRINTERS["Unicode"].print(node)) from None

    def _sum(self, node: n.Sum) -> Table:
        return reduce(add, map(self.value, node.terms))

    def _product(self, node: n.Product) -> Table:
        first, *rest = node.factors
        if isinstance(first, n.Word):
            return _block(first.text, self._product(n.Product(tuple(rest))))
        tables = [self.value(factor) for factor in node.factors]
        if len(tables) == 2 and node.dotted:
            return tables[0].dot(tables[1])
        return reduce(Table.__mul__, tables)

    def _frac(self, node: n.Frac) -> Table:
        under = self.single(node.under)
        return self.value(node.over).each(lambda ball: ball / under)

    def _power(self, node: n.Power) -> Table:
        exponent = self.single(node.exponent)
        if node.base == EULER:
            return Table.number(exponent.exp())
        base = self.single(node.base)
        whole = isinstance(node.exponent, n.Num) and re.fullmatch(r"-?\d{1,4}", node.exponent.text)
        return Table.number(base ** int(node.exponent.text) if whole else (exponent * base.log()).exp())

    def _root(self, node: n.Root) -> Table:
        return Table.number(self.single(node.inner).sqrt())

    def _transposed(self, node: n.Transposed) -> Table:
        return self.value(node.inner).T

    def _grid(self, node: n.Grid) -> Table:
        return Table.of([self.single(cell) for cell in row] for row in node.rows)

    def _beside(self, node: n.Beside) -> Table:
        return joined([self.value(part) for part in node.parts], node.down)

    def _call(self, node: n.Call) -> Table:
        inner = [self.value(part) for part in node.inner]
        match node.name:
            case "tanh":
                return inner[0].each(arb.tanh)
            case "exp":
                return inner[0].each(arb.exp)
            case "max":
                return Table.number(reduce(arb.max, (table.single() for table in inner)))
            case "min":
                return Table.number(reduce(arb.min, (table.single() for table in inner)))
            case "softmax":
                base = exactly(Fraction(node.sub.strip("()"))) if node.sub else arb(1).exp()
                return inner[0].vectors(lambda row: softmax(row, base), self.down)
            case "share":
                return inner[0].vectors(shares, self.down)
        raise Unreadable(node.name)

    def _sumover(self, node: n.SumOver) -> Table:
        """Σⱼ over as many as there are."""
        terms: list[Table] = []
        while len(terms) < MOST_TERMS:
            try:
                terms.append(self.value(_with_index(node.body, node.index, str(len(terms) + 1))))
            except Unreadable:
                break
        if not terms:
            raise Unreadable("Σ")
        return reduce(add, terms)


class Spans(Walk):
    """A rounded number stands for everything that is rounded to it."""

    def numeral(self, node: n.Num) -> Ball:
        ball = _exact_numeral(node)
        return arb(ball, exactly(half_unit(places(node)))) if node.rounded else ball


class Points(Walk):
    """Every number stands for itself; arithmetic is read from its printed text, and that is held against the walk."""

    def __init__(self, letters: Letters, down: bool = False) -> None:
        super().__init__(letters, down)
        self.texts: list[str] = []

    def numeral(self, node: n.Num) -> Ball:
        return _exact_numeral(node)

    def value(self, node: n.Notation) -> Table:
        if not is_arithmetic(node):
            return super().value(node)
        meant = _Plain().single(node)
        for alphabet, printer in PRINTERS.items():
            text = printer.print(node)
            found = read_text(text)
            if not found.overlaps(meant):
                raise Misread(f"{alphabet} {text!r} is read as {found}, but {meant} was meant")
            self.texts.append(text)
        return Table.number(found)


class _Plain(Walk):
    """Arithmetic without a letter in it."""

    def __init__(self) -> None:
        super().__init__(lambda symbol: {}[symbol])

    def numeral(self, node: n.Num) -> Ball:
        return _exact_numeral(node)


def _exact_numeral(node: n.Num) -> Ball:
    return exactly(Fraction(node.text) * Fraction(10) ** (node.exponent or 0))


def _block(words: str, table: Table) -> Table:
    """columns 1 to 2 of a matrix; row 3 of one."""
    match = re.fullmatch(r"(row|column)s? (\d+)(?: to (\d+))? of", words)
    if match is None:
        raise Unreadable(words)
    return table.block(int(match[2]) - 1, int(match[3] or match[2]), match[1] == "row")


def _with_index(part: Any, index: str, number: str) -> Any:
    """The same notation with a number for a running index."""
    if isinstance(part, tuple):
        return tuple(_with_index(inner, index, number) for inner in part)
    if isinstance(part, n.Sym):
        return replace(part, sub=tuple(number if sub == index else sub for sub in part.sub))
    if isinstance(part, n.Notation):
        return replace(part, **{name: _with_index(inner, index, number) for name, inner in part.__dict__.items()})
    return part


# ── text ──────────────────────────────────────────────────────────────────────────────────────────


def is_arithmetic(node: n.Notation) -> bool:
    """Whether it is made of nothing but numbers, + − · / √ and powers."""
    match node:
        case n.Num():
            return True
        case n.Sum(terms=parts) | n.Product(factors=parts):
            return all(map(is_arithmetic, parts))
        case n.Frac(over=over, under=under):
            return is_arithmetic(over) and is_arithmetic(under)
        case n.Power(base=base, exponent=exponent):
            return (base == EULER or is_arithmetic(base)) and is_arithmetic(exponent)
        case n.Root(inner=inner) | n.Call(name="exp", inner=(inner,)):
            return is_arithmetic(inner)
    return False


@lru_cache(maxsize=4096)
def read_text(text: str) -> Ball:
    """What a text comes to in our grammar: a fraction exactly, anything else to many digits by mpmath."""
    try:
        found = parse_number(text, answer=True).value
    except ValueError as error:
        raise Misread(f"our grammar can't read {text!r}: {error}") from None
    with ctx.workprec(BITS):
        if isinstance(found, Fraction):
            return exactly(found)
        ball = arb(str(sympy.N(found, DIGITS)))
        return arb(ball.mid(), abs(ball.mid()) * arb(10) ** (5 - DIGITS))
