"""The bundled problems worked out, each once in a process: some arguments take seconds to verify."""

from __future__ import annotations

from functools import cache

from attnsolve.loading.files import load_one
from attnsolve.narrate.narrated import Narrated
from attnsolve.pipeline import solve


@cache
def worked(name: str) -> Narrated:
    return solve(load_one(name))
