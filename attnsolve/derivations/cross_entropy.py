"""The gradient of the cross-entropy of a softmax: the weights minus what they should be."""

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
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.formula import Ref
from attnsolve.operations.softmax import Softmax
from attnsolve.solution.exact import Solution
from attnsolve.spec.gradients import ScoresAndTarget
from attnsolve.spec.problem import Problem
from attnsolve.spec.readings import Rows

NAMES = names("z: vector(n)", "t, j: index(n)", "p: softmax(z)", "L: -ln(p[t])", "y: identity(n)[t]")
OTHER = NAMES.also("n: size(2)", "j: index(n) unlike t")
SEVERAL = names("m, n: size", "Z, U: matrix(m, n)", "i: index(m)", "j: index(n)").also(
    "Y: U + (ones(m) - U*ones(n))*ones(n)^T/n",
    "P: softmax(Z)",
    "L: -sum(i=1..m, sum(l=1..n, Y[i,l]*ln(P[i,l])))/m",
)
"""Y is any matrix whose rows sum to 1: U itself, where its rows do."""
SHOWN = {name: n.Sym(name, vector=True) for name in "pyz"}
SUM = "sum(l=1..n, exp(z[l]))"


def derive(problem: Problem, given: ScoresAndTarget) -> list[Passage]:
    """The loss as a difference, its gradient, what that does, the mean of several tokens; on some scores."""
    passages = [_loss(), _gradient(), _meaning(), _mean()]
    if given.scores is not None:
        passages.append(_example(problem, given.scores.rows, given.target))
    return passages


@passage("loss", "The loss without a softmax", NAMES, SHOWN)
def _loss(writing: Argument) -> None:
    writing.paragraph(
        "A model gives scores {z} to {n} possible answers, and {p} is their softmax. The right answer is number {t}."
        " The loss is the negative logarithm of the probability that the model gives to it:"
    )
    writing.chain(
        "L",
        (f"= -ln(exp(z[t])/{SUM})", "definition of {p}"),
        (f"= ln({SUM}) - z[t]", "logarithm of a quotient"),
        opening=("= -ln(p[t])", "by definition"),
    )


@passage("gradient", "The gradient in the scores", NAMES, SHOWN)
def _gradient(writing: Argument) -> None:
    writing.paragraph(
        "Let {y} have a 1 in place {t} and 0 elsewhere. That is also how {z[t]} changes with the scores: the derivative"
        " of {z[t]} in {z[j]} is {y[j]}."
    )
    writing.chain(
        "diff(L, z[j])",
        (f"= diff(ln({SUM}), z[j]) - diff(z[t], z[j])", "term by term"),
        (f"= exp(z[j])/{SUM} - diff(z[t], z[j])", "chain rule"),
        (f"= exp(z[j])/{SUM} - y[j]", "{diff(z[t], z[j]) = y[j]}"),
        ("= p[j] - y[j]", "definition of {p}"),
    )
    writing.paragraph("For all scores at once:")
    writing.chain("diff(L, z)", ("= p - y", "entry by entry"))


@passage("meaning", "What it does", NAMES, SHOWN)
def _meaning(writing: Argument) -> None:
    writing.paragraph("The entries sum to 0, because the entries of {p} and of {y} both sum to 1:")
    writing.chain(
        "sum(l=1..n, p[l] - y[l])",
        ("= sum(l=1..n, p[l]) - sum(l=1..n, y[l])", "two sums"),
        ("= 0", "both sums are 1"),
    )
    writing.paragraph(
        "The right answer has an entry that is not positive, and any other, {j}, one that is not negative:"
    )
    writing.chain("diff(L, z[t])", ("= p[t] - 1", "{y[t] = 1}"), ("≤ 0", "no probability is above 1"))
    other = writing.about(OTHER, SHOWN)
    other.chain("diff(L, z[j])", ("= p[j]", "{y[j] = 0}"), ("≥ 0", "no probability is negative"))
    writing.paragraph(
        "Gradient descent goes against the gradient. So it raises the right score, and lowers every other one in"
        " proportion to its probability; and it goes on as long as any other answer has a noticeable probability."
    )
    writing.notes(
        "A softmax alone passes hardly any gradient where it is saturated. Here the logarithm makes up for that: the"
        " more certain the model is of a wrong answer, the closer the entry of the right one comes to −1."
    )


@passage("mean", "The mean loss of several tokens", SEVERAL)
def _mean(writing: Argument) -> None:
    writing.paragraph(
        "With one row of scores in {Z} per token, {m} in all, let row {i} of {P} be the softmax of row {i} of {Z}, and"
        " let row {i} of {Y} have a 1 in the place of the right answer and 0 elsewhere. The loss is the mean over the"
        " tokens,"
    )
    term = "sum(l=1..n, Y[i,l]*ln(P[i,l]))"
    writing.equation(writing.definition("L"))
    writing.paragraph("and only the term of token {i} depends on its scores:")
    writing.chain(
        "diff(L, Z[i,j])",
        (f"= -diff({term}, Z[i,j])/m", "the other terms don't change"),
        ("= (sum(l=1..n, Y[i,l])*P[i,j] - Y[i,j])/m", "as for one token"),
        ("= (P[i,j] - Y[i,j])/m", "row {i} of {Y} sums to 1"),
    )
    writing.paragraph("For all tokens at once:")
    writing.chain("diff(L, Z)", ("= (P - Y)/m", "entry by entry"))
    writing.notes(
        "All that is used of {Y} is that its rows sum to 1. So this also holds for soft targets, as with label"
        " smoothing."
    )


def _example(problem: Problem, scores: Rows, target: int) -> Passage:
    solution = _solution(problem, scores, target)
    narrator = ExactNarrator(solution, everything=True)
    size, place = len(scores[0]), f"[{target}]"
    known = names(z=upright(scores)).also("p: softmax(z)", f"y: identity({size}){place}", f"L: -ln(p{place})")
    writing = Argument("example", "On given scores", known, SHOWN)
    writing.states_given(writing.quantity(narrator, "scores"), writing.quantity(narrator, "target"))
    writing.works(narrator, "weights")
    figures = Figures(problem.digits, problem.style)
    weight = solution.real(Key("weights"), 0, target - 1)
    loss = Real(None, lambda bits: -weight.ball_at(bits).log())
    writing.paragraph("The loss is")
    writing.lines(writing.found(f"-ln(p{place})", loss, figures))
    writing.result("loss", "L", None, loss)
    writing.paragraph("and its gradient in the scores, {gradient}, is", gradient=n.Sym("dz", vector=True))
    writing.works(narrator, "gradient")
    numbers = {"z": upright(scores)}
    agree = derivatives_agree(
        names("z: vector(n)"), {"n": size}, numbers, f"diff(-ln(softmax(z){place}), z)", solution, "gradient"
    )
    writing.holds("every entry agrees to 30 digits with the derivative of the loss at these scores", agree)
    return writing.finish()


def _solution(problem: Problem, scores: Rows, target: int) -> Solution:
    """Probabilities, and how far each is from what it should be."""
    builder = ExampleBuilder()
    builder.given("scores", Name("z", vector=True), scores)
    builder.given("target", Name("y", vector=True), (tuple(int(i == target) for i in range(1, len(scores[0]) + 1)),))
    builder.add("weights", Name("p", vector=True), Softmax(Ref(Key("scores"))))
    builder.add("gradient", Name("dz", vector=True), Add(Ref(Key("weights")), Negate(Ref(Key("target")))))
    return builder.solution(problem)
