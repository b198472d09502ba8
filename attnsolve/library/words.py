"""What people call the quantities, in words: `attention weights` and `softmax` for `weights`. Problem files, answers
and the command line all ask here, so that a word means the same in each of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import lru_cache

from attnsolve.library import inside
from attnsolve.library.attention import ATTENTION
from attnsolve.library.seq2seq import SEQ2SEQ

LIBRARIES = (ATTENTION, SEQ2SEQ)
CALLED = {step.id: step.called for library in LIBRARIES for step in library.steps if step.called}
"""Other words for each quantity, by its id."""

INNER = inside.CALLED
"""What can be seen inside a step, and other words for it."""

_DROPPED = str.maketrans("", "", " \t_-^{}()$\\.")
_ALIKE = str.maketrans({"φ": "q"})
"""The small φ is written above a W for want of a small Q."""


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """A name without what makes no difference to a reader: case, spaces, underscores, hyphens, small letters.

    >>> folded("Attention-Weights"), folded("W_{q}"), folded("Wᴷ")
    ('attentionweights', 'wq', 'wk')
    """
    return unicodedata.normalize("NFKC", name).casefold().translate(_DROPPED).translate(_ALIKE)


_IDS = {folded(word): id for id, words in CALLED.items() for word in (id, *words)}


def meant(name: str) -> str:
    """The id that a word stands for; any other name is only folded.

    >>> meant("Attention weights"), meant("W_q")
    ('weights', 'wq')
    """
    return _IDS.get(folded(name), folded(name))


_INNER = {folded(word): name for name, words in INNER.items() for word in (name, *words)}


def meant_inside(word: str) -> str:
    """The name of the inner quantity that a word stands for; empty for any other word.

    >>> meant_inside("softmax denominators"), meant_inside("scores")
    ('sums', '')
    """
    return _INNER.get(folded(word), "")


UNAVAILABLE = {
    "for gradients, add gradient: {of: L, to: [W_Q]} and ask for dW_Q": (
        "gradients", "grad", "grads", "derivative", "derivatives", "backward", "backprop",
    ),
    "a loss is a formula: add formulas: {L: total(C)}": ("loss",),
    "cosine scores belong to kind: seq2seq; write score: cosine": ("cos", "cosine", "cosine similarity"),
    "write weights (the softmax) or context (the weighted values), whichever is meant": ("attention", "attn"),
    "dropout is not applied: all results are those of the trained model": ("dropout",),
}  # fmt: skip
"""What people ask for and no attention problem has."""
_UNAVAILABLE = {folded(word): reason for reason, words in UNAVAILABLE.items() for word in words}

INSTEAD = {id: reason for library in LIBRARIES for id, reason in library.lacking.items()}
"""Why a problem may lack a quantity, and what is likeliest to be meant."""


def instead(name: str, known: Collection[str]) -> str:
    """What to say to somebody who asks for what a problem doesn't have; empty where nothing better than the nearest
    name is known.

    >>> instead("Output", ["weights", "context"])
    'without W_O there is no output; did you mean context?'
    """
    why, others = INSTEAD.get(meant(name), ("", ()))
    other = next((id for id in others if id in known), "")
    return f"{why}; did you mean {other}?" if other else unavailable(name)


def unavailable(name: str) -> str:
    """Why no problem has what is asked for; empty for any other name."""
    return _UNAVAILABLE.get(folded(name), "")
