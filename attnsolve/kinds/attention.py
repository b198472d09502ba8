"""A problem of attention as a graph, built from the table in `library.attention`: for every head, then put together.

A quantity is made only when something asks for it, so a sheet that starts from given scores needs no queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attnsolve import notation as n
from attnsolve.errors import Fault, ProblemError, count, listed
from attnsolve.graph import Axis, Graph, Quantity, stored
from attnsolve.key import At, Key
from attnsolve.kinds import unused
from attnsolve.kinds.builder import GraphBuilder, Place, Remark, mistakes, name_of
from attnsolve.library import Feeds
from attnsolve.library.attention import ATTENTION
from attnsolve.library.inside import STARTS
from attnsolve.numbers.constant import Size
from attnsolve.operations.concatenate import Columns, Concatenate, SharedColumns
from attnsolve.operations.divide import Divide
from attnsolve.operations.formula import Formula, Given, Ref, Transpose
from attnsolve.operations.mask import Mask, MaskRule
from attnsolve.operations.number import Number
from attnsolve.spec.attention import SHARED, Attention
from attnsolve.spec.fields import Fields, GivenMatrix, Rows
from attnsolve.spec.fitting import OF_KEYS, source_of
from attnsolve.spec.problem import Problem

if TYPE_CHECKING:
    from attnsolve.spec.mask import RuleMask

LIBRARY = ATTENTION


def feeds_of(problem: Problem) -> Feeds:
    """Which quantities each matrix goes into."""
    return ATTENTION.feeds({name for name, _ in problem.body.given})


def report(problem: Problem, graph: Graph, fields: Fields) -> None:
    """Note what the file gives in vain."""
    unused.report(problem, graph, fields, given_matrices(problem), feeds_of(problem), LIBRARY)


def build(problem: Problem) -> Graph:
    """The graph of an attention problem."""
    return _AttentionBuilder(problem).build()


def given_matrices(problem: Problem) -> list[tuple[Key, GivenMatrix]]:
    """Every matrix of the file, under its key in the graph."""
    body: Attention = problem.body

    several = len(body.projections) > 1
    found = [(Key(name, at(body, head, name)), matrix) for (name, head), matrix in body.given.items()]
    for head, projection in enumerate(body.projections):
        found += [(Key(name, at(body, head if several else None)), matrix) for name, matrix in projection.items()]
    output = (("W_O", body.W_O), ("b_O", body.b_O))
    return found + [(Key(name), matrix) for name, matrix in output if matrix is not None]


def at(body: Attention, head: Place, id: str = "") -> At:
    """A head's place, as the sheet counts heads; keys and values that several heads share are counted by themselves."""
    shared = id in SHARED and body.key_heads < body.heads
    return () if head is None else (("key head" if shared else "head", head + body.numbering),)


