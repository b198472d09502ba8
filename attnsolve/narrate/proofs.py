"""Claims that a part may ask to be shown. Each is written with symbols of the problem's own size; every equality in it
is verified by sympy before it is printed, and then the claim is seen in the problem's numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from sympy import ZZ, ring

from attnsolve import notation as n
from attnsolve.document import Block, Equation, Paragraph, Verdict
from attnsolve.errors import UnsolvableError
from attnsolve.graph import Quantity
from attnsolve.narrate.teller import Teller
from attnsolve.operations.formula import Ref
from attnsolve.operations.product import Product, Projection, WeightedSum
from attnsolve.operations.transpose import Transpose

Symbolic = list[list[Any]]
"""A matrix whose entries are polynomials in a sympy ring: equal ones have equal normal forms."""


def prove(claim: str, teller: Teller) -> list[Block]:
    """The proof of a claim, for every quantity of the problem that it is about."""
    quantity_id, proof = _PROOFS[claim]
    about = [q for q in teller.graph if q.key.id in quantity_id and _product(q) is not None]
    if not about:
        raise UnsolvableError(f"{claim} can't be shown: this problem has no {' or '.join(quantity_id)} to show it on")
    return [block for quantity in about for block in proof(teller, quantity)]


class _Verified:
    """A chain of equalities, each checked when it is added: symbols on paper beside the expressions they stand for."""

    def __init__(self, left: n.Notation, value: Symbolic) -> None:
        self.left = left
        self.value = value
        self.links: list[tuple[str, n.Notation]] = []
        self.checked = 0

    def equals(self, notation: n.Notation, value: Symbolic) -> _Verified:
        if self.value != value:
            raise AssertionError("an equality of a proof does not hold")
        self.links.append(("=", notation))
        self.checked += 1
        return self

    def blocks(self) -> list[Block]:
        said = f"every = above verified symbolically ({self.checked} equalities)"
        return [Equation(n.Chain(self.left, tuple(self.links))), Verdict(((True, said),))]


def _product(quantity: Quantity) -> Product | None:
    formula = quantity.formula
    return formula if isinstance(formula, Product) else getattr(formula, "left", None)


def _symbols(*quantities: Quantity) -> list[Symbolic]:
    """Each quantity's entries as variables of one polynomial ring, all of them different."""
    places = [(q, i, j) for q in quantities for i in range(q.shape[0]) for j in range(q.shape[1])]
    names = [f"{q.key.id}_{i}_{j}" for q, i, j in places]
    _, *variables = ring(names, ZZ)
    taken = iter(variables)
    return [[[next(taken) for _ in range(q.shape[1])] for _ in range(q.shape[0])] for q in quantities]


def _times(left: Symbolic, right: Symbolic) -> Symbolic:
    return [[_dot(row, column) for column in zip(*right, strict=True)] for row in left]


def _turned(matrix: Symbolic) -> Symbolic:
    return [list(row) for row in zip(*matrix, strict=True)]


def _vector(matrix: Symbolic, token: int, down: bool) -> list[Any]:
    """One token of a matrix: its column where tokens are columns, else its row."""
    return [row[token] for row in matrix] if down else matrix[token]


def _dot(left: Sequence[Any], right: Sequence[Any]) -> Any:
    return sum(x * y for x, y in zip(left, right, strict=True))


def _made(quantity: Quantity, entry: Callable[[int, int, int], Any]) -> Symbolic:
    """A matrix of the quantity's shape from a rule for (token, row, column)."""
    rows, columns = quantity.shape
    return [[entry(j if quantity.lane else i, i, j) for j in range(columns)] for i in range(rows)]


def _indexed(symbol: n.Notation, *sub: str) -> n.Sym:
    assert isinstance(symbol, n.Sym)
    return replace(symbol, sub=sub)


def _entry(inner: n.Notation, row: str, column: str) -> n.Notation:
    """(Q Kᵀ)ᵢ,ⱼ."""
    return n.Subscripted(inner, (row, column))


