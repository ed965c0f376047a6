"""Every message comes, although a worker dies, a group moves, the clock is set back, or one table has a fault."""

import asyncio
from typing import Any

import pytest

from telegram_bot.delivery import reconcile
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import ChatMovedError, SendResult, TargetGoneError
from telegram_bot.notices import DiceNotice, RejectionNotice
from telegram_bot.service import intents as i
from telegram_bot.service.envelope import Envelope, MessageRef
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.queries import SeeDice
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.slots import deal_slot
from telegram_bot.service.surfaces.facts import Facts
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable, LaneName, PrivateView, RoundEnd, SentMessage
from telegram_bot.tables.model import Timings
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.delivery.conftest import GROUP, DeliveryHarness, RecordingSender

PRIVATE = (101, 102, 103)


async def test_after_the_clock_was_set_back_the_running_round_is_still_shown(
    database: Database, sender: RecordingSender
) -> None:
    """A round ended and was shown; a minute later the clock is set back by an hour."""
    harness = GroupHarness(database, timings=Timings(reveal_seconds=2))
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33", "44")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("3x2")
    await harness.call("dudo")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("1x5")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    harness.pass_time(60)
    harness.now -= 3600
    set_back = harness.now
    await harness.restart_clocks(fresh=False)
    sender.sent.clear()
    await harness.call("2x5")
    shown: dict[tuple[int, str], float] = {}
    for _ in range(400):
        for lane in (GROUP, *PRIVATE):
            delivery.delivery.wake([LaneName("telegram", lane)])
        await delivery.delivery.idle()
        for timer in list(delivery.timers):
            delivery.timers.pop(timer)
        for envelope, _ in sender.sent:
            shown.setdefault((envelope.chat, envelope.notice.kind), harness.now - set_back)
        if (GROUP, "table") in shown:
            break
        harness.pass_time(10)
    assert shown.get((GROUP, "table"), 1e9) < 5, shown


async def test_after_the_clock_was_set_back_messages_are_sent_immediately(
    database: Database, sender: RecordingSender
) -> None:
    harness = GroupHarness(database)
    delivery = DeliveryHarness(
        harness, sender, Limits(per_bot_per_second=25, per_chat_seconds=0, per_group_per_minute=0)
    )
    await harness.game("22", "33")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    harness.now -= 3600
    await harness.restart_clocks(fresh=False)
    sender.sent.clear()
    await harness.call("1x5")
    async with asyncio.timeout(60):
        await delivery.drain_with_time(GROUP, *PRIVATE)
    assert (GROUP, "table") in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]


async def test_a_group_that_moves_while_a_round_ends_without_a_call_reads_its_end(
    database: Database, sender: RecordingSender
) -> None:
    harness = GroupHarness(database, timings=Timings(reveal_seconds=2))
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33", "44")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("1x5")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    sender.sent.clear()
    sender.failures[GROUP] = [ChatMovedError(-100777)]
    await harness.say("Cy", Leave(confirmed=True))
    for _ in range(5):
        await delivery.drain(GROUP, -100777, *PRIVATE)
        harness.now += 10
    (end,) = harness.rows(RoundEnd)
    kinds = [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]
    assert end.seen_at is not None, kinds
    assert (-100777, "reveal") in kinds
    toast = await harness.tap("Ana", SeeDice(), where=i.Place("telegram", -100777))
    assert isinstance(toast.toast, DiceNotice), toast.toast


async def test_a_group_that_moves_while_the_dice_are_sent_reads_them_once_at_its_new_address(
    database: Database, sender: RecordingSender
) -> None:
    """The answer to the message at the old address comes after the message at the new one."""
    harness = GroupHarness(database, timings=Timings(reveal_seconds=ANIMATION_SECONDS), animations=True)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33", "44")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("3x2")
    await delivery.drain_with_time(GROUP, *PRIVATE)

    async def moves() -> None:
        await harness.say("Ana", i.ChatMoved(-100777))
        await delivery.drain(-100777, end=lambda: sender.sent[-1][0].chat == -100777)

    sender.failures[GROUP] = [moves]
    await harness.call("dudo")
    for _ in range(20):
        await delivery.drain(GROUP, -100777, *PRIVATE)
        harness.pass_time(1)
    (shown,) = [row for row in harness.rows(SentMessage) if row.slot == deal_slot(1)]
    ends = [envelope.chat for envelope, target in sender.sent if envelope.notice.kind == "reveal" and target is None]
    assert shown.chat == -100777
    assert ends.count(-100777) == 1, ends


