"""Masking: −∞ is added wherever a token may not look, so that its weight becomes e^(−∞) = 0."""

from __future__ import annotations

from dataclasses import dataclass

from attnsolve.operations.add import Add
from attnsolve.operations.formula import Key, Law, View


@dataclass(frozen=True, eq=False, repr=False)
class Mask(Add):
    """scores + mask, entry by entry."""

    def laws(self, view: View, target: Key) -> list[Law]:
        (mask,) = self.right.leaves()
        places = [place for lane in view.places(target) for place in lane]
        holds = all(view.real(target, *place).is_infinite for place in places if view.real(mask, *place).is_infinite)
        return [Law("blocked-where-masked", "−∞ stands wherever the mask forbids", holds)]
