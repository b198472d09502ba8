"""Exact arithmetic with exponentials, in which equality is decided and not guessed.

A scalar is a quotient of sums Σ c·e^p, with coefficients c and exponents p rational functions of the symbols. Such a
sum vanishes only if every coefficient does: exponentials of functions that differ by more than a constant are linearly
independent over the rational functions, and those that differ by a rational constant are so by Lindemann and
Weierstrass. So two quotients are equal exactly if cross-multiplying them leaves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING

from attnsolve.algebra import moments
from attnsolve.algebra.letters import Letter, Symbol, symbol_of
from attnsolve.algebra.quotients import Effort, added, divided, multiplied, raised
from attnsolve.algebra.rational import Monomial, Polynomial, RationalFunction, RationalFunctions, terms_of
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import Ball, ball, summed
from attnsolve.numbers.sums import Ratio, Sum, normal, product, total
from attnsolve.numbers.surds import square_root

if TYPE_CHECKING:
    import sympy
    from flint import fmpq

SPARE = 4
"""How many different square roots, and how many logarithms, one claim may hold."""
MOST_TERMS = 1500
"""Sums longer than this are left to the points."""
MOST_ROOTED = 4
"""Terms of a denominator out of which roots are taken, and of what these are the roots of."""
COST_OF_QUOTIENT = 2_000
"""How much longer it takes to add two exponents that are quotients."""


class Field:
    """The scalars over some symbols. Those in `normal` are independent normal variables: symbol → (mean, deviation)."""

    def __init__(
        self,
        symbols: Iterable[Symbol],
        effort: Effort | None = None,
        constants: Mapping[Symbol, Callable[[], Ball]] | None = None,
    ) -> None:
        """Fields may share an `effort`. `constants` are symbols for numbers, such as π, each with its ball."""
        self.constants = constants or {}
        self.symbols = (*symbols, *self.constants)
        self.spare = [Letter(f"√{i}", "nonnegative") for i in range(SPARE)]
        self.spare_logs = [Letter(f"ln {i}") for i in range(SPARE)]
        letters = (*self.symbols, *self.spare, *self.spare_logs)
        self.functions = RationalFunctions(len(letters))
        self.generators: dict[Symbol, RationalFunction] = dict(zip(letters, self.functions.generators, strict=True))
        self.letters: list[tuple[RationalFunction, RationalFunction, str]] = []
        """Roots and logarithms in the order in which they came up: a letter, what it is taken of, and which it is."""
        self.sums: list[tuple[RationalFunction, FieldElement]] = []
        """Logarithms of sums of exponentials: a letter, and what it is the logarithm of. No more is known of them."""
        self.normal: dict[Symbol, tuple[RationalFunction, RationalFunction]] = {}
        self.effort = effort or Effort()
        self.unit: Sum[RationalFunction] = {self.functions.zero: self.functions.one}
        self.one, self.zero = self.number(1), self.number(0)

    @property
    def roots(self) -> list[tuple[RationalFunction, RationalFunction]]:
        """Letters, each with its square."""
        return [(letter, inner) for letter, inner, function in self.letters if function == "sqrt"]

    @property
    def logs(self) -> list[tuple[RationalFunction, RationalFunction]]:
        """Letters, each with what it is the logarithm of."""
        return [(letter, inner) for letter, inner, function in self.letters if function == "log"]

    @property
    def is_plain(self) -> bool:
        """Whether it has no roots and no logarithms."""
        return not self.letters and not self.sums

    def number(self, value: int | Fraction) -> FieldElement:
        """A rational number."""
        return self.plain(self.functions.number(value))

    def symbol(self, symbol: Symbol) -> FieldElement:
        """A symbol."""
        return self.plain(self.generators[symbol])

    def place(self, letter: RationalFunction) -> int:
        """Where a letter stands among all of them."""
        return self.functions.generators.index(letter)

    @cached_property
    def known(self) -> dict[sympy.Symbol, RationalFunction]:
        """The letters as sympy has them."""
        return {symbol_of(letter): generator for letter, generator in self.generators.items()}

    def plain(self, function: RationalFunction) -> FieldElement:
        """A rational function, without exponentials."""
        return FieldElement(self, {self.functions.zero: function} if function else {}, self.unit)

    def total(self, scalars: Iterable[FieldElement]) -> FieldElement:
        """The sum of several."""
        return sum(scalars, self.zero)

    def of(self, expression: sympy.Expr) -> FieldElement:
        """A sympy expression of numbers, symbols, sums, products, whole powers, roots and exponentials."""
        from attnsolve.algebra.expressions import scalar_of

        return scalar_of(self, expression)

    def root(self, function: RationalFunction) -> RationalFunction:
        """√function: a rational function, perhaps times roots that are known, or else a letter whose square is known.

        Taking out known roots makes √8 = 2√2 and √6 = √2 √3, whichever comes first.
        """
        function = self.reduced(function)
        if not function:
            return function
        for many in range(len(self.roots) + 1):
            for known in combinations(self.roots, many):
                exact = self._exact_root(function / prod((square for _, square in known), start=self.functions.one))
                if exact is not None:
                    return prod((letter for letter, _ in known), start=exact)
        return self._letter(function, "sqrt", self.spare)

    def log(self, function: RationalFunction) -> RationalFunction:
        """ln of a rational function: a letter, of which e to a whole multiple is known."""
        return self._letter(self.reduced(function), "log", self.spare_logs)

    def log_of_sum(self, terms: Sum[RationalFunction]) -> RationalFunction:
        """ln Σ c·e^p: p + ln c of a single term; of several, a letter."""
        if len(terms) == 1:
            ((exponent, coefficient),) = terms.items()
            return exponent if coefficient == 1 else added(exponent, self.log(coefficient))
        inner = FieldElement(self, terms, self.unit)
        for letter, known in self.sums:
            if known == inner:
                return letter
        letter = self._unused(self.spare_logs)
        self.sums.append((letter, inner))
        return letter

    def _letter(self, inner: RationalFunction, function: str, spare: list[Letter]) -> RationalFunction:
        for letter, known, other in self.letters:
            if other == function and known == inner:
                return letter
        if inner.letters & {self.place(letter) for letter, _ in self.sums}:
            raise Unavailable
        letter = self._unused(spare)
        self.letters.append((letter, inner, function))
        return letter

    def _unused(self, spare: list[Letter]) -> RationalFunction:
        taken = [letter for letter, *_ in (*self.letters, *self.sums)]
        for letter in spare:
            if self.generators[letter] not in taken:
                return self.generators[letter]
        raise Unavailable

    def power(self, exponent: RationalFunction) -> tuple[RationalFunction, RationalFunction]:
        """e^exponent, with e^(k ln f) as f^k: the exponent that is left, and the factor."""
        exponent, factor = self._without_logs(exponent)
        return self.reduced(exponent), factor

    def _without_logs(self, exponent: RationalFunction) -> tuple[RationalFunction, RationalFunction]:
        """An exponent without whole and half multiples of logarithms, and the factor that e to their power makes."""
        factor = self.functions.one
        for letter, function in self.logs:
            slope = exponent.slope(self.place(letter))
            times = slope.constant
            if times and times.denominator in (1, 2):
                exponent -= slope * letter
                whole, half = divmod(int(times * 2), 2)
                factor = multiplied(factor, raised(function, whole))
                factor = multiplied(factor, self.root(function)) if half else factor
        return exponent, factor

    def _exact_root(self, function: RationalFunction) -> RationalFunction | None:
        """The root of one term with even exponents, its letters not negative: √(4σ²) = 2σ."""
        result = self.functions.one
        for part, power in ((function.over, 1), (function.under, -1)):
            if len(part) != 1:
                return None
            ((exponents, value),) = terms_of(part)
            if value < 0 or any(e % 2 for e in exponents):
                return None
            if any(e and not s.is_nonnegative for e, s in zip(exponents, self.generators, strict=True)):
                return None
            number = square_root(value)
            if not isinstance(number, Fraction):
                return None
            root = self.functions.number(number)
            for exponent, generator in zip(exponents, self.generators.values(), strict=True):
                root *= generator ** (exponent // 2)
            result *= root**power
        return result

    def reduced(self, function: RationalFunction) -> RationalFunction:
        """With every square of a root replaced by what it is the square of, and no root below: 1/√3 is √3/3."""
        for letter, square in reversed(self.roots):
            place = self.place(letter)
            if function.over.degrees()[place] < 2 and function.under.degrees()[place] < 1:
                continue
            (a, b), (c, d) = (self._halves(part, place, square) for part in (function.over, function.under))
            under = added(multiplied(c, c), -multiplied(multiplied(d, d), square))
            if not under:
                raise Unavailable
            plain = added(multiplied(a, c), -multiplied(multiplied(b, d), square))
            rest = multiplied(added(multiplied(b, c), -multiplied(a, d)), letter)
            function = divided(added(plain, rest), under)
        return function

    def is_short(self, function: RationalFunction) -> bool:
        """Whether it is worth while to divide by it at once: it is one term, or a few, with short roots in them."""
        degrees = function.over.degrees()
        squares = [len(square.over) for letter, square in self.roots if degrees[self.place(letter)] > 0]
        if any(square >= MOST_ROOTED for square in squares):
            return False
        return len(function.over) <= (MOST_ROOTED if squares else 1)

    def _halves(
        self, part: Polynomial, place: int, square: RationalFunction
    ) -> tuple[RationalFunction, RationalFunction]:
        """a and b of a polynomial a + b √square, whose root stands at a place."""
        powers: dict[int, dict[Monomial, fmpq]] = {}
        for exponents, coefficient in part.terms():
            rest = (*exponents[:place], 0, *exponents[place + 1 :])
            powers.setdefault(exponents[place], {})[rest] = coefficient
        halves = [self.functions.zero, self.functions.zero]
        for power, terms in powers.items():
            value = self.functions.polynomial(terms)
            for _ in range(power // 2):
                value = multiplied(value, square)
            halves[power % 2] = added(halves[power % 2], value)
        return halves[0], halves[1]

    add = staticmethod(added)
    multiply = staticmethod(multiplied)

    def times(self, left: Sum[RationalFunction], right: Sum[RationalFunction]) -> Sum[RationalFunction]:
        """The product of two sums of exponentials, unless it is too long or too much was multiplied before it."""
        if len(left) * len(right) > MOST_TERMS:
            raise Unavailable
        quotients = sum(not e.is_polynomial for e in left) * len(right)
        monomials = sum(len(c.over) for c in left.values()) * sum(len(c.over) for c in right.values())
        self.effort.spend(monomials + COST_OF_QUOTIENT * quotients)
        return product(self, left, right)

    def is_zero(self, terms: Sum[RationalFunction]) -> bool:
        """Whether a sum of exponentials vanishes."""
        if not self.letters:
            return not terms
        return not any(self.reduced(coefficient) for coefficient in normal(self, terms).values())

    # ── values ──────────────────────────────────────────────────────────────────────────────────

    def letters_at(self, point: Mapping[Symbol, Fraction]) -> dict[int, Ball]:
        """The values of letters by their places: those of a point, and of roots and logarithms as far as it goes."""
        values = {self.place(self.generators[symbol]): ball(value) for symbol, value in point.items()}
        values |= {self.place(self.generators[symbol]): value() for symbol, value in self.constants.items()}
        for letter, inner, function in self.letters:
            if all(place in values for place in inner.letters):
                values[self.place(letter)] = getattr(_function_at(inner, values), function)()
        for letter, scalar in self.sums:
            if all(place in values for f in scalar.functions for place in f.letters):
                values[self.place(letter)] = scalar.valued_at(values).log()
        return values


def _function_at(function: RationalFunction, values: Mapping[int, Ball]) -> Ball:
    over, under = (
        sum(
            (prod((values[i] ** e for i, e in enumerate(m) if e), start=ball(c)) for m, c in terms_of(part)),
            ball(Fraction(0)),
        )
        for part in (function.over, function.under)
    )
    return over / under


class FieldElement(Ratio[RationalFunction]):
    """A quotient of two sums of exponentials; each sum maps an exponent to its coefficient."""

    ring: Field

    def __neg__(self) -> FieldElement:
        return FieldElement(self.ring, {e: -c for e, c in self.over.items()}, self.under)

    def __sub__(self, other: FieldElement) -> FieldElement:
        return self + -other

    def inverse(self) -> FieldElement:
        """1 / this, without a denominator where that is worth while."""
        inverse, zero = super().inverse(), self.ring.functions.zero
        if list(self.over) == [zero] and list(self.under) == [zero] and self.ring.is_short(self.over[zero]):
            return self.ring.plain(self.ring.reduced(inverse.function))
        return inverse

    def __pow__(self, power: int) -> FieldElement:
        result = prod([self] * abs(power), start=self.ring.one)
        return result.inverse() if power < 0 else result

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, FieldElement):
            return NotImplemented
        left, right = self.over, (-other).over
        if self.under != other.under:
            left, right = self.ring.times(left, other.under), self.ring.times(right, self.under)
        return self.ring.is_zero(total(self.ring, (left, right)))

    def __hash__(self) -> int:
        raise TypeError("scalars are compared, not hashed")

    @property
    def functions(self) -> list[RationalFunction]:
        """Its exponents and coefficients."""
        return [f for terms in (self.over, self.under) for term in terms.items() for f in term]

    @property
    def function(self) -> RationalFunction:
        """The rational function that it is; Unavailable if it holds exponentials."""
        zero = self.ring.functions.zero
        if any(e != zero for e in (*self.over, *self.under)):
            raise Unavailable
        return divided(self.over.get(zero, zero), self.under[zero])

    def exp(self) -> FieldElement:
        """e to this power."""
        exponent, factor = self.ring.power(self.function)
        return FieldElement(self.ring, {exponent: factor}, self.ring.unit)

    def sqrt(self) -> FieldElement:
        """Its square root."""
        return self.ring.plain(self.ring.root(self.function))

    def expectation(self) -> FieldElement:
        """Its mean over the normal variables."""
        if any(moments.is_random(self.ring, f) for f in (*self.over, *self.under, *self.under.values())):
            raise Unavailable
        over = {e: mean for e, c in self.over.items() if (mean := moments.expected(self.ring, c))}
        return FieldElement(self.ring, over, self.under)

    def log(self) -> FieldElement:
        """Its natural logarithm."""
        if len(self.over) != 1 or len(self.under) != 1:
            if not self.over:
                raise Unavailable
            return self.ring.plain(added(self.ring.log_of_sum(self.over), -self.ring.log_of_sum(self.under)))
        ((e, c), (f, d)) = (*self.over.items(), *self.under.items())
        rest = self.ring.functions.zero if c == d else self.ring.log(divided(c, d))
        return self.ring.plain(e - f + rest)

    def tanh(self) -> FieldElement:
        """(e^2x − 1)/(e^2x + 1)."""
        power = (self + self).exp()
        return (power - self.ring.one) / (power + self.ring.one)

    def expression(self) -> sympy.Expr:
        """As a sympy expression."""
        from attnsolve.algebra.expressions import expression_of

        return expression_of(self)

    def at(self, point: Mapping[Symbol, Fraction]) -> Ball:
        """Its value at a point, as a ball."""
        return self.valued_at(self.ring.letters_at(point))

    def valued_at(self, values: Mapping[int, Ball]) -> Ball:
        """Its value, with those of the letters by their places."""
        return self.valued(lambda f: _function_at(f, values), lambda f: _function_at(f, values).exp(), summed)
