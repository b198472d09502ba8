"""A sheet of formulas worked out a second time, from what the language says of its functions, on arrays that remember
what they were made from (`shared.tape`). A plain list has one dimension, a matrix two, a family three.

It takes the tree of a formula from the program, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, reduce
from typing import Any

import mpmath
import numpy as np
import yaml
from shared.tape import PLACES, STEP, Array, Var, back_from, choose, differences, join

from attnsolve.language.parser import parse_formula as parsed
from attnsolve.language.syntax import (
    AtNode,
    CallNode,
    ChainNode,
    DegreesNode,
    GroupNode,
    IndexNode,
    ListedNode,
    NameNode,
    Node,
    NumberNode,
    PowerNode,
    PrefixNode,
    RangeNode,
    SliceNode,
    TransposeNode,
)

parse_formula = lru_cache(parsed)
EMPTY = Var(np.zeros((0, 0)))
COMPARED: dict[str, Callable[[Array, Array], Array]] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal,
}  # fmt: skip
Number = Any


def exactly(text: Any) -> Number:
    """A number as it is written, in PLACES digits."""
    found = Sheet({}, {}, mpmath.mpf).of(parse_formula(str(text)), Scope())
    return found.value.item()


def in_digits(value: Any) -> Array:
    """Numbers, lists, matrices and families of a file as arrays of mpmath's numbers."""
    if isinstance(value, list):
        return np.array([in_digits(part).tolist() for part in value], dtype=object)
    return np.array(exactly(value), dtype=object)


class Scope:
    """What names mean at one step of a repeat, or outside of all."""

    def __init__(
        self,
        outside: Scope | None = None,
        formulas: Mapping[str, str] | None = None,
        places: Mapping[str, Any] | None = None,
        before: Scope | None = None,
        start: Mapping[str, str] | None = None,
    ) -> None:
        self.outside, self.formulas, self.places = outside, formulas or {}, places or {}
        self.before, self.start = before, start or {}
        self.found: dict[str, Var] = {}


