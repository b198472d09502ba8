"""One written number against one true one, at the precision it was written in."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Literal

from attnsolve.check.written import Written
from attnsolve.numbers import closed
from attnsolve.numbers.balls import Ball, at_precision, ball, whole
from attnsolve.numbers.surds import is_fraction_or_surd
from attnsolve.numbers.written import Real
from attnsolve.record import Record, record
from attnsolve.spec.rules import Rule

Verdict = Literal["exact", "right", "slip", "follows", "wrong", "blank"]
GLYPHS: dict[Verdict, str] = {"exact": "=", "right": "✓", "slip": "≈", "follows": "→", "wrong": "✗", "blank": "○"}
WORDS: dict[Verdict, str] = {
    "exact": "exact",
    "right": "correct to the digits given",
    "slip": "rounding slip",
    "follows": "consistent with your earlier answers",
    "wrong": "wrong",
    "blank": "blank",
}
CREDITED: tuple[Verdict, ...] = ("exact", "right", "slip", "follows")
SLIGHT, COARSE = Fraction(1, 20), Fraction(1, 10)
"""A slip in rounding moves a number by no more than such a share of it; more is an error, however few its digits."""
WIDE = Fraction(1, 6)
"""An answer that may be off by a larger share than this of every number around it tells none of them apart."""
SAME = Fraction(1, 2**96)
"""Numbers as close as this are taken for the same where there is only a ball to go by."""
BITS = 192
POINTS = 3
"""Points at which forms with letters are compared that no normal form can decide on."""
FINE_BITS = 4096
"""Precision at which two exact forms that no normal form can decide on are told apart."""


@record
class Judgement(Record):
    """What an answer is worth, and why where that needs saying."""

    verdict: Verdict
    why: str = ""
    room: Ball | None = None
    """The range that it was compared with, where more digits may have been carried on than were written."""


def judge(
    written: Written, true: Ball, exact: Any = None, rule: Rule | None = None, scale: Ball | None = None
) -> Judgement:
    """Compare an answer with the true value: its ball, and its exact form if there is one. `scale` is the size of the
    largest number in its matrix: digits that would do for nearly anything of that size say nothing."""
    rule = rule or Rule()
    if written.infinite or not true.is_finite():
        return Judgement("exact" if written.forbids and bool(true < 0) and not true.is_finite() else "wrong")
    if same(written, true, exact):
        return Judgement("exact")
    if rule.exact:
        rounded = written.places is not None and not written.whole
        return Judgement("wrong", "an exact answer is required" if rounded else "")
    if rule.absolute is not None or rule.relative is not None:
        near = _within_tolerance(written, true, rule)
        return Judgement("right") if near else Judgement("wrong", "outside the tolerance")
    if written.places is None:
        return Judgement("wrong", "a fraction or root must be exact" if _close(written, true) else "")
    found = _at_its_digits(written, true, exact)
    if found.verdict != "wrong" and scale is not None and _is_too_coarse(written, true, scale):
        return Judgement("wrong", "too few digits to judge: write more")
    return found


def judge_real(written: Written, real: Real, rule: Rule | None = None, scale: Ball | None = None) -> Judgement:
    """The same against a number that may have letters in it: then only its form counts."""
    exact: Any = real.rational if real.rational is not None else real.exact
    if real.is_symbolic or bool(getattr(written.value, "free_symbols", False)):
        return Judgement("exact" if same_form(written, exact) else "wrong")
    true = real.ball_at(BITS)
    if not true.is_finite() and exact is not None and not real.is_infinite:
        true = ball(exact)  # a power on the way was beyond any ball, and cancelled
    return judge(written, true, exact, rule, scale)


def _is_too_coarse(written: Written, true: Ball, scale: Ball) -> bool:
    """Whether an answer stands for so wide a range that it hardly tells its value from others of its matrix. Tens and
    hundreds, as in 1e2, must tell it from others of its own size: nobody writes so beside larger numbers."""
    half = ball(written.unit / 2)
    small = written.places is not None and written.places >= 0
    return bool(half > ball(WIDE) * abs(true)) and not (small and bool(half <= ball(WIDE) * scale))


def same(written: Written, true: Ball, exact: Any) -> bool:
    """Whether an answer is the true value itself."""
    if isinstance(written.value, Fraction):
        if isinstance(exact, Fraction):
            return written.value == exact
        if written.places is not None and exact is not None:
            return False
    off = true - ball(written.value)
    if not bool(off.contains(0)):
        return False
    if exact is None:  # what follows from somebody's own numbers has no form, but far more digits than anybody writes
        return bool(abs(off) < ball(SAME) * (1 + abs(true)))
    return _equal(written.value, exact)


def _equal(left: Any, right: Any) -> bool:
    """Whether two exact forms are the same number, decided by their normal form where they have one."""
    from attnsolve.algebra.scalars import Field
    from attnsolve.numbers import Unavailable

    if closed.is_unwieldy(right) and is_fraction_or_surd(left):
        return False  # were it a number, it would have been seen to be one
    ring = Field(closed.letters(left) | closed.letters(right))
    try:
        return bool(ring.of(closed.expression(left)) == ring.of(closed.expression(right)))
    except Unavailable:
        return _equal_at_points(left, right)


def _equal_at_points(left: Any, right: Any) -> bool:
    """Whether two forms that have no normal form agree in a thousand digits, wherever their letters are."""
    from attnsolve.numbers import Unavailable

    letters = sorted(closed.letters(left) | closed.letters(right), key=str)
    try:
        with at_precision(FINE_BITS):
            for start in range(POINTS if letters else 1):
                point = {letter: _somewhere(letter, start + 2 * place) for place, letter in enumerate(letters)}
                if not (ball(left, point) - ball(right, point)).contains(0):
                    return False
    except Unavailable:
        return False
    return True


def _somewhere(letter: Any, number: int) -> Any:
    """A value that a letter may have."""
    import sympy

    return sympy.Rational(2 * number + 3, 7) * (-1 if letter.is_negative else 1)


def same_form(written: Written, exact: Any) -> bool:
    """Whether an answer with letters in it is the exact form."""
    if isinstance(exact, float):
        return written.forbids
    if written.infinite or exact is None:
        return False
    return _equal(written.value, exact)


def _close(written: Written, true: Ball) -> bool:
    """Whether an expression is as near as a rounded number would be."""
    return bool(abs(true - ball(written.value)) < ball(COARSE) * abs(true))


def _within_tolerance(written: Written, true: Ball, rule: Rule) -> bool:
    off = abs(true - ball(written.value))
    by_value = rule.absolute is not None and not bool(off > ball(rule.absolute))
    return by_value or (rule.relative is not None and not bool(off > ball(rule.relative) * abs(true)))


def _at_its_digits(written: Written, true: Ball, exact: Any) -> Judgement:
    low, high = written.interval
    if not bool(true < ball(low)) and not bool(true > ball(high)):
        return Judgement("right")
    if _ends_here(written, true, exact):
        return Judgement("wrong")
    off = abs(true - ball(written.value))
    assert written.places is not None
    if (written.places > 1 or not bool(off > ball(COARSE) * abs(true))) and _truncated(written, true):
        return Judgement("slip", "truncated instead of rounded")
    by_one = not bool(off > ball(Fraction(3, 2) * written.unit))
    if by_one and not bool(off > ball(SLIGHT) * abs(true)):
        return Judgement("slip", "off by one in the last place")
    return Judgement("wrong")


def _ends_here(written: Written, true: Ball, exact: Any) -> bool:
    """Whether the true value has no digits beyond those written: then there was nothing to round."""
    if isinstance(exact, Fraction):
        return (exact / written.unit).denominator == 1
    sharp = exact is None and bool(true.rad() < ball(SAME * written.unit))
    return sharp and whole(true / ball(written.unit)) is not None


def _truncated(written: Written, true: Ball) -> bool:
    """Whether the digits after its last place were dropped."""
    kept = whole((abs(true) / ball(written.unit)).floor())
    if kept is None or (written.value and bool(true < 0) != (written.value < 0)):
        return False
    return bool(abs(written.value) == kept * written.unit)


def accepted(written: Written, rule: Rule | None = None) -> tuple[Fraction, Fraction] | None:
    """The interval of true values for which an answer is right; None where only that very number will do."""
    rule = rule or Rule()
    if rule.exact or not isinstance(written.value, Fraction):
        return None
    if rule.absolute is None and rule.relative is None:
        return None if written.places is None else written.interval
    ends = [written.value]
    if rule.absolute is not None:
        ends += [written.value - rule.absolute, written.value + rule.absolute]
    if rule.relative is not None and rule.relative < 1:
        ends += [written.value / (1 + rule.relative), written.value / (1 - rule.relative)]
    return min(ends), max(ends)
