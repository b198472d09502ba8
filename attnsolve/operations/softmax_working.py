"""The working of one row (or column) of a softmax, as a student writes it: each exponential, their sum, and each
exponential over that sum. Also of a plain division by the sum, which has no exponentials.

All of it comes from running the definition: on letters, on the numbers put in, exactly and in balls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.numbers.balls import NOWHERE, Balls, at_precision
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.surds import EULER
from attnsolve.numbers.symbols import MAXIMUM, Symbols
from attnsolve.numbers.written import Real
from attnsolve.operations.context import View, Work, general
from attnsolve.operations.stages import MOST_TERMS

if TYPE_CHECKING:
    from attnsolve.numbers.matrix import M
    from attnsolve.operations.softmax import Normalise, Softmax

LONGEST_CLOSED = 30
"""A closed form of a share with more characters than this is left out: the numbers say it better."""

Place = tuple[int, int]
Links = tuple[tuple[str, n.Notation], ...]
Stages = dict[str, list[n.Notation]]
"""The entries of each stage of one row; under "", the shares that it ends in."""


class NormaliseWorking:
    """Scores, their sum, and each score over it. What is masked adds nothing and gets a share of 0."""

    def __init__(self, formula: Normalise, view: View, key: Key, places: Sequence[Place]) -> None:
        self.formula, self.view = formula, view
        self.symbols = [view.cell(key, *place) for place in places]
        self.scores = [view.real(key, *place) for place in places]
        self.seen = [k for k, score in enumerate(self.scores) if not score.is_infinite]
        self.values = reals_of_stages(formula, self.scores)
        (self.total,) = self.values["sums"]
        self.figures = view.dividing_by(self.total, formula.lost_digits(view))
        self.exact = all(self.figures.show(score).exact for score in self.addends_from)
        self.plain = self.total.is_symbolic or (
            self.total.rational is not None and all(view.show(x).exact for x in (self.total, *self.terms))
        )

    @property
    def addends_from(self) -> list[Real]:
        """The numbers that each term is made from."""
        return self.scores

    @property
    def terms(self) -> list[Real]:
        """What is added up and divided by its sum."""
        return self.scores

    def run(self, entries: Sequence[n.Notation], carried: Mapping[str, Sequence[n.Notation]]) -> Stages:
        """The stages in symbols, from the scores; those that are `carried` on by other names are gone on with so."""
        found: Stages = {}

        def keep(stage: str, matrix: Symbols) -> Symbols:
            found[stage] = _entries(matrix)
            return _row(carried[stage]) if stage in carried else matrix

        found[""] = _entries(self.formula.stages(_row(entries), keep))
        return found

    def put_in(self, reals: Sequence[Real]) -> list[n.Notation]:
        """Numbers as they are worked with further."""
        return [self.figures.show(real).notation for real in reals]

    def decimal(self, real: Real) -> n.Notation:
        """A number as it is added up or divided: always as a decimal."""
        return self.figures.decimal(real).notation

    def links(self, exact: bool, put_in: n.Notation, result: Real) -> Links:
        """The numbers put in, `exact` or rounded, and what they come to, which after rounded ones is never =."""
        ending = tuple(link for link in self.ending(result) if link[1] != put_in)
        return (("=", put_in), *ending) if exact else (("≈", put_in), *(("≈", part) for _, part in ending[-1:]))

    def ending(self, real: Real) -> Links:
        """= exact, or ≈ decimal, or both where the exact form isn't a decimal."""
        shown = self.figures.show(real)
        if not shown.exact:
            return (("≈", shown.notation),)
        if isinstance(shown.notation, n.Num | n.Infinity) or real.is_symbolic:
            return (("=", shown.notation),)
        decimal = self.decimal(real)
        return (("=", shown.notation), ("≈" if n.has_rounded(decimal) else "=", decimal))

    # ── the sum ─────────────────────────────────────────────────────────────────────────────────

    def added(self) -> n.Notation:
        """What stands before the first sign: Σ, or, where something is masked, the letters that are added."""
        if len(self.seen) == len(self.scores) or len(self.seen) > MOST_TERMS:
            return n.SumOver("j", general(self.symbols[0], self.formula.down))
        return n.Sum(tuple(self.symbols[k] for k in self.seen))

    def total_line(self) -> n.Chain:
        """The sum, term by term where these are few."""
        ending = self.ending(self.total)
        if not 1 < len(self.seen) <= MOST_TERMS:
            return n.Chain(self.added(), ending)
        if self.plain:
            middle: Links = (("=", self.with_numbers(self.shown_terms())["sums"][0]),)
        else:
            terms = n.Sum(tuple(self.decimal(self.terms[k]) for k in self.seen))
            middle = (("≈" if n.has_rounded(terms) or not self.exact else "=", terms),)
            ending = ending[-1:]
        return n.Chain(self.added(), (*middle, *(link for link in ending if link[1] != middle[0][1])))

    def total_work(self) -> Work:
        """The same with a word before it."""
        return Work("the sum", (self.total_line(),))

    def with_numbers(self, carried: Mapping[str, Sequence[n.Notation]]) -> Stages:
        """The stages with numbers, of what is not masked: the rest adds nothing."""
        return self.run(self.put_in([self.scores[k] for k in self.seen]), carried)

    def shown_terms(self) -> dict[str, Sequence[n.Notation]]:
        """Terms that go into the sum as numbers and not as what they are made from."""
        return {}

    # ── the shares ──────────────────────────────────────────────────────────────────────────────

    def share_lines(self, target: Key, places: Sequence[Place], wanted: Sequence[int]) -> list[n.Chain]:
        """Each term over the sum, for some places of the row."""
        closed = self._closed()
        printer = TextPrinter()
        short = bool(closed) and max(len(printer.print(form)) for form in closed.values()) <= LONGEST_CLOSED
        lines = []
        for k in wanted:
            result = self.view.result(target, *places[k])
            links = self._share(k, closed.get(k), short, result) if k in self.seen else result
            lines.append(n.Chain(self.view.cell(target, *places[k]), links))
        return lines

    def _closed(self) -> dict[int, n.Notation]:
        """Each share as a closed form, or with the short numbers that its parts come to."""
        if len(self.seen) > MOST_TERMS and not self.plain:
            return {}
        summed = not self.total.is_symbolic and self.plain
        carried = {**self.shown_terms(), "sums": self.put_in([self.total])} if summed else {}
        return dict(zip(self.seen, self.with_numbers(carried)[""], strict=True))

    def _share(self, k: int, closed: n.Notation | None, short: bool, result: Links) -> Links:
        reached = result[0][0] == "="
        if closed is not None and (self.plain or (reached and self.exact)):
            sign = "=" if self.plain or self.exact else "≈"
            ending = result if sign == "=" else tuple(("≈", part) for _, part in result[-1:])
            return ((sign, closed), *(link for link in ending if link[1] != closed))
        if closed is None and reached:
            return result
        numbers = n.Frac(self.decimal(self.terms[k]), self.decimal(self.total))
        form: Links = (("=", closed),) if closed is not None and short and self.exact else ()
        ending = tuple(("≈", part) for _, part in result[-1:])
        return (*form, *((("≈", numbers),) if (not form or numbers != closed) else ()), *ending)

    def shares_work(self, target: Key, places: Sequence[Place]) -> Work:
        """The same with a word before it, as far as entries are written out."""
        wanted = range(len(places))[: self.view.most]
        return Work("divide each by the sum", tuple(self.share_lines(target, places, wanted)))

    def works(self, target: Key, places: Sequence[Place]) -> list[Work]:
        """All of the row's working."""
        return [self.total_work(), self.shares_work(target, places)]


