"""What is worked out in stages along each row or column: the mean, each entry less the mean, the variance, its root,
each entry over the root.

A stage is a formula like any other, in terms of what goes in and of the stages before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log10
from typing import TYPE_CHECKING, ClassVar

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.numbers.matrix import M
from attnsolve.operations.context import View, Work
from attnsolve.operations.formula import AlongAxis, EntryByEntry, Formula, Ref
from attnsolve.operations.letters import letter

if TYPE_CHECKING:
    from attnsolve.numbers.written import Real

INNER = letter("scores")
"""What goes in, in a table of stages."""
MU, SIGMA, RMS = n.Sym("mu"), n.Sym("sigma"), n.Sym("RMS")
LETTERS: Mapping[str, n.Notation] = {
    "means": MU,
    "variances": n.Power(SIGMA, n.Num("2")),
    "deviations": SIGMA,
    "rms": RMS,
}
"""What the one number of a stage is called in the working of a row."""
PHRASES = {
    "means": "the mean",
    "centred": "each entry minus the mean",
    "variances": "the variance, which is the mean of their squares",
    "corrected": "the variance, which is the sum of their squares divided by n − 1",
    "deviations": "the standard deviation",
    "roots": "the root",
    "mean_squares": "the mean of the squares",
    "rms": "the root of the mean square",
    "normalised": "each entry divided by the root",
    "squares": "the sum of the squares",
    "powers": "the exponentials",
    "sigmoids": "the sigmoids",
    "erfs": "the values of the error function",
    "tanhs": "the hyperbolic tangents",
}
"""What is done in a stage."""

Place = tuple[int, int]


class InStages(Formula):
    """A formula that is worked in stages. `stage` is what it is called where it is one itself."""

    stage: ClassVar[str] = ""
    shows_substitution = False
    working_starts_with = "letters"

    @property
    def letter(self) -> n.Notation | None:
        """What its number is called in the working of what it is a stage of."""
        return LETTERS.get(self.stage)

    @property
    def phrase(self) -> str:
        """What is done in it."""
        return PHRASES.get(self.stage, "")

    @property
    def whole_stages(self) -> Stages:
        """The stages of this very formula, however its arguments are made."""
        return unfolded(self)

    def working(self, view: View, target: Key, token: int) -> list[Work]:
        from attnsolve.operations.staged_working import by_vector

        places = view.places(target)[token]
        works: list[Work] = []
        for vector, wanted in by_vector(self, view, target, places):
            for work in vector.works(target, wanted[: view.most]):
                if works and not work.description and not works[-1].description:
                    work = Work("", (*works.pop().lines, *work.lines))
                works.append(work)
        return works

    def traced(self, view: View, target: Key, places: Sequence[Place]) -> list[n.Chain]:
        from attnsolve.operations.staged_working import by_vector

        lines: list[n.Chain] = []
        for vector, wanted in by_vector(self, view, target, places):
            lines += [line for work in vector.works(target, wanted) for line in work.lines]
        return lines

    def entry_working(self, view: View, target: Key, row: int, column: int) -> n.Chain:
        from attnsolve.operations.staged_working import by_vector

        ((vector, wanted),) = by_vector(self, view, target, [(row, column)])
        return vector.final_line(target, *wanted[0])

    def cancelled(self, came: Sequence[Real], stages: Mapping[str, Sequence[Real]]) -> int:
        """How many leading digits the numbers lose on the way, of which so many more must be written."""
        centred = stages.get("centred", ())
        before, after = (max((abs(x.nearest_float()) for x in row), default=0.0) for row in (came, centred))
        return ceil(log10(before / after)) if before and after else 0


class Staged(AlongAxis, InStages):
    """A step that `inside` takes apart into stages; its definition is theirs."""

    if TYPE_CHECKING:
        inner: Formula

    @property
    def goes_down(self) -> bool:
        return self.down

    def define(self, *matrices: M) -> M:
        transposed = [matrix.T for matrix in matrices] if self.down else matrices
        values = dict(zip(self.entering, transposed, strict=True))
        result = transposed[0]
        for name, stage in self.inside().items():
            result = values[Key(name)] = run(stage, values)
        return result.T if self.down else result

    @property
    def whole_stages(self) -> Stages:
        entering = tuple(zip(self.entering, self.arguments, strict=True))
        return Stages(entering, self.inside(), self.down)


class StagedEntries(EntryByEntry, InStages):
    """The same of every entry by itself."""

    def define(self, *matrices: M) -> M:
        values = dict(zip(self.entering, matrices, strict=True))
        result = matrices[0]
        for name, stage in self.inside().items():
            result = values[Key(name)] = run(stage, values)
        return result

    @property
    def whole_stages(self) -> Stages:
        return Stages(zip(self.entering, self.arguments, strict=True), self.inside(), None)


def run(formula: Formula, values: Mapping[Key, M]) -> M:
    """The value of a stage, in whichever tier the values are."""
    if isinstance(formula, Ref):
        return values[formula.key]
    matrices = [run(argument, values) for argument in formula.arguments]
    kernel = type(matrices[0]).kernels.get(formula.kernel)
    return formula.define(*matrices) if kernel is None else formula.fuse(kernel, *matrices)


class Stages:
    """Formulas by the letters that they are entered under, and the stages in terms of these."""

    def __init__(
        self, entering: Iterable[tuple[Key, Formula]], stages: Mapping[str, Formula], down: bool | None
    ) -> None:
        """`down` says whether they go along columns; None where every entry is by itself."""
        self.entering = dict(entering)
        self.stages = stages
        self.down = down

    def value(self, stage: Formula, values: Mapping[Key, M]) -> M:
        """What a stage comes to, in whichever tier the values are."""
        return run(stage, values)

    def letter_of(self, stage: Formula) -> n.Notation | None:
        """What the number of a stage is called in the working."""
        return stage.letter if isinstance(stage, InStages) else None

    def phrase_of(self, stage: Formula) -> str:
        """What is done in a stage."""
        return stage.phrase if isinstance(stage, InStages) else ""


def unfolded(formula: Formula) -> Stages:
    """A formula as stages: whatever it is made from that is no quantity already is one."""
    entering: dict[Key, Formula] = {}
    stages: dict[str, Formula] = {}

    def stage(part: Formula) -> Formula:
        inside = [entered(argument) for argument in part.arguments]
        return part.made_from(*inside)

    def entered(part: Formula) -> Formula:
        if not part.is_at_hand and isinstance(part, InStages) and part.stage:
            if part.stage not in stages:
                stages[part.stage] = stage(part)
            return letter(part.stage)
        key = next((key for key, known in entering.items() if known == part), Key(f"#{len(entering) + 1}"))
        entering[key] = part
        return Ref(key)

    last = stage(formula)
    stages[""] = last
    rows = [part.axis for part in stages.values() if part.axis is not None]
    along = {name: part if part.axis is None else part.replaced(down=False) for name, part in stages.items()}
    return Stages(entering.items(), along, bool(rows[0]) if rows else None)
