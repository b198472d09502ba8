"""A claim of the reader's own: proved, refuted with a counterexample, or found to hold at every point tried."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from attnsolve.algebra.declared import (
    Declared,
    Defined,
    Fixed,
    Free,
    Index,
    Normal,
    Orthonormal,
    Permutation,
    Size,
)
from attnsolve.algebra.declared import Scalar as Letter
from attnsolve.algebra.functions import Limit, Summed
from attnsolve.algebra.grammar import RESERVED, parse_call, parse_chain, parse_term
from attnsolve.algebra.table import TermError
from attnsolve.algebra.terms import Name, Number, Term
from attnsolve.algebra.verify import Claim, Counterexample, Finding
from attnsolve.bounds import allowed
from attnsolve.derivations.argument import Argument
from attnsolve.derivations.findings import explained, verdict
from attnsolve.derivations.given import plain_matrix
from attnsolve.derivations.writing import Passage
from attnsolve.errors import Fault, Mark, ProblemError, count, nearest
from attnsolve.numbers.written import Figures, Real
from attnsolve.spec import reader
from attnsolve.spec.fields import Fields, read_text
from attnsolve.spec.problem import Problem

SORTS = {
    "matrix": "matrix(n, d), of any entries",
    "vector": "vector(n), a column",
    "row": "row(n)",
    "number": "a real number",
    "positive": "a positive number",
    "nonnegative": "a number that is not negative",
    "size": "a whole number, at least 1; size(2), at least 2",
    "index": "index(n), a place from 1 to n",
    "permutation": "permutation(n), a permutation matrix",
    "orthonormal": "orthonormal(n), a square matrix with orthonormal rows",
    "normal": "normal(mu, sigma, n), a vector of independent normal entries",
}
"""What a letter may be declared as."""
MEANT = {
    **dict.fromkeys(("real", "scalar", "reals", "float"), "number"),
    **dict.fromkeys(("integer", "int", "natural"), "size"),
    "column": "vector(n)",
}
"""Words that people try."""


@dataclass(frozen=True)
class Given:
    """The names, the terms of the chain with the relations between them, and where the claim stands in its file."""

    names: Mapping[str, Declared]
    terms: tuple[Term, ...]
    relations: tuple[str, ...]
    at: Mark


def read(fields: Fields) -> Given | None:
    """Read the declarations and the claim."""
    names = _read_names(fields)
    node = fields.get("claim")
    if node is None:
        fields.faults.add(fields.node, "there is no claim", "add claim: left = right")
        return None
    lines = node.items if isinstance(node, reader.Sequence) else (node,)
    text = " ".join(read_text(line, "the claim", fields.faults, "claim_characters") for line in lines)
    try:
        terms, relations = parse_chain(text)
        unknown = [name for name in _unknown(terms, names) if name not in _stated(fields)]
    except TermError as error:
        fields.faults.add(node, f"in the claim: {error}", error.fix)
        return None
    if len(relations) > allowed().claim_links:
        fields.faults.add(
            node, f"a chain may have {allowed().claim_links} links at most, but this has {len(relations)}"
        )
    if unknown:
        close = f"; {nearest(unknown[0], names)}" if names else ""
        fix = f"declare it under given:, as in {{{unknown[0]}: number}}{close}"
        fields.faults.add(node, f"the claim speaks of {unknown[0]!r}, which is not declared", fix)
    if fields.faults.found:
        return None
    return Given(names, tuple(terms), tuple(relations), node.at)


def _read_names(fields: Fields) -> dict[str, Declared]:
    node, faults = fields.get("given"), fields.faults
    if node is None:
        return {}
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "given", "a mapping such as {X: 'matrix(3, 2)'}")
        return {}
    if len(node.entries) > allowed().claim_letters:
        faults.add(node, f"a claim may declare {allowed().claim_letters} letters at most")
        return {}
    inner = Fields(node, [key.text for key, _ in node.entries], faults)
    names: dict[str, Declared] = {}
    for key, value in node.entries:
        if not _may_be_declared(key.text):
            faults.add(key, f"{key.text!r} can't be declared", "write a letter, or a letter and an index such as W_Q")
            continue
        declared = _declared(inner, key.text, value, names)
        if declared is not None:
            names[key.text] = declared
    return names


def _may_be_declared(name: str) -> bool:
    """Whether a name is spelled like one, and stands for nothing else: e is Euler's number where a term is printed."""
    spelled = re.fullmatch(r"[^\W\d_]{1,12}(_\w{1,6})?", name) is not None
    return spelled and all(c.isalpha() or c.isdecimal() or c == "_" for c in name) and name not in (*RESERVED, "e")


def _declared(fields: Fields, name: str, node: reader.Node, names: dict[str, Declared]) -> Declared | None:
    faults = fields.faults
    if not isinstance(node, reader.Scalar):
        matrix = plain_matrix(fields, name)
        if matrix is None or not matrix.rows:
            return None
        if max(matrix.shape) > allowed().claim_side:
            faults.add(
                node,
                f"{name} is too large: a claim's matrices may have {allowed().claim_side} rows and columns at most",
            )
            return None
        return Fixed(matrix.rows)
    try:
        return _sort(node.text, names)
    except TermError as error:
        cut = node.text.count("(") > node.text.count(")") and not node.quoted
        faults.add(node, f"in {name}: {error}", "put it in quotes: a comma ends it here" if cut else error.fix)
        return None


