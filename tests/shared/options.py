"""Which options a problem uses, and which pairs of them were ever seen together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import combinations

from shared.seq2seq import Seq2seq
from shared.written import LATER, Number, Problem

Choice = tuple[str, str]
Pair = tuple[Choice, Choice]

ATTENTION = {
    "start": ("inputs", "sources", "identity", "queries", *LATER),
    "numbers": ("whole", "decimal", "fraction", "surd"),
    "heads": ("one", "list", "split"),
    "numbering": ("0", "1"),
    "queries": ("a list", "rows"),
    "memory": ("none", "cross"),
    "biases": ("none", "some"),
    "output": ("none", "W_O", "W_O and b_O"),
    "scaling": ("default", "none", "sqrt_dk", "number", "surd"),
    "d_k": ("seen", "stated"),
    "mask": ("none", "causal", "allowed", "added", "added with -inf"),
    "softmax": ("e", "2", "other", "sum"),
    "stable": ("no", "yes"),
    "layout": ("rows", "columns"),
    "vectors": ("default", "rows", "columns"),
    "tokens": ("unnamed", "named"),
    "notation": ("default", "own"),
    "parts": ("none", "whole", "for a token"),
    "rounding": ("none", "shown", "each-step", "one quantity"),
}
"""Every option of an attention problem and what it may be."""
SEQ2SEQ = {
    "score": ("dot", "scaled-dot", "general", "additive", "concat", "cosine", "location"),
    "numbers": ("whole", "decimal", "fraction", "surd"),
    "steps": ("one", "several"),
    "vectors": ("default", "rows", "columns"),
    "attentional": ("no", "yes"),
    "softmax": ATTENTION["softmax"],
    "stable": ATTENTION["stable"],
    "tokens": ATTENTION["tokens"],
    "notation": ATTENTION["notation"],
    "parts": ATTENTION["parts"],
    "rounding": ATTENTION["rounding"],
}


def options(problem: Problem) -> dict[str, str]:
    given = problem.given
    start = next((name for name in (*LATER, "queries") if name in given), "identity" if problem.identity else "inputs")
    start = "sources" if "query_inputs" in given else start
    return {
        "start": start,
        "numbers": style(matrix for parts in given.values() for matrix in parts),
        "heads": "split" if problem.split else "list" if problem.heads > 1 else "one",
        "numbering": str(problem.numbering),
        "queries": "a list" if problem.flat else "rows",
        "memory": "cross" if "memory" in given else "none",
        "biases": "some" if any(name.startswith("b") for one in problem.projections for name in one) else "none",
        "output": " and ".join(problem.output) or "none",
        "scaling": _scaling(problem.scaling),
        "d_k": "stated" if problem.d_k else "seen",
        "mask": _mask(problem),
        "stable": "yes" if problem.stable else "no",
        "layout": "columns" if problem.columns else "rows",
        "vectors": problem.vectors or "default",
        "tokens": "named" if problem.names else "unnamed",
        **_shared(problem),
    }


def seq2seq_options(problem: Seq2seq) -> dict[str, str]:
    return {
        "score": problem.score,
        "numbers": style((problem.states, problem.state)),
        "steps": "one" if problem.flat else "several",
        "vectors": problem.vectors or "default",
        "attentional": "yes" if "W_c" in problem.weights else "no",
        "stable": "yes" if problem.stable else "no",
        "tokens": "named" if problem.names else "unnamed",
        **_shared(problem),
    }


def _shared(problem: Problem | Seq2seq) -> dict[str, str]:
    rounding = problem.rounding
    when = "one quantity" if rounding and rounding.only else "each-step" if rounding and rounding.each_step else "shown"
    wanted = "for a token" if any(part.token for part in problem.parts) else "whole"
    return {
        "softmax": problem.softmax if problem.softmax in ("e", "2", "sum") else "other",
        "notation": "own" if problem.notation else "default",
        "parts": wanted if problem.parts else "none",
        "rounding": when if rounding else "none",
    }


def style(matrices: Iterable[Iterable[Iterable[Number]]]) -> str:
    texts = [number.text for matrix in matrices for row in matrix for number in row]
    signs = {"surd": "sqrt", "fraction": "/", "decimal": "."}
    return next((name for name, sign in signs.items() if any(sign in text for text in texts)), "whole")


def _scaling(scaling: str | Number | None) -> str:
    if isinstance(scaling, Number):
        return "surd" if "sqrt" in scaling.text else "number"
    return scaling or "default"


def _mask(problem: Problem) -> str:
    if problem.mask is None or isinstance(problem.mask, str):
        return problem.mask or "none"
    texts = {number.text for row in problem.mask for number in row}
    return "allowed" if texts <= {"0", "1"} else "added with -inf" if "-inf" in texts else "added"


# ── pairs ─────────────────────────────────────────────────────────────────────────────────────────


def pairs(chosen: Mapping[str, str]) -> Iterator[Pair]:
    yield from combinations(sorted(chosen.items()), 2)


def all_pairs(known: Mapping[str, Iterable[str]]) -> Iterator[Pair]:
    for one, other in combinations(sorted(known), 2):
        yield from (((one, a), (other, b)) for a in known[one] for b in known[other])


def impossible(pair: Pair) -> str:
    """Why two choices can't stand in one file; empty where they can."""
    chosen = dict(pair)
    start = chosen.get("start")
    later = {name for name in LATER if name in ("masked", "weights")}
    rules: list[tuple[bool, str]] = [
        (
            start in LATER[1:] and chosen.get("scaling", "none") not in ("default", "none"),
            "the scores have been scaled",
        ),
        (start == "weights" and chosen.get("rounding") == "one quantity", "neither scores nor weights are worked out"),
        (start == "sources" and chosen.get("memory") == "cross", "keys and values have inputs of their own"),
        (chosen.get("softmax") == "sum" and chosen.get("stable") == "yes", "there are no exponentials"),
        (start in LATER and chosen.get("heads") == "split", "there are no wide matrices to split"),
        (start in (*LATER, "queries") and chosen.get("memory") == "cross", "keys and values do not come from a memory"),
        (start in (*LATER, "queries", "identity") and chosen.get("biases") == "some", "there is no projection"),
        (start == "identity" and chosen.get("heads") == "list", "there are no weights to list"),
        (start in later and chosen.get("mask", "none") != "none", "the mask has been added"),
        (start == "weights" and chosen.get("softmax", "e") != "e", "the softmax has been taken"),
        (start == "weights" and chosen.get("stable") == "yes", "the softmax has been taken"),
        (start != "scores" and start is not None and chosen.get("d_k") == "stated", "d_k can be seen, or is not used"),
        (chosen.get("d_k") == "stated" and chosen.get("scaling") in ("none", "number", "surd"), "d_k is not used"),
        (chosen.get("d_k") == "stated" and chosen.get("memory") == "cross", "d_k can be seen"),
        (chosen.get("d_k") == "stated" and chosen.get("biases") == "some", "d_k can be seen"),
        (chosen.get("d_k") == "stated" and chosen.get("heads") == "split", "d_k can be seen"),
        (chosen.get("queries") == "a list" and chosen.get("heads") == "list", "a list a head would be a matrix"),
    ]
    return next((why for holds, why in rules if holds), "")


def report(seen: Counter[Pair], known: Mapping[str, Iterable[str]], say: Callable[[str], None] = print) -> list[Pair]:
    """Print how many pairs there are and which were never seen; these are returned."""
    wanted = list(all_pairs(known))
    possible = [pair for pair in wanted if not impossible(pair)]
    missing = [pair for pair in possible if not seen[pair]]
    said = [f"{one[0]}: {one[1]} with {other[0]}: {other[1]}" for one, other in missing]
    rarest = min((seen[pair] for pair in possible if seen[pair]), default=0)
    say(
        f"{len(wanted)} pairs of options: {len(wanted) - len(possible)} can't stand together, {len(missing)} never seen"
    )
    say("\n".join(f"    {line}" for line in said) or f"    every possible pair was seen, the rarest {rarest} times")
    return missing
