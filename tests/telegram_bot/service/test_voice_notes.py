from dataclasses import replace
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.intents.intents import HeardNote, NoteBeingHeard, NoteOutcome
from telegram_bot.notices import Confirmation, HeardNotice, RevealNotice
from telegram_bot.notices.rendering import message_html
from telegram_bot.screens.switches import NOTES_UNANSWERED
from telegram_bot.service.handlers.game_requests import AnswerNote, OtherRecording
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.note_context import BURST, NoteContext, note_context
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.models import Chat, GameTable, Player, RoundEnd
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.turn_clock import NOTE_SECONDS
from tests.telegram_bot.conftest import EN, GroupHarness, chosen, confirmation_of, game_of, rejection_of

HANDS = ("22222", "33333", "44444")


def heard(harness: GroupHarness, *guesses: str, sure: bool = False, **more: Any) -> HeardNote:
    step = harness.table().step
    found = {"outcome": "heard", "table": 1, "step": step, "sure": sure, "guesses": guesses}
    return HeardNote.model_validate(found | more)


async def note(harness: GroupHarness, name: str, heard: HeardNote | NoteOutcome, **more: Any) -> HandleResult:
    if isinstance(heard, NoteOutcome):
        heard = HeardNote(outcome=heard)
    overheard, message = bool(more.pop("overheard", False)), int(more.pop("message", 0))
    what = i.VoiceNote("file", 2, 4000, overheard=overheard, message=message, heard=heard)
    return await harness.say(name, what, said_at=harness.now, **more)


async def answer(harness: GroupHarness, name: str, call: str | None, *, to: str = "Ana", **more: Any) -> HandleResult:
    what = AnswerNote(harness.player(to).id, call, 1 if call else 0)
    step = more.pop("step", harness.table().step)
    return await harness.tap(name, what, step=step, tapped=MessageRef(77), **more)


def questions(harness: GroupHarness) -> list[HeardNotice]:
    return [notice for notice in harness.notices("heard") if not notice.answered]


def bids(harness: GroupHarness) -> list[str]:
    return [str(bid) for bid in game_of(harness.table()).bids]


def denials(harness: GroupHarness) -> list[RejectionReason]:
    return [notice.reason for notice in harness.notices("rejection")]


@pytest.mark.parametrize(
    ("bid", "later", "forbidden", "answered", "is_lie"),
    [
        ("4x5", "", False, 33, True),
        ("4x2", "", False, 33, False),
        ("4x5", "", True, None, False),
        ("4x5", "5x5", False, None, False),
    ],
    ids=["a lie", "true: the call tells nothing", "its player forbids it", "a later bid is doubted"],
)
async def test_the_call_answers_the_voice_note_of_its_bid_and_the_dice_call_a_lie_a_lie(
    harness: GroupHarness, bid: str, later: str, *, forbidden: bool, answered: int | None, is_lie: bool
) -> None:
    timings = harness.service.config.timings.model_copy(update={"reveal_seconds": 2})
    harness.service.config = replace(harness.service.config, timings=timings)
    await harness.game(*HANDS, sent=True)
    if forbidden:
        await harness.say("Ana", Choose(NOTES_UNANSWERED, value=True))
    await note(harness, "Ana", heard(harness, bid), message=33)
    await answer(harness, "Ana", bid)
    for call in later.split():
        await harness.call(call)
    harness.mark_all_sent()
    await harness.call("dudo")
    called = [envelope.notice.answers for envelope in harness.envelopes() if envelope.notice.kind == "call"]
    shown = RevealNotice.model_validate({"view": harness.rows(RoundEnd)[-1].view})
    assert [*called, shown.answers] == [answered] * 2
    assert ("That voice note was a lie" in (message_html(shown, EN) or "")) is is_lie


async def test_a_bid_that_was_heard_is_asked_and_played_by_a_tap_of_whoever_spoke(harness: GroupHarness) -> None:
    await harness.game(*HANDS, sent=True)
    await note(harness, "Ana", heard(harness, "5x4", "5x5", "4x4"))
    (question,) = questions(harness)
    assert (question.guesses, question.sure, question.name) == (("5x4", "5x5", "4x4"), False, "Ana")
    harness.mark_all_sent()
    assert rejection_of((await answer(harness, "Bo", "5x5")).toast) is RejectionReason.NOT_YOURS
    assert bids(harness) == []
    assert confirmation_of((await answer(harness, "Ana", "5x5")).toast) is Confirmation.BID
    assert bids(harness) == ["5x5"]
    assert "🎙 Ana said <b>5 × 5️⃣</b>" in (message_html(harness.notices("table")[0], EN) or "")
    shown: list[Envelope] = [envelope for envelope in harness.envelopes() if envelope.notice.kind == "heard"]
    assert [envelope.target for envelope in shown] == [MessageRef(77)]
    assert message_html(shown[0].notice, EN) == "🎙 Ana said <b>5 × 5️⃣</b>."
    harness.mark_all_sent()
    await harness.call("6x5")
    assert "🎙" not in (message_html(harness.notices("table")[0], EN) or ""), "it stands at the spoken bid alone"


