"""What may stand at a place on the command line: the candidates that a shell offers after Tab.

The shell hands over the words so far, the last one unfinished; `candidates` needs the declarations of the commands and,
for quantities and tokens, what the problem file names. Nothing is solved.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

import typer

if TYPE_CHECKING:
    from typer.core import TyperGroup

Options = dict[str, Any]


class Candidate(NamedTuple):
    """A word that fits, and what it is."""

    word: str
    help: str = ""


class Line(NamedTuple):
    """A command line so far."""

    command: str
    words: tuple[str, ...]
    """Those after the command that are no options and no values of options."""

    @property
    def problem(self) -> str:
        """The first problem on it."""
        return self.words[0] if self.words else ""


def print_candidates(words: Sequence[str], program: TyperGroup) -> None:
    """Answer a shell: each candidate on a line, with what it is after a tab."""
    for candidate in candidates(words, program):
        print(f"{candidate.word}\t{candidate.help}" if candidate.help else candidate.word)


def candidates(words: Sequence[str], program: TyperGroup) -> list[Candidate]:
    """What the last word may become."""
    *before, word = _joined(words or [""])
    option, joint, value = word.partition("=") if word.startswith("--") else ("", "", "")
    line, options, waiting = _parsed(before, program)
    if joint:
        found = _values(line, options[option], value) if option in options else []
        return [Candidate(f"{option}={one}", help) for one, help in found]
    if waiting is not None:
        return list(_values(line, waiting, word))
    if word.startswith("-"):
        return _starting(word, ((name, _short(option.help)) for name, option in options.items()))
    return list(_positional(line, word, program))


def _joined(words: Sequence[str]) -> list[str]:
    """The words as they are meant: without the = by which bash has split them, and the \\ before their spaces."""
    *before, last = [word.replace("\\ ", " ") for word in words]
    return [word for word in before if word != "="] + ["" if last == "=" else last]


def _parsed(words: Sequence[str], program: TyperGroup) -> tuple[Line, Options, Any]:
    """The command line, the options that may follow, and the option that waits for its value."""
    context = typer.Context(program, **program.context_settings)
    command, positional, waiting = "", [], None
    options = _options_of(program, context)
    for word in words:
        if waiting is not None:
            waiting = None
        elif word.startswith("-") and word != "-":
            option = options.get(word)
            waiting = None if option is None or option.is_flag or "=" in word else option
        elif command:
            positional.append(word)
        else:
            known = word in program.list_commands(context)
            command = word if known else "solve"
            positional += [] if known else [word]
            options = _options_of(program.get_command(context, command), context)
    return Line(command, tuple(positional)), options, waiting


def _options_of(command: Any, context: typer.Context) -> Options:
    """The options of a command, by their names."""
    found = [param for param in command.get_params(context) if param.param_type_name == "option"]
    return {name: option for option in found for name in option.opts}


def _short(text: str | None) -> str:
    return (text or "").partition(". ")[0].rstrip(".")


def _starting(word: str, found: Iterable[tuple[str, str]]) -> list[Candidate]:
    return [Candidate(*one) for one in found if one[0].startswith(word)]


# ── values of options ───────────────────────────────────────────────────────────────────────────


def _values(line: Line, option: Any, word: str) -> list[Candidate]:
    """What an option may be set to."""
    if (choices := getattr(option.type, "choices", None)) is not None:
        return _starting(word, ((str(choice), "") for choice in choices))
    if option.name == "answers_for":
        return _problems(word)
    offer = VALUES.get(option.name)
    return _starting(word, offer(line.problem)) if offer is not None else []


def _kinds(problem: str) -> Iterator[tuple[str, str]]:
    from attnsolve.spec.starters import STARTERS

    yield from ((kind, "") for kind in STARTERS)


def _bounds(problem: str) -> Iterator[tuple[str, str]]:
    from attnsolve.bounds import described, fixed

    yield from ((f"{name}=", meaning) for name, _, meaning in described() if name not in fixed())


def _quantities(problem: str) -> Iterator[tuple[str, str]]:
    """The quantities of a problem: those of its kind, and those that its formulas define."""
    entries = _entries(problem)
    kind = _text(entries.get("kind")) or "attention"
    from attnsolve.loading.files import KINDS

    if kind in KINDS:
        module = import_module(KINDS[kind])
        yield from ((id, module.LETTERS.get(id, "")) for id in module.QUANTITIES)
    repeat: Any = entries.get("repeat")
    repeats = [repeat, *getattr(repeat, "items", ())]
    own = [entries.get("given")] if kind == "formulas" else []
    own += [value for one in repeats for key, value in getattr(one, "entries", ()) if key.text == "each"]
    yield from ((name, "") for node in (*own, entries.get("formulas")) for name in _keys(node))


def _cells(problem: str) -> Iterator[tuple[str, str]]:
    yield from ((f"{name}[1,1]", letter) for name, letter in _quantities(problem))


def _tokens(problem: str) -> Iterator[tuple[str, str]]:
    tokens: Any = _entries(problem).get("tokens")
    yield from ((_text(item), "") for item in getattr(tokens, "items", ()))


def _parts(problem: str) -> Iterator[tuple[str, str]]:
    yield from ((name, "") for name in _keys(_entries(problem).get("parts")))


def _numbers(problem: str) -> Iterator[tuple[str, str]]:
    for number, entries in enumerate(_documents(problem), start=1):
        yield str(number), _text(entries.get("title"))


VALUES: dict[str, Callable[[str], Iterator[tuple[str, str]]]] = {
    "only": _quantities,
    "token": _tokens,
    "part": _parts,
    "chosen": _numbers,
    "kind": _kinds,
    "bound": _bounds,
}
"""What options may be set to, by the name of their parameter."""


# ── what a problem file says ────────────────────────────────────────────────────────────────────


def _documents(problem: str) -> list[dict[str, Any]]:
    """The keys of each problem of a file; none where it can't be read."""
    from attnsolve.errors import AttnsolveError
    from attnsolve.loading.sources import STDIN, read_text_file
    from attnsolve.spec import reader

    if problem in ("", STDIN):
        return []
    try:
        nodes = reader.read_documents(read_text_file(problem), problem)
    except AttnsolveError:
        return []
    return [{key.text: value for key, value in node.entries} for node in nodes if isinstance(node, reader.Mapping)]


