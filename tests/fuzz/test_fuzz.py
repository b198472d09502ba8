"""A short search for inputs that break what the command line promises; `long.py` is the long one.

Each seed is an input; one that once broke something stands as a test of its own beside what it broke.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from shared.lettered import lettered
from shared.mutate import corpus, mutated
from shared.program import VARIANTS, held
from shared.structured import changed, changed_tree, read, written

from attnsolve.bounds import changed as limited

FILES = corpus()


@pytest.mark.parametrize("variant", VARIANTS)
def test_mutated_bytes_break_no_promise(variant: str, tmp_path: Path) -> None:
    for seed in range(2):
        data = mutated(random.Random(f"{variant} {seed}"), FILES)
        with limited(seconds=1):
            assert held(variant, data, tmp_path / "input.yaml") == "", data


@settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(
    variant=st.sampled_from(list(VARIANTS)),
    base=st.sampled_from(range(len(FILES))),
    chance=st.randoms(use_true_random=False),
    times=st.integers(1, 4),
)
def test_changed_trees_break_no_promise(
    variant: str, base: int, chance: random.Random, times: int, tmp_path: Path
) -> None:
    tree = read(FILES[base])
    for _ in range(times):
        tree = changed(chance, tree)
    data = written(tree).encode("utf-8", "surrogatepass")
    with limited(seconds=1):
        assert held(variant, data, tmp_path / "input.yaml") == "", data


@pytest.mark.parametrize("variant", [variant for variant, words in VARIANTS.items() if "PROBLEM" in words])
def test_letters_beside_any_option_break_no_promise(variant: str, tmp_path: Path) -> None:
    for seed in range(16):
        data = lettered(random.Random(f"{variant} {seed}"))
        with limited(seconds=1):
            assert held(variant, data, tmp_path / "input.yaml") == "", data


@pytest.mark.parametrize("variant", [*VARIANTS][::4])
def test_the_corpus_itself_is_sound(variant: str, tmp_path: Path) -> None:
    data = FILES[len(variant) % len(FILES)]
    assert held(variant, data, tmp_path / "input.yaml") == ""


def test_an_input_is_told_by_its_seed() -> None:
    for make in (mutated, changed_tree):
        assert make(random.Random("7"), FILES) == make(random.Random("7"), FILES)
    assert lettered(random.Random("7")) == lettered(random.Random("7"))
