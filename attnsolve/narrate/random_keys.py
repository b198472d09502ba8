"""What is told about heads on random keys: their scores and weights, what they reach, and how likely."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.algebra.declared import Declared, Defined, Orthonormal, Size
from attnsolve.algebra.declared import Scalar as Letter
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.terms import Name
from attnsolve.derivations.examples import combined
from attnsolve.derivations.regimes import Regime, regimes, shares_at
from attnsolve.derivations.writing import Passage, Writing, number
from attnsolve.document import Inline, Table
from attnsolve.numbers.balls import ball
from attnsolve.numbers.written import Figures, Real
from attnsolve.spec.problem import Problem
from attnsolve.spec.random_keys import Construction, Query, RandomKeys, mean_names

MOST_VALUES = 6
"""An output made from more values than this isn't written out."""
A, B, I = n.Sym("a"), n.Sym("b"), n.Sym("i")


def key(index: str) -> n.Sym:
    """k_a."""
    return n.Sym("k", (index,), vector=True)


def value(index: str) -> n.Sym:
    """v_a."""
    return n.Sym("v", (index,), vector=True)


def mean(index: str) -> n.Sym:
    """μ_a."""
    return n.Sym("mu", (index,), vector=True)


WANTED = n.Product((n.Frac(n.Num("1"), n.Num("2")), n.Sum((value("a"), value("b")))))
"""½(v_a + v_b)."""


def setting(body: RandomKeys) -> Passage:
    """Keys, their means and variances; what is wanted."""
    writing = Writing("setting", "The setting", {})
    writing.says(
        "There are {n} keys, each drawn round a mean of its own. The means are orthonormal: each has length 1, and any two"
        " are at right angles. Most keys vary little, by a variance of {alpha} in every direction:",
        n=n.Num(str(len(body.means))),
        alpha=n.Sym("alpha"),
    )
    small = n.Product((n.Sym("alpha"), n.Sym("I")))
    writing.defines(n.Chain(key("i"), (("∼", n.Call("N", (mean("i"), small))),)))
    if body.stretch:
        along = n.Product((number(body.stretch), mean("a"), n.Transposed(mean("a"))))
        writing.says("Key {a} also comes with the covariance that makes its length vary:", a=A)
        writing.defines(n.Chain(key("a"), (("∼", n.Call("N", (mean("a"), n.Sum((small, along))))),)))
    writing.says(
        "The query of a head gives each key a score, the softmax of the scores weighs the values, and the outputs of all"
        " heads are averaged. Wanted is the mean of two values, {wanted}; here {a} and {b}.",
        wanted=WANTED,
        a=n.Chain(A, (("=", n.Num(str(body.pair[0]))),)),
        b=n.Chain(B, (("=", n.Num(str(body.pair[1]))),)),
    )
    return writing.finish()


class _Head:
    """One head's query in symbols: the means it mentions by name, any number of others."""

    def __init__(self, body: RandomKeys, query: Query, number: int | None) -> None:
        self.query = query
        self.rates = query.multiples
        self.a, self.b = body.pair[0] - 1, body.pair[1] - 1
        self.symbol = n.Sym("q", (str(number),) if number else (), vector=True)
        self.weight = n.Sym("alpha", ("a",), f"({number})" if number else "")
        self.mentioned = [self.a, self.b, *(i for i, x in enumerate(self.rates) if x and i not in (self.a, self.b))]
        self.others = len(self.rates) > len(self.mentioned)
        places = mean_names(len(self.rates), body.pair)
        spoken = dict.fromkeys(
            part.name for part in query.term.walk() if isinstance(part, Name) and part.name in places
        )
        self.names = {"mu_a": self.a, "mu_b": self.b, **{name: places[name] for name in spoken}}

    def called(self, place: int) -> str:
        """a, b, or a number."""
        return {self.a: "a", self.b: "b"}.get(place, str(place + 1))

    def declared(self) -> dict[str, Declared]:
        """The names of the chains; key a is γ times its mean."""
        row = {place: i for i, place in enumerate(self.mentioned, start=1)}
        names: dict[str, Declared] = {
            "n": Size(len(self.mentioned) + self.others),
            "beta": Letter("positive"),
            "gamma": Letter("positive"),
            "M": Orthonormal(parse_term("n")),
        }
        names |= {name: Defined(parse_term(f"M[{row[place]}]")) for name, place in self.names.items()}
        names["q"] = Defined(self.query.term)
        for place in self.mentioned:
            scaled = "gamma*" if place == self.a else ""
            names[f"k_{self.called(place)}"] = Defined(parse_term(f"{scaled}M[{row[place]}]"))
        return names

    def shown(self) -> dict[str, n.Notation]:
        """How these names are written."""
        names: dict[str, n.Notation] = {name: mean(name.partition("_")[2]) for name in self.names}
        names |= {f"k_{self.called(place)}": key(self.called(place)) for place in self.mentioned}
        return {**names, "q": self.symbol, "M[]": n.Sym("k", vector=True)}

    def score(self, place: int | None, *, gamma: bool) -> str:
        """The score of a key as a term; None is any key that the query does not mention."""
        rate = Fraction(0) if place is None else self.rates[place]
        return times(rate, "beta*gamma" if gamma and place == self.a else "beta")

    def powers(self, *, gamma: bool) -> list[str]:
        """The exponentials below the stroke, equal ones together, and then the number of those that are 1."""
        terms = [f"exp({self.score(place, gamma=gamma)})" for place in self.mentioned if self.rates[place]]
        counted = [term if (times := terms.count(term)) == 1 else f"{times}*{term}" for term in dict.fromkeys(terms)]
        return [*counted, *self.zeros(len(terms))]

    def zeros(self, others: int) -> list[str]:
        """How many keys have the score 0, as a term: all but some."""
        if self.others:
            return [f"n - {others}" if others else "n"]
        ones = len(self.mentioned) - others
        return [str(ones)] if ones else []

    def definition(self) -> str:
        """The weight of key a, as the softmax defines it."""
        powers = [f"exp(k_{self.called(place)}^T*q)" for place in self.mentioned]
        if self.others:
            powers.append(f"sum(i={len(self.mentioned) + 1}..n, exp(M[i]^T*q))")
        return f"exp(k_a^T*q)/({' + '.join(powers)})"


