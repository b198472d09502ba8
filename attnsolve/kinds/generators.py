"""sum(i=1..n, …) and its kin: the body once for every value of the index, put together as the word says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from attnsolve.bounds import allowed
from attnsolve.language import syntax
from attnsolve.language.expression_shapes import shape_text
from attnsolve.language.syntax import CallNode, Node, NumberNode, RangeNode, written
from attnsolve.language.tokens import LanguageError
from attnsolve.operations.concatenate import Concatenate
from attnsolve.operations.formula import Formula
from attnsolve.operations.structure import EntryTable, Generated

if TYPE_CHECKING:
    from attnsolve.kinds.sheet import SheetLowering

Steps = list[dict[str, int]]


def generated(call: CallNode, sheet: SheetLowering) -> Formula:
    """What a generator comes to."""
    ranges = [place for place in call.over if isinstance(place, RangeNode)]
    over = tuple(map(sheet.over, ranges))
    values = [_values(place, sheet) for place in ranges]
    steps = _steps([place.index for place in ranges], values)
    sheet.unroll(len(steps), call)
    (body,) = call.arguments
    bodies = [put_in(body, {index: NumberNode(str(value)) for index, value in step.items()}) for step in steps]
    _same_shape(call, bodies, sheet)
    pattern = sheet.pattern(body, steps[0])
    if call.name in ("sum", "max"):
        how = "sum" if call.name == "sum" else "max"
        return Generated(how, over, pattern, tuple(map(sheet.formula, bodies)))  # type: ignore[arg-type]
    shape = sheet.shape(bodies[0])
    if call.name in ("list", "table") and not shape:
        return EntryTable(over, pattern, tuple(map(sheet.formula, bodies)), len(values[-1]))
    if call.name in ("list", "table") and (len(shape) == 2 or len(over) > 1):
        message = f"{written(call)} would be a family of matrices"
        raise LanguageError(message, "use stack or concat, or one index fewer", call.start)
    down = call.name != "concat" and shape != ()
    return Concatenate(tuple(map(sheet.operand, bodies)), down)


def _values(place: RangeNode, sheet: SheetLowering) -> Sequence[int]:
    first, last = sheet.whole(place.first), sheet.whole(place.last)
    but = None if place.but is None else sheet.whole(place.but)
    if last - first >= allowed().nested_terms:
        raise LanguageError(f"{place.index} can't go from {first} to {last}", "", place.start)
    values = [value for value in range(first, last + 1) if value != but]
    if not values:
        raise LanguageError(f"{place.index} has an empty range", "", place.start)
    return values


def _steps(names: Sequence[str], values: Sequence[Sequence[int]]) -> Steps:
    count = prod(map(len, values))
    if count > allowed().nested_terms:
        raise LanguageError(f"a generator may have at most {allowed().nested_terms} terms, but this one has {count}")
    return [dict(zip(names, step, strict=True)) for step in product(*values)]


def _same_shape(call: CallNode, bodies: Sequence[Node], sheet: SheetLowering) -> None:
    first = sheet.shape(bodies[0])
    for body in bodies[1:]:
        if (other := sheet.shape(body)) != first:
            message = f"the terms of {written(call)} have different shapes, {shape_text(first)} and {shape_text(other)}"
            raise LanguageError(message, "", call.start)


def put_in(node: Node, others: Mapping[str, Node]) -> Node:
    """A formula with other things in place of some names; an index that runs inside of it keeps its own meaning.

    >>> from attnsolve.language.parser import parse_formula
    >>> written(put_in(parse_formula("a[i,:]*sum(j=1..i, b[j])"), {"i": NumberNode("2"), "j": NumberNode("9")}))
    'a[2,:]*sum(j=1..2, b[j])'
    """
    match node:
        case syntax.NameNode(name=name):
            return others.get(name, node)
        case CallNode(over=over) if over:
            bound = {place.index for place in over if isinstance(place, RangeNode)}
            inside = {name: other for name, other in others.items() if name not in bound}
            ranges = tuple(_changed(place, lambda part: put_in(part, others)) for place in over)
            changed = _changed(node, lambda part: put_in(part, inside))
            return changed.replaced(over=ranges)
    return _changed(node, lambda part: put_in(part, others))


def _changed(node: Node, change: Callable[[Node], Node]) -> Node:
    def value(old: object) -> object:
        if isinstance(old, Node):
            return change(old)
        return tuple(map(value, old)) if isinstance(old, tuple) else old

    return node.replaced(**{name: value(old) for name, old in node.__dict__.items()})


def names_in(node: Node) -> Iterator[str]:
    """Every name that stands in a formula."""
    if isinstance(node, syntax.NameNode):
        yield node.name
    for old in node.__dict__.values():
        for part in old if isinstance(old, tuple) else (old,):
            if isinstance(part, Node):
                yield from names_in(part)
