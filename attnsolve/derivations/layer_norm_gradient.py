"""The gradient of layer norm: what it lets through, and what it takes out because its mean and deviation change too."""

from __future__ import annotations

from attnsolve import notation as n
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.examples import ExampleBuilder
from attnsolve.derivations.gradients import derivatives_agree, upright
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.graph import Name
from attnsolve.key import Key
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.constant import PlainNumber
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.entrywise import EntryQuotient, Multiply, Plus
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.function import Function
from attnsolve.operations.number import Number
from attnsolve.operations.reductions import Means, Variances
from attnsolve.solution.exact import Solution
from attnsolve.spec.gradients import NormExample
from attnsolve.spec.problem import Problem

NAMES = names("n: size(2)", "x: vector(n)", "epsilon: positive", "mu: sum(k=1..n, x[k])/n").also(
    "v: sum(k=1..n, (x[k] - mu)^2)/n", "sigma: sqrt(v + epsilon)", "y: (x - mu*ones(n))/sigma"
)
PLACES = NAMES.also("i, j: index(n)", "delta: identity(n)")
UPSTREAM = NAMES.also("dy: vector(n)", "L: sum(k=1..n, dy[k]*y[k])", "m: sum(k=1..n, dy[k])/n").also(
    "c: sum(k=1..n, dy[k]*y[k])/n", "dx: (dy - m*ones(n) - c*y)/sigma"
)
PLACE = UPSTREAM.also("j: index(n)", "delta: identity(n)")
PLAIN = UPSTREAM.also(epsilon=0)
"""With nothing added to the variance."""
SHOWN = {
    **{name: n.Sym(name, vector=True) for name in ("x", "y", "dx", "dy")},
    "v": n.Sym("v"),
    "delta[,]": n.Sym("delta"),
    "m": n.Call("mean", (n.Sym("dy", vector=True),)),
    "c": n.Call("mean", (n.Entrywise((n.Sym("dy", vector=True), n.Sym("y", vector=True))),)),
}


def derive(problem: Problem, given: NormExample | None) -> list[Passage]:
    """Mean and deviation, one entry, the gradient, where it has no part, a common mistake; and a vector."""
    passages = [_statistics(), _entries(), _gradient(), _orthogonal(), _constant()]
    if given is not None:
        passages.append(_example(problem, given))
    return passages


def forward(writing: Argument) -> None:
    """What a layer norm computes."""
    writing.paragraph(
        "A layer norm turns a vector {x} of {n} entries into {y}, with {v} for the variance of the entries and a small"
        " number {epsilon} added to it:"
    )
    writing.lines(*(writing.definition(name) for name in ("mu", "v", "sigma", "y")))


@passage("statistics", "The mean and the standard deviation change too", NAMES, SHOWN)
def _statistics(writing: Argument) -> None:
    forward(writing)
    writing.paragraph("Every entry of {x} changes the mean, and the variance, and with it {sigma}:")
    one = writing.about(PLACES, SHOWN)
    one.chain("diff(mu, x[j])", ("= 1/n", "one term of the sum"))
    one.chain(
        "diff(v, x[j])",
        ("= 2*sum(k=1..n, (x[k] - mu)*(delta[k,j] - 1/n))/n", "chain rule"),
        ("= 2*(x[j] - mu)/n - 2*sum(k=1..n, x[k] - mu)/n^2", "{delta[k,j]} leaves one term"),
        ("= 2*(x[j] - mu)/n", "the deviations sum to 0"),
    )
    one.chain(
        "diff(sigma, x[j])",
        ("= diff(v, x[j])/(2*sigma)", "derivative of a root"),
        ("= (x[j] - mu)/(n*sigma)", "put in"),
        ("= y[j]/n", "definition of {y}"),
    )
    writing.paragraph(
        "Here {delta[k,j]} is 1 where {k} and {j} are the same place, and 0 elsewhere.",
        **{"delta[k,j]": n.Sym("delta", ("k", "j"))},
    )


@passage("entries", "One entry in one entry", PLACES, SHOWN)
def _entries(writing: Argument) -> None:
    writing.paragraph("By the quotient rule, with the derivatives of {mu} and {sigma} found above:")
    writing.chain(
        "diff(y[i], x[j])",
        ("= (delta[i,j] - diff(mu, x[j]))/sigma - (x[i] - mu)/sigma^2*diff(sigma, x[j])", "quotient rule"),
        ("= (delta[i,j] - 1/n)/sigma - (x[i] - mu)/sigma^2*y[j]/n", "put in"),
        ("= (delta[i,j] - 1/n - y[i]*y[j]/n)/sigma", "definition of {y[i]}"),
    )


