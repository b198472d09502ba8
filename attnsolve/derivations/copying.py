"""When attention copies: if one key's score is ahead of all others by a gap, the output is nearly that key's value."""

from __future__ import annotations

from fractions import Fraction

from attnsolve import notation as n
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.comparing import real_of, stays_below
from attnsolve.derivations.examples import attention_solution, combined, distance
from attnsolve.derivations.names import Names, names, times
from attnsolve.derivations.writing import Passage, number
from attnsolve.key import Key
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.balls import ball
from attnsolve.numbers.surds import square_root
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.number import numeral
from attnsolve.solution.exact import Solution
from attnsolve.spec.given import Copying
from attnsolve.spec.problem import Problem
from attnsolve.spec.readings import Vectors

SCORES = names("n: size(2)", "z: row(n)", "j: index(n)", "alpha: softmax(z)")
OUTPUT = SCORES.also("V: matrix(n, d)", "c: sum(i=1..n, alpha[i]*V[i])")
KEYS = names("n: size(2)", "K: matrix(n, d)", "q: vector(d)", "i: index(n)", "z: (K*q)^T")
"""Where the scores come from; the argument holds for any scores."""
SCORE = "z[i] = K[i]^T*q"
GAP = names("n: size(2)", "g: nonnegative", "t: nonnegative row(n)", "j: index(n)", "top: number").also(
    "others: identity(n) - identity(n)[j]*identity(n)[j]^T",
    "z: top*ones(n)^T - (g*ones(n)^T + t)*others",
    "alpha: softmax(z)",
)
"""Any scores of which score j is ahead of score i by g + tᵢ."""
OTHER = GAP.also("i: index(n) unlike j")
SLACK = names("n: size(2)", "t: nonnegative row(n)", "i: index(n)")
FAR = GAP.also("D: positive", "u: nonnegative row(n)")
"""With D for the longest distance, and u for by how much each is shorter."""
WANTED = names("n: size(2)", "g, odds: positive", "a: odds/(1 + odds)")
"""A weight a between 0 and 1."""
SHOWN = {"c": n.Sym("c", vector=True)}
BOUND = "1/(1 + (n - 1)*exp(-g))"
REST = "(n - 1)*exp(-g)/(1 + (n - 1)*exp(-g))"
NEEDED = "g >= ln((n - 1)*a/(1 - a))"


def derive(problem: Problem, given: Copying) -> list[Passage]:
    """The weight, the output, the gap it takes, what it means; and all of it on given vectors."""
    passages = [_weight(), _output(), _gap(problem, given), _meaning()]
    if given.vectors is not None:
        passages.append(_example(problem, given.vectors, given))
    return passages


@passage("weight", "The weight of one key", SCORES)
def _weight(writing: Argument) -> None:
    score = writing.about(KEYS).definition(SCORE)
    writing.paragraph(
        "The score of key {i} is {score}. Divide the numerator and the denominator of the weight of key {j} by"
        " {exp(z[j])}:",
        i=n.Sym("i"),
        score=score,
    )
    writing.chain(
        "alpha[j]",
        ("= exp(z[j])/sum(i=1..n, exp(z[i]))", "by definition"),
        ("= 1/sum(i=1..n, exp(z[i] - z[j]))", "divided through by {exp(z[j])}"),
        ("= 1/(1 + sum(i=1..n, i != j, exp(-(z[j] - z[i]))))", writing.at("i", "j", "exp(z[i] - z[j])", "1")),
    )
    gap = writing.about(GAP)
    gap.paragraph(
        "Now suppose that score {j} is ahead of every other score by a gap of at least {g}: {ahead} with {slack}."
        " Leaving out {t[i]} can only make a term larger:",
        ahead=writing.about(OTHER).claims("z[j] - z[i] = g + t[i]"),
        slack=writing.about(SLACK).claims("t[i] >= 0"),
    )
    gap.chain(
        "alpha[j]",
        ("= 1/(1 + sum(i=1..n, i != j, exp(-(g + t[i]))))", "substitute the gaps"),
        ("≥ 1/(1 + sum(i=1..n, i != j, exp(-g)))", "no {t[i]} is negative"),
        (f"= {BOUND}", "{n - 1} equal terms"),
    )
    writing.notes(
        "What matters is the dot product with the query, not the length of the key: a long key that points away from"
        " the query gets a small weight."
    )


