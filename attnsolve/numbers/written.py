"""The one place where a number becomes notation: exact where that can be read, a proven decimal where it can't."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from attnsolve import notation as n
from attnsolve.errors import UnsolvableError
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers import LONGEST_TEXT, MOST_TOKENS, Style, closed
from attnsolve.numbers.balls import Ball, at_precision, ball
from attnsolve.numbers.closed import Base, Cell, Number, Quotient, expression
from attnsolve.numbers.decimals import (
    HIGHEST_PRECISION,
    Decimal,
    Undecided,
    certify,
    certify_places,
    round_fraction,
    round_to_places,
    terminating,
)
from attnsolve.numbers.sums import Sum
from attnsolve.numbers.surds import EULER, Euler, Surd, digits_of
from attnsolve.record import Record, record

if TYPE_CHECKING:
    import sympy

LONGEST = 14
"""An exact number longer than this many characters is shown rounded."""
LONGEST_INSIDE = 4
"""A root of more digits is shown as a decimal: √14000090 tells nobody anything."""
LONGEST_CLOSED = 12
"""A closed form with more terms than this below its stroke is no use to anybody."""
LONGEST_FORM = 24
"""The same for surds and symbols, which say more a character."""


class Proof(Protocol):
    """A way to round a number that is known in balls: to so many figures, or places."""

    def __call__(self, ball_at: Callable[[int], Ball], digits: int, /, *, closed_form: bool = False) -> Decimal:
        """Every digit proven."""


@record
class Real(Record):
    """One real number: its exact form if there is one, and its ball at any precision."""

    exact: Cell | None
    ball_at: Callable[[int], Ball]

    @classmethod
    def of(cls, exact: Cell) -> Real:
        """A number that is known exactly."""
        cell = closed.cell_of(exact)
        return cls(cell, lambda _: ball(cell))

    @cached_property
    def is_symbolic(self) -> bool:
        """Whether it has no value until a symbol gets one."""
        return self.exact is not None and closed.has_symbols(self.exact)

    @property
    def is_infinite(self) -> bool:
        """−∞."""
        return isinstance(self.exact, float)

    @property
    def rational(self) -> Fraction | None:
        """Its value as a fraction, if it is one."""
        return self.exact if type(self.exact) is Fraction else None

    def decimal(self, figures: int) -> Decimal:
        """So many significant figures, all proven."""
        value = self.rational
        return self._proven(certify, figures) if value is None else round_fraction(value, figures)

    def to_places(self, places: int) -> Decimal:
        """So many decimal places, all proven."""
        value = self.rational
        return self._proven(certify_places, places) if value is None else round_to_places(value, places)

    def _proven(self, prove: Proof, digits: int) -> Decimal:
        """From the balls that were computed along the way, or, where those stay too wide, from the closed form."""
        try:
            return prove(self.ball_at, digits, closed_form=self.exact is not None)
        except Undecided:
            if self.exact is None:
                raise
        return prove(lambda _: ball(self.exact), digits)

    def away_from(self, value: Fraction) -> Real:
        """How far it lies from a fraction."""
        if self.rational is not None:
            return Real.of(abs(self.rational - value))
        if self.exact is not None:  # narrower than the balls that were computed along the way
            return Real(None, lambda bits: abs(ball(self.exact) - ball(value)))
        return Real(None, lambda bits: abs(self.ball_at(bits) - ball(value)))

    def nearest_float(self) -> float:
        """The float64 nearest to the true value."""
        value = self.rational
        if value is not None:
            return to_float(value)
        for ball_at in (self.ball_at, lambda _: ball(self.exact)):
            bits = 128
            while bits <= HIGHEST_PRECISION and (ball_at == self.ball_at or self.exact is not None):
                with at_precision(bits):
                    found = ball_at(bits)
                    low, high = to_float(found.lower()), to_float(found.upper())
                if low == high or (found.is_finite() and abs(high) < 1e-320):
                    return high if low == high else 0.0
                bits *= 2
        return float("nan")


def to_float(number: Fraction | Ball) -> float:
    """A number as float64; beyond its range, infinite."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


@record
class Shown(Record):
    """What is printed for a number, and whether that is the number itself."""

    notation: n.Notation
    exact: bool


