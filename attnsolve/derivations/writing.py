"""How a derivation is written: sentences with terms in them, and chains whose every link is verified before it stands
there."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from attnsolve import notation as n
from attnsolve.algebra.declared import Declarations, Declared, Setting
from attnsolve.algebra.grammar import parse_claim, parse_term
from attnsolve.algebra.terms import Term, spelled
from attnsolve.algebra.verify import Claim, Counterexample, Finding, Verifier
from attnsolve.document import Block, Equation, Gallery, Inline, Lines, Note, Paragraph, Section, Verdict
from attnsolve.errors import count
from attnsolve.numbers.balls import Ball, midpoint
from attnsolve.numbers.written import Figures, Real, Shown, write
from attnsolve.record import Record

MOST_VALUES = 6
"""A weighted sum of more vectors than this isn't written out."""
MOST_SIZES = 8
"""Sizes that are listed one by one."""
_TERM = re.compile(r"\{([^{}]*)\}")
_LINK = re.compile(r"\s*(=|≤|≥)\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class Result:
    """A number or formula that a derivation arrives at, for other programs to read."""

    id: str
    symbol: n.Notation
    exact: Any | None = None
    real: Real | None = None


@dataclass
class Passage:
    """One part of a derivation: what is asked under its id, the blocks that answer it, what was verified and found."""

    id: str
    title: Inline
    label: str = ""
    """Which of several alike it is, by the name that the problem gives it."""
    task: str = ""
    """The question that it answers."""
    blocks: list[Block] = field(default_factory=list)
    stated: list[Block] = field(default_factory=list)
    """Those of the blocks that say what is given."""
    chosen: list[Block] = field(default_factory=list)
    """What it takes that the reader could have found, such as a query: a question in its own words may ask for it."""
    checks: list[tuple[str, bool]] = field(default_factory=list)
    """What was verified, in words, and whether it holds."""
    results: list[Result] = field(default_factory=list)

    @property
    def section(self) -> Section:
        """The passage under its heading."""
        return Section(self.title, tuple(self.blocks), self.id, self.label or None)


class Writing:
    """Writes one passage about some names."""

    def __init__(
        self,
        id: str,
        title: str,
        names: Declarations | Mapping[str, Declared],
        shown: Mapping[str, n.Notation] | None = None,
        verifier: Verifier | None = None,
    ) -> None:
        """`shown` says how names are written where that isn't as they are spelled; passages may share a `verifier`."""
        self._stated: dict[int, n.Chain] = {}
        self.names = names if isinstance(names, Declarations) else Declarations(names)
        self.write = {**self.names.write, **(shown or {})}
        self.passage = Passage(id, self.inline(title))
        self.verifier = verifier or Verifier(self.names)
        self.findings: list[tuple[Claim, Finding]] = []

    # ── sentences ───────────────────────────────────────────────────────────────────────────────

    def term(self, text: str) -> n.Notation:
        """A term, or a claim, as it is written."""
        if _is_claim(text):
            left, sign, right = parse_claim(text)
            return n.Chain(left.notation(self.write), ((sign, right.notation(self.write)),))
        return parse_term(text).notation(self.write)

    def inline(self, text: str, **notations: n.Notation) -> Inline:
        """A sentence in which {…} is a term, or one of the notations given by name."""
        parts: list[str | n.Notation] = []
        position = 0
        for match in _TERM.finditer(text):
            parts += [text[position : match.start()]] if match.start() > position else []
            parts.append(notations[match[1]] if match[1] in notations else self.term(match[1]))
            position = match.end()
        return (*parts, text[position:]) if position < len(text) else tuple(parts)

    def says(self, text: str, **notations: n.Notation) -> None:
        """A paragraph."""
        self.add(Paragraph(self.inline(text, **notations)))

    def notes(self, text: str, **notations: n.Notation) -> None:
        """A word to the reader beside the argument."""
        self.add(Note(self.inline(text, **notations)))

    def includes(self, other: Writing) -> None:
        """What was written about other names, as part of this passage."""
        self._stated |= other._stated
        self.add(*other.passage.blocks)
        self.findings += other.findings
        self.passage.checks += other.passage.checks

    def _state(self, chain: n.Chain) -> n.Chain:
        """Note a relation as one that may be printed; it stays the same object from then on."""
        self._stated[id(chain)] = chain
        return chain

    def _is_stated(self, chain: n.Chain) -> bool:
        """Whether a relation was noted."""
        return id(chain) in self._stated

    def add(self, *blocks: Block) -> None:
        """Any blocks."""
        self.passage.blocks += blocks

    def states(self, *blocks: Block) -> None:
        """Blocks that say what is given: they also stand on a sheet without answers."""
        self.add(*blocks)
        self.passage.stated += blocks

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

    def chain(
        self, first: str, *links: tuple[str, str], left: n.Notation | None = None, opening: str | None = None
    ) -> bool:
        """first = … = …, each link with its reason. A link that does not hold is told as such, not printed.

        `left` is a name for the first term; with an `opening`, the chain begins by saying what it stands for.
        """
        before = parse_term(first)
        start: n.Notation | None = left or before.notation(self.write)
        chains: list[n.Chain] = []
        reasons: list[Inline] = []
        if opening is not None:
            chains.append(self._state(n.Chain(start, (("=", before.notation(self.write)),))))
            reasons.append(self.inline(opening))
            start = None
        broken: tuple[Claim, Finding] | None = None
        for text, reason in links:
            claim = self._link(before, text)
            finding = self.check(claim)
            if not finding.holds:
                broken = claim, finding
                break
            chains.append(self._state(n.Chain(start, ((claim.relation, claim.right.notation(self.write)),))))
            reasons.append(self.inline(reason))
            start, before = None, claim.right
        if chains:
            self.add(Lines(tuple(chains), (), tuple(reasons) if any(reasons) else ()))
        if broken is not None:
            self.add(*self.refutation(*broken))
        return broken is None

    def equalities(self, *rows: tuple[str, str, str]) -> None:
        """Several equalities of two terms one below the other: the term, `= …`, the reason."""
        before = len(self.passage.blocks)
        for first, link, reason in rows:
            self.chain(first, (link, reason))
        told = self.passage.blocks[before:]
        lines = [block for block in told if isinstance(block, Lines)]
        merged = Lines(
            tuple(chain for block in lines for chain in block.chains),
            (),
            tuple(reason for block in lines for reason in (block.reasons or ((),) * len(block.chains))),
        )
        others = [block for block in told if not isinstance(block, Lines)]
        self.passage.blocks[before:] = [merged, *others] if lines else others

    def _link(self, before: Term, text: str) -> Claim:
        match = _LINK.fullmatch(text)
        assert match is not None, text
        return Claim(before, match[1], parse_term(match[2]))

    def check(self, claim: Claim | str) -> Finding:
        """Verify a claim without printing it."""
        claim = Claim(*parse_claim(claim)) if isinstance(claim, str) else claim
        finding = self.verifier.verify(claim)
        self.findings.append((claim, finding))
        return finding

    def refutation(self, claim: Claim, finding: Finding) -> list[Block]:
        """What is told in place of a line that does not hold."""
        chain = self._state(
            n.Chain(claim.left.notation(self.write), ((claim.relation, claim.right.notation(self.write)),))
        )
        if finding.counterexample is None:
            return [Note(("This could not be verified, so it is not claimed: ", chain, "."))]
        return [
            Paragraph(("This does ", "not", " hold: ", chain, ". A counterexample:")),
            *self.counterexample(claim, finding.counterexample),
        ]

    def counterexample(self, claim: Claim, example: Counterexample, sides: Sequence[n.Notation] = ()) -> list[Block]:
        """The values, and what the two sides come to there; `sides` are shorter names for them."""
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
        written = sides or [side.notation(self.write) for side in (claim.left, claim.right)]
        for symbol, value in zip(written, (example.left, example.right), strict=True):
            if example.shape != (1, 1):
                symbol = n.Subscripted(symbol, tuple(str(i + 1) for i in example.place))
            shown = _figures(value)
            lines.append(n.Chain(symbol, (("=" if shown.exact else "≈", shown.notation),)))
        for chain in (*sizes, *given, *lines):
            self._state(chain)
        return [Gallery((*sizes, *given)), Lines(tuple(lines))] if sizes or given else [Lines(tuple(lines))]

    # ── the end ─────────────────────────────────────────────────────────────────────────────────

    def result(self, id: str, symbol: str | n.Notation, exact: Any | None = None, real: Real | None = None) -> None:
        """Note a result for other programs."""
        written = self.term(symbol) if isinstance(symbol, str) else symbol
        self.passage.results.append(Result(id, written, exact, real))

    def holds(self, says: str, holds: bool) -> None:
        """Something else that was verified."""
        self.passage.checks.append((says, holds))

    def finish(self) -> Passage:
        """The passage, with what was verified in it at its end."""
        summed = summary([finding for _, finding in self.findings])
        self.passage.checks += [(says, holds) for holds, says in summed]
        if self.passage.checks:
            self.add(Verdict(tuple((holds, says) for says, holds in self.passage.checks)))
        return self.passage


def relations_in(part: object) -> Iterator[n.Chain]:
    """The outermost relations in blocks, sentences and notation."""
    if isinstance(part, n.Chain):
        yield part
    elif isinstance(part, tuple):
        for inner in part:
            yield from relations_in(inner)
    elif isinstance(part, Record):
        yield from relations_in(tuple(part.__dict__.values()))


def summary(findings: Sequence[Finding]) -> list[tuple[bool, str]]:
    """What was verified, and how."""
    checks: list[tuple[bool, str]] = []
    proved = [f for f in findings if f.status == "proved"]
    if proved:
        sizes = sizes_said(setting for f in proved for setting in f.settings)
        how = f" at {sizes}" if sizes else ""
        checks.append((True, f"{count(len(proved), 'equality', 'equalities')} verified with symbols{how}"))
    tried = [f for f in findings if f.status == "tried" or (f.status == "proved" and f.points)]
    if tried:
        sizes = sizes_said(setting for f in tried for setting in f.tried)
        points = sum(f.points for f in tried)
        only = sum(f.status == "tried" for f in tried)
        what = f"{count(only, 'claim')} found to hold" if only else "the same"
        checks.append((True, f"{what} at {count(points, 'point')}{f' with {sizes}' if sizes else ''}"))
    failed = sum(not f.holds for f in findings)
    if failed:
        checks.append((False, f"{count(failed, 'claim')} not verified"))
    return checks


def sizes_said(settings: Iterable[Setting]) -> str:
    """The sizes of some settings: n = 2, 3, 4."""
    from attnsolve.notation.text import TextPrinter

    found: dict[str, list[int]] = {}
    for setting in settings:
        for name, size in setting.places.items():
            if name in setting.letters and size not in found.setdefault(name, []):
                found[name].append(size)
    printer = TextPrinter()
    return " and ".join(f"{printer.print(spelled(name))} = {_numbers(sorted(sizes))}" for name, sizes in found.items())


def _numbers(sizes: Sequence[int]) -> str:
    """Some sizes, a long run of them by its ends.

    >>> _numbers([2, 3, 5]), _numbers(range(3, 67))
    ('2, 3, 5', '3 to 66')
    """
    is_run = len(sizes) > MOST_SIZES and sizes[-1] - sizes[0] == len(sizes) - 1
    return f"{sizes[0]} to {sizes[-1]}" if is_run else ", ".join(map(str, sizes))


def _is_claim(text: str) -> bool:
    """Whether a relation stands in it, outside the range of a sum."""
    outside = re.sub(r"sum\(\w+=", "sum(", text)
    return any(sign in outside for sign in ("=", "<", ">", "≤", "≥")) and "->" not in outside


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
