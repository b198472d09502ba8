"""A class name means one thing across the package."""

from __future__ import annotations

import ast
from collections import defaultdict

from shared.sources import PACKAGE, nodes

FORMS = {"Call", "Degrees", "Derivative", "Infinity", "Limit", "Norm", "Power", "Product", "Root"}
"""What shares the name of the notation it is written in, which is always read with its prefix: `n.Power`."""

PUBLIC = {"Solution"}
"""What a Python program gets, and what it holds inside."""


def test_no_two_classes_share_a_name_but_formulas_and_their_notation() -> None:
    homes = defaultdict(list)
    for path, found in nodes().items():
        for node in found:
            if isinstance(node, ast.ClassDef):
                homes[node.name].append(path.relative_to(PACKAGE).as_posix())
    shared = {name: files for name, files in homes.items() if len(files) > 1}
    assert set(shared) == FORMS | PUBLIC
    assert all(
        files.count("notation/__init__.py") == 1 and len(files) == 2 for name, files in shared.items() if name in FORMS
    )
    assert [files for name, files in shared.items() if name in PUBLIC] == [["api/solutions.py", "solution/exact.py"]]


def test_notation_is_only_used_with_its_prefix() -> None:
    named = []
    for path, found in nodes().items():
        for node in found:
            if isinstance(node, ast.ImportFrom) and node.module == "attnsolve.notation":
                named += [(path.name, alias.name) for alias in node.names if alias.name in FORMS]
    assert named == []
