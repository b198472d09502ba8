"""YAML text to plain nodes that know their line and column.

PyYAML's parser gives events; the tree is built here and not by its composer, because here is where depth, aliases
and duplicate keys are bounded. No tag is ever acted on and every scalar stays the text that was written: `0.1` must
not pass through a float, and `no` must not become a boolean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import field
from typing import Any

import yaml

from attnsolve.bounds import allowed, raises
from attnsolve.errors import Fault, Mark, ProblemError
from attnsolve.language.tokens import LATEX_FIX
from attnsolve.record import Fillable, Record, filled, record


@record
class Scalar(Record):
    """Text, exactly as written; `quoted` tells `"1"` from `1`."""

    text: str
    at: Mark
    quoted: bool = False


@record
class Sequence(Record):
    """A YAML list."""

    items: tuple[Node, ...]
    at: Mark
    source: str = ""
    """How a list that is the value of a key was written: where a formula is wanted, it is one."""
    padded: bool = False
    """Whether it comes from a spreadsheet, in which blank cells at the ends of rows say nothing."""


@record
class Mapping(Record):
    """A YAML mapping, its keys unique."""

    entries: tuple[tuple[Scalar, Node], ...]
    at: Mark


@filled
class Numbers(Fillable):
    """A NumPy array of one or two dimensions that a Python program hands over, in place of a list of numbers."""

    array: Any
    at: Mark


Node = Scalar | Sequence | Mapping | Numbers


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_TAG_DIRECTIVE = re.compile(r"(?:^|(?<=[\r\n\x85\u2028\u2029]))%TAG\b")
"""Where YAML begins a line. libyaml compares each one with all before it, and can't be stopped then."""


SPLIT = "a comma between brackets ends an entry here"
SPLIT_FIX = "put quotes around any entry that contains a comma: {A: 'matrix(n, n)'}"


def describe(node: Node) -> str:
    """What a person would say was written there.

    >>> describe(Scalar("7", Mark(1, 1)))
    "'7'"
    """
    if isinstance(node, Scalar):
        shown = node.text if len(node.text) <= 40 else node.text[:37] + "..."
        return repr(shown) if node.text or node.quoted else "nothing"
    return "a list" if isinstance(node, Sequence) else "a mapping" if isinstance(node, Mapping) else "an array"


def _paired(items: tuple[Node, ...]) -> bool:
    """Whether whole numbers stand two by two with nothing but a comma between them, as 0,5 and 1,5 do."""
    pairs = list(zip(items[::2], items[1::2], strict=False))
    return len(items) % 2 == 0 and bool(pairs) and all(_tight(*pair) for pair in pairs)


def _tight(left: Node, right: Node) -> bool:
    if not isinstance(left, Scalar) or not isinstance(right, Scalar) or left.quoted or right.quoted:
        return False
    beside = right.at == (left.at.line, left.at.column + len(left.text) + 1)
    return beside and bool(re.fullmatch(r"[-+−–]?\d+", left.text)) and right.text.isdigit()


def split_at_commas(node: Node, wanted: int | None = None) -> str:
    """What to write where decimal commas have split every number of a list in two: [0,5, 1,5] is a row of four. Without
    the number of entries `wanted`, only where the spacing gives it away."""
    if not isinstance(node, Sequence) or not node.items:
        return ""
    rows = [item for item in node.items if isinstance(item, Sequence)] or [node]
    split = [row for row in rows if len(row.items) != wanted]
    for row in split:
        apart = not any(_tight(*pair) for pair in zip(row.items[1::2], row.items[2::2], strict=False))
        given_away = apart and len(row.items) > 2 if wanted is None else len(row.items) == 2 * wanted
        if not given_away or not _paired(row.items):
            return ""
    if not split:
        return ""
    whole, part = split[0].items[:2]
    assert isinstance(whole, Scalar)
    assert isinstance(part, Scalar)
    message = f"the comma in {whole.text},{part.text} makes two numbers of it: write {whole.text}.{part.text}"
    return message if wanted is not None else f"{message}; separate numbers need a space after every comma"


