"""What a blank sheet says before its questions: what the letters of a topic stand for, and the numbers that are given.
A worked argument says the same where it is needed; a reader who has only the questions needs it first."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from attnsolve import notation as n
from attnsolve.derivations import (
    attention_gradient,
    averaging,
    copying,
    cross_entropy,
    distribution,
    layer_norm_gradient,
    permutation,
    softmax_jacobian,
)
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.names import names
from attnsolve.document import Block
from attnsolve.numbers import Style
from attnsolve.spec.derivation import DerivationBody
from attnsolve.spec.problem import Problem

TITLE = "The setting"
AVERAGING = averaging.PAIR.also("i: index(n)", "V: matrix(n, d)", "epsilon: positive")
COPYING = copying.KEYS.also("j: index(n)", "alpha: softmax(z)", "V: matrix(n, d)").also(
    "c: sum(i=1..n, alpha[i]*V[i])", "g: nonnegative", "a: positive"
)


def setting(problem: Problem) -> list[Block]:
    """What the questions of a problem rest on, beyond the passages of its argument that say nothing else."""
    body = problem.body
    if not isinstance(body, DerivationBody):
        return []
    match body.topic:
        case "averaging":
            return [_averaging(body.given, problem.style).unfinished().section]
        case "copying":
            return [_copying(body.given, problem.style).unfinished().section]
        case "permutation-equivariance":
            return [_permutation().unfinished().section]
        case "softmax-is-a-distribution" | "softmax-shift-invariance":
            return [_softmax(body.topic).unfinished().section]
        case "softmax-jacobian":
            return [_jacobian().unfinished().section]
        case "softmax-cross-entropy-gradient":
            return [_cross_entropy().unfinished().section]
        case "attention-gradient":
            return [_attention().unfinished().section]
        case "layer-norm-gradient":
            return [_layer_norm().unfinished().section]
        case "scaled-dot-product":
            return _scaled().unfinished().blocks
    return []


def _averaging(given: Any, style: Style) -> Argument:
    writing = Argument("setting", TITLE, AVERAGING, averaging.SHOWN)
    writing.paragraph(
        "The keys {K[1]}, …, {K[n]} are orthonormal: {K[i]^T*K[i] = 1}, and {K[a]^T*K[b] = 0} for any two different"
        " keys. For a query {q}, the score of key {i} is {K[i]^T*q}; the weights {alpha} are the softmax of the"
        " scores, and the output is the sum of the values, each times its weight. We want it to be close to the mean"
        " of two values, {(V[a] + V[b])/2}."
    )
    writing.paragraph(
        "Call the strength of the query, a positive factor in front of it, {beta}; and call the distance from ½ that"
        " the weights of the two keys may have {epsilon}."
    )
    size = len(given.vectors.keys) if given.vectors is not None else given.n
    _numbers(writing, {"n": size, "beta": given.beta, "epsilon": given.within}, style)
    return writing


def _copying(given: Any, style: Style) -> Argument:
    writing = Argument("setting", TITLE, COPYING, {name: n.Sym(name, vector=True) for name in "zc"})
    writing.paragraph(
        "A query {q} attends to {n} keys. The scores {z[i]}, the weights {alpha[i]} and the output {c} are"
    )
    definitions = (writing.definition(copying.SCORE), writing.definition("alpha"))
    writing.lines(*definitions, writing.definition("c", bounds=False))
    writing.paragraph(
        "Let {g} stand for a gap by which score {j} is ahead of every other one, and {a} for the weight that key {j}"
        " should have."
    )
    size = None if given.vectors is None else len(given.vectors.keys)
    _numbers(writing, {"n": size, "j": given.index, "a": given.accuracy}, style)
    return writing


def _permutation() -> Argument:
    writing = Argument("setting", TITLE, permutation.NAMES, permutation.SHOWN)
    writing.paragraph(
        "The tokens are the rows of {X}, and {Pi} is a permutation matrix: {Pi*X} has the same rows in another order."
        " Attention on the tokens is"
    )
    writing.lines(*map(writing.definition, permutation.LETTERS))
    return writing


def _softmax(topic: str) -> Argument:
    writing = Argument("setting", TITLE, distribution.NAMES.also("c: number"))
    writing.paragraph("The scores {z[1]}, …, {z[n]} are any real numbers, and the weights are their softmax:")
    writing.lines(writing.definition(f"alpha[i] = {distribution.WEIGHT}"))
    if topic == "softmax-shift-invariance":
        writing.paragraph("{c} is any real number.")
    return writing


def _jacobian() -> Argument:
    writing = Argument("setting", TITLE, softmax_jacobian.UPSTREAM, softmax_jacobian.SHOWN)
    writing.paragraph("The scores {z[1]}, …, {z[n]} are any real numbers, and the weights are their softmax:")
    writing.lines(writing.definition(softmax_jacobian.WEIGHT), writing.definition("Z"))
    writing.paragraph("A loss depends on the weights, and {da[1]}, …, {da[n]} are its derivatives in them.")
    return writing


def _cross_entropy() -> Argument:
    writing = Argument("setting", TITLE, cross_entropy.NAMES, cross_entropy.SHOWN)
    writing.paragraph(
        "A model gives scores {z} to {n} possible answers, and {p} is their softmax. The right answer is number {t},"
        " and {y} has a 1 in that place and 0 elsewhere. The loss is"
    )
    writing.equation(writing.definition("L"))
    return writing


def _attention() -> Argument:
    writing = Argument("setting", TITLE, attention_gradient.FORWARD, attention_gradient.SHOWN)
    attention_gradient.forward(writing)
    writing.paragraph(
        "A loss depends on the output {C}, and {dC} holds its derivatives in the entries of {C}.", dC=n.Sym("dC")
    )
    return writing


def _layer_norm() -> Argument:
    writing = Argument("setting", TITLE, layer_norm_gradient.UPSTREAM, layer_norm_gradient.SHOWN)
    layer_norm_gradient.forward(writing)
    writing.paragraph("A loss depends on {y}, and {dy} holds its derivatives in the entries of {y}.")
    return writing


def _scaled() -> Argument:
    writing = Argument("setting", TITLE, names("s, v: positive"))
    writing.paragraph(
        "{s} is the number by which the dot product is divided, and {v} the variance that it should then have."
    )
    return writing


def _numbers(writing: Argument, numbers: Mapping[str, Fraction | int | None], style: Style) -> None:
    """The letters that the problem gives a value."""
    values = {name: value for name, value in numbers.items() if value is not None}
    if values:
        writing.paragraph("Answer in letters first; then put these numbers in:")
        writing.lines(*(writing.value(name, value, style) for name, value in values.items()))
