"""Attention and seq2seq as tables of steps, with the words for them.

A step is a row: its id, its letter, its formula, what its rows and columns count, when it is there, and the words for
it. A reader takes the whole computation in at a glance; `kinds` builds graphs from it.

Formulas are written in the language of claims, in the letters of the table. `S` means the latest step with that letter
before this one, so that the order of scaling and masking is the order of the rows; `a or b` means the first that the
problem has; a parameter that the problem leaves out drops out with the operation that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from itertools import islice

from attnsolve.language.parser import parse_formula
from attnsolve.language.syntax import ChainNode, NameNode, Node
from attnsolve.library import inside
from attnsolve.record import Record, record

Feeds = Mapping[str, tuple[str, ...]]
"""Which quantities each matrix goes into; the last one goes nowhere, and is not in it."""


@record
class Step(Record):
    """A row of a table. Several rows may share an id, where `when` tells them apart."""

    id: str
    letter: str
    """How it is written unless a sheet says otherwise. S' is S with one more prime than the S before it."""
    axes: str
    """What its rows and its columns count, tokens being rows: `queries × keys`."""
    formula: str = ""
    """Nothing for what a problem can only state."""
    when: str = ""
    """The problem keys that it depends on, `mask` or `score: dot|general`; nothing for what is always there."""
    per: str = ""
    """What there is one of it for each of: `head`, `step`."""
    title: str = ""
    why: str = ""
    """One sentence on why it is done. `{row}` is row or column, as the sheet stacks tokens."""
    called: tuple[str, ...] = ()
    """Other words for it."""
    givable: bool = True
    """Whether a problem may state it in place of its formula."""

    @property
    def conditions(self) -> dict[str, str]:
        """The problem keys that it depends on, each with the words that it may have, `dot|general`, if not any."""
        clauses = (clause.partition(": ") for clause in filter(None, self.when.split(", ")))
        return {name: allowed for name, _, allowed in clauses}

    @property
    def stem(self) -> str:
        """Its letter without primes."""
        return self.letter.rstrip("'")

    @property
    def rows(self) -> str:
        """What its rows count."""
        return self.axes.split(" × ")[0]

    @property
    def columns(self) -> str:
        """What its columns count."""
        return self.axes.split(" × ")[1]

    @cached_property
    def tree(self) -> Node:
        """Its formula, parsed."""
        return parse_formula(self.formula)


@record
class Parameter(Record):
    """A weight matrix, a bias or a mask: stated by the problem, and never computed."""

    id: str
    letter: str = ""
    """How it is written, where that isn't its id."""