class _AttentionBuilder(GraphBuilder):
    library = LIBRARY
    alike = frozenset({"context", "concat"})

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.body: Attention = problem.body
        self.given = {name for name, _ in self.body.given}
        self.columns = self.body.layout == "columns"
        """Whether the sheet stacks tokens as columns; the graph is built for rows, and then stood up."""
        self.flat = self._is_flat()

    def build(self) -> Graph:
        body, given = self.body, self.given
        valued = bool({"values", "context", "concat", "output"} & given) or body.identity
        valued |= any("W_V" in projection for projection in body.projections)
        if not {"concat", "output"} & given:
            if body.split:
                for id in filter(self._is_split, self.library.ids):
                    self.want(id, None)
            self._share(valued)
            for head in self.places("heads"):
                self._project(head, valued)
                self.want("context" if valued else "weights", head)
        if valued and self.setting("heads") and "output" not in given:
            self.want("concat", None)
        if "output" in given or (valued and body.W_O is not None):
            self.want("output", None)
        vectors = "columns" if self.columns else "rows" if self.flat else body.vectors
        graph = Graph(self.ordered(), vectors, mistakes=mistakes)
        return stored(graph, graph.quantities) if self.columns else graph

    def _project(self, head: Place, valued: bool) -> None:
        """Queries, keys and values come first, as on any whiteboard, though the values are used last."""
        faults: list[Fault] = []
        for name in self._projected(valued):
            try:
                self.want(name, head)
            except ProblemError as error:
                faults += error.faults
        if faults:
            raise ProblemError(faults)

    def _projected(self, valued: bool) -> list[str]:
        """What each head starts from."""
        starts = [name for name in ("context", "weights", *STARTS, "masked", "scaled", "scores") if name in self.given]
        wanted = starts[:1] or ["queries", "keys"]
        return wanted + (["values"] if valued and "context" not in self.given else [])

    def _share(self, valued: bool) -> None:
        """Keys and values that several heads share, before any of these."""
        body = self.body
        if body.key_heads < body.heads:
            for first in range(0, body.heads, body.heads // body.key_heads):
                for id in (id for id in self._projected(valued) if id in SHARED):
                    self.want(id, first)

    def _key_head(self, id: str, head: Place) -> Place:
        """The key head that a head uses, counted from 0; None where there is only one."""
        body = self.body
        if head is None or id not in SHARED or body.key_heads == body.heads:
            return head
        return None if body.key_heads == 1 and (id, 0) not in body.given else head * body.key_heads // body.heads

    def _is_flat(self) -> bool:
        """Whether there is but one query, written as one plain list."""
        given = self.body.given
        starts = [m for (name, _), m in given.items() if name != "inputs" and self.step(name).rows == "queries"]
        inputs = given.get(("inputs", None))
        if "memory" in self.given and inputs is not None:
            starts.append(inputs)
        return bool(starts) and all(m.flat for m in starts)

    # ── what the table asks for ─────────────────────────────────────────────────────────────────

    def is_given(self, id: str) -> bool:
        return id in self.given

    def setting(self, name: str) -> str:
        if name == "heads":
            return str(self.body.heads) if self.body.heads > 1 or "concat" in self.given else ""
        return super().setting(name)

    def want(self, id: str, place: Place) -> Ref:
        head, place = place, self._key_head(id, place)
        matrix = self.body.given.get((id, place))
        if matrix is None and place is not None and (id, None) in self.body.given and not self._is_split(id):
            return self.want(id, None)
        key = Key(id, at(self.body, place, id))
        if key not in self.quantities:
            formula = self._made(id, place) if matrix is None else self._given(matrix.rows)
            self._add(key, formula, (*self._shared_by(id, head), *self._remarks(place, formula)))
        return Ref(key)

    def _made(self, id: str, head: Place) -> Formula:
        if head is not None and self._is_split(id):
            wide = self.want(id, None)
            shared = id in SHARED and self.body.key_heads < self.body.heads
            width = self.shape(wide.key)[1] // (self.body.key_heads if shared else self.body.heads)
            return (SharedColumns if shared else Columns)(wide, head * width, (head + 1) * width)
        step = self.step(id)
        if not step.formula:
            raise KeyError(id)
        return self.formula(step, head)

    def _is_split(self, id: str) -> bool:
        """Whether the heads' own quantities are blocks of one wide matrix."""
        if not self.body.split or id not in ("queries", "keys", "values"):
            return False
        return (id, None) in self.body.given or self.body.identity or bool(self.body.projections)

    def _given(self, rows: Rows) -> Formula:
        """Numbers of the file, which stand there as the sheet stacks them."""
        return Transpose(Given(rows)) if self.columns else Given(rows)

    def _add(self, key: Key, formula: Formula, remarks: tuple[Remark, ...]) -> None:
        step = self.step(key.id)
        rows, columns = (self._axis(key.id, side) for side in (0, 1))
        vector = self.flat and step.rows == "queries"
        name, shape = name_of(self.letter(key.id), key.head, vector), self.shape_of(key.id, formula)
        made = Quantity(key, name, formula, shape, rows, columns, title=step.title, why=step.why, remarks=remarks)
        self.place(made)

    def parameter(self, id: str, place: Place) -> Ref | None:
        if id == "mask":
            return self._mask(place)
        matrix = {"W_O": self.body.W_O, "b_O": self.body.b_O}.get(id)
        if not id.endswith("O"):
            if self.body.identity:
                return None
            matrix, place = self._projecting(id, place)
        else:
            place = None
        if matrix is None:
            return None
        key = Key(id, at(self.body, place))
        if key not in self.parameters:
            name, formula = name_of(self.letter(id), key.head, id.startswith("b")), self._given(matrix.rows)
            self.parameters[key] = Quantity(key, name, formula, formula.shape(self), parameter=True)
        return Ref(key)

    def _projecting(self, id: str, head: Place) -> tuple[GivenMatrix | None, Place]:
        """The weights or the bias of a head, or those of all heads together."""
        own = head if head is not None and len(self.body.projections) > 1 else None
        projection = self.body.projections[own or 0] if self.body.projections else {}
        if id.startswith("W") and id not in projection:
            (made,) = (name for name in self.library.ids if id in self.library.parameters_of(name))
            raise self.fault(f"the {made} can't be computed: {id} is missing", f"add weights: {{{id}: [[...]]}}")
        return projection.get(id), own

    def _mask(self, head: Place) -> Ref:
        """The mask of all heads, or of one; one by a rule is a step of its own."""
        from attnsolve.spec.mask import RuleMask

        own = head is not None and bool(self.body.masks)
        mask = self.body.masks[head or 0] if own else self.body.mask
        assert mask is not None
        key, rule = Key("mask", at(self.body, head if own else None)), isinstance(mask, RuleMask)
        made = _by_rule(mask) if isinstance(mask, RuleMask) else Given(mask.rows)
        formula = Transpose(made) if self.columns else made
        across, along = (self._axis("scores", side) for side in (0, 1))
        name, shape = name_of(self.letter("mask"), key.head, self.flat), formula.shape(self)
        quantity = Quantity(
            key, name, formula, shape, across, along, parameter=not rule, title=made.title, why=made.does
        )
        self.parameters.setdefault(key, quantity)
        return Ref(key)

    def ordered(self) -> dict[Key, Quantity]:
        """A mask by a rule that all heads have is worked out before the first of them."""
        found, mask = super().ordered(), Key("mask")
        if mask not in found or found[mask].parameter or not any(key.at for key in found):
            return found
        made = found.pop(mask)
        before = next(place for place, key in enumerate(found) if key.at)
        quantities = [*found.values()]
        return {quantity.key: quantity for quantity in (*quantities[:before], made, *quantities[before:])}

    def number(self, name: str, place: Place) -> Number:
        if name == "d_k":
            return Number(Size(n.Sym("d", ("k",)), self._d_k(place), self.problem.style))
        return super().number(name, place)

    def _d_k(self, head: Place) -> int:
        sizes = self.body.sizes
        if head is not None and f"d_k {head}" in sizes:
            return sizes[f"d_k {head}"]
        if not {"d_k", OF_KEYS} & sizes.keys():
            message = "scaling divides by sqrt(d_k), but d_k is unknown: neither queries nor keys are given"
            raise self.fault(message, "write scaling: none, or d_k: 64")
        if OF_KEYS in sizes and "d_k" not in self.body.sizes:
            return sizes[OF_KEYS] // (self.body.key_heads if self.body.split else 1)
        return sizes["d_k"] // (self.body.heads if self.body.split else 1)

    def places(self, name: str) -> list[Place]:
        return [*range(self.body.heads)] if self.body.heads > 1 else [None]

    def joined(self, name: str, parts: tuple[Formula, ...]) -> Formula:
        return Concatenate(parts)

    def without_source(self, id: str) -> ProblemError:
        if any(name.endswith("_inputs") for name in self.given):
            return self.fault(f"the {id} can't be computed: inputs has no {id}", f"add {id}: [[...]] under inputs:")
        return self.fault(f"the {id} can't be computed: there are no inputs", f"add inputs: [[...]], or {id}: [[...]]")

    # ── names and remarks ───────────────────────────────────────────────────────────────────────

    def _axis(self, id: str, side: int) -> Axis:
        axis = self.library.axes[id][side]
        if axis not in ("queries", "keys"):
            return Axis()
        if id == "inputs" and self._elsewhere("queries"):
            axis = "keys"
        return Axis(True, self._labels(axis))

    def _labels(self, axis: str) -> tuple[str, ...]:
        body = self.body
        size = body.sizes[axis]
        own = "inputs" in self.given and not self._elsewhere(axis)
        remembered = axis == "keys" and "memory" in self.given
        if axis == "keys" and body.memory_tokens and not own:
            return body.memory_tokens
        fits = len(body.tokens) == size and (own or "inputs" not in self.given)
        if fits and not remembered:
            return body.tokens
        named = "inputs" if own else "memory" if remembered else axis
        letter = name_of(self.letter(named)).token(1).name
        return tuple(f"{letter}_{i}" for i in range(1, size + 1))

    def _elsewhere(self, axis: str) -> bool:
        """Whether queries or keys don't come from the inputs."""
        return axis in self.given or source_of(axis, self.given) != "inputs"

    def _remarks(self, head: Place, formula: Formula) -> tuple[Remark, ...]:
        if isinstance(formula, Mask) and self.body.mask is not None and self.body.mask.causal:
            return (
                ("The mask is causal: each token may attend to itself and to earlier tokens, never to later ones.",),
            )
        if not isinstance(formula, Divide):
            return ()
        if not isinstance(self.body.scaling, str):
            return (self.divisor(formula, None),)
        return ((*self._origin(head), *self.divisor(formula, self._d_k(head))),)

    def _shared_by(self, id: str, head: Place) -> tuple[Remark, ...]:
        """Which heads share the keys of one."""
        body = self.body
        if id != "scores" or head is None or body.key_heads == body.heads:
            return ()
        several = body.heads // body.key_heads
        first = head // several * several + body.numbering
        if body.key_heads == 1:
            return (("All heads share the same keys and values.",),)
        names = listed([str(number) for number in range(first, first + several)])
        number = head // several + body.numbering
        return ((f"Heads {names} share the keys and values of key head {number}.",),)

    def _origin(self, head: Place) -> Remark:
        """Where d_k came from."""
        size = self._d_k(head)
        width = n.Chain(n.Sym("d", ("k",)), (("=", n.Num(str(size))),))
        for name in ("keys", "queries"):
            key = Key(name, at(self.body, self._key_head(name, head), name))
            if key in self.quantities:
                symbol, (_, entries_of_each) = self.quantities[key].name.matrix, self.quantities[key].shape
                what = count(entries_of_each, "row" if self.columns else "column")
                entries = "entry" if size == 1 else "entries"
                return (f"Each {ONE_OF[name]} has ", width, f" {entries}: ", symbol, f" has {what}. ")
        return (width, ", as the problem states. ")


def _by_rule(mask: RuleMask) -> MaskRule:
    return MaskRule(mask.rows, mask.shown, mask.meaning, mask.others)


ONE_OF = {"keys": "key", "queries": "query"}
