"""What the tests of the spec layer share: a text read as a problem, and what is said of a text that can't be."""

from collections.abc import Callable

import pytest

from attnsolve.errors import Fault, ProblemError
from attnsolve.loading.files import parse
from attnsolve.spec.problem import Problem

FILE = "sheet.yaml"


@pytest.fixture
def problem() -> Callable[[str], Problem]:
    """Reads a text that holds one problem."""

    def read(text: str) -> Problem:
        (only,) = parse(text, FILE)
        return only

    return read


@pytest.fixture
def faults() -> Callable[[str], tuple[Fault, ...]]:
    """The faults of a text, in the order they are told."""

    def read(text: str) -> tuple[Fault, ...]:
        with pytest.raises(ProblemError) as caught:
            parse(text, FILE)
        return caught.value.faults

    return read


@pytest.fixture
def fault(faults: Callable[[str], tuple[Fault, ...]]) -> Callable[[str], Fault]:
    """The fault of a text that has but one."""

    def read(text: str) -> Fault:
        found = faults(text)
        assert len(found) == 1, "\n".join(map(str, found))
        return found[0]

    return read
