"""The corners of a matrix that is too large to be written out, with dots for what lies between."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from attnsolve import notation as n

ROWS, COLUMNS = 3, 6
"""How many are written before the dots; behind them stands the last one. A narrow page leaves out more columns."""

Kept = list[int | None]
"""The rows (or columns) that are written, counted from 0, and None for each run of others between them."""


def kept(size: int, most: int, before: int, also: Iterable[int] = ()) -> Kept:
    """Which of so many rows are written: all up to `most`, else the first few, those asked for, and the last.

    >>> kept(100, 8, 3, also=[50])
    [0, 1, 2, None, 50, None, 99]
    """
    if size <= most:
        return list(range(size))
    chosen: Kept = []
    previous = -1
    for place in sorted({*range(min(before, size - 2)), *also, size - 1}):
        chosen += [place] if place == previous + 1 else [None, place]
        previous = place
    return chosen


def corner(cell: Callable[[int, int], n.Notation], rows: Kept, columns: Kept) -> tuple[tuple[n.Notation, ...], ...]:
    """The entries of the rows and columns that are kept; ⋯, ⋮ and ⋱ in place of the others."""
    return tuple(tuple(_entry(cell, i, j) for j in columns) for i in rows)


def _entry(cell: Callable[[int, int], n.Notation], row: int | None, column: int | None) -> n.Notation:
    if row is not None and column is not None:
        return cell(row, column)
    return n.Dots("⋱" if row is column else "⋮" if row is None else "⋯")


def labels_kept(labels: Sequence[str], places: Kept) -> tuple[str, ...]:
    """The names of what is kept, and nothing beside the dots."""
    return tuple("" if place is None else labels[place] for place in places) if labels else ()
