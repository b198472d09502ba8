"""What a line says is what it comes to: the arithmetic of every displayed line, printed, read back with our own grammar
and worked out, for every operation and any mixture of options.

Some hundred problems in an ordinary run; `PYTHONPATH=tests python tests/narrate/test_what_a_line_says.py 5000` tries
more of each kind, and prints every sort of fault that it finds in the shortest problem that has it.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from shared.drawn import combined, encoder_decoders, self_attention
from shared.effort import tries
from shared.lines import Fault, Held, Reader, lines

import attnsolve
from attnsolve import notation as n
from attnsolve.document import Document, Equation
from attnsolve.errors import AttnsolveError, UnsolvableError
from attnsolve.loading.files import parse
from attnsolve.narrate.explain import explain
from attnsolve.solution.exact import Solution
from attnsolve.solution.floats import FloatSolution
from attnsolve.solution.solved import Narration


def solved(yaml: str) -> Solution | FloatSolution:
    (problem,) = parse(yaml, "problem.yaml")
    solution = attnsolve.solve(problem)
    assert isinstance(solution, Solution | FloatSolution)
    return solution


def documents(solution: Solution | FloatSolution) -> Iterator[Document]:
    """Every step in full, and where the last cell comes from."""
    yield solution.steps(Narration("full"))
    if isinstance(solution, Solution):
        last = [*solution.graph][-1]
        if not last.given:
            place = str(max(last.shape)) if last.is_vector else f"{last.shape[0]},{last.shape[1]}"
            head = "" if last.key.head is None else f"{solution.graph.group} {last.key.head}: "
            yield explain(solution, f"{head}{last.key.id}[{place}]")


def held(yaml: str) -> Held:
    """All lines of a problem, held to what they say."""
    solution = solved(yaml)
    reader = Reader(solution)
    for document in documents(solution):
        reader.read(document)
    return reader.held


def assert_no(faults: list[Fault], yaml: str) -> None:
    assert not faults, "\n".join([*map(str, faults[:5]), f"({len(faults)} faults) in", yaml])


# ── one small problem for every operation ─────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Case:
    """A problem, and the quantities whose lines it is there for; what of each is tried, if it is not everything."""

    yaml: str
    ids: tuple[str, ...]
    tried: tuple[str, ...] = ("texts", "numbers", "letters")


TOKENS = "inputs: [[1, 2], [0.5, -1], [3, 0]]\n"
WEIGHTS = "weights: {W_Q: [[1, 0.2], [0, 1]], W_K: [[1, 1], [-1, 0.3]], W_V: [[2, 0], [1, -1]]}\n"
BIASED = (
    "weights: {W_Q: [[1, 0.2], [0, 1]], b_Q: [0.5, -1], W_K: [[1, 1], [-1, 0.3]], b_K: [1, 1], "
    "W_V: [[2, 0], [1, -1]], b_V: [0, 2]}\n"
)
QUERIES = "queries: [[1, 0], [0, 2], [1, 1]]\nkeys: [[1, 1], [2, 0], [0, 1]]\nvalues: [[6, 0], [0, 7], [5, 5]]\n"
COLUMNS = "layout: columns\ninputs: [[1, 0.5, 3], [2, -1, 0]]\n"
SCORES = "given: {scores: [[1, 2, -1], [0, 1/3, 2]]}\nvalues: [[1, 2], [3, 4], [5, -6]]\nscaling: none\n"
SURDS = "queries: [[sqrt(2), sqrt(3)/5, sqrt(5)/7]]\nkeys: [[1 + sqrt(7), 1 + sqrt(13), sqrt(11)], [sqrt(2), 1, 1/3]]\n"
LONG = "sqrt(3) + sqrt(5) + sqrt(7) + sqrt(11) + sqrt(13)"
LONG_SCORES = f"given: {{scores: [[{LONG} + sqrt(2), {LONG}]]}}\nscaling: none\n"
VALUES = (
    "inputs: [[sqrt(2), sqrt(3)/5, sqrt(5)/7], [1, 2, 3]]\n"
    "weights: {W_Q: [[1], [0], [0]], W_K: [[1], [0], [0]], W_V: [[1 + sqrt(7)], [1 + sqrt(13)], [sqrt(11)]]}\n"
)
STATES = "kind: seq2seq\nstates: [[1, 2], [0, 1], [1, -1]]\n"
ONE, TWO = "state: [0.5, 1]\n", "state: [[0.5, 1], [1, -2]]\n"
ADDITIVE = "score: additive\nweights: {W_1: [[1, 0.2], [0, 1]], W_2: [[1, 1], [0.3, 1]], v: [1, -1]}\n"
NEARLY = (
    "kind: seq2seq\nscore: concat\nstates: [[1, -3], [-3, 2]]\nstate: [[0], [1]]\n"
    "weights: {W: [[-3, 3, -2], [1, -3, 2], [0, 0, 0]], v: [2, 3, 3]}\ndigits: 1\n"
)
MIXED = "weights: {W_c: [[1, 0, 1, 0.5], [0, 1, -1, 2]]}\n"
SHARES = ("texts", "letters")

CASES: dict[str, Case] = {
    "projection": Case(TOKENS + WEIGHTS, ("queries", "keys", "values")),
    "projection as columns": Case(COLUMNS + WEIGHTS, ("queries", "values")),
    "bias": Case(TOKENS + BIASED, ("queries", "keys", "values")),
    "bias as columns": Case(COLUMNS + BIASED, ("queries", "values")),
    "vectors as columns": Case("vectors: columns\n" + TOKENS + BIASED, ("queries", "context")),
    "tokens as they are": Case(TOKENS + "weights: identity\n", ("queries",), SHARES),
    "dot products": Case(QUERIES, ("scores",)),
    "division by a root": Case(QUERIES, ("scaled",)),
    "division by a fraction": Case(QUERIES + "scaling: 3/4\n", ("scaled",)),
    "division by a surd": Case(QUERIES + "scaling: sqrt(3)\n", ("scaled",)),
    "causal mask": Case(QUERIES + "mask: causal\n", ("masked", "weights")),
    "added mask": Case(QUERIES + "mask: [[0, -1, -inf], [1/2, 0, 2], [-inf, -inf, -inf]]\n", ("masked", "weights")),
    "softmax": Case(QUERIES, ("weights",)),
    "softmax of decimals": Case(TOKENS + WEIGHTS, ("weights",)),
    "stable softmax of surds": Case(LONG_SCORES + "stable: true\n", ("weights",)),
    "softmax to base 2": Case(SCORES + "softmax: {base: 2}\n", ("weights",)),
    "softmax to base 3/2": Case(SCORES + "softmax: {base: 3/2}\n", ("weights",)),
    "stable softmax": Case(SCORES + "stable: true\n", ("weights",)),
    "stable softmax of rounded scores": Case(STATES + TWO + ADDITIVE + "stable: true\n", ("weights",)),
    "stable softmax to base 2": Case(SCORES + "softmax: {base: 2}\nstable: true\n", ("weights",)),
    "softmax of tiny exponentials to places": Case(
        "given: {scores: [[-20, -21.5, -23], [-0.25, -2, -30]]}\nscaling: none\nrounding: {places: 3, when: shown}\n",
        ("weights",),
    ),
    "softmax beyond any float": Case(
        "given: {scores: [[-565, 321, 1], [-900, -901, -902]]}\nscaling: none\n", ("weights",)
    ),
    "softmax of a long row": Case("given: {scores: [[1, 2, 3, 4, 5, 6, 7, 8, 0.5]]}\nscaling: none\n", ("weights",)),
    "softmax of equal scores": Case("given: {scores: [[sqrt(2), sqrt(2)]]}\nscaling: none\n", ("weights",), SHARES),
    "softmax to base 2 of surds": Case(
        "given: {scores: [[sqrt(2), 1/2, 1]]}\nscaling: none\nsoftmax: {base: 2}\n", ("weights",)
    ),
    "shares of the sum": Case(SCORES + "softmax: sum\n", ("weights",)),
    "shares of rounded scores": Case(STATES + ONE + ADDITIVE + "softmax: sum\n", ("weights",)),
    "shares of a sum that is nearly 0": Case(NEARLY + "softmax: sum\n", ("weights",), SHARES),
    "shares behind a mask": Case(SCORES + "softmax: sum\nmask: [[1, 1, 0], [0, 1, 1]]\n", ("weights",)),
    "softmax down columns": Case("layout: columns\n" + QUERIES, ("weights", "context")),
    "weighted sum": Case(QUERIES, ("context",)),
    "weighted sum of given weights": Case("given: {weights: [[1/3, 2/3]]}\nvalues: [[1, 2], [3, 4]]\n", ("context",)),
    "weighted sum of rounded values": Case(VALUES, ("values", "context")),
    "output projection": Case(QUERIES + "W_O: [[1, -1], [0.5, 2]]\nb_O: [1, 0]\n", ("output",)),
    "heads side by side": Case(
        TOKENS + "weights:\n  - {W_Q: [[1], [0]], W_K: [[1], [1]], W_V: [[2], [1]]}\n"
        "  - {W_Q: [[0], [1]], W_K: [[1], [2]], W_V: [[1], [-1]]}\nW_O: [[1, 2], [0.5, -1]]\n",
        ("concat",), SHARES,
    ),
    "heads cut from wide matrices": Case(TOKENS + WEIGHTS + "heads: 2\n", ("queries", "keys", "values")),
    "decoder dot": Case(STATES + ONE, ("scores", "weights", "context")),
    "decoder scaled dot": Case(STATES + TWO + "score: scaled-dot\n", ("scaled",)),
    "decoder general": Case(STATES + ONE + "score: general\nweights: {W: [[1, 2], [0, 1]]}\n", ("projected", "scores")),
    "decoder location": Case(STATES + TWO + "score: location\nweights: {W: [[1, 2], [0, 1], [1, 1]]}\n", ("scores",)),
    "decoder cosine": Case(STATES + TWO + "score: cosine\n", ("norms", "state_norms", "scores")),
    "decoder additive": Case(
        STATES + TWO + ADDITIVE, ("projected", "projected_state", "summed", "hidden", "scores")
    ),
    "decoder additive, one state": Case(STATES + ONE + ADDITIVE, ("summed", "hidden", "scores")),
    "decoder concat": Case(
        STATES + TWO + "score: concat\nweights: {W: [[1, 0, 1, 0.5], [0, 1, -1, 1]], v: [1, 2]}\n",
        ("projected", "hidden", "scores"),
    ),
    "pairs": Case(
        STATES + TWO + "score: concat\nweights: {W: [[1, 0, 1, 0.5], [0, 1, -1, 1]], v: [1, 2]}\n", ("pairs",), SHARES
    ),
    "joined": Case(STATES + ONE, ("joined",), SHARES),
    "tanh": Case(STATES + ONE + MIXED, ("mixed", "attentional")),
    "rounded at each step": Case(TOKENS + WEIGHTS + "rounding: {places: 2, when: each-step}\n", ("weights", "context")),
    "rounded to whole numbers": Case(TOKENS + WEIGHTS + "rounding: {places: 0, when: each-step}\n", ("scaled",)),
    "rounded weights": Case(QUERIES + "rounding: {places: {weights: 2}, when: each-step}\n", ("weights", "context")),
    "shown to places": Case(QUERIES + "rounding: {places: 3, when: shown}\n", ("weights", "context")),
    "one digit": Case(QUERIES + "digits: 1\n", ("weights", "context")),
    "twelve digits": Case(QUERIES + "digits: 12\n", ("weights", "context")),
    "fractions": Case(QUERIES.replace("[1, 0]", "[1/3, 2/7]"), ("scores", "weights", "context")),
    "surds": Case(QUERIES.replace("[1, 0]", "[sqrt(2), 1 + sqrt(2)]"), ("scores", "weights", "context")),
    "surds too long to write": Case(SURDS, ("scores", "scaled", "weights")),
    "tiny numbers": Case("queries: [[0.0000002], [3]]\nkeys: [[1], [0.000003]]\n", ("scores", "weights")),
    "great numbers": Case("queries: [[200], [-30]]\nkeys: [[4], [-5]]\n", ("scores", "weights")),
    "letters of its own": Case(QUERIES + "notation: {scores: z, weights: a, context: t, queries: p}\n", ("scores",)),
    "float64": Case(TOKENS + BIASED + "numbers: float\n", ("queries", "scores", "weights", "context"), SHARES),
    "float64 decoder": Case(STATES + TWO + ADDITIVE + "numbers: float\n", ("hidden", "weights"), SHARES),
}  # fmt: skip

held_case = cache(lambda name: held(CASES[name].yaml))


@pytest.mark.parametrize("name", CASES)
def test_the_lines_of_every_operation_come_to_what_they_say(name: str) -> None:
    """And each of them has lines to read: numbers in print, relations between numbers, and of letters to numbers."""
    found, case = held_case(name), CASES[name]
    untried = [(id, what) for id in case.ids for what in case.tried if not found.counts[id, what]]
    assert not untried
    assert_no([fault for fault in found.faults if fault.kind != "digits"], case.yaml)


@pytest.mark.parametrize("name", CASES)
def test_the_operands_of_every_operation_carry_two_more_digits_than_results(name: str) -> None:
    assert_no([fault for fault in held_case(name).faults if fault.kind == "digits"], CASES[name].yaml)


def test_rounded_operands_are_seen_in_every_operation_that_can_have_them() -> None:
    counted = Counter[str]()
    for name in CASES:
        counted.update({id: number for (id, what), number in held_case(name).counts.items() if what == "digits"})
    ids = ("scores", "scaled", "weights", "context", "output", "mixed", "attentional")
    assert not [id for id in ids if not counted[id]]


def test_stages_inside_a_softmax_carry_two_more_digits_too() -> None:
    """Exponentials and their sum are divided further."""
    assert held_case("softmax").counts["weights", "stages"] > 5


def weights_lines(name: str) -> list[str]:
    document = solved(CASES[name].yaml).steps(Narration("full"))
    return [line.text for line in lines(document) if line.id == "weights"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "softmax of decimals",
            ["e^(4.8√2) ≈ 887.337", "≈ 5.94119 + 3.94239 + 887.337 ≈ 897.221", "a₁,₁ ≈ 5.94119/897.221 ≈"],
        ),
        ("stable softmax", ["Σⱼ e^(s₁,ⱼ − m) ≈ 0.367879 + 1 + 0.0497871 ≈ 1.41767", "≈ 0.367879/1.41767 ≈ 0.2595"]),
        ("softmax to base 2", ["Σⱼ 2^s₁,ⱼ = 2 + 4 + 1/2 = 13/2 = 6.5"]),
        ("shares behind a mask", ["s′₁,₁ + s′₁,₂ = 1 + 2 = 3", "a₁,₂ = 2/3 ≈ 0.6667", "a₁,₃ = 0"]),
        ("softmax of tiny exponentials to places", ["≈ 2.06115×10⁻⁹/(2.62368×10⁻⁹) ≈ 0.786"]),
        ("softmax of equal scores", ["= e^√2/(e^√2 + e^√2) = 1/2"]),
        ("softmax of a long row", ["≈ 2.71828/4715.87 ≈ 0.0005764"]),
    ],
)
def test_a_softmax_shows_what_a_student_writes(name: str, said: list[str]) -> None:
    """Each exponential, their sum, and the one over the other; a closed form only where it is short."""
    text = "\n".join(weights_lines(name))
    assert [part for part in said if part not in text] == [], text


# ── any mixture of options ────────────────────────────────────────────────────────────────────────

DRAWN = {"attention": (st.one_of(combined(), self_attention()), 30), "seq2seq": (encoder_decoders(), 30)}
"""How problems of each kind are drawn, and how many in an ordinary run."""


@dataclass(frozen=True)
class Found:
    """Of many problems, the shortest that has each sort of fault; and how much there was to try."""

    shortest: Mapping[tuple[str, str], tuple[str, Fault]]
    counts: Counter[str]


@cache
def search(kind: str, examples: int) -> Found:
    """Hold so many problems to their lines. Nothing is made smaller, as a single failure would be: all sorts count."""
    shortest: dict[tuple[str, str], tuple[str, Fault]] = {}
    counts = Counter[str]()

    @settings(tries(examples), phases=[Phase.generate])
    @given(DRAWN[kind][0])
    def look(problem: Any) -> None:
        yaml = problem.yaml()
        try:
            found = held(yaml)
        except UnsolvableError:  # scores that are divided by their sum have the sum 0
            return
        for (_, what), number in found.counts.items():
            counts[what] += number
        for fault in found.faults:
            known = shortest.get((fault.kind, fault.id))
            if known is None or len(yaml) < len(known[0]):
                shortest[fault.kind, fault.id] = yaml, fault

    look()
    return Found(shortest, counts)


def report(found: Found, *kinds: str) -> str:
    return "\n".join(f"{fault}\n{yaml}" for (kind, _), (yaml, fault) in found.shortest.items() if kind in kinds)


@pytest.mark.parametrize("kind", DRAWN)
def test_whatever_is_combined_lines_come_to_what_they_say(kind: str) -> None:
    found = search(kind, DRAWN[kind][1])
    assert all(found.counts[what] > DRAWN[kind][1] for what in ("texts", "numbers", "letters"))
    assert not (faults := report(found, "relation", "reading")), faults


@pytest.mark.parametrize("kind", DRAWN)
def test_whatever_is_combined_operands_carry_two_more_digits_than_results(kind: str) -> None:
    found = search(kind, DRAWN[kind][1])
    assert found.counts["digits"] > DRAWN[kind][1]
    assert not (faults := report(found, "digits")), faults


def test_whatever_is_combined_float64_shows_what_numpy_finds() -> None:
    """Of the problems that float64 takes; there is no work in them, but formulas and results."""
    counts = Counter[str]()

    @tries(15)
    @given(st.one_of(combined(), encoder_decoders()))
    def holds(problem: Any) -> None:
        yaml = f"{problem.yaml()}numbers: float\n"
        try:
            found = held(yaml)
        except AttnsolveError as error:
            counts[type(error).__name__] += 1
            return
        counts["held"] += 1
        counts["letters"] += sum(number for (_, what), number in found.counts.items() if what == "letters")
        assert_no(found.faults, yaml)

    holds()
    assert counts["held"] > 5, counts
    assert counts["letters"] > 50, counts


# ── and a line that lies is noticed ───────────────────────────────────────────────────────────────

Q_1, K_2 = n.Sym("q", ("1",), vector=True), n.Sym("k", ("2",), vector=True)
HONEST = {
    "=": n.Chain(
        n.Sym("s", ("1", "2")),
        (
            ("=", n.Product((Q_1, K_2), dotted=True)),
            ("=", n.Sum((n.Product((n.Num("1"), n.Num("2")), True), n.Product((n.Num("0"), n.Num("0")), True)))),
            ("=", n.Num("2")),
        ),
    ),
    "≈": n.Chain(
        n.Sym("c", ("2", "1")),
        (
            (
                "≈",
                n.Sum(
                    tuple(
                        n.Product((n.Num(weight, rounded=True), n.Num(value)), dotted=True)
                        for weight, value in (("0.445808", "6"), ("0.108383", "0"), ("0.445808", "5"))
                    )
                ),
            ),
            ("≈", n.Num("4.904", rounded=True)),
        ),
    ),
}


def changed(chain: n.Chain, place: int, sign: str | None = None, node: n.Notation | None = None) -> n.Chain:
    """The same with another sign before one link, or another link."""
    links = list(chain.links)
    links[place] = (sign or links[place][0], node or links[place][1])
    return replace(chain, links=tuple(links))


LIES = {
    "a wrong sign in the result": ("relation", changed(HONEST["="], 2, node=n.Num("-2"))),
    "a wrong sign in the work": (
        "relation",
        changed(HONEST["="], 1, node=n.Sum((n.Product((n.Num("-1"), n.Num("2")), True),))),
    ),
    "another token's vector": (
        "relation",
        changed(HONEST["="], 0, node=n.Product((n.Sym("q", ("2",), vector=True), K_2), dotted=True)),
    ),
    "= for ≈": ("relation", changed(HONEST["≈"], 1, sign="=")),
    "= where the work is rounded": ("relation", changed(HONEST["≈"], 0, sign="=")),
    "a last digit that is off by one": ("relation", changed(HONEST["≈"], 1, node=n.Num("4.905", rounded=True))),
    "too few digits": (
        "digits",
        changed(HONEST["≈"], 0, node=n.Product((n.Num("0.44581", rounded=True), n.Num("11")), dotted=True)),
    ),
    "too many digits": ("digits", changed(HONEST["≈"], 1, node=n.Num("4.9039", rounded=True))),
}  # fmt: skip


def faults_of(chain: n.Chain) -> set[str]:
    reader = Reader(solved(QUERIES + "scaling: sqrt_dk\n"))
    return {fault.kind for fault in reader.read(Document("", "", (Equation(chain),))).faults}


@pytest.mark.parametrize("sign", HONEST)
def test_an_honest_line_has_no_fault(sign: str) -> None:
    assert not faults_of(HONEST[sign])


@pytest.mark.parametrize("lie", LIES)
def test_a_line_that_lies_is_noticed(lie: str) -> None:
    kind, chain = LIES[lie]
    assert faults_of(chain) == {kind}


# ── for longer ────────────────────────────────────────────────────────────────────────────────────

if __name__ == "__main__":
    os.environ["ATTNSOLVE_EXAMPLES"] = sys.argv[1]
    results = [search(kind, examples) for kind, (_, examples) in DRAWN.items()]
    for found in results:
        print(", ".join(f"{number:,} {what}" for what, number in found.counts.items()))
        print(report(found, "relation", "reading", "digits"))
    sys.exit(any(found.shortest for found in results))