@record
class Figures(Record):
    """How this problem's numbers are shown: how many figures, decimals or fractions."""

    digits: int
    style: Style
    places: int | None = None
    """Decimal places that a rounded number is shown with, instead of significant digits."""

    def guarded(self, more: int = 0) -> Figures:
        """With two digits more (or even `more`), for numbers that are worked with further: a reader's calculator then
        agrees."""
        extra = 2 + more
        return replace(self, digits=self.digits + extra, places=None if self.places is None else self.places + extra)

    def show(self, real: Real) -> Shown:
        """Exact where it is short enough to read, a rounded decimal otherwise."""
        written = self.exactly(real)
        if written is not None:
            return Shown(written, True)
        return self.decimal(real)

    def given(self, real: Real) -> Shown:
        """A number that the problem states: exact however long it is."""
        value = real.rational
        if value is None:
            return (
                self.show(real)
                if real.exact is None or real.is_infinite
                else Shown(write(real.exact, self.style), True)
            )
        decimal = terminating(value) if self.style == "decimal" else None
        return Shown(_write_rational(value, self.style) if decimal is None else write_decimal(decimal), True)

    def exactly(self, real: Real) -> n.Notation | None:
        """The exact form, or None where there is none that a person would write."""
        cell = real.exact
        if cell is None or (isinstance(cell, Quotient) and not real.is_symbolic):
            return None
        if isinstance(cell, Quotient):
            return write_closed(cell, self.style)
        if isinstance(cell, float):
            return n.Infinity()
        value = real.rational
        if value is not None:
            whole = value.denominator == 1
            length = len(digits_of(value.numerator)) + (0 if whole else 1 + len(digits_of(value.denominator)))
            fits = length <= LONGEST + 2 * whole or self._terminates_soon(value)
            return _write_rational(value, self.style) if fits else None
        written = write(cell, self.style)
        if real.is_symbolic:
            return written
        return written if len(TextPrinter().print(written)) <= LONGEST_FORM and not _has_long_root(written) else None

    def _terminates_soon(self, value: Fraction) -> bool:
        decimal = terminating(value) if self.style == "decimal" or value.denominator == 1 else None
        return decimal is not None and len(decimal.digits) <= LONGEST - 2

    def decimal(self, real: Real) -> Shown:
        """A decimal, rounded where it must be. A symbolic number is written as it is."""
        if real.is_symbolic or real.is_infinite:
            written = self.exactly(real)
            assert written is not None
            return Shown(written, True)
        decimal = self.rounded(real)
        return Shown(write_decimal(decimal), decimal.exact)

    def rounded(self, real: Real) -> Decimal:
        """To so many places; a number so large that these could not be written, to so many figures."""
        if self.places is None:
            return real.decimal(self.digits)
        try:
            return real.to_places(self.places)
        except Undecided:
            return real.decimal(self.digits)

    def needs_decimal(self, real: Real) -> bool:
        """Whether the exact form leaves a reader wondering how large the number is (1/3, 2√3)."""
        if real.is_symbolic or real.is_infinite:
            return False
        value = real.rational
        return value is None or terminating(value) is None


def _has_long_root(part: object) -> bool:
    """Whether a root is taken of more digits than a person would leave inside it."""
    if isinstance(part, n.Root) and isinstance(part.inner, n.Num) and len(part.inner.text) > LONGEST_INSIDE:
        return True
    if isinstance(part, tuple):
        return any(map(_has_long_root, part))
    return isinstance(part, n.Notation) and any(map(_has_long_root, part.__dict__.values()))


def write_decimal(decimal: Decimal) -> n.Num:
    """A decimal as a numeral, with a power of ten where a person would use one."""
    if decimal.is_plain:
        return n.Num(decimal.plain(), rounded=not decimal.exact)
    mantissa, exponent = decimal.scientific()
    return n.Num(mantissa, exponent, rounded=not decimal.exact)


def write(number: Cell | Euler, style: Style) -> n.Notation:
    """An exact number in the style of its problem."""
    value = closed.cell_of(number)
    if isinstance(value, Fraction):
        return _write_rational(value, style)
    if isinstance(value, Surd):
        return _write_surd(value, style)
    if isinstance(value, float):
        return n.Infinity()
    if value is EULER:
        return n.Sym("e")
    return _write_expression(value, style)


def _write_expression(number: sympy.Expr, style: Style) -> n.Notation:
    import sympy

    if isinstance(number, sympy.Symbol):
        name, _, index = number.name.partition("_")
        return n.Sym(name, (index,) if index else ())
    if number is sympy.pi or number is sympy.E:
        return n.Sym("pi" if number is sympy.pi else "e")
    if number is sympy.oo:
        return n.Infinity(False)
    if number.is_Add:
        return n.Sum(tuple(write(term, style) for term in number.as_ordered_terms()))
    if number.is_Mul:
        return _write_product(number, style)
    if isinstance(number, sympy.log):
        return n.Call("ln", (write(number.args[0], style),))
    base, exponent = number.as_base_exp()
    if exponent == 1:
        raise UnsolvableError(f"an entry is {number}, for which there is no notation: give its letters values")
    return _write_power(base, exponent, style)