@passage("output", "The output is close to one value", OUTPUT, SHOWN)
def _output(writing: Argument) -> None:
    writing.chain(
        "c - V[j]",
        ("= sum(i=1..n, alpha[i]*V[i]) - V[j]", "by definition"),
        ("= sum(i=1..n, alpha[i]*V[i]) - sum(i=1..n, alpha[i])*V[j]", "the weights sum to 1"),
        ("= sum(i=1..n, alpha[i]*(V[i] - V[j]))", "combine the sums"),
        ("= sum(i=1..n, i != j, alpha[i]*(V[i] - V[j]))", writing.at("i", "j", "norm(alpha[i]*(V[i] - V[j]))", "0")),
    )
    off, apart = "norm(c - V[j])", "norm(V[i] - V[j])"
    writing.chain(off, (f"≤ sum(i=1..n, i != j, alpha[i]*{apart})", "triangle inequality"))
    bounded = writing.about(FAR)
    bounded.paragraph(
        "Let {D} be the largest of the distances {apart}, and {less}, which is never negative. Then the sum is",
        apart=writing.term(apart),
        less=bounded.substitutes(writing, apart, "u[i] = D - x", "D - u[i]"),
    )
    summed = "sum(i=1..n, i != j, alpha[i]*(D - u[i]))"
    bounded.chain(
        summed,
        ("≤ sum(i=1..n, i != j, alpha[i]*D)", "no distance is larger than {D}"),
        ("= (1 - alpha[j])*D", "the weights sum to 1"),
        (f"≤ D*{REST}", "the bound on {alpha[j]} found above"),
    )
    triangle, bound = f"{off} <= sum(i=1..n, i != j, alpha[i]*{apart})", f"{summed} <= D*{REST}"
    bounded.paragraph("and so")
    bounded.lines(bounded.follows(writing, triangle, bound))
    bounded.paragraph("This bound tends to 0 as the gap grows:")
    bounded.chain(f"lim(g -> oo, {REST})", ("= 0", "{exp(-g)} tends to 0"))


@passage("gap", "The gap needed for a given weight", WANTED)
def _gap(writing: Argument, problem: Problem, given: Copying) -> None:
    writing.paragraph(
        "The weight is certainly at least {a}, a number between 0 and 1, if its lower bound is. Solve this for the gap:"
    )
    writing.equivalent(
        f"{BOUND} >= a",
        ("(n - 1)*exp(-g) <= 1/a - 1", f"-a*{BOUND}"),
        ("exp(g) >= (n - 1)*a/(1 - a)", "-exp(-g)*(1 - a)/a"),
        (NEEDED, "exp"),
    )
    if given.accuracy is not None:
        _needed(writing, problem, given.accuracy, None if given.vectors is None else len(given.vectors.keys))


def _needed(writing: Argument, problem: Problem, wanted: Fraction, keys: int | None) -> None:
    """The gap for the weight that the problem wants, with as many keys as it has."""
    figures = Figures(problem.digits, problem.style)
    a = figures.show(Real.of(wanted)).notation
    odds = wanted / (1 - wanted)
    if keys is None:
        writing.paragraph("For a weight of {a}:", a=a)
        writing.equation(writing.put_in(NEEDED, {"a": wanted}, f"ln({times(odds, '(n - 1)')})"))
        return
    writing.paragraph("With {n} keys and a weight of {a}:", n=n.Num(str(keys)), a=a)
    power = (keys - 1) * odds
    if power <= 1:
        writing.paragraph("No gap is needed: a key with the highest score already has at least this weight.")
        return
    writing.equation(writing.put_in(NEEDED, {"n": keys, "a": wanted}, f"ln({power})", figures=figures))
    writing.result("gap", n.Sym("g"), None, needed_gap(keys, wanted))


def needed_gap(keys: int, accuracy: Fraction) -> Real:
    """ln((n − 1) a / (1 − a))."""
    return Real(None, lambda bits: ball((keys - 1) * accuracy / (1 - accuracy)).log())


@passage("meaning", "What it means", names())
def _meaning(writing: Argument) -> None:
    writing.paragraph(
        "The output is always a weighted mean of the values. When the query matches one key so much better than the"
        " others that nearly all the weight goes to it, this mean is close to that key's value: attention then looks"
        " up a value and copies it, like a dictionary. The copy is not exact, because every weight is positive, but"
        " the error shrinks exponentially with the gap."
    )


def _example(problem: Problem, vectors: Vectors, given: Copying) -> Passage:
    solution = attention_solution(problem, vectors.query, vectors.keys, vectors.values)
    narrator = ExactNarrator(solution, everything=True)
    scores = [solution.real(Key("scores"), 0, i) for i in range(len(vectors.keys))]
    values = [real.rational or Fraction(0) for real in scores]
    j = given.index - 1 if given.index is not None else values.index(max(values))
    gap = values[j] - max(value for i, value in enumerate(values) if i != j)
    next_best = next(i for i, value in enumerate(values) if i != j and value == values[j] - gap)
    writing = Argument("example", "On given vectors", _known(vectors, j, next_best), SHOWN)
    writing.states_given(*(writing.quantity(narrator, q.key.id) for q in narrator.graph if q.given))
    writing.works(narrator, "scores", "weights")
    if gap <= 0:
        writing.paragraph(
            "Key {j} is not ahead of the others: its score is {own}, and the highest of the others is {other}. So"
            " its value is not the one that gets copied, and the bounds above say nothing about it.",
            j=n.Num(str(j + 1)),
            own=number(values[j]),
            other=number(values[j] - gap),
        )
        return writing.finish()
    _bounds(writing, problem, vectors, given, solution, j, gap)
    return writing.finish()