def _entries(problem: str) -> dict[str, Any]:
    documents = _documents(problem)
    return documents[0] if documents else {}


def _keys(node: Any) -> list[str]:
    return [key.text for key, _ in getattr(node, "entries", ())]


def _text(node: Any) -> str:
    return str(getattr(node, "text", ""))


# ── words that are no options ───────────────────────────────────────────────────────────────────


def _positional(line: Line, word: str, program: TyperGroup) -> Iterator[Candidate]:
    if not line.command:
        yield from _commands(word, program)
        yield from _files(word, (".yaml", ".yml"))
    elif line.command == "explain" and line.words:
        yield from _starting(word, _cells(line.problem)) if len(line.words) == 1 else ()
    elif line.command == "check" and line.words:
        yield from _files(word, (".yaml", ".yml", ".csv"))
    elif line.command == "guide":
        from attnsolve.guide import PAGES

        yield from _starting(word, ((page, "") for page in PAGES))
    elif line.command == "completion":
        yield from _starting(word, ((shell, "") for shell in ("bash", "zsh", "fish")))
    elif line.command in ("read", "new"):
        yield from _files(word, ())
    elif line.command not in ("list", "schema", "bounds"):
        yield from _problems(word)


def _commands(word: str, program: TyperGroup) -> Iterator[Candidate]:
    context = typer.Context(program)
    for name in program.list_commands(context):
        if name.startswith(word):
            command: Any = program.get_command(context, name)
            yield Candidate(name, _short(command.help.partition("\n")[0]))


def _problems(word: str) -> list[Candidate]:
    """The problem files here, and the bundled problems."""
    from attnsolve.loading.sources import bundled

    return [*_files(word, (".yaml", ".yml")), *_starting(word, ((name, "bundled") for name in bundled()))]


def _files(word: str, endings: tuple[str, ...]) -> Iterator[Candidate]:
    """The files with some endings (or all), and the folders to look in."""
    folder, start = os.path.split(word)
    try:
        entries = sorted(os.scandir(os.path.expanduser(folder) or "."), key=lambda entry: entry.name)
    except OSError:
        return
    for entry in entries:
        if entry.name.startswith(start) and (start.startswith(".") or not entry.name.startswith(".")):
            path = os.path.join(folder, entry.name)
            if entry.is_dir():
                yield Candidate(f"{path}/")
            elif not endings or entry.name.endswith(endings):
                yield Candidate(path)
