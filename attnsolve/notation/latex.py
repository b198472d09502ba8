"""Notation as LaTeX, inside what MathJax and KaTeX both know: bmatrix, frac, sqrt, mathrm, text, top, cdot, infty."""

from __future__ import annotations

from attnsolve import notation as n
from attnsolve.notation.letters import GREEK, GREEK_NAMES
from attnsolve.notation.text import ATOM, PRODUCT, precedence

_ESCAPES = {
    "\\": r"\backslash ", "{": r"\lbrace ", "}": r"\rbrace ", "$": r"\char36 ", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\wedge ", "~": r"\sim ", "<": r"\lt ", ">": r"\gt ", "|": r"\vert ",
}  # fmt: skip
_RELATIONS = {"≈": r"\approx", "→": r"\to", "≥": r"\ge", "≤": r"\le"}


def escape(text: str) -> str:
    """Any text, harmless inside mathematics: runs of plain characters go into \\text, the rest become symbols."""
    parts, plain = [], ""
    for character in text:
        if character in _ESCAPES:
            if plain:
                parts.append(rf"\text{{{plain}}}")
            parts.append(_ESCAPES[character])
            plain = ""
        else:
            plain += character
    if plain:
        parts.append(rf"\text{{{plain}}}")
    return "".join(parts)


class LatexPrinter:
    """Prints LaTeX; one method a form."""

    def print(self, node: n.Notation) -> str:
        """The LaTeX of a notation; a form without a method raises, naming it."""
        return str(getattr(self, f"print_{type(node).__name__.lower()}")(node))

    def within(self, node: n.Notation, least: int) -> str:
        """The LaTeX, in brackets where it binds more loosely than `least`."""
        text = self.print(node)
        return text if precedence(node) >= least else rf"\left({text}\right)"

    def print_num(self, node: n.Num) -> str:
        return node.text if node.exponent is None else rf"{node.text} \times 10^{{{node.exponent}}}"

    def print_infinity(self, node: n.Infinity) -> str:
        return r"-\infty" if node.negative else r"\infty"

    def print_sym(self, node: n.Sym) -> str:
        greek = GREEK_NAMES.get(node.name, node.name if node.name in GREEK else "")
        name = f"\\{greek}" if greek else node.name if len(node.name) == 1 else rf"\mathrm{{{escape_word(node.name)}}}"
        if node.vector:
            name = rf"\mathbf{{{name}}}"
        name += "'" * node.primes
        if node.sub:
            name += _script("_", ",".join(map(escape_word, node.sub)))
        return name + (_script("^", escape_word(node.sup)) if node.sup else "")

    def print_word(self, node: n.Word) -> str:
        return escape(node.text)

    def print_sum(self, node: n.Sum) -> str:
        text = self.print(node.terms[0])
        for term in node.terms[1:]:
            if n.negative(term) and not isinstance(term, n.Infinity):
                text += f" - {self.within(n.negated(term), PRODUCT)}"
            else:
                text += f" + {self.within(term, PRODUCT)}"
        return text

    def print_product(self, node: n.Product) -> str:
        factors = node.factors
        if isinstance(factors[0], n.Num) and factors[0].text in ("1", "-1") and len(factors) > 1 and not node.dotted:
            sign = "-" if factors[0].is_negative else ""
            return sign + self.print_product(n.Product(factors[1:], node.dotted))
        bare = isinstance(factors[0], n.Num) and not node.dotted
        first = self.print(factors[0]) if bare else self.within(factors[0], PRODUCT)
        rest = [self.within(f, PRODUCT) for f in factors[1:]]
        return (r" \cdot " if node.dotted else " ").join([first, *rest])

    def print_frac(self, node: n.Frac) -> str:
        if n.negative(node):
            return "-" + self.print(n.negated(node))
        return rf"\frac{{{self.print(node.over)}}}{{{self.print(node.under)}}}"

    def print_power(self, node: n.Power) -> str:
        return self.within(node.base, ATOM) + _script("^", self.print(node.exponent))

    def print_root(self, node: n.Root) -> str:
        return rf"\sqrt{{{self.print(node.inner)}}}"

    def print_transposed(self, node: n.Transposed) -> str:
        return self.within(node.inner, ATOM) + r"^{\top}"

    def print_call(self, node: n.Call) -> str:
        sub = _script("_", node.sub) if node.sub else ""
        name = rf"\mathrm{{{node.name}}}{sub}" if node.name else ""
        return rf"{name}\left({', '.join(map(self.print, node.inner))}\right)"

    def print_sumover(self, node: n.SumOver) -> str:
        return rf"\sum_{node.index} {self.within(node.body, PRODUCT)}"

    def print_subscripted(self, node: n.Subscripted) -> str:
        return self.within(node.inner, ATOM) + _script("_", ",".join(node.sub))

    def print_beside(self, node: n.Beside) -> str:
        between = " \\\\\n" if node.down else " & "
        return "\\begin{bmatrix}\n" + between.join(map(self.print, node.parts)) + "\n\\end{bmatrix}"

    def print_grid(self, node: n.Grid) -> str:
        rows = " \\\\\n".join(" & ".join(map(self.print, row)) for row in node.rows)
        return f"\\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"

    def print_shape(self, node: n.Shape) -> str:
        return rf"{node.rows} \times {node.columns}"

    def print_chain(self, node: n.Chain) -> str:
        text = self.print(node.left) if node.left is not None else ""
        return text + "".join(f" {_RELATIONS.get(sign, sign)} {self.print(part)}" for sign, part in node.links)


def _script(sign: str, text: str) -> str:
    return f"{sign}{text}" if len(text) == 1 else f"{sign}{{{text}}}"


def escape_word(text: str) -> str:
    """A name or index: plain letters and digits stay, Greek becomes its macro, anything else is escaped."""
    if text.isalnum() and text.isascii():
        return text
    if text.startswith("(") and text.endswith(")"):
        return f"({escape_word(text[1:-1])})"
    return escape(text)
