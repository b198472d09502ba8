"""How the matrices of an attention problem fit together: the quantities, what their sides count, and their sizes.

Identities get their size here, and what disagrees is told in words."""

from __future__ import annotations

from collections.abc import Collection

from attnsolve.errors import count
from attnsolve.library.attention import ATTENTION
from attnsolve.record import Fillable, filled
from attnsolve.spec.dimensions import Dimensions
from attnsolve.spec.fields import Faults, Fields, GivenMatrix, one_list

Labels = tuple[str, ...]

SOURCES = {"queries": "query_inputs", "keys": "key_inputs", "values": "value_inputs"}
"""What queries, keys and values are each made from, where the sheet gives them inputs of their own."""
PROJECTIONS = {id: tuple(ATTENTION.parameters_of(id)) for id in SOURCES}
"""The weights and the bias that each is made with."""
PARAMETERS = tuple(name for names in PROJECTIONS.values() for name in names)
AXES = ATTENTION.axes
OF_KEYS = "d_k of keys"
"""How wide the keys of all heads are, where several heads of queries share them."""


def source_of(quantity: str, given: Collection[str]) -> str:
    """What queries, keys or values are made from: inputs of their own, the memory, or the inputs."""
    if SOURCES[quantity] in given:
        return SOURCES[quantity]
    return "memory" if quantity != "queries" and "memory" in given else "inputs"


