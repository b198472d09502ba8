"""README.md and the pages of the guide: what they quote, and what real runs say it should be.

- In a ```console block, a line `$ attnsolve ...` is run, and below it stands what it prints (`| head -9` cuts that).
  Where nothing stands below, it is run and must succeed; `...` has its output put in.
- A ```yaml or ```text block whose first line is `# name.yaml` or `# name.txt` is a file in the folder where the page's
  commands run. YAML without a name is a problem by itself where it says its kind; otherwise it changes the last named
  problem above it.
- A ```python block is run; in one in the style of `>>>`, what is printed stands below.
- A table whose first column is called after something that the program declares has a row for each.
- A picture described by a command is that command on a terminal.
"""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from recorded.commands import TERMINAL
from recorded.compare import outcomes
from shared.declared import TABLES
from shared.program import plain_environment, run
from shared.screen import svg

ROOT = Path(__file__).resolve().parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "attnsolve" / "guide").glob("*.md")))
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"# ([\w-]+\.(?:yaml|txt))\n")
PICTURE = re.compile(r"!\[\$ (attnsolve [^\]]*)\]\(([^)]+\.svg)\)")
TABLE = re.compile(r"^\| (.+?) \|.*\n\|[-| ]+\|\n(?:\|.*\n)*", re.MULTILINE)
CUT = re.compile(r"(.*) \| head -(\d+)")
INSTALLING = "python3 -m pip"
"""The commands that a newcomer types first; they are run by `.ci/run`."""


@dataclass(frozen=True)
class Command:
    """A command of a console block, and what stands below it."""

    line: str
    shown: str

    @property
    def is_run(self) -> bool:
        return not self.line.startswith(INSTALLING)

    @property
    def words(self) -> tuple[str, ...]:
        """The arguments, without the name of the program and what cuts its output."""
        program, *words = shlex.split(CUT.sub(r"\1", self.line))
        assert program == "attnsolve", self.line
        return tuple(words)

    def cut(self, output: str) -> str:
        """The output as far as the page has it."""
        lines = output.rstrip("\n").split("\n")
        if match := CUT.fullmatch(self.line):
            lines = lines[: int(match[2])]
        return "\n".join(lines).rstrip("\n") + "\n"


@dataclass(frozen=True)
class Page:
    """One file of Markdown."""

    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text(encoding="utf-8")

    @property
    def name(self) -> str:
        return self.path.name

    def blocks(self, language: str) -> list[str]:
        """The blocks in a language."""
        return [text for kind, text in BLOCK.findall(self.text) if kind == language]

    @cached_property
    def files(self) -> dict[str, str]:
        """The YAML and the text that has a name."""
        named = ((NAMED.match(text), text) for text in self.blocks("yaml") + self.blocks("text"))
        return {match[1]: text for match, text in named if match}

    @property
    def problems(self) -> Iterator[str]:
        """Every other YAML block, as a whole problem."""
        base = ""
        for text in self.blocks("yaml"):
            if NAMED.match(text):
                base = text
            elif re.search(r"^kind:", text, re.MULTILINE):
                yield text
            else:
                yield changed(base, text)

    @property
    def commands(self) -> list[Command]:
        """Every command, in order."""
        return [command for block in self.blocks("console") for command in commands_of(block)]

    @property
    def pictures(self) -> dict[str, str]:
        """The pictures of a terminal, with their commands."""
        return {path: line for line, path in PICTURE.findall(self.text)}

    @cached_property
    def outcomes(self) -> dict[str, tuple[object, str]]:
        """The exit code and the output of every command; pictures are on a terminal, in a process of its own: rich
        remembers how it has coloured something before."""
        lines = [command.line for command in self.commands if command.is_run]
        drawn = [(TERMINAL, *Command(line, "").words) for line in self.pictures.values()]
        with self.folder() as folder, contextlib.chdir(folder), plain_environment():
            found = {line: run(Command(line, "").words) for line in lines}
            ends = outcomes(ROOT, drawn, folder) if drawn else []
        pictures = {path: (code, out + err) for path, (code, out, err) in zip(self.pictures, ends, strict=True)}
        return {line: (done.code, done.out + done.err) for line, done in found.items()} | pictures

    @contextlib.contextmanager
    def folder(self) -> Iterator[Path]:
        """A folder with the files of the page in it."""
        with tempfile.TemporaryDirectory() as place:
            for name, text in self.files.items():
                Path(place, name).write_text(text, encoding="utf-8")
            yield Path(place)

    def drawn(self) -> dict[Path, str]:
        """Every picture of a terminal as it should be."""
        return {
            self.path.parent / path: svg(f"$ {line}", self.outcomes[path][1]) for path, line in self.pictures.items()
        }

    def as_run(self) -> str:
        """The page with what is really printed and declared."""
        text = TABLE.sub(lambda table: TABLES[table[1]]() if table[1] in TABLES else table[0], self.text)
        return BLOCK.sub(lambda block: f"```{block[1]}\n{self._as_run(block[1], block[2])}```", text)

    def _as_run(self, language: str, text: str) -> str:
        if language == "console":
            return "".join(self._printed(command) for command in commands_of(text))
        if language == "python" and text.startswith(">>>"):
            with self.folder() as folder, contextlib.chdir(folder):
                return as_printed(text)
        return text

    def _printed(self, command: Command) -> str:
        below = command.cut(self.outcomes[command.line][1]) if command.shown else ""
        return f"$ {command.line}\n{below}"


def commands_of(block: str) -> list[Command]:
    """The commands of a console block."""
    return [Command(*part.partition("\n")[::2]) for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]]


def changed(base: str, changes: str) -> str:
    """A problem with some of its keys replaced or added."""

    def entries(text: str) -> dict[str, str]:
        return {match[1]: match[0] for match in re.finditer(r"^(\w+):.*\n(?:(?!\w).*\n)*", text, re.MULTILINE)}

    return "".join((entries(base) | entries(changes)).values())


def as_printed(text: str) -> str:
    """Examples in the style of `>>>` with what they print."""
    names: dict[str, object] = {}
    parts = []
    for part in doctest.DocTestParser().parse(text):
        if isinstance(part, str):
            parts.append(part)
            continue
        first, *more = part.source.splitlines()
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(compile(part.source, "example", "single"), names)
        parts += [f">>> {first}\n", *(f"... {line}\n" for line in more), printed.getvalue()]
    return "".join(parts)
