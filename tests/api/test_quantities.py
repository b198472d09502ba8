"""How quantities show themselves, at a prompt and in a notebook; and their numbers in every form."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest
from shared.katex import complaint, complaints

import attnsolve
from attnsolve.bounds import changed
from attnsolve.errors import RequestError

NASTY = {
    "tokens": ["<script>alert(1)</script>", "a & b", "it's"],
    "inputs": [[1, 0], [0, 1], [1, 1]],
    "weights": "identity",
}


class Tree(HTMLParser):
    """The tags and the words of some HTML; every tag must be closed in turn."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append(tag)
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words += [data] if data.strip() else []


def test_a_prompt_shows_the_matrix() -> None:
    shown = """\
       the     cat     sat     down
    ⎡1        0       0       0     ⎤ the   █▁▁▁
A ≈ ⎢0.1956   0.8044  0       0     ⎥ cat   ▂▇▁▁
    ⎢0.03808  0.3177  0.6443  0     ⎥ sat   ▁▃▆▁
    ⎣0.1406   0.1406  0.5783  0.1406⎦ down  ▂▂▅▂"""
    assert repr(attnsolve.solve("causal-mask")["weights"]) == shown


def test_a_notebook_gets_a_table_with_every_text_escaped() -> None:
    weights = attnsolve.solve(NASTY)["weights"]
    page = weights._repr_html_()
    tree = Tree(page)
    assert {*tree.tags} == {"div", "table", "tr", "th", "td"}
    assert tree.tags.count("td") == 9
    assert [word for word in tree.words if word in NASTY["tokens"]] == [*NASTY["tokens"]] * 2
    entries = re.findall(r"<td[^>]*>([^<]*)</td>", page)
    np.testing.assert_allclose(np.array(entries, dtype=float).reshape(3, 3), weights.array, rtol=1e-3)


@pytest.mark.parametrize("name", ["causal-mask", "two-heads-thinking-machine", "seq2seq-dot", "discussion-10-scaling"])
def test_every_quantity_is_mathematics_that_katex_takes(name: str) -> None:
    solution = attnsolve.solve(name)
    heads = [q.key.head for q in solution.problem.graph]
    for quantity in [*solution]:
        try:
            found = solution[quantity]
        except RequestError:
            found = solution[quantity, next(head for head in heads if head)]
        latex = found._repr_latex_()
        if latex is not None:
            assert complaint(latex.removeprefix("$").removesuffix("$")) == ""
        assert complaints(found._repr_markdown_(), "dollar") == []
        Tree(found._repr_html_())
        assert repr(found)


def test_a_large_matrix_is_shown_by_its_corners() -> None:
    numbers = np.arange(4000.0).reshape(100, 40) / 4000
    shown = attnsolve.attention(numbers, numbers)["weights"]
    assert "⋮" in repr(shown)
    assert "⋮" in shown._repr_html_()
    assert len(shown._repr_html_()) < 20_000


def test_what_goes_wrong_is_shown_and_not_raised() -> None:
    solution = attnsolve.solve("causal-mask")
    weights = solution["weights"]
    with changed(seconds=0):
        for shown in (repr(weights), weights._repr_html_(), weights._repr_markdown_(), solution._repr_markdown_()):
            assert "gave up after 0 seconds" in shown


def test_a_quantity_is_an_array_for_numpy() -> None:
    weights = attnsolve.solve("causal-mask")["weights"]
    np.testing.assert_array_equal(np.asarray(weights), weights.array)
    assert np.asarray(weights, dtype=np.float32).dtype == np.float32
    np.testing.assert_allclose(np.array(weights).sum(axis=1), 1)


def test_a_result_of_a_derivation_has_no_shape() -> None:
    derivation = attnsolve.solve("discussion-10-scaling")
    variance = derivation["variance"]
    assert (variance.shape, variance.decimals(), variance.head) == ((), None, None)
    assert variance.exact_text == "2*D_k*mu**2*sigma**2 + D_k*sigma**4"
    assert repr(variance) == "Var(qᵀ k) = 2Dₖ μ² σ² + Dₖ σ⁴"
    with pytest.raises(RequestError, match="variance is a formula and has no numbers"):
        variance.array  # noqa: B018
    with pytest.raises(RequestError, match="there is no result 'varience': did you mean variance"):
        derivation["varience"]


@pytest.mark.parametrize("digits", [0, 201, -1, "6", 2.0, True, [6]])
def test_digits_that_cannot_be_are_refused(digits: Any) -> None:
    for solution in (attnsolve.solve("causal-mask"), attnsolve.attention(np.eye(80), np.eye(80))):
        with pytest.raises(RequestError, match="a whole number from 1 to 200"):
            solution["scores"].decimals(digits)