@passage("gradient", "The gradient", UPSTREAM, SHOWN)
def _gradient(writing: Argument) -> None:
    writing.paragraph(
        "Suppose that a loss depends on {y}, and that {dy} holds its derivatives in the entries of {y}. For small"
        " changes of {y} the loss changes like"
    )
    writing.equation(writing.definition("L"))
    writing.paragraph("with {dy} held constant. So its derivative in one entry of {x} is")
    one = writing.about(PLACE, SHOWN)
    one.chain(
        "diff(L, x[j])",
        ("= sum(k=1..n, dy[k]*diff(y[k], x[j]))", "chain rule"),
        ("= sum(k=1..n, dy[k]*(delta[k,j] - 1/n - y[k]*y[j]/n))/sigma", "the entries found above"),
        (
            "= (dy[j] - sum(k=1..n, dy[k])/n - y[j]*(sum(k=1..n, dy[k]*y[k])/n))/sigma",
            "{delta[k,j]} leaves one term",
        ),
    )
    writing.paragraph("The two sums are means of entries:")
    writing.lines(writing.definition("m"), writing.definition("c"))
    writing.paragraph("For all entries at once, with {ones(n)} for a vector of {n} ones:")
    writing.chain("diff(L, x)", ("= (dy - m*ones(n) - c*y)/sigma", "entry by entry"))
    writing.paragraph("Call this {dx}.")
    writing.confirm("diff(L, x) = dx")


@passage("orthogonal", "What the gradient has no part in", UPSTREAM, SHOWN)
def _orthogonal(writing: Argument) -> None:
    writing.paragraph("Adding the same number to every entry does not change {y}. So the entries of {dx} sum to 0:")
    writing.chain(
        "ones(n)^T*dx",
        ("= (sum(k=1..n, dy[k]) - n*m - c*sum(k=1..n, y[k]))/sigma", "definition of {dx}"),
        ("= 0", "the entries of {y} sum to 0"),
    )
    writing.paragraph(
        "Nor does stretching the deviations from the mean change {y}, but for the small number {epsilon}:"
    )
    writing.chain(
        "y^T*dx",
        ("= (n*c - m*sum(k=1..n, y[k]) - c*(y^T*y))/sigma", "definition of {dx}"),
        ("= c*(n - y^T*y)/sigma", "the entries of {y} sum to 0"),
        ("= n*c*epsilon/sigma^3", "{y^T*y = n*v/sigma^2}"),
    )
    plain = writing.about(PLAIN, SHOWN)
    plain.paragraph("Where {epsilon} is 0, the gradient is orthogonal to {y}:")
    plain.chain("y^T*dx", ("= 0", "{y^T*y = n}"))


@passage("constant", "What is lost with a constant", UPSTREAM, SHOWN)
def _constant(writing: Argument) -> None:
    writing.paragraph(
        "It is a common mistake to take {mu} and {sigma} for constants, and to divide {dy} by {sigma} only. That leaves"
        " in the mean of {dy}, and its part along {y}:"
    )
    writing.refutes("diff(L, x) = dy/sigma", "refuted: dividing by a constant")
    writing.notes(
        "What a layer norm takes out going forward, the mean and the size, its gradient leaves out going back."
    )


def _example(problem: Problem, given: NormExample) -> Passage:
    solution = _solution(problem, given)
    narrator = ExactNarrator(solution, everything=True)
    known = names(x=upright(given.vector), epsilon=given.epsilon, dy=upright(given.upstream))
    writing = Argument("example", "On a given vector", known, SHOWN)
    writing.states_given(
        *(writing.quantity(narrator, q.key.id) for q in narrator.graph if q.given),
        writing.value("epsilon", given.epsilon, problem.style),
    )
    writing.paragraph("Forward:")
    writing.works(narrator, "mean", "variance", "deviation", "normalised")
    writing.paragraph("Back:")
    writing.works(narrator, "upstream_mean", "upstream_part", "gradient")
    numbers = {"x": upright(given.vector), "dy": upright(given.upstream), "epsilon": ((given.epsilon,),)}
    agree = derivatives_agree(UPSTREAM, {"n": len(given.vector[0])}, numbers, "diff(L, x)", solution, "gradient")
    writing.holds("every entry agrees to 30 digits with the derivative taken at these numbers", agree)
    return writing.finish()


def _solution(problem: Problem, given: NormExample) -> Solution:
    """Layer norm forward, and back."""
    builder = ExampleBuilder()
    builder.given("vector", Name("x", vector=True), given.vector)
    builder.given("upstream", Name("dy", vector=True), given.upstream)

    def add(id: str, name: Name, formula: Formula) -> Ref:
        builder.add(id, name, formula)
        return Ref(Key(id))

    x, dy = Ref(Key("vector")), Ref(Key("upstream"))
    mean = add("mean", Name("mu"), Means(x, alone=True))
    variance = add("variance", Name("v", vector=True), Variances(x, alone=True))
    added = Plus(variance, Number(PlainNumber(given.epsilon))) if given.epsilon else variance
    deviation = add("deviation", Name("sigma"), Function(added, "sqrt"))
    y = add("normalised", Name("y", vector=True), EntryQuotient(Plus(x, Negate(mean)), deviation))
    level = add("upstream_mean", Name("m", vector=True), Means(dy, alone=True))
    part = add("upstream_part", Name("c", vector=True), Means(Multiply(dy, y), alone=True))
    rest = Plus(Plus(dy, Negate(level)), Negate(Multiply(part, y)))
    add("gradient", Name("dx", vector=True), EntryQuotient(rest, deviation))
    return builder.solution(problem)
