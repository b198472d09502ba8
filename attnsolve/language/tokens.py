"""What people type, as plain tokens: one tokeniser for every level of the language.

A number may be copied from a page (6.897×10⁻¹³, ½, 2√2), from LaTeX (\\frac{1}{2}, $e^{2}$) or from a spreadsheet
(0,5); a formula has x², √d_k, A_{2,1}. All of that is spelling, and is settled here, once, before anything is judged:
the parser reads plain tokens and knows nothing of it. Every token keeps its place in the text, so that messages quote
what was written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Literal, NamedTuple

from attnsolve.language.habits import without_signs
from attnsolve.language.typography import (
    ABOVE,
    COMMANDS,
    DASHES,
    ENTRYWISE,
    FULL_WIDTH,
    LOWERED,
    RELATIONS,
    SIGNS,
    SMALL,
    SYMBOLS,
    VULGAR,
    as_typed,
    quoted,
)
from attnsolve.record import Record, record

Level = Literal["number", "formula", "claim"]
"""What is read. Only a number may have products without a sign, decimal commas and LaTeX; only a formula primes; a
claim is a formula with relations, in which ' transposes and E[x] is a mean."""


class LanguageError(ValueError):
    """Text that can't be read; the message says why, `fix` how to mend it, `column` where (counted from 0)."""

    def __init__(self, message: str, fix: str = "", column: int = 0) -> None:
        super().__init__(message)
        self.fix = fix
        self.column = column


class Token(NamedTuple):
    """One plain token (literal, name, sign or end), and where it stands in the text."""

    kind: str
    text: str
    start: int
    end: int


@record
class Tokens(Record):
    """A text in plain tokens, the last one `end`; `notes` say what could have been meant otherwise."""

    items: tuple[Token, ...]
    notes: tuple[str, ...] = ()

    @property
    def plain(self) -> str:
        """The tokens without any space between them."""
        return "".join(token.text for token in self.items)


MOST_MIXED = 18
"""Digits of the 2 of 2½."""
LATEX_FIX = r"put LaTeX in single quotes: '\frac{1}{2}'"
_WORD = rf"[^\W{ABOVE}π]"
_POINTED = r"\d+(?:\.\d*)?|\.\d+"
_COMMAED = r"\d+(?:(?:,|\{,\})\d+)+"
_NUMBER = rf"""(?P<space>\s+|\\[,;:!\ ]|\\(?:q?quad|left|right|[bB]igg?[lr]?|displaystyle)(?![A-Za-z]))
    |(?P<halves>\\[dtc]?frac\s*\d\s*\d(?!\d))
    |(?P<literal>(?:{_COMMAED}|{_POINTED})(?:[eE][-+{DASHES}]?\d+(?!\d|[.,]\d))?)
    |(?P<vulgar>[{"".join(VULGAR)}])
    |(?P<above>[{ABOVE}]+)
    |(?P<times>[xX](?=\s*10\s*(?:\^|\*\*|[{ABOVE}])))
    |(?P<spelled>\\(?:mathrm|text|operatorname|mathit)\s*\{{\s*{_WORD}+\s*\}}(?:_[A-Za-z0-9]+|_\{{\w+\}})?)
    |(?P<command>\\(?:[A-Za-z]+(?:_[A-Za-z0-9]+|_\{{\w+\}})?|%))
    |(?P<infinite>\.(?i:inf)(?!\w))
    |(?P<name>(?!\d){_WORD}+(?:(?<=_)\{{\w+\}})?)
    |(?P<sign>\*\*|[-+*/^(){{}}%]|[{"".join(SIGNS)}{"".join(SYMBOLS)}])"""
_LETTERS_ABOVE = "".join(small for small in ABOVE if small.isalpha() and small != "ᵀ")
_FORMULA = rf"""(?P<space>\s+)
    |(?P<literal>(?:\d+(?:\.\d+|\.(?![.*/^\w]))?|(?<![\w)\]'.])\.\d+)(?:[eE][-+{DASHES}]?\d+(?![\w.]))?)
    |(?P<vulgar>[{"".join(VULGAR)}])
    |(?P<turned>\^?[ᵀ⊤]|\^\{{\s*(?:T|⊤|\\top)\s*\}}|\^\\top(?![A-Za-z]))
    |(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹⁻{_LETTERS_ABOVE}]+)
    |(?P<word>(?!\d)[^\W{ABOVE}]+PRIMES(?:(?<=_)\{{[^{{}}]*\}}|(?:(?<={SMALL}),{SMALL}+)+)?)
    |(?P<sign>\.\.|->|<=|>=|!=|COMPARED\.[*/^]|[-+*/^()\[\],='@:.°]|[{"".join((*SIGNS, *RELATIONS, *ENTRYWISE))}√∞])"""
