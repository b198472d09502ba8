"""attnsolve lint: the mistakes that the answers to a problem would not reveal."""

from __future__ import annotations

from attnsolve.cli.options import Bound, Format, Math, Name, Shown, Which, Width
from attnsolve.cli.printing import numbered, print_document, print_json
from attnsolve.cli.streams import say
from attnsolve.guard import Watch
from attnsolve.loading.sources import named


def lint(
    problem: Name,
    chosen: Which = None,
    shown: Shown = Format.terminal,
    width: Width = None,
    bound: Bound = None,
) -> None:
    """Find out which mistakes the answers to a problem would not reveal, and what change would reveal them."""
    with Watch(named(problem)):
        from attnsolve.check.lint import as_data, to_document
        from attnsolve.check.lint import lint as look
        from attnsolve.check.run import load_problems

        sheet = load_problems(problem, chosen)
        for number, solution in sheet.solutions.items():
            findings = look(solution)
            if shown is Format.json:
                print_json(as_data(findings))
            else:
                document = numbered(to_document(findings), number if sheet.has_several else None)
                print_document(solution, document, shown, None, width, Math.github, whole=False)
        for message in sheet.skipped:
            say(message)
