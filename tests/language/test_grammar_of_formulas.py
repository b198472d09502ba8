"""The grammar of formulas: every example of the contract, precedence against Python's own, printing and reading back,
and texts that strangers might send."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attnsolve.bounds import DEFAULT
from attnsolve.language.parser import parse_chain, parse_formula, parse_place
from attnsolve.language.syntax import (
    AtNode,
    CallNode,
    ChainNode,
    DegreesNode,
    GroupNode,
    IndexNode,
    ListedNode,
    MemberNode,
    NameNode,
    Node,
    NumberNode,
    PlaceName,
    PowerNode,
    PrefixNode,
    RangeNode,
    SliceNode,
    TransposeNode,
    written,
)
from attnsolve.language.tokens import LanguageError

CONTRACT = """
layernorm(X + C)
relu(N*W_1 + b_1)
N + H*W_2
softmax(Y*E^T)
crossentropy(P, [2, 1])
P*ones(3)
W_Q[h]
b_1[layer]
dot(v, w)
outer(v, w)
v .* w
A[2,1]
A[2,:]
A[:,2]
A[:,1:2]
A[2]
O/l
X .^ 2
-x^2
softmax(S, base=2)
share(S)
layernorm(X, gamma, beta, eps=1e-5)
layernorm(X, eps=1e-5)
rowvar(X, ddof=1)
masked(S, causal and within(3) or not first([2, 6]))
rope(X, base=10000, start=0, pairs=halves, at=[1, 2])
rotate(X, [0°, 30°])
sinusoidal(n, d, base=10000, start=0, order=interleaved)
share(P .* top(P, k))
where(mask, a, b)
max(A, B)
sum(i=1..n, x[i])
max(i=1..n, x[i])
concat(i=1..n, X@i)
table(i=1..n, j=1..m, i*j)
sum(i=1..n, i!=k, x[i])
lim(b -> oo, 1/b)
lookup(E, [the, cat, sat]) + sinusoidal(3, 2)
layernorm(prev(X), eps=1e-5)
softmax(masked(N*W_Q[layer]*(N*W_K)^T/sqrt(2), causal))
R + relu(layernorm(R, eps=1e-5)*W_1 + b_1[layer])*W_2
softmax(X@last*E^T)
stack(prev(K), X[t,:]*W_K)
softmax(X[t,:]*W_Q*K^T/sqrt(2))*V
stack(t=1..3, y@t)
-oo
Q*K[b,:]^T/sqrt(2)
r .* prev(l) + rowsum(exp(S - m))
O@last/l@last
A@2.1
S'/√d_k
A.exponentials
scores[2,1].products
softmax(X, by=rows)
E(x) + E[2,:]
T*X^T
μ + x² + x₁ + A_{2,1}
2·X × Y − Zᵀ
""".strip().splitlines()


@pytest.mark.parametrize("text", CONTRACT)
def test_every_formula_of_the_contract_is_read_and_written_again(text: str) -> None:
    node = parse_formula(text)
    assert parse_formula(written(node)) == node


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("-x^2", PrefixNode("-", PowerNode(NameNode("x"), NumberNode("2")))),
        ("A[:,1:2]", IndexNode(NameNode("A"), (SliceNode(), SliceNode(NumberNode("1"), NumberNode("2"))))),
        ("X^T[1]", IndexNode(TransposeNode(NameNode("X")), (NumberNode("1"),))),
        ("y@t", AtNode(NameNode("y"), (NameNode("t"),))),
        ("A@2.1", AtNode(NameNode("A"), (NumberNode("2"), NumberNode("1")))),
        ("A.sums", MemberNode(NameNode("A"), "sums")),
        ("A@1.sums", MemberNode(AtNode(NameNode("A"), (NumberNode("1"),)), "sums")),
        ("30°", DegreesNode(NumberNode("30"))),
        ("f(x, eps=1e-5)", CallNode("f", (NameNode("x"),), (("eps", NumberNode("1e-5")),))),
        ("sum(i=1..n, i)", CallNode("sum", (NameNode("i"),), (), (RangeNode("i", NumberNode("1"), NameNode("n")),))),
        ("a*b/c", ChainNode(NameNode("a"), (("*", NameNode("b")), ("/", NameNode("c"))))),
        ("[a, b]", ListedNode((NameNode("a"), NameNode("b")))),
        ("(a)", GroupNode(NameNode("a"))),
        ("√d_k", CallNode("sqrt", (NameNode("d_k"),))),
        ("log(x)", CallNode("ln", (NameNode("x"),))),
        ("A_{2,1}", IndexNode(NameNode("A"), (NumberNode("2"), NumberNode("1")))),
        ("x₁", NameNode("x_1")),
        ("W_{Q}", NameNode("W_Q")),
        ("S'", NameNode("S'")),
        ("E(E)", CallNode("E", (NameNode("E"),))),
        ("T*X^T", ChainNode(NameNode("T"), (("*", TransposeNode(NameNode("X"))),))),
        ("not a and b", ChainNode(PrefixNode("not", NameNode("a")), (("and", NameNode("b")),))),
    ],
)
def test_what_a_formula_means(text: str, node: Node) -> None:
    assert parse_formula(text) == node


def test_nodes_know_where_they_stand() -> None:
    text = "a + softmax( X^T ) * b"
    product = parse_formula(text).rest[0][1]  # type: ignore[attr-defined]
    call = product.first
    assert text[product.start : product.end] == "softmax( X^T ) * b"
    assert text[call.start : call.end] == "softmax( X^T )"


# ── precedence, against Python's own ─────────────────────────────────────────────────────────────

LETTERS = {"a": 1.5, "b": -2.25, "c": 0.75, "d": 3.0}


@st.composite
def arithmetic(draw: st.DrawFn, depth: int = 3) -> str:
    """A text that Python reads as well, with ** for ^: no brackets but those that are drawn."""
    if depth == 0 or draw(st.booleans()):
        return draw(st.sampled_from([*LETTERS, "2", "3", "0.5"]))
    kind = draw(st.sampled_from(["+", "-", "*", "/", ".*", "./", "(", "-x", "^", "[]"]))
    one, other = draw(arithmetic(depth - 1)), draw(arithmetic(depth - 1))
    match kind:
        case "(":
            return f"({one} + {other})"
        case "-x":
            return f"-{one}"
        case "^":
            return f"{draw(st.sampled_from([*LETTERS]))}^{draw(st.sampled_from(['2', '3', '-2']))}"
        case "[]":
            return f"v[{draw(st.integers(1, 3))}]"
    return f"{one} {kind} {other}"


def python_value(text: str) -> float:
    v = [np.float64(x) for x in (0.0, 2.0, -1.0, 4.0)]
    plain = text.replace(".*", "*").replace("./", "/").replace("^", "**")
    with np.errstate(all="ignore"):
        return float(eval(plain, {"v": v, **{name: np.float64(x) for name, x in LETTERS.items()}}))


def value(node: Node) -> np.float64:
    match node:
        case NumberNode(text=text):
            return np.float64(text)
        case NameNode(name=name):
            return np.float64(LETTERS[name])
        case GroupNode(inner=inner):
            return value(inner)
        case PrefixNode(inner=inner):
            return -value(inner)
        case PowerNode(base=base, exponent=exponent):
            return value(base) ** value(exponent)
        case IndexNode(places=(NumberNode(text=text),)):
            return np.float64((2.0, -1.0, 4.0)[int(text) - 1])
        case ChainNode(first=first, rest=rest):
            total = value(first)
            for sign, part in rest:
                match sign[-1]:
                    case "+":
                        total = total + value(part)
                    case "-":
                        total = total - value(part)
                    case "*":
                        total = total * value(part)
                    case "/":
                        total = total / value(part)
            return total
    raise AssertionError(node)


@given(arithmetic())
@settings(max_examples=300, deadline=None)
def test_precedence_is_that_of_python(text: str) -> None:
    with np.errstate(all="ignore"):
        ours = float(value(parse_formula(text)))
    np.testing.assert_equal(ours, python_value(text))


# ── reading back ─────────────────────────────────────────────────────────────────────────────────

NAMES = st.sampled_from(["X", "W_Q", "b_1", "S'", "alpha", "β", "e"])


def nodes(depth: int) -> st.SearchStrategy[Node]:
    atoms = st.one_of(NAMES.map(NameNode), st.sampled_from(["1", "0.25", "1e-5"]).map(NumberNode))
    if depth == 0:
        return atoms
    inner = nodes(depth - 1)
    whole = inner.map(GroupNode)
    operand = st.one_of(atoms, whole)
    return st.one_of(
        operand,
        st.builds(TransposeNode, operand),
        st.builds(PowerNode, whole, operand, st.sampled_from(["^", ".^"])),
        st.builds(lambda a, b: IndexNode(a, b), whole, st.lists(operand, min_size=1, max_size=2).map(tuple)),
        st.builds(lambda a, b: IndexNode(a, (SliceNode(None, b),)), whole, operand),
        st.builds(lambda a: PrefixNode("-", a), operand),
        st.builds(lambda a, r: ChainNode(a, tuple(r)), operand, rests(operand, "*", "/", ".*", "./")),
        st.builds(lambda a, r: ChainNode(a, tuple(r)), operand, rests(operand, "+", "-")),
        st.builds(lambda a: ListedNode(tuple(a)), st.lists(inner, min_size=1, max_size=3)),
        st.builds(lambda a, o: CallNode("layernorm", tuple(a), (("eps", o),)), st.lists(inner, min_size=1), inner),
        st.builds(lambda a, b, c: CallNode("sum", (c,), (), (RangeNode("i", a, b),)), operand, operand, inner),
        st.builds(lambda a: AtNode(a, (NameNode("last"),)), NAMES.map(NameNode)),
    )


def rests(operand: st.SearchStrategy[Node], *signs: str) -> st.SearchStrategy[list[tuple[str, Node]]]:
    return st.lists(st.tuples(st.sampled_from(signs), operand), min_size=1, max_size=3)


@given(nodes(3))
@settings(max_examples=300, deadline=None)
def test_what_is_written_reads_as_the_same(node: Node) -> None:
    text = written(node)
    if len(text) <= DEFAULT.link_characters:
        assert parse_formula(text) == node


# ── what is refused ──────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "fix"),
    [("2W", "write 2*W"), ("a + 2W", "write a + 2*W"), ("X W", "write X*W"), ("f(a=1, b)", "put options last")],
)
def test_a_slip_is_answered_with_the_formula_put_right(text: str, fix: str) -> None:
    with pytest.raises(LanguageError) as refused:
        parse_formula(text)
    assert refused.value.fix == fix


def test_an_error_says_where() -> None:
    with pytest.raises(LanguageError) as refused:
        parse_formula("a + b )")
    assert refused.value.column == 6


def hostile() -> Iterator[str]:
    for opening, closing in (("(", ")"), ("[", "]"), ("f(", ")"), ("a[", "]"), ("√(", ")"), ("not (", ")")):
        for times in (23, 200, 5000):
            yield opening * times + "a" + closing * times
            yield opening * times
    for sign in ("-", "+", "not ", "^", "^T", "'", "@1", ".a", "°", "[1]", "√", ".", ":", "a=", "i=1..2,", "{", "_{"):
        yield from (sign * 5000, "a" + sign * 190, "a" + sign * 30)
    yield from ("+".join("a" * 200), "a_{" * 100, "1" * 399, "1e" + "9" * 390, "₁" * 300, "ᵀ" * 300, "²" * 300, "\x00")


@pytest.mark.parametrize("text", list(hostile()), ids=lambda text: repr(text[:12]))
def test_no_text_costs_more_than_a_refusal(text: str) -> None:
    for read in (parse_formula, parse_chain):
        try:
            read(text)
        except LanguageError:
            continue


# ── cell names ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("scores[3,1]", PlaceName("scores", ("3", "1"))),
        ("z_{3,1}", PlaceName("z_3,1")),
        ("z⁽⁰⁾₃,₁", PlaceName("z_3,1", (), (("", "0"),))),
        ("head 0: z", PlaceName("z", (), (("head", "0"),))),
        ("decoder step 2 : c_t", PlaceName("c_t", (), (("step", "2"),))),
        ("layer 2, head 1: A", PlaceName("A", (), (("layer", "2"), ("head", "1")))),
        ("A@2.1", PlaceName("A", (), (("", "2"), ("", "1")))),
        ("A@2.1[3,1]", PlaceName("A", ("3", "1"), (("", "2"), ("", "1")))),
        ("A.exponentials", PlaceName("A", inner="exponentials")),
        ("scores[2,1].products", PlaceName("scores", ("2", "1"), inner="products")),
        ("context[2].weighted", PlaceName("context", ("2",), inner="weighted")),
        ("A.exponentials[3,1]", PlaceName("A", inner="exponentials", within=("3", "1"))),
        ("A@2.exponentials[3,1]", PlaceName("A", (), (("", "2"),), "exponentials", ("3", "1"))),
        ("scores[2,1].products[3]", PlaceName("scores", ("2", "1"), inner="products", within=("3",))),
        ("attention weights[New York]", PlaceName("attention weights", ("New York",))),
    ],
)
def test_a_cell_name_is_read_as_a_place(text: str, place: PlaceName) -> None:
    assert parse_place(text) == place


@given(st.text(max_size=200))
@settings(max_examples=200, deadline=None)
def test_any_text_is_a_name(text: str) -> None:
    assert isinstance(parse_place(text), PlaceName)
