"""What the topic `claim` reads: what letters stand for, and a chain of relations."""

from __future__ import annotations

import re
from collections.abc import Mapping

from attnsolve.algebra.declared import Declared, Fixed
from attnsolve.algebra.declaring import declared_as, unknown_in
from attnsolve.algebra.grammar import RESERVED, parse_chain
from attnsolve.algebra.table import TermError
from attnsolve.bounds import allowed
from attnsolve.errors import Mark, nearest
from attnsolve.operations.formula import Formula
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.fields import Fields, read_text
from attnsolve.spec.given import GIVEN, STATEMENT
from attnsolve.spec.readings import plain_matrix


@record
class Claimed(Record):
    """The names, the terms of the chain with the relations between them, and where the claim stands in its file."""

    names: Mapping[str, Declared]
    terms: tuple[Formula, ...]
    relations: tuple[str, ...]
    at: Mark


def read_claim(fields: Fields) -> Claimed | None:
    """Read the declarations and the claim."""
    names = _read_names(fields)
    node = STATEMENT.read(fields)
    if node is None:
        fields.faults.add(fields.node, "there is no claim", "add claim: left = right")
        return None
    lines = node.items if isinstance(node, reader.Sequence) else (node,)
    text = " ".join(read_text(line, "the claim", fields.faults, "claim_characters") for line in lines)
    try:
        terms, relations = parse_chain(text)
        unknown = [name for name in unknown_in(terms, names) if name not in _given_names(fields)]
    except TermError as error:
        fields.faults.add(node, f"in the claim: {error}", error.fix)
        return None
    if len(relations) > allowed().claim_links:
        fields.faults.add(
            node, f"a chain may have at most {allowed().claim_links} links, but this one has {len(relations)}"
        )
    if unknown:
        close = f"; {nearest(unknown[0], names)}" if names else ""
        fix = f"declare it under given:, as in {{{unknown[0]}: number}}{close}"
        fields.faults.add(node, f"the claim uses {unknown[0]!r}, which is not declared", fix)
    if fields.faults.found:
        return None
    return Claimed(names, tuple(terms), tuple(relations), node.at)


def _read_names(fields: Fields) -> dict[str, Declared]:
    node, faults = GIVEN.read(fields), fields.faults
    if node is None:
        return {}
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "given", "a mapping such as {X: 'matrix(3, 2)'}")
        return {}
    if len(node.entries) > allowed().claim_letters:
        faults.add(node, f"a claim may declare at most {allowed().claim_letters} letters")
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
                f"{name} is too large: a claim's matrices may have at most {allowed().claim_side} rows and columns",
            )
            return None
        return Fixed(matrix.rows)
    try:
        return declared_as(node.text, names)
    except TermError as error:
        cut = node.text.count("(") > node.text.count(")") and not node.quoted
        faults.add(node, f"in {name}: {error}", "put it in quotes: a comma ends it here" if cut else error.fix)
        return None


def _given_names(fields: Fields) -> set[str]:
    """Every name under `given`, also of what could not be read, which is told already."""
    node = GIVEN.read(fields)
    return {key.text for key, _ in node.entries} if isinstance(node, reader.Mapping) else set()
