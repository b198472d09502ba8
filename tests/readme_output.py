"""Write anew what README.md and the guide quote, from real runs: `python tests/readme_output.py`.

`shared/pages.py` says how outputs, tables and pictures are marked. Look at the diff before you commit it.
"""

from __future__ import annotations

import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path[:0] = [str(TESTS.parent), str(TESTS)]


def main() -> None:
    """Rewrite the pages and pictures that have changed, and name them."""
    from shared.pages import PAGES, Page

    for path in PAGES:
        page = Page(path)
        for file, text in {path: page.as_run(), **page.drawn()}.items():
            if not file.exists() or file.read_text(encoding="utf-8") != text:
                file.write_text(text, encoding="utf-8")
                print(f"wrote {file.relative_to(TESTS.parent)}")


if __name__ == "__main__":
    main()
