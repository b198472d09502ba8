"""Answer sheets as students write them: how much, how precisely, and in which way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from random import Random

import numpy as np
from shared.injected.program import After, Array, Problem, Step, Values, unrounded

LETTERS = {"queries": "Q", "keys": "K", "values": "V", "scores": "S", "weights": "A", "output": "O"}
ROWS = {"queries": "q", "keys": "k", "values": "v"}
STYLES = ("plain", "plain", "stripped", "whole", "fractions", "percent", "comma", "scientific", "plus", "power")
NAMES = ("id", "id", "letter", "rows", "entries", "owner")
ROUNDINGS = {"half even": ROUND_HALF_EVEN, "half up": ROUND_HALF_UP, "cut off": ROUND_DOWN}


@dataclass(frozen=True)
class Habit:
    """How somebody writes."""

    amount: str = "everything"
    """Or `some`, or `final`."""
    places: int = 4
    significant: bool = False
    """Whether `places` counts digits that mean something."""
    carried: str = "unrounded"
    """Or `rounded`: each result as it was written; or `coarse`: with `coarse` places whatever is written."""
    coarse: int = 3
    style: str = "plain"
    naming: str = "id"
    rounding: str = "half even"
    block: bool = False
    """Whether matrices stand as YAML lists of lines."""
    order: int = 0
    """A seed for what is left out."""
    needed: dict[str, int] = field(default_factory=dict, compare=False)
    """The fewest places that tell the numbers of a quantity apart at all."""
    rational: frozenset[str] = field(default=frozenset(), compare=False)
    """What may be written as fractions."""

    def places_of(self, step: Step) -> int:
        return max(self.places, self.needed.get(step.name, 0))

    @property
    def after(self) -> After:
        if self.carried == "unrounded":
            return unrounded
        return lambda step, value: rounded(self, step, value)


def habit(chance: Random, amount: str) -> Habit:
    """Somebody's way to write."""
    return Habit(
        amount,
        chance.randint(1, 6),
        chance.random() < 0.12,
        chance.choices(("unrounded", "rounded"), (3, 1) if amount == "everything" else (1, 0))[0],
        style=chance.choice(STYLES),
        naming=chance.choice(NAMES),
        rounding=chance.choice(("half even", "half up")),
        block=chance.random() < 0.2,
        order=chance.randrange(10**6),
    )


def fitted(habit: Habit, problem: Problem, true: Values) -> Habit:
    """The same with as many places as it takes to tell the numbers of each quantity apart: the guide promises nothing
    for fewer."""
    needed = {}
    for step in problem.steps:
        value = true[step.name]
        largest = float(np.abs(value[np.isfinite(value)]).max(initial=0))
        places = 0
        while largest and 3.01 * 10.0**-places > largest and places < 12:
            places += 1
        needed[step.name] = places
    rational = frozenset(step.name for step in problem.steps if problem.is_rational(step))
    return replace(
        habit, needed=needed, rational=rational, places=max(habit.places, 2) if habit.significant else habit.places
    )


def rounded(habit: Habit, step: Step, value: Array) -> Array:
    places = habit.coarse if habit.carried == "coarse" else habit.places_of(step)
    mode = ROUNDINGS[habit.rounding]
    cells = [x if np.isinf(x) else float(_to(x, places, mode, habit.significant)) for x in value.ravel()]
    return np.array(cells).reshape(value.shape)


def _to(x: float, places: int, mode: str, significant: bool = False) -> Decimal:
    clean = Decimal(repr(round(float(x), 13)))
    if significant:
        return Context(prec=places, rounding=mode).plus(clean)
    return clean.quantize(Decimal(1).scaleb(-places), rounding=mode)


# ── numbers ───────────────────────────────────────────────────────────────────────────────────────


def number(habit: Habit, step: Step, x: float) -> str:
    """One number as it is written."""
    if np.isinf(x):
        return "-inf"
    places, mode = habit.places_of(step), ROUNDINGS[habit.rounding]
    shown = _to(x, places, mode, habit.significant)
    shown = abs(shown) if shown == 0 else shown
    if habit.significant:
        return f"{shown:f}"
    is_exact = habit.carried == "unrounded"  # what was rounded before may look like a whole number or a fraction
    is_whole = is_exact and abs(x - round(x)) < 1e-11
    if habit.style == "fractions" and is_exact and step.name in habit.rational and (found := _fraction(x)):
        return found
    if habit.style == "whole" and is_whole:
        return str(round(x))
    if habit.style == "stripped" and (is_whole or places > 1):
        text = f"{shown:f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    if habit.style == "percent" and step.op == "softmax" and 0 <= x <= 1 and places > 1:
        return f"'{shown.scaleb(2):f}%'"
    if habit.style == "comma" and places != 3:  # 1,250 may be a thousand: the reader asks which
        return f"'{shown:f}'".replace(".", ",")
    if habit.style in ("scientific", "power") and shown:
        return _scientific(shown, habit.style)
    if habit.style == "plus" and shown > 0:
        return f"'+{shown:f}'"
    return f"{shown:f}"