_RELATION = re.compile(r"\s*(?:≈|~=|~|≅|≃|∼|=|\\(?:approx|simeq|sim|cong)(?![A-Za-z]))")
_FENCES = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
_EXPONENT = re.compile(r"(?P<mantissa>.*)(?P<letter>[eE])(?P<sign>[-+])(?P<digits>\d+)")
_ESCAPED = re.compile(r"[\a\b\t\v\f\r\x1b][a-z]")
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")


def tokenise(text: str, level: Level = "number") -> Tokens:
    """The plain tokens of a text.

    >>> tokenise("≈ 6.897×10⁻¹³").plain
    '6.897*10^(-13)'
    >>> tokenise("x² + A_{2,1}", "formula").plain
    'x^2+A[2,1]'
    """
    whole = text.translate(FULL_WIDTH) if level == "number" else text
    found: list[Token] = []
    notes: list[str] = []
    _scan(whole, *(_core(whole) if level == "number" else (0, len(text.rstrip()))), level, found, notes)
    if level == "number":
        found = _one_reading(found, text, notes)
    end = found[-1].end if found else len(text)
    return Tokens((*found, Token("end", "", end, end)), tuple(notes))


def trimmed(text: str) -> str:
    """Text without space around it; refused where YAML has made control characters of LaTeX ("\\frac" begins with a
    form feed)."""
    if _ESCAPED.search(text):
        message = f"{text!r} is not a number: a backslash in double quotes has a special meaning"
        raise LanguageError(message, LATEX_FIX)
    return text.strip()


def _core(text: str) -> tuple[int, int]:
    """Where the number itself begins and ends: after ≈ or =, inside $…$."""
    start, end, related = 0, len(text), False
    while True:
        end = start + len(text[start:end].rstrip())
        start += len(text[start:end]) - len(text[start:end].lstrip())
        inner = text[start:end]
        fence = next((f for f in _FENCES if inner.startswith(f[0]) and inner.endswith(f[1])), None)
        relation = None if related else _RELATION.match(inner)
        if fence is not None and len(inner) > len(fence[0]) + len(fence[1]):
            start, end = start + len(fence[0]), end - len(fence[1])
        elif relation is not None:
            start, related = start + relation.end(), True
        else:
            return start, end


@cache
def _pattern(level: Level) -> re.Pattern[str]:
    """What a token is; compiled when the first text of its level is read, since few runs read all of them."""
    if level == "number":
        return re.compile(_NUMBER, re.VERBOSE)
    primes = "(?:['′″]+(?:_[^\\W_]+|_(?={))?)?" if level == "formula" else ""
    compared = "[<>]|" if level == "formula" else ""
    return re.compile(_FORMULA.replace("PRIMES", primes).replace("COMPARED", compared), re.VERBOSE)


def _scan(text: str, start: int, end: int, level: Level, found: list[Token], notes: list[str]) -> None:
    """Add the tokens of a stretch of text to those found so far."""
    position, pattern = start, _pattern(level)
    while position < end:
        match = pattern.match(text, position, end)
        kind = "" if match is None else str(match.lastgroup)
        if level == "number" and (match is None or (kind == "times" and (not found or found[-1].kind != "literal"))):
            match = _NAME.match(text, position, end)
            kind = "name"
        if match is None:
            raise _meaningless(text, position, level)
        if kind != "space":
            _READERS[kind](match[0], match.start(), found, notes)
        position = match.end()


_NAME = re.compile(rf"(?!\d){_WORD}+")
_FIXES = {
    "number": {"≈": "write one number", "=": "write one number", "$": "put $ before and after the number"},
    "term": {
        "{": "use round brackets",
        "<": "write <= or >=",
        ">": "write <= or >=",
        "|": "write norm(x) or abs(x)",
        "‖": "write norm(x)",
        "⊗": "write outer(v, w) for vectors, A .* B entry by entry",
        "\\": "write it without LaTeX, as in sqrt(d_k) or (a + b)/c",
        "∑": "write total(x), or sum(i=1..n, x[i])",
        ";": "write a comma between arguments, or stack(A, B) for one below the other",
    },
}
"""The likeliest reason for a character that has no meaning."""


