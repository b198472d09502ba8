"""Injected sheets marked by the package, and what it made of them counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import numpy as np
from shared.injected.mistakes import Injected, chosen, injected
from shared.injected.named import NAMES, names_of
from shared.injected.problems import drawn
from shared.injected.program import Problem, Values, unrounded
from shared.injected.writing import Habit, Texts, fitted, habit, sheet, texts, values_of, written

from attnsolve.check.run import as_data, check_nodes
from attnsolve.check.sheet import Sheet
from attnsolve.loading.files import parse
from attnsolve.pipeline import solve
from attnsolve.solution.exact import Solution
from attnsolve.spec import reader

FILE = "answers.yaml"
GROUPS = {"step": "decoder step"}
Data = Mapping[str, Any]
Pool = Sequence[tuple[Injected, Values]]
"""Every mistake that can be made in a problem, and what it leads to."""


def solved(problem: Problem) -> Sheet:
    """A problem worked out by the package, for all answers to it."""
    solution = solve(*parse(problem.text, "problem.yaml"))
    assert isinstance(solution, Solution)
    return Sheet("problem.yaml", ("",), {1: solution})


def checked(solutions: Sheet, answers: str) -> Data:
    """Answers marked, as `attnsolve check --format json` does it."""
    (node,) = reader.read_documents(answers, FILE, repeats=True)
    (found,) = check_nodes(solutions, {1: node}, FILE)
    return as_data(found)


@dataclass(frozen=True)
class Seen:
    """One sheet with a mistake in it, and what was found."""

    id: str
    family: str
    kind: str
    habit: Habit
    seed: int
    noticed: bool
    first_right: bool | None
    """None where the change of the first quantity is too slight to say."""
    named: bool
    tied: bool
    otherwise: str
    """Another cause that was named with certainty, or nothing."""
    known: bool
    """Whether the package has a name for it at all."""
    said: str
    flagged: str
    """The first wrong quantity, as it was found; and those that it may be."""
    problem: str
    answers: str


@dataclass
class Tally:
    """Everything that was counted."""

    seen: list[Seen] = field(default_factory=list)
    right: int = 0
    called_wrong: list[tuple[int, Habit, str, str, str]] = field(default_factory=list)
    rounding: Counter[str] = field(default_factory=Counter)

    def of(self, amount: str) -> list[Seen]:
        return [one for one in self.seen if one.habit.amount == amount]


def measure(seeds: range, mistakes: int = 4, right: int = 4) -> Tally:
    """So many mistakes, and so many right sheets, on the problem of each seed."""
    tally = Tally()
    for seed in seeds:
        kind, problem = drawn(seed)
        solutions, chance = solved(problem), Random(seed)
        true = problem.solve()
        for _ in range(right):
            _right(tally, seed, problem, solutions, true, fitted(habit(chance, chance.choice(AMOUNTS)), problem, true))
        _coarsely(tally, problem, solutions, true, chance)
        with np.errstate(all="ignore"):
            pool = [(one, one.solve(unrounded)) for one in injected(problem, chance)]
        for place, one in enumerate(chosen([one for one, _ in pool], chance, mistakes)):
            for amount in ("everything", "final", "some")[: 3 if place == 0 else 2]:
                way = fitted(habit(chance, amount), problem, true)
                seen = _injected(seed, kind, problem, solutions, one, way, pool)
                tally.seen += [seen] if seen else []
    return tally


AMOUNTS = ("everything", "everything", "some", "final")


def _right(tally: Tally, seed: int, problem: Problem, solutions: Sheet, true: Values, way: Habit) -> None:
    """A sheet without a mistake."""
    with np.errstate(all="ignore"):
        values = problem.solve(after=way.after)
    if not all(np.all(value < np.inf) for value in values.values()):
        return  # a probability that was rounded to 0 has no logarithm
    answers = sheet(way, problem, texts(way, problem, values))
    tally.right += 1
    data = checked(solutions, answers)
    bad = [cell for cell in data["cells"] if cell["verdict"] in ("wrong", "blank")]
    if bad or data["faults"]:
        cell = bad[0] if bad else {}
        why = f"{cell.get('id')} {cell.get('entry')}: {cell.get('written')} for {cell.get('true')}: {cell.get('why')}"
        tally.called_wrong.append((seed, way, why if bad else str(data["faults"]), problem.text, answers))


def _coarsely(tally: Tally, problem: Problem, solutions: Sheet, true: Values, chance: Random) -> None:
    """Results that were rounded on the way, or digits that were cut off: rounding, not wrong."""
    coarse = chance.randint(1, 4)
    ways = {
        f"rounded to {coarse} on the way": Habit("final", coarse, carried="coarse", coarse=coarse),
        "cut off": Habit("everything", chance.randint(2, 6), rounding="cut off"),
    }
    for name, way in ways.items():
        way = fitted(way, problem, true)
        with np.errstate(all="ignore"):
            values = problem.solve(after=way.after)
        if not all(np.all(np.isfinite(values[final])) for final in problem.final):
            continue
        data = checked(solutions, sheet(way, problem, texts(way, problem, values)))
        tally.rounding[name] += 1
        if any(cell["verdict"] == "wrong" for cell in data["cells"]):
            said = [slip["id"] for d in data["diagnoses"] for g in d["mistakes"] for slip in g]
            said += [slip["id"] for d in data["diagnoses"] for e in d["entries"] for slip in e["slips"]]
            tally.rounding[f"{name}: called wrong" + (f", {said[0]}" if said else "")] += 1


# ── sheets with a mistake ─────────────────────────────────────────────────────────────────────────


def _injected(
    seed: int, kind: str, problem: Problem, solutions: Sheet, one: Injected, way: Habit, pool: Pool
) -> Seen | None:
    with np.errstate(all="ignore"):
        clean, made = problem.solve(after=way.after), one.solve(way.after)
    if any(np.any(np.isnan(value) | np.isposinf(value)) for value in (*made.values(), *clean.values())):
        return None
    right, wrong = texts(way, problem, clean), texts(way, problem, made)
    expected = changed(problem, problem.solve(), right, wrong, way)
    if not expected:
        return None
    answers = sheet(way, problem, wrong)
    data = checked(solutions, answers)
    assert not data["faults"], (data["faults"], answers)
    verdicts = [(_name(cell), cell["verdict"]) for cell in data["cells"]]
    noticed = any(verdict not in ("exact", "right") for _, verdict in verdicts)
    flagged = next((name for name, verdict in verdicts if verdict == "wrong"), None)
    is_sure = expected[-1] is not None
    first = flagged in expected if is_sure or flagged is not None else None
    names = names_of(alike(one, problem, way, pool))
    causes = said(data)
    named = not names.isdisjoint(ids_in(data))
    otherwise = "" if named or not is_certain(data) else causes[0]
    known = bool(NAMES.get(one.id))
    return Seen(one.id, one.family, kind, way, seed, noticed, first, named, named and len(causes) > 1, otherwise, known,
                " or ".join(causes[:4]), f"{flagged}, of {expected}", problem.text, answers)  # fmt: skip


def alike(one: Injected, problem: Problem, way: Habit, pool: Pool) -> Iterator[str]:
    """The mistakes that lead to the same in all that is written."""
    made = next(values for other, values in pool if other is one)
    for other, values in pool:
        if all(np.allclose(values[step.name], made[step.name], atol=1e-9) for step in written(way, problem)):
            yield other.id


def changed(problem: Problem, true: Values, right: Texts, wrong: Texts, way: Habit) -> list[str | None]:
    """The quantities that may be called the first wrong one: from the first with a figure that is off to the first
    that is off by more than rounding might be. None at the end where there is no such one; empty where nothing
    written changes."""
    found: list[str | None] = []
    for step in written(way, problem):
        (new, half), (old, _) = values_of(wrong[step.name]), values_of(right[step.name])
        value = true[step.name].T if problem.columns else true[step.name]
        same = (new == old) | (np.isneginf(new) & np.isneginf(old))
        with np.errstate(invalid="ignore"):
            off = ~same & (np.abs(new - value) > half * 1.000001 + 1e-12)
            gap = np.abs(new - value)
            plainly = off & (gap > 5 * half) & (gap > 0.11 * np.abs(value)) & ~_as_hidden(new, value)
        if off.any():
            found.append(step.name)
        if plainly.any():
            return found
    return [*found, None] if found else []


def _as_hidden(new: np.ndarray, value: np.ndarray) -> np.ndarray:
    """−10⁴ and less stands for −∞."""
    return np.isneginf(value) & (new <= -(10**4))


def _name(cell: Data) -> str:
    if not cell["at"]:
        return str(cell["id"])
    group, number = cell["at"][-1]
    return f"{GROUPS.get(group, group)} {number}: {cell['id']}"


def first(data: Data) -> Data | None:
    """The diagnosis of the first wrong quantity."""
    return next(iter(data["diagnoses"]), None)


def said(data: Data) -> list[str]:
    """The causes that were named for it, each once: of the whole quantity, or else of its first wrong entry."""
    diagnosis = first(data)
    if diagnosis is None:
        return []
    if diagnosis["mistakes"]:
        return list(
            dict.fromkeys("+".join(f"{s['id']} in {s['in']}" for s in group) for group in diagnosis["mistakes"])
        )
    entries = [[slip["id"] for slip in entry["slips"]] for entry in diagnosis["entries"] if entry["slips"]]
    return list(dict.fromkeys(entries[0])) if entries else []


def ids_in(data: Data) -> set[str]:
    """The ids of all causes that were named for the first wrong quantity."""
    diagnosis = first(data)
    if diagnosis is None:
        return set()
    groups = {slip["id"] for group in diagnosis["mistakes"] for slip in group}
    return groups | {slip["id"] for entry in diagnosis["entries"] for slip in entry["slips"]}


def is_certain(data: Data) -> bool:
    diagnosis = first(data)
    return diagnosis is not None and bool(diagnosis["certain"])


def by_id(seen: list[Seen]) -> Iterator[tuple[str, list[Seen]]]:
    for id in sorted({one.id for one in seen}):
        yield id, [one for one in seen if one.id == id]
