"""Why self-attention does not care about the order of its tokens; and what makes it care."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.algebra.declared import Free
from attnsolve.algebra.grammar import parse_claim, parse_term
from attnsolve.algebra.matrices import permutation_matrix
from attnsolve.algebra.verify import Claim
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.examples import ExampleBuilder, agree
from attnsolve.derivations.names import Names, names
from attnsolve.derivations.writing import Passage
from attnsolve.errors import count
from attnsolve.graph import Name
from attnsolve.narrate.exact import ExactNarrator
from attnsolve.numbers.constant import Size
from attnsolve.numbers.written import Figures
from attnsolve.operations.letters import Letters
from attnsolve.operations.number import numeral
from attnsolve.solution.exact import Solution
from attnsolve.spec.given import WEIGHTS, Reordering
from attnsolve.spec.problem import Problem
from attnsolve.spec.readings import Rows

LETTERS = ("Q", "K", "V", "S", "A", "Attention")


def attention(x: str, moved: str = "") -> list[str]:
    """The steps of attention on some tokens, with something added to the name of each."""
    projections = [f"{letter}{moved}: {x}*W_{letter}" for letter in "QKV"]
    scores = f"S{moved}: Q{moved}*K{moved}^T/sqrt(d)"
    return [*projections, scores, f"A{moved}: softmax(S{moved})", f"Attention{moved}: A{moved}*V{moved}"]


STEPS = (*attention("X"), *attention("Pi*X", "_moved"))
"""Attention on the tokens, and all of it anew with Π X in the place of X."""
PI, X = n.Sym("Pi"), n.Sym("X")
SHOWN = {
    "Attention": n.Call("Attention", (X,)),
    **{f"{name}_moved": n.Call(name, (n.Product((PI, X)),)) for name in LETTERS},
}
WHOLE = "Attention_moved = Pi*Attention"
"""Attention(Π X) = Π Attention(X)."""
TOKENS = names("n: size(2)", "d: size", "Pi: permutation(n)", "X: matrix(n, d)")
NAMES = TOKENS.also("W_Q, W_K, W_V: matrix(d, d)", *STEPS)
PAIR = names("Pi: permutation(2)", "X: matrix(2, 1)")
"""Two tokens with one coordinate."""


def _plain(x: str) -> str:
    """Attention whose weights are all the identity."""
    return f"softmax(({x})*({x})^T)*({x})"


def _masked(x: str) -> str:
    return f"masked(({x})*({x})^T, causal(2))*({x})"


PLAIN = TOKENS.also(f"f: {_plain('X')}", f"f_moved: {_plain('Pi*X')}")


def derive(problem: Problem, given: Reordering) -> list[Passage]:
    """Each step on the way, what breaks it, and an example."""
    return [*argument(), _breaks(), _example(problem, given)]


def argument() -> list[Passage]:
    """The steps on the way, for any sizes."""
    return [_projections(), _scores(), _weights_follow(), _output()]


@passage("projections", "Queries, keys and values", NAMES, SHOWN)
def _projections(writing: Argument) -> None:
    writing.paragraph(
        "The tokens are the rows of {X}, so multiplying by a permutation matrix {Pi} from the left reorders them:"
        " each row of {Pi*X} is a row of {X}. Attention on the reordered tokens starts from"
    )
    for name in "QKV":
        writing.chain(
            f"{name}_moved",
            (f"= Pi*(X*W_{name})", "associativity"),
            (f"= Pi*{name}", f"definition of {{{name}}}"),
            opening=(f"= (Pi*X)*W_{name}", "by definition"),
        )


@passage("scores", "Scores", NAMES, SHOWN)
def _scores(writing: Argument) -> None:
    writing.chain(
        "S_moved",
        ("= Pi*Q*K^T*Pi^T/sqrt(d)", "transpose of a product"),
        ("= Pi*S*Pi^T", "definition of {S}"),
        opening=("= (Pi*Q)*(Pi*K)^T/sqrt(d)", "by definition"),
    )
    writing.paragraph(
        "Rows and columns are both reordered: entry by entry, these are the scores of the same pairs of tokens."
    )


@passage("weights", "Weights", NAMES, SHOWN)
def _weights_follow(writing: Argument) -> None:
    writing.paragraph(
        "The softmax treats each row separately, and the sum in its denominator does not depend on the order of its"
        " terms. So it makes no difference whether rows and columns are reordered before or after the softmax:"
    )
    writing.chain(
        "A_moved",
        ("= Pi*softmax(S)*Pi^T", "row by row"),
        ("= Pi*A*Pi^T", "definition of {A}"),
        opening=("= softmax(Pi*S*Pi^T)", "by definition"),
    )


@passage("output", "Output", NAMES, SHOWN)
def _output(writing: Argument) -> None:
    writing.paragraph(
        "A permutation is undone by its transpose: {Pi^T*Pi = identity(n)}. The two matrices in the middle cancel:"
    )
    writing.chain(
        "Attention_moved",
        ("= (Pi*A*Pi^T)*(Pi*V)", "weights times values"),
        ("= Pi*A*(Pi^T*Pi)*V", "associativity"),
        ("= Pi*A*identity(n)*V", "permutation matrix"),
        ("= Pi*(A*V)", "identity"),
    )
    writing.paragraph(
        "So the rows of the output are reordered in the same way as the tokens, and are otherwise unchanged:"
    )
    writing.equation(writing.claims(WHOLE))


@passage("breaks", "What breaks it", PLAIN, {"f": n.Call("f", (X,))})
def _breaks(writing: Argument) -> None:
    """Three claims that don't hold, each with a counterexample."""
    writing.confirm("f_moved = Pi*f")
    writing.paragraph(
        "Small cases are enough to show this: two tokens with one coordinate each, and all weight matrices the"
        " identity, so that"
    )
    writing.equation(writing.definition("f"))
    _refuted(
        writing,
        "Positions. With position vectors added to the rows, such as the numbers 0 and 1 in {P}, a token that moves"
        " gets a different position:",
        PAIR.also(P=((Fraction(0),), (Fraction(1),))),
        (_plain, "X + P", "Pi*X + P"),
    )
    _refuted(
        writing,
        "A causal mask. Which tokens a token may attend to depends on its position, so the mask would have to be"
        " reordered as well. With such a mask in {f(X)}:",
        PAIR,
        (_masked, "X", "Pi*X"),
    )
    _refuted(
        writing,
        "The permutation on the other side. {X*Pi} reorders the columns of {X}, which are the coordinates of each"
        " token, not the tokens; the product does not even exist unless there are as many tokens as coordinates."
        " Even then, the very first step, the projection, fails:",
        names("Pi: permutation(2)", "X, W: matrix(2, 2)"),
    )


