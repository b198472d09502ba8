"""The published schema says what the reader accepts."""

import json
from importlib import import_module

import jsonschema
import pytest
import yaml

from attnsolve.contract.problem_schema import schema
from attnsolve.errors import ProblemError
from attnsolve.loading.files import KINDS, parse
from attnsolve.loading.sources import bundled
from attnsolve.pipeline import solve
from attnsolve.spec.header import HEADER
from attnsolve.spec.starters import STARTERS

VALIDATOR = jsonschema.Draft202012Validator(schema())


def test_it_is_a_valid_schema_that_can_be_printed() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    assert json.loads(json.dumps(schema())) == schema()


@pytest.mark.parametrize("kind", KINDS)
def test_every_key_is_described(kind: str) -> None:
    properties = schema()["$defs"][kind]["properties"]
    module = import_module(KINDS[kind])
    assert set(properties) == {*HEADER} - {*module.UNUSED} | {*module.KEYS}
    assert all(entry["description"] for entry in properties.values())


@pytest.mark.parametrize("path", bundled().values(), ids=lambda path: path.stem)
def test_every_bundled_problem_is_valid(path: object) -> None:
    for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
        VALIDATOR.validate(document)


def test_drawn_matrices_are_valid() -> None:
    drawn = {"numbers": "float", "inputs": {"random": [9, 2], "seed": 1, "scale": "1/2"}, "weights": "identity"}
    VALIDATOR.validate(drawn)
    assert not VALIDATOR.is_valid({**drawn, "inputs": {"random": [9, 2, 1]}})
    assert not VALIDATOR.is_valid({**drawn, "numbers": "many"})


@pytest.mark.parametrize("kind", STARTERS)
def test_every_starter_is_valid_and_can_be_solved(kind: str) -> None:
    VALIDATOR.validate(yaml.safe_load(STARTERS[kind]))
    (problem,) = parse(STARTERS[kind], "new.yaml")
    assert problem.kind == kind
    assert [part.letter for part in problem.parts] == ["a", "b", "c"]
    assert "(c)" in solve(problem).to_markdown()


def test_every_kind_has_a_starter() -> None:
    assert list(STARTERS) == list(KINDS)


@pytest.mark.parametrize(
    "text",
    [
        "wieghts: identity",
        "inputs: 5",
        "layout: diagonal",
        "heads: 0",
        "numbering: 2",
        "digits: many",
        "weights: {W_X: [[1]]}",
        "parts: {a: {text: Think.}}",
        "parts: {a: {find: scroes}}",
        "rounding: {when: shown}",
        "notation: {scroes: z}",
        "given: {scroes: [[1]]}",
        "kind: sequence",
        "{kind: seq2seq, inputs: [[1]]}",
        "{kind: attention, states: [[1]]}",
        "{kind: seq2seq, score: dott}",
        "{kind: seq2seq, weights: {W_Q: [[1]]}}",
        "{kind: seq2seq, given: {hidden: [[1]]}}",
        "{kind: seq2seq, parts: {a: {find: queries}}}",
        "{kind: seq2seq, parts: {a: {show: scores-are-dot-products}}}",
        "rounding: {places: {wieghts: 2}, when: each-step}",
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(text: str) -> None:
    assert not VALIDATOR.is_valid(yaml.safe_load(text))
    with pytest.raises(ProblemError):
        parse(text, "p.yaml")


@pytest.mark.parametrize(
    "text",
    [
        "{X: [[1]], W_Q: [[1]], Wk: [[1]], w_v: [[1]], WO: [[1]], b_o: [1]}",
        "{Q: [[1]], K: [[1]], V: [[1]], parts: {a: {find: [softmax, S]}, b: attention weights, c: attention_scores}}",
        "{S: [[1]], scaling: none, exact: [A], rounding: {places: {A: 2}, when: each-step}, tolerance: {A: {abs: 1}}}",
        "{given: {attention_weights: [[1]], V: [[1]]}, notation: {A: P}}",
        "{inputs: {queries: [[1]], K: [[1]], values: [[1]]}, weights: {Wq: [[1]], WK: [[1]], W_V: [[1]]}}",
        "{kind: seq2seq, H: [[1, 0]], s_t: [1, 0], score: general, W: identity, Wc: identity}",
        "{kind: seq2seq, H: [[1, 0]], alpha: [1], parts: {a: {find: context vector}}}",
        "{S: [[1]], V: [[1]], scaling: none, given: {W: [[2]]}, formulas: {Y: C*W}, parts: {a: {find: [C, Y]}}}",
    ],
)
def test_what_the_reader_understands_the_schema_accepts(text: str) -> None:
    assert parse(text, "p.yaml")
    VALIDATOR.validate(yaml.safe_load(text))
