"""How a derivation is written: sentences with terms in them, and chains whose every link is verified before it stands
there.

No other relation gets onto the page. Those that may be printed are noted when they are made, by a method here or in a
class below; any other relation, in a block, in notation or in plain words, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field
from fractions import Fraction
from typing import Any, Self

from attnsolve import notation as n
from attnsolve.algebra.declared import Declared, Defined
from attnsolve.algebra.finding import Counterexample, Finding
from attnsolve.algebra.grammar import parse_claim, parse_term
from attnsolve.algebra.table import TermError
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.findings import Reported, summary
from attnsolve.derivations.names import Names
from attnsolve.derivations.relations import (
    Unverified,
    as_chain,
    as_claim,
    check_words,
    free_names,
    is_claim,
    notation_text,
    relations_in,
)
from attnsolve.document import Block, Equation, Gallery, Inline, Lines, Note, Paragraph, Section, Verdict
from attnsolve.key import Key
from attnsolve.numbers.balls import Ball, midpoint
from attnsolve.numbers.written import Figures, Real, Shown, write
from attnsolve.operations.formula import Formula
from attnsolve.record import Fillable, Record, filled, record

MOST_VALUES = 6
"""A weighted sum of more vectors than this isn't written out."""
_TERM = re.compile(r"\{([^{}]*)\}")
_LINK = re.compile(r"\s*(=|≤|≥)\s*(.*)", re.DOTALL)


@record
class Result(Record):
    """A number or formula that a derivation arrives at, for other programs to read."""

    id: str
    symbol: n.Notation
    exact: Any | None = None
    real: Real | None = None


@filled
class Passage(Fillable):
    """One part of a derivation: what is asked under its id, the blocks that answer it, what was verified and found."""

    id: str
    title: Inline
    label: str = ""
    """Which of several alike it is, by the name that the problem gives it."""
    task: str = ""
    """The question that it answers."""
    blocks: list[Block] = field(default_factory=list)
    givens: list[Block] = field(default_factory=list)
    """Those of the blocks that say what is given."""
    chosen: list[Block] = field(default_factory=list)
    """What it takes that the reader could have found, such as a query: a question in its own words may ask for it."""
    checks: list[tuple[str, bool]] = field(default_factory=list)
    """What was verified, in words, and whether it holds."""
    otherwise: dict[str, str] = field(default_factory=dict)
    """What is shown as verified where one of the checks does not hold and that is no failure."""
    results: list[Result] = field(default_factory=list)

    @property
    def key(self) -> Key:
        """Its id, and which of several alike it is."""
        return Key(self.id, (("case", self.label),) if self.label else ())

    @property
    def section(self) -> Section:
        """The passage under its heading."""
        return Section(self.title, tuple(self.blocks), self.key)


