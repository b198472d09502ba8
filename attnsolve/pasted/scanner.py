"""A text that is read from front to back, and where one has got to in it."""

from __future__ import annotations

import re

from attnsolve.errors import Fault, Mark, ProblemError

LONGEST = 40
"""Characters of a word that a message quotes."""
_WORD = re.compile(r"\\?\w+|.", re.DOTALL)


class Scanner:
    """A text and a place in it."""

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self.position = 0

    @property
    def is_at_end(self) -> bool:
        """Whether nothing is left."""
        return self.position >= len(self.text)

    @property
    def next(self) -> str:
        """The next character; empty at the end."""
        return self.text[self.position : self.position + 1]

    def go_to(self, position: int) -> None:
        """Go on from some place."""
        self.position = position

    def looking_at(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """What stands here, if it is that."""
        return pattern.match(self.text, self.position)

    def take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """The same, and go past it."""
        match = self.looking_at(pattern)
        if match:
            self.position = match.end()
        return match

    def mark(self, position: int) -> Mark:
        """A place as editors count it."""
        before = self.text[:position]
        return Mark(before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1)

    def found(self) -> str:
        """What a message says stands here."""
        word = self.looking_at(_WORD)
        return (
            "the end of the text"
            if word is None
            else "the end of the line"
            if word[0] == "\n"
            else repr(word[0][:LONGEST])
        )

    def fault(self, message: str, fix: str = "", at: int | None = None) -> ProblemError:
        """What is wrong here."""
        return ProblemError([Fault(self.file, self.mark(self.position if at is None else at), message, fix)])
