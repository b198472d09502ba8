"""`gradient:`, `jacobian:` and `update:`, the keys of a training step: which derivatives are wanted, and what is done
with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Literal, get_args

from attnsolve.bounds import allowed
from attnsolve.errors import Mark
from attnsolve.numbers.surds import Number
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.fields import Fields, GivenMatrix, read_given, read_text

Rule = Literal["plain", "momentum", "adam", "adamw"]
GRADIENT_EXAMPLE = "{of: L, to: [W_Q, W_K]}"
STATES = ("m", "v")
"""What a rule remembers of each parameter: a running mean of its gradients, and of their squares."""


@record
class AskedName(Record):
    """A quantity as the file names it."""

    name: str
    at: Mark


@record
class AskedGradient(Record):
    """Which gradients are wanted, and where they start."""

    at: Mark
    of: AskedName | None
    """The loss; None where the sheet starts from gradients that it states."""
    to: tuple[AskedName, ...]
    upstream: Mapping[str, GivenMatrix]
    """The gradients that the sheet states, by the quantity that each belongs to."""
    fused: bool = True
    """Whether a softmax and the cross-entropy after it are one step."""


@record
class AskedJacobian(Record):
    """The derivative of every entry of one list by every entry of another."""

    at: Mark
    of: AskedName
    to: AskedName


@record
class AskedUpdate(Record):
    """How parameters are changed."""

    at: Mark
    rule: Rule
    rate: Number
    betas: tuple[Number, Number]
    eps: Number
    decay: Number
    step: int
    """Which step of training it is, for the rules that correct their running means."""
    state: Mapping[str, Mapping[str, GivenMatrix]]
    after: bool
    steps: int
    """How many steps are made; 0 where the file does not say, and it is one."""


@record
class Training(Record):
    """Everything that a file asks for of derivatives."""

    gradient: AskedGradient | None = None
    jacobian: AskedJacobian | None = None
    update: AskedUpdate | None = None

    @property
    def is_empty(self) -> bool:
        """Whether it asks for nothing."""
        return self.gradient is None and self.jacobian is None and self.update is None


# ── gradient ────────────────────────────────────────────────────────────────────────────────────


def read_gradient(fields: Fields, name: str) -> AskedGradient | None:
    """`gradient: {of: L, to: [W_Q, E]}`, or `{upstream: {C: [[…]]}, to: […]}`, or the name of a loss alone."""
    node, faults = fields.get(name), fields.faults
    if node is None:
        return None
    if isinstance(node, reader.Scalar):
        return AskedGradient(node.at, AskedName(read_text(node, name, faults), node.at), (), {})
    if not isinstance(node, reader.Mapping):
        faults.expected(node, name, f"a mapping such as {GRADIENT_EXAMPLE}")
        return None
    inner = Fields(node, ("of", "to", "upstream", "fused"), faults, f" in {name}")
    of, upstream = _name(inner, "of", name), dict(_upstream(inner))
    if of is None and not upstream and inner.get("of") is None:
        faults.add(node, f"{name} does not say of what", f"write {name}: {GRADIENT_EXAMPLE}")
    if of is not None and upstream:
        message = f"{name} has both of, a loss, and upstream, gradients that are given"
        faults.add(node, message, "leave one of them out")
    fused = inner.choice("fused", ("true", "false"), "true") == "true"
    return AskedGradient(node.at, of, tuple(_names(inner, "to", name)), upstream, fused)


def _name(fields: Fields, key: str, where: str) -> AskedName | None:
    """A single name."""
    node = fields.get(key)
    text = "" if node is None else read_text(node, f"{key} of {where}", fields.faults)
    return AskedName(text, node.at) if node is not None and text else None


def _names(fields: Fields, key: str, where: str) -> Iterator[AskedName]:
    """One name, or a list of them."""
    node = fields.get(key)
    if node is None:
        return
    for item in node.items if isinstance(node, reader.Sequence) else (node,):
        if text := read_text(item, f"{key} of {where}", fields.faults):
            yield AskedName(text, item.at)


def _upstream(fields: Fields) -> Iterator[tuple[str, GivenMatrix]]:
    node = fields.get("upstream")
    if node is None:
        return
    if not isinstance(node, reader.Mapping):
        fields.faults.expected(node, "upstream", "a mapping such as {C: [[1, 0], [0, 1]]}")
        return
    for key, value in node.entries:
        yield key.text, read_given(value, f"the gradient of {key.text}", fields.faults)


# ── jacobian ────────────────────────────────────────────────────────────────────────────────────


def read_jacobian(fields: Fields, name: str) -> AskedJacobian | None:
    """`jacobian: {of: y, to: z}`."""
    node, faults = fields.get(name), fields.faults
    if node is None:
        return None
    if not isinstance(node, reader.Mapping):
        faults.expected(node, name, "a mapping such as {of: y, to: z}")
        return None
    inner = Fields(node, ("of", "to"), faults, f" in {name}")
    of, to = (_name(inner, key, name) for key in ("of", "to"))
    if of is None or to is None:
        faults.add(node, f"{name} needs both of and to", "write jacobian: {of: y, to: z}")
        return None
    return AskedJacobian(node.at, of, to)


# ── update ──────────────────────────────────────────────────────────────────────────────────────


DEFAULT_BETAS = (Fraction(9, 10), Fraction(999, 1000))
DEFAULT_EPS = Fraction(1, 10**8)
DEFAULT_DECAY = {"adamw": Fraction(1, 100)}
"""Only this rule lets parameters decay unless a sheet says otherwise."""


def read_update(fields: Fields, name: str) -> AskedUpdate | None:
    """`update: {rate: 0.1}`, with a rule, its numbers and what it remembers."""
    node, faults = fields.get(name), fields.faults
    if node is None:
        return None
    if not isinstance(node, reader.Mapping):
        faults.expected(node, name, "a mapping such as {rate: 0.1}", f"write {name}: {{rate: 0.1}}")
        return None
    known = ("rule", "rate", "betas", "eps", "decay", "step", "state", "after", "steps")
    inner = Fields(node, known, faults, f" in {name}")
    others = {"sgd": "plain", "gd": "plain", "gradient descent": "plain", "adam w": "adamw"}
    rule = inner.choice("rule", get_args(Rule), "plain", others)
    rate = inner.number("rate")
    if rate is None and inner.get("rate") is None:
        faults.add(node, f"{name} does not say how large a step is", f"write {name}: {{rate: 0.1}}")
    decay = inner.number("decay")
    return AskedUpdate(
        node.at,
        rule,  # type: ignore[arg-type]
        Fraction(1) if rate is None else rate,
        _betas(inner),
        DEFAULT_EPS if (eps := inner.number("eps")) is None else eps,
        DEFAULT_DECAY.get(rule, Fraction(0)) if decay is None else decay,
        inner.integer("step", 1, 1, 10**6) or 1,
        dict(_states(inner)),
        inner.boolean("after"),
        inner.integer("steps", 0, 1, allowed().side, "side") or 0,
    )


def _betas(fields: Fields) -> tuple[Number, Number]:
    """Two numbers, or one for both."""
    node = fields.get("betas")
    if node is None:
        return DEFAULT_BETAS
    matrix = read_given(node, "betas", fields.faults) if isinstance(node, reader.Sequence) else None
    if matrix is None:
        number = fields.number("betas")
        return DEFAULT_BETAS if number is None else (number, number)
    if matrix.unread or len(matrix.rows) != 1 or len(matrix.rows[0]) != 2:
        fields.faults.expected(node, "betas", "two numbers such as [0.9, 0.999]") if not matrix.unread else None
        return DEFAULT_BETAS
    first, second = matrix.rows[0]
    return first, second


def _states(fields: Fields) -> Iterator[tuple[str, Mapping[str, GivenMatrix]]]:
    """What the rule remembers of some parameters: state: {W: {m: …, v: …}}."""
    node = fields.get("state")
    if node is None:
        return
    if not isinstance(node, reader.Mapping):
        fields.faults.expected(node, "state", "a mapping such as {W: {m: [[0]], v: [[0]]}}")
        return
    for key, value in node.entries:
        if not isinstance(value, reader.Mapping):
            fields.faults.expected(value, f"the state of {key.text}", "a mapping with m and v")
            continue
        inner = Fields(value, STATES, fields.faults, f" in the state of {key.text}")
        yield key.text, {state: matrix for state in STATES if (matrix := _state(inner, state, key.text)) is not None}


def _state(fields: Fields, state: str, parameter: str) -> GivenMatrix | None:
    node = fields.get(state)
    return None if node is None else read_given(node, f"{state} of {parameter}", fields.faults)


# ── names ───────────────────────────────────────────────────────────────────────────────────────


def made_names(node: reader.Mapping, names: Mapping[str, str]) -> Iterator[str]:
    """The names of what these keys of a file make of some quantities: d_scores and dS, new_W_Q. `names` are those of
    the quantities, with the letter of each."""
    keys = {key.text: value for key, value in node.entries}
    every = dict.fromkeys(name for pair in names.items() for name in pair)
    if "gradient" in keys:
        yield from (f"{before}{name}" for name in every for before in ("d", "d_"))
    if "jacobian" in keys:
        yield "J"
    if "update" in keys:
        yield from (f"{before}_{name}" for name in every for before in ("new", "m", "v", "mhat", "vhat", "after"))
