"""The shape of an expression, from the shapes of the names in it: the tree, and its indices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from attnsolve.errors import listed, nearest
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
    SliceNode,
    TransposeNode,
    written,
)
from attnsolve.language.tokens import LanguageError

if TYPE_CHECKING:
    from attnsolve.language.shapes import ShapeScope

Shape = tuple[int, ...]
"""() a number, (n,) a plain list, (n, m) a matrix, (k, n, m) a family of matrices."""
CONSTANTS = ("e", "pi", "oo", "π")
_MASKS = ("causal",)
_COUNTED = "rows, columns and entries are counted from 1"


def shape_text(shape: Shape) -> str:
    """A shape in words."""
    match shape:
        case ():
            return "a number"
        case (n,):
            return f"a list of {n}"
    return "×".join(map(str, shape))


class ExpressionShapes(ABC):
    """The shapes of sums, products, powers, lists and indices; `language.shapes` adds those of calls."""

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
                self._refuse_list_products(node)
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
            case MemberNode(inner=inner, name=name):
                message = f"the shape of {written(node)} depends on values, so it is not known in advance"
                fix = self._mended(node, f"{written(inner)}*{name}") if name in self.known.shapes else ""
                raise self._refused(message, fix, node)
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
        if name.rstrip("'") != name and name.rstrip("'") in self.known.shapes:
            raise self._refused(message, f"a transpose is written {name.rstrip(chr(39))}^T", node)
        if entry := self._entry(name):
            raise self._refused(message, self._mended(node, entry), node)
        raise self._refused(message, nearest(name, dict.fromkeys([*self.known.shapes, *self.known.sizes])), node)

    def _entry(self, name: str) -> str:
        """x[1] for x_1, where x is a list; A[1,2] for A_12, where A is a matrix."""
        letter, _, index = name.rpartition("_")
        shape = self.known.shapes.get(letter, ())
        if not shape or not (index.isdigit() or set(index) <= self.known.sizes.keys()):
            return ""
        places = [index] if index in self.known.sizes or len(shape) == 1 else list(index)
        return f"{letter}[{','.join(places)}]" if len(places) <= len(shape) else ""

    def _joined(self, sign: str, left: Shape, after: Node, before: Node) -> Shape:
        right = self._mask_or(after) if sign in ("and", "or") else self.of(after)
        if sign == "*":
            return self._product(left, right, before, after)
        verb = "added" if sign in "+-" else "compared" if sign[0] in "<>" else "combined entry by entry"
        return self._broadcast(left, right, before, after, verb)

    def _broadcast(self, left: Shape, right: Shape, before: Node, after: Node, verb: str) -> Shape:
        if is_number(left) or is_number(right):
            return right if is_number(left) and len(right) >= len(left) else left
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
        if is_number(left) or is_number(right):
            return right if is_number(left) else left
        message = f"{written(before)} is {shape_text(left)} and {written(after)} is {shape_text(right)}"
        if len(left) == len(right) == 1:
            v, w = written(before), written(after)
            fix = self._entry_of(before) or self._entry_of(after) or f"dot({v}, {w}), outer({v}, {w}) or {v} .* {w}?"
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
        if not is_number(left):
            exponent = written(node.exponent)
            product = f" or {'*'.join([base] * int(exponent))}?" if exponent in ("2", "3") else "?"
            message = f"{base} is {shape_text(left)}: ^ raises numbers only"
            if len(left) == 1:
                raise self._refused(message, self._mended(node, f"{base} .^ {exponent}"), node)
            raise self._refused(message, f"{base} .^ {exponent}{product}", node)
        if not is_number(right):
            inner = node.exponent.inner if isinstance(node.exponent, GroupNode) else node.exponent
            entries = f"exp({written(inner)})" if base == "e" else f"{base} .^ {written(node.exponent)}"
            message = f"the exponent {written(node.exponent)} is {shape_text(right)}, not a number"
            raise self._refused(message, self._mended(node, entries), node)
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
        if isinstance(entry, NameNode) and (entry.name in self.known.words or entry.name not in self.known.shapes):
            return ()
        return self.of(entry)

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

    def _refuse_list_products(self, chain: ChainNode) -> None:
        """q^T*k of two lists is their dot product, q*k^T their outer one, unless the sheet says how they stand."""
        pairs = zip([chain.first, *(part for _, part in chain.rest)], chain.rest, strict=False)
        for before, (sign, after) in pairs if not self.known.vectors else ():
            v, w = (part.inner if isinstance(part, TransposeNode) else part for part in (before, after))
            names = isinstance(v, NameNode) and isinstance(w, NameNode)
            if sign != "*" or (v is before) == (w is after) or not names:
                continue
            if len(self.of(v)) == len(self.of(w)) == 1:
                product = f"{'outer' if v is before else 'dot'}({written(v)}, {written(w)})"
                message = f"{written(v)} and {written(w)} are plain lists, which have no orientation"
                whole = ChainNode(before, ((sign, after),), before.start, after.end)
                fix = f"{self._mended(whole, product)}, or say vectors: rows or vectors: columns"
                raise self._refused(message, fix, before)

    @abstractmethod
    def _call(self, call: CallNode) -> Shape:
        """The shape of what a function gives."""

    # ── indices and steps ───────────────────────────────────────────────────────────────────────

    def _indexed(self, inner: Node, places: tuple[Node, ...], node: Node) -> Shape:
        shape = self.of(inner)
        if len(places) > len(shape) or (len(places) == 2 and len(shape) == 3):
            message = f"{written(inner)} is {shape_text(shape)}: it has no {written(node)[len(written(inner)) :]}"
            raise self._refused(message, "", node)
        if len(places) == 1 and not self._is_slice(places[0]) and len(shape) != 1:
            self._place(places[0], shape[0], node)
            return shape[1:]
        sides = [self._place(place, side, node) for place, side in zip(places, shape, strict=False)]
        if all(side is None for side in sides):
            return shape[len(places) :]
        return (*(1 if side is None else side for side in sides), *shape[len(places) :])

    def _is_slice(self, place: Node) -> bool:
        return isinstance(place, SliceNode) or (isinstance(place, NameNode) and place.name in self.known.slices)

    def _place(self, place: Node, size: int, node: Node) -> int | None:
        """How many rows or columns are taken; None where it is one by itself."""
        place = self.known.placed(place)
        if not isinstance(place, SliceNode):
            self._refuse_unknown(place)
            number = self.whole(place)
            if number is not None and not 1 <= number <= size:
                message = f"{written(node)} asks for entry {number}, which is not between 1 and {size}"
                raise self._refused(message, _COUNTED if number < 1 else self._entry_of(node), node)
            return None
        first = 1 if place.first is None else self.whole(place.first)
        last = size if place.last is None else self.whole(place.last)
        if first is None or last is None:
            raise self._refused(f"the ends of {written(place)} must be whole numbers", "", node)
        if not 1 <= first <= last <= size:
            message = f"{written(node)} asks for entries {first} to {last}, which are not all between 1 and {size}"
            raise self._refused(message, f"{_COUNTED}, both ends included" if first < 1 else "", node)
        return last - first + 1

    def _refuse_unknown(self, place: Node) -> None:
        if isinstance(place, NameNode) and place.name not in {*self.known.sizes, *self.known.shapes}:
            words = [*self.known.words, *self.known.sizes]
            raise self._refused(f"there is no {place.name!r}", nearest(place.name, words) if words else "", place)

    def _entry_of(self, node: Node) -> str:
        """r[1,2] for r[2], where r is one row or one column; nothing for anything else."""
        if not isinstance(node, IndexNode) or len(node.places) > 1:
            return ""
        shape, name, place = self.of(node.inner), written(node.inner), written(node.places[0])
        if len(shape) != 2 or 1 not in shape:
            return ""
        return f"{name} is {shape_text(shape)}: write {name}[{f'1,{place}' if shape[0] == 1 else f'{place},1'}]"

    def whole(self, node: Node) -> int | None:
        """A size or an index, where it can be said; None for a number that is only known later."""
        match node:
            case NumberNode(text=text):
                return int(text) if text.isdigit() else None
            case NameNode(name=name) if name in self.known.sizes:
                return self.known.sizes[name]
            case GroupNode(inner=inner):
                return self.whole(inner)
            case PrefixNode(sign="-", inner=inner):
                found = self.whole(inner)
                return None if found is None else -found
            case ChainNode(first=first, rest=rest):
                total = self.whole(first)
                for sign, part in rest:
                    value = self.whole(part)
                    if total is None or value is None or sign not in _WHOLE:
                        return None
                    total = _WHOLE[sign](total, value)
                return total
        return None

    def _at(self, inner: Node, path: tuple[Node, ...], node: Node) -> Shape:
        named = self.known.step(inner, path)
        if named in self.known.shapes:
            return self.known.shapes[named]
        for step in path:
            if isinstance(step, NameNode) and len(self.known.shapes.get(step.name, ())) == 2:
                fix = self._mended(node, f"{written(inner)}*{step.name}")
                raise self._refused(
                    f"{written(node)} would be a step of {written(inner)}: write products with *", fix, node
                )
        before = f"{written(inner)}@"
        steps = [name.removeprefix(before) for name in self.known.shapes if name.startswith(before)]
        known = f"it has {listed(steps)}" if steps else f"{written(inner)} is not part of a repeat"
        raise self._refused(f"there is no {named or written(node)}", known, node)


def is_number(shape: Shape) -> bool:
    """Whether it is the shape of a single number."""
    return shape in ((), (1, 1))


_WHOLE: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
}
