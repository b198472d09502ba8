"""A problem file as it was spelled, to the same file in the names that are read: `X`, `Wq` and `S` for `inputs`, `W_Q`
under `weights` and `scores` under `given`. What comes after this knows ids only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TypeGuard

from attnsolve.library.words import folded, meant, unavailable
from attnsolve.notation.letters import GREEK_NAMES
from attnsolve.spec import reader
from attnsolve.spec.fields import YES_OR_NO, Faults, is_empty
from attnsolve.spec.header import HEADER
from attnsolve.spec.inner_names import canonical
from attnsolve.spec.keys import Kind

Entry = tuple[reader.Scalar, reader.Node]

HINTS = {
    "write mask: causal": ("causal", "is causal", "causal mask", "look ahead mask", "autoregressive", "masked"),
    "write mask: [[1, 1, 0], ...], one row for each query: 1 where it may attend, 0 where it may not": (
        "attention mask", "attn mask",
    ),
    "write mask: first([2, 3]), how many keys each query may attend to; or first(2) for all of them": (
        "valid lens", "valid len", "valid lengths", "valid length", "lengths", "seq lens",
    ),
    "write mask: [1, 1, 0], one number for each key: 0 for padding": (
        "padding", "padding mask", "key padding mask", "key padding", "pad mask",
    ),
    "write mask: causal and within(2)": ("window", "window size", "sliding window", "local attention", "band"),
    "write scaling: and the number that the scores are divided by": ("scale", "scale factor", "divisor"),
    "write temperature: 1/2, which the scaled scores are divided by": ("temp", "tau", "softmax temperature"),
    "write softcap: 5, for 5·tanh(S/5)": ("soft cap", "logit cap", "logit softcap", "attn logit softcapping", "cap"),
    "write score_bias: [[0, 1], [1, 0]], which is added to the scores": (
        "bias", "attention bias", "attn bias", "relative bias", "relative position bias",
    ),
    "write positions: {rope: {base: 10000}}": ("rope", "rotary", "rotary embedding", "rope theta", "rope base"),
    "write positions: {alibi: {slopes: [1/2]}}, one slope for each head": ("alibi", "slopes", "alibi slopes"),
    "write heads: 2": ("num heads", "n heads", "n head", "nhead", "h", "num attention heads", "head", "multihead"),
    "write key_heads: 2": (
        "kv heads", "n kv heads", "num kv heads", "num key value heads", "key value heads", "groups", "query groups",
        "num query groups",
    ),
    "leave it out: the widths follow from the matrices": (
        "d_model", "model dim", "d_v", "d_q", "dim", "embed dim", "embedding dim", "hidden size", "width",
    ),
    "write d_k:, or leave it out where the matrices show it": ("d", "dk", "key dim", "head dim", "d_h"),
    "write queries: [[...]] for Q itself, or inputs: {queries: [[...]], ...} for what W_Q is applied to": ("query",),
    "write keys: [[...]] for K itself, or inputs: {keys: [[...]], ...} for what W_K is applied to": ("key",),
    "write values: [[...]] for V itself, or inputs: {values: [[...]], ...} for what W_V is applied to": ("value",),
    "did you mean inputs?": (
        "embeddings", "embedding", "input", "input embeddings", "token embeddings", "tokens embeddings", "xs",
    ),
    "did you mean memory?": ("encoder output", "encoder outputs", "context sequence"),
    "did you mean W_Q, W_K and W_V?": ("q_proj", "k_proj", "v_proj", "in_proj_weight", "projections", "qkv"),
    "did you mean W_O?": ("o_proj", "out_proj", "output weights", "output projection"),
    "write given: {context: [[...]]}": ("z", "context vector", "contexts"),
    "write positions: sinusoidal, or the matrix that is added to the inputs": (
        "positional encoding", "positional encodings", "positional", "position", "position embedding",
        "position embeddings", "pos", "pe",
    ),
    "write digits: (significant digits), or rounding: {places: 2}": ("precision", "decimals", "places", "round"),
    "did you mean parts?": ("questions", "question", "tasks"),
    "write parts: {a: {find: weights}}": ("find", "compute", "calculate"),
    "did you mean title?": ("name", "problem"),
    "did you mean text?": ("description", "statement"),
}  # fmt: skip
"""What to write instead of keys that people try."""
OF_KIND = {
    "seq2seq": {
        "did you mean states?": ("inputs", "embeddings", "encoder states", "keys", "values", "hidden states", "K", "V"),
        "did you mean state?": ("query", "queries", "decoder state", "Q"),
        "write score: scaled-dot": ("scaling", "scale"),
        "write -inf instead of a score, under given: {scores: ...}": ("mask", "valid lens"),
    },
}
"""What to write in problems of one kind only."""
_OF_KIND = {
    kind: {folded(word): fix for fix, words in hints.items() for word in words} for kind, hints in OF_KIND.items()
}
_HINTS = {folded(word): fix for fix, words in HINTS.items() for word in words}


def hint(key: str, value: reader.Node, kind: str, others: Mapping[str, Kind]) -> str:
    """What to write instead of a key that a kind of problem hasn't; empty where only the nearest key is known.
    `others` are the kinds of which it may be a key."""
    if _is_part(value):
        return "it goes under parts:"
    belongs = next((name for name, module in others.items() if key in _keys_of(module)), "")
    own = _OF_KIND.get(kind, {}).get(folded(key), "")
    other = f"it belongs to kind: {belongs}" if belongs else ""
    return own or other or unavailable(key) or _HINTS.get(folded(key), "") or _of_one_token(key)


def _of_one_token(key: str) -> str:
    """What to write instead of q1, q2 and so on."""
    match = _ONE_TOKEN.fullmatch(folded(key))
    home = {"x": "inputs", "q": "queries", "k": "keys", "v": "values"}[match[1]] if match else ""
    return f"write {home}: [[1, 2], [3, 4]], one row for each token" if home else ""


_ONE_TOKEN = re.compile(r"([xqkv])\d+", re.ASCII)


def _keys_of(kind: Kind) -> list[str]:
    return [*kind.KEYS, *(kind.LETTERS[id] for id in kind.GIVABLE if id in kind.LETTERS)]


def spelled(node: reader.Mapping, kind: Kind, faults: Faults) -> reader.Mapping:
    """The same problem with every key and every quantity under the name that is read."""
    return _Speller(node, kind, faults).problem()


class _Speller:
    def __init__(self, node: reader.Mapping, kind: Kind, faults: Faults) -> None:
        self.node, self.kind, self.faults = node, kind, faults
        self.letters = {folded(name): name for name in kind.PARAMETERS} | self._chosen()
        for id, letter in kind.LETTERS.items():
            if id not in self.letters.values():
                for spelling in (letter, f"{letter}_t", GREEK_NAMES.get(letter, letter)):
                    self.letters.setdefault(folded(spelling), id)

    def _chosen(self) -> dict[str, str]:
        """The letters that the sheet has chosen itself, under `notation`."""
        notation = next((value for key, value in self.node.entries if key.text == "notation"), None)
        entries = notation.entries if isinstance(notation, reader.Mapping) else ()
        chosen = {key.text: value.text for key, value in entries if isinstance(value, reader.Scalar)}
        return {folded(text): id for id, text in chosen.items() if id in self.kind.NAMES}

    def problem(self) -> reader.Mapping:
        kind = self.kind
        inside: dict[str, Callable[[reader.Node], reader.Node]] = {
            "inputs": lambda value: self._keys(value, kind.SOURCES),
            "weights": lambda value: self._each(value, lambda head: self._keys(head, ("W_O", "b_O"))),
            "given": lambda value: self._keys(value, kind.QUANTITIES) if kind.GIVABLE else value,
            "notation": lambda value: self._keys(value, kind.NAMES),
            "tolerance": lambda value: self._keys(value, kind.QUANTITIES),
            "rounding": lambda value: self._under(value, "places", lambda some: self._keys(some, kind.QUANTITIES)),
            "exact": lambda value: self._each(value, self._word),
            "parts": self._parts,
        }
        entries = ((key, inside[key.text](value) if key.text in inside else value) for key, value in self._top())
        return reader.Mapping(tuple(entries), self.node.at)

    # ── the keys of the problem ─────────────────────────────────────────────────────────────────

    def _top(self) -> list[Entry]:
        """Letters under the keys that they stand for; weights and later quantities inside `weights` and `given`."""
        known = {*HEADER, *self.kind.KEYS}
        names = (*self.kind.GIVABLE, *(id for id in self.kind.LETTERS if id in known))
        kept: dict[str, tuple[reader.Scalar, reader.Node]] = {}
        moved: dict[str, list[Entry]] = {"weights": [], "given": []}
        for key, value in self.node.entries:
            as_it_stands = key.text in known or _is_part(value) or (_is_truth(value) and folded(key.text) in _HINTS)
            id = "" if as_it_stands else self._id(key.text, names, words=False)
            if id in self.kind.PARAMETERS:
                moved["weights"].append((key, value))
            elif id in self.kind.GIVABLE and (id == "weights" or id not in known):
                moved["given"].append((key, value))
            elif (name := id if id in known else key.text) in kept:
                self._twice(key, name, kept[name][0])
            else:
                kept[name] = key, value
        entries = [(replace(key, text=name), value) for name, (key, value) in kept.items()]
        for home, some in moved.items():
            entries = self._moved(entries, home, some) if some else entries
        return entries

    def _moved(self, entries: list[Entry], home: str, some: list[Entry]) -> list[Entry]:
        """Entries of the top level put under the key they belong to, beside what stands there."""
        place = next((i for i, (key, value) in enumerate(entries) if key.text == home and not is_empty(value)), None)
        if place is None:
            first = some[0][0]
            return [*entries, (replace(first, text=home), reader.Mapping(tuple(some), first.at))]
        key, there = entries[place]
        if not isinstance(there, reader.Mapping):
            for letter, _ in some:
                message = f"{letter.text} can't be combined with {home}: {_short(there)}"
                self.faults.add(letter, message, f"write it inside {home}, or leave one of the two out")
            return entries
        entries[place] = key, reader.Mapping((*there.entries, *some), there.at)
        return entries

    # ── what stands under them ──────────────────────────────────────────────────────────────────

    def _id(self, text: str, among: Iterable[str], *, words: bool = True) -> str:
        """The id that a letter (or a word) means, if it is one of these or a parameter; the text itself otherwise."""
        names = [*among, *self.kind.PARAMETERS]
        by_folded = {folded(name): name for name in names}
        found = (text, self.letters.get(folded(text)), by_folded.get(folded(text)), meant(text) if words else "")
        known = next((id for id in found if id in names), "")
        if known or not words or not self.kind.GIVABLE:
            return known or text
        return canonical(text, lambda step: self._id(step, among)) or text

    def _keys(self, node: reader.Node, among: Iterable[str]) -> reader.Node:
        """A mapping whose keys name quantities or weights."""
        if not isinstance(node, reader.Mapping):
            return node
        first: dict[str, reader.Scalar] = {}
        entries = []
        for key, value in node.entries:
            name = self._id(key.text, among)
            if name in first:
                self._twice(key, name, first[name])
            else:
                first[name] = key
                entries.append((replace(key, text=name), value))
        return reader.Mapping(tuple(entries), node.at)

    def _twice(self, key: reader.Scalar, name: str, first: reader.Scalar) -> None:
        """The same thing under two names."""
        both = f"{first.text} and {key.text} are both {name}" if first.text != key.text else f"{name} is given twice"
        self.faults.report_unused(key, f"{both}: it was already given on line {first.at.line}", "keep one of the two")

    def _word(self, node: reader.Node) -> reader.Node:
        """One word that names a quantity."""
        return replace(node, text=self._id(node.text, self.kind.QUANTITIES)) if _is_word(node) else node

    def _each(self, node: reader.Node, respell: Callable[[reader.Node], reader.Node]) -> reader.Node:
        """Every item of a list, or the one thing that stands there alone."""
        if isinstance(node, reader.Sequence):
            return reader.Sequence(tuple(map(respell, node.items)), node.at, node.source)
        return respell(node)

    def _under(self, node: reader.Node, name: str, respell: Callable[[reader.Node], reader.Node]) -> reader.Node:
        """What stands under one key of a mapping."""
        if not isinstance(node, reader.Mapping):
            return node
        entries = ((key, respell(value) if key.text == name else value) for key, value in node.entries)
        return reader.Mapping(tuple(entries), node.at)

    def _parts(self, node: reader.Node) -> reader.Node:
        """What each part asks to find: one word, a list of them, or a mapping that has them under `find`."""
        if not isinstance(node, reader.Mapping):
            return node
        entries = []
        for key, value in node.entries:
            respelled = self._find(value) if _is_word(value) else self._under(value, "find", self._find)
            respelled = self._under(respelled, "compare", self._find)
            entries.append((key, respelled))
        return reader.Mapping(tuple(entries), node.at)

    def _find(self, node: reader.Node) -> reader.Node:
        return self._each(node, self._word)


def _is_word(node: reader.Node) -> TypeGuard[reader.Scalar]:
    return isinstance(node, reader.Scalar)


def _is_part(node: reader.Node) -> bool:
    """Whether it is a question, which only wants its `parts:`."""
    return isinstance(node, reader.Mapping) and any(key.text in ("find", "show") for key, _ in node.entries)


def _is_truth(node: reader.Node) -> bool:
    """Whether it is a yes or no, which no matrix is."""
    return isinstance(node, reader.Scalar) and node.text.casefold() in YES_OR_NO


def _short(node: reader.Node) -> str:
    return node.text if isinstance(node, reader.Scalar) else reader.describe(node)
