"""The names of an argument, declared as in a problem of one's own: `alpha: softmax(z)` is a line of its `given:`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cached_property, lru_cache

from attnsolve.algebra.declarations import Declarations
from attnsolve.algebra.declared import Declared, Fixed, Free, Index
from attnsolve.algebra.declaring import declared_as
from attnsolve.algebra.matrices import Rows
from attnsolve.algebra.verify import Verifier
from attnsolve.bounds import Bounds, allowed

Numbers = Rows | Fraction | int
"""A matrix, or a single number."""


MOST_KEPT = 64
"""Names of which it is kept what was found out about them."""


class Names(Declarations):
    """What names stand for. Whatever is written about the same ones shares what was worked out to verify it."""

    @cached_property
    def verifier(self) -> Verifier:
        """What verifies claims about them."""
        return _verifier(tuple(self.names.items()), allowed())

    def also(self, *lines: str, **numbers: Numbers) -> Names:
        """The same with more names, or with some that stand for something else."""
        return _declared(self.names, lines, numbers)

    def only(self, names: str) -> Names:
        """Some of the names, in another order perhaps."""
        return Names({name: self.names[name] for name in names.split()})


@lru_cache(maxsize=MOST_KEPT)
def _verifier(names: tuple[tuple[str, Declared], ...], _: Bounds) -> Verifier:
    """Several problems are often about the same names, and what holds of them is found out once."""
    return Verifier(Names(dict(names)))


def names(*lines: str, **numbers: Numbers) -> Names:
    """Names with what they stand for, and some that stand for given numbers; a size need not be declared.

    >>> list(names("z: row(n)", "i, j: index(n)", "alpha: softmax(z)").names)
    ['n', 'z', 'i', 'j', 'alpha']

    Two things are for our own arguments alone: `index(n) unlike a, b` is a place that is none of those, and
    `nonnegative row(n)` has no negative entry.
    """
    return _declared({}, lines, numbers)


def _declared(before: Mapping[str, Declared], lines: tuple[str, ...], numbers: Mapping[str, Numbers]) -> Names:
    found = {**before, **{name: _fixed(value) for name, value in numbers.items()}}
    for line in lines:
        declared, _, text = line.partition(": ")
        for name in declared.split(", "):
            found[name] = _read(text, found)
    return Names(found)


def _fixed(value: Numbers) -> Fixed:
    return Fixed(value if isinstance(value, tuple) else ((Fraction(value),),))


def _read(text: str, found: dict[str, Declared]) -> Declared:
    sort, _, unlike = text.partition(" unlike ")
    plain = sort.removeprefix("nonnegative ")
    declared = declared_as(plain, found)
    if isinstance(declared, Index) and unlike:
        return replace(declared, unlike=tuple(unlike.split(", ")))
    return replace(declared, assumption="nonnegative") if isinstance(declared, Free) and plain != sort else declared


def times(factor: Fraction, letters: str) -> str:
    """A multiple of some letters, as a term.

    >>> times(Fraction(-3, 2), "beta"), times(Fraction(1), "(n - 1)")
    ('-3*beta/2', '(n - 1)')
    """
    if factor == 0:
        return "0"
    whole = {1: "", -1: "-"}.get(factor.numerator, f"{factor.numerator}*")
    return f"{whole}{letters}" + (f"/{factor.denominator}" if factor.denominator > 1 else "")
