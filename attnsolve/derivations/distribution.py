"""Why the weights of a softmax are probabilities: none is negative, and they sum to 1."""

from __future__ import annotations

from functools import cache

from attnsolve.algebra.declared import Declared, Defined, Free, Index, Size
from attnsolve.algebra.grammar import parse_term
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.examples import softmax_example
from attnsolve.derivations.writing import Passage
from attnsolve.spec.fields import StatedMatrix
from attnsolve.spec.problem import Problem

NAMES: dict[str, Declared] = {
    "n": Size(),
    "z": Free(parse_term("1"), parse_term("n")),
    "i": Index(parse_term("n")),
    "alpha": Defined(parse_term("softmax(z)")),
}
WEIGHT = "exp(z[i])/sum(j=1..n, exp(z[j]))"


def derive(problem: Problem, scores: StatedMatrix | None) -> list[Passage]:
    """Not negative; sum 1; so a distribution; and seen on some scores."""
    return argument() if scores is None else [*argument(), softmax_example(problem, scores)]


def argument() -> list[Passage]:
    """For any scores."""
    return [_positive(), _sum(), _conclusion()]


@cache
def _positive() -> Passage:
    writing = Argument("positive", "No weight is negative", NAMES)
    writing.says(
        "The weights are the softmax of the scores {z[1]}, …, {z[n]}; with attention, {z[i]} is the dot product of a"
        " key and the query."
    )
    writing.chain("alpha[i]", (f"= {WEIGHT}", "by definition"))
    writing.says(
        "An exponential of a real number is positive. So the numerator is positive, and so is the denominator, which"
        " is a sum of {n} positive numbers. Their quotient is positive: {weight}.",
        weight=writing.positive("alpha[i]", "sum(j=1..n, exp(z[j] - z[i]))"),
    )
    return writing.finish()


@cache
def _sum() -> Passage:
    writing = Argument("sum", "The weights sum to 1", NAMES)
    writing.says("The denominator is the same for every weight, so it can be taken out of the sum:")
    writing.chain(
        "sum(l=1..n, alpha[l])",
        ("= sum(l=1..n, exp(z[l])/sum(j=1..n, exp(z[j])))", "by definition"),
        ("= sum(l=1..n, exp(z[l]))/sum(j=1..n, exp(z[j]))", "one denominator for all"),
        ("= 1", "the same sum twice"),
    )
    return writing.finish()


@cache
def _conclusion() -> Passage:
    writing = Argument("conclusion", "So they are a distribution", NAMES)
    writing.says(
        "Positive numbers that sum to 1 are the probabilities of a categorical distribution over the places 1, …, {n}:"
        " {alpha[i]} is the probability of picking place {i}. None can be 0, however low its score, and none can be 1"
        " unless it is the only one."
    )
    return writing.finish()
