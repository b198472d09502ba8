"""What people call the quantities, in words: `attention weights` and `softmax` for `weights`. Problem files, answers
and the command line all ask here, so that a word means the same in each of them."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import lru_cache

CALLED = {
    "inputs": ("input", "embeddings", "embedding", "input embeddings", "token embeddings"),
    "memory": ("encoder output", "encoder outputs"),
    "queries": ("query", "query vectors", "query matrix"),
    "keys": ("key", "key vectors", "key matrix"),
    "values": ("value", "value vectors", "value matrix"),
    "scores": (
        "score", "attention scores", "attention score", "attn scores", "raw scores", "unscaled scores", "logits",
        "attention logits", "dot products", "alignment scores", "energies", "similarities", "score matrix",
    ),
    "scaled": (
        "scaled scores", "scaled attention scores", "scaled dot products", "scaled logits", "scaled score matrix",
    ),
    "masked": ("masked scores", "masked attention scores", "masked logits"),
    "weights": (
        "softmax", "attention weights", "attention weight", "attn weights", "attention matrix",
        "attention probabilities", "attention probs", "attention distribution", "attention pattern", "alphas",
        "softmax weights", "softmax scores", "softmax output", "probabilities", "softmax probabilities", "probs",
    ),
    "context": ("context vector", "context vectors", "contexts", "attended values", "weighted sum", "weighted values"),
    "concat": ("concatenated", "concatenation", "concatenated heads", "heads side by side"),
    "output": ("outputs", "final output", "projected output"),
    "states": ("encoder states", "encoder hidden states", "hidden states"),
    "state": ("decoder state", "decoder states", "decoder hidden state"),
    "attentional": ("attentional state", "attentional hidden state", "attention vector"),
}  # fmt: skip
"""Other words for each quantity, by its id."""

INNER = {
    "exponentials": (
        "exponential", "exps", "exp", "exp scores", "exponentiated scores", "exponents", "numerators", "powers",
        "softmax numerators",
    ),
    "sums": (
        "sum", "row sums", "row sum", "column sums", "denominators", "denominator", "softmax denominators",
        "softmax denominator", "sums of exponentials", "sum of exponentials", "totals", "normalizers", "normalisers",
    ),
    "maxima": ("maximum", "max", "row maxima", "row maximum", "row max", "maximums"),
    "shifted": ("shifted scores", "shift", "stabilised scores", "stabilized scores"),
    "products": ("product", "elementwise products"),
    "weighted": ("weighted value", "weighted vectors"),
}  # fmt: skip
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
    "gradients are not available: only the forward pass is worked out": (
        "gradient", "gradients", "grad", "derivative", "derivatives", "jacobian", "backward", "backprop", "loss",
    ),
    "a cosine score belongs to kind: seq2seq, as score: cosine": ("cos", "cosine", "cosine similarity"),
    "write weights (the softmax) or context (the weighted values), whichever is meant": ("attention", "attn"),
    "dropout is not applied: every result is that of the trained model": ("dropout",),
}  # fmt: skip
"""What people ask for and no attention problem has."""
_UNAVAILABLE = {folded(word): said for said, words in UNAVAILABLE.items() for word in words}

INSTEAD = {
    "output": ("without W_O there is no output", ("concat", "context", "weights")),
    "concat": ("with one head there is nothing to put side by side", ("context", "weights")),
    "scaled": ("the scores are not scaled here", ("scores",)),
    "masked": ("there is no mask here", ("scaled", "scores")),
    "context": ("without values there is no context", ("weights",)),
    "joined": ("without a state there is nothing to join", ("context",)),
    "attentional": ("without W_c there is no attentional state", ("joined", "context")),
    "mixed": ("without W_c context and state are not mixed", ("joined", "context")),
    "projected": ("this score projects no states", ("scores",)),
    "z": ("Z is no letter of this problem", ("output", "context")),
}
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
