"""What the builders of all kinds share: the quantities made so far, their letters, and how they refuse."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import Fault, ProblemError
from attnsolve.graph import Name, Quantity
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.closed import base_of
from attnsolve.numbers.matrix import ShapeError
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Mistake, Ref
from attnsolve.operations.softmax import Share, Softmax
from attnsolve.spec.problem import Problem
from attnsolve.spec.softmax import Base

if TYPE_CHECKING:
    from attnsolve.operations.where import Where

Remark = tuple[str | n.Notation, ...]


class Builder:
    """Collects the quantities of one problem, in the order in which they can be computed."""

    alike: frozenset[str] = frozenset()
    """Quantities that may be written with the same letter."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.quantities: dict[Key, Quantity] = {}

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity already made."""
        return self.quantities[key].shape

    def fault(self, message: str, fix: str = "") -> ProblemError:
        """What keeps the problem from being built, to be raised."""
        return ProblemError([Fault(self.problem.file, self.problem.at, message, fix)])

    def shape_of(self, name: str, formula: Formula) -> tuple[int, int]:
        """A formula's shape; matrices that can't be put together are a fault of the problem."""
        try:
            return formula.shape(self)
        except ShapeError as error:
            raise self.fault(f"the {name} can't be computed: {error}") from None

    def place(self, quantity: Quantity) -> Ref:
        """Add a quantity, unless its letter is another's already."""
        name, symbol = quantity.key.id, quantity.name.matrix
        for other in self.quantities.values():
            if other.name.matrix == symbol and not {other.key.id, name} <= self.alike:
                said = f"{other.key.id} and {name} would both be written {TextPrinter().print(symbol)}"
                raise self.fault(said, f"give one of them another letter: notation: {{{name}: ...}}")
        self.quantities[quantity.key] = quantity
        return Ref(quantity.key)

    def softmax(self, scores: Ref, base: Base, stable: bool) -> Formula:
        """Scores turned into weights."""
        if isinstance(base, str) and base == "sum":
            return Share(scores)
        return Softmax(scores, base=base_of(base), stable=stable)

    def letter(self, name: str, letters: Mapping[str, str], follows: Mapping[str, str], primes: int) -> str:
        """What the sheet calls a quantity: its own letter, or that of another with primes."""
        chosen = self.problem.notation
        if name not in chosen and name in follows:
            followed = follows[name]
            return chosen.get(followed, letters[followed]) + "'" * primes
        return chosen.get(name, letters.get(name, name))

    def divisor(self, formula: Divide, size: int | None) -> Remark:
        """What the scores are divided by: √d = √64 = 8; a number of the sheet's own where there is no `size`."""
        figures = Figures(self.problem.digits, self.problem.style)
        real = Real.of(formula.divisor)
        decimal = (("≈", figures.decimal(real).notation),) if figures.needs_decimal(real) else ()
        if size is None:
            return ("The scores are divided by ", n.Chain(formula.number, decimal), ".")
        root = n.Root(n.Num(str(size)))
        plain = (("=", formula.number),) if formula.number != root else ()
        return ("The divisor is ", n.Chain(formula.symbol, (("=", root), *plain, *decimal)), ".")


def mistakes(formula: Formula, where: Where) -> Iterator[Mistake]:
    """What people do in place of an operation of attention; loaded when somebody looks for it."""
    from attnsolve.kinds import mistakes as attention

    return attention.mistakes(formula, where)


def name_of(letter: str, head: str | None = None, vector: bool = False, single: bool = False) -> Name:
    """A name from what was typed: S, W_Q, s_t, S'."""
    plain = letter.rstrip("'")
    name, _, index = plain.partition("_")
    return Name(name, index, head, len(letter) - len(plain), vector, single)
