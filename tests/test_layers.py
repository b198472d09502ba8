"""Imports go one way only, those inside functions included: what is below knows nothing of what is above."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import attnsolve

PACKAGE = Path(attnsolve.__file__).parent
LAYERS = [
    {"key", "record"},
    {"errors", "notation", "worked"},
    {"document", "numbers", "output"},
    {"bounds", "refusal", "render"},
    {"operations"},
    {"graph", "guard", "language", "options"},
    {"places"},
    {"inner"},
    {"algebra", "checks", "computed", "mistakes", "publish"},
    {"limits", "spec"},
    {"kinds", "measured", "solution"},
    {"derivation", "derivations", "narrate", "loader"},
    {"attempts", "contract", "from_python", "pipeline", "schema"},
    {"attnsolve", "check", "export"},
    {"cli"},
    {"__main__"},
]
"""The parts of the package from below to above. Those on one line don't import each other either, but for TOGETHER."""
TOGETHER = [{"narrate", "derivations", "derivation"}]
"""Proofs are told among the steps of a solution, and topics tell solutions as examples."""


def imports() -> Iterator[tuple[str, str]]:
    """Every part with each other part that it imports when it runs; types alone don't count."""
    for path in PACKAGE.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for_types = {
            id(inner)
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and node.module and id(node) not in for_types:
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                for name in names:
                    if name.startswith("attnsolve."):
                        yield part(path), imported(name)


def part(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    return "attnsolve" if first == "__init__" else first


def imported(name: str) -> str:
    first = name.split(".")[1]
    known = (PACKAGE / first).is_dir() or (PACKAGE / f"{first}.py").is_file()
    return first if known else "attnsolve"


HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def test_every_part_has_its_layer() -> None:
    there = {part(path) for path in PACKAGE.rglob("*.py")}
    assert there == set(HEIGHT)
    assert sum(map(len, LAYERS)) == len(HEIGHT)


def test_imports_go_down_only() -> None:
    wrong = {
        (above, below)
        for above, below in imports()
        if above != below
        and below != "attnsolve"  # the version, for the command line
        and HEIGHT[below] >= HEIGHT[above]
        and not any({above, below} <= group for group in TOGETHER)
    }
    assert wrong == set()