def read_documents(text: str, file: str, *, repeats: bool = False) -> list[Node]:
    """Return the documents of a YAML stream; anything wrong raises ProblemError with its place, and so does a key that
    stands twice unless it may (`repeats`)."""
    if control := _CONTROL.search(text):
        message = f"a control character, U+{ord(control[0]):04X}, was found"
        raise ProblemError([Fault(file, _place(text, control.start()), message, "delete it")])
    if directive := _TAG_DIRECTIVE.search(text):
        message = "a %TAG directive was found, but tags are not supported"
        raise ProblemError([Fault(file, _place(text, directive.start()), message, "delete the line")])
    loader = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
    try:
        return _TreeBuilder(file, text, repeats).build(yaml.parse(text, Loader=loader))
    except yaml.MarkedYAMLError as error:
        unclosed = "quoted scalar" in str(error.context) and error.context_mark
        mark = error.context_mark if unclosed else error.problem_mark or error.context_mark
        at = Mark(mark.line + 1, mark.column + 1) if mark else Mark(1, 1)
        message = f"this is not YAML: {error.problem or error.context}"
        raise ProblemError([Fault(file, at, message, _syntax_fix(str(error.problem), text, at))]) from None
    except yaml.YAMLError as error:
        reason = str(getattr(error, "reason", error)).splitlines()[0]
        at = _place(text, getattr(error, "position", None))
        raise ProblemError([Fault(file, at, f"this is not YAML: {reason}")]) from None


def _place(text: str, position: object) -> Mark:
    if not isinstance(position, int):
        return Mark(1, 1)
    before = text[:position]
    return Mark(before.count("\n") + 1, position - (before.rfind("\n") + 1) + 1)


def _syntax_fix(problem: str, text: str, at: Mark) -> str:
    lines = text.splitlines()
    line = lines[at.line - 1] if at.line <= len(lines) else ""
    if quoted := _in_quotes(line):
        return quoted
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return "the line is indented with a tab: use spaces"
    if "escape" in problem or ("','" in problem and re.search(r"\\[a-z]+|\$|\^\{", line)):
        return LATEX_FIX
    if "',' or ']'" in problem:
        return "a list opened with [ needs a comma between its values and a closing ]"
    if "',' or '}'" in problem:
        return "a mapping opened with { needs a comma between its entries and a closing }"
    if "mapping values are not allowed" in problem:
        return "is the line indented too far, or does it have two colons? put quotes around a text that contains ': '"
    return "look at this line and the one before it: brackets, quotes and indentation"


def _in_quotes(line: str) -> str:
    from attnsolve.spec.traps import in_quotes, without_indicator

    entry = in_quotes(line)
    return f"put quotes around it: {entry}" if entry else without_indicator(line)


@filled
class _Frame(Fillable):
    """A list or mapping that is still open, and the anchor it will be known by."""

    at: Mark
    anchor: str | None
    is_mapping: bool
    size: int = 1
    items: list[Node] = field(default_factory=list)
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)
    seen: dict[str, Mark] = field(default_factory=dict)
    key: Scalar | None = None
    start: int | None = None
    """Where the text of a list that is a value begins."""

    def close(self, text: str, end: int | None) -> Node:
        """What it holds, once all is there."""
        if self.is_mapping:
            return Mapping(tuple(self.entries), self.at)
        return Sequence(tuple(self.items), self.at, "" if self.start is None else text[self.start : end])


