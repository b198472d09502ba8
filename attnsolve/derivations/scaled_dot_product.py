"""Why scores are divided by √D_k: the mean and the variance of a dot product of two random vectors."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from attnsolve import notation as n
from attnsolve.algebra.grammar import parse_term
from attnsolve.derivations.argument import Argument, passage
from attnsolve.derivations.names import names
from attnsolve.derivations.premises import numbers
from attnsolve.derivations.writing import Passage
from attnsolve.numbers.written import Real, write
from attnsolve.operations.formula import Ref
from attnsolve.spec.given import DotProduct
from attnsolve.spec.problem import Problem

NAMES = names("D_k: size", "mu: number", "sigma, v: positive", "q, k: normal(mu, sigma, D_k)")
ENTRY = names("mu: number", "sigma: positive", "x, y: normal(mu, sigma)")
"""One entry of each vector."""
SCALED = NAMES.also("s: positive")
VARIANCE = "D_k*(sigma^4 + 2*mu^2*sigma^2)"
USUAL = {"mu": 0, "sigma": 1, "v": 1}
"""The case everybody uses."""


def derive(problem: Problem, given: DotProduct) -> list[Passage]:
    """Setting, mean, variance, the scale; and a simulation if one is asked for."""
    passages = [_setting(given), _expectation(given), _variance(given), _scale(given)]
    if given.simulate is not None:
        from attnsolve.derivations.dot_product_simulation import simulation

        passages.append(simulation(given.simulate, given, VARIANCE))
    return passages


@passage("setting", "The setting", NAMES)
def _setting(writing: Argument, given: DotProduct) -> None:
    writing.paragraph(
        "{q} and {k} are vectors with {D_k} entries. All of their entries are independent of each other, and each is"
        " drawn from the same normal distribution:"
    )
    writing.lines(*(writing.declaration(letter, "i") for letter in "qk"))
    if given.values:
        fixed = [writing.value(name, value) for name, value in given.values.items()]
        writing.paragraph("The general case comes first; then the values that the problem gives:")
        writing.lines(*fixed)


@passage("expectation", "The mean {E(q^T*k)}", NAMES)
def _expectation(writing: Argument, given: DotProduct) -> None:
    writing.chain(
        "E(q^T*k)",
        ("= E(sum(i=1..D_k, q[i]*k[i]))", "the dot product, written out"),
        ("= sum(i=1..D_k, E(q[i]*k[i]))", "linearity of expectation"),
        ("= sum(i=1..D_k, E(q[i])*E(k[i]))", "{q[i]} and {k[i]} are independent"),
        ("= sum(i=1..D_k, mu^2)", "each has mean {mu}"),
        ("= D_k*mu^2", "{D_k} equal terms"),
    )
    _special(writing, given, "E(q^T*k)", "D_k*mu^2", {"mu": Fraction(0)})
    _result(writing, given, "expectation", "E(q^T*k)", "D_k*mu^2")


@passage("variance", "The variance {Var(q^T*k)}", NAMES)
def _variance(writing: Argument, given: DotProduct) -> None:
    writing.chain(
        "Var(q^T*k)",
        ("= Var(sum(i=1..D_k, q[i]*k[i]))", "the dot product, written out"),
        ("= sum(i=1..D_k, Var(q[i]*k[i]))", "the products are independent"),
    )
    writing.paragraph("So we need the variance of one product {q[i]*k[i]}. First, the mean of a square:")
    one = writing.about(ENTRY, {"x": n.Sym("q", ("i",)), "y": n.Sym("k", ("i",))})
    one.chain(
        "E(x^2)",
        ("= Var(x) + E(x)^2", "definition of the variance, rearranged"),
        ("= sigma^2 + mu^2", "the same for {x} and {y}"),
    )
    one.paragraph("Then the variance of the product:")
    one.chain(
        "Var(x*y)",
        ("= E(x^2*y^2) - E(x*y)^2", "definition of the variance"),
        ("= E(x^2)*E(y^2) - (E(x)*E(y))^2", "{x} and {y} are independent"),
        ("= (sigma^2 + mu^2)^2 - mu^4", "the means just found"),
        ("= sigma^4 + 2*mu^2*sigma^2", "multiplied out"),
    )
    writing.paragraph("There are {D_k} such terms, all equal:")
    writing.chain(
        "Var(q^T*k)",
        (f"= {VARIANCE}", "{D_k} times the variance just found"),
    )
    _special(writing, given, "Var(q^T*k)", VARIANCE, {"mu": Fraction(0), "sigma": Fraction(1)})
    _result(writing, given, "variance", "Var(q^T*k)", VARIANCE)


def _special(writing: Argument, given: DotProduct, symbol: str, formula: str, usual: Mapping[str, Fraction]) -> None:
    """The formula with the problem's numbers put in; and in the case everybody uses, unless they speak of another."""
    used = {part.name for part in parse_term(formula).walk() if isinstance(part, Ref)}
    values = {k: v for k, v in given.values.items() if k in used}
    if values:
        _with(writing, "With {values}:", symbol, formula, values)
    if not usual.keys() & given.values.keys():
        values |= usual
        _with(writing, "In the usual case, {values}:", symbol, formula, values)


