"""`kind: seq2seq`: what its keys may say, and what is said of them when they can't be."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.errors import Fault, ProblemError
from attnsolve.loading.files import parse
from attnsolve.spec.problem import Problem
from attnsolve.spec.seq2seq import MEANT, SCORES

Read = Callable[[str], Problem]
OneFault = Callable[[str], Fault]

STATES = "kind: seq2seq\nstates: [[1, 0, 2, 1], [1, 1, 0, 3]]\n"
BASE = STATES + "state: [1, 2, 3, 4]\n"


def test_the_least_one_can_say(problem: Read) -> None:
    body = problem(BASE).body
    assert (body.score, body.vectors, body.flat) == ("dot", "columns", True)
    assert body.sizes["states"] == 2
    assert body.sizes["width"] == 4


def test_rows_are_decoder_steps_even_if_there_is_one(problem: Read) -> None:
    assert not problem(STATES + "state: [[1, 2, 3, 4]]\n").body.flat


def test_identities_get_their_size(problem: Read) -> None:
    body = problem(STATES + "state: [1, 2]\nscore: additive\nweights: {W_1: [[1, 1, 1, 1], [0, 0, 0, 0]],"
                   " W_2: identity, v: [[1], [2]], W_c: identity}\n").body  # fmt: skip
    assert body.weights["W_2"].shape == (2, 2)
    assert body.weights["W_c"].shape == (6, 6)
    assert body.weights["v"].rows == ((1, 2),)


def test_with_scores_given_the_widths_need_not_match(problem: Read) -> None:
    assert problem(STATES + "state: [1, 2]\ngiven: {scores: [1, -inf]}\n").body.sizes["joined"] == 6


@pytest.mark.parametrize("given", ["scores: [1, 2]", "scaled: [1, 2]", "weights: [1/2, 1/2]"])
def test_one_can_start_anywhere(problem: Read, given: str) -> None:
    assert problem(STATES + f"given: {{{given}}}\n").body.flat
    assert problem("kind: seq2seq\nstate: [1, 2]\ngiven: {context: [1, 2, 3, 4]}\n").body.flat


def test_projected_states_stand_for_their_matrix(problem: Read) -> None:
    assert problem(BASE + "score: general\ngiven: {projected: [[1, 2, 3, 4], [5, 6, 7, 8]]}\n")
    given = "given: {projected: [[1], [2]]}\nweights: {W_2: [[1, 1, 1, 1]], v: [1]}\n"
    assert problem(BASE + "score: additive\n" + given)


@pytest.mark.parametrize(
    ("text", "place", "message", "fix"),
    [
        (BASE + "score: dott\n", (4, 8), "score must be dot or scaled-dot or general", "did you mean dot?"),
        (BASE + "score: [dot]\n", (4, 8), "but a list was found", ""),
        (BASE + "score: general\n", (4, 8), "score: general needs W", "add weights: {W: [[...]]}"),
        (
            BASE + "score: concat\nweights: {W: [[1, 2, 3, 4, 5, 6, 7, 8]]}\n",
            (5, 10),
            "score: concat needs v",
            "add weights: {v: [...]}",
        ),
        (
            BASE + "score: general\nweights: {W: [[1, 2, 3, 4], [1, 2, 3, 4], [1, 2, 3, 4]]}\n",
            (5, 14),
            "W has 3 rows but the state has 4 entries",
            "transposed? write W: {matrix: ..., transposed: true}",
        ),
        (
            BASE + "score: location\nweights: {W: [[1, 2, 3, 4]]}\n",
            (5, 14),
            "W has 1 row but the states have 2 rows",
            "expected 2; is a row missing or one too many?",
        ),
        (
            BASE + "score: additive\nweights: {W_1: identity, W_2: identity, v: [1, 2]}\n",
            (5, 44),
            "v has 2 entries but W_1 has 4 rows",
            "expected 4; is a number missing or one too many?",
        ),
        (
            BASE + "score: additive\nweights: {W_1: identity, W_2: identity, v: identity}\n",
            (5, 44),
            "v must be one list of numbers, but a matrix was found",
            "",
        ),
        (
            BASE + "score: concat\nweights: {W: [[1, 2, 3]], v: [1]}\n",
            (5, 14),
            "W has 3 columns but an encoder state and the state together have 8 entries",
            "expected 8",
        ),
        (
            BASE + "weights: {W_c: [[1, 2, 3]]}\n",
            (4, 16),
            "W_c has 3 columns but context and state together have 8 entries",
            "expected 8",
        ),
        (STATES + "state: [1, 2, 3]\n", (3, 8), "the state has 3 entries but the states have 4 columns", "expected 4"),
        (
            STATES + "state: [1, 2, 3]\nscore: cosine\n",
            (3, 8),
            "the state has 3 entries but the states have 4 columns",
            "expected 4",
        ),
        (
            BASE + "score: general\nweights: {W: identity, v: [1, 2]}\n",
            (5, 24),
            "unknown key 'v' in weights",
            "score: general takes no v; it is for score: additive or concat",
        ),
        (BASE + "weights: {W_cc: identity}\n", (4, 11), "unknown key 'W_cc' in weights", "did you mean W_c?"),
        (BASE + "W_2: identity\n", (4, 1), "unknown key 'W_2' in weights", "score: dot takes no W_2"),
        (BASE + "weights: [[1, 2]]\n", (4, 10), "weights must be a mapping", "go under given: {weights: ...}"),
        (STATES, (1, 1), "there is no state", "add state: [...]"),
        (STATES + "state: identity\n", (3, 8), "state can't be an identity", "write it out"),
        (BASE + "given: {hidden: [[1]]}\n", (4, 9), "unknown key 'hidden' in given", "it is always computed"),
        (BASE + "given: {state: [1, 2, 3, 4]}\n", (4, 9), "state is given twice", "keep one of the two"),
        (BASE + "given: [1]\n", (4, 8), "given must be a mapping", ""),
        (
            BASE + "given: {projected: [[1], [2]]}\n",
            (4, 9),
            "projected is given, but score: dot does not use it",
            "it is for score: general or additive",
        ),
        (STATES + "given: {scores: [1, 2, 3]}\n", (3, 17), "the scores have 3 entries but the states have 2 rows", ""),
        (
            "kind: seq2seq\ngiven: {scores: [1, 2]}\nweights: {W_c: [[1]]}\n",
            (3, 16),
            "W_c is given, but there is no state and context",
            "add states",
        ),
        (
            "kind: seq2seq\nscore: scaled-dot\ngiven: {scores: [1, 2]}\n",
            (1, 1),
            "divides by sqrt(d), but d is unknown",
            "given: {scaled: [...]}",
        ),
        (
            BASE + "tokens: [a, b, c]\n",
            (4, 9),
            "tokens has 3 names but the states have 2 rows",
            "write one name per state",
        ),
        (
            BASE + "steps: [a, b]\n",
            (4, 8),
            "steps has 2 names but the state has 1 row",
            "write one name per decoder step",
        ),
        (BASE + "steps: ['']\n", (4, 9), "a step's name is empty", ""),
        (BASE + "vectors: up\n", (4, 10), "vectors must be rows or columns", ""),
        (BASE + "layout: columns\n", (4, 1), "unknown key 'layout'", ""),
        (BASE + "notation: {scores: s_t}\n", (1, 1), "state and scores would both be written sₜ", "another letter"),
        (BASE + "notation: {queries: q}\n", (4, 12), "notation names 'queries', which is not a quantity", ""),
        (BASE + "parts: {a: {find: queries}}\n", (4, 19), "part a asks for 'queries'", "known: states, state"),
        (
            BASE + "parts: {a: {show: scores-are-dot-products}}\n",
            (4, 19),
            "part a asks for a proof, but this kind of problem has no proofs",
            "use find: instead",
        ),
        (
            BASE + "rounding: {places: {weights: 2}}\n",
            (4, 20),
            "places for single quantities need results that are rounded at each step",
            "add when: each-step",
        ),
        (
            BASE + "rounding: {places: {wieghts: 2}, when: each-step}\n",
            (4, 21),
            "unknown key 'wieghts' in places",
            "did you mean weights?",
        ),
    ],
)
def test_what_is_wrong_is_said_once_with_its_place_and_fix(
    fault: OneFault, text: str, place: tuple[int, int], message: str, fix: str
) -> None:
    found = fault(text)
    assert (found.at, fix in found.fix) == (place, True), found
    assert message in found.message


@pytest.mark.parametrize(("word", "score"), MEANT.items())
def test_other_names_of_a_score_lead_to_it(fault: OneFault, word: str, score: str) -> None:
    assert score in SCORES
    assert fault(BASE + f"score: {word.title()}\n").fix == f"did you mean {score}?"


def test_everything_missing_is_said_at_once(faults: Callable[[str], tuple[Fault, ...]]) -> None:
    said = [found.message for found in faults("kind: seq2seq\nscore: additive\n")]
    assert said == [
        "there are no states",
        "there is no state",
        "score: additive needs W_1",
        "score: additive needs W_2",
        "score: additive needs v",
    ]


def test_a_misspelled_score_is_one_fault_whatever_weights_stand_with_it() -> None:
    weights = "weights: {W_1: identity, W_2: identity, v: [1, 2]}\n"
    text = f"kind: seq2seq\nstates: [[1, 0]]\nstate: [1, 1]\nscore: additve\n{weights}"
    with pytest.raises(ProblemError) as caught:
        parse(text, "p.yaml")
    assert len(caught.value.faults) == 1
    assert "did you mean additive?" in str(caught.value)
