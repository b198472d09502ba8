"""Where the text of a problem or of answers comes from: a file, standard input, or a bundled problem.

A name is looked for as it stands, then with the endings of problem files, then among the bundled problems. Nothing here
knows what the text says.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from attnsolve.bounds import allowed, raises
from attnsolve.errors import FileProblem, nearest, plain
from attnsolve.record import Record, record

STDIN = "-"
"""The name of standard input."""
STDIN_SHOWN = "standard input"
"""What messages call it."""
ENDINGS = (".yaml", ".yml")
"""Of problem files; they may be left out."""


@record
class Source(Record):
    """Where a name leads to."""

    name: str
    """What messages call it; it leads to the same place."""
    path: Path
    note: str = ""
    """What a reader should know of how it was found."""


def bundled() -> dict[str, Path]:
    """The problems that come with the package, by name."""
    package = Path(__file__).resolve().parents[1]
    inside, beside = package / "problems", package.parent / "problems"
    folder = inside if inside.is_dir() else beside
    return {path.stem: path for path in sorted(folder.glob("*.yaml"), key=lambda path: path.stem)}


def find_source(name: str) -> Source:
    """The file that a name means: a file of the user's before a bundled problem."""
    stem = name.removesuffix(".yaml")
    is_bundled = os.path.basename(name) == name and stem in bundled()
    whole = os.path.exists(name) and not os.path.isdir(name)
    local = [name] if whole else _with_endings(name)
    if local:
        notes = [f"{plain(local[0])} is your file, not the bundled problem of that name"] if is_bundled else []
        notes += [f"{plain(other)} is here too: name it in full to read it instead" for other in local[1:]]
        return Source(local[0], Path(local[0]), "" if name.endswith(ENDINGS) else "\n".join(notes))
    return Source(name, bundled()[stem] if is_bundled else Path(name))


def _with_endings(name: str) -> list[str]:
    """The problem files of a name without its ending."""
    if not name or name.endswith((*ENDINGS, "/", os.sep)):
        return []
    return [f"{name}{ending}" for ending in ENDINGS if os.path.isfile(f"{name}{ending}")]


def named(name: str) -> str:
    """What messages call a source."""
    return STDIN_SHOWN if name == STDIN else find_source(name).name


def read_text_file(name: str) -> str:
    """The text of a file, of a bundled problem, or (for `-`) of standard input."""
    if not name:
        raise FileProblem("the name of the problem is empty")
    if name == STDIN:
        return _decode(_bounded(_read_stdin(), STDIN_SHOWN), STDIN_SHOWN)
    try:
        source = find_source(name)
        if source.path.is_dir():
            raise FileProblem(f"{plain(name)}: this is a folder; name a problem file in it")
        if source.path.exists() and not source.path.is_file():
            raise FileProblem(f"{plain(name)}: this is not an ordinary file")
        with open(source.path, "rb", opener=_at_once) as stream:
            data = stream.read(allowed().file_bytes + 1) or b""
    except FileNotFoundError:
        message = "no such file, and no bundled problem of that name"
        raise FileProblem(f"{plain(name)}: {message}\n    {_suggest(name)}") from None
    except (OSError, ValueError) as error:
        raise FileProblem(f"{plain(name)}: can't be read: {getattr(error, 'strerror', None) or error}") from None
    return _decode(_bounded(data, source.name, source.path), source.name)


def _read_stdin() -> bytes:
    try:
        return sys.stdin.buffer.read(allowed().file_bytes + 1)
    except (OSError, ValueError, AttributeError) as error:  # closed, or none at all
        why = getattr(error, "strerror", None) or "it is closed"
        raise FileProblem(f"{STDIN_SHOWN}: can't be read: {why}") from None


def _bounded(data: bytes, name: str, path: Path | None = None) -> bytes:
    if len(data) > allowed().file_bytes:
        message = f"the file is larger than {allowed().file_bytes:,} bytes"
        size = path.stat().st_size if path is not None else 2 * len(data)
        raise FileProblem(f"{plain(name)}: {message}\n    {raises('file_bytes', size)}")
    return data


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
        message = f"not UTF-8 text (byte 0x{data[error.start]:02x})\n    save the file as UTF-8"
        raise FileProblem(f"{plain(name)}:{line}:{column}: {message}") from None
