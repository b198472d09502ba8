"""Documents that show themselves: printed as text, in a notebook as Markdown with its mathematics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, get_args

from attnsolve.api.calls import asked, columns, one_of
from attnsolve.errors import AttnsolveError

if TYPE_CHECKING:
    from attnsolve.check.lint import Findings
    from attnsolve.check.run import Checked
    from attnsolve.document import Document
    from attnsolve.render.markdown import Flavour
    from attnsolve.spec.problem import Problem

WIDTH = 80


class Page(ABC):
    """Something to read: ``print(page)`` shows it as text, a notebook with its mathematics set."""

    problem: Problem
    """The problem that it is about."""

    @abstractmethod
    def _page(self) -> Document:
        """What it says."""

    def to_markdown(self, math: Flavour = "github") -> str:
        """All of it as Markdown; `math` says how formulas are written: github, dollar, latex or none.

        >>> import attnsolve
        >>> attnsolve.solve("causal-mask").to_markdown("dollar").splitlines()[0]
        '# A causal mask on four tokens'
        """
        from attnsolve.render.markdown import Flavour, render

        one_of("math", math, get_args(Flavour))
        with asked(self.problem):
            return render(self._page(), math)

    def to_text(self, width: int = WIDTH) -> str:
        """All of it as plain text, in lines of at most so many columns.

        >>> import attnsolve
        >>> attnsolve.solve("causal-mask").to_text(60).splitlines()[0]
        'A causal mask on four tokens'
        """
        from attnsolve.render.text import render

        with asked(self.problem):
            return render(self._page(), columns(width))

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        try:
            return str(self)
        except AttnsolveError as error:
            return str(error)

    def _repr_markdown_(self) -> str:
        """What a notebook shows; what goes wrong is shown as well."""
        from attnsolve.render.markdown import fenced

        try:
            return self.to_markdown("dollar")
        except AttnsolveError as error:
            return fenced(str(error))


class Explanation(Page):
    """Where one entry comes from, back to the given numbers: what ``solution.explain("A[2,1]")`` returns.

    >>> import attnsolve
    >>> print(attnsolve.attention([[2, 0]], [[1, 0], [0, 3]]).explain("S[1,1]").to_text().splitlines()[5].strip())
    s₁,₁ = q₁·k₁ = 2·1 + 0·0 = 2
    """

    def __init__(self, problem: Problem, document: Document) -> None:
        self.problem = problem
        self._told = document

    def _page(self) -> Document:
        return self._told


class CheckedAnswers(Page):
    """Answers marked: what ``solution.check(answers)`` returns.

    >>> import attnsolve
    >>> sheet = attnsolve.problem({"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "scaling": "none"})
    >>> found = attnsolve.solve(sheet).check({"scores": [1, 2]})
    >>> found.all_right, found.marks, found.out_of, found.first_slip
    (False, 1.0, 2.0, 's₁,₂: 2 instead of 0')
    """

    def __init__(self, checked: Checked) -> None:
        from attnsolve.check.run import summary

        self.problem = checked.marking.solution.problem
        self._checked = checked
        self._row = summary(checked)

    def _page(self) -> Document:
        from attnsolve.check.report import report

        return report(self._checked.marking, self._checked.diagnoses)

    @property
    def all_right(self) -> bool:
        """Whether everything that is asked for is there and right."""
        return self._checked.marking.all_right

    @property
    def marks(self) -> float:
        """What was earned: in marks where the sheet says what its parts are worth, else in entries."""
        return float(self._row["marks"])

    @property
    def out_of(self) -> float:
        """What could be earned."""
        return float(self._row["of"])

    @property
    def verdicts(self) -> dict[str, int]:
        """How many entries are exact, right, slip, follows, wrong and blank."""
        return {str(verdict): number for verdict, number in self._checked.marking.counts().items()}

    @property
    def first_slip(self) -> str:
        """The first wrong entry; empty where there is none."""
        return str(self._row["first slip"])

    @property
    def cause(self) -> str:
        """The mistake that explains it, by its id; empty where none is known."""
        return str(self._row["cause"])

    @property
    def data(self) -> dict[str, Any]:
        """All of it for other programs, as ``attnsolve check --format json`` prints it."""
        from attnsolve.check.run import as_data

        with asked(self.problem):
            return as_data(self._checked)


class LintedSheet(Page):
    """Which mistakes the answers to a problem would not reveal: what ``solution.lint()`` returns.

    >>> import attnsolve
    >>> sheet = attnsolve.solve({"queries": [[1, 0]], "keys": [[1, 0], [1, 0]]}).lint()
    >>> len(sheet.unnoticed) > 0
    True
    """

    def __init__(self, findings: Findings) -> None:
        self.problem = findings.solution.problem
        self._findings = findings

    def _page(self) -> Document:
        from attnsolve.check.lint import to_document

        return to_document(self._findings)

    @property
    def tried(self) -> int:
        """How many mistakes were made on purpose."""
        return len(self._findings.tried)

    @property
    def unnoticed(self) -> tuple[str, ...]:
        """Those that the answers would not reveal, each in words."""
        return tuple(slip.mistake.description for slip in self._findings.unnoticed)

    @property
    def data(self) -> dict[str, Any]:
        """All of it for other programs, as ``attnsolve lint --format json`` prints it."""
        from attnsolve.check.lint import as_data

        with asked(self.problem):
            return as_data(self._findings)
