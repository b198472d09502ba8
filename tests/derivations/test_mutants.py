"""What a derivation shows is not only verified: anything else would have been refused.

Every claim that goes to the verifier is changed in one place, and so is every definition, and every relation in the
source of the topics. A changed claim is refused, or it is true: of that there is a second opinion, in float64. With a
changed definition something that rests on it is refused, unless both come to the same.

An ordinary run takes a share of the changes, some in every argument; with ATTNSOLVE_EXAMPLES all are made."""

from __future__ import annotations

import ast
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from derivations.mutants import Point, changed, is_true, mutants

import attnsolve.derivations
from attnsolve.algebra.declarations import Declarations
from attnsolve.algebra.declared import Declared, Defined
from attnsolve.algebra.finding import Finding
from attnsolve.algebra.table import TermError
from attnsolve.algebra.verify import Claim, Verifier
from attnsolve.derivations import proofs, random_keys, settings
from attnsolve.derivations.argument import Unverified
from attnsolve.derivations.writing import Passage, Writing
from attnsolve.loading.files import parse
from attnsolve.operations.add import Add
from attnsolve.operations.formula import Formula, Transpose
from attnsolve.operations.number import numeral
from attnsolve.operations.product import Product
from attnsolve.pipeline import solve
from attnsolve.spec.problem import Problem

ALL = "ATTNSOLVE_EXAMPLES" in os.environ
FOLDER = Path(attnsolve.derivations.__file__).parent
TOPICS = {
    "scaled-dot-product": "mu: 1/2\nd_k: 3\nvariance: 2\nsimulate: {samples: 100}\n",
    "softmax-is-a-distribution": "",
    "softmax-shift-invariance": "scores: [1, 2]\n",
    "softmax-jacobian": "scores: [1, 3]\nupstream: [1, 2]\n",
    "softmax-cross-entropy-gradient": "scores: [1, 3]\ntarget: 1\n",
    "attention-gradient": "queries: [[1]]\nkeys: [[1], [2]]\nvalues: [[1], [3]]\nupstream: [[2]]\n",
    "layer-norm-gradient": "vector: [1, 3, 4]\nupstream: [1, 0, 2]\nepsilon: 1\n",
    "copying": "accuracy: 0.9\nkeys: identity\nvalues: [[1], [2], [5]]\nquery: [3, 1, -1/2]\n",
    "averaging": "n: 4\nwithin: 0.01\nbeta: 4\nkeys: identity\nvalues: [[1], [2], [5], [0]]\n",
    "permutation-equivariance": "inputs: [[1], [3]]\nweights: {W_Q: [[1]], W_K: [[2]], W_V: [[1]]}\n",
}
HEADS = """\
kind: random-keys
means: identity
values: [[1], [2], [5], [0]]
queries: [beta*(mu_a + mu_b), beta*(mu_b/2 - mu_3)]
stretch: 1/2
"""
WEIGHTS = "{W_Q: [[1, 2], [0, 1]], b_Q: [1, 1], W_K: [[1, 0], [0, 1]], W_V: [[1, 0], [0, 1]]}"
CLAIMS = ("scores-are-dot-products", "context-rows-are-weighted-sums", "projections-are-products")
ANSWERED = ("reaches the output we want", "not verified")
"""What may fail though nothing is refused: it is the answer to the question, or told instead of what is left out."""
SHEETS = (
    "copying",
    "averaging",
    "permutation-equivariance",
    "softmax-shift-invariance",
    "softmax-jacobian",
    "softmax-cross-entropy-gradient",
    "attention-gradient",
    "layer-norm-gradient",
)


def problem_of(topic: str) -> Problem:
    (problem,) = parse(f"kind: derivation\ntopic: {topic}\n{TOPICS[topic]}", "p.yaml")
    return problem


def shows(claim: str, layout: str) -> Problem:
    text = f"layout: {layout}\ninputs: [[1, 2], [3, 4]]\nparts: {{a: {{show: {claim}}}}}\nweights: {WEIGHTS}\n"
    (problem,) = parse(text, "p.yaml")
    return problem


# ── everything that is written ────────────────────────────────────────────────────────────────────


def by_topic(topic: str, module: ModuleType | None = None) -> list[Passage]:
    """The argument of a topic, by its module with nothing worked out yet."""
    problem = problem_of(topic)
    passages: list[Passage] = (module or made_of(source_of(file_of(topic)))).derive(problem, problem.body.given)
    return passages


