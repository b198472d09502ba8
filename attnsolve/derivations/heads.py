"""One head's query in symbols: its scores and weights, on keys at their means and on one whose length varies."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from attnsolve import notation as n
from attnsolve.algebra.declared import Defined, WholeNumber
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.names import Names, names, times
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.number import numeral
from attnsolve.spec.random_keys import Query, RandomKeys, mean_names

STEADY, VARYING = "mu_{}", "gamma*mu_{}"
"""What a key is taken to be: its mean, or a multiple of it."""


def key(index: str) -> n.Sym:
    """k_a."""
    return n.Sym("k", (index,), vector=True)


def value(index: str) -> n.Sym:
    """v_a."""
    return n.Sym("v", (index,), vector=True)


WANTED = n.Product((n.Frac(n.Num("1"), n.Num("2")), n.Sum((value("a"), value("b")))))
"""½(v_a + v_b)."""


def mean(index: str) -> n.Sym:
    """μ_a."""
    return n.Sym("mu", (index,), vector=True)


def model(writing: Argument, index: str, taken: str) -> n.Chain:
    """What a key is taken to be, to be said before anything is made of it."""
    about = names("d: size", "gamma: positive", f"mu_{index}: vector(d)", f"k_{index}: {taken.format(index)}")
    shown = {f"mu_{index}": mean(index), f"k_{index}": key(index)}
    return writing.about(about, shown).definition(f"k_{index}", "≈")


class Head:
    """One head's query in symbols: the means it mentions by name, any number of others."""

    def __init__(self, body: RandomKeys, query: Query, number: int | None) -> None:
        self.query = query
        self.rates = query.multiples
        self.a, self.b = body.pair[0] - 1, body.pair[1] - 1
        self.symbol = n.Sym("q", (str(number),) if number else (), vector=True)
        self.number = f"({number})" if number else ""
        self.mentioned = [self.a, self.b, *(i for i, x in enumerate(self.rates) if x and i not in (self.a, self.b))]
        self.others = len(self.rates) > len(self.mentioned)
        places = mean_names(len(self.rates), body.pair)
        mentioned = dict.fromkeys(
            part.name for part in query.term.walk() if isinstance(part, Ref) and part.name in places
        )
        self.names = {"mu_a": self.a, "mu_b": self.b, **{name: places[name] for name in mentioned}}

    def called(self, place: int) -> str:
        """a, b, or a number."""
        return {self.a: "a", self.b: "b"}.get(place, str(place + 1))

    def declared(self, *, gamma: bool) -> Names:
        """The names of the chains; with `gamma`, key a is γ times its mean."""
        row = {place: i for i, place in enumerate(self.mentioned, start=1)}
        means = {**self.names, **{f"mu_{self.called(place)}": place for place in self.mentioned}}
        taken = {place: VARYING if gamma and place == self.a else STEADY for place in self.mentioned}
        lines = [*(f"{name}: M[{row[place]}]" for name, place in means.items())]
        keys = [f"k_{self.called(place)}: {made.format(self.called(place))}" for place, made in taken.items()]
        others = [f"mu_i: M[{len(row) + 1}]", f"k_i: {STEADY.format('i')}"] if self.others else []
        weights = [f"alpha_{x}: {self.definition(x)}" for x in ("a" if gamma else "ab")]
        letters = "beta, gamma" if gamma else "beta"
        return _declared(len(row) + self.others, (letters, *lines), self.query.term, (*keys, *others, *weights))

    def about(self, writing: Argument, names: Names) -> Argument:
        """The same passage, about names that are written as those of this head."""
        return writing.about(names, self.shown())

    def shown(self) -> dict[str, n.Notation]:
        """How these names are written; weights with the number of the head if there are several."""
        mentioned = (*self.names, *(f"mu_{self.called(place)}" for place in self.mentioned))
        names: dict[str, n.Notation] = {name: mean(name.partition("_")[2]) for name in mentioned}
        names |= {f"k_{x}": key(x) for x in (*map(self.called, self.mentioned), "i")}
        names |= {f"alpha_{x}": n.Sym("alpha", (x,), self.number) for x in ("a", "b")}
        return {**names, "q": self.symbol}

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

    def definition(self, called: str) -> str:
        """The weight of a key, as the softmax defines it."""
        powers = [f"exp(k_{self.called(place)}^T*q)" for place in self.mentioned]
        if self.others:
            powers.append(f"sum(i={len(self.mentioned) + 1}..n, exp(M[i]^T*q))")
        return f"exp(k_{called}^T*q)/({' + '.join(powers)})"


@lru_cache(maxsize=32)
def _declared(keys: int, lines: tuple[str, ...], query: Formula, more: tuple[str, ...]) -> Names:
    """The same for all heads with the same query, in whichever construction."""
    letters, *means = lines
    size = Names({"n": WholeNumber(keys)})  # there may be more keys than the letters of a claim may have rows
    known = size.also(f"{letters}: positive", "M: orthonormal(n)", *means)
    return Names({**known.names, "q": Defined(query)}).also(*more)


