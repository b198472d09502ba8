"""The keys of attention that stand for formulas; what each makes is in `shorthands`."""

from __future__ import annotations

from attnsolve.spec import shapes
from attnsolve.spec.keys import by_name, declare

_SINUSOID: shapes.Shape = {
    "type": "object",
    "properties": {
        "base": shapes.NUMBER_REF,
        "start": {"type": "integer", "minimum": 0},
        "order": {"enum": ["interleaved", "halves"]},
    },
    "additionalProperties": False,
}
_ROPE: shapes.Shape = {
    "type": "object",
    "properties": {
        "base": shapes.NUMBER_REF,
        "start": {"type": "integer", "minimum": 0},
        "pairs": {"enum": ["adjacent", "halves"]},
    },
    "additionalProperties": False,
}
_ALIBI: shapes.Shape = {
    "type": "object",
    "properties": {"slopes": {"type": "array", "minItems": 1, "items": shapes.NUMBER_REF}},
    "required": ["slopes"],
    "additionalProperties": False,
}
_NAMED: shapes.Shape = {
    "type": "object",
    "properties": {"sinusoidal": _SINUSOID, "rope": _ROPE, "alibi": _ALIBI},
    "minProperties": 1,
    "maxProperties": 1,
    "additionalProperties": False,
}

POSITIONS = declare(
    "positions",
    "Where tokens stand: sinusoidal or a matrix, added to the inputs; rope, which turns queries and keys; or "
    "{alibi: {slopes: [1/2]}}, one slope for each head. With options: {rope: {base: 100, start: 1, pairs: halves}}.",
    {"anyOf": [{"enum": ["none", "sinusoidal", "rope"]}, _NAMED, shapes.MATRIX_REF]},
)
TEMPERATURE = declare("temperature", "What the scores are divided by, after scaling.", shapes.NUMBER_REF)
SOFTCAP = declare("softcap", "The bound c that scores stay below, as c·tanh(S/c), before the mask.", shapes.NUMBER_REF)
SCORE_BIAS = declare(
    "score_bias",
    "A matrix that is added to the scores, after scaling and before the mask; or one for each head.",
    {"anyOf": [shapes.MATRIX_REF, {"type": "array", "items": shapes.MATRIX_REF}]},
)
SHORTHANDS = by_name(TEMPERATURE, SOFTCAP, SCORE_BIAS, POSITIONS)
