"""A turn's end: none comes over a message that Telegram delayed; messages that are shown anew."""

from collections.abc import Callable

import pytest
from sqlmodel import Session

from telegram_bot.delivery.sender import NotSentError, RefusedError, SlowDownError, TargetGoneError, UnknownOutcomeError
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import DiceNotice, HandNotice, TableNotice
from telegram_bot.service.handlers.ending import Leave
from telegram_bot.service.handlers.game_requests import MakeBid, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import ChangeOption, Join, OpenMenu, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import LinkPhone, RequestPhoneLink
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, GameTable, LinkCode, Player, PrivateView, SentMessage
from tests.telegram_bot.conftest import ANA, AUTO_CLOCK, BO, CY, GROUP, GroupHarness
from tests.telegram_bot.delivery.conftest import DeliveryHarness, RecordingSender, arrives

CLOCK = AUTO_CLOCK.seconds


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    return GroupHarness(database, clock=AUTO_CLOCK)


async def begun(harness: GroupHarness, delivery: DeliveryHarness, *, thinks: float = 0) -> None:
    """Ana has bid after so many seconds, with all earlier notices sent. Bo is on turn, with no notice of it sent."""
    await harness.game("22222", "33333", "44444")
    await delivery.drain(GROUP, ANA, BO, CY)
    harness.pass_time(thinks)
    await harness.call("3x4")
    assert harness.table().running.ends == harness.now + CLOCK


@pytest.fixture
async def asked(delivery: DeliveryHarness) -> DeliveryHarness:
    await begun(delivery.harness, delivery)
    return delivery


@pytest.mark.parametrize("lane", [GROUP, BO])
async def test_a_pause_that_telegram_asks_for_moves_the_deadline(asked: DeliveryHarness, lane: int) -> None:
    harness, sender = asked.harness, asked.sender
    sender.failures[lane] = [SlowDownError(90)]
    await asked.drain(GROUP, BO)
    for _ in range(2):
        await harness.run_deadlines(45, told=False)
    assert harness.table().step == 1, "no one has played for Bo"
    assert harness.notices("reminder") == []
    await asked.drain(lane)
    assert "table" in sender.texts(GROUP)[-1:] if lane == GROUP else sender.texts(BO)[-1:] == ["hand"]
    assert harness.as_shown().running.ends == harness.now + CLOCK
    await harness.run_deadlines(CLOCK - 30, told=False)
    assert len(harness.notices("reminder")) == 1
    await harness.run_deadlines(29, told=False)
    assert harness.table().step == 1
    await harness.run_deadlines(1, told=False)
    assert harness.table().step == 2


async def test_a_pause_elsewhere_moves_nothing(asked: DeliveryHarness) -> None:
    harness, sender = asked.harness, asked.sender
    await asked.drain(GROUP, BO)
    harness.enqueue(HandNotice.model_validate(harness.notices("hand")[-1]), chat=ANA)
    sender.failures[ANA] = [SlowDownError(90)]
    await asked.drain(ANA)
    await harness.run_deadlines(CLOCK, told=False)
    await harness.run_deadlines(0, told=False)
    assert harness.table().step == 2


async def test_nobodys_time_runs_out_before_they_were_told(asked: DeliveryHarness) -> None:
    harness, sender = asked.harness, asked.sender
    sender.failures[BO] = [NotSentError("InternalServerError")] * 1000
    await asked.drain(GROUP)
    for _ in range(10):
        await asked.drain(BO)
        await harness.run_deadlines(30, told=False)
    assert harness.table().step == 1
    assert harness.notices("reminder") == [], "and no one is reminded of what they do not know"
    sender.failures.clear()
    await asked.drain(BO)
    assert sender.texts(BO)[-1] == "hand"
    assert harness.as_shown().running.ends == harness.now + CLOCK
    await harness.run_deadlines(CLOCK, told=False)
    assert harness.table().step == 2


