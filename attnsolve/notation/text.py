"""Notation on one line, in Unicode or in ASCII.

The terminal and text renderers use this for everything but matrices, which take more than a line and are theirs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from attnsolve import notation as n
from attnsolve.notation.letters import GREEK, GREEK_NAMES, HATTED, NUMBER_SETS, index_below, subscript, superscript
from attnsolve.notation.printer import ATOM, POWER, PRODUCT, SUM, Printer, opens, precedence
from attnsolve.record import Record, record


@record
class Alphabet(Record):
    """The characters an output can show."""

    minus: str
    times: str
    dot: str
    root: str
    infinity: str
    sigma: str
    plus_minus: str
    norm: str
    hadamard: str
    change: str
    """The ∂ of a derivative."""
    small: bool
    """Whether there are superscripts and subscripts."""
    greek: bool
    transpose: str
    prime: str
    relations: Mapping[str, str] = field(default_factory=dict)
    """Relation signs that are spelt otherwise here."""

    def relation(self, sign: str) -> str:
        """A relation sign in this alphabet."""
        return self.relations.get(sign, sign)


RELATIONS = {
    "≈": "~=", "→": "->", "≥": ">=", "≤": "<=", "≠": "!=", "∼": "~", "∈": "in", "⟺": "<=>", "⟹": "=>", "≫": ">>",
    "∝": "propto",
}  # fmt: skip
"""How ASCII spells relation signs."""
DOTS = {"⋯": "...", "⋮": ":", "⋱": "..."}
"""How ASCII spells what stands for entries left out."""
UNICODE = Alphabet("−", "×", "·", "√", "∞", "Σ", "±", "‖", "⊙", "∂", True, True, "ᵀ", "′")
ASCII = Alphabet("-", "x", "*", "sqrt", "inf", "sum", "+-", "||", ".*", "d", False, False, "^T", "'", RELATIONS)
LEVEL = replace(UNICODE, small=False, transpose="^T")
"""Unicode without small characters: what stands in the braces of an index is small already."""


MOST_SMALL = 2
"""An exponent with more digits than this can't be read in small characters."""


def _in_ascii(name: str) -> str:
    """A name with its Greek letters spelled out: φQ as phiQ."""
    return (
        "".join(GREEK_NAMES.get(letter, letter) for letter in HATTED.get(name, name))
        .encode("ascii", "replace")
        .decode()
    )


