"""At any load, each chat, group and bot sends at most as much as Telegram allows."""

import itertools
from collections import defaultdict

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from telegram_bot.delivery.limits import Budget, LaneUsage, Limits, Queue, SendPace
from telegram_bot.screens.posting import Urgency
from telegram_bot.storage.models import LaneName
from tests.telegram_bot.conftest import START

HAIR = 1e-6
"""Times are floats of seconds since 1970, with this precision."""


class Traffic:
    """Lanes that, from a time on, ask for a send as soon as they may."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.sent: list[tuple[float, LaneName]] = []
        self.lanes = defaultdict[LaneName, LaneUsage](LaneUsage)
        self.budget = Budget()

    def ask(self, name: LaneName, now: float, queue: Queue = Queue.GAME, *, urgency: Urgency = Urgency.ASKS) -> float:
        """Ask as `take_next` does: first the chat's own limits, then the bot's."""
        group, lane = name.chat < 0, self.lanes[name]
        wait = self.limits.throttle(lane, now, group=group, urgency=urgency)
        wait = wait or self.budget.take(self.limits, queue, now)
        if wait == 0:
            self.limits.spend(lane, now, group=group, urgency=urgency)
            self.sent.append((now, name))
        return wait

    def send_at_last(self, lane: LaneName, now: float, *, urgency: Urgency = Urgency.ASKS) -> float:
        """Ask until the send is granted, as delivery does; return the time."""
        for _ in range(50):
            wait = self.ask(lane, now, urgency=urgency)
            if wait == 0:
                return now
            now += wait + HAIR
        raise AssertionError("never granted")

    def most_within(self, seconds: float, lane: LaneName | None = None) -> int:
        times = sorted(time for time, name in self.sent if lane in (None, name))
        return max((sum(start <= time < start + seconds - HAIR for time in times) for start in times), default=0)


LANES = [LaneName("telegram", chat) for chat in (-1, -2, 5, 6, 7)]
pauses = st.lists(
    st.tuples(
        st.sampled_from(LANES), st.one_of(st.just(0.0), st.floats(0, 3), st.floats(0, 90)), st.sampled_from(Urgency)
    ),
    max_size=60,
)
PATIENT = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@given(pauses)
@PATIENT
def test_no_window_ever_holds_more_than_telegram_allows(arrivals: list[tuple[LaneName, float, Urgency]]) -> None:
    traffic = Traffic(Limits())
    now = START
    free = dict.fromkeys(LANES, START)
    for lane, pause, urgency in arrivals:
        now += pause
        free[lane] = traffic.send_at_last(lane, max(now, free[lane]), urgency=urgency)
    for lane in free:
        assert traffic.most_within(1.0, lane) <= 1
    for group in LANES[:2]:
        assert traffic.most_within(60.0, group) <= 20
    assert traffic.most_within(1.0) <= 30


@given(st.integers(1, 60))
@settings(max_examples=20, deadline=None)
def test_a_group_that_never_rests_keeps_to_any_limit(per_minute: int) -> None:
    traffic = Traffic(Limits(per_group_per_minute=per_minute))
    now = START
    for _ in range(per_minute * 2 + 5):
        now = traffic.send_at_last(LaneName("telegram", -1), now)
    assert traffic.most_within(60.0, LaneName("telegram", -1)) <= per_minute


def test_a_quiet_group_gets_all_of_its_minute_when_it_is_urgent() -> None:
    traffic = Traffic(Limits())
    now = START
    for _ in range(20):
        now = traffic.send_at_last(LaneName("telegram", -1), now)
    assert now - START < 22
    assert traffic.ask(LaneName("telegram", -1), now + 1.2) > 30


@pytest.mark.parametrize(("urgency", "in_a_minute"), [(Urgency.ASKS, 19), (Urgency.SOON, 17), (Urgency.TOLD, 17)])
def test_a_group_that_never_rests_gets_nearly_what_telegram_allows(urgency: Urgency, in_a_minute: int) -> None:
    traffic = Traffic(Limits())
    now = START
    while now < START + 600:
        now = traffic.send_at_last(LaneName("telegram", -1), now, urgency=urgency) + HAIR
    sent = sum(time > START + 120 for time, _ in traffic.sent)
    assert sent / 8 >= in_a_minute


def test_what_can_wait_is_spread_and_leaves_room_for_what_cannot() -> None:
    traffic = Traffic(Limits())
    now = START
    times = []
    while now < START + 120:
        now = traffic.send_at_last(LaneName("telegram", -1), now, urgency=Urgency.TOLD)
        times.append(now)
        (lane,) = traffic.lanes.values()
        assert traffic.limits.throttle(lane, now + 1.11, group=True) == 0
    pauses = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert all(pause < 1.2 for pause in pauses[:8]), "a few are free"
    assert max(pauses) < 8, "there is no long silence"


def test_a_private_chat_does_not_wait_for_a_minute() -> None:
    traffic = Traffic(Limits())
    now = START
    for _ in range(40):
        now = traffic.send_at_last(LaneName("telegram", 5), now)
    assert now - START < 50


def test_waiting_for_one_limit_takes_nothing_from_another() -> None:
    traffic = Traffic(Limits())
    assert traffic.ask(LaneName("telegram", -1), START) == 0
    for _ in range(100):
        assert traffic.ask(LaneName("telegram", -1), START) > 0
    assert traffic.ask(LaneName("telegram", 5), START) == 0
    assert traffic.ask(LaneName("telegram", -1), START + 1.2) == 0


def test_limits_can_be_switched_off() -> None:
    traffic = Traffic(Limits(0, 0, 0))
    assert [traffic.ask(LaneName("telegram", -1), START) for _ in range(100)] == [0] * 100


@pytest.mark.parametrize("per_second", [1, 5, 25])
def test_the_rest_leaves_room_for_a_turn_at_any_moment(per_second: int) -> None:
    """A turn does not wait for records, lobbies or pages of help, however many people ask for them."""
    traffic = Traffic(Limits(per_second, per_chat_seconds=0, per_group_per_minute=0))
    for step in range(200):
        now = START + step * 0.25 / per_second
        while traffic.ask(LaneName("telegram", 1), now, Queue.REST) == 0:
            pass
        if step % 10 == 0:
            assert traffic.ask(LaneName("telegram", 2), now, Queue.GAME) == 0
    assert traffic.most_within(1.0) <= max(1.2 * per_second, per_second + 1)
    assert sum(name == LaneName("telegram", 1) for _, name in traffic.sent) > 20, "the rest is not starved"


def test_while_turns_take_all_there_is_the_rest_waits() -> None:
    traffic = Traffic(Limits(per_chat_seconds=0, per_group_per_minute=0))
    for step in range(100):
        now = START + step * 0.02
        while traffic.ask(LaneName("telegram", 2), now, Queue.GAME) == 0:
            pass
        assert traffic.ask(LaneName("telegram", 1), now, Queue.REST) > 0


def test_a_send_counts_from_its_arrival() -> None:
    """A slow send must not leave the window before Telegram's minute is over."""
    limits = Limits()
    lane = LaneUsage()
    for _ in range(20):
        limits.spend(lane, START, group=True)
    limits.arrived(lane, START + 5)
    assert lane.recent_sends[:2] == [(START + 5, Urgency.ASKS), (START, Urgency.ASKS)]


@given(per_second=st.sampled_from((1, 10, 25)), pauses=st.lists(st.floats(0, 2) | st.just(0), min_size=1, max_size=80))
def test_no_second_holds_more_than_the_bot_may_send_however_late_its_sends_are_made(
    per_second: int, pauses: list[float]
) -> None:
    pace, limits, now, made = SendPace(), Limits(per_bot_per_second=per_second), 0.0, list[float]()
    for pause in pauses:
        now += pause
        made.append(now + pace.wait(limits, now))
    for start in made:
        assert sum(start <= at < start + 1 - 1e-6 for at in made) <= per_second + limits.bot_burst
