"""What an argument starts from, which is no claim: what its names stand for, and what the problem gives or supposes.

It is read off the declarations of the names, the very ones with which everything else on the page is verified. So a
definition can't say one thing and the argument use another, and nothing that follows can be passed off as given.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from attnsolve import notation as n
from attnsolve.algebra.declared import (
    Declared,
    Defined,
    Fixed,
    Free,
    Index,
    Normal,
    Orthonormal,
    Permutation,
    Unknown,
    WholeNumber,
)
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.scopes import PointScope
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.comparing import DECIDED, are_one
from attnsolve.derivations.relations import Unverified, as_claim, is_claim
from attnsolve.derivations.writing import Writing, number
from attnsolve.document import Gallery, Lines
from attnsolve.numbers import Style, Unavailable
from attnsolve.numbers.balls import Ball, at_precision, ball
from attnsolve.numbers.written import Real, write
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.letters import letter
from attnsolve.operations.number import Number, numeral
from attnsolve.operations.place import Entry

Values = Mapping[str, Fraction | int | None]
"""Numbers for some letters; None leaves a letter as it is."""
CLOSE = Fraction(1, 10**12)
"""How far a float may be from the number that it stands for, as a share of that."""


class Premises(Writing):
    """Writes definitions and what is given."""

    @cached_property
    def _values(self) -> dict[str, Fraction]:
        """The value that each letter is said to have: the one with which the passage goes on."""
        return {}

    # ── definitions ─────────────────────────────────────────────────────────────────────────────

    def definition(self, text: str, sign: str = "=", *, bounds: bool = True) -> n.Chain:
        """A name = what it was declared to stand for; or `alpha[i] = …`, its entries, which must come to that.

        The sign is ≈ where the argument takes something to be exactly what it is nearly. Without `bounds`, a sum over
        everything is written without saying from where to where.
        """
        claim = as_claim(text) if is_claim(text) else None
        left = letter(text) if claim is None else claim.left
        named = left.inner if isinstance(left, Entry) else left
        declared = self.names.names.get(named.name) if isinstance(named, Ref) else None
        if not isinstance(declared, Defined) or sign not in ("=", "≈") or (claim and claim.relation != "="):
            raise Unverified(f"{text} is not a definition")
        right = declared.term if claim is None else claim.right
        if claim is not None:
            self.confirm(claim)
        meaning = right.notation(self.write)
        if not bounds and isinstance(meaning, n.SumOver):
            meaning = replace(meaning, first=None, last=None)
        return self._define(n.Chain(left.notation(self.write), ((sign, meaning),)))

    def substitutes(self, other: Writing, term: str, definition: str, instead: str) -> n.Chain:
        """How a new name is defined by a term about the names of another passage: `u[i] = D - x`, where x is the term,
        so that D − u[i] may stand here `instead` of it."""
        claim, replaced, replacing = as_claim(definition), parse_term(term), parse_term(instead)
        letters = {name: made for name, made in self.names.names.items() if isinstance(made, Unknown)}
        back = exchanged(replacing, claim.left, claim.right)
        Premises("", "", {**letters, "x": Unknown()}).confirm(Claim(back, claim.relation, letter("x")))
        self._substituted[replaced] = replacing
        meaning = claim.right.notation(self.write | {"x": replaced.notation(other.write)})
        return self._define(n.Chain(claim.left.notation(self.write), (("=", meaning),)))

    @cached_property
    def _substituted(self) -> dict[Formula, Formula]:
        """What stands here for terms about the names of other passages."""
        return {}

    # ── given ───────────────────────────────────────────────────────────────────────────────────

    def declaration(self, name: str, place: str = "") -> n.Chain:
        """What a name was declared to be: given numbers, a sort of thing, drawn at random; or an entry of it."""
        symbol = (Entry(letter(name), letter(place)) if place else letter(name)).notation(self.write)
        return self._vouch(n.Chain(symbol, (self._sort(self.names.names[name]),)))

    def _sort(self, declared: Declared) -> tuple[str, n.Notation]:
        """= a term or numbers, or in words what sort of thing it is."""
        write = self.write
        match declared:
            case Defined(term=term):
                return "=", term.notation(write)
            case Fixed(rows=rows):
                cells = tuple(tuple(number(x) for x in row) for row in rows)
                return "=", n.Grid(cells) if len(rows) > 1 or len(rows[0]) > 1 else cells[0][0]
            case Free(rows=rows, columns=columns):
                return "∈", n.Power(n.Sym("ℝ"), _size(rows.notation(write), columns.notation(write)))
            case Unknown(assumption=assumption):
                sign = {"real": ("∈", n.Sym("ℝ")), "positive": (">", n.Num("0")), "nonnegative": ("≥", n.Num("0"))}
                return sign[assumption]
            case WholeNumber(least=least):
                return "≥", n.Num(str(least))
            case Normal(mean=mean, deviation=deviation):
                return "∼", n.Call("N", (mean.notation(write), n.Power(deviation.notation(write), n.Num("2"))))
        words = {Permutation: "a permutation matrix", Orthonormal: "a matrix with orthonormal rows", Index: "any place"}
        return ":", n.Word(words[type(declared)])

    def drawn(self, symbol: n.Sym, mean: n.Notation, variance: n.Notation) -> n.Chain:
        """What is drawn from a normal distribution: only what is given can be."""
        return self._vouch(n.Chain(symbol, (("∼", n.Call("N", (mean, variance))),)))

    def value(self, name: str, value: Any, style: Style = "fraction") -> n.Chain:
        """The value that the problem gives a letter, or that it has in a case; the passage goes on with no other."""
        value = Fraction(value) if isinstance(value, int) else value
        if not _admits(self.names.names.get(name), value):
            raise Unverified(f"{name} can't be given the value {value}")
        if isinstance(value, Fraction):
            self._take({name: value})
        return self._vouch(n.Chain(letter(name).notation(self.write), (("=", write(value, style)),)))

    def _take(self, values: Values) -> dict[str, Formula]:
        """Go on with values for some letters, as terms to put in; those that the passage has already named must be the
        same."""
        for name, value in values.items():
            if value is not None and self._values.setdefault(name, Fraction(value)) != value:
                raise Unverified(f"{name} has the value {self._values.get(name)} here")
        return {**numbers(values)}

    def measured(self, name: str, value: float) -> n.Chain:
        """A name that stands for a number, and that number as a float: = if a few digits say it, ≈ otherwise."""
        with at_precision(DECIDED):
            exact = self.number(name).ball_at(DECIDED)
            if not abs(ball(Fraction(value)) - exact) <= abs(exact) * ball(CLOSE):
                raise Unverified(f"{name} is not {value}")
        text = f"{value:.6g}"
        plain = float(text) == value and "e" not in text
        from attnsolve.numbers.sampling import shown  # which loads numpy

        link = ("=", n.Num(text)) if plain else ("≈", shown(value))
        return self._vouch(n.Chain(letter(name).notation(self.write), (link,)))

    def between(self, low: Fraction | None, name: n.Sym, high: Fraction | None) -> n.Chain:
        """The range of a letter in which something is said to hold."""
        if low is None or high is None:
            sign, bound = ("<", high) if low is None else (">", low)
            assert bound is not None
            return self._vouch(n.Chain(name, ((sign, number(bound)),)))
        return self._vouch(n.Chain(number(low), (("<", name), ("<", number(high)))))

    def chance_of(self, left: n.Notation, right: n.Notation) -> n.Call:
        """P(left = right): an event, which may happen or not."""
        return n.Call("P", (self._vouch(n.Chain(left, (("=", right),))),))

    def question_for(self, terms: Sequence[Formula], relations: Sequence[str]) -> None:
        """A claim of the reader's own: it is the question, and stands on a sheet without answers too."""
        first, *sides = (term.notation(self.write) for term in terms)
        links = list(zip(relations, sides, strict=True))
        chains = n.Chain(first, (links[0],)), *(n.Chain(None, (link,)) for link in links[1:])
        self.states(Lines(tuple(map(self._vouch, chains))))

    def states_given(self, *chains: n.Chain) -> None:
        """Side by side what is given; it also stands on a sheet without answers."""
        self.states(Gallery(chains))

    # ── numbers ─────────────────────────────────────────────────────────────────────────────────

    def number(self, text: str) -> Real:
        """The number that a term comes to, where every name stands for given numbers."""
        term = parse_term(text)
        return Real(None, lambda bits: self._worth(term, {}))

    def is_worth(self, term: Formula, real: Real) -> bool:
        """Whether a term in given numbers comes to a number, as far as their balls can tell."""
        try:
            with at_precision(DECIDED):
                worth = self._worth(term, self._compared)
        except Unavailable:  # the root of what may be 0
            return True
        return are_one(Real(None, lambda bits: worth), real)

    def confirm_in_numbers(self, text: str) -> None:
        """A relation between given numbers that the page takes for granted; their balls must not speak against it."""
        claim = as_claim(text)
        try:
            with at_precision(DECIDED):
                left, right = (self._worth(side, self._compared) for side in (claim.left, claim.right))
        except Unavailable:
            return
        if {"=": left != right, "≤": left > right, "≥": left < right}[claim.relation]:
            raise Unverified(f"this does not hold: {text}")

    @cached_property
    def _compared(self) -> dict[tuple[str, ...], PointScope]:
        """What names come to, at the precision at which numbers are compared."""
        return {}

    def _worth(self, term: Formula, scopes: dict[tuple[str, ...], PointScope]) -> Ball:
        """A term in given numbers, as a ball; of the definitions only those are worked out that it uses."""
        used = tuple(self.verifier.used(Claim(term, "=", term)))
        if used not in scopes:
            scopes[used] = self.names.at_point(next(self.names.settings()), {}, used)
        value: Ball = scopes[used].evaluate(term).number
        return value


def numbers(values: Values) -> dict[str, Number]:
    """The letters that have a value, as terms to put in."""
    return {name: numeral(Fraction(value)) for name, value in values.items() if value is not None}


def exchanged(term: Formula, old: Formula, new: Formula) -> Formula:
    """The same term with another in the place of one inside."""
    if term == old:
        return new
    return term.changed(lambda part: exchanged(part, old, new))


def _admits(declared: Declared | None, value: Any) -> bool:
    """Whether something declared may have a value: a letter may, and what is defined may not."""
    if not isinstance(value, Fraction):
        return declared == Unknown()
    match declared:
        case WholeNumber(least=least):
            return value.denominator == 1 and value >= least
        case Index():
            return value.denominator == 1 and value >= 1
        case Unknown(assumption=assumption):
            return {"real": True, "positive": value > 0, "nonnegative": value >= 0}[assumption]
        case Fixed(rows=rows):
            return rows == ((value,),)
    return False


def _size(rows: n.Notation, columns: n.Notation) -> n.Notation:
    """The exponent of ℝ: n × d; n alone for a vector, 1 × n for a row."""
    if columns == n.Num("1"):
        return rows
    return n.Product((n.Word("1") if rows == n.Num("1") else rows, n.Word("×"), columns))
