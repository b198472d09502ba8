"""Small frozen classes: a dataclass whose equality, hash, representation and refusal to change are in one base class.

`@dataclass(frozen=True)` writes these anew for every class, and with a hundred classes that is felt when the program
starts; and it fills a new object through `object.__setattr__`, which is felt whenever a formula is written.
"""

from __future__ import annotations

from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from typing import TYPE_CHECKING, Self, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

Class = TypeVar("Class", bound=type)


class Record:
    """Base of the classes that are declared with `@record`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        entries = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({entries})"

    def replaced(self, **fields: object) -> Self:
        """The same with other values for some fields; `dataclasses.replace` for classes that aren't known by name."""
        if unknown := fields.keys() - self.__dict__.keys():
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__ | fields)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


@dataclass_transform(frozen_default=True, eq_default=False, field_specifiers=(field,))
def record(cls: Class) -> Class:
    """Make a class a frozen dataclass.

    >>> @record
    ... class Size(Record):
    ...     rows: int
    ...     columns: int = 1
    >>> Size(3), Size(3) == Size(3, 1), Size(3) == Size(1, 3)
    (Size(rows=3, columns=1), True, False)
    >>> Size(3).replaced(columns=2)
    Size(rows=3, columns=2)
    """
    made: type[DataclassInstance] = dataclass(init=False, eq=False, repr=False)(cls)
    defaults: dict[str, object] = {}
    parameters, lines = ["self"], ["own = self.__dict__"]
    for entry in fields(made):
        name = entry.name
        if entry.default_factory is not MISSING or not entry.compare or not entry.repr:
            raise TypeError(f"{cls.__name__}.{name}: a record takes plain fields, all of which count")
        if entry.default is not MISSING:
            defaults[name] = entry.default
        parameters.append(f"{name}=defaults[{name!r}]" if name in defaults else name)
        lines.append(f"own[{name!r}] = {name}")
    space: dict[str, object] = {"defaults": defaults}
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), space)  # names of fields, as in dataclasses
    type.__setattr__(made, "__init__", space["__init__"])
    return cls
