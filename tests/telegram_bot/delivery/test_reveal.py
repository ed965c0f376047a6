"""The sending of a round's end: the order, the times, and failures."""

from collections.abc import Iterable

import pytest

from telegram_bot.delivery import results
from telegram_bot.delivery.limits import Limits, SendPace
from telegram_bot.delivery.sender import ChatLostError, InvalidError, NotSentError, SlowDownError, UnknownOutcomeError
from telegram_bot.intents import intents as i
from telegram_bot.intents.slots import deal_slot
from telegram_bot.notices import (
    HandNotice,
    Notice,
    PausedNotice,
    RejectionNotice,
    ReminderNotice,
    ResumedNotice,
    RevealNotice,
)
from telegram_bot.notices.rendering import message_html
from telegram_bot.screens.posting import Urgency
from telegram_bot.service.handlers.game_requests import CallDudo
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, LaneName, Player, PrivateView, SentMessage
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Timings
from telegram_bot.tables.result_views import ANIMATION_SECONDS
from tests.telegram_bot.conftest import ANA, BO, CY, EN, GROUP, GroupHarness
from tests.telegram_bot.delivery.conftest import DeliveryHarness, RecordingSender, arrives, named_notice, until

BEAT = 0.6
PRIVATE = (ANA, BO)
LANES = [LaneName("telegram", chat) for chat in PRIVATE]


class Play(DeliveryHarness):
    def __init__(self, database: Database, sender: RecordingSender, *, animations: bool = False) -> None:
        timings = Timings(reveal_seconds=BEAT)
        harness = GroupHarness(database, timings=timings, celebrate=True, animations=animations)
        super().__init__(harness, sender)

    async def ready(self, *hands: str) -> None:
        """A round in which Ana has bid, with all notices sent."""
        await self.harness.game(*hands, calls="1x5")
        await self.all_sent()
        self.sender.sent.clear()
        self.sender.tried.clear()
        self.sender.times.clear()

    async def doubt(self) -> float:
        await self.harness.call("dudo")
        return self.harness.now

    async def all_sent(self) -> None:
        await self.drain_with_time(GROUP, *PRIVATE)

    def told(self) -> list[tuple[int, str]]:
        return [(envelope.chat, kind_of(envelope.notice)) for envelope, _ in self.sender.sent]

    def lanes_with_work(self) -> list[LaneName]:
        with self.harness.database.transaction() as session:
            return self.delivery.look(session)

    def first(self, chat: int, kind: str) -> int:
        return self.told().index((chat, kind))

    def sent_at(self, chat: int, kind: str) -> float:
        return max(
            at
            for envelope, at in zip(self.sender.tried, self.sender.times, strict=True)
            if (envelope.chat, kind_of(envelope.notice)) == (chat, kind)
        )


def kind_of(notice: Notice) -> str:
    """The kind of a notice; a player's board that only adds the call is not a new hand."""
    if isinstance(notice, RevealNotice) and notice.seat is not None:
        return "private reveal"
    return "call on board" if isinstance(notice, HandNotice) and notice.called else notice.kind


@pytest.fixture
async def play(database: Database, sender: RecordingSender) -> Play:
    play = Play(database, sender)
    await play.ready("22", "33")
    return play


@pytest.fixture
async def animated(database: Database, sender: RecordingSender) -> Play:
    play = Play(database, sender, animations=True)
    sender.pictures = True
    await play.ready("22", "33")
    return play


async def test_the_call_then_the_dice_then_everything_else(play: Play) -> None:
    called = await play.doubt()
    assert play.harness.table().turn_since == called + BEAT, "no hand is late before"
    await play.all_sent()
    group = [kind for chat, kind in play.told() if chat == GROUP]
    assert group == ["call", "reveal", "table", "round_over"]
    assert play.sent_at(GROUP, "call") - called < BEAT / 2
    assert BEAT <= play.sent_at(GROUP, "reveal") - called < BEAT + 0.5
    for chat in PRIVATE:
        assert play.first(GROUP, "call") < max(play.first(chat, "call on board") for chat in PRIVATE)
        assert play.first(GROUP, "reveal") < play.first(chat, "private reveal") < play.first(chat, "hand")
        assert play.sent_at(chat, "hand") - called < BEAT + 1


async def test_the_dice_come_at_their_time_while_a_needless_message_waits_for_the_groups_limit(play: Play) -> None:
    called = await play.doubt()
    await play.drain(GROUP, end=lambda: (GROUP, "call") in play.told())
    play.sender.limits = Limits(0, 0, per_group_per_minute=20)
    play.use_up(*[Urgency.TOLD] * 15)
    play.harness.enqueue(named_notice("help"), chat=GROUP)
    await play.drain(GROUP)
    assert BEAT <= play.sent_at(GROUP, "reveal") - called < BEAT + 0.5
    assert play.first(GROUP, "reveal") < play.first(GROUP, "welcome")


