"""The watchman: work beyond the bounds on time and memory ends in one message, however it tries to go on."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from shared.program import run

import attnsolve
from attnsolve import guard
from attnsolve.bounds import changed
from attnsolve.check import run as checking
from attnsolve.check.lint import lint
from attnsolve.check.rerun import FAILURES
from attnsolve.errors import CostError, TooCostly
from attnsolve.guard import Watch, resident_megabytes
from attnsolve.loading import files as load
from attnsolve.narrate.narrated import Narrated


def spin() -> None:
    while True:
        sum(range(1000))


def hoard() -> None:
    kept = []
    while True:
        kept.append(list(range(20_000)))


def swallow(times: int) -> None:
    for _ in range(times):
        try:
            spin()
        except TooCostly:
            continue
    spin()


def nearly_spent(file: str) -> Watch:
    """A watch whose time is over at the first tick, but not before."""
    watch = Watch(file)
    watch.spent = 7.9
    return watch


def test_what_takes_too_long_is_given_up() -> None:
    with pytest.raises(TooCostly, match=r"^slow\.yaml: gave up after 8 seconds"), nearly_spent("slow.yaml"):
        spin()


def test_an_error_that_is_swallowed_is_raised_again() -> None:
    with pytest.raises(TooCostly), nearly_spent("slow.yaml"):
        swallow(2)


def test_what_takes_too_much_memory_is_given_up() -> None:
    some = resident_megabytes() + 40
    said = rf"megabytes of memory, but only {some:,} are allowed\n    --bound megabytes={4 * some} raises it"
    with changed(megabytes=some), pytest.raises(TooCostly, match=said), Watch("large.yaml"):
        hoard()


def test_a_file_that_is_gone_on_with_keeps_its_time() -> None:
    watch = nearly_spent("sheet.yaml")
    with pytest.raises(TooCostly, match="gave up after 8 seconds\n    --bound seconds=80 raises it"), watch:
        spin()
    assert watch.spent > 8


def test_a_file_of_many_short_problems_is_given_up_between_two_of_them() -> None:
    watch = Watch("sheet.yaml")
    watch.spent = 8.1
    with pytest.raises(TooCostly):
        watch.__enter__()


def test_several_files_together_have_the_time_of_each() -> None:
    watch = Watch("sheet.yaml", files=2)
    watch.spent = 15.9
    with pytest.raises(TooCostly, match="gave up after 16 seconds"), watch:
        spin()


# ── without timers, and without /proc ─────────────────────────────────────────────────────────────


def in_a_thread(work: Callable[[], object]) -> BaseException | None:
    """What a piece of work ends with in a thread of its own."""
    ended: list[BaseException | None] = []

    def caught() -> None:
        try:
            work()
        except BaseException as error:
            ended.append(error)
        else:
            ended.append(None)

    thread = threading.Thread(target=caught)
    thread.start()
    thread.join()
    return ended[0]


@pytest.mark.usefixtures("bare")
def test_without_timers_what_takes_too_long_is_given_up() -> None:
    assert resident_megabytes() == 0
    with pytest.raises(TooCostly, match=r"^slow\.yaml: gave up after 8 seconds"), nearly_spent("slow.yaml"):
        spin()


@pytest.mark.usefixtures("bare")
def test_without_timers_an_error_that_is_swallowed_is_raised_again() -> None:
    with pytest.raises(TooCostly), nearly_spent("slow.yaml"):
        swallow(2)


def test_other_threads_are_watched_too() -> None:
    def work() -> None:
        with nearly_spent("slow.yaml"):
            spin()

    error = in_a_thread(work)
    assert isinstance(error, TooCostly)
    assert str(error) == "slow.yaml: gave up after 8 seconds\n    --bound seconds=80 raises it"


def test_a_thread_that_ends_in_time_is_left_alone() -> None:
    def work() -> None:
        for _ in range(50):
            with Watch("sheet.yaml"):
                sum(range(1000))
        sum(range(10**6))

    assert in_a_thread(work) is None


BURNED = 0.2


def burn() -> None:
    """Take so much processor time, however long that takes."""
    while time.thread_time() < BURNED:
        sum(range(1000))


def spent_beside_another(watch: Watch) -> float:
    with watch:
        busy = threading.Thread(target=burn)
        busy.start()
        busy.join()
    return watch.spent


def test_what_one_thread_takes_is_not_put_down_to_another() -> None:
    """Not even in the main thread of somebody else's program; on the command line the whole process is ours."""
    inside = Watch("sheet.yaml")
    assert in_a_thread(lambda: spent_beside_another(inside)) is None
    assert inside.spent < BURNED / 2
    assert spent_beside_another(Watch("sheet.yaml", embedded=True)) < BURNED / 2
    assert spent_beside_another(Watch("sheet.yaml")) > BURNED / 2


