"""The letters that are printed may be typed, in a problem file as elsewhere; other keys that people try get a hint."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from attnsolve.errors import Fault, Mark
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.spec.attention import LETTERS
from attnsolve.spec.problem import Problem
from attnsolve.spec.seq2seq import GIVABLE
from attnsolve.spec.seq2seq import LETTERS as SEQ2SEQ_LETTERS

Reads = Callable[[str], Problem]
X = "[[1, 2], [3, 4]]"
PLAIN = f"inputs: {X}\nweights: {{W_Q: [[1], [0]], W_K: [[0], [1]], W_V: [[1], [1]], b_Q: [5]}}\n"


def shown(text: str) -> dict[str, object]:
    """Every quantity of a problem with its exact entries."""
    (problem,) = parse(text, "sheet.yaml")
    solution = solve(problem)
    return {str(q.key): solution.value(q).exact_text for q in solution.graph}


@pytest.mark.parametrize(
    "text",
    [
        f"X: {X}\nW_Q: [[1], [0]]\nW_K: [[0], [1]]\nW_V: [[1], [1]]\nb_Q: [5]\n",
        f"x: {X}\nWq: [[1], [0]]\nWk: [[0], [1]]\nWv: [[1], [1]]\nbq: [5]\n",
        f"X: {X}\nWQ: [[1], [0]]\nW^K: [[0], [1]]\nW_v: [[1], [1]]\nB_Q: [5]\n",
        f"X: {X}\nWᵠ: [[1], [0]]\nWᴷ: [[0], [1]]\nWⱽ: [[1], [1]]\nweights: {{b_q: [5]}}\n",
        f"X: {X}\nweights: {{Wq: [[1], [0]], w_k: [[0], [1]], 'W_{{V}}': [[1], [1]], b-Q: [5]}}\n",
        f"E: {X}\nnotation: {{inputs: E}}\nweights: {{Wq: [[1], [0]], Wk: [[0], [1]], Wv: [[1], [1]], bq: [5]}}\n",
    ],
)
def test_letters_say_what_the_words_say(text: str) -> None:
    assert shown(text) == shown(PLAIN)


def test_queries_keys_and_values_scores_and_weights_have_letters_too() -> None:
    assert shown("Q: [1, 0]\nK: [[1, 2]]\nV: [[3]]\n") == shown("queries: [1, 0]\nkeys: [[1, 2]]\nvalues: [[3]]\n")
    assert shown("S: [[1, 2]]\nV: [[3], [4]]\nd_k: 4\n") == shown(
        "given: {scores: [[1, 2]], values: [[3], [4]]}\nd_k: 4\n"
    )
    assert shown("A: [[1/2, 1/2]]\nV: [[3], [4]]\nWO: [[2]]\n") == shown(
        "given: {weights: [[1/2, 1/2]]}\nvalues: [[3], [4]]\nW_O: [[2]]\n"
    )
    assert shown("scores: [[1, 2]]\nscaling: none\nM: [[1, 0]]\n") == shown(
        "given: {S: [[1, 2]]}\nscaling: none\nmask: [[1, 0]]\n"
    )


def test_an_encoder_and_a_decoder_have_letters_too() -> None:
    plain = "kind: seq2seq\nstates: [[1, 0], [2, 1]]\nstate: [1, 3]\nscore: general\n"
    letters = "kind: seq2seq\nH: [[1, 0], [2, 1]]\ns_t: [1, 3]\nscore: general\n"
    assert shown(letters + "W: [[1, 1], [0, 2]]\n") == shown(plain + "weights: {W: [[1, 1], [0, 2]]}\n")
    start = "kind: seq2seq\nH: [[1, 0], [2, 1]]\n"
    assert shown(start + "alpha: [1/2, 1/2]\n") == shown(start + "given: {weights: [1/2, 1/2]}\n")
    assert shown(start + "e: [1, 2]\n") == shown(start + "given: {scores: [1, 2]}\n")


def test_a_derivation_has_letters_too(problem: Reads) -> None:
    start = "kind: derivation\ntopic: permutation-equivariance\n"
    weights = "[[1, 2], [0, 1]]"
    plain = problem(f"{start}inputs: {X}\nweights: {{W_Q: {weights}, W_K: {weights}, W_V: {weights}}}\n")
    letters = problem(f"{start}X: {X}\nW_Q: {weights}\nWk: {weights}\nWV: {weights}\n")
    assert letters.body.given == plain.body.given


def test_the_letters_of_a_claim_are_its_own(problem: Reads) -> None:
    text = "kind: derivation\ntopic: claim\ngiven: {S: 'matrix(n, n)', score: number}\nclaim: score*S = S*score\n"
    assert problem(text)


@pytest.mark.parametrize("letter", LETTERS.values())
def test_every_letter_that_is_printed_is_known(letter: str, faults: Callable[[str], tuple[Fault, ...]]) -> None:
    """A value that can't be read shows that the key was: nothing is said about the key."""
    assert not any("unknown key" in found.message for found in faults(f"{letter}: 0..1\n"))