class Writing:
    """Writes one passage about some names."""

    def __init__(
        self,
        id: str,
        title: str,
        names: Names | Mapping[str, Declared],
        shown: Mapping[str, n.Notation] | None = None,
        label: str = "",
    ) -> None:
        """`shown` says how names are written where that isn't as they are spelled; a `label`, which the problem gives,
        stands before the title."""
        self._vouched: dict[int, n.Chain] = {}
        self._definitions: dict[n.Notation | None, n.Chain] = {}
        """How names were defined on the page: each in one way."""
        self.names = names if isinstance(names, Names) else Names(names)
        self.write = self.names.write | (shown or {})
        self.verifier = self.names.verifier
        self.findings: list[tuple[Claim, Finding]] = []
        self._check_definitions()
        self._passage = Passage(id, (f"{label}: {title}",) if label else self.inline(title), label)

    def about(self, names: Names | Mapping[str, Declared], shown: Mapping[str, n.Notation] | None = None) -> Self:
        """The same passage, gone on with about other names."""
        other = type(self)("", "", names, shown)
        other._vouched, other._definitions = self._vouched, self._definitions
        other.findings, other._passage = self.findings, self._passage
        return other

    def _check_definitions(self) -> None:
        """What is defined is new: it is not used before, nor written like anything else."""
        declared = list(self.names.names)
        for place, (name, made) in enumerate(self.names.names.items()):
            if isinstance(made, Defined):
                if late := free_names(made.term) & {*declared[place:]}:
                    raise Unverified(f"{name} is defined by {min(late)}, which comes after it")
                if any(self.write[name] == self.write[other] for other in declared if other != name):
                    raise Unverified(f"{name} is written like something else")

    # ── sentences ───────────────────────────────────────────────────────────────────────────────

    def term(self, text: str) -> n.Notation:
        """A term, or a claim, as it is written."""
        if is_claim(text):
            left, sign, right = parse_claim(text)
            return n.Chain(left.notation(self.write), ((sign, right.notation(self.write)),))
        return parse_term(text).notation(self.write)

    def inline(self, text: str, **notations: n.Notation) -> Inline:
        """A sentence in which {…} is a term, or one of the notations given by name."""
        if isinstance(text, Reported):
            return (text,)
        check_words(_TERM.sub("", text))
        parts: list[str | n.Notation] = []
        position = 0
        for match in _TERM.finditer(text):
            parts += [text[position : match.start()]] if match.start() > position else []
            parts.append(notations[match[1]] if match[1] in notations else self.term(match[1]))
            position = match.end()
        return (*parts, text[position:]) if position < len(text) else tuple(parts)

    def paragraph(self, text: str, **notations: n.Notation) -> None:
        """A paragraph."""
        self.add(Paragraph(self.inline(text, **notations)))

    def notes(self, text: str, **notations: n.Notation) -> None:
        """A word to the reader beside the argument."""
        self.add(Note(self.inline(text, **notations)))

    def reports(self, text: Reported) -> None:
        """A paragraph about what was found out."""
        self.add(Paragraph((text,)))

    def _vouch(self, chain: n.Chain) -> n.Chain:
        """Note a relation as one that may be printed; it stays the same object from then on."""
        self._vouched[id(chain)] = chain
        return chain

    def _is_vouched(self, chain: n.Chain) -> bool:
        """Whether a relation was noted."""
        return id(chain) in self._vouched

    def _define(self, chain: n.Chain) -> n.Chain:
        """Note a relation as the definition of its left side, which has no other."""
        if self._definitions.setdefault(chain.left, chain) != chain:
            raise Unverified(
                f"{notation_text(chain)} defines anew what is defined as {notation_text(self._definitions[chain.left])}"
            )
        return self._vouch(chain)

    def add(self, *blocks: Block) -> None:
        """Any blocks; a relation in them must have been made by a method of this class or of one below it."""
        self._check(*blocks)
        self._passage.blocks += blocks

    def _check(self, *blocks: Block) -> None:
        for relation in relations_in(blocks):
            if isinstance(relation, str) or not self._is_vouched(relation):
                raise Unverified(
                    f"nothing vouches for {relation if isinstance(relation, str) else notation_text(relation)}"
                )

    def states(self, *blocks: Block) -> None:
        """Blocks that say what is given: they also stand on a sheet without answers."""
        self.add(*blocks)
        self._passage.givens += blocks

    def states_on_sheets(self, text: str, **notations: n.Notation) -> None:
        """A paragraph that says what is given, on a sheet without answers only."""
        self._noted(self._passage.givens, Paragraph(self.inline(text, **notations)))

    def chooses(self, text: str, **notations: n.Notation) -> None:
        """A paragraph that says what the argument takes though the reader could have found it: on a sheet without
        answers it stands only where the question does not ask for that."""
        self._noted(self._passage.chosen, Paragraph(self.inline(text, **notations)))

    def _noted(self, where: list[Block], block: Block) -> None:
        self._check(block)
        where.append(block)

    def equation(self, chain: n.Chain) -> None:
        """One displayed equation."""
        self.add(Equation(chain))

    def lines(self, *chains: n.Chain) -> None:
        """Equations one below the other."""
        self.add(Lines(chains))

    def gallery(self, *chains: n.Chain) -> None:
        """Equations side by side."""
        self.add(Gallery(chains))

    # ── verified lines ──────────────────────────────────────────────────────────────────────────

    def chain(self, first: str, *links: tuple[str, str], opening: tuple[str, str] | None = None) -> bool:
        """first = … = …, each link with its reason. One that can't be verified is told as such, and those after it are
        left out; one that does not hold is refused.

        An `opening` link only says what a name stands for: it must hold as well, but is not counted as a claim.
        """
        before = parse_term(first)
        start: n.Notation | None = before.notation(self.write)
        chains: list[n.Chain] = []
        reasons: list[Inline] = []
        open_claim: Claim | None = None
        for text, reason in (*([] if opening is None else [opening]), *links):
            claim = self._link(before, text)
            if opening is not None and not chains:
                self.confirm(claim)
            elif not self._is_verified(claim):
                open_claim = claim
                break
            chains.append(self._vouch(n.Chain(start, ((claim.relation, claim.right.notation(self.write)),))))
            reasons.append(self.inline(reason))
            start, before = None, claim.right
        if chains:
            self.add(Lines(tuple(chains), (), tuple(reasons) if any(reasons) else ()))
        if open_claim is not None:
            chain = self._vouch(as_chain(open_claim, self.write))
            self.add(Note(("This could not be verified, so it is not claimed: ", chain, ".")))
        return open_claim is None

    def _is_verified(self, claim: Claim) -> bool:
        """Whether a claim was verified; one that is refuted is refused."""
        finding = self.check(claim)
        if finding.counterexample is not None:
            raise Unverified(f"this does not hold: {notation_text(as_chain(claim, self.write))}")
        return finding.holds

    def equalities(self, *rows: tuple[str, str, str]) -> None:
        """Several equalities of two terms one below the other: the term, `= …`, the reason."""
        before = len(self._passage.blocks)
        for first, link, reason in rows:
            self.chain(first, (link, reason))
        blocks = self._passage.blocks[before:]
        lines = [block for block in blocks if isinstance(block, Lines)]
        merged = Lines(
            tuple(chain for block in lines for chain in block.chains),
            (),
            tuple(reason for block in lines for reason in (block.reasons or ((),) * len(block.chains))),
        )
        others = [block for block in blocks if not isinstance(block, Lines)]
        self._passage.blocks[before:] = [merged, *others] if lines else others

    def _link(self, before: Formula, text: str) -> Claim:
        match = _LINK.fullmatch(text)
        assert match is not None, text
        return Claim(before, match[1], parse_term(match[2]))

    def check(self, claim: Claim | str) -> Finding:
        """Find out whether a claim holds, without printing it."""
        claim = as_claim(claim)
        finding = self._find_out(claim)
        self.findings.append((claim, finding))
        return finding

    def confirm(self, claim: Claim | str) -> None:
        """Verify what the page takes for granted, such as a definition: it is not counted among its claims."""
        claim = as_claim(claim)
        if not self._find_out(claim).holds:
            raise Unverified(f"this does not hold: {notation_text(as_chain(claim, self.write))}")

    def _find_out(self, claim: Claim) -> Finding:
        """What is found out about a claim; one of ours about terms that have no value is a mistake of ours too."""
        try:
            return self.verifier.verify(claim)
        except TermError as error:
            raise Unverified(f"this does not hold, it has no value: {error}") from None

    def counterexample(self, claim: Claim, example: Counterexample) -> list[Block]:
        """The values, and what the two sides come to there."""
        given = [
            n.Chain(self.write.get(name, n.Sym(name)), (("=", _matrix(rows)),)) for name, rows in example.values.items()
        ]
        used = {*self.verifier.used(claim)}
        sizes = [
            n.Chain(self.write.get(name, n.Sym(name)), (("=", n.Num(str(size))),))
            for name, size in example.setting.places.items()
            if name in used
        ]
        lines = []
        written = [side.notation(self.write) for side in (claim.left, claim.right)]
        for symbol, value in zip(written, (example.left, example.right), strict=True):
            if example.shape != (1, 1):
                symbol = n.Subscripted(symbol, tuple(str(i + 1) for i in example.place))
            shown = _figures(value)
            lines.append(n.Chain(symbol, (("=" if shown.exact else "≈", shown.notation),)))
        for chain in (*sizes, *given, *lines):
            self._vouch(chain)
        return [Gallery((*sizes, *given)), Lines(tuple(lines))] if sizes or given else [Lines(tuple(lines))]

    # ── the end ─────────────────────────────────────────────────────────────────────────────────

    def result(self, id: str, symbol: str | n.Notation, exact: Any | None = None, real: Real | None = None) -> None:
        """Note a result for other programs."""
        written = self.term(symbol) if isinstance(symbol, str) else symbol
        self._passage.results.append(Result(id, written, exact, real))

    def holds(self, description: str, holds: bool, otherwise: str = "") -> None:
        """Something else that was verified; `otherwise` says it where it may well not hold."""
        check_words(description)
        self._passage.checks.append((description, holds))
        if otherwise:
            check_words(otherwise)
            self._passage.otherwise[description] = otherwise

    def finish(self) -> Passage:
        """The passage, with what was verified in it at its end."""
        self._passage.checks += [
            (description, holds) for holds, description in summary([finding for _, finding in self.findings])
        ]
        if self._passage.checks:
            self._passage.blocks.append(Verdict(tuple(map(self._shown, self._passage.checks))))
        return self._passage

    def _shown(self, check: tuple[str, bool]) -> tuple[bool, str]:
        description, holds = check
        otherwise = None if holds else self._passage.otherwise.get(description)
        return (holds, description) if otherwise is None else (True, otherwise)

    def unfinished(self) -> Passage:
        """The passage as far as it is written, without what was verified in it."""
        return self._passage


