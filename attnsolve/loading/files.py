"""Files to Problems: reads the text of a file (`sources` finds it) and hands each document to the reader of its
kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnsolve.errors import FileProblem, ProblemError, plain
from attnsolve.kinds import builder_of, check, refuse_beyond
from attnsolve.loading.sources import named, read_text_file
from attnsolve.numbers import Style
from attnsolve.spec import reader
from attnsolve.spec.chosen import title_of, wanted
from attnsolve.spec.fields import Faults, Fields
from attnsolve.spec.header import FIRST, HEADER, read_keys
from attnsolve.spec.own_keys import OWN
from attnsolve.spec.parts import is_relation
from attnsolve.spec.problem import Problem
from attnsolve.spec.spelling import hint, spelled

if TYPE_CHECKING:
    from attnsolve.spec.formulas import Formulas

KINDS = {
    "attention": "attnsolve.spec.attention",
    "seq2seq": "attnsolve.spec.seq2seq",
    "derivation": "attnsolve.spec.derivation",
    "random-keys": "attnsolve.spec.random_keys",
    "formulas": "attnsolve.spec.formulas",
}
"""Where each kind's reader lives: a module with all that
`spec.keys.Kind` lists, a read(), and ELSEWHERE if it says of some unknown keys where they go."""
DEFAULT_KIND = "attention"
EXTENDED = ("attention", "seq2seq")
"""Kinds that a file may extend with formulas of its own."""


def load_chosen(
    path: str | os.PathLike[str], chosen: str | None = None
) -> tuple[tuple[str, ...], dict[int, Problem | ProblemError]]:
    """The title of every problem of a file; and by their numbers the problems themselves, or what is wrong with them.
    Of one that was `chosen` only its own faults matter."""
    name = named(os.fspath(path))
    documents = _documents(read_text_file(os.fspath(path)), name)
    titles = tuple(map(title_of, documents))
    numbers = wanted(name, titles, chosen)
    found = _each([documents[number - 1] for number in numbers], name, check=True)
    return titles, dict(zip(numbers, found, strict=True))


def load_one(path: str | os.PathLike[str]) -> Problem:
    """Read a file that holds one problem."""
    problems = load_all(path)
    if len(problems) != 1:
        raise FileProblem(f"{plain(os.fspath(path))}: it has {len(problems)} problems, but one was expected")
    return problems[0]


def load_all(path: str | os.PathLike[str], *, check: bool = True) -> tuple[Problem, ...]:
    """Read every problem of a file; unless `check`, only their headings."""
    name = os.fspath(path)
    return parse(read_text_file(name), named(name), check=check)


def parse(text: str, file: str, *, check: bool = True) -> tuple[Problem, ...]:
    """Read every problem of a text; `file` is the name that messages give.

    Each problem's graph is built once, to see that nothing it needs is missing. With `check` off only the heading is
    read, which is all that a list of problems shows, and the body is None.
    """
    return read_nodes(_documents(text, file), file, check=check)


def read_nodes(documents: Iterable[reader.Node], file: str, *, check: bool = True) -> tuple[Problem, ...]:
    """Problems from what was written, or handed over; what is wrong in any of them is told at once."""
    return only_good(_each(documents, file, check=check))


def only_good(found: Iterable[Problem | ProblemError]) -> tuple[Problem, ...]:
    """Problems, if nothing is wrong with any of them."""
    found = list(found)
    faults = [fault for error in found if isinstance(error, ProblemError) for fault in error.faults]
    if faults:
        raise ProblemError(faults)
    return tuple(problem for problem in found if isinstance(problem, Problem))


def _documents(text: str, file: str) -> list[reader.Node]:
    documents = [node for node in reader.read_documents(text, file) if not is_blank(node)]
    if not documents:
        raise FileProblem(f"{plain(file)}: the file is empty; a problem needs at least inputs and weights")
    return documents


def _each(documents: Iterable[reader.Node], file: str, *, check: bool) -> list[Problem | ProblemError]:
    """Every problem, or what is wrong with it; several that take too long together are refused together."""
    found: list[Problem | ProblemError] = []
    costs: list[int] = []
    for node in documents:
        problem, cost = _one(node, Faults(file), check)
        found.append(problem)
        costs.append(cost)
    problems = [problem for problem in found if isinstance(problem, Problem)]
    if check and len(problems) > 1:
        refuse_beyond(problems[0], sum(costs), "write the problems into several files")
    return found


def _one(node: reader.Node, faults: Faults, whole: bool) -> tuple[Problem | ProblemError, int]:
    """A problem, or what is wrong with it; and what it costs to work out."""
    read, cost = _read(node, faults, whole), 0
    if read is not None and whole:
        cost = check(*read)
    return (ProblemError(faults.found), 0) if read is None or faults.found else (read[0], cost)


def is_blank(node: reader.Node) -> bool:
    """Whether nothing is written between two `---`."""
    return isinstance(node, reader.Scalar) and not node.text and not node.quoted


def _read(node: reader.Node, faults: Faults, whole: bool) -> tuple[Problem, Fields] | None:
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "a problem", "a mapping with keys such as inputs and weights")
        return None
    kind = Fields(node, [key.text for key, _ in node.entries], faults).choice("kind", KINDS, DEFAULT_KIND)
    module = _kind_of(kind, node)
    read: Callable[[Fields], Any] = module.read
    if faults.found:  # nothing else can be read before the kind is known
        return None
    node = spelled(node, module, faults)
    own = None
    if kind in EXTENDED and _has_own(node):
        from attnsolve.spec.formulas import own_part

        node, own = own_part(node, module.kind)
    fields = _fields(node, kind, module, faults)
    before = len(faults.found)
    header = read_keys(FIRST, fields, module)
    faults.symbols = header["symbols"]
    if header["numbers"] == "float":
        from attnsolve.spec.floating import read_floats

        faults.floats = read_floats
    if len(faults.found) > before:  # and no number before it is known what numbers there are
        return None
    header |= read_keys([key for key in HEADER.values() if key not in FIRST], fields, module)
    if faults.floats is not None:
        from attnsolve.spec.floating import refuse_exact

        refuse_exact(fields, header["parts"], header["rounding"])
    body = read(fields) if whole else None
    formulas = _read_own(own, body, faults) if own is not None and body is not None else None
    rounded = header["rounding"] is not None or faults.floats is not None
    style: Style = "decimal" if rounded or (faults.decimals and not faults.fractions) else "fraction"
    if faults.found:
        return None
    build = builder_of(kind) if whole else None
    return Problem(
        **header, file=faults.file, at=node.at, style=style, body=body, build=build, formulas=formulas
    ), fields


def _read_own(node: reader.Mapping, body: object, faults: Faults) -> Formulas:
    """The formulas with which a file extends its kind."""
    from attnsolve.spec.formulas import read_own

    return read_own(node, body, faults)


def _kind_of(kind: str, node: reader.Mapping) -> Any:
    """What a kind says of itself, and of one file where that depends on the names in it."""
    module = import_module(KINDS[kind])
    if hasattr(module, "of_file"):
        return module.of_file(node)
    if kind in EXTENDED and _has_own(node):
        from attnsolve.spec.formulas import extended

        return extended(module, node)
    return module


def _has_own(node: reader.Mapping) -> bool:
    """Whether a file states formulas of its own, be it in what its parts ask to be shown."""
    return any(key.text in OWN or (key.text == "parts" and _relates(value)) for key, value in node.entries)


def _relates(parts: reader.Node) -> bool:
    asked = [part for _, part in parts.entries] if isinstance(parts, reader.Mapping) else []
    keys = [entry for part in asked if isinstance(part, reader.Mapping) for entry in part.entries]
    return any(
        key.text == "show" and isinstance(value, reader.Scalar) and is_relation(value.text) for key, value in keys
    )


def _fields(node: reader.Mapping, kind: str, module: Any, faults: Faults) -> Fields:
    """The keys of a problem of some kind; those that it hasn't are noted, with what was probably meant."""
    known = [*(key for key in HEADER if key not in module.UNUSED), *module.KEYS]
    hints: dict[str, str] = {}
    if unknown := [(key.text, value) for key, value in node.entries if key.text not in known]:
        others = {name: import_module(KINDS[name]) for name in ("attention", "seq2seq") if name != kind}
        hints = {key: hint(key, value, kind, others) for key, value in unknown}
    return Fields(node, known, faults, elsewhere=hints | getattr(module, "ELSEWHERE", {}))
