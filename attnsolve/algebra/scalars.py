"""Exact arithmetic with exponentials, in which equality is decided and not guessed.

A scalar is a quotient of sums Σ c·e^p, with coefficients c and exponents p rational functions of the symbols. Such a
sum vanishes only if every coefficient does: exponentials of functions that differ by more than a constant are linearly
independent over the rational functions, and those that differ by a rational constant are so by Lindemann and
Weierstrass. So two quotients are equal exactly if cross-multiplying them leaves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import comb, isqrt, prod
from typing import Any

import sympy
from sympy import QQ
from sympy.polys.fields import field

from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, ball

SPARE = 4
"""How many different square roots, and how many logarithms, one claim may hold."""
MOST_TERMS = 1500
"""Sums longer than this are left to the points."""

MOST_MONOMIALS = 40_000
"""The same for products of polynomials."""

Function = Any
"""An element of sympy's field of rational functions."""


class Field:
    """The scalars over some symbols. Those in `normal` are independent normal variables: symbol → (mean, deviation)."""

    def __init__(self, symbols: Iterable[sympy.Symbol]) -> None:
        self.symbols = tuple(symbols)
        self.spare = [sympy.Symbol(f"root_{i}", positive=True) for i in range(SPARE)]
        self.spare_logs = [sympy.Symbol(f"log_{i}", real=True) for i in range(SPARE)]
        letters = (*self.symbols, *self.spare, *self.spare_logs)
        self.functions, *generators = field(letters, QQ)
        self.generators = dict(zip(letters, generators, strict=True))
        self.roots: list[tuple[Any, Function]] = []
        self.logs: list[tuple[Any, Function]] = []
        self.normal: dict[sympy.Symbol, tuple[Function, Function]] = {}
        self.one, self.zero = self.number(1), self.number(0)

    def number(self, value: int | Fraction) -> Scalar:
        """A rational number."""
        return self.plain(self.functions(QQ(value.numerator, value.denominator)))

    def symbol(self, symbol: sympy.Symbol) -> Scalar:
        """A symbol."""
        return self.plain(self.generators[symbol])

    def plain(self, function: Function) -> Scalar:
        """A rational function, without exponentials."""
        return Scalar(
            self, {self.functions.zero: function} if function else {}, {self.functions.zero: self.functions.one}
        )

    def of(self, expression: sympy.Expr) -> Scalar:
        """A sympy expression of numbers, symbols, sums, products, whole powers, roots and exponentials."""
        if expression.is_Rational:
            return self.number(Fraction(int(expression.p), int(expression.q)))
        if expression in self.generators:
            return self.symbol(expression)
        if expression is sympy.E:
            return self.one.exp()
        if expression.is_Add:
            return sum((self.of(term) for term in expression.args), self.zero)
        if expression.is_Mul:
            return prod((self.of(factor) for factor in expression.args), start=self.one)
        base, exponent = expression.as_base_exp()
        if isinstance(expression, sympy.exp) or base is sympy.E:
            return self.of(exponent).exp()
        if expression.is_Pow and exponent.is_Integer:
            return self.of(base) ** int(exponent)
        if expression.is_Pow and (2 * exponent).is_Integer:
            return self.of(base).sqrt() ** int(2 * exponent)
        raise Unavailable

    def root(self, function: Function) -> Function:
        """√function, as a rational function where it is one, else as a letter whose square is known."""
        exact = self._exact_root(function)
        return self._letter(function, self.roots, self.spare) if exact is None else exact

    def log(self, function: Function) -> Function:
        """ln of a rational function: a letter, of which e to a whole multiple is known."""
        return self._letter(function, self.logs, self.spare_logs)

    def _letter(self, function: Function, taken: list[tuple[Any, Function]], spare: list[sympy.Symbol]) -> Function:
        for letter, known in taken:
            if known == function:
                return letter
        if len(taken) == len(spare):
            raise Unavailable
        letter = self.generators[spare[len(taken)]]
        taken.append((letter, function))
        return letter

    def power_of_e(self, exponent: Function) -> Scalar:
        """e^exponent, with e^(k ln f) as f^k."""
        factor = self.functions.one
        for letter, function in self.logs:
            times = exponent.diff(letter)
            if times and times.denom == 1 and times.numer.is_ground and times.numer.LC.denominator == 1:
                exponent -= times * letter
                factor *= function ** int(times.numer.LC)
        one, zero = self.functions.one, self.functions.zero
        return Scalar(self, {self.reduced(exponent): factor}, {zero: one})

    def _exact_root(self, function: Function) -> Function | None:
        """The root of one term with even exponents, its letters positive: √(4σ²) = 2σ."""
        result = self.functions.one
        for part, power in ((function.numer, 1), (function.denom, -1)):
            if len(part) != 1:
                return None
            ((exponents, coefficient),) = part.terms()
            value = Fraction(int(coefficient.numerator), int(coefficient.denominator))
            if value < 0 or any(e % 2 for e in exponents):
                return None
            if any(e and not s.is_positive for e, s in zip(exponents, self.generators, strict=True)):
                return None
            over, under = isqrt(value.numerator), isqrt(value.denominator)
            if over * over != value.numerator or under * under != value.denominator:
                return None
            root = self.functions(QQ(over, under))
            for exponent, generator in zip(exponents, self.generators.values(), strict=True):
                root *= generator ** (exponent // 2)
            result *= root**power
        return result

    def inverse(self, function: Function) -> Function:
        """1/function; a root is taken out of the denominator, so that 1/√3 is √3/3."""
        for letter, _ in self.roots:
            if len(function.numer) == 1 and function.numer.degree(letter.numer) == 1:
                return letter / self.reduced(function * letter)
        return 1 / function

    def reduced(self, function: Function) -> Function:
        """With every square of a root replaced by what it is the square of."""
        for letter, square in self.roots:
            if max(part.degree(letter.numer) for part in (function.numer, function.denom)) < 2:
                continue
            relation = letter.numer**2 * square.denom - square.numer
            numerator, denominator = (part.rem([relation]) for part in (function.numer, function.denom))
            function = self.functions(numerator) / self.functions(denominator)
        return function

    def is_zero(self, terms: Mapping[Function, Function]) -> bool:
        """Whether a sum of exponentials vanishes."""
        if not self.roots:
            return not terms
        total: dict[Function, Function] = {}
        for exponent, coefficient in terms.items():
            place = self.reduced(exponent)
            total[place] = total.get(place, self.functions.zero) + coefficient
        return not any(self.reduced(coefficient) for coefficient in total.values())

    def moment(self, symbol: sympy.Symbol, power: int) -> Function:
        """E[x^power] of a normal variable: Σ C(power, j) μ^(power − j) σ^j (j − 1)!! over even j."""
        mean, deviation = self.normal[symbol]
        total = self.functions.zero
        for j in range(0, power + 1, 2):
            double_factorial = prod(range(1, j, 2))
            total += comb(power, j) * double_factorial * mean ** (power - j) * deviation**j
        return total

    def expected(self, function: Function) -> Function:
        """E[function]: polynomial in the normal variables, which are independent of each other."""
        drawn = [i for i, symbol in enumerate(self.generators) if symbol in self.normal]
        symbols = list(self.generators)
        if any(exponents[i] for exponents, _ in function.denom.terms() for i in drawn):
            raise Unavailable
        total = self.functions.zero
        for exponents, coefficient in function.numer.terms():
            kept = tuple(0 if i in drawn else e for i, e in enumerate(exponents))
            term = self.functions(function.numer.ring.from_dict({kept: coefficient}))
            for i in drawn:
                if exponents[i]:
                    term *= self.moment(symbols[i], exponents[i])
            total += term
        return total / self.functions(function.denom)

    def has_normal(self, function: Function) -> bool:
        """Whether a normal variable stands in it."""
        drawn = [i for i, symbol in enumerate(self.generators) if symbol in self.normal]
        return any(e[i] for part in (function.numer, function.denom) for e, _ in part.terms() for i in drawn)


class Scalar:
    """A quotient of two sums of exponentials; each sum maps an exponent to its coefficient."""

    def __init__(self, home: Field, over: Mapping[Function, Function], under: Mapping[Function, Function]) -> None:
        self.home = home
        self.over = over
        self.under = under

    def __add__(self, other: Scalar) -> Scalar:
        if not self.over or not other.over:
            return self if self.over else other
        if self.under == other.under:
            return Scalar(self.home, _plus(self.over, other.over), self.under)
        over = _plus(_times(self.over, other.under), _times(other.over, self.under))
        return Scalar(self.home, over, _times(self.under, other.under))

    def __neg__(self) -> Scalar:
        return Scalar(self.home, {e: -c for e, c in self.over.items()}, self.under)

    def __sub__(self, other: Scalar) -> Scalar:
        return self + -other

    def __mul__(self, other: Scalar) -> Scalar:
        if not self.over or not other.over:
            return self.home.zero
        return Scalar(self.home, _times(self.over, other.over), _times(self.under, other.under))

    def __truediv__(self, other: Scalar) -> Scalar:
        if self.home.is_zero(other.over):
            raise ZeroDivisionError
        zero = self.home.functions.zero
        if list(other.over) == [zero] and list(other.under) == [zero]:
            inverse = self.home.inverse(_by(other.over[zero], other.under[zero]))
            return self * self.home.plain(inverse)
        return Scalar(self.home, _times(self.over, other.under), _times(self.under, other.over))

    def __pow__(self, power: int) -> Scalar:
        result = self.home.one
        for _ in range(abs(power)):
            result *= self
        return self.home.one / result if power < 0 else result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scalar):
            return NotImplemented
        left, right = self.over, other.over
        if self.under != other.under:
            left, right = _times(left, other.under), _times(right, self.under)
        return self.home.is_zero(_plus(left, {e: -c for e, c in right.items()}))

    def __hash__(self) -> int:
        raise TypeError("scalars are compared, not hashed")

    @property
    def function(self) -> Function:
        """The rational function that it is; Unavailable if it holds exponentials."""
        zero = self.home.functions.zero
        if any(e != zero for e in (*self.over, *self.under)):
            raise Unavailable
        return _by(self.over.get(zero, zero), self.under[zero])

    def exp(self) -> Scalar:
        """e to this power."""
        return self.home.power_of_e(self.function)

    def sqrt(self) -> Scalar:
        """Its square root."""
        return self.home.plain(self.home.root(self.function))

    def expectation(self) -> Scalar:
        """Its mean over the normal variables."""
        if any(map(self.home.has_normal, (*self.over, *self.under, *self.under.values()))):
            raise Unavailable
        over = {e: mean for e, c in self.over.items() if (mean := self.home.expected(c))}
        return Scalar(self.home, over, self.under)

    def log(self) -> Scalar:
        """Its natural logarithm, where it is one power of e times a rational function."""
        if len(self.over) != 1 or len(self.under) != 1:
            raise Unavailable
        ((e, c), (f, d)) = (*self.over.items(), *self.under.items())
        rest = self.home.functions.zero if c == d else self.home.log(c / d)
        return self.home.plain(e - f + rest)

    def tanh(self) -> Scalar:
        """(e^2x − 1)/(e^2x + 1)."""
        power = (self + self).exp()
        return (power - self.home.one) / (power + self.home.one)

    def expression(self) -> sympy.Expr:
        """As a sympy expression."""
        known = {letter.as_expr(): sympy.sqrt(square.as_expr()) for letter, square in self.home.roots}
        known |= {letter.as_expr(): sympy.log(value.as_expr()) for letter, value in self.home.logs}
        over, under = (
            sympy.Add(*(c.as_expr() * sympy.exp(e.as_expr()) for e, c in terms.items()))
            for terms in (self.over, self.under)
        )
        return (over / under).subs(known)

    def at(self, point: Mapping[sympy.Symbol, Fraction]) -> Ball:
        """Its value at a point, as a ball."""
        values = {symbol: ball(value) for symbol, value in point.items()}
        for letter, square in self.home.roots:
            values[letter.as_expr()] = self._function_at(square, values).sqrt()
        for letter, value in self.home.logs:
            values[letter.as_expr()] = self._function_at(value, values).log()
        over, under = (
            sum(
                (self._function_at(c, values) * self._function_at(e, values).exp() for e, c in terms.items()),
                ball(Fraction(0)),
            )
            for terms in (self.over, self.under)
        )
        return over / under

    def _function_at(self, function: Function, values: Mapping[sympy.Symbol, Ball]) -> Ball:
        over, under = (
            sum(
                (
                    prod(
                        (values[s] ** e for s, e in zip(self.home.generators, exponents, strict=True) if e),
                        start=ball(Fraction(int(c.numerator), int(c.denominator))),
                    )
                    for exponents, c in part.terms()
                ),
                ball(Fraction(0)),
            )
            for part in (function.numer, function.denom)
        )
        return over / under


