"""Which notices are read aloud, to which chats, and in which words."""

import re
import unicodedata
from dataclasses import replace
from itertools import product
from typing import Any

import pytest

from telegram_bot.features.aloud import SpokenNotice, spoken_form
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.intents import HeardNote, NoteOutcome
from telegram_bot.notices.rendering import spoken_text
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.screens.posting import Urgency
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.queries import SeeDice, SeeHelp
from telegram_bot.service.handlers.settings import Choose, SeeSettings
from telegram_bot.service.note_context import NoteContext, note_context
from telegram_bot.storage.models import Chat, Player, PrivateView
from telegram_bot.voice.speaking import LONGEST_TEXT
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness, chosen, game_of
from tests.telegram_bot.words.notice_examples import AWFUL, Namer, every_notice, evil, longest
from tests.telegram_bot.words.test_spoken import friend


@pytest.fixture
def speaking(harness: GroupHarness) -> GroupHarness:
    """An installation with a voice."""
    harness.service.config = replace(harness.service.config, speaks=True)
    return harness


def spoken(harness: GroupHarness) -> list[tuple[str, int]]:
    aloud = [(each.notice, each.chat) for each in harness.envelopes()]
    return [(notice.told.kind, chat) for notice, chat in aloud if isinstance(notice, SpokenNotice)]


async def choose(harness: GroupHarness, name: str, *, on: bool = True, **more: Any) -> Any:
    return (await harness.say(name, Choose("aloud", on, **more), by="toast", where="group" if more else None)).toast


def address(harness: GroupHarness, name: str) -> int:
    return harness.person(name).address


async def test_whoever_chooses_it_hears_their_dice_and_then_their_turns_and_answers(speaking: GroupHarness) -> None:
    await speaking.game("22222", "33333", calls="2x4 dudo")
    await speaking.set_dice("22222", "33333")
    assert spoken(speaking) == [], "no one has chosen it"
    await say_note(speaking, "Ana", "3x5")
    await say_note(speaking, "Ana", "confirm")
    assert speaking.table().step == 2, "without the voice a call is confirmed by its button alone"
    speaking.mark_all_sent()
    ana = address(speaking, "Ana")
    assert chosen(await choose(speaking, "Ana")) == ("aloud", True)
    assert speaking.waiting_kinds() == [("hand", ana), ("spoken", ana)]
    assert all(envelope.silent for envelope in speaking.envelopes() if envelope.notice.kind == "spoken")
    await speaking.call("2x4")
    speaking.mark_all_sent()
    await speaking.call("3x4")
    assert spoken(speaking) == [("hand", ana)], "the turn, and not Bo's"
    speaking.mark_all_sent()
    await speaking.say("Ana", MakeBid(1, 2), where=None)
    assert spoken(speaking) == [("rejection", ana)]
    speaking.mark_all_sent()
    await speaking.call("dudo")
    assert spoken(speaking) == [("reveal", ana), ("hand", ana)], "how the round ended, then the next dice"
    speaking.mark_all_sent()
    await choose(speaking, "Ana", on=False)
    await speaking.say("Ana", SeeDice(), where=None)
    assert spoken(speaking) == []


async def test_dice_are_read_aloud_in_their_owners_private_chat_alone(speaking: GroupHarness) -> None:
    for name, view in (("Ana", PrivateView.EPHEMERAL), ("Bo", PrivateView.DIRECT)):
        await speaking.say(name, Choose("view", view), where=None, by="toast")
        await choose(speaking, name)
    await speaking.say("Ana", i.BotMembershipChanged(present=True, ephemeral_allowed=True), by="nothing")
    await speaking.game("22222", "33333", "44444", calls="2x4 3x4 4x4 dudo")
    assert {chat for kind, chat in spoken(speaking) if kind == "hand"} == {address(speaking, "Bo")}
    seen = [told.told.view for told in speaking.notices("spoken") if told.told.kind == "hand"]
    assert {view.table.seats[view.seat].name for view in seen} == {"Bo"}


async def test_a_group_hears_the_end_of_each_round_after_everybody_can_play_on(speaking: GroupHarness) -> None:
    await speaking.game("22222", "33333")
    assert chosen(await choose(speaking, "Bo", to_all=True)) == ("aloud", True)
    await speaking.call("2x4")
    speaking.mark_all_sent()
    await speaking.call("dudo")
    group = [envelope for envelope in speaking.envelopes() if envelope.chat == speaking.group.address]
    assert [envelope.notice.kind for envelope in group] == ["reveal", "table", "spoken"]
    assert not group[-1].edits
    (row,) = [row for row in speaking.waiting() if row.notice and row.notice["notice"]["kind"] == "spoken"]
    assert (row.turn, row.urgency, row.expires_at is None) == (None, Urgency.OPTIONAL, False)
    assert not any(player.switched_on for player in speaking.rows(Player))


async def test_a_group_hears_who_has_won_once(speaking: GroupHarness) -> None:
    await speaking.game("2", "3", calls="1x4")
    await choose(speaking, "Ana", to_all=True)
    await choose(speaking, "Bo")
    speaking.mark_all_sent()
    await speaking.call("dudo")
    group, bo = speaking.group.address, address(speaking, "Bo")
    assert sorted(spoken(speaking)) == [("game_over", group), ("game_over", bo), ("reveal", bo)]
    ends = [told.told for told in speaking.notices("spoken") if told.told.kind == "game_over"]
    assert [end.previous is None for end in ends if not end.title] == [False], "how the last round ended"


