"""attnsolve list: the bundled problems."""

from __future__ import annotations


def list_problems() -> None:
    """List the bundled problems: name, title, kind, source and parts."""
    from attnsolve.loading.files import load_all
    from attnsolve.loading.sources import bundled

    for name in bundled():
        for problem in load_all(name, check=False):
            letters = ", ".join(part.letter for part in problem.parts)
            print(f"{name}\n    {problem.title} ({problem.kind}; {problem.source})")
            if letters:
                print(f"    parts {letters}")