async def test_none_of_them_plays_nothing_and_says_what_to_do(harness: GroupHarness) -> None:
    await harness.game(*HANDS)
    await note(harness, "Ana", heard(harness, "5x4", sure=True), where=None)
    assert questions(harness)[0].private
    result = await answer(harness, "Ana", None, where=None)
    assert confirmation_of(result.toast) is Confirmation.NOTE_FORGOTTEN
    assert bids(harness) == []


async def test_a_sure_bid_counts_at_once_where_the_group_trusts_it(harness: GroupHarness) -> None:
    await harness.game(*HANDS)
    told = await harness.tap("Bo", Choose("trusts_voice", True, to_all=True), table=None)
    assert chosen(told.toast) == ("trusts_voice", True)
    await note(harness, "Ana", heard(harness, "3x4", "3x5"))
    assert bids(harness) == []
    harness.mark_all_sent()
    await note(harness, "Ana", heard(harness, "3x4", sure=True))
    assert bids(harness) == ["3x4"]
    assert questions(harness) == []
    await harness.tap("Bo", Choose("trusts_voice", False, to_all=True), table=None)
    await note(harness, "Bo", heard(harness, "4x4", sure=True))
    assert bids(harness) == ["3x4"]


@pytest.mark.parametrize("call", ["dudo", "calza"])
async def test_dudo_and_calza_are_always_asked(harness: GroupHarness, call: str) -> None:
    rules = harness.service.config.rules.with_options(calza=True, calza_by="anyone_but_bidder")
    harness.service.config = replace(harness.service.config, rules=rules)
    await harness.game(*HANDS, calls="3x4")
    await harness.tap("Bo", Choose("trusts_voice", True, to_all=True), table=None)
    step = harness.table().step
    await note(harness, "Bo", heard(harness, call, sure=True))
    assert harness.table().step == step
    assert questions(harness)[0].guesses == (call,)
    assert (questions(harness)[0].explained is not None) == (call == "calza"), "a first calza is explained"
    await answer(harness, "Bo", call, to="Bo")
    assert harness.table().step == step + 1, "one tap is enough: the player has said it already"


async def test_the_note_and_the_tap_of_an_earlier_turn_play_nothing(harness: GroupHarness) -> None:
    await harness.game(*HANDS)
    before, said_at, step = heard(harness, "5x4"), harness.now, harness.table().step
    await note(harness, "Ana", before)
    harness.pass_time(60)
    await harness.call("3x4")
    harness.mark_all_sent()
    assert rejection_of((await answer(harness, "Ana", "5x4", step=step)).toast) is RejectionReason.STALE
    assert ("outdated", -1001) in harness.waiting_kinds(), "the buttons go"
    early = harness.intent("Bo", i.VoiceNote("file", 2, 1, heard=heard(harness, "4x4")), said_at=said_at)
    await harness.service.handle(early)
    assert denials(harness) == [RejectionReason.STALE]
    for call in ("4x4", "5x4"):
        await harness.call(call)
    harness.mark_all_sent()
    await note(harness, "Ana", before)
    assert denials(harness) == [RejectionReason.STALE]
    assert (questions(harness), bids(harness)) == ([], ["3x4", "4x4", "5x4"])


async def test_what_is_not_legal_any_more_is_not_asked(harness: GroupHarness) -> None:
    await harness.game(*HANDS, calls="3x4", sent=True)
    await note(harness, "Bo", heard(harness, "2x4", "5x4", sure=True))
    (question,) = questions(harness)
    assert (question.guesses, question.sure) == (("5x4",), False)
    await note(harness, "Bo", heard(harness, "2x4"))
    assert denials(harness) == [RejectionReason.ILLEGAL]


async def test_what_is_no_call_is_answered_in_private_and_passes_in_a_group(harness: GroupHarness) -> None:
    await harness.game(*HANDS, sent=True)
    assert (await note(harness, "Ana", NoteOutcome.UNHEARD)).ignored
    await note(harness, "Ana", NoteOutcome.UNHEARD, where=None)
    await note(harness, "Bo", NoteOutcome.UNHEARD, where=None)
    assert [(n.reason, n.on_turn) for n in harness.notices("rejection")] == [
        (RejectionReason.NOTE_UNHEARD, None),
        (RejectionReason.ILLEGAL, "Ana"),
    ]