# ── called from Python ────────────────────────────────────────────────────────────────────────────

SMALL = {"queries": [[1, 0]], "keys": [[1, 0], [0, 1]], "values": [[1], [2]]}
CALLS: dict[str, tuple[str, Callable[[], Any], Callable[[Any], object]]] = {
    "load": ("attnsolve.loading.files.parse", lambda: "causal-mask", attnsolve.load),
    "load_all": ("attnsolve.loading.files.parse", lambda: "causal-mask", attnsolve.load_all),
    "problem": ("attnsolve.loading.from_python.read_nodes", lambda: SMALL, attnsolve.problem),
    "solve": ("attnsolve.pipeline.build_graph", lambda: attnsolve.problem(SMALL), attnsolve.solve),
    "to_markdown": (
        "attnsolve.render.markdown.render",
        lambda: attnsolve.solve(attnsolve.load("causal-mask")),
        Narrated.to_markdown,
    ),
    "load_solution": ("attnsolve.loading.files._each", lambda: "causal-mask", checking.load_solution),
    "check": (
        "attnsolve.check.run.mark",
        lambda: checking.load_solution("seq2seq-dot"),
        lambda solution: checking.check(solution, None),
    ),
    "lint": ("attnsolve.check.lint._right", lambda: checking.load_solution("causal-mask"), lint),
}
"""What may be called: where its work is done, what it needs first, the call."""


class Reached(BaseException):
    """The work was begun, with a watch over it or without."""

    def __init__(self) -> None:
        self.is_watched = isinstance(getattr(guard._here, "watch", None), Watch)


def reach(*arguments: object, **settings: object) -> None:
    raise Reached


@pytest.mark.parametrize("call", CALLS)
def test_what_a_python_program_calls_is_held_to_the_bounds(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    place, prepare, work = CALLS[call]
    needed = prepare()
    before = signal.getsignal(signal.SIGPROF)
    monkeypatch.setattr(place, reach)
    with pytest.raises(Reached) as found:
        work(needed)
    assert found.value.is_watched
    assert signal.getsignal(signal.SIGPROF) == before


def test_a_call_is_given_up_in_the_middle_of_its_work(monkeypatch: pytest.MonkeyPatch) -> None:
    given = attnsolve.problem(SMALL)
    monkeypatch.setattr("attnsolve.pipeline.build_graph", slow)
    with changed(seconds=1), pytest.raises(CostError, match=r"^problem: gave up after 1 second"):
        attnsolve.solve(given)


def test_the_memory_of_a_program_is_its_own() -> None:
    """Only what is added counts: a notebook may hold gigabytes of its own."""
    with changed(megabytes=max(1, resident_megabytes() // 2)):
        assert attnsolve.solve(attnsolve.problem(SMALL))["scores"].shape == (1, 2)


def test_memory_that_a_call_adds_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("attnsolve.pipeline.build_graph", lambda problem: hoard())
    given = attnsolve.problem(SMALL)
    with changed(megabytes=40), pytest.raises(CostError, match="megabytes of memory, but only 40 are allowed"):
        attnsolve.solve(given)


# ── every command ─────────────────────────────────────────────────────────────────────────────────


def slow(*arguments: object, **settings: object) -> None:
    spin()


@pytest.mark.parametrize(
    "arguments", [("solve",), ("explain", "scores[1,1]"), ("check",), ("lint",), ("export", "-"), ("check", "a", "b")]
)
def test_every_command_is_watched(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "_each", reach)
    command, *rest = arguments
    with pytest.raises(Reached) as found:
        run([command, "causal-mask", *rest])
    assert found.value.is_watched


def test_too_much_work_is_refused_before_it_is_begun(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    side = 150
    path.write_text(f"queries: {[[1] * side] * side}\nkeys: identity\nvalues: identity\n", encoding="utf-8")
    refused = run(["solve", str(path)])
    assert refused.code == 2
    # Q Kᵀ and A V are products of 150³ multiplications; Q, K, V, S, S′, A and C are shown, at 100 an entry
    needed = 2 * side**3 + 7 * 100 * side**2
    assert f"takes as long as {needed:,} exact multiplications, but 10,000,000 are allowed" in refused.err
    assert f"--bound work={needed} raises it" in refused.err


def test_whatever_passes_over_failures_lets_it_through() -> None:
    """`lint` and `check` try hundreds of mistakes and leave out those that fail."""
    assert not issubclass(TooCostly, (Exception, *FAILURES))
