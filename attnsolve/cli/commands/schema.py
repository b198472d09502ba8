"""attnsolve schema: JSON Schemas."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from attnsolve.cli.streams import speaks_unicode


class Described(StrEnum):
    """What a schema is of."""

    problem = "problem"
    solution = "solution"
    check = "check"
    lint = "lint"


def schema(
    of: Annotated[Described, typer.Option("--of", help="What the schema describes.")] = Described.problem,
) -> None:
    """Print a JSON Schema: that of a problem file, for editors, or of the JSON that solve, check and lint print."""
    import json

    from attnsolve.contract.problem_schema import schema as of_problem
    from attnsolve.contract.schemas import contracts

    shape = of_problem() if of is Described.problem else contracts()[of.value]
    print(json.dumps(shape, indent=2, ensure_ascii=not speaks_unicode()))
