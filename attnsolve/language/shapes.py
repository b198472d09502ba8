"""Which shape a formula has, from the shapes of what it names; and what is said where there is none.

A number has no sides, a plain list (a vector) one and no orientation, a matrix two, a family of matrices three. A
matrix of 1×1 counts as a number. Sides are known numbers here: a problem's sizes are, before anything is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from attnsolve.bounds import allowed
from attnsolve.errors import count, nearest
from attnsolve.language.functions import FUNCTIONS, Signature
from attnsolve.language.syntax import (
    AtNode,
    CallNode,
    ChainNode,
    DegreesNode,
    GroupNode,
    IndexNode,
    ListedNode,
    MemberNode,
    NameNode,
    Node,
    NumberNode,
    PowerNode,
    PrefixNode,
    RangeNode,
    SliceNode,
    TransposeNode,
    written,
)
from attnsolve.language.tokens import LanguageError
from attnsolve.record import Record, record

Shape = tuple[int, ...]
"""() a number, (n,) a plain list, (n, m) a matrix, (k, n, m) a family of matrices."""
CONSTANTS = ("e", "pi", "oo", "π")
_MASKS = ("causal",)


@record
class ShapeScope(Record):
    """What the names of a formula mean, as far as shapes go."""

    shapes: Mapping[str, Shape]
    sizes: Mapping[str, int] = field(default_factory=dict)
    """Names that are whole numbers: sizes, indices."""
    layout: str = "rows"
    vectors: str = ""
    """How a plain list is meant where it must have an orientation: rows, columns, or not said."""

    def of(self, node: Node, text: str = "") -> Shape:
        """The shape of a formula, of the text that messages mend.

        >>> from attnsolve.language.parser import parse_formula
        >>> ShapeScope({"Q": (3, 2), "K": (4, 2)}).of(parse_formula("softmax(Q*K^T/sqrt(2))"))
        (3, 4)
        """
        return _Inference(self, text or written(node)).of(node)


def shape_text(shape: Shape) -> str:
    """A shape in words."""
    match shape:
        case ():
            return "a number"
        case (n,):
            return f"a list of {n}"
    return "×".join(map(str, shape))


class _Inference:
    def __init__(self, known: ShapeScope, text: str) -> None:
        self.known = known
        self.text = text

    # ── the tree ────────────────────────────────────────────────────────────────────────────────

    def of(self, node: Node) -> Shape:
        match node:
            case NumberNode() | DegreesNode():
                return ()
            case NameNode(name=name):
                return self._name(name, node)
            case GroupNode(inner=inner) | PrefixNode(inner=inner):
                return self.of(inner)
            case ChainNode(first=first, rest=rest):
                shape = self._mask_or(first) if rest[0][0] in ("and", "or") else self.of(first)
                for number, (sign, part) in enumerate(rest):
                    before = ChainNode(first, rest[:number]) if number else first
                    shape = self._joined(sign, shape, part, before)
                return shape
            case PowerNode():
                return self._power(node)
            case TransposeNode(inner=inner):
                return self._transposed(inner, node)
            case IndexNode(inner=inner, places=places):
                return self._indexed(inner, places, node)
            case AtNode(inner=inner, path=path):
                return self._at(inner, path, node)
            case ListedNode(entries=entries):
                return self._listed(entries, node)
            case CallNode():
                return self._call(node)
            case MemberNode():
                raise self._refused(f"the shape of {written(node)} is not known before it is computed", "", node)
        raise TypeError(type(node).__name__)

    def _refused(self, message: str, fix: str, node: Node) -> LanguageError:
        return LanguageError(message, fix, node.start)

    def _mended(self, node: Node, instead: str) -> str:
        """The formula with one part of it written otherwise."""
        return f"write {self.text[: node.start]}{instead}{self.text[node.end :]}"

    def _name(self, name: str, node: Node) -> Shape:
        if name in self.known.shapes:
            return self.known.shapes[name]
        if name in self.known.sizes or name in CONSTANTS:
            return ()
        message = f"there is no {name!r}"
        for cut in range(1, len(name)):
            if {name[:cut], name[cut:]} <= set(self.known.shapes) | set(self.known.sizes):
                raise self._refused(message, self._mended(node, f"{name[:cut]}*{name[cut:]}"), node)
        raise self._refused(message, nearest(name, [*self.known.shapes, *self.known.sizes]), node)

    def _joined(self, sign: str, left: Shape, after: Node, before: Node) -> Shape:
        right = self._mask_or(after) if sign in ("and", "or") else self.of(after)
        if sign == "*":
            return self._product(left, right, before, after)
        return self._broadcast(left, right, before, after, "added" if sign in "+-" else "combined entry by entry")

    def _broadcast(self, left: Shape, right: Shape, before: Node, after: Node, verb: str) -> Shape:
        if _is_number(left) or _is_number(right):
            return right if _is_number(left) and len(right) >= len(left) else left
        if len(left) != len(right):
            found = self._lists_apart(left, right)
            if found is not None:
                return found
        elif all(a == b or 1 in (a, b) for a, b in zip(left, right, strict=True)):
            return tuple(b if a == 1 else a for a, b in zip(left, right, strict=True))
        message = f"{written(before)} is {shape_text(left)} but {written(after)} is {shape_text(right)}"
        fix = "is a transpose missing? it is written ^T" if left[::-1] == right and len(left) == 2 else ""
        raise self._refused(f"{message}: they can't be {verb}", fix, after)

    def _lists_apart(self, left: Shape, right: Shape) -> Shape | None:
        """A plain list goes with every token: every row, or every column in layout columns."""
        for one, other in ((left, right), (right, left)):
            if len(one) == 1 and len(other) == 2 and one[0] == other[0 if self.known.layout == "columns" else 1]:
                return other
        return None

    def _product(self, left: Shape, right: Shape, before: Node, after: Node) -> Shape:
        if _is_number(left) or _is_number(right):
            return right if _is_number(left) else left
        message = f"{written(before)} is {shape_text(left)} and {written(after)} is {shape_text(right)}"
        if len(left) == len(right) == 1:
            v, w = written(before), written(after)
            fix = f"dot({v}, {w}), outer({v}, {w}) or {v} .* {w}?"
            raise self._refused(f"{message}: their product is ambiguous", fix, after)
        if 3 in (len(left), len(right)):
            raise self._refused(f"{message}: a family has no product", "name a member, as in W_Q[h]", after)
        if left[-1] != right[0]:
            inner = f"{left[-1]} and {right[0]} should be the same"
            fix = "is a transpose missing? it is written ^T"
            raise self._refused(f"{message}: their product can't be formed ({inner})", fix, after)
        return (*left[:-1], *right[1:])

    def _power(self, node: PowerNode) -> Shape:
        base, sign = written(node.base), node.sign
        if isinstance(node.base, NameNode) and isinstance(node.exponent, NameNode):
            joined = f"{node.base.name}_{node.exponent.name}"
            if joined in self.known.shapes:
                raise self._refused(f"{written(node)} is a power", self._mended(node, joined), node)
        left, right = self.of(node.base), self.of(node.exponent)
        if sign == ".^":
            return self._broadcast(left, right, node.base, node.exponent, "combined entry by entry")
        if not _is_number(left):
            exponent = written(node.exponent)
            product = "*".join([base] * int(exponent)) if exponent in ("2", "3") else f"{base}*{base}"
            message = f"{base} is {shape_text(left)}: ^ raises numbers only"
            raise self._refused(message, f"{base} .^ {exponent} or {product}?", node)
        if not _is_number(right):
            raise self._refused(f"the exponent {written(node.exponent)} is {shape_text(right)}, not a number", "", node)
        return ()

    def _transposed(self, inner: Node, node: Node) -> Shape:
        shape = self.of(inner)
        match shape:
            case ():
                return ()
            case (n,) if self.known.vectors:
                return (1, n) if self.known.vectors == "columns" else (n, 1)
            case (n, m):
                return (m, n)
        if len(shape) == 1:
            message = f"{written(inner)} is a plain list, which has no orientation"
            raise self._refused(message, "say vectors: rows or vectors: columns, or write dot or outer", node)
        raise self._refused(f"{written(inner)} is a family", "name a member, as in W_Q[h]", node)

    def _listed(self, entries: tuple[Node, ...], node: Node) -> Shape:
        shapes = [self._word(entry) for entry in entries]
        if any(shape != shapes[0] for shape in shapes):
            message = f"the entries of {written(node)} have different shapes"
            raise self._refused(f"{message}: {', '.join(map(shape_text, shapes))}", "", node)
        if len(shapes[0]) > 2:
            raise self._refused(f"{written(node)} has too many levels of brackets", "", node)
        return (len(entries), *shapes[0])

    def _word(self, entry: Node) -> Shape:
        """An entry of a list, in which words may stand as ids."""
        unknown = isinstance(entry, NameNode) and entry.name not in self.known.shapes
        return () if unknown else self.of(entry)

    # ── indices and steps ───────────────────────────────────────────────────────────────────────

    def _indexed(self, inner: Node, places: tuple[Node, ...], node: Node) -> Shape:
        shape = self.of(inner)
        if len(places) > len(shape) or (len(places) == 2 and len(shape) == 3):
            message = f"{written(inner)} is {shape_text(shape)}: it has no {written(node)[len(written(inner)) :]}"
            raise self._refused(message, "", node)
        if len(places) == 1 and not isinstance(places[0], SliceNode) and len(shape) != 1:
            self._place(places[0], shape[0], node)
            return shape[1:]
        sides = [self._place(place, side, node) for place, side in zip(places, shape, strict=False)]
        if all(side is None for side in sides):
            return shape[len(places) :]
        return (*(1 if side is None else side for side in sides), *shape[len(places) :])

    def _place(self, place: Node, size: int, node: Node) -> int | None:
        """How many rows or columns are taken; None where it is one by itself."""
        if not isinstance(place, SliceNode):
            number = self._whole(place)
            if number is not None and not 1 <= number <= size:
                raise self._refused(
                    f"{written(node)} asks for entry {number}, which is not between 1 and {size}", "", node
                )
            return None
        first = 1 if place.first is None else self._whole(place.first)
        last = size if place.last is None else self._whole(place.last)
        if first is None or last is None:
            raise self._refused(f"the ends of {written(place)} must be whole numbers", "", node)
        if not 1 <= first <= last <= size:
            raise self._refused(
                f"{written(node)} asks for entries {first} to {last}, which are not all between 1 and {size}", "", node
            )
        return last - first + 1

    def _whole(self, node: Node) -> int | None:
        """A size or an index, where it can be said; None for a number that is only known later."""
        match node:
            case NumberNode(text=text):
                return int(text) if text.isdigit() else None
            case NameNode(name=name) if name in self.known.sizes:
                return self.known.sizes[name]
            case GroupNode(inner=inner):
                return self._whole(inner)
            case PrefixNode(sign="-", inner=inner):
                found = self._whole(inner)
                return None if found is None else -found
            case ChainNode(first=first, rest=rest):
                total = self._whole(first)
                for sign, part in rest:
                    value = self._whole(part)
                    if total is None or value is None or sign not in _WHOLE:
                        return None
                    total = _WHOLE[sign](total, value)
                return total
        return None

    def _at(self, inner: Node, path: tuple[Node, ...], node: Node) -> Shape:
        for step in path:
            if isinstance(step, NameNode) and len(self.known.shapes.get(step.name, ())) == 2:
                fix = self._mended(node, f"{written(inner)}*{step.name}")
                raise self._refused(
                    f"{written(node)} would be a step of {written(inner)}: write products with *", fix, node
                )
        return self.of(inner)

    # ── functions ───────────────────────────────────────────────────────────────────────────────

    def _call(self, call: CallNode) -> Shape:
        line = FUNCTIONS.get(call.name)
        declared = call.name in self.known.shapes
        if declared and (line is None or call.name in ("E", "Var")):
            inner = ", ".join(map(written, call.arguments))
            message = f"{call.name} is {shape_text(self.known.shapes[call.name])}, and a name before ( is a function"
            raise self._refused(message, self._mended(call, f"{call.name}*({inner})"), call)
        if line is None:
            raise self._refused(f"there is no function {call.name!r}", nearest(call.name, FUNCTIONS), call)
        for option, _ in call.options:
            if option not in line.options.split():
                takes = nearest(option, line.options.split()) if line.options else "it takes no options"
                raise self._refused(f"{call.name} has no option {option!r}", takes, call)
        if call.over:
            return self._over(call, line)
        if line.name in ("sum", "list", "table"):
            raise self._refused(f"{call.name} needs an index and its range", f"write {call.name}(i=1..n, x[i])", call)
        given = len(call.arguments)
        if given < line.least or (line.most is not None and given > line.most):
            message = f"{call.name} can't have {count(given, 'argument')}"
            raise self._refused(message, f"write {call.name}({', '.join(line.parameters.split())})", call)
        return _RULES[line.shape](self, call)

    def _over(self, call: CallNode, line: Signature) -> Shape:
        ranges = [over for over in call.over if isinstance(over, RangeNode)]
        places = [(r, self._whole(r.first), self._whole(r.last)) for r in ranges]
        sizes = dict(self.known.sizes)
        counts = []
        for r, first, last in places:
            if first is None or last is None:
                raise self._refused(f"the range of {r.index} must have whole numbers for ends", "", r)
            if not first <= last <= first + allowed().side:
                raise self._refused(f"{r.index} can't go from {first} to {last}", "", r)
            sizes[r.index] = first
            left_out = None if r.but is None else self._whole(r.but)
            counts.append(last - first + 1 - (left_out is not None and first <= left_out <= last))
        shapes = {name: shape for name, shape in self.known.shapes.items() if name not in sizes}
        inside = _Inference(ShapeScope({**shapes}, sizes, self.known.layout, self.known.vectors), self.text)
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
        size = self._whole(node)
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

    def _mask_or(self, node: Node) -> Shape:
        """The shape of a mask; one that fits anything, as causal, has none of its own."""
        match node:
            case NameNode(name=name) if name in _MASKS and name not in self.known.shapes:
                return ()
            case CallNode(name=name) if name in ("causal", "within", "first") and name not in self.known.shapes:
                return self._call(node)
            case PrefixNode(sign="not", inner=inner) | GroupNode(inner=inner):
                return self._mask_or(inner)
        return self.of(node)

    def _mask(self, call: CallNode) -> Shape:
        if call.name == "causal" and call.arguments:
            return (self._size(call.arguments[0]),) * 2
        return ()

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

    def _square(self, call: CallNode) -> Shape:
        return (self._size(call.arguments[0]),) * 2

    def _beside(self, call: CallNode) -> Shape:
        return self._side_by_side(self._arguments(call), call)

    def _side_by_side(self, shapes: list[Shape], call: CallNode) -> Shape:
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
            raise self._refused(f"{v} has {left} entries but {w} has {right}: they have no dot product", "", call)
        return ()

    def _outer(self, call: CallNode) -> Shape:
        return self._vectors(call)


def _is_number(shape: Shape) -> bool:
    return shape in ((), (1, 1))


_WHOLE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
_RULES: dict[str, Callable[[_Inference, CallNode], Shape]] = {
    "each": _Inference._each,
    "same": _Inference._each,
    "greatest": _Inference._greatest,
    "joined": _Inference._where,
    "normed": _Inference._normed,
    "masked": _Inference._masked,
    "mask": _Inference._mask,
    "sized": _Inference._sized,
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
