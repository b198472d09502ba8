"""The gradients of attention: from the output back through values, weights and scores to queries and keys."""

from __future__ import annotations

from attnsolve import notation as n
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.examples import ExampleBuilder
from attnsolve.derivations.gradients import derivatives_agree
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.graph import Name
from attnsolve.key import Key
from attnsolve.kinds.builder import root_of_size
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.constant import Size
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.divide import Divide
from attnsolve.operations.entrywise import Multiply, Plus
from attnsolve.operations.formula import Formula, Ref, Transpose
from attnsolve.operations.number import Number
from attnsolve.operations.product import Product
from attnsolve.operations.reductions import Sums
from attnsolve.operations.softmax import Softmax
from attnsolve.solution.exact import Solution
from attnsolve.spec.gradients import Attended
from attnsolve.spec.problem import Problem

FORWARD = names("Q: matrix(n, d_k)", "K: matrix(m, d_k)", "V: matrix(m, p)").also(
    "S: Q*K^T", "S_scaled: S/sqrt(d_k)", "A: softmax(S_scaled)", "C: A*V"
)
OUTPUT = names("A: matrix(n, m)", "V: matrix(m, p)", "dC: matrix(n, p)", "C: A*V").also(
    "L: sum(i=1..n, sum(k=1..p, dC[i,k]*C[i,k]))", "dV: A^T*dC", "dA: dC*V^T"
)
BACK = ("r: (A .* dA)*ones(m)", "dS_scaled: A .* (dA - r*ones(m)^T)")
"""From the weights back to the scaled scores."""
WEIGHED = names("S_scaled, dA: matrix(n, m)", "delta: identity(m)", "A: softmax(S_scaled)").also(
    "L: sum(i=1..n, sum(j=1..m, dA[i,j]*A[i,j]))", *BACK
)
SCALED = names("c: positive", "S, dA: matrix(n, m)", "S_scaled: c*S", "A: softmax(S_scaled)").also(
    "L: sum(i=1..n, sum(j=1..m, dA[i,j]*A[i,j]))", *BACK, "dS: c*dS_scaled"
)
"""With any positive number for 1/√d_k."""
WHOLE = names("Q: matrix(n, d_k)", "K: matrix(m, d_k)", "dA: matrix(n, m)", "S: Q*K^T", "S_scaled: S/sqrt(d_k)").also(
    "A: softmax(S_scaled)", "L: sum(i=1..n, sum(j=1..m, dA[i,j]*A[i,j]))", *BACK
)
WHOLE = WHOLE.also("dS: dS_scaled/sqrt(d_k)", "dQ: dS*K", "dK: dS^T*Q")
EVERYTHING = FORWARD.also("dC: matrix(n, p)", "L: sum(i=1..n, sum(k=1..p, dC[i,k]*C[i,k]))")
ROW, PLACE = "i: index(n)", "j: index(m)"
SHOWN = {
    "S_scaled": n.Sym("S", primes=1),
    "S_scaled[,]": n.Sym("s", primes=1),
    "dS_scaled": n.Sym("dS", primes=1),
    "r": n.Sym("r", vector=True),
    "r[]": n.Sym("r"),
    "delta[,]": n.Sym("delta"),
    "c": n.Frac(n.Num("1"), n.Root(n.Sym("d", ("k",)))),
}
NUMBERS = ("Q", "K", "V", "dC")


def derive(problem: Problem, given: Attended | None) -> list[Passage]:
    """Values and weights; the scores, through the softmax; queries and keys; and all of it on some matrices."""
    passages = [_values(), _scores(), _inputs(), _meaning()]
    if given is not None:
        passages.append(_example(problem, given))
    return passages


def forward(writing: Argument) -> None:
    """What attention computes, and how a loss depends on it."""
    writing.paragraph("{n} queries attend to {m} keys, with {d_k} entries each:")
    writing.lines(*(writing.definition(name) for name in ("S", "S_scaled", "A", "C")))


