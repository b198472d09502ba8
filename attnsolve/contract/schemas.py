"""The JSON Schemas of what `--format json` prints: `solve` (and `explain`, `export`), `check` and `lint`.

They are closed: a key that is not named here is a fault. The schema describes the version that prints it; a later
version may add keys (and its schema names them), so a reader should pass over keys that it does not know.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Shape = dict[str, Any]

TEXT: Shape = {"type": "string"}
COUNT: Shape = {"type": "integer", "minimum": 0}
PLACE: Shape = {"type": "integer", "minimum": 1}
TEXT_OR_NONE: Shape = {"type": ["string", "null"]}
ENTRY: Shape = {
    "description": "Row and column, counted from 1.",
    "type": "array",
    "items": PLACE,
    "minItems": 2,
    "maxItems": 2,
}
ID: Shape = {"description": "The id of a quantity, such as scores; of a derivation, of a passage.", "type": "string"}
HEAD: Shape = {"description": "The head (or decoder step) it belongs to; null where there is only one.", **TEXT_OR_NONE}
AT: Shape = {
    "description": "What it belongs to, from the outside in: a head, a decoder step, a case named by the problem.",
    "type": "array",
    "items": {"type": "array", "prefixItems": [TEXT, {"type": ["integer", "string"]}], "minItems": 2, "maxItems": 2},
}
PLACED: dict[str, Shape] = {"head": HEAD, "at": AT}
EXACT: Shape = {"description": "The exact form as text; null where there is none short enough to read."}
DECIMAL: Shape = {"description": "Decimals as text, every digit proven, or -inf; null where a symbol has no value."}
LIMITS: Shape = {
    "description": "The limit of each entry, as text; null where it depends on other letters, as listed in cases.",
    "type": "array",
    "items": {"type": "array", "items": TEXT_OR_NONE},
}
VERDICTS = ("exact", "right", "slip", "follows", "wrong", "blank")
"""As `attnsolve.check.judge` has them, which is not loaded here."""


def contracts() -> dict[str, Shape]:
    """Every schema of something printed, by the name that `attnsolve schema --of` takes."""
    return {"solution": solution(), "check": check(), "lint": lint()}


def solution() -> Shape:
    """One problem worked out."""
    properties: dict[str, Shape] = {
        "title": TEXT,
        "kind": {"enum": ["attention", "seq2seq", "derivation", "random-keys", "formulas"]},
        "numbers": {"description": "float where results are float64, and no digit is proven.", "enum": ["float"]},
        "quantities": _list({"$ref": "#/$defs/quantity"}),
        "parameters": _list({"$ref": "#/$defs/quantity"}),
        "checks": _list(_object({"id": TEXT, "holds": {"type": "boolean"}, **PLACED, "says": TEXT}, ("says",))),
        "limits": _list(_object({"id": ID, **PLACED, "exact": LIMITS, "cases": _cases()}, ("cases",))),
        "steps": _list({"$ref": "#/$defs/step"}),
        "source": TEXT,
    }
    step = _object({"id": ID, **PLACED, "title": TEXT, "latex": _list(TEXT), "text": TEXT})
    definitions = {"quantity": _quantity(), "step": step}
    return _schema("solution", _object(properties, ("numbers", "limits", "source")), definitions)


def _cases() -> Shape:
    """Where a quantity goes under each of several conditions, of which always one holds."""
    conditions = {"description": "All of these hold.", **_list(TEXT)}
    return _list(_object({"if": conditions, "exact": LIMITS}))


def _quantity() -> Shape:
    """A matrix has two sizes and rows of texts, a vector one and texts, a result of a derivation none and one text."""
    properties: dict[str, Shape] = {
        "id": ID,
        **PLACED,
        "symbol": TEXT,
        "shape": {"type": "array", "items": PLACE, "maxItems": 2},
        "exact": EXACT,
        "decimal": DECIMAL,
    }
    forms: list[Shape] = [TEXT, _list(TEXT), _list(_list(TEXT))]
    cases = []
    for dimensions, form in enumerate(forms):
        sizes: Shape = {"minItems": dimensions, "maxItems": dimensions}
        held: Shape = {"anyOf": [form, {"type": "null"}]}
        cases.append({"properties": {"shape": sizes, "exact": held, "decimal": held}})
    return {**_object(properties), "oneOf": cases}


def check() -> Shape:
    """One answer sheet: in full, or (one of several) as a row of figures."""
    return _schema("check", {"oneOf": [_report(), _row()]}, {"mistake": _mistake()})


def _report() -> Shape:
    cell: dict[str, Shape] = {
        "id": ID,
        **PLACED,
        "entry": ENTRY,
        "written": {"description": "As it was written; null where it was left blank.", **TEXT_OR_NONE},
        "accepted": {
            "description": "The interval that the answer stands for; null where it stands for exactly itself.",
            "anyOf": [{"type": "null"}, {"type": "array", "items": {"type": "number"}, "minItems": 2, "maxItems": 2}],
        },
        "true": TEXT,
        "verdict": {"enum": list(VERDICTS)},
        "why": TEXT,
        "note": {"description": "How it was read, where it could have meant something else.", **TEXT},
    }
    slips = _list(_object({"id": TEXT, "says": TEXT}))
    diagnosis: dict[str, Shape] = {
        "id": ID,
        **PLACED,
        "certain": {"type": "boolean"},
        "confidence": {
            "description": "How likely one of the causes is the cause: what chance and the others leave.",
            "type": "number",
            "minimum": 0,
            "maximum": 1,
        },
        "explains": {"description": "How many written figures the causes lead to.", **COUNT},
        "rounded": {"description": "How results were rounded besides, where that is needed.", **TEXT},
        "mistakes": _list(_list({"$ref": "#/$defs/mistake"})),
        "entries": _list(_object({"entry": ENTRY, "slips": slips})),
    }
    yes_or_no: Shape = {"type": "boolean"}
    recognised = {"id": ID, **PLACED, "as": ID, "transposed": yes_or_no, "moved": yes_or_no}
    marks: Shape = {"type": ["number", "null"]}
    part: dict[str, Shape] = {"part": TEXT, "right": COUNT, "of": COUNT, "marks": marks, "possible": marks}
    return _object(
        {
            "file": TEXT,
            "title": TEXT,
            "problem": {"description": "Its number, in a file with several.", **PLACE},
            "says": {"description": "What there is to say of it, in one sentence.", **TEXT},
            "counts": _object(dict.fromkeys(VERDICTS, COUNT), VERDICTS),
            "cells": _list(_object(cell, ("note",))),
            "first_slip": TEXT_OR_NONE,
            "not_followed": _list(TEXT),
            "recognised": _list(_object(recognised)),
            "diagnoses": _list(_object(diagnosis, ("rounded",))),
            "parts": _list(_object(part)),
            "faults": _list(TEXT),
            "convention": {"description": "What was done otherwise than here, and is as good.", **TEXT},
            "rounded": {"description": "How results were rounded on the way, where only that explains some.", **TEXT},
        },
        optional=("problem", "convention", "rounded"),
    )


def _row() -> Shape:
    """Figures are empty texts where the file could not be read."""
    unread: Shape = {"const": ""}
    figures = {"marks": {"type": "number"}, "of": {"type": "number"}, **dict.fromkeys(VERDICTS, COUNT)}
    words = dict.fromkeys(("first slip", "cause", "problem with the file"), TEXT)
    whole: Shape = {"description": "The whole class, in the last row.", **_class()}
    more = {"questions": _list(_question()), "mistakes": _list(TEXT), "class": whole}
    cells = {name: {"anyOf": [figure, unread]} for name, figure in figures.items()}
    return _object({"file": TEXT, **cells, **words, **more}, optional=tuple(more))


ASKED: dict[str, Shape] = {
    "problem": {"description": "Its number, in a file with several.", **PLACE},
    "part": {"description": "Its letter; null where the sheet has no parts, and a quantity counts.", **TEXT_OR_NONE},
    "name": TEXT,
}
RESULTS = ("right", "follows", "wrong", "blank")


def _question() -> Shape:
    """How one student did on one question."""
    marks: Shape = {"type": ["number", "null"]}
    figures = {"result": {"enum": list(RESULTS)}, "right": COUNT, "of": COUNT, "marks": marks, "possible": marks}
    return _object({**ASKED, **figures}, ("problem",))


def _class() -> Shape:
    """What a teacher wants to know of a class."""
    return _object(
        {
            "students": COUNT,
            "unread": _list(TEXT),
            "questions": _list(_object({**ASKED, **dict.fromkeys(RESULTS, COUNT)}, ("problem",))),
            "misconceptions": _list(_object({"says": TEXT, "students": _list(TEXT)})),
            "nobody_got": _list(TEXT),
            "explain_again": _list(TEXT),
        }
    )


def lint() -> Shape:
    """What a sheet would not give away."""
    mistakes = _list({"$ref": "#/$defs/mistake"})
    tokens = _list(_object({"id": ID, **PLACED, "token": PLACE}))
    change: dict[str, Shape] = {
        "id": ID,
        **PLACED,
        "entry": {"anyOf": [ENTRY, {"type": "null"}]},
        "value": TEXT_OR_NONE,
        "times": TEXT_OR_NONE,
        "unnoticed": COUNT,
    }
    properties: dict[str, Shape] = {
        "title": TEXT,
        "tried": COUNT,
        "unnoticed": mistakes,
        "alike": _list(mistakes),
        "saturated": tokens,
        "ties": tokens,
        "ugly": _list(ID),
        "vanishing": _list(_object({"id": ID, **PLACED, "zero": {"type": "boolean"}, "ids": _list(ID), "why": TEXT})),
        "dead": _list(_object({"id": ID, **PLACED, "says": TEXT})),
        "change": {"anyOf": [{"type": "null"}, _object(change)]},
    }
    return _schema("lint", _object(properties), {"mistake": _mistake()})


def _mistake() -> Shape:
    """A mistake; a given number that was misread has its entry, and what it was read as."""
    return _object({"id": TEXT, "in": ID, **PLACED, "says": TEXT, "entry": ENTRY, "value": TEXT}, ("entry", "value"))


def _schema(name: str, shape: Shape, definitions: Mapping[str, Shape]) -> Shape:
    address = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": address, "title": f"attnsolve {name}", **shape, "$defs": dict(definitions)}


def _list(items: Shape) -> Shape:
    return {"type": "array", "items": items}


def _object(properties: Mapping[str, Shape], optional: tuple[str, ...] = ()) -> Shape:
    """Just these keys, all of them there but the optional ones."""
    required = [name for name in properties if name not in optional]
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }
