"""Why a softmax does not change when every score moves by the same amount; and why programs make use of it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache

from attnsolve import notation as n
from attnsolve.algebra.declared import Declared, Defined, Free, Index, Size
from attnsolve.algebra.declared import Scalar as Letter
from attnsolve.algebra.grammar import parse_term
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.examples import softmax_solution
from attnsolve.derivations.writing import Passage
from attnsolve.key import Key
from attnsolve.narrate.teller import Teller
from attnsolve.solution import Solution
from attnsolve.spec.fields import StatedMatrix
from attnsolve.spec.problem import Problem

NAMES: dict[str, Declared] = {
    "n": Size(),
    "z": Free(parse_term("1"), parse_term("n")),
    "c": Letter(),
    "i": Index(parse_term("n")),
    "one": Defined(parse_term("ones(n)^T")),
}
SHOWN = {"one": n.Sym("1", vector=True)}
LARGEST: dict[str, Declared] = {
    "n": Size(),
    "i": Index(parse_term("n")),
    "top": Letter(),
    "below": Free(parse_term("1"), parse_term("n"), "nonnegative"),
    "z": Defined(parse_term("top*ones(n)^T - below")),
    "c": Defined(parse_term("-top")),
}
"""Any scores, none of which is above the largest, and what is added to them."""


def derive(problem: Problem, scores: StatedMatrix | None) -> list[Passage]:
    """The identity, its use, and both seen on some scores."""
    if scores is None:
        return argument()
    top = max(x for row in scores.rows for x in row)
    moved_by = -top or Fraction(1)
    moved = replace(scores, rows=tuple(tuple(x + moved_by for x in row) for row in scores.rows))
    solutions = [softmax_solution(problem, given) for given in (scores, moved)]
    first, second = (Teller(solution, everything=True) for solution in solutions)
    said = Argument("example", "On given scores", {"c": NAMES["c"]})
    said.states_given(said.quantity(first, "scores"))
    said.works(first, "weights")
    constant = said.value("c", moved_by, problem.style)
    said.says("With {constant} added to each of them, the weights are the same:", constant=constant)
    said.gallery(said.quantity(second, "scores"))
    said.works(second, "weights")
    said.holds("every weight agrees to 30 digits", _agree(*solutions))
    return [*argument(), said.finish()]


def _agree(first: Solution, second: Solution) -> bool:
    """Whether two solutions have the same weights."""
    places = range(first.graph[Key("weights")].shape[1])
    pairs = ([solution.real(Key("weights"), 0, i) for solution in (first, second)] for i in places)
    return all(str(one.decimal(30)) == str(other.decimal(30)) for one, other in pairs)


def argument() -> list[Passage]:
    """For any scores."""
    return [_shift(), _use()]


@cache
def _shift() -> Passage:
    writing = Argument("shift", "Adding {c} to all scores changes nothing", NAMES, SHOWN)
    writing.confirm("one[i] = 1")
    writing.says("Let {one} be a vector of {n} ones, so that {z + c*one} has {c} added to every score.")
    writing.chain(
        "softmax(z + c*one)[i]",
        ("= exp(z[i] + c)/sum(j=1..n, exp(z[j] + c))", "by definition"),
        ("= exp(z[i])*exp(c)/sum(j=1..n, exp(z[j])*exp(c))", "{exp(z[i] + c) = exp(z[i])*exp(c)}"),
        ("= exp(z[i])*exp(c)/(exp(c)*sum(j=1..n, exp(z[j])))", "{exp(c)} is the same in every term"),
        ("= exp(z[i])/sum(j=1..n, exp(z[j]))", "cancelled: {exp(c)} is never 0"),
        ("= softmax(z)[i]", "by definition"),
    )
    return writing.finish()


@cache
def _use() -> Passage:
    largest = n.Call("max", (n.Sym("z", ("j",)),))
    writing = Argument("use", "What it is good for", LARGEST, {"top": largest})
    writing.confirm("z[i] + c <= 0")
    writing.says(
        "Only differences of scores matter. So a program takes the largest score off first, with {shift}: every"
        " exponent is then at most 0, every exponential at most 1, and nothing overflows, though the weights are the"
        " same.",
        shift=writing.definition("c"),
    )
    return writing.finish()
