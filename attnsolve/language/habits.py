"""What people type out of habit: functions of other programs and of the blackboard, and how the language has them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from attnsolve.language.functions import ALIASES, FUNCTIONS

LIBRARIES = frozenset({"np", "numpy", "torch", "F", "nn", "tf", "jnp", "jax", "math", "scipy", "special"})
"""Words that stand before the functions of a program."""
ELSEWHERE = {
    **dict.fromkeys(("transpose", "T"), "{0}^T"),
    **dict.fromkeys(("matmul", "mm", "bmm"), "{0}*{1}"),
    **dict.fromkeys(("multiply", "hadamard", "mul"), "{0} .* {1}"),
    **dict.fromkeys(("concatenate", "cat", "hstack"), "concat({all})"),
    "vstack": "stack({all})",
    **dict.fromkeys(("log_softmax", "logsoftmax"), "ln(softmax({0}))"),
    **dict.fromkeys(("cross_entropy", "ce"), "crossentropy({all})"),
    "logsumexp": "ln(total(exp({0})))",
    "entropy": "-total({0} .* ln({0}))",
    **dict.fromkeys(("var", "variance"), "rowvar({0})"),
    **dict.fromkeys(("std", "stdev"), "sqrt(rowvar({0}))"),
    **dict.fromkeys(("average", "avg"), "mean({0})"),
    **dict.fromkeys(("eye", "I"), "identity({0})"),
    "log2": "ln({0})/ln(2)",
    "log10": "ln({0})/ln(10)",
    **dict.fromkeys(("pow", "power"), "{0} .^ {1}"),
    "square": "{0} .^ 2",
    "inner": "dot({0}, {1})",
    **dict.fromkeys(("cos_sim", "cosine", "cosine_similarity"), "dot({0}, {1})/(norm({0})*norm({1}))"),
    "softplus": "ln(1 + exp({0}))",
}
"""Functions that go by another name here, or are written out."""
AXES = ("axis", "dim")
ALONG = {"mean": "mean", "sum": "sum", "total": "sum", "max": "max", "norm": "norm", "var": "var", "amax": "max"}
"""The end of the name that a function has along rows and columns."""


def plain_function(name: str) -> str:
    """The name of a function as the language has it: ReLU, layer_norm and log as relu, layernorm and ln.

    >>> plain_function("LayerNorm"), plain_function("σ"), plain_function("gelu_tanh")
    ('layernorm', 'sigmoid', 'gelu_tanh')
    """
    if name in FUNCTIONS or name in ALIASES or name in ELSEWHERE:
        return ALIASES.get(name, name)
    folded = name.lower()
    return next((word for word in (folded, folded.replace("_", "")) if word in FUNCTIONS), name)


def instead(name: str, arguments: Sequence[str]) -> str:
    """What to write for a function of other programs, nothing where that isn't known.

    >>> instead("log_softmax", ["z"])
    'ln(softmax(z))'
    """
    form = ELSEWHERE.get(name, "")
    needed = max((int(place) + 1 for place in re.findall(r"\{(\d)\}", form)), default=1)
    return form.format(*arguments, all=", ".join(arguments)) if form and len(arguments) >= needed else ""


def along(name: str, inner: str, axis: str) -> str:
    """What to write for softmax(A, dim=1) or mean(A, axis=0), nothing where the axis is none of those of a matrix.

    >>> along("softmax", "A", "-1"), along("mean", "A", "0")
    ('softmax(A, by=rows)', 'colmean(A)')
    """
    word = {"1": "rows", "-1": "rows", "0": "columns", "-2": "columns"}.get(axis.replace(" ", ""))
    if word is None:
        return ""
    if name in ALONG:
        return f"{word[:3]}{ALONG[name]}({inner})"
    takes = "by" in FUNCTIONS[name].options.split() if name in FUNCTIONS else False
    return f"{name}({inner}, by={word})" if takes else f"{name}({inner})"


_BARS = ((r"(?:\|\||‖)([^|‖]+)(?:\|\||‖)", "norm"), (r"\|([^|]+)\|", "abs"))


def without_signs(text: str, sign: str) -> str:
    """A formula without a sign that has no meaning in it, nothing where it isn't known what was meant.

    >>> without_signs("x/||x||", "|"), without_signs("concat(A; B)", ";"), without_signs("[A; B]", ";")
    ('x/norm(x)', 'concat(A, B)', 'stack(A, B)')
    """
    if sign in "|‖":
        for pattern, function in _BARS:
            text = re.sub(pattern, rf"{function}(\1)", text)
        return "" if "|" in text or "‖" in text else text
    if sign == ";":
        stacked = re.sub(r"\[([^\[\];]*;[^\[\]]*)\]", r"stack(\1)", text)
        return ", ".join(part.strip() for part in stacked.split(";"))
    return ""
