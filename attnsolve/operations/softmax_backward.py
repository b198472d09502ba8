"""What people take for the gradient of a softmax: its Jacobian is diag(a) − a aᵀ for each row, so every score of a row
has to do with every weight of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula
from attnsolve.operations.mask import Mask, is_blocked

if TYPE_CHECKING:
    from attnsolve.operations.backward import Mistaken
    from attnsolve.operations.softmax import Share, Softmax


def of_softmax(softmax: Softmax, factor: Formula, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
    """In place of factor · a ⊙ (g − the sum of a ⊙ g over each row); the factor is 1 where the base is e."""
    shape = use.shape(softmax)
    value, own = use.value, use.whole(upstream, shape)
    weights, text = use.text_of(value), use.shown(upstream)
    row, column = ("column", "row") if softmax.down else ("row", "column")

    def found(inner: Formula) -> Formula:
        return use.times(factor, use.times(value, inner))

    said = f"{text} was passed on as it is; the Jacobian of the softmax was left out"
    yield Mistake("softmax-jacobian-forgotten", said, upstream)
    said = "only the diagonal of the Jacobian of the softmax, a(1 − a), was used, not its other entries"
    diagonal = use.times(use.minus(use.number(1), value), own)
    yield Mistake("softmax-jacobian-diagonal", said, found(diagonal))
    said = (
        f"{text} was multiplied by {weights}, but the sum of each {row} of {weights} ⊙ {text} was not subtracted first"
    )
    yield Mistake("softmax-sum-forgotten", said, found(own))
    both = use.times(value, own)
    if min(shape) > 1:
        said = f"the sum of each {column} of {weights} ⊙ {text} was subtracted instead of the sum of each {row}"
        yield Mistake("softmax-sum-wrong-axis", said, found(use.minus(own, use.sums(both, not softmax.down))))
    said = f"the plain sum of each {row} of {text} was subtracted, not the sum weighted with {weights}"
    yield Mistake("softmax-sum-unweighted", said, found(use.minus(own, use.sums(own, softmax.down))))
    yield from _unmasked(softmax, upstream, use)


def _unmasked(softmax: Softmax, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
    masked = use.where.without(softmax.inner, Mask)
    if masked is None or not any(map(is_blocked, sum(masked[0].rows(use.where), ()))):
        return
    weights = replace(softmax, inner=masked[1])
    own = use.whole(upstream, use.shape(softmax))
    sums = use.sums(use.times(weights, own), softmax.down)
    said = "the mask was ignored: the gradient was worked out with weights that were not masked"
    yield Mistake("mask-ignored-in-gradient", said, use.times(weights, use.minus(own, sums)))


def of_share(share: Share, totals: Formula, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
    """In place of (g − the sum of a ⊙ g over each row)/(the sum of each row of scores)."""
    own, row = use.whole(upstream, use.shape(share)), "column" if share.down else "row"
    weights, text = use.text_of(use.value), use.shown(upstream)
    said = f"{text} was passed on as it is; the derivative of the division by the sum was left out"
    yield Mistake("share-gradient-forgotten", said, upstream)
    said = f"the sum of each {row} was treated as a constant, but it changes with every score of the {row}"
    yield Mistake("share-gradient-sum-constant", said, use.over(own, totals))
    sums = use.sums(use.times(use.value, own), share.down)
    said = (
        f"the sum of each {row} of {weights} ⊙ {text} was subtracted, but nothing was divided by the sum of the scores"
    )
    yield Mistake("share-gradient-not-divided", said, use.minus(own, sums))