def times(factor: Fraction, letters: str) -> str:
    """A multiple of some letters, as a term."""
    if factor == 0:
        return "0"
    if abs(factor) == 1:
        return letters if factor > 0 else f"-{letters}"
    number = f"{factor.numerator}" if factor.denominator == 1 else f"({factor})"
    return f"{number}*{letters}"


def steady(body: RandomKeys, construction: Construction, shares: Sequence[Fraction]) -> Passage:
    """Every key at its mean: the scores, the weights, where they go, and whether that is what was wanted."""
    writing = _passage("steady", construction, "every key near its mean")
    writing.says(
        "While {alpha} is small, every key is close to its mean: {close}.",
        alpha=n.Sym("alpha"),
        close=n.Chain(key("i"), (("≈", mean("i")),)),
    )
    several = len(construction.queries) > 1
    for place, query in enumerate(construction.queries, start=1):
        head = _Head(body, query, place if several else None)
        _scores(writing, head)
        _steady_weights(writing, head)
    averaged = " The average of the heads:" if several else ""
    writing.says(
        f"As {{beta}} grows, the whole weight goes to the keys with the highest score, in equal shares.{averaged}",
        beta=n.Sym("beta"),
    )
    writing.add_equation(n.Chain(n.Sym("c", vector=True), (("→", output(body, shares)),)))
    _verdict(writing, body, shares)
    return writing.finish()


def _passage(id: str, construction: Construction, said: str) -> Writing:
    label = f"{construction.label}: " if construction.label else ""
    title = f"{label}{said}" if label else f"{said[0].upper()}{said[1:]}"
    writing = Writing(id, "", {})
    writing.passage.title = (title,)
    writing.passage.label = construction.label
    return writing


def _verdict(writing: Writing, body: RandomKeys, shares: Sequence[Fraction]) -> None:
    if reaches(body, shares):
        writing.says("This is the wanted output, {wanted}.", wanted=WANTED)
        writing.holds("reaches the wanted output", True)
    else:
        writing.says(
            "This is not the wanted output: {reached} instead of {wanted}.", reached=output(body, shares), wanted=WANTED
        )
        writing.holds("does not reach the wanted output", False)


def reaches(body: RandomKeys, shares: Sequence[Fraction]) -> bool:
    """Whether an output is the mean of the two values, be it made from other shares of the same values."""
    a, b = (place - 1 for place in body.pair)
    reached = [
        sum((s * row[j] for s, row in zip(shares, body.values, strict=True)), Fraction(0))
        for j in range(len(body.values[0]))
    ]
    return reached == [(x + y) / 2 for x, y in zip(body.values[a], body.values[b], strict=True)]


def output(body: RandomKeys, shares: Sequence[Fraction]) -> n.Notation:
    """A weighted sum of values in symbols: ¾ v_a + ¼ v_b."""
    a, b = (place - 1 for place in body.pair)
    names = {a: "a", b: "b"}
    parts = [(place, share) for place, share in enumerate(shares) if share]
    parts.sort(key=lambda part: (part[0] not in names, part[0] == b, part[0]))
    if len(parts) > MOST_VALUES:
        return n.Word(f"a mean of {len(parts)} values")
    terms = [
        value(names.get(place, str(place + 1)))
        if share == 1
        else n.Product((number(share), value(names.get(place, str(place + 1)))))
        for place, share in parts
    ]
    return n.Sum(tuple(terms)) if len(terms) > 1 else terms[0]


