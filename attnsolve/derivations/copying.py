"""When attention copies: if one key's score is ahead of all others by a gap, the output is nearly that key's value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from attnsolve import notation as n
from attnsolve.algebra.declared import Declared, Defined, Free, Index, Size
from attnsolve.algebra.declared import Scalar as Letter
from attnsolve.algebra.grammar import parse_term
from attnsolve.derivations.examples import (
    Vectors,
    attention_solution,
    combined,
    distance,
    equals,
    exactly,
    read_vectors,
    stays_below,
    told,
)
from attnsolve.derivations.given import fraction
from attnsolve.derivations.writing import Passage, Writing, number
from attnsolve.document import Gallery, Lines
from attnsolve.narrate.teller import Teller
from attnsolve.numbers.balls import ball
from attnsolve.numbers.light import square_root
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.formula import Key
from attnsolve.solution import Solution
from attnsolve.spec.fields import Fields
from attnsolve.spec.problem import Problem

SCORES: dict[str, Declared] = {
    "n": Size(2),
    "z": Free(parse_term("1"), parse_term("n")),
    "j": Index(parse_term("n")),
}
GAP: dict[str, Declared] = {
    "n": Size(2),
    "g": Letter("nonnegative"),
    "t": Free(parse_term("1"), parse_term("n"), "nonnegative"),
    "j": Index(parse_term("n")),
}
BOUND = "1/(1 + (n - 1)*exp(-g))"
REST = "(n - 1)*exp(-g)/(1 + (n - 1)*exp(-g))"
ALPHA = n.Sym("alpha", ("j",))
"""α_j."""


@dataclass(frozen=True)
class Given:
    """Vectors to see it on, which key is copied, and how well."""

    vectors: Vectors | None
    index: int | None
    accuracy: Fraction | None


def read(fields: Fields) -> Given:
    """Read what is given."""
    vectors = read_vectors(fields, with_query=True)
    most = len(vectors.keys) if vectors is not None else 512
    return Given(
        vectors,
        fields.integer("index", None, 1, most),
        fraction(fields, "accuracy", above=0, below=1),
    )


def derive(problem: Problem, given: Given) -> list[Passage]:
    """The weight, the output, the gap it takes, what it means; and all of it on given vectors."""
    passages = [_weight(), _output(), _gap(problem, given), _meaning()]
    if given.vectors is not None:
        passages.append(_example(problem, given.vectors, given))
    return passages


@cache
def _weight() -> Passage:
    writing = Writing("weight", "The weight of one key", SCORES)
    writing.says(
        "The score of key {i} is {score}. Divide the weight of key {j} above and below by {exp(z[j])}:",
        i=n.Sym("i"),
        score=n.Chain(
            n.Sym("z", ("i",)),
            (("=", n.Product((n.Transposed(n.Sym("k", ("i",), vector=True)), n.Sym("q", vector=True)))),),
        ),
    )
    writing.chain(
        "softmax(z)[j]",
        ("= exp(z[j])/sum(i=1..n, exp(z[i]))", "by definition"),
        ("= 1/sum(i=1..n, exp(z[i] - z[j]))", "divided by {exp(z[j])}"),
        ("= 1/(1 + sum(i=1..n, i != j, exp(-(z[j] - z[i]))))", "the term i = j is 1"),
        left=ALPHA,
    )
    writing.says(
        "Now let score {j} be ahead of every other one by a gap of at least {g}: {ahead} with {slack}. Each term can"
        " only grow when its {slackless} is left out:",
        g=n.Sym("g"),
        ahead=_ahead(),
        slack=n.Chain(n.Sym("t", ("i",)), (("≥", n.Num("0")),)),
        slackless=n.Sym("t", ("i",)),
    )
    gap = Writing("", "", GAP)
    gap.chain(
        "1/(1 + sum(i=1..n, i != j, exp(-(g + t[i]))))",
        ("≥ 1/(1 + sum(i=1..n, i != j, exp(-g)))", "no {t[i]} is negative"),
        (f"= {BOUND}", "{n - 1} equal terms"),
        left=ALPHA,
    )
    writing.includes(gap)
    writing.notes(
        "What counts is the dot product with the query, not the size of the key: a long key that points away from"
        " the query gets a small weight."
    )
    return writing.finish()


def _ahead() -> n.Chain:
    difference = n.Sum((n.Sym("z", ("j",)), n.Product((n.Num("-1"), n.Sym("z", ("i",))))))
    return n.Chain(difference, (("=", n.Sum((n.Sym("g"), n.Sym("t", ("i",))))),))


@cache
def _output() -> Passage:
    names: dict[str, Declared] = {
        **SCORES,
        "d": Size(),
        "V": Free(parse_term("n"), parse_term("d")),
        "alpha": Defined(parse_term("softmax(z)")),
        "c": Defined(parse_term("sum(i=1..n, alpha[i]*V[i])")),
    }
    writing = Writing("output", "The output is close to one value", names, {"c": n.Sym("c", vector=True)})
    writing.chain(
        "c - V[j]",
        ("= sum(i=1..n, alpha[i]*V[i]) - V[j]", "by definition"),
        ("= sum(i=1..n, alpha[i]*V[i]) - sum(i=1..n, alpha[i])*V[j]", "the weights sum to 1"),
        ("= sum(i=1..n, alpha[i]*(V[i] - V[j]))", "one sum"),
        ("= sum(i=1..n, i != j, alpha[i]*(V[i] - V[j]))", "the term i = j is 0"),
    )
    writing.chain(
        "norm(c - V[j])",
        ("≤ sum(i=1..n, i != j, alpha[i]*norm(V[i] - V[j]))", "triangle inequality"),
    )
    writing.says(
        "Let {D} be the longest of the distances {far}. Then", D=n.Sym("D"), far=n.Norm(writing.term("V[i] - V[j]"))
    )
    longest: dict[str, Declared] = {
        "n": Size(2),
        "z": SCORES["z"],
        "j": SCORES["j"],
        "D": Letter("positive"),
        "u": Free(parse_term("1"), parse_term("n"), "nonnegative"),
        "alpha": Defined(parse_term("softmax(z)")),
    }
    bounded = Writing("", "", longest)
    bounded.chain(
        "sum(i=1..n, i != j, alpha[i]*(D - u[i]))",
        ("≤ sum(i=1..n, i != j, alpha[i]*D)", "no distance is longer than {D}"),
        ("= (1 - alpha[j])*D", "the weights sum to 1"),
        left=n.Norm(writing.term("c - V[j]")),
    )
    writing.includes(bounded)
    writing.says("and with the bound on {alpha} found above,", alpha=ALPHA)
    rest = Writing("", "", {**GAP, "D": Letter("positive")})
    assert rest.check(f"(1 - {BOUND})*D = D*{REST}").holds
    rest.defines(n.Chain(n.Norm(writing.term("c - V[j]")), (("≤", rest.term(f"D*{REST}")),)))
    rest.says("This bound goes to 0 as the gap grows:")
    rest.chain(f"lim(g -> oo, {REST})", ("= 0", "{exp(-g)} goes to 0"))
    writing.includes(rest)
    return writing.finish()


def _gap(problem: Problem, given: Given) -> Passage:
    names: dict[str, Declared] = {"n": Size(2), "a": Letter("positive")}
    writing = Writing("gap", "The gap that a wanted weight takes", names)
    writing.says("The weight is at least {a}, a number between 0 and 1, if its bound is. Solved for the gap:")
    gap = Writing("", "", {"n": Size(2), "a": Letter("positive"), "g": Letter("positive")})
    lines = (
        n.Chain(gap.term(BOUND), (("≥", n.Sym("a")),)),
        n.Chain(None, (("⟺", gap.term("(n - 1)*exp(-g) <= 1/a - 1")),)),
        n.Chain(None, (("⟺", gap.term("exp(g) >= (n - 1)*a/(1 - a)")),)),
        n.Chain(None, (("⟺", gap.term("g >= ln((n - 1)*a/(1 - a))")),)),
    )
    writing.add(Lines(lines))
    finding = writing.check("1/(1 + (n - 1)*exp(-ln((n - 1)*a/(1 - a)))) = a")
    assert finding.holds, "the gap does not give the wanted weight"
    if given.accuracy is not None:
        _needed(writing, problem, given.accuracy, None if given.vectors is None else len(given.vectors.keys))
    return writing.finish()


def _needed(writing: Writing, problem: Problem, wanted: Fraction, keys: int | None) -> None:
    """The gap for the weight that the problem wants, with as many keys as it has."""
    figures = Figures(problem.digits, problem.style)
    a = figures.show(exactly(wanted)).notation
    odds = wanted / (1 - wanted)
    if keys is None:
        factor = "" if odds == 1 else f"{odds.numerator}*"
        under = "" if odds.denominator == 1 else f"/{odds.denominator}"
        writing.says("With a wanted weight of {a}:", a=a)
        writing.add_equation(n.Chain(n.Sym("g"), (("≥", writing.term(f"ln({factor}(n - 1){under})")),)))
        return
    writing.says("With {n} keys and a wanted weight of {a}:", n=n.Num(str(keys)), a=a)
    power = (keys - 1) * odds
    if power <= 1:
        writing.says("No gap is needed, since a key whose score is among the highest has this weight already.")
        return
    needed = needed_gap(keys, wanted)
    links = (("≥", n.Call("ln", (number(power),))), ("≈", figures.show(needed).notation))
    writing.add_equation(n.Chain(n.Sym("g"), links))
    writing.result("gap", n.Sym("g"), None, needed)


def needed_gap(keys: int, accuracy: Fraction) -> Real:
    """ln((n − 1) a / (1 − a))."""
    return Real(None, lambda bits: ball((keys - 1) * accuracy / (1 - accuracy)).log())


@cache
def _meaning() -> Passage:
    writing = Writing("meaning", "What it means", SCORES)
    writing.says(
        "The output is always a weighted mean of the values. When the query matches one key so much better than the"
        " others"
        " that nearly all weight goes to it, this mean is nearly that key's value: attention then looks a value up and"
        " copies it, like a dictionary. The copy is never exact, since every weight is positive; but the error shrinks"
        " exponentially with the gap."
    )
    return writing.finish()


def _example(problem: Problem, vectors: Vectors, given: Given) -> Passage:
    solution = attention_solution(problem, vectors.query, vectors.keys, vectors.values)
    teller = Teller(solution, everything=True)
    writing = Writing("example", "On given vectors", SCORES)
    writing.states(Gallery(tuple(teller.equals(q) for q in teller.graph if q.given)))
    writing.add(*told(teller, "scores"), *told(teller, "weights"))
    scores = [solution.real(Key("scores"), 0, i) for i in range(len(vectors.keys))]
    values = [real.rational or Fraction(0) for real in scores]
    j = given.index - 1 if given.index is not None else values.index(max(values))
    gap = values[j] - max(value for i, value in enumerate(values) if i != j)
    if gap <= 0:
        writing.says(
            "Key {j} is not ahead of the others: its score is {own}, and the highest of the others is {other}. So its"
            " value is not what is copied, and the bounds above say nothing about it.",
            j=n.Num(str(j + 1)),
            own=number(values[j]),
            other=number(values[j] - gap),
        )
        return writing.finish()
    _bounds(writing, problem, vectors, given, solution, j, gap)
    return writing.finish()


def _bounds(
    writing: Writing, problem: Problem, vectors: Vectors, given: Given, solution: Solution, j: int, gap: Fraction
) -> None:
    figures, count = vectors.figures(problem), len(vectors.keys)
    bound = Real(None, lambda bits: 1 / (1 + (count - 1) * (-ball(gap)).exp()))
    actual = solution.real(Key("weights"), 0, j)
    symbol = n.Sym("alpha", (str(j + 1),))
    writing.says(
        "Score {j} is ahead of all others by {g}, so its weight must be at least {bound}; it is {actual}:",
        j=n.Num(str(j + 1)),
        g=n.Chain(n.Sym("g"), (("=", figures.show(exactly(gap)).notation),)),
        bound=figures.show(bound).notation,
        actual=figures.decimal(actual).notation,
    )
    lines = [
        n.Chain(
            symbol,
            (
                ("≈", figures.decimal(actual).notation),
                (
                    "≥",
                    n.Frac(
                        n.Num("1"),
                        n.Sum(
                            (
                                n.Num("1"),
                                n.Product(
                                    (
                                        n.Num(str(count - 1)),
                                        n.Power(n.Sym("e"), n.negated(figures.show(exactly(gap)).notation)),
                                    )
                                ),
                            )
                        ),
                    ),
                ),
                ("≈", figures.show(bound).notation),
            ),
        )
    ]
    writing.add(Lines(tuple(lines)))
    writing.holds("the weight is not below its bound", stays_below(bound, actual))
    if vectors.values is not None:
        _copy(writing, problem, vectors, solution, j, bound)
    if given.accuracy is not None:
        _longer(writing, figures, count, given.accuracy, gap)


def _longer(writing: Writing, figures: Figures, keys: int, wanted: Fraction, gap: Fraction) -> None:
    """How much longer the query would have to be for the wanted weight: all scores, and so the gap, grow with it."""
    a = figures.show(exactly(wanted)).notation
    if (keys - 1) * wanted / (1 - wanted) <= 1:
        writing.says("A weight of {a} takes no gap at all.", a=a)
        return
    needed = needed_gap(keys, wanted)
    factor = combined(lambda x: x / ball(gap), needed)
    shown = {"a": a, "needed": figures.decimal(needed).notation, "factor": figures.decimal(factor).notation}
    if stays_below(needed, exactly(gap)):
        writing.says("A gap of {needed} is enough for a weight of {a}, so this query is long enough for it.", **shown)
        return
    writing.says("A gap of {needed} is enough for a weight of {a}: a query {factor} times as long has it.", **shown)


def _copy(writing: Writing, problem: Problem, vectors: Vectors, solution: Solution, j: int, bound: Real) -> None:
    assert vectors.values is not None
    values, figures = vectors.values, vectors.figures(problem)
    teller = Teller(solution, everything=True)
    writing.add(*told(teller, "context"))
    output = [solution.real(Key("context"), 0, i) for i in range(len(values[0]))]
    error = distance(output, [exactly(x) for x in values[j]])
    far = max(sum(((x - y) ** 2 for x, y in zip(row, values[j], strict=True)), Fraction(0)) for row in values)
    if not far:
        writing.says("All values are the same, so the output is that value, whatever the weights are.")
        return
    longest = Real.of(square_root(far))
    most = combined(lambda b, d: (1 - b) * d, bound, longest)
    copied = n.Norm(n.Sum((n.Sym("c", vector=True), n.Product((n.Num("-1"), n.Sym("v", (str(j + 1),), vector=True))))))
    writing.says(
        "The longest distance to the copied value is {D}, so the output may be off by {most} at most; it is off by"
        " {error}:",
        D=equals(n.Sym("D"), longest, figures),
        most=figures.decimal(most).notation,
        error=figures.decimal(error).notation,
    )
    writing.add_equation(
        n.Chain(copied, (("≈", figures.decimal(error).notation), ("≤", figures.decimal(most).notation)))
    )
    writing.holds("the output is within its bound", stays_below(error, most))
    writing.result("error", copied, None, error)