def _meaningless(text: str, position: int, level: Level) -> LanguageError:
    sign = text[position]
    if level == "number":
        message = f"{text.strip()!r} is not a number: {sign!r} has no meaning here"
        return LanguageError(message, _FIXES["number"].get(sign, ""), position)
    mended = without_signs(text, sign) if level == "formula" else ""
    fix = f"write {mended}" if mended else _FIXES["term"].get(sign, "known: + - * / ^ ( ) [ ] = <= >=")
    return LanguageError(f"{sign!r} has no meaning in a term", fix, position)


# ── one reader for every sort of spelling: each adds its tokens to those found so far ────────────────


def _read_literal(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    plain = text.replace("{,}", ",")
    number, letter, exponent = re.split("([eE])", plain, maxsplit=1) if "e" in plain.lower() else (plain, "", "")
    if "," in number:
        if _THOUSANDS.fullmatch(number) or number.count(",") > 1:
            joined, pointed = number.replace(",", ""), number.replace(",", ".")
            either = f"{joined} or {pointed}" if number.count(",") == 1 else quoted(joined)
            raise LanguageError(f"{text!r} is ambiguous: its comma may group thousands", f"write {either}")
        notes.append(f"{quoted(text)} was read as {quoted(plain.replace(',', '.'))}")
        number = number.replace(",", ".")
    for dash in DASHES:
        exponent = exponent.replace(dash, "-")
    found.append(Token("literal", number + letter + exponent, start, start + len(text)))


def _read_vulgar(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """½; behind a whole number, the mixed number 2½."""
    if found and found[-1].kind == "literal" and found[-1].text.isdigit():
        whole = found.pop()
        found.append(Token("literal", str(_mixed(whole.text, text)), whole.start, start + 1))
    else:
        found.append(Token("literal", VULGAR[text], start, start + 1))


def _mixed(whole: str, part: str) -> Fraction:
    if len(whole) > MOST_MIXED:
        raise LanguageError(f"the whole part of a mixed number may have at most {MOST_MIXED} digits")
    return int(whole) + Fraction(VULGAR[part])


def _moved(inner: list[Token], start: int) -> list[Token]:
    return [Token(t.kind, t.text, t.start + start, t.end + start) for t in inner]


def _signs(text: str, place: int) -> list[Token]:
    """Signs that nobody wrote."""
    return [Token("sign", sign, place, place) for sign in text]


def _read_above(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """⁻¹³ as ^(-13)."""
    inner: list[Token] = []
    _scan(text.translate(LOWERED), 0, len(text), "number", inner, [])
    found += [*_signs("^(", start), *_moved(inner, start), *_signs(")", start + len(text))]


def _read_power(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """² as ^2, ᵀ as ^T; what is longer than a number or a letter stands in brackets."""
    inner: list[Token] = []
    _scan(text.translate(LOWERED), 0, len(text), "formula", inner, [])
    short = len(inner) == 1 or (len(inner) == 2 and inner[0].text == "-")
    before, after = ("^", "") if short else ("^(", ")")
    found += [*_signs(before, start), *_moved(inner, start), *_signs(after, start + len(text))]


def _read_turned(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """ᵀ and ^{T} as ^T."""
    end = start + len(text)
    found += [Token("sign", "^", start, end), Token("name", "T", start, end)]


def _read_word(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """A name, with its index plainly: W_{Q} and x₁ as W_Q and x_1; A_{2,1} and A₂,₁ as A[2,1]."""
    end = start + len(text)
    name, below, inner = as_typed(text).partition("_{" if "{" in text else "_")
    if not name:
        raise LanguageError("'{' has no meaning in a term", _FIXES["term"]["{"], start)
    inner = inner.strip("} ")
    if below != "_{" and "," not in inner:
        found.append(Token("name", name + below + inner, start, end))
    elif inner.isalnum():
        found.append(Token("name", f"{name}_{inner}", start, end))
    else:
        indices: list[Token] = []
        _scan(inner, 0, len(inner), "formula", indices, [])
        placed = [Token(t.kind, t.text, start, end) for t in indices]
        found += [Token("name", name, start, end), *_signs("[", end), *placed, *_signs("]", end)]


def _read_halves(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """\\frac12."""
    over, under = re.findall(r"\d", text)
    found.append(Token("literal", f"{over}/{under}", start, start + len(text)))


def _read_times(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    found.append(Token("sign", "*", start, start + 1))


def _read_command(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    name = text[1:]
    plain = COMMANDS.get(name, name)
    found.append(Token("sign" if plain in "*/%" else "name", plain, start, start + len(text)))


def _read_spelled(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """\\mathrm{e}."""
    name, _, index = text.partition("{")[2].partition("}")
    found.append(Token("name", name.strip() + index, start, start + len(text)))


def _read_name(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    found.append(Token("name", SYMBOLS.get(text, text), start, start + len(text)))


def _read_infinite(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    found.append(Token("name", "oo", start, start + len(text)))


def _read_sign(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    if text in SYMBOLS:
        _read_name(text, start, found, notes)
        return
    plain = "^" if text == "**" else SIGNS.get(text) or ENTRYWISE.get(text) or RELATIONS.get(text, text)
    found.append(Token("sign", plain, start, start + len(text)))


_READERS: dict[str, Callable[[str, int, list[Token], list[str]], None]] = {
    "literal": _read_literal,
    "vulgar": _read_vulgar,
    "above": _read_above,
    "power": _read_power,
    "turned": _read_turned,
    "word": _read_word,
    "halves": _read_halves,
    "times": _read_times,
    "command": _read_command,
    "spelled": _read_spelled,
    "name": _read_name,
    "infinite": _read_infinite,
    "sign": _read_sign,
}


# ── 2e+1: twenty, or twice Euler's number and one ───────────────────────────────────────────────────


def _one_reading(found: list[Token], text: str, notes: list[str]) -> list[Token]:
    """Decide on every literal such as 2e+1: by itself it is 20, inside a larger expression 2·e + 1."""
    alone = sum(token.text not in ("-", "+", "%") for token in found) == 1
    has_e = any(token.kind == "name" and token.text in ("e", "exp") for token in found)
    decided: list[Token] = []
    for token in found:
        match = _EXPONENT.fullmatch(token.text) if token.kind == "literal" else None
        if match is None or not _may_be_euler(match):
            decided.append(token)
        elif alone:
            decided.append(token)
            if match["sign"] == "+" and match["mantissa"].isdigit():
                notes.append(_which_e("-" * any(sign.text == "-" for sign in found), match))
        elif match["mantissa"].isdigit() and (match["sign"] == "+" or has_e):
            decided += _multiplied(token, match)
        elif has_e or match["mantissa"].isdigit():
            mantissa, sign, digits = match["mantissa"], match["sign"], match["digits"]
            ten, times = f"{mantissa}*10^{sign.strip('+')}{digits}", f"{mantissa}*e {sign} {digits}"
            message = f"{text.strip()!r} can be read in two ways at {quoted(token.text)!r}"
            raise LanguageError(message, f"write {quoted(ten)} or {quoted(times)}")
        else:
            decided.append(token)
    return decided


def _which_e(sign: str, match: re.Match[str]) -> str:
    mantissa, digits = match["mantissa"], match["digits"]
    value = mantissa + "0" * int(digits) if len(digits) == 1 else f"{mantissa}·10^{digits}"
    read, times = quoted(sign + value), quoted(f"{sign}{mantissa}*e + {digits}")
    return f"{sign}{quoted(match[0])} was read as {read}; write {times} if e is Euler's number"


def _may_be_euler(match: re.Match[str]) -> bool:
    """Nobody writes 1·e as 1e, nor Euler's number as E, nor a whole number with a leading 0."""
    return match["letter"] == "e" and match["mantissa"] != "1" and not match["digits"].startswith("0")


def _multiplied(token: Token, match: re.Match[str]) -> list[Token]:
    """2e+1 as 2·e + 1."""
    places = [token.start + match.start(group) for group in ("mantissa", "letter", "sign", "digits")]
    kinds = ("literal", "name", "sign", "literal")
    texts = [match[group] for group in ("mantissa", "letter", "sign", "digits")]
    ends = [*places[1:], token.end]
    return [Token(*parts) for parts in zip(kinds, texts, places, ends, strict=True)]
