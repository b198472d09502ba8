"""When attention averages: a query that matches two orthonormal keys equally well returns the mean of their values."""

from __future__ import annotations

from fractions import Fraction

import sympy

from attnsolve import notation as n
from attnsolve.algebra.grammar import parse_term
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.comparing import are_one, real_of
from attnsolve.derivations.examples import attention_solution, distance
from attnsolve.derivations.names import names, times
from attnsolve.derivations.premises import numbers
from attnsolve.derivations.writing import Passage
from attnsolve.document import Paragraph
from attnsolve.key import Key
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.balls import ball
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.formula import Formula
from attnsolve.solution.exact import Solution
from attnsolve.spec.given import Averaging
from attnsolve.spec.problem import Problem
from attnsolve.spec.readings import Rows, Vectors

WEIGHT = "exp(beta)/(n - 2 + 2*exp(beta))"
OTHERS = "1/(n - 2 + 2*exp(beta))"
STRENGTH = "(n - 2)*(1 - 2*epsilon)/(4*epsilon)"
"""What the exponential of β must reach."""
SHORT = "(n - 2)/(2*(n - 2 + 2*exp(beta)))"
"""How far the weight of a chosen key is below ½."""
STRONG = f"beta >= ln({STRENGTH})"
KEYS = ("beta: positive", "K: orthonormal(n)", "a: index(n)", "b: index(n) unlike a")
MADE = ("q: beta*(K[a] + K[b])", "alpha: softmax((K*q)^T)")
NAMES = names("n: size(3)", *KEYS, "i: index(n) unlike a, b", *MADE)
PAIR = names("n: size(2)", *KEYS, *MADE)
"""The same where there may be no other key."""
OUTPUT = names("n: size(3)", "d: size", *KEYS, *MADE, "V: matrix(n, d)", "c: sum(l=1..n, alpha[l]*V[l])")
ANY = names("n: size(3)", "beta, ratio: positive", "epsilon: ratio/(2*(1 + ratio))", f"alpha_a: {WEIGHT}")
"""How far the weight is below ½, as a letter: at most ½."""
SHOWN = {"q": n.Sym("q", vector=True), "c": n.Sym("c", vector=True)}


def derive(problem: Problem, given: Averaging) -> list[Passage]:
    """The scores, the weights, their limit, the strength it takes; and all of it on given vectors."""
    passages = [_scores(), _weights(problem, given), _limit(), _needed(problem, given)]
    if given.vectors is not None:
        passages.append(_example(problem, given.vectors, given))
    return passages


@passage("scores", "The scores", NAMES, SHOWN)
def _scores(writing: Argument) -> None:
    writing.paragraph(
        "The keys are orthonormal: {K[i]^T*K[i] = 1}, and {K[a]^T*K[b] = 0} for any two different keys. To attend"
        " equally to keys {a} and {b}, take the query {query}, with {beta} positive.",
        query=writing.definition("q"),
    )
    writing.chooses("Take the query {query}, with {beta} positive.", query=writing.definition("q"))
    for key, one, other in (("a", "1", "0"), ("b", "0", "1"), ("i", "0", "0")):
        total = {"a": "beta", "b": "beta", "i": "0"}[key]
        writing.chain(
            f"K[{key}]^T*q",
            (f"= beta*K[{key}]^T*K[a] + beta*K[{key}]^T*K[b]", "linearity"),
            (f"= beta*{one} + beta*{other}", "orthonormal keys"),
            (f"= {total}", "for every other key {i}" if key == "i" else "multiplied out"),
        )


@passage("weights", "The weights", NAMES, SHOWN)
def _weights(writing: Argument, problem: Problem, given: Averaging) -> None:
    writing.paragraph("Two exponentials are {exp(beta)}; the other {n - 2} are {exp(0) = 1}:")
    reasons = {"a": "softmax of the scores", "b": "the same score", "i": "for every other key {i}"}
    writing.equalities(
        *((f"alpha[{key}]", f"= {OTHERS if key == 'i' else WEIGHT}", reason) for key, reason in reasons.items())
    )
    writing.result(
        "weight",
        "alpha[a]",
        sympy.exp(sympy.Symbol("beta")) / (sympy.Symbol("n") - 2 + 2 * sympy.exp(sympy.Symbol("beta"))),
    )
    _put_in(writing, problem, given)


