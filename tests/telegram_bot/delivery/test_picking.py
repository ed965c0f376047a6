"""The next message of a lane depends on what waits alone, and is sent when Telegram allows it, at any load."""

import itertools
from collections import defaultdict
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from telegram_bot import notices as n
from telegram_bot.delivery.limits import Budget, LaneUsage, Limits, Queue, SendPace
from telegram_bot.delivery.message import Message
from telegram_bot.delivery.outbox import _in_order
from telegram_bot.delivery.picking import choose, is_left_out, pick
from telegram_bot.intents.envelope import Envelope
from telegram_bot.screens.posting import Notification, Urgency, urgency_of
from telegram_bot.storage.models import LaneName
from telegram_bot.tables.model import FrozenModel
from tests.telegram_bot.conftest import START

BEAT = 2.0
HAPPENS = ("bid", "bid for all", "dudo", "leave", "talk", "pause", "send", "send", "time")
LANE = LaneName("telegram", 1)
SAID = ("HelpNotice", "PausedNotice")


@dataclass(eq=False)
class Named(Message):
    number: int = 0
    kind: str = ""


class Lane:
    """A group's lane: what is said once, and the messages of one table that are kept up to date."""

    def __init__(self) -> None:
        self.now = 0.0
        self.round, self.step, self.shared = 1, 0, False
        self.unseen: list[tuple[int, float, bool]] = []
        """The unseen ends of rounds: the round, the time of its dice, and whether a call ended it."""
        self.changed_at = 0.0
        self.said: list[Named] = []
        self.sent: list[tuple[str, int]] = []
        """The kind of each sent notice; of surfaces their round, of others their number."""
        self.numbers = 0

    def row(self, kind: type[FrozenModel], slot: str | None, turn: int | None = None, **shown: Any) -> Named:
        self.numbers += 1
        notice: Any = kind.model_construct(**shown)
        envelope = Envelope.model_construct(channel="telegram", chat=-1, notice=notice)
        urgency = urgency_of(Notification(envelope, turn=turn, is_edit=False))
        since = self.now if slot is None or slot == "paused" else self.changed_at
        surface: Any = None if kind.__name__ in SAID else "shown"
        known: dict[str, Any] = {"created_at": since, "surface": surface, "number": self.numbers, "kind": kind.__name__}
        return Named(LaneName("telegram", -1), 1, slot, turn, urgency, **known)

    def happens(self, event: str) -> None:
        match event:
            case "bid" | "bid for all":
                self.step, self.shared, self.changed_at = self.step + 1, event == "bid for all", self.now
            case "dudo" | "leave":
                self.unseen.append((self.round, self.now + BEAT, event == "dudo"))
                self.round, self.step, self.shared, self.changed_at = self.round + 1, 0, False, self.now
            case "talk":
                self.said.append(self.row(n.HelpNotice, None))
            case "pause":
                self.said.append(self.row(n.PausedNotice, "paused"))
            case "time":
                self.now += BEAT
            case "send":
                self.send()

    def surfaces(self) -> list[Named]:
        """The messages that are missing or outdated, in the order of reading."""
        rows = []
        for ended, dice_at, called in self.unseen:
            if dice_at <= self.now:
                rows.append(self.row(n.RevealNotice, f"deal:{ended}"))
            elif called and ("CallNotice", ended) not in self.sent:
                rows.append(self.row(n.CallNotice, f"deal:{ended}"))
        turn = self.round * 100 + self.step
        if not any(dice_at > self.now for _, dice_at, _ in self.unseen) and ("TableNotice", turn) not in self.sent:
            rows.append(self.row(n.TableNotice, f"deal:{self.round}", turn, shared=self.shared))
        if not self.unseen and not self.shared and ("HandNotice", turn) not in self.sent:
            view = SimpleNamespace(on_turn=True, table=SimpleNamespace(bids=()))
            rows.append(self.row(n.HandNotice, "hand:1", turn, view=view, board=False))
        return rows

    def send(self) -> bool:
        rows = _in_order(self.said, self.surfaces())
        if not rows:
            return False
        picked = choose(rows, self.now, group=True)
        assert isinstance(picked, Named)
        urgent = [row for row in rows if row.urgency < Urgency.SOON]
        assert picked is (urgent or rows)[0], "a turn and the end of a round overtake what can wait"
        reveals = [row for row in rows if isinstance(row, Named) and row.kind == "RevealNotice"]
        assert picked in [*reveals[:1], *self.said] or not reveals, "it gives away how an earlier round ended"
        kind, slot = picked.kind, str(picked.slot)
        if picked in self.said:
            self.said.remove(picked)
            self.sent.append((kind, picked.number))
        else:
            ended = int(slot.rpartition(":")[2]) if picked.turn is None else picked.turn
            self.sent.append((kind, ended))
            if kind == "RevealNotice":
                self.unseen = [each for each in self.unseen if each[0] != ended]
        return True


@settings(max_examples=150)
@given(st.lists(st.sampled_from(HAPPENS), max_size=40))
def test_no_order_of_sends_loses_a_notice_or_gives_a_reveal_away(events: list[str]) -> None:
    lane = Lane()
    for event in events:
        lane.happens(event)
    said = {row.number for row in lane.said} | {number for kind, number in lane.sent if kind in SAID}
    lane.now += BEAT
    while lane.send():
        pass
    told = [number for kind, number in lane.sent if kind in SAID]
    assert sorted(told) == sorted(said), "each is sent once"
    reveals = [ended for kind, ended in lane.sent if kind == "RevealNotice"]
    assert reveals == list(range(1, lane.round)), "each once, in order"


