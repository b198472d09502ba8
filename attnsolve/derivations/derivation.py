"""A problem that asks for an argument, worked out: its passages, each verified, told as the parts ask for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from attnsolve.derivations.writing import Passage, Result
from attnsolve.document import BlankLines, Block, Chart, Document, Inline, Paragraph, Section
from attnsolve.errors import Fault, ProblemError, RequestError, nearest
from attnsolve.key import Key
from attnsolve.narrate.narrated import Narrated
from attnsolve.narrate.questions import question_for, statement, title
from attnsolve.solution.solved import Narration
from attnsolve.spec.parts import Part
from attnsolve.spec.problem import Problem

ILLUSTRATIONS = ("example", "simulation", "breaks")
"""Passages that show an argument at work, and that a brief telling leaves out."""
ROOM = 12
"""Lines left blank for an answer."""
GIVEN = ("setting", "given")
"""Passages that are no answers, but what the problem gives."""


class Derivation(Narrated):
    """The passages of an argument. `derivation["variance"]` is the result of that name."""

    lacks = "this problem asks for an argument"

    def __init__(self, problem: Problem, passages: Sequence[Passage]) -> None:
        self.problem = problem
        self.passages = tuple(passages)
        faults = [fault for part in problem.parts for fault in self._faults(part)]
        if faults:
            raise ProblemError(faults)

    def _faults(self, part: Part) -> list[Fault]:
        """What a part asks for that this very problem does not have."""
        found = []
        ids, labels = self._ids, dict.fromkeys(p.label for p in self.passages if p.label)
        for name in part.find:
            if name not in ids:
                message = f"part {part.letter} asks for {name}, which this problem does not have"
                found.append(Fault(self.problem.file, part.at, message, nearest(name, ids)))
        for label in part.tokens:
            if label not in labels:
                message = f"part {part.letter} is for {label!r}, which this problem does not have"
                found.append(Fault(self.problem.file, part.at, message, nearest(label, labels) if labels else ""))
        return found

    @property
    def _ids(self) -> dict[str, None]:
        return dict.fromkeys(passage.id for passage in self.passages)

    def __getitem__(self, name: str) -> Result:
        results = {result.id: result for result in self.results}
        if name not in results:
            raise RequestError(f"there is no result {name!r}: {nearest(name, results)}")
        return results[name]

    @property
    def results(self) -> list[Result]:
        """Everything that was found."""
        return [result for passage in self.passages for result in passage.results]

    @property
    def holds(self) -> bool:
        """Whether everything in it was verified."""
        return all(holds for passage in self.passages for _, holds in passage.checks)

    def to_document(self, narration: Narration | None = None, part: str | None = None) -> Document:
        """The parts answered, or the whole argument."""
        narration = narration or Narration()
        step_by_step = narration.only or narration.tokens or narration.detail != "normal"
        if part is None and (step_by_step or not self.problem.parts):
            return self.steps(narration)
        if part is not None and not self.problem.parts:
            raise RequestError(f"--part {part}: this problem has no parts")
        answered: dict[int, str] = {}
        sections = {wanted.letter: self._answer(wanted, answered) for wanted in self.problem.parts}
        if part is not None:
            if part not in sections:
                raise RequestError(f"--part {part}: there is no such part; {nearest(part, sections)}")
            return self._document((sections[part],), narration)
        before, after = self._around(answered)
        return self._document((*statement(self.problem.text), *before, *sections.values(), *after), narration)

    def _around(self, answered: dict[int, str]) -> tuple[list[Section], list[Section]]:
        """The passages that no part asks for: those that come before all that were told, and the others."""
        first = min(answered, default=len(self.passages))
        left = [(i, p.section) for i, p in enumerate(self.passages) if i not in answered]
        return [s for i, s in left if i < first], [s for i, s in left if i >= first]

    def _passages_of(self, part: Part) -> list[tuple[int, Passage]]:
        return [
            (i, passage)
            for name in part.find
            for i, passage in enumerate(self.passages)
            if passage.id == name and (not part.tokens or not passage.label or passage.label in part.tokens)
        ]

    def _answer(self, part: Part, answered: dict[int, str]) -> Section:
        blocks: list[Block] = [Paragraph(self._asks(part))]
        if part.show:
            from attnsolve.derivations import shown

            blocks += shown(part.show)
        wanted = self._passages_of(part)
        for i, passage in wanted:
            if i in answered:
                blocks.append(Paragraph((f"See part ({answered[i]}).",)))
            else:
                blocks += passage.blocks if len(wanted) == 1 else [passage.section]
            answered.setdefault(i, part.letter)
        return Section(title(part), tuple(blocks), Key(part.find[0] if part.find else part.show), part=True)

    def _asks(self, part: Part) -> Inline:
        if part.text or part.show:
            return question_for(part, {})
        tasks = " ".join(dict.fromkeys(passage.task for _, passage in self._passages_of(part)))
        return (f"For {', '.join(part.tokens)}: {tasks[0].lower()}{tasks[1:]}" if part.tokens else tasks,)

    def steps(self, narration: Narration | None = None) -> Document:
        """Every passage, or those asked for."""
        narration = narration or Narration()
        labels = dict.fromkeys(p.label for p in self.passages if p.label)
        for label in narration.tokens:
            if label not in labels:
                message = nearest(label, labels) if labels else "this problem has no labels to choose from"
                raise RequestError(f"--for {label}: {message}")
        for name in narration.only:
            if name not in self._ids:
                raise RequestError(f"--only {name}: there is no such step; {nearest(name, self._ids)}")
        chosen = [
            p
            for p in self.passages
            if (p.id in narration.only if narration.only else narration.detail != "brief" or p.id not in ILLUSTRATIONS)
            and (not narration.tokens or not p.label or p.label in narration.tokens)
        ]
        opening = () if narration.only else statement(self.problem.text)
        return self._document((*opening, *(passage.section for passage in chosen)), narration)

    def blank(self) -> Document:
        """What is given, what is asked, and room to write."""
        from attnsolve.derivations.settings import setting

        blocks: list[Block] = [*statement(self.problem.text)]
        blocks += [passage.section for passage in self.passages if passage.id in GIVEN]
        blocks += setting(self.problem)
        if not self.problem.parts:
            found = [p for p in self.passages if p.id not in GIVEN]
            blocks += [Section(p.title, (Paragraph((p.task,)), *p.givens, *p.chosen, BlankLines(ROOM))) for p in found]
            return self._document(tuple(blocks), Narration())
        wanted = {i for part in self.problem.parts for i, _ in self._passages_of(part)}
        shown = [p for i, p in enumerate(self.passages) if i not in wanted and p.id in ILLUSTRATIONS and p.givens]
        blocks += [Section(p.title, tuple(p.givens)) for p in shown]
        blocks += [
            Section(title(part), (*self._posed(part), BlankLines(ROOM)), part=True) for part in self.problem.parts
        ]
        return self._document(tuple(blocks), Narration())

    def _posed(self, part: Part) -> Iterator[Block]:
        """A question and what it rests on; in the file's own words, it may ask for what the argument chooses."""
        passages = [passage for _, passage in self._passages_of(part)]
        yield Paragraph(self._asks(part))
        yield from dict.fromkeys(block for passage in passages for block in passage.givens)
        if not part.text:
            yield from dict.fromkeys(block for passage in passages for block in passage.chosen)

    def _document(self, blocks: tuple[Block, ...], narration: Narration) -> Document:
        drawn = _drawn(blocks) if narration.figures else blocks
        return Document(self.problem.title or "Derivation", self.problem.source, drawn)


def _drawn(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The same blocks with their charts as files beside the document."""
    changed: list[Block] = []
    for block in blocks:
        if isinstance(block, Section):
            changed.append(replace(block, blocks=_drawn(block.blocks)))
        else:
            changed.append(replace(block, drawn=True) if isinstance(block, Chart) else block)
    return tuple(changed)
