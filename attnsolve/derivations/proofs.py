"""Claims that a part may ask to be shown, with the problem's own letters and at its own size; and then in its numbers.

The argument is written like any derivation: no line of it stands here that was not verified.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from attnsolve import notation as n
from attnsolve.algebra.declared import Declared, Defined, Free, Index
from attnsolve.algebra.grammar import parse_term
from attnsolve.derivations.argument import Argument, Unverified
from attnsolve.document import Block, Paragraph
from attnsolve.graph import Graph, Name, Quantity
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.operations.add import Add
from attnsolve.operations.formula import Formula, Ref, Transpose
from attnsolve.operations.number import numeral
from attnsolve.operations.product import Product, Projection, WeightedSum

MOST_TERMS = 8
"""A sum longer than this isn't written out term by term."""
MOST_KEPT = 64
"""How many arguments of each sort are kept for the next problem."""


def prove(claim: str, narrator: ExactNarrator) -> list[Block]:
    """The proof of a claim, for every quantity of the problem that it is about."""
    _, proof = _PROOFS[claim]
    about = _about(claim, narrator.graph)
    return [block for quantity in about for block in (*proof(narrator, quantity), *_seen(narrator, quantity))]


def unprovable(claim: str, graph: Graph) -> str:
    """Why a claim can't be shown for a problem; empty where it can."""
    if _about(claim, graph):
        return ""
    return f"{claim} can't be shown: this problem has no {' or '.join(_PROOFS[claim][0])} to show it for"


def _about(claim: str, graph: Graph) -> list[Quantity]:
    """The quantities that a claim is shown on."""
    ids, _ = _PROOFS[claim]
    return [q for q in graph if q.key.id in ids and _product(q) is not None]


def _product(quantity: Quantity) -> Product | None:
    formula = quantity.formula
    return formula if isinstance(formula, Product) else getattr(formula, "left", None)


class _Matrix(NamedTuple):
    """All that an argument is told of a quantity. So it is the same for every problem of that size in these letters,
    and is kept."""

    name: Name
    shape: tuple[int, int]
    token_axis: int

    @classmethod
    def of(cls, narrator: ExactNarrator, formula: Formula) -> _Matrix:
        """The quantity that a formula is."""
        assert isinstance(formula, Ref)
        return cls.like(narrator.graph[formula.key])

    @classmethod
    def like(cls, quantity: Quantity) -> _Matrix:
        """A quantity without its numbers."""
        return cls(quantity.name, quantity.shape, quantity.token_axis)


def _writing(
    target: _Matrix, running: str, made: Mapping[str, tuple[str, n.Notation]], **matrices: _Matrix
) -> Argument:
    """About matrices of any entries, as large as in the problem and written as there; `running` letters are any
    places along the axes of the target, its own token's first; and what is `made` of them: what it is, and how that is
    written."""
    names: dict[str, Declared] = {name: _free(*m.shape) for name, m in matrices.items()}
    letters: dict[str, n.Notation] = {}
    for name, m in matrices.items():
        token, entry = m.name.token(1), m.name.entry(1, 1)
        letters |= {name: m.name.matrix, f"{name}[]": replace(token, sub=()), f"{name}[,]": replace(entry, sub=())}
    sizes = target.shape if len(running) > 1 else (target.shape[target.token_axis],)
    names |= {letter: Index(numeral(size)) for letter, size in zip(running, sizes, strict=True)}
    names |= {name: Defined(parse_term(term)) for name, (term, _) in made.items()}
    return Argument("", "", names, letters | {name: symbol for name, (_, symbol) in made.items()})


def _free(rows: int, columns: int) -> Free:
    """A matrix of any entries; with a single row it still is one."""
    return Free(numeral(rows), numeral(columns), is_matrix=True)


def _indexed(symbol: n.Notation, *sub: str) -> n.Sym:
    assert isinstance(symbol, n.Sym)
    return replace(symbol, sub=sub)


def _scores(narrator: ExactNarrator, quantity: Quantity) -> tuple[Block, ...]:
    product = _product(quantity)
    assert product is not None
    keys, queries = (product.left, product.right) if quantity.token_axis else (product.right, product.left)
    assert isinstance(keys, Transpose)
    return _dot_products(_Matrix.like(quantity), _Matrix.of(narrator, queries), _Matrix.of(narrator, keys.inner))


@lru_cache(maxsize=MOST_KEPT)
def _dot_products(scores: _Matrix, queries: _Matrix, keys: _Matrix) -> tuple[Block, ...]:
    """(Q Kᵀ)ᵢ,ⱼ = Σₗ qᵢ,ₗ kⱼ,ₗ = qᵢ · kⱼ."""
    down = bool(scores.token_axis)
    width = queries.shape[0 if down else 1]
    whole = "K^T*Q" if down else "Q*K^T"
    entry = _indexed(scores.name.entry(1, 1), "i", "j")
    writing = _writing(scores, "ij", {"s": (f"({whole})[i,j]", entry)}, Q=queries, K=keys)
    entries = "Q[{0},j]*K[{0},i]" if down else "Q[i,{0}]*K[j,{0}]"
    terms = [entries.format(t) for t in range(1, width + 1)]
    links = [(f"= sum(l=1..{width}, {entries.format('l')})", "the matrix product")] if width > 1 else []
    links += [(f"= {' + '.join(terms)}", "written out" if width > 1 else "")] if width <= MOST_TERMS else []
    links.append(("= (Q^T)[j]^T*(K^T)[i]" if down else "= Q[i]^T*K[j]", "the dot product"))
    row_or_column, turned, mine, other = ("Column j", "row", "j", "i") if down else ("Row i", "column", "i", "j")
    writing.paragraph(
        f"{row_or_column} of {{Q}} is token {mine}'s query, and transposing {{K}} makes token {other}'s key a"
        f" {turned}. So, for every entry:"
    )
    writing.chain("s", *links, opening=(f"= ({whole})[i,j]", "by definition"))
    return tuple(writing.finish().blocks)