async def test_no_dice_are_told_while_the_groups_animation_still_plays(
    database: Database, sender: RecordingSender
) -> None:
    """The animation's upload took 1.5 s: the group sees the loser so much later."""
    harness = GroupHarness(database, timings=Timings(reveal_seconds=ANIMATION_SECONDS), animations=True)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33", "44")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("3x2")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    called_at = harness.now

    async def slow() -> None:
        harness.now += 1.5

    sender.failures[GROUP] = [slow]
    await harness.call("dudo")
    await delivery.drain(GROUP, end=lambda: any(envelope.notice.kind == "reveal" for envelope, _ in sender.sent))
    (end,) = harness.rows(RoundEnd)
    assert end.dice_at >= called_at + 1.5 + ANIMATION_SECONDS - 0.1
    harness.now = called_at + ANIMATION_SECONDS + 0.2
    assert harness.now < end.dice_at - 1
    result = await harness.tap("Ana", SeeDice())
    assert isinstance(result.toast, RejectionNotice), result.toast


async def test_after_the_clock_was_set_back_typed_words_still_count(harness: GroupHarness) -> None:
    await harness.game("22", "33", "44", sent=True)
    await harness.call("1x5")
    harness.mark_all_sent()
    harness.pass_time(5)
    harness.now -= 3600
    await harness.restart_clocks(fresh=False)
    harness.now += 3
    await harness.say("Bo", MakeBid(2, 5), said_at=harness.now)
    assert harness.table().step == 2


@pytest.mark.parametrize("at", ["read_facts", "wants_of", "differences", "outdated"])
async def test_one_table_that_cannot_be_compared_keeps_no_other_chat_waiting(
    database: Database,
    sender: RecordingSender,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    at: str,
) -> None:
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.lobby("Ana", "Bo")
    right = getattr(reconcile, at)

    def faulty(*given: Any) -> Any:
        facts = next((each for each in given if isinstance(each, Facts)), None)
        if given[-1] == 1 if facts is None else facts.table.id == 1:
            raise RuntimeError("a fault in the words of one table")
        return right(*given)

    monkeypatch.setattr(reconcile, at, faulty)
    harness.group = i.Place("telegram", -2002, 0, "Others")
    await harness.say("Cy", OpenLobby())
    for _ in range(5):
        await delivery.drain(GROUP, -2002)
        harness.now += 1
    assert [envelope.chat for envelope, _ in sender.sent] == [-2002]
    lines = [line for line in caplog.messages if "cannot be compared" in line]
    assert lines == ["the messages of table 1 cannot be compared"], "one line, until something changes"


@pytest.mark.parametrize("part", [{"kind": "of_a_feature_that_is_off"}, {"kind": "story", "of": "another version"}, {}])
async def test_a_round_is_shown_although_a_part_of_its_start_cannot_be_read(
    database: Database, sender: RecordingSender, part: dict[str, str]
) -> None:
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    harness.update_row(GameTable, 1, started_parts=[part])
    sender.sent.clear()
    await harness.call("1x5")
    await harness.call("dudo")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    assert "reveal" in [envelope.notice.kind for envelope, _ in sender.sent if envelope.chat == GROUP]


async def dies_while_sending(delivery: DeliveryHarness, kind: str) -> DeliveryHarness:
    """Let a worker die after a notice of this kind went out, before it stored that; return its successor."""
    sender, send = delivery.sender, delivery.sender.send

    async def last(envelope: Envelope, target: MessageRef | None) -> SendResult:
        result = await send(envelope, target)
        if envelope.notice.kind == kind and envelope.chat == GROUP:
            raise asyncio.CancelledError
        return result

    sender.send = last  # type: ignore[method-assign]
    await delivery.drain(GROUP)
    sender.send = send  # type: ignore[method-assign]
    return DeliveryHarness(delivery.harness, sender, sender.limits)


