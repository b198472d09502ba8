"""The strict little grammar in which every number of a problem, and of an answer, is written.

    number  = sum "%"?                                      the % only where shares are asked for
    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed | power)*          a power by itself: 2√3, 2pi, 3(1 + e)
    signed  = ("-" | "+")? power
    power   = atom ("^" signed)?
    atom    = literal | "pi" | "e" | symbol | "sqrt" group | "exp" group | "frac" group group | "(" sum ")"
    group   = "(" sum ")" | "{" sum "}"                     braces as LaTeX has them, after ^ too

How these tokens may be spelled is settled before, in `spec.typography`. A number is exact from here on: a Fraction
while it is rational, a sympy expression as soon as it is not. sympy is loaded only then, and never sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed
from attnsolve.errors import nearest
from attnsolve.language.tokens import LanguageError as NumberError
from attnsolve.language.tokens import Token, Tokens, tokenise, trimmed
from attnsolve.language.typography import LONGEST_QUOTED, quoted, spelled_out
from attnsolve.spec.arithmetic import MINUS_INFINITY as MINUS_INFINITY
from attnsolve.spec.arithmetic import Arithmetic, Lengths, fraction_of, small
from attnsolve.spec.arithmetic import Number as Number
from attnsolve.spec.arithmetic import multiply as multiply

if TYPE_CHECKING:
    import sympy

_PLAIN = re.compile(r"[+-]?(\d+(?:\.(\d+))?)", re.ASCII)
_NUMERAL = re.compile(
    r"([-+]?)(\d+(?:\.\d*)?|\.\d+)(?:[eE]([-+]?\d+)|\*10\^[({]?([-+]?\d+)[)}]?)?(%?)",
)
_INFINITE = re.compile(r"([-+]?)(?:oo|inf|infinity|infty)", re.IGNORECASE)
_MAYBE_INFINITE = re.compile("inf|oo|∞", re.IGNORECASE)
_CLOSING = {"(": ")", "{": "}"}


@dataclass(frozen=True)
class Numeral:
    """A plain decimal as it stands on paper: ±digits × 10^exponent."""

    digits: str
    exponent: int = 0
    percent: bool = False


@dataclass(frozen=True)
class Written:
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
) -> Written:
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
        raise NumberError(f"a number may be {lengths.characters} characters long at most")
    plain = _PLAIN.fullmatch(text)
    if plain and len(text) <= allowed().number_digits:
        numeral = Numeral(f"-{plain[1]}" if text[0] == "-" else plain[1])
        return Written(Fraction(text), plain[2] is not None, numeral=numeral)
    tokens = tokenise(text)
    if len(tokens.items) > allowed().answer_tokens:
        raise NumberError(f"a number may be made of {allowed().answer_tokens} numbers, names and signs at most")
    parser = _Parser(text, tokens, symbols or {}, Arithmetic(text, lengths, answer), share)
    value = parser.whole()
    notes = (*tokens.notes, *parser.notes)
    return Written(value, parser.decimal, parser.fraction, _numeral(tokens), notes, frozenset(parser.letters))


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


class _Parser:
    def __init__(
        self, text: str, tokens: Tokens, symbols: Mapping[str, sympy.Symbol], arithmetic: Arithmetic, share: bool
    ) -> None:
        self.text = text
        self.tokens = tokens.items
        self.symbols = symbols
        self.exact = arithmetic
        self.share = share
        self.position = 0
        self.depth = 0
        self.decimal = self.fraction = False
        self.notes: list[str] = []
        self.letters: set[str] = set()

    # ── tokens ──────────────────────────────────────────────────────────────────────────────────

    def _next(self) -> Token:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def _accept(self, *signs: str) -> str | None:
        token = self.tokens[self.position]
        if token.kind == "sign" and token.text in signs:
            self.position += 1
            return token.text
        return None

    def _quoted(self, token: Token) -> str:
        return repr(self.text[token.start : token.end])

    def _tight(self, place: int) -> bool:
        """Whether a token stands right behind the one before it."""
        return self.tokens[place - 1].end == self.tokens[place].start

    # ── the grammar ─────────────────────────────────────────────────────────────────────────────

    def whole(self) -> Number:
        value = self._sum()
        if self._accept("%"):
            value = self._percent(value)
        token = self._next()
        if token.kind != "end":
            said = f"{self.text!r} is not a number: {self._quoted(token)} was not expected"
            raise NumberError(said, self._separated(token))
        return self.exact.checked(value)

    def _separated(self, token: Token) -> str:
        """What to put before a token that can't follow the one before it."""
        if token.kind == "literal" and self.tokens[self.position - 2].kind == "literal":
            if self._tight(self.position - 1):
                return "a number has one decimal point at most"
            return "put a comma between two numbers"
        return "write products with *, as in 2*sqrt(3)" if token.kind in ("literal", "name") else ""

    def _percent(self, value: Number) -> Number:
        """A hundredth of it, where a share is asked for."""
        found = self.exact.divide(value, Fraction(100))
        shown = _as_decimal(found) or "a hundredth of that"
        if not self.share:
            said = f"{self.text!r} is a percentage, but only weights may be written in percent"
            raise NumberError(said, f"write {shown}")
        self.notes.append(f"{quoted(self.text)} was read as {shown}")
        return found

    def _sum(self) -> Number:
        return self._nested(self._terms, "brackets")

    def _terms(self) -> Number:
        value = self._product()
        while sign := self._accept("+", "-"):
            right = self._product()
            value = self.exact.add(value, right if sign == "+" else -right)
        return value

    def _nested(self, read: Callable[[], Number], what: str) -> Number:
        self.depth += 1
        if self.depth > allowed().number_nesting + 1:
            raise NumberError(f"{what} may be nested {allowed().number_nesting} deep at most")
        value = read()
        self.depth -= 1
        return value

    def _product(self) -> Number:
        value = self._signed()
        slash: int | None = None
        while True:
            if sign := self._accept("*", "/"):
                slash = self.position - 1 if sign == "/" else None
                right = self._signed()
                self.fraction |= sign == "/"
                value = self.exact.divide(value, right) if sign == "/" else self.exact.multiply(value, right)
            elif self._goes_on(slash):
                value = self.exact.multiply(value, self._power())
            else:
                return value

    def _goes_on(self, slash: int | None) -> bool:
        """Whether a factor follows without a sign, as in 2√3; one that could also be meant to stand below a stroke, or
        in an exponent or under a root, is refused."""
        token, before = self.tokens[self.position], self.tokens[self.position - 1]
        tight = self._tight(self.position)
        if token.kind != "name" and token.text != "(":
            return False
        if before.kind == "name" and token.text == "(" and tight:
            return False
        if slash is not None and (tight or not (self._tight(slash) and self._tight(slash + 1))):
            self._unclear("use brackets, as in 1/(2√2) or (1/2)√2")
        if tight and before.kind != "sign" and self.tokens[self.position - 2].text == "^":
            self._unclear("use brackets, as in e^(2π) or (e^2)π")
        root = self.tokens[self.position - 2].text == "sqrt" and before.kind == "literal"
        if tight and root and token.kind == "name" and token.text != "sqrt":
            self._unclear("use brackets, as in √(2π) or (√2)π")
        return True

    def _unclear(self, fix: str) -> None:
        token = self.tokens[self.position]
        raise NumberError(f"{self.text!r} can be read in two ways at {self._quoted(token)}", fix)

    def _signed(self) -> Number:
        sign = self._accept("-", "+")
        if sign and self._accept("-", "+"):
            raise NumberError(f"{self.text!r} has two signs in a row", "keep one of them, or use brackets, as in -(-1)")
        value = self._power()
        return -value if sign == "-" else value

    def _power(self) -> Number:
        base = self._atom()
        if not self._accept("^"):
            return base
        return self.exact.power(base, self._nested(self._signed, "powers"))

    def _atom(self) -> Number:
        token = self._next()
        if token.kind == "literal":
            return self._literal(token)
        if token.kind == "name":
            return self._name(token)
        if token.text == "(" or (token.text == "{" and self.tokens[self.position - 2].text == "^"):
            return self._closed(token.text)
        found = f"{self._quoted(token)} was found" if token.text else "it ends"
        raise NumberError(f"{self.text!r} is not a number: {found} where a number was expected")

    def _closed(self, opening: str) -> Number:
        """The rest of a group whose bracket was read."""
        value = self._sum()
        if not self._accept(_CLOSING[opening]):
            raise NumberError(f"{self.text!r} is not a number: a closing {_CLOSING[opening]} is missing")
        return value

    def _literal(self, token: Token) -> Fraction:
        mantissa, _, exponent = token.text.lower().partition("e")
        lengths = self.exact.lengths
        if sum(map(str.isdigit, mantissa)) > lengths.digits:
            raise NumberError(f"a number may have {lengths.digits} digits at most")
        if len(exponent.lstrip("+-0")) > 5 or abs(small(exponent)) > lengths.exponent:
            fix = "write 0" if self.exact.answer and exponent.startswith("-") else ""
            raise NumberError(f"the exponent of {token.text!r} is beyond ±{lengths.exponent}", fix)
        self.decimal |= "." in mantissa or bool(exponent)
        self.fraction |= "/" in mantissa
        return fraction_of(token.text)

    def _name(self, token: Token) -> Number:
        name = token.text
        letter = name if name in self.symbols else spelled_out(name)
        if letter in self.symbols:
            self.letters.add(letter)
            return self.symbols[letter]
        if name == "sqrt":
            return self._root(token)
        if name == "frac":
            return self._stacked()
        if name == "exp" and self.exact.answer and (opening := self._accept(*_CLOSING)):
            return self.exact.exponential(self._closed(opening))
        if name in ("pi", "e", "E"):
            import sympy

            return sympy.pi if name == "pi" else sympy.E
        if name.lower() in ("nan", "inf", "oo", "infinity"):
            raise NumberError(f"{self.text!r} is not a number that can be worked with", "write a finite number")
        raise NumberError(f"{self.text!r} is not a number: {self._quoted(token)} is not known", self._unknown(name))

    def _unknown(self, name: str) -> str:
        if name.lower() in ("true", "false", "null", "none", "yes", "no"):
            return "write a number"
        fix = nearest(name, ["sqrt", "pi", "e", *self.symbols])
        if fix.startswith("did you mean"):
            return f"{fix} (letters are declared with symbols: {{{name}: real}})"
        return f"a letter must be declared first, with symbols: {{{name}: real}}"

    def _root(self, root: Token) -> Number:
        if opening := self._accept(*_CLOSING):
            return self.exact.square_root(self._closed(opening))
        token = self._next()
        word = self.text[root.start : root.end] == "sqrt"
        if token.kind == "literal":
            return self.exact.square_root(self._literal(token))
        if token.kind == "name" and token.text != "sqrt" and not word:
            return self.exact.square_root(self._name(token))
        raise NumberError(f"{self.text!r} is not a number: sqrt needs brackets", "write sqrt(2)")

    def _stacked(self) -> Number:
        """\\frac{a}{b}."""
        parts = []
        for _ in range(2):
            if not self._accept("{"):
                raise NumberError(f"{self.text!r} is not a number: \\frac needs braces", "write \\frac{1}{2}")
            parts.append(self._closed("{"))
        self.fraction = True
        return self.exact.divide(*parts)
