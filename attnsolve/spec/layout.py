"""How a sheet stacks tokens, and what it calls them: keys that several kinds have."""

from __future__ import annotations

from typing import Literal

from attnsolve.spec import shapes
from attnsolve.spec.fields import Fields
from attnsolve.spec.keys import choice, declare

Layout = Literal["rows", "columns"]

TOKENS = declare("tokens", "Names of the tokens, used to label rows.", shapes.WORDS, Fields.labels)
LAYOUT = declare(
    "layout",
    "rows (default) or columns: how the sheet stacks tokens.",
    shapes.DIRECTION,
    choice("rows", "columns", default="rows"),
)
VECTORS = declare(
    "vectors",
    "How the sheet writes one token by itself: columns (default, q = W_Qᵀ x) or rows (q = x W_Q).",
    shapes.DIRECTION,
    choice("rows", "columns", default="columns"),
)