def _write_rational(value: Fraction, style: Style) -> n.Notation:
    whole = value.denominator == 1
    if whole and len(digits_of(value.numerator)) <= LONGEST + 2:
        return n.Num(digits_of(value.numerator))
    decimal = terminating(value) if style == "decimal" or whole else None
    if decimal is not None and len(decimal.digits) <= LONGEST - 2:
        return write_decimal(decimal)
    return (
        n.Num(digits_of(value.numerator))
        if whole
        else n.Frac(n.Num(digits_of(value.numerator)), n.Num(digits_of(value.denominator)))
    )


def _write_power(base: sympy.Expr, exponent: sympy.Expr, style: Style) -> n.Notation:
    if exponent.is_Rational and exponent.p == 1 and exponent.q == 2:
        return n.Root(write(base, style))
    if exponent.is_Rational and exponent.is_negative:
        return n.Frac(n.Num("1"), _write_power(base, -exponent, style) if exponent != -1 else write(base, style))
    return n.Power(write(base, style), write(exponent, style))


def _write_product(number: sympy.Expr, style: Style) -> n.Notation:
    coefficient, factors = number.as_coeff_mul()
    over = [f for f in factors if not _is_below(f)]
    under = [write(1 / f, style) for f in factors if _is_below(f)]
    if style == "decimal" and (decimal := terminating(Fraction(int(coefficient.p), int(coefficient.q)))):
        parts: list[n.Notation] = [write_decimal(decimal)]
    else:
        parts = [n.Num(digits_of(int(coefficient.p)))]
        under = [*([n.Num(digits_of(int(coefficient.q)))] if coefficient.q != 1 else []), *under]
    parts += [write(f, style) for f in over]
    top = _product([p for p in parts if p != n.Num("1")])
    return n.Frac(top, _product(under)) if under else top


def _is_below(factor: sympy.Expr) -> bool:
    exponent = factor.as_base_exp()[1]
    return bool(exponent.is_Rational and exponent.is_negative)


def _product(parts: list[n.Notation]) -> n.Notation:
    if not parts:
        return n.Num("1")
    return parts[0] if len(parts) == 1 else n.Product(tuple(parts))


def _write_surd(surd: Surd, style: Style) -> n.Notation:
    """c√d where c is plain, else q/√d where q is: 2√3 and 2/√3 and 1.5√3, but never 2√3/3."""
    sign, inside = n.Root(n.Num(digits_of(surd.inside))), surd.factor
    below = inside * surd.inside
    if _is_plain(inside, style):
        return _product([p for p in (_write_rational(inside, style), sign) if p != n.Num("1")])
    if _is_plain(below, style):
        return n.Frac(_write_rational(below, style), sign)
    top = _product([p for p in (n.Num(digits_of(inside.numerator)), sign) if p != n.Num("1")])
    return n.Frac(top, n.Num(digits_of(inside.denominator)))


def _is_plain(value: Fraction, style: Style) -> bool:
    return value.denominator == 1 or (style == "decimal" and terminating(value) is not None)


def write_closed(cell: Quotient, style: Style) -> n.Notation:
    """A closed form: (16e² − 8e⁸)/(e² + e⁸)."""
    over, under = (_write_sum(cell.ring.base, terms, style) for terms in (cell.over, cell.under))
    return over if cell.is_sum else n.Frac(over, under)


def _write_sum(base: Base, powers: Sum[Number], style: Style) -> n.Notation:
    terms = []
    for exponent, coefficient in powers.items():
        number = write(coefficient, style)
        raised = n.Power(write(base, style), write(exponent, style)) if exponent != 0 else n.Num("1")
        one = number == n.Num("1")
        terms.append(raised if one else number if exponent == 0 else n.Product((number, raised)))
    return n.Sum(tuple(terms)) if len(terms) != 1 else terms[0]


def exact_text(cell: Cell | None, style: Style) -> str | None:
    """The exact value as text that sympy and people can read: `1/3`, `2*sqrt(3)/3`, `exp(2)/(exp(2) + exp(8))`; None
    where it would be longer than an answer may be, so that whatever is printed can be read again."""
    text = None if cell is None else _exact_text(cell, style)
    if text is None or len(text) > LONGEST_TEXT:
        return None
    return text if len(re.findall(r"\w+|\S", text)) <= MOST_TOKENS else None


def _exact_text(cell: Cell, style: Style) -> str | None:
    if closed.is_unwieldy(cell):
        return None
    if isinstance(cell, Quotient) and len(cell.under) > LONGEST_CLOSED:
        return None
    cell = closed.cell_of(cell)
    if isinstance(cell, Fraction) and style == "decimal":
        decimal = terminating(cell)
        if decimal is not None and decimal.is_plain:
            return decimal.plain()
    if isinstance(cell, Fraction):
        over, under = digits_of(cell.numerator), digits_of(cell.denominator)
        return over if under == "1" else f"{over}/{under}"
    if isinstance(cell, Surd):
        return str(cell)
    import sympy

    text: str = sympy.sstr(expression(cell), order="none" if closed.is_far(cell) else None)
    return text