class SoftmaxWorking(NormaliseWorking):
    """The same with exponentials (or other powers) between the scores and their sum, and where the softmax is stable
    with the largest score subtracted first."""

    formula: Softmax

    def __init__(self, formula: Softmax, view: View, key: Key, places: Sequence[Place]) -> None:
        super().__init__(formula, view, key, places)
        self.formula = formula
        self.letters = self.run(self.symbols, {"maxima": [MAXIMUM]})
        self.numbers = self.run(self.put_in(self.scores), self._shifted(range(len(self.scores))))

    @property
    def addends_from(self) -> list[Real]:
        return self.values.get("shifted", self.scores)

    @property
    def terms(self) -> list[Real]:
        return self.values["exponentials"]

    def _shifted(self, places: Sequence[int]) -> dict[str, Sequence[n.Notation]]:
        """The largest score and what lies above it: worked out in one step, numbers in the next."""
        if "shifted" not in self.values:
            return {}
        shifted = [self.values["shifted"][k] for k in places]
        return {"maxima": self.put_in(self.values["maxima"]), "shifted": self.put_in(shifted)}

    def with_numbers(self, carried: Mapping[str, Sequence[n.Notation]]) -> Stages:
        return super().with_numbers({**self._shifted(self.seen), **carried})

    def shown_terms(self) -> dict[str, Sequence[n.Notation]]:
        """Powers that come to short rational numbers."""
        if self.total.is_symbolic:
            return {}
        return {"exponentials": [self.view.show(self.terms[k]).notation for k in self.seen]}

    def added(self) -> n.Notation:
        entry = general(self.symbols[0], self.formula.down)
        return n.SumOver("j", self.run([entry], {"maxima": [MAXIMUM]})["exponentials"][0])

    def maximum_line(self) -> n.Chain:
        """The greatest score."""
        exact = all(self.figures.show(score).exact for score in self.scores)
        return n.Chain(MAXIMUM, self.links(exact, self.numbers["maxima"][0], self.values["maxima"][0]))

    def shifted_lines(self) -> list[n.Chain]:
        """The maximum, and every score less it."""
        (top,) = self.values["maxima"]
        lines = [self.maximum_line()]
        for k, value in enumerate(self.values["shifted"][: self.view.most]):
            exact = self.figures.show(self.scores[k]).exact and self.figures.show(top).exact
            lines.append(n.Chain(self.letters["shifted"][k], self.links(exact, self.numbers["shifted"][k], value)))
        return lines

    def power_lines(self) -> list[n.Chain]:
        """The powers."""
        lines = []
        for k, power in enumerate(self.terms[: self.view.most]):
            exact = self.figures.show(self.addends_from[k]).exact
            links = self.links(exact, self.numbers["exponentials"][k], power)
            lines.append(n.Chain(self.letters["exponentials"][k], links))
        return lines

    def total_work(self) -> Work:
        return Work("their sum", (self.total_line(),))

    def works(self, target: Key, places: Sequence[Place]) -> list[Work]:
        called = "the exponentials" if self.formula.base is EULER else "the powers"
        works = [Work(called, tuple(self.power_lines())), *super().works(target, places)]
        if "shifted" in self.values:
            description = "subtract the largest score first, so that no exponential overflows"
            works.insert(0, Work(description, tuple(self.shifted_lines())))
        return works


