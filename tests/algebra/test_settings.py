"""The settings of a claim: in the complete ones nothing is left out, and what is picked is what it should be."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from attnsolve.algebra.declarations import Declarations
from attnsolve.algebra.declared import Declared, Free, Index, Orthonormal, Permutation, Setting, Unknown, WholeNumber
from attnsolve.algebra.grammar import parse_claim, parse_term
from attnsolve.algebra.matrices import ANGLES, frames, orthonormal, permutation_matrix, rotation
from attnsolve.algebra.points import LARGEST, SPECIAL, anywhere, plain, special
from attnsolve.algebra.verify import Claim, Verifier
from attnsolve.notation import Sym

N, THREE = parse_term("n"), parse_term("3")
HALF = Fraction(1, 2)


def settings(**names: Declared) -> tuple[list[Setting], list[Setting]]:
    declared = Declarations(names)
    return list(declared.settings()), list(declared.large_settings())


def test_every_permutation_of_up_to_three_rows_is_taken_and_larger_ones_are_sampled() -> None:
    complete, sampled = settings(n=WholeNumber(), P=Permutation(N))
    for size in (1, 2, 3):
        taken = {setting.selected["P"] for setting in complete if setting.places["n"] == size}
        assert taken == {permutation_matrix(order) for order in permutations(range(size))}
    assert {setting.places["n"] for setting in sampled} >= {4, 5, 6}


def test_every_way_to_place_the_indices_is_taken() -> None:
    complete, _ = settings(i=Index(THREE), j=Index(THREE, ("i",)))
    places = [(setting.places["i"], setting.places["j"]) for setting in complete]
    assert sorted(places) == [(i, j) for i in (1, 2, 3) for j in (1, 2, 3) if i != j]


def test_indices_that_can_not_differ_leave_no_setting() -> None:
    complete, sampled = settings(i=Index(parse_term("1")), j=Index(parse_term("1"), ("i",)))
    assert complete == sampled == []


def test_an_orthonormal_matrix_is_complete_with_rotations_and_mirrored_ones() -> None:
    names = Declarations({"K": Orthonormal(THREE)})
    for setting in names.settings():
        point = plain(names.letters(setting), random.Random(5))
        matrix = np.array(names.values(setting, point)["K"], dtype=float)
        np.testing.assert_allclose(matrix @ matrix.T, np.eye(3), atol=1e-12)
    signs = {round(np.linalg.det(np.array(setting.selected["K"], dtype=float))) for setting in names.settings()}
    assert signs == {1, -1}


@pytest.mark.parametrize("size", ANGLES)
def test_every_half_turn_is_a_rotation_that_is_none_times_a_frame(size: int) -> None:
    """A rotation has a formula if −1 is none of its eigenvalues."""
    rng = random.Random(3)
    turned = [np.array(frame, dtype=float) for frame in frames(size)]
    found = [*turned, *(np.array(orthonormal(size, rng), dtype=float) for _ in range(20))]
    for matrix in (sign * each for each in found for sign in (1, -1)):
        rotations = [matrix @ frame for frame in turned if np.linalg.det(matrix @ frame) > 0]
        assert any(abs(np.linalg.det(rotation + np.eye(size))) > 1e-9 for rotation in rotations)


def test_what_needs_too_many_symbols_or_options_is_only_sampled() -> None:
    many = {f"P_{i}": Permutation(THREE) for i in range(3)}
    assert settings(**many)[0] == []
    assert len(settings(**many)[1]) == 36
    wide: dict[str, Declared] = {f"X_{i}": Free(parse_term("6"), parse_term("6")) for i in range(4)}
    assert settings(**wide)[0] == []
    assert len(settings(**wide)[1]) == 1


def test_sizes_start_at_their_least_value() -> None:
    complete, large = settings(n=WholeNumber(4), x=Unknown())
    assert [setting.places["n"] for setting in complete] == [4, 5, 6, 7]
    assert [setting.places["n"] for setting in large] == [8, 9]


@pytest.mark.parametrize("t", [Fraction(0), HALF, Fraction(-3), Fraction(7, 5)])
def test_a_rotation_of_the_plane_turns_by_twice_the_angle_of_its_tangent(t: Fraction) -> None:
    angle = 2 * np.arctan(float(t))
    expected = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    np.testing.assert_allclose(np.array(rotation(2, [t], Fraction(1)).rows, dtype=float), expected, atol=1e-12)


@pytest.mark.parametrize("axis", [(1, 0, 0), (0, HALF, 0), (1, -2, 3), (HALF, HALF, -HALF)])
def test_a_rotation_of_space_obeys_rodrigues(axis: tuple[Fraction, ...]) -> None:
    vector = np.array(axis, dtype=float)
    length = np.linalg.norm(vector)
    angle, (x, y, z) = 2 * np.arctan(length), vector / length
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    expected = np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross
    found = rotation(3, [Fraction(k) for k in axis], Fraction(1))
    np.testing.assert_allclose(np.array(found.rows, dtype=float), expected, atol=1e-12)


def test_drawn_orthonormal_matrices_are_so_exactly_and_of_both_signs() -> None:
    rng = random.Random(3)
    signs = set()
    for _ in range(12):
        rows = orthonormal(4, rng)
        assert [[sum(a * b for a, b in zip(p, q, strict=True)) for q in rows] for p in rows] == np.eye(4).tolist()
        signs.add(round(np.linalg.det(np.array(rows, dtype=float))))
    assert signs == {1, -1}


@pytest.mark.parametrize(("assumption", "least"), [("positive", Fraction(1, LARGEST)), ("nonnegative", Fraction(0))])
def test_points_keep_the_sign_of_a_letter(assumption: str, least: Fraction) -> None:
    names = Declarations({"x": Unknown(assumption), "y": Unknown()})
    (setting,) = names.settings()
    rng = random.Random(0)
    letters = names.letters(setting)
    points = [draw(letters, rng) for draw in (plain, anywhere) for _ in range(50)]
    points += [special(letters, number) for number in range(SPECIAL)]
    values = [{symbol.name: value for symbol, value in point.items()} for point in points]
    assert min(value["x"] for value in values) >= least
    assert any(value["x"] == value["y"] for value in values)
    assert min(value["y"] for value in values) < -20
    assert max(value["y"] for value in values) > 20


def test_a_matrix_with_a_single_row_is_a_matrix_where_it_says_so() -> None:
    one, three = parse_term("1"), parse_term("3")
    for is_matrix, first in ((True, "X[1]^T*X[1]"), (False, "X[1]^2 + X[2]^2 + X[3]^2")):
        names = Declarations({"X": Free(one, three, is_matrix=is_matrix)})
        assert Verifier(names).verify(Claim(*parse_claim(f"{first} = X*X^T"))).status == "proved"
        assert names.write["X"] == Sym("X", vector=not is_matrix)
