"""From one formula of a sheet to the operations that it means."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.language import syntax
from attnsolve.language.functions import FUNCTIONS
from attnsolve.language.shapes import Shape, ShapeScope
from attnsolve.language.syntax import NameNode, Node, written
from attnsolve.language.tokens import LanguageError
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.constant import Constant, RootOfSize, Size, Stated
from attnsolve.numbers.light import EULER, square_root
from attnsolve.operations.arithmetic import Negate, Power, Raised, RootPower
from attnsolve.operations.block import Block, Span
from attnsolve.operations.call import NAMED, NOT_VALUES, Call, from_call, is_inline
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import Multiply, Plus, Quotient, Scale
from attnsolve.operations.formula import Formula, Given, Ref, turned
from attnsolve.operations.mask import BLOCKED, FREE
from attnsolve.operations.number import Number, numeral
from attnsolve.operations.place import Listed
from attnsolve.operations.product import Product
from attnsolve.operations.vectors import Applied

if TYPE_CHECKING:
    from attnsolve.kinds.formulas import SheetBuilder

LARGEST_POWER = 64
"""Powers of numbers are worked out up to this one."""
INNER_LETTERS = {
    "softmax": ("A", "P"),
    "masked": ("S", "M"),
    "layernorm": ("N",),
    "relu": ("H",),
    "rmsnorm": ("N",),
    **dict.fromkeys(("sigmoid", "silu", "gelu", "gelu_tanh"), ("H",)),
    "nll": ("l",),
}
"""What a function is written with where a sheet has no name for it; the last letter of all is Z."""


class SheetLowering:
    """One formula, with quantities made for what is worked out inside it."""

    def __init__(self, sheet: SheetBuilder, name: str, text: str, sizes: dict[str, int] | None = None) -> None:
        self.builder = sheet
        self.name = name
        self.text = text
        self.sizes = sizes or {}
        """Indices and sizes that are whole numbers here."""
        self.scope = ShapeScope(sheet.shapes, self.sizes, sheet.body.layout, sheet.body.vectors)
        self.made: dict[str, Ref] = {}
        """What was made of parts of the formula, by how they are written."""
        self.down = sheet.down

    # ── what operations ask ─────────────────────────────────────────────────────────────────────

    def shape(self, node: Node) -> Shape:
        """The shape of a part."""
        return self.scope.of(node, self.text)

    def value(self, node: Node) -> Formula:
        """A part as a quantity of its own, unless it is one, or a number."""
        return self.alone(node)

    def constant(self, node: Node) -> Constant:
        """A number, exactly."""
        formula = self.formula(node)
        if isinstance(formula, Number):
            return formula.constant
        raise LanguageError(f"{written(node)} must be a number", "", node.start)

    def whole(self, node: Node) -> int:
        """A whole number."""
        if isinstance(node, NameNode) and node.name in self.sizes:
            return self.sizes[node.name]
        value = self.constant(node).value
        if isinstance(value, Fraction) and value.denominator == 1:
            return int(value)
        raise LanguageError(f"{written(node)} must be a whole number", "", node.start)

    def ids(self, node: Node) -> tuple[int, ...]:
        """Places counted from 1."""
        return tuple(map(self.whole, node.entries)) if isinstance(node, syntax.ListedNode) else (self.whole(node),)

    # ── the tree ────────────────────────────────────────────────────────────────────────────────

    def whole_formula(self, node: Node) -> Formula:
        """What the whole formula comes to."""
        return self.formula(node)

    def formula(self, node: Node) -> Formula:
        """A part as the operation that it means."""
        match node:
            case syntax.NumberNode(text=text):
                return numeral(Fraction(text), decimal="." in text or "e" in text.lower())
            case syntax.NameNode(name=name):
                return self._named(name)
            case syntax.GroupNode(inner=inner):
                return self.formula(inner)
            case syntax.PrefixNode(sign="-", inner=inner):
                return self._negated(self.formula(inner))
            case syntax.TransposeNode(inner=inner):
                return self._transposed(inner)
            case syntax.ChainNode():
                return self._chain(node)
            case syntax.PowerNode():
                return self._power(node)
            case syntax.IndexNode(inner=inner, places=places):
                return self._indexed(inner, places)
            case syntax.ListedNode(entries=entries):
                return self._listed(entries)
            case syntax.DegreesNode():
                raise LanguageError(f"{written(node)} is an angle, which only rotate takes", "", node.start)
            case syntax.CallNode():
                return self._call(node)
        raise LanguageError(f"{written(node)} has no meaning here", "", node.start)

    def alone(self, node: Node) -> Formula:
        """A part that may only be a quantity or a number: anything else is made one."""
        formula = self.formula(node)
        return formula if isinstance(formula, Ref | Number) else self._lift(node, formula)

    def operand(self, node: Node) -> Formula:
        """A factor: a quantity, its transpose or part of one; anything that takes work is made a quantity."""
        formula = self.formula(node)
        return formula if formula.is_at_hand else self._lift(node, formula)

    def _lift(self, node: Node, formula: Formula) -> Ref:
        while isinstance(node, syntax.GroupNode):
            node = node.inner
        text = written(node)
        if text not in self.made:
            function = node.name if isinstance(node, syntax.CallNode) else "inside"
            ids = [key.id for key in self.builder.quantities]
            id, number = f"{self.name}.{function}", 1
            while id in ids:
                number += 1
                id = f"{self.name}.{function}{number}"
            letter = self.builder.free_letter((*INNER_LETTERS.get(function, ()), "Z"))
            self.made[text] = self.builder.add(Key(id), formula, self.shape(node), letter)
        return self.made[text]

    # ── names and numbers ───────────────────────────────────────────────────────────────────────

    def _named(self, name: str) -> Formula:
        if name in self.builder.shapes:
            size = self._size(name)
            return Ref(Key(name)) if size is None else Number(size)
        if name in self.sizes:
            return numeral(self.sizes[name])
        if name == "e":
            return Number(Stated(EULER))
        if name in ("pi", "π"):
            import sympy

            return Number(Stated(cell_of(sympy.pi)))
        return Ref(Key(name))

    def _size(self, name: str) -> Size | None:
        """A given number that is a size: d, d_k, d_model, n."""
        value = self.builder.given.get(name)
        if value is None or value.shape or name.partition("_")[0] not in ("d", "n"):
            return None
        number = value.members[0].rows[0][0]
        letter, _, index = name.partition("_")
        symbol = n.Sym(letter, (index,) if index else ())
        return Size(symbol, number) if isinstance(number, Fraction) else None

    def _negated(self, formula: Formula) -> Formula:
        if isinstance(formula, Number) and formula.rational is not None:
            return numeral(-formula.rational)
        return Negate(formula)

    # ── arithmetic ──────────────────────────────────────────────────────────────────────────────

    def _chain(self, chain: syntax.ChainNode) -> Formula:
        left, before = self._first(chain), chain.first
        for number, (sign, node) in enumerate(chain.rest):
            before = syntax.ChainNode(chain.first, chain.rest[:number]) if number else chain.first
            left = self._joined(left, before, sign, node)
        return left

    def _first(self, chain: syntax.ChainNode) -> Formula:
        multiplied = chain.rest[0][0] in ("*", ".*")
        return self.operand(chain.first) if multiplied else self._term(chain.first)

    def _term(self, node: Node) -> Formula:
        """What is added: sums and products stay as they are, functions that take work don't."""
        return self.formula(node)

    def _joined(self, left: Formula, before: Node, sign: str, node: Node) -> Formula:
        shapes = self.shape(before), self.shape(node)
        match sign:
            case "+" | "-":
                right = self._term(node)
                folded = _folded(left, sign, right)
                if folded is not None:
                    return folded
                left, right = self._fitted(left, right, shapes)
                return Plus(left, Negate(right) if sign == "-" else right)
            case "*":
                return self._product(left, before, node, shapes)
            case "/" | "./":
                return self._divided(left, node, shapes)
            case ".*":
                return Multiply(*self._fitted(left, self.operand(node), shapes))
        raise LanguageError(f"{sign} joins masks, not numbers", "", node.start)

    def _fitted(self, left: Formula, right: Formula, shapes: tuple[Shape, Shape]) -> tuple[Formula, Formula]:
        """A list beside a matrix goes with every token: where tokens are columns, it stands upright."""
        if self.down and sorted(map(len, shapes)) == [1, 2]:
            return (turned(left), right) if len(shapes[0]) == 1 else (left, turned(right))
        return left, right

    def _product(self, left: Formula, before: Node, node: Node, shapes: tuple[Shape, Shape]) -> Formula:
        right = self.operand(node)
        folded = _folded(left, "*", right)
        if folded is not None:
            return folded
        if any(shape in ((), (1, 1)) for shape in shapes):
            return Scale(left, right)
        left = left if left.is_at_hand else self._lift(before, left)
        return Applied(left, right) if len(shapes[1]) == 1 else Product(left, right)

    def _divided(self, left: Formula, node: Node, shapes: tuple[Shape, Shape]) -> Formula:
        right = self._term(node)
        folded = _folded(left, "/", right)
        if folded is not None:
            return folded
        if isinstance(right, Number):
            return Divide(left, right)
        return Quotient(*self._fitted(left, right, shapes))

    def _power(self, node: syntax.PowerNode) -> Formula:
        base, exponent = self.formula(node.base), self.formula(node.exponent)
        if isinstance(base, Number) and base.constant == Stated(EULER):
            from attnsolve.operations.stages import Powers

            return Powers(exponent)
        if isinstance(exponent, Number) and exponent.rational is not None:
            power = exponent.rational
            raised = _raised(base, power)
            if raised is not None:
                return raised
            if power.denominator == 1 and abs(power) <= 12:
                return Power(base, int(power))
            if power == Fraction(1, 2):
                return self._root(base)
            if power.denominator == 2 and abs(power) <= 12:
                return RootPower(base, power.numerator)
        if isinstance(base, Number) and base.rational is not None and base.rational > 0:
            from attnsolve.operations.stages import Powers

            return Powers(exponent, base.rational)
        return Raised(*self._fitted(base, exponent, (self.shape(node.base), self.shape(node.exponent))))

    def _root(self, inner: Formula) -> Formula:
        from attnsolve.operations.function import Function

        if isinstance(inner, Number):
            if isinstance(inner.constant, Size):
                return Number(RootOfSize(inner.constant.letter, inner.constant.size, inner.constant.style))
            if inner.rational is not None and inner.rational >= 0:
                return Number(Stated(square_root(inner.rational)))
        return Function(inner, "sqrt")

    # ── places ──────────────────────────────────────────────────────────────────────────────────

    def _transposed(self, inner: Node) -> Formula:
        formula = self.operand(inner)
        if len(self.shape(inner)) == 1:  # a list is stored as a row, which is what a column turns into
            return formula if self.builder.body.vectors == "columns" else turned(formula)
        return turned(formula)

    def _indexed(self, inner: Node, places: tuple[Node, ...]) -> Formula:
        shape = self.shape(inner)
        if len(shape) == 3:
            assert isinstance(inner, NameNode)
            return Ref(Key(inner.name, (("member", self.whole(places[0])),)))
        formula = self.operand(inner)
        spans = [self._span(place, side) for place, side in zip(places, shape, strict=False)]
        sliced = [isinstance(place, syntax.SliceNode) for place in places]
        indices = tuple(
            written(place) if some else str(self.whole(place)) for place, some in zip(places, sliced, strict=True)
        )
        single = not any(sliced) and len(places) == len(shape)
        if len(shape) == 1:
            return Block(formula, (0, 1), spans[0], indices, single)
        whole = (0, shape[1])
        return Block(formula, spans[0], spans[1] if len(spans) > 1 else whole, indices, single)

    def _span(self, place: Node, size: int) -> Span:
        if isinstance(place, syntax.SliceNode):
            first = 1 if place.first is None else self.whole(place.first)
            return first - 1, size if place.last is None else self.whole(place.last)
        number = self.whole(place)
        return number - 1, number

    def _listed(self, entries: Sequence[Node]) -> Formula:
        if any(self.shape(entry) for entry in entries):
            from attnsolve.operations.concatenate import Concatenate

            return Concatenate(tuple(map(self.alone, entries)), down=True)
        return Listed(tuple(map(self.formula, entries)))

    # ── functions ───────────────────────────────────────────────────────────────────────────────

    def _call(self, node: syntax.CallNode) -> Formula:
        signature = FUNCTIONS[node.name]
        if node.name not in NAMED:
            raise LanguageError(f"{node.name} is not available yet", "", node.start)
        if node.name == "sqrt" and not self.shape(node.arguments[0]):
            return self._root(self.formula(node.arguments[0]))
        parameters = [word.rstrip("?") for word in signature.parameters.split()]
        if parameters[-1] == "…":
            parameters = [parameters[0]] * len(node.arguments)
        pairs = list(zip(parameters, node.arguments, strict=False))
        others = {name: argument for name, argument in pairs if name in NOT_VALUES} | dict(node.options)
        inner = [argument for name, argument in pairs if name not in NOT_VALUES]
        inline = is_inline(node.name)
        values = tuple(self._argument(argument, inline) for argument in inner)
        call = Call(node.name, values, tuple(map(self.shape, inner)), others, self, node)
        return from_call(call)

    def _argument(self, node: Node, inline: bool) -> Formula:
        return self.formula(node) if inline else self.alone(node)

    # ── masks ───────────────────────────────────────────────────────────────────────────────────

    def mask(self, node: Node, shape: tuple[int, int]) -> Formula:
        """What a mask adds to scores of that shape: −∞ where it forbids."""
        match node:
            case NameNode(name="causal") if "causal" not in self.builder.shapes:
                rows, columns = shape
                rule = tuple(
                    tuple(FREE if (i >= j if not self.down else i <= j) else BLOCKED for j in range(columns))
                    for i in range(rows)
                )
                return self._mask_quantity(node, rule)
        return self.alone(node)

    def _mask_quantity(self, node: Node, rows: tuple[tuple[Fraction | float, ...], ...]) -> Ref:
        text = f"mask {written(node)}"
        if text not in self.made:
            letter = self.builder.free_letter(("M", "B"))
            key = Key(f"{self.name}.mask")
            self.made[text] = self.builder.add(key, Given(rows), (len(rows), len(rows[0])), letter)
        return self.made[text]


def _raised(base: Formula, power: Fraction) -> Number | None:
    """A fraction to a whole power as one number."""
    if not isinstance(base, Number) or base.rational is None or power.denominator > 1 or abs(power) > LARGEST_POWER:
        return None
    return numeral(base.rational ** int(power)) if base.rational or power >= 0 else None


def _folded(left: Formula, sign: str, right: Formula) -> Number | None:
    """Two fractions as one number."""
    if not (isinstance(left, Number) and isinstance(right, Number)):
        return None
    a, b = left.rational, right.rational
    if a is None or b is None or isinstance(left.constant, Size) or isinstance(right.constant, Size):
        return None
    if sign == "/":
        return numeral(a / b) if b else None
    return numeral({"+": a + b, "-": a - b, "*": a * b}[sign])
