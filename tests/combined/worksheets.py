"""The bundled problems worked out, each once in a process: some arguments take seconds to verify."""

from __future__ import annotations

from functools import cache

from attnsolve.loader import load_one
from attnsolve.solution import solve
from attnsolve.worked import Worked


@cache
def worked(name: str) -> Worked:
    return solve(load_one(name))
