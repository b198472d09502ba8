"""Attention as a graph: projections, scores, scaling, mask, softmax, weighted sum; for every head, then put together.

A quantity is made only when something asks for it, so a sheet that starts from given scores needs no queries.
"""

from __future__ import annotations

from attnsolve import notation as n
from attnsolve.errors import Fault, ProblemError, count
from attnsolve.graph import Axis, Graph, Name, Quantity, stood_up
from attnsolve.key import At, Key
from attnsolve.kinds.builder import Builder, Remark, mistakes, name_of
from attnsolve.numbers.constant import RootOfSize, Stated
from attnsolve.operations.add import Add
from attnsolve.operations.concatenate import Columns, Concatenate
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Given, Ref, Transpose
from attnsolve.operations.mask import Mask
from attnsolve.operations.number import Number
from attnsolve.operations.product import Product, Projection, WeightedSum
from attnsolve.spec.attention import Attention
from attnsolve.spec.fields import Matrix, Rows
from attnsolve.spec.fitting import AXES, LETTERS, PROJECTIONS, SOURCES, source_of
from attnsolve.spec.fitting import FEEDS as FEEDS
from attnsolve.spec.inner import STARTS
from attnsolve.spec.problem import Problem

FOLLOWS = {"scaled": "scores", "masked": "scores", "concat": "context"}
"""Quantities that take another's letter: S′ from S, C from C₁ and C₂."""


def build(problem: Problem) -> Graph:
    """The graph of an attention problem."""
    return _Builder(problem).build()


def stated(problem: Problem) -> list[tuple[Key, Matrix]]:
    """Every matrix of the file, under its key in the graph."""
    body: Attention = problem.body

    several = len(body.projections) > 1
    found = [(Key(name, at(body, head)), matrix) for (name, head), matrix in body.given.items()]
    for head, projection in enumerate(body.projections):
        found += [(Key(name, at(body, head if several else None)), matrix) for name, matrix in projection.items()]
    output = (("W_O", body.W_O), ("b_O", body.b_O))
    return found + [(Key(name), matrix) for name, matrix in output if matrix is not None]


def at(body: Attention, head: int | None) -> At:
    """A head's place, as the sheet counts heads."""
    return () if head is None else (("head", head + body.numbering),)