@pytest.mark.parametrize(("late", "extended"), [(1.5, 0), (2.5, 2.5), (40, 40)])
async def test_what_was_sent_late_counts_from_then_and_changes_nothing_at_the_table(
    harness: GroupHarness, asked: DeliveryHarness, sender: RecordingSender, late: float, extended: float
) -> None:
    before = harness.rows(GameTable)[0]
    ends = (harness.table().running.ends or 0) + extended

    def said() -> list[float | None]:
        views = [each.notice.view for each, _ in sender.sent if isinstance(each.notice, TableNotice)]
        views += [each.notice.view.table for each, _ in sender.sent if isinstance(each.notice, HandNotice)]
        sender.sent.clear()
        return [view.clock_ends for view in views]

    said()
    harness.now += late
    await asked.drain(GROUP, BO)
    after = harness.rows(GameTable)[0]
    assert (after.version, after.state) == (before.version, before.state)
    assert harness.as_shown().running.ends == ends
    assert said() == [ends] * 2
    harness.now += 10
    await harness.say("Ana", SeeStatus())
    await asked.drain(GROUP)
    assert said() == [ends], "shown again"


async def test_of_two_who_are_told_late_the_longer_wait_counts(harness: GroupHarness, asked: DeliveryHarness) -> None:
    harness.now += 10
    await asked.drain(BO)
    harness.now += 5
    await asked.drain(GROUP)
    assert harness.as_shown().running.ends == harness.now + CLOCK


@pytest.mark.parametrize("ephemeral", [False, True])
async def test_the_first_turn_of_a_round_waits_for_its_message_although_its_player_has_seen_the_call(
    harness: GroupHarness, asked: DeliveryHarness, sender: RecordingSender, *, ephemeral: bool
) -> None:
    harness.update_row(Chat, 1, ephemeral=ephemeral)
    harness.update_row(Player, 2, view=PrivateView.EPHEMERAL)
    await asked.drain(GROUP, BO)
    await harness.call("dudo")
    sender.failures[GROUP] = [SlowDownError(30)]
    await asked.drain(GROUP, BO)
    lane = GROUP if ephemeral else BO
    sender.failures[lane] = [*[arrives] * (lane == GROUP), SlowDownError(120)]
    harness.now += 30
    await asked.drain(GROUP, BO)
    told = [(envelope.notice.kind, envelope.receiver or envelope.chat) for envelope, _ in sender.sent]
    assert ("hand", BO) not in told[told.index(("reveal", GROUP)) :], "the group has seen the dice"
    step = harness.table().step
    await harness.run_deadlines(CLOCK, told=False)
    await harness.run_deadlines(CLOCK, told=False)
    assert harness.table().step == step, "no one has played for Bo"
    await asked.drain(lane)
    assert harness.as_shown().running.ends == harness.now + CLOCK


async def test_a_turn_that_is_shown_again_by_request_or_late_gains_no_time(asked: DeliveryHarness) -> None:
    harness = asked.harness
    await asked.drain(GROUP, BO)
    ends = harness.as_shown().running.ends
    for _ in range(3):
        await harness.say("Bo", SeeStatus())
        await harness.say("Bo", SeeDice(), where=None)
        harness.now += 5
        await asked.drain(GROUP, BO)
    assert harness.as_shown().running.ends == ends
    harness.store(harness.table().with_clock(retell_at=harness.now + 1))
    harness.update_row(GameTable, 1, due_at=harness.now + 1)
    await harness.run_deadlines(1, told=False)
    assert {"table", "hand"} <= {kind for kind, _ in harness.waiting_kinds()}
    harness.now += 5
    assert harness.as_shown().running.ends == ends, "nor while it waits"
    await asked.drain(GROUP, BO)
    assert harness.as_shown().running.ends == ends


async def test_a_player_whose_message_is_refused_is_asked_by_the_group_and_has_the_whole_time(
    harness: GroupHarness, asked: DeliveryHarness, sender: RecordingSender
) -> None:
    await asked.drain(GROUP)
    sender.failures |= {BO: [RefusedError("blocked")], GROUP: [SlowDownError(90)]}
    await asked.drain(BO)
    for _ in range(2):
        await harness.run_deadlines(45, told=False)
    assert harness.table().step == 1
    await asked.drain(GROUP)
    shown = sender.sent[-1][0].notice
    assert isinstance(shown, TableNotice)
    assert shown.shared, "the group's message has Bo's bids"
    assert harness.as_shown().running.ends == shown.view.clock_ends == harness.now + CLOCK


