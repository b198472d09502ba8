"""The tests mirror the package: whoever knows where something is made knows where it is tested."""

from __future__ import annotations

from pathlib import Path

import attnsolve

PACKAGE = Path(attnsolve.__file__).parent
TESTS = Path(__file__).resolve().parents[1]
CROSS_CUTTING = {
    "whole": "what holds of the program as a whole",
    "hostile": "files, texts and environments that mean harm",
    "fuzz": "files broken at random",
    "recorded": "what every command prints, and what has changed of it",
    "golden": "texts for reviewers",
    "benchmarks": "how long it takes, how much it needs",
    "shared": "oracles, generators and ways to run the program, for several files",
}
"""The folders that are no package's."""


def folders(of: Path) -> set[str]:
    return {path.name for path in of.iterdir() if path.is_dir() and not path.name.startswith(("_", "."))}


def test_every_folder_is_a_package_s_or_has_a_name_of_its_own() -> None:
    assert folders(TESTS) - folders(PACKAGE) == set(CROSS_CUTTING)


def test_the_root_has_the_tests_of_the_modules_at_the_root() -> None:
    tested = {path.stem.removeprefix("test_") for path in TESTS.glob("test_*.py")}
    assert tested - {path.stem for path in PACKAGE.glob("*.py")} == set()


def test_what_is_shared_holds_no_tests() -> None:
    assert [*TESTS.glob("shared/**/test_*.py")] == []
