"""Encoder-decoder attention as a graph: scores in one of seven ways, softmax, context, and the new decoder state.

One decoder state is a vector: a column (e = H sₜ) or, with `vectors: rows`, a row (e = sₜ Hᵀ). Several are the rows of
a matrix, one a decoder step; what is worked out for one step and every encoder state belongs to that step.
"""

from __future__ import annotations

from attnsolve import notation as n
from attnsolve.graph import Axis, Graph, Name, Quantity, stood_up
from attnsolve.key import Key
from attnsolve.kinds.builder import Builder, Remark, mistakes, name_of
from attnsolve.numbers.constant import RootOfSize
from attnsolve.operations.add import Add
from attnsolve.operations.concatenate import Concatenate, Pairs, Row, Stack
from attnsolve.operations.cosine import Cosine, Norms
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Given, Ref, Transpose
from attnsolve.operations.number import Number
from attnsolve.operations.product import DotProducts, Product, Projection, WeightedSum
from attnsolve.operations.tanh import Tanh
from attnsolve.spec.fields import Matrix
from attnsolve.spec.inner import STARTS
from attnsolve.spec.problem import Problem
from attnsolve.spec.seq2seq import FEEDS as FEEDS
from attnsolve.spec.seq2seq import LETTERS, PARAMETERS, Seq2seq

FOLLOWS = {"scaled": "scores"}
TIMED = frozenset({"state", "projected_state", "state_norms", "context", "joined", "mixed", "attentional"})
"""Vectors of the decoder: sₜ and cₜ where there is only one of each."""
BY_STATE = frozenset({"states", "projected", "pairs", "summed", "hidden"})
"""Quantities with one row an encoder state."""
LENGTHS = frozenset({"norms", "state_norms"})
OVER_STATES = frozenset({"scores", "scaled", "weights", *STARTS})


def stated(problem: Problem) -> list[tuple[Key, Matrix]]:
    """Every matrix of the file, under its key in the graph."""
    body: Seq2seq = problem.body
    return [(Key(name), matrix) for name, matrix in (*body.given.items(), *body.weights.items())]


def build(problem: Problem) -> Graph:
    """The graph of an encoder-decoder problem."""
    return _Builder(problem).build()


