"""Nobody's time runs out over a message that Telegram kept: pauses, floods, faults, silence."""

from __future__ import annotations

import pytest

from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import NotSentError, SlowDownError, UnknownFateError
from telegram_bot.service import intents as i
from telegram_bot.service.notices import HandNotice, TableNotice
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Outbox, Sending
from tests.telegram_bot.conftest import AUTO, Room
from tests.telegram_bot.delivery.conftest import ANA, BO, GROUP, Office, Wire

CLOCK = AUTO.seconds


@pytest.fixture
def room(database: Database) -> Room:
    return Room(database, clock=AUTO)


async def begun(room: Room, office: Office) -> None:
    """Ana bid and everybody was told until then; now it is Bo's turn, and nothing of it is out."""
    await room.game("22222", "33333", "44444")
    await office.drain(GROUP, ANA, BO, 103)
    await room.call("3x4")
    assert room.table().clock_ends == room.now + CLOCK


@pytest.mark.parametrize("lane", [GROUP, BO])
async def test_a_pause_that_telegram_asks_for_moves_the_deadline(
    room: Room, office: Office, wire: Wire, lane: int
) -> None:
    await begun(room, office)
    wire.trouble[lane] = [SlowDownError(90)]
    await office.drain(GROUP, BO)
    assert room.table().clock_ends == room.now + 90 + CLOCK
    assert room.table().reminder_at == room.now + 90 + CLOCK - 30
    await room.due(CLOCK + 1, told=False)
    assert room.table().step == 1, "nobody has played for Bo"
    room.now += 30
    await office.drain(lane)
    assert "table" in wire.texts(GROUP)[-1:] if lane == GROUP else wire.texts(BO)[-1:] == ["hand"]
    assert room.table().clock_ends == room.now + CLOCK


async def test_a_pause_elsewhere_moves_nothing(room: Room, office: Office, wire: Wire) -> None:
    await begun(room, office)
    before = room.table().clock_ends
    room.send(HandNotice.model_validate(room.notices("hand")[-1]), chat=ANA)
    wire.trouble[ANA] = [SlowDownError(90)]
    await office.drain(ANA)
    assert room.table().clock_ends == before


async def test_nobodys_time_runs_out_before_they_were_told(room: Room, office: Office, wire: Wire) -> None:
    """Telegram answers with faults of its own for an hour."""
    await begun(room, office)
    wire.trouble[BO] = [NotSentError("InternalServerError")] * 1000
    await office.drain(GROUP)
    for _ in range(120):
        await office.drain(BO)
        await room.due(30, told=False)
    assert room.table().step == 1
    assert room.notices("reminder") == [], "and nobody is reminded of what they do not know"
    wire.trouble.clear()
    await office.drain(BO)
    assert wire.texts(BO)[-1] == "hand"
    assert room.table().clock_ends == room.now + CLOCK
    await room.due(CLOCK, told=False)
    assert room.table().step == 2


@pytest.mark.parametrize(("late", "extended"), [(1.5, 0), (2.5, 2.5), (40, 40)])
async def test_what_was_sent_late_counts_from_then(
    room: Room, office: Office, wire: Wire, late: float, extended: float
) -> None:
    await begun(room, office)
    ends = room.table().clock_ends
    assert ends is not None
    room.now += late
    await office.drain(GROUP, BO)
    assert room.table().clock_ends == pytest.approx(ends + extended)
    for envelope, _ in wire.sent[-2:]:
        notice = envelope.notice
        assert isinstance(notice, TableNotice | HandNotice)
        shown = notice.view if isinstance(notice, TableNotice) else notice.view.table
        assert shown.clock_ends == pytest.approx(ends + extended), "and says so"


async def test_the_group_and_the_player_are_told_late_and_the_longer_wait_counts_once(
    room: Room, office: Office
) -> None:
    await begun(room, office)
    room.now += 10
    await office.drain(BO)
    room.now += 5
    await office.drain(GROUP)
    assert room.table().clock_ends == room.now + CLOCK


async def test_asking_for_the_table_again_and_again_gains_no_time(room: Room, office: Office) -> None:
    await begun(room, office)
    await office.drain(GROUP, BO)
    ends = room.table().clock_ends
    for _ in range(3):
        await room.say("Bo", i.SeeStatus())
        await room.say("Bo", i.SeeDice(), where=None)
        room.now += 5
        await office.drain(GROUP, BO)
    assert room.table().clock_ends == ends


async def test_what_supersedes_a_message_waits_in_its_place(room: Room, office: Office, wire: Wire) -> None:
    await begun(room, office)
    room.change(Outbox, next(row.id for row in room.waiting() if row.lane == f"telegram:{BO}"), status=Sending.SENT)
    room.now += 4
    await room.say("Bo", i.SeeStatus())
    room.now += 4
    await office.drain(GROUP)
    assert wire.texts(GROUP)[-1] == "table"
    assert room.table().clock_ends == room.now + CLOCK


async def test_time_that_the_house_plays_for_somebody_is_not_extended(room: Room, office: Office) -> None:
    await begun(room, office)
    await office.drain(GROUP, BO)
    await room.due(CLOCK + 1, told=False)
    assert room.table().seats[1].away
    for call in ("4x5", "5x5"):
        await room.call(call)
    ends = room.table().clock_ends
    assert room.table().game is not None
    room.now += 5
    await office.drain(GROUP)
    assert room.table().clock_ends == ends


async def test_a_flooded_group_gives_every_turn_its_whole_time(room: Room, wire: Wire) -> None:
    office = Office(room, wire, Limits(per_bot_per_second=0, per_chat_seconds=1, per_group_per_minute=0))
    await room.game("22222", "33333", "44444")
    for ask in (i.SeeRules(), i.SeeHelp()):
        await room.say("Ana", ask)
    await room.call("3x4")
    began = room.now
    wire.clock = lambda: room.now
    await office.drain_with_time(GROUP)
    told = wire.times[wire.texts(GROUP).index("table")]
    assert told > began + 2
    assert room.table().clock_ends == pytest.approx(told + CLOCK, abs=1)


# Messages whose fate nobody knows


async def test_a_turn_whose_message_may_be_lost_is_told_again_if_nobody_acts(
    room: Room, office: Office, wire: Wire
) -> None:
    await begun(room, office)
    wire.trouble[BO] = [UnknownFateError("ReadTimeout")]
    await office.drain(GROUP, BO)
    before = len(wire.texts(BO))
    await room.due(29, told=False)
    await office.drain(GROUP, BO)
    assert len(wire.texts(BO)) == before, "not at once: it may well be there"
    await room.due(1, told=False)
    await office.drain(GROUP, BO)
    assert wire.texts(BO)[before:] == ["hand", "strip"]
    assert wire.texts(GROUP)[-2:] == ["strip", "table"]
    assert room.table().step == 1
    await room.due(25, told=False)
    await office.drain(GROUP, BO)
    assert wire.texts(BO)[before:] == ["hand", "strip", "reminder"], "once more, not for ever"


async def test_a_turn_that_somebody_acts_on_has_been_told(room: Room, office: Office, wire: Wire) -> None:
    await begun(room, office)
    wire.trouble[BO] = [UnknownFateError("ReadTimeout")]
    await office.drain(GROUP, BO)
    await room.call("4x4")
    await office.drain(GROUP, 103)
    room.flush()
    await room.due(31, told=False)
    assert [kind for kind, _ in room.told()] == ["reminder"]
