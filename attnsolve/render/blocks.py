"""How a renderer finds its method for a block; an unknown block speaks up."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from attnsolve.document import Block


def method_for(renderer: object, block: Block) -> Callable[[Block, int], Iterator[Any]]:
    """The renderer's `block_` method for a block."""
    name = type(block).__name__
    method: Callable[[Block, int], Iterator[Any]] | None = getattr(renderer, f"block_{name.lower()}", None)
    if method is None:
        raise NotImplementedError(f"{type(renderer).__name__} does not know the block {name}")
    return method
