"""Masks by what they say: `causal and within(2)`, `first([2, 6])`, `not` a 0/1 matrix, or a matrix that is added.

What comes out is what is added to each score, about query i and key j: nothing where i may look at j, −∞ where not. Who
reads the names in it (a sheet's formulas, or a problem's `mask:`) says what they stand for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from attnsolve.errors import count, there_are
from attnsolve.language.syntax import (
    COMPARISONS,
    CallNode,
    ChainNode,
    GroupNode,
    ListedNode,
    NameNode,
    Node,
    NumberNode,
    PrefixNode,
    written,
)
from attnsolve.language.tokens import LanguageError
from attnsolve.numbers.surds import MINUS_INFINITY, Entry

FREE = Fraction(0)
Rows = tuple[tuple[Entry, ...], ...]
Predicate = Callable[[int, int], bool]
WORDS = ("causal", "within", "first")
"""What has a meaning of its own in a mask."""


class MaskWords(Protocol):
    """What the names and the numbers in a mask stand for."""

    def whole(self, node: Node) -> int:
        """A whole number."""

    def matrix(self, node: Node) -> Rows | None:
        """A matrix or list that is given, queries as rows; None where it is computed, or no name."""


def is_rule(node: Node) -> bool:
    """Whether a mask is put together from words for masks, and not one matrix by itself."""
    match node:
        case GroupNode(inner=inner):
            return is_rule(inner)
        case NameNode(name=name) | CallNode(name=name):
            return name in WORDS
        case PrefixNode(sign="not") | ChainNode(rest=(("and" | "or", _), *_)):
            return True
    return False


def compares(node: Node) -> bool:
    """Whether numbers are compared in it, so that it is computed like any quantity."""
    match node:
        case GroupNode(inner=inner) | PrefixNode(inner=inner):
            return compares(inner)
        case ChainNode(first=first, rest=rest):
            return rest[0][0] in COMPARISONS or (
                rest[0][0] in ("and", "or") and any(map(compares, (first, *(part for _, part in rest))))
            )
    return False


def added(node: Node, queries: int, keys: int, words: MaskWords) -> Rows:
    """What a mask adds to the score of each query (row) and key (column)."""
    match node:
        case GroupNode(inner=inner):
            return added(inner, queries, keys, words)
        case PrefixNode(sign="not", inner=inner):
            rows = _plain(added(inner, queries, keys, words), node)
            return _where(queries, keys, lambda i, j: rows[i][j] != FREE)
        case ChainNode(first=first, rest=rest) if rest[0][0] in ("and", "or"):
            parts = [added(part, queries, keys, words) for part in (first, *(part for _, part in rest))]
            return _both(parts) if rest[0][0] == "and" else _either([_plain(rows, node) for rows in parts])
        case NameNode(name="causal") | CallNode(name="causal"):
            return _where(queries, keys, lambda i, j: j <= i)
        case CallNode(name="within", arguments=(width,)):
            size = words.whole(width)
            return _where(queries, keys, lambda i, j: abs(i - j) < size)
        case CallNode(name="first", arguments=(lengths,)):
            sizes = _lengths(lengths, queries, words)
            return _where(queries, keys, lambda i, j: j < sizes[i])
    matrix = words.matrix(node)
    if matrix is None:
        fix = "masks are causal, within(2), first([2, 3]) and given matrices, combined by and, or, not"
        raise LanguageError(f"{written(node)} can't be combined with other masks", fix, node.start)
    return spread(as_added(matrix), queries, keys, node)


def as_added(matrix: Rows) -> Rows:
    """What a matrix adds: 0s and 1s say what may be looked at, anything else is added as it is.

    >>> as_added(((Fraction(1), Fraction(0)),))
    ((Fraction(0, 1), -inf),)
    """
    if {entry for row in matrix for entry in row} <= {Fraction(0), Fraction(1)}:
        return tuple(tuple(FREE if entry == 1 else MINUS_INFINITY for entry in row) for row in matrix)
    return matrix


def spread(rows: Rows, queries: int, keys: int, node: Node) -> Rows:
    """A matrix for every query and key; one row stands for all of them."""
    if len(rows) == 1 and len(rows[0]) == keys:
        return rows * queries
    if (len(rows), len(rows[0])) != (queries, keys):
        said = f"{written(node)} is {len(rows)}×{len(rows[0])}, but {there_are(queries, 'query', 'queries')}"
        raise LanguageError(f"{said} and {count(keys, 'key')}", "", node.start)
    return rows


def _lengths(node: Node, queries: int, words: MaskWords) -> list[int]:
    """How many keys each query may look at."""
    if not isinstance(node, ListedNode):
        named = words.matrix(node)
        if named is None:
            return [words.whole(node)] * queries
        found = [int(entry) for entry in named[0] if isinstance(entry, Fraction) and entry.denominator == 1]
        if len(found) < len(named[0]):
            raise LanguageError(f"the lengths {written(node)} must be whole numbers", "", node.start)
    else:
        found = [words.whole(entry) for entry in node.entries]
    if len(found) != queries:
        said = f"first needs one length for each of the {count(queries, 'query', 'queries')}, but it has {len(found)}"
        raise LanguageError(said, "or one number for all of them", node.start)
    return found


def _where(queries: int, keys: int, allowed: Predicate) -> Rows:
    return tuple(tuple(FREE if allowed(i, j) else MINUS_INFINITY for j in range(keys)) for i in range(queries))


def _plain(rows: Rows, node: Node) -> Rows:
    """A mask that allows or forbids, and adds nothing."""
    if any(entry not in (FREE, MINUS_INFINITY) for row in rows for entry in row):
        raise LanguageError(f"{written(node)}: a matrix to be added can't be used as a condition", "", node.start)
    return rows


def _both(parts: Sequence[Rows]) -> Rows:
    def joined(entries: Sequence[Entry]) -> Entry:
        return MINUS_INFINITY if MINUS_INFINITY in entries else sum(entries, FREE)

    return tuple(tuple(map(joined, zip(*rows, strict=True))) for rows in zip(*parts, strict=True))


def _either(parts: Sequence[Rows]) -> Rows:
    def joined(entries: Sequence[Entry]) -> Entry:
        return FREE if FREE in entries else MINUS_INFINITY

    return tuple(tuple(map(joined, zip(*rows, strict=True))) for rows in zip(*parts, strict=True))


def condition(node: Node) -> str:
    """Which keys j a query i sees, both counted from 1.

    >>> from attnsolve.language.parser import parse_formula
    >>> condition(parse_formula("causal and within(2)"))
    'j ≤ i and |i − j| < 2'
    """
    match node:
        case GroupNode(inner=inner):
            return f"({condition(inner)})"
        case PrefixNode(sign="not", inner=inner):
            return f"not {condition(inner)}"
        case ChainNode(first=first, rest=rest) if rest[0][0] in ("and", "or"):
            return f" {rest[0][0]} ".join(map(condition, (first, *(part for _, part in rest))))
        case NameNode(name="causal") | CallNode(name="causal"):
            return "j ≤ i"
        case CallNode(name="within", arguments=(width,)):
            return f"|i − j| < {written(width)}"
        case CallNode(name="first", arguments=(ListedNode() as lengths,)):
            return f"j ≤ the length of i in {written(lengths)}"
        case CallNode(name="first", arguments=(lengths,)):
            return f"j ≤ {written(lengths)}"
    return f"{written(node)} allows it"


def mistaken(node: Node, words: MaskWords) -> Iterator[tuple[str, str, Node]]:
    """Masks that are written for this one: an id, a sentence, and the other mask."""
    match node:
        case GroupNode(inner=inner):
            yield from mistaken(inner, words)
        case PrefixNode(sign="not", inner=inner):
            for id, said, other in mistaken(inner, words):
                yield id, said, PrefixNode("not", other)
        case ChainNode(first=first, rest=rest) if rest[0][0] in ("and", "or"):
            parts = [first, *(part for _, part in rest)]
            for place, part in enumerate(parts):
                for id, said, other in mistaken(part, words):
                    changed = [*parts[:place], other, *parts[place + 1 :]]
                    yield id, said, ChainNode(changed[0], tuple((rest[0][0], part) for part in changed[1:]))
        case CallNode(name="within", arguments=(width,)):
            size = words.whole(width)
            for other_size in (size + 1, size - 1):
                if other_size > 0:
                    said = f"the window was off by one: |i − j| < {other_size} instead of |i − j| < {size}"
                    yield "window-off-by-one", said, _with_numbers(node, [other_size])
        case CallNode(name="first", arguments=(lengths,)):
            for by in (1, -1):
                sizes = _sizes(lengths, words)
                if sizes and min(sizes) + by > 0:
                    said = f"the lengths were off by one: each was taken one too {'high' if by > 0 else 'low'}"
                    yield "length-off-by-one", said, _with_numbers(node, [size + by for size in sizes])


def _sizes(lengths: Node, words: MaskWords) -> list[int]:
    """The lengths, one or several."""
    if isinstance(lengths, ListedNode):
        return [words.whole(entry) for entry in lengths.entries]
    named = words.matrix(lengths)
    return [words.whole(lengths)] if named is None else [int(x) for x in named[0] if isinstance(x, Fraction)]


def _with_numbers(node: CallNode, numbers: Sequence[int]) -> CallNode:
    entries = tuple(NumberNode(str(number)) for number in numbers)
    return CallNode(node.name, (ListedNode(entries) if len(entries) > 1 else entries[0],))
