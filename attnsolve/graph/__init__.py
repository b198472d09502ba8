"""A problem as a graph of named quantities, and the one loop that runs it.

Everything reads this graph: solving, narrating, checking, exporting. `run` solves; it rounds on the way or puts a
student's answers in (`after`), puts values in place of ours (`instead`), and runs a mistake in place of a formula
(`formulas`), from what was known before (`base`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, TypeVar

from attnsolve import notation as n
from attnsolve.errors import nearest
from attnsolve.key import Cell as Cell
from attnsolve.key import Key
from attnsolve.language.parser import as_gradient
from attnsolve.library.words import folded, instead, meant
from attnsolve.notation.letters import GREEK, GREEK_NAMES
from attnsolve.numbers import Unavailable
from attnsolve.numbers.cells import Reads
from attnsolve.numbers.matrix import Arithmetic, Matrix
from attnsolve.operations.context import Mistake
from attnsolve.operations.formula import Formula, Given
from attnsolve.record import Record, record

if TYPE_CHECKING:
    from attnsolve.graph.inner import Expansion
    from attnsolve.operations.quantity_context import QuantityContext


@record
class Name(Record):
    """How a quantity, its token vectors and its entries are written: Q, q₁, q₁,₂; in head 0: Q⁽⁰⁾, q⁽⁰⁾₁, W_Q⁽⁰⁾."""

    letter: str
    index: str = ""
    head: str | None = None
    primes: int = 0
    vector: bool = False
    single: bool = False
    """A vector of one number, which is written as that number: rₜ."""
    capital: bool = False
    """Whether its entries keep the capital letter, since the small one means something else: E₁,₂, not e₁,₂."""
    as_typed: bool = False
    """Whether its letter is written just as it was typed, small or capital."""
    by_token: bool = False
    """Whether a vector has one number for each token, which is then all that a token has of it: Z₃."""
    before: str = ""
    """What stands before its letter: the d of dQ."""
    updated: bool = False
    """Whether it is what a training step makes of something: W⁺."""

    @cached_property
    def matrix(self) -> n.Sym:
        """The whole quantity."""
        above = f"({self.head})" if self.head is not None else ""
        return replace(self.typed, sub=(self.index,) if self.index else (), sup=above + "+" * self.updated)

    @cached_property
    def typed(self) -> n.Sym:
        """The same as it is typed, with its head below where nothing else is: Q_0."""
        plain = len(self.letter) == 1 and self.letter.isascii() and not self.as_typed
        capital = self.letter.upper() if plain else self.letter
        small = self.letter if self.as_typed else self._small
        letter, bold = small if self.vector else capital, self.vector and not self.single
        if self.index or (self.head is not None and "," in self.head):
            above = f"({self.head})" if self.head is not None else ""
            return n.Sym(letter, (self.index,) if self.index else (), above, self.primes, bold, self.before)
        sub = (self.head,) if self.head is not None else ()
        return n.Sym(letter, sub, "", self.primes, bold, self.before)

    @property
    def _small(self) -> str:
        if self.capital:
            return self.letter
        return self.letter.lower() if len(self.letter) == 1 and self.letter.isascii() else self.letter

    @property
    def _above(self) -> str:
        head = f"({self.head})" if self.head is not None else ""
        index = f"({self.index})" if self.as_typed and self.index.isdigit() else self.index  # w¹ would be a power
        return index + head + "+" * self.updated

    def token(self, number: int) -> n.Sym:
        """The vector of one token, counted from 1."""
        if self.by_token:
            return self.entry(number, number)
        if self.vector:
            return self.matrix
        return n.Sym(self._small, (str(number),), self._above, self.primes, True, self.before)

    def entry(self, row: int, column: int) -> n.Sym:
        """One entry, counted from 1: q₁,₂; of a vector, c₂ or cₜ,₂."""
        return _entry(self, row, column)

    def _made(self, row: int, column: int) -> n.Sym:
        if self.single:
            return self.matrix
        if self.vector and self.index and self.head is None and not self.as_typed:
            return n.Sym(self._small, (self.index, str(max(row, column))), "", self.primes, before=self.before)
        sub = (str(max(row, column)),) if self.vector else (str(row), str(column))
        return n.Sym(self._small, sub, self._above, self.primes, before=self.before)


_entry = lru_cache(maxsize=16_384)(Name._made)
"""The same entries are named again and again: in the work, as results, as what they rest on."""


@record
class Axis(Record):
    """What the rows or the columns of a quantity are: tokens (with their names) or mere dimensions."""

    tokens: bool = False
    labels: tuple[str, ...] = ()
    noun: str = "token"
    """What one of them is called."""


@record
class Quantity(Record):
    """A node of the graph."""

    key: Key
    name: Name
    formula: Formula
    shape: tuple[int, int]
    rows: Axis = field(default_factory=Axis)
    columns: Axis = field(default_factory=Axis)
    token_axis: int = 0
    """The axis along which one token lies: 0, its row; 1, its column."""
    parameter: bool = False
    """A weight matrix, bias or mask: given, and not asked for."""
    remarks: tuple[tuple[str | n.Notation, ...], ...] = ()
    """What the reader should be told about this very quantity: where d_k came from."""
    title: str = ""
    """What the step that makes it is called."""
    why: str = ""
    """One sentence on why it is made. `{row}` is row or column, as the sheet stacks tokens."""
    aliases: frozenset[str] = frozenset()
    """Other names under which it was asked for: `A.exponentials`, `exponentials`."""
    gradient_of: Key | None = None
    """The quantity whose gradient it is."""

    @property
    def given(self) -> bool:
        """Whether the problem states it."""
        return isinstance(self.formula, Given)

    @property
    def is_vector(self) -> bool:
        """Whether it was given as one plain list, or follows from such."""
        return self.name.vector

    def cells(self, token: int) -> list[Cell]:
        """The places that belong to one token, counted from 0."""
        if self.token_axis == 0:
            return [Cell(self.key, token, j) for j in range(self.shape[1])]
        return [Cell(self.key, i, token) for i in range(self.shape[0])]

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of its tokens."""
        return (self.rows, self.columns)[self.token_axis].labels

    @property
    def is_weights(self) -> bool:
        """Whether its entries are shares of a whole, which a heat map shows best."""
        return self.key.id == "weights" or self.formula.shares

    @property
    def noun(self) -> str:
        """What one of its tokens is called."""
        return (self.rows, self.columns)[self.token_axis].noun

    @property
    def token_count(self) -> int:
        """How many tokens it has."""
        return self.shape[self.token_axis]


