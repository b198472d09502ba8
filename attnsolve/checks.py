"""What is verified of every result: its shape, the laws of its operation, and a float64 run beside it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from attnsolve.graph import Quantity, evaluate
from attnsolve.numbers.written import expression
from attnsolve.operations.formula import Key, Law

if TYPE_CHECKING:
    from attnsolve.narrate.view import SolutionView
    from attnsolve.numbers.floats import Array, Floats
    from attnsolve.solution import Solution

TOLERANCE = 1e-9
"""How far float64 may lie from the certified value, relative to the largest entry."""
EPSILON = 1e-16
"""Half the distance of float64's neighbours at 1: less than this is no difference."""
LARGEST = 1e9
"""Numbers beyond this lose so many digits in float64 that a comparison says nothing."""


class Checks:
    """The checks of one solution; the float64 run is made once."""

    def __init__(self, solution: Solution, view: SolutionView) -> None:
        import numpy as np

        from attnsolve.numbers.floats import Floats

        self.solution = solution
        self.view = view
        with np.errstate(all="ignore"):  # what float64 can't hold is left out of the comparison
            self.floats: dict[Key, Floats | None] = evaluate(solution.graph, Floats.of)
        if solution.unrounded is not solution:
            self._from_carried_values()

    def _from_carried_values(self) -> None:
        """Where each step rounds, float64 too starts each step from the values carried into it."""
        from attnsolve.numbers.floats import Floats

        carried = {key: Floats.of(exact.rows) for key, exact in self.solution.exact.items() if exact is not None}
        for quantity in self.solution.graph:
            self.floats[quantity.key] = quantity.formula.evaluate(carried, Floats.of)

    def of(self, quantity: Quantity) -> list[Law]:
        """Everything verified of one computed quantity."""
        laws = [self._shape(quantity)]
        if self.solution.unrounded is self.solution:  # rows that were rounded need not sum to 1
            laws += quantity.formula.laws(self.view, quantity.key)
        laws += self._second_opinion(quantity)
        return [Law(f"{quantity.key.id}-{law.id}", law.says, law.holds) for law in laws]

    def _shape(self, quantity: Quantity) -> Law:
        found = self.solution.exact[quantity.key] or self.floats[quantity.key]
        assert found is not None
        rows, columns = quantity.shape
        return Law("has-its-shape", f"{rows}×{columns}", found.shape == quantity.shape)

    def _second_opinion(self, quantity: Quantity) -> list[Law]:
        """Agreement with float64, where float64 can hold the numbers that go in."""
        import numpy as np

        run = self.floats[quantity.key]
        assert run is not None
        ours, sampled = self._ours(quantity)
        finite = np.isfinite(ours)
        if self._too_large or not np.isfinite(run.array[finite]).all():
            return []
        scale = max(1.0, float(np.abs(ours[finite]).max(initial=0.0)))
        difference = float(np.abs(run.array[finite] - ours[finite]).max(initial=0.0))
        holds = difference <= TOLERANCE * scale and bool((np.isfinite(run.array) == finite).all())
        verb = "agrees with" if holds else "differs from"
        apart = "" if difference < EPSILON * scale else f" (to {_power_of_ten(difference)})"
        return [Law("agrees-with-float64", f"{verb} a float64 run{sampled}{apart}", holds)]

    @cached_property
    def _too_large(self) -> bool:
        """Whether the problem's numbers are so large that float64 no longer tells neighbouring ones apart."""
        import numpy as np

        runs = [run.array for q in self.solution.graph if q.given and (run := self.floats[q.key]) is not None]
        return any(bool((np.abs(array[~np.isneginf(array)]) > LARGEST).any()) for array in runs)

    def _ours(self, quantity: Quantity) -> tuple[Array, str]:
        """The certified values as floats; a symbolic result is tried out at sample values of its symbols."""
        import numpy as np

        from attnsolve.numbers.floats import sample

        if not self.solution.is_symbolic(quantity.key):
            return self.solution.before_rounding(quantity.key), ""
        exact = self.solution.exact[quantity.key]
        assert exact is not None
        rows = [[expression(cell) for cell in row] for row in exact.rows]
        symbols = sorted({s for row in rows for cell in row for s in cell.free_symbols}, key=str)
        values = {symbol: sample(symbol) for symbol in symbols}
        said = ", ".join(f"{symbol} = {value}" for symbol, value in values.items())
        array = np.array([[float(cell.subs(values).evalf(20)) for cell in row] for row in rows])
        return array, f" at {said}" if said else ""


def _power_of_ten(difference: float) -> str:
    from attnsolve.notation.letters import SUPERSCRIPTS, raised

    mantissa, exponent = f"{difference:.0e}".split("e")
    return f"{mantissa}×10{raised(str(int(exponent)), SUPERSCRIPTS)}"
