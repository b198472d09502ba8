"""Tables of the guide, made from what the program declares: they can't differ from it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable
from functools import cache, partial
from importlib import import_module
from pathlib import Path
from typing import Any

import attnsolve
from attnsolve.algebra.declaring import SORTS
from attnsolve.bounds import described, fixed
from attnsolve.contract.problem_schema import schema
from attnsolve.guide import PAGES, summary
from attnsolve.library import Library
from attnsolve.library.attention import ATTENTION
from attnsolve.library.seq2seq import SEQ2SEQ
from attnsolve.loading.files import KINDS
from attnsolve.spec.parts import CLAIMS
from attnsolve.spec.topics import TOPIC_FORMS


def table(header: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table as Markdown."""
    lines = [header, ["---"] * len([*header]), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


@cache
def properties(kind: str) -> dict[str, Any]:
    """The keys of a kind of problem, as its schema has them."""
    found: dict[str, Any] = schema()["$defs"][kind]["properties"]
    return found


TYPED = re.compile(r"\{(?:[^{}]|\{[^{}]*\})*\}|\[[^\[\]]*\*[^\[\]]*\]|'[^'`{}]*\*[^'`{}]*'")
"""What is typed as it stands: mappings, and whatever has a star in it, which Markdown would read otherwise."""


def meaning(described: dict[str, Any]) -> str:
    """What a key is for, with whatever is typed as it stands set as code."""
    said: str = described["description"]
    return TYPED.sub(lambda match: f"`{match[0]}`", said).replace("|", "\\|")


def own(kind: str) -> list[str]:
    """The keys that one kind has."""
    return [name for name in properties(kind) if name in import_module(KINDS[kind]).KEYS]


def keys_of(kind: str) -> str:
    """The table of the keys of one kind."""
    described = properties(kind)
    return table((f"kind: {kind}", "meaning"), ((f"`{key}`", meaning(described[key])) for key in own(kind)))


def header() -> str:
    """The table of the keys that any kind may have."""
    described = properties("attention")
    shared = [key for key in described if key not in own("attention")]
    return table(("any kind", "meaning"), ((f"`{key}`", meaning(described[key])) for key in shared))


def parts() -> str:
    """The table of the keys of a part."""
    one: dict[str, Any] = properties("attention")["parts"]["additionalProperties"]["anyOf"][0]["properties"]
    return table(("part", "meaning"), ((f"`{key}`", meaning(described)) for key, described in one.items()))


def topics() -> str:
    """What can be given and asked for, topic by topic."""

    def listed(names: Iterable[Any]) -> str:
        return ", ".join(f"`{getattr(name, 'name', name)}`" for name in names)

    rows = ((f"`{name}`", listed(topic.keys), listed(topic.passages)) for name, topic in TOPIC_FORMS.items())
    return table(("topic", "keys", "`find:`"), rows)


def claims() -> str:
    """What a part may ask to be shown."""
    return table(("claim", "what is shown"), ((f"`{name}`", said) for name, said in CLAIMS.items()))


def sorts() -> str:
    """What a name of a claim may be declared as."""
    return table(("declaration", "what it is"), ((f"`{name}`", said) for name, said in SORTS.items()))


def limits() -> str:
    """Every bound, its value and its meaning."""
    rows = (
        (f"`{name}`", f"{value:,}", f"{said}{' (fixed)' if name in fixed() else ''}")
        for name, value, said in described()
    )
    return table(("bound", "value", "meaning"), rows)


def quantities(header: str, library: Library) -> str:
    """What a library works out, step by step: rows of one id are joined."""
    rows: dict[str, list[str]] = {}
    for step in library.steps:
        formula = f"`{step.formula}`" if step.formula else "given"
        row = rows.setdefault(step.id, [f"`{step.id}`", f"`{step.letter}`", formula, step.title])
        if formula not in row[2]:
            row[2] += f" or {formula}"
    return table((header, "letter", "made by", "name"), rows.values())


FOLDERS = (
    "loading", "pasted", "spec", "language", "library", "kinds", "graph", "operations", "numbers", "solution",
    "notation", "narrate", "render", "export", "export/formats", "contract", "check", "algebra", "derivations",
    "api", "cli", "cli/commands", "guide",
)  # fmt: skip
"""The folders of the package, roughly as a problem goes through them."""


def folders() -> str:
    """What is in each folder: the first sentence of its docstring, and its modules."""

    def row(name: str) -> tuple[str, ...]:
        folder = Path(attnsolve.__file__).parent / name
        said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
        sentence = re.split(r"\.(?: |$)", said.split("\n\n")[0].replace("\n", " "))[0]
        modules = sorted(path.stem for path in folder.glob("*.py") if path.stem != "__init__")
        return f"`attnsolve/{name}/`", sentence, ", ".join(f"`{module}`" for module in modules)

    return table(("folder", "what is there", "modules"), map(row, FOLDERS))


def pages() -> str:
    """The pages of the guide, for the README."""
    return table(
        ("page", "what it is for"), ((f"[{name}](attnsolve/guide/{name}.md)", summary(name)) for name in PAGES)
    )


TABLES: dict[str, Callable[[], str]] = {
    "any kind": header,
    **{f"kind: {kind}": partial(keys_of, kind) for kind in KINDS},
    "part": parts,
    "topic": topics,
    "claim": claims,
    "declaration": sorts,
    "bound": limits,
    "page": pages,
    "folder": folders,
    "quantity": partial(quantities, "quantity", ATTENTION),
    "quantity of seq2seq": partial(quantities, "quantity of seq2seq", SEQ2SEQ),
}
"""How each table is made, by what its first column is called."""
