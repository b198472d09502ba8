"""What every problem becomes once it is worked out, be it numbers or an argument: something that can be told."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal

from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.document import Document
    from attnsolve.render.markdown import Flavour
    from attnsolve.spec.problem import Problem

Detail = Literal["brief", "normal", "full"]


@record
class Telling(Record):
    """What the reader asked to be told."""

    detail: Detail = "normal"
    only: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    digits: int | None = None
    figures: bool = False


class Worked(ABC):
    """A problem worked out."""

    problem: Problem
    lacks = ""
    """Why it has no exact cells to explain or to check, as a sentence goes on after `but`."""

    @abstractmethod
    def tell(self, telling: Telling | None = None, part: str | None = None) -> Document:
        """The problem's parts answered (or the one asked for); without parts, all of it."""

    @abstractmethod
    def steps(self, telling: Telling | None = None) -> Document:
        """All of it, whatever the parts ask."""

    @abstractmethod
    def blank(self) -> Document:
        """The sheet without its answers: what is given, what is asked, and room to write."""

    def to_markdown(self, math: Flavour = "github") -> str:
        """The worked solution as Markdown: the problem's parts answered, or every step told."""
        from attnsolve.guard import bounded
        from attnsolve.refusal import refusing
        from attnsolve.render.markdown import render

        with bounded(self.problem.file), refusing(self.problem.file, self.problem.at):
            return render(self.tell(), math)

    def _repr_markdown_(self) -> str:
        """What a notebook shows."""
        return self.to_markdown("dollar")
