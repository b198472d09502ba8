"""Every function of the language, one line each: its parameters (those with ? may be left out, … repeats), its options,
the rule for its shape, and whether claims know it. The rules themselves are in `language.shapes`."""

from __future__ import annotations

from attnsolve.record import Record, record


@record
class Function(Record):
    """A line of the table."""

    name: str
    parameters: str
    shape: str
    options: str = ""
    claims: str = ""
    """Where a claim may have it: as a `function` of one term, `filled` from a size, or in a form of its own."""
    over: bool = False
    """Whether it may go over an index: sum(i=1..n, x[i])."""

    @property
    def least(self) -> int:
        """How many arguments it needs."""
        return sum(not word.endswith("?") and word != "…" for word in self.parameters.split())

    @property
    def most(self) -> int | None:
        """How many it takes at most, None for any number."""
        words = self.parameters.split()
        return None if "…" in words else len(words)


_LINES = [
    Function("softmax", "S", "each", "base by", claims="function"),
    *(Function(name, "x", "each", claims="function") for name in ("exp", "ln", "sqrt", "tanh")),
    Function("norm", "A", "number", claims="function"),
    *(Function(name, "x", "each", claims="function") for name in ("abs", "E", "Var")),
    Function("identity", "n", "square", claims="filled"),
    Function("ones", "n m?", "sized", claims="filled"),
    Function("causal", "n?", "mask", claims="filled"),
    Function("sum", "x", "summed", claims="form", over=True),
    Function("lim", "x", "same", claims="form", over=True),
    Function("masked", "S mask", "masked", claims="form"),
    *(Function(name, "x", "each") for name in ("sin", "cos", "sigmoid", "relu", "gelu", "gelu_tanh", "silu")),
    Function("max", "a b?", "greatest", over=True),
    Function("where", "mask a b", "joined"),
    Function("share", "S", "each", "by"),
    Function("layernorm", "X gamma? beta?", "normed", "eps by"),
    Function("rmsnorm", "X gamma?", "normed", "eps by"),
    Function("rope", "X", "each", "base start pairs at"),
    Function("rotate", "X angles", "each"),
    Function("sinusoidal", "n d", "sized", "base start order"),
    Function("nll", "P ids", "per_token", "by"),
    Function("crossentropy", "P ids", "number", "by"),
    Function("top", "P k", "each", "by"),
    Function("nucleus", "P p", "each", "by"),
    Function("topk", "P k", "each", "by"),
    Function("topp", "P p", "each", "by"),
    *(Function(name, "x", "each", "by") for name in ("sorted", "cumsum")),
    Function("argmax", "x", "per_token", "by"),
    *(Function(f"row{name}", "A", "rows") for name in ("sum", "mean", "max", "norm")),
    *(Function(f"col{name}", "A", "columns") for name in ("sum", "mean", "max", "norm")),
    Function("rowvar", "A", "rows", "ddof"),
    Function("colvar", "A", "columns", "ddof"),
    *(Function(name, "A", "number") for name in ("total", "mean", "rank")),
    Function("within", "w", "mask"),
    Function("first", "lengths", "mask"),
    Function("alibi", "n slope", "square"),
    Function("concat", "A …", "beside", over=True),
    Function("stack", "A …", "below", over=True),
    Function("lookup", "E ids", "looked_up"),
    Function("rows", "E ids", "looked_up"),
    Function("onehot", "ids n", "onehot"),
    Function("diag", "v", "diagonal"),
    Function("flat", "A", "flat"),
    Function("dot", "v w", "dot"),
    Function("outer", "v w", "outer"),
    Function("zeros", "n m?", "sized"),
    Function("list", "x", "gathered", over=True),
    Function("table", "x", "gathered", over=True),
    Function("prev", "x", "same"),
]
FUNCTIONS = {line.name: line for line in _LINES}
ALIASES = {"log": "ln"}
"""Other words that are read as meant."""


def of_claims(form: str) -> tuple[str, ...]:
    """The functions that claims know in one form."""
    return tuple(line.name for line in _LINES if line.claims == form)


CLAIMED = (*of_claims("function"), *of_claims("filled"), *of_claims("form"))
"""Every function that claims know."""
CLAIM_FUNCTIONS = frozenset(of_claims("function"))
CLAIM_FILLED = frozenset(of_claims("filled"))
RESERVED = (*CLAIMED, "oo", "T")
"""Words with a meaning of their own, which nothing in a claim may be named after."""
INSTEAD = {
    **dict.fromkeys(("max", "min"), "declare a number for it under given:, as in {m: number}, and write m*ones(n)"),
    **dict.fromkeys(("mean", "average", "avg"), "write sum(i=1..n, x[i])/n, or E(x) for an expected value"),
    "transpose": "write x^T",
}
"""What to write in claims in place of functions that people try."""
