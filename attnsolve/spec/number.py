"""Numbers of a problem, and of an answer: what `language.parser` reads, lowered to exact numbers.

A number is exact from here on: a Fraction while it is rational, a sympy expression as soon as it is not. sympy is
loaded only then, and never sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.language import parser, syntax
from attnsolve.language.syntax import CallNode, ChainNode, GroupNode, NameNode, Node, PercentNode, PowerNode, PrefixNode
from attnsolve.language.tokens import LanguageError, Tokens, tokenise, trimmed
from attnsolve.language.typography import LONGEST_QUOTED, quoted, spelled_out
from attnsolve.record import Record, record
from attnsolve.spec.arithmetic import MINUS_INFINITY as MINUS_INFINITY
from attnsolve.spec.arithmetic import Calculator, Lengths, fraction_of, small
from attnsolve.spec.arithmetic import Number as Number
from attnsolve.spec.arithmetic import multiply as multiply

if TYPE_CHECKING:
    import sympy

NumberError = LanguageError

_PLAIN = re.compile(r"[+-]?(\d+(?:\.(\d+))?)", re.ASCII)
_QUOTIENT = re.compile(r"[+-]?\d+/0*[1-9]\d*", re.ASCII)
_NUMERAL = re.compile(
    r"([-+]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([-+]?\d+)|\*10\^[({]?([-+]?\d+)[)}]?)?(%?)",
)
_INFINITE = re.compile(r"([-+]?)(?:oo|inf|infinity|infty)", re.IGNORECASE)
_MAYBE_INFINITE = re.compile("inf|oo|∞", re.IGNORECASE)


@record
class Numeral(Record):
    """A plain decimal as it stands on paper: ±digits × 10^exponent."""

    digits: str
    exponent: int = 0
    percent: bool = False


@record
class WrittenNumber(Record):
    """A number with the style it was written in."""

    value: Number
    decimal: bool = False
    fraction: bool = False
    numeral: Numeral | None = field(default=None, compare=False)
    """The digits, where it is a decimal and no expression."""
    notes: tuple[str, ...] = field(default=(), compare=False)
    """How it was understood, where something else could have been meant."""
    letters: frozenset[str] = field(default=frozenset(), compare=False)
    """The declared symbols that stand in it, under the names they were declared by."""


def parse_number(
    text: str, symbols: Mapping[str, sympy.Symbol] | None = None, *, answer: bool = False, share: bool = False
) -> WrittenNumber:
    """Read one number. An `answer` may be as long as anything printed, and a power in it have any exponent, as e^1.04;
    a `share` may be written in percent.

    >>> parse_number("0.1").value, parse_number("-2/6").value
    (Fraction(1, 10), Fraction(-1, 3))
    >>> parse_number("-2√3/3").value
    -2*sqrt(3)/3
    """
    text = trimmed(text)
    lengths = Lengths.of_answers() if answer else Lengths.of_problems()
    if len(text) > lengths.characters:
        raise NumberError(f"a number may be at most {lengths.characters} characters long")
    plain = _PLAIN.fullmatch(text)
    if plain and len(text) <= allowed().number_digits:
        numeral = Numeral(f"-{plain[1]}" if text[0] == "-" else plain[1])
        return WrittenNumber(Fraction(text), plain[2] is not None, numeral=numeral)
    if len(text) <= allowed().number_digits and _QUOTIENT.fullmatch(text):
        return WrittenNumber(Fraction(text), fraction=True)
    tokens = tokenise(text)
    if len(tokens.items) > allowed().answer_tokens:
        raise NumberError(f"a number may consist of at most {allowed().answer_tokens} numbers, names and signs")
    reading = _Lowering(text, symbols or {}, Calculator(text, lengths, answer), share)
    try:
        node = parser.parse_number(text, tokens)
    except LanguageError as error:
        reading.check_names(tokens, error.column)
        raise
    value = reading.whole(node)
    notes = (*tokens.notes, *reading.notes)
    return WrittenNumber(value, reading.decimal, reading.fraction, _numeral(tokens), notes, frozenset(reading.letters))


def infinity(text: str) -> int:
    """1 for ∞ however it is spelled, −1 for −∞, 0 for anything else."""
    if len(text) > allowed().number_characters or not _MAYBE_INFINITE.search(text):
        return 0
    try:
        match = _INFINITE.fullmatch(tokenise(text).plain)
    except NumberError:
        return 0
    return 0 if match is None else -1 if match[1] == "-" else 1


def _numeral(tokens: Tokens) -> Numeral | None:
    match = _NUMERAL.fullmatch(tokens.plain)
    if match is None:
        return None
    sign = match[1].strip("+")
    return Numeral(sign + match[2], small(match[3] or match[4] or ""), bool(match[5]))


def _as_decimal(value: Number) -> str:
    from attnsolve.numbers.decimals import terminating

    short = isinstance(value, Fraction) and value.denominator.bit_length() <= allowed().number_bits
    text = str((terminating(value) if short else None) or "")
    return text if len(text) <= LONGEST_QUOTED else ""


class _Lowering:
    """The exact number that a tree means, and the style it is written in."""

    def __init__(self, text: str, symbols: Mapping[str, sympy.Symbol], arithmetic: Calculator, share: bool) -> None:
        self.text = text
        self.symbols = symbols
        self.exact = arithmetic
        self.share = share
        self.decimal = self.fraction = False
        self.notes: list[str] = []
        self.letters: set[str] = set()

    def whole(self, node: Node) -> Number:
        """All of it."""
        value = self._percent(self._value(node.inner)) if isinstance(node, PercentNode) else self._value(node)
        return self.exact.checked(value)

    def check_names(self, tokens: Tokens, column: int) -> None:
        """Refuse the first unknown name before a column: likelier than what follows it, that is what went wrong."""
        known = ("sqrt", "frac", *(("exp",) if self.exact.answer else ()))
        for kind, name, start, end in tokens.items:
            if kind == "name" and start < column and name not in known:
                self._named(name, NameNode(name, start, end))

    def _percent(self, value: Number) -> Number:
        """A hundredth of it, where a share is asked for."""
        found = self.exact.divide(value, Fraction(100))
        shown = _as_decimal(found) or "a hundredth of that"
        if not self.share:
            message = f"{self.text!r} is a percentage, but only weights may be written as percentages"
            raise NumberError(message, f"write {shown}")
        self.notes.append(f"{quoted(self.text)} was read as {shown}")
        return found

    def _value(self, node: Node) -> Number:
        match node:
            case syntax.NumberNode(text=text):
                return self._literal(text)
            case ChainNode(first=first, rest=rest):
                value = self._value(first)
                for sign, part in rest:
                    value = self._applied(sign, value, self._value(part))
                return value
            case PrefixNode(inner=inner):
                return -self._value(inner)
            case GroupNode(inner=inner):
                return self._value(inner)
            case PowerNode(base=base, exponent=exponent):
                return self.exact.power(self._value(base), self._value(exponent))
            case CallNode(name=name, arguments=(argument,)):
                return self._called(name, node, argument)
            case NameNode(name=name):
                return self._named(name, node)
        raise TypeError(f"a number has no {type(node).__name__}")

    def _applied(self, sign: str, left: Number, right: Number) -> Number:
        if sign == "*":
            return self.exact.multiply(left, right)
        if sign == "/":
            self.fraction = True
            return self.exact.divide(left, right)
        return self.exact.add(left, right if sign == "+" else -right)

    def _literal(self, text: str) -> Fraction:
        mantissa, _, exponent = text.lower().partition("e")
        lengths = self.exact.lengths
        if sum(map(str.isdigit, mantissa)) > lengths.digits:
            raise NumberError(f"a number may have at most {lengths.digits} digits")
        if len(exponent.lstrip("+-0")) > 5 or abs(small(exponent)) > lengths.exponent:
            fix = "write 0" if self.exact.answer and exponent.startswith("-") else ""
            raise NumberError(f"the exponent of {text!r} is beyond ±{lengths.exponent}", fix)
        self.decimal |= "." in mantissa or bool(exponent)
        self.fraction |= "/" in mantissa
        return fraction_of(text)

    def _called(self, name: str, node: Node, argument: Node) -> Number:
        if name == "sqrt":
            return self.exact.square_root(self._value(argument))
        if name == "exp" and self.exact.answer and self._letter(name) is None:
            return self.exact.exponential(self._value(argument))
        self._named(name, NameNode(name, node.start, node.start + self.text[node.start :].index("(")))
        raise NumberError(f"{self.text!r} is not a number: '(' was not expected")

    def _letter(self, name: str) -> str | None:
        """The name by which a letter was declared."""
        return next((letter for letter in (name, spelled_out(name)) if letter in self.symbols), None)

    def _named(self, name: str, node: Node) -> Number:
        if (letter := self._letter(name)) is not None:
            self.letters.add(letter)
            return self.symbols[letter]
        if name in ("pi", "e", "E"):
            import sympy

            return sympy.pi if name == "pi" else sympy.E
        if name.lower() in ("nan", "inf", "oo", "infinity"):
            raise NumberError(f"{self.text!r} is not a finite number", "write a finite number")
        written = repr(self.text[node.start : node.end])
        raise NumberError(f"{self.text!r} is not a number: {written} is not known", self._unknown(name))

    def _unknown(self, name: str) -> str:
        if name.lower() in ("true", "false", "null", "none", "yes", "no"):
            return "write a number"
        fix = nearest(name, ["sqrt", "pi", "e", *self.symbols])
        if fix.startswith("did you mean"):
            return f"{fix} (letters are declared with symbols: {{{name}: real}})"
        return f"a letter must be declared first, with symbols: {{{name}: real}}"
