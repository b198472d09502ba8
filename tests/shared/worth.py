"""What a piece of notation is worth, its letters having values: read from the tree alone, as a reader would."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from attnsolve import notation as n

CALLS = {
    "exp": math.exp,
    "tanh": math.tanh,
    "max": max,
    "min": min,
    "ln": math.log,
    "sin": math.sin,
    "cos": math.cos,
    "erf": math.erf,
}


def worth(notation: n.Notation, letters: Mapping[n.Notation, Any]) -> Any:
    """A number; of a letter that stands for a vector, an array."""
    if notation in letters:
        return letters[notation]
    match notation:
        case n.Num(text=text, exponent=exponent):
            return float(text) * 10.0 ** (exponent or 0)
        case n.Infinity(negative=negative):
            return -math.inf if negative else math.inf
        case n.Sym(name="e", sub=()):
            return math.e
        case n.Sym(name="pi", sub=()):
            return math.pi
        case n.Sum(terms=terms):
            return sum(worth(term, letters) for term in terms)
        case n.Product(factors=factors):
            return _multiplied([worth(factor, letters) for factor in factors])
        case n.Frac(over=over, under=under):
            return worth(over, letters) / worth(under, letters)
        case n.Power(base=base, exponent=exponent):
            return worth(base, letters) ** worth(exponent, letters)
        case n.Degrees(inner=inner):
            return math.radians(worth(inner, letters))
        case n.Root(inner=inner):
            return math.sqrt(worth(inner, letters))
        case n.Call(name="", inner=(n.Chain(left=left, links=((">", right),)),), square=True) if left is not None:
            return float(worth(left, letters) > worth(right, letters))
        case n.Abs(inner=inner):
            return abs(worth(inner, letters))
        case n.Call(name=name, inner=inner):
            return CALLS[name](*(worth(part, letters) for part in inner))
    raise TypeError(f"{notation!r} is worth nothing")


def _multiplied(factors: list[Any]) -> Any:
    first, *rest = factors
    for factor in rest:
        masked = {first, factor} >= {0, -math.inf} if np.ndim(first) == np.ndim(factor) == 0 else False
        first = 0.0 if masked else float(np.dot(first, factor))
    return first
