"""Files that are still YAML: the trees of honest ones with keys dropped, renamed and doubled, values swapped, lists
reshaped, numbers and texts replaced by odd ones. So what lies behind the reader is reached too."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import Any

import yaml
from shared.mutate import NUMBERS, ODD, WORDS

Tree = Any
"""Lists, lists of pairs (a mapping whose keys may repeat) as Pairs, and texts."""


class Pairs(list[Any]):
    """A mapping that may say a key twice."""


def read(data: bytes) -> Tree:
    """A file as a tree, every scalar its text."""
    return _plain(yaml.compose(data.decode(), Loader=yaml.SafeLoader))


def _plain(node: yaml.Node | None) -> Tree:
    if isinstance(node, yaml.MappingNode):
        return Pairs([[_plain(key), _plain(value)] for key, value in node.value])
    if isinstance(node, yaml.SequenceNode):
        return [_plain(item) for item in node.value]
    return node.value if isinstance(node, yaml.ScalarNode) else ""


def written(tree: Tree) -> str:
    """A tree as YAML in one line."""
    if isinstance(tree, Pairs):
        return "{" + ", ".join(f"{written(key)}: {written(value)}" for key, value in tree) + "}"
    if isinstance(tree, list):
        return "[" + ", ".join(map(written, tree)) + "]"
    plain = (tree and all(c.isalnum() or c in "._-+/*^()" for c in tree) and tree[0] not in "*-&!|>%@`") or _negative(
        tree
    )
    if plain:
        return str(tree)
    quoted = "".join(c if c.isprintable() and c not in '"\\' else _escaped(c) for c in str(tree))
    return f'"{quoted}"'


def _negative(text: str) -> bool:
    return text[:1] == "-" and text[1:2].isdigit() and all(c.isdigit() or c in "./e-" for c in text)


def _escaped(c: str) -> str:
    return f"\\U{ord(c):08X}" if ord(c) > 0xFFFF else f"\\u{ord(c):04X}"


def _places(tree: Tree) -> Iterator[tuple[list[Any], int]]:
    """Every place in a tree: a list and an index in it."""
    if isinstance(tree, list):
        for i, item in enumerate(tree):
            yield tree, i
            yield from _places(item)


def changed(chance: random.Random, tree: Tree) -> Tree:
    """The tree with one thing changed."""
    whole = [tree]
    home, at = chance.choice(list(_places(whole)))
    item = home[at]
    if isinstance(item, str):
        home[at] = chance.choice(
            (chance.choice(NUMBERS), chance.choice(NUMBERS), chance.choice(WORDS), item + chance.choice(ODD))
        )
    elif item and not (isinstance(home, Pairs)):
        _reshape(chance, home, at)
    elif isinstance(home, Pairs):
        chance.choice((lambda: home.pop(at), lambda: home.append(list(item)), lambda: _rename(chance, item)))()
    return whole[0] if whole else tree


def _rename(chance: random.Random, pair: list[Any]) -> None:
    pair[0] = chance.choice((*WORDS, str(pair[0]) + chance.choice(ODD)))


def _reshape(chance: random.Random, home: list[Any], at: int) -> None:
    item = home[at]
    how = chance.randrange(7)
    if how == 0:
        item.pop(chance.randrange(len(item)))
    elif how == 1:
        item.append(item[chance.randrange(len(item))])
    elif how == 2:
        home[at] = [item]
    elif how == 3:
        home[at] = item[0]
    elif how == 4 and not isinstance(item, Pairs):
        home[at] = item * chance.choice((2, 5, 40))
    elif how == 5:
        chance.shuffle(item)
    else:
        home[at] = chance.choice(NUMBERS)


def changed_tree(chance: random.Random, files: Sequence[bytes]) -> bytes:
    """One of the files with a few things changed, still YAML."""
    tree = read(chance.choice(files))
    for _ in range(chance.choice((1, 1, 2, 4))):
        tree = changed(chance, tree)
    return written(tree).encode("utf-8", "surrogatepass")