def by_heads(module: ModuleType | None = None) -> list[Passage]:
    with pytest.MonkeyPatch.context() as patch:
        for name in ("Head", "model", "query", "scores", "steady_weights", "weight_of_gamma"):
            patch.setattr(random_keys, name, getattr(module or made_of(source_of("heads.py")), name))
        (problem,) = parse(HEADS, "p.yaml")
        return list(solve(problem).passages)  # type: ignore[attr-defined]


def by_settings(module: ModuleType | None = None) -> list[Passage]:
    setting = (module or settings).setting
    return [Passage("", (), blocks=setting(problem_of(topic))) for topic in SHEETS]


def by_proofs(module: ModuleType | None = None) -> list[Passage]:
    module = module or made_of(source_of("proofs.py"))
    with pytest.MonkeyPatch.context() as patch:
        for name in ("prove", "unprovable"):
            patch.setattr(proofs, name, getattr(module, name))
        for claim in CLAIMS:
            for layout in ("rows", "columns"):
                solve(shows(claim, layout)).to_document()
    return []


WRITTEN: dict[str, Callable[..., list[Passage]]] = {
    **{topic: lambda module=None, topic=topic: by_topic(topic, module) for topic in TOPICS},
    "random-keys": by_heads,
    "blank sheets": by_settings,
    "what a part shows": by_proofs,
}


def file_of(topic: str) -> str:
    return f"{attnsolve.derivations.TOPICS[topic]}.py"


