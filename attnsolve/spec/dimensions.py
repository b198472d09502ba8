"""Lengths that must agree. Each is remembered with the sentence that first set it, so that a clash is told in words:
`W_K has 3 rows but the inputs have 2 columns`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from attnsolve.errors import Mark
from attnsolve.spec.fields import Faults, Matrix


@dataclass
class Dimensions:
    """Lengths that must agree, each remembered with the sentence that first set it."""

    faults: Faults
    columns: bool
    plurals: Collection[str] = ()
    """Names that are said as `the inputs have`, not `W_K has`."""
    known: dict[str, tuple[int, str]] = field(default_factory=dict)

    def agree(self, name: str, matrix: Matrix, side: int) -> None:
        """Side 0 of a matrix is its rows when tokens are rows, its columns when tokens are columns."""
        side = 1 - side if self.columns else side
        size = matrix.shape[side]
        plural = matrix.name.partition(" of head ")[0] in self.plurals
        have = "have" if plural else "has"
        called = f"the {matrix.name}" if plural else matrix.name
        sentence = f"{called} {have} {size} {('row', 'column')[side]}{'' if size == 1 else 's'}"
        if name not in self.known:
            self.known[name] = (size, sentence)
        elif self.known[name][0] != size:
            wanted, earlier = self.known[name]
            self.faults.add(matrix.at, f"{sentence} but {earlier}", self._cause(matrix, side, wanted))

    def expect(self, name: str, size: int, sentence: str, at: Mark, fix: str) -> None:
        """A length that is written as a number or a count of names, not seen in a matrix."""
        if name not in self.known:
            self.known[name] = (size, sentence)
        elif self.known[name][0] != size:
            self.faults.add(at, f"{sentence} but {self.known[name][1]}", fix)

    def _cause(self, matrix: Matrix, side: int, wanted: int) -> str:
        layout = "layout: rows (tokens as rows)" if self.columns else "layout: columns (tokens as columns)"
        turnable = not matrix.flat and matrix.name != "mask"
        if turnable and matrix.shape[1 - side] == wanted:
            return f"transposed? write {matrix.name}: {{matrix: ..., transposed: true}}, or {layout} if the sheet does"
        return f"expected {wanted}; is a {('row', 'column')[side]} missing or one too many, or is it {layout}?"

    def size(self, name: str) -> int | None:
        return self.known[name][0] if name in self.known else None
