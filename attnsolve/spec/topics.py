"""What each topic of `kind: derivation` may be given and asked: a table, apart from the modules that do the arguing, so
that the schema and the list of problems load none of those."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from attnsolve.record import Record, record
from attnsolve.spec import given, gradients
from attnsolve.spec.fields import Fields
from attnsolve.spec.keys import AnyKey

if TYPE_CHECKING:
    from attnsolve.spec.claim import Claimed


@record
class Topic(Record):
    """What a problem on a topic may hold."""

    keys: tuple[AnyKey, ...]
    """What may be given."""
    read: Callable[[Fields], Any]
    """Reads what is given."""
    passages: Mapping[str, str]
    """The ids of what can be asked, and the question for each."""


def _read_claim(fields: Fields) -> Claimed | None:
    """Read the names and the claim, which takes the algebra."""
    from attnsolve.spec.claim import read_claim

    return read_claim(fields)


TOPIC_FORMS = {
    "scaled-dot-product": Topic(
        keys=given.DOT_PRODUCT,
        read=given.read_dot_product,
        passages={
            "setting": "State what is assumed about the two vectors.",
            "expectation": "Find the mean of the dot product.",
            "variance": "Find the variance of the dot product.",
            "scale": "Find the scale that gives the scores the desired variance.",
            "simulation": "Check the results by simulation.",
        },
    ),
    "softmax-is-a-distribution": Topic(
        keys=(given.SCORES,),
        read=given.SCORES.read,
        passages={
            "positive": "Show that no weight is negative.",
            "sum": "Show that the weights sum to 1.",
            "conclusion": "Say why the weights are a probability distribution.",
            "example": "Compute the weights for the given scores.",
        },
    ),
    "softmax-shift-invariance": Topic(
        keys=(given.SCORES,),
        read=given.SCORES.read,
        passages={
            "shift": "Show that adding a constant to every score does not change the weights.",
            "use": "Say what this is good for.",
            "example": "Check this on the given scores.",
        },
    ),
    "softmax-jacobian": Topic(
        keys=gradients.SOFTMAX,
        read=gradients.read_softmax,
        passages={
            "entries": "Find the derivative of one weight in one score.",
            "matrix": "Write all derivatives as a matrix, and say what its rows sum to.",
            "upstream": "Find the gradient in the scores from the gradient in the weights.",
            "saturation": "Say what happens to the derivatives when one weight is close to 1.",
            "example": "Compute the derivatives for the given scores.",
        },
    ),
    "softmax-cross-entropy-gradient": Topic(
        keys=gradients.CROSS_ENTROPY,
        read=gradients.read_cross_entropy,
        passages={
            "loss": "Write the loss without the softmax.",
            "gradient": "Find the gradient of the loss in the scores.",
            "meaning": "Say what the entries sum to, and which way they push the scores.",
            "mean": "Find the gradient of the mean loss of several tokens.",
            "example": "Compute the gradient for the given scores.",
        },
    ),
    "attention-gradient": Topic(
        keys=gradients.ATTENTION,
        read=gradients.read_attention,
        passages={
            "values": "Find the gradients in the values and the weights.",
            "scores": "Find the gradients in the scaled scores and the scores.",
            "inputs": "Find the gradients in the queries and the keys.",
            "meaning": "Say what this means.",
            "example": "Compute all gradients for the given matrices.",
        },
    ),
    "layer-norm-gradient": Topic(
        keys=gradients.LAYER_NORM,
        read=gradients.read_layer_norm,
        passages={
            "statistics": "Find the derivatives of the mean and the standard deviation.",
            "entries": "Find the derivative of one entry of the result in one entry of the vector.",
            "gradient": "Find the gradient in the vector from the gradient in the result.",
            "orthogonal": "Say which directions the gradient has no part in.",
            "constant": "Say what is lost by taking the standard deviation for a constant.",
            "example": "Compute the gradient for the given vector.",
        },
    ),
    "copying": Topic(
        keys=given.COPYING,
        read=given.read_copying,
        passages={
            "weight": "Bound the weight of a key whose score is ahead of all others by a gap.",
            "output": "Bound how far the output is from the value of that key.",
            "gap": "Find the gap needed for a given weight.",
            "meaning": "Say what this means.",
            "example": "Check this on the given vectors.",
        },
    ),
    "averaging": Topic(
        keys=given.AVERAGING,
        read=given.read_averaging,
        passages={
            "scores": "Find the scores.",
            "weights": "Find the weights.",
            "limit": "Find the limits of the weights and the output as the query grows stronger.",
            "needed": "Find how strong the query must be for a given accuracy.",
            "example": "Check this on the given vectors.",
        },
    ),
    "permutation-equivariance": Topic(
        keys=given.REORDERING,
        read=given.read_reordering,
        passages={
            "projections": "Show what reordering the tokens does to queries, keys and values.",
            "scores": "Show what this does to the scores.",
            "weights": "Show what this does to the weights.",
            "output": "Show what this does to the output.",
            "breaks": "Say what breaks this, with a counterexample each.",
            "example": "Check this on numbers.",
        },
    ),
    "claim": Topic(
        keys=given.CLAIM,
        read=_read_claim,
        passages={
            "given": "State what is given.",
            "claim": "Prove or refute the claim.",
        },
    ),
}
