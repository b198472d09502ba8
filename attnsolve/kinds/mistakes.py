"""The mistakes that depend on what quantities are: queries taken for keys, a bias forgotten, scaling by another size.

Each operation knows what people do in its place, whatever it is applied to; here is what they do because of what it is
applied to in attention. Both come in the order in which they are tried.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import reduce

from attnsolve import notation as n
from attnsolve.key import Key
from attnsolve.kinds.context_mistakes import of_context
from attnsolve.library.words import LIBRARIES
from attnsolve.numbers.closed import tidy
from attnsolve.numbers.constant import MINUS_ONE, Constant, RootOfSize, Size
from attnsolve.operations.add import Add
from attnsolve.operations.concatenate import Average, Concatenate, selected
from attnsolve.operations.context import Mistake
from attnsolve.operations.divide import Divide, Times
from attnsolve.operations.formula import Formula, Ref, transpose_of
from attnsolve.operations.mask import Mask
from attnsolve.operations.number import Number
from attnsolve.operations.product import Product, Projection, WeightedSum
from attnsolve.operations.quantity_context import QuantityContext
from attnsolve.operations.softmax import Share, Softmax

D_K, D_MODEL = n.Sym("d", ("k",)), n.Sym("d", ("model",))

OF_SCORES = {"weight-left-out": "score-weight-left-out", "weight-transposed": "score-weight-transposed"}
CALLED = {
    "W_O": {"weight-left-out": "output-projection-skipped", "weight-transposed": "output-projection-transposed"},
    "W": OF_SCORES,
    "W_1": OF_SCORES,
    "W_2": OF_SCORES,
}
"""What a mistake with a weight matrix is called where it isn't one of a token's projections."""
PEERS = [peers for library in LIBRARIES for peers in library.peers]
MISTAKEN_FOR = {id: others for library in LIBRARIES for id, others in library.mistaken.items()}


def mistakes(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """What people do in place of an operation of attention."""
    found = next((MISTAKES[kind] for kind in type(formula).__mro__ if kind in MISTAKES), _own)
    return found(formula, where)


def _own(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    return formula.mistakes(where)


def _after(ids: Collection[str], own: Iterable[Mistake], others: Iterable[Mistake]) -> Iterator[Mistake]:
    """Other mistakes put after those that an operation begins with."""
    waiting = list(own)
    while waiting and waiting[0].id in ids:
        yield waiting.pop(0)
    yield from others
    yield from waiting


# ── scores ──────────────────────────────────────────────────────────────────────────────────────


def _of_product(product: Product, where: QuantityContext) -> Iterator[Mistake]:
    """The wrong one of queries and keys, the wrong one transposed; a weight matrix on the wrong vector."""
    found = {key.id: key for key in product.leaves()}
    if found.keys() >= {"queries", "keys"}:
        queries, keys = Ref(found["queries"]), Ref(found["keys"])
        yield _one_transposed("keys-not-transposed", product, keys, where)
        for id, others in (
            ("queries-times-queries", {keys.key: queries}),
            ("keys-times-keys", {queries.key: keys}),
            ("keys-times-queries", {keys.key: queries, queries.key: keys}),
        ):
            wrong = product.put(others)
            yield Mistake(id, f"{where.text_of(wrong)} was computed instead of {where.text_of(product)}", wrong)
        yield from _of_another_key_head(product, keys.key, where)
    if found.keys() >= {"state", "states"}:
        yield _one_transposed("states-transposed", product, Ref(found["states"]), where)
    if found.keys() >= {"state", "projected"}:
        yield from _on_state(product, Ref(found["state"]), Ref(found["projected"]), where)
    if "state" in found and where.formula(where.key) == product:
        yield from _of_previous_state(product, Ref(found["state"]), where)
    yield from product.mistakes(where)


def _of_previous_state(formula: Formula, state: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """The decoder state of the step before, from the second step on."""
    if isinstance(state, Ref) and state.key.id == "state" and state.key.at == ():
        steps = state.shape(where)[1 if where.down else 0]
        if steps > 1:
            before = selected(state, [0, *range(steps - 1)], not where.down)
            description = f"the decoder state of the step before was used for {where.text_of(state)}"
            yield Mistake("previous-state-used", description, formula.put({state.key: before}))


def _of_joined(joined: Concatenate, where: QuantityContext) -> Iterator[Mistake]:
    yield from joined.mistakes(where)
    for part in joined.parts if {key.id for key in joined.leaves()} == {"context", "state"} else ():
        yield from _of_previous_state(joined, part, where)


def _of_another_key_head(formula: Formula, shared: Key, where: QuantityContext) -> Iterator[Mistake]:
    """The keys or values of another key head, where several heads share them: heads are dealt out in turn."""
    for other in where.elsewhere(shared) if shared.groups == "key heads" else ():
        said = f"{where.text_of(other)} was used instead of {where.text_of(Ref(shared))}: another key head"
        yield Mistake("key-head-swapped", said, formula.put({shared: other}))


def _one_transposed(id: str, product: Product, which: Ref, where: QuantityContext) -> Mistake:
    left, right = (transpose_of(side) if side.leaves() == [which.key] else side for side in product.arguments)
    (side,) = (side for side in product.arguments if side.leaves() == [which.key])
    description = f"{where.text_of(transpose_of(side))} was used instead of {where.text_of(side)}"
    return Mistake(id, description, product.made_from(left, right))


def _on_state(product: Product, state: Ref, projected: Ref, where: QuantityContext) -> Iterator[Mistake]:
    projection = where.formula(projected.key)
    if not isinstance(projection, Projection):
        return
    weight = transpose_of(projection.weight)
    as_columns = product.right == state
    applied = Projection(weight, state, down=True) if as_columns else Projection(state, transpose_of(weight))
    description = (
        f"{where.text_of(weight)} was applied to {where.text_of(state)} instead of {where.text_of(projection.source)}"
    )
    wrong = product.put({projected.key: projection.source, state.key: applied})
    yield Mistake("score-weight-on-state", description, wrong)


# ── projections and biases ──────────────────────────────────────────────────────────────────────


def _of_projection(projection: Projection, where: QuantityContext) -> Iterator[Mistake]:
    (key,) = projection.weight.leaves()
    called = CALLED.get(key.id, {})
    yield from (replace(own, id=called.get(own.id, own.id)) for own in projection.mistakes(where))
    yield from _swapped(projection, where)
    yield from _misread(projection, where)
    source = where.formula(projection.source.key) if isinstance(projection.source, Ref) else projection.source
    if key.id == "W_O" and isinstance(source, Concatenate):
        weight = where.text_of(projection.weight)
        instead = f"instead of being concatenated and multiplied by {weight}"
        yield Mistake("heads-averaged", f"the heads were averaged {instead}", Average(source.parts))
        yield Mistake("heads-summed", f"the heads were added up {instead}", reduce(Add, source.parts))
    yield from _of_another_head(projection, where)
    yield from _of_previous_state(projection, projection.source, where)


def _of_another_head(projection: Projection, where: QuantityContext) -> Iterator[Mistake]:
    """The matrix of the head before or after this one."""
    (key,) = projection.weight.leaves()
    for other in where.elsewhere(key) if key.head else ():
        if abs(int(other.key.head or 0) - int(key.head or 0)) == 1:
            description = f"{where.text_of(other)} was used instead of {where.text_of(Ref(key))}: another head's matrix"
            yield Mistake("head-weights-swapped", description, projection.by(projection.weight.put({key: other})))


def _swapped(projection: Projection, where: QuantityContext) -> Iterator[Mistake]:
    """Another weight matrix taken for this one."""
    (key,) = projection.weight.leaves()
    for peers in PEERS:
        for id in peers if key.id in peers else ():
            other = where.ref(id)
            if other is not None and other.key != key:
                wrong = projection.weight.put({key: other})
                description = f"{where.text_of(other)} was used instead of {where.text_of(Ref(key))}"
                yield Mistake("weights-swapped", description, projection.by(wrong))


def _misread(projection: Projection, where: QuantityContext) -> Iterator[Mistake]:
    """The inputs of another taken for these."""
    own = projection.source.key if isinstance(projection.source, Ref) else None
    for id in next((peers for peers in PEERS if own is not None and own.id in peers), ()):
        other = where.ref(id)
        if own is not None and other is not None and other.key != own:
            description = f"{where.text_of(other)} was used instead of {where.text_of(projection.source)}"
            yield Mistake("inputs-swapped", description, projection.put({own: other}))


def _of_sum(added: Add, where: QuantityContext) -> Iterator[Mistake]:
    """A bias forgotten, subtracted, or taken from another projection along with its weights."""
    yield from added.mistakes(where)
    if not isinstance(added.right, Ref) or not added.right.key.id.startswith("b_"):
        return
    bias = where.text_of(added.right)
    yield Mistake("bias-forgotten", f"{bias} was not added", added.left)
    minus = Times(added.right, MINUS_ONE)
    yield Mistake("bias-subtracted", f"{bias} was subtracted instead of added", Add(added.left, minus))
    yield Mistake("bias-doubled", f"{bias} was added twice", Add(added, added.right))
    if isinstance(added.left, Projection):
        for mistake in _swapped(added.left, where):
            weight = next(key for key in mistake.formula.leaves() if key.id.startswith("W_"))
            own = where.ref(weight.id.replace("W", "b"))
            if own is not None:
                description = f"{where.text_of(Ref(weight))} and {where.text_of(own)} were used instead of "
                description += f"{where.text_of(added.left.weight)} and {bias}"
                yield Mistake(mistake.id, description, Add(mistake.formula, own))
                description = f"{where.text_of(own)} was added instead of {bias}"
                yield Mistake("biases-exchanged", description, Add(added.left, own))


# ── scaling ─────────────────────────────────────────────────────────────────────────────────────


def _of_scaling(divide: Divide, where: QuantityContext) -> Iterator[Mistake]:
    """Another size, or the root of another."""
    yield from divide.mistakes(where)
    if isinstance(divide.left, Ref) and ".before" in divide.left.key.id:  # scaled once already
        return
    size, symbol = _size(divide, where)
    others: list[tuple[str, Constant]] = []
    if size is not None:
        others.append(("scale-by-dk", Size(symbol, size)))
        others.append(("scale-by-root-dk", RootOfSize(symbol, size)))
    if (d_model := _d_model(where)) is not None:
        others.append(("scale-by-root-dmodel", RootOfSize(D_MODEL, d_model)))
    tokens = divide.shape(where)[0 if where.down else 1]
    if tokens > 1 and tokens not in (tidy(divide.divisor**2), size, size and size**2, d_model):
        others.append(("scale-by-root-tokens", RootOfSize(n.Sym("n"), tokens)))
    for id, by in others:
        if by.symbol != divide.symbol:
            shown = n.Chain(by.symbol, (("=", by.written),))
            description = f"the scores were divided by {where.text(shown)} instead of "
            description += where.text(divide.symbol if by.written == divide.number else divide.number)
            yield Mistake(id, description, replace(divide, right=Number(by)))


def _size(divide: Divide, where: QuantityContext) -> tuple[Fraction | None, n.Sym]:
    """d_k and its letter: from under the root; where the sheet divides by a number of its own, counted, or guessed to
    be the whole number that it is the root of."""
    if isinstance(divide.by, RootOfSize):
        return Fraction(divide.by.size), divide.by.letter
    width, square = where.width("keys"), tidy(divide.divisor**2)
    if width is not None:
        return Fraction(width), D_K
    return square if isinstance(square, Fraction) and square.denominator == 1 else None, D_K


def _d_model(where: QuantityContext) -> int | None:
    """The width of the inputs; without inputs, that of queries not yet split into heads."""
    inputs = where.width("inputs") or where.width("query_inputs")
    return where.width("queries", of_all_heads=True) if inputs is None else inputs


def _of_mask(masked: Mask, where: QuantityContext) -> Iterator[Mistake]:
    unasked = _unasked(masked.left, where, lambda scaled: masked.made_from(scaled, masked.right))
    return _after(("mask-forgotten",), masked.mistakes(where), unasked)


def _of_softmax(softmax: Softmax | Share, where: QuantityContext) -> Iterator[Mistake]:
    unasked = _unasked(softmax.inner, where, softmax.made_from)
    return _after(("softmax-wrong-axis",), softmax.mistakes(where), unasked)


def _unasked(scores: Formula, where: QuantityContext, then: Callable[[Formula], Formula]) -> Iterator[Mistake]:
    """Scores divided by √d_k where the sheet doesn't scale, and where d_k can be seen."""
    if not isinstance(scores, Ref) or scores.key.id != "scores" or where.ref("scaled") is not None:
        return
    width, symbol = where.width("keys"), D_K
    if width is None:
        width, symbol = where.width("states"), n.Sym("d")
    if width is not None:
        scaled = Divide(scores, Number(RootOfSize(symbol, width)))
        description = f"the scores were divided by {where.text(scaled.symbol)}, though the sheet doesn't scale"
        yield Mistake("scale-unasked", description, then(scaled))


