"""An attention problem as a person would write it: every option of the file, and the YAML that says so.

Everything is kept with tokens as rows; `layout: columns` is only a matter of writing the transposes down.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Number(NamedTuple):
    """What is written in the file, and what it is worth."""

    text: str
    value: float


Matrix = tuple[tuple[Number, ...], ...]

BLOCKED = Number("-inf", -math.inf)


def worth(matrix: Matrix) -> Array:
    return np.array([[number.value for number in row] for row in matrix])


def turned(matrix: Matrix) -> Matrix:
    return tuple(zip(*matrix, strict=True))


@dataclass(frozen=True)
class Part:
    """A question: what to find, how, and for which token (counted from 1)."""

    find: str
    by: str = ""
    token: int | None = None

    def yaml(self) -> str:
        by, token = f", by: {self.by}" if self.by else "", f", for: {self.token}" if self.token else ""
        return f"{{find: {self.find}{by}{token}}}"


@dataclass(frozen=True)
class Rounding:
    """How the sheet rounds; `only` names the one result that is rounded, if it is not all of them."""

    places: int
    each_step: bool = False
    only: str = ""

    def carried(self, name: str) -> int | None:
        return self.places if self.each_step and self.only in ("", name) else None

    def yaml(self) -> str:
        places = f"{{{self.only}: {self.places}}}" if self.only else self.places
        return f"{{places: {places}, when: {'each-step' if self.each_step else 'shown'}}}"


@dataclass(frozen=True)
class Problem:
    """One attention problem, tokens as rows."""

    given: Mapping[str, Sequence[Matrix]]
    """Quantities that the file states: one matrix, or one a head."""
    projections: Sequence[Mapping[str, Matrix]] = ()
    """W_Q, b_Q and so on: one mapping, or one a head."""
    identity: bool = False
    split: int = 0
    """How many heads wide matrices are cut into."""
    output: Mapping[str, Matrix] = field(default_factory=dict)
    scaling: str | Number | None = None
    d_k: int | None = None
    mask: str | Matrix | None = None
    softmax: str = "e"
    """e, sum, or the base."""
    columns: bool = False
    numbering: int = 1
    flat: bool = False
    """A single query, written as one plain list."""
    stable: bool = False
    vectors: str = ""
    names: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Tokens' names, by the key that they stand under."""
    notation: Mapping[str, str] = field(default_factory=dict)
    parts: Sequence[Part] = ()
    rounding: Rounding | None = None
    digits: int = 6

    @property
    def valued(self) -> bool:
        """Whether there are values to be weighted."""
        return "values" in self.given or bool(self.projections) or self.identity

    def carried_places(self, name: str) -> int | None:
        """To how many places a result is rounded before it is used."""
        return None if self.rounding is None else self.rounding.carried(name)

    @property
    def heads(self) -> int:
        return max(self.split, len(self.projections), *(len(parts) for parts in self.given.values()))

    # ── as a file ──

    def yaml(self) -> str:
        lines = [f"numbering: {self.numbering}"]
        lines += ["layout: columns"] if self.columns else []
        inside = [f"{name}: {self._parts(name, parts)}" for name, parts in self.given.items() if name in LATER]
        sources = [
            f"{key}: {self._parts(name, self.given[name])}" for key, name in SOURCES.items() if name in self.given
        ]
        lines += [f"inputs: {{{', '.join(sources)}}}"] if sources else []
        plain = self.given.keys() - {*LATER, *SOURCES.values()}
        lines += [f"{name}: {self._parts(name, parts)}" for name, parts in self.given.items() if name in plain]
        lines += [f"given: {{{', '.join(inside)}}}"] if inside else []
        lines += ["weights: identity"] if self.identity else []
        if self.projections:
            lines.append("weights:")
            for projection in self.projections:
                texts = ", ".join(f"{name}: {self._parameter(name, matrix)}" for name, matrix in projection.items())
                lines.append(f"  {'- ' if len(self.projections) > 1 else ''}{{{texts}}}")
            if len(self.projections) == 1:
                lines[-2:] = [f"weights: {lines[-1].strip()}"]
        lines += [f"heads: {self.split}"] if self.split else []
        lines += [f"{name}: {self._parameter(name, matrix)}" for name, matrix in self.output.items()]
        if self.scaling is not None:
            lines.append(f"scaling: {self.scaling if isinstance(self.scaling, str) else self.scaling.text}")
        lines += [f"d_k: {self.d_k}"] if self.d_k else []
        if self.mask is not None:
            lines.append(f"mask: {self.mask if isinstance(self.mask, str) else self._matrix(self.mask, self.flat)}")
        return "\n".join([*lines, *shared_lines(self)]) + "\n"

    def _parts(self, name: str, parts: Sequence[Matrix]) -> str:
        texts = [self._matrix(part, self.flat and name in OF_QUERIES) for part in parts]
        return f"[{', '.join(texts)}]" if len(texts) > 1 else texts[0]

    def _parameter(self, name: str, matrix: Matrix) -> str:
        return self._matrix(matrix, flat=name.startswith("b"))

    def _matrix(self, matrix: Matrix, flat: bool) -> str:
        if flat:
            return row_text(matrix[0])
        return matrix_text(turned(matrix) if self.columns else matrix)

    def lies(self, name: str, array: Array) -> Array:
        """A result as the file has it lie: columns transposed, a single query as one list."""
        if self.flat and name in OF_QUERIES:
            return array.ravel()
        return array.T if self.columns else array


LATER = ("scores", "scaled", "masked", "weights")
SOURCES = {"queries": "query_inputs", "keys": "key_inputs", "values": "value_inputs"}
OF_QUERIES = ("inputs", "query_inputs", "queries", *LATER, "context", "concat", "output")


def row_text(row: Iterable[Number]) -> str:
    return f"[{', '.join(number.text for number in row)}]"


def matrix_text(matrix: Matrix) -> str:
    return f"[{', '.join(map(row_text, matrix))}]"


def shared_lines(problem: Any) -> list[str]:
    """What any kind of problem may say besides its matrices."""
    lines = [f"digits: {problem.digits}"]
    if problem.softmax != "e":
        lines.append("softmax: sum" if problem.softmax == "sum" else f"softmax: {{base: {problem.softmax}}}")
    lines += ["stable: true"] if problem.stable else []
    lines += [f"vectors: {problem.vectors}"] if problem.vectors else []
    lines += [f"{key}: {json.dumps(list(words), ensure_ascii=False)}" for key, words in problem.names.items()]
    letters = ", ".join(f"{name}: {letter}" for name, letter in problem.notation.items())
    lines += [f"notation: {{{letters}}}"] if letters else []
    lines += [f"rounding: {problem.rounding.yaml()}"] if problem.rounding else []
    wanted = zip("abcdefghijkl", problem.parts, strict=False)
    lines += ["parts:", *(f"  {letter}: {part.yaml()}" for letter, part in wanted)] if problem.parts else []
    return lines


def base_of(softmax: str) -> float:
    """The base that powers are taken of."""
    return math.e if softmax == "e" else float(Fraction(softmax))
