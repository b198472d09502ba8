"""Claims as terms: what `language.parser` reads, lowered to what can be evaluated, proved and written."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction

from attnsolve.algebra.functions import Filled, Function, Limit, MaskedSoftmax, Summed
from attnsolve.algebra.table import TermError
from attnsolve.algebra.terms import (
    Add,
    Divide,
    Entry,
    Grouped,
    Infinity,
    Listed,
    Multiply,
    Name,
    Negate,
    Number,
    Power,
    Term,
    Transposed,
)
from attnsolve.language import parser, syntax
from attnsolve.language.functions import CLAIM_FILLED
from attnsolve.language.functions import RESERVED as RESERVED
from attnsolve.language.tokens import LanguageError

_RELATIONS = {"<=": "≤", ">=": "≥"}


def parse_term(text: str) -> Term:
    """Read one term.

    >>> parse_term("X^T*v") == Multiply(Transposed(Name("X")), Name("v"))
    True
    """
    try:
        return _lowered(parser.parse_term(text))
    except LanguageError as error:
        raise TermError(str(error), error.fix) from None


def parse_claim(text: str) -> tuple[Term, str, Term]:
    """Read a claim: two terms and the relation between them (=, ≤ or ≥)."""
    terms, relations = parse_chain(text)
    if len(relations) != 1:
        raise TermError(f"one relation was expected, but {len(relations)} were found in {text!r}")
    return terms[0], relations[0], terms[1]


def parse_chain(text: str) -> tuple[list[Term], list[str]]:
    """Read a chain of claims: its terms, and the relations between them."""
    try:
        terms, relations = parser.parse_chain(text)
        return [_lowered(term) for term in terms], [_RELATIONS.get(sign, sign) for sign in relations]
    except LanguageError as error:
        raise TermError(str(error), error.fix) from None


def parse_call(text: str, words: Collection[str]) -> tuple[str, list[Term]]:
    """Read one of some words, with its arguments in brackets if it has any; "" if the text is none of them."""
    try:
        word, arguments = parser.parse_sort(text, words)
        return word, [_lowered(argument) for argument in arguments]
    except LanguageError as error:
        raise TermError(str(error), error.fix) from None


def _lowered(node: syntax.Node) -> Term:
    """A node as the term that it means."""
    match node:
        case syntax.Number(text=text):
            return Number(Fraction(text), decimal="." in text or "e" in text.lower())
        case syntax.Name(name="oo"):
            return Infinity()
        case syntax.Name(name=name):
            return Name(name)
        case syntax.Chain():
            return _chained(node)
        case syntax.Prefix(sign="-", inner=syntax.Name(name="oo")):
            return Infinity(negative=True)
        case syntax.Prefix(sign="-", inner=inner):
            return Negate(_lowered(inner))
        case syntax.Power(base=base, exponent=exponent, sign="^"):
            return Power(_lowered(base), int(syntax.written(exponent)))
        case syntax.Transpose(inner=inner):
            return Transposed(_lowered(inner))
        case syntax.Index(inner=inner, places=places):
            return Entry(_lowered(inner), *map(_lowered, places))
        case syntax.Group(inner=inner):
            term = _lowered(inner)
            return Grouped(term) if isinstance(term, Multiply) else term
        case syntax.Listed(entries=entries):
            return Listed(tuple(map(_lowered, entries)))
        case syntax.Call():
            return _called(node)
    raise _meaningless(node)


def _chained(chain: syntax.Chain) -> Term:
    left = _lowered(chain.first)
    for sign, operand in chain.rest:
        right = _lowered(operand)
        if sign == "/" and isinstance(left, Number) and isinstance(right, Number) and right.rational:
            left = Number(left.rational / right.rational)
        elif sign in ("+", "-"):
            left = Add(left, right if sign == "+" else Negate(right))
        elif sign in ("*", "/"):
            left = Multiply(left, right) if sign == "*" else Divide(left, right)
        else:
            raise _meaningless(chain)
    return left


def _called(call: syntax.Call) -> Term:
    arguments = tuple(map(_lowered, call.arguments))
    match call.over:
        case (syntax.Range(index=index, first=first, last=last, but=but),):
            left_out = None if but is None else _lowered(but)
            return Summed(index, _lowered(first), _lowered(last), arguments[0], left_out)
        case (syntax.Approach(symbol=symbol, to=to),):
            return Limit(symbol, _lowered(to), arguments[0])
    if call.name == "masked":
        return MaskedSoftmax(*arguments)
    return (Filled if call.name in CLAIM_FILLED else Function)(call.name, arguments[0])


def _meaningless(node: syntax.Node) -> TermError:
    """What formulas have and claims do not."""
    signs = {syntax.At: "@", syntax.Member: ".", syntax.Slice: ":", syntax.Degrees: "°", syntax.Power: ".^"}
    own = next((sign for sign, _ in node.rest if sign.startswith(".")), "") if isinstance(node, syntax.Chain) else ""
    fix = "the product is *" if isinstance(node, syntax.At) else "known: + - * / ^ ( ) [ ] = <= >="
    return TermError(f"{own or signs[type(node)]!r} has no meaning in a term", fix)
