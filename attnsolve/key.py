"""What a quantity is known by: its public id, and where in the problem it stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

At = tuple[tuple[str, int | str], ...]
"""From the outside in: (("layer", 2), ("head", 0)), or the decoder step, or a case that the problem names."""


CASE = "case"
"""What the first step of a path is called where it is a case that the problem is compared with."""


class Key(NamedTuple):
    """A quantity's public id, and its place as a path; nothing for what is made once."""

    id: str
    at: At = ()

    @property
    def case(self) -> str:
        """The case that it belongs to; empty for what the problem itself has."""
        return str(self.at[0][1]) if self.at and self.at[0][0] == CASE else ""

    @property
    def within(self) -> At:
        """Its place in its case."""
        return self.at[1:] if self.case else self.at

    @property
    def head(self) -> str | None:
        """The innermost number of the path as text: the head, or the decoder step."""
        return str(self.within[-1][1]) if self.within else None

    @property
    def groups(self) -> str:
        """What the innermost number of the path counts, in the plural: heads, layers, decoder steps, values of t."""
        name = self.at[-1][0] if self.at else ""
        return f"values of {name}" if len(name) == 1 else f"{name}s"

    @property
    def owner(self) -> str:
        """What it belongs to, in words: layer 2, head 1; t = 3 for an index of one letter; the name of a case."""
        return ", ".join(_in_words(name, number) for name, number in self.at)

    @property
    def whose(self) -> str:
        """The same behind a noun: of layer 2, head 1; in the case masked."""
        own = ", ".join(_in_words(name, number) for name, number in self.within)
        return f" of {own}" * bool(own) + f" in the case {self.case}" * bool(self.case)

    @property
    def heading(self) -> str:
        """The same at the head of a section: Layer 2, head 1; Case masked, head 1."""
        if self.case:
            return f"Case {self.owner}"
        return self.owner if len(self.at[0][0]) == 1 else self.owner[0].upper() + self.owner[1:]

    def stands(self, path: Sequence[tuple[str, str]]) -> bool:
        """Whether it stands where a path says, outside of any case; numbers without a name of its own are counted from
        the inside out."""
        if self.case and path:
            return False
        left = list(self.at)
        for name, number in reversed(path):
            if not left:
                return False
            step = next((step for step in left if _short(step[0]) == name), left[-1])
            if str(step[1]) != number:
                return False
            left.remove(step)
        return True

    @property
    def data(self) -> dict[str, object]:
        """The same in JSON."""
        return {"id": self.id, **self.place}

    @property
    def place(self) -> dict[str, object]:
        """Where it stands, in JSON."""
        return {"head": self.head or self.case or None, "at": [[_short(name), number] for name, number in self.at]}

    def __str__(self) -> str:
        return self.owner + ": " * bool(self.at) + self.id


def _in_words(name: str, number: int | str) -> str:
    return str(number) if name == CASE else f"{name} = {number}" if len(name) == 1 else f"{name} {number}"


def _short(name: str) -> str:
    """The name by which a file and JSON call a step of a path: step, for decoder step."""
    return name.rpartition(" ")[2]


class Cell(NamedTuple):
    """A place in a quantity, counted from 0."""

    key: Key
    row: int
    column: int