async def test_after_its_chat_was_lost_a_turn_waits_to_be_shown(harness: GroupHarness, asked: DeliveryHarness) -> None:
    await asked.drain(GROUP, BO)
    await harness.service.handle(i.ChatLost("telegram", GROUP))
    harness.pass_time(3600)
    await harness.service.handle(i.ChatWritable("telegram", GROUP, 0))
    for _ in range(3):
        await harness.run_deadlines(30, told=False)
    assert (harness.table().step, harness.notices("reminder")) == (1, [])
    await asked.drain(GROUP, BO)
    assert harness.as_shown().running.ends == harness.now + CLOCK


@pytest.mark.parametrize("failure", [UnknownOutcomeError("no answer"), SlowDownError(90)])
async def test_a_turn_ends_although_the_clock_was_set_back_before_it_was_stored_how_its_message_fared(
    asked: DeliveryHarness, monkeypatch: pytest.MonkeyPatch, failure: Exception
) -> None:
    harness, sender = asked.harness, asked.sender
    await asked.drain(BO)
    sender.tried.clear()
    sender.failures[GROUP] = [failure]
    run = harness.database.run

    async def delayed(work: Callable[[Session], object]) -> object:
        if sender.tried:
            monkeypatch.setattr(harness.database, "run", run)
            harness.now -= 3600
            await harness.restart_clocks(fresh=False)
        return await run(work)

    monkeypatch.setattr(harness.database, "run", delayed)
    await asked.drain()
    assert harness.database.run is run
    assert harness.as_shown().running.ends == pytest.approx(harness.now + CLOCK, abs=5)


async def test_a_table_does_not_wait_for_ever_for_a_message_that_is_never_sent(asked: DeliveryHarness) -> None:
    harness = asked.harness
    for _ in range(25):
        await harness.run_deadlines(3500, told=False)
    assert harness.table().step == 2
    assert harness.table().seats[1].away


async def test_what_supersedes_a_message_waits_in_its_place(asked: DeliveryHarness) -> None:
    harness, sender = asked.harness, asked.sender
    await asked.drain(BO)
    harness.now += 4
    await harness.say("Bo", SeeStatus())
    harness.now += 4
    await asked.drain(GROUP)
    assert "table" in sender.texts(GROUP)[-2:]
    assert harness.as_shown().running.ends == harness.now + CLOCK


async def test_time_that_the_house_plays_for_somebody_is_not_extended(asked: DeliveryHarness) -> None:
    harness = asked.harness
    await asked.drain(GROUP, BO)
    await harness.run_deadlines(CLOCK + 1, told=False)
    assert harness.table().seats[1].away
    for call in ("4x5", "5x5"):
        await harness.call(call)
    ends = harness.table().running.ends
    assert harness.table().game is not None
    harness.now += 5
    await asked.drain(GROUP)
    assert harness.as_shown().running.ends == ends


async def test_a_turn_whose_message_may_be_lost_is_told_again_if_nobody_acts(delivery: DeliveryHarness) -> None:
    harness, sender = delivery.harness, delivery.sender
    await begun(harness, delivery, thinks=100)  # so that Bo gets a new message: an edit is simply repeated
    sender.failures[BO] = [UnknownOutcomeError("ReadTimeout")]
    await delivery.drain(GROUP, BO)
    before = len(sender.texts(BO))
    await harness.run_deadlines(29, told=False)
    await delivery.drain(GROUP, BO)
    assert len(sender.texts(BO)) == before, "not at once: it may well be there"
    await harness.run_deadlines(1, told=False)
    await delivery.drain(GROUP, BO)
    assert sender.texts(BO)[before:] == ["hand", "outdated"]
    assert sorted(sender.texts(GROUP)[-2:]) == ["outdated", "table"]
    assert harness.table().step == 1
    assert harness.as_shown().running.ends == harness.now + CLOCK, "the first one may not have arrived"
    await harness.run_deadlines(CLOCK - 25, told=False)
    await delivery.drain(GROUP, BO)
    assert sender.texts(BO)[before:] == ["hand", "outdated", "reminder"], "once more, not for ever"


