"""What small frozen classes share: equality, hash and representation by their fields.

`@dataclass` would write these three anew for every class; with dozens of classes that is felt when the program starts.
"""

from __future__ import annotations


class Record:
    """Base of dataclasses that are declared with `frozen=True, eq=False, repr=False`."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *self.__dict__.values()))

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={value!r}" for name, value in self.__dict__.items())
        return f"{type(self).__name__}({fields})"
