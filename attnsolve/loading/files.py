"""Files to Problems: reads the text of a file (`sources` finds it) and hands each document to the reader of its
kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from attnsolve.errors import Fault, FileProblem, Mark, ProblemError, plain
from attnsolve.kinds import build_graph, builder_of, check, cost, refuse_beyond
from attnsolve.loading.shared import Documents, Spare, in_vain, left_out, sharing, without
from attnsolve.loading.sources import named, read_text_file
from attnsolve.numbers import Style
from attnsolve.record import Record, record
from attnsolve.spec import reader
from attnsolve.spec.chosen import title_of, wanted
from attnsolve.spec.compare import COMPARE, WrittenCase, has_cases, read_cases
from attnsolve.spec.fields import Faults, Fields
from attnsolve.spec.header import FIRST, HEADER, read_keys
from attnsolve.spec.own_keys import OWN
from attnsolve.spec.parts import is_relation
from attnsolve.spec.problem import Problem, ProblemCase
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
    titles = tuple(map(title_of, documents.nodes))
    numbers = wanted(name, titles, chosen)
    if chosen is not None:
        documents = Documents(tuple(documents.nodes[number - 1] for number in numbers), documents.spare)
    found = _each(documents, name, check=True, whole=chosen is None)
    return titles, _told_once(dict(zip(numbers, found, strict=True)))


def _told_once(found: dict[int, Problem | ProblemError]) -> dict[int, Problem | ProblemError]:
    """The same without the problems that have no faults but those of what they share with one before."""
    told: set[Fault] = set()
    kept: dict[int, Problem | ProblemError] = {}
    for number, problem in found.items():
        if not isinstance(problem, ProblemError):
            kept[number] = problem
        elif new := [fault for fault in problem.faults if fault not in told]:
            kept[number] = problem if len(new) == len(problem.faults) else ProblemError(new)
            told |= set(new)
    return kept


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


def read_nodes(documents: Documents, file: str, *, check: bool = True) -> tuple[Problem, ...]:
    """Problems from what was written, or handed over; what is wrong in any of them is told at once."""
    return only_good(_each(documents, file, check=check))


def only_good(found: Iterable[Problem | ProblemError]) -> tuple[Problem, ...]:
    """Problems, if nothing is wrong with any of them."""
    found = list(found)
    faults = [fault for error in found if isinstance(error, ProblemError) for fault in error.faults]
    if faults:
        raise ProblemError(faults)
    return tuple(problem for problem in found if isinstance(problem, Problem))


def _documents(text: str, file: str) -> Documents:
    documents = [node for node in reader.read_documents(text, file) if not is_blank(node)]
    if not documents:
        raise FileProblem(f"{plain(file)}: the file is empty; a problem needs at least inputs and weights")
    return sharing(documents, file)


def _each(documents: Documents, file: str, *, check: bool, whole: bool = True) -> list[Problem | ProblemError]:
    """Every problem, or what is wrong with it; several that take too long together are refused together. Of a `whole`
    file, every entry that is shared must be of use to one of them."""
    readings = [_needed(node, documents.spare, Faults(file), check) for node in documents.nodes]
    found = [reading.problem for reading in readings]
    problems = [problem for problem in found if isinstance(problem, Problem)]
    if check and len(problems) > 1:
        refuse_beyond(problems[0], sum(reading.cost for reading in readings), "write the problems into several files")
    if check and whole and (vain := in_vain(documents.spare, [reading.spared for reading in readings])):
        first = found[0]
        found[0] = ProblemError([*vain, *(first.faults if isinstance(first, ProblemError) else ())])
    return found


@record
class _Reading(Record):
    """A problem, or what is wrong with it; and what it costs to work out."""

    problem: Problem | ProblemError
    cost: int
    faults: Faults
    spared: dict[Mark, Fault]
    """Which of the entries that may be spared it does without."""
    vain: dict[Mark, Fault]
    """Which it has and does nothing with."""


def _needed(node: reader.Node, spare: Spare, start: Faults, whole: bool, *, alone: bool = False) -> _Reading:
    """A problem (`alone`: without its cases), read once more without those of the entries that may be spared that it
    has no use for, until there are none."""
    vain: dict[Mark, Fault] = {}
    while True:
        faults = start.replaced(found=[], letters={*start.letters}, in_vain={})
        problem, cost = (_alone if alone else _one)(node, faults, whole)
        new = {mark: fault for mark, fault in faults.in_vain.items() if mark in spare and mark not in vain}
        if not new or not isinstance(node, reader.Mapping):
            return _Reading(problem, cost, faults, left_out(node, spare, vain, faults.file), vain)
        vain |= new
        node = without(node, new)


def _one(node: reader.Node, faults: Faults, whole: bool) -> tuple[Problem | ProblemError, int]:
    """A problem, or what is wrong with it; and what it costs to work out."""
    if whole and has_cases(node) and (kind := _comparable(node)) is not None:
        assert isinstance(node, reader.Mapping)
        return _compared(node, kind, faults)
    return _alone(node, faults, whole)


def _alone(node: reader.Node, faults: Faults, whole: bool) -> tuple[Problem | ProblemError, int]:
    read, cost = _read(node, faults, whole), 0
    if read is not None and whole:
        cost = check(*read)
    return (ProblemError(faults.found), 0) if read is None or faults.found else (read[0], cost)


# ── cases ───────────────────────────────────────────────────────────────────────────────────────


def _comparable(node: reader.Node) -> Any:
    """What the kind of a problem says of itself, if it is one that has cases."""
    assert isinstance(node, reader.Mapping)
    kind = Fields(node, [key.text for key, _ in node.entries], Faults("")).choice("kind", KINDS, DEFAULT_KIND)
    module = _kind_of(kind, node)
    return module if COMPARE.name in module.KEYS else None


def _compared(node: reader.Mapping, kind: Any, faults: Faults) -> tuple[Problem | ProblemError, int]:
    """A problem with its cases, each read as a problem by itself: what one of them needs is no fault in another."""
    from attnsolve.loading.cases import case_nodes, spare_of

    written = read_cases(node, faults)
    nodes, spare = case_nodes(node, written, kind, faults), spare_of(node)
    if faults.found:
        return ProblemError(faults.found), 0
    own = spare_of(node, symbols=True)
    each = [_needed(one, own, Faults(faults.file), True, alone=True) for one in nodes]
    letters = {letter for reading in each for letter in reading.faults.letters}
    base = _needed(node, spare, Faults(faults.file, letters=letters), True, alone=True)
    faults.found += base.faults.found
    for mark, fault in base.vain.items():
        if all(key.at in reading.spared for key in spare[mark] for reading in each):
            faults.vain(fault.at, fault.message, fault.fix, (mark,))
    for case, reading in zip(written, each, strict=True) if not faults.found else ():
        for fault in reading.faults.found:
            faults.add(fault.at, f"in the case {case.name}: {fault.message}", fault.fix)
    if faults.found:
        return ProblemError(faults.found), 0
    return _with_cases(base, written, each, faults)


def _with_cases(
    base: _Reading, written: Sequence[WrittenCase], each: Sequence[_Reading], faults: Faults
) -> tuple[Problem | ProblemError, int]:
    """The problem that has the cases, if they differ from it and all together don't take too long."""
    from attnsolve.loading.cases import differs

    assert isinstance(base.problem, Problem)
    cases = tuple(
        ProblemCase(case.name, case.at, reading.problem, tuple(differs(case.changes)), case.swept)
        for case, reading in zip(written, each, strict=True)
        if isinstance(reading.problem, Problem)
    )
    decimals, fractions = (any(getattr(r.faults, name) for r in (base, *each)) for name in ("decimals", "fractions"))
    whole = base.problem
    rounded = whole.rounding is not None or whole.numbers == "float"
    style: Style = "decimal" if rounded or (decimals and not fractions) else "fraction"
    problem = replace(whole, style=style, cases=tuple(case.styled(style) for case in cases))
    try:
        return problem, cost(problem, build_graph(problem))
    except ProblemError as error:
        faults.found += error.faults
        return error, 0


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
    if kind in EXTENDED and _has_own(node, in_cases=True):
        from attnsolve.spec.formulas import extended

        return extended(module, node)
    return module


def _has_own(node: reader.Mapping, *, in_cases: bool = False) -> bool:
    """Whether it has formulas of its own, be it in what its parts ask to be shown; if that is asked, also where only
    one of its cases has them."""
    cases = (value for key, value in node.entries if in_cases and key.text == COMPARE.name)
    inside = (value for case in cases if isinstance(case, reader.Mapping) for _, value in case.entries)
    own = any(key.text in OWN or (key.text == "parts" and _relates(value)) for key, value in node.entries)
    return own or any(isinstance(value, reader.Mapping) and _has_own(value) for value in inside)


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
