"""attnsolve bounds: the bounds on the size and the cost of a file."""

from __future__ import annotations

from attnsolve.bounds import described, fixed
from attnsolve.cli.options import Bound


def list_bounds(bound: Bound = None) -> None:
    """List the bounds on the size and the cost of a file."""
    for name, value, meaning in described():
        print(f"{name:<18} {value:>17,}  {meaning}{' (fixed)' if name in fixed() else ''}")