class _Builder(Builder):
    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.body: Seq2seq = problem.body
        self.flat = self.body.flat
        self.upright = self.body.vectors == "columns"

    def build(self) -> Graph:
        given = set(self.body.given)
        for name in ("states", "state"):
            if name in given:
                self.want(name)
        valued = bool({"states", "context", "joined"} & given)
        if "joined" not in given:
            self.want("context" if valued else "weights")
        if "joined" in given or (valued and "state" in given):
            self.want("joined")
            if "W_c" in self.body.weights:
                self.want("attentional")
        graph = Graph(self.quantities, self.body.vectors, "decoder step", mistakes)
        return stood_up(graph, {key for key in graph.quantities if self._is_upright(key.id)})

    # ── asking for a quantity ───────────────────────────────────────────────────────────────────

    def want(self, name: str, step: int | None = None) -> Ref:
        """The quantity, made with all it rests on unless it is there already."""
        key = Key(name, () if step is None else (("step", step + 1),))
        if key in self.quantities:
            return Ref(key)
        matrix = self.body.given.get(name)
        formula = self._formula(name, step) if matrix is None else self._stated(name, matrix)
        rows, columns = self._axes(name)
        shape, remarks = self.shape_of(name, formula), self._remarks(formula)
        written, manner = self._name(name, key.head), self.body.score
        return self.place(Quantity(key, written, formula, shape, rows, columns, remarks=remarks, manner=manner))

    def _is_upright(self, name: str) -> bool:
        """Whether the sheet has it as a column: v, and the one decoder state with all that follows from it."""
        if name in PARAMETERS:
            return self.upright and name == "v"
        return self.flat and self.upright and name not in BY_STATE | LENGTHS

    def _stated(self, name: str, matrix: Matrix) -> Formula:
        """Numbers of the file."""
        return Transpose(Given(matrix.turned().rows)) if self._is_upright(name) else Given(matrix.rows)

    def _parameter(self, name: str) -> Ref:
        key, matrix = Key(name), self.body.weights[name]
        if key in self.quantities:
            return Ref(key)
        vector, formula = name == "v", self._stated(name, matrix)
        written = name_of(self.letter(name, LETTERS, FOLLOWS, 0), vector=vector)
        shape = self.shape_of(name, formula)
        return self.place(Quantity(key, written, formula, shape, Axis(vector), parameter=True))

    def _formula(self, name: str, step: int | None) -> Formula:
        match name:
            case "projected":
                source, weight = self._projected(step)
                return Projection(source, Transpose(self._parameter(weight)))
            case "projected_state":
                return self._times("W_2", self.want("state"))
            case "pairs":
                return Pairs(self.want("states"), self._row("state", step))
            case "summed":
                return Add(self.want("projected"), self._row("projected_state", step))
            case "hidden":
                return Tanh(self.want("projected" if self.body.score == "concat" else "summed", step))
            case "norms":
                return Norms(self.want("states"), self._labels("states"))
            case "state_norms":
                return Norms(self.want("state"), self._labels("steps"))
            case "scores":
                return self._scores()
            case "scaled":
                return self._scaled()
            case "weights":
                before = "scaled" if "scaled" in self.body.given or self.body.score == "scaled-dot" else "scores"
                before = next((start for start in STARTS if start in self.body.given), before)
                return self.softmax(self.want(before), self.body.base, self.body.stable)
            case "context":
                return WeightedSum(self.want("weights"), self.want("states"))
            case "joined":
                return Concatenate((self.want("context"), self.want("state")))
            case "mixed":
                return self._times("W_c", self.want("joined"))
            case "attentional":
                return Tanh(self.want("mixed"))
        raise KeyError(name)

    def _scores(self) -> Formula:
        match self.body.score:
            case "additive" | "concat":
                return self._activated()
            case "location":
                return self._times("W", self.want("state"))
            case "general":
                return self._dots(self.want("projected"))
            case "cosine":
                states = self.want("states")
                self.want("state")
                lengths, own = self.want("norms"), self.want("state_norms")
                return Cosine(self._dots(states), Transpose(own), lengths)
        return self._dots(self.want("states"))

    def _dots(self, states: Ref) -> Product:
        """Every decoder state times every row of something that has one row an encoder state."""
        return DotProducts(self.want("state"), Transpose(states))

    def _activated(self) -> Formula:
        """vᵀ u for every hidden vector u, step by step."""
        steps = [None] if self.flat else list(range(self.body.sizes["steps"]))
        if self.body.score == "additive":
            for name in ("projected", "projected_state"):  # before any step's own work begins
                self.want(name)
        hidden = [self.want("hidden", step) for step in steps]
        v = self._parameter("v")
        products = tuple(DotProducts(v, Transpose(one)) for one in hidden)
        return products[0] if self.flat else Stack(products)

    def _projected(self, step: int | None) -> tuple[Ref, str]:
        if self.body.score == "concat":
            return self.want("pairs", step), "W"
        return self.want("states"), "W" if self.body.score == "general" else "W_1"

    def _times(self, weight: str, source: Ref) -> Formula:
        """A weight matrix times each vector of the decoder."""
        return Projection(source, Transpose(self._parameter(weight)))

    def _row(self, name: str, step: int | None) -> Formula:
        """A vector of the decoder as a row, to go with every encoder state."""
        whole = self.want(name)
        if step is None:
            return whole
        return Row(whole, step, self.quantities[whole.key].name, self.upright)

    def _scaled(self) -> Formula:
        scores, width = self.want("scores"), self.body.sizes.get("width")
        if width is None:
            said = "score: scaled-dot divides by sqrt(d), but d can't be seen: no states are given"
            raise self.fault(said, "add states: [[...]], or give the scaled scores: given: {scaled: [...]}")
        return Divide(scores, Number(RootOfSize(n.Sym("d"), width, self.problem.style)))

    # ── names and remarks ───────────────────────────────────────────────────────────────────────

    def _name(self, name: str, head: str | None) -> Name:
        letter = self.letter(name, LETTERS, FOLLOWS, 1)
        vector = name not in BY_STATE and (self.flat or name in LENGTHS)
        if self.flat and name in TIMED and name not in self.problem.notation:
            letter += "_t"
        return name_of(letter, head, vector, single=self.flat and name == "state_norms")

    def _axes(self, name: str) -> tuple[Axis, Axis]:
        steps, states = Axis(True, self._labels("steps"), "step"), Axis(True, self._labels("states"), "state")
        none = Axis()
        if name in LENGTHS:
            return none, states if name == "norms" else steps
        if name in BY_STATE:
            return states, none
        return steps, states if name in OVER_STATES else none

    def _labels(self, axis: str) -> tuple[str, ...]:
        named = self.body.tokens if axis == "states" else self.body.steps
        size = self.body.sizes.get(axis, 0)
        letter = self._name("states" if axis == "states" else "state", None)
        if not named and axis == "steps" and self.flat:
            return ("_".join(filter(None, (letter.letter, letter.index))),)
        return named or tuple(f"{letter.token(1).name}_{i}" for i in range(1, size + 1))

    def _remarks(self, formula: Formula) -> tuple[Remark, ...]:
        if not isinstance(formula, Divide):
            return ()
        size = self.body.sizes["width"]
        width = n.Chain(n.Sym("d"), (("=", n.Num(str(size))),))
        return (("Each state has ", width, f" {'entry' if size == 1 else 'entries'}. ", *self.divisor(formula, size)),)
