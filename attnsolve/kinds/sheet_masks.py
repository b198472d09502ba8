"""Masks in the formulas of a sheet: a rule, a comparison or a matrix, as a quantity that is added to scores or marks
entries."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING

from attnsolve.language import masks, syntax
from attnsolve.language.syntax import Node, written
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.choice import Larger
from attnsolve.operations.entrywise import Multiply, Plus
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.mask import Forbid, MaskRule
from attnsolve.operations.number import numeral

if TYPE_CHECKING:
    from attnsolve.kinds.sheet import SheetLowering


class SheetMasks:
    """The masks in one formula of a sheet."""

    def __init__(self, sheet: SheetLowering) -> None:
        self.sheet = sheet

    def mask(self, node: Node, shape: tuple[int, int]) -> Formula:
        """What a mask adds to scores of that shape: −∞ where it forbids."""
        if masks.is_rule(node) and masks.compares(node):
            return self.sheet.add("mask", Forbid(self._conditions(node, shape)), shape, ("M", "B"))
        if not masks.is_rule(node):
            rows = self.sheet.matrix(node)
            if rows is None:
                return self._computed_mask(node)
            if masks.as_added(rows) == rows and len(rows) == shape[0]:
                return self.sheet.alone(node)
        return self._mask_quantity(node, shape, marked=False)

    def indicator(self, node: Node, shape: tuple[int, int]) -> Formula:
        """The same as 1 where it allows, 0 where it forbids."""
        if not masks.is_rule(node):
            return self.sheet.alone(node)
        return self._conditions(node, shape) if masks.compares(node) else self._mask_quantity(node, shape, marked=True)

    def _conditions(self, node: Node, shape: tuple[int, int]) -> Formula:
        """Comparisons joined by and, or, not: their product, the larger one, 1 less it."""
        match node:
            case syntax.GroupNode(inner=inner):
                return self._conditions(inner, shape)
            case syntax.PrefixNode(sign="not", inner=inner):
                made: Formula = Plus(numeral(1), Negate(self._conditions(inner, shape)))
            case syntax.ChainNode(first=first, rest=rest) if rest[0][0] in ("and", "or"):
                parts = [self._conditions(part, shape) for part in (first, *(part for _, part in rest))]
                made = reduce(Multiply if rest[0][0] == "and" else Larger, parts)
            case _:
                return self.indicator(node, shape)
        return self.sheet.add("conditions", made, shape, ())

    def _computed_mask(self, node: Node) -> Formula:
        formula = self.sheet.alone(node, ("M", "B"))
        made = self.sheet.builder.quantities[formula.key].formula if isinstance(formula, Ref) else formula
        return self.sheet.add("mask", Forbid(formula), self.sheet.shape(node), ("M", "B")) if made.marks else formula

    def _mask_quantity(self, node: Node, shape: tuple[int, int], *, marked: bool) -> Formula:
        def transposed_back(rows: masks.Rows) -> masks.Rows:
            return tuple(zip(*rows, strict=True)) if self.sheet.down else rows

        queries, keys = shape[::-1] if self.sheet.down else shape
        words = SheetMaskWords(self.sheet)
        rule = MaskRule(
            transposed_back(masks.added(node, queries, keys, words)),
            written(node),
            masks.condition(node),
            tuple(
                (id, message, transposed_back(masks.added(other, queries, keys, words)))
                for id, message, other in masks.mistaken(node, words)
            ),
            marked,
        )
        return self.sheet.add("mask", rule, shape, ("M", "B"))


class SheetMaskWords:
    """What stands in a mask, about queries (rows) and keys (columns) however the sheet lays them out."""

    def __init__(self, sheet: SheetLowering) -> None:
        self.sheet = sheet

    def whole(self, node: Node) -> int:
        """A whole number."""
        return self.sheet.whole(node)

    def matrix(self, node: Node) -> masks.Rows | None:
        """A matrix that is given."""
        rows = self.sheet.matrix(node)
        if rows is None or not self.sheet.down or len(self.sheet.shape(node)) == 1:
            return rows
        return tuple(zip(*rows, strict=True))