async def test_dice_and_a_reminder_come_in_time_past_strangers_queue(
    play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    called = await play.doubt()
    await play.drain(GROUP, end=lambda: (GROUP, "call") in play.told())
    play.sender.limits = Limits(per_bot_per_second=1, per_chat_seconds=0, per_group_per_minute=0)
    monkeypatch.setattr(SendPace, "wait", lambda *_: 0.0)  # it is kept in real time
    cy, strangers = 999, range(1000, 1020)
    for chat in (*strangers, GROUP, cy):
        play.harness.enqueue(named_notice("help"), chat=chat)
    reminder = ReminderNotice(name="Cy", address=cy, clock_ends=called + 30, direct=True)
    play.harness.enqueue(reminder, chat=cy, table=2, not_before=called + 10)
    await play.drain(*strangers, end=lambda: True)
    await play.drain(GROUP, cy)
    assert BEAT <= play.sent_at(GROUP, "reveal") - called < BEAT + 1.5
    assert play.first(GROUP, "reveal") < play.first(GROUP, "welcome")
    assert 10 <= play.sent_at(cy, "reminder") - called < 12


async def test_the_reveal_is_an_edit_of_the_call_and_the_old_message_keeps_the_bids(play: Play) -> None:
    (old,) = [row.message for row in play.harness.rows(SentMessage) if row.slot.startswith("deal:")]
    play.harness.update_row(Player, 1, view=PrivateView.SHARED)
    await play.doubt()
    await play.all_sent()
    sent = {envelope.notice.kind: target for envelope, target in play.sender.sent if envelope.chat == GROUP}
    assert sent["call"] is None, "a new message: this bot does not know whether someone wrote"
    assert sent["reveal"] is not None
    assert sent["reveal"].message != old
    assert sent["round_over"] is not None
    assert sent["round_over"].message == old


ELSEWHERE = (i.Place("telegram", GROUP, 7, "A topic"), i.Place("telegram", -5, 0, "Others"), None)
WRITTEN = ("nobody", "nobody, as an admin sees", "a person", "a player who calls", "the bot")


@pytest.mark.parametrize("written_by", WRITTEN)
async def test_where_nobody_wrote_the_rounds_own_message_is_edited(
    database: Database, sender: RecordingSender, written_by: str
) -> None:
    play = Play(database, sender)
    harness, is_edited = play.harness, "nobody" in written_by
    await play.ready("22", "33")
    if "admin" in written_by:
        harness.update_row(Chat, 1, ephemeral=True)
    else:
        await harness.service.key_values.put("reads_all:telegram", "1")
    (old,) = [row.message for row in harness.rows(SentMessage) if row.slot.startswith("deal:")]
    for number, place in enumerate([*ELSEWHERE, *[harness.group] * (written_by == "a person")]):
        received = await harness.service.inbox_store.store("telegram", f"talk {number}", {"update_id": number})
        assert received is not None
        await harness.service.ignore(received, place)
    if written_by == "the bot":
        harness.enqueue(PausedNotice(table=1))
        await play.all_sent()
        play.sender.sent.clear()
    if written_by == "a player who calls":
        await harness.say("Bo", CallDudo(), said_at=harness.now)
    else:
        await play.doubt()
    await play.all_sent()
    sent = [(each, target and target.message) for each, target in play.sender.sent if each.chat == GROUP]
    targets = [(each.notice.kind, target) for each, target in sent]
    if is_edited:
        assert targets == [("call", old), ("reveal", old), ("table", None)]
    else:
        assert [kind for kind, _ in targets] == ["call", "reveal", "table", "round_over"]
        assert dict(targets)["call"] is None


@pytest.mark.parametrize("error", [None, InvalidError("no"), UnknownOutcomeError("no answer"), ChatLostError("kicked")])
async def test_however_a_reveal_ends_what_waits_for_it_is_found_unwoken(play: Play, error: Exception | None) -> None:
    await stuck(play)
    assert not set(LANES) & set(play.lanes_with_work())
    play.sender.failures[GROUP] = [] if error is None else [error]
    wake = play.delivery.wake
    play.harness.now += 600

    def wake_the_group(names: Iterable[LaneName]) -> None:
        wake({LaneName("telegram", GROUP)} & set(names))

    play.delivery.wake = wake_the_group  # type: ignore[method-assign]
    await play.drain_with_time(GROUP)
    assert set(LANES) <= set(play.lanes_with_work())


async def stuck(play: Play) -> None:
    """The group's limit keeps a reveal back; everything else is sent."""
    play.sender.failures[GROUP] = [arrives, SlowDownError(600)]
    await play.doubt()
    for _ in range(10):
        await play.drain(GROUP, *PRIVATE)
        play.harness.now += 1


async def test_a_private_chat_is_told_of_everything_else_meanwhile(play: Play) -> None:
    await stuck(play)
    play.harness.enqueue(ResumedNotice(), chat=ANA, table=None)
    await play.drain(ANA)
    assert play.told()[-1] == (ANA, "resumed")
    assert not {(ANA, "hand"), (BO, "hand")} & set(play.told())


@pytest.mark.parametrize(
    "error", [ChatLostError("kicked"), NotSentError("no network, and for long"), SlowDownError(3600)]
)
async def test_a_lost_group_keeps_nobody_waiting(play: Play, error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "MOST_REVEAL_ATTEMPTS", 2)
    play.sender.failures[GROUP] = [arrives, SlowDownError(60), error]
    await play.doubt()
    await play.drain(GROUP, end=lambda: len(play.sender.failures[GROUP]) == 1)
    while play.sender.failures[GROUP]:
        await play.drain(*PRIVATE, GROUP)
        play.harness.now += 1
    await play.drain_with_time(*PRIVATE)
    assert (GROUP, "reveal") not in play.told()
    for chat in PRIVATE:
        assert play.first(chat, "hand") < play.first(chat, "rejection")
    said = [envelope.notice for envelope, _ in play.sender.sent]
    assert {notice.reason for notice in said if isinstance(notice, RejectionNotice)} == {RejectionReason.SUSPENDED}


async def test_if_the_calls_outcome_is_unknown_the_dice_are_shown_in_a_message_of_their_own(play: Play) -> None:
    play.harness.update_row(Player, 1, view=PrivateView.SHARED)
    play.sender.failures[GROUP] = [UnknownOutcomeError("no answer")]
    await play.doubt()
    await play.all_sent()
    targets = {envelope.notice.kind: target for envelope, target in play.sender.sent if envelope.chat == GROUP}
    assert targets["reveal"] is None, "the round's old message stands higher up"
    assert targets["round_over"] is not None


@pytest.mark.parametrize("few_places_left", [False, True])
async def test_the_win_is_celebrated_after_everything_else_unless_the_group_has_few_places_left(
    database: Database, sender: RecordingSender, *, few_places_left: bool
) -> None:
    play = Play(database, sender)
    await play.ready("2", "33")
    if few_places_left:
        sender.limits = Limits(0, 0, 20)
        play.use_up(*[Urgency.ASKS] * 12)
    await play.doubt()
    await play.all_sent()
    group = [kind for chat, kind in play.told() if chat == GROUP]
    if few_places_left:
        assert group == ["reveal", "game_over", "round_over"]
    else:
        assert group == ["call", "reveal", "game_over", "reaction", "round_over"]
        targets = {kind_of(envelope.notice): target for envelope, target in sender.sent}
        assert targets["reaction"] == targets["reveal"]


@pytest.mark.parametrize(("sends", "urgency"), [(17, Urgency.TOLD), (8, Urgency.ASKS)])
async def test_where_rounds_are_quick_call_and_dice_are_one_message(play: Play, sends: int, urgency: Urgency) -> None:
    play.sender.limits = Limits(0, 0, 20)
    play.use_up(*[urgency] * sends)
    play.harness.enqueue(named_notice("help"), chat=GROUP)
    called = await play.doubt()
    await play.drain(GROUP)
    group = [(envelope.notice.kind, target) for envelope, target in play.sender.sent if envelope.chat == GROUP]
    group = [(kind, target) for kind, target in group if kind != "welcome"]
    assert [kind for kind, _ in group][:2] == ["reveal", "table"]
    assert group[0][1] is None, "a message of its own, as the call would be"
    assert play.sent_at(GROUP, "reveal") - called < BEAT + 0.5


async def test_a_call_that_is_late_leaves_its_place_to_the_dice(play: Play) -> None:
    play.sender.failures[GROUP] = [SlowDownError(5)]
    await play.doubt()
    await play.all_sent()
    assert [kind for chat, kind in play.told() if chat == GROUP][:2] == ["reveal", "table"]


async def test_the_words_below_an_animation_open_after_all_else_in_its_own_message(animated: Play) -> None:
    await animated.doubt()
    await animated.all_sent()
    kinds = [envelope.notice.kind for envelope, _ in animated.sender.sent if envelope.chat == GROUP]
    assert kinds.index("opened_reveal") > max(kinds.index("reveal"), kinds.index("table"))
    sent = animated.sender.sent
    opened = {each.chat: target for each, target in sent if each.notice.kind == "opened_reveal"}
    assert {chat: target and target.message for chat, target in opened.items()} == {
        row.chat: row.message for row in animated.harness.rows(SentMessage) if row.slot == "deal:1"
    }, "private chats have words"


def opened_in(play: Play, chat: int) -> list[bool]:
    """Whether the words below each animation of a chat came open, or were opened later."""
    sent = play.sender.sent
    opened = {target and target.message for each, target in sent if each.notice.kind == "opened_reveal"}
    messages = {row.slot: row.message for row in play.harness.rows(SentMessage) if row.chat == chat}
    return [
        getattr(envelope.notice, "opened", False) or messages[f"deal:{envelope.notice.view.round}"] in opened
        for envelope, _ in play.sender.sent
        if envelope.chat == chat and isinstance(envelope.notice, RevealNotice)
    ]


async def test_where_rounds_are_quick_the_words_below_an_animation_come_open(animated: Play) -> None:
    animated.sender.limits = Limits(0, 0, 20)
    animated.use_up(*[Urgency.ASKS] * 12)
    await animated.doubt()
    await animated.all_sent()
    (reveal,) = [envelope.notice for envelope, _ in animated.sender.sent if kind_of(envelope.notice) == "reveal"]
    assert isinstance(reveal, RevealNotice)
    assert reveal.opened
    assert (GROUP, "opened_reveal") not in animated.told()


async def test_words_that_calls_overtake_open_in_an_idle_chat(database: Database, sender: RecordingSender) -> None:
    play = Play(database, sender, animations=True)
    sender.pictures = True
    await play.ready("2233", "3344")
    sender.limits = Limits(0, 1, 20)

    def round_is_shown() -> bool:
        return deal_slot(play.harness.table().deals) in {row.slot for row in play.harness.rows(SentMessage)}

    for _ in range(3):
        await play.doubt()
        await play.drain(GROUP, *PRIVATE, end=round_is_shown)
        await play.harness.call("1x2")
        await play.drain(GROUP, end=lambda: True)
    await play.all_sent()
    assert opened_in(play, GROUP) == [True, True, True]


async def test_the_next_round_waits_for_an_animation_that_took_long_to_send(animated: Play) -> None:
    called = await animated.doubt()

    async def upload() -> None:
        animated.harness.now += 0.6

    animated.sender.failures[GROUP] = [upload]
    await animated.all_sent()
    arrived = called + 0.6
    assert animated.sent_at(GROUP, "opened_reveal") >= arrived + ANIMATION_SECONDS, "its words name the loser"
    assert animated.sent_at(GROUP, "table") >= arrived + ANIMATION_SECONDS
    assert all(animated.sent_at(chat, "hand") >= arrived + ANIMATION_SECONDS for chat in PRIVATE)


async def test_a_round_makes_three_new_messages_and_its_end_is_an_edit_of_ones_own_board(
    harness: GroupHarness, delivery: DeliveryHarness, sender: RecordingSender
) -> None:
    readers = (ANA, BO, CY)
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, StartPrivateChat(), where=None)
    await delivery.drain(*readers)
    await harness.game("22222", "33333", "44444")
    for call in ("3x4", "dudo"):
        await delivery.drain(GROUP, *readers)
        await harness.call(call)
    await delivery.drain(GROUP, *readers)
    before = {chat: len(sender.messages(chat)) for chat in (GROUP, *readers)}
    for reader in readers:
        *_, board, new = sender.messages(reader)
        assert isinstance(board[-1], RevealNotice)
        assert isinstance(board[0], HandNotice)
        assert isinstance(new[0], HandNotice)
        assert "Counted <b>5</b>" in (message_html(board[-1], EN) or ""), "in words"
    for call in ("2x5", "dudo"):
        await harness.call(call)
        await delivery.drain(GROUP, *readers)
    new_in = {chat: len(sender.messages(chat)) - count for chat, count in before.items()}
    for reader in readers:
        assert new_in[GROUP] + new_in[reader] <= 3
        *_, board, _ = sender.messages(reader)
        assert isinstance(board[-1], RevealNotice), "the first message of the new round has left it"


async def test_a_group_that_moves_meanwhile_reads_the_dice_once(database: Database, sender: RecordingSender) -> None:
    """The answer to the message at the old address comes after the message at the new one."""
    play = Play(database, sender, animations=True)
    await play.ready("22", "33")

    async def moves() -> None:
        await play.harness.say("Ana", i.ChatMoved(-100777))
        play.delivery.wake([LaneName("telegram", -100777)])
        await until(lambda: sender.sent[-1][0].chat == -100777)

    sender.failures[GROUP] = [moves]
    await play.doubt()
    for _ in range(20):
        await play.drain(GROUP, -100777, *PRIVATE)
        play.harness.pass_time(1)
    (shown,) = [row for row in play.harness.rows(SentMessage) if row.slot == deal_slot(1)]
    ends = [envelope.chat for envelope, target in sender.sent if envelope.notice.kind == "reveal" and target is None]
    assert shown.chat == -100777
    assert ends.count(-100777) == 1, ends
