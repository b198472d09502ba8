"""The modules of the package as they are written, each parsed once: for tests of how the code is laid out."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

import attnsolve

PACKAGE = Path(attnsolve.__file__).parent


@cache
def modules() -> dict[Path, ast.Module]:
    """The syntax tree of every module, in order of their paths."""
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(PACKAGE.rglob("*.py"))}


@cache
def nodes() -> dict[Path, tuple[ast.AST, ...]]:
    """Every node of every module."""
    return {path: (*ast.walk(tree),) for path, tree in modules().items()}
