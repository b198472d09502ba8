"""How each weight of a softmax changes with each score, what that does to a gradient, and why it nearly stops one."""

from __future__ import annotations

from fractions import Fraction

from attnsolve import notation as n
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.examples import ExampleBuilder
from attnsolve.derivations.gradients import derivatives_agree, upright
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.graph import Name
from attnsolve.key import Key
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.balls import ball
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.add import Add
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.entrywise import Multiply, Plus
from attnsolve.operations.formula import Ref
from attnsolve.operations.softmax import Softmax
from attnsolve.operations.structure import Diagonal
from attnsolve.operations.vectors import Dot, Outer
from attnsolve.solution.exact import Solution
from attnsolve.spec.gradients import ScoresAndUpstream
from attnsolve.spec.problem import Problem
from attnsolve.spec.readings import Rows

SCORES = names("z: vector(n)", "i, j: index(n)", "Z: sum(l=1..n, exp(z[l]))", "a: softmax(z)")
OTHER = SCORES.also("n: size(2)", "j: index(n) unlike i")
BOTH = SCORES.also("delta: identity(n)", "J: diff(a, z)")
UPSTREAM = BOTH.also("da: vector(n)", "L: sum(l=1..n, da[l]*a[l])", "dz: diff(L, z)")
SATURATED = SCORES.also("t: index(n)")
A, Z = n.Sym("a", vector=True), n.Sym("z", vector=True)
SHOWN = {"a": A, "delta[,]": n.Sym("delta"), "da": n.Sym("da", vector=True), "dz": n.Sym("dz", vector=True)}
WEIGHT = "a[i] = exp(z[i])/Z"
SPACING = Fraction(1, 2**53)
"""Half the distance from 1 to the float64 next to it."""
SATURATING = Fraction(1, 100)
"""What is left to all other weights, where the text calls a softmax saturated."""


def derive(problem: Problem, given: ScoresAndUpstream) -> list[Passage]:
    """One derivative, all of them as a matrix, what they do to a gradient, and where they vanish; on some scores."""
    passages = [_entries(), _matrix(), _upstream(), _saturation()]
    if given.scores is not None:
        passages.append(_example(problem, given.scores.rows, given.upstream))
    return passages


@passage("entries", "How one weight changes with one score", SCORES, SHOWN)
def _entries(writing: Argument) -> None:
    writing.paragraph(
        "Every weight is an exponential divided by the same sum, {Z}, and only one term of that sum depends on {z[j]}:"
    )
    writing.lines(writing.definition(WEIGHT), writing.definition("Z"))
    writing.chain("diff(Z, z[j])", ("= exp(z[j])", "the other terms don't change"))
    writing.paragraph("First the weight of the same place. Its numerator depends on {z[j]} as well:")
    writing.chain(
        "diff(a[j], z[j])",
        ("= (exp(z[j])*Z - exp(z[j])*exp(z[j]))/Z^2", "quotient rule"),
        ("= exp(z[j])/Z*(1 - exp(z[j])/Z)", "factor out {exp(z[j])/Z}"),
        ("= a[j]*(1 - a[j])", "definition of {a[j]}"),
    )
    writing.paragraph("Now the weight of any other place, {i}. Its numerator does not change with {z[j]}:")
    writing.about(OTHER, SHOWN).chain(
        "diff(a[i], z[j])",
        ("= -exp(z[i])*exp(z[j])/Z^2", "quotient rule"),
        ("= -(exp(z[i])/Z)*(exp(z[j])/Z)", "two fractions"),
        ("= -a[i]*a[j]", "definition of the weights"),
    )
    both = writing.about(BOTH, SHOWN)
    both.paragraph(
        "Let {delta[i,j]} be 1 where {i} and {j} are the same place, and 0 elsewhere. Then one line says both:"
    )
    both.chain("diff(a[i], z[j])", ("= a[i]*(delta[i,j] - a[j])", ""))
    writing.notes("Raising a score raises its own weight and lowers every other one: they compete for a total of 1.")


@passage("matrix", "All derivatives as a matrix", BOTH, SHOWN)
def _matrix(writing: Argument) -> None:
    writing.paragraph("Let row {i} of a matrix {J}, the Jacobian, hold the derivatives of {a[i]} in {z[1]}, …, {z[n]}:")
    writing.chain("J", ("= diag(a) - a*a^T", "the entries found above"), opening=("= diff(a, z)", "by definition"))
    writing.paragraph("It is symmetric:")
    writing.chain("J^T", ("= J", "{diag(a)} and {a*a^T} are both symmetric"))
    writing.paragraph(
        "Each row sums to 0, and so, by symmetry, does each column: adding the same number to every score does not"
        " change the weights."
    )
    writing.chain(
        "sum(l=1..n, J[i,l])",
        ("= sum(l=1..n, a[i]*(delta[i,l] - a[l]))", "the entries found above"),
        ("= a[i] - a[i]*sum(l=1..n, a[l])", "{delta[i,l]} leaves one term"),
        ("= 0", "the weights sum to 1"),
    )


