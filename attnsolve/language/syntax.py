"""What was read, as a tree of a few nodes. Each knows where it stands in the text; `written` writes it again."""

from __future__ import annotations

from attnsolve.record import Record, record

COMPARISONS = ("<", "<=", ">", ">=")
"""The signs that compare."""


class Node(Record):
    """A node of the tree, from column `start` to before column `end`; where it stands makes no difference to it."""

    start: int
    end: int

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self._contents == other._contents

    def __hash__(self) -> int:
        return hash((type(self), *self._contents))

    @property
    def _contents(self) -> list[object]:
        return [value for name, value in self.__dict__.items() if name not in ("start", "end")]


@record
class NumberNode(Node):
    """A literal: 12, 0.5, 1e-5, or 1/2 for ½."""

    text: str
    start: int = 0
    end: int = 0


@record
class NameNode(Node):
    """A quantity, a letter, an index, a word."""

    name: str
    start: int = 0
    end: int = 0


@record
class ChainNode(Node):
    """Operands with the signs between them, which all bind alike (+ -, or * / .* ./, or `and`, or `or`), read from left
    to right. A long sum is one chain, and no deep tree."""

    first: Node
    rest: tuple[tuple[str, Node], ...]
    start: int = 0
    end: int = 0


@record
class PrefixNode(Node):
    """-x, or `not` a mask."""

    sign: str
    inner: Node
    start: int = 0
    end: int = 0


@record
class PowerNode(Node):
    """base^exponent, or .^ entry by entry."""

    base: Node
    exponent: Node
    sign: str = "^"
    start: int = 0
    end: int = 0


@record
class TransposeNode(Node):
    """inner^T."""

    inner: Node
    start: int = 0
    end: int = 0


@record
class SliceNode(Node):
    """a:b, both ends included; an end that is left out is that of the matrix."""

    first: Node | None = None
    last: Node | None = None
    start: int = 0
    end: int = 0


@record
class IndexNode(Node):
    """inner[2], inner[2,1], inner[:,1:2]."""

    inner: Node
    places: tuple[Node, ...]
    start: int = 0
    end: int = 0


@record
class AtNode(Node):
    """inner@2.1: one step, layer or head of several."""

    inner: Node
    path: tuple[Node, ...]
    start: int = 0
    end: int = 0


@record
class MemberNode(Node):
    """inner.exponentials: what is worked out inside of it."""

    inner: Node
    name: str
    start: int = 0
    end: int = 0


@record
class GroupNode(Node):
    """(inner), kept as it was written."""

    inner: Node
    start: int = 0
    end: int = 0


@record
class ListedNode(Node):
    """[a, b]."""

    entries: tuple[Node, ...]
    start: int = 0
    end: int = 0


@record
class RangeNode(Node):
    """index=first..last, leaving out `but`: what a sum, a table goes over."""

    index: str
    first: Node
    last: Node
    but: Node | None = None
    start: int = 0
    end: int = 0


@record
class ApproachNode(Node):
    """symbol -> to: how a limit is taken."""

    symbol: str
    to: Node
    start: int = 0
    end: int = 0


@record
class CallNode(Node):
    """name(arguments, option=value), for every value of what it goes over."""

    name: str
    arguments: tuple[Node, ...]
    options: tuple[tuple[str, Node], ...] = ()
    over: tuple[RangeNode | ApproachNode, ...] = ()
    start: int = 0
    end: int = 0


@record
class DegreesNode(Node):
    """30°."""

    inner: Node
    start: int = 0
    end: int = 0


@record
class PercentNode(Node):
    """27%."""

    inner: Node
    start: int = 0
    end: int = 0


@record
class PlaceName(Record):
    """The name of a quantity or of some of its cells, as answers and the command line have it."""

    name: str
    """An id, a symbol or a word; of s_{3,1} and q_2 with their subscripts, which are up to the problem."""
    indices: tuple[str, ...] = ()
    path: tuple[tuple[str, str], ...] = ()
    """What it belongs to: (head, 0), (layer, 2); the first word empty where it is not said, as in A@2.1."""
    inner: str = ""
    """Which of its inner quantities is meant, empty for itself."""
    within: tuple[str, ...] = ()
    """Indices of that."""

    @property
    def subscript(self) -> tuple[str, tuple[str, ...]]:
        """Letter and indices of a name such as s'_3,1; no indices for any other."""
        letter, _, below = self.name.partition("_")
        indices = tuple(below.split(","))
        plain = letter.rstrip("'").isalpha() and "_" not in below and not any(c.isspace() for c in below)
        return (letter, indices) if plain and all(indices) and len(indices) <= 2 else (self.name, ())

    def __str__(self) -> str:
        index = f"[{','.join(self.indices)}]" if self.indices else ""
        within = f"[{','.join(self.within)}]" if self.within else ""
        return self.name + index + (f".{self.inner}" if self.inner else "") + within


def written(node: Node | None) -> str:
    """A node as it is typed.

    >>> from attnsolve.language.parser import parse_formula
    >>> written(parse_formula("softmax( Xᵀ·W_{Q} ,eps=1e-5)"))
    'softmax(X^T*W_Q, eps=1e-5)'
    """
    match node:
        case NumberNode(text=text):
            return f"({text})" if "/" in text else text
        case NameNode(name=name):
            return name
        case ChainNode(first=first, rest=rest):
            return written(first) + "".join(f"{_spaced(sign)}{written(part)}" for sign, part in rest)
        case PrefixNode(sign=sign, inner=inner):
            return f"{sign}{' ' if sign.isalpha() else ''}{written(inner)}"
        case PowerNode(base=base, exponent=exponent, sign=sign):
            return f"{written(base)}{' .^ ' if sign == '.^' else sign}{written(exponent)}"
        case TransposeNode(inner=inner):
            return f"{written(inner)}^T"
        case SliceNode(first=first, last=last):
            return f"{written(first)}:{written(last)}"
        case IndexNode(inner=inner, places=places):
            return f"{written(inner)}[{','.join(map(written, places))}]"
        case AtNode(inner=inner, path=path):
            return f"{written(inner)}@{'.'.join(map(written, path))}"
        case MemberNode(inner=inner, name=name):
            return f"{written(inner)}.{name}"
        case GroupNode(inner=inner):
            return f"({written(inner)})"
        case ListedNode(entries=entries):
            return f"[{', '.join(map(written, entries))}]"
        case RangeNode(index=index, first=first, last=last, but=but):
            return f"{index}={written(first)}..{written(last)}" + (f", {index}!={written(but)}" if but else "")
        case ApproachNode(symbol=symbol, to=to):
            return f"{symbol} -> {written(to)}"
        case CallNode(name=name, arguments=arguments, options=options, over=over):
            option_texts = [f"{option}={written(value)}" for option, value in options]
            return f"{name}({', '.join([*map(written, over), *map(written, arguments), *option_texts])})"
        case DegreesNode(inner=inner):
            return f"{written(inner)}°"
        case PercentNode(inner=inner):
            return f"{written(inner)}%"
    return ""


def _spaced(sign: str) -> str:
    return sign if sign in "*/" else f" {sign} "