@record
class ShownRelation(Record):
    """A relation that a part asks to be shown: the quantities on its sides, and what was made for it alone."""

    sides: tuple[Key, ...]
    signs: tuple[str, ...]
    quantities: Mapping[Key, Quantity]


@record
class Contribution(Record):
    """What one use of a quantity adds to its gradient: what the operation `node` of the quantity `user` says of its
    argument in a place, whose own gradient is `upstream`."""

    formula: Formula
    node: Formula
    place: int
    upstream: Formula
    user: Key
    why: str = ""
    """What the operation says of it, in a sentence."""
    balanced: bool = False
    """Whether it sums to 0 along every row, or (`down`) every column."""
    down: bool = False


@record
class Gradients(Record):
    """The gradients in a graph."""

    seeds: Mapping[Key, Formula]
    """What they start from: 1 for a loss, or numbers that the sheet states."""
    wanted: tuple[Key, ...]
    """What they were asked for."""
    keys: Mapping[Key, Key]
    """The gradient of each quantity that has one."""
    contributions: Mapping[Key, tuple[Contribution, ...]]
    """What each gradient is the sum of."""


@record
class Graph(Record):
    """Quantities in the order in which they can be computed."""

    quantities: Mapping[Key, Quantity]
    vectors: str = "columns"
    """How the sheet writes one token by itself, as a column or as a row."""
    group: str = "head"
    """What the quantities that share a key's head belong to: a head, a decoder step."""
    mistakes: Callable[[Formula, QuantityContext], Iterator[Mistake]] | None = None
    """What people do in place of an operation here, where that depends on what the quantities are."""
    expansion: Expansion | None = None
    """What it was before some steps were expanded, and what for; None where none is."""
    claims: Mapping[str, ShownRelation] = field(default_factory=dict)
    """What its parts ask to be shown, by their letters."""
    cases: Mapping[str, CaseGraph] = field(default_factory=dict)
    """The cases that the problem is compared with, by name."""

    gradients: Gradients | None = None
    """Which of its quantities are gradients, and of what."""

    def __iter__(self) -> Iterator[Quantity]:
        return iter(self.quantities.values())

    def __getitem__(self, key: Key) -> Quantity:
        return self.quantities[key]

    def shape(self, key: Key) -> tuple[int, int]:
        """Rows and columns of a quantity."""
        return self.quantities[key].shape

    def is_inner(self, key: Key) -> bool:
        """Whether a quantity is seen only since the step that it is inside of was expanded."""
        return self.expansion is not None and key not in self.expansion.unexpanded.quantities

    def is_inside_a_gradient(self, key: Key) -> bool:
        """Whether a quantity is a step on the way to a gradient, and none of those that a sheet is made of."""
        whole = self.quantities.get(Key(key.id.rpartition(".")[0], key.at))
        return whole is not None and whole.gradient_of is not None

    @property
    def results(self) -> list[Quantity]:
        """What is computed and nothing else is made from."""
        read = {key for quantity in self for key in quantity.formula.leaves()}
        return [quantity for quantity in self if not quantity.given and quantity.key not in read]

    def ancestors(self, key: Key) -> set[Key]:
        """Every quantity that one rests on."""
        found: set[Key] = set()
        waiting = [key]
        while waiting:
            new = set(self.quantities[waiting.pop()].formula.leaves()) - found
            found |= new
            waiting += new
        return found

    def reads(self, key: Key) -> Reads:
        """Which cells each cell of a quantity is made from."""
        if key not in self._reads:
            self._reads[key] = self.quantities[key].formula.evaluate(_Places(self), Reads)
        return self._reads[key]

    def products(self, key: Key) -> int:
        """How many multiplications a quantity takes, as far as products go: they are what grows fastest."""
        if key not in self._products:
            self._products[key] = self.quantities[key].formula.counts(self).total["product"]
        return self._products[key]

    @cached_property
    def _products(self) -> dict[Key, int]:
        return {}

    @cached_property
    def _reads(self) -> dict[Key, Reads]:
        return {}

    def letter(self, key: Key) -> n.Notation:
        """How a quantity is written."""
        return self.quantities[key].name.matrix

    def named(self, text: str) -> list[Quantity]:
        """The quantities an id, a symbol or a word means: `scores` (of every head), `Q`, `Q_0`, `z`, `softmax`."""
        wanted = as_gradient(text.strip())
        return [q for q, names in self._names if wanted in names] or self.called(wanted)

    def named_in(self, case: str, text: str) -> list[Quantity]:
        """The same of one case, and of what it shares with the others; of the problem itself where it names none."""
        if not case:
            return [q for q in self.named(text) if not q.key.case]
        own = self.cases[case]
        found = [self.quantities[own.keys[q.key]] for q in own.graph.named(text)]
        return found or [q for q in self.named(text) if q.key.case == case]

    def suggest(self, name: str) -> str:
        """What may have been meant by a name that no quantity has."""
        ids = dict.fromkeys(q.key.id for q in self)
        return instead(name, ids) or nearest(name, ids)

    def called(self, word: str) -> list[Quantity]:
        """The quantities that people mean by a word, however they spell it."""
        id = folded(meant(word))
        return [q for q in self if folded(q.key.id) == id]

    @cached_property
    def _names(self) -> list[tuple[Quantity, set[str]]]:
        return [(q, {q.key.id, *q.aliases, *spellings(q)}) for q in self]


