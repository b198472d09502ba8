"""Speed as ratios measured in one run: `python tests/benchmarks/speed.py`, with `--long` for the 32 × 32 comparison.

Machines are noisy, so nothing here is a test; each figure is the best of several runs that take turns.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from collections.abc import Callable
from fractions import Fraction

import sympy

from attnsolve.narrate.steps import Telling, narrate
from attnsolve.render.markdown import render
from attnsolve.solution import solve
from attnsolve.spec.load import parse

WORKSHEETS = ("discussion-10-qkv", "self-attention-q1", "two-heads-thinking-machine")
TURNS = 11
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""An installed package has its bytecode; without it every run would compile this one anew."""


def run(*arguments: str) -> Callable[[], float]:
    """Time a Python process."""

    def once() -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
        return time.perf_counter() - start

    return once


def best(*timers: Callable[[], float], turns: int = TURNS) -> list[float]:
    """The best time of each, taking turns so that noise hits all alike."""
    times: list[list[float]] = [[] for _ in timers]
    for _ in range(turns):
        for timer, found in zip(timers, times, strict=True):
            found.append(timer())
    return [min(found) for found in times]


def matrix(rows: int, columns: int, source: random.Random) -> list[list[Fraction]]:
    """Random small fractions."""
    return [[Fraction(source.randint(-9, 9), source.randint(1, 9)) for _ in range(columns)] for _ in range(rows)]


def problem_text(tokens: int, width: int) -> str:
    """A random rational problem."""
    source = random.Random(tokens)

    def written(rows: int) -> str:
        return str([[str(x) for x in row] for row in matrix(rows, width, source)])

    weights = "".join(f"  {name}: {written(width)}\n" for name in ("W_Q", "W_K", "W_V"))
    return f"inputs: {written(tokens)}\nweights:\n{weights}"


def ours(tokens: int, width: int) -> float:
    """Solve, check, and render every step's formula and matrices as LaTeX: what `with_sympy` renders, no working."""
    (problem,) = parse(problem_text(tokens, width), "random.yaml")
    start = time.perf_counter()
    render(narrate(solve(problem), Telling(detail="brief")))
    return time.perf_counter() - start


def with_sympy(tokens: int, width: int) -> float:
    """The same steps with sympy.Matrix, evalf and latex."""
    source = random.Random(tokens)
    x = sympy.Matrix(matrix(tokens, width, source))
    w_q, w_k, w_v = (sympy.Matrix(matrix(width, width, source)) for _ in range(3))
    start = time.perf_counter()
    q, k, v = x * w_q, x * w_k, x * w_v
    scores = q * k.T / sympy.sqrt(width)
    powers = scores.applyfunc(sympy.exp)
    weights = sympy.Matrix(tokens, tokens, lambda i, j: powers[i, j] / sum(powers[i, :]))
    context = (weights * v).evalf(4)
    for step in (q, k, v, scores, weights.evalf(4), context):
        sympy.latex(step)
    return time.perf_counter() - start


def row(what: str, ratio: float, wanted: str) -> None:
    """One line of the table."""
    print(f"{what:<66} {ratio:>8.2f}x   wanted {wanted}", flush=True)


def compare(size: int, wanted: str) -> None:
    """Ours, the best of a few runs, against sympy.Matrix, which takes so long that one run will do."""
    ratio = with_sympy(size, size) / min(ours(size, size) for _ in range(TURNS))
    row(f"{size} tokens, {size} wide: sympy.Matrix + evalf + latex / ours", ratio, wanted)


def main() -> None:
    """Print the table."""
    imports = run("-c", "import numpy, sympy, typer, rich")
    for name in WORKSHEETS:
        cold, baseline = best(run("-m", "attnsolve", "solve", name), imports)
        row(f"cold solve {name} / import numpy, sympy, typer, rich", cold / baseline, "<= 1.2")
    help_time, typer_time = best(run("-m", "attnsolve", "--help"), run("-c", "import typer"))
    row("--help / import typer", help_time / typer_time, "<= 1.5")
    ours(4, 4)
    compare(16, ">= 50")
    if "--long" in sys.argv:
        compare(32, ">= 500")
    sizes = {tokens: min(ours(tokens, 16) for _ in range(2)) for tokens in (16, 32, 64, 128)}
    row("128 / 16 tokens at width 16 (quadratic: 64)", sizes[128] / sizes[16], "<= 64")
    print("seconds at width 16: " + ", ".join(f"{tokens} tokens {t:.2f}" for tokens, t in sizes.items()))


if __name__ == "__main__":
    main()