def _put_in(writing: Argument, problem: Problem, given: Averaging) -> None:
    """The weight with what the problem gives put in: n, β or both."""
    size, beta = given.size, given.beta
    givens = {"n": size, "beta": beta}
    values = {name: Fraction(value) for name, value in givens.items() if value is not None}
    if not values:
        return
    pair = writing.about(PAIR, SHOWN)
    shown = {name: pair.value(name, value) for name, value in values.items()}
    pair.paragraph(f"With {' and '.join(f'{{{name}}}' for name in values)}:", **shown)
    weight = parse_term(WEIGHT).substitute({**numbers(values)})
    forms: list[str | Formula] = [weight]
    if size == 2:
        forms.append("1/2")
    elif size is not None and beta is None:
        forms.append(f"exp(beta)/({size - 2} + 2*exp(beta))")
    known = size is not None and beta is not None
    figures = Figures(problem.digits, problem.style) if known and size != 2 else None
    pair.equation(pair.put_in(f"alpha[a] = {WEIGHT}", values, *forms, figures=figures))
    if size == 2:
        writing.result("weight-value", "alpha[a]", sympy.S.Half, Real.of(sympy.S.Half))
    elif known:
        writing.result("weight-value", "alpha[a]", None, real_of(weight))


@passage("limit", "As the query grows stronger", NAMES, SHOWN)
def _limit(writing: Argument) -> None:
    writing.chain(
        "lim(beta -> oo, alpha[a])",
        (f"= lim(beta -> oo, {WEIGHT})", "the weight found above"),
        ("= lim(beta -> oo, 1/((n - 2)*exp(-beta) + 2))", "divided through by {exp(beta)}"),
        ("= 1/2", "{exp(-beta)} tends to 0"),
    )
    writing.chain(
        "lim(beta -> oo, alpha[i])",
        (f"= lim(beta -> oo, {OTHERS})", "the weight found above"),
        ("= 0", "{exp(beta)} grows without bound"),
    )
    writing.paragraph("So the output tends to the mean of the two values. For any {beta}, it is off by")
    writing.about(OUTPUT, SHOWN).chain(
        "c - (V[a] + V[b])/2",
        ("= sum(l=1..n, alpha[l]*(V[l] - (V[a] + V[b])/2))", "the weights sum to 1"),
        ("= (sum(l=1..n, V[l] - (V[a] + V[b])/2))/(n - 2 + 2*exp(beta))", "the terms of {a} and {b} cancel"),
    )
    writing.paragraph("which shrinks like {exp(-beta)}.")


@passage("needed", "How strong the query must be", ANY)
def _needed(writing: Argument, problem: Problem, given: Averaging) -> None:
    writing.paragraph("The weight of a chosen key falls short of ½ by")
    writing.chain("1/2 - alpha_a", (f"= {SHORT}", "as a single fraction"))
    writing.confirm("epsilon <= 1/2")
    writing.paragraph(
        "Suppose that there are more than two keys and that {epsilon} is below ½. Require this to be at most"
        " {epsilon}, and solve for {beta}:"
    )
    writing.equivalent(
        f"{SHORT} <= epsilon",
        ("(n - 2)/(2*epsilon) <= n - 2 + 2*exp(beta)", "epsilon/(n - 2 + 2*exp(beta))"),
        (f"exp(beta) >= {STRENGTH}", "-2"),
        (STRONG, "exp"),
    )
    _strength(writing, problem, given.size, given.within)


