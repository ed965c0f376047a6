"""The next notice of a group's lane depends on the rows' columns alone, whatever has happened."""

from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from telegram_bot.delivery.picking import dropped_by, oldest_of_the_game, pick
from telegram_bot.service import notices as n
from telegram_bot.service.channel_traits import ChannelTraits
from telegram_bot.service.envelope import Envelope, SendMode
from telegram_bot.service.posting import Awaited, Overtaking, Post, Urgency, policy_columns, replaces_in_slot
from telegram_bot.storage.models import NoticeStatus, OutboxEntry
from telegram_bot.tables.model import FrozenModel

TELEGRAM = ChannelTraits("telegram")
BEAT = 2.0
TURNS = ("bid", "bid for all", "dudo", "dudo, the call left to the reveal")
EVENTS = st.lists(st.sampled_from((*TURNS, "talk", "pause", "send", "send", "failed send", "time")), max_size=40)


class Lane:
    """A group's lane: the notices of one table that wait, and those that were sent."""

    def __init__(self) -> None:
        self.now = 0.0
        self.round = 1
        self.step = 0
        self.players = 3
        self.waiting: list[OutboxEntry] = []
        self.under_way: OutboxEntry | None = None
        self.sent: list[OutboxEntry] = []
        self.dropped: list[OutboxEntry] = []
        self.rounds: dict[int, int] = {}
        """The round that each notice tells of, by its number."""

    def add(
        self,
        kind: type[FrozenModel],
        *,
        mode: SendMode,
        slot: str | None = None,
        turn: int | None = None,
        at: float = 0,
        **shown: Any,
    ) -> None:
        notice: Any = kind.model_construct(**shown)
        envelope = Envelope.model_construct(channel="telegram", chat=-1, notice=notice, mode=mode)
        post = Post(envelope, table=1, slot=slot)
        if replaces_in_slot(post, TELEGRAM):
            for row in [row for row in self.waiting if row.supersedable and row.slot == slot]:
                self.waiting.remove(row)
                self.dropped.append(row)
                turn = turn or row.turn
        row = OutboxEntry(
            id=len(self.rounds) + 1,
            lane="telegram:-1",
            table_id=1,
            slot=slot,
            turn=turn,
            not_before=at,
            created_at=self.now,
            status=NoticeStatus.PENDING,
            **policy_columns(post, TELEGRAM),
        )
        self.rounds[row.id] = self.round
        self.waiting.append(row)

    def happens(self, event: str) -> None:
        match event:
            case "bid" | "bid for all":
                self.step += 1
                self.show_turn(shared=event == "bid for all")
            case "dudo" | "dudo, the call left to the reveal":
                if event == "dudo":
                    self.add(n.CallNotice, mode=SendMode.REPLACE, slot=f"deal:{self.round}")
                self.add(n.RevealNotice, mode=SendMode.EDIT, slot=f"deal:{self.round}", at=self.now + BEAT)
                self.round, self.step = self.round + 1, 0
                self.show_turn(shared=False)
            case "talk":
                self.add(n.HelpNotice, mode=SendMode.SEND)
            case "pause":
                self.add(n.PausedNotice, mode=SendMode.REPLACE, slot="paused")
            case "time":
                self.now += BEAT
            case "send":
                self.send()
            case "failed send" if self.under_way is None and self.waiting:
                picked = pick(self.waiting, self.now)
                if picked.not_before <= self.now:  # newer notices cannot replace it any more
                    self.waiting.remove(picked)
                    self.under_way = picked

    def show_turn(self, *, shared: bool) -> None:
        turn, player = self.round * 100 + self.step, self.step % self.players
        if not shared:
            view = SimpleNamespace(on_turn=True, table=SimpleNamespace(bids=(1,) * self.step))
            self.add(n.HandNotice, mode=SendMode.REPLACE, slot=f"hand:{player}", turn=turn, view=view, board=False)
        self.add(n.TableNotice, mode=SendMode.EDIT, slot=f"deal:{self.round}", turn=turn, shared=shared)

    def send(self) -> None:
        if self.under_way is not None:
            self.waiting = sorted([*self.waiting, self.under_way], key=lambda row: row.id)
            self.under_way = None
        if not self.waiting:
            return
        picked = pick(self.waiting, self.now)
        if picked.not_before > self.now:
            return
        reveals = [row for row in self.waiting if row.awaited == Awaited.REVEAL]
        early = [row for row in reveals if self.rounds[row.id] < self.rounds[picked.id]]
        assert not early, "it gives away how an earlier round ended"
        for row in dropped_by(picked, self.waiting):
            self.waiting.remove(row)
            self.dropped.append(row)
        self.waiting.remove(picked)
        self.sent.append(picked)


@settings(max_examples=1000)
@given(EVENTS)
@example(["bid for all", "failed send", "bid for all"])
def test_no_order_of_sends_gives_a_reveal_away_loses_a_notice_or_ends_with_an_old_state(events: list[str]) -> None:
    lane = Lane()
    lane.show_turn(shared=False)
    for event in events:
        lane.happens(event)
    while lane.waiting or lane.under_way:
        lane.now += BEAT
        lane.send()
    sent = [row.id for row in lane.sent]
    assert sorted(sent + [row.id for row in lane.dropped]) == sorted(lane.rounds), "each is sent once, or dropped"
    assert {row.slot.partition(":")[0] for row in lane.dropped if row.slot} <= {"hand", "deal"}
    assert not [row for row in lane.dropped if row.awaited], "calls and reveals are never dropped"
    for slot in {row.slot for row in lane.sent if row.slot}:
        told = [row.id for row in lane.sent if row.slot == slot]
        assert told == sorted(told), "no older state is shown after a newer one"
        if slot.startswith("deal:"):
            assert not [row for row in lane.dropped if row.slot == slot and row.id > told[-1]], "the newest is shown"


@pytest.mark.parametrize(
    ("overtaking", "table", "slot", "first"),
    [
        (Overtaking.BY_TURNS, 1, "lobby", 2),
        (Overtaking.BY_TURNS, 1, "hand:1", 1),
        (Overtaking.ENDS_ROUND, 1, "deal:1", 1),
        (Overtaking.NEVER, 1, None, 1),
        (Overtaking.ENDS_ROUND, 2, "deal:1", 2),
    ],
    ids=["another slot", "the same slot", "the end of a round", "a notice that is never overtaken", "another table"],
)
def test_in_a_private_chat_a_notice_for_later_is_passed_unless_the_order_at_its_table_matters(
    overtaking: Overtaking, table: int, slot: str | None, first: int
) -> None:
    common: dict[str, Any] = {"lane": "telegram:1", "status": NoticeStatus.PENDING, "urgency": Urgency.LATER}
    later = OutboxEntry(id=1, table_id=table, slot=slot, not_before=5.0, overtaking=overtaking, **common)
    due = OutboxEntry(id=2, table_id=1, slot="hand:1", not_before=0.0, overtaking=Overtaking.ASKS, **common)
    assert oldest_of_the_game([later, due], now=1.0).id == first
    assert oldest_of_the_game([later, due], now=5.0).id == 1
