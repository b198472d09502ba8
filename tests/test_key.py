"""What a quantity is known by, and which paths lead to it."""

from __future__ import annotations

import pytest

from attnsolve.key import Key

SCORES = Key("scores", (("layer", 2), ("head", 0)))


def test_json_says_where_a_key_stands() -> None:
    assert SCORES.data == {"id": "scores", "head": "0", "at": [["layer", 2], ["head", 0]]}
    assert Key("context").data == {"id": "context", "head": None, "at": []}


def test_it_is_written_from_the_outside_in() -> None:
    assert str(SCORES) == "layer 2, head 0: scores"
    assert str(Key("context")) == "context"


@pytest.mark.parametrize(
    ("path", "there"),
    [
        ((), True),
        ((("head", "0"),), True),
        ((("layer", "2"),), True),
        ((("layer", "2"), ("head", "0")), True),
        ((("head", "0"), ("layer", "2")), True),
        ((("", "0"),), True),  # scores@0: the innermost
        ((("", "2"), ("", "0")), True),  # scores@2.0
        ((("", "2"),), False),
        ((("head", "1"),), False),
        ((("layer", "1"), ("head", "0")), False),
        ((("", "1"), ("layer", "2"), ("head", "0")), False),
    ],
)
def test_a_path_leads_to_it_or_not(path: tuple[tuple[str, str], ...], there: bool) -> None:
    assert SCORES.stands(path) is there


def test_no_path_leads_to_what_is_made_once() -> None:
    assert Key("context").stands(())
    assert not Key("context").stands((("head", "1"),))