@record
class CaseGraph(Record):
    """A case: its quantities by themselves, and under which keys they stand among those of all cases."""

    graph: Graph
    keys: Mapping[Key, Key]


def stored(graph: Graph, as_columns: Collection[Key]) -> Graph:
    """The same graph with some quantities stored as their transposes: all of them where a sheet stacks tokens as
    columns, one decoder's where it writes single vectors so. Formulas are rewritten for what they then read."""
    quantities = {}
    for key, quantity in graph.quantities.items():
        if key in as_columns:
            quantities[key] = replace(
                quantity,
                formula=quantity.formula.transposed(as_columns),
                shape=quantity.shape[::-1],
                rows=quantity.columns,
                columns=quantity.rows,
                token_axis=1 - quantity.token_axis,
            )
        else:
            quantities[key] = replace(quantity, formula=quantity.formula.as_stored(as_columns))
    return replace(graph, quantities=quantities)


COST_OF_SHOWING = 100
"""How many multiplications it takes as long as to prove the digits of one entry, and write it."""


def work(graph: Graph) -> int:
    """What a problem costs, in multiplications."""
    return sum(
        graph.products(quantity.key) + COST_OF_SHOWING * quantity.shape[0] * quantity.shape[1] for quantity in graph
    )


def spellings(quantity: Quantity) -> set[str]:
    """The ways to type a quantity's symbol on a keyboard: Q, q, Q_0, alpha, S'."""
    symbol = quantity.name.typed
    base = {symbol.name, symbol.name.lower() if len(symbol.name) == 1 else symbol.name}
    base |= {GREEK_NAMES[x] for x in base if x in GREEK_NAMES} | {GREEK[x] for x in base if x in GREEK}
    tail = "'" * symbol.primes + "".join(
        f"_{part}" for part in (*symbol.sub, *([quantity.key.head] if symbol.sup else []))
    )
    before = "new_" if quantity.name.updated else symbol.before
    return {before + name + tail for name in base}


