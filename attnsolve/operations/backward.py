"""What `backward` of an operation may use: formulas put together as a person would write them.

An operation is told the gradient of its result (`upstream`) and answers with that of one of its arguments. A gradient
may be smaller than what it belongs to where its rows, its columns or all entries are the same: a number alone stands
for a whole matrix of it. Signs and numbers are gathered in front, and transposes are pushed inwards: (QᵀdS)ᵀ is dSᵀQ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.numbers.closed import Base, cell_of
from attnsolve.numbers.constant import PlainNumber
from attnsolve.numbers.matrix import ShapeError
from attnsolve.numbers.surds import Number as Value
from attnsolve.operations.arithmetic import Negate, Power
from attnsolve.operations.block import Padded, Span, SubMatrix
from attnsolve.operations.choice import Exceeds, SharedEvenly, Slope
from attnsolve.operations.concatenate import Concatenate
from attnsolve.operations.context import Mistake, Shapes
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import EntryQuotient, Multiply, Plus, Scale
from attnsolve.operations.formula import Formula, transpose_of
from attnsolve.operations.function import Function
from attnsolve.operations.number import ONE, Number, numeral
from attnsolve.operations.product import Product
from attnsolve.operations.reductions import GrandTotal, Means, Sums
from attnsolve.operations.stages import Unmasked
from attnsolve.operations.structure import Constants
from attnsolve.operations.vectors import MatrixVectorProduct

if TYPE_CHECKING:
    from attnsolve.operations.formula import Ref
    from attnsolve.operations.quantity_context import QuantityContext

ZERO = numeral(0)
Name = Callable[[Formula], Formula]


class Backward:
    """The node whose arguments' gradients are wanted."""

    def __init__(
        self,
        shapes: Shapes,
        node: Formula,
        quantity: Ref | None,
        name: Name,
        is_masked: Callable[[Formula], bool] = lambda formula: False,
    ) -> None:
        self.shapes = shapes
        self.node = node
        self.quantity = quantity
        """The quantity that the node defines; None for a node inside of a longer formula."""
        self.name = name
        """Makes a formula a quantity, so that it is worked out once."""
        self.is_masked = is_masked
        """Whether −∞ may stand in it."""

    @property
    def value(self) -> Formula:
        """What the node comes to."""
        return self.name(self.node) if self.quantity is None else self.quantity

    def shape(self, formula: Formula) -> tuple[int, int]:
        """Rows and columns."""
        return formula.shape(self.shapes)

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def number(self, value: Value | int) -> Number:
        """A number that stands in a formula."""
        return Number(PlainNumber(value))

    def negated(self, formula: Formula) -> Formula:
        """−x, without a double sign."""
        if isinstance(formula, Negate):
            return formula.inner
        if isinstance(formula, Number) and formula.rational is not None:
            return numeral(-formula.rational)
        return Negate(formula)

    def plus(self, left: Formula, right: Formula) -> Formula:
        """left + right."""
        if is_zero(left) or is_zero(right):
            return right if is_zero(left) else left
        folded = _folded(left, right, lambda a, b: a + b)
        return folded or Plus(left, right)

    def minus(self, left: Formula, right: Formula) -> Formula:
        """left − right."""
        return self.plus(left, self.negated(right))

    def times(self, left: Formula, right: Formula) -> Formula:
        """Entry by entry; a number goes in front."""
        if is_zero(left) or is_zero(right):
            return ZERO
        if isinstance(left, Negate) or isinstance(right, Negate):
            sign = isinstance(left, Negate) != isinstance(right, Negate)
            product = self.times(*(x.inner if isinstance(x, Negate) else x for x in (left, right)))
            return self.negated(product) if sign else product
        if (folded := _folded(left, right, lambda a, b: a * b)) is not None:
            return folded
        if isinstance(right, Number):
            left, right = right, left
        if isinstance(left, Number):
            return self._scaled(left, right)
        if isinstance(left, Divide) and isinstance(left.right, Number):
            return self.over(self.times(left.left, right), left.right)
        shapes = self.shape(left), self.shape(right)
        if (1, 1) in shapes and shapes != ((1, 1), (1, 1)):
            return Scale(right, left) if shapes[1] == (1, 1) else Scale(left, right)
        return Multiply(left, right)

    def _scaled(self, number: Number, formula: Formula) -> Formula:
        value = number.rational
        if value is not None and value < 0:
            return self.negated(self._scaled(numeral(-value), formula))
        if value == 1:
            return formula
        if value is not None and value.numerator == 1:
            return Divide(formula, numeral(value.denominator))
        return Scale(number, formula)

    def over(self, left: Formula, right: Formula) -> Formula:
        """left / right, entry by entry."""
        if is_zero(left):
            return ZERO
        if isinstance(left, Negate):
            return self.negated(self.over(left.inner, right))
        folded = _folded(left, right, lambda a, b: a / b)
        if folded is not None:
            return folded
        return Divide(left, right) if isinstance(right, Number) else EntryQuotient(left, right)

    def raised(self, formula: Formula, exponent: int) -> Formula:
        """A whole power."""
        return ONE if exponent == 0 else formula if exponent == 1 else Power(formula, exponent)

    def logarithm(self, formula: Formula) -> Formula:
        """ln x."""
        return Function(formula, "ln")

    def logarithm_of(self, base: Base) -> Formula:
        """The natural logarithm of the base of a power, which is not e."""
        return Function(Number(PlainNumber(cell_of(base))), "ln")

    def seen(self, formula: Formula) -> Formula:
        """0 in place of what is masked."""
        return Unmasked(formula)

    # ── matrices ────────────────────────────────────────────────────────────────────────────────

    def product(self, left: Formula, right: Formula) -> Formula:
        """The matrix product."""
        sign = isinstance(left, Negate) != isinstance(right, Negate)
        left, right = (x.inner if isinstance(x, Negate) else x for x in (left, right))
        if isinstance(left, Divide) and isinstance(left.right, Number):
            made = self.over(self.product(left.left, right), left.right)
        elif isinstance(right, Divide) and isinstance(right.right, Number):
            made = self.over(self.product(left, right.left), right.right)
        else:
            made = Product(left, right)
        return self.negated(made) if sign else made

    def applied(self, matrix: Formula, vector: Formula) -> Formula:
        """A matrix times a plain list."""
        return MatrixVectorProduct(matrix, vector)

    def transposed(self, formula: Formula) -> Formula:
        """The transpose."""
        match formula:
            case Number():
                return formula
            case MatrixVectorProduct():
                return transpose_of(formula)
            case Product(left=left, right=right):
                return Product(self.transposed(right), self.transposed(left))
            case Negate(inner=inner):
                return self.negated(self.transposed(inner))
            case Divide(left=left, right=Number() as right):
                return self.over(self.transposed(left), right)
            case Multiply(left=left, right=right):
                return Multiply(self.transposed(left), self.transposed(right))
            case Constants(name="ones" | "zeros" as name, rows=rows, columns=columns):
                return Constants(name, columns, rows)
        return transpose_of(formula)

    def sums(self, formula: Formula, down: bool) -> Formula:
        """The sum of each row, or (`down`) of each column."""
        return Sums(formula, down, alone=self.is_alone(formula, down))

    def means(self, formula: Formula, down: bool) -> Formula:
        """The mean of each row, or (`down`) of each column."""
        return Means(formula, down, alone=self.is_alone(formula, down))

    def is_alone(self, formula: Formula, down: bool) -> bool:
        """Whether it has but one row, or (`down`) one column."""
        return self.shape(formula)[1 if down else 0] == 1

    def total_of(self, formula: Formula, shape: tuple[int, int], wanted: tuple[int, int]) -> Formula:
        """What entries of a `shape` add up to where a side of 1 was repeated to fit."""
        for down, axis in ((True, 0), (False, 1)):
            if wanted[axis] == 1 < shape[axis]:
                if self.shape(formula)[axis] == 1:  # all of them are the same
                    formula = self.times(numeral(shape[axis]), formula)
                else:
                    formula = self.sums(formula, down)
        return formula

    def whole(self, formula: Formula, shape: tuple[int, int]) -> Formula:
        """Written out where one entry, row or column stands for all."""
        if self.shape(formula) == shape:
            return formula
        if is_zero(formula):
            return Constants("zeros", *shape)
        return self.times(formula, Constants("ones", *shape))

    def causal(self, size: int) -> Formula:
        """1 on the diagonal and below it."""
        return Constants("causal", size, size)

    # ── places ──────────────────────────────────────────────────────────────────────────────────

    def part(self, formula: Formula, rows: Span, columns: Span) -> Formula:
        """A block, from one place to before another."""
        height, width = self.shape(formula)
        rows, columns = rows if height > 1 else (0, 1), columns if width > 1 else (0, 1)
        if (rows, columns) == ((0, height), (0, width)):
            return formula
        indices = tuple(_slice(span, size) for span, size in ((rows, height), (columns, width)))
        single = rows[1] - rows[0] == columns[1] - columns[0] == 1
        return SubMatrix(formula, rows, columns, indices[1:] if height == 1 else indices, single)

    def padded(self, formula: Formula, shape: tuple[int, int], rows: Span, columns: Span) -> Formula:
        """A block among zeros."""
        size = rows[1] - rows[0], columns[1] - columns[0]
        whole = self.whole(formula, size)
        return whole if size == shape else Padded(whole, shape, rows, columns)

    def joined(self, parts: tuple[Formula, ...], down: bool) -> Formula:
        """Blocks side by side, or (`down`) one above the other."""
        return parts[0] if len(parts) == 1 else Concatenate(parts, down)

    def added(self, shares: Sequence[Formula]) -> Formula:
        """Shares added up; blocks of one matrix that lie side by side are put together."""
        blocks = [share for share in shares if isinstance(share, Padded)]
        joined = self._side_by_side(blocks) if len(blocks) > 1 else None
        if joined is not None:
            shares = [share for share in shares if not isinstance(share, Padded)] + [joined]
        total: Formula = shares[0]
        for share in shares[1:]:
            total = self.plus(total, share)
        return total

    def _side_by_side(self, blocks: Sequence[Padded]) -> Formula | None:
        """Blocks that fill a matrix, each from where the one before ends; None where they overlap or leave gaps."""
        whole = blocks[0].whole
        for axis, down in ((1, False), (0, True)):
            spans = [(block.rows, block.columns) if down else (block.columns, block.rows) for block in blocks]
            ordered = sorted(zip(spans, blocks, strict=True), key=lambda pair: pair[0])
            ends = [0, *(along[1] for (along, _), _ in ordered)]
            across = all(other == (0, whole[1 - axis]) for _, other in spans)
            starts = [along[0] for (along, _), _ in ordered]
            if across and ends[-1] == whole[axis] and starts == ends[:-1]:
                return Concatenate(tuple(block.inner for _, block in ordered), down)
        return None

    # ── which entries count ─────────────────────────────────────────────────────────────────────

    def chosen(self, formula: Formula, value: Formula, sign: str) -> Formula:
        """1 where a number that was taken of a whole matrix stands, shared evenly where it stands several times."""
        marks = self.name(Exceeds(formula, value, sign))
        return SharedEvenly(marks, self.name(GrandTotal(marks)), self.shape(formula)[1] == 1)

    def sign(self, formula: Formula, function: str) -> Formula:
        """1 where an entry is positive, −1 where it is negative."""
        negative = self.name(Exceeds(formula, ZERO, "<"))
        return self.name(self.minus(self.name(self.slope(formula, function)), negative))

    def exceeds(self, left: Formula, right: Formula, sign: str = ">") -> Formula:
        """1 where left > right, 0 elsewhere."""
        return Exceeds(left, right, sign)

    def slope(self, formula: Formula, function: str) -> Formula:
        """1 where an entry is positive, 0 elsewhere: the derivative of a function with a corner at 0."""
        return Slope(formula, ZERO, called=function)

    def largest(self, formula: Formula, greatest: Formula, down: bool) -> Formula:
        """1 at the largest entry of each row (`down`: column), shared evenly where several are largest."""
        marks = self.name(Exceeds(formula, greatest, ">="))
        return SharedEvenly(marks, self.name(self.sums(marks, down)), down)

    def shared(self, marks: Formula, count: Formula) -> Formula:
        """Marks of what was taken, divided by how many they are."""
        return SharedEvenly(marks, count, None)