class Sheet:
    """One file; `given` are its matrices, `kind` makes a number of a text."""

    def __init__(self, file: Mapping[str, Any], given: Mapping[str, Var], kind: Callable[[Any], Number]) -> None:
        self.file, self.given, self.kind = file, given, kind
        self.down = file.get("layout") == "columns"
        self.first_id = int(file.get("ids_from", 1))
        self.top = Scope(None, file.get("formulas"))
        self.steps: dict[str, dict[int, Scope]] = {}
        repeats = file.get("repeat", [])
        for repeat in repeats if isinstance(repeats, list) else [repeats]:
            self._repeat(repeat)

    def _repeat(self, repeat: Mapping[str, Any]) -> None:
        ((index, values),) = repeat["for"].items()
        before = None
        if isinstance(values, str):
            first, last = values.split("..")
            values = range(int(first), int(last) + 1)
        for number, value in enumerate(values, 1):
            place = slice(*_ends(value)) if isinstance(value, str) else int(value)
            scope = Scope(self.top, repeat["each"], {index: place}, before, repeat.get("start"))
            for name in repeat["each"]:
                self.steps.setdefault(name, {})[number] = scope
            before = scope

    def named(self, name: str) -> Var:
        """A quantity of the sheet; `X@2` at a step."""
        return self.of(parse_formula(name), self.top)

    def number(self, value: Any) -> Var:
        found = Var(np.array(self.kind(value), dtype=object if self.kind is mpmath.mpf else float))
        found.literal = True
        return found

    def like(self, numbers: Array) -> Var:
        """Given numbers of the kind that everything is worked out in."""
        kind = object if self.kind is mpmath.mpf else float
        return Var(np.vectorize(lambda x: self.kind(float(x)), otypes=[kind])(np.asarray(numbers, dtype=float)))

    # ── the tree ────────────────────────────────────────────────────────────────────────────────

    def of(self, node: Node, scope: Scope) -> Var:
        match node:
            case NumberNode(text=text):
                fraction = Fraction(text)
                return self.number(fraction.numerator) / self.number(fraction.denominator)
            case NameNode(name=name):
                return self.name(name, scope)
            case GroupNode(inner=inner):
                return self.of(inner, scope)
            case DegreesNode(inner=inner):
                return self.of(inner, scope) * self.pi() / self.number(180)
            case PrefixNode(sign="-", inner=inner):
                return -self.of(inner, scope)
            case TransposeNode(inner=inner):
                return self.of(inner, scope).T
            case PowerNode(base=base, exponent=exponent):
                return self.raised(self.of(base, scope), self.of(exponent, scope))
            case ListedNode(entries=entries):
                return self.listed([self.of(entry, scope) for entry in entries])
            case AtNode(inner=NameNode(name=name), path=(step,)):
                steps = self.steps[name]
                last = isinstance(step, NameNode) and step.name == "last"
                return self.name(name, steps[max(steps) if last else self.whole(step, scope)])
            case IndexNode(inner=inner, places=places):
                found = self.of(inner, scope)
                at = tuple(self.place(place, scope) for place in places)
                if len(at) == 2 and any(isinstance(one, slice) for one in at):  # a row and a column stay matrices
                    at = tuple(one if isinstance(one, slice) else slice(one, one + 1) for one in at)
                return found[at]
            case ChainNode(first=first, rest=rest) if rest[0][0] in (*COMPARED, "and", "or"):
                return self.like(self.allowed(node, None, scope))
            case ChainNode(first=first, rest=rest):
                found = self.of(first, scope)
                for sign, part in rest:
                    found = self.joined(sign, found, self.of(part, scope))
                return found
            case CallNode(over=(_, *_)):
                return self.over(node, scope)
            case CallNode(name=name):
                return self.call(name, node, scope)
        raise NotImplementedError(node)

    def name(self, name: str, scope: Scope) -> Var:
        looked: Scope | None = scope
        while looked is not None:
            if name in looked.places:
                return self.number(looked.places[name])
            if name in looked.formulas:
                if name not in looked.found:
                    looked.found[name] = self.of(parse_formula(str(looked.formulas[name])), looked)
                return looked.found[name]
            looked = looked.outside
        if name in self.given:
            return self.given[name]
        constants = {"pi": self.pi, "e": lambda: self.number(1).each("exp"), "empty": lambda: EMPTY}
        if name in ("oo", "inf"):
            return self.number("inf")
        return constants[name]()

    def pi(self) -> Var:
        return self.number(mpmath.pi)

    def whole(self, node: Node, scope: Scope) -> int:
        return int(self.of(node, scope).plain)

    def place(self, node: Node, scope: Scope) -> Any:
        """An index of NumPy."""
        if isinstance(node, SliceNode):
            first = None if node.first is None else self.whole(node.first, scope) - 1
            return slice(first, None if node.last is None else self.whole(node.last, scope))
        looked: Scope | None = scope
        while looked is not None and isinstance(node, NameNode):
            if isinstance(found := looked.places.get(node.name), slice):
                return found
            looked = looked.outside
        return self.whole(node, scope) - 1

    def listed(self, parts: Sequence[Var]) -> Var:
        return join([part.reshape(1) for part in parts], 0)

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def joined(self, sign: str, left: Var, right: Var) -> Var:
        if sign == "*":
            single = [x.value.size == 1 and x.ndim != 1 for x in (left, right)]
            if any(single) and not (left.ndim == right.ndim == 2 and left.shape[1] == right.shape[0]):
                left, right = (x.reshape() if s and x.ndim else x for x, s in zip((left, right), single, strict=True))
            return left * right if 0 in (left.ndim, right.ndim) else left @ right
        left, right = self.together(left, right)
        match sign:
            case "+":
                return left + right
            case "-":
                return left - right
            case ".*":
                return left * right
        return left / right

    def together(self, *parts: Var) -> list[Var]:
        """A plain list beside a matrix goes to every token."""
        most = max(part.ndim for part in parts)
        return [p.reshape(-1, 1) if self.down and p.ndim == 1 and most == 2 else p for p in parts]

    def raised(self, base: Var, exponent: Var) -> Var:
        base, exponent = self.together(base, exponent)
        if exponent.literal and exponent.ndim == 0 and float(exponent.plain).is_integer():
            number = int(exponent.plain)
            if number < 0:
                return 1 / self.raised(base, self.number(-number))
            return reduce(lambda x, y: x * y, [base] * number) if number else base * 0 + 1
        return (exponent * base.each("ln")).each("exp")

    # ── masks ───────────────────────────────────────────────────────────────────────────────────

    def allowed(self, node: Node, shape: tuple[int, int] | None, scope: Scope) -> Array:
        """Where a mask is 1."""
        match node:
            case GroupNode(inner=inner):
                return self.allowed(inner, shape, scope)
            case PrefixNode(sign="not", inner=inner):
                return ~self.allowed(inner, shape, scope)
            case ChainNode(first=first, rest=((sign, _), *_) as rest) if sign in ("and", "or"):
                parts = [self.allowed(part, shape, scope) for part in (first, *(part for _, part in rest))]
                return reduce(np.logical_and if sign == "and" else np.logical_or, parts)
            case ChainNode(first=first, rest=((sign, right),)) if sign in COMPARED:
                a, b = self.together(self.of(first, scope), self.of(right, scope))
                return COMPARED[sign](a.value, b.value).astype(bool)
            case NameNode(name="causal") | CallNode(name="within" | "first"):
                assert shape is not None
                queries, keys = shape[::-1] if self.down else shape
                i, j = np.indices((queries, keys))
                found = j <= i
                if isinstance(node, CallNode):
                    bound = self.of(node.arguments[0], scope).plain
                    found = abs(i - j) < bound if node.name == "within" else j < np.reshape(bound, (-1, 1))
                return found.T if self.down else found
        return self.of(node, scope).plain > 0

    def masked(self, scores: Var, node: Node, scope: Scope) -> Var:
        shape = scores.shape if scores.ndim == 2 else (1, *scores.shape)
        rule = isinstance(node, NameNode) and node.name in self.given
        if rule:
            mask = self.of(node, scope)
            if not set(mask.plain.ravel().tolist()) <= {0.0, 1.0}:
                blocked = np.isneginf(mask.plain)
                free = Var(np.where(blocked, 0 * scores.value, mask.value))
                return choose(np.broadcast_to(~blocked, scores.shape), scores + free, self._blocked(scores))
        allowed = np.broadcast_to(self.allowed(node, shape, scope), shape).reshape(scores.shape)
        return choose(allowed, scores, self._blocked(scores))

    def _blocked(self, like: Var) -> Var:
        return self.like(np.full(like.shape, -np.inf))

    # ── functions ───────────────────────────────────────────────────────────────────────────────

    def call(self, name: str, node: CallNode, scope: Scope) -> Var:
        arguments, options = node.arguments, dict(node.options)

        def at(i: int) -> Var:
            return self.of(arguments[i], scope)

        def option(key: str, otherwise: Any = 0) -> Var:
            return self.of(options[key], scope) if key in options else self.number(otherwise)

        def word(key: str, otherwise: str) -> str:
            found = options.get(key)
            return found.name if isinstance(found, NameNode) else otherwise

        if name == "prev":
            (inner,) = arguments
            assert isinstance(inner, NameNode)
            looked = scope
            while inner.name not in looked.formulas:
                assert looked.outside is not None
                looked = looked.outside
            if looked.before is not None:
                return self.name(inner.name, looked.before)
            assert looked.outside is not None
            return self.of(parse_formula(str(looked.start[inner.name])), looked.outside)
        if name == "masked":
            return self.masked(at(0), arguments[1], scope)
        if name == "where":
            yes, no = at(1), at(2)
            shape = np.broadcast_shapes(yes.shape, no.shape)
            mask = self.allowed(arguments[0], (1, *shape)[-2:] if shape else None, scope)  # type: ignore[arg-type]
            yes, no, held = self.together(yes, no, Var(mask))
            shape = np.broadcast_shapes(yes.shape, no.shape, held.shape)
            return choose(np.broadcast_to(held.value, shape), *(x + self.like(np.zeros(shape)) for x in (yes, no)))
        if name in ("concat", "stack"):
            return self.beside([at(i) for i in range(len(arguments))], name == "stack")
        if name in ("identity", "ones", "zeros", "causal"):
            sizes = [self.whole(argument, scope) for argument in arguments]
            square = {"identity": np.eye, "causal": np.tri}
            return self.like(square[name](*sizes) if name in square else getattr(np, name)(sizes))
        if name in ("lookup", "rows"):
            return at(0)[self.ids(arguments[1], scope)]
        if name == "onehot":
            return self.like(np.eye(self.whole(arguments[1], scope))[self.ids(arguments[0], scope)])
        if name in ("nll", "crossentropy"):
            return self.losses(at(0), self.ids(arguments[1], scope), self.axis(word("by", ""), at(0)), name)
        if name in ("rope", "rotate"):
            return self.rotated(name, node, scope, word, option)
        if name == "sinusoidal":
            return self.sinusoidal(node, scope, word, option)
        if name == "alibi":
            i, j = np.indices((self.whole(arguments[0], scope),) * 2)
            return self.like(abs(i - j)) * -at(1)
        x = at(0)
        if name in ("max", "min"):
            sign = 1 if name == "max" else -1
            if len(arguments) == 1:
                return self.greatest(x * sign, None) * sign
            a, b = self.together(x, at(1))
            shape = np.broadcast_shapes(a.shape, b.shape)
            a, b = (y * sign + self.like(np.zeros(shape)) for y in (a, b))
            return self.larger(a, b) * sign
        if name in ("dot", "outer"):
            v, w = x.reshape(-1), at(1).reshape(-1)
            return (v * w).sum() if name == "dot" else v.reshape(-1, 1) * w.reshape(1, -1)
        if name == "diag":
            size = x.shape[0]
            return x[np.arange(size), np.arange(size)] if x.ndim == 2 else x.reshape(size, 1) * self.like(np.eye(size))
        if name == "flat":
            return x.reshape(-1)
        if name in ("total", "mean", "norm"):
            return self.reduced({"total": "sum"}.get(name, name), x, None)
        if name[:3] in ("row", "col"):
            axis = None if x.ndim == 1 else int(name[:3] == "row")
            return self.reduced(name[3:], x, axis, int(option("ddof").plain))
        axis = self.axis(word("by", ""), x)
        if name in ("layernorm", "rmsnorm"):
            if name == "layernorm":
                x = x - x.sum(axis) / x.shape[axis]
            x = x / ((x * x).sum(axis) / x.shape[axis] + option("eps")).each("sqrt")
            for i, join_with in ((1, ".*"), (2, "+")):
                if len(arguments) > i:
                    x = self._by_feature(join_with, x, at(i), axis)
            return x
        if name == "softmax":
            return self.softmax(x, option("base", mpmath.e) if "base" in options else None, axis)
        if name in ("share", "topk", "topp"):
            if name == "topk":
                ranked = np.argsort(np.argsort(-x.plain, axis, kind="stable"), axis, kind="stable")
                x = choose(ranked < self.whole(arguments[1], scope), x, x * 0)
            x = choose(~np.isneginf(x.plain), x, self.like(np.zeros(x.shape)))
            return x / x.sum(axis)
        if name == "cumsum":
            causal = self.like(np.tri(x.shape[axis]))
            return causal @ x if axis == 0 and x.ndim == 2 else x @ causal.T
        return self.each(name, x)

    def _by_feature(self, sign: str, x: Var, other: Var, axis: int) -> Var:
        if other.ndim == 1 and x.ndim == 2:
            other = other.reshape(1, -1) if axis == 1 else other.reshape(-1, 1)
        return x * other if sign == ".*" else x + other

    def each(self, name: str, x: Var) -> Var:
        """Functions of every entry, from exp and its like."""
        positive = x.value > 0
        match name:
            case "relu":
                return choose(positive, x, self.like(np.zeros(x.shape)))
            case "abs":
                return choose(positive, x, -x)
            case "sigmoid":
                return 1 / (1 + (-x).each("exp"))
            case "silu":
                return x / (1 + (-x).each("exp"))
            case "gelu":
                return x * x.each("below")
            case "gelu_tanh":
                inner = (x + self.number("0.044715") * x * x * x) * (2 / self.pi()).each("sqrt")
                return x / 2 * (1 + inner.each("tanh"))
            case "exp":  # of −∞ it is 0, whatever comes back
                free, zeros = ~np.isneginf(x.plain), self.like(np.zeros(x.shape))
                return choose(free, choose(free, x, zeros).each("exp"), zeros)
        return x.each(name)

    def axis(self, by: str, x: Var) -> int:
        """Along which axis a token lies."""
        if x.ndim == 1:
            return 0
        return {"rows": 1, "columns": 0, "": 0 if self.down else 1}[by]

    def ids(self, node: Node, scope: Scope) -> Any:
        words: list[str] = self.file.get("vocabulary", [])

        def one(entry: Node) -> int:
            if isinstance(entry, NameNode) and entry.name in words:
                return words.index(entry.name)
            return self.whole(entry, scope) - self.first_id

        return [one(entry) for entry in node.entries] if isinstance(node, ListedNode) else one(node)

    def losses(self, x: Var, ids: Any, axis: int, name: str) -> Var:
        if x.ndim == 1:
            return -x[ids].each("ln")
        lanes = x if axis == 1 else x.T
        found = -lanes[np.arange(len(ids)), np.array(ids)].each("ln")
        return found if name == "nll" else found.sum() / len(ids)

    def softmax(self, x: Var, base: Var | None, axis: int) -> Var:
        free = ~np.isneginf(x.plain)
        zeros = self.like(np.zeros(x.shape))
        scores = choose(free, x, zeros)
        if base is not None:
            scores = scores * base.each("ln")
        powers = choose(free, scores.each("exp"), zeros)
        sums = powers.sum(axis)
        return powers / (sums + self.like(~free.any(axis, keepdims=True)))

    def greatest(self, x: Var, axis: int | None) -> Var:
        """The greatest entry; several that are equal share the gradient."""
        most = x.value == x.value.max(axis=axis, keepdims=True)
        return choose(most, x, self.like(np.zeros(x.shape))).sum(axis) / self.like(most).sum(axis)

    def larger(self, a: Var, b: Var) -> Var:
        """Two that are equal share the gradient."""
        return choose(a.value == b.value, (a + b) / 2, choose(a.value > b.value, a, b))

    def reduced(self, name: str, x: Var, axis: int | None, less: int = 0) -> Var:
        size = x.value.size if axis is None else x.shape[axis]
        match name:
            case "sum":
                return x.sum(axis)
            case "mean":
                return x.sum(axis) / size
            case "max":
                return self.greatest(x, axis)
            case "norm":
                return (x * x).sum(axis).each("sqrt")
            case "var":
                centred = x - x.sum(axis) / size
                return (centred * centred).sum(axis) / (size - less)
        raise NotImplementedError(name)

    def beside(self, parts: Sequence[Var], down: bool) -> Var:
        parts = [part for part in parts if part is not EMPTY]
        if not down and all(part.ndim < 2 for part in parts):
            return join([part.reshape(-1) for part in parts], 0)
        if down and all(part.ndim == 0 for part in parts):
            return self.listed(parts)
        return join([part.reshape(1, -1) if part.ndim == 1 else part for part in parts], 0 if down else 1)

    # ── positions ───────────────────────────────────────────────────────────────────────────────

    def angles(self, positions: Sequence[Var], width: int, base: Var) -> list[list[Var]]:
        logarithm = base.each("ln")
        pairs = range((width + 1) // 2)
        frequencies = [(logarithm * self.number(-2 * i) / self.number(width)).each("exp") for i in pairs]
        return [[position * frequency for frequency in frequencies] for position in positions]

    def rotated(self, name: str, node: CallNode, scope: Scope, word: Any, option: Any) -> Var:
        x = self.of(node.arguments[0], scope)
        lanes = x.reshape(1, -1) if x.ndim == 1 else x.T if self.axis(word("by", ""), x) == 0 else x
        tokens, width = lanes.shape
        options = dict(node.options)
        if name == "rotate":
            stated = self.of(node.arguments[1], scope)
            given = [stated] * tokens if stated.ndim == 0 else [stated[t] for t in range(tokens)]
            angles = [[angle] * (width // 2) for angle in given]
        else:
            start = option("start")
            positions = [start + t for t in range(tokens)]
            if "at" in options:
                at = self.of(options["at"], scope)
                positions = [at[t] for t in range(tokens)]
            angles = self.angles(positions, width, option("base", 10000))
        halves, pairs = word("pairs", "adjacent") == "halves", width // 2
        rows = []
        for t in range(tokens):
            entries: dict[int, Var] = {}
            for i in range(pairs):
                one, two = (i, i + pairs) if halves else (2 * i, 2 * i + 1)
                cos, sin = angles[t][i].each("cos"), angles[t][i].each("sin")
                entries[one] = lanes[t, one] * cos - lanes[t, two] * sin
                entries[two] = lanes[t, one] * sin + lanes[t, two] * cos
            rows.append(self.listed([entries[i] for i in range(width)]).reshape(1, -1))
        found = join(rows, 0)
        return found.reshape(-1) if x.ndim == 1 else found.T if self.axis(word("by", ""), x) == 0 else found

    def sinusoidal(self, node: CallNode, scope: Scope, word: Any, option: Any) -> Var:
        tokens, width = (self.whole(argument, scope) for argument in node.arguments)
        start = option("start")
        rows = []
        for angles in self.angles([start + t for t in range(tokens)], width, option("base", 10000)):
            sines, cosines = [a.each("sin") for a in angles], [a.each("cos") for a in angles]
            halves = word("order", "interleaved") == "halves"
            row = [*sines, *cosines] if halves else [x for pair in zip(sines, cosines, strict=True) for x in pair]
            rows.append(self.listed(row[:width]).reshape(1, -1))
        found = join(rows, 0)
        return found.T if self.down else found

    # ── indices ─────────────────────────────────────────────────────────────────────────────────

    def over(self, node: CallNode, scope: Scope) -> Var:
        (body,) = node.arguments
        ranges = [place for place in node.over if isinstance(place, RangeNode)]
        values = [[*self._range(place, scope)] for place in ranges]

        def term(*numbers: int) -> Var:
            places = dict(zip((place.index for place in ranges), numbers, strict=True))
            return self.of(body, Scope(scope, places=places))

        if node.name == "table":
            rows = [self.listed([term(i, j) for j in values[1]]).reshape(1, -1) for i in values[0]]
            return join(rows, 0)
        terms = [term(i, j) for i in values[0] for j in values[1]] if len(values) > 1 else [term(i) for i in values[0]]
        if node.name in ("concat", "stack"):
            return self.beside(terms, node.name == "stack")
        if node.name == "list":
            return self.listed(terms)
        return reduce(lambda a, b: a + b, terms) if node.name == "sum" else reduce(self.larger, terms)

    def _range(self, place: RangeNode, scope: Scope) -> Iterator[int]:
        but = None if place.but is None else self.whole(place.but, scope)
        for i in range(self.whole(place.first, scope), self.whole(place.last, scope) + 1):
            if i != but:
                yield i


def _ends(span: str) -> tuple[int, int]:
    first, last = span.split("..")
    return int(first) - 1, int(last)


def _direction(shape: tuple[int, ...], number: int) -> Array:
    """Whole numbers without a pattern that a gradient could have."""
    size = int(np.prod(shape))
    return np.array([mpmath.mpf((i * i * 7 + i * 5 + number * 3) % 11 - 4) for i in range(size)]).reshape(shape)


class Reference:
    """What the gradients of a sheet are, in two ways that have no rule in common with the program's."""

    def __init__(self, file: str | Mapping[str, Any]) -> None:
        self.file: Mapping[str, Any] = yaml.safe_load(file) if isinstance(file, str) else file
        with mpmath.workdps(PLACES):
            self.inputs = {name: in_digits(value) for name, value in self.file.get("given", {}).items()}
        asked = self.file["gradient"]
        asked = {"of": asked} if isinstance(asked, str) else asked
        self.of, self.upstream = asked.get("of"), asked.get("upstream", {})
        to = asked.get("to", [*self.inputs])
        self.to = [to] if isinstance(to, str) else to

    def end(self, given: Mapping[str, Var], kind: Callable[[Any], Number]) -> Var:
        """The loss; where the sheet states gradients, what they would be the gradients of."""
        sheet = Sheet(self.file, given, kind)
        if self.of is not None:
            return sheet.named(self.of)
        total = sheet.number(0)
        for name, upstream in self.upstream.items():
            numbers = in_digits(upstream)
            share = sheet.named(name) * Var(numbers if kind is mpmath.mpf else numbers.astype(float))
            total = total + share.sum()
        return total

    def by_differences(self) -> dict[str, Array]:
        """Central differences in PLACES digits."""

        def loss(inputs: Mapping[str, Array]) -> Any:
            return self.end({name: Var(matrix) for name, matrix in inputs.items()}, mpmath.mpf).value.item()

        with mpmath.workdps(PLACES):
            return differences(loss, self.inputs, self.to)

    def precisely(self) -> dict[str, Array]:
        """Reverse mode in PLACES digits, once a central difference along one direction has confirmed it: where there
        are too many entries to move each by itself."""
        with mpmath.workdps(PLACES):
            given = {name: Var(matrix) for name, matrix in self.inputs.items()}
            end = self.end(given, mpmath.mpf)
            backwards = back_from(end, end.value * 0 + 1, [given[name] for name in self.to])
            found = dict(zip(self.to, backwards, strict=True))
            ends: list[Any] = []
            ways = {name: _direction(self.inputs[name].shape, number) for number, name in enumerate(self.to)}
            for sign in (1, -1):
                moved = {name: Var(self.inputs[name] + sign * STEP * way) for name, way in ways.items()}
                ends.append(self.end({**given, **moved}, mpmath.mpf).value.item())
            slope = sum((np.sum(found[name] * way) for name, way in ways.items()), mpmath.mpf(0))
            off = (ends[0] - ends[1]) / (2 * STEP) - slope
            assert abs(off) <= mpmath.mpf(10) ** -20 * (1 + abs(slope)), (
                "the reverse mode is wrong, or there is a corner"
            )
            return found

    def in_reverse(self) -> dict[str, Array]:
        """Reverse mode in float64."""
        given = {name: Var(matrix.astype(float)) for name, matrix in self.inputs.items()}
        end = self.end(given, float)
        return dict(zip(self.to, back_from(end, np.ones(end.shape), [given[name] for name in self.to]), strict=True))
