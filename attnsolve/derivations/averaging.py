"""When attention averages: a query that matches two orthonormal keys equally well returns the mean of their values."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

import sympy

from attnsolve import notation as n
from attnsolve.algebra.declared import Declarations, Declared, Defined, Free, Index, Orthonormal, Size
from attnsolve.algebra.declared import Scalar as Letter
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.terms import Number
from attnsolve.algebra.verify import Verifier
from attnsolve.derivations.examples import (
    Vectors,
    attention_solution,
    distance,
    equals,
    exactly,
    read_vectors,
    stays_below,
    told,
)
from attnsolve.derivations.given import check_orthonormal, fraction, read_pair
from attnsolve.derivations.writing import Passage, Writing, number
from attnsolve.document import Gallery, Lines, Paragraph
from attnsolve.narrate.teller import Teller
from attnsolve.numbers.balls import Ball, ball
from attnsolve.numbers.written import Figures, Real
from attnsolve.operations.formula import Key
from attnsolve.spec.fields import Fields
from attnsolve.spec.problem import Problem

NAMES: dict[str, Declared] = {
    "n": Size(3),
    "beta": Letter("positive"),
    "K": Orthonormal(parse_term("n")),
    "a": Index(parse_term("n")),
    "b": Index(parse_term("n"), ("a",)),
    "i": Index(parse_term("n"), ("a", "b")),
    "q": Defined(parse_term("beta*(K[a] + K[b])")),
    "alpha": Defined(parse_term("softmax((K*q)^T)")),
}
SHOWN = {"q": n.Sym("q", vector=True)}
WEIGHT = "exp(beta)/(n - 2 + 2*exp(beta))"
OTHERS = "1/(n - 2 + 2*exp(beta))"
STRENGTH = "(n - 2)*(1 - 2*epsilon)/(4*epsilon)"
"""What the exponential of β must reach."""


@dataclass(frozen=True)
class Given:
    """What the problem fixes; None is a letter."""

    n: int | None
    beta: Fraction | None
    within: Fraction | None
    vectors: Vectors | None
    pair: tuple[int, int]


def read(fields: Fields) -> Given:
    """Read what is given; keys that are not orthonormal are refused, with how far off they are."""
    vectors = read_vectors(fields, with_query=False)
    count = fields.integer("n", None, 2, 10**6)
    if vectors is not None:
        check_orthonormal(fields, "keys", vectors.keys)
        if count is not None and count != len(vectors.keys):
            fields.faults.add(fields.marks["n"], f"n is {count} but there are {len(vectors.keys)} keys")
    tolerance = fraction(fields, "within", above=0)
    if tolerance is not None and tolerance >= Fraction(1, 2):
        fields.faults.add(fields.marks["within"], "within must be below 1/2: no weight is further from it")
    beta = fraction(fields, "beta", above=0)
    return Given(count, beta, tolerance, vectors, read_pair(fields, len(vectors.keys) if vectors is not None else None))


def derive(problem: Problem, given: Given) -> list[Passage]:
    """The scores, the weights, their limit, the strength it takes; and all of it on given vectors."""
    passages = [_scores(), _weights(problem, given), _limit(), _needed(problem, given)]
    if given.vectors is not None:
        passages.append(_example(problem, given.vectors, given))
    return passages


@cache
def _verifier() -> Verifier:
    """One for all passages and problems: they speak of the same keys."""
    return Verifier(Declarations(NAMES))


@cache
def _scores() -> Passage:
    writing = Writing("scores", "The scores", NAMES, SHOWN, _verifier())
    writing.says(
        "The keys are orthonormal: {K[i]^T*K[i] = 1}, and {K[a]^T*K[b] = 0} for two different ones. To ask for keys"
        " {a} and {b} alike, take the query {query}, with {beta} positive.",
        query=n.Chain(n.Sym("q", vector=True), (("=", writing.term("beta*(K[a] + K[b])")),)),
    )
    for key, one, other in (("a", "1", "0"), ("b", "0", "1"), ("i", "0", "0")):
        total = {"a": "beta", "b": "beta", "i": "0"}[key]
        writing.chain(
            f"K[{key}]^T*q",
            (f"= beta*K[{key}]^T*K[a] + beta*K[{key}]^T*K[b]", "linearity"),
            (f"= beta*{one} + beta*{other}", "orthonormal keys"),
            (f"= {total}", "for every other key {i}" if key == "i" else "multiplied out"),
        )
    return writing.finish()


def _weights(problem: Problem, given: Given) -> Passage:
    writing = Writing("weights", "The weights", NAMES, SHOWN, _verifier())
    writing.says(
        "Two exponentials are {exp(beta)}; the other {n - 2} are {one}:",
        one=n.Chain(writing.term("exp(0)"), (("=", n.Num("1")),)),
    )
    reasons = {"a": "softmax of the scores", "b": "the same score", "i": "for every other key {i}"}
    writing.equalities(
        *(
            (f"alpha[{key}]", f"= {OTHERS if key == 'i' else WEIGHT}", reason, writing.term(f"alpha[{key}]"))
            for key, reason in reasons.items()
        )
    )
    writing.result(
        "weight",
        "alpha[a]",
        sympy.exp(sympy.Symbol("beta")) / (sympy.Symbol("n") - 2 + 2 * sympy.exp(sympy.Symbol("beta"))),
    )
    _put_in(writing, problem, given)
    return writing.finish()


def _put_in(writing: Writing, problem: Problem, given: Given) -> None:
    """The weight with what the problem gives put in: n, β or both."""
    size, beta = _size(given), given.beta
    stated = {"n": size, "beta": beta}
    values = {name: Fraction(value) for name, value in stated.items() if value is not None}
    if not values:
        return
    writing.says(f"With {' and '.join(f'{{{name}}}' for name in values)}:", **{k: _is(k, v) for k, v in values.items()})
    put_in = parse_term(WEIGHT).put({name: Number(value) for name, value in values.items()})
    links = [("=", put_in.notation(writing.write))]
    if size == 2:
        value = Real.of(sympy.S.Half)
        links.append(("=", n.Frac(n.Num("1"), n.Num("2"))))
    elif size is not None and beta is not None:
        value = Real(None, lambda bits: weight_ball(size, ball(beta)))
        links.append(("≈", Figures(problem.digits, problem.style).show(value).notation))
    else:
        value = None
        if size is not None:
            links.append(("=", writing.term(f"exp(beta)/({size - 2} + 2*exp(beta))")))
    writing.add_equation(n.Chain(writing.term("alpha[a]"), tuple(links)))
    if value is not None:
        writing.result("weight-value", "alpha[a]", value.exact, value)


def _size(given: Given) -> int | None:
    return len(given.vectors.keys) if given.vectors is not None else given.n


def _is(name: str, value: Fraction | int) -> n.Chain:
    return n.Chain(n.Sym(name), (("=", number(Fraction(value))),))


def weight_ball(size: int, beta: Ball) -> Ball:
    """e^β/(n − 2 + 2e^β) as a ball."""
    power = beta.exp()
    return power / (size - 2 + 2 * power)


@cache
def _limit() -> Passage:
    writing = Writing("limit", "As the query grows stronger", NAMES, SHOWN)
    writing.chain(
        "lim(beta -> oo, alpha[a])",
        (f"= lim(beta -> oo, {WEIGHT})", "the weight found above"),
        ("= lim(beta -> oo, 1/((n - 2)*exp(-beta) + 2))", "divided by {exp(beta)}"),
        ("= 1/2", "{exp(-beta)} goes to 0"),
    )
    writing.chain(
        "lim(beta -> oo, alpha[i])",
        (f"= lim(beta -> oo, {OTHERS})", "the weight found above"),
        ("= 0", "{exp(beta)} grows beyond all bounds"),
    )
    writing.says("So the output goes to the mean of the two values. At any strength, it is off by")
    names: dict[str, Declared] = {
        **NAMES,
        "d": Size(),
        "V": Free(parse_term("n"), parse_term("d")),
        "c": Defined(parse_term("sum(l=1..n, alpha[l]*V[l])")),
    }
    names = {name: names[name] for name in ("n", "d", "beta", "K", "a", "b", "q", "alpha", "V", "c")}
    output = Writing("", "", names, {**SHOWN, "c": n.Sym("c", vector=True)})
    output.chain(
        "c - (V[a] + V[b])/2",
        ("= sum(l=1..n, alpha[l]*(V[l] - (V[a] + V[b])/2))", "the weights sum to 1"),
        ("= (sum(l=1..n, V[l] - (V[a] + V[b])/2))/(n - 2 + 2*exp(beta))", "the terms of {a} and {b} cancel"),
    )
    writing.includes(output)
    writing.says("which shrinks like {exp(-beta)}.")
    return writing.finish()


def _needed(problem: Problem, given: Given) -> Passage:
    names: dict[str, Declared] = {"n": Size(3), "beta": Letter("positive"), "epsilon": Letter("positive")}
    writing = Writing("needed", "How strong the query must be", names)
    writing.says("The weight of a chosen key falls short of ½ by")
    writing.chain(
        f"1/2 - {WEIGHT}",
        ("= (n - 2)/(2*(n - 2 + 2*exp(beta)))", "one fraction"),
        left=n.Sum((n.Frac(n.Num("1"), n.Num("2")), n.Product((n.Num("-1"), n.Sym("alpha", ("a",)))))),
    )
    writing.says("With more than two keys and {epsilon} below ½, this is at most {epsilon} exactly if")
    strength = STRENGTH
    lines = (
        n.Chain(writing.term("(n - 2)/(2*epsilon)"), (("≤", writing.term("n - 2 + 2*exp(beta)")),)),
        n.Chain(None, (("⟺", writing.term(f"exp(beta) >= {strength}")),)),
        n.Chain(None, (("⟺", writing.term(f"beta >= ln({strength})")),)),
    )
    writing.add(Lines(lines))
    finding = writing.check(f"(n - 2)/(2*(n - 2 + 2*exp(ln({strength})))) = epsilon")
    assert finding.holds, "the strength does not give the wanted weight"
    _strength(writing, problem, _size(given), given.within)
    return writing.finish()


def _strength(writing: Writing, problem: Problem, size: int | None, tolerance: Fraction | None) -> None:
    """The strength with what the problem gives put in: the number of keys, the tolerance or both."""
    if size == 2:
        writing.says("With only two keys both weights are ½, whatever {beta} is.")
        return
    figures = Figures(problem.digits, problem.style)
    notations: dict[str, n.Notation] = {} if size is None else {"n": n.Num(str(size))}
    notations |= {} if tolerance is None else {"e": figures.show(exactly(tolerance)).notation}
    said = " and ".join(["{n} keys"] * (size is not None) + ["a tolerance of {e}"] * (tolerance is not None))
    if size is None or tolerance is None:
        if said:
            writing.says(f"With {said}:", **notations)
            writing.add_equation(n.Chain(n.Sym("beta"), (("≥", writing.term(f"ln({_odds(size, tolerance)})")),)))
        return
    power = (size - 2) * (1 - 2 * tolerance) / (4 * tolerance)
    if power <= 1:
        writing.says(f"With {said}, any positive {{beta}} will do.", **notations)
        return
    writing.says(f"With {said}:", **notations)
    needed = Real(None, lambda bits: ball(power).log())
    writing.add_equation(
        n.Chain(n.Sym("beta"), (("≥", n.Call("ln", (number(power),))), ("≈", figures.show(needed).notation)))
    )
    writing.result("needed", n.Sym("beta"), None, needed)


def _odds(size: int | None, tolerance: Fraction | None) -> str:
    """(n − 2)(1 − 2ε)/(4ε) with one of the two put in."""
    if tolerance is None:
        assert size is not None
        return f"{'' if size == 3 else f'{size - 2}*'}(1 - 2*epsilon)/(4*epsilon)"
    factor = (1 - 2 * tolerance) / (4 * tolerance)
    times = "" if factor.numerator == 1 else f"{factor.numerator}*"
    return f"{times}(n - 2){'' if factor.denominator == 1 else f'/{factor.denominator}'}"


def _example(problem: Problem, vectors: Vectors, given: Given) -> Passage:
    writing = Writing("example", "On given vectors", NAMES, SHOWN)
    a, b = given.pair
    beta = given.beta if given.beta is not None else Fraction(5)
    query = tuple(beta * (x + y) for x, y in zip(vectors.keys[a - 1], vectors.keys[b - 1], strict=True))
    figures = Figures(problem.digits, problem.style)
    keys = n.Sum((n.Sym("k", (str(a),), vector=True), n.Sym("k", (str(b),), vector=True)))
    called = {"a": n.Num(str(a)), "b": n.Num(str(b))}
    writing.states(Paragraph(writing.inline("Keys {a} and {b}, with {beta}:", **called, beta=_is("beta", beta))))
    writing.add_equation(
        n.Chain(
            n.Sym("q", vector=True),
            (
                ("=", n.Product((number(beta), keys))),
                ("=", n.Grid((tuple(figures.show(exactly(x)).notation for x in query),))),
            ),
        )
    )
    solution = attention_solution(problem, (query,), vectors.keys, vectors.values)
    teller = Teller(solution, everything=True)
    writing.states(Gallery(tuple(teller.equals(q) for q in teller.graph if q.given and q.key.id != "queries")))
    writing.add(*told(teller, "scores"), *told(teller, "weights"))
    expected = Real(None, lambda bits: weight_ball(len(vectors.keys), ball(beta)))
    for key in (a, b):
        same = solution.real(Key("weights"), 0, key - 1)
        agrees = stays_below(same, expected) and stays_below(expected, same)
        writing.holds(f"weight {key} is as derived", agrees)
    if vectors.values is not None:
        values = vectors.values
        writing.add(*told(teller, "context"))
        middle = [exactly((x + y) / 2) for x, y in zip(values[a - 1], values[b - 1], strict=True)]
        error = distance([solution.real(Key("context"), 0, i) for i in range(len(values[0]))], middle)
        half = n.Frac(n.Sum((n.Sym("v", (str(a),), vector=True), n.Sym("v", (str(b),), vector=True))), n.Num("2"))
        mean = n.Grid((tuple(figures.show(x).notation for x in middle),))
        writing.says("The mean of the two values, and how far the output is from it:")
        off = n.Norm(n.Sum((n.Sym("c", vector=True), n.Product((n.Num("-1"), half)))))
        writing.add(Gallery((n.Chain(half, (("=", mean),)), equals(off, error, figures))))
        writing.result("error", off, None, error)
    return writing.finish()
