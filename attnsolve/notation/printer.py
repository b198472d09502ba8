"""What the printers of every alphabet share: one method a form, brackets by precedence, sums and chains."""

from __future__ import annotations

from functools import cache

from attnsolve import notation as n

SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly a form binds; the looser one inside a tighter one gets brackets."""


def precedence(node: n.Notation) -> int:
    """How tightly a notation binds."""
    match node:
        case n.Num(exponent=exponent):
            return SUM if node.is_negative else PRODUCT if exponent is not None else ATOM
        case n.Sym():
            return ATOM
        case n.Sum(terms=terms):
            return SUM if len(terms) > 1 else precedence(terms[0])
        case n.SumOver() | n.Limit() | n.PlusMinus():
            return SUM
        case n.Infinity(negative=True):
            return SUM
        case n.Entrywise() | n.Derivative():
            return PRODUCT
        case n.Product() | n.Frac():
            return SUM if n.negative(node) else PRODUCT
        case n.Power() | n.Transposed():
            return POWER
    return ATOM


@cache
def _method_for(form: str) -> str:
    return f"print_{form.lower()}"


def opens(node: n.Notation) -> bool:
    """Whether a form takes all that follows it up to the next plus: Σ and lim need no brackets at a product's end."""
    return isinstance(node, n.SumOver | n.Limit)


class Printer:
    """Prints notation as a line of characters. Subclasses have a `print_` method for every other form."""

    minus = "-"
    plus_minus = "±"
    brackets = ("(", ")")

    def print(self, node: n.Notation) -> str:
        """The text of a notation; a form without a method raises, naming it."""
        text: str = getattr(self, _method_for(type(node).__name__))(node)
        return text

    def within(self, node: n.Notation, least: int) -> str:
        """The text, in brackets where it binds more loosely than `least`."""
        before, after = self.brackets
        text = self.print(node)
        return text if precedence(node) >= least else f"{before}{text}{after}"

    def term(self, node: n.Notation) -> str:
        """The text as a term, or as what stands after Σ or lim: in brackets where it is a sum."""
        return self.print(node) if opens(node) else self.within(node, PRODUCT)

    def relation(self, sign: str) -> str:
        """A relation sign in this alphabet."""
        return sign

    def print_sum(self, node: n.Sum) -> str:
        text = self.print(node.terms[0])
        for term in node.terms[1:]:
            if n.negative(term) and not isinstance(term, n.Infinity):
                text += f" {self.minus} {self.term(n.negated(term))}"
            elif isinstance(term, n.PlusMinus):
                text += f" {self.plus_minus} {self.term(term.inner)}"
            else:
                text += f" + {self.term(term)}"
        return text

    def print_product(self, node: n.Product) -> str:
        first, *rest = node.factors
        if node.dotted:
            return self.dotted([self.within(factor, PRODUCT) for factor in node.factors])
        if rest and isinstance(first, n.Num) and first.text in ("1", "-1") and first.exponent is None:
            return (self.minus if first.is_negative else "") + self.print_product(n.Product(tuple(rest)))
        if not rest:
            return self.print(first) if isinstance(first, n.Num) else self.term(first)
        opening = self.print(first) if isinstance(first, n.Num) else self.within(first, PRODUCT)
        middle = [self.within(factor, PRODUCT) for factor in rest[:-1]]
        return self.juxtaposed([opening, *middle, self.term(rest[-1])], node.factors)

    def dotted(self, parts: list[str]) -> str:
        """Factors with a dot between them."""
        raise NotImplementedError

    hadamard = "⊙"
    """The sign between factors that are multiplied entry by entry."""

    def print_entrywise(self, node: n.Entrywise) -> str:
        return f" {self.hadamard} ".join(self.within(factor, POWER) for factor in node.factors)

    def juxtaposed(self, parts: list[str], factors: tuple[n.Notation, ...]) -> str:
        """Factors side by side."""
        raise NotImplementedError

    def print_chain(self, node: n.Chain) -> str:
        text = self.print(node.left) if node.left is not None else ""
        for sign, part in node.links:
            between = f" {self.relation(sign)} " if sign else " " if text else ""
            text += between + self.print(part)
        return text