async def test_that_nothing_is_heard_here_is_said_once_to_each(harness: GroupHarness) -> None:
    await harness.game(*HANDS, sent=True)
    for _ in range(2):
        await harness.say("Cy", OtherRecording(), where=None)
        for name in ("Ana", "Bo"):
            await note(harness, name, NoteOutcome.NOT_HEARD_HERE)
            await note(harness, name, NoteOutcome.NOT_HEARD_HERE, where=None)
    assert set(denials(harness)) == {RejectionReason.NOTE_NOT_HEARD_HERE}
    assert sorted(chat for _, chat in harness.waiting_kinds()) == [-1001, 101, 102, 103]


async def test_other_failures_are_told_unless_nobody_spoke_to_the_bot(harness: GroupHarness) -> None:
    await harness.game(*HANDS, sent=True)
    for outcome, why in (
        (NoteOutcome.TOO_LONG, RejectionReason.NOTE_TOO_LONG),
        (NoteOutcome.TOO_MANY, RejectionReason.TOO_FAST),
        (NoteOutcome.WITHOUT_SOUND, RejectionReason.NOTE_WITHOUT_SOUND),
        (NoteOutcome.TROUBLE, RejectionReason.NOTE_TROUBLE),
    ):
        harness.mark_all_sent()
        await note(harness, "Ana", outcome)
        await note(harness, "Ana", outcome, overheard=True)
        await note(harness, "Dee", outcome)
        assert denials(harness) == [why]


async def test_a_stranger_is_answered_in_private_alone_and_leaves_no_row(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, hears_voice=True)
    await harness.game(*HANDS, sent=True)
    people = len(harness.rows(Player))
    for outcome in set(NoteOutcome) - {NoteOutcome.HEARD}:
        assert (await note(harness, "Dee", outcome)).ignored
    assert (await harness.say("Dee", OtherRecording())).ignored
    assert (harness.envelopes(), len(harness.rows(Player))) == ([], people)
    await note(harness, "Dee", NoteOutcome.NOBODY, where=None)
    await harness.say("Dee", OtherRecording(), where=None)
    assert denials(harness) == [RejectionReason.NO_TABLE, RejectionReason.NOTE_OTHER_KIND]
    harness.mark_all_sent()
    await harness.say("Ana", OtherRecording())
    assert denials(harness) == [RejectionReason.NOTE_OTHER_KIND], "a round video of a player, in reply to the bot"


async def test_until_the_dice_are_shown_nothing_of_the_next_round_is_told(harness: GroupHarness) -> None:
    timings = harness.service.config.timings.model_copy(update={"reveal_seconds": 2})
    harness.service.config = replace(harness.service.config, timings=timings)
    await harness.game(*HANDS, calls="3x4 dudo")
    assert listen(harness, "Ana") is NoteOutcome.NOBODY
    harness.mark_all_sent()
    await note(harness, "Bo", NoteOutcome.NOBODY, where=None)
    assert denials(harness) == [RejectionReason.REVEALING]


async def test_dice_come_in_private_and_the_table_where_it_was_asked_for(harness: GroupHarness) -> None:
    await harness.game(*HANDS)
    harness.update_row(Player, 1, direct="open")
    for guesses, where, kind in (
        (("dice", "dudo"), harness.group, "hand"),
        (("dice",), None, "hand"),
        (("status",), None, "table"),
        (("repeat",), None, "table"),
    ):
        harness.mark_all_sent()
        await note(harness, "Ana", heard(harness, *guesses), where=where)
        assert harness.waiting_kinds() == [(kind, 101)], guesses
    harness.mark_all_sent()
    assert (await note(harness, "Ana", heard(harness, "status"), overheard=True)).ignored, "it was not for the bot"
    assert harness.envelopes() == []
    await note(harness, "Ana", heard(harness, "3x4"), overheard=True)
    assert len(questions(harness)) == 1


def listen(
    harness: GroupHarness, name: str, where: str | None = "group", *, overheard: bool = False, per_minute: int = 0
) -> NoteContext | NoteOutcome:
    what = i.VoiceNote("file", 2, 4000, overheard=overheard)
    intent = harness.intent(name, what, where=None if where is None else "group")
    with harness.database.transaction() as session:
        return note_context(harness.service.unit_of_work(session, ""), intent, notes_per_minute=per_minute)


