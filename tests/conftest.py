"""What the tests share: a problem from text, and golden files that `pytest --golden` writes anew."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from attnsolve.solution import Solution, solve
from attnsolve.spec.load import parse

settings.register_profile("ordinary", derandomize="ATTNSOLVE_EXAMPLES" not in os.environ)
settings.load_profile("ordinary")
"""An ordinary run tries the same examples every time; what is new is found by the long ones, which draw others."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", action="store_true", help="write the golden files anew, for a look at the diff")


@pytest.fixture
def solved() -> Callable[[str], Solution]:
    """Solve the one problem of a YAML text."""

    def from_text(text: str) -> Solution:
        (problem,) = parse(text, "problem.yaml")
        return solve(problem)

    return from_text


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Callable[[str, str], None]:
    """Compare text with a golden file: layout only, never the source of a number."""

    def compare(name: str, text: str) -> None:
        path = Path(__file__).parent / "golden" / name
        if request.config.getoption("--golden"):
            path.write_text(text, encoding="utf-8")
        assert text == path.read_text(encoding="utf-8")

    return compare
