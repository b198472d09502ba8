"""What a type checker can't be told, each behind one name. `Any` is written nowhere else in numbers and operations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Result = TypeVar("Result")
Expression = Any
"""A sympy expression: sympy has no types."""
Kernel = Callable[..., Result]
"""A tier's own way to perform an operation, from its matrices and whatever options that one operation has."""
