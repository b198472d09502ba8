"""A claim of the reader's own: proved, refuted with a counterexample, or found to hold at every point tried."""

from __future__ import annotations

from attnsolve.algebra.finding import Counterexample, Finding
from attnsolve.algebra.table import TermError
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.findings import explained, verdict
from attnsolve.derivations.writing import Passage
from attnsolve.errors import Fault, ProblemError
from attnsolve.numbers.written import Figures, Real
from attnsolve.spec.claim import Claimed
from attnsolve.spec.problem import Problem


def derive(problem: Problem, given: Claimed) -> list[Passage]:
    """What is given, and what was found out about each link of the claim."""
    try:
        passages = [_given(given)] if given.names else []
        return [*passages, _claim(given)]
    except TermError as error:
        raise ProblemError([Fault(problem.file, given.at, f"the claim has no value: {error}", error.fix)]) from None


def _given(given: Claimed) -> Passage:
    writing = Argument("given", "Given", given.names)
    writing.lines(*map(writing.declaration, given.names))
    return writing.finish()


def _claim(given: Claimed) -> Passage:
    writing = Argument("claim", "The claim", given.names)
    writing.question_for(given.terms, given.relations)
    pairs = list(zip(given.terms, given.relations, given.terms[1:], strict=False))
    for place, (left, relation, right) in enumerate(pairs, start=1):
        claim = Claim(left, relation, right)
        finding = writing.verifier.verify(claim)
        which = f"Link {place} of {len(pairs)}: " if len(pairs) > 1 else ""
        _write_finding(writing, claim, finding, which)
        writing.holds(verdict(finding, which), finding.holds)
    return writing.finish()


def _write_finding(writing: Argument, claim: Claim, finding: Finding, which: str) -> None:
    if finding.counterexample is None:
        writing.reports(explained(claim, finding, writing.verifier.terms(claim), which))
        return
    writing.paragraph(f"{which}Refuted. A counterexample:")
    writing.add(*writing.counterexample(claim, finding.counterexample))
    _gap(writing, finding.counterexample)


def _gap(writing: Argument, example: Counterexample) -> None:
    """The difference of the sides, where the digits that are shown do not tell them apart."""
    if not example.is_visible:
        gap = Figures(6, "fraction").decimal(Real(None, lambda _: example.gap))
        writing.paragraph("These differ by {d}, which is not 0.", d=gap.notation)
