"""Notation as LaTeX, inside what MathJax and KaTeX both know: bmatrix, array, frac, sqrt, text, top, cdot, infty.

LaTeX refuses a second superscript or subscript on one base, and a prime is a superscript. So scripts are written in one
place, `scripted`, which puts braces around a base that has one already.
"""

from __future__ import annotations

import re

from attnsolve import notation as n
from attnsolve.notation.letters import GREEK, GREEK_NAMES, HATTED, NUMBER_SETS, SUBSCRIPTS, SUPERSCRIPTS
from attnsolve.notation.printer import ATOM, POWER, PRODUCT, Printer

_RELATIONS = {
    "≈": r"\approx", "→": r"\to", "≥": r"\ge", "≤": r"\le", "<": r"\lt", ">": r"\gt", "≠": r"\neq", "∼": r"\sim",
    "∈": r"\in", "⟺": r"\iff", "⟹": r"\implies", "≫": r"\gg", "∝": r"\propto",
}  # fmt: skip
_SCRIPTS = {letter: f"{{\\{name}}}" for letter, name in GREEK_NAMES.items()} | {"T": r"{\top}"}
"""What stands in a script other than as it is."""
_ESCAPES = {
    "\\": r"\backslash ", "{": r"\lbrace ", "}": r"\rbrace ", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%",
    "_": r"\_", "^": r"\wedge ", "~": r"\sim ", "|": r"\vert ", "`": r"\text{‘}", "×": r"\times ", "−": "-",
    "∞": r"\infty ", "√": r"\surd ", "½": r"\tfrac{1}{2}", "±": r"\pm ", "·": r"\cdot ", "…": r"\ldots ",
    "′": r"{}^{\prime}", "‖": r"\Vert ", "[": r"\lbrack ", "]": r"\rbrack ",
    **{sign: f"{macro} " for sign, macro in _RELATIONS.items()},
    **{letter: f"\\{name} " for letter, name in GREEK_NAMES.items()},
    **{small: f"{{}}_{_SCRIPTS.get(plain, plain)}" for plain, small in SUBSCRIPTS.items() if small != plain},
    **{small: f"{{}}^{_SCRIPTS.get(plain, plain)}" for plain, small in SUPERSCRIPTS.items() if small != plain},
}  # fmt: skip
"""What LaTeX would not take as a character, or not in every engine, as mathematics."""
_PLAIN = re.compile(f"[^{re.escape(''.join(_ESCAPES))}]+|.", re.DOTALL)
_DOTS = {"⋯": r"\cdots", "⋮": r"\vdots", "⋱": r"\ddots"}
FRACTION = r"\frac"
ROW, TALL_ROW, TALL_LINE = " \\\\\n", " \\\\[6pt]\n", " \\\\[9pt]\n"
"""The end of a row. Rows with fractions in them are kept apart, or they would touch in KaTeX; those of equations are
larger than those in a matrix."""
_INDEXED = re.compile(r"([A-Za-z])_([A-Za-z0-9]+)")
_BETWEEN = r"\ "
LONGEST_LABEL = 24
"""Longer names of tokens are cut beside a matrix; in running text they stand in full."""


def escape(text: str) -> str:
    """Any text, harmless inside mathematics: runs of plain characters go into \\text, the rest become symbols."""
    return "".join(_ESCAPES.get(run) or rf"\text{{{run}}}" for run in _PLAIN.findall(text))


def joined(rows: list[str], tall: str = TALL_ROW) -> str:
    """The rows of a matrix or of aligned equations, with room between them where there are fractions."""
    return (tall if any(FRACTION in row for row in rows) else ROW).join(rows)


_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|.", re.DOTALL)
_OPENS, _CLOSES = {"{", r"\left", r"\begin"}, {"}", r"\right", r"\end"}


def _has_script(text: str, signs: str) -> bool:
    """Whether one of the signs that make a script stands in the text outside all braces and brackets."""
    if not any(sign in text for sign in signs):
        return False
    depth = 0
    for token in _TOKEN.findall(text):
        if depth == 0 and token in signs:
            return True
        depth += (token in _OPENS) - (token in _CLOSES)
    return False


