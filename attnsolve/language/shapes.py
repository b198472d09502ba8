"""Which shape a formula has, from the shapes of what it names; and what is said where there is none.

A number has no sides, a plain list (a vector) one and no orientation, a matrix two, a family of matrices three. A
matrix of 1×1 counts as a number. Sides are known numbers here: a problem's sizes are, before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace

from attnsolve.bounds import allowed
from attnsolve.errors import count, nearest
from attnsolve.language import habits
from attnsolve.language.expression_shapes import ExpressionShapes, Shape, shape_text
from attnsolve.language.functions import FUNCTIONS, Signature
from attnsolve.language.syntax import (
    CallNode,
    NameNode,
    Node,
    NumberNode,
    RangeNode,
    SliceNode,
    written,
)
from attnsolve.language.tokens import LanguageError
from attnsolve.record import Record, record

EMPTY: Shape = (0, 0)
"""What a cache is before anything is put into it: joined with anything else, it is nothing."""


@record
class ShapeScope(Record):
    """What the names of a formula mean, as far as shapes go."""

    shapes: Mapping[str, Shape]
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Names that are whole numbers: sizes, indices."""
    layout: str = "rows"
    slices: Mapping[str, SliceNode] = field(default_factory=dict)
    """Indices that are several places at once: a block of a loop."""
    vectors: str = ""
    """How a plain list is meant where it must have an orientation: rows, columns, or not said."""
    words: Mapping[str, int] = field(default_factory=dict)
    """Words that stand for ids and places, with their places."""

    def whole(self, node: Node) -> int | None:
        """A size or an index, where it can be said before anything is computed."""
        return _Inference(self, "").whole(node)

    def step(self, inner: Node, path: tuple[Node, ...]) -> str:
        """The name of one step of a quantity: X@2, X@last; nothing where that can't be said."""
        inference = _Inference(self, "")
        numbers = [
            node.name if isinstance(node, NameNode) and node.name == "last" else inference.whole(node) for node in path
        ]
        return "" if None in numbers else f"{written(inner)}@{'.'.join(map(str, numbers))}"

    def placed(self, place: Node) -> Node:
        """What stands between square brackets: a word as its place, an index over blocks as its slice."""
        if not isinstance(place, NameNode):
            return place
        if place.name in self.words and place.name not in self.sizes and place.name not in self.shapes:
            return NumberNode(str(self.words[place.name]), place.start, place.end)
        return self.slices.get(place.name, place)

    def of(self, node: Node, text: str = "") -> Shape:
        """The shape of a formula, of the text that messages mend.

        >>> from attnsolve.language.parser import parse_formula
        >>> ShapeScope({"Q": (3, 2), "K": (4, 2)}).of(parse_formula("softmax(Q*K^T/sqrt(2))"))
        (3, 4)
        """
        return _Inference(self, text or written(node)).of(node)