def _sum(left: Function, right: Function) -> Function:
    """left + right; polynomials, which are the rule, are spared sympy's search for common factors."""
    if left.denom == 1 and right.denom == 1:
        return left.raw_new(left.numer + right.numer, left.denom)
    return left + right


def _product(left: Function, right: Function) -> Function:
    """left · right, unless that would be too long."""
    if len(left.numer) * len(right.numer) > MOST_MONOMIALS or len(left.denom) * len(right.denom) > MOST_MONOMIALS:
        raise Unavailable
    if left.denom == 1 and right.denom == 1:
        return left.raw_new(left.numer * right.numer, left.denom)
    return left * right


def _by(left: Function, right: Function) -> Function:
    return left if right == 1 else left / right


def _plus(left: Mapping[Function, Function], right: Mapping[Function, Function]) -> dict[Function, Function]:
    total = dict(left)
    for exponent, coefficient in right.items():
        value = _sum(total.pop(exponent), coefficient) if exponent in total else coefficient
        if value:
            total[exponent] = value
    return total


def _times(left: Mapping[Function, Function], right: Mapping[Function, Function]) -> dict[Function, Function]:
    if len(left) * len(right) > MOST_TERMS:
        raise Unavailable
    total: dict[Function, Function] = {}
    for e, c in left.items():
        for f, d in right.items():
            exponent, value = _sum(e, f), _product(c, d)
            value = _sum(total.pop(exponent), value) if exponent in total else value
            if value:
                total[exponent] = value
    return total