@pytest.mark.parametrize("seconds", [1, 9])
async def test_a_worker_that_dies_with_the_call_loses_no_dice(
    database: Database, sender: RecordingSender, seconds: float
) -> None:
    """The lease of a dead worker ends after 8 seconds: then the dice are due in the place of the call."""
    harness = GroupHarness(database, timings=Timings(reveal_seconds=2))
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33", "44")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("3x2")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("dudo")
    successor = await dies_while_sending(delivery, "call")
    assert [envelope.notice.kind for envelope, _ in sender.sent][-1] == "call"
    if seconds < 8:
        await successor.delivery.take_over()  # SQLite's only process starts again
    harness.now += seconds
    for _ in range(600):
        await successor.drain(GROUP, *PRIVATE)
        harness.now += 1
    (end,) = harness.rows(RoundEnd)
    kinds = [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]
    assert kinds.count((GROUP, "reveal")) == 1, kinds
    assert end.seen_at is not None


async def looks(delivery: DeliveryHarness, seconds: int = 30) -> None:
    """Let time pass while the worker looks for marked messages: for less time than until all are compared."""
    for _ in range(seconds):
        with delivery.harness.database.transaction() as session:
            found = delivery.delivery.look(session)
        delivery.delivery.wake(found)
        await delivery.delivery.idle()
        delivery.harness.pass_time(1)


async def test_a_player_who_chooses_their_private_chat_on_their_turn_gets_their_bids_there(
    database: Database, sender: RecordingSender
) -> None:
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.lobby("Ana", "Bo")
    await harness.say("Ana", Choose("view", PrivateView.SHARED), where=None)
    await harness.tap("Ana", Start())
    await harness.set_dice("22", "33")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    assert (101, "hand") not in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]
    await harness.say("Ana", Choose("view", PrivateView.DIRECT), where=None)
    await looks(delivery)
    assert (101, "hand") in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]


async def test_a_board_below_which_another_tables_board_was_sent_asks_in_a_new_message(
    database: Database, sender: RecordingSender
) -> None:
    """Ana plays at two tables; both write to her private chat."""
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33")
    await delivery.drain_with_time(GROUP, 101, 102)
    harness.now += 2
    here, there = harness.group, i.Place("telegram", -2002, 0, "Others")
    harness.group = there
    await harness.say("Cy", OpenLobby())
    await harness.say("Ana", Join())
    await harness.tap("Cy", Start(), table=2)
    await delivery.drain_with_time(-2002, 101, 103)
    harness.group = here
    await harness.call("1x5")
    await delivery.drain_with_time(GROUP, 101, 102)
    await harness.call("2x5")  # Bo: now Ana is asked
    await delivery.drain_with_time(GROUP, 101, 102)
    boards = {row.table_id: row.message for row in harness.rows(SentMessage) if row.slot == "hand:1"}
    assert boards[1] > boards[2], "the board that asks is the newest message"


async def test_a_person_who_lets_the_bot_in_again_reads_what_was_shown_meanwhile(
    database: Database, sender: RecordingSender
) -> None:
    """The bot was blocked when Ana's last die was lost; she is out, so no bids wait for her."""
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("2", "33", "44", calls="1x5")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    await harness.call("dudo")
    await harness.say("Ana", i.PrivateChatBlocked(), where=None, by="nothing")
    await delivery.drain_with_time(GROUP, *PRIVATE)
    assert (101, "knocked_out") not in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None, by="nothing")
    await looks(delivery)
    assert (101, "knocked_out") in [(envelope.chat, envelope.notice.kind) for envelope, _ in sender.sent]


async def test_a_player_who_has_deleted_their_board_gets_it_anew_when_they_ask_for_their_dice(
    database: Database, sender: RecordingSender
) -> None:
    harness = GroupHarness(database)
    delivery = DeliveryHarness(harness, sender)
    await harness.game("22", "33")
    await delivery.drain_with_time(GROUP, 101, 102)
    sender.sent.clear()
    sender.failures[101] = [TargetGoneError("message to edit not found")]
    result = await harness.tap("Ana", SeeDice())
    assert isinstance(result.toast, DiceNotice)
    await delivery.drain_with_time(GROUP, 101, 102)
    (board,) = [(envelope.notice, target) for envelope, target in sender.sent if envelope.chat == 101]
    assert board[0].kind == "hand"
    assert board[1] is None, "a new message"