def source_of(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


def made_of(source: str) -> ModuleType:
    """A module from its source, with nothing in it worked out yet."""
    name = f"{attnsolve.derivations.__name__}._altered"
    module = ModuleType(name)
    sys.modules[name] = module
    exec(compile(source, name, "exec"), module.__dict__)
    return module


def is_refused(write: Callable[..., list[Passage]], *module: ModuleType) -> bool:
    """Whether something is not printed at all; or it says itself that it is not as derived."""
    try:
        passages = write(*module)
    except (Unverified, TermError):
        return True
    ticks = [(says, holds) for passage in passages for says, holds in passage.checks]
    return not all(holds or says.endswith(ANSWERED) for says, holds in ticks)


# ── claims ────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def verified(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[Claim, Any], Verifier]:
    """Every claim that is found to hold from here on, with the names that it is about, by whom."""
    find_out = Writing._find_out
    seen: dict[tuple[Claim, Any], Verifier] = {}

    def noted(self: Writing, claim: Claim) -> Finding:
        finding = find_out(self, claim)
        if finding.holds:
            seen.setdefault((claim, tuple(self.names.names.items())), self.verifier)
        return finding

    monkeypatch.setattr(Writing, "_find_out", noted)
    return seen


LEAST = {"softmax-is-a-distribution": 6, "blank sheets": 4, "softmax-shift-invariance": 8}
"""How many claims there are at least; of the others, there are more."""


@pytest.mark.parametrize("written", WRITTEN)
def test_a_claim_with_one_thing_changed_is_refused_or_true(
    written: str, verified: dict[tuple[Claim, Any], Verifier], record_property: Callable[[str, object], None]
) -> None:
    assert not is_refused(WRITTEN[written])
    assert len(verified) >= LEAST.get(written, 12)
    counted: Counter[str] = Counter()
    for (claim, names), verifier in verified.items():
        assert is_true(claim, dict(names)), claim
        for mutant in islice(dict.fromkeys(mutants(claim)), 0, None, 1 if ALL else 18):
            if mutant == claim:
                continue
            held = holds(verifier, mutant)
            counted["true" if held else "refused"] += 1
            assert not held or is_true(mutant, dict(names)), f"{mutant} in place of {claim}"
    record_property("mutants", dict(counted))
    assert counted["refused"] > 2 * counted["true"]


def holds(verifier: Verifier, claim: Claim) -> bool:
    try:
        return verifier.verify(claim).holds
    except TermError:
        return False


# ── definitions ───────────────────────────────────────────────────────────────────────────────────

Definition = tuple[str, Formula]


class Declaring:
    """Notes every definition that an argument declares; or puts another in the place of one, wherever it stands."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seen: dict[Definition, Mapping[str, Declared]] = {}
        self.instead: tuple[Definition, Formula] | None = None
        begin = Writing.__init__

        def begun(writing: Writing, id: str, title: str, names: Any, *rest: Any, **options: Any) -> None:
            declared = dict(names.names if isinstance(names, Declarations) else names)
            for name, made in declared.items():
                if isinstance(made, Defined):
                    self.seen.setdefault((name, made.term), declared)
            begin(writing, id, title, names, *rest, **options)
            if self.instead is not None and declared.get(self.instead[0][0]) == Defined(self.instead[0][1]):
                writing.names = Declarations({**declared, self.instead[0][0]: Defined(self.instead[1])})
                writing.verifier = Verifier(writing.names)

        monkeypatch.setattr(Writing, "__init__", begun)


UNHEARD = "the score of a key that the query does not mention is 0, however long it is"
IDLE = {
    **dict.fromkeys(("f", "f_moved"), "a claim that does not hold is about it; it would not hold of twice that either"),
    **dict.fromkeys(("k_i", "mu_i"), UNHEARD),
    "n": "the weights go to the same with any number of keys that are not mentioned",
}
"""What may be defined otherwise, and why."""


@pytest.mark.parametrize("written", WRITTEN)
def test_what_is_defined_otherwise_is_refused(
    written: str, monkeypatch: pytest.MonkeyPatch, record_property: Callable[[str, object], None]
) -> None:
    declaring = Declaring(monkeypatch)
    if written == "blank sheets":
        for topic in SHEETS:
            by_topic(topic)
    proven = dict(declaring.seen)
    WRITTEN[written]()
    record_property("definitions", len(declaring.seen))
    for (name, term), names in islice(dict(declaring.seen).items(), 0, None, 1 if ALL else 20):
        for mutant in islice(others(term, names), 2 if ALL else 1):
            declaring.instead = (name, term), mutant
            same = any(is_true(Claim(form, "=", mutant), names) for form in (term, Transpose(term)))
            rests = same or is_refused(WRITTEN[written]) or (name, term) in proven
            assert rests or name in IDLE, f"nothing rests on what {name} is defined as"


def others(term: Formula, names: Mapping[str, Declared]) -> Iterator[Formula]:
    """What is 1 more than a number, or twice a matrix; and the term with one thing changed."""
    is_number = Point(names, np.random.default_rng(0), 1).of(term).shape == (1, 1)
    yield Add(term, numeral(1)) if is_number else Product(numeral(2), term)
    yield from changed(term)


# ── the source ────────────────────────────────────────────────────────────────────────────────────

TURNED = (("=", "= 1 +"), ("≤", "≥"), ("≥", "≤"), (">=", "<="), ("<=", ">="))
ROOMS = {
    **{file_of(topic): WRITTEN[topic] for topic in TOPICS},
    "heads.py": by_heads,
    "settings.py": by_settings,
    "proofs.py": by_proofs,
}
"""The modules that write arguments, and how each is run."""


def relations(name: str) -> Iterator[tuple[str, str, int, str]]:
    """The source of a module with one relation sign turned, or with 1 more to the right of one: in every text of it,
    but for docstrings; and where that stands."""
    lines, tree = source_of(name).split("\n"), ast.parse(source_of(name))
    docstrings = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docstrings:
            for number in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                line = lines[number - 1]
                for broken in broken_at_a_sign(line):
                    yield name, "\n".join([*lines[: number - 1], broken, *lines[number:]]), number, broken


def broken_at_a_sign(line: str) -> Iterator[str]:
    """A line of code with one sign changed that stands between quotation marks."""
    for old, new in TURNED:
        for match in re.finditer(rf"(?<![\w<>!=]){old}(?= )", line):
            if line[: match.start()].count('"') % 2:
                yield f"{line[: match.start()]}{new}{line[match.end() :]}"


RELATIONS = [*dict.fromkeys(relation for name in ROOMS for relation in relations(name))]


def test_relations_stand_in_the_source_of_every_topic() -> None:
    assert len(RELATIONS) > 100
    assert {name for name, *_ in RELATIONS} == {*ROOMS}


@pytest.mark.parametrize(
    ("name", "source"),
    [
        pytest.param(name, source, id=f"{Path(name).stem}-{line}")
        for name, source, line, _ in RELATIONS[:: 1 if ALL else 24]
    ],
)
def test_a_relation_broken_in_the_source_is_refused(name: str, source: str) -> None:
    assert is_refused(ROOMS[name], made_of(source))


SLIPS = {
    "the longest distance": ("Real.of(square_root(far))", "error"),
    "the name of another": ("compares(copied, ", 'compares("D", '),
    "the gap to another score": ("values[j] - max(", "values[j] - min("),
    "the distance from another value": ("far = max(range", "far = min(range"),
}


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_in_what_is_worked_out_for_copying_is_not_printed(slip: str) -> None:
    source, (old, new) = source_of("copying.py"), SLIPS[slip]
    assert source.count(old) == 1
    assert is_refused(WRITTEN["copying"], made_of(source.replace(old, new)))