def _scores(writing: Writing, head: _Head) -> None:
    """The scores with every key at its mean."""
    names = {k: v for k, v in head.declared().items() if k != "gamma" and not k.startswith("k_")}
    chains = Writing("", "", names, head.shown())
    query = n.Chain(head.symbol, (("=", head.query.term.notation(chains.write)),))
    chains.says("With {query}, the scores are", query=query)
    rows = []
    for place in head.mentioned:
        name = next(name for name, which in head.names.items() if which == place)
        score, product = head.score(place, gamma=False), n.Product((n.Transposed(key(head.called(place))), head.symbol))
        rows.append((f"{name}^T*q", f"= {score}", "orthonormal means", product))
    if head.others:
        product = n.Product((n.Transposed(key("i")), head.symbol))
        rows.append((f"M[{len(head.mentioned) + 1}]^T*q", "= 0", "for every other key i", product))
    chains.equalities(*rows)
    writing.includes(chains)


def _steady_weights(writing: Writing, head: _Head) -> None:
    names = {k: v for k, v in head.declared().items() if k != "gamma"}
    for place in head.mentioned:
        if place == head.a:
            names["k_a"] = Defined(parse_term("mu_a"))
    chains = Writing("", "", names, head.shown())
    total = " + ".join(head.powers(gamma=False))
    top = f"exp({head.score(head.a, gamma=False)})" if head.rates[head.a] else "1"
    chains.says("and the weight of key {a} is", a=A)
    chains.chain(head.definition(), (f"= {top}/({total})", "softmax of the scores"), left=head.weight)
    limit = _share(head)
    chains.chain(f"lim(beta -> oo, {top}/({total}))", (f"= {limit}", _reason(head)))
    writing.includes(chains)


def _share(head: _Head) -> str:
    """The limit of the weight of key a, every key at its mean."""
    rates = [head.rates[place] for place in head.mentioned] + [Fraction(0)] * head.others
    most = max(rates)
    if head.rates[head.a] < most:
        return "0"
    winners = sum(head.rates[place] == most for place in head.mentioned)
    if most == 0 and head.others:
        return f"1/(n - {len(head.mentioned) - winners})" if winners < len(head.mentioned) else "1/n"
    return "1" if winners == 1 else f"1/{winners}"


def _reason(head: _Head) -> str:
    share = _share(head)
    if share == "0":
        return "another score grows faster"
    return "no other score grows as fast" if share == "1" else "the highest scores are equal"


def stretched(problem: Problem, body: RandomKeys, construction: Construction, found: Sequence[Regime]) -> Passage:
    """Key a of varying length: its weight as a function of γ, and what the output comes to."""
    writing = _passage("stretched", construction, "when key a varies in length")
    gamma = n.Chain(n.Sym("gamma"), (("∼", n.Call("N", (n.Num("1"), number(body.stretch)))),))
    close = n.Chain(key("a"), (("≈", n.Product((n.Sym("gamma"), mean("a")))),))
    writing.says(
        "Along its mean, key {a} is now {close} with {gamma}; all other keys stay at theirs.",
        a=A,
        close=close,
        gamma=gamma,
    )
    several = len(construction.queries) > 1
    for place, query in enumerate(construction.queries, start=1):
        _weight_of_gamma(writing, _Head(body, query, place if several else None))
    figures = Figures(problem.digits, "decimal")
    writing.says("So, as {beta} grows, the output depends on {gamma} alone:", beta=n.Sym("beta"), gamma=n.Sym("gamma"))
    rows = [
        (_range(regime), (figures.show(regime.probability(body.stretch)).notation,), (output(body, regime.shares),))
        for regime in found
    ]
    header: tuple[Inline, ...] = (("range",), ("probability",), ("output",))
    writing.add(Table(header, tuple(rows)))
    _conclusion(writing, problem, body, found)
    return writing.finish()


def _range(regime: Regime) -> Inline:
    gamma = n.Sym("gamma")
    if regime.low is None and regime.high is None:
        return ("any ", gamma)
    if regime.low is None:
        assert regime.high is not None
        return (n.Chain(gamma, (("<", number(regime.high)),)),)
    if regime.high is None:
        return (n.Chain(gamma, ((">", number(regime.low)),)),)
    return (n.Chain(number(regime.low), (("<", gamma), ("<", number(regime.high)))),)


