"""Exact arithmetic on the numbers that people write, within bounds.

A number is a Fraction while it is rational, a sympy expression as soon as it is not. sympy is loaded only then. What
would grow beyond its bounds is refused before it is computed.
"""

from __future__ import annotations

from fractions import Fraction
from math import comb, isqrt
from typing import Any, Final

from attnsolve.bounds import allowed
from attnsolve.language.tokens import LanguageError as NumberError
from attnsolve.record import Record, record

Number = Fraction | Any
"""A Fraction, a sympy expression, or MINUS_INFINITY."""

MINUS_INFINITY: Final = float("-inf")
TERMS_OF_SUMS = 4
"""A sum may have so many times the terms of a product: adding is quicker than multiplying out."""


@record
class Lengths(Record):
    """How long a number may be: in a problem, or in an answer, which may repeat whatever is printed."""

    characters: int
    digits: int
    bits: int
    exponent: int
    """The n of 1e±n."""

    @classmethod
    def of_problems(cls) -> Lengths:
        """Those of the numbers in a problem."""
        b = allowed()
        return cls(b.number_characters, b.number_digits, b.number_bits, b.decimal_exponent)

    @classmethod
    def of_answers(cls) -> Lengths:
        """Those of the numbers in an answer."""
        b = allowed()
        return cls(b.answer_characters, b.answer_characters, b.answer_bits, b.answer_exponent)


