"""The command lines whose output is recorded: every command, format and option, for one problem at a time."""

from __future__ import annotations

from attnsolve.kinds import ARGUMENTS
from attnsolve.loading.files import load_all
from attnsolve.loading.sources import bundled

Command = tuple[str, ...]
"""Words of a command line; TERMINAL in front where standard output is one."""
TERMINAL = "TERMINAL"

SOLVE: list[Command] = [
    ("solve", "PROBLEM"),
    (TERMINAL, "solve", "PROBLEM", "--width", "100"),
    ("solve", "PROBLEM", "--format", "json"),
    ("solve", "PROBLEM", "--format", "json", "--digits", "12"),
    ("solve", "PROBLEM", "--format", "markdown"),
    ("solve", "PROBLEM", "--format", "markdown", "--math", "dollar", "--detail", "full"),
    ("solve", "PROBLEM", "--detail", "brief", "--format", "text", "--width", "200"),
    ("solve", "PROBLEM", "--detail", "full", "--format", "text", "--width", "60"),
    ("solve", "PROBLEM", "--only", "weights", "--for", "1", "--digits", "3"),
    ("export", "PROBLEM", "-", "--math", "latex", "--detail", "full"),
    ("export", "PROBLEM", "-", "--solutions", "none", "--math", "none"),
]
EXPLAIN: list[Command] = [
    ("explain", "PROBLEM", "weights[1,1]"),
    ("explain", "PROBLEM", "context[1,1]", "--format", "markdown"),
    ("explain", "PROBLEM", "head 0: c_1,1"),
    ("explain", "PROBLEM", "output[1,1]", "--digits", "4"),
]
CHECK: list[Command] = [
    ("lint", "PROBLEM"),
    ("lint", "PROBLEM", "--format", "json"),
    ("check", "PROBLEM"),
    ("check", "PROBLEM", "--format", "json"),
    ("check", "PROBLEM", "--format", "markdown"),
    ("check", "PROBLEM", "--no-follow", "--digits", "3"),
    ("check", "PROBLEM", "--format", "csv"),
]
EVERY = [*SOLVE, *EXPLAIN, *CHECK]
ARGUED = [SOLVE[0], SOLVE[2], SOLVE[4], *SOLVE[-2:], EXPLAIN[0], *CHECK[:3]]
"""For problems that are an argument: they have one detail only, and on a terminal the colours of all others. There, in
a process of its own, each would be verified anew, which takes a second."""
STATED = [SOLVE[0], SOLVE[2], SOLVE[4], CHECK[0]]
"""For sheets that state their own formulas: what else there is to print, others have."""
NAMES = (
    "solve",
    "explain",
    "check",
    "lint",
    "export",
    "list",
    "schema",
    "new",
    "read",
    "guide",
    "bounds",
    "completion",
)
HELP: list[Command] = [("--help",), *((name, "--help") for name in NAMES)]
"""Laid out by typer and click, each version in its own way."""
ALONE: list[Command] = [
    ("--version",),
    ("list",),
    ("bounds",),
    *(("schema", "--of", what) for what in ("problem", "solution", "check", "lint")),
    ("check", "causal-mask", "--feedback", "reports"),
    ("solve", "no-such-problem"),
    ("solve", "causal-mask", "--only", "wieghts"),
]


def filled(command: Command, problem: str) -> Command:
    """A command line for one problem."""
    return tuple(problem if word == "PROBLEM" else word for word in command)


def of_bundled() -> dict[str, list[Command]]:
    """Every command line for every bundled problem, and under "" those that need none."""
    found = {"": ALONE}
    for name in bundled():
        (problem, *_) = load_all(name, check=False)
        stated = problem.formulas is not None or problem.kind == "formulas"
        commands = STATED if stated else ARGUED if problem.kind in ARGUMENTS else EVERY
        found[name] = [filled(command, name) for command in commands]
    return found
