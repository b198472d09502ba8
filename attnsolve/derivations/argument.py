"""A passage of an argument in which no relation stands unless something vouches for it.

A relation sign gets onto the page in one of three ways: it was verified (with letters for every entry, or exactly with
the numbers); it was worked out from the very term or number that is printed; or it is given, a name for something or
what the problem supposes, which is no claim. Each method here is one of these. Any other relation, in a block or in a
sentence, is refused, and so is one that does not hold: both are mistakes in the argument's own module.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

from attnsolve import notation as n
from attnsolve.algebra.declared import Declarations, Defined, Fixed, Scalar, Size
from attnsolve.algebra.functions import Limit
from attnsolve.algebra.grammar import parse_claim, parse_term
from attnsolve.algebra.table import TermError
from attnsolve.algebra.terms import Number, Term
from attnsolve.algebra.verify import Claim, Finding
from attnsolve.derivations.comparing import are_one, real_of, stays_below
from attnsolve.derivations.writing import Writing, mixture, number, relations_in
from attnsolve.document import Block, Gallery
from attnsolve.numbers.written import Figures, Real, write
from attnsolve.operations.formula import Key

if TYPE_CHECKING:
    from typing import TypeAlias

    import sympy

    from attnsolve.narrate.teller import Teller

    Form: TypeAlias = str | Term | sympy.Expr

SUPPOSED = ("=", "≈", "∼")
"""The signs with which something can be given."""
LET = "let "
"""What a relation in a sentence begins with where it is supposed and not claimed."""


class Unverified(Exception):
    """A relation that nothing vouches for, or that does not hold."""


class Argument(Writing):
    """Writes one passage of verified relations."""

    @cached_property
    def _called(self) -> dict[n.Notation, Term | Real]:
        """What each name that a relation begins with stands for: a term, or a number that was worked out."""
        return {}

    @cached_property
    def _checked(self) -> dict[Claim, Finding]:
        """What was found out about these very names; of `findings`, some are about those of other passages."""
        return {}

    @cached_property
    def _conditions(self) -> list[Claim]:
        """Relations that are no claims: each holds exactly if another does."""
        return []

    def add(self, *blocks: Block) -> None:
        """Any blocks; a relation in them must have been made by a method of this class."""
        for chain in relations_in(blocks):
            if not self._is_stated(chain):
                raise Unverified(f"nothing vouches for {_said(chain)}")
        super().add(*blocks)

    def term(self, text: str) -> n.Notation:
        """A term as it is written; or a relation, which must hold unless it is only supposed."""
        if text.startswith(LET):
            return self._state(_chain_of(super().term(text.removeprefix(LET))))
        shown = super().term(text)
        return self.claims(text) if isinstance(shown, n.Chain) else shown

    # ── verified ────────────────────────────────────────────────────────────────────────────────

    def chain(
        self, first: str, *links: tuple[str, str], left: n.Notation | None = None, opening: str | None = None
    ) -> bool:
        """first = … = …, each link with its reason. `left`, a name for the first term, stays the name of just that."""
        if left is not None:
            self._call(left, parse_term(first))
        return super().chain(first, *links, left=left, opening=opening)

    def _call(self, name: n.Notation, value: Term | Real) -> None:
        """Let a name stand for a term or a number; if it did so for another one before, the two must be the same."""
        known = self._called.setdefault(name, value)
        if isinstance(known, Term) and isinstance(value, Term):
            if known != value:
                self.requires(Claim(known, "=", value))
            return
        with _having_values():
            if not are_one(*(real_of(x) if isinstance(x, Term) else x for x in (known, value))):
                raise Unverified(f"{_said(name)} stands for another number already")

    def check(self, claim: Claim | str) -> Finding:
        """Find out whether a claim holds, once; its sides must have values."""
        claim = Claim(*parse_claim(claim)) if isinstance(claim, str) else claim
        if claim not in self._checked:
            with _having_values():
                self._checked[claim] = super().check(claim)
        return self._checked[claim]

    def requires(self, claim: Claim | str) -> None:
        """Verify a claim that the argument rests on."""
        claim = Claim(*parse_claim(claim)) if isinstance(claim, str) else claim
        if not self.check(claim).holds:
            raise Unverified(f"this does not hold: {_said(_written(claim, self.write))}")

    def claims(self, text: str, sides: tuple[n.Notation, n.Notation] | None = None) -> n.Chain:
        """A relation that holds; `sides` are names for what stands left and right of it."""
        claim = Claim(*parse_claim(text))
        self.requires(claim)
        if sides is None:
            return self._state(_written(claim, self.write))
        self._call(sides[0], claim.left)
        self._call(sides[1], claim.right)
        return self._state(n.Chain(sides[0], ((claim.relation, sides[1]),)))

    def follows(self, other: Argument, first: str, second: str, same: tuple[str, str]) -> n.Chain:
        """What follows from `first`, which is about the names of another passage, and `second`: the right side of the
        one is the left side of the other, once the first term of `same` is called by the second."""
        one, two = Claim(*parse_claim(first)), Claim(*parse_claim(second))
        other.requires(one)
        self.requires(two)
        if one.relation != two.relation or _exchanged(one.right, *map(parse_term, same)) != two.left:
            raise Unverified(f"{second} does not go on from {first}")
        links = ((two.relation, two.right.notation(self.write)),)
        return self._state(n.Chain(one.left.notation(other.write), links))

    def refutes(self, text: str, says: str, sides: tuple[n.Notation, n.Notation] | None = None) -> None:
        """left ≠ right, and the values at which they differ, ticked as what it `says`; `sides` are names for them."""
        claim = Claim(*parse_claim(text))
        with _having_values():
            example = self.verifier.verify(claim).counterexample
        if claim.relation != "=" or example is None:
            raise Unverified(f"there is no counterexample to {text}")
        self.holds(says, True)
        left, right = sides or (side.notation(self.write) for side in (claim.left, claim.right))
        self.equation(self._state(n.Chain(left, (("≠", right),))))
        self.says("For example, with")
        values, *differ = self.counterexample(claim, example, (left, right))
        assert isinstance(values, Gallery)
        fixed = [name for name, declared in self.names.names.items() if isinstance(declared, Fixed)]
        self.add(Gallery((*values.chains, *(self.works_out(name, Figures(6, "fraction")) for name in fixed))), *differ)

    def positive(self, left: str, inverse: str) -> n.Chain:
        """left > 0: it is nowhere negative, and it has an inverse, so that it is nowhere 0."""
        self.requires(f"{left} >= 0")
        self.requires(f"({left})*({inverse}) = 1")
        return self._state(n.Chain(self.term(left), ((">", n.Num("0")),)))

    def leaves(self, whole: str, left: str, rest: str, symbol: str) -> n.Chain:
        """whole ≈ left: their reciprocals differ by what goes to 0 as a symbol grows."""
        self.requires(f"1/({whole}) - 1/({left}) = {rest}")
        self.requires(f"lim({symbol} -> oo, {rest}) = 0")
        return self._state(n.Chain(self.term(whole), (("≈", self.term(left)),)))

    def tends(
        self, symbol: n.Notation, heads: Sequence[Mapping[n.Notation, Claim]]
    ) -> tuple[n.Chain, Mapping[n.Notation, Fraction]]:
        """symbol → the mean of what the heads go to, and the shares in it. A head goes to a weighted mean of vectors,
        each with the limit of its weight, which must have been verified before."""
        verified = [claim for claim, finding in self.findings if finding.holds]
        shares: dict[n.Notation, Fraction] = {}
        for vector, claim in (pair for head in heads for pair in head.items()):
            if not (isinstance(claim.left, Limit) and isinstance(claim.right, Number) and claim in verified):
                raise Unverified(f"no limit was verified for the weight of {_said(vector)}")
            shares[vector] = shares.get(vector, Fraction(0)) + claim.right.rational / len(heads)
        if sum(shares.values()) != 1:
            raise Unverified(f"these are no shares of a mean: {', '.join(map(str, shares.values()))}")
        return self._state(n.Chain(symbol, (("→", mixture(shares)),))), shares

    def equivalent(self, first: str, *steps: tuple[str, str]) -> None:
        """Relations one below the other, each of which holds exactly if the one before does.

        Each comes with the reason: the factor by which left − right of the one before is left − right of this one
        (positive where the signs point the same way, negative where they don't), or `exp` where both sides of the one
        before are the exponentials of the sides of this one.
        """
        before = Claim(*parse_claim(first))
        lines = [self._state(_written(before, self.write))]
        for text, factor in steps:
            claim = Claim(*parse_claim(text))
            self._follows(before, claim, factor)
            lines.append(self._state(n.Chain(None, (("⟺", _written(claim, self.write)),))))
            self._conditions.append(claim)
            before = claim
        self.lines(*lines)

    def _follows(self, before: Claim, claim: Claim, factor: str) -> None:
        same = before.relation == claim.relation
        if factor == "exp":
            if not same:
                raise Unverified("exponentials are in the same order as their exponents")
            self.requires(Claim(before.left, "=", parse_term("exp(x)").put({"x": claim.left})))
            self.requires(Claim(before.right, "=", parse_term("exp(x)").put({"x": claim.right})))
            return
        sides = {"a": before.left, "b": before.right, "c": claim.left, "d": claim.right, "k": parse_term(factor)}
        self.requires(Claim(parse_term("a - b").put(sides), "=", parse_term("k*(c - d)").put(sides)))
        self.requires(Claim(parse_term("k/k").put(sides), "=", Number(Fraction(1))))
        if "=" not in (before.relation, claim.relation):
            self.requires(Claim(sides["k"], "≥" if same else "≤", Number(Fraction(0))))
        elif not same:
            raise Unverified("an equality and an inequality are not the same condition")

    def put_in(self, claim: str, values: Mapping[str, Term], *forms: Form, figures: Figures | None = None) -> n.Chain:
        """A relation that holds, or a condition found before, with values for some of its letters: its right side in
        several forms, all of them equal then, and as a decimal where there are `figures`."""
        general = Claim(*parse_claim(claim))
        if general not in self._conditions:
            self.requires(general)
        exact = general.right.put(values)
        for form in forms:
            self._equals(exact, form, values)
        links = [(general.relation if i == 0 else "=", self._form(form)) for i, form in enumerate(forms)]
        links += [] if figures is None else [("≈", figures.decimal(real_of(exact)).notation)]
        return self._state(n.Chain(general.left.notation(self.write), tuple(links)))

    def _equals(self, exact: Term, form: Form, values: Mapping[str, Term]) -> None:
        if isinstance(form, str | Term):
            term = (parse_term(form) if isinstance(form, str) else form).put(values)
            if term != exact:
                self.requires(Claim(term, "=", exact))
            return
        import sympy

        if sympy.expand(self.expression(exact) - form) != 0:
            raise Unverified(f"{form} is not {exact}")

    def _form(self, form: Form) -> n.Notation:
        if isinstance(form, str | Term):
            return (parse_term(form) if isinstance(form, str) else form).notation(self.write)
        return write(form, "fraction")

    def expression(self, term: Term) -> sympy.Expr:
        """A term in plain letters and sizes as a sympy expression."""
        import sympy

        used = {name: d for name, d in self.names.names.items() if isinstance(d, Scalar | Size)}
        letters = Declarations({name: Scalar("positive") if isinstance(d, Size) else d for name, d in used.items()})
        setting = next(letters.settings())
        return sympy.expand(term.evaluate(letters.exact(setting)).number.expression())

    def root(self, name: str, square: Term) -> tuple[n.Chain, sympy.Expr]:
        """name = ±√square, with what is a square out of the root unless that leaves several roots; and the root."""
        import sympy

        value = sympy.factor(self.expression(square))
        root = sympy.sqrt(value)
        if sympy.expand(root**2 - value) != 0:
            raise Unverified(f"{root} is not the root of {value}")
        halves = [part for part in root.atoms(sympy.Pow) if part.exp.is_Rational and part.exp.q == 2]
        shown = write(root, "fraction") if len(halves) < 2 else n.Root(write(value, "fraction"))
        return self._state(n.Chain(self.term(name), (("=", n.PlusMinus(shown)),))), root

    def roots(self, name: str, square: str) -> n.Chain:
        """name² = square ⟺ name = ±√square."""
        self.requires(f"{name}^2 - {square} = ({name} - sqrt({square}))*({name} + sqrt({square}))")
        both = n.Chain(self.term(name), (("=", n.PlusMinus(n.Root(self.term(square)))),))
        return self._state(n.Chain(self.term(f"{name}^2"), (("=", self.term(square)), ("⟺", both))))

    # ── worked out ──────────────────────────────────────────────────────────────────────────────

    def works_out(self, text: str, figures: Figures, name: n.Notation | None = None, *, flat: bool = False) -> n.Chain:
        """A term in given numbers = what it comes to, perhaps with a name for it; a vector may be written `flat`."""
        term = parse_term(text)
        if name is not None:
            self._call(name, term)
        table = term.evaluate(self.names.exact(next(self.names.settings())))
        entries = [[x.expression() for x in row] for row in (table.T if flat else table).rows]
        cells = tuple(tuple(figures.show(Real.of(x)).notation for x in row) for row in entries)
        sides = [*([] if name is None else [name]), term.notation(self.write), n.Grid(cells)]
        return self._state(n.Chain(sides[0], tuple(("=", side) for side in sides[1:])))

    def found(self, symbol: n.Notation, real: Real, figures: Figures) -> n.Chain:
        """A quantity that was worked out, and its value: exactly if that can be written, and as a decimal unless it is
        one of these already. From then on that is its one value."""
        self._call(symbol, real)
        shown, decimal = figures.show(real), figures.decimal(real)
        exact = (("=", shown.notation),) if shown.exact else ()
        plain = real.rational is not None and exact
        return self._state(n.Chain(symbol, exact if plain else (*exact, ("≈", decimal.notation))))

    def known(self, symbol: n.Notation) -> Real:
        """The number that was found for a quantity, to go on with."""
        if not isinstance(number := self._called.get(symbol), Real):
            raise Unverified(f"no number was found for {_said(symbol)}")
        return number

    def compares(
        self, symbol: n.Notation, real: Real, sign: str, bound: Term | Real, figures: Figures, says: str
    ) -> n.Chain:
        """symbol ≈ its value ≤ (or ≥) a bound, as its balls prove, ticked as what it `says`; a bound that is a term is
        printed as that too."""
        self._call(symbol, real)
        other = real_of(bound) if isinstance(bound, Term) else bound
        if not {"≤": stays_below(real, other), "≥": stays_below(other, real)}[sign]:
            raise Unverified(f"{figures.decimal(real)} {sign} {figures.decimal(other)} does not hold")
        self.holds(says, True)
        links: list[tuple[str, n.Notation]] = [("≈", figures.decimal(real).notation)]
        decimal = figures.decimal(other).notation
        links += [(sign, bound.notation(self.write)), ("≈", decimal)] if isinstance(bound, Term) else [(sign, decimal)]
        return self._state(n.Chain(symbol, tuple(links)))

    def result(self, id: str, symbol: str | n.Notation, exact: Any | None = None, real: Real | None = None) -> None:
        """Note a result for other programs; its number must be the one that its name stands for here."""
        super().result(id, symbol, exact, real)
        if real is not None:
            self._call(self.passage.results[-1].symbol, real)

    def works(self, teller: Teller, *ids: str) -> None:
        """Quantities of a small problem: formula, work, result, and what the solver of such problems verified."""
        for id in ids:
            quantity = teller.graph[Key(id)]
            work = teller.work(quantity, [0], all_told=True)
            super().add(*teller.formula(quantity), *work, *teller.result(quantity), teller.verdict(quantity))

    def quantity(self, teller: Teller, id: str) -> n.Chain:
        """A quantity of a small problem = its numbers."""
        return self._state(teller.equals(teller.graph[Key(id)], whole=True))

    def decimals(self, teller: Teller, id: str, name: n.Notation) -> n.Chain:
        """A quantity of a small problem ≈ its decimals, with a name of its own."""
        grid = n.Grid(teller.view.labelled(Key(id), decimal=True).rows)
        return self._state(n.Chain(name, (("≈", grid),)))

    # ── given ───────────────────────────────────────────────────────────────────────────────────

    def given(self, left: n.Notation, *links: tuple[str, n.Notation]) -> n.Chain:
        """What is supposed, or how something is called. One of the sides must be a name; and only signs with which
        something can be given will do, so that no bound and no conclusion is ever given."""
        sides = [left, *(right for _, right in links)]
        if not any(isinstance(side, n.Sym | n.Call) for side in sides) or any(s not in SUPPOSED for s, _ in links):
            raise Unverified(f"this can't be given: {_said(n.Chain(left, links))}")
        return self._state(n.Chain(left, links))

    def between(self, low: Fraction | None, name: n.Sym, high: Fraction | None) -> n.Chain:
        """The range of a letter in which something is said to hold."""
        if low is None or high is None:
            sign, bound = ("<", high) if low is None else (">", low)
            assert bound is not None
            return self._state(n.Chain(name, ((sign, number(bound)),)))
        return self._state(n.Chain(number(low), (("<", name), ("<", number(high)))))

    def value(self, name: str, value: Fraction | int) -> n.Chain:
        """The value of a letter."""
        return self.given(self.write.get(name, parse_term(name).notation({})), ("=", number(Fraction(value))))

    def definition(self, name: str) -> n.Chain:
        """A name = what it was declared to stand for, in everything that was verified about it."""
        declared = self.names.names[name]
        if not isinstance(declared, Defined):
            raise Unverified(f"{name} is not defined by a term")
        return self.given(self.write[name], ("=", declared.term.notation(self.write)))

    def states_given(self, *chains: n.Chain) -> None:
        """Side by side what is given; it also stands on a sheet without answers."""
        self.states(Gallery(chains))


@contextmanager
def _having_values() -> Iterator[None]:
    """A claim of ours about terms that have no value is a mistake of ours too."""
    try:
        yield
    except TermError as error:
        raise Unverified(f"this does not hold, it has no value: {error}") from None


def _written(claim: Claim, letters: Mapping[str, n.Notation]) -> n.Chain:
    return n.Chain(claim.left.notation(letters), ((claim.relation, claim.right.notation(letters)),))


def _exchanged(term: Term, old: Term, new: Term) -> Term:
    """The same term with another in the place of one inside."""
    if term == old:
        return new
    parts = {name: part for name, part in term.__dict__.items() if isinstance(part, Term)}
    make: Any = type(term)
    changed: Term = make(**term.__dict__ | {name: _exchanged(part, old, new) for name, part in parts.items()})
    return changed if parts else term


def _chain_of(notation: n.Notation) -> n.Chain:
    if not isinstance(notation, n.Chain):
        raise Unverified(f"{_said(notation)} is no relation, so it can't be supposed")
    return notation


def _said(notation: n.Notation) -> str:
    from attnsolve.notation.text import TextPrinter

    return TextPrinter().print(notation)
