"""From one formula of a sheet to the operations that it means."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.key import Key
from attnsolve.kinds.generators import generated, names_in
from attnsolve.language import syntax
from attnsolve.language.expression_shapes import Shape
from attnsolve.language.functions import FUNCTIONS
from attnsolve.language.shapes import EMPTY
from attnsolve.language.syntax import NameNode, Node, written
from attnsolve.language.tokens import LanguageError
from attnsolve.numbers.closed import cell_of
from attnsolve.numbers.constant import Constant, Degrees, PlainNumber, RootOfSize, Size
from attnsolve.numbers.surds import EULER, Entry, square_root
from attnsolve.operations.arithmetic import Negate, Power, Raised, RootPower
from attnsolve.operations.block import Span, SubMatrix
from attnsolve.operations.call import NAMED, NOT_VALUES, Call, from_call, is_inline
from attnsolve.operations.choice import Exceeds
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import EntryQuotient, Multiply, Plus, Scale
from attnsolve.operations.formula import Formula, Ref, transpose_of
from attnsolve.operations.mask import BLOCKED
from attnsolve.operations.number import Number, combined_number, numeral, raised_number
from attnsolve.operations.place import Listed
from attnsolve.operations.product import Product
from attnsolve.operations.structure import IndexRange, Member
from attnsolve.operations.vectors import MatrixVectorProduct

if TYPE_CHECKING:
    from attnsolve.kinds.formulas import SheetBuilder
    from attnsolve.kinds.scope import NamesInScope

LETTERS = {
    "softmax": ("A", "P"),
    "masked": ("S'", "M"),
    "layernorm": ("N",),
    "rmsnorm": ("N",),
    **dict.fromkeys(("relu", "sigmoid", "silu", "gelu", "gelu_tanh"), ("H",)),
    "nll": ("l",),
}
"""What a function is written with where a sheet has no name for it."""
ARGUMENTS = {"softmax": ("S",), "masked": ("S",), "share": ("S",)}
"""What the argument of a function is written with."""
OTHERS = ("Z", "U", "G", "F", "D", "Y", "T", "J", "Z")
"""What anything else is written with; the last with an index."""


class SheetLowering:
    """One formula, with quantities made for what is worked out inside it."""

    def __init__(
        self, sheet: SheetBuilder, name: str, text: str, names: NamesInScope, letters: frozenset[str] = frozenset()
    ) -> None:
        self.builder = sheet
        self.name = name
        self.text = text
        self.names = names
        self.scope = names.scope(sheet.body.layout, sheet.body.vectors)
        self.made: dict[str, Ref] = {}
        """What was made of parts of the formula, by how they are written."""
        self.down = sheet.down
        self.ids_from = sheet.body.ids_from
        self.vocabulary = sheet.body.vocabulary
        self.letters = letters
        """Indices that are written as letters: nothing is computed then, and no quantities are made."""
        self.unrolled = 0

    # ── what operations ask ─────────────────────────────────────────────────────────────────────

    def shape(self, node: Node) -> Shape:
        """The shape of a part."""
        return self.scope.of(node, self.text)

    def value(self, node: Node, letters: tuple[str, ...] = ()) -> Formula:
        """A part as a quantity of its own, unless it is one, or a number."""
        return self.alone(node, letters)

    def add(self, name: str, formula: Formula, shape: Shape, letters: tuple[str, ...]) -> Formula:
        """A quantity made on the way, unless there is the same one already."""
        if self.letters:
            return formula
        for key, quantity in self.builder.quantities.items():
            if quantity.formula == formula and key.at == self.names.at[: len(key.at)]:
                return Ref(key)
        key = self._free_key(name, formula)
        return self.builder.add(key, formula, shape, self.builder.letter_for(key.id, (*letters, *OTHERS)))

    def _free_key(self, name: str, formula: Formula) -> Key:
        at = self.builder.at_for(formula, self.names.at)
        id, number = f"{self.name}.{name}", 1
        while Key(id, at) in self.builder.quantities:
            number += 1
            id = f"{self.name}.{name}{number}"
        return Key(id, at)

    def constant(self, node: Node) -> Constant:
        """A number, exactly."""
        given = self.builder.given.get(node.name) if isinstance(node, NameNode) else None
        if given is not None and not given.shape:
            return PlainNumber(given.members[0].rows[0][0])
        if (entry := self._given_entry(node)) is not None:
            return PlainNumber(entry)
        formula = self.formula(node)
        if isinstance(formula, Number):
            return formula.constant
        raise LanguageError(f"{written(node)} must be a number", "", node.start)

    def _given_entry(self, node: Node) -> Entry | None:
        """group[h], an entry of a list that is given; nothing for anything else."""
        if not isinstance(node, syntax.IndexNode) or len(node.places) > 1:
            return None
        rows = self.matrix(node.inner)
        place = self.scope.whole(self.scope.placed(node.places[0])) if rows is not None and len(rows) == 1 else None
        return None if rows is None or place is None or not 1 <= place <= len(rows[0]) else rows[0][place - 1]

    def whole(self, node: Node) -> int:
        """A whole number."""
        found = self.scope.whole(node)
        if found is not None:
            return found
        value = self.constant(node).value
        if isinstance(value, Fraction) and value.denominator == 1:
            return int(value)
        raise LanguageError(f"{written(node)} must be a whole number", "", node.start)

    def constants(self, node: Node) -> tuple[Constant, ...]:
        """Numbers, of a list that is written out or given."""
        if isinstance(node, syntax.ListedNode):
            return tuple(map(self.constant, node.entries))
        rows = self.matrix(node)
        return (self.constant(node),) if rows is None else tuple(PlainNumber(x) for row in rows for x in row)

    def matrix(self, node: Node) -> tuple[tuple[Entry, ...], ...] | None:
        """A matrix or list that is given, as it stands; nothing for what is computed."""
        given = self.builder.given.get(node.name) if isinstance(node, NameNode) else None
        if given is not None and len(given.shape) in (1, 2):
            return given.members[0].rows
        if isinstance(node, syntax.ListedNode) and not any(map(self.shape, node.entries)):
            return (tuple(self.constant(entry).value for entry in node.entries),)
        return None

    def ids(self, node: Node) -> tuple[int, ...]:
        """Places counted from 1."""
        rows = None if isinstance(node, syntax.ListedNode) else self.matrix(node)
        if rows is not None:
            return tuple(self._id(entry, node) for entry in rows[0])
        entries = node.entries if isinstance(node, syntax.ListedNode) else (node,)
        return tuple(map(self._word, entries))

    def _word(self, node: Node) -> int:
        """The id of a word of the vocabulary, or a number."""
        if isinstance(node, NameNode) and node.name in self.vocabulary:
            return self.vocabulary.index(node.name) + 1
        known = isinstance(node, NameNode) and (node.name in self.names.shapes or node.name in self.names.sizes)
        if isinstance(node, NameNode) and self.vocabulary and not known:
            message = f"{node.name!r} is not in the vocabulary"
            raise LanguageError(message, nearest(node.name, self.vocabulary), node.start)
        return self.whole(node) + 1 - self.ids_from

    def _id(self, entry: Entry, node: Node) -> int:
        if isinstance(entry, Fraction) and entry.denominator == 1:
            return int(entry) + 1 - self.ids_from
        raise LanguageError(f"the ids {written(node)} must be whole numbers", "", node.start)

    def words_of(self, formula: Formula) -> tuple[str, ...]:
        """The vocabulary, unless something was sorted on the way to a formula."""
        waiting, seen = [formula], set[Key]()
        while self.vocabulary and waiting:
            part = waiting.pop()
            if any(inner.reorders for inner in part.walk()):
                return ()
            behind = [key for key in part.leaves() if key not in seen and key in self.builder.quantities]
            seen.update(behind)
            waiting += [self.builder.quantities[key].formula for key in behind]
        return self.vocabulary

    # ── indices that run ────────────────────────────────────────────────────────────────────────

    def unroll(self, steps: int, node: Node) -> None:
        """Count the terms of generators, before anything is made of them."""
        self.unrolled += steps
        if self.unrolled > allowed().nested_terms:
            message = f"generators may have at most {allowed().nested_terms} terms in all"
            raise LanguageError(f"{message}, but {self.name} has more", "", node.start)

    def pattern(self, body: Node, first: Mapping[str, int]) -> Formula:
        """The body of a generator as it is written, with letters for indices."""
        names = self.names.with_sizes(first)
        return SheetLowering(self.builder, self.name, self.text, names, self.letters | first.keys()).formula(body)

    def over(self, place: syntax.RangeNode) -> IndexRange:
        """An index with its ends, as they are written."""
        but = "" if place.but is None else written(place.but)
        return IndexRange(place.index, self.formula(place.first), self.formula(place.last), but)

    def _is_lettered(self, node: Node) -> bool:
        return bool(self.letters) and not self.letters.isdisjoint(names_in(node))

    # ── the tree ────────────────────────────────────────────────────────────────────────────────

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
            case syntax.DegreesNode(inner=inner):
                return Number(Degrees(self._degrees(inner)))
            case syntax.AtNode(inner=inner, path=path):
                found = self.names.formulas[self.scope.step(inner, path)]
                return Member(found, written(path[0])) if isinstance(found, Ref) and self._is_lettered(node) else found
            case syntax.CallNode(over=over) if over:
                return generated(node, self)
            case syntax.CallNode(name="prev"):
                return self._before(node)
            case syntax.CallNode():
                return self._call(node)
        raise LanguageError(f"{written(node)} has no meaning here", "", node.start)

    def alone(self, node: Node, letters: Sequence[str] = ()) -> Formula:
        """A part that may only be a quantity or a number: anything else is made one, with one of some letters."""
        formula = self.formula(node)
        return formula if isinstance(formula, Ref | Number) else self._lift(node, formula, letters)

    def operand(self, node: Node) -> Formula:
        """A factor: a quantity, its transpose or part of one; anything that takes work is made a quantity."""
        formula = self.formula(node)
        return formula if formula.is_at_hand else self._lift(node, formula)

    def _degrees(self, node: Node) -> Fraction:
        value = self.constant(node).value
        if isinstance(value, Fraction):
            return value
        raise LanguageError(f"{written(node)}° must be a fraction of degrees", "", node.start)

    def _lift(self, node: Node, formula: Formula, letters: Sequence[str] = ()) -> Formula:
        if self.letters:
            return formula
        while isinstance(node, syntax.GroupNode):
            node = node.inner
        text = written(node)
        if text not in self.made:
            function = node.name if isinstance(node, syntax.CallNode) else "inside"
            key = self._free_key(function, formula)
            wanted = (*LETTERS.get(function, ()), *projected(node), *letters, *OTHERS)
            letter = self.builder.letter_for(key.id, wanted)
            self.made[text] = self.builder.add(key, formula, self.shape(node), letter)
        return self.made[text]

    # ── names and numbers ───────────────────────────────────────────────────────────────────────

    def _named(self, name: str) -> Formula:
        if name in self.names.formulas and name not in self.letters:
            size = self._size(name)
            return self.names.formulas[name] if size is None else Number(size)
        if name in self.letters:
            return Number(Size(n.Sym(name), self.names.sizes[name]))
        if name in self.names.sizes:
            return numeral(self.names.sizes[name])
        if name == "oo":
            return Number(PlainNumber(float("inf")))
        if name == "e":
            return Number(PlainNumber(EULER))
        if name in ("pi", "π"):
            import sympy

            return Number(PlainNumber(cell_of(sympy.pi)))
        raise LanguageError(f"{name} is a family of matrices", f"name a member, as in {name}[1]")

    def _before(self, node: syntax.CallNode) -> Formula:
        """The value one step before."""
        name = written(node)
        if name not in self.names.formulas:
            fix = "only stack and concat can begin with it"
            raise LanguageError(f"{name} is empty at the first step", fix, node.start)
        return self.names.formulas[name]

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
        if isinstance(formula, Number) and formula.constant.value == float("inf"):
            return Number(PlainNumber(BLOCKED))
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
                folded = combined_number(left, sign, right)
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
            case "<" | "<=" | ">" | ">=":
                return Exceeds(*self._fitted(left, self._term(node), shapes), sign)
        raise LanguageError(f"{sign} combines masks, not numbers", "", node.start)

    def _fitted(self, left: Formula, right: Formula, shapes: tuple[Shape, Shape]) -> tuple[Formula, Formula]:
        """A list beside a matrix goes with every token: where tokens are columns, it stands upright."""
        if self.down and sorted(map(len, shapes)) == [1, 2]:
            return (transpose_of(left), right) if len(shapes[0]) == 1 else (left, transpose_of(right))
        return left, right

    def _product(self, left: Formula, before: Node, node: Node, shapes: tuple[Shape, Shape]) -> Formula:
        first, second = shapes
        conform = len(first) == len(second) == 2 and first[1] == second[0]
        if not conform and any(side in ((), (1, 1)) for side in shapes):
            right = self.operand(node)
            folded = combined_number(left, "*", right)
            return folded or (Scale(right, left) if isinstance(right, Number) else Scale(left, right))
        left = left if left.is_at_hand else self._lift(before, left)
        right = self.operand(node)
        return MatrixVectorProduct(left, right) if len(shapes[1]) == 1 else Product(left, right)

    def _divided(self, left: Formula, node: Node, shapes: tuple[Shape, Shape]) -> Formula:
        right = self._term(node)
        folded = combined_number(left, "/", right)
        if folded is not None:
            return folded
        if isinstance(right, Number):
            return Divide(left, right)
        return EntryQuotient(*self._fitted(left, right, shapes))

    def _power(self, node: syntax.PowerNode) -> Formula:
        base, exponent = self.formula(node.base), self.formula(node.exponent)
        if isinstance(base, Number) and base.constant == PlainNumber(EULER):
            from attnsolve.operations.stages import Powers

            return Powers(exponent)
        if isinstance(exponent, Number) and exponent.rational is not None:
            power = exponent.rational
            raised = raised_number(base, power)
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
                return Number(PlainNumber(square_root(inner.rational)))
        return Function(inner, "sqrt")

    # ── places ──────────────────────────────────────────────────────────────────────────────────

    def _transposed(self, inner: Node) -> Formula:
        formula = self.operand(inner)
        if len(self.shape(inner)) == 1:  # a list is stored as a row, which is what a column turns into
            return formula if self.builder.body.vectors == "columns" else transpose_of(formula)
        return transpose_of(formula)

    def _indexed(self, inner: Node, places: tuple[Node, ...]) -> Formula:
        shape = self.shape(inner)
        if len(shape) == 3:
            assert isinstance(inner, NameNode)
            member = Ref(Key(inner.name, (("member", self.whole(places[0])),)))
            return Member(member, written(places[0])) if self._is_lettered(places[0]) else member
        places = tuple(self._slice(place) for place in places)
        sliced = [isinstance(place, syntax.SliceNode) for place in places]
        indices = tuple(
            written(place) if some or self._is_lettered(place) else str(self.whole(place))
            for place, some in zip(places, sliced, strict=True)
        )
        single = not any(sliced) and len(places) == len(shape)
        formula = self.operand(inner)
        spans = [self._span(place, side) for place, side in zip(places, shape, strict=False)]
        if len(shape) == 1:
            return SubMatrix(formula, (0, 1), spans[0], indices, single)
        whole = (0, shape[1])
        return SubMatrix(formula, spans[0], spans[1] if len(spans) > 1 else whole, indices, single)

    def _slice(self, place: Node) -> Node:
        """A place, a word as the number of its place, an index that stands for several as the slice that it is."""
        return self.scope.placed(place)

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
        if node.name in ("topk", "topp"):
            return self.formula(renormalised(node))
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
        if signature.shape in ("beside", "below"):
            inner = [argument for argument in inner if self.shape(argument) != EMPTY]
            if len(inner) == 1:
                return self.formula(inner[0])
        inline = is_inline(node.name)
        letters = ARGUMENTS.get(node.name, ())
        values = tuple(self.formula(part) if inline else self.alone(part, letters) for part in inner)
        call = Call(node.name, values, tuple(map(self.shape, inner)), others, self, node)
        return from_call(call)

    # ── masks ───────────────────────────────────────────────────────────────────────────────────

    def mask(self, node: Node, shape: tuple[int, int]) -> Formula:
        """What a mask adds to scores of that shape: −∞ where it forbids."""
        from attnsolve.kinds.sheet_masks import SheetMasks

        return SheetMasks(self).mask(node, shape)

    def indicator(self, node: Node, shape: tuple[int, int]) -> Formula:
        """The same as 1 where it allows, 0 where it forbids."""
        from attnsolve.kinds.sheet_masks import SheetMasks

        return SheetMasks(self).indicator(node, shape)


def renormalised(node: syntax.CallNode) -> Node:
    """topk(P, k) as share(P .* top(P, k))."""
    inner = node.arguments[0]
    chosen = syntax.CallNode("top" if node.name == "topk" else "nucleus", node.arguments, node.options)
    factor = syntax.GroupNode(inner) if isinstance(inner, syntax.ChainNode) else inner
    product = syntax.ChainNode(factor, ((".*", chosen),))
    return syntax.CallNode("share", (product,), node.options, (), node.start, node.end)


def projected(node: Node) -> tuple[str, ...]:
    """Q for X*W_Q: what a sheet would call the product with that matrix."""
    last = node.rest[-1] if isinstance(node, syntax.ChainNode) else None
    factor = last[1] if last is not None and last[0] == "*" else None
    factor = factor.inner if isinstance(factor, syntax.IndexNode) else factor
    name, _, index = factor.name.partition("_") if isinstance(factor, NameNode) else ("", "", "")
    return (index,) if name == "W" and len(index) == 1 and index.isupper() else ()
