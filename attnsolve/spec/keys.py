"""A key of a problem file, declared in one place: its name, what it says, what may stand there, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar, overload

from attnsolve.spec.fields import Fields
from attnsolve.spec.reader import Node
from attnsolve.spec.shapes import Shape

Value = TypeVar("Value")


@dataclass(frozen=True)
class ProblemKey(Generic[Value]):
    """One key. The reader, the JSON Schema and the messages about unknown keys all go by this."""

    name: str
    says: str
    shape: Shape
    reads: Callable[[Fields, str], Value]

    def read(self, fields: Fields) -> Value:
        """What a file has there, or the default; faults are noted."""
        return self.reads(fields, self.name)


AnyKey = ProblemKey[Any]


@overload
def declare(name: str, says: str, shape: Shape) -> ProblemKey[Node | None]: ...
@overload
def declare(name: str, says: str, shape: Shape, reads: Callable[[Fields, str], Value]) -> ProblemKey[Value]: ...
def declare(name: str, says: str, shape: Shape, reads: Callable[[Fields, str], Any] = Fields.get) -> AnyKey:
    """Declare a key; without `reads`, what stands there is taken as it was written, to be read with what is around."""
    return ProblemKey(name, says, shape, reads)


def choice(*words: str, default: str) -> Callable[[Fields, str], str]:
    """One of some words."""
    return lambda fields, name: fields.choice(name, words, default)


def described(*keys: AnyKey) -> dict[str, str]:
    """What each key says."""
    return {one.name: one.says for one in keys}


def shapes_of(*keys: AnyKey) -> dict[str, Shape]:
    """What may stand under each key."""
    return {one.name: one.shape for one in keys}