def scripted(base: str, sub: str = "", sup: str = "") -> str:
    """A base with an index below it and one above: s' with 1,1 and (0) is {s'}_{1,1}^{(0)}."""
    if (sub and _has_script(base, "_")) or (sup and _has_script(base, "^'")):
        base = f"{{{base}}}"
    return base + (_script("_", sub) if sub else "") + (_script("^", sup) if sup else "")


class LatexPrinter(Printer):
    """Prints LaTeX; one method a form."""

    plus_minus = r"\pm"
    hadamard = r"\odot"
    brackets = (r"\left(", r"\right)")

    def relation(self, sign: str) -> str:
        """A relation sign as a macro."""
        return _RELATIONS.get(sign, sign)

    def dotted(self, parts: list[str]) -> str:
        """Factors with a dot between them."""
        return r" \cdot ".join(parts)

    def juxtaposed(self, parts: list[str], factors: tuple[n.Notation, ...]) -> str:
        """Factors side by side; mathematics has no spaces of its own, so a word needs one after it."""
        ends = [r"\ " if isinstance(factor, n.Word) and factor.text[-1:].isalpha() else " " for factor in factors]
        return "".join(part + end for part, end in zip(parts[:-1], ends, strict=False)) + parts[-1]

    def print_num(self, node: n.Num) -> str:
        return node.text if node.exponent is None else rf"{node.text} \times 10^{{{node.exponent}}}"

    def print_infinity(self, node: n.Infinity) -> str:
        return r"-\infty" if node.negative else r"\infty"

    def print_sym(self, node: n.Sym) -> str:
        greek = GREEK_NAMES.get(node.name, node.name if node.name in GREEK else "")
        if node.name in NUMBER_SETS:
            return rf"\mathbb{{{NUMBER_SETS[node.name]}}}"
        plain = len(node.name) == 1 and node.name.isascii()
        if node.name in HATTED:
            name = rf"\hat{{{node.name[0]}}}"
        else:
            name = f"\\{greek}" if greek else node.name if plain else rf"\mathrm{{{escape_word(node.name)}}}"
        if node.vector:
            name = rf"\{'boldsymbol' if greek else 'mathbf'}{{{name}}}"
        if node.before:
            name = rf"\mathrm{{{escape_word(node.before)}}}{_BETWEEN * (len(node.before) > 1)}{name}"
        above = escape_word(node.sup) if node.sup else ""
        return scripted(name + "'" * node.primes, ",".join(map(escape_word, node.sub)), above)

    def print_word(self, node: n.Word) -> str:
        return escape(node.text)

    def print_frac(self, node: n.Frac) -> str:
        if n.negative(node):
            return "-" + self.print(n.negated(node))
        return rf"\frac{{{self.print(node.over)}}}{{{self.print(node.under)}}}"

    def print_power(self, node: n.Power) -> str:
        return scripted(self.within(node.base, ATOM), sup=_LINE.print(node.exponent))

    def print_root(self, node: n.Root) -> str:
        """A root; GitHub draws one round a fraction far too large, so a stroke on the line takes its place."""
        inner = node.inner
        if isinstance(inner, n.Frac) and not n.negative(inner):
            return rf"\sqrt{{{self.within(inner.over, PRODUCT)} / {self.within(inner.under, POWER)}}}"
        text = self.print(inner)
        return rf"\left({text}\right)^{{1/2}}" if text.startswith(FRACTION) else rf"\sqrt{{{text}}}"

    def print_degrees(self, node: n.Degrees) -> str:
        return scripted(self.within(node.inner, ATOM), sup=r"\circ")

    def print_transposed(self, node: n.Transposed) -> str:
        return scripted(self.within(node.inner, ATOM), sup=r"\top")

    def print_call(self, node: n.Call) -> str:
        alphabet = "mathbb" if node.square and node.name == "E" else "mathrm"
        name = scripted(rf"\{alphabet}{{{node.name}}}", node.sub) if node.name else ""
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
        first = "" if node.first is None else f"={_LINE.print(node.first)}"
        if node.but:
            first = rf" \neq {escape_word(node.but)}"
        last = "" if node.last is None else _LINE.print(node.last)
        sigma = scripted(r"\sum", escape_word(node.index) + first, last)
        return f"{sigma} {self.term(node.body)}"

    def print_limit(self, node: n.Limit) -> str:
        approach = scripted(r"\lim", rf"{_LINE.print(node.symbol)} \to {_LINE.print(node.to)}")
        return f"{approach} {self.term(node.body)}"

    def print_derivative(self, node: n.Derivative) -> str:
        return rf"\frac{{\partial {self.within(node.of, ATOM)}}}{{\partial {self.within(node.by, ATOM)}}}"

    def print_subscripted(self, node: n.Subscripted) -> str:
        return scripted(self.within(node.inner, ATOM), ",".join(node.sub))

    def print_beside(self, node: n.Beside) -> str:
        parts = list(map(self.print, node.parts))
        return _environment("bmatrix", joined(parts) if node.down else " & ".join(parts))

    def print_grid(self, node: n.Grid) -> str:
        """A matrix; the names of its tokens stand inside its brackets, ruled off, so that they line up everywhere."""
        lines = [" & ".join(map(self.print, row)) for row in node.rows]
        if not node.row_labels and not node.column_labels:
            return _environment("bmatrix", joined(lines))
        names = list(map(self.label, node.row_labels))
        if names:
            lines = [f"{name} & {line}" for name, line in zip(names, lines, strict=True)]
        text = joined(lines)
        if node.column_labels:
            above = " & ".join([*([""] if names else []), *map(self.label, node.column_labels)])
            text = f"{above}{ROW}\\hline\n{text}"
        columns = ("l|" if names else "") + "r" * node.shape[1]
        return rf"\left[{_environment('array', text.strip(), columns)}\right]"

    def label(self, label: str) -> str:
        """A token's name beside a matrix: x_1 as a symbol, a word as upright text, cut where it is long."""
        name, _, index = label.partition("_")
        if name.isalpha() and index.isdigit():
            return self.print(n.Sym(name, (index,)))
        return escape(label if len(label) <= LONGEST_LABEL else label[: LONGEST_LABEL - 1] + "…")

    def print_dots(self, node: n.Dots) -> str:
        return _DOTS[node.sign]

    def print_shape(self, node: n.Shape) -> str:
        return rf"{node.rows} \times {node.columns}"


