"""attnsolve new: a file to start from, for a problem or for the answers to one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from attnsolve.cli.options import found
from attnsolve.cli.output import unsupported
from attnsolve.cli.streams import say
from attnsolve.errors import RequestError, nearest, plain
from attnsolve.guard import Watch

SCHEMA = "attnsolve.schema.json"
"""The schema of problem files, for editors; problem files name it as one that stands beside them."""
MODELINE = f"# yaml-language-server: $schema={SCHEMA}\n"
Files = list[tuple[Path, list[str]]]


def new(
    path: Annotated[str | None, typer.Argument(metavar="[NAME.yaml]", help="The file to write.")] = None,
    kind: Annotated[str, typer.Option(help="The kind of problem.")] = "attention",
    answers_for: Annotated[
        str | None,
        typer.Option("--for", metavar="PROBLEM", help="Write an answer file to fill in; .csv for a spreadsheet."),
    ] = None,
    schema: Annotated[
        bool, typer.Option("--schema", help=f"Write {SCHEMA} beside it, for completion and checks in editors.")
    ] = False,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE", help="The file to write.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Start a problem file, or an answer file to fill in.

    A problem file comes with comments on what may be written; --kind chooses which sort. With --for, every number that
    a problem asks for is left blank, and check reads back what was filled in.
    """
    from attnsolve.publish import write_all

    name = path or output
    if name is None and not schema:
        raise RequestError("new needs the file to write\n    attnsolve new mine.yaml")
    files: Files = []
    if name is not None:
        text = _starter(name, kind) if answers_for is None else _answers(name, found(answers_for))
        files.append((Path(name), [text]))
    write_all([*files, *(_schema(Path(name or "").parent) if schema else [])], force=force)
    for file, _ in files:
        say(f"wrote {plain(str(file))}")
    if schema:
        say(f"wrote {plain(str(Path(name or '').parent / SCHEMA))}")
    if name is not None and answers_for is not None:
        say(f"    now: attnsolve check {_word(answers_for)} {_word(name)}")
    elif name is not None:
        say(f"    now: attnsolve solve {_word(name)}")
        if not os.path.exists(Path(name).parent / SCHEMA):
            say("    for completion in your editor: attnsolve new --schema")


def _word(name: str) -> str:
    """A name as it is typed in a shell."""
    import shlex

    return plain(shlex.quote(name))


def _starter(name: str, kind: str) -> str:
    from attnsolve.kinds import ARGUMENTS
    from attnsolve.loading.sources import ENDINGS
    from attnsolve.spec.starters import STARTERS

    if kind not in STARTERS:
        raise RequestError(f"--kind {plain(kind)}: there is no such kind; {nearest(kind, STARTERS)}")
    if not name.endswith(ENDINGS):
        raise RequestError(unsupported(name, list(ENDINGS)))
    how = f"# Solve it:      attnsolve {_word(name)}\n"
    if kind not in ARGUMENTS:  # which only a person can mark
        how += f"# Answer sheet:  attnsolve new answers.yaml --for {_word(name)}\n"
    return MODELINE + how + STARTERS[kind]


def _answers(name: str, problem: str) -> str:
    with Watch(problem):
        from attnsolve.check import blank
        from attnsolve.check.files import ENDINGS
        from attnsolve.check.run import load_problems

        if not name.endswith(ENDINGS):
            raise RequestError(unsupported(name, list(ENDINGS)))
        sheet = load_problems(problem)
        for message in sheet.skipped:
            say(message)
        return blank.as_csv(sheet, name) if name.endswith(".csv") else blank.as_yaml(sheet, name)


def _schema(folder: Path) -> Files:
    """The schema, unless it stands there already."""
    import json

    from attnsolve.contract.problem_schema import schema

    path, text = folder / SCHEMA, json.dumps(schema(), indent=1, ensure_ascii=False) + "\n"
    is_there = path.is_file() and path.read_text(encoding="utf-8", errors="replace") == text
    return [] if is_there else [(path, [text])]