@record
class Calculator(Record):
    """Arithmetic for the number of one text, which messages quote. In an `answer` a power may have any exponent."""

    text: str
    lengths: Lengths
    answer: bool = False

    def add(self, left: Number, right: Number) -> Number:
        """left + right."""
        if isinstance(left, Fraction) and isinstance(right, Fraction):
            return left + right
        _afford((_terms(left) + _terms(right)) // TERMS_OF_SUMS)
        return _lowered(_expression(left) + _expression(right))

    def multiply(self, left: Number, right: Number) -> Number:
        """left · right."""
        return self.checked(multiply(left, right))

    def divide(self, left: Number, right: Number) -> Number:
        """left / right."""
        return self.multiply(left, self._reciprocal(right))

    def _reciprocal(self, value: Number) -> Number:
        if _is_zero(value):
            raise NumberError(f"{self.text!r} divides by zero")
        if isinstance(value, Fraction):
            return 1 / value
        import sympy

        if self.answer and any(_is_beyond_surds(part) for part in sympy.preorder_traversal(value)):
            return 1 / value  # there is nothing to rationalise, and sympy would look for it for ever
        return _lowered(sympy.radsimp(1 / value, max_terms=4))

    def power(self, base: Number, exponent: Number) -> Number:
        """base^exponent."""
        largest = self.lengths.exponent if base == 10 else allowed().power
        plain = isinstance(exponent, Fraction) and exponent.denominator <= 2 and abs(exponent) <= largest
        if not plain or (self.answer and str(base) == "E"):
            if self.answer:
                return self._any_power(base, exponent)
            message = f"a power must be a whole or half number between ±{largest}"
            raise NumberError(f"{self.text!r}: {message}", "write it in another way")
        if exponent < 0 and _is_zero(base):
            raise NumberError(f"{self.text!r} divides by zero")
        if exponent.denominator == 2:
            base, exponent = self.square_root(base), Fraction(exponent.numerator)
        if isinstance(base, Fraction):
            return self.checked(base ** int(exponent))
        if exponent < 0:
            base, exponent = self._reciprocal(base), -exponent
        times = int(exponent)
        _afford(comb(times + _terms(base) - 1, times))
        return _expanded(_expression(base) ** times)

    def exponential(self, exponent: Number) -> Number:
        """e^exponent."""
        import sympy

        return self._any_power(sympy.E, exponent)

    def _any_power(self, base: Number, exponent: Number) -> Number:
        """A power of a positive number, left as it stands: what closed forms of a softmax are made of."""
        import sympy

        from attnsolve.numbers.balls import at_precision, ball

        below, above = _expression(base), _expression(exponent)
        if below.free_symbols:
            raise NumberError(f"{self.text!r}: a power of a letter must be a whole or half number")
        rational = isinstance(base, Fraction) and isinstance(exponent, Fraction)
        largest = allowed().shift if rational else allowed().exponent
        with at_precision(64):
            if not bool(ball(base) > 0):
                raise NumberError(f"{self.text!r} is a power of a number that is not positive")
            if not above.free_symbols and not bool(abs(ball(exponent)) <= largest):
                raise NumberError(f"{self.text!r}: a power must be a number between ±{largest}")
        if isinstance(base, Fraction) and base.numerator * base.denominator > allowed().radicand:
            raise NumberError(f"{self.text!r}: the base of a power may be at most {allowed().radicand:.0e}")
        return _lowered(sympy.Pow(below, above))

    def square_root(self, value: Number) -> Number:
        """√value."""
        if isinstance(value, Fraction):
            return self._rational_root(value)
        if value.is_number and value.is_negative:
            raise NumberError(f"{self.text!r} is the root of a negative number")
        if value.free_symbols and not value.is_nonnegative:
            raise NumberError(f"{self.text!r}: to take the root of a symbol, declare it positive")
        import sympy

        if not self.answer and value.is_number and any(_is_root(part) for part in sympy.preorder_traversal(value)):
            raise NumberError(f"{self.text!r}: roots inside roots are not supported")
        root = sympy.sqrt(value)
        if root.has(sympy.Abs):
            message = "the root of a square depends on the sign of its symbol: declare it positive"
            raise NumberError(f"{self.text!r}: {message}")
        return _lowered(root)

    def _rational_root(self, value: Fraction) -> Number:
        if value < 0:
            raise NumberError(f"{self.text!r} is the root of a negative number")
        over, under = isqrt(value.numerator), isqrt(value.denominator)
        if over * over == value.numerator and under * under == value.denominator:
            return Fraction(over, under)
        if value.numerator * value.denominator > allowed().radicand:
            raise NumberError(f"{self.text!r}: the number under a root may be at most {allowed().radicand:.0e}")
        import sympy

        return sympy.sqrt(_expression(value))

    def checked(self, value: Number) -> Number:
        """Refuse what is not finite, and integers longer than can be worked with."""
        if isinstance(value, Fraction):
            parts = [value.numerator, value.denominator]
        else:
            import sympy

            if value.has(sympy.zoo, sympy.nan, sympy.oo):
                raise NumberError(f"{self.text!r} divides by zero")
            parts = [int(part) for number in value.atoms(sympy.Rational) for part in (number.p, number.q)]
        if max(part.bit_length() for part in parts or [0]) > self.lengths.bits:
            raise NumberError(f"{self.text!r} has too many digits")
        return value


def fraction_of(literal: str) -> Fraction:
    """A literal (12, 0.5, 1/3, 1e-3) as a fraction, however many digits it has: Python by itself refuses 4,300."""
    if len(literal) <= allowed().number_digits:
        return Fraction(literal)
    from flint import fmpz

    mantissa, _, exponent = literal.lower().partition("e")
    whole, _, decimals = mantissa.partition(".")
    return int(fmpz(whole + decimals)) * Fraction(10) ** (small(exponent) - len(decimals))


def small(exponent: str) -> int:
    """A whole number of few digits, however many zeros stand before them."""
    size = int(exponent.lstrip("+-0") or 0)
    return -size if exponent.startswith("-") else size


def multiply(left: Number, right: Number) -> Number:
    """The exact product of two finite numbers."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    _afford(_terms(left) * _terms(right))
    return _expanded(_expression(left) * _expression(right))


def _expression(value: Number) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def _expanded(product: Any) -> Number:
    """Multiplied out; but 2^(n + x) stays as it is, since 2^n could have any length."""
    return _lowered(product.expand(power_exp=False))


def _terms(value: Number) -> int:
    return 1 if isinstance(value, Fraction) or not value.is_Add else len(value.args)


def _afford(terms: int) -> None:
    if terms > allowed().number_terms:
        raise NumberError(f"a number may have at most {allowed().number_terms} terms once it is multiplied out")


def _is_zero(value: Number) -> bool:
    """Whether a number is 0, however it is written: cancelled where it has symbols, as a ball where it has not."""
    if isinstance(value, Fraction) or value == 0:
        return bool(value == 0)
    if value.free_symbols:
        return bool(value.cancel() == 0)
    from attnsolve.numbers.balls import at_precision, ball

    with at_precision(512):
        return bool(ball(value).contains(0))


def _is_root(part: Any) -> bool:
    return bool(part.is_Pow and not part.exp.is_Integer)


def _is_beyond_surds(part: Any) -> bool:
    """Whether it is an exponential, a root of more than a number, or any other power that is not whole."""
    square = _is_root(part) and part.base.is_Rational and part.exp.is_Rational and part.exp.q == 2
    return bool(part.is_Function or part.is_NumberSymbol or (_is_root(part) and not square))


def _lowered(value: Any) -> Number:
    """A sympy result that turned out rational goes back to being a Fraction."""
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else value
