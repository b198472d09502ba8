"""A function of a formula as its operation is told of it: the values that go in, and what else was written there.

Operations make themselves from a call (`from_call`), each in its own module; `NAMED` says which one a name means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Protocol

from attnsolve.language.expression_shapes import Shape
from attnsolve.language.syntax import CallNode, NameNode, Node
from attnsolve.language.tokens import LanguageError
from attnsolve.numbers.constant import Constant, PlainNumber
from attnsolve.operations.formula import Formula, transpose_of
from attnsolve.record import Record, record

NAMED = {
    "softmax": "softmax.Softmax",
    "share": "softmax.Share",
    "masked": "mask.Mask",
    "where": "mask.Select",
    "exp": "stages.Powers",
    **dict.fromkeys(("ln", "sqrt", "sin", "cos"), "function.Function"),
    "abs": "function.Absolute",
    "tanh": "tanh.Tanh",
    "relu": "relu.Relu",
    "layernorm": "layernorm.LayerNorm",
    "rmsnorm": "layernorm.RmsNorm",
    **{
        f"{along}{name}": f"reductions.{kind}"
        for along in ("row", "col")
        for name, kind in (
            ("sum", "Sums"),
            ("mean", "Means"),
            ("var", "Variances"),
            ("max", "Maxima"),
            ("norm", "RowNorms"),
        )
    },
    "sigmoid": "activations.Sigmoid",
    "silu": "activations.Silu",
    "gelu": "activations.Gelu",
    "gelu_tanh": "activations.GeluTanh",
    "nll": "loss.Losses",
    "crossentropy": "loss.CrossEntropy",
    "total": "reductions.GrandTotal",
    "mean": "reductions.Mean",
    "max": "choice.Larger",
    "min": "choice.Smaller",
    "concat": "concatenate.Concatenate",
    "stack": "concatenate.Concatenate",
    "norm": "function.Norm",
    "sinusoidal": "sinusoidal.Sinusoidal",
    "rope": "rotary.Rotary",
    "rotate": "rotary.Rotary",
    "alibi": "alibi.Alibi",
    "top": "selection.Top",
    "nucleus": "selection.Nucleus",
    "argmax": "selection.ArgMax",
    "sorted": "selection.Sorted",
    "cumsum": "selection.RunningSum",
    "lookup": "lookup.Lookup",
    "rows": "lookup.Lookup",
    "onehot": "lookup.OneHot",
    "diag": "structure.Diagonal",
    "flat": "structure.Flat",
    "rank": "rank.Rank",
    **dict.fromkeys(("identity", "ones", "zeros", "causal"), "structure.Constants"),
    "dot": "vectors.Dot",
    "outer": "vectors.Outer",
}
"""The module and the class of `operations` that a function's name means."""
NOT_VALUES = frozenset({"ids", "mask", "k", "p", "n", "d", "m", "width", "lengths", "slope", "angles"})
"""Parameters that are no matrices to compute with: sizes, places, masks."""


class FormulaSheet(Protocol):
    """What a sheet can say of what is written in its formulas."""

    down: bool
    """Whether tokens are columns."""

    ids_from: int
    """What the first id of a vocabulary is: 1, or 0."""
    vocabulary: tuple[str, ...]
    """The words that stand for ids."""

    def add(self, name: str, formula: Formula, shape: Shape, letters: tuple[str, ...]) -> Formula:
        """A quantity made on the way, written with one of some letters; or the same one, if it is there."""

    def constant(self, node: Node) -> Constant:
        """A number, exactly."""

    def whole(self, node: Node) -> int:
        """A size or a place."""

    def ids(self, node: Node) -> tuple[int, ...]:
        """Places in a vocabulary, counted from 1."""

    def mask(self, node: Node, shape: tuple[int, int]) -> Formula:
        """What a mask adds to scores of that shape."""

    def constants(self, node: Node) -> tuple[Constant, ...]:
        """A list of numbers, or one, exactly."""

    def indicator(self, node: Node, shape: tuple[int, int]) -> Formula:
        """The same as 1 where it allows, 0 where it forbids."""

    def words_of(self, formula: Formula) -> tuple[str, ...]:
        """The words that the places of a formula stand for, unless its entries were put into another order."""

    def value(self, node: Node, letters: tuple[str, ...] = ()) -> Formula:
        """A formula, as a quantity of its own unless it is one; written with one of some letters."""

    def shape(self, node: Node) -> Shape:
        """The shape of a formula."""


@record
class Call(Record):
    """name(values, others, option=…)."""

    name: str
    values: tuple[Formula, ...]
    shapes: tuple[Shape, ...]
    """Of the values, as the language has them: (n,) for a plain list, which is stored as one row."""
    others: Mapping[str, Node]
    """Parameters that are no values, and options, by their names."""
    sheet: FormulaSheet
    node: CallNode

    @property
    def down(self) -> bool:
        """Whether it goes along columns: as `by` says, or else as the sheet stacks tokens. A list is one row."""
        if len(self.shapes[0]) != 2:
            return False
        word = self.word("by", ("rows", "columns"))
        return word == "columns" if word else self.sheet.down

    @property
    def size(self) -> int:
        """How many entries one row (or column, where it goes along those) of the first value has."""
        return (*self.shapes[0], 1)[0] if self.down else (1, *self.shapes[0])[-1]

    @property
    def alone(self) -> bool:
        """Whether it is about one plain list."""
        return len(self.shapes[0]) < 2

    def beside_vectors(self, values: Sequence[Formula]) -> list[Formula]:
        """Values that go with every row, or column: a list stands upright beside columns."""
        lists = [len(shape) == 1 for shape in self.shapes[len(self.shapes) - len(values) :]]
        return [transpose_of(value) if self.down and flat else value for value, flat in zip(values, lists, strict=True)]

    @property
    def beside_tokens(self) -> list[Formula]:
        """The values, a list standing upright beside a matrix where tokens are columns."""
        mixed = self.sheet.down and {1, 2} <= {len(shape) for shape in self.shapes}
        pairs = zip(self.values, self.shapes, strict=True)
        return [transpose_of(value) if mixed and len(shape) == 1 else value for value, shape in pairs]

    def number(self, name: str, default: Constant | None = None) -> Constant:
        """An option that is a number."""
        node = self.others.get(name)
        return default or PlainNumber(0) if node is None else self.sheet.constant(node)

    def whole(self, name: str, default: int = 0) -> int:
        """An option or a parameter that is a whole number."""
        node = self.others.get(name)
        return default if node is None else self.sheet.whole(node)

    def word(self, name: str, words: tuple[str, ...]) -> str:
        """An option that is one of some words; empty where it is left out."""
        node = self.others.get(name)
        if node is None:
            return ""
        if isinstance(node, NameNode) and node.name in words:
            return node.name
        raise self.refused(f"{name} must be {' or '.join(words)}", node=node)

    def refused(self, message: str, fix: str = "", node: Node | None = None) -> LanguageError:
        """What is wrong with the call, to be raised."""
        return LanguageError(message, fix, (node or self.node).start)


def from_call(call: Call) -> Formula:
    """The operation that a call means."""
    module, name = NAMED[call.name].split(".")
    kind = getattr(import_module(f"attnsolve.operations.{module}"), name)
    made: Formula = kind.from_call(call)
    return made


def is_inline(name: str) -> bool:
    """Whether a function may stay inside of what it stands in; any other is worked out by itself."""
    module, operation = NAMED[name].split(".")
    return bool(getattr(import_module(f"attnsolve.operations.{module}"), operation).inline)
