"""Why a softmax does not change when every score moves by the same amount; and why programs make use of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.examples import agree, softmax_solution
from attnsolve.derivations.names import names
from attnsolve.derivations.writing import Passage
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.spec.fields import GivenMatrix
from attnsolve.spec.problem import Problem

NAMES = names("z: row(n)", "c: number", "i: index(n)", "one: ones(n)^T")
SHOWN = {"one": n.Sym("1", vector=True)}
LARGEST = names("i: index(n)", "top: number", "below: nonnegative row(n)", "z: top*ones(n)^T - below", "c: -top")
"""Any scores, none of which is above the largest, and what is added to them."""


def derive(problem: Problem, scores: GivenMatrix | None) -> list[Passage]:
    """The identity, its use, and both seen on some scores."""
    if scores is None:
        return argument()
    top = max(x for row in scores.rows for x in row)
    moved_by = -top or Fraction(1)
    moved = replace(scores, rows=tuple(tuple(x + moved_by for x in row) for row in scores.rows))
    solutions = [softmax_solution(problem, given) for given in (scores, moved)]
    first, second = (ExactNarrator(solution, everything=True) for solution in solutions)
    example = Argument("example", "On given scores", NAMES.only("c"))
    example.states_given(example.quantity(first, "scores"))
    example.works(first, "weights")
    constant = example.value("c", moved_by, problem.style)
    example.paragraph("With {constant} added to each of them, the weights are the same:", constant=constant)
    example.gallery(example.quantity(second, "scores"))
    example.works(second, "weights")
    example.holds("every weight agrees to 30 digits", agree(solutions[0], solutions[1], "weights"))
    return [*argument(), example.finish()]


def argument() -> list[Passage]:
    """For any scores."""
    return [_shift(), _use()]


@passage("shift", "Adding {c} to all scores does not change the weights", NAMES, SHOWN)
def _shift(writing: Argument) -> None:
    writing.confirm("one[i] = 1")
    writing.paragraph("Let {one} be a vector of {n} ones, so that {z + c*one} has {c} added to every score.")
    writing.chain(
        "softmax(z + c*one)[i]",
        ("= exp(z[i] + c)/sum(j=1..n, exp(z[j] + c))", "by definition"),
        ("= exp(z[i])*exp(c)/sum(j=1..n, exp(z[j])*exp(c))", "{exp(z[i] + c) = exp(z[i])*exp(c)}"),
        ("= exp(z[i])*exp(c)/(exp(c)*sum(j=1..n, exp(z[j])))", "{exp(c)} is the same in every term"),
        ("= exp(z[i])/sum(j=1..n, exp(z[j]))", "cancelled: {exp(c)} is never 0"),
        ("= softmax(z)[i]", "by definition"),
    )


@passage("use", "What it is good for", LARGEST, {"top": n.Call("max", (n.Sym("z", ("j",)),))})
def _use(writing: Argument) -> None:
    writing.confirm("z[i] + c <= 0")
    writing.paragraph(
        "Only differences of scores matter. So a program subtracts the largest score first, with {shift}: every"
        " exponent is then at most 0, every exponential at most 1, and nothing overflows, though the weights are the"
        " same.",
        shift=writing.definition("c"),
    )
