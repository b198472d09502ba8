"""What people write for a context instead of the values weighted: a mean, a sum, one value; or values weighted with
something that is no weight yet."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula, Given
from attnsolve.operations.mask import Mask, is_blocked
from attnsolve.operations.product import WeightedSum
from attnsolve.operations.quantity_context import QuantityContext
from attnsolve.operations.selection import Top
from attnsolve.operations.stages import Unmasked
from attnsolve.record import record

SCORES = ("masked", "scaled", "scores")
"""What people take for weights, from what is nearest to them."""


@record
class EqualWeights(Given):
    """The same weight for all that a token sees."""

    def notation(self, write: Callable[[Key], n.Notation]) -> n.Notation:
        return n.Word("equal weights")


def of_context(weighted: WeightedSum, where: QuantityContext) -> Iterator[Mistake]:
    """Each of them, whichever fits the shapes there are."""
    values, weights = where.text_of(weighted.values), where.text_of(weighted.weights)
    for id in SCORES:
        scores = where.ref(id)
        if scores is not None:
            description = f"{where.text_of(scores)} was used as weights instead of {weights}"
            yield Mistake("scores-as-weights", description, weighted.by(Unmasked(scores)))
    seen = _seen(weighted, where)
    if seen is not None:
        all_that = "that the token may see " if any(0 in row for row in seen) else ""
        description = f"the mean of the values {all_that}was taken, without the weights {weights}"
        yield Mistake("mean-of-values", description, weighted.by(_equal(seen, True, weighted.down)))
        description = f"the values {all_that}were added up, without the weights {weights}"
        yield Mistake("sum-of-values", description, weighted.by(_equal(seen, False, weighted.down)))
    description = "only the value with the largest weight was used"
    yield Mistake("strongest-value", description, weighted.by(Top(weighted.weights, weighted.down)))
    yield Mistake("values-not-weighted", f"{values} was used without the weights {weights}", weighted.values)


def _seen(weighted: WeightedSum, where: QuantityContext) -> list[list[int]] | None:
    """1 where a token may look, 0 where not; None where the mask is computed."""
    height, width = weighted.weights.shape(where)
    masked = where.without(weighted.weights, Mask)
    if masked is None:
        return [[1] * width for _ in range(height)]
    rows = masked[0].rows(where)
    return [[int(not is_blocked(x)) for x in row] for row in rows] if len(rows) == height else None


def _equal(seen: list[list[int]], shared: bool, down: bool) -> Formula:
    """The same weight for all that is seen: 1, or (`shared`) one that makes them sum to 1."""
    lines = [list(line) for line in zip(*seen, strict=True)] if down else seen
    found = [[Fraction(x, sum(line) if shared and any(line) else 1) for x in line] for line in lines]
    return EqualWeights(tuple(map(tuple, zip(*found, strict=True) if down else found)))