@record
class _Places(Record):
    """The leaves of a formula as the cells that they are."""

    graph: Graph

    def __getitem__(self, key: Key) -> Reads:
        return Reads(self.graph.shape(key), lambda i, j: (Cell(key, i, j),))


Tier = TypeVar("Tier", bound=Matrix)
After = Callable[[Quantity, Tier | None, Mapping[Key, Tier | None]], Tier | None]


def run(
    graph: Graph,
    tier: Arithmetic[Tier],
    *,
    instead: Mapping[Key, Tier] | None = None,
    after: After[Tier] | None = None,
    only: Iterable[Key] | None = None,
    base: Mapping[Key, Tier | None] | None = None,
    formulas: Mapping[Key, Formula] | None = None,
    refusals: tuple[type[Exception], ...] = (Unavailable,),
) -> dict[Key, Tier | None]:
    """Run every formula in one tier: the only loop that does.

    `instead` puts values in place of ours. `after` is shown each result with the quantity and the values before it, and
    returns what is carried on: rounded, or as a student wrote it. `only` are the quantities to work out, those that
    they rest on being in `base`; `formulas` are run in place of the graph's own. A quantity that the tier can't hold
    (or `refusals`), or that rests on such a one, is None.
    """
    values: dict[Key, Tier | None] = {**(base or {}), **(instead or {})}
    for key in graph.quantities if only is None else only:
        if instead is not None and key in instead:
            continue
        quantity = graph.quantities[key]
        formula = quantity.formula if formulas is None else formulas.get(key, quantity.formula)
        try:
            value = formula.evaluate(values, tier)
        except refusals:
            value = None
        values[key] = value if after is None or quantity.given else after(quantity, value, values)
    return values
