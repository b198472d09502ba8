"""Files to Problems: finds the file (or the bundled problem of that name), reads it, and hands each document to the
reader of its kind."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, get_args

from attnsolve.errors import Fault, FileProblem, ProblemError, nearest, plain
from attnsolve.numbers import Style
from attnsolve.spec import reader
from attnsolve.spec.bounds import allowed, raises
from attnsolve.spec.fields import Faults, Fields
from attnsolve.spec.parts import read_parts, read_rounding
from attnsolve.spec.problem import (
    DEFAULT_DIGITS,
    Numbers,
    Problem,
    read_limits,
    read_notation,
    read_symbols,
)
from attnsolve.spec.rules import read_rules

KINDS = {
    "attention": "attnsolve.spec.attention",
    "seq2seq": "attnsolve.spec.seq2seq",
    "derivation": "attnsolve.spec.derivation",
    "random-keys": "attnsolve.spec.random_keys",
}
"""Where each kind's reader lives: a module with KEYS, NAMES, QUANTITIES, CLAIMS, UNUSED, ELSEWHERE, shapes_of_keys()
and read()."""
DEFAULT_KIND = "attention"


def bundled() -> dict[str, Path]:
    """The problems that come with the package, by name."""
    package = Path(__file__).resolve().parent.parent
    inside, beside = package / "problems", package.parent / "problems"
    folder = inside if inside.is_dir() else beside
    return {path.stem: path for path in sorted(folder.glob("*.yaml"), key=lambda path: path.stem)}


def load_one(path: str | os.PathLike[str]) -> Problem:
    """Read a file that holds one problem."""
    problems = load_all(path)
    if len(problems) != 1:
        raise FileProblem(f"{plain(os.fspath(path))}: it holds {len(problems)} problems where one was expected")
    return problems[0]


def load_all(path: str | os.PathLike[str], *, check: bool = True) -> tuple[Problem, ...]:
    """Read every problem of a file; unless `check`, only their headings."""
    name = os.fspath(path)
    return parse(read_text_file(name), name, check=check)


def parse(text: str, file: str, *, check: bool = True) -> tuple[Problem, ...]:
    """Read every problem of a text; `file` is the name that messages give.

    Each problem's graph is built once, to see that nothing it needs is missing. With `check` off only the heading is
    read, which is all that a list of problems shows, and the body is None.
    """
    documents = [node for node in reader.read_documents(text, file) if not _is_blank(node)]
    if not documents:
        raise FileProblem(f"{plain(file)}: the file is empty; a problem needs at least inputs and weights")
    return read_nodes(documents, file, check=check)


def read_nodes(documents: Iterable[reader.Node], file: str, *, check: bool = True) -> tuple[Problem, ...]:
    """Problems from what was written, or handed over."""
    faults: list[Fault] = []
    problems = []
    needed = 0
    for node in documents:
        found = Faults(file)
        problem = _read(node, found, check)
        faults += found.found
        if problem is not None:
            problems.append(problem)
            needed += _cost(problem, faults) if check else 0
    if faults:
        raise ProblemError(faults)
    if len(problems) > 1 and check:
        from attnsolve.kinds import refuse_beyond

        refuse_beyond(problems[0], needed, "write the problems into several files")
    return tuple(problems)


def _cost(problem: Problem, faults: list[Fault]) -> int:
    """What a problem takes, in multiplications; to the faults is added what keeps its graph from being built: a matrix
    that isn't there, shapes that don't meet."""
    from attnsolve.kinds import ARGUMENTS, build_graph, cost

    if problem.kind in ARGUMENTS:
        return 0
    try:
        return cost(problem, build_graph(problem))
    except ProblemError as error:
        faults += error.faults
        return 0


def _is_blank(node: reader.Node) -> bool:
    return isinstance(node, reader.Scalar) and not node.text and not node.quoted


def _read(node: reader.Node, faults: Faults, whole: bool) -> Problem | None:
    if not isinstance(node, reader.Mapping):
        faults.expected(node, "a problem", "a mapping with keys such as inputs and weights")
        return None
    kind = Fields(node, [key.text for key, _ in node.entries], faults).choice("kind", KINDS, DEFAULT_KIND)
    module = import_module(KINDS[kind])
    names: tuple[str, ...] = module.NAMES
    read: Callable[[Fields], Any] = module.read
    from attnsolve.spec.problem import HEADER

    header_keys = [key for key in HEADER if key not in module.UNUSED]
    fields = Fields(node, [*header_keys, *module.KEYS], faults, elsewhere=module.ELSEWHERE)
    faults.symbols = read_symbols(fields)
    faults.floats = fields.choice("numbers", get_args(Numbers), "exact") == "float"
    header: dict[str, Any] = {
        "file": faults.file,
        "at": node.at,
        "kind": kind,
        "title": fields.text("title"),
        "source": fields.text("source"),
        "digits": fields.integer("digits", DEFAULT_DIGITS, 1, allowed().digits, "digits"),
        "notation": read_notation(fields, names),
        "limits": read_limits(fields),
        "text": fields.text("text"),
        "parts": read_parts(fields, module.QUANTITIES, module.CLAIMS),
        "rounding": read_rounding(fields, module.QUANTITIES),
        "answers": fields.get("answers"),
        "numbers": "float" if faults.floats else "exact",
        "rules": {} if "tolerance" in module.UNUSED else read_rules(fields, module.QUANTITIES),
    }
    if faults.floats:
        from attnsolve.spec.floating import refuse_exact

        refuse_exact(fields, header["parts"], header["rounding"])
    body = read(fields) if whole else None
    rounded = header["rounding"] is not None or faults.floats
    style: Style = "decimal" if rounded or (faults.decimals and not faults.fractions) else "fraction"
    if faults.found:
        return None
    return Problem(**header, symbols=faults.symbols, style=style, body=body)


def read_text_file(name: str) -> str:
    """The text of a file, or of the bundled problem of that name."""
    if not name:
        raise FileProblem("the name of the problem is empty")
    path = Path(name)
    try:
        if not path.exists() and path.name == name:
            path = bundled().get(name.removesuffix(".yaml"), path)
        if path.is_dir():
            raise FileProblem(f"{plain(name)}: this is a folder; name a problem file in it")
        if path.exists() and not path.is_file():
            raise FileProblem(f"{plain(name)}: this is not an ordinary file")
        with open(path, "rb", opener=_at_once) as stream:
            data = stream.read(allowed().file_bytes + 1) or b""
    except FileNotFoundError:
        said = "no such file, and no bundled problem of that name"
        raise FileProblem(f"{plain(name)}: {said}\n    {_suggest(name)}") from None
    except (OSError, ValueError) as error:
        raise FileProblem(f"{plain(name)}: can't be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > allowed().file_bytes:
        said = f"the file is larger than {allowed().file_bytes:,} bytes"
        raise FileProblem(f"{plain(name)}: {said}\n    {raises('file_bytes', path.stat().st_size)}")
    return _decode(data, name)


def _at_once(path: str, flags: int) -> int:
    """Open what might keep a reader waiting for ever, such as a file of the system's that looks ordinary."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _suggest(name: str) -> str:
    siblings = sorted(path.name for path in Path(name).parent.glob("*.y*ml")) if Path(name).parent.is_dir() else []
    close = nearest(Path(name).name, [*siblings, *bundled()])
    return close if close.startswith("did you mean") else f"bundled: {', '.join(bundled())}"


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        column = error.start - (data.rfind(b"\n", 0, error.start) + 1) + 1
        said = f"not UTF-8 text (byte 0x{data[error.start]:02x})\n    save the file as UTF-8"
        raise FileProblem(f"{plain(name)}:{line}:{column}: {said}") from None
