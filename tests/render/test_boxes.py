"""Matrices and equations in boxes: aligned, folded, never wider than asked and never a number cut."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from attnsolve import notation as n
from attnsolve.render.box import NARROW, Box, beside, plain, width_of
from attnsolve.render.maths import MathsPrinter


def lines(box: Box) -> list[str]:
    return [plain(line).rstrip() for line in box.lines]


def grid(*rows: list[str], **labels: tuple[str, ...]) -> n.Grid:
    return n.Grid(tuple(tuple(n.Num(x) for x in row) for row in rows), **labels)


def test_decimals_line_up_on_their_points() -> None:
    assert lines(MathsPrinter().box(grid(["1.5"], ["-10.25"], ["3"]), 80)) == ["⎡  1.5 ⎤", "⎢−10.25⎥", "⎣  3   ⎦"]


def test_fractions_line_up_on_their_strokes() -> None:
    half, third = n.Frac(n.Num("1"), n.Num("2")), n.Frac(n.Num("-10"), n.Num("3"))
    assert lines(MathsPrinter().box(n.Grid(((half,), (third,), (n.Num("4"),))), 80)) == [
        "⎡  1/2⎤",
        "⎢−10/3⎥",
        "⎣  4  ⎦",
    ]


def test_labels_stand_beside_and_above() -> None:
    box = MathsPrinter().box(grid(["1", "2"], ["3", "4"], row_labels=("x_1", "tea"), column_labels=("x_1", "b")), 80)
    assert lines(box) == [" x₁  b", "⎡1   2⎤ x₁", "⎣3   4⎦ tea"]


def test_wide_characters_count_twice() -> None:
    box = MathsPrinter().box(grid(["1", "2"], column_labels=("注意", "b")), 80)
    assert lines(box) == [" 注意  b", "[ 1    2]"]


def test_weights_carry_bars_besides_their_tint() -> None:
    shaded = n.Grid(((n.Num("0.1"), n.Num("0.9")),), shades=((0.1, 0.9),))
    assert lines(MathsPrinter().box(shaded, 80)) == ["[0.1  0.9]  ▁█"]
    assert lines(MathsPrinter(unicode=False).box(shaded, 80)) == ["[0.1  0.9]   #"]


def test_a_row_of_boxes_shares_its_base_line() -> None:
    tall = Box.stack([Box.text("1"), Box.text("2"), Box.text("3")])
    assert lines(beside([Box.text("a = "), tall])) == ["    1", "a = 2", "    3"]


def test_a_long_chain_breaks_at_its_relations() -> None:
    chain = n.Chain(n.Sym("a"), (("=", n.Word("one two three")), ("≈", n.Word("four five six"))))
    assert lines(MathsPrinter().chain(chain, 28)) == ["a = one two three", "  ≈ four five six"]


M, X = grid(["1"], ["2"]), n.Sym("x")
LAYOUTS = [
    (n.SumOver("i", M, X, n.Sym("n")), ["Σᵢ₌ₓⁿ ⎡1⎤", "      ⎣2⎦"], ["sum_{i=x}^{n} [1]", "              [2]"]),
    (n.Limit(n.Sym("beta"), n.Num("0"), n.SumOver("i", M)), ["lim (β → 0) Σᵢ ⎡1⎤", "               ⎣2⎦"],
     ["lim_{beta->0} sum_i [1]", "                    [2]"]),
    (n.Norm(n.Sum((X, M))), ["‖x + ⎡1⎤‖", "‖    ⎣2⎦‖"], ["||x + [1]||", "||    [2]||"]),
    (n.Norm(grid(["1", "2"])), ["‖[1  2]‖"], ["||[1  2]||"]),
    (n.Power(n.Norm(M), n.Num("2")), ["‖⎡1⎤‖²", "‖⎣2⎦‖"], ["||[1]||^2", "||[2]||"]),
    (n.Transposed(n.Sum((X, M))), ["⎛x + ⎡1⎤⎞ᵀ", "⎝    ⎣2⎦⎠"], ["(x + [1])^T", "(    [2])"]),
    (n.Abs(M), ["│⎡1⎤│", "│⎣2⎦│"], ["|[1]|", "|[2]|"]),
    (n.PlusMinus(M), ["±⎡1⎤", " ⎣2⎦"], ["+-[1]", "  [2]"]),
    (n.Sum((X, n.PlusMinus(M))), ["x ± ⎡1⎤", "    ⎣2⎦"], ["x +- [1]", "     [2]"]),
    (n.Call("E", (M,), square=True), ["E⎡⎡1⎤⎤", " ⎣⎣2⎦⎦"], ["E[[1]]", " [[2]]"]),
    (n.Call("Cov", (X, M)), ["Cov⎛x, ⎡1⎤⎞", "   ⎝   ⎣2⎦⎠"], ["Cov(x, [1])", "   (   [2])"]),
]  # fmt: skip


@pytest.mark.parametrize(("form", "unicode", "ascii_text"), LAYOUTS)
def test_forms_are_laid_out_around_a_matrix(form: n.Notation, unicode: list[str], ascii_text: list[str]) -> None:
    assert lines(MathsPrinter().box(form, 80)) == unicode
    assert lines(MathsPrinter(unicode=False).box(form, 80)) == ascii_text


def test_a_left_side_wider_than_the_page_is_folded() -> None:
    wide = n.Sum(tuple(n.Sym(f"letter{i}") for i in range(8)))
    box = MathsPrinter().chain(n.Chain(wide, (("≤", n.Num("1")),)), 40)
    assert box.width <= 40
    assert lines(box)[-1] == "   ≤ 1"


def test_an_unknown_layout_is_named() -> None:
    with pytest.raises(NotImplementedError, match="Chain"):
        MathsPrinter().box(n.Chain(grid(["1"]), ()), 80)


def test_a_root_stands_before_a_matrix_and_an_index_below_it() -> None:
    tall = grid(["1"], ["2"])
    assert lines(MathsPrinter().box(n.Root(tall), 80)) == ["√⎛⎡1⎤⎞", " ⎝⎣2⎦⎠"]
    assert lines(MathsPrinter().box(n.Subscripted(tall, ("2", "1")), 80)) == ["⎡1⎤", "⎣2⎦₂,₁"]


numbers = st.integers(-(10**6), 10**6).map(str) | st.floats(-999, 999).map(lambda x: f"{x:.3f}")
grids = st.integers(1, 12).flatmap(
    lambda w: st.lists(st.lists(numbers, min_size=w, max_size=w), min_size=1, max_size=4)
)


@given(rows=grids, width=st.integers(40, 120), unicode=st.booleans())
def test_a_folded_matrix_keeps_every_number_and_the_width(rows: list[list[str]], width: int, unicode: bool) -> None:
    printer = MathsPrinter(unicode)
    matrix = grid(*rows, row_labels=tuple(f"x_{i}" for i in range(len(rows))))
    chain = n.Chain(n.Sym("Q"), (("=", n.Product((matrix, matrix))), ("=", matrix)))
    box = printer.chain(chain, width)
    assert box.width <= width
    shown = "\n".join(lines(box)).replace("−", "-")
    found = re.findall(r"-?\d+(?:\.\d+)?", re.sub(r"columns? .* of \d+|x[_₀-₉]\d*", "", shown))
    assert sorted(found) == sorted(3 * [x for row in rows for x in row])


@given(st.lists(st.integers(-999, 999), min_size=1, max_size=40), st.integers(40, 100))
def test_a_long_sum_wraps_between_its_terms(values: list[int], width: int) -> None:
    total = n.Sum(tuple(n.Product((n.Num(str(x)), n.Num("7")), dotted=True) for x in values))
    box = MathsPrinter().chain(n.Chain(n.Sym("s"), (("=", total),)), width)
    assert box.width <= width
    shown = " ".join(line.strip() for line in lines(box)).replace("−", "-")
    assert [int(x) for x in re.findall(r"\(?(-?\d+)\)?·7", shown)] == values


def test_nothing_is_set_beside_a_sum_that_goes_on_below() -> None:
    """A result beside the first line of a folded sum would make a false equation."""
    vector = grid(["1"], ["2"])
    total = n.Sum(tuple(n.Product((n.Num("0.25"), vector)) for _ in range(6)))
    shown = lines(MathsPrinter().chain(n.Chain(n.Sym("c"), (("=", total), ("=", grid(["7"], ["8"])))), 44))
    first, last = (next(i for i, line in enumerate(shown) if sign in line) for sign in ("0.25", "⎡7⎤"))
    assert last > max(i for i, line in enumerate(shown) if "0.25" in line)
    assert first < last


def test_blocks_side_by_side_stand_in_one_pair_of_brackets() -> None:
    left, right = grid(["1", "2"], ["3", "4"]), grid(["5"], ["6"])
    assert lines(MathsPrinter().box(n.Beside((left, right)), 80)) == ["⎡1  2  │  5⎤", "⎣3  4  │  6⎦"]
    assert lines(MathsPrinter().box(n.Beside((left, left), down=True), 80))[2] == "⎢─  ─⎥"


def test_a_long_name_is_cut_beside_a_matrix() -> None:
    box = MathsPrinter().box(grid(["1"], row_labels=("extraordinarily-long",)), 80)
    assert lines(box) == ["[1] extraordinari…"]


@pytest.mark.parametrize("unicode", [True, False])
def test_an_entry_wider_than_the_page_is_written_on_lines_of_its_own(unicode: bool) -> None:
    long = n.Sum(tuple(n.Sym("a", ("1", str(i))) for i in range(12)))
    box = MathsPrinter(unicode).box(n.Grid(((long, n.Num("2")),)), 24)
    assert all(len(line) <= 24 for line in lines(box))
    assert "".join(lines(box)).replace(" ", "") == MathsPrinter(unicode).inline.print(
        n.Grid(((long, n.Num("2")),))
    ).replace(" ", "")


def test_what_is_measured_without_rich_is_as_wide_as_rich_says() -> None:
    assert {cell_len(sign) for sign in NARROW} == {1}
    assert {width_of(sign) for sign in "表🙂"} == {2}
