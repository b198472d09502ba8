"""The strict little grammar in which every number of a problem is written.

    sum     = product (("+" | "-") product)*
    product = signed (("*" | "/") signed)*
    signed  = ("-" | "+") signed | power
    power   = atom (("^" | "**") signed)?
    atom    = literal | "pi" | "e" | symbol | "sqrt" "(" sum ")" | "exp" "(" sum ")" | "(" sum ")"

A number is exact from here on: a Fraction while it is rational, a sympy expression as soon as it is not. sympy is
loaded only then, and never sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, isqrt
from typing import TYPE_CHECKING, Any, Final

from attnsolve.errors import nearest
from attnsolve.spec.bounds import allowed

if TYPE_CHECKING:
    import sympy

Number = Fraction | Any
"""A Fraction, a sympy expression, or MINUS_INFINITY."""

MINUS_INFINITY: Final = float("-inf")

_PLAIN = re.compile(r"[+-]?(\d+)(?:\.(\d+))?", re.ASCII)
_TOKEN = re.compile(
    r"\s*(?:(?P<literal>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[^\W\d]\w*)|(?P<sign>\*\*|[-+*/^()]))"
)
_TYPOGRAPHY = str.maketrans({"−": "-", "–": "-", "·": "*", "×": "*", "π": " pi ", "√": " sqrt "})


class NumberError(ValueError):
    """Text that isn't a number of this grammar; the message says why, `fix` how to mend it."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


@dataclass(frozen=True)
class Written:
    """A number with the style it was written in."""

    value: Number
    decimal: bool = False
    fraction: bool = False


def parse_number(
    text: str, symbols: Mapping[str, sympy.Symbol] | None = None, *, exponentials: bool = False
) -> Written:
    """Read one number; with `exponentials`, e may have any number above it, as in the answer e^1.04.

    >>> parse_number("0.1").value, parse_number("-2/6").value
    (Fraction(1, 10), Fraction(-1, 3))
    >>> parse_number("-2*sqrt(3)/3").value
    -2*sqrt(3)/3
    """
    text = text.strip()
    if len(text) > allowed().number_characters:
        raise NumberError(f"a number may be {allowed().number_characters} characters long at most")
    plain = _PLAIN.fullmatch(text)
    if plain and len(text) <= allowed().number_digits:
        return Written(Fraction(text), decimal=plain[2] is not None)
    parser = _Parser(text, symbols or {}, exponentials)
    value = parser.whole()
    return Written(value, parser.decimal, parser.fraction)


