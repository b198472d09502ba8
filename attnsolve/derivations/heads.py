"""One head's query in symbols: its scores and weights, on keys at their means and on one whose length varies."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from attnsolve import notation as n
from attnsolve.algebra.declared import Declarations, Declared, Defined, Orthonormal, Size
from attnsolve.algebra.declared import Scalar as Letter
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.terms import Name
from attnsolve.algebra.verify import Verifier
from attnsolve.derivations.writing import Writing
from attnsolve.spec.random_keys import Query, RandomKeys, mean_names


def key(index: str) -> n.Sym:
    """k_a."""
    return n.Sym("k", (index,), vector=True)


def value(index: str) -> n.Sym:
    """v_a."""
    return n.Sym("v", (index,), vector=True)


def mean(index: str) -> n.Sym:
    """μ_a."""
    return n.Sym("mu", (index,), vector=True)


class Head:
    """One head's query in symbols: the means it mentions by name, any number of others."""

    def __init__(self, body: RandomKeys, query: Query, number: int | None) -> None:
        self.query = query
        self.rates = query.multiples
        self.a, self.b = body.pair[0] - 1, body.pair[1] - 1
        self.symbol = n.Sym("q", (str(number),) if number else (), vector=True)
        self.number = f"({number})" if number else ""
        self.weight = self.weight_of(self.a)
        self.mentioned = [self.a, self.b, *(i for i, x in enumerate(self.rates) if x and i not in (self.a, self.b))]
        self.others = len(self.rates) > len(self.mentioned)
        places = mean_names(len(self.rates), body.pair)
        spoken = dict.fromkeys(
            part.name for part in query.term.walk() if isinstance(part, Name) and part.name in places
        )
        self.names = {"mu_a": self.a, "mu_b": self.b, **{name: places[name] for name in spoken}}

    def equation(self) -> n.Chain:
        """q = β (μ_a + μ_b)."""
        return n.Chain(self.symbol, (("=", self.query.term.notation(self.shown())),))

    def weight_of(self, place: int) -> n.Sym:
        """α_a, with the number of the head if there are several."""
        return n.Sym("alpha", (self.called(place),), self.number)

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

    def definition(self, place: int) -> str:
        """The weight of a key, as the softmax defines it."""
        powers = [f"exp(k_{self.called(place)}^T*q)" for place in self.mentioned]
        if self.others:
            powers.append(f"sum(i={len(self.mentioned) + 1}..n, exp(M[i]^T*q))")
        return f"exp(k_{self.called(place)}^T*q)/({' + '.join(powers)})"


def _about(names: dict[str, Declared], head: Head) -> Writing:
    return Writing("", "", names, head.shown(), _verifier(tuple(names.items())))


@lru_cache(maxsize=32)
def _verifier(names: tuple[tuple[str, Declared], ...]) -> Verifier:
    """One for all heads with the same query, in whichever construction."""
    return Verifier(Declarations(dict(names)))


def times(factor: Fraction, letters: str) -> str:
    """A multiple of some letters, as a term."""
    if factor == 0:
        return "0"
    whole = {1: "", -1: "-"}.get(factor.numerator, f"{factor.numerator}*")
    return f"{whole}{letters}" + (f"/{factor.denominator}" if factor.denominator > 1 else "")


def scores(writing: Writing, head: Head) -> None:
    """The scores with every key at its mean."""
    names = {k: v for k, v in head.declared().items() if k != "gamma" and not k.startswith("k_")}
    chains = _about(names, head)
    chains.says("With {query}, the scores are", query=head.equation())
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


def steady_weights(writing: Writing, head: Head) -> None:
    """The weights of keys a and b with every key at its mean, and where they go."""
    names = {k: v for k, v in head.declared().items() if k != "gamma"}
    for place in head.mentioned:
        if place == head.a:
            names["k_a"] = Defined(parse_term("mu_a"))
    chains = _about(names, head)
    total = " + ".join(head.powers(gamma=False))
    chains.says("and the weights of keys {a} and {b} are", a=n.Sym("a"), b=n.Sym("b"))
    weights = {
        place: f"{f'exp({head.score(place, gamma=False)})' if head.rates[place] else '1'}/({total})"
        for place in (head.a, head.b)
    }
    chains.equalities(
        *(
            (head.definition(place), f"= {weight}", "softmax of the scores", head.weight_of(place))
            for place, weight in weights.items()
        )
    )
    chains.says("They go to")
    chains.equalities(
        *(
            (f"lim(beta -> oo, {weight})", f"= {_share(head, place)}", _reason(head, place), _limit(head, place))
            for place, weight in weights.items()
        )
    )
    writing.includes(chains)


def _limit(head: Head, place: int) -> n.Limit:
    return n.Limit(n.Sym("beta"), n.Infinity(negative=False), head.weight_of(place))


def _share(head: Head, place: int) -> str:
    """The limit of a key's weight, every key at its mean."""
    rates = [head.rates[place] for place in head.mentioned] + [Fraction(0)] * head.others
    most = max(rates)
    if head.rates[place] < most:
        return "0"
    winners = sum(head.rates[place] == most for place in head.mentioned)
    if most == 0 and head.others:
        return f"1/(n - {len(head.mentioned) - winners})" if winners < len(head.mentioned) else "1/n"
    return "1" if winners == 1 else f"1/{winners}"


def _reason(head: Head, place: int) -> str:
    share = _share(head, place)
    if share == "0":
        return "another score is ahead, further and further"
    return "ahead of all others, further and further" if share == "1" else "the highest scores are equal"


def weight_of_gamma(writing: Writing, head: Head) -> None:
    """The weight of key a when it is γ times its mean."""
    chains = _about(head.declared(), head)
    total = " + ".join(head.powers(gamma=True))
    rate = head.rates[head.a]
    if not rate:
        chains.says(
            "{query} has no share in {mean}, so {gamma} changes nothing.",
            query=head.equation(),
            mean=mean("a"),
            gamma=n.Sym("gamma"),
        )
        writing.includes(chains)
        return
    top = head.score(head.a, gamma=True)
    links = [(f"= exp({top})/({total})", "softmax of the scores")]
    links.append((f"= 1/({' + '.join(['1', *_divided(head)])})", "divided by the numerator"))
    chains.says("With {query}:", query=head.equation())
    chains.chain(head.definition(head.a), *links, left=head.weight)
    if rate > 0 and head.others and any(head.rates[p] > 0 for p in head.mentioned if p != head.a):
        _kept(chains, head)
    writing.includes(chains)


def _divided(head: Head) -> list[str]:
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


def _kept(chains: Writing, head: Head) -> None:
    """What is left of the weight once the keys that nobody asked for are out of the race."""
    *kept, rest = _divided(head)
    holds = chains.check(f"lim(beta -> oo, {rest}) = 0").holds
    assert holds, "the other keys do not drop out"
    chains.says(
        "For positive {gamma} the last term goes to 0 as {beta} grows, which leaves {left}: a step from 0 to 1, the"
        " steeper the larger {beta} is.",
        gamma=n.Sym("gamma"),
        beta=n.Sym("beta"),
        left=n.Chain(head.weight, (("≈", chains.term(f"1/({' + '.join(['1', *kept])})")),)),
    )
