"""Text to a tree: numbers, formulas, claims and names of cells. What may be written is in `language.grammar`."""

from __future__ import annotations

import re
from collections.abc import Collection

from attnsolve.bounds import allowed
from attnsolve.language.grammar import Parser, too_long
from attnsolve.language.number_grammar import NumberParser
from attnsolve.language.syntax import Node, PlaceName
from attnsolve.language.tokens import LanguageError, Level, Tokens, tokenise
from attnsolve.language.typography import as_typed


def parse_number(text: str, tokens: Tokens) -> Node:
    """Read a number, of tokens that were counted before."""
    return NumberParser(text, tokens, "number").whole()


def parse_formula(text: str) -> Node:
    """Read a formula.

    >>> parse_formula("-x^2") == parse_formula("-(x^2)").inner
    False
    """
    return _formula(text, "formula")


def parse_term(text: str) -> Node:
    """Read one side of a claim."""
    return _formula(text, "claim")


def _formula(text: str, level: Level) -> Node:
    parser = Parser(text, _tokens(text, level, allowed().link_characters), level)
    node = parser.expression()
    parser.finish()
    return node


def parse_relations(text: str) -> tuple[list[Node], list[str]]:
    """Read what is to be shown of a sheet's quantities: formulas, and the relations between them."""
    parser = Parser(text, _tokens(text, "formula", allowed().claim_characters), "formula")
    return _chain(parser, text)


def parse_chain(text: str) -> tuple[list[Node], list[str]]:
    """Read a claim: its terms, and the relations between them."""
    parser = Parser(text, _tokens(text, "claim", allowed().claim_characters), "claim")
    return _chain(parser, text)


def _chain(parser: Parser, text: str) -> tuple[list[Node], list[str]]:
    terms, relations = [parser.link()], []
    while (sign := parser.accept("=", "<=", ">=")) is not None:
        if sign == "=" and parser.accept("="):
            raise parser.error(f"'==' has no meaning in {text!r}", "write =")
        relations.append(sign)
        terms.append(parser.link())
    parser.finish("=, <= or >=" if not relations else "")
    if not relations:
        raise LanguageError("a claim needs a relation", "write left = right (or <=, >=)")
    return terms, relations


def parse_sort(text: str, words: Collection[str]) -> tuple[str, list[Node]]:
    """Read one of some words, with its arguments in brackets if it has any; "" if the text is none of them."""
    parser = Parser(text, _tokens(text, "claim", allowed().link_characters), "claim")
    word = parser.accept(*words)
    if word is None:
        return "", []
    arguments: list[Node] = []
    if parser.accept("("):
        arguments.append(parser.expression())
        while parser.accept(","):
            arguments.append(parser.expression())
        parser.expect(")", "the arguments")
    parser.finish()
    return word, arguments


def _tokens(text: str, level: Level, longest: int) -> Tokens:
    if len(text) > longest:
        raise too_long(len(text), longest)
    return tokenise(text, level)


# ── cell names ──────────────────────────────────────────────────────────────────────────────────


def parse_place(text: str) -> PlaceName:
    """Read the name of a quantity or of some of its cells, typed or copied from the page. What stands in it is up to
    the problem (`attention weights[New York]`), so any text is a name; only what surrounds it is grammar.

    >>> parse_place("layer 2, head 1: A[3,1].products")
    PlaceName(name='A', indices=('3', '1'), path=(('layer', '2'), ('head', '1')), inner='products', within=())
    >>> parse_place("z⁽⁰⁾₃,₁")
    PlaceName(name='z_3,1', indices=(), path=(('', '0'),), inner='', within=())
    """
    name = text.strip()
    path, name = _prefix(name)
    name = as_typed(as_gradient(name))
    name, above = _without_above(name)
    path += above
    name, inner, within = _inner(name.strip())
    name, _, steps = name.partition("@")
    if steps:
        steps, bracket, rest = steps.partition("[")
        path += tuple(("", step.strip()) for step in steps.split("."))
        name += bracket + rest
    name, indices = _indexed(name.strip())
    return PlaceName(_without_braces(name), indices, path, inner, within)


_RATIO = re.compile(r"(?:[d∂]\s*[^\W\d_]\w*\s*/\s*[d∂]|d[A-Z]\w*_d(?=[A-Z])|∂)\s*(?P<to>[^\W\d].*)")


def as_gradient(name: str) -> str:
    """The derivative of a loss by its short name; any other name as it is.

    >>> as_gradient("dL/dS[1,2]"), as_gradient("∂L/∂W_Q"), as_gradient("dL_dS"), as_gradient("d_k")
    ('dS[1,2]', 'dW_Q', 'dS', 'd_k')
    """
    ratio = _RATIO.fullmatch(name.strip())
    return name if ratio is None else f"d{ratio['to']}"


_GROUPS = ("head", "step", "decoder step", "layer", "block")


def _prefix(name: str) -> tuple[tuple[tuple[str, str], ...], str]:
    """`layer 2, head 1:` or `t = 3:` before a name."""
    before, colon, after = name.partition(":")
    found = []
    for step in before.split(","):
        word, _, number = step.strip().rpartition(" ")
        if len(letter := word.removesuffix("=").strip()) == 1 and letter.isalpha() and number.isalnum():
            found.append((letter, number))
            continue
        if " ".join(word.lower().split()) not in _GROUPS or (not number.isidentifier() and not number.isalnum()):
            return (), name
        found.append((" ".join(word.lower().split()).removeprefix("decoder "), number))
    return (tuple(found), after.strip()) if colon and after.strip() else ((), name)


def _without_above(name: str) -> tuple[str, tuple[tuple[str, str], ...]]:
    """z^(0)_3 as z_3 of 0."""
    for opening, closing in (("^{(", ")}"), ("^(", ")")):
        before, found, rest = name.partition(opening)
        step, closed, after = rest.partition(closing)
        if found and closed and step.replace("_", "a").isalnum():
            return before + after, (("", step),)
    return name, ()


def _inner(name: str) -> tuple[str, str, tuple[str, ...]]:
    """`.exponentials` behind a name, or behind its indices or its path; and the indices of that."""
    before, dot, after = name.rpartition(".")
    word, indices = _indexed(after)
    if dot and before and word.isidentifier() and word.isascii():
        return before, word, indices
    return name, "", ()


def _indexed(name: str) -> tuple[str, tuple[str, ...]]:
    """[3, 1] behind a name; what has more or fewer indices is left in the name, which then means nothing."""
    before, bracket, rest = name.partition("[")
    indices = tuple(index.strip() for index in rest.removesuffix("]").split(","))
    whole = bracket and before.strip() and rest.endswith("]") and rest.count("]") == 1 and "[" not in rest
    return (before.strip(), indices) if whole and len(indices) <= 2 and all(indices) else (name, ())


def _without_braces(name: str) -> str:
    """z_{3, 1} as z_3,1."""
    before, brace, rest = name.partition("_{")
    inner, closed, after = rest.partition("}")
    return (
        f"{before}_{inner.replace(' ', '')}{_without_braces(after)}" if brace and closed and "{" not in inner else name
    )