@pytest.mark.parametrize("asked", [False, True], ids=["by itself", "at a word"])
async def test_a_rounds_message_that_may_be_lost_is_told_again(delivery: DeliveryHarness, *, asked: bool) -> None:
    harness, sender = delivery.harness, delivery.sender
    await harness.game("22222", "33333", "44444", calls="6x2")
    await delivery.drain(GROUP, ANA, BO, CY)
    await harness.call("dudo")
    sender.failures[GROUP] = [arrives, UnknownOutcomeError("ReadTimeout")]
    await delivery.drain(GROUP, ANA, BO, CY)
    assert sender.texts(GROUP)[-2:] == ["reveal", "round_over"]
    if asked:
        await harness.say("Bo", SeeStatus())
    else:
        await harness.run_deadlines(30, told=False)
    await delivery.drain(GROUP, ANA, BO, CY)
    assert sender.texts(GROUP)[-1] == "table"


async def test_a_turn_that_somebody_acts_on_has_been_told(asked: DeliveryHarness) -> None:
    harness, sender = asked.harness, asked.sender
    sender.failures[BO] = [UnknownOutcomeError("ReadTimeout")]
    await asked.drain(GROUP, BO)
    await harness.call("4x4")
    await asked.drain(GROUP, CY)
    harness.mark_all_sent()
    await harness.run_deadlines(31, told=False)
    assert [kind for kind, _ in harness.waiting_kinds()] == ["reminder"]


@pytest.fixture
async def chats(delivery: DeliveryHarness) -> "Chats":
    """Those of a game of three whose first turn has just been told."""
    await delivery.harness.game("22222", "33333", "44444")
    chats = Chats(delivery)
    await chats.after(0)
    return chats


class Chats:
    """The messages in the chats after all was sent."""

    def __init__(self, delivery: DeliveryHarness) -> None:
        self.delivery = delivery

    async def after(self, seconds: float) -> None:
        await self.delivery.harness.run_deadlines(seconds, told=False)
        await self.delivery.drain(GROUP, ANA, BO, CY)

    async def notes(self, chat: int) -> list[str]:
        """The messages of a chat about a missed turn that are shown now."""
        await self.delivery.drain(GROUP, ANA, BO, CY)
        notes = ("reminder", "away", "paused", "seat_handover")
        shown = [notices[-1].kind for notices in self.delivery.sender.messages(chat)]
        return [kind for kind in shown if kind in notes]


@pytest.mark.parametrize("reminded_in", [ANA, GROUP])
async def test_a_reminder_is_deleted_at_its_players_call(harness: GroupHarness, chats: Chats, reminded_in: int) -> None:
    if reminded_in == GROUP:
        await harness.say("Ana", Choose("view", PrivateView.ALERT))
        await chats.after(0)
    await chats.after(30)
    assert await chats.notes(reminded_in) == ["reminder"]
    await harness.call("3x4")
    assert await chats.notes(reminded_in) == []


@pytest.mark.parametrize("under_way", [False, True])
async def test_a_reminder_that_a_call_overtakes_is_not_sent_or_is_deleted_once_it_has_arrived(
    harness: GroupHarness, chats: Chats, sender: RecordingSender, *, under_way: bool
) -> None:

    async def call() -> None:
        await harness.call("3x4")

    if under_way:
        sender.failures[ANA] = [call]
        await chats.after(30)
    else:
        await harness.run_deadlines(30, told=False)
        await call()
    assert await chats.notes(ANA) == []
    assert ("reminder" in sender.texts(ANA)) is under_way


async def test_a_missed_turn_is_one_message_until_its_player_is_back(
    harness: GroupHarness, chats: Chats, sender: RecordingSender
) -> None:
    await chats.after(30)
    before = len(sender.texts(ANA))
    await chats.after(30)
    assert await chats.notes(ANA) == ["away"], "the reminder says it now"
    new = [target for envelope, target in sender.sent if envelope.chat == ANA][before:]
    assert None not in new, "no new message"
    await harness.tap("Ana", ReturnToSeat(), where=None)
    assert await chats.notes(ANA) == []


