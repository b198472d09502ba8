"""Colours are there when they are asked for, and else on terminals only."""

from __future__ import annotations

import pytest
from shared.invoked import invoked

COMMAND = ("solve", "causal-mask", "--only", "weights", "--detail", "brief")


@pytest.mark.parametrize(
    ("options", "environment", "coloured"),
    [
        ((), {}, False),
        (("--color", "always"), {}, True),
        ((), {"FORCE_COLOR": "1"}, True),
        ((), {"FORCE_COLOR": ""}, False),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        ((), {"FORCE_COLOR": "1", "NO_COLOR": ""}, True),
        (("--color", "always"), {"NO_COLOR": "1"}, True),
        (("--color", "never"), {"FORCE_COLOR": "1"}, False),
        (("--color", "always"), {"TERM": "dumb"}, True),
    ],
)
def test_colours_are_there_when_they_are_asked_for(
    options: tuple[str, ...], environment: dict[str, str], coloured: bool
) -> None:
    for words in ((*options, *COMMAND), (*COMMAND, *options)):
        result = invoked(*words, **environment)
        assert result.exit_code == 0
        assert ("\x1b[" in result.stdout) is coloured


def test_the_guide_is_coloured_too() -> None:
    assert "\x1b[" in invoked("guide", "claims", "--color", "always").stdout
    assert invoked("guide", "claims").stdout.startswith("# ")


def test_any_other_word_is_refused() -> None:
    assert "'sometimes' is not one of 'auto', 'always', 'never'" in invoked("list", "--color", "sometimes").stderr