def query(writing: Argument, head: Head) -> n.Chain:
    """The query of a head: q = β (μ_a + μ_b)."""
    return head.about(writing, head.declared(gamma=False)).definition("q")


def scores(writing: Argument, head: Head) -> None:
    """The scores with every key at its mean."""
    chains = head.about(writing, head.declared(gamma=False))
    chains.paragraph("With {query}, the scores are", query=chains.definition("q"))
    rows = [
        (f"k_{head.called(place)}^T*q", f"= {head.score(place, gamma=False)}", "orthonormal means")
        for place in head.mentioned
    ]
    if head.others:
        chains.requires(f"sum(i={len(head.mentioned) + 1}..n, (M[i]^T*q)^2) = 0")
        rows.append(("k_i^T*q", "= 0", "for every other key i"))
    chains.equalities(*rows)


def steady_weights(writing: Argument, head: Head) -> tuple[Claim, ...]:
    """The weights of keys a and b with every key at its mean, and where they go; returns where every weight goes."""
    chains = head.about(writing, head.declared(gamma=False))
    for place in head.mentioned[2:]:
        chains.confirm(f"{head.definition(head.called(place))} = {_weight(head, place)}")
    if head.others:
        chains.confirm(f"{head.definition('i')} = {_weight(head, None)}")
    chains.paragraph("and the weights of keys {a} and {b} are", a=n.Sym("a"), b=n.Sym("b"))
    pair = {"a": head.a, "b": head.b}
    chains.equalities(
        *((f"alpha_{x}", f"= {_weight(head, place)}", "softmax of the scores") for x, place in pair.items())
    )
    weights = (f"alpha_{x}: {_weight(head, place)}" for x, place in pair.items())
    limits = head.about(writing, names("beta, rest: positive", f"n: rest + {len(head.mentioned)}", *weights))
    limits.paragraph("Their limits are")
    limits.equalities(
        *(
            (f"lim(beta -> oo, alpha_{x})", f"= {_share(head, place)}", _reason(head, place))
            for x, place in pair.items()
        )
    )
    found = {place: _limit(limits, head, place) for place in (*head.mentioned, *([None] if head.others else []))}
    return tuple(found[place if place in head.mentioned else None] for place in range(len(head.rates)))


def _weight(head: Head, place: int | None) -> str:
    """The weight of a key with every key at its mean; None is any key that the query does not mention."""
    over = "1" if place is None or not head.rates[place] else f"exp({head.score(place, gamma=False)})"
    return f"{over}/({' + '.join(head.powers(gamma=False))})"


def _limit(limits: Argument, head: Head, place: int | None) -> Claim:
    """Where the weight of a key goes, which is verified, at the number of keys that there are."""
    keys = {"n": numeral(len(head.rates))}
    share = limits.expression(parse_term(_share(head, place)).substitute(keys))
    going = parse_term(f"lim(beta -> oo, {_weight(head, place)})").substitute(keys)
    claim = Claim(going, "=", numeral(Fraction(int(share.p), int(share.q))))
    limits.requires(claim)
    return claim


def _share(head: Head, place: int | None) -> str:
    """The limit of a key's weight, every key at its mean."""
    rates = [head.rates[place] for place in head.mentioned] + [Fraction(0)] * head.others
    most = max(rates)
    if (0 if place is None else head.rates[place]) < most:
        return "0"
    winners = sum(head.rates[place] == most for place in head.mentioned)
    if most == 0 and head.others:
        return f"1/(n - {len(head.mentioned) - winners})" if winners < len(head.mentioned) else "1/n"
    return "1" if winners == 1 else f"1/{winners}"


def _reason(head: Head, place: int) -> str:
    share = _share(head, place)
    if share == "0":
        return "another score pulls ever further ahead"
    return "this score pulls ever further ahead" if share == "1" else "the highest scores are equal"


def weight_of_gamma(writing: Argument, head: Head) -> None:
    """The weight of key a when it is γ times its mean."""
    chains = head.about(writing, head.declared(gamma=True))
    total = " + ".join(head.powers(gamma=True))
    rate = head.rates[head.a]
    if not rate:
        chains.requires("k_a^T*q = 0")
        chains.paragraph(
            "{query} has no component along {mu_a}, so {gamma} changes nothing.", query=chains.definition("q")
        )
        return
    top = head.score(head.a, gamma=True)
    links = [(f"= exp({top})/({total})", "softmax of the scores")]
    links.append((f"= 1/({' + '.join(['1', *_divided(head)])})", "divided through by the numerator"))
    chains.paragraph("With {query}:", query=chains.definition("q"))
    chains.chain("alpha_a", *links)
    if rate > 0 and head.others and any(head.rates[p] > 0 for p in head.mentioned if p != head.a):
        *kept, rest = _divided(head)
        chains.paragraph(
            "For positive {gamma} the last term tends to 0 as {beta} grows, which leaves {left}: a step from 0 to 1"
            " that gets steeper as {beta} grows.",
            left=chains.leaves("alpha_a", f"1/({' + '.join(['1', *kept])})", rest, "beta"),
        )


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
