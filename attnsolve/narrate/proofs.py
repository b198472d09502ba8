"""Claims that a part may ask to be shown, with the problem's own letters and at its own size; and then in its numbers.

The argument is written like any derivation: no line of it stands here that was not verified.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.algebra.declared import Declared, Free, Index
from attnsolve.algebra.terms import Number
from attnsolve.derivations import TOPICS, shown
from attnsolve.derivations.writing import Writing
from attnsolve.document import Block, Equation, Paragraph
from attnsolve.errors import UnsolvableError
from attnsolve.graph import Quantity
from attnsolve.narrate.teller import Teller
from attnsolve.operations.formula import Ref
from attnsolve.operations.product import Product, Projection, WeightedSum
from attnsolve.operations.transpose import Transpose

MOST_TERMS = 8
"""A sum longer than this isn't written out term by term."""


def prove(claim: str, teller: Teller) -> list[Block]:
    """The proof of a claim, for every quantity of the problem that it is about."""
    if claim in TOPICS:
        if claim == "permutation-equivariance" and any(q.key.id == "masked" for q in teller.graph):
            raise UnsolvableError(f"{claim} can't be shown: this problem has a mask, and then it does not hold")
        return shown(claim)
    quantity_id, proof = _PROOFS[claim]
    about = [q for q in teller.graph if q.key.id in quantity_id and _product(q) is not None]
    if not about:
        raise UnsolvableError(f"{claim} can't be shown: this problem has no {' or '.join(quantity_id)} to show it on")
    return [block for quantity in about for block in proof(teller, quantity)]


def _product(quantity: Quantity) -> Product | None:
    formula = quantity.formula
    return formula if isinstance(formula, Product) else getattr(formula, "left", None)


def _writing(quantity: Quantity, **matrices: Quantity) -> Writing:
    """About matrices of any entries, as large as in the problem and written as there; i and j are any places in it."""
    names: dict[str, Declared] = {
        name: Free(Number(Fraction(q.shape[0])), Number(Fraction(q.shape[1]))) for name, q in matrices.items()
    }
    letters: dict[str, n.Notation] = {}
    for name, q in matrices.items():
        token, entry = q.name.token(1), q.name.entry(1, 1)
        letters |= {name: q.name.matrix, f"{name}[]": replace(token, sub=()), f"{name}[,]": replace(entry, sub=())}
    names |= {"i": Index(Number(Fraction(quantity.shape[0]))), "j": Index(Number(Fraction(quantity.shape[1])))}
    return Writing("", "", names, letters)


def _indexed(symbol: n.Notation, *sub: str) -> n.Sym:
    assert isinstance(symbol, n.Sym)
    return replace(symbol, sub=sub)


def _scores(teller: Teller, quantity: Quantity) -> list[Block]:
    """(Q Kᵀ)ᵢ,ⱼ = Σₗ qᵢ,ₗ kⱼ,ₗ = qᵢ · kⱼ."""
    down = bool(quantity.lane)
    product = _product(quantity)
    assert product is not None
    first, second = product.left, product.right
    keys, queries = (first, second) if down else (second, first)
    assert isinstance(queries, Ref)
    assert isinstance(keys, Transpose)
    assert isinstance(keys.inner, Ref)
    q, k = teller.graph[queries.key], teller.graph[keys.inner.key]
    width = q.shape[0 if down else 1]
    writing = _writing(quantity, Q=q, K=k)
    entries = "Q[{0},j]*K[{0},i]" if down else "Q[i,{0}]*K[j,{0}]"
    terms = [entries.format(t) for t in range(1, width + 1)]
    links = [(f"= sum(l=1..{width}, {entries.format('l')})", "the matrix product")] if width > 1 else []
    links += [(f"= {' + '.join(terms)}", "written out" if width > 1 else "")] if width <= MOST_TERMS else []
    links.append(("= (Q^T)[j]^T*(K^T)[i]" if down else "= Q[i]^T*K[j]", "the dot product"))
    lane, turned, mine, other = ("Column j", "row", "j", "i") if down else ("Row i", "column", "i", "j")
    writing.says(
        f"{lane} of {{Q}} is token {mine}'s query, and transposing {{K}} makes token {other}'s key a {turned}. So, for"
        " every entry:"
    )
    whole = "K^T*Q" if down else "Q*K^T"
    entry = _indexed(teller.view.cell(quantity.key, 0, 0), "i", "j")
    writing.chain(f"({whole})[i,j]", *links, left=entry, opening="by definition")
    return [*writing.finish().blocks, *_seen(teller, quantity)]


