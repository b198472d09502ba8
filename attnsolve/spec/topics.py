"""What each topic of `kind: derivation` may be given and asked: tables, apart from the rooms that do the arguing, so
that the schema and the list of problems load none of those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from attnsolve.spec import shapes


@dataclass(frozen=True)
class Topic:
    """What a problem on a topic may hold."""

    keys: Mapping[str, str]
    """What may be given, and what it is."""
    passages: Mapping[str, str]
    """The ids of what can be asked, and the question for each."""
    shapes: Mapping[str, shapes.Shape]
    """What may stand under each key."""


STATED = {
    "scaled-dot-product": Topic(
        keys={
            "mu": "The mean of every entry of q and k; a letter unless it is given.",
            "sigma": "The standard deviation of every entry; a letter unless it is given.",
            "d_k": "How many entries q and k have; a letter unless it is given.",
            "variance": "The variance that the scaled score should have; a letter unless it is given.",
            "simulate": "{samples: 100000, seed: 0} checks the result by drawing such vectors.",
        },
        passages={
            "setting": "State what is assumed about the two vectors.",
            "expectation": "Find the mean of the dot product.",
            "variance": "Find the variance of the dot product.",
            "scale": "Find the scale that gives the scores the desired variance.",
            "simulation": "Check the results by simulation.",
        },
        shapes={
            "mu": shapes.NUMBER_REF,
            "sigma": shapes.NUMBER_REF,
            "d_k": {"type": "integer", "minimum": 1},
            "variance": shapes.NUMBER_REF,
            "simulate": shapes.SIMULATION,
        },
    ),
    "softmax-is-a-distribution": Topic(
        keys={"scores": "Scores to use as an example, as one list."},
        passages={
            "positive": "Show that no weight is negative.",
            "sum": "Show that the weights sum to 1.",
            "conclusion": "Say why the weights are a probability distribution.",
            "example": "Compute the weights for the given scores.",
        },
        shapes={"scores": shapes.ROW},
    ),
    "softmax-shift-invariance": Topic(
        keys={"scores": "Scores to use as an example, as one list."},
        passages={
            "shift": "Show that adding a constant to every score does not change the weights.",
            "use": "Say what this is good for.",
            "example": "Check this on the given scores.",
        },
        shapes={"scores": shapes.ROW},
    ),
    "copying": Topic(
        keys={
            "keys": "Keys to use as an example, one row each.",
            "values": "Their values, one row each.",
            "query": "The query, as one list.",
            "index": "Which key should be copied, counted from 1 (default: the one with the highest score).",
            "accuracy": "The weight that the copied value should have, such as 0.99.",
        },
        passages={
            "weight": "Bound the weight of a key whose score is ahead of all others by a gap.",
            "output": "Bound how far the output is from the value of that key.",
            "gap": "Find the gap needed for a given weight.",
            "meaning": "Say what this means.",
            "example": "Check this on the given vectors.",
        },
        shapes={
            "keys": shapes.MATRIX_REF,
            "values": shapes.MATRIX_REF,
            "query": shapes.ROW,
            "index": {"type": "integer", "minimum": 1},
            "accuracy": shapes.NUMBER_REF,
        },
    ),
    "averaging": Topic(
        keys={
            "n": "How many keys there are; a letter unless it is given.",
            "beta": "How strong the query is; a letter unless it is given.",
            "within": "How far the weights may be from ½, such as 0.01.",
            "keys": "Orthonormal keys to use as an example, one row each.",
            "values": "Their values, one row each.",
            "pair": "Which two keys are averaged, such as [1, 2].",
        },
        passages={
            "scores": "Find the scores.",
            "weights": "Find the weights.",
            "limit": "Find the limits of the weights and the output as the query grows stronger.",
            "needed": "Find how strong the query must be for a given accuracy.",
            "example": "Check this on the given vectors.",
        },
        shapes={
            "n": {"type": "integer", "minimum": 2},
            "beta": shapes.NUMBER_REF,
            "within": shapes.NUMBER_REF,
            "keys": shapes.MATRIX_REF,
            "values": shapes.MATRIX_REF,
            "pair": shapes.PAIR,
        },
    ),
    "permutation-equivariance": Topic(
        keys={
            "inputs": "Tokens to use as an example, one row each; drawn at random if left out.",
            "weights": "Their W_Q, W_K and W_V; drawn at random if left out.",
            "permutation": "Which token comes first, second and so on, such as [3, 1, 2]; drawn at random if left out.",
            "seed": "The seed of the random numbers (default: 0).",
        },
        passages={
            "projections": "Show what reordering the tokens does to queries, keys and values.",
            "scores": "Show what this does to the scores.",
            "weights": "Show what this does to the weights.",
            "output": "Show what this does to the output.",
            "breaks": "Say what breaks this, with a counterexample each.",
            "example": "Check this on numbers.",
        },
        shapes={
            "inputs": shapes.MATRIX_REF,
            "weights": shapes.mapping(("W_Q", "W_K", "W_V"), shapes.MATRIX_REF),
            "permutation": {"type": "array", "minItems": 2, "items": {"type": "integer", "minimum": 1}},
            "seed": {"type": "integer", "minimum": 0},
        },
    ),
    "claim": Topic(
        keys={
            "given": "What the letters of the claim stand for: {X: 'matrix(n, d)', S: 'X*X^T'}.",
            "claim": "An equality, an inequality or a chain of them: 'softmax(P*S*P^T) = P*softmax(S)*P^T'.",
        },
        passages={
            "given": "State what is given.",
            "claim": "Prove or refute the claim.",
        },
        shapes={
            "given": {
                "type": "object",
                "additionalProperties": {"anyOf": [{"type": ["string", "number"]}, shapes.MATRIX_REF]},
            },
            "claim": {"anyOf": [{"type": "string"}, {"type": "array", "minItems": 1, "items": {"type": "string"}}]},
        },
    ),
}
