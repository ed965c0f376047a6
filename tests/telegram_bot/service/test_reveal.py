"""The end of a round: as a stored fact, and in the outbox with the notices that wait for the dice."""

from dataclasses import replace
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.intents import Place
from telegram_bot.notices import HandNotice, RevealNotice
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, PlayAgain, Start
from telegram_bot.service.handlers.phone_requests import OpenPrivateLobby
from telegram_bot.service.handlers.queries import BidHere, SeeDice, SeeStatus, UnparsedText
from telegram_bot.service.handlers.settings import Choose, SeeSettings, SettingValue
from telegram_bot.service.own_tables import own_tables
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameAction, GameTable, LaneName, OutboxEntry, Player, RoundEnd
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Timings, TurnClock
from tests.telegram_bot.conftest import ANA, AUTO_CLOCK, BO, CY, GROUP, GroupHarness, game_of, rejection_of
from tests.telegram_bot.delivery.conftest import DeliveryHarness, RecordingSender
from tests.telegram_bot.words.notice_examples import feature_examples

BEAT = 2.0
HANDS = ("22222", "33333", "44444")


def harness_with_beat(database: Database, **more: Any) -> GroupHarness:
    return GroupHarness(database, timings=Timings(reveal_seconds=BEAT), **more)


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return harness_with_beat(database)


async def doubted(harness: GroupHarness, *hands: str) -> dict[str, list[OutboxEntry]]:
    """A round of these hands that ends with Bo's dudo; return what waits to be sent, by its kind."""
    await harness.game(*(hands or HANDS), calls="4x2", sent=True)
    await harness.call("dudo")
    return by_kind(harness)


def by_kind(harness: GroupHarness) -> dict[str, list[OutboxEntry]]:
    found: dict[str, list[OutboxEntry]] = {}
    for row in harness.waiting():
        notice = Envelope.model_validate(row.notice).notice
        kind: str = notice.kind
        if isinstance(notice, HandNotice) and notice.called is not None:
            kind = "own call" if notice.caller == notice.view.seat else "call on a board"
        elif isinstance(notice, RevealNotice) and notice.seat is not None:
            kind = "private reveal"
        found.setdefault(kind, []).append(row)
    return found


async def test_the_call_tells_nothing_of_the_dice(database: Database) -> None:
    """Neither the hands nor any player's number of dice after the call."""
    stored = []
    for number, hands in enumerate((("22222", "33333", "44444"), ("34561", "66666", "11111"))):
        harness = harness_with_beat(database)
        harness.group = Place("telegram", GROUP - number, 0, "Friends")
        harness.addresses = 100 * (number + 1)
        harness._causes = 1000 * number
        await harness.lobby("Ana", "Bo", "Cy")
        table = number + 1
        await harness.tap("Ana", Start(), table=table)
        await harness.set_dice(*hands, table=table)
        await harness.call("4x2", table=table)
        harness.mark_all_sent()
        await harness.call("dudo", table=table)
        (call,) = harness.notices("call")
        harness.mark_all_sent()
        seats = tuple(seat.model_copy(update={"player": 0, "face": None, "colour": 0}) for seat in call.round.seats)
        stored.append(call.model_copy(update={"round": call.round.model_copy(update={"seats": seats})}))
    assert stored[0] == stored[1]


@pytest.mark.parametrize(("seconds", "alone"), [(1800, True), (3600, False)])
async def test_where_turns_take_hours_the_dice_are_shown_at_once(database: Database, seconds: int, alone: bool) -> None:
    harness = harness_with_beat(database, clock=TurnClock(seconds=seconds), animations=not alone)
    waiting = await doubted(harness)
    assert ("call" in waiting) is alone
    (reveal,) = waiting["reveal"]
    assert (reveal.not_before > harness.now) is alone
    assert all(hand.after_deal == 1 for hand in waiting["hand"]), "no one is told before the group"
    assert not any(notice.animated for notice in harness.notices("reveal")), "nor waits for an animation"