async def test_no_key_im_back_is_left_in_a_game_that_goes_on(harness: GroupHarness, delivery: DeliveryHarness) -> None:
    await harness.game("22222", "33333")
    chats = Chats(delivery)
    await chats.after(0)
    await chats.after(60)
    assert await chats.notes(ANA) == ["away"]
    await chats.after(60)
    assert (await chats.notes(GROUP), await chats.notes(BO)) == (["paused"], ["away"])
    await harness.tap("Bo", ReturnToSeat())
    assert (await chats.notes(GROUP), await chats.notes(BO)) == ([], [])
    await harness.tap("Bo", Leave(confirmed=True))
    assert await chats.notes(ANA) == []


async def test_who_plays_on_is_told_in_place_of_the_missed_turn(harness: GroupHarness, chats: Chats) -> None:
    await chats.after(60)
    assert await chats.notes(ANA) == ["away"]
    await harness.tap("Dee", Join(player=harness.table().seats[0].player))
    assert await chats.notes(ANA) == ["seat_handover"]
    await harness.tap("Ana", ReturnToSeat(), where=None)
    assert await chats.notes(ANA) == []


# Messages that are shown anew because a player asks for them, or lets the bot in; the host's menu


def told(delivery: DeliveryHarness, chat: int) -> list[tuple[str, int]]:
    sent = [
        (each.notice.kind, (target or each.target or MessageRef(0)).message)
        for each, target in delivery.sender.sent
        if each.chat == chat
    ]
    delivery.sender.sent.clear()
    return sent


async def test_what_is_asked_for_comes_before_old_keys_go(harness: GroupHarness, delivery: DeliveryHarness) -> None:
    for begin, kind in ((harness.lobby("Ana", "Bo"), "lobby"), (harness.tap("Ana", Start()), "table")):
        await begin
        await delivery.drain_with_time(GROUP)
        old = delivery.sender.last_message
        delivery.sender.sent.clear()
        for _ in range(2):
            await harness.say("Bo", SeeStatus())
        await delivery.drain_with_time(GROUP)
        assert told(delivery, GROUP) == [(kind, 0), ("outdated", old)], "one message for both"
        await harness.say("Bo", SeeStatus())
        await delivery.drain_with_time(GROUP)
        assert told(delivery, GROUP) == [(kind, 0), ("outdated", delivery.sender.last_message - 1)]


async def test_dice_asked_for_beside_a_phone_lose_their_keys(harness: GroupHarness, delivery: DeliveryHarness) -> None:
    await harness.game("22222", "33333")
    await harness.say("Ana", RequestPhoneLink(), where=None)
    await harness.text("Ana", LinkPhone(harness.rows(LinkCode)[-1].code))
    await delivery.drain_with_time(GROUP, ANA, BO)
    delivery.sender.hands_have_keyboards = True
    await harness.say("Ana", SeeDice(), where=None)
    await delivery.drain_with_time(ANA)
    assert told(delivery, ANA)[-1] == ("hand", 0)
    first = delivery.sender.last_message
    await harness.say("Ana", SeeDice(), where=None)
    await delivery.drain_with_time(ANA)
    assert told(delivery, ANA) == [("hand", 0), ("outdated", first)], "only the newest has buttons"
    asked = delivery.sender.last_message
    await harness.text("Ana", MakeBid(2, 2))
    await delivery.drain_with_time(ANA)
    assert told(delivery, ANA) == [("outdated", asked)]


async def test_buttons_that_a_blocked_chat_kept_are_taken_away_when_the_player_lets_the_bot_in(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender
) -> None:
    sender.hands_have_keyboards = True
    await harness.game("22222", "33333", calls="2x2")
    await delivery.drain_with_time(GROUP, ANA, BO)
    (board,) = [each.message for each in harness.rows(SentMessage) if each.chat == BO and each.keyboard]
    sender.failures[BO] = [RefusedError("bot was blocked by the user")] * 9
    for call in ("3x2", "dudo"):
        await harness.call(call)
        await delivery.drain_with_time(GROUP, ANA, BO)
    sender.failures.clear()
    sender.sent.clear()
    await harness.say("Bo", StartPrivateChat(), where=None)
    await delivery.drain_with_time(GROUP, BO)
    assert ("outdated", board) in told(delivery, BO)