def _case(writing: Argument, description: str, values: Mapping[str, Fraction]) -> None:
    """A sentence with the values that some letters have from here on."""
    listed = ", ".join(f"{{{name}}}" for name in values)
    writing.paragraph(description.format(values=listed), **{name: writing.value(name, x) for name, x in values.items()})


def _with(writing: Argument, description: str, symbol: str, formula: str, values: Mapping[str, Fraction]) -> None:
    """A formula with some numbers put in."""
    _case(writing, description, values)
    put_in = parse_term(formula).substitute(numbers(values))
    outcome = writing.expression(put_in)
    plain = write(outcome, "fraction") == put_in.notation(writing.write)
    writing.equation(writing.put_in(f"{symbol} = {formula}", values, formula, put_in, *([] if plain else [outcome])))


def _result(writing: Argument, given: DotProduct, id: str, symbol: str, formula: str) -> None:
    value = writing.expression(parse_term(formula).substitute(numbers(given.values)))
    writing.result(id, symbol, value, Real.of(value) if not value.free_symbols else None)


@passage("scale", "The scale {s}", SCALED)
def _scale(writing: Argument, given: DotProduct) -> None:
    wanted = "v" if given.variance is None else str(given.variance)
    writing.paragraph(
        f"We want every score, divided by {{s}}, to have variance {{{wanted}}}. A constant factor comes out of a mean"
        " unchanged, and out of a variance squared:"
    )
    writing.chain("E(q^T*k/s)", ("= E(q^T*k)/s", "linearity of expectation"), ("= D_k*mu^2/s", "the mean found above"))
    writing.chain(
        "Var(q^T*k/s)",
        ("= Var(q^T*k)/s^2", "a constant comes out squared"),
        (f"= {VARIANCE}/s^2", "the variance found above"),
    )
    square = f"{VARIANCE}/v" if wanted == "v" else VARIANCE if wanted == "1" else f"{VARIANCE}/({wanted})"
    writing.paragraph("This is the variance we want exactly if")
    writing.equation(writing.roots(f"{VARIANCE}/s^2 = {wanted}", "s", square, f"-({wanted})/s^2"))
    for sign in ("", "-"):
        writing.requires(f"Var(q^T*k/({sign}sqrt({square}))) = {wanted}")
    _special_scale(writing, given)
    writing.paragraph(
        "Both signs give the same variance. We take the positive one, since a negative divisor would reverse the"
        " ranking: the softmax would then favour the keys that match the query least."
    )
    if given.mu != 0:
        writing.notes(
            "The mean of the scaled score is {D_k*mu^2/s}: whatever {s} is, it is 0 only if {zero}. Scaling alone"
            " cannot centre the scores, but it does not have to: the softmax does not change when all scores shift"
            " together.",
            zero=writing.vanishes("D_k*mu^2/s", "mu", "D_k/s"),
        )


def _special_scale(writing: Argument, given: DotProduct) -> None:
    equation, scale = writing.root("s", given.values)
    if given.values.keys() & {"mu", "sigma", "D_k"}:
        _case(writing, "With {values}:", given.values)
        writing.equation(equation)
    if not given.values.keys() & {"mu", "sigma"}:
        values = {**{name: Fraction(x) for name, x in USUAL.items()}, **given.values}
        equation, usual = writing.root("s", values)
        _case(writing, "In the usual case, {values}:", values)
        writing.equation(equation)
        scale = usual if not given.values else scale
    writing.result("scale", n.Sym("s"), scale, None if scale.free_symbols else Real.of(scale))
