"""Imports go one way only, those inside functions included: what is below knows nothing of what is above."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

from shared.sources import PACKAGE, nodes

LAYERS = [
    {"key", "record"},
    {"errors", "notation"},
    {"document", "guide", "numbers"},
    {"bounds", "unsolvable", "render"},
    {"language"},
    {"library", "operations"},
    {"graph", "guard"},
    {"algebra", "publish"},
    {"spec"},
    {"kinds", "solution"},
    {"narrate", "loading"},
    {"derivations"},
    {"contract", "pasted", "pipeline"},
    {"check", "export"},
    {"api"},
    {"attnsolve"},
    {"cli"},
    {"__main__"},
]
"""The parts of the package from below to above. Those on one line don't import each other either."""


def modules() -> dict[str, Path]:
    """Every module by its name."""
    paths = {path: path.relative_to(PACKAGE.parent).with_suffix("").parts for path in nodes()}
    return {".".join(parts).removesuffix(".__init__"): path for path, parts in paths.items()}


@cache
def imports() -> set[tuple[str, str]]:
    """Every module with each other one that it imports when it runs; types alone don't count."""
    known, found = modules(), set()
    for module, path in known.items():
        for_types = {
            id(inner)
            for node in nodes()[path]
            if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            for inner in ast.walk(node)
        }
        for node in nodes()[path]:
            if isinstance(node, ast.ImportFrom) and node.module in known and id(node) not in for_types:
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                found |= {(module, name if name in known else node.module) for name in names}
    return found


def part(module: str) -> str:
    """What a module belongs to: its folder, or itself."""
    return module.split(".")[1] if "." in module else module


HEIGHT = {name: height for height, layer in enumerate(LAYERS) for name in layer}


def test_every_part_has_its_layer() -> None:
    assert {*map(part, modules())} == {*HEIGHT}
    assert sum(map(len, LAYERS)) == len(HEIGHT)


def test_imports_go_down_only() -> None:
    wrong = {
        (above, below)
        for above, below in imports()
        if part(above) != part(below)
        and below != "attnsolve"  # the version, for the command line
        and HEIGHT[part(below)] >= HEIGHT[part(above)]
    }
    assert wrong == set()


def test_no_module_imports_itself_by_way_of_others() -> None:
    """Take away what imports nothing that is left, again and again: what remains are circles."""
    left: dict[str, set[str]] = {module: set() for module in modules()}
    for above, below in imports():
        left[above] |= {below} - {above}
    while leaves := {module for module, below in left.items() if not below & left.keys()}:
        left = {module: below for module, below in left.items() if module not in leaves}
    assert left == {}