@filled
class Fitting(Fillable):
    """The matrices as they were read; `sizes` and `output_sizes` hold them against each other."""

    fields: Fields
    faults: Faults
    dims: Dimensions
    given: dict[tuple[str, int | None], GivenMatrix]
    projections: tuple[dict[str, GivenMatrix], ...]
    output: dict[str, GivenMatrix]
    identity: bool
    key_heads: int | None = None
    """How many heads keys and values have, where several heads of queries share them."""

    def sizes(self, heads: int, split: bool, tokens: Labels, memory_tokens: Labels, d_k: int | None) -> None:
        dims = self.dims
        for (name, head), matrix in sorted(self.given.items(), key=lambda item: item[1].identity):
            sized = self.dims.sized(matrix, self._identity_side(name, tokens)) if matrix.identity else matrix
            if sized is None:
                del self.given[name, head]
                continue
            self.given[name, head] = sized
            rows, columns = AXES[name][0], self._columns(name)
            if name == "inputs" and self._queried_elsewhere():
                rows = "keys"  # the queries come from elsewhere: these inputs make keys and values
            dims.agree(self._axis(rows, head), sized, 0)
            dims.agree(self._axis(columns, head), sized, 1)
        memory = ("memory", None) in self.given
        derived = bool(self.projections) or self.identity
        if derived and not memory and ("inputs", None) in self.given and not self._both_given():
            dims.agree("keys", self.given["inputs", None], 0)
        for head, projection in enumerate(self.projections):
            label = head if len(self.projections) > 1 else None
            self._agree_projection(projection, label)
        if self.identity:
            for quantity in PROJECTIONS:
                if (source := self.given.get((self._source(quantity), None))) is not None:
                    dims.agree(self._columns(quantity), source, 1)
        if split:
            self._agree_split(heads)
        if d_k is not None and (node := self.fields.get("d_k")) is not None:
            own = [name for name in dims.known if name.startswith("d_k")]
            for name in own or ["d_k"]:
                wide = (self.key_heads if name == OF_KEYS else heads) if split else 1
                fix = "leave d_k out: it follows from the matrices"
                dims.expect(name, d_k * (wide or 1), f"d_k is {d_k}", node.at, fix)
        self._agree_labels(tokens, memory_tokens)

    @property
    def _names(self) -> set[str]:
        return {name for name, _ in self.given}

    def _both_given(self) -> bool:
        return all({name, SOURCES[name]} & self._names for name in ("keys", "values"))

    def _queried_elsewhere(self) -> bool:
        """Whether the queries don't come from the inputs."""
        return bool({"queries", "query_inputs"} & self._names)

    def _source(self, quantity: str) -> str:
        """What queries, keys or values are made from."""
        return source_of(quantity, self._names)

    def _columns(self, quantity: str) -> str:
        """What the columns of a quantity count; keys that several heads share have a width of their own."""
        return OF_KEYS if quantity == "keys" and self.key_heads is not None else AXES[quantity][1]

    def _axis(self, axis: str, head: int | None) -> str:
        return axis if head is None or axis in ("queries", "keys") else f"{axis} {head}"

    def _identity_side(self, name: str, tokens: Labels) -> int | None:
        sides = [self.dims.size(axis) for axis in AXES[name]]
        for quantity, (weight, _) in PROJECTIONS.items():
            if self._source(quantity) == name:
                written = [p[weight] for p in self.projections if weight in p]
                sides += [matrix.shape[self.dims.columns] for matrix in written]
        return next((side for side in sides if side), len(tokens) or None)

    def _agree_projection(self, projection: dict[str, GivenMatrix], head: int | None) -> None:
        for quantity, (weight, bias) in PROJECTIONS.items():
            source = AXES[self._source(quantity)][1]
            axis = self._axis(self._columns(quantity), head)
            if (
                weight in projection
                and (matrix := self.dims.sized(projection[weight], self.dims.size(source))) is not None
            ):
                projection[weight] = matrix
                if self._is_matrix(matrix, source) and self.dims.agree(source, matrix, 0):
                    self.dims.agree(axis, matrix, 1)
            if bias in projection and (added := self._as_bias(projection[bias])) is not None:
                projection[bias] = added
                self.dims.agree(axis, added, 1)

    def _is_matrix(self, matrix: GivenMatrix, source: str) -> bool:
        """Whether a weight matrix has rows and columns, unless one plain list is all that it needs."""
        side = self.dims.size(source)
        if matrix.flat and side is not None and matrix.shape[self.dims.columns] != side:
            lines = count(side, "column" if self.dims.columns else "row")
            message = f"{matrix.name} must be a matrix with {lines}"
            fix = f"write each row in brackets: {matrix.name}: [[1, 0], [0, 1]]"
            self.faults.add(matrix.at, f"{message}, but one list of numbers was found", fix)
            return False
        return True

    def _as_bias(self, matrix: GivenMatrix) -> GivenMatrix | None:
        """A bias is one row where tokens are rows, one column where they are columns; a flat list is either."""
        row = one_list(matrix, self.faults)
        return row.turned() if row is not None and self.dims.columns else row

    def _agree_split(self, heads: int) -> None:
        shared = self.key_heads or heads
        for axis, key, parts in (("d_k", "heads", heads), (OF_KEYS, "key_heads", shared), ("d_v", "key_heads", shared)):
            size, sentence = self.dims.known.get(axis, (parts, ""))
            if size % parts:
                key = key if self.key_heads is not None else "heads"
                node = self.fields.get(key) or self.fields.node
                self.faults.add(node, f"{key} is {parts} but {sentence}, which don't divide into {parts} equal parts")
                return
        self._agree_shared(heads)

    def _agree_shared(self, heads: int) -> None:
        """A key that several heads share has as many entries as a query of each."""
        if self.key_heads is None or not {"d_k", OF_KEYS} <= self.dims.known.keys():
            return
        (queries, of_queries), (keys, of_keys) = (self.dims.known[axis] for axis in ("d_k", OF_KEYS))
        if queries // heads != keys // self.key_heads:
            own, other = (count(size, "entry", "entries") for size in (keys // self.key_heads, queries // heads))
            message = f"{of_keys}, {own} for each key head, but {of_queries}, {other} for each head"
            weight = next((projection["W_K"] for projection in self.projections if "W_K" in projection), None)
            matrix = weight or self.given.get(("keys", None))
            node = self.fields.get("key_heads") or self.fields.node
            at, name = (node.at, "keys") if matrix is None else (matrix.at, matrix.name)
            lines = count(queries // heads * self.key_heads, "row" if self.dims.columns else "column")
            self.faults.add(at, message, f"{name} needs {lines}")

    def _agree_labels(self, tokens: Labels, memory_tokens: Labels) -> None:
        """Names of tokens name the queries, unless there are no inputs and they fit the keys."""
        queries_own = ("inputs", None) in self.given and not self._queried_elsewhere()
        own = queries_own or self.dims.size("keys") != len(tokens)
        for name, labels, axis in (
            ("tokens", tokens, "queries" if own else "keys"),
            ("memory_tokens", memory_tokens, "keys"),
        ):
            node = self.fields.get(name)
            if labels and node is not None:
                self.dims.expect(
                    axis, len(labels), f"{name} has {count(len(labels), 'name')}", node.at, "write one name per token"
                )

    def output_sizes(self, heads: int, split: bool) -> None:
        dims = self.dims
        whole = dims.size("d_v")
        if whole is not None and self.key_heads is not None:
            whole = whole * heads // self.key_heads
        shared = None if split else whole
        parts = [dims.size(f"d_v {head}") or shared for head in range(heads)] if heads > 1 and not split else [whole]
        if all(parts) and "concat" not in dims.known:
            width = sum(part or 0 for part in parts)
            columns = count(width, "column")
            message = f"the concatenated heads have {columns}" if heads > 1 else f"the context has {columns}"
            dims.known["concat"] = (
                width,
                message.replace("column", "row") if self.dims.columns else message,
            )
        if "W_O" in self.output:
            matrix = self.dims.sized(self.output["W_O"], dims.size("concat"))
            if matrix is not None:
                self.output["W_O"] = matrix
                dims.agree("concat", matrix, 0)
                dims.agree("output", matrix, 1)
        if "b_O" in self.output:
            if "W_O" not in self.output:
                self.faults.add(
                    self.output["b_O"].at, "b_O is given without W_O", "add W_O: [[...]] (or W_O: identity)"
                )
            if (added := self._as_bias(self.output["b_O"])) is not None:
                self.output["b_O"] = added
                dims.agree("output", added, 1)
