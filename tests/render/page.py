"""An exported Markdown file as a web page, its mathematics as MathML: `python tests/render/page.py solution.md`."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pykatex
from markdown_it import MarkdownIt

STYLE = "body{font-family:sans-serif;max-width:54em;margin:2em auto}blockquote{color:#666}math{font-size:1.15em}"


def convert(latex: str, display: bool) -> str:
    return pykatex.renderToString(latex, displayMode=display, output="mathml")


def page(markdown: str) -> str:
    """The page, with GitHub's fences and backticks read as mathematics."""
    parser = MarkdownIt("commonmark")
    rules = parser.renderer.rules
    fence = rules["fence"]

    def math_or_fence(tokens: list, index: int, *rest: object) -> str:
        token = tokens[index]
        if token.info != "math":
            return fence(tokens, index, *rest)
        return f"<p>{convert(token.content, display=True)}</p>"

    rules["fence"] = math_or_fence
    html = parser.render(re.sub(r"\$`(.*?)`\$", lambda match: convert(match[1], display=False), markdown))
    return f'<!doctype html><meta charset="utf-8"><style>{STYLE}</style>\n{html}'


if __name__ == "__main__":
    print(page(Path(sys.argv[1]).read_text(encoding="utf-8")))