async def test_a_hosts_menu_is_edited_until_the_game_begins_and_is_deleted_then(delivery: DeliveryHarness) -> None:
    harness = delivery.harness
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None)
    await harness.lobby("Ana", "Bo")
    await delivery.drain_with_time(GROUP)
    await delivery.drain_with_time(ANA)
    menu = delivery.sender.last_message
    delivery.sender.sent.clear()

    async def shown() -> list[tuple[str, int]]:
        await delivery.drain_with_time(GROUP, ANA)
        return told(delivery, ANA)

    await harness.tap("Ana", OpenMenu("rules"), where=None)
    assert await shown() == [("lobby", menu)]
    await harness.tap("Ana", ChangeOption("rulebook", "aces"), where=None)
    assert await shown() == [("lobby", menu)]
    await harness.tap("Ana", OpenMenu("table"))
    assert await shown() == [("lobby", 0), ("outdated", menu)], "a key of an earlier version in the group"
    menu = delivery.sender.last_message
    await harness.tap("Ana", Start())
    assert ("outdated", menu) in await shown()


async def looks(delivery: DeliveryHarness, chat: int) -> list[str]:
    """Return what the worker sends to a chat within 30 seconds: before it compares all chats."""
    delivery.sender.sent.clear()
    for _ in range(30):
        with delivery.harness.database.transaction() as session:
            found = delivery.delivery.look(session)
        delivery.delivery.wake(found)
        await delivery.delivery.idle()
        delivery.harness.pass_time(1)
    return [kind for kind, _ in told(delivery, chat)]


async def test_who_chooses_their_private_chat_on_their_turn_gets_their_bids_there(delivery: DeliveryHarness) -> None:
    harness = delivery.harness
    await harness.lobby("Ana", "Bo")
    await harness.say("Ana", Choose("view", PrivateView.SHARED), where=None)
    await harness.tap("Ana", Start())
    await harness.set_dice("22", "33")
    await delivery.drain_with_time(GROUP, ANA, BO)
    assert "hand" not in [kind for kind, _ in told(delivery, ANA)]
    await harness.say("Ana", Choose("view", PrivateView.DIRECT), where=None)
    assert "hand" in await looks(delivery, ANA)


async def test_a_person_who_lets_the_bot_in_again_reads_what_was_shown_meanwhile(delivery: DeliveryHarness) -> None:
    """The bot was blocked when Ana's last die was lost; she is out, so no bids wait for her."""
    harness = delivery.harness
    await harness.game("2", "33", "44", calls="1x5")
    await delivery.drain_with_time(GROUP, ANA, BO, CY)
    await harness.call("dudo")
    await harness.say("Ana", i.PrivateChatBlocked(), where=None, by="nothing")
    await delivery.drain_with_time(GROUP, ANA, BO, CY)
    assert "knocked_out" not in [kind for kind, _ in told(delivery, ANA)]
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None, by="nothing")
    assert "knocked_out" in await looks(delivery, ANA)


async def test_a_deleted_board_comes_anew_when_its_player_asks_for_their_dice(delivery: DeliveryHarness) -> None:
    harness = delivery.harness
    await harness.game("22", "33")
    await delivery.drain_with_time(GROUP, ANA, BO)
    delivery.sender.sent.clear()
    delivery.sender.failures[ANA] = [TargetGoneError("message to edit not found")]
    result = await harness.tap("Ana", SeeDice())
    assert isinstance(result.toast, DiceNotice)
    await delivery.drain_with_time(GROUP, ANA, BO)
    (board,) = [(envelope.notice, target) for envelope, target in delivery.sender.sent if envelope.chat == ANA]
    assert board[0].kind == "hand"
    assert board[1] is None, "a new message"
