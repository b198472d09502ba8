"""Every operation comes to the same in every tier of numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from shared.each import each, pairs
from shared.examples import EXAMPLES, generic, named
from shared.formulas import concrete

from attnsolve.numbers.balls import Balls, at_precision
from attnsolve.numbers.exact import Exact
from attnsolve.numbers.floats import Floats
from attnsolve.numbers.matrix import Numeric
from attnsolve.operations.activations import ErrorFunction, Gelu, GeluTanh, TanhOfCubic
from attnsolve.operations.arithmetic import Raised
from attnsolve.operations.formula import Formula
from attnsolve.operations.loss import Losses
from attnsolve.operations.positions import Rotary, Sinusoidal

BITS = 128
NOT_EXACT = {"Function: ln(a)", "Function: sin(a)", "Function: cos(a)"}
TRANSCENDENTAL = (Gelu, GeluTanh, ErrorFunction, TanhOfCubic, Raised, Losses)
"""Functions of rational numbers that have no closed form."""
TIERS = concrete(Numeric)


def value(formula: Formula, tier: Any) -> Any:
    """As float64, nan where it is unknown."""
    found = formula.evaluate({key: tier.of(rows) for key, rows in generic(7).items()}, tier)
    if tier is Exact:
        if not found.is_whole:
            assert named(formula) in NOT_EXACT or isinstance(formula, (*TRANSCENDENTAL, Sinusoidal, Rotary))
            return value(formula, Balls)
        found = Balls.of(found.rows)
    return np.array([[float(x.mid() if isinstance(found, Balls) else x) for x in row] for row in found.rows])


@each("tier, formula", pairs([tier for tier in TIERS if tier is not Floats], EXAMPLES), named)
def test_an_operation_comes_to_the_same_in_every_tier(tier: Any, formula: Formula) -> None:
    with at_precision(BITS):
        np.testing.assert_allclose(value(formula, tier), value(formula, Floats), rtol=1e-12, atol=1e-14)


@each("tier, formula", pairs(TIERS, EXAMPLES), named)
def test_no_operation_changes_what_it_reads(tier: Any, formula: Formula) -> None:
    with at_precision(BITS):
        values = {key: tier.of(rows) for key, rows in generic(7).items()}
        formula.evaluate(values, tier)
        again = {key: tier.of(rows) for key, rows in generic(7).items()}
        assert all(str(values[key].rows) == str(again[key].rows) for key in values)
