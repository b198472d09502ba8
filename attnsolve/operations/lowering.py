"""From what the parser reads to formulas. Claims, libraries and sheets differ in what their names and functions mean;
everything else is said here once."""

from __future__ import annotations

from fractions import Fraction

from attnsolve.errors import TermError
from attnsolve.language import syntax
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Grouped, Negate, Power
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Transpose
from attnsolve.operations.letters import letter
from attnsolve.operations.number import Number, numeral
from attnsolve.operations.place import Entry, Listed, Summed
from attnsolve.operations.product import Product


class Lowering:
    """Formulas of letters, without functions."""

    def formula(self, node: syntax.Node) -> Formula:
        """A node as the formula that it means."""
        match node:
            case syntax.NumberNode(text=text):
                return numeral(Fraction(text), decimal="." in text or "e" in text.lower())
            case syntax.NameNode(name=name):
                return self.name(name)
            case syntax.ChainNode():
                return self.chain(node)
            case syntax.PrefixNode(sign="-", inner=inner):
                return Negate(self.formula(inner))
            case syntax.PowerNode(base=base, exponent=exponent, sign="^"):
                return Power(self.formula(base), int(syntax.written(exponent)))
            case syntax.TransposeNode(inner=inner):
                return Transpose(self.formula(inner))
            case syntax.IndexNode(inner=inner, places=places):
                return self.entry(inner, places)
            case syntax.GroupNode(inner=inner):
                return self.group(inner)
            case syntax.ListedNode(entries=entries):
                return Listed(tuple(map(self.formula, entries)))
            case syntax.CallNode(over=()):
                return self.call(node.name, [*map(self.formula, node.arguments)])
            case syntax.CallNode():
                return self.over(node)
        raise _meaningless(_SIGNS[type(node)])

    def name(self, name: str) -> Formula:
        """What a name stands for."""
        return letter(name)

    def call(self, name: str, arguments: list[Formula]) -> Formula:
        """A function of some arguments."""
        raise _meaningless(name)

    def entry(self, inner: syntax.Node, places: tuple[syntax.Node, ...]) -> Formula:
        """An entry or a row."""
        return Entry(self.formula(inner), *map(self.formula, places))

    def group(self, inner: syntax.Node) -> Formula:
        """What stands in brackets; a product keeps them, as it was written."""
        formula = self.formula(inner)
        return Grouped(formula) if isinstance(formula, Product) else formula

    def over(self, call: syntax.CallNode) -> Formula:
        """A function over every value of an index."""
        match call.over:
            case (syntax.RangeNode(index=index, first=first, last=last, but=but),):
                left_out = None if but is None else self.formula(but)
                (body,) = call.arguments
                return Summed(index, self.formula(first), self.formula(last), self.formula(body), left_out)
        raise _meaningless(call.name)

    def chain(self, chain: syntax.ChainNode) -> Formula:
        """Operands and the signs between them, from left to right."""
        left = self.formula(chain.first)
        for sign, operand in chain.rest:
            left = self.join(left, sign, self.formula(operand))
        return left

    def join(self, left: Formula, sign: str, right: Formula) -> Formula:
        """Two operands with a sign between them."""
        match sign:
            case "+":
                return Add(left, right)
            case "-":
                return Add(left, Negate(right))
            case "*":
                return self.product(left, right)
            case "/":
                return fraction(left, right) or Divide(left, right)
        raise _meaningless(sign)

    def product(self, left: Formula, right: Formula) -> Formula:
        """left · right."""
        return Product(left, right)


def fraction(over: Formula, under: Formula) -> Number | None:
    """Two numbers as one fraction."""
    if not (isinstance(over, Number) and isinstance(under, Number) and over.rational is not None and under.rational):
        return None
    return numeral(over.rational / under.rational)


_SIGNS = {
    syntax.AtNode: "@",
    syntax.MemberNode: ".",
    syntax.SliceNode: ":",
    syntax.DegreesNode: "°",
    syntax.PowerNode: ".^",
}
"""What the grammar has, and these formulas have not."""


def _meaningless(sign: str) -> TermError:
    fix = "write products with *" if sign == "@" else "known: + - * / ^ ( ) [ ] = <= >="
    return TermError(f"{sign!r} has no meaning in a term", fix)
