"""A test of many small cases, as one test: pytest takes longer over a test of its own than most of them take."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from functools import wraps
from itertools import product
from typing import Any

import pytest


def each(
    names: str, cases: Collection[Any], say: Callable[[Any], str] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `parametrize`, but in one test that goes on after a failure: all of them are raised together in the end,
    each with its case."""
    words = [name.strip() for name in names.split(",")]
    assert cases, "nothing would be tested"

    def once(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def over_all(*arguments: Any, **others: Any) -> None:
            failures = []
            for case in cases:
                values = case if len(words) > 1 else (case,)
                try:
                    test(*arguments, **others, **dict(zip(words, values, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:
                    failure.add_note("with " + ", ".join(map(_said(say), words, values)))
                    failures.append(failure)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(cases)} cases", failures)

        signature = inspect.signature(test)
        left = [parameter for name, parameter in signature.parameters.items() if name not in words]
        over_all.__signature__ = signature.replace(parameters=left)  # type: ignore[attr-defined]
        return over_all

    return once


def _said(say: Callable[[Any], str]) -> Callable[[str, Any], str]:
    return lambda name, value: f"{name}={value.__name__ if isinstance(value, type) else say(value)}"


def pairs(*lists: Collection[Any]) -> list[tuple[Any, ...]]:
    """Each of the first with each of the second, and so on."""
    return [*product(*lists)]