class _TreeBuilder:
    """Builds the tree from events without recursion, counting what aliases would write out."""

    def __init__(self, file: str, text: str, repeats: bool = False) -> None:
        self.file = file
        self.text = text
        self.repeats = repeats
        self.faults: list[Fault] = []
        self.stack: list[_Frame] = []
        self.anchors: dict[str, tuple[Node, int]] = {}
        self.documents: list[Node] = []
        self.total = 0
        """Values in the documents so far, aliases written out."""

    def build(self, events: Iterator[yaml.Event]) -> list[Node]:
        for event in events:
            self._take(event)
        if self.faults:
            raise ProblemError(self.faults)
        return self.documents

    def _take(self, event: yaml.Event) -> None:
        start = event.start_mark
        at = Mark(start.line + 1, start.column + 1) if start else Mark(1, 1)
        tag = getattr(event, "tag", None)
        if tag is not None:
            fix = _in_quotes(self._line(at)) or "write the plain value"
            self._fault(at, f"a YAML tag, {tag!r}, was found, but tags are not supported", fix)
        if isinstance(event, yaml.DocumentStartEvent):
            self.anchors = {}
            if len(self.documents) >= allowed().documents:
                most = allowed().documents
                self._stop(at, f"a file may hold at most {most} problems", raises("documents", 2 * most))
        elif isinstance(event, yaml.ScalarEvent):
            self._add(Scalar(event.value, at, quoted=bool(event.style)), 1, event.anchor)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            if len(self.stack) >= allowed().nesting:
                self._stop(at, f"lists and mappings may be nested at most {allowed().nesting} deep")
            is_mapping = isinstance(event, yaml.MappingStartEvent)
            is_value = not is_mapping and bool(self.stack) and self.stack[-1].is_mapping and event.flow_style
            index = start.index if is_value and start else None
            self.stack.append(_Frame(at, event.anchor, is_mapping, start=index))
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            frame = self.stack.pop()
            end = event.end_mark.index if event.end_mark else None
            self._add(frame.close(self.text, end), frame.size, frame.anchor)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(str(event.anchor), at)

    def _alias(self, anchor: str, at: Mark) -> None:
        if anchor not in self.anchors:
            inside = any(frame.anchor == anchor for frame in self.stack)
            why = "is inside the value that it refers to" if inside else "refers to no anchor before it"
            self._stop(at, f"the alias *{anchor} {why}", _in_quotes(self._line(at)))
        node, size = self.anchors[anchor]
        self._add(node, size, None)

    def _add(self, node: Node, size: int, anchor: str | None) -> None:
        if anchor is not None:
            self.anchors[anchor] = (node, size)
        frame = self.stack[-1] if self.stack else None
        so_far = self.total + sum(open_frame.size for open_frame in self.stack)
        if so_far + size > allowed().nodes:
            message = f"the file has more than {allowed().nodes:,} values (with aliases expanded)"
            self._stop(node.at, message, raises("nodes", 2 * (so_far + size)))
        if frame is None:
            self.total += size
            self.documents.append(node)
            return
        frame.size += size
        if not frame.is_mapping:
            frame.items.append(node)
        elif frame.key is None:
            frame.key = self._key(frame, node)
        else:
            frame.entries.append((frame.key, node))
            frame.key = None

    def _key(self, frame: _Frame, node: Node) -> Scalar:
        if not isinstance(node, Scalar):
            self._fault(node.at, f"a key must be a word, but {describe(node)} was found")
            return Scalar("?", node.at)
        if not node.quoted and node.text.count(")") > node.text.count("("):
            fix = _in_quotes(self._line(node.at)) or SPLIT_FIX
            if self.faults[-1:] != [split := Fault(self.file, frame.at, SPLIT, fix)]:
                self.faults.append(split)
        elif node.text in frame.seen and not self.repeats:
            first = frame.seen[node.text].line
            self._fault(node.at, f"the key {node.text!r} was already given on line {first}", "keep one of the two")
        frame.seen.setdefault(node.text, node.at)
        return node

    def _line(self, at: Mark) -> str:
        return self.text.split("\n")[at.line - 1]

    def _fault(self, at: Mark, message: str, fix: str = "") -> None:
        self.faults.append(Fault(self.file, at, message, fix))

    def _stop(self, at: Mark, message: str, fix: str = "") -> None:
        self._fault(at, message, fix)
        raise ProblemError(self.faults)
