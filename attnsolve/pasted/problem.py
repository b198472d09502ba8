"""Pasted matrices as a problem file: attention where their names are those of attention, else formulas."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attnsolve.errors import Fault, ProblemError, listed
from attnsolve.loading.files import parse
from attnsolve.pasted.matrix import Pasted
from attnsolve.pasted.scanner import Scanner

_PLAIN = re.compile(r"[-+]?[\w.(√½¼¾π][\w.+*/^()√½¼¾π−]*")
"""What stands in a YAML list as it is; anything else is put in quotes."""
_OF_TOKENS = ("x", "q", "s", "k")
"""Matrices whose rows are tokens, the likeliest first."""
_UNKNOWN = "unknown key"
NO_WIDTH = "d_k is unknown"
SCALING = "scaling: none  # the scores as they are; sqrt_dk or a number divides them\n"
FORMULAS = "formulas:  # those of your sheet; * is the matrix product, ^T the transpose\n"


def as_problem(matrices: Sequence[Pasted], scanner: Scanner) -> str:
    """The text of a problem file; what keeps it from being solved is told with the places of the matrices."""
    _check_names(matrices, scanner)
    text = _attention(matrices)
    faults = _faults(text)
    if any(NO_WIDTH in fault.message for fault in faults):
        text = _attention(matrices, SCALING)
        faults = _faults(text)
    unknown = [fault for fault in faults if fault.message.startswith(_UNKNOWN)]
    if unknown and not any(folded(matrix.name) in OF_ATTENTION for matrix in matrices):
        text = _formulas(matrices)
        faults = _faults(text)
    if faults:
        raise ProblemError(_placed(fault, text, matrices, scanner) for fault in faults)
    return text


OF_ATTENTION = {"q", "k", "v", "x", "wq", "wk", "wv", "queries", "keys", "values", "inputs"}
"""Names that nothing else has."""


def folded(name: str) -> str:
    """A name without its capitals and signs."""
    return re.sub(r"[\W_]", "", name).lower()


def _check_names(matrices: Sequence[Pasted], scanner: Scanner) -> None:
    seen: dict[str, int] = {}
    for matrix in matrices:
        if not matrix.name:
            fix = "write its name and = before it, such as Q ="
            raise scanner.fault("this matrix has no name", fix, matrix.at)
        if matrix.name in seen:
            line = scanner.mark(seen[matrix.name]).line
            raise scanner.fault(f"{matrix.name} stands on line {line} already", "keep one of the two", matrix.at)
        seen[matrix.name] = matrix.at


def _faults(text: str) -> list[Fault]:
    try:
        parse(text, "")
    except ProblemError as error:
        return list(error.faults)
    return []


def _placed(fault: Fault, text: str, matrices: Sequence[Pasted], scanner: Scanner) -> Fault:
    """A fault of the problem file at the matrix that it is about."""
    lines = text.splitlines()[: fault.at.line]
    starts = [line.strip().partition(":")[0] for line in lines]
    about = next((m for start in reversed(starts) for m in matrices if m.name == start.strip("'")), matrices[0])
    message, fix = fault.message, fault.fix
    if message.startswith(_UNKNOWN):
        message = f"{about.name} is no matrix of attention"
        fix = "its matrices are X, Q, K, V, W_Q, W_K, W_V, W_O, S (scores) and M (mask): leave others out"
    return Fault(scanner.file, scanner.mark(about.at), message, fix)


# ── the file ────────────────────────────────────────────────────────────────────────────────────


def _attention(matrices: Sequence[Pasted], more: str = "") -> str:
    written = "".join(_written(matrix) for matrix in matrices)
    return f"title: {_title(matrices)}\n{_tokens(matrices)}{written}{more}"


def _formulas(matrices: Sequence[Pasted]) -> str:
    """A problem with the first product that can be formed, as an example."""
    written = "".join(_written(matrix, "  ") for matrix in matrices)
    product = next(
        (
            f"{a.name}*{b.name}"
            for a in matrices
            for b in matrices
            if a is not b and not a.flat and not b.flat and len(a.rows[0]) == len(b.rows)
        ),
        f"2*{matrices[0].name}",
    )
    result = next(letter for letter in ("Y", "Z", "Result") if letter not in {matrix.name for matrix in matrices})
    return f"kind: formulas\ntitle: {_title(matrices)}\ngiven:\n{written}{FORMULAS}  {result}: {product}\n"


def _title(matrices: Sequence[Pasted]) -> str:
    return f"A problem with {listed([matrix.name for matrix in matrices])}"


def _tokens(matrices: Sequence[Pasted]) -> str:
    """The labels of the rows that are tokens, unless two have the same."""
    for name in _OF_TOKENS:
        for matrix in matrices:
            labels = matrix.labels
            if folded(matrix.name) == name and all(labels) and labels and len(set(labels)) == len(labels):
                return f"tokens: [{', '.join(map(_quoted, labels))}]\n"
    return ""


def _quoted(label: str) -> str:
    return label if re.fullmatch(r"[A-Za-z]\w*", label) else "'{}'".format(label.replace("'", "''"))


def _written(matrix: Pasted, indent: str = "") -> str:
    name = matrix.name if re.fullmatch(r"\w+", matrix.name) else f"'{matrix.name}'"
    rows = ["[" + ", ".join(_entry(entry.text) for entry in row) + "]" for row in matrix.rows]
    if matrix.flat:
        return f"{indent}{name}: {rows[0]}\n"
    return f"{indent}{name}:\n" + "".join(f"{indent}  - {row}\n" for row in rows)


def _entry(text: str) -> str:
    return text if _PLAIN.fullmatch(text) else "'{}'".format(text.replace("'", "''"))
