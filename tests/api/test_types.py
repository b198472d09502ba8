"""What the types say comes back: the Python of README.md and the guide passes mypy's strictest settings."""

from __future__ import annotations

import doctest
from pathlib import Path

from mypy import api
from shared.pages import PAGES, ROOT, Page


def source(block: str) -> str:
    """What a block has somebody type."""
    return "".join(example.source for example in doctest.DocTestParser().get_examples(block)) or block


def test_the_python_shown_passes_mypy_strict(tmp_path: Path) -> None:
    files = []
    for page in map(Page, PAGES):
        for number, block in enumerate(page.blocks("python"), start=1):
            files.append(tmp_path / f"{page.path.stem}_{number}.py")
            files[-1].write_text(source(block), encoding="utf-8")
    assert len(files) >= 8
    cache = ROOT / ".mypy_cache" / "pages"
    wrong = tmp_path / "wrong.py"
    wrong.write_text('import attnsolve\nattnsolve.solve("x")["weights"].decimal_places(3)\n', encoding="utf-8")
    options = ["--strict", "--config-file=", f"--cache-dir={cache}", "--no-error-summary"]
    report, errors, _ = api.run([*options, *map(str, [*files, wrong])])
    assert errors == ""
    assert [line for line in report.splitlines() if "wrong.py:2: error:" not in line] == []
    assert '"SolvedQuantity" has no attribute "decimal_places"' in report
