"""Claims as terms: what `language.parser` reads, lowered to what can be evaluated, proved and written."""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction

from attnsolve.algebra.functions import Infinity, Limit, MaskedSoftmax, Moment
from attnsolve.errors import TermError
from attnsolve.language import parser, syntax
from attnsolve.language.functions import RESERVED as RESERVED
from attnsolve.language.tokens import LanguageError
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Grouped, Negate, Power
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Transpose
from attnsolve.operations.function import Function, Norm
from attnsolve.operations.letters import letter
from attnsolve.operations.number import Number, numeral
from attnsolve.operations.place import Entry, Filled, Listed, Summed
from attnsolve.operations.product import Product
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.stages import Powers
from attnsolve.operations.tanh import Tanh

_RELATIONS = {"<=": "≤", ">=": "≥"}
_FUNCTIONS: dict[str, Callable[..., Formula]] = {
    "softmax": Softmax,
    "masked": MaskedSoftmax,
    "exp": Powers,
    "tanh": Tanh,
    "norm": Norm,
    "ln": lambda inner: Function(inner, "ln"),
    "sqrt": lambda inner: Function(inner, "sqrt"),
    "abs": lambda inner: Function(inner, "abs"),
    "E": lambda inner: Moment(inner, "E"),
    "Var": lambda inner: Moment(inner, "Var"),
    "identity": lambda size: Filled("identity", size),
    "ones": lambda size: Filled("ones", size),
    "causal": lambda size: Filled("causal", size),
}
"""What each function of a claim is."""


def parse_term(text: str) -> Formula:
    """Read one term.

    >>> parse_term("X^T*v") == Product(Transpose(letter("X")), letter("v"))
    True
    """
    try:
        return _lowered(parser.parse_term(text))
    except LanguageError as error:
        raise TermError(str(error), error.fix) from None


def parse_claim(text: str) -> tuple[Formula, str, Formula]:
    """Read a claim: two terms and the relation between them (=, ≤ or ≥)."""
    terms, relations = parse_chain(text)
    if len(relations) != 1:
        raise TermError(f"one relation was expected, but {len(relations)} were found in {text!r}")
    return terms[0], relations[0], terms[1]


def parse_chain(text: str) -> tuple[list[Formula], list[str]]:
    """Read a chain of claims: its terms, and the relations between them."""
    try:
        terms, relations = parser.parse_chain(text)
        return [_lowered(term) for term in terms], [_RELATIONS.get(sign, sign) for sign in relations]
    except LanguageError as error:
        raise TermError(str(error), error.fix) from None


def parse_call(text: str, words: Collection[str]) -> tuple[str, list[Formula]]:
    """Read one of some words, with its arguments in brackets if it has any; "" if the text is none of them."""
    try:
        word, arguments = parser.parse_sort(text, words)
        return word, [_lowered(argument) for argument in arguments]
    except LanguageError as error:
        raise TermError(str(error), error.fix) from None


def _lowered(node: syntax.Node) -> Formula:
    """A node as the term that it means."""
    match node:
        case syntax.Number(text=text):
            return numeral(Fraction(text), decimal="." in text or "e" in text.lower())
        case syntax.Name(name="oo"):
            return Infinity()
        case syntax.Name(name=name):
            return letter(name)
        case syntax.Chain():
            return _chained(node)
        case syntax.Prefix(sign="-", inner=syntax.Name(name="oo")):
            return Infinity(negative=True)
        case syntax.Prefix(sign="-", inner=inner):
            return Negate(_lowered(inner))
        case syntax.Power(base=base, exponent=exponent, sign="^"):
            return Power(_lowered(base), int(syntax.written(exponent)))
        case syntax.Transpose(inner=inner):
            return Transpose(_lowered(inner))
        case syntax.Index(inner=inner, places=places):
            return Entry(_lowered(inner), *map(_lowered, places))
        case syntax.Group(inner=inner):
            term = _lowered(inner)
            return Grouped(term) if isinstance(term, Product) else term
        case syntax.Listed(entries=entries):
            return Listed(tuple(map(_lowered, entries)))
        case syntax.Call():
            return _called(node)
    raise _meaningless(node)


def _chained(chain: syntax.Chain) -> Formula:
    left = _lowered(chain.first)
    for sign, operand in chain.rest:
        right = _lowered(operand)
        if sign == "/" and (quotient := _quotient(left, right)) is not None:
            left = quotient
        elif sign in ("+", "-"):
            left = Add(left, right if sign == "+" else Negate(right))
        elif sign in ("*", "/"):
            left = Product(left, right) if sign == "*" else Divide(left, right)
        else:
            raise _meaningless(chain)
    return left


def _quotient(over: Formula, under: Formula) -> Number | None:
    """Two numbers as one fraction."""
    if not (isinstance(over, Number) and isinstance(under, Number) and over.rational is not None and under.rational):
        return None
    return numeral(over.rational / under.rational)


def _called(call: syntax.Call) -> Formula:
    arguments = tuple(map(_lowered, call.arguments))
    match call.over:
        case (syntax.Range(index=index, first=first, last=last, but=but),):
            left_out = None if but is None else _lowered(but)
            return Summed(index, _lowered(first), _lowered(last), arguments[0], left_out)
        case (syntax.Approach(symbol=symbol, to=to),):
            return Limit(symbol, _lowered(to), arguments[0])
    return _FUNCTIONS[call.name](*arguments)


def _meaningless(node: syntax.Node) -> TermError:
    """What formulas have and claims do not."""
    signs = {syntax.At: "@", syntax.Member: ".", syntax.Slice: ":", syntax.Degrees: "°", syntax.Power: ".^"}
    own = next((sign for sign, _ in node.rest if sign.startswith(".")), "") if isinstance(node, syntax.Chain) else ""
    fix = "the product is *" if isinstance(node, syntax.At) else "known: + - * / ^ ( ) [ ] = <= >="
    return TermError(f"{own or signs[type(node)]!r} has no meaning in a term", fix)
