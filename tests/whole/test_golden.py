"""The look of every bundled problem, as files that a reviewer can read."""

from collections.abc import Callable

import pytest
from rich.cells import cell_len
from shared.each import each, pairs
from shared.worksheets import told

from attnsolve.loading.files import load_one
from attnsolve.loading.sources import bundled
from attnsolve.narrate.steps import narrate
from attnsolve.pipeline import solve
from attnsolve.render.text import render
from attnsolve.solution.solved import Narration

Golden = Callable[[str, str], None]


@pytest.mark.parametrize("name", bundled())
def test_each_bundled_problem_looks_as_it_did(name: str, golden: Golden) -> None:
    golden(f"{name}.txt", render(told(name), hints=True))


def test_full_detail_on_a_narrow_page(golden: Golden) -> None:
    solution = solve(load_one("causal-mask"))
    golden("causal-mask.full-60.txt", render(narrate(solution, Narration(detail="full")), width=60, hints=True))


def test_brief_in_ascii(golden: Golden) -> None:
    solution = solve(load_one("self-attention-q1"))
    golden(
        "self-attention-q1.brief-ascii.txt",
        render(narrate(solution, Narration(detail="brief")), unicode=False, hints=True),
    )


@pytest.mark.parametrize("name", bundled())
@each("width, unicode", pairs([40, 60, 80, 200], [True, False]))
def test_no_line_is_wider_than_the_page(name: str, width: int, unicode: bool) -> None:
    text = render(told(name, "full"), width, unicode)
    assert max(map(cell_len, text.splitlines())) <= width
    if not unicode:
        text.encode("ascii")
