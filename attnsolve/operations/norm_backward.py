"""The gradient of layer norm and RMS norm, and what people take for it: they forget that the mean and the deviation of
a row change with every entry of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from attnsolve.key import Key
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula
from attnsolve.operations.staged import Staged

if TYPE_CHECKING:
    from attnsolve.operations.backward import Backward, Mistaken


def of_norm(
    norm: Staged, normalised: Formula, root: str, upstream: Formula, use: Backward, *, centred: bool
) -> Formula:
    """(g − mean(g) − n · mean(g · n))/σ for normalised entries n with gradient g; where no mean was subtracted, without
    mean(g)."""
    own = use.name(use.whole(_scaled(norm, upstream, use), use.shape(norm)))
    along = use.name(use.means(use.name(use.times(own, normalised)), norm.down))
    less = use.minus(own, use.name(use.means(own, norm.down))) if centred else own
    return use.over(use.minus(less, use.times(normalised, along)), _root(norm, root, use))


def _scaled(norm: Staged, upstream: Formula, use: Backward) -> Formula:
    """The gradient of the normalised entries: with γ, where there is one."""
    gamma = getattr(norm, "gamma", None)
    return upstream if gamma is None else use.times(upstream, gamma)


def _root(norm: Staged, root: str, use: Backward) -> Formula:
    """What each row is divided by."""
    known = dict(norm.entering)
    for name, stage in norm.inside(norm.down, use.is_alone(norm.inner, norm.down)).items():
        known[Key(name)] = stage.put(known)
        if name == root:
            break
    return use.name(known[Key(root)])


def mistakes_of_norm(
    norm: Staged, normalised: Formula, root: str, upstream: Formula, use: Mistaken, *, centred: bool
) -> Iterator[Mistake]:
    """What people take for that."""
    own, under = use.whole(_scaled(norm, upstream, use), use.shape(norm)), _root(norm, root, use)
    mean, row = use.means(own, norm.down), "column" if norm.down else "row"
    along = use.times(normalised, use.means(use.times(own, normalised), norm.down))
    what = "mean and deviation" if centred else "root mean square"

    yield use.passed_on(upstream, "the norm", "norm-gradient-forgotten")
    said = f"the gradient was only divided by the root, as if the {what} of a {row} did not change with its entries"
    yield Mistake("norm-gradient-constant", said, use.over(own, under))
    if centred:
        said = f"the deviation was treated as a constant: only the mean of each {row} of the gradient was subtracted"
        yield Mistake("norm-gradient-mean-only", said, use.over(use.minus(own, mean), under))
        said = f"the mean of each {row} of the gradient was not subtracted"
        yield Mistake("norm-gradient-mean-forgotten", said, use.over(use.minus(own, along), under))
    else:
        said = f"the mean of each {row} of the gradient was subtracted, too, as in a layer norm"
        yield Mistake("norm-gradient-centred", said, use.over(use.minus(use.minus(own, mean), along), under))
    whole = use.minus(use.minus(own, mean), along) if centred else use.minus(own, along)
    yield Mistake("norm-gradient-not-divided", "the gradient was not divided by the root", whole)
    if own != use.whole(upstream, use.shape(norm)):
        gamma = use.text_of(getattr(norm, "gamma"))  # noqa: B009
        plain = use.whole(upstream, use.shape(norm))
        less = use.minus(plain, use.means(plain, norm.down)) if centred else plain
        along = use.times(normalised, use.means(use.times(plain, normalised), norm.down))
        said = f"the gradient was not multiplied by {gamma}"
        yield Mistake("norm-gradient-gamma-forgotten", said, use.over(use.minus(less, along), under))


def mistakes_of_gamma(norm: Staged, upstream: Formula, use: Mistaken) -> Iterator[Mistake]:
    """What people take for the gradient of γ."""
    inner = use.text_of(norm.inner)
    said = f"{inner} was used instead of its normalised entries"
    yield Mistake("gamma-gradient-not-normalised", said, use.times(upstream, norm.inner))
    yield use.passed_on(upstream, "the factor, the normalised entries,", "gradient-factor-forgotten")