def _known(vectors: Vectors, j: int, next_best: int) -> Names:
    """The given vectors; the weights and the output; the gap, and the longest distance from the copied value."""
    known = names(q=vectors.query, K=vectors.keys)
    known = known.also("z: q*K^T", "alpha: softmax(z)", f"g: z[{j + 1}] - z[{next_best + 1}]")
    if vectors.values is None:
        return known
    far = max(range(len(vectors.values)), key=lambda i: _square(vectors, i, j))
    return known.also("c: (alpha*V)^T", f"D: norm(V[{far + 1}] - V[{j + 1}])", V=vectors.values)


def _square(vectors: Vectors, i: int, j: int) -> Fraction:
    """The squared distance of two values."""
    assert vectors.values is not None
    return sum(((x - y) ** 2 for x, y in zip(vectors.values[i], vectors.values[j], strict=True)), Fraction(0))


def _bounds(
    writing: Argument, problem: Problem, vectors: Vectors, given: Copying, solution: Solution, j: int, gap: Fraction
) -> None:
    figures, count = Figures(problem.digits, problem.style), len(vectors.keys)
    values = {"n": numeral(count), "g": numeral(gap)}
    bound = parse_term(f"1/(1 + {count - 1}*exp(-x))" if count > 2 else "1/(1 + exp(-x))").substitute(
        {"x": numeral(gap)}
    )
    writing.requires(Claim(parse_term(BOUND).substitute(values), "=", bound))
    for i in range(1, count + 1):
        if i != j + 1:
            writing.confirm_in_numbers(f"z[{j + 1}] - z[{i}] >= g")
    actual = solution.real(Key("weights"), 0, j)
    writing.paragraph(
        "Score {j} is ahead of all others by {g}, so its weight must be at least {bound}; it is {actual}:",
        j=n.Num(str(j + 1)),
        g=writing.found("g", Real.of(gap), figures),
        bound=figures.show(real_of(bound)).notation,
        actual=figures.decimal(actual).notation,
    )
    description = "the weight is not below its bound"
    writing.lines(writing.compares(f"alpha[{j + 1}]", actual, "≥", bound, figures, description))
    if vectors.values is not None:
        _copy(writing, problem, vectors, solution, j, real_of(bound))
    if given.accuracy is not None:
        _longer(writing, figures, count, given.accuracy, gap)


def _longer(writing: Argument, figures: Figures, keys: int, wanted: Fraction, gap: Fraction) -> None:
    """How much longer the query would have to be for the wanted weight: all scores, and so the gap, grow with it."""
    a = figures.show(Real.of(wanted)).notation
    if (keys - 1) * wanted / (1 - wanted) <= 1:
        writing.paragraph("A weight of {a} needs no gap at all.", a=a)
        return
    needed = needed_gap(keys, wanted)
    factor = combined(lambda x: x / ball(gap), needed)
    shown = {"a": a, "needed": figures.decimal(needed).notation, "factor": figures.decimal(factor).notation}
    if stays_below(needed, Real.of(gap)):
        writing.paragraph(
            "A gap of {needed} is enough for a weight of {a}, so this query is long enough for it.", **shown
        )
        return
    writing.paragraph(
        "A gap of {needed} is enough for a weight of {a}: a query {factor} times as long would reach it.", **shown
    )


def _copy(writing: Argument, problem: Problem, vectors: Vectors, solution: Solution, j: int, bound: Real) -> None:
    assert vectors.values is not None
    values, figures = vectors.values, Figures(problem.digits, problem.style)
    narrator = ExactNarrator(solution, everything=True)
    writing.works(narrator, "context")
    output = [solution.real(Key("context"), 0, i) for i in range(len(values[0]))]
    error = distance(output, [Real.of(x) for x in values[j]])
    far = max(_square(vectors, i, j) for i in range(len(values)))
    if not far:
        writing.paragraph("All values are the same, so the output is that value, whatever the weights are.")
        return
    for i in range(1, len(values) + 1):
        writing.confirm_in_numbers(f"norm(V[{i}] - V[{j + 1}]) <= D")
    longest = writing.found("D", Real.of(square_root(far)), figures)
    most = combined(lambda b, d: (1 - b) * d, bound, writing.number("D"))
    copied = f"norm(c - V[{j + 1}])"
    writing.paragraph(
        "The largest distance to the copied value is {D}, so the output can be off by at most {most}; it is off by"
        " {error}:",
        D=longest,
        most=figures.decimal(most).notation,
        error=figures.decimal(error).notation,
    )
    writing.equation(writing.compares(copied, error, "≤", most, figures, "the output is within its bound"))
    writing.result("error", copied, None, error)