def _strength(writing: Argument, problem: Problem, size: int | None, tolerance: Fraction | None) -> None:
    """The strength with what the problem gives put in: the number of keys, the tolerance or both."""
    if size == 2:
        writing.paragraph("With only two keys both weights are ½, whatever {beta} is.")
        return
    figures = Figures(problem.digits, problem.style)
    notations: dict[str, n.Notation] = {} if size is None else {"n": n.Num(str(size))}
    notations |= {} if tolerance is None else {"e": figures.show(Real.of(tolerance)).notation}
    phrase = " and ".join(["{n} keys"] * (size is not None) + ["a tolerance of {e}"] * (tolerance is not None))
    values = {"n": size, "epsilon": tolerance}
    if size is None or tolerance is None:
        if phrase:
            writing.paragraph(f"With {phrase}:", **notations)
            writing.equation(writing.put_in(STRONG, values, f"ln({_odds(size, tolerance)})"))
        return
    power = (size - 2) * (1 - 2 * tolerance) / (4 * tolerance)
    if power <= 1:
        writing.paragraph(f"With {phrase}, any positive {{beta}} will do.", **notations)
        return
    writing.paragraph(f"With {phrase}:", **notations)
    writing.equation(writing.put_in(STRONG, values, f"ln({power})", figures=figures))
    writing.result("needed", n.Sym("beta"), None, Real(None, lambda bits: ball(power).log()))


def _odds(size: int | None, tolerance: Fraction | None) -> str:
    """(n − 2)(1 − 2ε)/(4ε) with one of the two put in."""
    if tolerance is None:
        assert size is not None
        return times(Fraction(size - 2), "(1 - 2*epsilon)/(4*epsilon)")
    return times((1 - 2 * tolerance) / (4 * tolerance), "(n - 2)")


def _example(problem: Problem, vectors: Vectors, given: Averaging) -> Passage:
    a, b = given.pair
    beta = given.beta if given.beta is not None else Fraction(5)
    taken = f"{beta}*(K[{a}] + K[{b}])"
    known = names(f"q: {taken}", beta=beta, K=vectors.keys)
    if vectors.values is not None:
        known = known.also("c: (softmax((K*q)^T)*V)^T", V=vectors.values)
    writing = Argument("example", "On given vectors", known, SHOWN)
    query = tuple(beta * (x + y) for x, y in zip(vectors.keys[a - 1], vectors.keys[b - 1], strict=True))
    figures = Figures(problem.digits, problem.style)
    called = {"a": n.Num(str(a)), "b": n.Num(str(b))}
    description = "Keys {a} and {b}, with {beta}:"
    writing.states(Paragraph(writing.inline(description, **called, beta=writing.value("beta", beta))))
    writing.equation(writing.works_out(taken, figures, "q", flat=True))
    solution = attention_solution(problem, (query,), vectors.keys, vectors.values)
    narrator = ExactNarrator(solution, everything=True)
    givens = [q.key.id for q in narrator.graph if q.given and q.key.id != "queries"]
    writing.states_given(*(writing.quantity(narrator, id) for id in givens))
    writing.works(narrator, "scores", "weights")
    expected = real_of(parse_term(WEIGHT).substitute(numbers({"n": len(vectors.keys), "beta": beta})))
    for key in (a, b):
        same = solution.real(Key("weights"), 0, key - 1)
        writing.holds(f"weight {key} agrees with the formula", are_one(same, expected))
    if vectors.values is not None:
        writing.works(narrator, "context")
        _distance(writing, solution, vectors.values, (a, b), figures)
    return writing.finish()


def _distance(writing: Argument, solution: Solution, values: Rows, pair: tuple[int, int], figures: Figures) -> None:
    """How far the output is from the mean of the two values."""
    a, b = pair
    middle = [Real.of((x + y) / 2) for x, y in zip(values[a - 1], values[b - 1], strict=True)]
    error = distance([solution.real(Key("context"), 0, i) for i in range(len(values[0]))], middle)
    mean = f"(V[{a}] + V[{b}])/2"
    off = f"norm(c + -1*({mean}))"  # a minus before a fraction would put its numerator in brackets
    writing.paragraph("The mean of the two values, and how far the output is from it:")
    writing.gallery(writing.works_out(mean, figures, flat=True), writing.found(off, error, figures))
    writing.result("error", off, None, error)
