"""Small frozen classes: what `@dataclass(frozen=True)` makes, made only as far as it is used.

A dataclass has its methods written as source and compiled, and with two hundred classes that is felt when the program
starts; and a frozen one fills a new object through `object.__setattr__`, which is felt whenever a formula is written.
Here equality, hash, representation and refusal to change are in one base class, and a class gets its `__init__` when
its first object is made. `dataclasses.replace` and `dataclasses.fields` work as for any dataclass.
"""

from __future__ import annotations

import dataclasses
from dataclasses import MISSING, Field, FrozenInstanceError, field
from functools import cached_property
from typing import ClassVar, Self, TypeVar, dataclass_transform

Class = TypeVar("Class", bound="type[Record]")


class _DataclassFields:
    """What the module `dataclasses` knows the fields of a class by; made when it asks for them, in place of this."""

    def __init__(self, cls: type) -> None:
        self.cls = cls

    def __get__(self, instance: object, owner: type) -> object:
        dataclasses.dataclass(init=False, eq=False, repr=False)(self.cls)
        return self.cls.__dict__["__dataclass_fields__"]


class Record:
    """Base of the classes that are declared with `@record`."""

    __slots__ = ()
    _field_names: ClassVar[tuple[str, ...]] = ()
    """The fields, in the order in which a new object takes them."""
    _field_defaults: ClassVar[dict[str, object]] = {}
    _compared_fields: ClassVar[tuple[str, ...] | None] = None
    """The fields that make two objects equal; None where that is all that an object has."""

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        mine, others, names = self.__dict__, other.__dict__, self._compared_fields
        return mine == others if names is None else all(mine[name] == others[name] for name in names)

    def __hash__(self) -> int:
        names, own = self._compared_fields, self.__dict__
        return hash((type(self), *own.values())) if names is None else hash((type(self), *map(own.get, names)))

    def __repr__(self) -> str:
        entries = ", ".join(f"{name}={self.__dict__[name]!r}" for name in self._field_names)
        return f"{type(self).__name__}({entries})"

    def replaced(self, **fields: object) -> Self:
        """The same with other values for some fields; `dataclasses.replace` for classes that aren't known by name."""
        if unknown := fields.keys() - set(self._field_names):
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        made = object.__new__(type(self))
        made.__dict__.update({name: self.__dict__[name] for name in self._field_names} | fields)
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")


class Fillable(Record):
    """Base of the classes that are declared with `@filled`."""

    __slots__ = ()
    __eq__ = object.__eq__
    __hash__ = object.__hash__
    __setattr__ = object.__setattr__  # type: ignore[assignment]  # it takes Any, and a base class's takes object
    __delattr__ = object.__delattr__


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
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
    own = [name for name, kind in cls.__annotations__.items() if not str(kind).startswith("ClassVar")]
    cls._field_names = (*cls._field_names, *(name for name in own if name not in cls._field_names))
    cls._field_defaults = cls._field_defaults | {name: cls.__dict__[name] for name in own if name in cls.__dict__}
    options = {name: default for name, default in cls._field_defaults.items() if isinstance(default, Field)}
    if any(not option.init or not option.repr or option.kw_only is True for option in options.values()):
        raise TypeError(f"every field of {cls.__name__} is taken in order and shown")
    ignored = [name for name, option in options.items() if not option.compare]
    if ignored or any(isinstance(value, cached_property) for value in cls.__dict__.values()):
        cls._compared_fields = tuple(name for name in cls._field_names if name not in ignored)
    elif cls._compared_fields is not None:
        cls._compared_fields = cls._field_names
    type.__setattr__(cls, "__match_args__", cls._field_names)
    type.__setattr__(cls, "__dataclass_fields__", _DataclassFields(cls))
    type.__setattr__(cls, "__init__", _first)
    return cls


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def filled(cls: Class) -> Class:
    """Make a class one whose objects are filled bit by bit; each equals itself alone.

    >>> @filled
    ... class Tally(Fillable):
    ...     count: int = 0
    >>> tally = Tally()
    >>> tally.count += 1
    >>> tally, tally == Tally(1)
    (Tally(count=1), False)
    """
    return record(cls)


def _first(self: Record, *arguments: object, **named: object) -> None:
    """Make the first object of a class: with the `__init__` that all others are made with, made now."""
    cls = next(cls for cls in type(self).__mro__ if "__init__" in cls.__dict__ and issubclass(cls, Record))
    type.__setattr__(cls, "__init__", _initialiser(cls))
    type(self).__init__(self, *arguments, **named)


def _initialiser(cls: type[Record]) -> object:
    """A function that fills an object, written as source as in dataclasses."""
    space: dict[str, object] = {"MISSING": MISSING}
    parameters, lines = ["self"], ["own = self.__dict__"]
    for name in cls._field_names:
        parameter = value = name
        if name in cls._field_defaults:
            default = cls._field_defaults[name]
            if isinstance(default, Field) and default.default_factory is not MISSING:
                space[f"make_{name}"] = default.default_factory
                value, default = f"make_{name}() if {name} is MISSING else {name}", MISSING
            space[f"default_{name}"] = default.default if isinstance(default, Field) else default
            parameter = f"{name}=default_{name}"
        parameters.append(parameter)
        lines.append(f"own[{name!r}] = {value}")
    exec(f"def __init__({', '.join(parameters)}):\n " + "\n ".join(lines), space)  # names of fields, as in dataclasses
    return space["__init__"]
