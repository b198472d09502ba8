"""Matrices that are picked and not left free: permutations, and matrices with orthonormal rows."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

from attnsolve.algebra.table import Element, ElementMatrix

Rows = tuple[tuple[Fraction, ...], ...]

ANGLES = {1: 0, 2: 1, 3: 3}
"""How many numbers it takes to say which rotation, for the sizes whose rotations have a formula."""


def permutation_matrix(order: tuple[int, ...]) -> Rows:
    """The matrix that puts row order[i] in place i."""
    return tuple(tuple(Fraction(int(j == i)) for j in range(len(order))) for i in order)


def rotation(size: int, angles: Sequence[Element], one: Element) -> ElementMatrix:
    """A rotation as a rational function of some numbers: the tangent of half an angle, a quaternion 1 + bi + cj + dk.

    Every rotation is one of these, except for half turns.
    """
    if size == 1:
        return ElementMatrix([[one]])
    if size == 2:
        (t,) = angles
        length = one + t * t
        return ElementMatrix([[one - t * t, t + t], [-t - t, one - t * t]]).each(lambda x: x / length)
    b, c, d = angles
    bb, cc, dd, bc, bd, cd = b * b, c * c, d * d, b * c, b * d, c * d
    length = one + bb + cc + dd
    return ElementMatrix(
        [
            [one + bb - cc - dd, bc + bc - d - d, bd + bd + c + c],
            [bc + bc + d + d, one - bb + cc - dd, cd + cd - b - b],
            [bd + bd - c - c, cd + cd + b + b, one - bb - cc + dd],
        ]
    ).each(lambda x: x / length)


def frames(size: int) -> list[Rows]:
    """Every diagonal matrix of signs: first the identity, then the one that turns the last coordinate round.

    Any orthonormal matrix is one of these after a rotation that is no half turn, or, but for the half turns, after a
    rotation one of the first two.
    """
    diagonals = product((1, -1), repeat=size)
    return [tuple(tuple(Fraction(s * (i == j)) for j in range(size)) for i, s in enumerate(d)) for d in diagonals]


def orthonormal(size: int, rng: random.Random) -> Rows:
    """A rational matrix with exactly orthonormal rows: one or two reflections, I − 2 v vᵀ / vᵀv each."""
    result = ElementMatrix(_reflection(size, rng))
    if rng.random() < 0.5:
        result = result @ ElementMatrix(_reflection(size, rng))
    return tuple(tuple(row) for row in result.rows)


def _reflection(size: int, rng: random.Random) -> list[list[Fraction]]:
    v = [Fraction(rng.choice((-2, -1, 1, 2))) for _ in range(size)]
    length = sum(x * x for x in v)
    return [[Fraction(int(i == j)) - 2 * v[i] * v[j] / length for j in range(size)] for i in range(size)]