def _context(narrator: ExactNarrator, quantity: Quantity) -> tuple[Block, ...]:
    product = _product(quantity)
    assert isinstance(product, WeightedSum)
    weights, values = (product.right, product.left) if quantity.token_axis else (product.left, product.right)
    formula = quantity.formula.notation(narrator.view.matrix)
    return _weighted_sums(_Matrix.like(quantity), _Matrix.of(narrator, weights), _Matrix.of(narrator, values), formula)


@lru_cache(maxsize=MOST_KEPT)
def _weighted_sums(context: _Matrix, weights: _Matrix, values: _Matrix, formula: n.Notation) -> tuple[Block, ...]:
    """(A V)ᵢ = [Σⱼ aᵢ,ⱼ vⱼ,₁ …] = Σⱼ aᵢ,ⱼ vⱼ."""
    down = bool(context.token_axis)
    number, width = (weights.shape[0], values.shape[0]) if down else (weights.shape[1], values.shape[1])
    first = "((V*A)^T)[i]" if down else "(A*V)[i]^T"
    writing = _writing(context, "i", {"c": (first, n.Subscripted(formula, ("i",)))}, A=weights, V=values)
    if writing.term("V*A" if down else "A*V") != formula:
        raise Unverified("the context is no product of the weights and the values")
    share, entry = ("A[j,i]", "V[{0},j]") if down else ("A[i,j]", "V[j,{0}]")
    places = range(1, width + 1)
    turned = "^T" if down else ""
    sums = ", ".join(f"sum(j=1..{number}, {share}*{entry.format(t)})" for t in places)
    pieces = ", ".join(entry.format(t) for t in places)
    links = [
        (f"= [{sums}]{turned}", "the matrix product"),
        (f"= sum(j=1..{number}, {share}*[{pieces}]{turned})", "the same weight in every entry"),
    ]
    links = links if width <= MOST_TERMS else []
    vector = "(V^T)[j]" if down else "V[j]^T"
    links.append((f"= sum(j=1..{number}, {share}*{vector})", "collect the values into vectors"))
    what = "Column i" if down else "Row i"
    writing.paragraph(f"Each entry of {what.lower()} of {{formula}} is a sum over all tokens:", formula=formula)
    writing.chain("c", *links)
    return tuple(writing.finish().blocks)


def _projection(narrator: ExactNarrator, quantity: Quantity) -> tuple[Block, ...]:
    product = _product(quantity)
    assert isinstance(product, Projection)
    added = quantity.formula.right if isinstance(quantity.formula, Add) else None
    source, weights = _Matrix.of(narrator, product.source), _Matrix.of(narrator, product.weight)
    bias = None if added is None else _Matrix.of(narrator, added)
    *argument, verdict = _stacked(_Matrix.like(quantity), source, weights, bias)
    return (*argument, *narrator.formula(quantity)[:1], verdict)


@lru_cache(maxsize=MOST_KEPT)
def _stacked(target: _Matrix, source: _Matrix, weights: _Matrix, bias: _Matrix | None) -> tuple[Block, ...]:
    """Stacking qᵢᵀ = (Wᵀ xᵢ)ᵀ = xᵢᵀ W as rows gives Q = X W; a bias is added to each of them."""
    down = bool(target.token_axis)
    tokens = target.shape[target.token_axis]
    vector = _indexed(target.name.token(1), "i")
    added = "" if bias is None else " + b"
    every = "" if bias is None else f" + b*ones({tokens})^T" if down else f" + ones({tokens})*b"
    made = (f"((W*X{every})^T)[i]", vector) if down else (f"(X*W{every})[i]^T", n.Transposed(vector))
    writing = _writing(target, "i", {"t": made}, X=source, W=weights, **({} if bias is None else {"b": bias}))
    if down:
        writing.paragraph(
            "Each column is the weight matrix times one token; side by side, the columns are one product:"
        )
        writing.chain("t", (f"= W*(X^T)[i]{added}", "column by column"))
    else:
        writing.paragraph("One token at a time:")
        links = ((f"= (W^T*X[i])^T{added}", "one token as a column"), (f"= X[i]^T*W{added}", "transpose of a product"))
        writing.chain("t", *links)
    row_or_column = "columns" if down else "rows"
    together = f", all {tokens} tokens together," if tokens > 1 else ""
    writing.paragraph(f"Stacked as {row_or_column}{together} and with the dimensions beside it:")
    return tuple(writing.finish().blocks)


def _seen(narrator: ExactNarrator, quantity: Quantity) -> list[Block]:
    """The claim in the problem's own numbers."""
    return [Paragraph(("In this problem's numbers:",)), *narrator.filled(quantity), *narrator.result(quantity)]


_PROOFS: dict[str, tuple[tuple[str, ...], Callable[[ExactNarrator, Quantity], tuple[Block, ...]]]] = {
    "scores-are-dot-products": (("scores",), _scores),
    "context-rows-are-weighted-sums": (("context",), _context),
    "projections-are-products": (("queries", "keys", "values"), _projection),
}
