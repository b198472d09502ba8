"""What was found out about claims, in words. Only here do relations stand in plain text: the sizes and the conditions
under which a claim was verified, as the verifier reports them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from attnsolve.algebra.comparing import AGREED_DIGITS
from attnsolve.algebra.conditions import written
from attnsolve.algebra.declared import Setting
from attnsolve.algebra.finding import Finding
from attnsolve.algebra.verify import Claim
from attnsolve.errors import count
from attnsolve.operations.formula import Formula
from attnsolve.operations.letters import spelled

MOST_SIZES = 8
"""Sizes that are listed one by one."""


class Reported(str):
    """Words in which a relation may stand, since they report what was verified."""

    __slots__ = ()


def summary(findings: Sequence[Finding]) -> list[tuple[bool, Reported]]:
    """What was verified, and how."""
    checks: list[tuple[bool, Reported]] = []
    proved = [f for f in findings if f.status == "proved"]
    if proved:
        sizes = sizes_text(setting for f in proved for setting in f.settings)
        how = f" at {sizes}" if sizes else ""
        checks.append((True, Reported(f"{count(len(proved), 'equality', 'equalities')} verified symbolically{how}")))
    tried = [f for f in findings if f.status == "tried" or (f.status == "proved" and f.points)]
    if tried:
        sizes = sizes_text(setting for f in tried for setting in f.tried)
        points = sum(f.points for f in tried)
        only = sum(f.status == "tried" for f in tried)
        what = f"{count(only, 'claim')} found to hold" if only else "the same"
        where = f" with {sizes}" if sizes else ""
        checks.append((True, Reported(f"{what} at {count(points, 'point')}{where}")))
    failed = sum(not f.holds for f in findings)
    if failed:
        checks.append((False, Reported(f"{count(failed, 'claim')} not verified")))
    return checks


def verdict(finding: Finding, which: str) -> Reported:
    """What was found, in a few words that other programs read too: nothing is called proved that is only tried."""
    return Reported(f"{which.lower()}{_in_few_words(finding)}")


def _in_few_words(finding: Finding) -> str:
    if finding.status == "proved":
        where = f" where {_conditions(finding)}" if finding.conditions else ""
        sizes = sizes_text(finding.settings)
        return f"evidence: proved at {sizes} only{where}" if sizes else f"proved{where}"
    if finding.status == "tried":
        close = f"agrees to {AGREED_DIGITS} digits" if finding.close else "holds"
        return f"{close} at every point tried"
    return {"refuted": "refuted", "undecided": "not decided"}[finding.status]


def explained(claim: Claim, finding: Finding, terms: Iterable[Formula], which: str) -> Reported:
    """How a claim was proved, or where it was found to hold, or that it could not be decided."""
    if finding.status == "proved":
        return Reported(which + _proved(finding, partly=any(term.is_partial for term in terms)))
    if finding.status == "tried":
        return Reported(which + _tried(claim, finding))
    reason = "the two sides could not be computed accurately enough to compare them"
    return Reported(f"{which}This could not be decided: {reason}.")


def _proved(finding: Finding, *, partly: bool) -> str:
    sizes = sizes_text(finding.settings)
    how = f" at {sizes}" if sizes else ""
    where = f" where {_conditions(finding)}, and elsewhere one side has no value" if finding.conditions else ""
    both = "both sides are the same wherever they have a value" if partly and not where else "both sides are the same"
    agrees = f"agree to {AGREED_DIGITS} digits" if finding.close else "are the same"
    further = f"; they {agrees} at {count(finding.points, 'point')} with {sizes_text(finding.tried)} too"
    general = ". For other sizes this is evidence, not a proof" if sizes else ""
    return f"Proved{how}{where}: with a letter for every entry, {both}{further * bool(finding.points)}{general}."


def _tried(claim: Claim, finding: Finding) -> str:
    sizes = sizes_text(finding.tried)
    where = f" with {sizes}" if sizes else ""
    points, proven = count(finding.points, "point"), finding.points - finding.close
    agree = f"both sides agree to {AGREED_DIGITS} digits, and nothing more is proven"
    if not finding.close:
        found = f"It holds at every one of the {points} tried{where}"
    elif not proven:
        found = f"At every one of the {points} tried{where}, {agree}"
    else:
        found = f"It holds at {proven} of the {points} tried{where}; at the others {agree}"
    what = "an inequality" if claim.relation != "=" else "this equality"
    return f"{found}. That is not a proof: the exact arithmetic used here can't decide {what}."


def _conditions(finding: Finding) -> str:
    """The conditions under which a claim was proved, in plain text."""
    from attnsolve.notation.text import TextPrinter

    groups = ([TextPrinter().print(written(c, "fraction")) for c in group] for group in finding.conditions)
    return ", or ".join(" and ".join(group) for group in groups)


def sizes_text(settings: Iterable[Setting]) -> str:
    """The sizes of some settings: n = 2, 3, 4."""
    from attnsolve.notation.text import TextPrinter

    found: dict[str, list[int]] = {}
    for setting in settings:
        for name, size in setting.places.items():
            if name in setting.letters and size not in found.setdefault(name, []):
                found[name].append(size)
    printer = TextPrinter()
    return " and ".join(f"{printer.print(spelled(name))} = {_numbers(sorted(sizes))}" for name, sizes in found.items())


def _numbers(sizes: Sequence[int]) -> str:
    """Some sizes, a long run of them by its ends.

    >>> _numbers([2, 3, 5]), _numbers(range(3, 67))
    ('2, 3, 5', '3 to 66')
    """
    is_run = len(sizes) > MOST_SIZES and sizes[-1] - sizes[0] == len(sizes) - 1
    return f"{sizes[0]} to {sizes[-1]}" if is_run else ", ".join(map(str, sizes))
