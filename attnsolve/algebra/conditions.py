"""Cases as a reader sees them: those with one result put together, each with its conditions as they are written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Generic, TypeVar

from attnsolve import notation as n
from attnsolve.algebra.cases import Assumptions, Condition, Outcome
from attnsolve.algebra.rational import Polynomial
from attnsolve.algebra.signs import Fact, Signs
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.algebra.scalars import Field, FieldElement
    from attnsolve.numbers import Style

Found = TypeVar("Found")
TURNED = {">": "<", "<": ">", "≥": "≤", "≤": "≥"}
"""The relations as they are after both sides were multiplied by −1."""
TOGETHER = {(">", "<"): "≠", (">", "="): "≥", ("<", "="): "≤"}
"""The relation that says that one of two holds."""


@record
class Merged(Record, Generic[Found]):
    """What was found, and the conditions under which."""

    conditions: tuple[Condition, ...]
    outcome: Outcome[Found]


Same = Callable[[Found, Found, Assumptions], bool]
"""Whether two results are the same in the case of the second."""


def merged(outcomes: Sequence[Outcome[Found]], same: Same[Found], depth: int = 0) -> list[Merged[Found]]:
    """The outcomes of a split, with those put together that are the same."""
    if len(outcomes) == 1 and len(outcomes[0].case.conditions) == depth:
        return [Merged((), outcomes[0])]
    grouped = groupby(outcomes, key=lambda outcome: outcome.case.conditions[depth])
    branches = {condition: merged(list(group), same, depth + 1) for condition, group in grouped}
    formula = next(iter(branches)).formula
    joined = _joined({condition.relation: results for condition, results in branches.items()}, same)
    return [
        Merged((Condition(formula, relation), *result.conditions) if relation else result.conditions, result.outcome)
        for relation, branch in joined
        for result in branch
    ]


def _joined(branches: dict[str, list[Merged[Found]]], same: Same[Found]) -> list[tuple[str, list[Merged[Found]]]]:
    """The branches of one split, two with the same result as one; no relation where all are the same."""

    def alike(general: str, special: str) -> bool:
        pair = branches.get(general, []), branches.get(special, [])
        return len(pair[0]) == len(pair[1]) > 0 and all(
            _are_same(left.conditions, right.conditions)
            and same(left.outcome.found, right.outcome.found, right.outcome.case)
            for left, right in zip(*pair, strict=True)
        )

    first, *others = branches
    if all(alike(first, other) for other in others):
        return [("", branches[first])]
    for (general, special), union in TOGETHER.items() if len(branches) == 3 else ():
        if alike(general, special):
            rest = [(relation, results) for relation, results in branches.items() if relation not in (general, special)]
            return [(union, branches[general]), *rest]
    return list(branches.items())


def _are_same(left: Sequence[Condition], right: Sequence[Condition]) -> bool:
    """Whether conditions that were found in different cases say the same; a root may be another one there."""
    plain = all(len(c.formula.symbols) == len(c.formula.function.letters) for c in (*left, *right))
    both = [[(c.formula.function, c.relation) for c in conditions] for conditions in (left, right)]
    return plain and both[0] == both[1]


def needed(conditions: Sequence[Condition]) -> list[Condition]:
    """Those conditions that do not follow from the others."""
    kept = list(conditions)
    ring = conditions[-1].formula.ring if conditions else None
    for condition in conditions:
        others = [other for other in kept if other is not condition]
        if ring is not None and condition.relation in (">", "<", "≥", "≤") and _follows(condition, others, ring):
            kept = others
    return kept


def _follows(condition: Condition, others: Sequence[Condition], ring: Field) -> bool:
    facts = [fact for other in others for fact in _facts(other, ring)]
    return all(
        not Signs(ring, facts).allows(-fact.function.over, strict=not fact.strict) for fact in _facts(condition, ring)
    )


def _facts(condition: Condition, ring: Field) -> list[Fact]:
    function = condition.formula.within(ring, ring.symbol).function
    signs = {">": (1,), "≥": (1,), "<": (-1,), "≤": (-1,), "=": (1, -1)}.get(condition.relation, ())
    return [Fact(function if sign > 0 else -function, condition.relation in "><") for sign in signs]


def written(condition: Condition, style: Style) -> n.Chain:
    """A condition as it is written: x > 1 for x − 1 > 0, x y ≥ z for x y − z ≥ 0."""
    from attnsolve.numbers.written import write

    left, relation, right = _sides(condition)
    return n.Chain(write(left.expression(), style), ((relation, write(right.expression(), style)),))


def typed(condition: Condition, style: Style) -> str:
    """The same as other programs read it: x*y >= z."""
    from attnsolve.numbers.written import exact_text

    left, relation, right = _sides(condition)
    sign = {"≥": ">=", "≤": "<=", "≠": "!="}.get(relation, relation)
    return f"{exact_text(left.expression(), style)} {sign} {exact_text(right.expression(), style)}"


def _sides(condition: Condition) -> tuple[FieldElement, str, FieldElement]:
    """One letter and what it is compared with; or what is added on the one side, and taken away on the other."""
    ring, function = condition.formula.ring, condition.formula.function
    relation = condition.relation
    letters = [s for s in condition.formula.symbols if s not in ring.constants]
    place = ring.place(ring.generators[letters[0]])
    if len(letters) == 1 and function.over.degrees()[place] == 1:
        slope, x = function.slope(place), ring.functions.generators[place]
        if not slope.letters & {ring.place(letter) for letter, inner in ring.roots if inner.letters}:
            turned = Signs(ring).of_function(slope) < 0
            value = ring.reduced(-(function - slope * x) / slope)
            return ring.plain(x), TURNED.get(relation, relation) if turned else relation, ring.plain(value)
    left, right = (ring.plain(ring.functions.whole(_part(function.over, positive))) for positive in (True, False))
    return (left, relation, right) if left.over else (right, TURNED.get(relation, relation), left)


def _part(polynomial: Polynomial, positive: bool) -> Polynomial:
    """The terms with a positive coefficient, or the others with their signs turned."""
    terms = {m: c if positive else -c for m, c in polynomial.terms() if (c > 0) == positive}
    return polynomial.context().from_dict(terms)
