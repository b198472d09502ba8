"""attnsolve schema: JSON Schemas."""

from __future__ import annotations

from typing import Annotated

import typer

from attnsolve.cli.options import Described
from attnsolve.cli.streams import speaks_unicode


def schema(
    of: Annotated[Described, typer.Option("--of", help="What the schema describes.")] = Described.problem,
) -> None:
    """Print a JSON Schema: that of a problem file, for editors, or of the JSON that solve, check and lint print."""
    import json

    from attnsolve.contract.problem_schema import schema as of_problem
    from attnsolve.contract.schemas import contracts

    shape = of_problem() if of is Described.problem else contracts()[of.value]
    print(json.dumps(shape, indent=2, ensure_ascii=not speaks_unicode()))
