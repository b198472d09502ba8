"""How the letters of a formula are written where no problem says so; and formulas as messages quote them."""

from __future__ import annotations

from collections.abc import Mapping

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.operations.formula import Formula, Ref


class Letters(dict[str, n.Notation]):
    """How letters are written; any other is written as it is spelled.

    `M[]` says how the rows of M are written (and its columns, which are the rows of its transpose), `M[,]` how its
    entries are.
    """

    def __call__(self, key: Key) -> n.Notation:
        """How one letter is written."""
        return self.get(key.id, spelled(key.id))

    def __or__(self, other: Mapping[str, n.Notation]) -> Letters:  # type: ignore[override]
        return Letters({**self, **other})


def letter(name: str) -> Ref:
    """A letter as a formula."""
    return Ref(Key(name))


def spelled(name: str) -> n.Sym:
    """A name as a symbol: D_k with its index, mu as μ."""
    plain, _, index = name.partition("_")
    return n.Sym(plain, (index,) if index else ())


def formula_text(formula: Formula) -> str:
    """A formula as a message quotes it."""
    from attnsolve.notation.text import ASCII, TextPrinter

    return TextPrinter(ASCII).print(formula.notation(Letters()))
