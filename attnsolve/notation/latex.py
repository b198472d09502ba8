"""Notation as LaTeX, inside what MathJax and KaTeX both know: bmatrix, frac, sqrt, text, top, cdot, infty, cdots."""

from __future__ import annotations

from attnsolve import notation as n
from attnsolve.notation.letters import GREEK, GREEK_NAMES, NUMBER_SETS
from attnsolve.notation.printer import ATOM, POWER, PRODUCT, Printer

_ESCAPES = {
    "\\": r"\backslash ", "{": r"\lbrace ", "}": r"\rbrace ", "$": r"\char36 ", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\wedge ", "~": r"\sim ", "<": r"\lt ", ">": r"\gt ", "|": r"\vert ",
    "×": r"\times ",
}  # fmt: skip
_RELATIONS = {
    "≈": r"\approx", "→": r"\to", "≥": r"\ge", "≤": r"\le", "<": r"\lt", ">": r"\gt", "≠": r"\neq", "∼": r"\sim",
    "∈": r"\in", "⟺": r"\iff", "⟹": r"\implies", "≫": r"\gg", "∝": r"\propto",
}  # fmt: skip

_DOTS = {"⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots"}


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


class LatexPrinter(Printer):
    """Prints LaTeX; one method a form."""

    plus_minus = r"\pm"
    brackets = (r"\left(", r"\right)")

    def relation(self, sign: str) -> str:
        """A relation sign as a macro."""
        return _RELATIONS.get(sign, sign)

    def dotted(self, parts: list[str]) -> str:
        """Factors with a dot between them."""
        return r" \cdot ".join(parts)

    def juxtaposed(self, parts: list[str], factors: tuple[n.Notation, ...]) -> str:
        """Factors side by side."""
        return " ".join(parts)

    def print_num(self, node: n.Num) -> str:
        return node.text if node.exponent is None else rf"{node.text} \times 10^{{{node.exponent}}}"

    def print_infinity(self, node: n.Infinity) -> str:
        return r"-\infty" if node.negative else r"\infty"

    def print_sym(self, node: n.Sym) -> str:
        greek = GREEK_NAMES.get(node.name, node.name if node.name in GREEK else "")
        if node.name in NUMBER_SETS:
            return rf"\mathbb{{{NUMBER_SETS[node.name]}}}"
        name = f"\\{greek}" if greek else node.name if len(node.name) == 1 else rf"\mathrm{{{escape_word(node.name)}}}"
        if node.vector:
            name = rf"\mathbf{{{name}}}"
        name += "'" * node.primes
        if node.sub:
            name += _script("_", ",".join(map(escape_word, node.sub)))
        return name + (_script("^", escape_word(node.sup)) if node.sup else "")

    def print_word(self, node: n.Word) -> str:
        return escape(node.text)

    def print_frac(self, node: n.Frac) -> str:
        if n.negative(node):
            return "-" + self.print(n.negated(node))
        return rf"\frac{{{self.print(node.over)}}}{{{self.print(node.under)}}}"

    def print_power(self, node: n.Power) -> str:
        return self._raisable(node.base) + _script("^", self.print(node.exponent))

    def print_root(self, node: n.Root) -> str:
        """A root; GitHub draws one round a fraction far too large, so a stroke on the line takes its place."""
        inner = node.inner
        if isinstance(inner, n.Frac) and not n.negative(inner):
            return rf"\sqrt{{{self.within(inner.over, PRODUCT)} / {self.within(inner.under, POWER)}}}"
        text = self.print(inner)
        return rf"\left({text}\right)^{{1/2}}" if text.startswith(r"\frac") else rf"\sqrt{{{text}}}"

    def print_transposed(self, node: n.Transposed) -> str:
        return self._raisable(node.inner) + r"^{\top}"

    def _raisable(self, node: n.Notation) -> str:
        """What a superscript can be put to: LaTeX refuses a second one unless the first is in braces."""
        text = self.within(node, ATOM)
        return f"{{{text}}}" if isinstance(node, n.Sym) and node.sup else text

    def print_call(self, node: n.Call) -> str:
        sub = _script("_", node.sub) if node.sub else ""
        alphabet = "mathbb" if node.square and node.name == "E" else "mathrm"
        name = rf"\{alphabet}{{{node.name}}}{sub}" if node.name else ""
        inner = ", ".join(map(self.print, node.inner))
        if node.square:  # by name: [...] before a bracket would be read as a link
            return rf"{name}\left\lbrack {inner} \right\rbrack"
        return rf"{name}\left({inner}\right)"

    def print_norm(self, node: n.Norm) -> str:
        return rf"\left\lVert {self.print(node.inner)} \right\rVert"

    def print_abs(self, node: n.Abs) -> str:
        return rf"\left\vert {self.print(node.inner)} \right\vert"

    def print_plusminus(self, node: n.PlusMinus) -> str:
        return rf"\pm {self.term(node.inner)}"

    def print_sumover(self, node: n.SumOver) -> str:
        first = "" if node.first is None else f"={self.print(node.first)}"
        if node.but:
            first = rf" \neq {escape_word(node.but)}"
        last = "" if node.last is None else f"^{{{self.print(node.last)}}}"
        return rf"\sum{_script('_', escape_word(node.index) + first)}{last} {self.term(node.body)}"

    def print_limit(self, node: n.Limit) -> str:
        return rf"\lim_{{{self.print(node.symbol)} \to {self.print(node.to)}}} {self.term(node.body)}"

    def print_subscripted(self, node: n.Subscripted) -> str:
        return self.within(node.inner, ATOM) + _script("_", ",".join(node.sub))

    def print_beside(self, node: n.Beside) -> str:
        between = " \\\\\n" if node.down else " & "
        return "\\begin{bmatrix}\n" + between.join(map(self.print, node.parts)) + "\n\\end{bmatrix}"

    def print_grid(self, node: n.Grid) -> str:
        rows = " \\\\\n".join(" & ".join(map(self.print, row)) for row in node.rows)
        return f"\\begin{{bmatrix}}\n{rows}\n\\end{{bmatrix}}"

    def print_dots(self, node: n.Dots) -> str:
        return _DOTS[node.sign]

    def print_shape(self, node: n.Shape) -> str:
        return rf"{node.rows} \times {node.columns}"


def _script(sign: str, text: str) -> str:
    return f"{sign}{text}" if len(text) == 1 else f"{sign}{{{text}}}"


def escape_word(text: str) -> str:
    """A name or index: plain letters and digits stay, Greek becomes its macro, anything else is escaped."""
    if text.isalnum() and text.isascii():
        return text
    if text.startswith("(") and text.endswith(")"):
        return f"({escape_word(text[1:-1])})"
    return escape(text)