def _scientific(shown: Decimal, style: str) -> str:
    mantissa, _, exponent = f"{shown:e}".partition("e")
    return f"{mantissa}e{int(exponent)}" if style == "scientific" else f"'{mantissa}*10^({int(exponent)})'"


def _fraction(x: float) -> str | None:
    nearest = Fraction(x).limit_denominator(60)
    return str(nearest) if abs(float(nearest) - x) < 1e-12 else None


# ── sheets ────────────────────────────────────────────────────────────────────────────────────────


def written(habit: Habit, problem: Problem) -> list[Step]:
    """The quantities that are written down, in their order."""
    if habit.amount == "final":
        return [step for step in problem.steps if step.name in problem.final]
    if habit.amount == "some":
        chance = Random(habit.order)
        kept = [step for step in problem.steps if chance.random() < 0.5 or step.name in problem.final]
        return kept or [problem.steps[-1]]
    return list(problem.steps)


Texts = dict[str, list[list[str]]]


def texts(habit: Habit, problem: Problem, values: Values) -> Texts:
    """What stands in every cell, by quantity, as the sheet lays it out."""
    found: Texts = {}
    for step in written(habit, problem):
        value = values[step.name].T if problem.columns else values[step.name]
        found[step.name] = [[number(habit, step, float(x)) for x in row] for row in value]
    return found


def sheet(habit: Habit, problem: Problem, cells: Texts) -> str:
    """An answer file."""
    return "".join(_entry(habit, problem, step, cells[step.name]) for step in written(habit, problem))


def _entry(habit: Habit, problem: Problem, step: Step, rows: list[list[str]]) -> str:
    name, naming = step.name, habit.naming
    is_attention = problem.kind == "attention" and step.head is None and "." not in step.id
    if naming == "owner" and step.head is not None and problem.kind == "attention":
        name = f"{step.id}@{step.head}"
    elif naming == "letter" and is_attention and len(problem.alike(step)) == 1 and _is_alone(problem, step):
        name = LETTERS.get(step.id, step.id)
    elif naming == "rows" and step.id in ROWS and is_attention and not problem.columns and _is_alone(problem, step):
        return "".join(f"{ROWS[step.id]}_{i}: [{', '.join(row)}]\n" for i, row in enumerate(rows, start=1))
    elif naming == "entries" and len(rows) > 1 and len(rows[0]) > 1:
        cells = [(i, j, x) for i, row in enumerate(rows, 1) for j, x in enumerate(row, 1)]
        return "".join(f"'{name}[{i},{j}]': {x}\n" for i, j, x in cells)
    if habit.block:
        return f"'{name}':\n" + "".join(f"  - [{', '.join(row)}]\n" for row in rows)
    inner = ", ".join(f"[{', '.join(row)}]" for row in rows)
    return f"'{name}': [{inner}]\n"


def _is_alone(problem: Problem, step: Step) -> bool:
    """Whether no head has a quantity of that id too."""
    return sum(other.id == step.id for other in problem.steps) == 1


def values_of(rows: list[list[str]]) -> tuple[Array, Array]:
    """What written numbers say, and how far each may be off: half of its last place, or nothing. A whole number is
    meant as precisely as the decimals around it, and to two places where there are none."""
    read = [[_value_of(text) for text in row] for row in rows]
    finest = min((unit for row in read for _, unit in row if 0 < unit < 1), default=0.01)
    units = [[finest if unit == 1 else unit for _, unit in row] for row in read]
    return np.array([[value for value, _ in row] for row in read]), np.array(units) / 2


def _value_of(text: str) -> tuple[float, float]:
    """A number, and one in its last place."""
    plain = text.strip("'").replace(",", ".").lstrip("+")
    if plain == "-inf":
        return -np.inf, 0.0
    if "/" in plain:
        return float(Fraction(plain)), 0.0
    scale = 0.01 if plain.endswith("%") else 1.0
    shown = Decimal(plain.rstrip("%").replace("*10^(", "e").rstrip(")"))
    exponent = shown.as_tuple().exponent
    assert isinstance(exponent, int)
    return float(shown) * scale, 10.0**exponent * scale
