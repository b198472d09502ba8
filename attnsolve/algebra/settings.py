"""The settings in which a claim is looked at: values for the sizes and indices, and the matrices that are picked.

In the complete ones nothing is left out, so that a claim that holds in them with symbols is proved for their sizes; the
others are samples of what would be too many.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from itertools import islice, permutations, product

from attnsolve.algebra.declared import Declared, Free, Index, Normal, Orthonormal, Permutation, Setting, Unknown
from attnsolve.algebra.matrices import ANGLES, Rows, frames, orthonormal, permutation_matrix
from attnsolve.algebra.scopes import Places
from attnsolve.operations.place import whole

MOST_SYMBOLS, MOST_GIVEN = 20, 120
"""Symbols in one setting that is worked out exactly, among several and where all sizes are given; larger ones are left
to the points."""
MOST_SETTINGS = 6
"""Combinations of sizes."""
MOST_OPTIONS, MOST_PLACES = 36, 64
"""Ways to place indices and picked matrices, of each combination of sizes and where all sizes are given."""
FEW_DRAWN, MANY_DRAWN = 6, 36
"""How many of them are drawn where there are more."""
MOST_PERMUTED, MOST_GIVEN_PERMUTED = 3, 4
"""Rows of which every permutation is taken, among several sizes and where all are given."""
MOST_LETTERS = 4
"""Sizes of which every combination is looked at; of more than these, some."""
STEPS, LARGER_STEPS, FAR_STEPS = range(4), range(4, 8), range(4, 64)
"""How far a size is taken above its least value."""


class Settings:
    """The settings of some names."""

    def __init__(self, names: Mapping[str, Declared], sizes: Mapping[str, int], *, half_turns: bool = False) -> None:
        """Without `half_turns` these are left out of what orthonormal matrices may be, as far as they are given by
        letters."""
        self.names = names
        self.half_turns = half_turns
        self.sizes = sizes
        self.complete: list[Setting] = []
        self.samples: list[Setting] = []
        rng = random.Random(1)
        most = MOST_SYMBOLS if self.sizes else MOST_GIVEN
        chosen = [places for places in self._places(STEPS) if self._symbols_needed(places) <= most]
        for places in chosen[:MOST_SETTINGS]:
            options = self._options(places)
            if options is not None:
                self.complete += options
            else:
                self.samples += self._drawn(places, rng, FEW_DRAWN if self.sizes else MANY_DRAWN)
        if not self.sizes and not chosen:
            self.samples += self._drawn({}, rng, 1)

    def larger(self) -> list[Setting]:
        """One setting of each of some larger sizes."""
        rng = random.Random(7)
        large = self._places(LARGER_STEPS)[:2] if self.sizes else []
        drawn = [setting for places in large for setting in self._drawn(places, rng, 1)]
        return [self._cycled(drawn[0]), *drawn[1:]] if drawn else []

    def _cycled(self, setting: Setting) -> Setting:
        """The same with permutations that move every row on by one: of all of them, they come back last."""
        selected = {
            name: permutation_matrix((*range(1, len(rows)), 0)) if isinstance(self.names[name], Permutation) else rows
            for name, rows in setting.selected.items()
        }
        return Setting(setting.places, selected, setting.letters)

    def far(self) -> list[Setting]:
        """One setting of each of many larger sizes."""
        rng = random.Random(8)
        far = [{letter: least + step for letter, least in self.sizes.items()} for step in FAR_STEPS]
        return [setting for places in far for setting in self._drawn(places, rng, 1)]

    def _places(self, steps: range) -> list[dict[str, int]]:
        """Values of the sizes, each letter's own if possible: n = 2, d = 3 finds more mistakes than n = d = 2."""
        letters = list(self.sizes)
        taken = list(product(steps, repeat=min(len(letters), MOST_LETTERS)))
        combined = [
            {letter: self.sizes[letter] + some[i % MOST_LETTERS] for i, letter in enumerate(letters)} for some in taken
        ]
        combined.sort(key=lambda places: (len(places) - len({*places.values()}), sum(places.values())))
        return combined

    def _symbols_needed(self, places: Mapping[str, int]) -> int:
        scope = Places({}, places, 1, {})
        count = 0
        for declared in self.names.values():
            match declared:
                case Free(rows=rows, columns=columns):
                    count += whole(rows, scope) * whole(columns, scope)
                case Normal(size=size):
                    count += whole(size, scope)
                case Orthonormal(size=size):
                    count += ANGLES.get(whole(size, scope), 0)
                case Unknown():
                    count += 1
        return count

    # ── every option ────────────────────────────────────────────────────────────────────────────

    def _options(self, places: Mapping[str, int]) -> list[Setting] | None:
        """The settings of some sizes: every way to index and every matrix to pick; None if these are too many."""
        most = (MOST_OPTIONS if self.sizes else MOST_PLACES) * (2 if self.half_turns else 1)
        choices: dict[str, list[Rows]] = {}
        for name, declared in self.names.items():
            if isinstance(declared, Permutation | Orthonormal):
                picks = self._picks(declared, places)
                if picks is None:
                    return None
                choices[name] = picks
        found = [
            Setting(indexed, dict(zip(choices, selected, strict=True)), tuple(self.sizes))
            for selected in islice(product(*choices.values()), most + 1)
            for indexed in self._indexed(places, most + 1)
        ]
        return found if len(found) <= most else None

    def _picks(self, declared: Permutation | Orthonormal, places: Mapping[str, int]) -> list[Rows] | None:
        rows = _size(declared, places)
        if isinstance(declared, Permutation):
            if rows > (MOST_PERMUTED if self.sizes else MOST_GIVEN_PERMUTED):
                return None
            return [permutation_matrix(order) for order in permutations(range(rows))]
        return self._frames(rows) if rows in ANGLES else None

    def _indexed(self, places: Mapping[str, int], most: int) -> list[dict[str, int]]:
        """Every way to place the indices, or as many as are asked for."""
        found = [dict(places)]
        for name, declared in self.names.items():
            if isinstance(declared, Index):
                size = _size(declared, places)
                ways = (
                    {**taken, name: i}
                    for taken in found
                    for i in range(1, size + 1)
                    if i not in [taken[other] for other in declared.unlike]
                )
                found = list(islice(ways, most))
        return found

    # ── some options ────────────────────────────────────────────────────────────────────────────

    def _drawn(self, places: Mapping[str, int], rng: random.Random, count: int) -> list[Setting]:
        """Settings of some sizes, drawn at random; none if the indices can't be placed."""
        drawn = (self._draw(places, rng) for _ in range(count))
        return [setting for setting in drawn if setting is not None]

    def _draw(self, places: Mapping[str, int], rng: random.Random) -> Setting | None:
        indexed = dict(places)
        selected: dict[str, Rows] = {}
        for name, declared in self.names.items():
            if isinstance(declared, Index):
                free = {*range(1, _size(declared, places) + 1)} - {indexed[o] for o in declared.unlike}
                if not free:
                    return None
                indexed[name] = rng.choice(sorted(free))
            elif isinstance(declared, Permutation):
                rows = _size(declared, places)
                selected[name] = permutation_matrix(tuple(rng.sample(range(rows), rows)))
            elif isinstance(declared, Orthonormal):
                rows = _size(declared, places)
                selected[name] = self._frame(rows, rng)
        return Setting(indexed, selected, tuple(self.sizes))

    def _frame(self, rows: int, rng: random.Random) -> Rows:
        """An orthonormal matrix, or what turns every rotation into one."""
        if rows not in ANGLES:
            return orthonormal(rows, rng)
        return rng.choice(self._frames(rows))

    def _frames(self, rows: int) -> list[Rows]:
        """What rotations are multiplied with so that they come to every orthonormal matrix."""
        return frames(rows) if self.half_turns else frames(rows)[:2]


def _size(declared: Index | Permutation | Orthonormal, places: Mapping[str, int]) -> int:
    return whole(declared.size, Places({}, places, 1, {}))