@passage("upstream", "What it does to a gradient", UPSTREAM, SHOWN)
def _upstream(writing: Argument) -> None:
    writing.paragraph(
        "Suppose that a loss depends on the weights, and that its derivatives {da[1]}, …, {da[n]} in them are known."
        " For small changes of the weights the loss changes like"
    )
    writing.equation(writing.definition("L"))
    writing.paragraph("with {da} held constant. So its derivative in one score is")
    writing.chain(
        "diff(L, z[j])",
        ("= sum(l=1..n, da[l]*diff(a[l], z[j]))", "chain rule"),
        ("= sum(l=1..n, da[l]*a[l]*(delta[l,j] - a[j]))", "the entries found above"),
        ("= a[j]*(da[j] - sum(l=1..n, da[l]*a[l]))", "{delta[l,j]} leaves one term"),
    )
    writing.paragraph("For all scores at once, with {ones(n)} for a vector of {n} ones:")
    writing.chain(
        "dz",
        ("= J*da", "{J} is symmetric"),
        ("= a .* (da - (a^T*da)*ones(n))", "entry by entry"),
        opening=("= diff(L, z)", "by definition"),
    )
    writing.notes(
        "{a^T*da} is the mean of the derivatives, weighted by the weights. What arrives at a score is how far its own"
        " derivative differs from this mean, times its weight. So the matrix {J} never has to be stored."
    )


@passage("saturation", "What a saturated softmax does", SATURATED, SHOWN)
def _saturation(writing: Argument) -> None:
    writing.paragraph(
        "No entry is larger than what the other weights leave over for a weight {a[t]}, whichever that is: every entry"
        " has a factor that is at most {1 - a[t]}."
    )
    writing.chain("abs(diff(a[i], z[j]))", ("≤ 1 - a[t]", "for any places {i}, {j} and {t}"))
    writing.paragraph(
        "So when one weight comes close to 1, all derivatives come close to 0: the softmax is saturated. Then hardly"
        " any gradient reaches any score, even if the weight is on the wrong place; and those scores hardly learn. An"
        " entry is largest for a weight of ½:"
    )
    writing.chain("diff(a[j], z[j])", ("≤ 1/4", "{a[j]*(1 - a[j]) = 1/4 - (a[j] - 1/2)^2}"))
    writing.notes("This is why scores are divided by the root of the key size: large scores saturate the softmax.")


def _example(problem: Problem, scores: Rows, upstream: Rows | None) -> Passage:
    solution = _solution(problem, scores, upstream)
    narrator = ExactNarrator(solution, everything=True)
    known = names(z=upright(scores)).also("a: softmax(z)", "J: diag(a) - a*a^T")
    writing = Argument("example", "On given scores", known, SHOWN)
    writing.states_given(*(writing.quantity(narrator, q.key.id) for q in narrator.graph if q.given))
    writing.works(narrator, "weights")
    writing.paragraph("The derivatives of all weights in all scores, a row for each weight:")
    writing.works(narrator, "jacobian")
    size = len(scores[0])
    sizes, numbers = {"n": size}, {"z": upright(scores)}
    agree = derivatives_agree(names("z: vector(n)"), sizes, numbers, "diff(softmax(z), z)", solution, "jacobian")
    writing.holds("every entry agrees to 30 digits with the derivative taken at these scores", agree)
    if size > 1:
        _meaning(writing, problem, solution, size)
    if upstream is not None:
        writing.paragraph("What arrives at the scores:")
        writing.works(narrator, "gradient")
        free = names("z, da: vector(n)").also("a: softmax(z)", "L: sum(l=1..n, da[l]*a[l])")
        numbers |= {"da": upright(upstream)}
        agree = derivatives_agree(free, sizes, numbers, "diff(L, z)", solution, "gradient")
        writing.holds("and so does every entry of the gradient", agree)
    return writing.finish()


def _solution(problem: Problem, scores: Rows, upstream: Rows | None) -> Solution:
    """Weights, their derivatives, and the gradient in the scores."""
    builder = ExampleBuilder()
    builder.given("scores", Name("z", vector=True), scores)
    if upstream is not None:
        builder.given("upstream", Name("da", vector=True), upstream)
    builder.add("weights", Name("a", vector=True), Softmax(Ref(Key("scores"))))
    weights = Ref(Key("weights"))
    builder.add("jacobian", Name("J"), Add(Diagonal(weights), Negate(Outer(weights, weights))))
    if upstream is not None:
        change = Ref(Key("upstream"))
        builder.add("mean", Name("m"), Dot(weights, change))
        builder.add("gradient", Name("dz", vector=True), Multiply(weights, Plus(change, Negate(Ref(Key("mean"))))))
    return builder.solution(problem)


def _meaning(writing: Argument, problem: Problem, solution: Solution, size: int) -> None:
    """How near the softmax is to being saturated."""
    figures = Figures(problem.digits, problem.style)
    weights = [solution.real(Key("weights"), 0, i) for i in range(size)]
    top = max(range(size), key=lambda i: weights[i].nearest_float())
    left = Real(None, lambda bits: ball(Fraction(1)) - weights[top].ball_at(bits))
    own = solution.real(Key("jacobian"), top, top)
    place = n.Num(str(top + 1))
    writing.paragraph("The highest weight is that of place {t}. It leaves this much over for all others:", t=place)
    writing.lines(writing.found(f"1 - a[{top + 1}]", left, figures))
    writing.paragraph("No entry is larger than that. The one of this weight and its own score is")
    description = "no entry is larger than what the highest weight leaves over"
    writing.lines(writing.compares(f"J[{top + 1},{top + 1}]", own, "≤", left, figures, description))
    if left.nearest_float() < SATURATING:
        writing.paragraph(
            "This softmax is saturated: changing the scores a little changes no weight noticeably, and hardly any"
            " gradient reaches them. If the highest weight is on the wrong place, training will hardly correct it."
        )
    if left.nearest_float() < SPACING:
        writing.notes("In float64 the highest weight even rounds to 1, and its own entry, computed from that, to 0.")
