"""What has changed for a user since a commit: `python tests/recorded/compare.py REVISION [--random N] [--hostile N]`.

Every recorded command line is run by the program as it is and as it was then: for every bundled problem, for random
problems over all options with answers that have a slip in them, and for hostile files. Standard output, standard error
and exit codes that differ are shown as diffs; the exit code is 1 if any do.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

TESTS = Path(__file__).parents[1]
sys.path.append(str(TESTS))

RUNNER = """
import json, sys
from shared.program import run
for line in sys.stdin:
    command = json.loads(line)
    terminal = command[0] == "TERMINAL"
    done = run(command[1:] if terminal else command, terminal=terminal)
    print(json.dumps([done.code, done.out, done.err]), flush=True)
"""
Command = Sequence[str]
Outcome = list[Any]


def outcomes(tree: Path, commands: Sequence[Command], folder: Path) -> list[Outcome]:
    """The exit code, standard output and standard error of each command, run by the program in a tree."""
    places = [tree, TESTS]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, places)), "COLUMNS": "80", "TERM": "xterm-256color"}
    for name in ("NO_COLOR", "FORCE_COLOR", "COLORTERM", "TTY_COMPATIBLE", "LINES"):
        env.pop(name, None)
    lines = "".join(json.dumps(list(command)) + "\n" for command in commands)
    # -P: the program in the tree is meant, and not one that lies in the working folder
    done = subprocess.run(
        [sys.executable, "-P", "-c", RUNNER], input=lines, capture_output=True, text=True, cwd=folder, env=env
    )
    found = [json.loads(line) for line in done.stdout.splitlines()]
    if len(found) < len(commands):
        raise SystemExit(f"{' '.join(commands[len(found)])} ended the program:\n{done.stderr}")
    return found


def drawn(count: int) -> list[str]:
    """Random problems over all options, the same ones every time."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st
    from shared.drawn import combined, encoder_decoders, with_parts

    texts: dict[str, None] = {}
    attention = combined().flatmap(lambda problem: with_parts(problem, ["weights"], 1))

    @settings(
        max_examples=4 * count, derandomize=True, database=None, phases=[Phase.generate],
        suppress_health_check=[*HealthCheck], deadline=None,
    )  # fmt: skip
    @given(st.one_of(attention, attention, encoder_decoders()))
    def collect(problem: Any) -> None:
        kind = "" if hasattr(problem, "given") else "kind: seq2seq\n"
        text = problem.yaml()
        texts[text if "kind:" in text else kind + text] = None

    collect()
    chosen = list(texts)
    random.Random(12).shuffle(chosen)
    return chosen[:count]


def hostile(count: int) -> Iterator[bytes]:
    """Files that mean harm, and honest ones broken at random."""
    from hostile.test_counted import HOSTILE
    from hostile.test_inputs import CODE, PLACES
    from shared.mutate import corpus, mutated
    from shared.structured import changed_tree

    yield from (text.encode() for text, *_ in HOSTILE.values())
    yield from (place.format(f'"{code}"').encode() for place in PLACES for code in CODE[:3])
    chance, files = random.Random(12), corpus()
    for number in range(count):
        yield (mutated if number % 2 else changed_tree)(chance, files)


def answers(solved: str, number: int) -> str | None:
    """The results of a solved problem at three digits, one of them changed: JSON is YAML."""
    chance = random.Random(number)
    found = {}
    for quantity in json.loads(solved)["quantities"]:
        if quantity["decimal"] is not None and not quantity.get("given"):
            name = quantity["id"] if quantity["head"] is None else f"head {quantity['head']}: {quantity['id']}"
            found[name] = [_rounded(row) for row in quantity["decimal"]]
    results = [name for name in found if name.split(": ")[-1] in RESULTS]
    if not results:
        return None
    wrong = chance.choice(results)
    row = chance.choice(found[wrong]) if isinstance(found[wrong][0], list) else found[wrong]
    row[chance.randrange(len(row))] = f"{chance.randrange(1, 9)}.25"
    return json.dumps({name: found[name] for name in results if name >= wrong or chance.random() < 0.8})


RESULTS = (
    "queries",
    "keys",
    "values",
    "scores",
    "scaled",
    "masked",
    "weights",
    "context",
    "concat",
    "output",
    "joined",
)


def _rounded(entry: Any) -> Any:
    if isinstance(entry, list):
        return [_rounded(x) for x in entry]
    return entry if "inf" in entry else f"{float(entry):.3f}"


def with_files(folder: Path, before: Path, randoms: int, hostiles: int) -> list[Command]:
    """Write the random and hostile files, and say which commands they are given to."""
    from recorded.commands import EVERY, filled

    names, commands = [], []
    for number, text in enumerate(drawn(randoms)):
        names.append(f"random-{number}.yaml")
        (folder / names[-1]).write_text(text, encoding="utf-8")
    solved = outcomes(before, [("solve", name, "--format", "json") for name in names], folder)
    for number, (name, (code, out, _)) in enumerate(zip(names, solved, strict=True)):
        commands += [filled(command, name) for command in EVERY if command[0] != "check"]
        if code == 0 and (found := answers(out, number)) is not None:
            (folder / f"answers-{number}.yaml").write_text(found, encoding="utf-8")
            commands += [("check", name, f"answers-{number}.yaml", "--format", how) for how in ("text", "json")]
    for number, data in enumerate(hostile(hostiles)):
        (folder / (name := f"hostile-{number}.yaml")).write_bytes(data)
        commands += [
            ("solve", name),
            ("solve", name, "--format", "json"),
            ("lint", name),
            ("check", "causal-mask", name),
        ]
    return commands


def main() -> int:
    """Compare, and print what differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("revision", help="the commit to compare with")
    parser.add_argument("--random", type=int, default=300, help="how many random problems")
    parser.add_argument("--hostile", type=int, default=300, help="how many files broken at random")
    parser.add_argument("--most", type=int, default=20, help="how many diffs to show")
    wanted = parser.parse_args()
    here = TESTS.parent
    from recorded.commands import HELP, of_bundled

    with tempfile.TemporaryDirectory() as place:
        before, folder = Path(place, "before"), Path(place, "files")
        folder.mkdir()
        subprocess.run(["git", "-C", here, "worktree", "add", "-q", "--detach", before, wanted.revision], check=True)
        try:
            commands: list[Command] = [*HELP, *(command for group in of_bundled().values() for command in group)]
            commands += with_files(folder, before, wanted.random, wanted.hostile)
            with ThreadPoolExecutor(2) as pool:
                then, now = pool.map(lambda tree: outcomes(tree, commands, folder), (before, here))
        finally:
            subprocess.run(["git", "-C", here, "worktree", "remove", "--force", before], check=True)
        differing = [(c, a, b) for c, a, b in zip(commands, then, now, strict=True) if a != b]
        for command, old, new in differing[: wanted.most]:
            show(command, old, new, folder)
    print(f"{len(commands)} commands, {len(differing)} differ")
    return 1 if differing else 0


def show(command: Command, old: Outcome, new: Outcome, folder: Path) -> None:
    """One difference."""
    print(f"$ {' '.join(command)}    (exit code {old[0]}, now {new[0]})")
    for before, after in zip(old[1:], new[1:], strict=True):
        print("\n".join(difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=0)))
    for word in command:
        if (path := folder / word).is_file():
            print(f"{word}: {path.read_bytes()[:1500]!r}")
    print()


if __name__ == "__main__":
    sys.exit(main())
