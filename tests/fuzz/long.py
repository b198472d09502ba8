"""`PYTHONPATH=tests python tests/fuzz/long.py --minutes 30` gives mutated files to every command for so long.

Each worker runs inputs one after the other in a process of its own; this one looks on, and ends a worker that takes
more than a gigabyte or doesn't come back. What breaks a promise is kept in a folder outside the repository, and told
once for each way of breaking it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import tempfile
import time
from collections import Counter
from multiprocessing.connection import Connection, wait
from pathlib import Path

from shared.lettered import lettered
from shared.mutate import corpus, mutated
from shared.program import VARIANTS, held
from shared.structured import changed_tree

MEGABYTES = 1000
PATIENCE = 60
"""Seconds on the clock without a sign of life; other programs may keep the processor."""


def drawn(chance: random.Random, files: list[bytes]) -> bytes:
    """An input of any sort."""
    which = chance.random()
    return lettered(chance) if which < 0.2 else changed_tree(chance, files) if which < 0.5 else mutated(chance, files)


def work(number: int, seed: int, folder: Path, pipe: Connection) -> None:
    """Run inputs for ever, telling what is about to be run and what came of the last one."""
    files = corpus()
    while True:
        chance = random.Random(f"{seed} {number}")
        variant = chance.choice(list(VARIANTS))
        data = drawn(chance, files)
        path = folder / f"{number}.yaml"
        pipe.send((number, variant, ""))
        complaint = held(variant, data, path)
        pipe.send((number, variant, complaint or "kept"))
        if not complaint:
            path.unlink()
        number += 1


class Worker:
    """A process that runs inputs, and what it was last heard to do."""

    def __init__(self, first: int, seed: int, folder: Path) -> None:
        self.pipe, student = multiprocessing.Pipe()
        self.process = multiprocessing.Process(target=work, args=(first, seed, folder, student), daemon=True)
        self.process.start()
        student.close()
        self.heard = time.monotonic()
        self.number, self.variant = first, ""

    def trouble(self) -> str:
        """Why it must be ended, if so."""
        if not self.process.is_alive():
            return f"the process died ({self.process.exitcode})"
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        if pages * 4096 > MEGABYTES * 1_000_000:
            return "more than a gigabyte of memory"
        return "doesn't come back" if time.monotonic() - self.heard > PATIENCE else ""


class Search:
    """A long run: how much was tried, and what was found."""

    def __init__(self, seed: int, workers: int) -> None:
        self.seed = seed
        self.folder = Path(tempfile.mkdtemp(prefix="attnsolve-fuzz-"))
        self.tried: Counter[str] = Counter()
        self.found: dict[tuple[str, str], int] = {}
        self.workers = [Worker(1_000_000 * i, seed, self.folder) for i in range(workers)]

    def listen(self, minutes: float) -> None:
        """Hear the workers until the time is over."""
        end = time.monotonic() + 60 * minutes
        while time.monotonic() < end:
            for pipe in wait([worker.pipe for worker in self.workers], timeout=0.2):
                worker = next(worker for worker in self.workers if worker.pipe is pipe)
                try:
                    self.hear(worker, *worker.pipe.recv())
                except EOFError:
                    self.replace(worker, "the process died")
            for worker in list(self.workers):
                if trouble := worker.trouble():
                    self.replace(worker, trouble)
        for worker in self.workers:
            worker.process.kill()

    def hear(self, worker: Worker, number: int, variant: str, outcome: str) -> None:
        worker.heard, worker.number, worker.variant = time.monotonic(), number, variant
        if outcome:
            self.tried[variant] += 1
            if outcome != "kept":
                self.to_document(variant, outcome, number)

    def replace(self, worker: Worker, trouble: str) -> None:
        """End a worker and start another after it."""
        self.to_document(worker.variant, trouble, worker.number)
        worker.process.kill()
        self.workers[self.workers.index(worker)] = Worker(worker.number + 1, self.seed, self.folder)

    def to_document(self, variant: str, trouble: str, number: int) -> None:
        if self.found.setdefault((variant, trouble[:60]), number) == number:
            print(f"{variant}: {trouble}\n    {self.folder / str(number)}.yaml", flush=True)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--workers", type=int, default=1)
    options.add_argument("--seed", type=int, default=int(time.time()))
    chosen = options.parse_args()
    search = Search(chosen.seed, chosen.workers)
    search.listen(chosen.minutes)
    for variant in VARIANTS:
        print(f"{search.tried[variant]:>8,}  {variant}")
    print(f"{search.tried.total():>8,}  inputs in all (seed {chosen.seed}); {len(search.found)} findings")


if __name__ == "__main__":
    main()