async def test_who_is_out_and_the_end_are_told_in_private_after_the_group(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.text("Cy", Join(code=harness.table().code))
    await harness.tap("Ana", Start())
    await harness.set_dice("2", "3", "4")
    await harness.call("1x5")
    harness.mark_all_sent()
    await harness.call("dudo")
    waiting = by_kind(harness)
    calls = (*waiting["own call"], *waiting["call on a board"])
    private = [row for row in harness.waiting() if row.lane != LaneName("telegram", GROUP) and row not in calls]
    assert any(row.lane.channel == "sms" for row in private)
    assert all(row.after_deal == 1 for row in private)


async def test_a_phone_in_its_quiet_hours_is_not_woken_by_the_reveal(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.text("Cy", Join(code=harness.table().code))
    await harness.tap("Ana", Start())
    await harness.set_dice(*HANDS)
    player = next(row for row in harness.rows(Player) if row.channel == "sms")
    end = int(harness.now % 86400 // 60 + 8 * 60) % 1440
    harness.update_row(Player, player.id, quiet={"start": (end - 720) % 1440, "end": end, "zone": "UTC"}, awake_until=0)
    await harness.call("4x2")
    harness.mark_all_sent()
    await harness.call("dudo")
    delivery = DeliveryHarness(harness, RecordingSender())
    for seen in (False, True):
        (text,) = [row for row in harness.waiting() if row.lane.channel == "sms"]
        assert text.after_deal == 1
        assert text.not_before > harness.now + 3600
        if not seen:
            await delivery.drain_with_time(GROUP)
    assert harness.rows(RoundEnd)[-1].seen_at is not None


async def test_nobody_learns_how_the_round_ended_before_the_group_does(harness: GroupHarness) -> None:
    await doubted(harness)
    wishes = (SeeDice(), BidHere(), SeeStatus(), MakeBid(1, 2), CallDudo())

    async def answer(name: str, request: i.AnyRequest, **more: Any) -> Any:
        return (await harness.service.handle(harness.intent(name, request, by="toast", table=1, **more))).toast

    for seconds in (0, BEAT, 600):
        harness.now += seconds
        for request in wishes:
            assert rejection_of(await answer("Bo", request)) is RejectionReason.REVEALING, request
        old = await answer("Cy", CallDudo(), step=harness.table().step - 1)
        assert rejection_of(old) is RejectionReason.STALE
    harness.update_row(RoundEnd, (1, 1), seen_at=harness.now)
    for request in wishes:
        told = await answer("Bo", request)
        assert told is None or told.kind != "rejection" or told.reason is not RejectionReason.REVEALING, request


async def test_nobody_plays_for_somebody_who_is_away_before_the_group_has_seen_the_dice(database: Database) -> None:
    harness = harness_with_beat(database, clock=AUTO_CLOCK)
    await doubted(harness)
    table = harness.table()
    turn = table.begun_game.turn
    assert turn is not None
    harness.store(table.with_seat(turn, away=True))
    await harness.run_deadlines(60, told=False)
    await harness.run_deadlines(60, told=False)
    assert game_of(harness.table()).bids == (), "the group is still waiting for the reveal"
    harness.mark_all_sent()
    await harness.run_deadlines(60, told=False)
    assert len(game_of(harness.table()).bids) == 1


async def test_the_group_reads_a_round_that_an_absent_player_opens_with_that_bid(database: Database) -> None:
    harness = harness_with_beat(database, clock=AUTO_CLOCK)
    await harness.game(*HANDS, calls="9x2", sent=True)
    harness.store(harness.table().with_seat(0, away=True))
    await harness.call("dudo")
    assert by_kind(harness)["call"]
    harness.show_dice()
    harness.now += BEAT
    boards: list[Any] = [Envelope.model_validate(row.notice).notice for row in by_kind(harness)["table"]]
    assert [[(bid.seat, bid.quantity, bid.face) for bid in board.view.bids] for board in boards] == [[(0, 1, 2)]]
    assert harness.rows(GameAction)[-1].cause == "deadline", "Ana did not bid, and Bo did not bid for her"


@pytest.mark.parametrize(("name", "value"), [("animations", False), ("pictures", False), ("dice_style", "words")])
async def test_without_an_animation_a_group_reads_the_call(database: Database, name: str, value: SettingValue) -> None:
    harness = harness_with_beat(database, animations=True)
    await harness.game(*HANDS)
    await harness.say("Ana", Choose(name, value, to_all=True), by="toast")
    await harness.call("4x2")
    harness.mark_all_sent()
    await harness.call("dudo")
    waiting = by_kind(harness)
    assert [row.not_before for row in waiting["call"] + waiting["reveal"]] == [harness.now, harness.now + BEAT]
    assert "opened_reveal" not in waiting


async def test_a_group_is_offered_what_its_installation_has(database: Database) -> None:
    harness = GroupHarness(database)
    for animations in (True, False):
        harness.service.config = replace(harness.service.config, reveal_animations=animations)
        await harness.say("Ana", SeeSettings())
        await harness.say("Ana", SeeSettings(), where=None)
        offered = [notice.switches.get("animations") for notice in harness.notices("settings")]
        assert offered == [animations or None, None]
        harness.mark_all_sent()


@pytest.mark.parametrize("celebrate", [True, False])
async def test_an_exact_calza_an_elimination_and_a_win_are_celebrated(database: Database, *, celebrate: bool) -> None:
    rules = Rules.preset("box_2009").with_options(calza=True, calza_by="on_turn")
    harness = harness_with_beat(database, rules=rules, celebrate=celebrate)
    await harness.start_game("Ana", "Bo", "Cy")
    for hands, opener, calls, celebration in (
        (HANDS, 0, ("4x2", "dudo"), None),
        (("22222", "3334", "4"), 0, ("5x2", "calza"), "exact_calza"),
        (("2", "33", "44"), 0, ("1x5", "dudo"), "elimination"),
        (("", "3", "44"), 1, ("1x6", "dudo"), "win"),
    ):
        await harness.set_dice(*hands, opener=opener)
        for call in calls:
            harness.mark_all_sent()
            harness.now += 10
            await harness.call(call)
        told = [notice.celebration for notice in harness.notices("reaction")]
        assert told == ([celebration] if celebrate and celebration else [])
        if celebrate and celebration == "exact_calza":
            assert harness.waiting_kinds()[-1] == ("reaction", GROUP), "after everything that someone waits for"
    festive = [(envelope.chat, envelope.notice.kind) for envelope in harness.envelopes() if envelope.festive]
    assert festive == ([(CY, "game_over")] if celebrate else [])
    assert harness.notices("game_over")


async def test_nobody_learns_in_private_that_they_are_out_before_the_group_does(harness: GroupHarness) -> None:
    await harness.game("2", "33", "44", calls="1x5 dudo", sent=True)
    harness.update_row(RoundEnd, (1, 1), seen_at=None)
    harness.now += 600
    for request in (
        *(SeeDice(), SeeStatus(), UnparsedText(None)),
        *(PlayAgain(), OpenPrivateLobby(), Leave(), MakeBid(1, 2)),
        *(wish for examples in feature_examples() for wish in examples.WISHES if wish.tells_of_reveal),
    ):
        for table in (1, None):
            answered = await harness.say("Ana", request, where=None, by="toast", table=table)
            assert rejection_of(answered.toast) is RejectionReason.REVEALING, request
    with harness.database.transaction() as session:
        inline = own_tables(harness.service.unit_of_work(session, ""), harness.person("Ana"))
    assert [(table.hand, table.unrevealed) for table in inline.tables] == [(None, True)]


async def test_no_row_keeps_dice_that_no_one_has_shown(harness: GroupHarness) -> None:
    """A round that ends because a player leaves is never revealed."""
    await harness.game(*HANDS, calls="4x2", sent=True)
    await harness.tap("Cy", Leave(confirmed=True))
    assert [(end.before, end.view["dice"]) for end in harness.rows(RoundEnd)] == [(None, [])]


async def test_a_reveal_that_this_version_cannot_read_counts_as_seen(harness: GroupHarness) -> None:
    delivery, boards = DeliveryHarness(harness, RecordingSender()), (ANA, BO, CY)
    await harness.game(*HANDS, calls="4x2", sent=True)
    await harness.call("dudo")
    harness.update_row(RoundEnd, (1, 1), view={"kind": "of a later version"})
    await delivery.drain_with_time(GROUP, *boards)
    harness.now += BEAT
    with harness.database.transaction() as session:
        uow = harness.service.unit_of_work(session, "")
        assert uow.unrevealed(session.get_one(GameTable, 1)) is None
    told = [[kind for kind in delivery.sender.texts(chat) if kind != "outdated"] for chat in (GROUP, *boards)]
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
    assert [end.seen_at for end in harness.rows(RoundEnd)] == [harness.now]