def _refuted(
    writing: Argument, description: str, about: Names, function: tuple[Callable[[str], str], str, str] | None = None
) -> None:
    """A claim that does not hold: of a function f of X, as it is in two places; or else of the other side."""
    shown = Letters({"X": X, "P": n.Sym("P")})
    if function is not None:
        f, *places = function
        shown |= {
            name: n.Call("f", (parse_term(place).notation(shown),))
            for name, place in zip(("f", "f_moved"), places, strict=True)
        }
        about = about.also(*(f"{name}: {f(place)}" for name, place in zip(("f", "f_moved"), places, strict=True)))
    breaking = writing.about(about, shown)
    breaking.paragraph(description, **{"f(X)": n.Call("f", (X,))})
    claim = "(X*Pi)*W = (X*W)*Pi" if function is None else "f_moved = Pi*f"
    breaking.refutes(claim, f"refuted: {description.partition('.')[0].lower()}")


def attention_on(problem: Problem, inputs: Rows, weights: Mapping[str, Rows]) -> Solution:
    """Self-attention on some tokens."""
    builder = ExampleBuilder()
    builder.given("inputs", Name("X"), inputs, tokens=True)
    for letter, weight in zip("QKV", WEIGHTS, strict=True):
        builder.given(weight, Name("W", letter), weights[weight])
    letters = {"queries": "Q", "keys": "K", "values": "V", "scores": "S", "weights": "A", "context": "C"}
    names = {id: Name(letter) for id, letter in letters.items()} | {"scaled": Name("S", primes=1)}
    builder.attend(names, Size(n.Sym("d", ("k",)), len(weights["W_K"][0])))
    return builder.solution(problem)


def _example(problem: Problem, given: Reordering) -> Passage:
    return example(problem, given.inputs, given.weights, given.order, drawn=given.drawn)


def example(
    problem: Problem, inputs: Rows, weights: Mapping[str, Rows], order: tuple[int, ...], *, drawn: bool = False
) -> Passage:
    """Attention on some tokens, and on the same ones reordered."""
    known = names(X=inputs, Pi=permutation_matrix(order), d=len(weights["W_K"][0]), **weights).also(*STEPS)
    writing = Argument("example", "On numbers", known, {"X": X, "Pi": PI, **SHOWN})
    moved = tuple(inputs[i] for i in order)
    first, second = (attention_on(problem, rows, weights) for rows in (inputs, moved))
    tellers = [ExactNarrator(solution) for solution in (first, second)]
    writing.paragraph(
        ("With some small numbers drawn at random, " if drawn else "With the given tokens, ")
        + "and the order "
        + ", ".join(str(i + 1) for i in order)
        + ":"
    )
    figures = Figures(problem.digits, "fraction")
    givens = [writing.quantity(tellers[0], id) for id in ("inputs", *WEIGHTS)]
    writing.states_given(*givens, *(writing.works_out(term, figures) for term in ("Pi", "Pi*X")))
    writing.paragraph("Attention on both, computed separately:")
    of = zip(tellers, ("Attention", "Attention_moved"), strict=True)
    writing.gallery(*(writing.decimals(narrator, "context", name) for narrator, name in of))
    rows = ", ".join(f"row {place} is row {i + 1} of the first" for place, i in enumerate(order, start=1))
    writing.paragraph(f"In the second, {rows}.")
    writing.holds("every entry of the reordered output agrees to 30 digits", agree(first, second, "context", order))
    tokens = Free(numeral(len(inputs)), numeral(len(inputs[0])))
    finding = Names({**known.names, "X": tokens}).verifier.verify(Claim(*parse_claim(WHOLE)))
    how = "with letters for all tokens" if finding.status == "proved" else f"at {count(finding.points, 'point')}"
    writing.holds(f"with these weights and this order it holds for any {len(inputs)} tokens, {how}", finding.holds)
    return writing.finish()