def _scores(teller: Teller, quantity: Quantity) -> list[Block]:
    """(Q Kᵀ)ᵢ,ⱼ = Σₗ qᵢ,ₗ kⱼ,ₗ = qᵢ · kⱼ."""
    view, down = teller.view, bool(quantity.lane)
    product = _product(quantity)
    assert product is not None
    first, second = product.left, product.right
    keys, queries = (first, second) if down else (second, first)
    assert isinstance(queries, Ref)
    assert isinstance(keys, Transpose)
    assert isinstance(keys.inner, Ref)
    q, k = teller.graph[queries.key], teller.graph[keys.inner.key]
    width = q.shape[0 if down else 1]
    Q, K = _symbols(q, k)
    whole = _times(_turned(K), Q) if down else _times(Q, _turned(K))
    dots = _made(quantity, lambda own, i, j: _dot(_vector(Q, own, down), _vector(K, i if down else j, down)))
    mine, other = ("j", "i") if down else ("i", "j")
    terms = tuple(
        n.Product((_cell(view.cell(q.key, 0, 0), mine, t + 1, down), _cell(view.cell(k.key, 0, 0), other, t + 1, down)))
        for t in range(width)
    )
    formula = quantity.formula.notation(view.matrix)
    chain = _Verified(_entry(formula, "i", "j"), whole)
    if width > 1:
        body = n.Product(
            (_cell(view.cell(q.key, 0, 0), mine, "l", down), _cell(view.cell(k.key, 0, 0), other, "l", down))
        )
        chain.equals(n.SumOver("l", body), dots)
    chain.equals(n.Sum(terms), dots)
    vectors = (_indexed(view.token(q.key, 1), mine), _indexed(view.token(k.key, 1), other))
    chain.equals(n.Product(vectors, dotted=True), dots)
    chain.equals(_indexed(view.cell(quantity.key, 0, 0), "i", "j"), dots)
    lane, turned, mine_is, other_is = ("Column j", "row", "j", "i") if down else ("Row i", "column", "i", "j")
    intro: tuple[str | n.Notation, ...] = (
        f"{lane} of ",
        q.name.matrix,
        f" is token {mine_is}'s query, and transposing ",
    )
    intro += (k.name.matrix, f" makes token {other_is}'s key a {turned}. So, by the definition of the matrix product:")
    return [Paragraph(intro), *chain.blocks(), *_seen(teller, quantity)]


def _cell(symbol: n.Notation, token: str, entry: int | str, down: bool) -> n.Sym:
    return _indexed(symbol, str(entry), token) if down else _indexed(symbol, token, str(entry))


def _context(teller: Teller, quantity: Quantity) -> list[Block]:
    """(A V)ᵢ = [Σⱼ aᵢ,ⱼ vⱼ,₁ …] = Σⱼ aᵢ,ⱼ vⱼ."""
    view, down = teller.view, bool(quantity.lane)
    product = _product(quantity)
    assert isinstance(product, WeightedSum)
    weights, values = (product.right, product.left) if down else (product.left, product.right)
    assert isinstance(weights, Ref)
    assert isinstance(values, Ref)
    a, v = teller.graph[weights.key], teller.graph[values.key]
    A, V = _symbols(a, v)
    whole = _times(V, A) if down else _times(A, V)
    number, width = (a.shape[0], v.shape[0]) if down else (a.shape[1], v.shape[1])
    shares = [_vector(A, token, down) for token in range(quantity.lanes)]
    vectors = [_vector(V, token, down) for token in range(number)]
    sums = _made(quantity, lambda own, i, j: _dot(shares[own], [vector[i if down else j] for vector in vectors]))
    scaled = [[[part * x for x in value] for part, value in zip(own, vectors, strict=True)] for own in shares]
    weighted = [[sum(entries) for entries in zip(*parts, strict=True)] for parts in scaled]
    weighted = _turned(weighted) if down else weighted
    share = _cell(view.cell(a.key, 0, 0), "i", "j", down)
    entries = [
        n.SumOver("j", n.Product((share, _cell(view.cell(v.key, 0, 0), "j", e + 1, down)))) for e in range(width)
    ]
    pieces = [_cell(view.cell(v.key, 0, 0), "j", e + 1, down) for e in range(width)]
    lane = _column if down else _row
    formula = quantity.formula.notation(view.matrix)
    chain = _Verified(n.Subscripted(formula, ("i",)), whole)
    chain.equals(lane(entries), sums)
    chain.equals(n.SumOver("j", n.Product((share, lane(pieces)))), weighted)
    vector: n.Notation = _indexed(view.token(v.key, 1), "j")
    chain.equals(n.SumOver("j", n.Product((share, vector if down else n.Transposed(vector)))), weighted)
    what = "Column i" if down else "Row i"
    intro = (f"{what} of ", formula, " holds, in each of its places, a sum over the tokens j; the weight is the same in"
             " every place, so it can be taken out:")  # fmt: skip
    return [Paragraph(intro), *chain.blocks(), *_seen(teller, quantity)]