@passage("values", "The values and the weights", OUTPUT, SHOWN)
def _values(writing: Argument) -> None:
    forward(writing.about(FORWARD, SHOWN))
    writing.paragraph(
        "Suppose that a loss depends on the output {C}, and that {dC} holds its derivatives in the entries of {C}. For"
        " small changes of the output the loss changes like"
    )
    writing.equation(writing.definition("L"))
    writing.paragraph(
        "with {dC} held constant. In the same way let {dV} hold the derivatives in the entries of {V}, {dA} those in"
        " the entries of {A}, and so on. The output is a sum of products, so each derivative is a sum of the other"
        " factors:"
    )
    value = writing.about(OUTPUT.also(PLACE, "k: index(p)"), SHOWN)
    value.chain(
        "diff(L, V[j,k])",
        ("= sum(l=1..n, dC[l,k]*A[l,j])", "{V[j,k]} is in column {k} of {C}"),
        ("= (A^T*dC)[j,k]", "a product of matrices"),
    )
    weight = writing.about(OUTPUT.also(ROW, PLACE), SHOWN)
    weight.chain(
        "diff(L, A[i,j])",
        ("= sum(l=1..p, dC[i,l]*V[j,l])", "{A[i,j]} is in row {i} of {C}"),
        ("= (dC*V^T)[i,j]", "a product of matrices"),
    )
    value.confirm("diff(L, V[j,k]) = dV[j,k]")
    weight.confirm("diff(L, A[i,j]) = dA[i,j]")
    writing.paragraph("So the matrices of these derivatives are")
    writing.lines(writing.definition("dV"), writing.definition("dA"))


@passage("scores", "Back through the softmax to the scores", WEIGHED, SHOWN)
def _scores(writing: Argument) -> None:
    writing.paragraph("Now {dA} is known, and for small changes of the weights the loss changes like")
    writing.equation(writing.definition("L"))
    writing.paragraph(
        "Each row of {A} is the softmax of the same row of {S_scaled}, and changes with the scores of that row only:"
        " with"
        " {delta[l,j]} for 1 where {l} and {j} are the same, and 0 elsewhere,",
        **{"delta[l,j]": n.Sym("delta", ("l", "j"))},
    )
    ends = writing.about(WEIGHED.also(ROW, PLACE, "l: index(m)"), SHOWN)
    ends.chain("diff(A[i,l], S_scaled[i,j])", ("= A[i,l]*(delta[l,j] - A[i,j])", "derivative of a softmax"))
    writing.paragraph("So the derivatives in the weights combine to")
    one = writing.about(WEIGHED.also(ROW, PLACE), SHOWN)
    one.chain(
        "diff(L, S_scaled[i,j])",
        ("= sum(l=1..m, dA[i,l]*diff(A[i,l], S_scaled[i,j]))", "chain rule"),
        ("= sum(l=1..m, dA[i,l]*A[i,l]*(delta[l,j] - A[i,j]))", "derivative of a softmax"),
        ("= A[i,j]*(dA[i,j] - sum(l=1..m, A[i,l]*dA[i,l]))", "{delta[l,j]} leaves one term"),
        ("= A[i,j]*(dA[i,j] - r[i])", "call the sum {r[i]}"),
    )
    one.confirm("diff(L, S_scaled[i,j]) = dS_scaled[i,j]")
    writing.paragraph(
        "So {r} holds the row sums of {A .* dA}, and is subtracted from every column of {dA}; {ones(m)} is a vector of"
        " {m} ones:"
    )
    writing.lines(writing.definition("r"), writing.definition("dS_scaled"))
    writing.paragraph("Its rows sum to 0, since adding a number to a row of scores changes no weight:")
    writing.about(WEIGHED.also(ROW), SHOWN).chain(
        "sum(l=1..m, dS_scaled[i,l])",
        ("= r[i] - r[i]*sum(l=1..m, A[i,l])", "definition of {r}"),
        ("= 0", "the weights sum to 1"),
    )
    scaled = writing.about(SCALED, SHOWN)
    scaled.paragraph("{S_scaled} is {S} times the constant {c}, so its derivatives come with the same factor:")
    scaled.about(SCALED.also(ROW, PLACE), SHOWN).chain(
        "diff(L, S[i,j])", ("= c*dS_scaled[i,j]", "chain rule"), ("= dS[i,j]", "call this {dS}")
    )