class _Parser:
    def __init__(self, text: str, symbols: Mapping[str, sympy.Symbol], exponentials: bool = False) -> None:
        self.text = text
        self.exponentials = exponentials
        self.symbols = symbols
        self.tokens = self._tokenise(text.translate(_TYPOGRAPHY))
        self.position = 0
        self.depth = 0
        self.decimal = self.fraction = False

    def _tokenise(self, text: str) -> list[tuple[str, str]]:
        tokens, position = [], 0
        while position < len(text.rstrip()):
            match = _TOKEN.match(text, position)
            if match is None:
                found = text[position:].strip()[:1]
                raise NumberError(f"{self.text!r} is not a number: {found!r} has no meaning here")
            tokens.append((str(match.lastgroup), match[0].strip()))
            position = match.end()
        return [*tokens, ("end", "")]

    def _next(self) -> tuple[str, str]:
        token = self.tokens[self.position]
        self.position += 1
        return token

    def _accept(self, *signs: str) -> str | None:
        kind, text = self.tokens[self.position]
        if kind == "sign" and text in signs:
            self.position += 1
            return text
        return None

    def whole(self) -> Number:
        value = self._sum()
        kind, text = self._next()
        if kind != "end":
            raise NumberError(f"{self.text!r} is not a number: {text!r} was not expected", _product_fix(kind))
        return _checked(value, self.text)

    def _sum(self) -> Number:
        self.depth += 1
        if self.depth > allowed().number_nesting + 1:
            raise NumberError(f"brackets may be nested {allowed().number_nesting} deep at most")
        value = self._product()
        while sign := self._accept("+", "-"):
            right = self._product()
            value = _add(value, right if sign == "+" else -right)
        self.depth -= 1
        return value

    def _product(self) -> Number:
        value = self._signed()
        while sign := self._accept("*", "/"):
            right = self._signed()
            if sign == "/":
                self.fraction = True
                right = _reciprocal(right, self.text)
            value = multiply(value, right)
        return value

    def _signed(self) -> Number:
        negative = False
        while sign := self._accept("-", "+"):
            negative ^= sign == "-"
        value = self._power()
        return -value if negative else value

    def _power(self) -> Number:
        base = self._atom()
        if not self._accept("^", "**"):
            return base
        exponent = self._exponent()
        of_e = self.exponentials and not isinstance(base, Fraction) and str(base) == "E"
        return _exponential(exponent, self.text) if of_e else _power(base, exponent, self.text)

    def _exponent(self) -> Number:
        self.depth += 1
        if self.depth > allowed().number_nesting + 1:
            raise NumberError(f"powers may be nested {allowed().number_nesting} deep at most")
        value = self._signed()
        self.depth -= 1
        return value

    def _atom(self) -> Number:
        kind, text = self._next()
        if kind == "literal":
            return self._literal(text)
        if kind == "name":
            return self._name(text)
        if text == "(":
            return self._closed(self._sum())
        found = f"{text!r} was found" if text else "it ends"
        raise NumberError(f"{self.text!r} is not a number: {found} where a number was expected")

    def _closed(self, value: Number) -> Number:
        if not self._accept(")"):
            raise NumberError(f"{self.text!r} is not a number: a closing ) is missing")
        return value

    def _literal(self, text: str) -> Fraction:
        mantissa, _, exponent = text.lower().partition("e")
        if sum(map(str.isdigit, mantissa)) > allowed().number_digits:
            raise NumberError(f"a number may have {allowed().number_digits} digits at most")
        if len(exponent.lstrip("+-0")) > 5 or abs(int(exponent or 0)) > allowed().decimal_exponent:
            raise NumberError(f"the exponent of {text!r} is beyond ±{allowed().decimal_exponent}")
        self.decimal |= "." in mantissa or bool(exponent)
        return Fraction(text)

    def _name(self, name: str) -> Number:
        if name in self.symbols:
            return self.symbols[name]
        if name == "sqrt":
            return self._root()
        if name == "exp" and self.exponentials and self._accept("("):
            return _exponential(self._closed(self._sum()), self.text)
        if name in ("pi", "e"):
            import sympy

            return sympy.pi if name == "pi" else sympy.E
        if name.lower() in ("nan", "inf", "oo", "infinity"):
            raise NumberError(f"{self.text!r} is not a number that can be worked with", "write a finite number")
        raise NumberError(f"{self.text!r} is not a number: {name!r} is not known", self._unknown(name))

    def _unknown(self, name: str) -> str:
        if name.lower() in ("true", "false", "null", "none", "yes", "no"):
            return "write a number"
        fix = nearest(name, ["sqrt", "pi", "e", *self.symbols])
        if fix.startswith("did you mean"):
            return f"{fix} (letters are declared with symbols: {{{name}: real}})"
        return f"a letter must be declared first, with symbols: {{{name}: real}}"

    def _root(self) -> Number:
        if not self._accept("("):
            kind, text = self._next()
            if kind == "literal":
                return _power(self._literal(text), Fraction(1, 2), self.text)
            raise NumberError(f"{self.text!r} is not a number: sqrt needs brackets", "write sqrt(2)")
        return _power(self._closed(self._sum()), Fraction(1, 2), self.text)


def _product_fix(kind: str) -> str:
    return "write products with *, as in 2*sqrt(3)" if kind in ("literal", "name") else ""


def _expression(value: Number) -> Any:
    import sympy

    return sympy.Rational(value.numerator, value.denominator) if isinstance(value, Fraction) else value


def _add(left: Number, right: Number) -> Number:
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left + right
    return _lowered(_expression(left) + _expression(right))


def multiply(left: Number, right: Number) -> Number:
    """The exact product of two finite numbers."""
    if isinstance(left, Fraction) and isinstance(right, Fraction):
        return left * right
    _afford(_terms(left) * _terms(right))
    return _lowered((_expression(left) * _expression(right)).expand())


def _terms(value: Number) -> int:
    return 1 if isinstance(value, Fraction) or not value.is_Add else len(value.args)


