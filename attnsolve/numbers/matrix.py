"""The protocol of a tier: a matrix of one kind of number, and the few primitives on which every operation is defined.

An operation is written once, in terms of these; running it on another tier gives its value exactly, in balls or in
floats, the symbols that a cell is made of (`Symbols`), the cells it rests on (`Reads`) and what it costs (`Counts`).
Sizes that are 1 are repeated to fit, as in NumPy. Masked entries are −∞: they stay −∞ when something is added or when
they are scaled, and their powers are 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import reduce
from operator import mul
from typing import TYPE_CHECKING, ClassVar, Literal, Protocol, TypeVar

from attnsolve.errors import UnsolvableError
from attnsolve.numbers.whole import Constant, Whole

if TYPE_CHECKING:
    from typing import Self

    from attnsolve.numbers.closed import Base
    from attnsolve.numbers.surds import Rows
    from attnsolve.numbers.untyped import Kernel

M = TypeVar("M", bound="Matrix")
"""The matrices of one tier."""
Function = Literal["ln", "sqrt", "sin", "cos", "tanh", "erf"]
"""The functions of one number that every tier knows, besides powers."""
Reduction = Literal["sum", "max"]


class ShapeError(Exception):
    """Matrices that can't be put together; the message says which, in words."""


class DividedByZero(ZeroDivisionError):
    """A formula divides by 0: a fault of its numbers, and not of the arithmetic."""


class Operation(Protocol):
    """What a tier is told of an operation that it is to perform."""

    kernel: str
    divided_by_zero: str

    def define(self, *matrices: M) -> M:
        """The operation on the primitives."""

    def fuse(self, kernel: Kernel[M], *matrices: M) -> M:
        """The same by a tier's own way to do it in one go."""

    def validate(self, result: Numeric) -> None:
        """Refuse numbers that can't be gone on with."""


class Arithmetic(Protocol[M]):
    """Where a formula is evaluated: a tier, or the names of a claim with the arithmetic that goes with them."""

    def of(self, rows: Rows) -> M:
        """From numbers."""

    def constant(self, constant: Constant) -> M:
        """A number of a formula, as a matrix of one entry."""

    def perform(self, operation: Operation, matrices: Sequence[M]) -> M:
        """An operation on some matrices."""


class Matrix(ABC):
    """A matrix in one tier."""

    shape: tuple[int, int]

    kernels: ClassVar[Mapping[str, Kernel[Self]]] = {}
    """Operations, by the names that they have for it, which this tier does in one go instead of by their definitions.
    A test holds each equal to the definition."""

    @classmethod
    @abstractmethod
    def of(cls, rows: Rows) -> Self:
        """From the numbers of a problem."""

    @classmethod
    def constant(cls, constant: Constant) -> Self:
        """A number of a formula, as a matrix of one entry."""
        return cls.of([[constant.value]])

    @classmethod
    def perform(cls, operation: Operation, matrices: Sequence[Self]) -> Self:
        """An operation on some matrices, by its definition or by this tier's own kernel for it."""
        kernel = cls.kernels.get(operation.kernel)
        try:
            return operation.define(*matrices) if kernel is None else operation.fuse(kernel, *matrices)
        except DividedByZero:
            raise UnsolvableError(operation.divided_by_zero) from None

    # ── primitives: arithmetic ──────────────────────────────────────────────────────────────────

    @abstractmethod
    def __add__(self, other: Self) -> Self:
        """Entry by entry."""

    @abstractmethod
    def __mul__(self, other: Self) -> Self:
        """Entry by entry."""

    @abstractmethod
    def __matmul__(self, other: Self) -> Self:
        """The matrix product."""

    @abstractmethod
    def divide(self, other: Self, *, empty: bool = False) -> Self:
        """Entry by entry. With `empty`, 0/0 is 0: there was nothing to divide."""

    @abstractmethod
    def exp(self, base: Base) -> Self:
        """base^x for every entry; 0 for −∞, whatever the base."""

    @abstractmethod
    def apply(self, function: Function) -> Self:
        """A function of every entry."""

    @abstractmethod
    def maximum(self, other: Self) -> Self:
        """The larger of two entries in the same place."""

    @abstractmethod
    def exceeds(self, other: Self) -> Self:
        """1 where an entry is greater than the other in the same place, 0 elsewhere; decided, and never guessed."""

    @abstractmethod
    def reduce(self, how: Reduction) -> Self:
        """Each row to one number: its sum, or its greatest entry (0 where all are −∞)."""

    @abstractmethod
    def finite(self) -> Self:
        """0 in place of −∞."""

    # ── primitives: place ───────────────────────────────────────────────────────────────────────

    @property
    @abstractmethod
    def T(self) -> Self:
        """The transpose."""

    @abstractmethod
    def beside(self, others: Sequence[Self]) -> Self:
        """Matrices set side by side."""

    @abstractmethod
    def columns(self, start: int, stop: int) -> Self:
        """A block of columns."""

    # ── defined on them ─────────────────────────────────────────────────────────────────────────

    @property
    def in_short(self) -> Self:
        """The same, to go on with: only what is written may have a shorter name."""
        return self

    def __truediv__(self, other: Self) -> Self:
        return self.divide(other)

    def minimum(self, other: Self) -> Self:
        """The smaller of two entries in the same place."""
        return -(-self).maximum(-other)

    def least(self) -> Self:
        """The smallest entry of each row (0 where all are −∞)."""
        return -(-self).reduce("max")

    def __neg__(self) -> Self:
        return self * self.constant(Whole(-1))

    def __sub__(self, other: Self) -> Self:
        return self + other * self.constant(Whole(-1))

    def raised(self, exponent: int) -> Self:
        """Every entry to a whole power."""
        one = self.constant(Whole(1))
        product = reduce(mul, [self] * abs(exponent)) if exponent else one
        return one / product if exponent < 0 else product


class Numeric(Matrix):
    """A matrix whose entries are numbers, and not something about them."""

    if TYPE_CHECKING:

        @property
        def rows(self) -> Iterable[Iterable[object]]:
            """The entries, row by row."""

    @classmethod
    def perform(cls, operation: Operation, matrices: Sequence[Self]) -> Self:
        """An operation on some matrices, which may refuse what it comes to."""
        result = super().perform(operation, matrices)
        operation.validate(result)
        return result


def fitted(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int] | None:
    """The shape of what two matrices come to entry by entry, sizes of 1 being repeated; None where they don't fit.

    >>> fitted((3, 2), (1, 2)), fitted((3, 1), (1, 4)), fitted((3, 2), (2, 3))
    ((3, 2), (3, 4), None)
    """
    if left == right:
        return left
    if any(a != b and 1 not in (a, b) for a, b in zip(left, right, strict=True)):
        return None
    return max(left[0], right[0]), max(left[1], right[1])
