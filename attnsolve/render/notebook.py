"""Blocks as HTML for a notebook: a matrix is a table between its brackets, its tokens named at the side.

Every text is escaped. Colours are those of the pages around it, so that dark ones stay readable: shades and lines are
translucent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from attnsolve import notation as n
from attnsolve.document import Block, Equation, Inline, Note, Paragraph
from attnsolve.notation.latex import LatexPrinter
from attnsolve.notation.text import TextPrinter

SHADE = "rgba(70, 110, 230, {:.2f})"
DARKEST = 0.6
ROW = "display: flex; align-items: center; gap: 0.5em; margin: 0.4em 0"
TABLE = "border-collapse: collapse; border: none; margin: 0"
CELL = "text-align: right; padding: 0.15em 0.6em; white-space: nowrap"
LABEL = f"{CELL}; font-weight: normal; font-style: italic; opacity: 0.75"
BRACKET = "2px solid currentColor"


def html(blocks: Iterable[Block]) -> str:
    """Equations as rows, words as paragraphs."""
    return "\n".join(_block(block) for block in blocks)


def latex(blocks: Iterable[Block]) -> str | None:
    """The equations alone as LaTeX, one below the other; None where there are none."""
    lines = [LatexPrinter().print(block.chain) for block in blocks if isinstance(block, Equation)]
    if not lines:
        return None
    text = lines[0] if len(lines) == 1 else "\\begin{gathered}" + " \\\\ ".join(lines) + "\\end{gathered}"
    return f"$\\displaystyle {text}$"


def _block(block: Block) -> str:
    if isinstance(block, Equation):
        parts = "".join(f"<div>{part}</div>" for part in _chain(block.chain))
        return f'<div style="{ROW}">{parts}</div>'
    if isinstance(block, Paragraph | Note):
        return f"<p>{_inline(block.content)}</p>"
    raise TypeError(f"a notebook has no way to show a {type(block).__name__}")


def _chain(chain: n.Chain) -> Iterator[str]:
    if chain.left is not None:
        yield _maths(chain.left)
    for sign, part in chain.links:
        yield escape(sign)
        yield _table(part) if isinstance(part, n.Grid) else _maths(part)


def _table(grid: n.Grid) -> str:
    rows = []
    if grid.column_labels:
        corner = "<th></th>" if grid.row_labels else ""
        rows.append(corner + "".join(map(_label, grid.column_labels)))
    for number, row in enumerate(grid.rows):
        label = _label(grid.row_labels[number]) if grid.row_labels else ""
        shades = grid.shades[number] if grid.shades else (0.0,) * len(row)
        ends = [("left",), *[()] * (len(row) - 2), ("right",)] if len(row) > 1 else [("left", "right")]
        rows.append(label + "".join(_cell(*cell) for cell in zip(row, shades, ends, strict=True)))
    return f'<table style="{TABLE}">{"".join(f"<tr>{row}</tr>" for row in rows)}</table>'


def _cell(entry: n.Notation, shade: float, ends: Sequence[str]) -> str:
    """One entry; a bracket stands on the sides where its row `ends`."""
    brackets = "".join(f"; border-{side}: {BRACKET}" for side in ends)
    background = f"; background: {SHADE.format(DARKEST * shade)}" if shade else ""
    return f'<td style="{CELL}{brackets}{background}">{_maths(entry)}</td>'


def _label(label: str) -> str:
    return f'<th style="{LABEL}">{escape(TextPrinter().label(label))}</th>'


def _inline(content: Inline) -> str:
    return "".join(escape(part) if isinstance(part, str) else _maths(part) for part in content)


def _maths(node: n.Notation) -> str:
    return escape(TextPrinter().print(node))