# ── weighted sums ───────────────────────────────────────────────────────────────────────────────


def _of_weighted(weighted: WeightedSum, where: QuantityContext) -> Iterator[Mistake]:
    """Something else weighted than the values; weights put on the wrong states."""
    (key,) = weighted.values.leaves()
    for id, mistake in MISTAKEN_FOR.get(key.id, {}).items():
        other = where.ref(id)
        if other is not None:
            weights, wrong = where.text_of(weighted.weights), where.text_of(other)
            description = f"{weights} was applied to {wrong} instead of {where.text_of(Ref(key))}"
            yield Mistake(mistake, description, weighted.put({key: other}))
    yield from _of_another_key_head(weighted, key, where)
    yield from weighted.mistakes(where)
    if key.id == "states":
        yield from _misplaced(weighted, where)
    yield from of_context(weighted, where)


def _misplaced(weighted: WeightedSum, where: QuantityContext) -> Iterator[Mistake]:
    order = list(range(weighted.weights.shape(where)[0 if weighted.down else 1]))
    for description, wrong in (
        ("the weights were put on the states in reverse order", order[::-1]),
        ("each weight was put on the state after its own", order[-1:] + order[:-1]),
        ("each weight was put on the state before its own", order[1:] + order[:1]),
    ):
        if wrong != order:
            moved = weighted.by(selected(weighted.weights, wrong, weighted.down))
            yield Mistake("weights-on-wrong-states", description, moved)


MISTAKES: dict[type, Callable[..., Iterator[Mistake]]] = {
    Product: _of_product,
    Projection: _of_projection,
    Add: _of_sum,
    Divide: _of_scaling,
    Mask: _of_mask,
    Softmax: _of_softmax,
    Share: _of_softmax,
    WeightedSum: _of_weighted,
    Concatenate: _of_joined,
}
"""Where an operation's mistakes depend on what it is applied to."""
