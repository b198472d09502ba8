"""A class of answer files marked: `python tests/benchmarks/classroom.py [FILES] [PROBLEM]` prints how long it took.

A third of the files is right, a third has one catalogued mistake in it, a third has digits slipped at random.
"""

from __future__ import annotations

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from attnsolve.check.run import load_solution
from attnsolve.errors import UnsolvableError
from attnsolve.graph import Graph, run
from attnsolve.graph.mistakes import slipped
from attnsolve.numbers.floats import Floats

WRITTEN = ("queries", "keys", "values", "scaled", "weights", "context", "concat", "output")


def sheet(graph: Graph, digits: random.Random | None = None) -> str:
    """What is handed in: three places of everything, with a digit slipped here and there where there is chance."""
    lines = []
    for quantity in graph:
        if quantity.given or quantity.key.id not in WRITTEN:
            continue
        table = run(graph, Floats)[quantity.key]
        if table is None:
            raise UnsolvableError("no numbers")
        rows = [[f"{x:.3f}" for x in row] for row in table.rows]
        if digits is not None and digits.random() < 0.4:
            row = digits.choice(rows)
            place = digits.randrange(len(row))
            at = digits.choice([i for i, x in enumerate(row[place]) if x.isdigit()])
            row[place] = (
                row[place][:at] + str((int(row[place][at]) + digits.randrange(1, 9)) % 10) + row[place][at + 1 :]
            )
        name = str(quantity.key)
        lines.append(f"{name!r}: [{', '.join('[' + ', '.join(row) + ']' for row in rows)}]")
    return "\n".join(lines) + "\n"


def write_class(folder: Path, problem: str, number: int) -> list[str]:
    """The files of a class."""
    chance, solution = random.Random(1), load_solution(problem)
    graph, paths = solution.graph, []
    for place in range(number):
        path = folder / f"student-{place:04}.yaml"
        made = slipped(graph, chance.choice(solution.slips)) if place % 3 == 1 else graph
        path.write_text(sheet(made, chance if place % 3 == 2 else None), encoding="utf-8")
        paths.append(str(path))
    return paths


def main(number: int = 1000, problem: str = "self-attention-q1") -> None:
    """Mark a class, and say how long that took."""
    with tempfile.TemporaryDirectory() as folder:
        paths = write_class(Path(folder), problem, number)
        start = time.perf_counter()
        command = [sys.executable, "-m", "attnsolve", "check", problem, *paths, "--format", "csv"]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        taken = time.perf_counter() - start
    rows = run.stdout.splitlines()[1:]
    print(f"{number} files for {problem}: {taken:.1f} s, {1000 * taken / number:.1f} ms a file")
    print(f"exit code {run.returncode}, {len(rows)} rows, {run.stderr.strip() or 'nothing on stderr'}")
    causes = Counter(row.split(",")[-2] for row in rows)
    print(", ".join(f"{name or 'no cause'}: {times}" for name, times in causes.most_common(12)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2] if len(sys.argv) > 2 else "self-attention-q1")