def reals_of_stages(formula: Normalise, scores: Sequence[Real]) -> dict[str, list[Real]]:
    """What each stage comes to for one row of scores, from the definition run exactly and in balls."""
    exact = _stages(formula, Exact([[score.exact for score in scores]]))

    @cache
    def balls(bits: int) -> dict[str, Balls]:
        with at_precision(bits):
            row = [[NOWHERE if score.is_symbolic else score.ball_at(bits) for score in scores]]
            return _stages(formula, Balls.from_balls(row))

    def real(stage: str, place: int) -> Real:
        return Real(exact[stage].rows[0][place], lambda bits: balls(bits)[stage].table[0, place])

    return {stage: [real(stage, k) for k in range(matrix.shape[1])] for stage, matrix in exact.items()}


def _stages(formula: Normalise, row: M) -> dict[str, M]:
    found: dict[str, M] = {}

    def keep(stage: str, matrix: M) -> M:
        found[stage] = matrix
        return matrix

    formula.stages(row, keep)
    return found


def _row(entries: Sequence[n.Notation]) -> Symbols:
    return Symbols((1, len(entries)), lambda _, j: entries[j])


def _entries(matrix: Symbols) -> list[n.Notation]:
    return [matrix.at(0, j) for j in range(matrix.shape[1])]
