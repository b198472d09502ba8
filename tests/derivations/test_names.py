"""The names of an argument are declared in the words of a problem's own claim, and nothing else is understood."""

from __future__ import annotations

from fractions import Fraction

import pytest

from attnsolve.algebra.declared import Declared, Defined, Fixed, Free, Index, Unknown, WholeNumber
from attnsolve.algebra.grammar import parse_term
from attnsolve.algebra.table import TermError
from attnsolve.derivations.names import names
from attnsolve.loading.files import parse

LINES = {
    "n": "size(2)",
    "z": "row(n)",
    "W": "matrix(n, d)",
    "i": "index(n)",
    "beta": "positive",
    "q": "normal(beta, 1, n)",
    "K": "orthonormal(n)",
    "alpha": "softmax(beta*z)",
    "c": "sum(i=1..n, alpha[i]*W[i])",
}
N = parse_term("n")


def test_names_are_declared_as_in_a_problem() -> None:
    given = "\n".join(f"  {name}: '{text}'" for name, text in LINES.items())
    (problem,) = parse(f"kind: derivation\ntopic: claim\nclaim: c = c\ngiven:\n{given}\n", "p.yaml")
    ours = names(*(f"{name}: {text}" for name, text in LINES.items()))
    assert list(ours.names.items()) == list(problem.body.given.names.items())
    assert list(ours.names)[:4] == ["n", "z", "d", "W"]


@pytest.mark.parametrize(
    ("line", "declared"),
    [
        ("i: index(n) unlike a, b", Index(N, ("a", "b"))),
        ("t: nonnegative row(n)", Free(parse_term("1"), N, "nonnegative")),
        ("t: nonnegative", Unknown("nonnegative")),
        ("t: a*b", Defined(parse_term("a*b"))),
    ],
)
def test_some_things_may_be_said_by_our_own_arguments_only(line: str, declared: Declared) -> None:
    assert names("a, b: index(n)", line).names[line[0]] == declared


def test_given_numbers_come_before_what_is_said_of_them() -> None:
    rows = ((Fraction(1), Fraction(2)),)
    known = names("s: 2*x", x=3, F=rows)
    assert known.names == {"x": Fixed(((Fraction(3),),)), "F": Fixed(rows), "s": Defined(parse_term("2*x"))}


def test_names_are_taken_over() -> None:
    few = names("z: row(n)", "x, y: number")
    more = few.also("n: size(3)", "w: x*y")
    assert list(more.names) == ["n", "z", "x", "y", "w"]
    assert (few.names["n"], more.names["n"]) == (WholeNumber(), WholeNumber(3))
    assert list(more.only("y z").names) == ["y", "z"]
    assert more.verifier is more.verifier


@pytest.mark.parametrize("line", ["w: x*y", "w: row(k, l)", "w: x = 2", "w: row(x)", "w"])
def test_what_is_not_understood_is_refused(line: str) -> None:
    with pytest.raises(TermError):
        names("x: number", line)
