"""How time and memory grow: `python tests/benchmarks/growth.py` prints a table, in some minutes; `--short` stops at 64.

Exact problems of 8 to 256 tokens at width 64, solved and told briefly, each in a process of its own; then one of 4,096
tokens at width 512 in float64, against plain NumPy doing the same arithmetic.
"""

from __future__ import annotations

import io
import resource
import subprocess
import sys
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from speed import ENVIRONMENT, best, problem_text, row, timed

import attnsolve
from attnsolve.bounds import changed
from attnsolve.loading.files import parse
from attnsolve.narrate.narrated import Narrated
from attnsolve.narrate.steps import Narration
from attnsolve.render.terminal import print_document

WIDTH = 64
TOKENS = (8, 16, 32, 64, 128, 256)
LARGE_TOKENS, LARGE_WIDTH = 4096, 512
TURNS = 5
Arrays = dict[str, NDArray[np.float64]]


def shown(worked: Narrated, narration: Narration) -> None:
    """Tell a solution to a terminal that nobody watches."""
    console = Console(file=io.StringIO(), width=80, force_terminal=True)
    print_document(worked.to_document(narration), console, 80, True)


def exact(tokens: int) -> Callable[[], object]:
    """Solve and tell an exact problem."""
    with changed(work=10**9):
        (problem,) = parse(problem_text(tokens, WIDTH), "random.yaml")
    return lambda: shown(attnsolve.solve(problem), Narration(detail="brief"))


def large() -> Arrays:
    """The numbers of the large problem."""
    source = np.random.default_rng(0)
    weights = {name: source.normal(0, LARGE_WIDTH**-0.5, (LARGE_WIDTH,) * 2) for name in ("W_Q", "W_K", "W_V")}
    return {"X": source.normal(size=(LARGE_TOKENS, LARGE_WIDTH)), **weights}


def ours(numbers: Arrays) -> None:
    """Read, solve and tell it."""
    weights = {name: array for name, array in numbers.items() if name != "X"}
    shown(attnsolve.solve(attnsolve.problem({"inputs": numbers["X"], "weights": weights})), Narration())


def plain(numbers: Arrays) -> NDArray[np.float64]:
    """The same arithmetic."""
    queries, keys, values = (numbers["X"] @ numbers[name] for name in ("W_Q", "W_K", "W_V"))
    scores = queries @ keys.T
    scaled = scores / np.sqrt(LARGE_WIDTH)
    powers = np.exp(scaled - scaled.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    context: NDArray[np.float64] = weights @ values
    return context


def apart(*arguments: str) -> tuple[float, float]:
    """Seconds and peak megabytes of one case, in a process of its own."""
    command = [sys.executable, __file__, *arguments]
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=ENVIRONMENT)
    seconds, megabytes = map(float, run.stdout.split())
    return seconds, megabytes


def one(case: str) -> None:
    """Run one case, and print what `apart` reads."""
    numbers = large() if case in ("ours", "plain") else {}
    work = exact(int(case)) if case.isdigit() else lambda: ours(numbers) if case == "ours" else plain(numbers)
    with changed(work=10**9):
        seconds = timed(work)
    print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)


def main(sizes: tuple[int, ...]) -> None:
    """Print the table."""
    print(f"{'tokens, ' + str(WIDTH) + ' wide, exact':<34} {'seconds':>9} {'peak MB':>9}")
    for tokens in sizes:
        seconds, megabytes = apart("--one", str(tokens))
        print(f"{tokens:<34} {seconds:>9.2f} {megabytes:>9.0f}", flush=True)
    memory = [apart("--one", case)[1] for case in ("ours", "plain")]  # before this process has much of its own
    numbers = large()
    mine, numpy = best(lambda: timed(lambda: ours(numbers)), lambda: timed(lambda: plain(numbers)), turns=TURNS)
    print(f"\n{LARGE_TOKENS:,} tokens, {LARGE_WIDTH} wide, float64")
    for name, seconds, megabytes in zip(("solved and told", "plain NumPy"), (mine, numpy), memory, strict=True):
        print(f"{name:<34} {seconds:>9.2f} {megabytes:>9.0f}")
    row("solved and told / plain NumPy", mine / numpy, "<= 1.5")


if __name__ == "__main__":
    if "--one" in sys.argv:
        one(sys.argv[-1])
    else:
        main(TOKENS[:4] if "--short" in sys.argv else TOKENS)
