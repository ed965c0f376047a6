"""The end of a round as a stored fact: what its step writes, and when the table's chat counts as having seen it."""

from typing import Any

from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, Start
from telegram_bot.service.handlers.phone_requests import OpenPrivateLobby
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, RoundEnd
from telegram_bot.tables.model import Table, Timings, TurnClock
from telegram_bot.tables.result_views import ANIMATION_SECONDS, RevealView
from telegram_bot.tables.views import hand_view
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness
from tests.telegram_bot.delivery.conftest import GROUP, DeliveryHarness, RecordingSender

BEAT = 2.0
HANDS = ("22222", "33333", "44444")
BOARDS = (101, 102, 103)
"""The private chats of the players."""


async def doubted(database: Database, *hands: str, **more: Any) -> tuple[GroupHarness, DeliveryHarness]:
    """A round that ends with Bo's dudo, and delivery, which has sent everything before it."""
    harness = GroupHarness(database, timings=Timings(reveal_seconds=BEAT), **more)
    delivery = DeliveryHarness(harness, RecordingSender())
    await harness.game(*(hands or HANDS), calls="4x2", sent=True)
    await harness.call("dudo")
    return harness, delivery


def end_of(harness: GroupHarness) -> RoundEnd:
    (end,) = harness.rows(RoundEnd)
    return end


async def test_a_calls_step_stores_the_end_of_the_round_with_its_times(database: Database) -> None:
    harness, _ = await doubted(database, clock=TurnClock(seconds=60))
    end, called = end_of(harness), harness.now
    assert (end.table_id, end.deal) == (1, 1)
    table = harness.table()
    assert (table.turn_since, table.running.ends) == (called + BEAT, called + BEAT + 60), "no hand is late before"
    assert (end.at, end.cups_at, end.dice_at, end.seen_at) == (called, called + BEAT, called + BEAT, None)
    view = RevealView.model_validate(end.view)
    assert (view.call, view.caller, view.dice) == ("dudo", 1, tuple(tuple(map(int, hand)) for hand in HANDS))
    assert (end.awake, end.shared, end.is_animated, end.over) == ([0, 1, 2], False, False, None)


@BOTH_DATABASES
async def test_boards_with_the_call_can_be_drawn_until_the_chat_has_seen_the_dice(database: Database) -> None:
    harness, delivery = await doubted(database)
    before = Table.model_validate(end_of(harness).before)
    assert [hand_view(before, seat).dice for seat in range(3)] == [tuple(map(int, hand)) for hand in HANDS]
    assert before.secret is None, "all later dice follow from it"
    await delivery.drain_with_time(GROUP)
    end = end_of(harness)
    assert end.before is None
    assert end.seen_at is not None
    assert end.seen_at >= end.dice_at


async def test_no_row_keeps_dice_that_no_one_has_shown(harness: GroupHarness) -> None:
    """A round that ends because a player leaves is never revealed."""
    await harness.game(*HANDS, calls="4x2", sent=True)
    await harness.tap("Cy", Leave(confirmed=True))
    end = end_of(harness)
    assert (end.before, end.view["dice"]) == (None, [])


async def test_an_animation_hides_the_dice_at_first_and_boards_show_the_call_meanwhile(database: Database) -> None:
    harness, delivery = await doubted(database, animations=True)
    end, called = end_of(harness), harness.now
    assert (end.cups_at, end.dice_at, end.is_animated) == (called, called + ANIMATION_SECONDS, True)
    await delivery.drain(GROUP)
    assert end_of(harness).seen_at is not None
    assert end_of(harness).before is not None
    await harness.set_dice("2222", "33333", "44444")
    await harness.call("4x2")
    await harness.call("dudo")
    await delivery.drain_with_time(GROUP)
    first, second = harness.rows(RoundEnd)
    assert (first.before, second.seen_at is not None) == (None, True)


async def test_a_reveal_that_this_version_cannot_read_counts_as_seen(database: Database) -> None:
    harness, delivery = await doubted(database)
    harness.update_row(RoundEnd, (1, 1), view={"kind": "of a later version"})
    await delivery.drain_with_time(GROUP, *BOARDS)
    harness.now += BEAT
    with harness.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "")
        assert uow.unrevealed(session.get_one(GameTable, 1)) is None
    told = [[kind for kind in delivery.sender.texts(chat) if kind != "outdated"] for chat in (GROUP, *BOARDS)]
    assert [each[-1] for each in told] == ["table", "hand", "hand", "hand"]


async def test_a_place_without_a_shared_chat_has_seen_the_dice_at_the_call(database: Database) -> None:
    harness = GroupHarness(database, timings=Timings(reveal_seconds=0))
    await harness.text("Ana", OpenPrivateLobby())
    await harness.text("Bo", Join(code=harness.table().code))
    await harness.text("Ana", Start())
    while harness.rows(RoundEnd) == []:
        for name in ("Ana", "Bo"):
            await harness.text(name, MakeBid(1, 2), table=1)
            await harness.text(name, CallDudo(), table=1)
    assert end_of(harness).seen_at == harness.now