class Mistaken(Backward):
    """The same where something else is passed on than is right, with the words for it."""

    def __init__(
        self,
        where: QuantityContext,
        node: Formula,
        quantity: Ref | None,
        name: Name,
        finish: Callable[[Formula], Formula],
    ) -> None:
        super().__init__(where, node, quantity, name)
        self.where = where
        self.finish = finish
        """What a share comes to at the end of its way."""

    def text_of(self, formula: Formula) -> str:
        """A formula in the sheet's symbols."""
        return self.where.text_of(formula)

    def instead(self, id: str, wrong: Formula, right: Formula) -> Iterator[Mistake]:
        """Another share than the right one, as both are at the end of the way; nothing where the wrong one does not get
        there."""
        try:
            texts = [self.text_of(self.finish(share)) for share in (wrong, right)]
        except ShapeError:
            return
        yield Mistake(id, f"{texts[0]} was computed instead of {texts[1]}", wrong)

    def passed_on(self, upstream: Formula, what: str, id: str = "derivative-forgotten") -> Mistake:
        """The gradient passed on as it came; `what` was left out."""
        return Mistake(id, f"{self.shown(upstream)} was passed on as it is; {what} was left out", upstream)

    def not_divided(self, upstream: Formula, count: int) -> Mistake:
        """The gradient of a mean as if it were a sum."""
        return Mistake("gradient-mean-not-divided", f"the 1/{count} of the mean was left out", upstream)

    def not_doubled(self, share: Formula) -> Iterator[Mistake]:
        """The gradient of squares without the 2."""
        yield Mistake("gradient-exponent-forgotten", "the factor 2 from the square was left out", share)

    def to_all(self, upstream: Formula, taken: str) -> Mistake:
        """The gradient of a maximum given to everything that it was taken of."""
        return Mistake("maximum-gradient-to-all", f"every entry got the gradient, not only the {taken}", upstream)

    def shown(self, formula: Formula) -> str:
        """A formula in the sheet's symbols; a number that stands for a whole matrix, in words."""
        return "the gradient" if isinstance(formula, Number) else self.text_of(formula)

    def not_summed(self, share: Formula, shape: tuple[int, int], wanted: tuple[int, int]) -> Iterator[Mistake]:
        """What people do where a row was repeated for every token, so that its gradients must be added up."""
        for down, axis in ((True, 0), (False, 1)):
            if not wanted[axis] == 1 < shape[axis] == self.shape(share)[axis]:
                continue
            line = "row" if down else "column"
            text, count = self.text_of(share), shape[axis]
            rest = (1, shape[1]) if down else (shape[0], 1)
            mean = self.total_of(self.means(share, down), rest, wanted)
            yield Mistake("gradient-mean-for-sum", f"the mean of the {line}s of {text} was taken, not their sum", mean)
            for number, called in ((0, "first"), (count - 1, "last")):
                span, other = (number, number + 1), (0, self.shape(share)[1 - axis])
                part = self.part(share, span, other) if down else self.part(share, other, span)
                said = f"only the {called} {line} of {text} was taken; the gradients of all {count} must be added"
                yield Mistake("gradient-not-summed", said, self.total_of(part, rest, wanted))

    def shared(self, marks: Formula, count: Formula) -> Formula:
        """Marks of what was taken, divided by how many they are."""
        return SharedEvenly(marks, count, None)


def is_zero(formula: Formula) -> bool:
    """Whether it is the number 0."""
    return isinstance(formula, Number) and formula.rational == 0


def _folded(left: Formula, right: Formula, how: Callable[[Fraction, Fraction], Fraction]) -> Number | None:
    """Two fractions as one number."""
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    a, b = left.rational, right.rational
    return None if a is None or b is None else numeral(how(a, b))


def _slice(span: Span, size: int) -> str:
    first, last = span[0] + 1, span[1]
    return ":" if span == (0, size) else str(first) if first == last else f"{first}:{last}"
