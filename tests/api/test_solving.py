"""Ways to say which problem, and the bounds that hold meanwhile."""

from __future__ import annotations

import inspect
import pydoc
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from shared.program import run

import attnsolve
from attnsolve.api.pages import CheckedAnswers, Explanation, LintedSheet
from attnsolve.bounds import allowed
from attnsolve.errors import FileProblem, ProblemError, RequestError

SMALL: dict[str, Any] = {"title": "small", "queries": [[1, 0]], "keys": [[1, 0], [0, 2]], "scaling": "none"}


def test_a_path_a_name_a_mapping_and_a_problem_are_solved_alike(tmp_path: Path) -> None:
    path = tmp_path / "small.yaml"
    path.write_text("title: small\nqueries: [[1, 0]]\nkeys: [[1, 0], [0, 2]]\nscaling: none\n", encoding="utf-8")
    ways = [path, str(path), SMALL, attnsolve.problem(SMALL), attnsolve.load(path)]
    assert [attnsolve.solve(way)["scores"].exact_text for way in ways] == [[["1", "0"]]] * len(ways)
    assert attnsolve.solve("causal-mask").title == "A causal mask on four tokens"


def test_importing_is_light_and_classes_come_when_they_are_asked_for() -> None:
    code = """
import sys, attnsolve
assert not {"numpy", "sympy", "flint", "yaml", "dataclasses", "attnsolve.errors"} & set(sys.modules)
with attnsolve.bounds(seconds=60):
    pass
with attnsolve.bounds(seconds=61):
    assert attnsolve.bounds.allowed().seconds == 61
assert issubclass(attnsolve.AttnsolveError, Exception)
assert isinstance(attnsolve.solve("discussion-10-qkv"), attnsolve.Solution)
assert "sympy" not in sys.modules
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'sovle'"):
        attnsolve.sovle  # noqa: B018


def test_a_file_with_several_problems_says_so(tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text("queries: [[1]]\nkeys: [[1]]\n---\nqueries: [[1]]\nkeys: [[2]]\n", encoding="utf-8")
    with pytest.raises(FileProblem, match="it has 2 problems, but one was expected"):
        attnsolve.solve(path)
    assert [attnsolve.solve(problem)["scores"].exact_text for problem in attnsolve.load_all(path)] == [[["1"]], [["2"]]]


def test_the_text_of_a_file_is_not_its_name() -> None:
    with pytest.raises(RequestError, match="text of several lines was found\n    save it as a file"):
        attnsolve.solve("queries: [[1]]\nkeys: [[1]]\n")


@pytest.mark.parametrize(
    "text",
    [
        "queries: [[1, 0]]\nkeys: [[1, 0], [0]]\nsclaing: none\n",
        "given: {scores: [[1, -1]]}\nscaling: none\nsoftmax: sum\n",
        "queries: [[1, 0]\n",
        "",
    ],
)
def test_what_is_wrong_is_said_as_on_the_command_line(text: str, tmp_path: Path) -> None:
    path = tmp_path / "wrong.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(attnsolve.AttnsolveError) as refused:
        attnsolve.solve(path)
    done = run(["solve", str(path)])
    assert (done.code, done.err) == (2, f"{refused.value}\n")


# ── bounds ──────────────────────────────────────────────────────────────────────────────────────


def test_bounds_hold_inside_a_with_and_no_longer() -> None:
    before = allowed()
    with attnsolve.bounds(seconds=60, work=20_000_000):
        assert (allowed().seconds, allowed().work) == (60, 20_000_000)
    assert allowed() == before


def test_work_is_counted_before_it_starts() -> None:
    side = 150
    large = {"queries": [[1] * side] * side, "keys": [[1] * side] * side, "values": [[1] * side] * side}
    with pytest.raises(ProblemError, match=r"as long as [\d,]+ exact multiplications, but 10,000,000 are allowed"):
        attnsolve.solve(large)
    with attnsolve.bounds(work=20), pytest.raises(ProblemError, match="but 20 are allowed"):
        attnsolve.solve(SMALL)
    with attnsolve.bounds(work=100_000_000):
        problem = attnsolve.problem(large)
    with pytest.raises(ProblemError, match="but 10,000,000 are allowed"):
        attnsolve.solve(problem)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"second": 60}, r"bounds\(second=...\): there is no bound 'second'; did you mean seconds\?"),
        ({"nesting": 60}, "nesting is fixed"),
        ({"seconds": 0}, r"bounds\(seconds=0\): a whole number from 1 to .* was expected, as in bounds\(seconds=16\)"),
        ({"seconds": "60"}, "a whole number"),
        ({"seconds": None}, "a whole number"),
        ({"seconds": True}, "a whole number"),
        ({"seconds": 10**13}, "a whole number"),
    ],
)
def test_bounds_that_are_none_are_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(RequestError, match=message):
        attnsolve.bounds(**values)


# ── help ────────────────────────────────────────────────────────────────────────────────────────


def test_help_is_a_page_on_every_function() -> None:
    page = pydoc.plain(pydoc.render_doc(attnsolve))
    assert len(page.splitlines()) < 200
    functions = page.split("\nFUNCTIONS\n")[1]
    for name in ("attention", "bounds", "load", "load_all", "problem", "solve"):
        assert f"\n    {name}(" in f"\n{functions}" or name == "bounds"  # whose module stands there once it is loaded
    assert "CLASSES" not in page


def test_everything_public_says_what_it_is() -> None:
    classes = [getattr(attnsolve, name) for name in attnsolve.__all__ if name[0].isupper()]
    classes += [CheckedAnswers, Explanation, LintedSheet]
    told = [(cls, name) for cls in classes for name in vars(cls) if not name.startswith("_")]
    told = [(cls, name) for cls, name in told if callable(getattr(cls, name)) or isinstance(vars(cls)[name], property)]
    assert len(told) > 20
    assert [(cls.__name__, name) for cls, name in told if not inspect.getdoc(getattr(cls, name))] == []
    shown = [attnsolve.Solution, attnsolve.SolvedQuantity, CheckedAnswers, Explanation, LintedSheet]
    assert [cls.__name__ for cls in shown if ">>> " not in (cls.__doc__ or "")] == []
    functions = [getattr(attnsolve, name) for name in attnsolve.__all__ if name.islower() and name != "bounds"]
    assert [function.__name__ for function in functions if ">>> " not in (function.__doc__ or "")] == []
