"""What a name stands for, declared in words: `matrix(n, d)`, `positive`, or a term that says what it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from attnsolve.algebra.declared import (
    Declared,
    Defined,
    Free,
    Index,
    Normal,
    Orthonormal,
    Permutation,
    Unknown,
    WholeNumber,
)
from attnsolve.algebra.functions import Limit
from attnsolve.algebra.grammar import parse_call, parse_term
from attnsolve.algebra.table import TermError
from attnsolve.bounds import allowed
from attnsolve.errors import count, nearest
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.number import ONE, Number

SORTS = {
    "matrix": "matrix(n, d), of any entries",
    "vector": "vector(n), a column",
    "row": "row(n)",
    "number": "a real number",
    "positive": "a positive number",
    "nonnegative": "a number that is not negative",
    "size": "a whole number, at least 1; size(2), at least 2",
    "index": "index(n), a place from 1 to n",
    "permutation": "permutation(n), a permutation matrix",
    "orthonormal": "orthonormal(n), a square matrix with orthonormal rows",
    "normal": "normal(mu, sigma, n), a vector of independent normal entries",
}
"""What a letter may be declared as."""
MEANT = {
    **dict.fromkeys(("real", "scalar", "reals", "float"), "number"),
    **dict.fromkeys(("integer", "int", "natural"), "size"),
    "column": "vector(n)",
}
"""Words that people try."""


def declared_as(text: str, names: dict[str, Declared]) -> Declared:
    """What a text declares: one of the sorts, or what a term says."""
    word, arguments = parse_call(text, SORTS)
    if not word:
        term = parse_term(text)
        _check_known([term], names)
        return Defined(term)
    if len(arguments) not in _ARGUMENTS.get(word, (1,)):
        raise TermError(f"{word} can't have {count(len(arguments), 'argument')}", f"write {SORTS[word]}")
    if word == "size":
        return WholeNumber(_least(*arguments))
    for size in arguments[2:] if word == "normal" else arguments:
        _declare_size(size, names)
    if word == "normal":
        _check_known(arguments[:2], names)
    return _MADE[word](*arguments)


_ARGUMENTS = {"matrix": (2,), "normal": (2, 3), "size": (0, 1), "number": (0,), "positive": (0,), "nonnegative": (0,)}
"""How many arguments a sort may have, where that is not one."""
_MADE: dict[str, Callable[..., Declared]] = {
    "matrix": Free,
    "vector": lambda size: Free(size, ONE),
    "row": lambda size: Free(ONE, size),
    "number": Unknown,
    "positive": lambda: Unknown("positive"),
    "nonnegative": lambda: Unknown("nonnegative"),
    "index": Index,
    "permutation": Permutation,
    "orthonormal": Orthonormal,
    "normal": lambda mean, deviation, size=ONE: Normal(mean, deviation, size),
}


def _least(least: Formula = ONE) -> int:
    value = _side(least)
    if value is None:
        raise TermError(f"the least size must be a whole number up to {allowed().claim_side}")
    return value


def _declare_size(size: Formula, names: dict[str, Declared]) -> None:
    """A letter in the place of a size is one."""
    if isinstance(size, Ref) and size.name not in names:
        names[size.name] = WholeNumber()
    elif isinstance(size, Number):
        if _side(size) is None:
            raise TermError(f"a size must be a whole number from 1 to {allowed().claim_side}, or a letter")
    elif not (isinstance(size, Ref) and isinstance(names[size.name], WholeNumber)):
        raise TermError("a size must be a whole number or a letter", "write matrix(3, 2) or matrix(n, d)")


def _side(size: Formula) -> int | None:
    """A whole number that may be a size."""
    value = size.rational if isinstance(size, Number) else None
    return int(value) if value is not None and value.denominator == 1 and 1 <= value <= allowed().claim_side else None


def _check_known(terms: Sequence[Formula], names: Mapping[str, Declared]) -> None:
    if unknown := unknown_in(terms, names):
        word = MEANT.get(unknown[0].casefold())
        fix = f"did you mean {word}?" if word else f"declare it above; {nearest(unknown[0], [*names, *SORTS])}"
        raise TermError(f"{unknown[0]!r} is not declared", fix)


def unknown_in(terms: Sequence[Formula], names: Mapping[str, Declared]) -> list[str]:
    """The names in some terms that are not declared, in the order in which they are met."""
    limits = {t.symbol: None for term in terms for t in term.walk() if isinstance(t, Limit)}
    own = {t.binds for term in terms for t in term.walk() if not isinstance(t, Limit)}
    used = [t.name for term in terms for t in term.walk() if isinstance(t, Ref)] + [*limits]
    return [name for name in used if name not in names and name not in own]