@pytest.mark.parametrize("id", [id for id in GIVABLE if id in SEQ2SEQ_LETTERS])
def test_every_letter_of_an_encoder_and_a_decoder_is_known(id: str, faults: Callable[[str], tuple[Fault, ...]]) -> None:
    text = f"kind: seq2seq\nscore: general\n{SEQ2SEQ_LETTERS[id]}: 0..1\n"
    assert not any("unknown key" in found.message for found in faults(text))


@pytest.mark.parametrize(
    ("text", "at", "said"),
    [
        (f"X: {X}\ninputs: {X}\nweights: identity\n", (2, 1), "X and inputs are both inputs: it was already given on"),
        (f"{PLAIN}X: {X}\n", (3, 1), "inputs and X are both inputs: it was already given on line 1"),
        (f"{PLAIN}Wq: [[1], [0]]\n", (3, 1), "W_Q and Wq are both W_Q: it was already given on line 2"),
        (f"X: {X}\nQ: [[1]]\nqueries: [[1]]\nK: [[1]]\n", (3, 1), "Q and queries are both queries"),
        (f"X: {X}\nweights: identity\nW_Q: [[1], [0]]\n", (3, 1), "W_Q can't be combined with weights: identity"),
        ("given: {S: [[1]], scores: [[1]]}\nscaling: none\n", (1, 19), "S and scores are both scores"),
    ],
)
def test_the_same_thing_twice_is_a_fault(
    text: str, at: tuple[int, int], said: str, faults: Callable[[str], tuple[Fault, ...]]
) -> None:
    first, *_ = faults(text)
    assert (first.at, said in first.message) == (Mark(*at), True), str(first)


def test_what_is_asked_for_may_be_spelled_in_any_way(problem: Reads) -> None:
    parts = "parts: {a: {find: [Q, softmax]}, b: Attention-Weights, c: {find: attention scores}, d: {find: A}}\n"
    found = problem(PLAIN + parts + "exact: [S]\ntolerance: {A: {abs: 1}}\nnotation: {Wq: w}\n")
    assert [part.find for part in found.parts] == [("queries", "weights"), ("weights",), ("scores",), ("weights",)]
    assert found.rules.keys() == {"scores", "weights"}
    assert found.notation == {"W_Q": "w"}


HINTED = {
    "valid_lens: [1, 2]": "write mask: first([2, 3])",
    "padding_mask: [1, 0]": "write mask: [1, 1, 0]",
    "sliding_window: 2": "write mask: causal and within(2)",
    "tau: 2": "write temperature: 1/2",
    "scale: 2": "write scaling:",
    "attn_bias: [[1]]": "write score_bias:",
    "positional_encoding: [[1]]": "write positions: sinusoidal",
    "rope: true": "write positions: {rope:",
    "causal: true": "write mask: causal",
    "num_heads: 2": "write heads: 2",
    "n_heads: 2": "write heads: 2",
    "h: 2": "write heads: 2",
    "num_key_value_heads: 2": "write key_heads: 2",
    "d_model: 4": "leave it out",
    "dropout: 0.1": "dropout is not applied",
    "cosine: true": "score: cosine",
    "query: [1, 2]": "write queries: [[...]] for Q itself",
    "key: [1, 2]": "write keys:",
    "value: [1, 2]": "write values:",
    "embeddings: [[1]]": "did you mean inputs?",
    "Z: [[1]]": "given: {context:",
    "q_proj: [[1]]": "did you mean W_Q",
    "a: {find: scores}": "it goes under parts:",
    "score: cosine": "it belongs to kind: seq2seq",
    "H: [[1]]": "it belongs to kind: seq2seq",
}


@pytest.mark.parametrize(("line", "fix"), HINTED.items())
def test_a_key_that_people_try_gets_the_one_they_mean(line: str, fix: str, fault: Callable[[str], Fault]) -> None:
    found = fault(f"{PLAIN}{line}\n")
    assert (found.at, found.message) == (Mark(3, 1), f"unknown key {line.partition(':')[0]!r}")
    assert fix in found.fix


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("query: [1]", "did you mean state?"),
        ("Q: [[1]]", "did you mean state?"),
        ("inputs: [[1]]", "did you mean states?"),
        ("mask: causal", "write -inf instead of a score"),
        ("scaling: 2", "write score: scaled-dot"),
        ("heads: 2", "it belongs to kind: attention"),
    ],
)
def test_a_key_of_attention_gets_what_an_encoder_and_a_decoder_have(
    line: str, fix: str, fault: Callable[[str], Fault]
) -> None:
    found = fault(f"kind: seq2seq\nstates: [[1]]\nstate: [1]\n{line}\n")
    assert (found.at, fix in found.fix) == (Mark(4, 1), True), str(found)


