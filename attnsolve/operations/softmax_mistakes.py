"""What people do in place of a softmax besides taking it along the wrong axis: it is forgotten, or taken twice, or of
what is not masked yet; its exponentials are divided by a sum that is not their own."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve.operations.concatenate import Columns
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula
from attnsolve.operations.mask import Mask
from attnsolve.operations.one_token import InOneToken
from attnsolve.operations.stages import DividedBySum, Powers, Total, Unmasked

if TYPE_CHECKING:
    from attnsolve.operations.quantity_context import QuantityContext
    from attnsolve.operations.softmax import Softmax

MOST_TOKENS = 4
"""Of how many tokens it is asked whether one of them was normalised by another one's sum."""


def of_softmax(softmax: Softmax, where: QuantityContext) -> Iterator[Mistake]:
    """Each of them, as far as it makes a difference to this many rows (or columns)."""
    yield Mistake(
        "softmax-forgotten", "the scores were used as they are: no softmax was taken", Unmasked(softmax.inner)
    )
    twice = "the softmax was taken twice: of the scores, and of the weights that this gives"
    yield Mistake("softmax-twice", twice, replace(softmax, inner=softmax))
    if (masked := where.without(softmax.inner, Mask)) is not None:
        description = "the softmax was applied to scores that had not been masked"
        yield Mistake("softmax-of-unmasked", description, replace(softmax, inner=masked[1]))
    if softmax.shape(where)[1 if softmax.down else 0] > 1:
        yield from _of_sums(softmax, where)


def _of_sums(softmax: Softmax, where: QuantityContext) -> Iterator[Mistake]:
    down, line = softmax.down, "column" if softmax.down else "row"
    powers = Powers(softmax.inner, softmax.base)
    sums = Total(powers, down)

    def over(total: Formula) -> Formula:
        return DividedBySum(powers, total)

    description = f"the exponentials were divided by the sum of all of them instead of the sum of their {line}"
    yield Mistake("softmax-whole-matrix", description, over(Total(sums, not down)))
    tokens = softmax.shape(where)[1 if down else 0]
    if tokens > 2:  # of two, the other one's
        description = f"the exponentials of every {line} were divided by the sum of the first {line}"
        yield Mistake("softmax-by-first-sum", description, over(Columns(sums, 0, 1, not down)))
    for token in range(1, tokens if tokens <= MOST_TOKENS else 0):
        other = over(Columns(sums, token - 1, token, not down))
        description = f"the exponentials of {line} {token + 1} were divided by the sum of {line} {token}"
        yield Mistake("softmax-by-other-sum", description, InOneToken(softmax, other, token, down))
