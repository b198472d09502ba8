"""The words: what each step is called and why it is done. `{lane}` is row or column, as the sheet stacks tokens."""

TITLES = {
    "inputs": "Inputs",
    "memory": "Memory",
    "queries": "Queries",
    "keys": "Keys",
    "values": "Values",
    "scores": "Scores",
    "scaled": "Scaled scores",
    "masked": "Masked scores",
    "weights": "Attention weights",
    "context": "Context",
    "concat": "Heads side by side",
    "output": "Output",
}

WHY = {
    "queries": "A query says what its token is looking for.",
    "keys": "A key says what its token has to offer; queries are compared with keys.",
    "values": "A value is what a token hands over when it is attended to.",
    "scores": "A score is the dot product of one token's query with another's key: how well the two match.",
    "scaled": "Dot products grow with the length of the vectors; dividing them keeps the softmax from saturating.",
    "masked": "Adding −∞ where a token may not look takes that place out: it will get no weight at all.",
    "weights": "The softmax turns each {lane} of scores into positive shares that sum to 1.",
    "context": "Each token's result is the sum of all values, weighted by how much it attends to each of them.",
    "concat": "The heads' results are set side by side, so that each token has one long vector again.",
    "output": "The output matrix mixes what the heads have found into the model's own coordinates.",
}

WHY_ONE_HEAD = {"output": "The output matrix turns the context into the model's own coordinates."}
