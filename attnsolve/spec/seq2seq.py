"""The keys of `kind: seq2seq`, encoder-decoder attention, read into a frozen Seq2seq."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from attnsolve.library import Feeds
from attnsolve.library.seq2seq import SEQ2SEQ
from attnsolve.record import Record, record
from attnsolve.spec import inner_names, reader, shapes
from attnsolve.spec.compare import COMPARE
from attnsolve.spec.dimensions import Dimensions
from attnsolve.spec.fields import Fields, GivenMatrix, one_list, read_matrix
from attnsolve.spec.keys import by_name, choice, declare
from attnsolve.spec.own_keys import OWN
from attnsolve.spec.softmax import SOFTMAX, STABLE, Base, read_softmax
from attnsolve.spec.unused import is_unused, report_unused

SCORES = {
    "dot": (),
    "scaled-dot": (),
    "general": ("W",),
    "additive": ("W_1", "W_2", "v"),
    "concat": ("W", "v"),
    "cosine": (),
    "location": ("W",),
}
"""How a decoder state is compared with the encoder's, and the weights each way needs."""
MEANT = {
    "multiplicative": "general", "bilinear": "general", "luong": "general", "bahdanau": "additive", "mlp": "additive",
    "scaled": "scaled-dot", "content-base": "cosine", "cos": "cosine", "location-base": "location",
}  # fmt: skip
"""What else a sheet may call them."""
PARAMETERS = tuple(SEQ2SEQ.parameters)
KIND = "seq2seq"
QUANTITIES, NAMES, LETTERS = SEQ2SEQ.ids, SEQ2SEQ.names, SEQ2SEQ.letters
SOURCES: dict[str, str] = {}
CLAIMS = ()
UNUSED: tuple[str, ...] = ()
GIVABLE = SEQ2SEQ.givable
AXES = {id: SEQ2SEQ.axes[id] for id in (*GIVABLE, *inner_names.GIVABLE)}
"""What the rows and the columns count of each quantity that a file may state."""
LATER = ("scores", "scaled", *inner_names.STARTS, "weights", "context", "joined")
"""Starting from one of these, nothing before it is needed."""
ALIKE = ("dot", "scaled-dot", "cosine")
"""Scores that multiply a decoder state with an encoder state as they are, so that both must be of one width."""


STATES = declare("states", "The encoder's states H, one row each.", shapes.MATRIX_REF)
STATE = declare(
    "state", "The decoder's state s_t: one plain list; or several rows, one per decoder step.", shapes.MATRIX_REF
)
SCORE = declare(
    "score",
    f"How the two are compared: {', '.join(SCORES)} (default: dot).",
    {"enum": list(SCORES)},
    lambda fields, name: fields.choice(name, SCORES, "dot", MEANT),
)
WEIGHTS = declare(
    "weights",
    "The matrices that the score needs (W, W_1, W_2, v), and W_c for tanh(W_c [c_t; s_t]) at the end.",
    shapes.mapping(PARAMETERS, shapes.MATRIX_REF, {"enum": shapes.typed(PARAMETERS)}),
)
TOKENS = declare(
    "tokens",
    "Names of the encoder's states.",
    shapes.WORDS,
    lambda fields, name: fields.labels(name, "a state"),
)
STEPS = declare(
    "steps", "Names of the decoder's steps.", shapes.WORDS, lambda fields, name: fields.labels(name, "a step")
)
GIVEN = declare(
    "given",
    "Any of these by its id, given instead of computed: projected, scores, scaled, weights, context, joined.",
    shapes.mapping(AXES, shapes.MATRIX_REF, {"$ref": "#/$defs/seq2seq-stated"}),
)
VECTORS = declare(
    "vectors",
    "How the sheet writes one vector by itself: columns (default, e = H s_t) or rows (e = s_t Hᵀ).",
    shapes.DIRECTION,
    choice("rows", "columns", default="columns"),
)
DECLARED = (STATES, STATE, SCORE, WEIGHTS, TOKENS, STEPS, GIVEN, SOFTMAX, STABLE, VECTORS)
"""Every key of this kind, in the order in which they are documented."""
KEYS = by_name(*DECLARED, *OWN.values(), COMPARE)


