"""Causes as a sentence: one, or several that can't be told apart."""

from __future__ import annotations

from collections.abc import Sequence

from attnsolve.check.slips import CellSlip
from attnsolve.graph.mistakes import Slip, told_apart

MOST_TIES = 4
"""Explanations that are told where several would do."""


def mistakes_sentence(mistakes: Sequence[tuple[Slip, ...]], rounded: str = "") -> str:
    """One explanation, or several that can't be told apart."""
    causes = [" and ".join(dict.fromkeys(slip.mistake.description for slip in g)) for g in told_apart(mistakes)]
    if len(causes) == 1:
        return f"Your numbers are what you would get if {causes[0]}{rounded}."
    more = f", or {len(causes) - MOST_TIES} more" if len(causes) > MOST_TIES else ""
    some = ", or if ".join(causes[:MOST_TIES])
    return f"Your numbers are what you would get if {some}{more}{rounded}; they don't show which."


def slips_sentence(slips: Sequence[CellSlip]) -> str:
    """What may have slipped in one entry."""
    if len(slips) == 1:
        sentence = slips[0].description
        return f"it looks like {sentence}." if sentence.startswith(("a ", "an ")) else f"it looks as if {sentence}."
    causes = [slip.description for slip in slips[:MOST_TIES]]
    return f"perhaps {', or '.join(f'there is {x}' if x.startswith(('a ', 'an ')) else x for x in causes)}."