@pytest.mark.parametrize(
    ("line", "fix"),
    [
        ("mask: true", "did you mean causal?"),
        ("mask: tril", "did you mean causal?"),
        ("softmax: {temperature: 2}", "write temperature:"),
        ("parts: {a: {find: gradients}}", "for gradients, add gradient: {of: L, to: [W_Q]} and ask for dW_Q"),
        ("weights: {Q: [[1], [0]], K: [[1], [0]], V: [[1], [0]]}", "did you mean W_Q?"),
    ],
)
def test_a_value_that_people_try_gets_the_one_they_mean(
    line: str, fix: str, faults: Callable[[str], tuple[Fault, ...]]
) -> None:
    text = line if line.startswith("weights") else f"weights: identity\n{line}"
    first, *_ = faults(f"inputs: {X}\n{text}\n")
    assert fix in first.fix


# ── one message for one fault ───────────────────────────────────────────────────────────────────

WHOLE = {
    "inputs": PLAIN + "mask: [[1, 0], [1, 1]]\nW_O: [[2]]\nb_O: [1]\n",
    "heads": (
        f"inputs: {X}\nmemory: [[1, 2, 3]]\nweights:\n"
        "  - {W_Q: [[1], [2]], W_K: [[1], [2], [3]], W_V: [[1], [2], [3]]}\n"
        "  - {W_Q: [[1], [2]], W_K: [[1], [2], [3]], W_V: [[1], [2], [3]]}\nW_O: [[1], [2]]\n"
    ),
    "sources": (
        "inputs: {queries: [[1, 2]], keys: [[3]], values: [[4, 5, 6]]}\n"
        "weights: {W_Q: [[1], [2]], W_K: identity, W_V: [[1], [2], [3]]}\n"
    ),
    "direct": "queries: [[1, 2]]\nkeys: [[3, 4], [5, 6]]\nvalues: [[7], [8]]\nW_O: identity\n",
    "given": "given: {scores: [[1, 2]]}\nvalues: [[7], [8]]\nd_k: 4\nmask: [[0, -inf]]\n",
    "columns": "layout: columns\nqueries: [[1], [2]]\nkeys: [[3, 4], [5, 6]]\nvalues: [[7, 8]]\n",
    "additive": (
        "kind: seq2seq\nscore: additive\nstates: [[1, 2], [3, 4]]\nstate: [5, 6, 7]\n"
        "weights: {W_1: [[1, 2]], W_2: [[3, 4, 5]], v: [6], W_c: [[1, 2, 3, 4, 5]]}\n"
    ),
}  # fmt: skip


def places(text: str) -> list[int]:
    """Where an entry of a matrix stands."""
    return [
        i for i, c in enumerate(text)
        if c.isdigit() and text[i - 1] in "[ " and text[i + 1] in ",]" and "heads" not in text[i - 7 : i]
    ]  # fmt: skip


@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.parametrize("wrong", ["what", "[1]", "''", "1, 1"])
def test_one_bad_entry_makes_one_message(name: str, wrong: str, faults: Callable[[str], tuple[Fault, ...]]) -> None:
    text = WHOLE[name]
    assert parse(text, "sheet.yaml")
    for place in places(text):
        changed = f"{text[:place]}{wrong}{text[place + 1 :]}"
        if wrong == "[1]" and text[place - 1] + text[place + 1] == "[]":
            continue  # one entry may be written as one row of one entry
        if wrong == "1, 1" and _is_lone_row(text, place):
            continue  # a longer row is no fault of its own: what it is held against may be wrong as well
        assert len(faults(changed)) == 1, changed


def _is_lone_row(text: str, place: int) -> bool:
    """Whether a matrix has one row, or is a plain list."""
    before, after = text[:place].rpartition("[")[0], text[place:].partition("]")[2]
    return not (before.rstrip().endswith("],") or before.rstrip().endswith(",")) and not after.startswith(", [")


@pytest.mark.parametrize(
    "line", ["layout: colums", "kind: atention", "numbers: flaot", "symbols: beta", "heads: two", "d_k: x"]
)
def test_one_bad_word_makes_one_message(line: str, fault: Callable[[str], Fault]) -> None:
    wide = "X: [[1, 2, 3], [4, 5, 6]]\nW_Q: [[1], [2], [3]]\nW_K: [[1], [2], [3]]\nW_V: [[1], [2], [3]]\n"
    assert fault(f"{wide}{line}\nmemory: [[beta, 2, 3]]\n" if line == "symbols: beta" else f"{wide}{line}\n")


def test_a_misspelled_weight_is_not_missing_as_well(fault: Callable[[str], Fault]) -> None:
    found = fault(f"inputs: {X}\nweights: {{W_X: [[1], [0]], W_K: [[0], [1]], W_V: [[1], [1]]}}\n")
    assert found.message == "unknown key 'W_X' in weights"
