"""Lengths that must agree. Each is remembered with the sentence that first set it, so that a clash is told in words:
`W_K has 3 rows but the inputs have 2 columns`."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field, replace

from attnsolve.errors import Fault, Mark, count, listed
from attnsolve.record import Fillable, filled
from attnsolve.spec.fields import Faults, GivenMatrix


@filled
class Dimensions(Fillable):
    """Lengths that must agree, each remembered with the sentence that first set it."""

    faults: Faults
    columns: bool
    plurals: Collection[str] = ()
    """Names that are said as `the inputs have`, not `W_K has`."""
    singulars: Collection[str] = ()
    """Names that are said as `the state has`."""
    layout: bool = True
    """Whether the sheet may stack tokens either way."""
    known: dict[str, tuple[int, str]] = field(default_factory=dict)
    clashes: dict[tuple[str, str], tuple[list[str], Fault | None]] = field(default_factory=dict)
    commas: dict[str, str] = field(default_factory=dict)
    """Lengths that may be twice what is meant, since decimal commas split numbers; with what to write instead."""

    def agree(self, name: str, matrix: GivenMatrix, side: int) -> bool:
        """Side 0 of a matrix is its rows when tokens are rows, its columns when tokens are columns. False where it
        clashes, which is told; nothing else can be learnt from the matrix then."""
        if matrix.unread:
            return False
        along = matrix.flat and side == 1
        side = 1 - side if self.columns else side
        size = matrix.shape[side]
        size_text = count(size, "entry", "entries") if along else count(size, ("row", "column")[side])
        sentence = f"{self._owner(matrix.name)} {size_text}"
        if name not in self.known:
            self.known[name] = (size, sentence)
            self.commas[name] = matrix.commas if side == 1 else ""
        elif self.known[name][0] != size:
            wanted, earlier = self.known[name]
            halved = self.commas.get(name) if wanted == 2 * size else matrix.commas if size == 2 * wanted else ""
            fix = halved or self._cause(matrix, side, wanted)
            self._clash(matrix, size_text, earlier, fix)
            return False
        return True

    def _clash(self, matrix: GivenMatrix, size_text: str, earlier: str, fix: str) -> None:
        """Tell of one length that clashes with another; matrices that clash in the same way share one message."""
        names, fault = self.clashes.get((size_text, earlier), ([], None))
        if fault is None:
            self.faults.add(matrix.at, f"{self._owner(matrix.name)} {size_text} but {earlier}", fix)
            self.clashes[size_text, earlier] = [matrix.name], self.faults.found[-1]
        elif matrix.name not in names:
            names.append(matrix.name)
            place = self.faults.found.index(fault)
            self.faults.found[place] = replace(fault, message=f"{listed(names)} have {size_text} but {earlier}")
            self.clashes[size_text, earlier] = names, self.faults.found[place]

    def expect(self, name: str, size: int, sentence: str, at: Mark, fix: str) -> None:
        """A length that is written as a number or a count of names, not seen in a matrix."""
        if name not in self.known:
            self.known[name] = (size, sentence)
        elif self.known[name][0] != size:
            self.faults.add(at, f"{sentence} but {self.known[name][1]}", fix)

    def _owner(self, name: str) -> str:
        if name.partition(" of head ")[0] in self.plurals:
            return f"the {name} have"
        return f"the {name} has" if name in self.singulars else f"{name} has"

    def _cause(self, matrix: GivenMatrix, side: int, wanted: int) -> str:
        layout = "layout: rows (tokens as rows)" if self.columns else "layout: columns (tokens as columns)"
        turnable = not matrix.flat and matrix.name != "mask"
        if turnable and matrix.shape[1 - side] == wanted:
            turn = f"transposed? write {matrix.name}: {{matrix: ..., transposed: true}}"
            return f"{turn}, or {layout} if the sheet does" if self.layout else turn
        line = "number" if matrix.flat else ("row", "column")[side]
        missing = f"expected {wanted}; is a {line} missing or one too many"
        return f"{missing}, or is it {layout}?" if self.layout else f"{missing}?"

    def sized(self, matrix: GivenMatrix, side: int | None) -> GivenMatrix | None:
        """An identity with its size, None if that can't be seen; any other matrix as it is."""
        if not matrix.identity or side is not None:
            return matrix.sized(side or 1)
        if not self.faults.found:  # what could not be read may be what shows it
            message = f"the size of {matrix.name}: identity can't be worked out from the problem"
            self.faults.add(matrix.at, message, "write it out")
        return None

    def size(self, name: str) -> int | None:
        return self.known[name][0] if name in self.known else None
