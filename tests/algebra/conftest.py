"""What the tests of claims share: a verdict on a claim as a reader writes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

import pytest

from attnsolve.algebra.declarations import Declarations
from attnsolve.algebra.finding import Finding
from attnsolve.algebra.verify import Claim, Verifier
from attnsolve.loading.files import parse

Judge = Callable[[Mapping[str, str], str], list[Finding]]


@pytest.fixture(scope="session")
def judge() -> Judge:
    """What is found out about every link of a claim."""

    def findings(given: Mapping[str, str], claim: str) -> list[Finding]:
        problem = {"kind": "derivation", "topic": "claim", "given": dict(given), "claim": claim}
        (read,) = parse(json.dumps(problem), "claim.yaml")
        said = read.body.given
        verifier = Verifier(Declarations(said.names))
        links = zip(said.terms, said.relations, said.terms[1:], strict=False)
        return [verifier.verify(Claim(*link)) for link in links]

    return findings
