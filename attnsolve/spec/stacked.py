"""Whether a key of a problem file holds one matrix, or one for each head."""

from __future__ import annotations

from typing import TypeGuard

from attnsolve.spec import inner_names as inside
from attnsolve.spec import reader
from attnsolve.spec.fitting import PROJECTIONS, SOURCES

WEIGHTS = tuple(weight for weight, _ in PROJECTIONS.values())


def has_sources(node: reader.Node) -> TypeGuard[reader.Mapping]:
    """Whether queries, keys and values have inputs of their own."""
    return isinstance(node, reader.Mapping) and any(key.text in SOURCES for key, _ in node.entries)


def entries_of(node: reader.Node) -> tuple[tuple[reader.Scalar, reader.Node], ...]:
    """The keys and values of a mapping; none of anything else."""
    return node.entries if isinstance(node, reader.Mapping) else ()


def is_stacked(name: str, node: reader.Node) -> bool:
    """Whether it is a weight matrix written once for each head."""
    return name in WEIGHTS and _depth(node) == 3


def is_list_of_lists(name: str, node: reader.Node) -> bool:
    """Whether one number for each token is given for each head, and not as one column."""
    rows = node.items if isinstance(node, reader.Sequence) and name in inside.BY_TOKEN else ()
    return len(rows) > 1 and all(isinstance(row, reader.Sequence) and len(row.items) > 1 for row in rows)


def _depth(node: reader.Node) -> int:
    """How deep lists stand in each other; a matrix that is no list counts as one of rows."""
    if isinstance(node, reader.Numbers | reader.Mapping):
        return 2
    return 1 + min(map(_depth, node.items)) if isinstance(node, reader.Sequence) and node.items else 0
