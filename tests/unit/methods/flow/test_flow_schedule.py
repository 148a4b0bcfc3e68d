import pytest

from pdgmm.methods.flow.flow_schedule import FlowSchedule


def test_the_spikes_narrow_and_the_learning_rate_ends_at_zero():
    schedule = FlowSchedule(1000, first_width=0.3, last_width=0.05)
    widths = [schedule.narrowest_width(step) for step in range(1, 1001)]
    assert widths == sorted(widths, reverse=True)
    assert widths[0] == pytest.approx(0.3, rel=0.01)
    assert widths[-1] == pytest.approx(0.05)
    assert schedule.learning_rate_factor(1) < 0.05
    assert schedule.learning_rate_factor(90) == 1
    falling = [schedule.learning_rate_factor(step) for step in range(100, 1001)]
    assert falling == sorted(falling, reverse=True)
    assert schedule.learning_rate_factor(1000) == pytest.approx(0, abs=1e-9)


def test_turns_come_in_the_first_part_and_as_often_as_asked():
    schedule = FlowSchedule(1000, turns=3)
    assert [step for step in range(1, 1001) if schedule.is_turn(step)] == [200, 400, 600]
    assert not any(FlowSchedule(1000, turns=0).is_turn(step) for step in range(1, 1001))