class _LinePrinter(LatexPrinter):
    """Prints what stands above or below the line, where a fraction has its stroke on the line: e^{a/b}."""

    def print_frac(self, node: n.Frac) -> str:
        if n.negative(node):
            return "-" + self.print(n.negated(node))
        return f"{self.within(node.over, PRODUCT)}/{self.within(node.under, POWER)}"

    def print_derivative(self, node: n.Derivative) -> str:
        return rf"\partial {self.within(node.of, ATOM)}/\partial {self.within(node.by, ATOM)}"


_LINE = _LinePrinter()


def _environment(name: str, text: str, columns: str = "") -> str:
    spec = f"{{{columns}}}" if columns else ""
    return f"\\begin{{{name}}}{spec}\n{text}\n\\end{{{name}}}"


def _script(sign: str, text: str) -> str:
    return f"{sign}{text}" if len(text) == 1 else f"{sign}{{{text}}}"


def escape_word(text: str) -> str:
    """A name or index: plain letters and digits stay, Greek becomes its macro, anything else is escaped."""
    if text.isalnum() and text.isascii():
        return text
    if (name := _INDEXED.fullmatch(text)) is not None:
        return f"{name[1]}_{{{name[2]}}}"
    if text.startswith("(") and text.endswith(")"):
        return f"({escape_word(text[1:-1])})"
    return escape(text)
