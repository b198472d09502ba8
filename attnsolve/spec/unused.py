"""Matrices that a file states and nothing uses, because what they would go into is given as well; said in one message
each, with the form that was probably meant."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from attnsolve.errors import listed
from attnsolve.library import Feeds
from attnsolve.spec.fields import Faults, GivenMatrix

DIRECT = ("queries", "keys", "values")


def is_unused(name: str, given: Collection[str], feeds: Feeds) -> bool:
    """Whether all that a matrix could go into is given already, or idle itself."""
    return name in feeds and all(later in given or is_unused(later, given, feeds) for later in feeds[name])


def report_unused(unused: Mapping[str, GivenMatrix], given: Collection[str], feeds: Feeds, faults: Faults) -> None:
    """One message for all weights, and one for each other matrix."""
    weights = [name for name in unused if _is_weight(name)]
    for group in ([weights] if weights else []) + [[name] for name in unused if name not in weights]:
        instead = list(dict.fromkeys(later for name in group for later in _given_later(name, given, feeds)))
        why = f"{listed(instead)} {_be(instead)} given" if instead else f"no result depends on {_it(group)}"
        message = f"{listed(group)} {_be(group)} never used: {why}"
        first, *others = (unused[name].at for name in group)
        faults.report_unused(first, message, _fix(group, instead, given), others)


def _is_weight(name: str) -> bool:
    return name.startswith(("W_", "b_")) and not name.endswith("_O")


def _given_later(name: str, given: Collection[str], feeds: Feeds) -> Iterator[str]:
    """The first given quantities on the ways from one to the last result: they stand in place of what it is for."""
    for later in feeds.get(name, ()):
        if later in given:
            yield later
        else:
            yield from _given_later(later, given, feeds)


def _fix(group: Sequence[str], instead: Sequence[str], given: Collection[str]) -> str:
    if instead and {*instead} <= {*DIRECT} and all(map(_is_weight, group)):
        form = ", ".join(f"{name}: [[...]]" for name in DIRECT)
        letters = listed([name[0].upper() for name in instead])
        means = f"{listed(instead)} are {letters}, already projected"
        return f"{means}; to apply weights to them, write inputs: {{{form}}}"
    if group == ["state"] and "states" not in given:
        return "add states: [[...]], or leave it out"
    if not instead:
        return "add values: [[...]], or leave it out" if group == ["W_O"] else f"leave {_it(group)} out"
    return f"leave {_it(group)} out; or leave out {listed(instead)}, to have {_it(instead)} computed"


def _is_plural(names: Sequence[str]) -> bool:
    return len(names) > 1 or names[0].endswith("s")


def _be(names: Sequence[str]) -> str:
    return "are" if _is_plural(names) else "is"


def _it(names: Sequence[str]) -> str:
    return "them" if _is_plural(names) else "it"
