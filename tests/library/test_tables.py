"""What the tables of steps promise, whoever edits a row."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from attnsolve.graph import Graph
from attnsolve.key import Key
from attnsolve.kinds.builder import operation
from attnsolve.kinds.unused import reasons
from attnsolve.language.syntax import CallNode, Node
from attnsolve.library import Library, Step, names_in, parts
from attnsolve.library.attention import ATTENTION
from attnsolve.library.seq2seq import SEQ2SEQ
from attnsolve.loading import files as loader
from attnsolve.notation.text import ASCII, TextPrinter
from attnsolve.operations.formula import Formula

LIBRARIES = {"attention": ATTENTION, "seq2seq": SEQ2SEQ}
NUMBERS = {"d_k", "d", "scaling", "heads", "steps", "t"}
"""Sizes, settings and indices, which are not rows."""
PUBLIC = {
    "attention": "inputs queries keys values scores scaled masked weights context concat output",
    "seq2seq": "states state scores weights context joined",
}

every_library = pytest.mark.parametrize("library", LIBRARIES.values(), ids=LIBRARIES)


@every_library
def test_a_formula_reads_what_stands_above_it(library: Library) -> None:
    for step in filter(lambda step: step.formula, library.steps):
        letters = {parameter.letter or id for id, parameter in library.parameters.items()}
        unknown = {name for name in names_in(step.tree) if not library.before(step, name)} - letters - NUMBERS
        assert not unknown, f"{step.id}: {unknown}"


@every_library
def test_the_functions_of_a_table_are_operations_that_its_formulas_use(library: Library) -> None:
    called = {name for step in library.steps if step.formula for name in calls(step.tree)}
    for name, path in library.functions.items():
        found = operation(path)
        assert isinstance(found, type)
        assert issubclass(found, Formula)
        assert name in called


def calls(node: Node) -> Iterator[str]:
    if isinstance(node, CallNode):
        yield node.name
    for part in parts(node):
        yield from calls(part)


@every_library
def test_every_step_that_is_made_says_what_it_is_called_and_why_it_is_done(library: Library) -> None:
    assert all(step.title for step in library.steps)
    assert [step.id for step in library.steps if step.formula and not step.why.endswith(".")] == []


@every_library
def test_every_parameter_is_used(library: Library) -> None:
    assert {name for id in library.ids for name in library.parameters_of(id)} == set(library.parameters)


@pytest.mark.parametrize("kind", PUBLIC)
def test_public_ids_stay(kind: str) -> None:
    assert set(PUBLIC[kind].split()) <= set(LIBRARIES[kind].ids)


def formulas(text: str) -> dict[str, str]:
    (problem,) = loader.parse(text, "sheet.yaml")
    graph: Graph = problem.graph
    printer = TextPrinter(ASCII)
    return {q.key.id: printer.print(q.formula.notation(graph.letter)) for q in graph if not q.given}


HEAD = "queries: [[1, 0]]\nkeys: [[1, 2], [0, 1]]\nvalues: [[1], [2]]\n"


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("", {"scaled": "S/sqrt(d_k)", "weights": "softmax(S')"}),
        ("scaling: none\n", {"weights": "softmax(S)"}),
        ("mask: [[1, 0]]\n", {"scaled": "S/sqrt(d_k)", "masked": "S' + M", "weights": "softmax(S'')"}),
        ("mask: [[1, 0]]\nscaling: none\n", {"masked": "S + M", "weights": "softmax(S')"}),
        ("scaling: 3\n", {"scaled": "S/3", "weights": "softmax(S')"}),
    ],
)
def test_scores_are_taken_as_the_last_row_above_has_left_them(options: str, expected: dict[str, str]) -> None:
    found = formulas(HEAD + options)
    assert found | expected == found
    assert ("masked" in found, "scaled" in found) == ("masked" in expected, "scaled" in expected)


def test_a_parameter_that_is_left_out_drops_out_with_its_operation() -> None:
    plain = "inputs: [[1, 2]]\nweights: {W_Q: [[1], [0]], W_K: [[1], [1]], W_V: [[1], [2]]"
    assert formulas(f"{plain}}}\n")["queries"] == "X W_Q"
    assert formulas(f"{plain}, b_Q: [3]}}\n")["queries"] == "X W_Q + b_Q"
    assert formulas("inputs: [[1, 2]]\nweights: identity\n")["queries"] == "X"


def test_of_several_sources_the_first_that_is_given_is_taken() -> None:
    weights = "weights: {W_Q: identity, W_K: identity, W_V: identity}\n"
    assert formulas(f"inputs: [[1, 2]]\nmemory: [[3, 4]]\n{weights}")["keys"] == "Y W_K"
    assert formulas(f"inputs: {{queries: [[1, 2]], keys: [[3, 4]], values: [[0, 1]]}}\n{weights}")["keys"] == "X_K W_K"


def test_a_parameter_stands_right_before_what_first_reads_it() -> None:
    (problem,) = loader.parse("states: [[1, 0]]\nstate: [[1], [2]]\nkind: seq2seq\nscore: additive\nweights: "
                              "{W_1: [[1, 1]], W_2: [[2]], v: [1]}\n", "sheet.yaml")  # fmt: skip
    keys = [*problem.graph.quantities]
    assert keys.index(Key("v")) + 1 == keys.index(Key("scores"))
    assert keys.index(Key("W_2")) + 1 == keys.index(Key("projected_state"))


def test_a_step_feeds_the_next_that_is_made_from_it() -> None:
    feeds = ATTENTION.feeds()
    assert feeds["scores"] == ("scaled",)
    assert feeds["scaled"] == ("masked",)
    assert feeds["W_Q"] == ("queries",)
    assert ATTENTION.feeds({"key_inputs", "value_inputs"})["memory"] == ("key_inputs", "value_inputs")


def test_rows_of_one_quantity_do_not_read_each_other() -> None:
    first, second = ATTENTION.rows("scaled")
    assert [step.id for step in ATTENTION.before(second, "S")] == ["scores"]
    assert isinstance(first, Step)


def test_a_key_that_steps_depend_on_has_something_to_be_said_where_it_is_never_used() -> None:
    """Words of its own, or those of the step: a new row needs no other place to be heard of."""
    table = Library(
        steps=(Step("biased", "S'", "queries × keys", "S + B", when="positions: alibi", title="Biased scores"),),
        parameters=(), lacking={}, peers=(), mistaken={}, functions={},
    )  # fmt: skip
    assert dict(reasons(table)) == {"positions": "no biased scores are made on the way to the result"}
    assert dict(reasons(ATTENTION))["mask"] == "no scores are masked on the way to the result"
