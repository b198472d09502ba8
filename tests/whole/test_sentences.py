"""Every sentence that the program can print, in one file that an editor can read: a change of wording is a line of a
diff. Sentences are the string literals with words in them, and the help of the commands; in braces is what is put in
when the program runs."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import attnsolve

PACKAGE = Path(attnsolve.__file__).parent
ORDER = (
    "cli", "options", "library", "operations", "kinds", "narrate", "check", "solution", "derivations",
    "algebra", "spec", "language", "errors",
)  # fmt: skip
"""What a reader meets first; all else follows by name."""
NAMED = {"title", "why", "help"}
"""Keywords whose value is printed even where it is a single word."""
UNPRINTED = {"annotation", "returns"}
ONLY_NAMED = {"Step", "Parameter"}
"""Calls of which nothing but those keywords is printed: the rest is formulas, and words that may be typed."""
PATTERNS = {"compile", "search", "sub", "fullmatch", "match", "split"}
WORD = re.compile(r"[A-Za-z][a-z']+")
BRACES = re.compile(r"\{[^{}]*\}")
MARKUP = re.compile(r"\\[a-zA-Z]|^<|^def |^bold |^white |^italic |^[\w.-]+$")

FORMULA = re.compile(r"[*^]|->|\w[(\[]")
TWO_WORDS = re.compile(r"[A-Za-z']+ [a-z']+")


def modules() -> list[Path]:
    """The package's modules, in the order of ORDER."""
    known = {name: place for place, name in enumerate(ORDER)}

    def place(path: Path) -> tuple[int, str]:
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        return known.get(parts[0], len(known)), ".".join(parts)

    return sorted(PACKAGE.rglob("*.py"), key=place)


def sentences(source: str) -> list[str]:
    """The sentences of one module, in order and once each.

    >>> sentences('print("no rows", f"row {number} of", "key", "no rows")')
    ['no rows', 'row {number} of']
    """
    return list(dict.fromkeys(found(ast.parse(source))))


def found(node: ast.AST, named: bool = False) -> Iterator[str]:
    """The sentences in a node; `named`, single words too."""
    text = text_of(node)
    if text is not None:
        if text.strip() and (named or is_sentence(text)):
            yield text
        return
    if isinstance(node, ast.FunctionDef) and any(ast.unparse(d).startswith("app.") for d in node.decorator_list):
        yield from (" ".join(paragraph.split()) for paragraph in (ast.get_docstring(node) or "").split("\n\n"))
    for field, value in ast.iter_fields(node):
        for part in value if isinstance(value, list) else [value]:
            if isinstance(part, ast.AST) and field not in UNPRINTED and not is_unprinted(node, part):
                yield from found(part, isinstance(node, ast.keyword) and node.arg in NAMED)


def is_sentence(text: str) -> bool:
    """Whether a literal has two words in it, or is the beginning or the end of something that has."""
    said = BRACES.sub("…", text)
    if MARKUP.search(text) or (FORMULA.search(said) and not TWO_WORDS.search(said)):
        return False
    words = len(WORD.findall(said))
    return words > 1 or (words == 1 and " " in text)


def is_unprinted(node: ast.AST, part: ast.AST) -> bool:
    """Whether a part of a node is a docstring, a pattern or a formula."""
    if isinstance(part, ast.Expr):
        return isinstance(part.value, ast.Constant)
    if not isinstance(node, ast.Call) or part is node.func:
        return False
    name = ast.unparse(node.func).rpartition(".")[2]
    return name in PATTERNS or (name in ONLY_NAMED and not (isinstance(part, ast.keyword) and part.arg in NAMED))


def text_of(node: ast.AST) -> str | None:
    """What a literal says, with the expressions of an f-string in braces."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(text_of(value) or "" for value in node.values)
    return f"{{{ast.unparse(node.value)}}}" if isinstance(node, ast.FormattedValue) else None


def test_every_sentence_is_in_one_file(golden: Callable[[str, str], None]) -> None:
    listed = {path: sentences(path.read_text(encoding="utf-8")) for path in modules()}
    parts = ("\n".join((str(path.relative_to(PACKAGE)), "", *lines, "")) for path, lines in listed.items() if lines)
    golden("sentences.txt", "\n".join(parts))


def test_a_sentence_is_found_wherever_it_is_put_together() -> None:
    source = """
'Not a docstring.'
x = f"the {a} row" " of one" if y else [" is wrong"]
Step("id", "not this", why="Why.")
"""
    assert sentences(source) == ["the {a} row of one", " is wrong", "Why."]
