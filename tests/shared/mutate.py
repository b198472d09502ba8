"""Inputs that nobody would write: files of the corpus with bytes flipped, cut, repeated and crossed, numbers replaced
by odd ones, keywords put where they don't belong. Every choice comes from one generator, so a seed tells the input."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from attnsolve.loading.files import KINDS
from attnsolve.loading.sources import bundled
from attnsolve.spec.header import HEADER
from attnsolve.spec.starters import STARTERS

NUMBERS = (
    *("0", "-0", "1", "-1", "1/3", "-7/11", "0.1", "1e-3", "1e400", "1e-400", "1e401", "9" * 100, "1/" + "9" * 99),
    *("sqrt(2)", "sqrt(999999999989)", "-2*sqrt(3)/3", "1/(sqrt(2)+sqrt(3))", "(sqrt(2)+sqrt(3)+sqrt(5))^8", "pi", "e"),
    *("pi*e", "e^2", "exp(1000)", "2^64", "(1/3)^64", "2^-64", "sqrt(sqrt(2))", "1/0", "0^0", "0/0", "-sqrt(-1)"),
    *(
        "inf",
        "-inf",
        "nan",
        "oo",
        "~",
        "true",
        "0x10",
        "1_000",
        "1,5",
        "½",
        "٣",
        "²",
        "--1",
        "+",
        "1e",
        ".",
        ".5",
        "5.",
    ),
    *("9**9**9", "1e999999999", "beta", "beta^3/2", "__import__('os')", "lambda: 1", "''", "_", "[]", "{}", "[[]]"),
)
WORDS = (
    *HEADER,
    *KINDS,
    *("inputs", "weights", "W_Q", "W_K", "W_V", "W_O", "b_Q", "heads", "scaling", "none", "sqrt_dk", "mask", "causal"),
    *("identity", "{matrix: [[1]], times: 2, transposed: true}", "layout", "columns", "vectors", "rows", "softmax"),
    *("sum", "{base: 2}", "{base: 1/3}", "stable", "true", "given", "queries", "keys", "values", "scores", "memory"),
    *("states", "state", "steps", "score", "dot", "general", "additive", "concat", "cosine", "location", "W_c", "v"),
    *("numbers: float", "numbers: exact", "{random: [4, 2], seed: 1}", "{random: [2, 2], scale: 1e300}", "random"),
    *("topic", "claim", "copying", "averaging", "scaled-dot-product", "permutation-equivariance", "simulate"),
    *(
        "{samples: 1000, seed: 1}",
        "{places: 2, when: each-step}",
        "{places: 50}",
        "rounding",
        "symbols",
        "{beta: real}",
    ),
    *(
        "limit",
        "{beta: oo}",
        "beta",
        "digits",
        "200",
        "parts",
        "{a: {find: scores}}",
        "find",
        "show",
        "for",
        "by",
        "cell",
    ),
    *(
        "tolerance",
        "{abs: 0}",
        "{rel: 1e-400}",
        "exact",
        "answers",
        "marks",
        "numbering",
        "---",
        "...",
        "<<",
        "&a",
        "*a",
    ),
    *(
        "!!python/object:os.system",
        "!!binary",
        "!x",
        "? ",
        "- ",
        ": ",
        "| ",
        "> ",
        "# ",
        "%YAML 1.1\n---\n",
        "%TAG !a! x\n---\n",
        "\n",
        "  ",
    ),
)
ODD = (
    *("\x00", "\x07", "\x1b[31m", "\x1b]8;;http://x\x1b\\", "\r", "\x85", "\u2028", "\u202e", "\u2066", "\u200b"),
    *(
        "\ufeff",
        "\ud800",
        "\U000e0041",
        "[bold]",
        "</script>",
        "<img src=x onerror=alert(1)>",
        "![x](http://x)",
        "$",
        "$$",
    ),
    *(
        "`",
        "```\n",
        "\\input{x}",
        "\\write18{x}",
        "|",
        "_",
        "*",
        "&amp;",
        "%",
        "'",
        '"',
        "\\",
        "ﷺ",
        "é" * 50,
        "😀",
        "𝟙",
    ),
)
EXTRA = (
    "numbers: float\nmask: causal\ninputs: {random: [9, 4], seed: 1}\n"
    "weights: {W_Q: {random: [4, 4]}, W_K: identity, W_V: [[1], [2], [3], [1/2]]}\n",
    "inputs: [[beta, 0], [1, beta^2]]\nweights: identity\nsymbols: {beta: positive}\nlimit: {beta: oo}\n",
    "queries: [1, 2]\nkeys: [[1, 0], [0, sqrt(2)]]\nvalues: [[1], [2]]\nsoftmax: {base: 2}\nstable: true\n",
    "kind: derivation\ntopic: claim\ngiven: {S: vector(n), P: permutation(n)}\nclaim: [softmax(P*S), = P*softmax(S)]\n",
    "kind: derivation\ntopic: claim\ngiven: {x: vector(n), b: positive}\nclaim: sum(i=1..n, x[i]^2) >= 0\n",
    "kind: derivation\ntopic: claim\ngiven: {a: positive, b: positive, z: 'normal(a, b, 2)'}\n"
    "claim: [exp(3*ln(a + b)), '= (a + b)^3']\n",
    "inputs: [[1/7, 2/11], [3/13, 1/17]]\nweights: {W_Q: [[1/19, 1/23], [1/29, 1/31]], W_K: identity, W_V: identity}\n"
    'rounding: {places: 2}\ntitle: "```"\ntokens: ["~~~", "猫猫猫猫猫猫猫猫猫猫"]\n',
    "tokens: [hot, tea]\ninputs: [[1, 0], [1/2, -1]]\nweights: identity\nheads: 2\n"
    "compare: {masked: {mask: causal}, one: {heads: 1}}\n"
    "parts: {a: {find: A, of: masked}, b: {compare: C}}\nanswers: {masked: {head 1: {A: [[1, 0], [0.6, 0.4]]}}}\n",
    "kind: random-keys\nmeans: identity\nvalues: [[1, 0], [0, 1]]\nqueries: [beta*(mu_a + mu_b)]\nalpha: 0.01\n",
    "q_2: [-1, 0, 2]\nz_{3,1}: 2\nA: [[_, _, _], [_, _, _], [0.0025, 0.9975, 6.9e-13]]\ncontext[3]: [-7.94, 0.067]\n",
    "alpha_2: 0.32\nscores: [3, 1/2, e^2/(e^2 + e^8)]\nweights: [0.5, 0.5, 0]\nc: [1, 2]\n",
)


def corpus() -> list[bytes]:
    """Honest files: every problem that comes with the package, starters, and some answers."""
    files = [path.read_bytes() for path in bundled().values()]
    return [*files, *(text.encode() for text in (*STARTERS.values(), *EXTRA))]


def mutated(chance: random.Random, files: Sequence[bytes]) -> bytes:
    """One of the files, changed in a few places."""
    data = chance.choice(files)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        data = chance.choice(MUTATIONS)(chance, data, files)
    return data[:200_000]


def _place(chance: random.Random, data: bytes) -> int:
    return chance.randrange(len(data) + 1)


def _piece(chance: random.Random, data: bytes) -> tuple[int, int]:
    start = _place(chance, data)
    return start, min(len(data), start + chance.choice((1, 2, 8, 40, 300)))


def _flip(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    at = _place(chance, data)
    return data[:at] + bytes([chance.randrange(256)]) + data[at + 1 :]


def _cut(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    start, end = _piece(chance, data)
    return data[:start] + data[end:]


def _repeat(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    start, end = _piece(chance, data)
    return data[:end] + data[start:end] * chance.choice((1, 1, 3, 50)) + data[end:]


def _splice(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    other = chance.choice(files)
    start, end = _piece(chance, other)
    at = _place(chance, data)
    return data[:at] + other[start:end] + data[at:]


def _cross(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    """The lines of two files, some of each."""
    lines = [*data.splitlines(keepends=True), *chance.choice(files).splitlines(keepends=True)]
    return b"".join(line for line in lines if chance.random() < 0.7)


def _insert(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    at = _place(chance, data)
    word = chance.choice((*WORDS, *ODD, *NUMBERS))
    return data[:at] + word.encode("utf-8", "surrogatepass") + data[at:]


def _replace(chance: random.Random, data: bytes, pattern: bytes, words: Sequence[str]) -> bytes:
    found = list(re.finditer(pattern, data))
    if not found:
        return data
    match = chance.choice(found)
    word = chance.choice(words).encode("utf-8", "surrogatepass")
    return data[: match.start()] + word + data[match.end() :]


def _number(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    return _replace(chance, data, rb"-?\d+(\.\d+)?", NUMBERS)


def _every_number(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    return re.sub(rb"-?\d+(\.\d+)?", lambda match: chance.choice(NUMBERS[:30]).encode(), data)


def _word(chance: random.Random, data: bytes, files: Sequence[bytes]) -> bytes:
    return _replace(chance, data, rb"[A-Za-z_]+", (*WORDS, *ODD))


MUTATIONS = (_flip, _cut, _repeat, _splice, _cross, _insert, _number, _number, _every_number, _word, _word)
