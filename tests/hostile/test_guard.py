"""The watchman: work beyond the bounds on time and memory ends in one message, however it tries to go on."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from contract import run

from attnsolve.check.rerun import FAILURES
from attnsolve.errors import TooCostly
from attnsolve.guard import Watch, resident_megabytes
from attnsolve.spec import load
from attnsolve.spec.bounds import changed


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
    said = rf"megabytes of memory, where {some:,} are allowed\n    --bound megabytes={4 * some} raises it"
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


def test_nothing_is_watched_outside_the_main_thread() -> None:
    ended = []

    def work() -> None:
        with Watch("sheet.yaml"):
            ended.append(sum(range(1000)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert ended == [499500]


def slow(*arguments: object, **settings: object) -> None:
    spin()


@pytest.mark.parametrize(
    "arguments", [("solve",), ("explain", "scores[1,1]"), ("check",), ("lint",), ("export", "-"), ("check", "a", "b")]
)
def test_every_command_is_watched(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(load, "parse", slow)
    command, *rest = arguments
    with changed(seconds=0):
        ended = run([command, "causal-mask", *rest])
    assert (ended.code, ended.out) == (2, "")
    assert ended.err.startswith("causal-mask: gave up after 0 seconds\n")


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
