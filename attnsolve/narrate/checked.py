"""What was verified of the results: said once at the end of a document; on the spot, what fails or is remarkable."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence

from attnsolve.document import Block, Verdict
from attnsolve.graph import Quantity
from attnsolve.key import Key
from attnsolve.notation.text import TextPrinter
from attnsolve.operations.context import Law
from attnsolve.solution.checks import FLOAT64, SHAPE

MOST_NAMED = 3
"""A sentence about the results of more quantities than this names none of them."""


class Verification:
    """Collects what was verified while a document is written."""

    def __init__(self) -> None:
        self.laws: dict[Quantity, Sequence[Law]] = {}

    def add(self, quantity: Quantity, laws: Sequence[Law]) -> list[Block]:
        """Take note of a result's checks; what is to be said of them beside it."""
        self.laws[quantity] = laws
        shown = tuple((law.holds, law.description) for law in laws if law.remarkable or not law.holds)
        return [Verdict(shown)] if shown else []

    def closing(self, shown: Collection[Key] | None = None) -> list[Block]:
        """One line on everything that holds, or on the quantities `shown`; nothing where there is nothing to say but
        shapes."""
        if shown is not None:
            self.laws = {quantity: laws for quantity, laws in self.laws.items() if quantity.key in shown}
        sentences = [*self._second_opinion(), *self._others()]
        return [Verdict(((True, f"Checked: {'; '.join(sentences)}."),))] if sentences else []

    def _second_opinion(self) -> Iterable[str]:
        found = [law for laws in self.laws.values() for law in laws if law.is_about(FLOAT64)]
        agreeing = [law for law in found if law.holds]
        if not agreeing:
            return
        which = "every" if len(found) == len(self.laws) else "wherever float64 can hold the numbers, every"
        which += " other" if len(agreeing) < len(found) else ""
        at = next((law.at for law in agreeing if law.at), "")
        yield f"{which} result agrees with an independent float64 computation{at}"

    def _others(self) -> Iterable[str]:
        about: dict[str, list[Quantity]] = {}
        for quantity, laws in self.laws.items():
            for law in laws:
                if law.holds and not law.is_about(FLOAT64) and not law.is_about(SHAPE):
                    about.setdefault(law.description, []).append(quantity)
        for description, quantities in about.items():
            vector, rest = _only_vector(description, quantities)
            if vector:
                yield f"{vector} {rest}"
                continue
            yield re.sub(r"\b(row|column|entry)\b", rf"\1{_of(quantities)}", description, count=1)


def _only_vector(description: str, quantities: Sequence[Quantity]) -> tuple[str, str]:
    """What a sentence on each row (or column) is about where there is one of them, and how it goes on."""
    for axis, each in enumerate(("each row ", "each column ")):
        if description.startswith(each) and all(quantity.shape[axis] == 1 for quantity in quantities):
            rest = description.removeprefix(each)
            if all(quantity.key.id == "weights" for quantity in quantities) and rest.startswith("sums "):
                return "the weights", "sum " + rest.removeprefix("sums ")
            if len(quantities) == 1:
                return TextPrinter().print(quantities[0].name.matrix), rest
    return "", description


def _of(quantities: Sequence[Quantity]) -> str:
    """Whose rows or entries are meant."""
    if all(quantity.key.id == "weights" for quantity in quantities):
        return " of weights"
    names = list(dict.fromkeys(TextPrinter().print(quantity.name.matrix) for quantity in quantities))
    if len(names) > MOST_NAMED:
        return ""
    *others, last = names
    return f" of {', '.join(others)} and {last}" if others else f" of {last}"
