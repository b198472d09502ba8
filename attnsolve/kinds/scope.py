"""What the names of a sheet mean at one place of it: outside of any repeat, or in one step of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeVar

from attnsolve.key import At
from attnsolve.language.expression_shapes import Shape
from attnsolve.language.shapes import ShapeScope
from attnsolve.language.syntax import AtNode, CallNode, NameNode, Node, RangeNode, SliceNode
from attnsolve.library import parts
from attnsolve.operations.formula import Formula
from attnsolve.record import Fillable, filled


@filled
class NamesInScope(Fillable):
    """Names with their shapes and what stands for them. A step of a repeat is named X@2, the value before prev(X)."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    formulas: dict[str, Formula] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    slices: dict[str, SliceNode] = field(default_factory=dict)
    repeated: dict[str, str] = field(default_factory=dict)
    """Names that have a value at every step of a repeat, and the index of the repeat."""
    at: At = ()
    """Which step of which repeats this is."""
    words: Mapping[str, int] = field(default_factory=dict)
    """The words of the vocabulary, and the names of tokens, with their places: p[cat] is an entry."""

    def inside(self, index: str, label: int, value: int | SliceNode) -> NamesInScope:
        """The same inside one step of a repeat."""
        sizes, slices = dict(self.sizes), dict(self.slices)
        if isinstance(value, SliceNode):
            slices[index] = value
        else:
            sizes[index] = value
        at = (*self.at, (index, label))
        return NamesInScope(dict(self.shapes), dict(self.formulas), sizes, slices, dict(self.repeated), at, self.words)

    def with_sizes(self, sizes: Mapping[str, int]) -> NamesInScope:
        """The same with some names for whole numbers."""
        shapes = {name: shape for name, shape in self.shapes.items() if name not in sizes}
        return replace(self, shapes=shapes, sizes={**self.sizes, **sizes})

    def define(self, name: str, shape: Shape, formula: Formula | None) -> None:
        """Say what a name means."""
        self.shapes[name] = shape
        if formula is not None:
            self.formulas[name] = formula

    def scope(self, layout: str, vectors: str) -> ShapeScope:
        """The same for whoever works out shapes."""
        return ShapeScope(self.shapes, self.sizes, layout, self.slices, vectors, self.words)


def free_names(node: Node, *, before: bool = True, steps: bool = True) -> Iterator[NameNode]:
    """The names that a formula reads, without the indices that run inside of it; unless `before`, without what it reads
    of the step before; unless `steps`, without those of which it names a step."""
    if isinstance(node, NameNode):
        yield node
    if isinstance(node, AtNode) and not steps:
        return
    if isinstance(node, CallNode) and node.name == "prev" and not before:
        return
    bound = {over.index for over in node.over if isinstance(over, RangeNode)} if isinstance(node, CallNode) else set()
    for part in parts(node):
        yield from (name for name in free_names(part, before=before, steps=steps) if name.name not in bound)


Unit = TypeVar("Unit")


def in_order(units: Mapping[str, Unit], needs: Mapping[str, Sequence[str]]) -> tuple[list[str], list[str]]:
    """Names, each after all that it needs and otherwise as they stand; or the first circle that is found."""
    done: dict[str, None] = {}
    path: list[str] = []

    def visit(name: str) -> list[str]:
        if name in path:
            return [*path[path.index(name) :], name]
        if name in done:
            return []
        path.append(name)
        for other in needs[name]:
            if other in units and (circle := visit(other)):
                return circle
        path.pop()
        done[name] = None
        return []

    for name in units:
        if circle := visit(name):
            return [], circle
    return list(done), []
