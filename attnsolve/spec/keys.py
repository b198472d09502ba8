"""A key of a problem file, declared in one place: its name, what it says, what may stand there, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Protocol, TypeVar, overload

from attnsolve.record import Record, record
from attnsolve.spec.fields import Fields
from attnsolve.spec.reader import Node
from attnsolve.spec.shapes import Shape

Value = TypeVar("Value")


class Kind(Protocol):
    """What a kind of problem says of itself: the module that reads it."""

    KIND: str
    KEYS: dict[str, AnyKey]
    """Its own keys, in the order in which they are documented."""
    UNUSED: tuple[str, ...]
    """Keys that other kinds have and that say nothing here."""
    QUANTITIES: tuple[str, ...]
    """What a part may ask for."""
    NAMES: tuple[str, ...]
    """What `notation` may name."""
    CLAIMS: tuple[str, ...]
    """What a part may ask to be shown."""
    GIVABLE: tuple[str, ...]
    """Quantities that a file may give in place of their formula."""
    PARAMETERS: tuple[str, ...]
    """What may stand under `weights`."""
    LETTERS: dict[str, str]
    """How the quantities and weights are written unless a sheet says otherwise."""
    SOURCES: dict[str, str]
    """What may stand under `inputs`, where queries, keys and values are made from inputs of their own."""


@record
class DocumentedKey(Record):
    """A key with what it says and what may stand there, which may depend on the kind's names."""

    name: str
    description: str
    shape: Shape | Callable[[Kind], Shape]

    def schema(self, kind: Kind) -> Shape:
        """Its entry in the JSON Schema of a kind."""
        return {"description": self.description, **(self.shape(kind) if callable(self.shape) else self.shape)}


@record
class ProblemKey(DocumentedKey, Generic[Value]):
    """A key of one kind of problem, or of one topic."""

    reads: Callable[[Fields, str], Value]

    def read(self, fields: Fields) -> Value:
        """What a file has there, or the default; faults are noted."""
        return self.reads(fields, self.name)


AnyKey = ProblemKey[Any]


@overload
def declare(name: str, description: str, shape: Shape) -> ProblemKey[Node | None]: ...
@overload
def declare(name: str, description: str, shape: Shape, reads: Callable[[Fields, str], Value]) -> ProblemKey[Value]: ...
def declare(name: str, description: str, shape: Shape, reads: Callable[[Fields, str], Any] = Fields.get) -> AnyKey:
    """Declare a key; without `reads`, what stands there is taken as it was written, to be read with what is around."""
    return ProblemKey(name, description, shape, reads)


def choice(*words: str, default: str) -> Callable[[Fields, str], str]:
    """One of some words."""
    return lambda fields, name: fields.choice(name, words, default)


def by_name(*keys: AnyKey) -> dict[str, AnyKey]:
    """Keys by their names; of two that share one, the later stands in the place of the first."""
    return {key.name: key for key in keys}
