"""How well marking does on mistakes that it was not tuned to, as tables.

`PYTHONPATH=tests python tests/check/measure.py 200 --seed 1` draws 200 problems, some mistakes on each, and right
answers beside them; `--examples 5` prints as many sheets of each thing that went wrong, to be tried by hand.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence

from shared.injected.tally import Seen, Tally, by_id, measure

AMOUNTS = ("everything", "some", "final")


def share(part: int, whole: int) -> str:
    return f"{100 * part / whole:5.1f} %" if whole else "    –  "


def overall(tally: Tally) -> None:
    print(f"{'written':<12}{'sheets':>7}{'noticed':>10}{'first':>10}{'named':>10}{'in a tie':>10}{'other':>10}")
    for amount in AMOUNTS:
        seen = tally.of(amount)
        firsts = [one for one in seen if one.first_right is not None]
        columns = (
            share(sum(one.noticed for one in seen), len(seen)),
            share(sum(bool(one.first_right) for one in firsts), len(firsts)),
            share(sum(one.named for one in seen), len(seen)),
            share(sum(one.tied for one in seen), len(seen)),
            share(sum(bool(one.otherwise) for one in seen), len(seen)),
        )
        print(f"{amount:<12}{len(seen):>7}" + "".join(f"{column:>10}" for column in columns))
    print("\nfirst: the first wrong quantity is the right one; other: another cause is named with certainty")
    print(f"right sheets called wrong: {len(tally.called_wrong)} of {tally.right}")


def places(tally: Tally) -> None:
    print(f"\n{'places':<12}" + "".join(f"{amount:>14}" for amount in AMOUNTS) + "     (named)")
    for count in range(1, 7):
        cells = [[one for one in tally.of(amount) if one.habit.places == count] for amount in AMOUNTS]
        print(f"{count:<12}" + "".join(f"{share(sum(one.named for one in seen), len(seen)):>14}" for seen in cells))


def ids(tally: Tally) -> None:
    print(f"\n{'mistake':<62}{'all':>5}{'named':>7}{'final':>6}{'named':>7}{'other':>7}")
    for id, seen in by_id(tally.seen):
        whole, final = ([one for one in seen if one.habit.amount == amount] for amount in ("everything", "final"))
        figures = (len(whole), sum(o.named for o in whole), len(final), sum(o.named for o in final))
        wrong = sum(bool(one.otherwise) for one in seen)
        known = "" if seen[0].known else " °"
        print(f"{id + known:<62}{figures[0]:>5}{figures[1]:>7}{figures[2]:>6}{figures[3]:>7}{wrong or '':>7}")
    print("\n° the package has no name for it")
    never = [id for id, seen in by_id(tally.seen) if not any(one.named for one in seen)]
    print(f"never named: {len(never)} of {len(list(by_id(tally.seen)))} mistakes")


def causes(tally: Tally) -> None:
    wrong = Counter(f"{one.otherwise} for {one.id!r}, {one.habit.amount}" for one in tally.seen if one.otherwise)
    print("\nother causes named with certainty:")
    for said, count in wrong.most_common():
        print(f"  {count:>3}  {said}")
    print("\nrounding on the way, final answers only, and digits cut off:")
    for name, count in sorted(tally.rounding.items()):
        print(f"  {count:>4}  {name}")


def examples(tally: Tally, count: int) -> None:
    sorts: dict[str, Callable[[Seen], bool]] = {
        "not noticed": lambda one: not one.noticed,
        "another first quantity": lambda one: one.first_right is False,
        "another cause with certainty": lambda one: bool(one.otherwise),
        "not named though known, everything written": lambda one: (
            one.known and not one.named and one.habit.amount == "everything"
        ),
        "not named though known, final answers": lambda one: (
            one.known and not one.named and one.habit.amount == "final"
        ),
    }
    for name, fits in sorts.items():
        _show(name, [one for one in tally.seen if fits(one)][:count])
    for seed, way, why, problem, answers in tally.called_wrong[:count]:
        print(f"\n═══ a right sheet called wrong: seed {seed}, {why}\n{way}\n{problem}---\n{answers}")


def _show(name: str, seen: Sequence[Seen]) -> None:
    for one in seen:
        print(f"\n═══ {name}: {one.id} (seed {one.seed}); flagged: {one.flagged}; said: {one.said or 'nothing'}")
        print(f"{one.problem}--- {one.habit.places} places, {one.habit.carried}\n{one.answers}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", type=int, nargs="?", default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--mistakes", type=int, default=4, help="on each problem")
    parser.add_argument("--right", type=int, default=4, help="right sheets on each problem")
    parser.add_argument("--examples", type=int, default=0)
    chosen = parser.parse_args()
    start, began = chosen.seed * 1_000_000, time.process_time()
    tally = measure(range(start, start + chosen.problems), chosen.mistakes, chosen.right)
    print(f"{chosen.problems} problems, seed {chosen.seed}, {time.process_time() - began:.0f} s\n")
    overall(tally)
    places(tally)
    ids(tally)
    causes(tally)
    examples(tally, chosen.examples)


if __name__ == "__main__":
    main()
