"""What is known of an operation is known in its own module: nobody else asks which operation a formula is."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from shared.formulas import concrete
from shared.sources import PACKAGE, nodes

from attnsolve.operations.formula import Formula, Given, Ref
from attnsolve.operations.number import Number
from attnsolve.operations.place import Entry

LEAVES = {Ref.__name__, Given.__name__, Number.__name__, Entry.__name__}
"""A reference, numbers, an entry: they say what a formula is about, and are no operations."""
LIBRARY = {
    "algebra/grammar.py", "kinds/attention.py", "kinds/seq2seq.py", "kinds/mistakes.py", "kinds/sheet_mistakes.py",
    "derivations/proofs.py",
}  # fmt: skip
"""Who writes formulas down, and knows what was written."""
NAMES = {operation.__name__ for operation in concrete(Formula)} - LEAVES | {"Normalise", "Bounded", "Binary"}


def wanted(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The classes that something is asked to be one of."""
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance":
            yield from (name.id for name in ast.walk(node.args[1]) if isinstance(name, ast.Name))
        elif isinstance(node, ast.MatchClass) and isinstance(node.cls, ast.Name):
            yield node.cls.id


def operations_imported(nodes: Iterable[ast.AST]) -> set[str]:
    """The names that come from the modules of operations: a Product may also be a notation, or a term of algebra."""
    imports = (node for node in nodes if isinstance(node, ast.ImportFrom))
    return {
        alias.name for node in imports if (node.module or "").startswith("attnsolve.operations") for alias in node.names
    }


def test_no_module_elsewhere_switches_on_operations() -> None:
    found = {}
    for path, inside in nodes().items():
        place = path.relative_to(PACKAGE).as_posix()
        if place.startswith("operations/") or place in LIBRARY:
            continue
        switched = {*wanted(inside)} & operations_imported(inside) & NAMES
        if switched:
            found[place] = switched
    assert found == {}


def test_no_operation_has_a_cell_of_its_own() -> None:
    """How a cell is written comes from the definition alone."""
    assert {operation.__name__ for operation in concrete(Formula) if hasattr(operation, "cell")} == set()


def test_the_run_loop_is_the_only_one() -> None:
    """Whole graphs are evaluated by `graph.run`; a formula by itself only inside operations, where one is
    shown, where the sides of a claim are, and where an operation says why no gradient comes through."""
    allowed = {"graph/__init__.py", "solution/checks.py", "narrate/view.py", "algebra/scopes.py", "check/vanishing.py"}
    found = set()
    for path, inside in nodes().items():
        place = path.relative_to(PACKAGE).as_posix()
        calls = [node for node in inside if isinstance(node, ast.Call) and len(node.args) == 2]
        evaluated = [c for c in calls if isinstance(c.func, ast.Attribute) and c.func.attr == "evaluate"]
        if evaluated and not place.startswith("operations/") and place not in allowed:
            found.add(place)
    assert found == set()