class TextPrinter(Printer):
    """Prints on one line; one method a form."""

    def __init__(self, alphabet: Alphabet = UNICODE) -> None:
        self.alphabet = alphabet
        self.minus = alphabet.minus
        self.plus_minus = alphabet.plus_minus
        self.hadamard = alphabet.hadamard

    def relation(self, sign: str) -> str:
        """A relation sign in this alphabet."""
        return self.alphabet.relation(sign)

    def label(self, label: str) -> str:
        """A token's name: x_1 as x₁, a word as it is (in ASCII, what of it there is)."""
        name, _, index = label.partition("_")
        if name.isalpha() and index.isdigit():
            return self.print(n.Sym(name, (index,)))
        return label if self.alphabet.small else label.encode("ascii", "replace").decode()

    def numeral(self, text: str) -> str:
        """A numeral with the alphabet's minus sign."""
        return text.replace("-", self.alphabet.minus)

    def print_num(self, node: n.Num) -> str:
        mantissa = self.numeral(node.text)
        if node.exponent is None:
            return mantissa
        if not self.alphabet.small:
            return f"{mantissa}*10^{node.exponent}"  # 2e-7 among other numbers could be 2·e − 7
        return f"{mantissa}×10{self.exponent(str(node.exponent))}"

    def exponent(self, text: str) -> str:
        """A whole number above the line, in small characters while these can be read: 10⁻⁶², 10^109."""
        small = superscript(text) if len(text.lstrip("-")) <= MOST_SMALL else None
        return small or f"^{self.numeral(text)}"

    def print_infinity(self, node: n.Infinity) -> str:
        return (self.alphabet.minus if node.negative else "") + self.alphabet.infinity

    def print_sym(self, node: n.Sym) -> str:
        small = self.alphabet.small
        names = GREEK if self.alphabet.greek else GREEK_NAMES | NUMBER_SETS
        name = names.get(node.name, node.name)
        name = name if self.alphabet.greek else _in_ascii(name)
        before = node.before if self.alphabet.greek else _in_ascii(node.before)
        name = f"{before} {name}" if len(before) > 1 else before + name
        name += "″" if small and node.primes == 2 else self.alphabet.prime * node.primes
        above = ((superscript(node.sup) if small else None) or f"^{node.sup}") if node.sup else ""
        if not node.sub:
            return name + above
        sub = ",".join(node.sub)
        below = index_below(node.name, sub) if small else None
        if below is not None:
            return name + above + below
        if ":" in sub:
            return f"{name}{above}[{sub}]"
        return name + (f"_{sub}" if len(node.sub) == 1 else f"_{{{sub}}}") + above

    def print_word(self, node: n.Word) -> str:
        if self.alphabet.greek:
            return node.text
        return node.text.replace("×", self.alphabet.times).encode("ascii", "replace").decode()

    def dotted(self, parts: list[str]) -> str:
        """Factors with a dot between them."""
        return self.alphabet.dot.join(parts)

    def juxtaposed(self, parts: list[str], factors: tuple[n.Notation, ...]) -> str:
        """Numbers stick to what follows (2√3, 3β); matrices keep a space between them (X W_Q)."""
        text = parts[0]
        for before, factor, part in zip(factors, factors[1:], parts[1:], strict=False):
            tight = isinstance(before, n.Num) and isinstance(factor, n.Root | n.Sym | n.Power) and self.alphabet.small
            tight &= not (isinstance(factor, n.Sym) and factor.before)
            tight |= all(isinstance(side, n.Call) and not side.name for side in (before, factor))
            plain = not self.alphabet.small and isinstance(before, n.Num) and not isinstance(factor, n.Word)
            text += part if tight else f"*{part}" if plain else f" {part}"
        return text

    def print_frac(self, node: n.Frac) -> str:
        if isinstance(node.over, n.Frac):
            return f"({self.print(node.over)})/{self.within(node.under, POWER)}"
        over = (
            self.within(node.over, PRODUCT)
            if precedence(node.over) != SUM or _is_sum(node.over)
            else self.print(node.over)
        )
        return f"{over}/{self.within(node.under, POWER)}"

    def print_power(self, node: n.Power) -> str:
        base = self.raised(node.base)
        exponent = self.print(node.exponent)
        if self.alphabet.small:
            small = superscript(exponent.replace("−", "-")) if len(exponent.lstrip("−")) <= MOST_SMALL else None
            if small and not isinstance(node.exponent, n.Sum):
                return base + small
        return f"{base}^{exponent if precedence(node.exponent) == ATOM else f'({exponent})'}"

    def raised(self, node: n.Notation) -> str:
        """What an exponent follows: a root in brackets, or the exponent would seem to stand under it."""
        text = self.within(node, ATOM)
        return f"({text})" if isinstance(node, n.Root) and self.alphabet.small else text

    def print_root(self, node: n.Root) -> str:
        inner = self.print(node.inner)
        simple = self.alphabet.small and precedence(node.inner) == ATOM
        return f"{self.alphabet.root}{inner}" if simple else f"{self.alphabet.root}({inner})"

    def print_degrees(self, node: n.Degrees) -> str:
        return self.within(node.inner, ATOM) + ("°" if self.alphabet.small else "*pi/180")

    def print_transposed(self, node: n.Transposed) -> str:
        return self.raised(node.inner) + self.alphabet.transpose

    def print_call(self, node: n.Call) -> str:
        sub = ((subscript(node.sub) if self.alphabet.small else None) or f"_{node.sub}") if node.sub else ""
        before, after = "[]" if node.square else "()"
        return f"{node.name}{sub}{before}{', '.join(map(self.print, node.inner))}{after}"

    def print_norm(self, node: n.Norm) -> str:
        return f"{self.alphabet.norm}{self.print(node.inner)}{self.alphabet.norm}"

    def print_abs(self, node: n.Abs) -> str:
        return f"|{self.print(node.inner)}|"

    def print_plusminus(self, node: n.PlusMinus) -> str:
        return self.alphabet.plus_minus + self.term(node.inner)

    def print_sumover(self, node: n.SumOver) -> str:
        return f"{self.sigma(node)} {self.term(node.body)}"

    def sigma(self, node: n.SumOver) -> str:
        """Σ with its index and bounds, in small characters where all of them have some."""
        level = self._level()
        if self.alphabet.small and (text := self._sigma_beside(node)):
            return text
        if node.but:
            return f"{self.alphabet.sigma}_{{{node.index}{self.relation('≠')}{node.but}}}"
        index = node.index if node.first is None else f"{node.index}={level.print(node.first)}"
        last = "" if node.last is None else level.print(node.last)
        if self.alphabet.small:
            below, above = subscript(index), superscript(last) if last else ""
            if below is not None and above is not None:
                return self.alphabet.sigma + below + above
        if node.first is None and node.last is None and len(index) == 1:
            return f"{self.alphabet.sigma}_{index}"
        return f"{self.alphabet.sigma}_{{{index}}}" + (f"^{{{last}}}" if last else "")

    def _sigma_beside(self, node: n.SumOver) -> str:
        """Σ with its bounds on the line, where they have no small characters: Σ (i = 1 … Dₖ), Σ (j ≠ i)."""
        if node.but:
            return f"{self.alphabet.sigma} ({node.index} ≠ {node.but})"
        if node.first is None or node.last is None:
            return ""
        level = self._level()
        first, last = level.print(node.first), level.print(node.last)
        if subscript(f"{node.index}={first}") and superscript(last):
            return ""
        return f"{self.alphabet.sigma} ({node.index} = {self.print(node.first)} … {self.print(node.last)})"

    def print_limit(self, node: n.Limit) -> str:
        return f"{self.approach(node)} {self.term(node.body)}"

    def approach(self, node: n.Limit) -> str:
        """lim with what goes where: lim (β → ∞)."""
        if self.alphabet.small:
            return f"lim ({self.print(node.symbol)} → {self.print(node.to)})"
        level = self._level()
        return f"lim_{{{level.print(node.symbol)}{self.relation('→')}{level.print(node.to)}}}"

    def print_derivative(self, node: n.Derivative) -> str:
        change = self.alphabet.change
        return f"{change}{self.within(node.of, ATOM)}/{change}{self.within(node.by, ATOM)}"

    def _level(self) -> TextPrinter:
        return TextPrinter(LEVEL) if self.alphabet.small else self

    def print_subscripted(self, node: n.Subscripted) -> str:
        sub = ",".join(node.sub)
        below = (subscript(sub) if self.alphabet.small else None) or f"_{{{sub}}}"
        return self.within(node.inner, ATOM) + below

    def print_beside(self, node: n.Beside) -> str:
        return f"[{('; ' if node.down else ' | ').join(map(self.print, node.parts))}]"

    def print_grid(self, node: n.Grid) -> str:
        return "[" + "; ".join(", ".join(map(self.print, row)) for row in node.rows) + "]"

    def print_dots(self, node: n.Dots) -> str:
        return node.sign if self.alphabet.small else DOTS[node.sign]

    def print_shape(self, node: n.Shape) -> str:
        return f"{node.rows}{self.alphabet.times}{node.columns}"


def _is_sum(node: n.Notation) -> bool:
    return (isinstance(node, n.Sum) and len(node.terms) > 1) or opens(node)


def called(label: str) -> str:
    """A token's name in running text: x_1 as x₁, a word in quotation marks."""
    shown = TextPrinter().label(label)
    return shown if shown != label else f"“{label}”"
