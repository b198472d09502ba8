"""A problem of encoder-decoder attention as a graph, built from the table in `library.seq2seq`.

One decoder state is a vector: a column (e = H sₜ) or, with `vectors: rows`, a row (e = sₜ Hᵀ). Several are the rows of
a matrix, one a decoder step; what is worked out for one step and every encoder state belongs to that step.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from attnsolve import notation as n
from attnsolve.errors import ProblemError
from attnsolve.graph import Axis, Graph, Name, Quantity, stored
from attnsolve.key import Key
from attnsolve.kinds import unused
from attnsolve.kinds.builder import GraphBuilder, Place, Remark, mistakes, name_of
from attnsolve.library import Feeds
from attnsolve.library.seq2seq import SEQ2SEQ
from attnsolve.numbers.constant import Size
from attnsolve.operations.concatenate import Concatenate, Row, Stack
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Given, Ref, Transpose
from attnsolve.operations.number import Number
from attnsolve.operations.product import DotProducts, Product
from attnsolve.spec.fields import Fields, GivenMatrix
from attnsolve.spec.problem import Problem
from attnsolve.spec.seq2seq import Seq2seq, feeds

LIBRARY = SEQ2SEQ


def given_matrices(problem: Problem) -> list[tuple[Key, GivenMatrix]]:
    """Every matrix of the file, under its key in the graph."""
    body: Seq2seq = problem.body
    return [(Key(name), matrix) for name, matrix in (*body.given.items(), *body.weights.items())]


def feeds_of(problem: Problem) -> Feeds:
    """Which quantities each matrix goes into."""
    return feeds(problem.body.score, problem.body.given)


def report(problem: Problem, graph: Graph, fields: Fields) -> None:
    """Note what the file gives in vain."""
    unused.report(problem, graph, fields, given_matrices(problem), feeds_of(problem), LIBRARY)


def build(problem: Problem) -> Graph:
    """The graph of an encoder-decoder problem."""
    return _Seq2seqBuilder(problem).build()


class _Seq2seqBuilder(GraphBuilder):
    library = LIBRARY
    product = DotProducts

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.body: Seq2seq = problem.body
        self.flat = self.body.flat
        self.as_columns = self.body.vectors == "columns"

    def build(self) -> Graph:
        given = set(self.body.given)
        for name in ("states", "state"):
            if name in given:
                self.want(name, None)
        valued = bool({"states", "context", "joined"} & given)
        if "joined" not in given:
            self.want("context" if valued else "weights", None)
        if "joined" in given or (valued and "state" in given):
            self.want("joined", None)
            if self.setting("W_c"):
                self.want("attentional", None)
        graph = Graph(self.ordered(), self.body.vectors, "decoder step", mistakes)
        return stored(graph, {key for key in graph.quantities if self._is_column(key.id)})

    # ── what the table asks for ─────────────────────────────────────────────────────────────────

    def is_given(self, id: str) -> bool:
        return id in self.body.given

    def setting(self, name: str) -> str:
        if name == "score":
            return self.body.score
        return "stated" if name in self.body.given or name in self.body.weights else ""

    def want(self, id: str, place: Place) -> Ref:
        key = Key(id, () if place is None else (("decoder step", place + 1),))
        if key in self.quantities:
            return Ref(key)
        step, matrix = self.step(id), self.body.given.get(id)
        formula = self.formula(step, place) if matrix is None else self._given(id, matrix)
        rows, columns = (self._axis(axis) for axis in (step.rows, step.columns))
        name, shape, remarks = self._name(id, key.head), self.shape_of(id, formula), self._remarks(formula)
        made = Quantity(key, name, formula, shape, rows, columns, title=step.title, why=step.why, remarks=remarks)
        return self.place(made)

    def _given(self, id: str, matrix: GivenMatrix) -> Formula:
        """Numbers of the file."""
        return Transpose(Given(matrix.turned().rows)) if self._is_column(id) else Given(matrix.rows)

    def parameter(self, id: str, place: Place) -> Ref:
        key, matrix = Key(id), self.body.weights[id]
        if key not in self.parameters:
            vector, formula = id == "v", self._given(id, matrix)
            name, shape = name_of(self.letter(id), vector=vector), self.shape_of(id, formula)
            self.parameters[key] = self.unlike(Quantity(key, name, formula, shape, Axis(vector), parameter=True))
        return Ref(key)

    def number(self, name: str, place: Place) -> Number:
        width = self.body.sizes.get("width")
        if width is None:
            message = "score: scaled-dot divides by sqrt(d), but d is unknown: no states are given"
            raise self.fault(message, "add states: [[...]], or give the scaled scores: given: {scaled: [...]}")
        return Number(Size(n.Sym(name), width, self.problem.style))

    def places(self, name: str) -> list[Place]:
        return [None] if self.flat else [*range(self.body.sizes[name])]

    def joined(self, name: str, parts: tuple[Formula, ...]) -> Formula:
        return Stack(parts)

    def row_of(self, quantity: Ref, place: Place) -> Formula:
        assert place is not None
        return Row(quantity, place, self.quantities[quantity.key].name, self.as_columns)

    def without_source(self, id: str) -> ProblemError:
        return self.fault(f"the {id} can't be computed: there is nothing to compute them from")

    @property
    def functions(self) -> Mapping[str, Callable[..., Formula]]:
        return {
            **super().functions,
            "lengths": self._lengths,
            "cosine": _cosine,
            "concat": lambda *parts: Concatenate(parts),
        }

    def _lengths(self, vectors: Ref) -> Formula:
        from attnsolve.operations.cosine import Norms

        return Norms(vectors, self._labels(self.step(vectors.key.id).rows))

    # ── names and remarks ───────────────────────────────────────────────────────────────────────

    def _is_column(self, id: str) -> bool:
        """Whether the sheet has it as a column: v, and the one decoder state with all that follows from it."""
        if id in self.library.parameters:
            return self.as_columns and id == "v"
        return self.flat and self.as_columns and self.step(id).rows == "steps"

    def _name(self, id: str, head: str | None) -> Name:
        step, letter = self.step(id), self.letter(id)
        timed = "steps" in (step.rows, step.columns) and step.columns != "states"
        if self.flat and timed and id not in self.problem.notation:
            letter += "_t"  # the decoder's vectors, where there is but one step: sₜ and cₜ
        vector = step.rows == "1" or (self.flat and step.rows == "steps")
        return name_of(letter, head, vector, single=self.flat and step.axes == "1 × steps")

    def _axis(self, axis: str) -> Axis:
        return Axis(True, self._labels(axis), axis.removesuffix("s")) if axis in ("steps", "states") else Axis()

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


def _cosine(dots: Product, across: Formula, down: Formula) -> Formula:
    from attnsolve.operations.cosine import Cosine

    return Cosine(dots, down, across)
