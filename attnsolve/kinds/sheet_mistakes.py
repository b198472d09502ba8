"""The mistakes that depend on how a sheet puts its formulas together: a residual left out, a norm on the wrong side of
a sum, ReLU after the wrong layer. What people do in place of one operation is in that operation's module."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import reduce

from attnsolve.key import Key
from attnsolve.operations.arithmetic import Negate
from attnsolve.operations.context import Mistake
from attnsolve.operations.entrywise import Plus
from attnsolve.operations.formula import Formula, Given, Ref
from attnsolve.operations.layernorm import LayerNorm, RmsNorm
from attnsolve.operations.product import Product
from attnsolve.operations.quantity_context import QuantityContext
from attnsolve.operations.relu import Relu

MOST_TERMS = 6
"""Terms of a sum in which a residual is looked for."""
MOST_PUT_BACK = 24
"""Steps that are written out in one formula at most."""
Norm = LayerNorm | RmsNorm


def mistakes(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """What people do in place of an operation of a sheet, and what they do because of what it is applied to."""
    yield from formula.mistakes(where)
    yield from structural(formula, where)


def structural(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """What people do because of what an operation is applied to."""
    if isinstance(formula, Plus):
        yield from _of_sum(formula, where)
    elif isinstance(formula, LayerNorm | RmsNorm):
        yield from _of_norm(formula, where)
    if formula is where.formula(where.key):
        yield from _late(formula, where)


# ── sums ────────────────────────────────────────────────────────────────────────────────────────


def _of_sum(added: Plus, where: QuantityContext) -> Iterator[Mistake]:
    """A residual or a bias left out, and the norm that belongs before a sublayer put after the sum."""
    for kept, others in _split(added):
        text, rest = where.text_of(kept), reduce(Plus, others)
        if _depends(rest, kept.key, where):
            yield Mistake("residual-forgotten", f"the residual {text} was not added", rest)
            yield from _norm_after(kept, rest, where)
        elif _is_bias(kept, where):
            yield Mistake("bias-forgotten", f"{text} was not added", rest)


def _split(added: Formula) -> Iterator[tuple[Ref, list[Formula]]]:
    """Each quantity that stands in a sum, with the other terms; not one from which something is only subtracted."""
    terms = _terms(added)
    if len(terms) > MOST_TERMS:
        return
    for place, term in enumerate(terms):
        others = terms[:place] + terms[place + 1 :]
        if isinstance(term, Ref) and not isinstance(others[0], Negate):
            yield term, others


def _terms(formula: Formula) -> list[Formula]:
    """The terms of a sum, as far as they are of interest."""
    found: list[Formula] = []
    waiting = [formula]
    while waiting and len(found) <= MOST_TERMS:
        part = waiting.pop()
        if isinstance(part, Plus):
            waiting += part.arguments[::-1]
        else:
            found.append(part)
    return [*found, *reversed(waiting)]


def _is_bias(ref: Ref, where: QuantityContext) -> bool:
    """Whether it is one given row, or column, that is added to every one."""
    return isinstance(where.formula(ref.key), Given) and 1 in ref.shape(where) and ref.shape(where) != (1, 1)


def _norm_after(kept: Ref, rest: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """LN(x + f(x)) for x + f(LN(x))."""
    for key in sorted(_behind(rest, where), key=str):
        norm = _norm(where.formula(key))
        if norm is not None and norm.inner == kept:
            without = _put_back(rest, key, kept, where)
            if without is not None:
                description = f"the norm was applied after the sum instead of to {where.text_of(kept)} before it"
                wrong = norm.made_from(Plus(kept, without), *norm.arguments[1:])
                yield Mistake("post-norm-for-pre-norm", description, wrong)


# ── norms ───────────────────────────────────────────────────────────────────────────────────────


def _norm(formula: Formula) -> Norm | None:
    """The norm that a step is, in one go."""
    whole = getattr(formula, "whole", None)
    found = formula if whole is None else whole
    return found if isinstance(found, LayerNorm | RmsNorm) else None


def _of_norm(norm: Norm, where: QuantityContext) -> Iterator[Mistake]:
    """A norm left out, or applied before the sum that it is of: to a sublayer's result, or to what goes into it."""
    yield Mistake("norm-forgotten", "the norm was left out", norm.inner)
    inner = where.formula(norm.inner.key) if isinstance(norm.inner, Ref) else norm.inner
    for kept, others in _split(inner) if isinstance(inner, Plus) else ():
        summed = reduce(Plus, others)
        if not _depends(summed, kept.key, where):
            continue
        text, rest = where.text_of(kept), norm.arguments[1:]
        description = f"the norm was applied before the residual {text} was added instead of after"
        yield Mistake("norm-before-sum", description, Plus(kept, norm.made_from(summed, *rest)))
        before = _put_back(summed, kept.key, norm.made_from(kept, *rest), where)
        if before is not None:
            description = f"the norm was applied to {text} before the sublayer instead of after the sum"
            yield Mistake("pre-norm-for-post-norm", description, Plus(kept, before))


# ── activations ─────────────────────────────────────────────────────────────────────────────────


def _late(formula: Formula, where: QuantityContext) -> Iterator[Mistake]:
    """ReLU after the second of two layers."""
    hidden = _hidden(formula, where)
    if hidden is not None:
        ref, relu = hidden
        moved = Relu(formula.put({ref.key: relu.inner}))
        description = "ReLU was applied after the second layer"
        yield Mistake("relu-after-second-layer", f"{description} instead of after the first", moved)
        yield Mistake("relu-after-second-layer", f"{description}, too", Relu(formula))
        return
    arguments = formula.arguments
    for place, argument in enumerate(arguments):
        for mistake in _late(argument, where):
            wrong = formula.made_from(*arguments[:place], mistake.formula, *arguments[place + 1 :])
            yield replace(mistake, formula=wrong)


def _hidden(formula: Formula, where: QuantityContext) -> tuple[Ref, Relu] | None:
    """What goes into the second layer, H*W_2 or H*W_2 + b_2, where it comes out of ReLU."""
    if isinstance(formula, Plus) and isinstance(formula.right, Ref) and _is_bias(formula.right, where):
        formula = formula.left
    if not isinstance(formula, Product):
        return None
    for side in formula.arguments:
        made = where.formula(side.key) if isinstance(side, Ref) else None
        if isinstance(side, Ref) and isinstance(made, Relu):
            return side, made
    return None


# ── what is behind a formula ────────────────────────────────────────────────────────────────────


def _behind(formula: Formula, where: QuantityContext) -> set[Key]:
    """Everything that a formula is made from."""
    found: set[Key] = set()
    waiting = formula.leaves()
    while waiting:
        key = waiting.pop()
        if key not in found:
            found.add(key)
            waiting += where.formula(key).leaves()
    return found


def _depends(formula: Formula, key: Key, where: QuantityContext) -> bool:
    return key in _behind(formula, where)


def _put_back(formula: Formula, key: Key, instead: Formula, where: QuantityContext) -> Formula | None:
    """A formula in which a quantity further back is something else, the steps between written out in it; None where
    they would be too many."""
    left = MOST_PUT_BACK

    def written_out(part: Formula) -> Formula:
        nonlocal left
        others: dict[Key, Formula] = {}
        for leaf in part.leaves():
            if leaf == key:
                others[leaf] = instead
            elif _depends(Ref(leaf), key, where):
                left -= 1
                others[leaf] = written_out(where.formula(leaf)) if left > 0 else Ref(leaf)
        return part.put(others)

    found = written_out(formula)
    return found if left > 0 else None
