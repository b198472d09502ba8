"""The classes of the program, walked: every concrete kind of matrix and every operation."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterator
from typing import TypeVar

from attnsolve import numbers, operations

Kind = TypeVar("Kind")


def concrete(kind: type[Kind]) -> list[type[Kind]]:
    """Every class of a kind that can be made, wherever in numbers and operations it is."""
    for package in (numbers, operations):
        for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
            importlib.import_module(module.name)
    return sorted({*_below(kind)}, key=lambda one: (one.__module__, one.__qualname__))


def _below(kind: type[Kind]) -> Iterator[type[Kind]]:
    for one in kind.__subclasses__():
        if not inspect.isabstract(one) and one.__module__.startswith(("attnsolve.numbers.", "attnsolve.operations.")):
            yield one
        yield from _below(one)
