"""A small example of every operation, on quantities whose shapes are all different; and numbers for those."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from attnsolve import notation as n
from attnsolve.graph import Name
from attnsolve.key import Key
from attnsolve.numbers.constant import Degrees, PlainNumber, RootOfSize, Size
from attnsolve.operations.activations import (
    ErrorFunction,
    Exponential,
    Gelu,
    GeluTanh,
    HalfTimesOnePlus,
    OverOneMore,
    Sigmoid,
    Silu,
    TanhOfCubic,
    TimesItself,
)
from attnsolve.operations.add import Add
from attnsolve.operations.alibi import Alibi
from attnsolve.operations.angles import Angles, Frequencies, StatedAngles
from attnsolve.operations.arithmetic import Grouped, Negate, Power, Raised, RootPower
from attnsolve.operations.block import Padded, SubMatrix
from attnsolve.operations.choice import Exceeds, Larger, SharedEvenly, Slope, Smaller, Taken
from attnsolve.operations.concatenate import Average, Columns, Concatenate, Pairs, Row, SharedColumns, Stack
from attnsolve.operations.cosine import Cosine, Norms
from attnsolve.operations.descent import Descent
from attnsolve.operations.divide import Divide, Times
from attnsolve.operations.entrywise import EntryQuotient, Multiply, Plus, QuotientOfSeen, Scale
from attnsolve.operations.formula import Formula, Given, Ref, Transpose
from attnsolve.operations.function import Absolute, Function, Norm
from attnsolve.operations.layernorm import LayerNorm, Normalised, RmsNorm, Root, RootMeanSquare, Scaled
from attnsolve.operations.letters import letter
from attnsolve.operations.lookup import Lookup, OneHot
from attnsolve.operations.loss import AtTargets, CrossEntropy, Losses
from attnsolve.operations.mask import BLOCKED, FREE, Forbid, Hide, Mask, MaskRule, OtherMask, Select
from attnsolve.operations.number import Number, numeral
from attnsolve.operations.one_token import InOneToken
from attnsolve.operations.place import Entry, Filled, Listed, Summed
from attnsolve.operations.product import DotProducts, Product, ProductWithRoles, Projection, WeightedSum
from attnsolve.operations.rank import Rank
from attnsolve.operations.reductions import (
    Centred,
    GrandTotal,
    Maxima,
    Maximum,
    Mean,
    Means,
    MeanSquares,
    Minimum,
    RowNorms,
    SquaresSum,
    Sums,
    Variance,
    Variances,
)
from attnsolve.operations.relu import Relu
from attnsolve.operations.rotary import Rotary
from attnsolve.operations.selection import ArgMax, Nucleus, RunningSum, Sorted, Top
from attnsolve.operations.sinusoidal import Sinusoidal
from attnsolve.operations.softmax import Share, Softmax, UnrequestedShare
from attnsolve.operations.stages import (
    DividedBySum,
    Exponentials,
    Greatest,
    LessMaximum,
    Powers,
    ScoresDividedBySum,
    Total,
    Unmasked,
)
from attnsolve.operations.structure import Constants, Diagonal, EntryTable, Flat, Generated, IndexRange, Member
from attnsolve.operations.tanh import Tanh
from attnsolve.operations.terms import Products, Weighted
from attnsolve.operations.vectors import Dot, MatrixVectorProduct, Outer

SHAPES = {
    Key("a"): (2, 3), Key("b"): (3, 4), Key("c"): (2, 3), Key("down"): (2, 1), Key("across"): (1, 4),
    Key("row"): (1, 3), Key("other"): (1, 3), Key("one"): (1, 1),
}  # fmt: skip
A, B, C, DOWN, ACROSS, ROW, OTHER, ONE = map(Ref, SHAPES)
OVER = (IndexRange("i", numeral(1), numeral(2)),)
D_K = n.Sym("d", ("k",))
NUMBERS = ((Fraction(1), Fraction(2, 3), Fraction(-5)), (Fraction(0), Fraction(7), Fraction(1, 2)))
MASK = OtherMask(((FREE, BLOCKED, FREE), (FREE, FREE, BLOCKED)), "mask")
LETS_ALL = OtherMask(((FREE,) * 3,) * 2, "mask")


@dataclass(frozen=True)
class Leaves:
    """The quantities in one tier, and their shapes."""

    tier: Callable[[Key], Any]

    def __getitem__(self, key: Key) -> Any:
        return self.tier(key)

    def shape(self, key: Key) -> tuple[int, int]:
        return SHAPES[key]


EXAMPLES: list[Formula] = [
    Add(A, C), Add(A, ROW), Add(A, DOWN),
    Average((A, C)), Average((A, C, A)),
    Columns(A, 1, 3), Columns(A, 1, 2, down=True),
    Concatenate((A, C)), Concatenate((A, C), down=True), SharedColumns(A, 1, 2), SharedColumns(A, 0, 2, True),
    InOneToken(A, C, 1), InOneToken(A, C, 2, True), Pairs(A, OTHER),
    Padded(C, (4, 5), (1, 3), (0, 3)), Padded(A, (2, 4), (0, 2), (1, 4)),
    Descent(A, Negate(Scale(numeral(Fraction(1, 10)), C))), QuotientOfSeen(A, DOWN),
    Slope(A, numeral(0), called="ReLU"), Taken(A, C), Taken(A, ROW, "<"), SharedEvenly(A, DOWN),
    Row(A, 1, Name("a")),
    Stack((ROW, OTHER)),
    Cosine(Product(A, B), DOWN, ACROSS),
    Norms(A, ("a_1", "a_2")), Norms(Transpose(A), ("a_1", "a_2", "a_3")),
    Divide(A, Number(RootOfSize(D_K, 3))), Divide(A, Number(Size(D_K, 3))), Divide(A, numeral(Fraction(-3, 2))),
    Divide(ONE, numeral(3)), Divide(A, C), Divide(A, DOWN), Number(RootOfSize(D_K, 3)), numeral(7),
    Negate(A), Grouped(A), Power(ONE, 3), Power(ONE, -2), Power(ONE, 0), Power(A, 2),
    Function(A, "sqrt"), Function(A, "ln"), Function(A, "sin"), Function(A, "cos"), Function(A, "abs"), Norm(A),
    Entry(A, numeral(2)), Entry(A, numeral(1), numeral(3)), Listed((ONE, numeral(2))),
    Summed("i", numeral(1), numeral(3), Product(Entry(A, numeral(1), letter("i")), letter("i"))),
    Summed("i", numeral(1), numeral(3), Entry(B, letter("i")), numeral(2)),
    Filled("identity", numeral(3)), Filled("ones", numeral(2)), Filled("causal", numeral(3)),
    Times(A, PlainNumber(-1)), Times(A, RootOfSize(D_K, 2)),
    Given(NUMBERS), Ref(Key("a")), OtherMask(NUMBERS, "mask"),
    Hide(A, LETS_ALL), Hide(A, MASK),
    Mask(A, C), Mask(A, MASK),
    Product(A, B), Product(ROW, B), DotProducts(A, B), DotProducts(A, B, down=True),
    ProductWithRoles(A, B), ProductWithRoles(A, B, down=True), Projection(A, B), Projection(A, B, down=True),
    Exponentials(A), Exponentials(A, base=Fraction(2)), Unmasked(A), Greatest(A), Greatest(A, down=True),
    LessMaximum(A, DOWN), Total(A), Total(A, down=True), Total(ROW, alone=True), DividedBySum(A, DOWN),
    DividedBySum(A, ROW), ScoresDividedBySum(A, DOWN),
    Products(Product(A, B), (1, 2)), Products(DotProducts(A, B, down=True), (0, 3), flipped=True),
    Weighted(WeightedSum(A, B), (1,)), Weighted(WeightedSum(A, B, down=True), (2,), down=True),
    WeightedSum(A, B), WeightedSum(A, B, down=True), Product(Transpose(A), C), Product(DOWN, ROW),
    Powers(A), Powers(A, Fraction(3, 2)),
    *(Softmax(A, down, base, stable) for down in (False, True) for stable in (False, True)
      for base in (Softmax.base, Fraction(2))),
    Softmax(Mask(A, MASK)), Softmax(Mask(A, MASK), down=True, stable=True), Softmax(ROW),
    Share(A), Share(A, down=True), Share(Mask(A, MASK)), UnrequestedShare(A), UnrequestedShare(A, down=True),
    Multiply(A, C), Multiply(A, ROW), Multiply(DOWN, A), Scale(ONE, A), Scale(A, numeral(2)), Scale(numeral(-2), A),
    EntryQuotient(A, C), EntryQuotient(A, DOWN), EntryQuotient(ONE, A),
    Plus(A, C), Plus(ROW, A), Plus(numeral(1), Negate(A)),
    MatrixVectorProduct(A, ROW), Dot(ROW, OTHER), Dot(ROW, Transpose(OTHER)), Outer(ROW, OTHER), Outer(DOWN, ACROSS),
    SubMatrix(A, (1, 2), (0, 3), ("2",)), SubMatrix(A, (0, 2), (1, 3), (":", "2:3")),
    SubMatrix(A, (1, 2), (2, 3), ("2", "3"), True),
    Tanh(A), Tanh(Add(Product(A, B), ACROSS)), Relu(A),
    *(LayerNorm(A, gamma, beta, PlainNumber(Fraction(1, 3)), down, corrected, outside)
      for down, gamma, beta in ((False, ROW, OTHER), (True, DOWN, DOWN))
      for corrected, outside in ((False, False), (True, False), (False, True))),
    Transpose(A),
    Top(A, count=2), Top(A, True, 1), Nucleus(A, least=PlainNumber(Fraction(11, 10))),
    Nucleus(A, True, PlainNumber(2), short=True),
    ArgMax(A), ArgMax(A, True, start=0), Sorted(A), Sorted(A, True, up=True),
    RunningSum(A), RunningSum(A, True),
    Frequencies(PlainNumber(10_000), 6), Frequencies(PlainNumber(10_000), 8), Frequencies(PlainNumber(16), 4, 2),
    Angles(ROW, (PlainNumber(2), PlainNumber(3))),
    Angles(ROW, (PlainNumber(1), PlainNumber(Fraction(1, 2)), Degrees(30)), True),
    Sinusoidal(A, 5), Sinusoidal(A, 6, halves=True, exchanged=True), Sinusoidal(A, 4, down=True, degrees=True),
    Rotary(Product(A, B), DOWN), Rotary(Product(A, B), Columns(A, 0, 2), True, back=True), Rotary(C, ROW, down=True),
    Rotary(B, ONE, degrees=True),
    Alibi(ONE, 3), Alibi(numeral(Fraction(1, 2)), 2, 1), StatedAngles((numeral(1), ONE)),
    MaskRule(MASK.rows, "causal", "j ≤ i"), MaskRule(MASK.rows, "causal", "j ≤ i", marked=True),
    Forbid(Constants("causal", 3, 3)), Select(MaskRule(MASK.rows, "causal", "j ≤ i", marked=True), A, C),
    Lookup(A, (2, 1, 2), "[2, 1, 2]"), OneHot((2, 1), 3, "[2, 1]"), OneHot((3,), 3, "3", 0),
    Constants("identity", 2, 2), Constants("ones", 1, 3, True), Constants("zeros", 2, 3), Constants("causal", 2, 2),
    Diagonal(ROW), Diagonal(Product(A, Transpose(C)), True), Flat(A), Member(A, "h"),
    Generated("sum", OVER, A, (A, C)), Generated("max", OVER, A, (A, C)), EntryTable(OVER, ONE, (ONE, numeral(2)), 1),
    LayerNorm(A, None, None, PlainNumber(0)),
    *(LayerNorm(A, None, None, PlainNumber(Fraction(1, 3)), down) for down in (False, True)),
    LayerNorm(A, None, OTHER, PlainNumber(0)), LayerNorm(A, ROW, OTHER, PlainNumber(0), rooted=False),
    *(RmsNorm(A, gamma, PlainNumber(Fraction(1, 3)), down, outside, summed)
      for down, gamma in ((False, ROW), (True, None))
      for outside, summed in ((False, False), (True, False), (False, True))),
    RmsNorm(A, None, PlainNumber(0)), RmsNorm(A, None, PlainNumber(Fraction(1, 3)), rooted=False),
    Root(DOWN, PlainNumber(0)), Root(DOWN, PlainNumber(Fraction(1, 3)), outside=True),
    RootMeanSquare(DOWN, PlainNumber(Fraction(1, 3))),
    Normalised(A, DOWN), Scaled(A, ROW, OTHER), Scaled(A, None, OTHER), Scaled(A, DOWN),
    Centred(A, DOWN), Centred(A, ROW),
    *(kind(A, down) for kind in (Sums, Means, Maxima, RowNorms, Variances, SquaresSum) for down in (False, True)),
    *(kind(ROW, alone=True) for kind in (Sums, Means, Maxima, RowNorms, Variances)),
    Variances(A, less=1), Variances(A, True, less=1), MeanSquares(A), MeanSquares(A, less=1),
    Variance(A), Variance(A, less=1),
    GrandTotal(A), Mean(A), Maximum(A), Minimum(A), Rank(A), Rank(ROW), GrandTotal(ROW), CrossEntropy(ROW),
    Sigmoid(A), Silu(A), Gelu(A), GeluTanh(A), Exponential(A), OverOneMore(A), TimesItself(A, C), ErrorFunction(A),
    TanhOfCubic(A), HalfTimesOnePlus(A, C),
    Smaller(A, C), Smaller(A, ROW), *(Exceeds(A, C, sign) for sign in (">", ">=", "<", "<=")), Exceeds(A, ROW),
    Larger(A, C), Larger(A, ROW), Larger(numeral(1), A), Absolute(Negate(A)), Raised(A, C), Raised(A, DOWN),
    RootPower(A, 3), RootPower(A, -1),
    Losses(A, (3, 1)), Losses(A, (1, 2, 2), down=True), Losses(A, (1, 1), base=10), AtTargets(A, (3, 1)),
    AtTargets(A, (1, 2, 2), down=True),
]  # fmt: skip


def hides(formula: Formula) -> bool:
    """Whether −∞ is put in somewhere, and what it is put on is read without mattering."""
    return formula == MASK or any(map(hides, formula.arguments))


def generic(seed: int) -> dict[Key, list[list[Fraction]]]:
    """Numbers without any relation between them, none of them small: three decimals from 0.3 to 1.7."""
    chance = random.Random(seed)
    taken = iter(chance.sample(range(300, 1700), sum(rows * columns for rows, columns in SHAPES.values())))
    return {
        key: [[Fraction(next(taken), 1000) for _ in range(columns)] for _ in range(rows)]
        for key, (rows, columns) in SHAPES.items()
    }


def named(formula: Formula) -> str:
    """An example by its class, as it is written."""
    from attnsolve.notation.text import TextPrinter

    written = formula.notation(lambda key: n.Word(key.id))
    return f"{type(formula).__name__}: {TextPrinter().print(written)}"
