"""The arithmetics in which claims are worked out: whole numbers for sizes, exact scalars, balls at a point."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import Any, Self

from attnsolve.algebra.derivatives import arranged, slope_of
from attnsolve.algebra.duals import slope
from attnsolve.algebra.functions import Derivative, Infinity
from attnsolve.algebra.letters import Letter, Symbol
from attnsolve.algebra.limits import Approach, Unbounded, sides
from attnsolve.algebra.moments import is_random, rests_on
from attnsolve.algebra.rules import RULES
from attnsolve.algebra.scalars import Field, FieldElement
from attnsolve.algebra.signs import Judge
from attnsolve.algebra.table import Element, ElementMatrix, TermError, shape_text
from attnsolve.key import Key
from attnsolve.numbers import Unavailable
from attnsolve.numbers.balls import ball
from attnsolve.numbers.constant import Constant
from attnsolve.numbers.matrix import Operation
from attnsolve.operations.formula import Formula
from attnsolve.operations.letters import formula_text
from attnsolve.operations.place import Scope
from attnsolve.record import Fillable, filled


@cache
def _rule(kind: type[Operation]) -> Callable[..., ElementMatrix] | None:
    """The rule of claims for an operation, if they have one of their own."""
    return next((RULES[base] for base in kind.__mro__ if base in RULES), None)


@filled
class TableScope(Fillable, Scope[ElementMatrix]):
    """What the names of a claim mean, and the arithmetic that it is evaluated in."""

    values: dict[str, ElementMatrix]
    places: Mapping[str, int]
    terms: int
    letters: Mapping[str, ElementMatrix]
    """The letters that free names are made of."""

    def evaluate(self, formula: Formula) -> ElementMatrix:
        """What a formula comes to."""
        return formula.evaluate(self, self)

    def __getitem__(self, key: Key) -> ElementMatrix:
        if key.id in self.values:
            return self.values[key.id]
        if key.id in self.places:
            return ElementMatrix.of_number(self.number(self.places[key.id]))
        raise TermError(f"{key.id!r} is not declared")

    def within(self, index: str, place: int, terms: int = 1) -> Self:
        """The same with one more index, one of so many; whatever else has its name is hidden."""
        values = {name: value for name, value in self.values.items() if name != index}
        return self.replaced(values=values, places={**self.places, index: place}, terms=self.terms * terms)

    def perform(self, operation: Operation, matrices: Sequence[ElementMatrix]) -> ElementMatrix:
        """An operation by the rules of claims, or by its definition."""
        rule = _rule(type(operation))
        if rule is not None:
            return rule(self, operation, *matrices)
        return operation.define(*matrices)

    def of(self, rows: Any) -> ElementMatrix:
        """A matrix of rational numbers."""
        return ElementMatrix(rows).each(self.number)

    def constant(self, constant: Constant) -> ElementMatrix:
        """A number."""
        return ElementMatrix.of_number(self.number(1)).constant(constant)

    @abstractmethod
    def number(self, value: Fraction | int) -> Element:
        """A rational number in this arithmetic."""

    def apply(self, function: str, argument: Element) -> Element:
        """exp, ln, sqrt, tanh, abs; E, the mean over what is random."""
        raise Unavailable

    def limit(self, symbol: str, to: Formula, body: Formula) -> ElementMatrix:
        """The limit of a formula as a symbol goes somewhere."""
        raise Unavailable

    def derivative(self, term: Derivative) -> ElementMatrix:
        """The derivative of a formula in some letters."""
        raise Unavailable

    def letters_of(self, by: Formula) -> ElementMatrix:
        """The letters in which a derivative is taken."""
        return self.replaced(values={n: table for n, table in self.letters.items() if n in self.values}).evaluate(by)


class Places(TableScope):
    """The least of a scope: sizes and indices."""

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return value


@filled
class ExactScope(TableScope):
    """Terms worked out with symbols."""

    ring: Field
    signs: Judge
    turning: frozenset[Letter] = frozenset()
    """Letters that no limit may depend on: some values of what they stand for are left out, and there a limit may be
    another one."""

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return self.ring.number(Fraction(value))

    def apply(self, function: str, argument: Element) -> Element:
        """A function of a scalar."""
        if function == "abs":
            return argument if self.signs.of(argument) >= 0 else -argument
        return _call(argument, {**_FUNCTIONS, "E": "expectation"}.get(function))

    def draw(self, name: str, symbols: list[list[Any]], mean: Formula, deviation: Formula) -> None:
        """Tell the field of normal variables, so that it knows their means."""
        given = []
        for what, term in (("mean", mean), ("standard deviation", deviation)):
            table = self.evaluate(term)
            if not table.is_number:
                raise TermError(
                    f"the {what} of {name} must be a number, but {formula_text(term)} is {shape_text(table)}"
                )
            if is_random(self.ring, table.number.function):
                raise TermError(f"the {what} of {name} is itself random")
            given.append(table.number.function)
        if self.ring.plain(given[1]) == self.ring.zero:
            raise not_random(name)
        self.ring.normal |= {row[0]: (given[0], given[1]) for row in symbols}

    def limit(self, symbol: str, to: Formula, body: Formula) -> ElementMatrix:
        """The limit of a term, which must be finite and the same from every side."""
        letter = next((s for s in self.ring.symbols if s.name == symbol), None)
        if letter is None or symbol in self.places:
            raise TermError(f"the limit is taken in {symbol!r}, which is not a declared number")
        found = []
        for side, target in self._ways(letter, to):
            approach = Approach(self.ring, self.ring.generators[letter], target, side, self.signs)
            table = self.replaced(signs=approach).evaluate(body)
            if any(self._is_turned(entry) for entry in table.entries):
                raise Unavailable
            found.append(table.each(approach.limit))
        pairs = list(zip(found[0].entries, found[-1].entries, strict=True))
        if len(found) > 1 and not all(self._are_alike(x, y) for x, y in pairs):
            raise TermError(f"there is no limit as {symbol} tends to {formula_text(to)}: it differs from side to side")
        if any(isinstance(x, Unbounded) for x, _ in pairs):
            raise TermError(f"the term grows without bound in the limit of {symbol}")
        return found[0]

    def derivative(self, term: Derivative) -> ElementMatrix:
        """The derivative of a term; not where one of the letters has a value by now."""
        body, letters = self.evaluate(term.body), self.letters_of(term.by)
        pairs = zip(letters.entries, self.evaluate(term.by).entries, strict=True)
        if any(isinstance(letter, Letter) and value != self.ring.symbol(letter) for letter, value in pairs):
            raise Unavailable
        places = {letter: self.ring.place(generator) for letter, generator in self.ring.generators.items()}
        return arranged(term, letters, lambda letter: body.each(lambda x: slope_of(x, places[letter])))

    def _is_turned(self, scalar: FieldElement) -> bool:
        """Whether a scalar depends on how a matrix is turned."""
        functions = (*scalar.over, *scalar.over.values(), *scalar.under, *scalar.under.values())
        return bool(self.turning) and any(rests_on(self.ring, f, self.turning) for f in functions)

    def _are_alike(self, left: FieldElement | Unbounded, right: FieldElement | Unbounded) -> bool:
        """Whether two limits are the same, be they infinite."""
        if isinstance(left, Unbounded) and isinstance(right, Unbounded):
            return self.signs.of(left.factor) == self.signs.of(right.factor)
        return left == right

    def _ways(self, letter: Symbol, to: Formula) -> list[tuple[int, FieldElement | None]]:
        """From which sides a letter may come to its target, and which that is; infinity has one side."""
        beyond = TermError(f"{letter} is not negative: it can't tend to {formula_text(to)}")
        if isinstance(to, Infinity):
            if to.negative and letter.is_nonnegative:
                raise beyond
            return [(-1 if to.negative else 1, None)]
        table = self.evaluate(to)
        if not table.is_number:
            raise TermError(f"{formula_text(to)} is {shape_text(table)}, so no limit can go there")
        target: FieldElement = table.number
        if Approach(self.ring, self.ring.generators[letter], None, 1, self.signs).moves(target):
            raise TermError(f"{letter} can't tend to {formula_text(to)}, which contains it")
        found: list[tuple[int, FieldElement | None]] = [(side, target) for side in sides(letter, target, self.signs)]
        if not found:
            raise beyond
        return found


def not_random(name: str) -> TermError:
    """What is said of a normal variable that does not vary."""
    return TermError(f"the standard deviation of {name} is 0, so {name} is not random", "write its mean instead")


@filled
class PointScope(TableScope):
    """Terms worked out in balls."""

    vary: Callable[[Letter, Formula], PointScope] | None = None
    """The same with what changes as one letter does, with all that a term takes."""

    def number(self, value: Fraction | int) -> Element:
        """A rational number."""
        return ball(Fraction(value))

    def apply(self, function: str, argument: Element) -> Element:
        """A function of a ball, where it is defined."""
        result = _call(argument, {**_FUNCTIONS, "abs": "__abs__"}.get(function))
        if not result.is_finite():
            raise Unavailable
        return result

    def derivative(self, term: Derivative) -> ElementMatrix:
        """The derivative of a term that has a value."""
        vary = self.vary
        if vary is None:
            raise Unavailable

        def slopes(letter: Letter) -> ElementMatrix:
            varied = vary(letter, term.body)
            values = {name: table for name, table in varied.values.items() if name in self.values}
            body = varied.replaced(values=values, places=self.places, terms=self.terms).evaluate(term.body)
            if not all(x.is_finite() for x in body.entries):
                raise Unavailable
            return body.each(slope)

        return arranged(term, self.letters_of(term.by), slopes)


_FUNCTIONS = {"exp": "exp", "ln": "log", "sqrt": "sqrt", "tanh": "tanh"}


def _call(argument: Element, method: str | None) -> Element:
    if method is None:
        raise Unavailable
    return getattr(argument, method)()