def _sort(text: str, names: dict[str, Declared]) -> Declared:
    """What a text declares: one of the sorts, or what a term says."""
    word, arguments = parse_call(text, SORTS)
    if not word:
        term = parse_term(text)
        _check_known([term], names)
        return Defined(term)
    wanted = {"matrix": (2,), "normal": (2, 3), "size": (0, 1), "number": (0,), "positive": (0,), "nonnegative": (0,)}
    if len(arguments) not in wanted.get(word, (1,)):
        raise TermError(f"{word} can't have {count(len(arguments), 'argument')}", f"write {SORTS[word]}")
    if word == "size":
        least = arguments[0] if arguments else Number(Fraction(1))
        if (
            not isinstance(least, Number)
            or least.rational.denominator != 1
            or not 1 <= least.rational <= allowed().claim_side
        ):
            raise TermError(f"the least size must be a whole number up to {allowed().claim_side}")
        return Size(int(least.rational))
    if word in ("number", "positive", "nonnegative"):
        return Letter("real" if word == "number" else word)
    sizes = arguments[2:] if word == "normal" else arguments
    for size in sizes:
        _declare_size(size, names)
    if word == "normal":
        _check_known(arguments[:2], names)
    one = Number(Fraction(1))
    match word:
        case "matrix":
            return Free(arguments[0], arguments[1])
        case "vector":
            return Free(arguments[0], one)
        case "row":
            return Free(one, arguments[0])
        case "index":
            return Index(arguments[0])
        case "permutation":
            return Permutation(arguments[0])
        case "orthonormal":
            return Orthonormal(arguments[0])
    return Normal(arguments[0], arguments[1], arguments[2] if len(arguments) == 3 else one)


def _declare_size(size: Term, names: dict[str, Declared]) -> None:
    """A letter in the place of a size is one."""
    if isinstance(size, Name) and size.name not in names:
        names[size.name] = Size()
    elif isinstance(size, Number):
        if size.rational.denominator != 1 or not 1 <= size.rational <= allowed().claim_side:
            raise TermError(f"a size must be a whole number from 1 to {allowed().claim_side}, or a letter")
    elif not (isinstance(size, Name) and isinstance(names[size.name], Size)):
        raise TermError("a size must be a whole number or a letter", "write matrix(3, 2) or matrix(n, d)")


def _unknown(terms: list[Term], names: Mapping[str, Declared]) -> list[str]:
    own = {t.index for term in terms for t in term.walk() if isinstance(t, Summed)}
    used = [t.name for term in terms for t in term.walk() if isinstance(t, Name)]
    used += [t.symbol for term in terms for t in term.walk() if isinstance(t, Limit)]
    return [name for name in used if name not in names and name not in own]


def _check_known(terms: list[Term], names: Mapping[str, Declared]) -> None:
    if unknown := _unknown(terms, names):
        word = MEANT.get(unknown[0].casefold())
        fix = f"did you mean {word}?" if word else f"declare it above; {nearest(unknown[0], [*names, *SORTS])}"
        raise TermError(f"{unknown[0]!r} is not declared", fix)


def _stated(fields: Fields) -> set[str]:
    """Every name under `given`, also of what could not be read, which is told already."""
    node = fields.get("given")
    return {key.text for key, _ in node.entries} if isinstance(node, reader.Mapping) else set()


def derive(problem: Problem, given: Given) -> list[Passage]:
    """What is given, and what was found out about each link of the claim."""
    try:
        passages = [_given(given)] if given.names else []
        return [*passages, _claim(given)]
    except TermError as error:
        raise ProblemError([Fault(problem.file, given.at, f"the claim has no value: {error}", error.fix)]) from None


def _given(given: Given) -> Passage:
    writing = Argument("given", "Given", given.names)
    writing.lines(*map(writing.declaration, given.names))
    return writing.finish()


def _claim(given: Given) -> Passage:
    writing = Argument("claim", "The claim", given.names)
    writing.asks(given.terms, given.relations)
    pairs = list(zip(given.terms, given.relations, given.terms[1:], strict=False))
    for place, (left, relation, right) in enumerate(pairs, start=1):
        claim = Claim(left, relation, right)
        finding = writing.verifier.verify(claim)
        which = f"Link {place} of {len(pairs)}: " if len(pairs) > 1 else ""
        _told(writing, claim, finding, which)
        writing.holds(verdict(finding, which), finding.holds)
    return writing.finish()


def _told(writing: Argument, claim: Claim, finding: Finding, which: str) -> None:
    if finding.counterexample is None:
        writing.reports(explained(claim, finding, writing.verifier.terms(claim), which))
        return
    writing.says(f"{which}Refuted. A counterexample:")
    writing.add(*writing.counterexample(claim, finding.counterexample))
    _gap(writing, finding.counterexample)


def _gap(writing: Argument, example: Counterexample) -> None:
    """The difference of the sides, where the digits that are shown do not tell them apart."""
    if not example.is_visible:
        gap = Figures(6, "fraction").decimal(Real(None, lambda _: example.gap))
        writing.says("These differ by {d}, which is not 0.", d=gap.notation)