class Library:
    """A table of steps, and what can be read off it."""

    def __init__(
        self,
        steps: tuple[Step, ...],
        parameters: tuple[Parameter, ...],
        lacking: Mapping[str, tuple[str, tuple[str, ...]]],
        peers: tuple[tuple[str, ...], ...],
        mistaken: Mapping[str, Mapping[str, str]],
        functions: Mapping[str, str],
        unused: Mapping[str, str] | None = None,
    ) -> None:
        self.steps = steps
        self.parameters = {parameter.id: parameter for parameter in parameters}
        self.lacking = lacking
        """Why a problem may lack a quantity, and what is likeliest to be meant."""
        self.peers = peers
        """Quantities and parameters that people take for each other."""
        self.mistaken = mistaken
        """What people take in place of a quantity, and what that mistake is called."""
        self.unused = unused or {}
        """What is said of a key where no step that depends on it is made."""
        self.functions = functions
        """Functions that stand in formulas: the module of `operations` and the class that each is."""

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The public id of every quantity, in the order of the table."""
        return tuple(dict.fromkeys(step.id for step in self.steps))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Every quantity and parameter."""
        return (*self.ids, *self.parameters)

    @cached_property
    def givable(self) -> tuple[str, ...]:
        """The quantities that a problem may state."""
        return tuple(dict.fromkeys(step.id for step in self.steps if step.givable))

    @cached_property
    def letters(self) -> dict[str, str]:
        """The letter of every quantity that has one of its own, and of every parameter: what is printed so may be typed
        so."""
        found: dict[str, str] = {}
        for step in self.steps:
            if step.letter not in found.values() and not step.letter.endswith("'"):
                found.setdefault(step.id, step.letter)
        return found | {id: parameter.letter for id, parameter in self.parameters.items() if parameter.letter}

    @cached_property
    def axes(self) -> dict[str, tuple[str, str]]:
        """What the rows and the columns of each quantity count."""
        return {step.id: (step.rows, step.columns) for step in self._all}

    @cached_property
    def by_letter(self) -> dict[str, str]:
        """The ids of the parameters, by their letters."""
        return {parameter.letter or id: id for id, parameter in self.parameters.items()}

    def rows(self, id: str) -> list[Step]:
        """The rows of one quantity."""
        return self._rows[id]

    @cached_property
    def _rows(self) -> dict[str, list[Step]]:
        found: dict[str, list[Step]] = {}
        for step in self._all:
            found.setdefault(step.id, []).append(step)
        return found

    @cached_property
    def _all(self) -> tuple[Step, ...]:
        """The rows, and before that of the weights the stages from which they may start."""
        place = next(place for place, step in enumerate(self.steps) if step.id == inside.STEP)
        weights = self.steps[place]
        read = next(names_in(weights.tree))
        starts = (Step(id, f"{read}'", weights.axes, per=weights.per) for id in reversed(inside.STARTS))
        sums = (Step(id, "", "one × sums", per=weights.per) for id in inside.BY_TOKEN)
        return (*self.steps[:place], *starts, *sums, *self.steps[place:])

    def before(self, step: Step, stem: str) -> list[Step]:
        """The rows above one that have a letter, the nearest first."""
        place = id(step), stem
        if place not in self._before:
            above = reversed(self._all[: self._all.index(step)])
            self._before[place] = [other for other in above if other.stem == stem and other.id != step.id]
        return self._before[place]

    @cached_property
    def _before(self) -> dict[tuple[int, str], list[Step]]:
        """Kept by a row's identity, since rows are asked about again and again."""
        return {}

    def parameters_of(self, id: str) -> list[str]:
        """The parameters that a quantity is made with, in the order in which its formula has them."""
        return list(dict.fromkeys(name for step in self.rows(id) if step.formula for name in self._used(step)))

    def _used(self, step: Step) -> list[str]:
        place = id(step)
        if place not in self._parameters:
            self._parameters[place] = [self.by_letter[name] for name in names_in(step.tree) if name in self.by_letter]
        return self._parameters[place]

    @cached_property
    def _parameters(self) -> dict[int, list[str]]:
        return {}

    def feeds(self, given: Collection[str] = (), there: Callable[[str], bool] = lambda when: True) -> Feeds:
        """Which quantities each quantity or parameter goes into, where the conditions for which `there` holds do.

        Of `a or b` it is the first that is given, or the last; what comes after it would stand in its place."""
        found: dict[str, dict[str, None]] = {}
        for step, sources in self._sources:
            later = inside.FIRST if step.id == inside.STEP else step.id
            for options in sources if there(step.when) else ():
                chosen = next((id for id in options if id in given), options[-1])
                for id in options[options.index(chosen) :]:
                    found.setdefault(id, {})[later if id == chosen else chosen] = None
        for step, _ in self._sources:
            for id in self._used(step) if there(step.when) else ():
                found.setdefault(id, {})[step.id] = None
        return {id: tuple(later) for id, later in found.items()} | inside.FEEDS

    @cached_property
    def _sources(self) -> list[tuple[Step, list[list[str]]]]:
        """Every row that is made, with the ids of the quantities that its formula reads: several for `a or b`."""
        return [(step, [*self._read(step, step.tree)]) for step in self.steps if step.formula]

    def _read(self, step: Step, node: Node) -> Iterator[list[str]]:
        if isinstance(node, ChainNode) and node.rest[0][0] == "or":
            yield [id for part in parts(node) for ids in self._read(step, part) for id in ids]
        elif isinstance(node, NameNode):
            made = (other.id for other in self.before(step, node.name) if other.id not in inside.STARTS)
            yield from ([id] for id in islice(made, 1))
        else:
            for part in parts(node):
                yield from self._read(step, part)


def parts(node: Node) -> Iterator[Node]:
    """The nodes directly inside another."""
    for value in node.__dict__.values():
        for item in value if isinstance(value, tuple) else (value,):
            for part in item if isinstance(item, tuple) else (item,):
                if isinstance(part, Node):
                    yield part


def names_in(node: Node) -> Iterator[str]:
    """The names of quantities, parameters and sizes that a formula reads."""
    if isinstance(node, NameNode):
        yield node.name
    for part in parts(node):
        yield from names_in(part)
