"""What people type, as the plain tokens of the number grammar.

A number may be copied from a page (6.897×10⁻¹³, ½, 2√2), from LaTeX (\\frac{1}{2}, $e^{2}$) or from a spreadsheet
(0,5). All of that is spelling, and is settled here, once, before anything is judged; `spec.number` above reads the
plain tokens and knows nothing of it. Every token keeps its place in the text, so that messages quote what was written.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from attnsolve.notation.letters import GREEK_NAMES, SUBSCRIPTS, SUPERSCRIPTS
from attnsolve.record import Record, record


class NumberError(ValueError):
    """Text that isn't a number of the grammar; the message says why, `fix` how to mend it."""

    def __init__(self, message: str, fix: str = "") -> None:
        super().__init__(message)
        self.fix = fix


class Token(NamedTuple):
    """One plain token (literal, name, sign or end), and where it stands in the text."""

    kind: str
    text: str
    start: int
    end: int


@record
class Tokens(Record):
    """A number in plain tokens, the last one `end`; `notes` say what could have been meant otherwise."""

    items: tuple[Token, ...]
    notes: tuple[str, ...] = ()

    @property
    def plain(self) -> str:
        """The tokens without any space between them."""
        return "".join(token.text for token in self.items)


SIGNS = {
    "−": "-", "–": "-", "‐": "-", "‑": "-", "‒": "-", "—": "-", "﹣": "-",
    "·": "*", "×": "*", "⋅": "*", "∙": "*", "∗": "*", "÷": "/", "⁄": "/", "∕": "/",
}  # fmt: skip
"""Signs of arithmetic that have a plain form."""
MOST_MIXED = 18
"""Digits of the 2 of 2½."""
DASHES = "".join(sign for sign, plain in SIGNS.items() if plain == "-")
_SYMBOLS = {"√": "sqrt", "π": "pi", "∞": "oo", "ℯ": "e"}
_VULGAR = {
    "½": "1/2", "⅓": "1/3", "⅔": "2/3", "¼": "1/4", "¾": "3/4", "⅕": "1/5", "⅖": "2/5", "⅗": "3/5", "⅘": "4/5",
    "⅙": "1/6", "⅚": "5/6", "⅐": "1/7", "⅛": "1/8", "⅜": "3/8", "⅝": "5/8", "⅞": "7/8", "⅑": "1/9", "⅒": "1/10",
}  # fmt: skip
_COMMANDS = {"cdot": "*", "times": "*", "ast": "*", "div": "/", "dfrac": "frac", "tfrac": "frac", "cfrac": "frac",
             "infty": "oo"}  # fmt: skip
_FULL_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_ABOVE = "".join(SUPERSCRIPTS.values())
_LOWERED = str.maketrans({small: plain for plain, small in SUPERSCRIPTS.items()})
_WORD = rf"[^\W{_ABOVE}π]"
_POINTED = r"\d+(?:\.\d*)?|\.\d+"
_COMMAED = r"\d+(?:(?:,|\{,\})\d+)+"
_SCAN = re.compile(
    rf"""(?P<space>\s+|\\[,;:!\ ]|\\(?:q?quad|left|right|[bB]igg?[lr]?|displaystyle)(?![A-Za-z]))
    |(?P<halves>\\[dtc]?frac\s*\d\s*\d(?!\d))
    |(?P<literal>(?:{_COMMAED}|{_POINTED})(?:[eE][-+{DASHES}]?\d+(?!\d|[.,]\d))?)
    |(?P<vulgar>[{"".join(_VULGAR)}])
    |(?P<above>[{_ABOVE}]+)
    |(?P<times>[xX](?=\s*10\s*(?:\^|\*\*|[{_ABOVE}])))
    |(?P<spelled>\\(?:mathrm|text|operatorname|mathit)\s*\{{\s*{_WORD}+\s*\}}(?:_[A-Za-z0-9]+|_\{{\w+\}})?)
    |(?P<command>\\(?:[A-Za-z]+(?:_[A-Za-z0-9]+|_\{{\w+\}})?|%))
    |(?P<infinite>\.(?i:inf)(?!\w))
    |(?P<name>(?!\d){_WORD}+(?:(?<=_)\{{\w+\}})?)
    |(?P<sign>\*\*|[-+*/^(){{}}%]|[{"".join(SIGNS)}{"".join(_SYMBOLS)}])""",
    re.VERBOSE,
)
_RELATION = re.compile(r"\s*(?:≈|~=|~|≅|≃|∼|=|\\(?:approx|simeq|sim|cong)(?![A-Za-z]))")
_FENCES = (("$$", "$$"), ("$", "$"), (r"\(", r"\)"), (r"\[", r"\]"))
_EXPONENT = re.compile(r"(?P<mantissa>.*)(?P<letter>[eE])(?P<sign>[-+])(?P<digits>\d+)")
LONGEST_QUOTED = 40
"""Characters of a number that a note repeats."""
_ESCAPED = re.compile(r"[\a\b\t\v\f\r\x1b][a-z]")
LATEX_FIX = r"put LaTeX between single quotes: '\frac{1}{2}'"
_THOUSANDS = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")


def tokenise(text: str) -> Tokens:
    """The plain tokens of a number.

    >>> tokenise("≈ 6.897×10⁻¹³").plain
    '6.897*10^(-13)'
    """
    whole = text.translate(_FULL_WIDTH)
    found, notes = _scanned(whole, *_core(whole))
    found = _one_reading(found, text, notes)
    end = found[-1].end if found else len(text)
    return Tokens((*found, Token("end", "", end, end)), tuple(notes))


