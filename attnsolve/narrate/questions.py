"""What a sheet asks, in words: the statement, the heading of a part, its question."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attnsolve.document import Block, Inline, Paragraph
from attnsolve.errors import listed
from attnsolve.language.typography import as_typed
from attnsolve.notation import Notation
from attnsolve.notation.text import TextPrinter
from attnsolve.spec.parts import CLAIMS, Part


def statement(text: str) -> list[Block]:
    """The problem as its file states it."""
    return [Paragraph((text,))] if text else []


def title(part: Part) -> Inline:
    """(a) [3 marks]."""
    marks = "" if part.marks is None else f" [{_number(part.marks)} mark{'' if part.marks == 1 else 's'}]"
    return (f"({part.letter}){marks}",)


def _number(marks: Fraction) -> str:
    return str(marks.numerator) if marks.denominator == 1 else str(float(marks))


def question_for(part: Part, called: Mapping[str, Inline]) -> Inline:
    """The question: as the file words it, or said from what it asks for; `called` names what may be found."""
    if part.text:
        return (part.text,)
    if part.relation is not None:
        return (f"Show that {as_typed(part.relation.text)}.",)
    if part.show:
        return (f"Show {CLAIMS[part.show]}.",)
    sentence: list[str | Notation] = []
    for number, name in enumerate(part.find):
        sentence += [" and " if number == len(part.find) - 1 else ", "] if number else []
        sentence += called[name]
    names = [f"token {token}" if token.isdigit() else TextPrinter().label(token) for token in part.tokens]
    whom = f" for {listed(names)}" if names else ""
    how = {"token": ", token by token", "matrix": " as matrix products", "cell": ", cell by cell"}.get(part.by, "")
    if part.compares:
        return ("Compare ", *sentence, f"{whom} in every case.")
    case = f" in the case {part.case}" if part.case else ""
    return ("Find ", *sentence, f"{whom}{case}{how}.")
