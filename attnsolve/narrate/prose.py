"""The words: what each step is called and why it is done. `{lane}` is row or column, as the sheet stacks tokens."""

TITLES = {
    "inputs": "Inputs",
    "memory": "Memory",
    "query_inputs": "Inputs of the queries",
    "key_inputs": "Inputs of the keys",
    "value_inputs": "Inputs of the values",
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
    "states": "Encoder states",
    "state": "Decoder state",
    "projected": "Projected states",
    "projected_state": "Projected decoder state",
    "pairs": "Pairs of states",
    "summed": "Sums",
    "hidden": "Hidden vectors",
    "norms": "Encoder lengths",
    "state_norms": "Decoder lengths",
    "joined": "Context and state joined",
    "mixed": "Context and state mixed",
    "attentional": "Attentional state",
    ".exponentials": "Exponentials",
    ".sums": "Sums",
    ".maxima": "Largest scores",
    ".shifted": "Shifted scores",
    ".products": "Products",
    ".weighted": "Weighted values",
}
"""By the id of a quantity; of what is inside one, by the end of it."""


def title_of(id: str) -> str:
    """What a quantity is called; empty for one without a name."""
    _, dot, inner = id.partition(".")
    return TITLES.get(dot + inner if dot else id, "")


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

WHY_OF_KIND = {
    "seq2seq": {
        "projected": "The weight matrix takes each encoder state to where the decoder's can be compared with it.",
        "projected concat": "The same weight matrix is applied to every pair.",
        "projected_state": "A second weight matrix takes the decoder state there too.",
        "pairs": "Each encoder state is joined to the decoder state, which is the same in every row.",
        "summed": "What the decoder state has come to is added to every encoder state's.",
        "hidden": "tanh squeezes every entry to between −1 and 1; without it the score would be linear.",
        "norms": "A cosine compares directions only, so the dot products will be divided by the lengths.",
        "state_norms": "The same for the decoder.",
        "scores": "A score is the dot product of the decoder state with an encoder state: how well the two match.",
        "scores general": "A score is the dot product of the decoder state with a projected encoder state.",
        "scores additive": "A score is the dot product of v with a hidden vector: a small network has learnt to match.",
        "scores concat": "A score is the dot product of v with a hidden vector: a small network has learnt to match.",
        "scores cosine": "A score is the cosine of the angle between two states: their dot product over both lengths.",
        "scores location": "Scores by position: the decoder state alone says how well each encoder state matches.",
        "weights": "The softmax turns the scores into positive shares that sum to 1, the attention each state gets.",
        "context": "The context is the sum of the encoder states, each weighted by the attention it gets.",
        "joined": "Context and decoder state, set end to end, are what the decoder goes on with.",
        "mixed": "A weight matrix brings the two back into one vector.",
        "attentional": "tanh squeezes every entry to between −1 and 1: the decoder's state with attention in it.",
    }
}
"""What is said instead in problems of another kind; after the id, the way of scoring that the sentence is for."""
