"""Chains broken into rows: nothing is lost, and a row is wider than a page only where it can not be broken."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from shared.effort import tries

from attnsolve import notation as n
from attnsolve.notation.text import TextPrinter
from attnsolve.render.rows import PAGE_WIDTH, broken, width

NUMERALS = st.integers(1, 40).map(lambda digits: n.Num("7" * digits))
TERMS = NUMERALS | NUMERALS.map(n.negated) | st.builds(n.Frac, NUMERALS, NUMERALS)
SUMS = st.lists(TERMS, min_size=2, max_size=9).map(lambda terms: n.Sum(tuple(terms)))
LINKS = st.tuples(st.sampled_from(["=", "≈", "≤"]), TERMS | SUMS)
CHAINS = st.builds(
    n.Chain, st.none() | st.just(n.Sym("q", ("1", "1"))), st.lists(LINKS, min_size=1, max_size=5).map(tuple)
)


def written(chain: n.Chain) -> str:
    return re.sub(r"\s", "", TextPrinter().print(chain))


@tries(200)
@given(CHAINS)
def test_rows_hold_all_of_a_chain_in_its_order(chain: n.Chain) -> None:
    rows = broken(chain)
    assert "".join(map(written, rows)) == written(chain)
    assert [row.left for row in rows] == [chain.left, *[None] * (len(rows) - 1)]


@tries(200)
@given(CHAINS)
def test_a_row_is_wider_than_a_page_only_where_it_can_not_be_broken(chain: n.Chain) -> None:
    indent = width(chain.left) if chain.left is not None else 0
    for number, row in enumerate(broken(chain)):
        if width(row) + (indent if number else 0) > PAGE_WIDTH + 3:
            ((_, part),) = row.links
            whole = [term for term in part.terms if term != n.Word("")] if isinstance(part, n.Sum) else [part]
            assert len(whole) == 1


@pytest.mark.parametrize(
    ("part", "wide"),
    [
        (n.Num("12345"), 5),
        (n.Frac(n.Num("123"), n.Num("4567")), 4),
        (n.Sum((n.Num("1"), n.Frac(n.Num("12"), n.Num("3")))), 6),
        (n.Product((n.Num("2"), n.Frac(n.Num("1"), n.Num("34")))), 4),
        (n.Grid(((n.Num("1"), n.Num("22")),)), 7),
        (n.Grid(((n.Num("1"),), (n.Num("22"),)), ("cat", "a")), 8),
        (n.Transposed(n.Grid(((n.Num("1"),),))), 4),
    ],
)
def test_a_fraction_is_as_wide_as_its_wider_half(part: n.Notation, wide: int) -> None:
    assert width(part) == wide
