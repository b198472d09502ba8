"""Points at which a claim is tried: small whole numbers, special values, and any others; and points within a case."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from attnsolve.algebra.cases import Assumptions, Condition
from attnsolve.algebra.letters import Letter, Point

if TYPE_CHECKING:
    from attnsolve.algebra.declarations import Declarations
    from attnsolve.algebra.declared import Setting

POINTS, FAR_POINTS = 40, 4
"""Points at which a claim is tried, in each small and in each large setting."""
MOST_NUMBERS = 8
"""Numbers of a claim at which it is tried as well."""
FAR = 40
"""How much farther out some points lie."""
LARGE, LARGEST = 1000, 1_000_000
SPECIAL = 12
"""How many points have special values."""
ROUNDS = 4
"""How often a point is moved towards a case."""


class Points:
    """The points of some names: in each setting the same ones for every claim."""

    def __init__(self, names: Declarations) -> None:
        self.names = names
        self._drawn: dict[tuple[int, int], tuple[Setting, random.Random, list[Point]]] = {}

    def of(self, setting: Setting, count: int) -> Iterator[Point]:
        """Small whole numbers first, then special values unless the points are few, then any."""
        _, rng, drawn = self._drawn.setdefault((id(setting), count), (setting, random.Random(2), []))
        letters = self.names.letters(setting)
        specials = SPECIAL if count > FAR_POINTS else 0
        first = (count - specials) // 2
        for number in range(count):
            if number == len(drawn):
                if number < first:
                    drawn.append(plain(letters, rng))
                elif number < first + specials:
                    drawn.append(special(letters, number - first))
                else:
                    drawn.append(anywhere(letters, rng))
            yield drawn[number]

    def at_numbers(self, setting: Setting, numbers: Iterable[Fraction]) -> Iterator[Point]:
        """Every letter at a number that a claim speaks of, or at its opposite: (x − 7)² is special at 7."""
        letters = self.names.letters(setting)
        chosen_numbers = [value for number in numbers if abs(number) not in (0, 1, 2) for value in (number, -number)]
        for value in list(dict.fromkeys(chosen_numbers))[:MOST_NUMBERS] if letters else ():
            yield _fitted(letters, [value] * len(letters))


def plain(letters: Sequence[Letter], rng: random.Random) -> Point:
    """Small whole numbers, different ones as far as they go: a counterexample should be easy to check."""
    values: list[Fraction] = []
    while len(values) < len(letters):
        values += (Fraction(x) for x in rng.sample(range(-2, 4), 6))
    return _fitted(letters, values)


def anywhere(letters: Sequence[Letter], rng: random.Random) -> Point:
    """Fractions, some of them far out."""
    far = rng.choice((1, 1, 1, FAR))
    return _fitted(letters, [Fraction(far * rng.randint(-30, 30), rng.randint(7, 16)) for _ in letters])


def special(letters: Sequence[Letter], number: int) -> Point:
    """Values at which what holds in general may fail: zeros, ones, equal letters, large and small ones."""
    counted = [Fraction(i + 1) for i in range(len(letters))]
    alike = [Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 2)]
    turns: list[tuple[int, int | Fraction]] = [(1, 0), (0, 1), (1, -1), (LARGE, Fraction(1, LARGE))]
    if number < 4:
        values = [alike[number]] * len(letters)
    elif number < 8:
        values = [Fraction(turns[number - 4][i % 2]) for i in range(len(letters))]
    else:
        zero = [Fraction(0), *counted[:-1]]
        values = [zero, zero[::-1], [LARGEST * x for x in counted], [x / LARGEST for x in counted]][number - 8]
    return _fitted(letters, values)


def _fitted(letters: Sequence[Letter], values: Sequence[Fraction]) -> Point:
    return {letter: _allowed(letter, value) for letter, value in zip(letters, values, strict=False)}


def _allowed(letter: Letter, value: Fraction) -> Fraction:
    """A value as near as the letter may come to it."""
    if letter.is_positive:
        return abs(value) or Fraction(1)
    return abs(value) if letter.is_nonnegative else value


# ── points within a case ────────────────────────────────────────────────────────────────────────


def within(case: Assumptions, point: Mapping[Letter, Fraction]) -> Point | None:
    """A point moved into a case, if that is soon done."""
    moved = dict(point)
    for _ in range(ROUNDS):
        for letter, value in case.values.items():
            number = value if isinstance(value, Fraction) else value.at(moved)
            if number is None or number != _allowed(letter, number):
                return None
            moved[letter] = number
        wrong = next((fact for fact in case.facts if not _holds(fact, moved)), None)
        if wrong is None:
            return moved
        _move(wrong, case, moved)
    return None


def _holds(fact: Condition, point: Mapping[Letter, Fraction]) -> bool:
    value = fact.formula.at(point)
    return value is not None and (value > 0 or (value == 0 and fact.relation == "≥"))


def _move(fact: Condition, case: Assumptions, point: Point) -> None:
    """Change one letter so that a formula, linear in it, becomes positive."""
    for letter in fact.formula.symbols:
        if letter in case.values or letter not in point:
            continue
        start, step = (fact.formula.at({**point, letter: Fraction(x)}) for x in (0, 1))
        if start is None or step is None or start == step:
            continue
        slope = step - start
        value = -start / slope + (1 if slope > 0 else -1)
        if value == _allowed(letter, value):
            point[letter] = value
            return
