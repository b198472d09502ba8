"""A passage of an argument in which no relation stands unless something vouches for it.

A relation sign gets onto the page in one of three ways: it was verified (with letters for every entry, or exactly with
the numbers); it was worked out from the very term or number that is printed; or it is one of the premises, a definition
or what the problem gives, which is no claim. Each method here or in the classes above is one of these. Any other
relation, in a block or in a sentence, is refused, and so is one that does not hold: both are mistakes in the argument's
own module.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from inspect import signature
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

from attnsolve import notation as n
from attnsolve.algebra.declared import Fixed, Unknown, WholeNumber
from attnsolve.algebra.finding import Finding
from attnsolve.algebra.functions import Limit
from attnsolve.algebra.grammar import parse_claim, parse_term
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.comparing import are_one, real_of, stays_below, total
from attnsolve.derivations.findings import Reported
from attnsolve.derivations.names import Names
from attnsolve.derivations.premises import Premises, Values, exchanged
from attnsolve.derivations.relations import Unverified, as_chain, as_claim, free_names, notation_text
from attnsolve.derivations.writing import Passage, mixture
from attnsolve.document import Gallery
from attnsolve.key import Key
from attnsolve.numbers.written import Figures, Real, write
from attnsolve.operations.arithmetic import Power
from attnsolve.operations.formula import Formula
from attnsolve.operations.letters import letter
from attnsolve.operations.number import Number, numeral
from attnsolve.operations.place import Entry

if TYPE_CHECKING:
    from typing import TypeAlias

    import sympy

    from attnsolve.derivations.writing import Passage
    from attnsolve.narrate.checked import Verification
    from attnsolve.narrate.exact import ExactNarrator

    Form: TypeAlias = str | Formula | sympy.Expr

__all__ = ["Argument", "Unverified", "passage"]

P = ParamSpec("P")


class Argument(Premises):
    """Writes one passage of verified relations."""

    @cached_property
    def _called(self) -> dict[n.Notation, Real]:
        """The number that was found for each quantity."""
        return {}

    @cached_property
    def _checked(self) -> dict[Claim, Finding]:
        """What was found out about these very names; of `findings`, some are about those of other passages."""
        return {}

    @cached_property
    def _conditions(self) -> list[Claim]:
        """Relations that are no claims: each holds exactly if another does."""
        return []

    def term(self, text: str) -> n.Notation:
        """A term as it is written; or a relation, which must hold."""
        shown = super().term(text)
        return self.claims(text) if isinstance(shown, n.Chain) else shown

    # ── verified ────────────────────────────────────────────────────────────────────────────────

    def check(self, claim: Claim | str) -> Finding:
        """Find out whether a claim holds, once."""
        claim = as_claim(claim)
        if claim not in self._checked:
            self._checked[claim] = super().check(claim)
        return self._checked[claim]

    def requires(self, claim: Claim | str) -> None:
        """Verify a claim that the argument rests on."""
        claim = as_claim(claim)
        if not self.check(claim).holds:
            raise Unverified(f"this does not hold: {notation_text(as_chain(claim, self.write))}")

    def claims(self, text: str) -> n.Chain:
        """A relation that holds."""
        claim = as_claim(text)
        self.requires(claim)
        return self._vouch(as_chain(claim, self.write))

    def follows(self, other: Argument, first: str, second: str) -> n.Chain:
        """What follows from `first`, which is about the names of another passage, and `second`: the right side of the
        one is the left side of the other, once what is substituted here stands in it."""
        one, two = as_claim(first), as_claim(second)
        other.requires(one)
        self.requires(two)
        goes_on = one.right
        for replaced, replacing in self._substituted.items():
            goes_on = exchanged(goes_on, replaced, replacing)
        if one.relation != two.relation or goes_on != two.left:
            raise Unverified(f"{second} does not go on from {first}")
        links = ((two.relation, two.right.notation(self.write)),)
        return self._vouch(n.Chain(one.left.notation(other.write), links))

    def refutes(self, text: str, description: str) -> None:
        """left ≠ right, and the values at which they differ, with a `description` of what was verified."""
        claim = as_claim(text)
        example = self._find_out(claim).counterexample
        if claim.relation != "=" or example is None:
            raise Unverified(f"there is no counterexample to {text}")
        self.holds(description, True)
        left, right = (side.notation(self.write) for side in (claim.left, claim.right))
        self.equation(self._vouch(n.Chain(left, (("≠", right),))))
        self.paragraph("For example, with")
        values, *differ = self.counterexample(claim, example)
        assert isinstance(values, Gallery)
        fixed = [name for name, declared in self.names.names.items() if isinstance(declared, Fixed)]
        self.add(Gallery((*values.chains, *(self.works_out(name, Figures(6, "fraction")) for name in fixed))), *differ)

    def at(self, index: str, place: str, body: str, value: str) -> Reported:
        """The reason that one term of a sum has a value."""
        term = parse_term(body).substitute({index: letter(place)})
        self.confirm(Claim(term, "=", parse_term(value)))
        return Reported(f"the term {index} = {place} is {value}")

    def vanishes(self, text: str, letter: str, factor: str) -> n.Chain:
        """letter = 0, which is when a term is 0: it is the letter squared, times a factor that does not contain it and
        is never 0."""
        if letter in free_names(parse_term(factor)):
            raise Unverified(f"{factor} has {letter} in it")
        self.confirm(f"{text} = ({factor})*{letter}^2")
        self.confirm(f"({factor})/({factor}) = 1")
        return self._vouch(n.Chain(self.term(letter), (("=", n.Num("0")),)))

    def positive(self, left: str, inverse: str) -> n.Chain:
        """left > 0: it is nowhere negative, and it has an inverse, so that it is nowhere 0."""
        self.requires(f"{left} >= 0")
        self.requires(f"({left})*({inverse}) = 1")
        return self._vouch(n.Chain(self.term(left), ((">", n.Num("0")),)))

    def leaves(self, whole: str, left: str, rest: str, symbol: str) -> n.Chain:
        """whole ≈ left: their reciprocals differ by what goes to 0 as a symbol grows."""
        self.requires(f"1/({whole}) - 1/({left}) = {rest}")
        self.requires(f"lim({symbol} -> oo, {rest}) = 0")
        return self._vouch(n.Chain(self.term(whole), (("≈", self.term(left)),)))

    def tends(
        self, symbol: n.Notation, heads: Sequence[Mapping[n.Notation, Claim]]
    ) -> tuple[n.Chain, Mapping[n.Notation, Fraction]]:
        """symbol → the mean of what the heads go to, and the shares in it. A head goes to a weighted mean of vectors,
        each with the limit of its weight, which must have been verified before."""
        verified = [claim for claim, finding in self.findings if finding.holds]
        shares: dict[n.Notation, Fraction] = {}
        for vector, claim in (pair for head in heads for pair in head.items()):
            share = claim.right.rational if isinstance(claim.right, Number) else None
            if share is None or not isinstance(claim.left, Limit) or claim not in verified:
                raise Unverified(f"no limit was verified for the weight of {notation_text(vector)}")
            shares[vector] = shares.get(vector, Fraction(0)) + share / len(heads)
        if sum(shares.values()) != 1:
            raise Unverified(f"these are no shares of a mean: {', '.join(map(str, shares.values()))}")
        return self._vouch(n.Chain(symbol, (("→", mixture(shares)),))), shares

    def equivalent(self, first: str, *steps: tuple[str, str]) -> None:
        """Relations one below the other, each of which holds exactly if the one before does.

        Each comes with the reason: the factor by which left − right of the one before is left − right of this one
        (positive where the signs point the same way, negative where they don't), or `exp` where both sides of the one
        before are the exponentials of the sides of this one.
        """
        before = Claim(*parse_claim(first))
        lines = [self._vouch(as_chain(before, self.write))]
        for text, factor in steps:
            claim = Claim(*parse_claim(text))
            self._follows(before, claim, factor)
            lines.append(self._vouch(n.Chain(None, (("⟺", as_chain(claim, self.write)),))))
            self._conditions.append(claim)
            before = claim
        self.lines(*lines)

    def _follows(self, before: Claim, claim: Claim, factor: str) -> None:
        same = before.relation == claim.relation
        if factor == "exp":
            if not same:
                raise Unverified("exponentials are in the same order as their exponents")
            self.requires(Claim(before.left, "=", parse_term("exp(x)").substitute({"x": claim.left})))
            self.requires(Claim(before.right, "=", parse_term("exp(x)").substitute({"x": claim.right})))
            return
        sides = {"a": before.left, "b": before.right, "c": claim.left, "d": claim.right, "k": parse_term(factor)}
        self.requires(Claim(parse_term("a - b").substitute(sides), "=", parse_term("k*(c - d)").substitute(sides)))
        self.requires(Claim(parse_term("k/k").substitute(sides), "=", numeral(1)))
        if "=" not in (before.relation, claim.relation):
            self.requires(Claim(sides["k"], "≥" if same else "≤", numeral(0)))
        elif not same:
            raise Unverified("an equality and an inequality are not the same condition")

    def put_in(self, claim: str, values: Values, *forms: Form, figures: Figures | None = None) -> n.Chain:
        """A relation that holds, or a condition found before, with values for some of its letters: its right side in
        several forms, all of them equal then, and as a decimal where there are `figures`."""
        general, taken = as_claim(claim), self._take(values)
        if general not in self._conditions:
            self.requires(general)
        exact = general.right.substitute(taken)
        for form in forms:
            self._equals(exact, form, taken)
        links = [(general.relation if i == 0 else "=", self._form(form)) for i, form in enumerate(forms)]
        links += [] if figures is None else [("≈", figures.decimal(real_of(exact)).notation)]
        return self._vouch(n.Chain(general.left.notation(self.write), tuple(links)))

    def _equals(self, exact: Formula, form: Form, values: Mapping[str, Formula]) -> None:
        if isinstance(form, str | Formula):
            term = (parse_term(form) if isinstance(form, str) else form).substitute(values)
            if term != exact:
                self.requires(Claim(term, "=", exact))
            return
        import sympy

        if sympy.expand(self.expression(exact) - form) != 0:
            raise Unverified(f"{form} is not {exact}")

    def _form(self, form: Form) -> n.Notation:
        if isinstance(form, str | Formula):
            return (parse_term(form) if isinstance(form, str) else form).notation(self.write)
        return write(form, "fraction")

    def expression(self, term: Formula) -> sympy.Expr:
        """A term in plain letters and sizes as a sympy expression."""
        import sympy

        used = {name: d for name, d in self.names.names.items() if isinstance(d, Unknown | WholeNumber)}
        letters = Names({name: Unknown("positive") if isinstance(d, WholeNumber) else d for name, d in used.items()})
        setting = next(letters.settings())
        return sympy.expand(letters.exact(setting).evaluate(term).number.expression())

    def roots(self, condition: str, name: str, square: str, factor: str) -> n.Chain:
        """name² = square ⟺ name = ±√square, which holds exactly if a condition does: what its sides differ by is a
        factor, which is never 0, times what these do."""
        before, solved = as_claim(condition), Claim(Power(letter(name), 2), "=", parse_term(square))
        sides = {"a": before.left, "b": before.right, "c": solved.left, "d": solved.right, "k": parse_term(factor)}
        self.requires(
            Claim(parse_term("a - b").substitute(sides), before.relation, parse_term("k*(c - d)").substitute(sides))
        )
        self.confirm(Claim(parse_term("k/k").substitute(sides), "=", numeral(1)))
        self.requires(f"{name}^2 - {square} = ({name} - sqrt({square}))*({name} + sqrt({square}))")
        self._conditions.append(solved)
        both = n.Chain(self.term(name), (("=", n.PlusMinus(n.Root(self.term(square)))),))
        return self._vouch(n.Chain(self.term(f"{name}^2"), (("=", self.term(square)), ("⟺", both))))

    def root(self, name: str, values: Values) -> tuple[n.Chain, sympy.Expr]:
        """name = ±√square, of a square found before, with values for some letters; and the root. What is a square is
        taken out of the root unless that leaves several roots."""
        import sympy

        squares = [c.right for c in self._conditions if c.left == Power(letter(name), 2) and c.relation == "="]
        if not squares:
            raise Unverified(f"no square was found for {name}")
        value = sympy.factor(self.expression(squares[-1].substitute(self._take(values))))
        root = sympy.sqrt(value)
        if sympy.expand(root**2 - value) != 0:
            raise Unverified(f"{root} is not the root of {value}")
        halves = [part for part in root.atoms(sympy.Pow) if part.exp.is_Rational and part.exp.q == 2]
        shown = write(root, "fraction") if len(halves) < 2 else n.Root(write(value, "fraction"))
        return self._vouch(n.Chain(self.term(name), (("=", n.PlusMinus(shown)),))), root

    # ── worked out ──────────────────────────────────────────────────────────────────────────────

    def works_out(self, text: str, figures: Figures, name: str = "", *, flat: bool = False) -> n.Chain:
        """A term in given numbers = what it comes to, perhaps with a name for it; a vector may be written `flat`."""
        term = parse_term(text)
        if name:
            self.confirm(Claim(letter(name), "=", term))
        table = self.names.exact(next(self.names.settings())).evaluate(term)
        entries = [[x.expression() for x in row] for row in (table.T if flat else table).rows]
        cells = tuple(tuple(figures.show(Real.of(x)).notation for x in row) for row in entries)
        sides = [*([self.term(name)] if name else []), term.notation(self.write), n.Grid(cells)]
        return self._vouch(n.Chain(sides[0], tuple(("=", side) for side in sides[1:])))

    def found(self, text: str, real: Real, figures: Figures) -> n.Chain:
        """A term in given numbers and its value, which was worked out elsewhere: exactly if that can be written, and as
        a decimal unless it is one of these already."""
        return self._show(self._find(text, real), real, figures)

    def expected(
        self, symbol: n.Call, real: Real, outcomes: Sequence[tuple[Real, Fraction]], figures: Figures
    ) -> n.Chain:
        """The mean of something, and its value: that of all outcomes, each with its probability."""
        one = total([(Fraction(1), chance) for chance, _ in outcomes])
        mean = total([(worth, chance) for chance, worth in outcomes])
        if not are_one(one, Real.of(Fraction(1))) or not are_one(mean, real):
            raise Unverified(f"{notation_text(symbol)} is the mean of other outcomes")
        self._called[symbol] = real
        return self._show(symbol, real, figures)

    def _show(self, symbol: n.Notation, real: Real, figures: Figures) -> n.Chain:
        shown, decimal = figures.show(real), figures.decimal(real)
        exact = (("=", shown.notation),) if shown.exact else ()
        plain = real.rational is not None and exact
        return self._vouch(n.Chain(symbol, exact if plain else (*exact, ("≈", decimal.notation))))

    def _find(self, text: str, real: Real) -> n.Notation:
        """How a term is written that comes to a number."""
        term = parse_term(text)
        symbol = term.notation(self.write)
        if not self.is_worth(term, real):
            raise Unverified(f"{notation_text(symbol)} is another number")
        self._called[symbol] = real
        return symbol

    def compares(
        self, text: str, real: Real, sign: str, bound: Formula | Real, figures: Figures, description: str
    ) -> n.Chain:
        """A term in given numbers ≈ its value ≤ (or ≥) a bound, as its balls prove, with a `description` of that; a
        bound that is a term is printed as that too."""
        symbol = self._find(text, real)
        other = real_of(bound) if isinstance(bound, Formula) else bound
        if not {"≤": stays_below(real, other), "≥": stays_below(other, real)}[sign]:
            raise Unverified(f"{figures.decimal(real)} {sign} {figures.decimal(other)} does not hold")
        self.holds(description, True)
        links: list[tuple[str, n.Notation]] = [("≈", figures.decimal(real).notation)]
        decimal = figures.decimal(other).notation
        links += (
            [(sign, bound.notation(self.write)), ("≈", decimal)] if isinstance(bound, Formula) else [(sign, decimal)]
        )
        return self._vouch(n.Chain(symbol, tuple(links)))

    def result(self, id: str, symbol: str | n.Notation, exact: Any | None = None, real: Real | None = None) -> None:
        """Note a result for other programs; if its number was found on the page, it must be that."""
        super().result(id, symbol, exact, real)
        shown = self._called.get(self._passage.results[-1].symbol)
        if shown is not None and (real is None or not are_one(shown, real)):
            raise Unverified(f"{notation_text(self._passage.results[-1].symbol)} stands for another number already")

    def works(self, narrator: ExactNarrator, *ids: str) -> None:
        """Quantities of a small problem: formula, work, result; what was verified of them is said at the end."""
        for id in ids:
            quantity = narrator.graph[Key(id)]
            work = narrator.work(quantity, [0], all_shown=True)
            self._passage.blocks += [*narrator.formula(quantity), *work, *narrator.result(quantity)]
            self._passage.blocks += self._worked.add(quantity, narrator.laws(quantity))

    @cached_property
    def _worked(self) -> Verification:
        """What was verified of the small problems."""
        from attnsolve.narrate.checked import Verification

        return Verification()

    def finish(self) -> Passage:
        """The passage, with what was verified of numbers and of claims at its end."""
        self._passage.blocks += self._worked.closing()
        return super().finish()

    def quantity(self, narrator: ExactNarrator, id: str) -> n.Chain:
        """A quantity of a small problem = its numbers."""
        return self._vouch(narrator.equals(narrator.graph[Key(id)], whole=True))

    def decimals(self, narrator: ExactNarrator, id: str, text: str) -> n.Chain:
        """A term in given numbers ≈ its decimals, as a small problem has them."""
        term, quantity = parse_term(text), narrator.graph[Key(id)]
        for i in range(quantity.shape[0]):
            for j in range(quantity.shape[1]):
                entry = Entry(term, numeral(i + 1), numeral(j + 1))
                if not self.is_worth(entry, narrator.solution.real(Key(id), i, j)):
                    raise Unverified(f"entry {i + 1},{j + 1} of {text} is another number")
        grid = n.Grid(narrator.view.labelled(Key(id), decimal=True).rows)
        return self._vouch(n.Chain(term.notation(self.write), (("≈", grid),)))


def passage(
    id: str, title: str, names: Names, shown: Mapping[str, n.Notation] | None = None
) -> Callable[[Callable[Concatenate[Argument, P], None]], Callable[P, Passage]]:
    """What a function writes, as a passage; one that is the same in every problem is written once."""

    def written(write: Callable[Concatenate[Argument, P], None]) -> Callable[P, Passage]:
        is_same = len(signature(write).parameters) == 1
        kept: list[Passage] = []

        def made(*given: P.args, **named: P.kwargs) -> Passage:
            if is_same and kept:
                return kept[0]
            writing = Argument(id, title, names, shown)
            write(writing, *given, **named)
            kept[:] = [writing.finish()]
            return kept[0]

        return made

    return written