@record
class Seq2seq(Record):
    """An encoder-decoder problem. Matrices have one row a state or a step; weights stand as the sheet writes them."""

    score: str
    vectors: str
    tokens: tuple[str, ...]
    steps: tuple[str, ...]
    given: Mapping[str, GivenMatrix]
    weights: Mapping[str, GivenMatrix]
    base: Base
    stable: bool
    sizes: Mapping[str, int]
    """The lengths and widths that the file settles: states, steps, width and so on."""

    @property
    def flat(self) -> bool:
        """Whether there is but one decoder state, written as one plain list."""
        return all(matrix.flat for name, matrix in self.given.items() if AXES[name][0] == "steps")


def read(fields: Fields) -> Seq2seq | None:
    """Read the body of a seq2seq problem; None, with its faults noted, when it can't be."""
    return _Seq2seqFields(fields).seq2seq()


def feeds(score: str, given: Collection[str]) -> Feeds:
    """Which quantities each matrix goes into, by the way of scoring."""
    return SEQ2SEQ.feeds(given, lambda when: not when.startswith("score: ") or score in when[7:].split("|"))


class _Seq2seqFields:
    """One pass over the fields of one problem."""

    def __init__(self, fields: Fields) -> None:
        self.fields = fields
        self.faults = fields.faults
        self.score = SCORE.read(fields)
        self.dims = Dimensions(self.faults, False, ("states", "scores", "weights"), ("state", "context"), layout=False)
        self.given: dict[str, GivenMatrix] = {}
        self.weights: dict[str, GivenMatrix] = {}

    def seq2seq(self) -> Seq2seq | None:
        fields = self.fields
        base, stable = read_softmax(fields)
        tokens, steps = TOKENS.read(fields), STEPS.read(fields)
        vectors = VECTORS.read(fields)
        self._given()
        self._weights()
        if not self.faults.found:
            self._start()
        if not self.faults.found:
            matrices = {**self.given, **self.weights}
            reached = feeds(self.score, matrices)
            unused = {name: matrix for name, matrix in matrices.items() if is_unused(name, matrices, reached)}
            report_unused(unused, matrices, reached, self.faults)
        if not self.faults.found:
            self._fit()
            self._name("tokens", tokens, "states", "write one name per state")
            self._name("steps", steps, "steps", "write one name per decoder step")
        if self.faults.found:
            return None
        sizes = {name: size for name, (size, _) in self.dims.known.items()}
        return Seq2seq(self.score, vectors, tokens, steps, self.given, self.weights, base, stable, sizes)

    # ── the matrices ────────────────────────────────────────────────────────────────────────────

    def _given(self) -> None:
        for start in (STATES, STATE):
            self._take(start.name, start.read(self.fields))
        node = GIVEN.read(self.fields)
        if node is None:
            return
        if not isinstance(node, reader.Mapping):
            self.faults.expected(node, "given", "a mapping such as {scores: [1, 2, 3]}")
            return
        made = dict.fromkeys(set(QUANTITIES) - set(AXES), "it is always computed; give one of")
        fields = Fields(node, AXES, self.faults, " in given", made | inner_names.hints(node))
        for key, value in node.entries:
            if key.text in self.given:
                self.faults.add(key, f"{key.text} is given twice, here and at the top level", "keep one of the two")
            elif key.text == "projected" and self.score not in ("general", "additive"):
                message = f"projected is given, but score: {self.score} does not use it"
                self.faults.add(key, message, "it is for score: general or additive")
            elif key.text in AXES and fields.get(key.text) is not None:
                self._take(key.text, value)

    def _take(self, name: str, node: reader.Node | None) -> None:
        if node is None:
            return
        matrix = read_matrix(node, name, self.faults, infinite=name in ("scores", "scaled"))
        if matrix is not None and matrix.identity and name != "states":
            self.faults.add(matrix.at, f"{name} can't be an identity", "write it out")
        elif matrix is not None:
            self.given[name] = inner_names.lying(matrix, name)

    def _weights(self) -> None:
        node = WEIGHTS.read(self.fields)
        if node is None:
            return
        if not isinstance(node, reader.Mapping):
            fix = "attention weights themselves go under given: {weights: ...}"
            what = f"a mapping with {', '.join(self._known())}"
            self.faults.expected(node, "weights", what, fix if isinstance(node, reader.Sequence) else "")
            return
        others = {name: self._whose(name) for name in PARAMETERS if name not in self._known()}
        inner = Fields(node, self._known(), self.faults, " in weights", others)
        for name in self._known():
            matrix = inner.matrix(name)
            if matrix is not None and name == "v":
                matrix = one_list(matrix, self.faults)
            if matrix is not None:
                self.weights[name] = matrix

    def _known(self) -> tuple[str, ...]:
        """The weights that the score takes; of a score that could not be read, any may be meant."""
        written = self.fields.get("score")
        misread = written is not None and not (isinstance(written, reader.Scalar) and written.text in SCORES)
        return tuple(PARAMETERS) if misread else (*SCORES[self.score], "W_c")

    def _whose(self, name: str) -> str:
        users = " or ".join(score for score, needed in SCORES.items() if name in needed)
        return f"score: {self.score} takes no {name}; it is for score: {users}"

    # ── what is needed ──────────────────────────────────────────────────────────────────────────

    def _start(self) -> None:
        """Something to start from, and all that the score needs; with scores given, no more than that."""
        later = [name for name in LATER if name in self.given]
        if not later:
            self._need("states", "there are no states", "add states: [[...], [...]], one row per encoder state")
            self._need("state", "there is no state", "add state: [...], the decoder's; or given: {scores: [...]}")
            for name in SCORES[self.score]:
                if name not in self.weights and not ("projected" in self.given and name in ("W", "W_1")):
                    at = self.fields.get("weights") or self.fields.get("score") or self.fields.node
                    shape = "[...]" if name == "v" else "[[...]]"
                    self.faults.add(at, f"score: {self.score} needs {name}", f"add weights: {{{name}: {shape}}}")
        joins = "joined" in self.given or ("state" in self.given and {"states", "context"} & set(self.given))
        if "W_c" in self.weights and not joins:
            message = "W_c is given, but there is no state and context for it to be applied to"
            self.faults.add(self.weights["W_c"].at, message, "add states: [[...]] and state: [...]")

    def _need(self, name: str, message: str, fix: str) -> None:
        if name not in self.given:
            self.faults.add(self.fields.node, message, fix)

    # ── how they fit together ───────────────────────────────────────────────────────────────────

    def _fit(self) -> None:
        dims = self.dims
        for name, matrix in sorted(self.given.items(), key=lambda item: item[1].identity):
            sized = dims.sized(matrix, dims.size("states") or dims.size("width"))
            if sized is not None:
                self.given[name] = sized
                for side, axis in enumerate(AXES[name]):
                    dims.agree(self._axis(axis), sized, side)
        width, own = dims.size("width"), dims.size(self._axis("state width"))
        if width and own and "joined" not in dims.known:
            dims.known["joined"] = (width + own, f"context and state together have {width + own} entries")
            dims.known["pair"] = (width + own, f"an encoder state and the state together have {width + own} entries")
        for name, matrix in self.weights.items():
            rows, columns = (self._axis(axis) for axis in self._sides(name))
            sized = dims.sized(matrix, dims.size(columns) or dims.size(rows))
            if sized is not None:
                self.weights[name] = sized
                if name != "v":
                    dims.agree(rows, sized, 0)
                dims.agree(columns, sized, 1)

    def _axis(self, axis: str) -> str:
        """Some lengths are the same by the way of scoring."""
        if axis == "state width" and self.score in ALIKE and not any(name in self.given for name in LATER):
            return "width"
        if axis == "projected":
            return "state width" if self.score == "general" else "hidden"
        return axis

    def _sides(self, name: str) -> tuple[str, str]:
        """What the rows and the columns of a weight matrix count."""
        if name == "W":
            by_score = {"general": ("state width", "width"), "concat": ("hidden", "pair")}
            return by_score.get(self.score, ("states", "state width"))
        sides = {"W_1": ("hidden", "width"), "W_2": ("hidden", "state width"), "v": ("", "hidden")}
        return sides.get(name, ("output", "joined"))

    def _name(self, key: str, labels: tuple[str, ...], axis: str, fix: str) -> None:
        node = self.fields.get(key)
        if labels and node is not None:
            plural = "name" if len(labels) == 1 else "names"
            self.dims.expect(axis, len(labels), f"{key} has {len(labels)} {plural}", node.at, fix)
