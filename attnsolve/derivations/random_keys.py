"""What is told about heads on random keys: their scores and weights, what they reach, and how likely."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeVar

from attnsolve import notation as n
from attnsolve.derivations.argument import Argument, Unverified
from attnsolve.derivations.comparing import total
from attnsolve.derivations.heads import (
    STEADY,
    VARYING,
    WANTED,
    Head,
    key,
    mean,
    model,
    query,
    scores,
    steady_weights,
    value,
    weight_of_gamma,
)
from attnsolve.derivations.names import names
from attnsolve.derivations.regimes import Regime, holds_throughout, regimes, shares_at
from attnsolve.derivations.writing import Passage, mixture, number
from attnsolve.document import Block, Inline, Table
from attnsolve.numbers.written import Figures, Real
from attnsolve.spec.problem import Problem
from attnsolve.spec.random_keys import Construction, RandomKeys

A = n.Sym("a")
Each = TypeVar("Each")


def derive(problem: Problem, body: RandomKeys) -> list[Passage]:
    """The setting; each construction on steady keys and with one that varies; all of them beside each other."""
    passages = [setting(body)]
    a = body.pair[0] - 1
    for construction in body.constructions:
        heads = [query.multiples for query in construction.queries]
        about = [steady(body, construction)]
        if body.stretch:
            about.append(stretched(problem, body, construction, regimes(heads, a)))
        taken = queries(body, construction)
        for passage in about:
            passage.chosen.append(taken)
        passages += about
    if len(body.constructions) > 1:
        passages.append(comparison(problem, body))
    if body.simulate is not None:
        from attnsolve.derivations.random_keys_simulation import simulation

        passages.append(simulation(body, body.simulate))
    return passages


def setting(body: RandomKeys) -> Passage:
    """Keys, their means and variances; what is wanted."""
    writing = Argument(
        "setting",
        "The setting",
        names("n, a, b: size", M=body.means, V=body.values),
    )
    writing.paragraph(
        "There are {n} keys, each drawn around its own mean. The means are orthonormal: each has length 1, and any"
        " two are perpendicular. Around its mean, a key has variance {alpha} in every direction:",
        n=writing.value("n", len(body.means)),
        alpha=n.Sym("alpha"),
    )
    small = n.Product((n.Sym("alpha"), n.Sym("I")))
    writing.lines(writing.drawn(key("i"), mean("i"), small))
    if body.stretch:
        along = n.Product((number(body.stretch), mean("a"), n.Transposed(mean("a"))))
        writing.paragraph(
            "In a second case, key {a} varies along its own mean as well, so that its length varies:", a=A
        )
        writing.lines(writing.drawn(key("a"), mean("a"), n.Sum((small, along))))
    writing.paragraph(
        "The query of a head gives each key a score, the softmax of the scores weights the values, and the outputs"
        " of all heads are averaged. We want the mean of two values, {wanted}; here {a} and {b}.",
        wanted=WANTED,
        a=writing.value("a", body.pair[0]),
        b=writing.value("b", body.pair[1]),
    )
    writing.paragraph("The means and the values are the rows of")
    writing.gallery(*map(writing.declaration, "MV"))
    return writing.finish()


def queries(body: RandomKeys, construction: Construction) -> Block:
    """The queries of a construction as they are written."""
    writing = Argument("", "", names())
    writing.lines(*(query(writing, head) for head in _heads(body, construction)))
    return writing.unfinished().blocks[0]


def _heads(body: RandomKeys, construction: Construction) -> list[Head]:
    """The heads of a construction, numbered if there are several."""
    several = len(construction.queries) > 1
    return [Head(body, each, i if several else None) for i, each in enumerate(construction.queries, start=1)]


def steady(body: RandomKeys, construction: Construction) -> Passage:
    """Every key at its mean: the scores, the weights, where they go, and whether that is what was wanted."""
    writing = _passage("steady", construction, "every key near its mean")
    close = model(writing, "i", STEADY)
    writing.paragraph(
        "When {alpha} is small, every key is close to its mean: {close}.", alpha=n.Sym("alpha"), close=close
    )
    limits = []
    for head in _heads(body, construction):
        scores(writing, head)
        limits.append(_by_value(body, steady_weights(writing, head)))
    averaged = " The average over the heads:" if len(limits) > 1 else ""
    writing.paragraph(
        f"As {{beta}} grows, all the weight goes to the keys with the highest score, in equal shares.{averaged}",
        beta=n.Sym("beta"),
    )
    goes, shares = writing.tends(n.Sym("c", vector=True), limits)
    writing.equation(goes)
    _verdict(writing, body, shares)
    return writing.finish()


def _passage(id: str, construction: Construction, phrase: str) -> Argument:
    title = phrase if construction.label else f"{phrase[0].upper()}{phrase[1:]}"
    return Argument(id, title, names(), label=construction.label)


def _verdict(writing: Argument, body: RandomKeys, shares: Mapping[n.Notation, Fraction]) -> None:
    wanted = reaches(body, [shares[value] for value in _values(body)])
    if wanted:
        writing.paragraph("This is the output we want, {wanted}.", wanted=WANTED)
    else:
        phrase = "This is not the output we want: it is {reached} instead of {wanted}."
        writing.paragraph(phrase, reached=mixture(shares), wanted=WANTED)
    writing.holds("reaches the output we want", wanted, otherwise="does not reach the output we want")


def reaches(body: RandomKeys, shares: Sequence[Fraction]) -> bool:
    """Whether an output is the mean of the two values, be it made from other shares of the same values."""
    return squared_distance(body, shares) == 0


def output(body: RandomKeys, shares: Sequence[Fraction]) -> n.Notation:
    """A weighted sum of the values in symbols: ¾ v_a + ¼ v_b."""
    return mixture(_by_value(body, shares))


def _values(body: RandomKeys) -> list[n.Notation]:
    """The values by their names: v_a, v_b, v₃."""
    names = dict(zip(body.pair, "ab", strict=True))
    return [value(names.get(place, str(place))) for place in range(1, len(body.values) + 1)]


def _by_value(body: RandomKeys, each: Sequence[Each]) -> dict[n.Notation, Each]:
    """What belongs to each value, in the order in which they are written: those of keys a and b come first."""
    found = dict(zip(_values(body), each, strict=True))
    return {name: found[name] for name in dict.fromkeys((value("a"), value("b"), *found))}


def stretched(problem: Problem, body: RandomKeys, construction: Construction, found: Sequence[Regime]) -> Passage:
    """Key a of varying length: its weight as a function of γ, and what the output comes to."""
    writing = _passage("stretched", construction, "when key a varies in length")
    writing.paragraph(
        "Along its mean, key {a} is now {close} with {gamma}; all other keys stay at their means.",
        a=A,
        close=model(writing, "a", VARYING),
        gamma=writing.drawn(n.Sym("gamma"), n.Num("1"), number(body.stretch)),
    )
    for head in _heads(body, construction):
        weight_of_gamma(writing, head)
    heads = [each.multiples for each in construction.queries]
    if not all(holds_throughout(heads, body.pair[0] - 1, regime) for regime in found):
        raise Unverified("an output is not the same throughout a range")
    figures = Figures(problem.digits, "decimal")
    depends = "depends on {gamma} alone" if len(found) > 1 else "does not depend on {gamma}"
    writing.paragraph(f"So, as {{beta}} grows, the output {depends}:", beta=n.Sym("beta"), gamma=n.Sym("gamma"))
    rows: list[tuple[Inline, ...]] = []
    for regime in found:
        probability = figures.show(regime.probability(body.stretch)).notation
        rows.append((_range(writing, regime), (probability,), (output(body, regime.shares),)))
    header: tuple[Inline, ...] = (("range",), ("probability",), ("output",))
    writing.add(Table(header, tuple(rows)))
    _conclusion(writing, problem, body, found)
    return writing.finish()


def _range(writing: Argument, regime: Regime) -> Inline:
    gamma = n.Sym("gamma")
    if regime.low is None and regime.high is None:
        return ("any ", gamma)
    return (writing.between(regime.low, gamma, regime.high),)


def _conclusion(writing: Argument, problem: Problem, body: RandomKeys, found: Sequence[Regime]) -> None:
    figures = Figures(problem.digits, "decimal")
    good = [regime for regime in found if reaches(body, regime.shares)]
    if not good:
        jumps = ": from one draw to the next it jumps between the outputs above" if len(found) > 1 else ""
        writing.paragraph(f"The output is never the {{wanted}} that we want{jumps}.", wanted=WANTED)
    else:
        probability = total_probability(good, body.stretch)
        writing.paragraph(
            "The output is the {wanted} that we want with probability {p}.",
            wanted=WANTED,
            p=figures.show(probability).notation if len(good) < len(found) else n.Num("1"),
        )
        writing.result("probability", writing.chance_of(n.Sym("c", vector=True), WANTED), None, probability)
    always = len(good) == len(found)
    writing.holds(
        f"{'always ' if good and not always else ''}reaches the output we want",
        always,
        otherwise=f"{'does not always reach' if good else 'never reaches'} the output we want",
    )
    square = mean_square(body, found)
    away = n.Norm(n.Sum((n.Sym("c", vector=True), n.Product((n.Num("-1"), WANTED)))))
    expected = n.Call("E", (n.Power(away, n.Num("2")),), square=True)
    writing.paragraph("The mean squared distance from that is")
    outcomes = [(regime.probability(body.stretch), squared_distance(body, regime.shares)) for regime in found]
    writing.equation(writing.expected(expected, square, outcomes, figures))
    writing.result("distance", expected, square.exact, square)


def total_probability(found: Sequence[Regime], stretch: Fraction) -> Real:
    """How likely any of some regimes is."""
    return total([(Fraction(1), regime.probability(stretch)) for regime in found])


def squared_distance(body: RandomKeys, shares: Sequence[Fraction]) -> Fraction:
    """‖c − ½(v_a + v_b)‖² of an output."""
    a, b = (place - 1 for place in body.pair)
    parts = []
    for j in range(len(body.values[0])):
        reached = sum((s * row[j] for s, row in zip(shares, body.values, strict=True)), Fraction(0))
        parts.append((reached - (body.values[a][j] + body.values[b][j]) / 2) ** 2)
    return sum(parts, Fraction(0))


def mean_square(body: RandomKeys, found: Sequence[Regime]) -> Real:
    """The mean squared distance from the wanted output."""
    return total([(squared_distance(body, regime.shares), regime.probability(body.stretch)) for regime in found])


def comparison(problem: Problem, body: RandomKeys) -> Passage:
    """All constructions beside each other."""
    writing = Argument("comparison", "Side by side", names())
    figures = Figures(problem.digits, "decimal")
    a = body.pair[0] - 1
    rows: list[tuple[Inline, ...]] = []
    for construction in body.constructions:
        heads = [each.multiples for each in construction.queries]
        still = shares_at(heads, a, 1)
        cells: list[Inline] = [
            (construction.label,),
            (output(body, still),),
            ("yes" if reaches(body, still) else "no",),
        ]
        if body.stretch:
            found = regimes(heads, a)
            good = [regime for regime in found if reaches(body, regime.shares)]
            chance = total_probability(good, body.stretch) if good else None
            shown = (
                n.Num("0")
                if chance is None
                else n.Num("1")
                if len(good) == len(found)
                else figures.show(chance).notation
            )
            cells += [(shown,), (figures.show(mean_square(body, found)).notation,)]
        rows.append(tuple(cells))
    header: list[Inline] = [("queries",), ("steady keys",), ("wanted?",)]
    if body.stretch:
        header += [("probability",), ("squared distance",)]
    varying = (
        ", and with key a varying in the last two columns: the probability of the output we want, and the mean"
        " squared distance from it"
    )
    writing.paragraph(
        f"In the limit of large {{beta}} and small {{alpha}}{varying if body.stretch else ''}:",
        beta=n.Sym("beta"),
        alpha=n.Sym("alpha"),
    )
    writing.add(Table(tuple(header), tuple(rows)))
    return writing.finish()