class _Inference(ExpressionShapes):
    """The shapes of function calls, a rule for each function."""

    # ── functions ───────────────────────────────────────────────────────────────────────────────

    def _call(self, call: CallNode) -> Shape:
        line = FUNCTIONS.get(call.name)
        declared = call.name in self.known.shapes
        if declared and (line is None or call.name in ("E", "Var")):
            inner = ", ".join(map(written, call.arguments))
            message = f"{call.name} is {shape_text(self.known.shapes[call.name])}, and a name before ( is a function"
            raise self._refused(message, self._mended(call, f"{call.name}*({inner})"), call)
        if line is None:
            raise self._unknown(call)
        for option, value in call.options:
            if option not in line.options.split():
                takes = nearest(option, line.options.split()) if line.options else "it takes no options"
                takes = self._along(call, value) or takes if option in habits.AXES else takes
                raise self._refused(f"{call.name} has no option {option!r}", takes, call)
        if call.over:
            return self._over(call, line)
        if line.name in ("sum", "list", "table"):
            fix = f"write {call.name}(i=1..n, x[i])"
            if line.name == "sum" and len(call.arguments) == 1:
                fix = f"{self._mended(call, f'total({written(call.arguments[0])})')}, or sum(i=1..n, x[i])"
            raise self._refused(f"{call.name} needs an index and its range", fix, call)
        given = len(call.arguments)
        if given < line.least or (line.most is not None and given > line.most):
            message = f"{call.name} can't have {count(given, 'argument')}"
            raise self._refused(message, f"write {call.name}({', '.join(line.parameters.split())})", call)
        return _RULES[line.shape](self, call)

    def _unknown(self, call: CallNode) -> LanguageError:
        """A function that goes by another name here, or is none."""
        mended = habits.instead(call.name, [written(argument) for argument in call.arguments])
        axes = [value for option, value in call.options if option in habits.AXES]
        along = self._along(call, axes[0]) if axes else ""
        fix = along or (self._mended(call, mended) if mended else nearest(call.name, FUNCTIONS))
        return self._refused(f"there is no function {call.name!r}", fix, call)

    def _along(self, call: CallNode, axis: Node) -> str:
        """What to write for a function that programs tell its axis."""
        if len(call.arguments) != 1:
            return ""
        mended = habits.along(call.name, written(call.arguments[0]), written(axis))
        return self._mended(call, mended) if mended else ""

    def _over(self, call: CallNode, line: Signature) -> Shape:
        ranges = [over for over in call.over if isinstance(over, RangeNode)]
        places = [(r, self.whole(r.first), self.whole(r.last)) for r in ranges]
        sizes = dict(self.known.sizes)
        counts = []
        for r, first, last in places:
            if first is None or last is None:
                raise self._refused(f"the range of {r.index} must begin and end with whole numbers", "", r)
            if not first <= last <= first + allowed().side:
                raise self._refused(f"{r.index} can't go from {first} to {last}", "", r)
            sizes[r.index] = first
            left_out = None if r.but is None else self.whole(r.but)
            counts.append(last - first + 1 - (left_out is not None and first <= left_out <= last))
        shapes = {name: shape for name, shape in self.known.shapes.items() if name not in sizes}
        known = replace(self.known, shapes={**shapes}, sizes=sizes)
        inside = _Inference(known, self.text)
        body = inside.of(call.arguments[0])
        match line.name:
            case "concat":
                return self._side_by_side([body] * counts[0], call)
            case "stack":
                return self._one_below([body] * counts[0], call)
            case "list" | "table":
                if len(body) + len(counts) > 3:
                    raise self._refused(f"{written(call)} would have too many dimensions", "", call)
                return (*counts, *body)
        return body

    def _arguments(self, call: CallNode) -> list[Shape]:
        return [self.of(argument) for argument in call.arguments]

    def _size(self, node: Node) -> int:
        size = self.whole(node)
        if size is None or not 1 <= size <= allowed().side:
            raise self._refused(f"{written(node)} is not a size", "write a whole number or a size", node)
        return size

    def _each(self, call: CallNode) -> Shape:
        return self.of(call.arguments[0])

    def _normed(self, call: CallNode) -> Shape:
        shape, *others = self._arguments(call)
        for argument, other in zip(call.arguments[1:], others, strict=True):
            self._broadcast(shape, other, call.arguments[0], argument, "combined")
        return shape

    def _greatest(self, call: CallNode) -> Shape:
        shapes = self._arguments(call)
        if len(shapes) == 1:
            return ()
        a, b = call.arguments
        return self._broadcast(shapes[0], shapes[1], a, b, "compared entry by entry")

    def _where(self, call: CallNode) -> Shape:
        mask, a, b = call.arguments
        chosen = self._broadcast(self.of(a), self.of(b), a, b, "joined")
        return self._broadcast(self._mask_or(mask), chosen, mask, a, "joined")

    def _masked(self, call: CallNode) -> Shape:
        inner, mask = call.arguments
        scores = self.of(inner)
        self._broadcast(scores, self._mask_or(mask), inner, mask, "masked")
        return scores

    def _mask(self, call: CallNode) -> Shape:
        if call.name == "causal" and call.arguments:
            return (self._size(call.arguments[0]),) * 2
        return ()

    def _before(self, call: CallNode) -> Shape:
        """The value one step before, of a quantity that a repeat goes on with."""
        (inner,) = call.arguments
        if not isinstance(inner, NameNode):
            raise self._refused(f"{written(call)} needs the name of a quantity", "", call)
        if written(call) in self.known.shapes:
            return self.known.shapes[written(call)]
        if not any(name.startswith("prev(") for name in self.known.shapes):
            raise self._refused("prev only has a meaning in a repeat that has a start", "", call)
        raise self._refused(f"{written(call)} has no first value", f"add start: {{{inner.name}: ...}}", call)

    def _number(self, call: CallNode) -> Shape:
        self.of(call.arguments[0])
        return ()

    def _rows(self, call: CallNode) -> Shape:
        shape = self.of(call.arguments[0])
        return (shape[0], 1) if len(shape) == 2 else self._of_vector(shape, call)

    def _columns(self, call: CallNode) -> Shape:
        shape = self.of(call.arguments[0])
        return (1, shape[1]) if len(shape) == 2 else self._of_vector(shape, call)

    def _of_vector(self, shape: Shape, call: CallNode) -> Shape:
        if len(shape) > 2:
            raise self._refused(f"{written(call.arguments[0])} is a family", "name a member, as in W_Q[h]", call)
        return ()

    def _per_token(self, call: CallNode) -> Shape:
        """One number for every token, as a list."""
        shape = self.of(call.arguments[0])
        if len(shape) != 2:
            return self._of_vector(shape, call)
        by = next((written(value) for option, value in call.options if option == "by"), self.known.layout)
        return (shape[1],) if by == "columns" else (shape[0],)

    def _sized(self, call: CallNode) -> Shape:
        return tuple(self._size(argument) for argument in call.arguments)

    def _positions(self, call: CallNode) -> Shape:
        """One row for each token, or one column."""
        tokens, width = map(self._size, call.arguments)
        return (width, tokens) if self.known.layout == "columns" else (tokens, width)

    def _square(self, call: CallNode) -> Shape:
        return (self._size(call.arguments[0]),) * 2

    def _beside(self, call: CallNode) -> Shape:
        return self._side_by_side(self._arguments(call), call)

    def _side_by_side(self, shapes: list[Shape], call: CallNode) -> Shape:
        shapes = [shape for shape in shapes if shape != EMPTY] or [EMPTY]
        if all(len(shape) <= 1 for shape in shapes):
            return (sum(shape[0] if shape else 1 for shape in shapes),)
        if any(len(shape) != 2 or shape[0] != shapes[0][0] for shape in shapes):
            message = f"{', '.join(map(shape_text, shapes))} can't be placed side by side"
            raise self._refused(message, "they need the same number of rows", call)
        return (shapes[0][0], sum(shape[1] for shape in shapes))

    def _below(self, call: CallNode) -> Shape:
        return self._one_below(self._arguments(call), call)

    def _one_below(self, shapes: list[Shape], call: CallNode) -> Shape:
        """A plain list stands as one row."""
        shapes = [shape for shape in shapes if shape != EMPTY] or [EMPTY]
        if all(not shape for shape in shapes):
            return (len(shapes),)
        rows = [shape if len(shape) == 2 else (1, *shape) for shape in shapes]
        if any(len(row) != 2 or row[1] != rows[0][1] for row in rows):
            message = f"{', '.join(map(shape_text, shapes))} can't be stacked"
            raise self._refused(message, "they need the same number of columns", call)
        return (sum(row[0] for row in rows), rows[0][1])

    def _looked_up(self, call: CallNode) -> Shape:
        table, ids = self.of(call.arguments[0]), self._word(call.arguments[1])
        if len(table) != 2 or len(ids) > 1:
            raise self._refused(f"{written(call)} needs a matrix and a list of ids", "write lookup(E, [2, 1])", call)
        return (*ids, table[1])

    def _onehot(self, call: CallNode) -> Shape:
        return (*self._word(call.arguments[0]), self._size(call.arguments[1]))

    def _diagonal(self, call: CallNode) -> Shape:
        shape = self.of(call.arguments[0])
        if len(shape) == 2 and shape[0] == shape[1]:
            return (shape[0],)
        if len(shape) != 1:
            raise self._refused(f"{written(call.arguments[0])} is {shape_text(shape)}: diag needs a list", "", call)
        return (shape[0], shape[0])

    def _flat(self, call: CallNode) -> Shape:
        shape, size = self.of(call.arguments[0]), 1
        for side in shape:
            size *= side
        return (size,)

    def _vectors(self, call: CallNode) -> tuple[int, int]:
        sizes = []
        for argument in call.arguments:
            shape = self.of(argument)
            if not shape or len(shape) > 2 or (len(shape) == 2 and 1 not in shape):
                raise self._refused(f"{written(argument)} is {shape_text(shape)}, not a vector", "", call)
            sizes.append(max(shape))
        return sizes[0], sizes[1]

    def _dot(self, call: CallNode) -> Shape:
        left, right = self._vectors(call)
        if left != right:
            v, w = map(written, call.arguments)
            raise self._refused(
                f"{v} has {count(left, 'entry', 'entries')} but {w} has {right}: they have no dot product", "", call
            )
        return ()

    def _outer(self, call: CallNode) -> Shape:
        return self._vectors(call)


_RULES: dict[str, Callable[[_Inference, CallNode], Shape]] = {
    "each": _Inference._each,
    "before": _Inference._before,
    "same": _Inference._each,
    "greatest": _Inference._greatest,
    "joined": _Inference._where,
    "normed": _Inference._normed,
    "masked": _Inference._masked,
    "mask": _Inference._mask,
    "sized": _Inference._sized,
    "positions": _Inference._positions,
    "square": _Inference._square,
    "per_token": _Inference._per_token,
    "number": _Inference._number,
    "rows": _Inference._rows,
    "columns": _Inference._columns,
    "beside": _Inference._beside,
    "below": _Inference._below,
    "looked_up": _Inference._looked_up,
    "onehot": _Inference._onehot,
    "diagonal": _Inference._diagonal,
    "flat": _Inference._flat,
    "dot": _Inference._dot,
    "outer": _Inference._outer,
}
"""The shape rule of every function, by the word that stands for it in the table of functions."""
