"""Every sentence that the program can print, read off its source: string literals with words in them, by module."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import attnsolve

PACKAGE = Path(attnsolve.__file__).parent
ORDER = (
    "cli", "options", "library", "operations", "kinds", "narrate", "check", "measured", "checks", "derivations",
    "derivation", "algebra", "spec", "language", "errors",
)  # fmt: skip
"""What a reader meets first; all else follows by name."""
UNSEEN = ("tests", "__main__")
PLAIN = {"compile", "search", "sub", "fullmatch", "match", "split", "getLogger", "TypeVar"}
"""Functions whose literals are patterns and names."""
NAMED = {"title", "why", "help", "description", "metavar", "reason"}
"""Keywords whose literal is printed even where it is a single word."""
WORDS = re.compile(r"[A-Za-z][a-z']+[,;:.]? |[ ({“][a-z]{2,}[.,;:!?]?$|^[a-z]+ ")


def modules() -> list[Path]:
    """The package's modules, in the order of ORDER."""
    known = {name: place for place, name in enumerate(ORDER)}

    def place(path: Path) -> tuple[int, str]:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        return known.get(parts[0], len(known)), ".".join(parts)

    return sorted(PACKAGE.rglob("*.py"), key=place)


def sentences(path: Path) -> list[str]:
    """The sentences of one module, in order; what is put in when it runs stands in braces."""
    return list(dict.fromkeys(_literals(ast.parse(path.read_text(encoding="utf-8")))))


def _literals(node: ast.AST, named: bool = False) -> Iterator[str]:
    text = _text(node)
    if text is not None:
        if (named and text.strip()) or WORDS.search(text):
            yield text
        return
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns"):
            continue
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and not _unprinted(part):
                yield from _literals(part, isinstance(node, ast.keyword) and node.arg in NAMED)


def _unprinted(node: ast.AST) -> bool:
    """Whether it is a docstring, or a call that takes a pattern."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, ast.Call):
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        return name in PLAIN
    return False


def _text(node: ast.AST) -> str | None:
    """What a literal says, with the expressions of an f-string in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_piece, node.values))
    return None


def _piece(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    assert isinstance(node, ast.FormattedValue)
    return "{" + ast.unparse(node.value) + "}"


def listing() -> str:
    """All sentences, by module."""
    found = ((path.relative_to(PACKAGE).as_posix(), sentences(path)) for path in modules())
    return "\n".join(f"{name}\n" + "".join(f"  {line!s}\n" for line in lines) for name, lines in found if lines)
