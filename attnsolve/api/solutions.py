"""A problem worked out, as a Python program sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeGuard, TypeVar, get_args

from attnsolve.api.calls import HUGE, asked, columns, described, figures_of, one_of, path_of, unexpected, words_of
from attnsolve.api.pages import WIDTH, Page
from attnsolve.errors import RequestError, plain
from attnsolve.kinds import ARGUMENTS
from attnsolve.narrate.narrated import Narrated

if TYPE_CHECKING:
    from os import PathLike

    from attnsolve.api.pages import CheckedAnswers, Explanation, LintedSheet
    from attnsolve.api.quantities import SolvedQuantity
    from attnsolve.document import Document
    from attnsolve.narrate.narrated import NarratedSolution
    from attnsolve.render.markdown import Flavour
    from attnsolve.solution.solved import Detail

Kind = TypeVar("Kind", bound=Narrated)
Sheets = Literal["inline", "none", "separate"]
"""Where a worksheet has its solutions."""
NAMED = "a quantity's name, as in solution['weights'], or with its head, as in solution['weights', 1]"


class Solution(Page, Narrated):
    """A problem worked out, with its numbers and the work that leads to them.

    Ask for a quantity by its id or letter, and for its head where there are several; loop over it to get the ids.

    >>> import attnsolve
    >>> solution = attnsolve.solve("causal-mask")
    >>> solution
    <attnsolve.Solution of 'A causal mask on four tokens': attention, exact>
    >>> [*solution][-3:]
    ['masked', 'weights', 'context']
    >>> solution["scores"].exact.row(2)
    Matrix([[1, 4, 5, -2]])
    >>> "weights" in solution, solution["A"].shape
    (True, (4, 4))
    """

    @property
    def title(self) -> str:
        """The title of its problem; empty where it has none."""
        return self.problem.title

    # ── its quantities ──────────────────────────────────────────────────────────────────────────

    def __getitem__(self, name: str | tuple[str, str | int]) -> SolvedQuantity:
        """A quantity by its id or letter; with its head, as in ``solution["weights", 1]``."""
        from attnsolve.api.quantities import ComputedQuantity, DerivedResult, SolvedQuantity
        from attnsolve.derivations.derivation import Derivation

        if not _is_name(name):
            raise RequestError(f"{NAMED} was expected, but {described(name)} was found")
        argues = isinstance(self, Derivation)
        if argues and not isinstance(name, str):
            name = name[0]
        with asked(self.problem):
            found: Any = super().__getitem__(name)  # type: ignore[misc]
        if isinstance(found, SolvedQuantity):  # of what is inside a step: of this problem, opened
            return found
        return DerivedResult(self.problem, found) if argues else ComputedQuantity(found)

    def __iter__(self) -> Iterator[str]:
        """The ids of all quantities, in the order in which they are worked out."""
        from attnsolve.derivations.derivation import Derivation

        if isinstance(self, Derivation):
            return iter(dict.fromkeys(result.id for result in self.results))
        return iter(dict.fromkeys(q.key.id for q in self.problem.graph))

    def __contains__(self, name: object) -> bool:
        """Whether there is a quantity of this name, in one head or several."""
        from attnsolve.derivations.derivation import Derivation

        if isinstance(self, Derivation) or not _is_name(name):
            return isinstance(name, str) and name in [*self]
        wanted, head = (name, None) if isinstance(name, str) else (name[0], str(name[1]))
        try:
            inside: Any = self.opened([wanted])
        except RequestError:
            return False
        return any(head is None or head == q.key.head for q in inside.graph.named(wanted))

    def _ipython_key_completions_(self) -> list[str]:
        return [*self]

    # ── what it says ────────────────────────────────────────────────────────────────────────────

    def _page(self) -> Document:
        return self.to_document()

    def __repr__(self) -> str:
        what = repr(plain(self.title)) if self.title else "a problem without a title"
        numbers = "" if self.problem.kind in ARGUMENTS else f", {self.problem.numbers}"
        return f"<attnsolve.Solution of {what}: {self.problem.kind}{numbers}>"

    # ── what can be done with it ────────────────────────────────────────────────────────────────

    def check(
        self, answers: Mapping[str, Any] | str | PathLike[str] | None = None, *, follow: bool = True
    ) -> CheckedAnswers:
        """Mark answers: those of a mapping or a file, or (None) those that the problem carries itself. Credit is given
        for what follows from a slip, unless `follow` is False.

        Numbers may be written as in an answer file, or stand in lists or arrays. A float with more digits than anybody
        writes down was computed, and is taken to ten digits of the largest entry.

        >>> import attnsolve
        >>> solution = attnsolve.solve("discussion-10-qkv")
        >>> found = solution.check({"scores": [[-17, -5, 23], [4, -2, 2], [2, 8, 20]]})
        >>> found.all_right, found.first_slip
        (False, 'z₃,₃: 20 instead of −20')
        """
        from attnsolve.api.answers import check
        from attnsolve.api.pages import CheckedAnswers

        solution = self._exact("checking answers takes exact numbers")
        with asked(self.problem):
            return CheckedAnswers(check(solution, answers, follow=follow))

    def explain(self, cell: str, *, digits: int | None = None) -> Explanation:
        """Trace one entry back to the given numbers.

        >>> import attnsolve
        >>> print(attnsolve.solve("discussion-10-qkv").explain("Z[1,2]").to_text().splitlines()[0])
        Where z₁,₂ comes from
        """
        from attnsolve.api.pages import Explanation
        from attnsolve.narrate.explain import explain

        if not isinstance(cell, str):
            raise unexpected("the cell to explain", "a name such as 'A[2,1]'", cell)
        solution = self._exact("explain traces a cell of a matrix of exact numbers")
        with asked(self.problem):
            return Explanation(self.problem, explain(solution, cell, figures_of(digits, "digits")))

    def lint(self) -> LintedSheet:
        """Find out which mistakes the answers to this problem would not reveal.

        >>> import attnsolve
        >>> attnsolve.solve("discussion-10-qkv").lint().tried > 10
        True
        """
        from attnsolve.api.pages import LintedSheet
        from attnsolve.check.lint import lint

        solution = self._exact("lint takes exact numbers")
        with asked(self.problem):
            return LintedSheet(lint(solution))

    def export(
        self,
        path: str | PathLike[str],
        *,
        solutions: Sheets = "inline",
        math: Flavour = "github",
        figures: bool = False,
        detail: Detail = "normal",
        only: str | list[str] | tuple[str, ...] = (),
        tokens: str | list[str] | tuple[str, ...] = (),
        digits: int | None = None,
        width: int = WIDTH,
        force: bool = False,
    ) -> list[Path]:
        """Write the worked solution to a file, whose ending chooses the format; returns the files that were written.

        The options are those of ``attnsolve export``: `solutions` are inline, none (a blank sheet) or in a separate
        file; a file that is there already is only replaced with ``force=True``.

        >>> import attnsolve, tempfile
        >>> solution = attnsolve.solve("causal-mask")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     [path.name for path in solution.export(f"{folder}/sheet.md", solutions="separate")]
        ['sheet.md', 'sheet.solutions.md']
        """
        from attnsolve.export import as_files
        from attnsolve.export.formats import Options
        from attnsolve.publish import write_all
        from attnsolve.render.markdown import Flavour
        from attnsolve.solution.solved import Detail, Narration

        output = Path(path_of(path, "the file to write"))
        one_of("solutions", solutions, get_args(Sheets))
        one_of("math", math, get_args(Flavour))
        one_of("detail", detail, get_args(Detail))
        narration = Narration(
            detail, words_of("only", only), words_of("tokens", tokens), figures_of(digits, "digits"), bool(figures)
        )
        with asked(self.problem):
            options = Options(output.stem, math, digits, columns(width))
            files = as_files([self.opened(narration.only)], output, narration, options, solutions)
        write_all(files, force=bool(force))
        return [file for file, _ in files]

    def _exact(self, purpose: str) -> NarratedSolution:
        from attnsolve.narrate.narrated import NarratedSolution

        if not isinstance(self, NarratedSolution):
            raise RequestError(f"{plain(self.problem.file)}: {purpose}, but {self.lacks}")
        return self


def published(kind: type[Kind]) -> type[Kind]:
    """A class of solutions with all that a Python program may do with one."""
    made: Any = _published(kind)
    return made  # type: ignore[no-any-return]


@cache
def _published(kind: type[Narrated]) -> type[Solution]:
    return type("Solution", (Solution, kind), {"__doc__": Solution.__doc__, "__module__": "attnsolve"})


def _is_name(name: object) -> TypeGuard[str | tuple[str, str | int]]:
    if isinstance(name, tuple) and len(name) == 2:
        at = name[1]
        return isinstance(name[0], str) and (isinstance(at, str) or (isinstance(at, int) and abs(at) < HUGE))
    return isinstance(name, str)
