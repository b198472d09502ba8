"""Speed as ratios measured in one run: `python tests/benchmarks/speed.py`, with `--long` for the 32 × 32 comparison.

Machines are noisy, so nothing here is a test; each figure is the best of several runs that take turns. What is given in
milliseconds has the time of a plain loop beside it, to tell a slow machine by.
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

from attnsolve.loading.files import load_one, parse
from attnsolve.narrate.steps import Narration, narrate
from attnsolve.pipeline import solve
from attnsolve.render.markdown import render
from attnsolve.render.text import render as render_text

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
    return timed(lambda: render(narrate(solve(problem), Narration(detail="brief"))))


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
    print(f"{what:<66} {ratio:>8.2f}x   {wanted and 'wanted ' + wanted}", flush=True)


def compare(size: int, wanted: str) -> None:
    """Ours, the best of a few runs, against sympy.Matrix, which takes so long that one run will do."""
    ratio = with_sympy(size, size) / min(ours(size, size) for _ in range(TURNS))
    row(f"{size} tokens, {size} wide: sympy.Matrix + evalf + latex / ours", ratio, wanted)


def timed(work: Callable[[], object]) -> float:
    """How long something takes."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def warm(name: str) -> None:
    """A worksheet in a process that has everything loaded: solved, told, and rendered as Markdown and as text."""
    problem = load_one(name)
    document = solve(problem).to_document()
    solving, narration, markdown, text, loop = best(
        lambda: timed(lambda: solve(problem)),
        lambda: timed(lambda: solve(problem).to_document()),
        lambda: timed(lambda: render(document)),
        lambda: timed(lambda: render_text(document, 80)),
        lambda: timed(lambda: sum(i for i in range(100_000))),
    )
    stages = (("solved", solving), ("told", narration - solving), ("Markdown", markdown), ("text", text))
    said = ", ".join(f"{stage} {1000 * seconds:.1f} ms" for stage, seconds in stages)
    print(f"warm {name:<28} {said}; a loop of 100,000: {1000 * loop:.1f} ms", flush=True)


def batch(problems: int = 100) -> None:
    """Problems read, solved and told, one after the other."""
    texts = [problem_text(3, 2 + number % 3) for number in range(problems)]

    def work() -> None:
        for text in texts:
            (problem,) = parse(text, "random.yaml")
            render_text(solve(problem).to_document(), 80)

    rate = 60 * problems / timed(work)
    print(f"{'problems a minute, read, solved and told as text':<66} {rate:>8,.0f}   wanted >= 500")


def main() -> None:
    """Print the table."""
    imports = run("-c", "import numpy, sympy, typer, rich")
    for name in WORKSHEETS:
        cold, baseline = best(run("-m", "attnsolve", "solve", name), imports)
        row(f"cold solve {name} / import numpy, sympy, typer, rich", cold / baseline, "<= 1.0")
    for command, wanted in (("--help", "<= 1.5"), ("list", ""), ("schema", "")):
        taken, typer_time = best(run("-m", "attnsolve", command), run("-c", "import typer"))
        row(f"{command} / import typer", taken / typer_time, wanted)
    for name in WORKSHEETS:
        warm(name)
    batch()
    ours(4, 4)
    compare(16, ">= 50")
    if "--long" in sys.argv:
        compare(32, ">= 500")
    sizes = {tokens: min(ours(tokens, 16) for _ in range(2)) for tokens in (16, 32, 64, 128)}
    row("128 / 16 tokens at width 16 (quadratic: 64)", sizes[128] / sizes[16], "<= 64")
    print("seconds at width 16: " + ", ".join(f"{tokens} tokens {t:.2f}" for tokens, t in sizes.items()))


if __name__ == "__main__":
    main()
