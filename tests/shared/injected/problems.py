"""Random problems of all kinds that have answers."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from shared.injected import sheets
from shared.injected.attention import attention
from shared.injected.program import Problem
from shared.injected.sequences import seq2seq

Draw = Callable[[Random], Problem]
KINDS: dict[str, Draw] = {"attention": attention, "seq2seq": seq2seq} | {
    draw.__name__: draw
    for draw in (
        sheets.block,
        sheets.norm,
        sheets.logits,
        sheets.positions,
        sheets.rotary,
        sheets.head,
        sheets.backward,
    )
}
OFTEN = (6, 3, 2, 1, 2, 1, 1, 2, 2)


def drawn(seed: int) -> tuple[str, Problem]:
    """The problem of a seed, and the name of its kind."""
    chance = Random(seed)
    (kind,) = chance.choices(list(KINDS), OFTEN)
    return kind, KINDS[kind](chance)
