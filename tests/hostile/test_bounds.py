"""The bounds: each is in one place, can be listed, and is told with the way to raise it, which then suffices."""

from __future__ import annotations

import re
import signal
from contextvars import copy_context
from dataclasses import fields, replace
from pathlib import Path

import pytest
from shared.program import run

from attnsolve.bounds import DEFAULT, Bounds, allowed, changed, fixed
from attnsolve.check import run as checking
from attnsolve.guide import page

SHEET = "inputs: [[1, 0], [0, 1]]\nweights: identity\n"


def ones(rows: int, columns: int) -> str:
    return str([[1] * columns] * rows)


BEYOND = {
    "side": f"inputs: {ones(2, 5)}\nweights: identity\n",
    "heads": f"inputs: {ones(2, 6)}\nweights: identity\nheads: 3\n",
    "symbols": "symbols: {a: real, b: real, c: real}\ninputs: [[a, b + c]]\nweights: identity\n",
    "documents": f"{SHEET}---\n{SHEET}---\n{SHEET}",
    "digits": f"digits: 5\n{SHEET}",
    "cells": "numbers: float\nqueries: {random: [3, 2]}\nkeys: {random: [3, 2]}\n",
    "places": f"rounding: {{places: 4}}\n{SHEET}",
    "nodes": SHEET,
    "file_bytes": SHEET,
    "work": SHEET,
    "text_characters": f"title: long enough\n{SHEET}",
    "label_characters": f"tokens: [hot, teapot]\n{SHEET}",
    "quantities": "kind: formulas\ngiven: {x: [1, 2]}\nformulas: {a: 2*x, b: 3*a, c: 4*b}\n",
    "cases": "kind: formulas\ngiven: {T: 1}\nformulas: {a: 2*T}\ncompare: {T: [2, 3, 4]}\n",
    "samples": "kind: derivation\ntopic: scaled-dot-product\nd_k: 4\nsimulate: {samples: 150, seed: 0}\n",
    "draws": "kind: derivation\ntopic: scaled-dot-product\nd_k: 4\nsimulate: {samples: 150, seed: 0}\n",
}
"""For each bound that can be raised a file that is beyond it once it is lowered to 2 (or what is said below)."""
LOWERED = {"nodes": 8, "cells": 10, "samples": 120, "draws": 500, "text_characters": 6, "label_characters": 4}


@pytest.mark.parametrize("name", BEYOND)
def test_a_message_about_a_bound_ends_with_what_raises_it_and_that_suffices(name: str, tmp_path: Path) -> None:
    path = tmp_path / "sheet.yaml"
    path.write_text(BEYOND[name], encoding="utf-8")
    low = LOWERED.get(name, 2)
    refused = run(["solve", str(path), "--detail", "brief", "--bound", f"{name}={low}"])
    assert refused.code == 2
    (enough,) = set(re.findall(rf"--bound {name}=(\d+) raises it", refused.err))
    assert int(enough) > low
    raised = run(["solve", str(path), "--detail", "brief", "--bound", f"{name}={enough}"])
    assert (raised.code, raised.err) == (0, "")


def test_every_bound_that_can_be_raised_is_tried_above() -> None:
    watched = {"seconds", "megabytes"}
    assert {bound.name for bound in fields(Bounds)} - fixed() - watched == BEYOND.keys()


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("sied=3", "there is no bound 'sied'; did you mean side?"),
        ("nesting=30", "nesting is fixed"),
        ("side", "a whole number from 1"),
        ("side=x", "as in --bound side=1024"),
        ("side=0", "a whole number from 1"),
        ("side=-1", "a whole number from 1"),
        ("side=1e3", "a whole number from 1"),
        ("side=٣", "a whole number from 1"),
        ("side=" + "9" * 5000, "a whole number from 1"),
    ],
)
def test_a_bound_that_is_none_is_told_in_one_message(setting: str, said: str) -> None:
    refused = run(["solve", "causal-mask", "--bound", setting])
    assert (refused.code, refused.out) == (2, "")
    assert said in refused.err
    assert len(refused.err.splitlines()) == 1


def test_a_bound_holds_for_one_run_only() -> None:
    assert run(["bounds", "--bound", "side=7"]).out.splitlines()[6].split()[:2] == ["side", "7"]
    assert allowed() == DEFAULT


def test_bounds_may_be_changed_from_python() -> None:
    with changed(side=7, heads=2):
        assert (allowed().side, allowed().heads, allowed().nodes) == (7, 2, DEFAULT.nodes)
    assert allowed() == DEFAULT


def test_every_bound_is_listed_with_its_value_and_meaning() -> None:
    listed = run(["bounds"]).out.splitlines()
    for bound, line in zip(fields(Bounds), listed, strict=True):
        assert line.split()[:2] == [bound.name, f"{bound.default:,}"]
        assert line.endswith(" (fixed)") == (bound.name in fixed())
        assert len(line.split()) > 2


def test_the_guide_tells_the_bounds_as_they_are() -> None:
    section = page("bounds")
    assert f"{DEFAULT.seconds} seconds" in section
    assert f"{DEFAULT.megabytes} megabytes" in section
    for name in re.findall(r"--bound (\w+)=", section):
        assert name in {bound.name for bound in fields(Bounds)} - fixed()
    assert "`attnsolve bounds`" in section


def test_digits_on_the_command_line_are_bounded_alike() -> None:
    refused = run(["solve", "given-scores", "--digits", "201"])
    assert (refused.code, refused.err.splitlines()[1]) == (2, "    --bound digits=201 raises it")
    assert run(["solve", "given-scores", "--only", "weights", "--digits", "201", "--bound", "digits=201"]).code == 0


def test_a_process_of_a_class_takes_over_the_bounds() -> None:
    def prepared() -> Bounds:
        checking._prepare("given-scores", True, replace(DEFAULT, side=99))
        return allowed()

    before = signal.getsignal(signal.SIGINT)
    try:
        assert copy_context().run(prepared).side == 99
    finally:
        signal.signal(signal.SIGINT, before)


def test_raised_bounds_hold_in_every_process_of_a_class(tmp_path: Path) -> None:
    sheet = tmp_path / "sheet.yaml"
    sheet.write_text(SHEET, encoding="utf-8")
    paths = []
    for number in range(6):
        paths.append(tmp_path / f"{number}.yaml")
        paths[-1].write_text(f"tokens: {'x' * number}\nscores: [[1, 0], [0, 1]]\n# {'x' * 90}\n", encoding="utf-8")
    rows = run(["check", str(sheet), *map(str, paths), "--bound", "file_bytes=60"]).out.splitlines()[:6]
    assert len(rows) == 6
    assert all("larger than 60 bytes" in row for row in rows)
