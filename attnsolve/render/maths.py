"""Notation as boxes: on one line by the text printer, matrices as brackets over several lines, and both broken
so that nothing is ever wider than the page and no number is ever cut."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attnsolve import notation as n
from attnsolve.notation.printer import ATOM, POWER, PRODUCT, opens, precedence
from attnsolve.notation.text import ASCII, UNICODE, Alphabet, TextPrinter
from attnsolve.render.box import Box, Line, Span, beside, chopped, width_of
from attnsolve.render.grids import centred, merged, narrower, split

BRACKETS = {True: ("⎡⎢⎣", "⎤⎥⎦", "[", "]"), False: ("[[[", "]]]", "[", "]")}
FENCES = {
    True: {"(": "⎛⎜⎝", ")": "⎞⎟⎠", "[": "⎡⎢⎣", "]": "⎤⎥⎦", "|": "│││"},
    False: {"‖": "||" * 3},
}
"""Brackets and bars over several lines; others are the same sign on every line."""
SHADES = {True: "▁▂▃▄▅▆▇█", False: " .:-=+*#"}
LEVELS = 5
"""How many tints a terminal shows."""
LEAST_SHADED = 0.001
"""A weight below this has no tint, since hardly anybody could tell it from none at all."""
NARROWEST = 24
"""A right-hand side with less room than this starts on a line of its own ..."""
LONGEST_LABEL = 14
"""Longer names of tokens are cut beside a matrix; in running text they stand in full."""
HANGING = 2
"""... so far from the left."""


class _HasGridError(Exception):
    """A matrix stands in it, so that it takes more than one line."""


class _FlatPrinter(TextPrinter):
    """Prints what fits on one line by its nature."""

    def print_grid(self, node: n.Grid) -> str:
        raise _HasGridError


class MathsPrinter:
    """Prints notation into boxes no wider than asked."""

    def __init__(self, unicode: bool = True) -> None:
        self.unicode = unicode
        self.alphabet: Alphabet = UNICODE if unicode else ASCII
        self.inline = TextPrinter(self.alphabet)
        self.flat = _FlatPrinter(self.alphabet)
        self._laid: dict[tuple[int, int], tuple[n.Grid, Box]] = {}

    # ── one chain ───────────────────────────────────────────────────────────────────────────────

    def chain(self, chain: n.Chain, width: int, align: int = 0) -> Box:
        """left = … = …, on one line where that fits, else a line for each relation."""
        left = self._left(chain, width, align)
        links = [(self._sign(sign), self.box(part, 10_000, self._style(sign))) for sign, part in chain.links]
        if not left.width and chain.links[0][0] == "":
            links[0] = (Box.text(""), links[0][1])
        whole = beside([left, *(box for pair in links for box in pair)])
        if whole.width <= width:
            return whole
        indent = left.width if width - left.width >= NARROWEST else HANGING
        rows, closed = [left], False
        for (sign, part), pair in zip(chain.links, links, strict=True):
            box = beside(pair)
            wide = box.height
            if box.width > width - indent:
                box = self._link(sign, part, width - indent)
            level = rows[-1] is left or (rows[-1].height > 1) == (box.height > 1)
            if not closed and level and rows[-1].width + box.width <= width:
                rows[-1] = beside([rows[-1], box])
            else:
                rows.append(box.indented(indent))
            closed = box.height > wide  # what comes next must stand after the last line, not beside the first
        spaced = _joined(rows, Box.text("")) if chain.has_grid else rows
        return Box.stack(spaced, base=rows[0].base)

    def _link(self, sign: str, part: n.Notation, width: int) -> Box:
        relation = self._sign(sign)
        return beside([relation, self.box(part, width - relation.width, self._style(sign))])

    def _left(self, chain: n.Chain, width: int, align: int) -> Box:
        box = self.box(chain.left, width, "symbol") if chain.left is not None else Box.text("", "symbol")
        return box.indented(align - box.width) if box.width < align else box

    def alignment(self, chains: Sequence[n.Chain], width: int) -> int:
        """How far right the first relation signs of some chains stand; a left side that would leave no room for what
        follows is not waited for."""
        widths = [self.box(chain.left, width).width for chain in chains if chain.left is not None]
        return max((wide for wide in widths if width - wide >= NARROWEST), default=0)

    def _sign(self, sign: str) -> Box:
        text = f" {self.alphabet.relation(sign)} " if sign else " "
        return Box.text(text, "rounded" if sign == "≈" else "relation")

    def _style(self, sign: str) -> str:
        return "rounded" if sign == "≈" else ""

    # ── notation with matrices in it ────────────────────────────────────────────────────────────

    def box(self, node: n.Notation, width: int, style: str = "") -> Box:
        """A notation in a box; broken at its factors or terms, or wrapped, where it would be too wide."""
        try:
            return self._wrapped(self.flat.print(node), width, style)
        except _HasGridError:
            return self._tall(node, width, style)

    def _tall(self, node: n.Notation, width: int, style: str) -> Box:
        match node:
            case n.Grid():
                return self._grid(node, width)
            case n.Product(factors=(n.Num(text="-1", exponent=None), *rest)) if rest:
                return self._after(self.alphabet.minus, n.Product(tuple(rest)), width, style)
            case n.Product(factors=factors):
                boxes = [self._factor(f, width - 3, style) for f in factors]
                fits = sum(box.width + 1 for box in boxes) - 1 <= width
                between = " " if fits else f" {self.alphabet.times} "
                return self._flow([boxes[0], *(beside([Box.text(between), box]) for box in boxes[1:])], width)
            case n.Entrywise(factors=factors):
                boxes = [self._factor(f, width - 3, style) for f in factors]
                between = f" {self.alphabet.hadamard} "
                return self._flow([boxes[0], *(beside([Box.text(between), box]) for box in boxes[1:])], width)
            case n.Sum(terms=terms):
                return self._flow(self._terms(terms, width, style), width)
            case n.Call(name=name, inner=inner, sub=sub, square=square):
                head = self.inline.print(n.Call(name, (), sub)).removesuffix("()")
                room = width - width_of(head) - 2
                boxes = [self.box(part, room - 2, style) for part in inner]
                commas = [beside([box, Box.text(", ", style)]) for box in boxes[:-1]]
                inside = self._flow([*commas, boxes[-1]], room)
                return beside([Box.text(head, style), self._fence(inside, "[]" if square else "()")])
            case n.Norm(inner=inside):
                return self._fence(self.box(inside, width - 2 * len(self.alphabet.norm), style), "‖‖")
            case n.Abs(inner=inside):
                return self._fence(self.box(inside, width - 2, style), "||")
            case n.PlusMinus(inner=inside):
                return self._after(self.alphabet.plus_minus, inside, width, style)
            case n.Beside(parts=parts, down=down):
                return self._grid(merged(parts, down, self.unicode), width)
            case n.SumOver(body=body):
                return self._after(f"{self.inline.sigma(node)} ", body, width, style)
            case n.Limit(body=body):
                return self._after(f"{self.inline.approach(node)} ", body, width, style)
            case n.Derivative(of=of, by=by):
                change = Box.text(self.alphabet.change, style)
                above, below = (self._factor(part, width - 3, style) for part in (of, by))
                return self._flow([beside([change, above]), beside([Box.text("/", style), change, below])], width)
            case n.Power(base=base, exponent=exponent):
                script = self.inline.print(n.Power(n.Word(""), exponent))
                return self._scripted(base, script, width, style)
            case n.Transposed(inner=base):
                return self._scripted(base, self.alphabet.transpose, width, style)
            case n.Subscripted(inner=base, sub=sub):
                script = self.inline.print(n.Subscripted(n.Word(""), sub))
                return self._scripted(base, script, width, style, below=True)
            case n.Root(inner=inside):
                sign = self.alphabet.root
                return beside(
                    [Box.text(sign, style), self._fence(self.box(inside, width - width_of(sign) - 2, style), "()")]
                )
            case n.Frac(over=over, under=under):
                above, below = self._factor(over, width - 2, style), self._factor(under, width - 3, style, POWER)
                return self._flow([above, beside([Box.text("/" if below.height == 1 else " / ", style), below])], width)
        raise NotImplementedError(f"no way to lay out {type(node).__name__} around a matrix")

    def _after(self, sign: str, node: n.Notation, width: int, style: str) -> Box:
        """What stands after a sign that takes all of it: Σ, lim, ±."""
        room = width - width_of(sign)
        body = self.box(node, room, style) if opens(node) else self._factor(node, room, style)
        return beside([Box.text(sign, style), body])

    def _scripted(self, node: n.Notation, script: str, width: int, style: str, *, below: bool = False) -> Box:
        """Something tall with a power at its upper right, or an index at its lower right."""
        box = self.box(node, width - width_of(script), style)
        box = box if precedence(node) >= ATOM else self._fence(box, "()")
        level = box.base - (box.height - 1) * below
        return beside([box, Box(((Span(script, style),),), width_of(script), level)])

    def _factor(self, node: n.Notation, width: int, style: str, least: int = PRODUCT) -> Box:
        """Something in brackets where it binds more loosely than `least`."""
        if isinstance(node, n.Grid) or precedence(node) >= least:
            return self.box(node, width, style)
        return self._fence(self.box(node, width - 2, style), "()")

    def _terms(self, terms: Sequence[n.Notation], width: int, style: str) -> list[Box]:
        """Each term with its sign before it."""
        boxes = []
        for number, term in enumerate(terms):
            sign = "+"
            if number and n.negative(term):
                sign, term = self.alphabet.minus, n.negated(term)
            elif number and isinstance(term, n.PlusMinus):
                sign, term = self.alphabet.plus_minus, term.inner
            box = self.box(term, width - 2 - len(sign), style)
            boxes.append(beside([Box.text(f" {sign} ", style), box]) if number else box)
        return boxes

    def _flow(self, boxes: Sequence[Box], width: int) -> Box:
        """Boxes side by side, on as many lines as they need."""
        rows: list[list[Box]] = [[]]
        for box in boxes:
            used = sum(placed.width for placed in rows[-1])
            if rows[-1] and used + box.width > width:
                rows.append([])
            rows[-1].append(box)
        stacked = [beside(row) for row in rows]
        spaced = _joined(stacked, Box.text("")) if any(box.height > 1 for box in stacked) else stacked
        return stacked[0] if len(stacked) == 1 else Box.stack(spaced, base=stacked[0].base)

    def _fence(self, box: Box, signs: str) -> Box:
        """A box between brackets or bars, as tall as it is."""
        if box.height == 1:
            left, right = (self.alphabet.norm if sign == "‖" else sign for sign in signs)
            return beside([Box.text(left), box, Box.text(right)])
        left, right = (FENCES[self.unicode].get(sign, sign * 3) for sign in signs)
        return beside([_edge(left, box), box, _edge(right, box)])

    def _wrapped(self, text: str, width: int, style: str) -> Box:
        if width_of(text) <= width:
            return Box.text(text, style)
        lines, line = [], ""
        for word in (part for piece in _pieces(text) for part in chopped(piece, width)):
            if line and width_of(line + word.rstrip()) > width:
                lines.append(line.rstrip())
                line = ""
            line += word
        boxes = [Box.text(part, style) for part in [*lines, line.rstrip()]]
        return Box.stack(boxes, base=0)

    # ── matrices ────────────────────────────────────────────────────────────────────────────────

    def _grid(self, grid: n.Grid, width: int) -> Box:
        """A matrix; kept, since one and the same stands in the work of every token."""
        place = id(grid), width
        if place not in self._laid:
            self._laid[place] = grid, self._lay(grid, width)  # the grid too, or another could get its id
        return self._laid[place][1]

    def _lay(self, grid: n.Grid, width: int) -> Box:
        columns = [self._column(grid, j) for j in range(grid.shape[1])]
        labels = [self._short(label) for label in grid.row_labels]
        margin = 4 + (1 + max(map(width_of, labels)) if labels else 0)
        if margin - 2 + max(width_of(column[0]) for column in columns) > width:
            return self._wrapped(self.inline.print(grid), width, "")  # an entry by itself is wider than the page
        wide = margin - 4 + sum(width_of(column[0]) + 2 for column in columns)
        if wide > width and (fewer := narrower(grid)):
            return self._grid(fewer, width)
        blocks, start = [], 0
        while start < len(columns):
            stop, used = start, margin
            while stop < len(columns) and (
                stop == start or wide <= width or used + width_of(columns[stop][0]) + 2 <= width
            ):
                used += width_of(columns[stop][0]) + 2
                stop += 1
            blocks.append((start, stop))
            start = stop
        if len(blocks) == 1:
            return self._block(grid, columns, 0, len(columns), labels, self._bars(grid, width - used))
        boxes: list[Box] = []
        for start, stop in blocks:
            span = (
                f"columns {start + 1} to {stop} of {len(columns)}"
                if stop - start > 1
                else f"column {stop} of {len(columns)}"
            )
            boxes += [Box.text(span, "note"), self._block(grid, columns, start, stop, labels, [])]
        return Box.stack(boxes, base=0)

    def _column(self, grid: n.Grid, number: int) -> list[str]:
        """The entries of a column, aligned on their points or strokes, its label first if it has one."""
        entries = [row[number] for row in grid.rows]
        texts = ["" if isinstance(entry, n.Dots) else self.inline.print(entry) for entry in entries]
        surds = any(self.alphabet.root in text.partition("/")[0] for text in texts)
        splits = [(text, "") if surds else split(text) for text in texts]
        before = max(width_of(head) for head, _ in splits)
        after = max(width_of(tail) for _, tail in splits)
        cells = [
            " " * (before - width_of(head)) + head + tail + " " * (after - width_of(tail)) for head, tail in splits
        ]
        if dots := {i: self.inline.print(entry) for i, entry in enumerate(entries) if isinstance(entry, n.Dots)}:
            wide = max(before + after, *map(width_of, dots.values()))
            cells = [centred(dots.get(i, cell), wide) for i, cell in enumerate(cells)]
        if not grid.column_labels:
            return cells
        label = self._short(grid.column_labels[number])
        wide = max(width_of(label), width_of(cells[0]))
        return [centred(label, wide), *(centred(cell, wide) for cell in cells)]

    def _short(self, label: str) -> str:
        """A token's name, cut where it would push the numbers off the page."""
        text = self.inline.label(label)
        if width_of(text) <= LONGEST_LABEL:
            return text
        while width_of(text) >= LONGEST_LABEL:
            text = text[:-1]
        return text + ("…" if self.unicode else "~")

    def _bars(self, grid: n.Grid, room: int) -> list[str]:
        """A little bar for each weight, so that the tint is not the only carrier of its size."""
        if not grid.shades or room < grid.shape[1] + 2:
            return []
        ramp = SHADES[self.unicode]
        return ["".join(ramp[min(int(x * len(ramp)), len(ramp) - 1)] for x in row) for row in grid.shades]

    def _block(
        self,
        grid: n.Grid,
        columns: list[list[str]],
        start: int,
        stop: int,
        labels: list[str],
        bars: list[str],
    ) -> Box:
        offset = 1 if grid.column_labels else 0
        height = grid.shape[0]
        lines: list[Line] = []
        if offset:
            text = "  ".join(columns[j][0] for j in range(start, stop))
            lines.append((Span(" " + text + " ", "label"),))
        for i in range(height):
            left, right = self._brackets(i, height)
            line = [Span(left, "bracket")]
            for j in range(start, stop):
                line += [Span("  ")] if j > start else []
                line.append(Span(columns[j][i + offset], self._tint(grid, i, j)))
            line.append(Span(right, "bracket"))
            if labels:
                line.append(Span(" " + labels[i] + " " * (max(map(width_of, labels)) - width_of(labels[i])), "label"))
            if bars:
                line.append(Span("  " + bars[i], "bars"))
            lines.append(tuple(line))
        boxes = [Box((line,), sum(width_of(span.text) for span in line), 0) for line in lines]
        return Box.stack(boxes, base=offset + (height - 1) // 2)

    def _tint(self, grid: n.Grid, row: int, column: int) -> str:
        """The style of a cell: how large a weight it is, or whether it was rounded."""
        if grid.shades:
            weight = grid.shades[row][column]
            return f"shade{0 if weight < LEAST_SHADED else min(int(weight * LEVELS), LEVELS - 1) + 1}"
        cell = grid.rows[row][column]
        return "rounded" if isinstance(cell, n.Num) and cell.rounded else ""

    def _brackets(self, row: int, height: int) -> tuple[str, str]:
        left, right, one_left, one_right = BRACKETS[self.unicode]
        if height == 1:
            return one_left, one_right
        place = 0 if row == 0 else 2 if row == height - 1 else 1
        return left[place], right[place]


def _edge(signs: str, box: Box) -> Box:
    last = box.height - 1
    wide = len(signs) // 3
    texts = [signs[(0 if i == 0 else 2 if i == last else 1) * wide :][:wide] for i in range(box.height)]
    return Box(tuple((Span(text, "bracket"),) for text in texts), wide, box.base)


def _joined(boxes: Sequence[Box], between: Box) -> list[Box]:
    joined: list[Box] = []
    for box in boxes:
        joined += [between, box] if joined else [box]
    return joined


def _pieces(text: str) -> list[str]:
    """Where a formula may be broken: after a space (a sign stays with what follows it) and before a divisor that is a
    formula itself; never inside a number."""
    pieces, carried = [], ""
    for word in re.split(r"(?<= )|(?=/\(|/e\^)", text):
        carried += word
        if carried.strip() not in ("+", "−", "-", "·"):
            pieces.append(carried)
            carried = ""
    return pieces
