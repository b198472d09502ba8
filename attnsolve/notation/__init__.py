"""How mathematics is written, before anybody has decided on LaTeX or Unicode.

A dozen frozen forms. Operations and numbers are turned into these; the printers beside this module (`text`, `latex`)
and the renderers turn these into characters. Nothing here computes. Some forms have an operation's name, so they are
used with their prefix: `n.Power` is how a power is written, `Power` the operation.
"""

from __future__ import annotations

from dataclasses import field

from attnsolve.record import Record, record


@record
class Notation(Record):
    """Anything that can stand in an equation."""

    __slots__ = ("_has_grid",)

    @property
    def has_grid(self) -> bool:
        """Whether a matrix is written out anywhere inside; remembered, since every layer of a formula asks."""
        found: bool | None = getattr(self, "_has_grid", None)
        if found is None:
            found = isinstance(self, Grid) or any(map(_holds_grid, self.__dict__.values()))
            object.__setattr__(self, "_has_grid", found)
        return found


def has_rounded(part: object) -> bool:
    """Whether a rounded number stands anywhere in some notation."""
    if isinstance(part, Num):
        return part.rounded
    if isinstance(part, tuple):
        return any(map(has_rounded, part))
    return isinstance(part, Notation) and any(map(has_rounded, part.__dict__.values()))


def _holds_grid(part: object) -> bool:
    if isinstance(part, tuple):
        return any(map(_holds_grid, part))
    return isinstance(part, Notation) and type(part) not in (Num, Sym) and part.has_grid


@record
class Num(Notation):
    """A numeral, `-2` or `0.5`; with an exponent, `6.895 × 10⁻¹³`. Rounded ones say so."""

    text: str
    exponent: int | None = None
    rounded: bool = False

    @property
    def is_negative(self) -> bool:
        """Whether it starts with a minus."""
        return self.text.startswith("-")


@record
class Infinity(Notation):
    """−∞, what a mask puts where nothing may be attended to (or +∞, where a symbol may go)."""

    negative: bool = True


@record
class Sym(Notation):
    """A letter with an index below (`q₁,₂`), a head above (`q⁽⁰⁾`), primes; `vector` letters are bold. The gradient of
    Q has a d `before` it: dQ."""

    name: str
    sub: tuple[str, ...] = ()
    sup: str = ""
    primes: int = 0
    vector: bool = False
    before: str = ""


@record
class Word(Notation):
    """Upright text inside mathematics: a token's name, `shape`."""

    text: str


@record
class Sum(Notation):
    """Terms with plus signs between them; a negative term takes a minus."""

    terms: tuple[Notation, ...]


@record
class Product(Notation):
    """Factors side by side, or with a dot between them."""

    factors: tuple[Notation, ...]
    dotted: bool = False


@record
class Entrywise(Notation):
    """Factors that are multiplied entry by entry: A ⊙ B."""

    factors: tuple[Notation, ...]


@record
class Frac(Notation):
    """A fraction, written on one line where there is one line."""

    over: Notation
    under: Notation


@record
class Power(Notation):
    """base^exponent."""

    base: Notation
    exponent: Notation


@record
class Root(Notation):
    """A square root."""

    inner: Notation


@record
class Degrees(Notation):
    """inner°."""

    inner: Notation


@record
class Transposed(Notation):
    """innerᵀ."""

    inner: Notation


@record
class Call(Notation):
    """name(inner), with an optional index at the name: softmax₂(S); with `square` brackets, E[X]."""

    name: str
    inner: tuple[Notation, ...]
    sub: str = ""
    square: bool = False


@record
class Norm(Notation):
    """‖inner‖."""

    inner: Notation


@record
class Abs(Notation):
    """|inner|."""

    inner: Notation


@record
class PlusMinus(Notation):
    """±inner; as a term of a sum, the sign between it and the term before."""

    inner: Notation


@record
class SumOver(Notation):
    """Σ over an index: Σⱼ body; with bounds, Σᵢ₌₁ⁿ body."""

    index: str
    body: Notation
    first: Notation | None = None
    last: Notation | None = None
    but: str = ""
    """The one value that the index does not take: Σ_{i≠j}."""


@record
class Limit(Notation):
    """What the body comes to as a symbol goes to a value: lim_{β→∞} body."""

    symbol: Notation
    to: Notation
    body: Notation


@record
class Derivative(Notation):
    """The derivative of a term in a letter, ∂f/∂x, or in the entries of a matrix."""

    of: Notation
    by: Notation


@record
class Subscripted(Notation):
    """An entry or row of something that has no letter of its own: (Q Kᵀ)ᵢ,ⱼ."""

    inner: Notation
    sub: tuple[str, ...]


@record
class Beside(Notation):
    """Blocks in one pair of brackets, side by side or (`down`) one above the other."""

    parts: tuple[Notation, ...]
    down: bool = False


@record
class Grid(Notation):
    """A matrix written out. Labels stand beside its rows and above its columns; `shades` (0 to 1) tint its cells."""

    rows: tuple[tuple[Notation, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    shades: tuple[tuple[float, ...], ...] = field(default=())

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])


@record
class Dots(Notation):
    """What stands in a matrix for the entries left out: ⋯ in a row, ⋮ in a column, ⋱ where both are."""

    sign: str


@record
class Shape(Notation):
    """3×2."""

    rows: int
    columns: int


@record
class Chain(Notation):
    """left = this = that ≈ the other. `left` may be missing: a chain can go on from the one before.

    A relation is one of = ≈ ≠ < > ≤ ≥ ≫ → ∼ ∝ ∈ ⟹ ⟺, or "" where nothing stands between.
    """

    left: Notation | None
    links: tuple[tuple[str, Notation], ...]


def negative(term: Notation) -> bool:
    """Whether a term begins with a minus sign."""
    match term:
        case Num():
            return term.is_negative
        case Infinity():
            return term.negative
        case Product(factors=(first, *_), dotted=False):
            return negative(first)
        case Frac(over=over):
            return negative(over)
    return False


def negated(term: Notation) -> Notation:
    """The same term without its minus sign, or with one."""
    match term:
        case Num(text="0"):
            return term
        case Num(text=text):
            return Num(text[1:] if text.startswith("-") else "-" + text, term.exponent, term.rounded)
        case Infinity():
            return Infinity(not term.negative)
        case Product(factors=(Num(text="-1", exponent=None), *rest), dotted=False) if rest:
            return rest[0] if len(rest) == 1 else Product(tuple(rest))
        case Product(factors=(Num() as first, *_), dotted=True) if not first.is_negative:
            return Product((Num("-1"), term))
        case Product(factors=(first, *rest)) if negative(first) or isinstance(first, Num):
            return Product((negated(first), *rest), term.dotted)
        case Frac(over=over, under=under):
            return Frac(negated(over), under)
    return Product((Num("-1"), term))