@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize(
    ("urgency", "table", "slot", "first"),
    [
        (Urgency.TOLD, 1, "lobby", 2),
        (Urgency.TOLD, 1, "hand:1", 1),
        (Urgency.ENDS, 1, "deal:1", 1),
        (Urgency.ENDS, 2, "deal:1", 2),
    ],
    ids=["another slot", "the same slot", "the end of a round", "another table"],
)
def test_a_notice_for_later_is_passed_where_order_is_free(
    urgency: Urgency, table: int, slot: str | None, first: int, *, group: bool
) -> None:
    later = Message(LANE, table, slot, not_before=5.0, urgency=urgency)
    due = Message(LANE, 1, "hand:1", urgency=Urgency.ASKS)
    assert pick([later, due], now=1.0, group=group) is (later, due)[first - 1]
    assert pick([later, due], now=5.0, group=group) is later


def test_in_a_private_chat_a_turn_overtakes_the_messages_of_another_table_but_none_of_its_own() -> None:
    other = Message(LANE, 2, "hand:1", urgency=Urgency.TOLD)
    own = Message(LANE, 1, "lobby:1", urgency=Urgency.TOLD)
    turn = Message(LANE, 1, "hand:1", turn=7, urgency=Urgency.TURN)
    assert pick([other, turn], now=1.0, group=False) is turn
    assert pick([own, other, turn], now=1.0, group=False) is own
    assert pick([other, own], now=1.0, group=False) is other
    answer = Message(LANE, urgency=Urgency.TOLD)
    assert pick([answer, turn], now=1.0, group=False) is answer


@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize(("slot", "first"), [("reveal:2", 2), ("reveal:1", 1)], ids=["another slot", "its own slot"])
def test_words_below_an_animation_open_in_an_idle_chat_or_for_the_next(slot: str, first: int, *, group: bool) -> None:
    opening = Message(LANE, 1, "reveal:1", urgency=Urgency.IDLE)
    other = Message(LANE, 1, slot, urgency=Urgency.TOLD)
    assert choose([opening, other], now=1.0, group=group) is (opening, other)[first - 1]
    other.not_before = 5.0
    assert choose([opening, other], now=1.0, group=group) is opening
    assert choose([opening], now=1.0, group=group) is opening


@pytest.mark.parametrize("group", [True, False])
@pytest.mark.parametrize("celebrates", [True, False])
def test_what_an_idle_chat_gets_waits_for_no_animation_and_tells_no_dice(*, group: bool, celebrates: bool) -> None:
    opening = Message(LANE, 1, "deal:1", not_before=5.0, urgency=Urgency.IDLE)
    reaction = Message(LANE, 1, "deal:1", not_before=5.0, urgency=Urgency.TOLD)
    old_keys = Message(LANE, 1, None, urgency=Urgency.IDLE)
    assert choose([opening, *([reaction] if celebrates else []), old_keys], now=1.0, group=group) is old_keys
    assert choose([opening], now=1.0, group=group) is opening


@pytest.mark.parametrize(
    ("group", "turn", "scarce", "left_out"),
    [(True, 1, False, True), (True, None, True, True), (True, None, False, False), (False, 1, True, False)],
)
def test_only_a_group_in_a_hurry_leaves_notices_out(
    group: bool, turn: int | None, scarce: bool, left_out: bool
) -> None:
    optional, other = Message(LANE, urgency=Urgency.OPTIONAL), Message(LANE, turn=turn)
    assert is_left_out(optional, [optional, other], group=group, scarce=scarce) == left_out


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
        group, lane = name.chat < 0, self.lanes[name]
        wait = self.limits.throttle(lane, now, group=group, urgency=urgency)
        wait = wait or self.budget.take(self.limits, queue, now)
        if wait == 0:
            self.limits.spend(lane, now, group=group, urgency=urgency)
            self.sent.append((now, name))
        return wait

    def send_at_last(self, lane: LaneName, now: float, *, urgency: Urgency = Urgency.ASKS) -> float:
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
    scarce = [
        traffic.limits.is_scarce(usage, now, group=group) for usage in (lane, LaneUsage()) for group in (True, False)
    ]
    assert scarce == [True, False, False, False]
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


@pytest.mark.parametrize(("per_second", "at_once"), [(1, 1), (5, 1), (25, 3)])
def test_the_rest_leaves_room_for_a_turn_at_any_moment(per_second: int, at_once: int) -> None:
    traffic = Traffic(Limits(per_second, per_chat_seconds=0, per_group_per_minute=0))
    for step in range(200):
        now = START + step * 0.25 / per_second
        while traffic.ask(LaneName("telegram", 1), now, Queue.REST) == 0:
            pass
        assert step or len(traffic.sent) == at_once
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
def test_no_second_holds_more_than_the_bot_may_send_however_late_it_sends(per_second: int, pauses: list[float]) -> None:
    pace, limits, now, made = SendPace(), Limits(per_bot_per_second=per_second), 0.0, list[float]()
    for pause in pauses:
        now += pause
        made.append(now + pace.wait(limits, now))
    for start in made:
        assert sum(start <= at < start + 1 - 1e-6 for at in made) <= per_second + limits.bot_burst