class _Builder(Builder):
    alike = frozenset({"context", "concat"})

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.body: Attention = problem.body
        self.columns = self.body.layout == "columns"
        """Whether the sheet stacks tokens as columns; the graph is built for rows, and then stood up."""
        self.flat = self._is_flat()

    def build(self) -> Graph:
        body = self.body
        heads: list[int | None] = list(range(body.heads)) if body.heads > 1 else [None]
        given = {name for name, _ in body.given}
        valued = bool({"values", "context", "concat", "output"} & given) or body.identity
        valued |= any("W_V" in projection for projection in body.projections)
        if not {"concat", "output"} & given:
            if body.split:
                for name in PROJECTIONS:
                    if self._has_wide(name):
                        self.want(name, None)
            for head in heads:
                self._project(head, given, valued)
                self.want("context" if valued else "weights", head)
        if valued and (body.heads > 1 or "concat" in given) and "output" not in given:
            self.want("concat", None)
        if "output" in given or (valued and body.W_O is not None):
            self.want("output", None)
        vectors = "columns" if self.columns else "rows" if self.flat else body.vectors
        graph = Graph(self.quantities, vectors, mistakes=mistakes)
        return stood_up(graph, graph.quantities) if self.columns else graph

    def _project(self, head: int | None, given: set[str], valued: bool) -> None:
        """Queries, keys and values come first, as on any whiteboard, though the values are used last."""
        starts: list[str] = [
            name for name in ("context", "weights", *STARTS, "masked", "scaled", "scores") if name in given
        ]
        wanted = starts[:1] or ["queries", "keys"]
        wanted += ["values"] if valued and "context" not in given else []
        faults: list[Fault] = []
        for name in wanted:
            try:
                self.want(name, head)
            except ProblemError as error:
                faults += error.faults
        if faults:
            raise ProblemError(faults)

    def _has_wide(self, name: str) -> bool:
        return (name, None) in self.body.given or self.body.identity or bool(self.body.projections)

    def _is_flat(self) -> bool:
        """Whether there is but one query, written as one plain list."""
        starts = [m for (name, _), m in self.body.given.items() if AXES[name][0] == "queries" and name != "inputs"]
        inputs = self.body.given.get(("inputs", None))
        if ("memory", None) in self.body.given and inputs is not None:
            starts.append(inputs)
        return bool(starts) and all(m.flat for m in starts)

    # ── asking for a quantity ───────────────────────────────────────────────────────────────────

    def want(self, name: str, head: int | None) -> Ref:
        """The quantity, made with all it rests on unless it is there already."""
        matrix = self.body.given.get((name, head))
        if matrix is None and head is not None and (name, None) in self.body.given and not self._splits(name):
            return self.want(name, None)
        key = Key(name, at(self.body, head))
        if key not in self.quantities:
            formula = self._stated(matrix.rows) if matrix is not None else self._formula(name, head)
            self._add(key, name, formula, self._remarks(name, head, formula))
        return Ref(key)

    def _splits(self, name: str) -> bool:
        return self.body.split and name in PROJECTIONS

    def _stated(self, rows: Rows) -> Formula:
        """Numbers of the file, which stand there as the sheet stacks them."""
        return Transpose(Given(rows)) if self.columns else Given(rows)

    def _add(self, key: Key, name: str, formula: Formula, remarks: tuple[Remark, ...]) -> None:
        rows, columns = (self._axis(name, side) for side in (0, 1))
        vector = self.flat and AXES[name][0] == "queries"
        written, shape = self._name(name, key.head, vector), self.shape_of(name, formula)
        self.place(Quantity(key, written, formula, shape, rows, columns, remarks=remarks))

    def _parameter(self, name: str, matrix: Matrix, head: int | None) -> Ref:
        key = Key(name, at(self.body, head if len(self.body.projections) > 1 else None))
        if key not in self.quantities:
            bias = name.startswith("b")
            formula, written = self._stated(matrix.rows), self._name(name, key.head, bias)
            self.quantities[key] = Quantity(key, written, formula, formula.shape(self), parameter=True)
        return Ref(key)

    def _formula(self, name: str, head: int | None) -> Formula:
        match name:
            case "queries" | "keys" | "values":
                return self._projection(name, head)
            case "scores":
                queries, keys = self.want("queries", head), self.want("keys", head)
                return Product(queries, Transpose(keys))
            case "scaled":
                return self._scaled(head)
            case "masked":
                return Mask(self.want(self._before("masked"), head), self._mask())
            case "weights":
                return self.softmax(self.want(self._before("weights"), head), self.body.base, self.body.stable)
            case "context":
                weights, values = self.want("weights", head), self.want("values", head)
                return WeightedSum(weights, values)
            case "concat":
                return Concatenate(tuple(self.want("context", h) for h in range(self.body.heads)))
            case "output":
                return self._output()
        raise KeyError(name)

    def _before(self, name: str) -> str:
        """What the mask or the softmax is applied to: scores, scaled or masked ones."""
        given = {quantity for quantity, _ in self.body.given}
        if name == "weights" and not given.isdisjoint(STARTS):
            return next(start for start in STARTS if start in given)
        if name == "weights" and ("masked" in given or self.body.mask is not None):
            return "masked"
        unscaled = isinstance(self.body.scaling, str) and self.body.scaling == "none"
        return "scaled" if "scaled" in given or not unscaled else "scores"

    def _projection(self, name: str, head: int | None) -> Formula:
        if head is not None and self._splits(name) and self._has_wide(name):
            wide = self.want(name, None)
            width = self.shape(wide.key)[1] // self.body.heads
            return Columns(wide, head * width, (head + 1) * width)
        source = self._source(name)
        if self.body.identity:
            return source
        own = head if head is not None and len(self.body.projections) > 1 else 0
        projection = self.body.projections[own] if self.body.projections else {}
        weight, bias = PROJECTIONS[name]
        if weight not in projection:
            raise self.fault(f"the {name} can't be found: {weight} is missing", f"add weights: {{{weight}: [[...]]}}")
        return self._linear(source, weight, projection[weight], bias, projection.get(bias), head)

    def _source(self, name: str) -> Ref:
        """What queries, keys or values are made from."""
        given = {quantity for quantity, _ in self.body.given}
        source = source_of(name, given)
        if source in given:
            return self.want(source, None)
        if given & set(SOURCES.values()):
            raise self.fault(f"the {name} can't be found: inputs has no {name}", f"add {name}: [[...]] under inputs:")
        raise self.fault(f"the {name} can't be found: there are no inputs", f"add inputs: [[...]], or {name}: [[...]]")

    def _linear(
        self, source: Ref, weight: str, matrix: Matrix, bias: str, added: Matrix | None, head: int | None
    ) -> Formula:
        weights = self._parameter(weight, matrix, head)
        product = Projection(source, weights)
        return product if added is None else Add(product, self._parameter(bias, added, head))

    def _output(self) -> Formula:
        joined = self.want("concat" if self.body.heads > 1 or ("concat", None) in self.body.given else "context", None)
        assert self.body.W_O is not None
        return self._linear(joined, "W_O", self.body.W_O, "b_O", self.body.b_O, None)

    def _scaled(self, head: int | None) -> Formula:
        scores = self.want("scores", head)
        if not isinstance(self.body.scaling, str):
            return Divide(scores, Number(Stated(self.body.scaling, self.problem.style)))
        return Divide(scores, Number(RootOfSize(n.Sym("d", ("k",)), self._d_k(head), self.problem.style)))

    def _d_k(self, head: int | None) -> int:
        sizes = self.body.sizes
        if head is not None and f"d_k {head}" in sizes:
            return sizes[f"d_k {head}"]
        if "d_k" not in sizes:
            said = "scaling divides by sqrt(d_k), but d_k can't be seen: no queries or keys are given"
            raise self.fault(said, "write scaling: none, or d_k: 64")
        return sizes["d_k"] // (self.body.heads if self.body.split else 1)

    def _mask(self) -> Ref:
        mask = self.body.mask
        assert mask is not None
        key, formula = Key("mask"), self._stated(mask.rows)
        across, along = (self._axis("scores", side) for side in (0, 1))
        name = self._name("mask", None, self.flat)
        shape = formula.shape(self)
        self.quantities.setdefault(key, Quantity(key, name, formula, shape, across, along, parameter=True))
        return Ref(key)

    # ── names and remarks ───────────────────────────────────────────────────────────────────────

    def _name(self, name: str, head: str | None, vector: bool) -> Name:
        return name_of(self.letter(name, LETTERS, FOLLOWS, self._primes(name)), head, vector)

    def _primes(self, name: str) -> int:
        """S′ is the first thing made from S, S″ the second."""
        return {"scaled": 1, "masked": 2 if self._before("masked") == "scaled" else 1}.get(name, 0)

    def _axis(self, name: str, side: int) -> Axis:
        axis = AXES[name][side]
        if axis not in ("queries", "keys"):
            return Axis()
        if name == "inputs" and self._elsewhere("queries"):
            axis = "keys"
        return Axis(True, self._labels(axis))

    def _labels(self, axis: str) -> tuple[str, ...]:
        body, given = self.body, self.body.given
        size = body.sizes[axis]
        own = ("inputs", None) in given and not self._elsewhere(axis)
        if axis == "keys" and body.memory_tokens and not own:
            return body.memory_tokens
        fits = len(body.tokens) == size and (own or ("inputs", None) not in given)
        if fits and not (axis == "keys" and ("memory", None) in given):
            return body.tokens
        if own:
            letter = self._name("inputs", None, False).token(1).name
        elif axis == "keys" and ("memory", None) in given:
            letter = self._name("memory", None, False).token(1).name
        else:
            letter = self._name(axis, None, False).token(1).name
        return tuple(f"{letter}_{i}" for i in range(1, size + 1))

    def _elsewhere(self, axis: str) -> bool:
        """Whether queries or keys don't come from the inputs."""
        given = {name for name, _ in self.body.given}
        return axis in given or source_of(axis, given) != "inputs"

    def _remarks(self, name: str, head: int | None, formula: Formula) -> tuple[Remark, ...]:
        if isinstance(formula, Mask) and self.body.mask is not None and self.body.mask.causal:
            return (("The mask is causal: a token may look at itself and back, never ahead.",),)
        if not isinstance(formula, Divide):
            return ()
        if not isinstance(self.body.scaling, str):
            return (self.divisor(formula, None),)
        return ((*self._origin(head), *self.divisor(formula, self._d_k(head))),)

    def _origin(self, head: int | None) -> Remark:
        """Where d_k came from."""
        size = self._d_k(head)
        width = n.Chain(n.Sym("d", ("k",)), (("=", n.Num(str(size))),))
        for name in ("keys", "queries"):
            key = Key(name, at(self.body, head))
            if key in self.quantities:
                symbol, (_, entries_of_each) = self.quantities[key].name.matrix, self.quantities[key].shape
                what = count(entries_of_each, "row" if self.columns else "column")
                entries = "entry" if size == 1 else "entries"
                return (f"Each {ONE_OF[name]} has ", width, f" {entries}: ", symbol, f" has {what}. ")
        return (width, ", as the sheet states. ")


ONE_OF = {"keys": "key", "queries": "query"}
