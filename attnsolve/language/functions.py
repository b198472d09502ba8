"""Every function of the language, one line each: its parameters (those with ? may be left out, … repeats), its options,
the rule for its shape, and whether claims know it. The rules themselves are in `language.shapes`."""

from __future__ import annotations

from attnsolve.record import Record, record


@record
class Signature(Record):
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
    Signature("softmax", "S", "each", "base by", claims="function"),
    *(Signature(name, "x", "each", claims="function") for name in ("exp", "ln", "sqrt", "tanh")),
    Signature("norm", "A", "number", claims="function"),
    *(Signature(name, "x", "each", claims="function") for name in ("abs", "E", "Var")),
    Signature("identity", "n", "square", claims="filled"),
    Signature("ones", "n m?", "sized", claims="filled"),
    Signature("causal", "n?", "mask", claims="filled"),
    Signature("sum", "x", "summed", claims="form", over=True),
    Signature("lim", "x", "same", claims="form", over=True),
    Signature("masked", "S mask", "masked", claims="form"),
    Signature("diff", "f x", "same", claims="form"),
    *(Signature(name, "x", "each") for name in ("sin", "cos", "sigmoid", "relu", "gelu", "gelu_tanh", "silu")),
    Signature("max", "a b?", "greatest", over=True),
    Signature("min", "a b?", "greatest"),
    Signature("where", "mask a b", "joined"),
    Signature("share", "S", "each", "by"),
    Signature("layernorm", "X gamma? beta?", "normed", "eps by"),
    Signature("rmsnorm", "X gamma?", "normed", "eps by"),
    Signature("rope", "X", "each", "base start pairs at"),
    Signature("rotate", "X angles", "each"),
    Signature("sinusoidal", "n d", "positions", "base start order"),
    Signature("nll", "P ids", "per_token", "by"),
    Signature("crossentropy", "P ids", "number", "by"),
    Signature("top", "P k", "each", "by"),
    Signature("nucleus", "P p", "each", "by"),
    Signature("topk", "P k", "each", "by"),
    Signature("topp", "P p", "each", "by"),
    *(Signature(name, "x", "each", "by") for name in ("sorted", "cumsum")),
    Signature("argmax", "x", "per_token", "by"),
    *(Signature(f"row{name}", "A", "rows") for name in ("sum", "mean", "max", "norm")),
    *(Signature(f"col{name}", "A", "columns") for name in ("sum", "mean", "max", "norm")),
    Signature("rowvar", "A", "rows", "ddof"),
    Signature("colvar", "A", "columns", "ddof"),
    *(Signature(name, "A", "number") for name in ("total", "mean", "rank")),
    Signature("within", "width", "mask"),
    Signature("first", "lengths", "mask"),
    Signature("alibi", "n slope", "square"),
    Signature("concat", "A …", "beside", over=True),
    Signature("stack", "A …", "below", over=True),
    Signature("lookup", "E ids", "looked_up"),
    Signature("rows", "E ids", "looked_up"),
    Signature("onehot", "ids n", "onehot"),
    Signature("diag", "v", "diagonal", claims="function"),
    Signature("flat", "A", "flat"),
    Signature("dot", "v w", "dot"),
    Signature("outer", "v w", "outer"),
    Signature("zeros", "n m?", "sized"),
    Signature("list", "x", "gathered", over=True),
    Signature("table", "x", "gathered", over=True),
    Signature("prev", "x", "before"),
]
FUNCTIONS = {line.name: line for line in _LINES}
ALIASES = {"log": "ln", "σ": "sigmoid", "sigma": "sigmoid", "swish": "silu"}
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
    **dict.fromkeys(("D", "d", "derivative", "grad", "gradient", "jacobian"), "write diff(f, x) for derivatives"),
}
"""What to write in claims in place of functions that people try."""