def _afford(terms: int) -> None:
    if terms > allowed().number_terms:
        raise NumberError(f"a number may have {allowed().number_terms} terms at most once it is multiplied out")


def _is_zero(value: Number) -> bool:
    """Whether a number is 0, however it is written: cancelled where it has symbols, as a ball where it has not."""
    if isinstance(value, Fraction) or value == 0:
        return bool(value == 0)
    if value.free_symbols:
        return bool(value.cancel() == 0)
    from attnsolve.numbers.balls import at_precision, ball

    with at_precision(512):
        return bool(ball(value).contains(0))


def _reciprocal(value: Number, text: str) -> Number:
    if _is_zero(value):
        raise NumberError(f"{text!r} divides by zero")
    if isinstance(value, Fraction):
        return 1 / value
    import sympy

    return _lowered(sympy.radsimp(1 / value, max_terms=4))


def _power(base: Number, exponent: Number, text: str) -> Number:
    if not isinstance(exponent, Fraction) or exponent.denominator > 2 or abs(exponent) > allowed().power:
        raise NumberError(
            f"{text!r}: a power must be a whole or half number between ±{allowed().power}", "write it out another way"
        )
    if exponent < 0 and _is_zero(base):
        raise NumberError(f"{text!r} divides by zero")
    if exponent.denominator == 2:
        base, exponent = _square_root(base, text), Fraction(exponent.numerator)
    if isinstance(base, Fraction):
        return _checked(base ** int(exponent), text)
    if exponent < 0:
        base, exponent = _reciprocal(base, text), -exponent
    times = int(exponent)
    _afford(comb(times + _terms(base) - 1, times))
    import sympy

    return _lowered(sympy.expand(_expression(base) ** times))


def _exponential(exponent: Number, text: str) -> Number:
    """e^exponent."""
    import sympy

    value = _expression(exponent)
    small = bool(value.free_symbols) or abs(value) <= allowed().exponent
    if value.has(sympy.E, sympy.exp, sympy.pi) or not small:
        raise NumberError(f"{text!r}: a power of e must be a number between ±{allowed().exponent}")
    return _lowered(sympy.exp(value))


def _square_root(value: Number, text: str) -> Number:
    if isinstance(value, Fraction):
        return _rational_root(value, text)
    if value.is_number and value.is_negative:
        raise NumberError(f"{text!r} is the root of a negative number")
    if value.free_symbols and not value.is_nonnegative:
        raise NumberError(f"{text!r}: the root of a symbol needs it declared positive")
    import sympy

    if value.is_number and any(_is_root(part) for part in sympy.preorder_traversal(value)):
        raise NumberError(f"{text!r}: roots inside roots are out of bounds")
    root = sympy.sqrt(value)
    if root.has(sympy.Abs):
        raise NumberError(f"{text!r}: the root of a square depends on the sign of its symbol: declare it positive")
    return _lowered(root)


def _is_root(part: Any) -> bool:
    return bool(part.is_Pow and not part.exp.is_Integer)


def _rational_root(value: Fraction, text: str) -> Number:
    if value < 0:
        raise NumberError(f"{text!r} is the root of a negative number")
    over, under = isqrt(value.numerator), isqrt(value.denominator)
    if over * over == value.numerator and under * under == value.denominator:
        return Fraction(over, under)
    if value.numerator * value.denominator > allowed().radicand:
        raise NumberError(f"{text!r}: the number under a root may be {allowed().radicand:.0e} at most")
    import sympy

    return sympy.sqrt(_expression(value))


def _lowered(value: Any) -> Number:
    """A sympy result that turned out rational goes back to being a Fraction."""
    return Fraction(int(value.p), int(value.q)) if value.is_Rational else value


def _checked(value: Number, text: str) -> Number:
    """Refuse what is not finite, and integers longer than can be worked with."""
    if isinstance(value, Fraction):
        parts = [value.numerator, value.denominator]
    else:
        import sympy

        if value.has(sympy.zoo, sympy.nan, sympy.oo):
            raise NumberError(f"{text!r} divides by zero")
        parts = [int(part) for number in value.atoms(sympy.Rational) for part in (number.p, number.q)]
    if max(part.bit_length() for part in parts or [0]) > allowed().number_bits:
        raise NumberError(f"{text!r} has more digits than can be worked with")
    return value