def _matrix(rows: tuple[tuple[Fraction, ...], ...]) -> n.Notation:
    cells = tuple(tuple(number(x) for x in row) for row in rows)
    return cells[0][0] if len(cells) == 1 and len(cells[0]) == 1 else n.Grid(cells)


def number(value: Fraction) -> n.Notation:
    """A rational number as a fraction."""
    return write(value, "fraction")


def mixture(shares: Mapping[n.Notation, Fraction]) -> n.Notation:
    """A weighted sum of vectors in symbols: ¾ v_a + ¼ v_b."""
    parts = [(vector, share) for vector, share in shares.items() if share]
    if len(parts) > MOST_VALUES:
        return n.Word(f"a mean of {len(parts)} values")
    terms = [vector if share == 1 else n.Product((number(share), vector)) for vector, share in parts]
    return n.Sum(tuple(terms)) if len(terms) > 1 else terms[0]


def _figures(value: Ball) -> Shown:
    """A ball as a number: exactly where it is a short fraction of a power of two, else six digits of it. One that can't
    be told from 0 is nearly 0: balls are compared at a precision that leaves no other."""
    if value.is_exact() and (exact := midpoint(value)) is not None:
        return Figures(6, "fraction").show(Real.of(exact))
    if value.contains(0):
        return Shown(n.Num("0", rounded=True), False)
    return Figures(6, "fraction").decimal(Real(None, _constant(value)))


def _constant(value: Ball) -> Callable[[int], Ball]:
    return lambda bits: value
