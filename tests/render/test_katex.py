"""Every formula of every page goes through KaTeX itself, in strict mode: every bundled problem in every way, random
ones over all options, reports on answers, traces of cells, and the formulas in JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.drawn import combined, encoder_decoders
from shared.effort import tries
from shared.katex import complaint, complaints, formulas
from shared.worksheets import told, worked
from typer.testing import CliRunner

from attnsolve.cli import app
from attnsolve.contract.json import render as render_json
from attnsolve.document import Document
from attnsolve.errors import UnsolvableError
from attnsolve.loading.files import load_all, parse
from attnsolve.loading.sources import bundled
from attnsolve.narrate.narrated import Narrated
from attnsolve.notation.letters import GREEK
from attnsolve.pipeline import solve
from attnsolve.render.markdown import FLAVOURS, Flavour, render
from attnsolve.solution.solved import Detail, Narration

DETAILS: tuple[Detail, ...] = ("brief", "normal", "full")
MATHS: list[Flavour] = [flavour for flavour in FLAVOURS if flavour != "none"]


def documents(problem: Narrated) -> Iterator[Document]:
    """The answers, the blank sheet, and the steps in every detail."""
    yield problem.to_document()
    yield problem.blank()
    yield from (problem.steps(Narration(detail)) for detail in DETAILS)


MACROS = {
    "begin", "end", "left", "right", "frac", "tfrac", "sqrt", "text", "mathrm", "mathbf", "mathbb", "boldsymbol",
    "top", "hat", "cdot", "times", "pm", "partial", "infty", "sum", "lim", "to", "in", "approx", "neq", "ge", "le",
    "gg", "sim", "propto", "iff", "implies", "cdots", "vdots", "ddots", "ldots", "qquad", "lbrack", "rbrack", "lbrace",
    "rbrace", "lVert", "rVert", "Vert", "vert", "prime", "backslash", "wedge", "surd", "quad", "hline", "odot", "circ",
    *GREEK,
}  # fmt: skip
"""What LaTeX itself knows, with amsmath: a page made for pandoc or for TeX has no other."""


def assert_known_to_latex(page: str, math: Flavour) -> None:
    used = {macro for formula, _ in formulas(page, math) for macro in re.findall(r"\\([A-Za-z]+)", formula)}
    assert used - MACROS == ({"lt", "gt"} & used if math == "github" else set())


def assert_compiles(problem: Narrated, flavours: list[Flavour], shown: Iterable[Document] | None = None) -> None:
    for document in shown or documents(problem):
        pages = {math: render(document, math) for math in flavours}
        for math, page in pages.items():
            assert_known_to_latex(page, math)
        assert [refused for math, page in pages.items() for refused in complaints(page, math)] == []
        assert len({len(formulas(page, math)) for math, page in pages.items() if math != "github"}) <= 1
        steps = json.loads(render_json(problem, document))["steps"]
        assert [f"{latex}: {said}" for step in steps for latex in step["latex"] if (said := complaint(latex))] == []


@pytest.mark.parametrize("name", bundled())
def test_every_formula_of_every_bundled_problem_compiles(name: str) -> None:
    shown = [worked(name).to_document(), worked(name).blank(), *(told(name, detail) for detail in DETAILS)]
    assert any(formulas(render(document), "github") for document in shown)
    assert_compiles(worked(name), MATHS, shown)


@tries(40)
@given(st.one_of(combined(), combined(), combined(), encoder_decoders()), st.sampled_from(MATHS))
def test_every_formula_of_random_problems_compiles(problem: object, math: Flavour) -> None:
    (read,) = parse(problem.yaml(), "problem.yaml")
    try:
        solution = solve(read)
        assert_compiles(solution, [math], [solution.blank(), solution.steps(Narration("full"))])
    except UnsolvableError:
        return


RANDOM_KEYS = (
    "kind: random-keys\nmeans: identity\nvalues: [[1, 0], [0, 1], [1, 1]]\npair: [1, 2]\nqueries: [beta*mu_a]\n"
)
CLAIM = "kind: derivation\ntopic: claim\ngiven: {S: 'matrix(n, n)', x: vector(n)}\nclaim: ['softmax(S)*x', '= x']\n"
HEADS = "inputs: [[1, 0], [0, 1]]\nweights: identity\nheads: 2\nnumbering: 0\nmask: causal\nsoftmax: {base: 3/2}\n"
LIMIT = "inputs: [[beta], [1]]\nweights: identity\nsymbols: {beta: positive}\nlimit: {beta: oo}\n"


@pytest.mark.parametrize("text", [RANDOM_KEYS, CLAIM, HEADS, LIMIT])
def test_every_formula_of_every_kind_compiles(text: str) -> None:
    (problem,) = parse(text, "problem.yaml")
    assert_compiles(solve(problem), MATHS)


ANSWERED = [name for name in bundled() if load_all(name, check=False)[0].answers is not None]


def printed(*command: str) -> str:
    return CliRunner().invoke(app, [*command]).stdout


@pytest.mark.parametrize("name", ANSWERED)
def test_every_formula_of_a_report_compiles(name: str) -> None:
    page = printed("check", name, "--format", "markdown")
    assert formulas(page, "github")
    assert complaints(page, "github") == []


def test_every_formula_of_a_report_on_heads_compiles(tmp_path: Path) -> None:
    answers = tmp_path / "answers.yaml"
    answers.write_text(
        "S'_0: [[1, 2], [3, 4]]\nA_1: [[1, 0], [0.5, 0.5]]\nZ: [[1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6]]\n"
    )
    page = printed("check", "two-heads-thinking-machine", str(answers), "--format", "markdown")
    assert formulas(page, "github")
    assert complaints(page, "github") == []


@pytest.mark.parametrize("math", MATHS)
@pytest.mark.parametrize(
    "cell", ["causal-mask weights[4,2]", "two-heads-thinking-machine output[1,1]", "seq2seq-multiplicative context[2]"]
)
def test_every_formula_of_a_trace_compiles(cell: str, math: Flavour) -> None:
    page = printed("explain", *cell.split(), "--format", "markdown", "--math", math)
    assert formulas(page, math)
    assert complaints(page, math) == []


def test_what_katex_refuses_is_found() -> None:
    """A page with red text in it, in each flavour, is noticed."""
    for page, math in (
        ("```math\ns'_{1}^{2}\n```", "github"),
        ("so $`s^{1}^{2}`$ is", "github"),
        ("$$\n\\foo\n$$", "dollar"),
        ("so $x_1_2$ is", "dollar"),
        ("\\[\n\\frac{1}\n\\]", "latex"),
        ("so \\(é\\) is", "latex"),
    ):
        assert len(complaints(page, math)) == 1
