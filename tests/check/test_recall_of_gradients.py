"""Every mistake of the way back is made on purpose, and the checker has to name it: with everything written down, and
with the gradients that were asked for alone.

`python tests/check/test_recall_of_gradients.py 100` prints the recall over so many random problems.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from check.test_recall import Tally, answered, is_seen, marked, names

from attnsolve.check.diagnose import diagnose
from attnsolve.check.marking import Marking
from attnsolve.errors import UnsolvableError
from attnsolve.graph import Cell, Graph
from attnsolve.graph.mistakes import Slip, slipped
from attnsolve.key import Key
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution

GIVEN = """
kind: formulas
given:
  X: [[1, 2], [0.5, -1], [2, 0.3]]
  W: [[1, 0.4], [-1, 0.7]]
  b: [0.1, -0.3]
  g: [1.5, 0.5]
  U: [[1, 0.4], [0.2, -1]]
formulas:
"""
SAMPLES = [
    """
inputs: [[1, 2], [0.5, -1], [2, 0.3]]
weights:
  {W_Q: [[1, 0.4], [0.3, 1]], W_K: [[0.7, 1], [0.4, 0.2]], W_V: [[0.2, 1], [1.3, 1]], b_Q: [1, 2], b_V: [1, 1]}
W_O: [[1, 2], [0.5, -1]]
mask: causal
gradient: {upstream: {O: [[1, 2], [0.4, 1], [-1, 0.5]]}}
""",
    "queries: [[1, 2, 0, 1], [0, 1, 2, 2]]\nkeys: [[1, 0, 2, 1], [0, 0.5, 0.2, 1]]\n"
    "values: [[2, 1, 3, 1], [1, 0, -1, 4]]\nheads: 2\nW_O: [[1, 0.2], [0.3, 1], [2, 0.4], [1, 1.5]]\n"
    "gradient: {upstream: {O: [[1, 2], [0.4, 1]]}}\n",
    "queries: [[1, 2], [2, 0.5]]\nkeys: [[1, 0.3], [2, 1]]\nvalues: [[1, 0], [2, 1]]\nsoftmax: sum\n"
    "gradient: {upstream: {C: [[1, 2], [0.4, 1]]}, to: [Q, K, V]}\n",
    "queries: [[1, 2], [2, 0.5]]\nkeys: [[1, 0.3], [2, 1]]\nvalues: [[1, 0], [2, 1]]\nsoftmax: {base: 2}\n"
    "layout: columns\ngradient: {upstream: {C: [[1, 2], [0.4, 1]]}, to: [Q, K, V]}\n",
    GIVEN + """
  S: X*W + b
  H: relu(S)
  Y: X + H*U
  N: layernorm(Y, g, b, eps=0.5)
  P: softmax(N)
  L: crossentropy(P, [1, 2, 1])
gradient: {of: L}
""",
    GIVEN.replace("  b: [0.1, -0.3]\n", "") + """
  N: rmsnorm(X, g)
  H: tanh(N*W)
  G: sigmoid(H*U)
  D: (G - H).^2
  L: mean(D)
gradient: {of: L}
""",
    GIVEN.replace("  b: [0.1, -0.3]\n  g: [1.5, 0.5]\n  U: [[1, 0.4], [0.2, -1]]\n", "") + """
  H: lookup(X, [2, 1, 2, 3])
  S: H*W
  A: silu(S)
  B: gelu(A) .* H
  C: exp(B/3) + 2*B
  M: rowmax(H)
  E: sqrt(C .* C + M .* M)
  F: sin(E) - cos(E) + ln(E) + abs(E)
  L: total(F)
gradient: {of: L}
""",
    GIVEN.replace("  g: [1.5, 0.5]\n  U: [[1, 0.4], [0.2, -1]]\n", "") + """
  R: rope(X)
  C: concat(R*W, max(X, b))
  D: where(causal, C*C^T, 0)
  P: softmax(D)
  L: total(nll(P, [1, 2, 1]))
gradient: {of: L, fused: false}
""",
    """
kind: formulas
given: {X: [[1, 2], [0.5, -1], [2, 0.3]]}
formulas:
  Q: 1/(1 + X.*X)
  V: rowvar(Q)
  M: rowmean(Q)
  M_x: max(X)
  L: total(V .* M)*M_x + min(X)
gradient: {of: L}
""",
]  # fmt: skip


def samples() -> Iterator[tuple[str, Solution]]:
    for text in SAMPLES:
        yield text, solved(text)


def solved(text: str) -> Solution:
    (problem,) = parse(text, "problem.yaml")
    solution = solve(problem)
    assert isinstance(solution, Solution)
    return solution


def is_backward(graph: Graph, key: Key) -> bool:
    """Whether it is a gradient, or a step inside of one."""
    return graph[key].gradient_of is not None or graph.is_inside_a_gradient(key)


def backward_slips(solution: Solution) -> list[Slip]:
    return [slip for slip in solution.slips if is_backward(solution.graph, slip.key)]


def kept(solution: Solution, cells: dict[Cell, str], sheet: str) -> dict[Cell, str]:
    """What of a whole sheet is written down: everything, or the gradients asked for alone."""
    gradients = solution.graph.gradients
    assert gradients is not None
    asked = {gradients.keys[key] for key in gradients.wanted}
    return cells if sheet == "everything" else {cell: text for cell, text in cells.items() if cell.key in asked}


def recall(some: Iterable[tuple[str, Solution]]) -> Tally:
    """Make every mistake of the way back in every problem, on every sort of sheet."""
    tally = Tally(Counter(), Counter(), Counter(), [])
    for text, solution in some:
        whole = answered(solution.graph, "everything")
        for slip in backward_slips(solution):
            try:
                made = answered(slipped(solution.graph, slip), "everything")
            except UnsolvableError:
                continue
            for sheet in ("everything", "asked for"):
                marking = marked(solution, kept(solution, made, sheet))
                if not is_seen(marking, kept(solution, whole, sheet)):
                    tally.unseen[slip.id] += 1
                elif names(diagnose(marking), slip) or is_transposed(marking, slip):
                    tally.named[slip.id] += 1
                else:
                    tally.missed[slip.id] += 1
                    tally.examples.append(f"{slip.id} ({sheet}): {slip.key}: {slip.mistake.description}\n{text}")
    return tally


def is_transposed(marking: Marking, slip: Slip) -> bool:
    """Whether the answer is told to be the right one transposed, which is what was done."""
    return any(found.transposed and found.key == slip.key for found in marking.recognised)


FEW = 0.005
"""Nothing is said of a mistake that shows in so few digits that chance explains as much."""


def test_every_mistake_of_the_way_back_is_named() -> None:
    tally = recall(samples())
    print(f"\n{tally.table()}")
    assert sum(tally.missed.values()) <= FEW * sum(tally.named.values()), tally.examples[0]
    assert tally.named.keys() >= {slip.id for _, solution in samples() for slip in backward_slips(solution)}


if __name__ == "__main__":
    tally = recall(samples())
    print(tally.table(), *tally.examples[:12], sep="\n\n")