def _context(teller: Teller, quantity: Quantity) -> list[Block]:
    """(A V)ᵢ = [Σⱼ aᵢ,ⱼ vⱼ,₁ …] = Σⱼ aᵢ,ⱼ vⱼ."""
    down = bool(quantity.lane)
    product = _product(quantity)
    assert isinstance(product, WeightedSum)
    weights, values = (product.right, product.left) if down else (product.left, product.right)
    assert isinstance(weights, Ref)
    assert isinstance(values, Ref)
    a, v = teller.graph[weights.key], teller.graph[values.key]
    number, width = (a.shape[0], v.shape[0]) if down else (a.shape[1], v.shape[1])
    writing = _writing(quantity, A=a, V=v)
    writing.names.names |= {"i": Index(Number(Fraction(quantity.lanes)))}
    del writing.names.names["j"]
    share, entry = ("A[j,i]", "V[{0},j]") if down else ("A[i,j]", "V[j,{0}]")
    places = range(1, width + 1)
    turned = "^T" if down else ""
    sums = ", ".join(f"sum(j=1..{number}, {share}*{entry.format(t)})" for t in places)
    pieces = ", ".join(entry.format(t) for t in places)
    links = [
        (f"= [{sums}]{turned}", "the matrix product"),
        (f"= sum(j=1..{number}, {share}*[{pieces}]{turned})", "the same weight in every place"),
    ]
    links = links if width <= MOST_TERMS else []
    vector = "(V^T)[j]" if down else "V[j]^T"
    links.append((f"= sum(j=1..{number}, {share}*{vector})", "value by value"))
    first = "((V*A)^T)[i]" if down else "(A*V)[i]^T"
    formula = quantity.formula.notation(teller.view.matrix)
    what = "Column i" if down else "Row i"
    writing.says(f"{what} of {{formula}} holds, in each of its places, a sum over all tokens:", formula=formula)
    writing.chain(first, *links, left=n.Subscripted(formula, ("i",)))
    return [*writing.finish().blocks, *_seen(teller, quantity)]


def _projection(teller: Teller, quantity: Quantity) -> list[Block]:
    """Stacking qᵢᵀ = (Wᵀ xᵢ)ᵀ = xᵢᵀ W as rows gives Q = X W."""
    down = bool(quantity.lane)
    product = _product(quantity)
    assert isinstance(product, Projection)
    source, weights = (product.right, product.left) if down else (product.left, product.right)
    assert isinstance(source, Ref)
    assert isinstance(weights, Ref)
    x, w = teller.graph[source.key], teller.graph[weights.key]
    writing = _writing(quantity, X=x, W=w)
    writing.names.names["i"] = Index(Number(Fraction(quantity.lanes)))
    target = _indexed(teller.view.token(quantity.key, 1), "i")
    if down:
        writing.says("Each column is the weight matrix times one token; side by side, the columns are one product:")
        writing.chain("((W*X)^T)[i]", ("= W*(X^T)[i]", "column by column"), left=target)
    else:
        writing.says("One token at a time:")
        links = (("= (W^T*X[i])^T", "one token as a column"), ("= X[i]^T*W", "transpose of a product"))
        writing.chain("(X*W)[i]^T", *links, left=n.Transposed(target))
    factors = (w.name.matrix, x.name.matrix) if down else (x.name.matrix, w.name.matrix)
    formula = n.Chain(quantity.name.matrix, (("=", n.Product(factors)),))
    shapes = n.Chain(product.shapes(teller.view), (("→", n.Shape(*quantity.shape)),))
    lane = "columns" if down else "rows"
    writing.says(f"Stacked as {lane}, all {quantity.lanes} tokens together, and with the dimensions beside it:")
    writing.add(Equation(formula, shapes))
    return [*writing.finish().blocks, *_seen(teller, quantity)]


def _seen(teller: Teller, quantity: Quantity) -> list[Block]:
    """The claim in the problem's own numbers."""
    return [Paragraph(("In this problem's numbers:",)), *teller.filled(quantity), *teller.result(quantity)]


_PROOFS: dict[str, tuple[tuple[str, ...], Callable[[Teller, Quantity], list[Block]]]] = {
    "scores-are-dot-products": (("scores",), _scores),
    "context-rows-are-weighted-sums": (("context",), _context),
    "projections-are-products": (("queries", "keys", "values"), _projection),
}