@passage("inputs", "Queries and keys", WHOLE, SHOWN)
def _inputs(writing: Argument) -> None:
    writing.paragraph(
        "A score is the dot product of a query and a key, so the derivatives of {S} come with an entry of the other"
        " one:"
    )
    query = writing.about(WHOLE.also(ROW, "k: index(d_k)"), SHOWN)
    query.chain(
        "diff(L, Q[i,k])",
        ("= sum(l=1..m, dS[i,l]*K[l,k])", "query {i} is in row {i} of {S}"),
        ("= (dS*K)[i,k]", "a product of matrices"),
    )
    key = writing.about(WHOLE.also(PLACE, "k: index(d_k)"), SHOWN)
    key.chain(
        "diff(L, K[j,k])",
        ("= sum(l=1..n, dS[l,j]*Q[l,k])", "key {j} is in column {j} of {S}"),
        ("= (dS^T*Q)[j,k]", "a product of matrices"),
    )
    query.confirm("diff(L, Q[i,k]) = dQ[i,k]")
    key.confirm("diff(L, K[j,k]) = dK[j,k]")
    writing.paragraph("So the matrices of these derivatives are")
    writing.lines(writing.definition("dQ"), writing.definition("dK"))


@passage("meaning", "What it means", WHOLE, SHOWN)
def _meaning(writing: Argument) -> None:
    writing.paragraph(
        "Every matrix has a gradient of its own shape. A product passes a gradient on through the other factor,"
        " transposed, and the softmax passes it on through its own weights: where a weight is nearly 0, nearly nothing"
        " reaches its score. Going back takes {A} but not {S}, so that the weights have to be kept, or computed again."
    )


def _example(problem: Problem, given: Attended) -> Passage:
    solution = _solution(problem, given)
    narrator = ExactNarrator(solution, everything=True)
    rows = dict(zip(NUMBERS, (given.queries, given.keys, given.values, given.upstream), strict=True))
    writing = Argument("example", "On given matrices", names(**rows), SHOWN)
    writing.states_given(*(writing.quantity(narrator, q.key.id) for q in narrator.graph if q.given))
    writing.paragraph("Forward, up to the weights and the output:")
    writing.works(narrator, "scores", "scaled", "weights", "context")
    writing.paragraph("Back, first through the product with the values:")
    writing.works(narrator, "dV", "dA")
    writing.paragraph("Then through the softmax:")
    writing.works(narrator, "sums", "dscaled")
    writing.paragraph("And through the scores:")
    writing.works(narrator, "dS", "dQ", "dK")
    sizes = {"n": len(given.queries), "m": len(given.keys), "d_k": len(given.keys[0]), "p": len(given.values[0])}
    agree = [derivatives_agree(EVERYTHING, sizes, rows, f"diff(L, {x})", solution, f"d{x}") for x in "QKV"]
    says = "every entry of dQ, dK and dV agrees to 30 digits with the derivative taken at these numbers"
    writing.holds(says, all(agree))
    return writing.finish()


def _solution(problem: Problem, given: Attended) -> Solution:
    """Attention forward, and back."""
    builder = ExampleBuilder()
    builder.given("queries", Name("Q"), given.queries)
    builder.given("keys", Name("K"), given.keys)
    builder.given("values", Name("V"), given.values)
    builder.given("upstream", Name("dC"), given.upstream)
    root = root_of_size(Number(Size(n.Sym("d", ("k",)), len(given.keys[0]))))
    of = {name: Ref(Key(id)) for name, id in {"Q": "queries", "K": "keys", "V": "values", "dC": "upstream"}.items()}

    def add(id: str, name: Name, formula: Formula) -> Ref:
        builder.add(id, name, formula)
        return Ref(Key(id))

    scores = add("scores", Name("S"), Product(of["Q"], Transpose(of["K"])))
    scaled = add("scaled", Name("S", primes=1), Divide(scores, root))
    weights = add("weights", Name("A"), Softmax(scaled))
    add("context", Name("C"), Product(weights, of["V"]))
    add("dV", Name("dV"), Product(Transpose(weights), of["dC"]))
    change = add("dA", Name("dA"), Product(of["dC"], Transpose(of["V"])))
    sums = add("sums", Name("r", vector=True), Sums(Multiply(weights, change)))
    back = add("dscaled", Name("dS", primes=1), Multiply(weights, Plus(change, Negate(sums))))
    unscaled = add("dS", Name("dS"), Divide(back, root))
    add("dQ", Name("dQ"), Product(unscaled, of["K"]))
    add("dK", Name("dK"), Product(Transpose(unscaled), of["Q"]))
    return builder.solution(problem)