async def test_the_choice_of_a_person_and_of_a_group_outlives_months_without_a_game(speaking: GroupHarness) -> None:
    await speaking.say("Ana", SeeSettings())
    await choose(speaking, "Ana")
    await choose(speaking, "Bo", to_all=True)
    await speaking.say("Cy", SeeHelp(), where=None)
    speaking.now += 91 * DAY_SECONDS
    await Pruning(speaking.database, lambda: speaking.now, config=speaking.service.config).run()
    assert [player.name for player in speaking.rows(Player) if player.switched_on] == ["Ana"]
    assert [chat.switched_on for chat in speaking.rows(Chat)] == [["aloud"]]


@pytest.mark.parametrize("speaks", [True, False])
async def test_an_installation_without_a_voice_says_and_offers_nothing(harness: GroupHarness, speaks: bool) -> None:
    harness.service.config = replace(harness.service.config, speaks=speaks)
    await harness.game("22222", "33333")
    await choose(harness, "Ana")
    await choose(harness, "Bo", to_all=True)
    await harness.call("2x4")
    await harness.call("dudo")
    assert bool(spoken(harness)) is speaks
    harness.mark_all_sent()
    await harness.say("Ana", SeeSettings(), where=None)
    await harness.say("Ana", SeeSettings())
    offered = [notice.switches.get("aloud") for notice in harness.notices("settings")]
    assert offered == ([True, True] if speaks else [None, None])


async def say_note(harness: GroupHarness, name: str, *guesses: str, step: int | None = None, **more: Any) -> None:
    """A voice note in the private chat, after its recognition."""
    at = harness.table().step if step is None else step
    what = i.VoiceNote("file", 2, 4000, heard=HeardNote(outcome=NoteOutcome.HEARD, table=1, step=at, guesses=guesses))
    await harness.say(name, what, said_at=harness.now, **{"where": None, **more})


def can_confirm(harness: GroupHarness, name: str, where: i.Place | None = None) -> bool:
    intent = harness.intent(name, i.VoiceNote("file", 2, 4000), where=where)
    with harness.database.transaction() as session:
        context = note_context(harness.service.unit_of_work(session, ""), intent, notes_per_minute=0)
    assert isinstance(context, NoteContext)
    return context.confirms


async def test_whoever_listens_hears_what_was_heard_and_says_that_it_is_right(speaking: GroupHarness) -> None:
    await speaking.game("22222", "33333")
    await choose(speaking, "Ana")
    speaking.mark_all_sent()
    assert not can_confirm(speaking, "Ana")
    await say_note(speaking, "Ana", "3x5", "2x5")
    (asked,) = speaking.notices("spoken")
    text = spoken_text(asked, catalogue("en"))
    assert text == 'I heard 3 fives. Say "that is right", and it counts. If not, say it again.'
    assert can_confirm(speaking, "Ana")
    assert not can_confirm(speaking, "Ana", speaking.group), "in the group there are buttons"
    await say_note(speaking, "Ana", "2x4")
    assert speaking.table().step == 0
    speaking.mark_all_sent()
    await say_note(speaking, "Ana", "confirm", "1x6")
    assert str(game_of(speaking.table()).current_bid) == "2x4", "the last that was heard"
    assert not can_confirm(speaking, "Ana")
    await choose(speaking, "Bo")
    await say_note(speaking, "Bo", "dudo")
    for name, deals in (("Ana", 1), ("Bo", 2)):
        await say_note(speaking, name, "confirm")
        assert speaking.table().deals == deals, "nobody else confirms it"


async def test_what_was_heard_at_an_earlier_step_or_long_ago_cannot_be_confirmed(speaking: GroupHarness) -> None:
    await speaking.game("22222", "33333")
    await choose(speaking, "Ana")
    await say_note(speaking, "Ana", "3x5")
    step = speaking.table().step
    speaking.pass_time(601)
    await say_note(speaking, "Ana", "confirm")
    assert speaking.table().step == 0
    await say_note(speaking, "Ana", "3x5")
    await speaking.tap("Ana", MakeBid(2, 4), where=None)
    speaking.mark_all_sent()
    await say_note(speaking, "Ana", "confirm", step=step)
    assert str(game_of(speaking.table()).current_bid) == "2x4"
    assert [notice.told.kind for notice in speaking.notices("spoken")] == ["rejection"]


@pytest.mark.parametrize(
    ("language", "name"),
    [*product(("de", "en", "es", "it"), [friend]), ("en", evil), ("fr", longest), ("nl", AWFUL.__getitem__)],
)
def test_only_words_are_said_and_not_too_many(language: str, name: Namer) -> None:
    w = catalogue(language)
    kinds = set()
    forms = [spoken_form(Envelope(channel="telegram", chat=1, notice=notice)) for notice in every_notice(name)]
    for notice in [form.notice for form in forms if form is not None and isinstance(form.notice, SpokenNotice)]:
        kinds.add(notice.told.kind)
        text = spoken_text(notice, w)
        assert text, notice
        assert len(text) <= LONGEST_TEXT
        assert text.endswith((".", "!", "?", ":", "…"))
        if name is friend:
            assert not re.search(r"[<>{}*_#×]|&\w+;", text), text
        assert not {unicodedata.category(sign) for sign in text} & {"So", "Cf", "Cc", "Cs"}, text
    assert len(kinds) == 11
