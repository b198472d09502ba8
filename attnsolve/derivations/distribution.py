"""Why the weights of a softmax are probabilities: none is negative, and they sum to 1."""

from __future__ import annotations

from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.examples import softmax_example
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.spec.fields import GivenMatrix
from attnsolve.spec.problem import Problem

NAMES = names("z: row(n)", "i: index(n)", "alpha: softmax(z)")
WEIGHT = "exp(z[i])/sum(j=1..n, exp(z[j]))"


def derive(problem: Problem, scores: GivenMatrix | None) -> list[Passage]:
    """Not negative; sum 1; so a distribution; and seen on some scores."""
    return argument() if scores is None else [*argument(), softmax_example(problem, scores)]


def argument() -> list[Passage]:
    """For any scores."""
    return [_positive(), _sum(), _conclusion()]


@passage("positive", "No weight is negative", NAMES)
def _positive(writing: Argument) -> None:
    writing.paragraph(
        "The weights are the softmax of the scores {z[1]}, …, {z[n]}; with attention, {z[i]} is the dot product of a"
        " key and the query."
    )
    writing.chain("alpha[i]", (f"= {WEIGHT}", "by definition"))
    writing.paragraph(
        "An exponential of a real number is positive. So the numerator is positive, and so is the denominator, which"
        " is a sum of {n} positive numbers. Their quotient is positive: {weight}.",
        weight=writing.positive("alpha[i]", "sum(j=1..n, exp(z[j] - z[i]))"),
    )


@passage("sum", "The weights sum to 1", NAMES)
def _sum(writing: Argument) -> None:
    writing.paragraph("The denominator is the same for every weight, so it can be factored out of the sum:")
    writing.chain(
        "sum(l=1..n, alpha[l])",
        ("= sum(l=1..n, exp(z[l])/sum(j=1..n, exp(z[j])))", "by definition"),
        ("= sum(l=1..n, exp(z[l]))/sum(j=1..n, exp(z[j]))", "common denominator"),
        ("= 1", "numerator and denominator are equal"),
    )


@passage("conclusion", "So they are a distribution", NAMES)
def _conclusion(writing: Argument) -> None:
    writing.paragraph(
        "Positive numbers that sum to 1 are the probabilities of a categorical distribution over the places 1, …, {n}:"
        " {alpha[i]} is the probability of picking place {i}. None can be 0, however low its score, and none can be 1"
        " unless it is the only one."
    )