def _weight_of_gamma(writing: Writing, head: _Head) -> None:
    chains = Writing("", "", head.declared(), head.shown())
    total = " + ".join(head.powers(gamma=True))
    rate = head.rates[head.a]
    query = n.Chain(head.symbol, (("=", head.query.term.notation(chains.write)),))
    if not rate:
        chains.says(
            "{query} has no share in {mean}, so {gamma} changes nothing.",
            query=query,
            mean=mean("a"),
            gamma=n.Sym("gamma"),
        )
        writing.includes(chains)
        return
    top = head.score(head.a, gamma=True)
    links = [(f"= exp({top})/({total})", "softmax of the scores")]
    links.append((f"= 1/({' + '.join(['1', *_divided(head)])})", "divided by the numerator"))
    chains.says("With {query}:", query=query)
    chains.chain(head.definition(), *links, left=head.weight)
    if rate > 0 and head.others and any(head.rates[p] > 0 for p in head.mentioned if p != head.a):
        _kept(chains, head)
    writing.includes(chains)


def _divided(head: _Head) -> list[str]:
    """The other exponentials, each divided by that of key a; last those of the keys whose score is 0."""
    own = head.rates[head.a]
    others = [place for place in head.mentioned if place != head.a and head.rates[place]]
    terms = [f"exp({_difference(head.rates[place], own)})" for place in others]
    return [*terms, *(f"({zeros})*exp({times(-own, 'beta*gamma')})" for zeros in head.zeros(len(others) + 1))]


def _difference(rate: Fraction, own: Fraction) -> str:
    if rate == own:
        return times(-own, "beta*(gamma - 1)")
    if not rate:
        return times(-own, "beta*gamma")
    return (
        f"{times(rate, 'beta')} - {times(own, 'beta*gamma')}"
        if own > 0
        else f"{times(rate, 'beta')} + {times(-own, 'beta*gamma')}"
    )


def _kept(chains: Writing, head: _Head) -> None:
    """What is left of the weight once the keys that nobody asked for are out of the race."""
    *kept, rest = _divided(head)
    holds = chains.check(f"lim(beta -> oo, {rest}) = 0").holds
    assert holds, "the other keys do not drop out"
    chains.says(
        "For positive {gamma} the last term goes to 0 as {beta} grows, which leaves {left}: a step from 0 to 1, the steeper"
        " the larger {beta} is.",
        gamma=n.Sym("gamma"),
        beta=n.Sym("beta"),
        left=n.Chain(head.weight, (("≈", chains.term(f"1/({' + '.join(['1', *kept])})")),)),
    )


def _conclusion(writing: Writing, problem: Problem, body: RandomKeys, found: Sequence[Regime]) -> None:
    figures = Figures(problem.digits, "decimal")
    good = [regime for regime in found if reaches(body, regime.shares)]
    if not good:
        writing.says(
            "It is never the wanted {wanted}: from one draw to the next it jumps between the outputs above.",
            wanted=WANTED,
        )
        writing.holds("does not reach the wanted output", False)
    else:
        probability = total_probability(good, body.stretch)
        writing.says(
            "The wanted {wanted} is reached with probability {p}.",
            wanted=WANTED,
            p=figures.show(probability).notation if len(good) < len(found) else n.Num("1"),
        )
        if len(good) == len(found):
            writing.holds("reaches the wanted output", True)
        writing.result(
            "probability", n.Call("P", (n.Chain(n.Sym("c", vector=True), (("=", WANTED),)),)), None, probability
        )
    writing.result("distance", n.Sym("E"), None, mean_square(body, found))


def total_probability(found: Sequence[Regime], stretch: Fraction) -> Real:
    """How likely any of some regimes is."""
    return combined(lambda *parts: sum(parts, ball(Fraction(0))), *(regime.probability(stretch) for regime in found))


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
    chances = [regime.probability(body.stretch) for regime in found]
    squares = [squared_distance(body, regime.shares) for regime in found]
    return combined(
        lambda *parts: sum((p * ball(s) for p, s in zip(parts, squares, strict=True)), ball(Fraction(0))), *chances
    )


def comparison(problem: Problem, body: RandomKeys) -> Passage:
    """All constructions beside each other."""
    writing = Writing("comparison", "Side by side", {})
    figures = Figures(problem.digits, "decimal")
    a = body.pair[0] - 1
    rows: list[tuple[Inline, ...]] = []
    for construction in body.constructions:
        heads = [query.multiples for query in construction.queries]
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
    varying = ", the last two columns with key a varying: how likely the wanted output is, and the mean squared distance from it"
    writing.says(
        f"In the limit of large {{beta}} and small {{alpha}}{varying if body.stretch else ''}:",
        beta=n.Sym("beta"),
        alpha=n.Sym("alpha"),
    )
    writing.add(Table(tuple(header), tuple(rows)))
    return writing.finish()
