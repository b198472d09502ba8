"""Claims as terms: what `language.parser` reads, lowered to what can be evaluated, proved and written."""

from __future__ import annotations

from collections.abc import Callable, Collection

from attnsolve.algebra.functions import Derivative, Infinity, Limit, MaskedSoftmax, Moment
from attnsolve.errors import TermError
from attnsolve.language import parser, syntax
from attnsolve.language.functions import RESERVED as RESERVED
from attnsolve.language.tokens import LanguageError
from attnsolve.operations.arithmetic import Grouped
from attnsolve.operations.entrywise import Multiply
from attnsolve.operations.formula import Formula
from attnsolve.operations.function import Function, Norm
from attnsolve.operations.lowering import Lowering
from attnsolve.operations.place import Filled
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.stages import Powers
from attnsolve.operations.structure import Diagonal
from attnsolve.operations.tanh import Tanh

_RELATIONS = {"<=": "≤", ">=": "≥"}
_FUNCTIONS: dict[str, Callable[..., Formula]] = {
    "softmax": Softmax,
    "masked": MaskedSoftmax,
    "exp": Powers,
    "tanh": Tanh,
    "norm": Norm,
    "diag": Diagonal,
    "diff": Derivative,
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


class _Claims(Lowering):
    """Claims also know infinity, limits, products entry by entry and their own functions."""

    def formula(self, node: syntax.Node) -> Formula:
        match node:
            case syntax.NameNode(name="oo"):
                return Infinity()
            case syntax.PrefixNode(sign="-", inner=syntax.NameNode(name="oo")):
                return Infinity(negative=True)
            case syntax.CallNode(over=(syntax.ApproachNode(symbol=symbol, to=to),), arguments=(body,)):
                return Limit(symbol, self.formula(to), self.formula(body))
        return super().formula(node)

    def call(self, name: str, arguments: list[Formula]) -> Formula:
        return _FUNCTIONS[name](*arguments)

    def group(self, inner: syntax.Node) -> Formula:
        formula = super().group(inner)
        return Grouped(formula) if isinstance(formula, Multiply) else formula

    def join(self, left: Formula, sign: str, right: Formula) -> Formula:
        return Multiply(left, right) if sign == ".*" else super().join(left, sign, right)


_lowered = _Claims().formula


def parse_term(text: str) -> Formula:
    """Read one term.

    >>> parse_term("X^T*v")
    Product(left=Transpose(inner=Ref(key=Key(id='X', at=()))), right=Ref(key=Key(id='v', at=())))
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
