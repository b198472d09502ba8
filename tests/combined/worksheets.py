"""The bundled problems worked out, each once in a process: some arguments take seconds to verify."""

from __future__ import annotations

from functools import cache

from attnsolve.pipeline import solve
from attnsolve.spec.load import load_one
from attnsolve.worked import Worked


@cache
def worked(name: str) -> Worked:
    return solve(load_one(name))
