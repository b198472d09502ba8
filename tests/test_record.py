"""Small frozen classes, beside the dataclasses that they stand for."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from functools import cached_property

import pytest

from attnsolve.record import Fillable, Record, filled, record


@record
class Base(Record):
    left: int
    notes: tuple[str, ...] = field(default=(), compare=False)


@record
class Grown(Base):
    found: dict[str, int] = field(default_factory=dict)
    top: int = 7

    @cached_property
    def double(self) -> int:
        return 2 * self.left


@dataclass(frozen=True)
class PlainBase:
    left: int
    notes: tuple[str, ...] = field(default=(), compare=False)


@dataclass(frozen=True)
class PlainGrown(PlainBase):
    found: dict[str, int] = field(default_factory=dict)
    top: int = 7


def test_it_takes_the_fields_that_a_dataclass_takes():
    assert [f.name for f in fields(Grown)] == [f.name for f in fields(PlainGrown)]
    for arguments in ((1,), (1, ("a",)), (1, (), {"x": 1}, 3)):
        assert Grown(*arguments).__dict__ == dataclasses.asdict(PlainGrown(*arguments))
    with pytest.raises(TypeError):
        Grown()
    with pytest.raises(TypeError):
        Grown(1, unknown=2)


def test_a_default_that_is_made_is_made_for_each_object():
    assert Grown(1).found is not Grown(1).found


def test_what_is_kept_or_not_compared_has_no_part_in_equality():
    one, other = Grown(1), Grown(1, ("a",))
    assert one.double == 2
    assert one == other
    assert Base(1, ("a",)) == Base(1) != Base(2)
    assert hash(Base(1, ("a",))) == hash(Base(1))
    assert Base(1) != Grown(1)
    assert repr(one) == "Grown(left=1, notes=(), found={}, top=7)"


def test_another_object_is_made_with_some_fields_replaced():
    one = Grown(1)
    assert one.double == 2
    assert replace(one, left=4) == one.replaced(left=4) == Grown(4)
    assert one.replaced(left=4).double == 8
    with pytest.raises(TypeError):
        one.replaced(unknown=1)
    with pytest.raises(TypeError):
        replace(one, unknown=1)


def test_it_can_be_copied_pickled_and_matched_and_never_changed():
    one = Grown(1)
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one
    match one:
        case Grown(left, notes):
            assert (left, notes) == (1, ())
    with pytest.raises(FrozenInstanceError):
        one.left = 2
    with pytest.raises(FrozenInstanceError):
        del one.left


@pytest.mark.parametrize("option", ["init", "repr", "kw_only"])
def test_a_field_that_would_not_be_as_in_a_dataclass_is_refused(option):
    with pytest.raises(TypeError, match="every field"):

        @record
        class Odd(Record):
            hidden: int = field(default=1, **{option: option == "kw_only"})


def test_what_is_filled_bit_by_bit_equals_itself_alone():
    @filled
    class Tally(Fillable):
        count: int = 0
        seen: list[int] = field(default_factory=list)

    tally = Tally()
    tally.count += 1
    tally.seen.append(3)
    assert tally != Tally(1, [3])
    assert len({tally, tally, Tally(1, [3])}) == 2
    assert tally.replaced(count=5).seen == [3]
