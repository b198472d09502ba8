"""The short way from a file to its documents is the way that everything else goes."""

from __future__ import annotations

import pytest

from attnsolve.loading.files import load_all
from attnsolve.pipeline import pipeline, solve


@pytest.mark.parametrize("name", ["causal-mask", "assignment-2-copying"])
def test_a_file_becomes_its_documents(name: str) -> None:
    assert list(pipeline(name)) == [solve(problem).to_document() for problem in load_all(name)]