async def test_the_player_on_turn_can_say_the_legal_calls_and_the_others_only_calza(harness: GroupHarness) -> None:
    rules = harness.service.config.rules.with_options(calza=True, calza_by="anyone_but_bidder")
    harness.service.config = replace(harness.service.config, rules=rules)
    assert listen(harness, "Ana") is NoteOutcome.NOBODY
    await harness.game(*HANDS)
    assert listen(harness, "Dee") is NoteOutcome.NOBODY
    assert listen(harness, "Bo", overheard=True) is NoteOutcome.NOBODY, "it may be talk: only the player on turn"
    assert isinstance(listen(harness, "Ana", overheard=True), NoteContext)
    await harness.call("3x4")
    harness.update_row(Player, 2, chosen_language="it")
    harness.update_row(Chat, 1, chosen_language="fr")
    context = listen(harness, "Bo")
    assert isinstance(context, NoteContext)
    assert context.languages == ("it", "fr"), "the player's own language is the first"
    assert {"4x4", "3x5", "dudo"} <= set(context.calls)
    assert "3x4" not in context.calls
    assert (context.table, context.step, context.seat) == (1, harness.table().step, 1)
    other = listen(harness, "Cy", where=None)
    assert isinstance(other, NoteContext)
    assert other.calls == ("calza",)


async def test_what_is_listened_for_does_not_depend_on_anybodys_dice(harness: GroupHarness) -> None:
    await harness.game(*HANDS, calls="3x4")
    listened = [(name, where) for name in ("Ana", "Bo", "Cy") for where in ("group", None)]
    before = [listen(harness, name, where) for name, where in listened]
    state = harness.table().model_dump(mode="json")
    state["game"]["dice"] = [[6] * 5, [1, 2, 3, 4, 5], [5] * 5]
    harness.update_row(GameTable, 1, state=state)
    assert [listen(harness, name, where) for name, where in listened] == before


async def test_a_group_listens_for_no_bid_that_tells_a_hidden_number_of_dice(harness: GroupHarness) -> None:
    rules = Rules.preset("box_2009").with_options(lost_dice="hidden", palifico_face_change=True)
    harness.service.config = replace(harness.service.config, rules=rules)
    await harness.game("2", "3", "44444", palifico=0, calls="1x2")
    in_group, in_private = listen(harness, "Bo"), listen(harness, "Bo", where=None)
    assert isinstance(in_group, NoteContext)
    assert isinstance(in_private, NoteContext)
    faces = {call[-1] for call in in_group.calls if "x" in call}
    assert faces == {"2"}
    assert {call[-1] for call in in_private.calls if "x" in call} > faces


async def test_a_person_is_listened_to_a_few_times_a_minute_and_told_once(harness: GroupHarness) -> None:
    await harness.game(*HANDS)
    outcomes = [listen(harness, "Ana", per_minute=6) for _ in range(BURST + 3)]
    assert [isinstance(outcome, NoteContext) for outcome in outcomes] == [True] * BURST + [False] * 3
    assert outcomes[BURST:] == [NoteOutcome.TOO_MANY, NoteOutcome.IGNORED, NoteOutcome.IGNORED]
    assert isinstance(listen(harness, "Bo", per_minute=6), NoteContext)
    harness.pass_time(10)
    assert isinstance(listen(harness, "Ana", per_minute=6), NoteContext)


async def test_the_clock_waits_for_the_note_of_the_player_on_turn_once_if_need_be(harness: GroupHarness) -> None:
    await harness.game(*HANDS)
    before, context = harness.table(), listen(harness, "Ana")
    assert isinstance(context, NoteContext)
    assert not context.clock_must_wait
    for table, step in ((1, before.step), (1, before.step + 1), (9, before.step)):
        await harness.service.handle(NoteBeingHeard(table, step, 0))
    assert harness.table() == before, "there is time enough, or no such turn"
    harness.mark_all_sent()
    ends = harness.table().running.ends
    assert ends is not None
    harness.pass_time(ends - harness.now - 1)
    context = listen(harness, "Ana")
    assert isinstance(context, NoteContext)
    assert context.clock_must_wait
    assert not isinstance(other := listen(harness, "Bo"), NoteContext) or not other.clock_must_wait
    step = harness.table().step
    await harness.service.handle(NoteBeingHeard(1, step, 1))
    assert harness.table().running.ends == ends, "Bo is not on turn"
    await harness.service.handle(NoteBeingHeard(1, step, 0))
    assert harness.table().running.ends == harness.now + NOTE_SECONDS
    await harness.run_deadlines(5)
    assert harness.table().step == step
    await harness.service.handle(NoteBeingHeard(1, step, 0))
    assert harness.table().running.ends == harness.now + NOTE_SECONDS - 5, "once a turn"
    await harness.run_deadlines(6)
    assert harness.table().step == step + 1, "the time was up"