def quoted(text: str) -> str:
    """Text as a note repeats it."""
    return text if len(text) <= LONGEST_QUOTED else f"{text[: LONGEST_QUOTED // 2]}…{text[-LONGEST_QUOTED // 2 :]}"


def trimmed(text: str) -> str:
    """Text without space around it; refused where YAML has made control characters of LaTeX ("\\frac" begins with a
    form feed)."""
    if _ESCAPED.search(text):
        said = f"{text!r} is not a number: a backslash between double quotes has a meaning of its own"
        raise NumberError(said, LATEX_FIX)
    return text.strip()


def with_plain_signs(text: str) -> str:
    """A claim with its signs in plain characters: x² as x^2, ½ as (1/2)."""
    text = _RAISED.sub(lambda run: "^" + run[0].translate(_LOWERED), text)
    text = re.sub(f"[{''.join(_VULGAR)}]", lambda sign: f"({_VULGAR[sign[0]]})", text)
    return text.replace("√(", "sqrt(").translate(_PLAIN_SIGNS)


_RAISED = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+|ᵀ")
_PLAIN_SIGNS = str.maketrans(SIGNS)


def as_typed(text: str) -> str:
    """What a reader copies from the page, as it is typed: z₃,₁ as z_3,1 and S′ as S'."""
    text = re.sub(f"{_SMALL}+(,{_SMALL}+)*", lambda run: "_" + run[0], text)
    return text.translate(_TYPED)


_SMALL = f"[{''.join(small for small in SUBSCRIPTS.values() if small != ',')}]"
_TYPED = str.maketrans({**{small: plain for plain, small in SUBSCRIPTS.items()}, "′": "'", "″": "''"})


def spelled_out(name: str) -> str:
    """A letter as it is declared: β as beta, D_{k} and Dₖ as D_k."""
    name = as_typed(re.sub(r"_?\{(\w+)\}$", r"_\1", name))
    letter, _, index = name.partition("_")
    return GREEK_NAMES.get(letter, letter) + (f"_{index}" if index else "")


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


def _scanned(text: str, start: int, end: int) -> tuple[list[Token], list[str]]:
    found: list[Token] = []
    notes: list[str] = []
    position = start
    while position < end:
        match = _SCAN.match(text, position, end)
        kind = "" if match is None else str(match.lastgroup)
        if match is None or (kind == "times" and (not found or found[-1].kind != "literal")):
            match = _NAME.match(text, position, end)
            kind = "name"
        if match is None:
            raise _meaningless(text, position)
        if kind != "space":
            _READERS[kind](match[0], match.start(), found, notes)
        position = match.end()
    return found, notes


_NAME = re.compile(rf"(?!\d){_WORD}+")


def _meaningless(text: str, position: int) -> NumberError:
    """What can't be part of any number, with the likeliest reason."""
    sign = text[position]
    fixes = {
        "≈": "write one number",
        "=": "write one number",
        "$": "put $ before and after the number",
    }
    return NumberError(f"{text.strip()!r} is not a number: {sign!r} has no meaning here", fixes.get(sign, ""))


# ── one reader for every sort of spelling: each adds its tokens to those found so far ────────────────


def _read_literal(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    plain = text.replace("{,}", ",")
    number, letter, exponent = re.split("([eE])", plain, maxsplit=1) if "e" in plain.lower() else (plain, "", "")
    if "," in number:
        if _THOUSANDS.fullmatch(number) or number.count(",") > 1:
            joined, pointed = number.replace(",", ""), number.replace(",", ".")
            either = f"{joined} or {pointed}" if number.count(",") == 1 else quoted(joined)
            raise NumberError(f"{text!r} is not clear: its comma may group thousands", f"write {either}")
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
        found.append(Token("literal", _VULGAR[text], start, start + 1))


def _mixed(whole: str, part: str) -> Fraction:
    if len(whole) > MOST_MIXED:
        raise NumberError(f"the whole part of a mixed number may have {MOST_MIXED} digits at most")
    return int(whole) + Fraction(_VULGAR[part])


def _read_above(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """⁻¹³ as ^(-13)."""
    inner, _ = _scanned(text.translate(_LOWERED), 0, len(text))
    moved = [Token(t.kind, t.text, t.start + start, t.end + start) for t in inner]
    end = start + len(text)
    found += [Token("sign", "^", start, start), Token("sign", "(", start, start)]
    found += [*moved, Token("sign", ")", end, end)]


def _read_halves(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """\\frac12."""
    over, under = re.findall(r"\d", text)
    found.append(Token("literal", f"{over}/{under}", start, start + len(text)))


def _read_times(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    found.append(Token("sign", "*", start, start + 1))


def _read_command(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    name = text[1:]
    plain = _COMMANDS.get(name, name)
    found.append(Token("sign" if plain in "*/%" else "name", plain, start, start + len(text)))


def _read_spelled(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    """\\mathrm{e}."""
    name, _, index = text.partition("{")[2].partition("}")
    found.append(Token("name", name.strip() + index, start, start + len(text)))


def _read_name(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    found.append(Token("name", _SYMBOLS.get(text, text), start, start + len(text)))


def _read_infinite(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    found.append(Token("name", "oo", start, start + len(text)))


def _read_sign(text: str, start: int, found: list[Token], notes: list[str]) -> None:
    if text in _SYMBOLS:
        _read_name(text, start, found, notes)
        return
    plain = "^" if text == "**" else SIGNS.get(text, text)
    found.append(Token("sign", plain, start, start + len(text)))


_READERS = {
    "literal": _read_literal,
    "vulgar": _read_vulgar,
    "above": _read_above,
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
            said = f"{text.strip()!r} can be read in two ways at {quoted(token.text)!r}"
            raise NumberError(said, f"write {quoted(ten)} or {quoted(times)}")
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
