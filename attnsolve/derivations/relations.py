"""Relations: as claims, as they are written, and wherever they stand in blocks, notation and plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from attnsolve import notation as n
from attnsolve.algebra.grammar import parse_claim
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.findings import Reported
from attnsolve.operations.formula import Formula, Ref
from attnsolve.operations.letters import Letters
from attnsolve.record import Record

SIGNS = "=≈≠≤≥<>≫→∝∼⟺⟹"
"""Signs that make a relation."""


class Unverified(Exception):
    """A relation that nothing vouches for, or that does not hold: a mistake in an argument's own module."""


def relations_in(part: object) -> Iterator[n.Chain | str]:
    """The outermost relations in blocks, sentences and notation; also those in letters and words of notation."""
    if isinstance(part, n.Chain):
        yield part
    elif isinstance(part, tuple):
        for inner in part:
            yield from relations_in(inner)
    elif isinstance(part, n.Notation):
        yield from (text for text in part.__dict__.values() if isinstance(text, str) and any(s in text for s in SIGNS))
        yield from relations_in(tuple(part.__dict__.values()))
    elif isinstance(part, Record):
        yield from relations_in(tuple(part.__dict__.values()))


def as_claim(claim: Claim | str) -> Claim:
    """A claim, which may be given as text."""
    return Claim(*parse_claim(claim)) if isinstance(claim, str) else claim


def as_chain(claim: Claim, letters: Letters) -> n.Chain:
    """A claim as it is written."""
    return n.Chain(claim.left.notation(letters), ((claim.relation, claim.right.notation(letters)),))


def notation_text(notation: n.Notation) -> str:
    """Some notation as a message quotes it."""
    from attnsolve.notation.text import TextPrinter

    return TextPrinter().print(notation)


def check_words(text: str) -> None:
    """Refuse a relation in plain words; what was found out may be reported in them."""
    if any(sign in text for sign in SIGNS) and not isinstance(text, Reported):
        raise Unverified(f"nothing vouches for what stands in plain words: {text}")


def free_names(term: Formula) -> set[str]:
    """The names in a term, but for those that run through a sum or a limit."""
    bound = {t.binds for t in term.walk()}
    return {t.name for t in term.walk() if isinstance(t, Ref)} - bound


def is_claim(text: str) -> bool:
    """Whether a relation stands in it, outside the range of a sum."""
    outside = re.sub(r"sum\(\w+=", "sum(", text)
    return any(sign in outside for sign in ("=", "<", ">", "≤", "≥")) and "->" not in outside
