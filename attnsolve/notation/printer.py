"""What the printers of every alphabet share: one method a form, brackets by precedence, sums and chains."""

from __future__ import annotations

from attnsolve import notation as n

SUM, PRODUCT, POWER, ATOM = range(4)
"""How tightly a form binds; the looser one inside a tighter one gets brackets."""


def precedence(node: n.Notation) -> int:
    """How tightly a notation binds."""
    match node:
        case n.Sum(terms=terms):
            return SUM if len(terms) > 1 else precedence(terms[0])
        case n.SumOver():
            return SUM
        case n.Num(exponent=exponent):
            return SUM if node.is_negative else PRODUCT if exponent is not None else ATOM
        case n.Infinity(negative=True):
            return SUM
        case n.Product() | n.Frac():
            return SUM if n.negative(node) else PRODUCT
        case n.Power() | n.Transposed():
            return POWER
    return ATOM


class Printer:
    """Prints notation as a line of characters. Subclasses have a `print_` method for every other form."""

    minus = "-"
    brackets = ("(", ")")

    def print(self, node: n.Notation) -> str:
        """The text of a notation; a form without a method raises, naming it."""
        return str(getattr(self, f"print_{type(node).__name__.lower()}")(node))

    def within(self, node: n.Notation, least: int) -> str:
        """The text, in brackets where it binds more loosely than `least`."""
        before, after = self.brackets
        text = self.print(node)
        return text if precedence(node) >= least else f"{before}{text}{after}"

    def relation(self, sign: str) -> str:
        """A relation sign in this alphabet."""
        return sign

    def print_sum(self, node: n.Sum) -> str:
        text = self.print(node.terms[0])
        for term in node.terms[1:]:
            if n.negative(term) and not isinstance(term, n.Infinity):
                text += f" {self.minus} {self.within(n.negated(term), PRODUCT)}"
            else:
                text += f" + {self.within(term, PRODUCT)}"
        return text

    def print_product(self, node: n.Product) -> str:
        first, *rest = node.factors
        if node.dotted:
            return self.dotted([self.within(factor, PRODUCT) for factor in node.factors])
        if rest and isinstance(first, n.Num) and first.text in ("1", "-1") and first.exponent is None:
            return (self.minus if first.is_negative else "") + self.print_product(n.Product(tuple(rest)))
        opening = self.print(first) if isinstance(first, n.Num) else self.within(first, PRODUCT)
        return self.juxtaposed([opening, *(self.within(factor, PRODUCT) for factor in rest)], node.factors)

    def dotted(self, parts: list[str]) -> str:
        """Factors with a dot between them."""
        raise NotImplementedError

    def juxtaposed(self, parts: list[str], factors: tuple[n.Notation, ...]) -> str:
        """Factors side by side."""
        raise NotImplementedError

    def print_chain(self, node: n.Chain) -> str:
        text = self.print(node.left) if node.left is not None else ""
        return text + "".join(f" {self.relation(sign)} {self.print(part)}" for sign, part in node.links)