def _row(entries: Sequence[n.Notation]) -> n.Grid:
    return n.Grid((tuple(entries),))


def _column(entries: Sequence[n.Notation]) -> n.Grid:
    return n.Grid(tuple((entry,) for entry in entries))


def _projection(teller: Teller, quantity: Quantity) -> list[Block]:
    """Stacking qᵢᵀ = (Wᵀ xᵢ)ᵀ = xᵢᵀ W as rows gives Q = X W."""
    view, down = teller.view, bool(quantity.lane)
    product = _product(quantity)
    assert isinstance(product, Projection)
    source, weights = (product.right, product.left) if down else (product.left, product.right)
    assert isinstance(source, Ref)
    assert isinstance(weights, Ref)
    x, w = teller.graph[source.key], teller.graph[weights.key]
    X, W = _symbols(x, w)
    whole = _times(W, X) if down else _times(X, W)
    symbol, matrix = _indexed(view.token(x.key, 1), "i"), w.name.matrix
    target = _indexed(view.token(quantity.key, 1), "i")
    tokens = quantity.lanes
    if down:
        stacked = _turned([[_dot(row, _vector(X, token, down)) for row in W] for token in range(tokens)])
        chain = _Verified(target, whole)
        chain.equals(n.Product((matrix, symbol)), stacked)
        said = "Each column is the weight matrix times one token; side by side, the columns are one product:"
    else:
        columns = [_times(_turned(W), _turned([X[token]])) for token in range(tokens)]
        stacked = [_turned(column)[0] for column in columns]
        rows = [_times([X[token]], W)[0] for token in range(tokens)]
        chain = _Verified(n.Transposed(target), whole)
        chain.equals(n.Transposed(n.Product((n.Transposed(matrix), symbol))), stacked)
        chain.equals(n.Product((n.Transposed(symbol), matrix)), rows)
        said = "One token at a time; the transpose of a product is the product of the transposes, in reverse order:"
    formula = n.Chain(
        quantity.name.matrix,
        (("=", n.Product((matrix, x.name.matrix)) if down else n.Product((x.name.matrix, matrix))),),
    )
    shapes = n.Chain(product.shapes(view), (("→", n.Shape(*quantity.shape)),))
    lane = "columns" if down else "rows"
    size = f"Stacked as {lane}, all {tokens} tokens together, and with the dimensions beside it:"
    return [
        Paragraph((said,)),
        *chain.blocks(),
        Paragraph((size,)),
        Equation(formula, shapes),
        *_seen(teller, quantity),
    ]


def _seen(teller: Teller, quantity: Quantity) -> list[Block]:
    """The claim in the problem's own numbers."""
    return [Paragraph(("In this problem's numbers:",)), *teller.filled(quantity), *teller.result(quantity)]


_PROOFS: dict[str, tuple[tuple[str, ...], Callable[[Teller, Quantity], list[Block]]]] = {
    "scores-are-dot-products": (("scores",), _scores),
    "context-rows-are-weighted-sums": (("context",), _context),
    "projections-are-products": (("queries", "keys", "values"), _projection),
}
