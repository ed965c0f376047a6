"""Through the service: which language is spoken to whom, and in which one typed words are read."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.service import intents as i
from telegram_bot.service.notices import Done, DoneNotice
from telegram_bot.service.service import Outcome
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, Player
from telegram_bot.tables.events import Denial
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import toast_text
from tests.telegram_bot.conftest import Room, denial

VISIBLE = Rules.preset("box_2009").with_options(lost_dice="visible")


TEN = ("22222", "33333")


def standing(room: Room) -> str | None:
    """The bid to beat."""
    game = room.table().game
    return None if game is None or game.current_bid is None else str(game.current_bid)


async def says(room: Room, name: str, what: i.What, language: str | None, **more: Any) -> Outcome:
    """Somebody whose Telegram speaks a language says something."""
    intent = room.intent(name, what, **more)
    return await room.service.handle(replace(intent, who=replace(intent.who, language=language)))


def spoken(room: Room) -> list[str | None]:
    """The languages of what waits to be sent."""
    return [envelope.language for envelope in room.envelopes()]


# People


@pytest.mark.parametrize(
    ("telegram", "language"),
    [("it", "it"), ("it-IT", "it"), ("fr-CA", "fr"), ("es-419", "es"), ("nl-BE", "nl"), ("en-GB", "en"), ("ru", "fr"),
     (None, "fr"), ("", "fr"), ("x" * 99, "fr")],
)  # fmt: skip
async def test_a_person_hears_what_their_telegram_speaks_or_else_the_houses_language(
    room: Room, telegram: str | None, language: str
) -> None:
    room.service.house = replace(room.service.house, language="fr", languages=("en", "it", "fr", "es", "nl"))
    await says(room, "Ana", i.SeeHelp(), telegram, where=None)
    assert spoken(room) == [language]


async def test_a_language_that_was_chosen_stays_whatever_telegram_speaks(room: Room) -> None:
    outcome = await says(room, "Ana", i.ChooseLanguage("nl"), "it", where=None, by="toast")
    assert outcome.toast == DoneNotice(done=Done.LANGUAGE_CHOSEN, speaks="nl")
    assert outcome.language == "nl", "and the answer is in it already"
    await says(room, "Ana", i.SeeHelp(), "it", where=None)
    assert spoken(room) == ["nl"]
    room.flush()
    outcome = await says(room, "Ana", i.ChooseLanguage(None), "it", where=None, by="toast")
    assert outcome.language == "it"
    await says(room, "Ana", i.SeeHelp(), "it", where=None)
    assert spoken(room) == ["it"]


async def test_dice_that_lie_open_are_shown_again_in_the_language_just_chosen(room: Room) -> None:
    await room.game(*TEN)
    room.flush()
    await room.say("Ana", i.OpenDirect(greeted=False), where=None)
    room.flush()
    await room.say("Ana", i.ChooseLanguage("es"), where=None, by="toast")
    assert {(envelope.notice.kind, envelope.language) for envelope in room.envelopes()} == {("hand", "es")}


async def test_settings_show_what_is_chosen(room: Room) -> None:
    await says(room, "Ana", i.SeeSettings(), "it", where=None)
    await says(room, "Ana", i.ChooseLanguage("fr"), "it", where=None, by="toast")
    await says(room, "Ana", i.SeeSettings(), "it", where=None)
    shown = room.notices("settings")
    assert [(notice.speaks, notice.chosen) for notice in shown] == [("it", False), ("fr", True)]


# Groups


async def test_a_group_hears_the_language_of_who_opened_its_table(room: Room) -> None:
    await says(room, "Ana", i.OpenLobby(), "it")
    assert spoken(room) == ["it"]
    room.flush()
    await says(room, "Bo", i.Join(), "nl")
    assert spoken(room) == ["it"], "whoever joins"


async def test_a_group_can_choose_its_language_and_keeps_it(room: Room) -> None:
    await says(room, "Ana", i.OpenLobby(), "it")
    room.flush()
    outcome = await says(room, "Ana", i.ChooseLanguage("es", to_all=True), "it", by="toast")
    assert outcome.toast == DoneNotice(done=Done.GROUP_LANGUAGE_CHOSEN, speaks="es")
    assert outcome.language == "it", "the answer is Ana's own"
    assert [(envelope.notice.kind, envelope.language) for envelope in room.envelopes()] == [("lobby", "es")]
    room.flush()
    await says(room, "Ana", i.SeeHelp(), "it")
    assert spoken(room) == ["es"]
    assert room.all(Player)[0].chosen_language is None


async def test_the_round_is_shown_again_in_the_groups_new_language(room: Room) -> None:
    await room.game(*TEN)
    room.flush()
    await room.say("Bo", i.ChooseLanguage("nl", to_all=True), by="toast")
    assert [(envelope.notice.kind, envelope.language) for envelope in room.envelopes()] == [("table", "nl")]


async def test_a_passer_by_does_not_change_the_language_of_a_running_game(room: Room) -> None:
    await room.game(*TEN)
    outcome = await room.say("Cy", i.ChooseLanguage("nl", to_all=True), by="toast")
    assert denial(outcome.toast) is Denial.NOT_SEATED
    assert room.all(Chat)[0].chosen_language is None


async def test_before_there_is_a_table_anybody_chooses(room: Room) -> None:
    await room.say("Cy", i.ChooseLanguage("nl", to_all=True), by="toast")
    await says(room, "Ana", i.OpenLobby(), "it")
    assert spoken(room) == ["nl"]


# What is typed


async def typed(room: Room, name: str, text: str, language: str = "en", **more: Any) -> Outcome:
    """Words that reach the service as a channel that could make nothing of them passes them on."""
    return await says(room, name, i.Misread(None), language, typed=text, **more)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("cinque quattro", "it"),
        ("cinq quatre", "fr"),
        ("cinco cuatros", "es"),
        ("vijf vieren", "nl"),
        ("vijf vieren", "en"),
    ],
)
async def test_a_bid_in_words_is_a_bid(room: Room, text: str, language: str) -> None:
    await room.game(*TEN)
    await typed(room, "Ana", text, language)
    assert standing(room) == "5x4"


async def test_the_tables_language_settles_what_the_players_own_leaves_open(room: Room) -> None:
    await room.game(*TEN)
    await typed(room, "Ana", "once 6", "en")
    assert room.notices("denied")[-1].suggestion == "11x6"
    await room.say("Bo", i.ChooseLanguage("es", to_all=True), by="toast")
    room.flush()
    await typed(room, "Ana", "tres 6", "fr")
    assert standing(room) == "3x6"


async def test_digits_run_together_are_read_by_the_number_of_dice(room: Room) -> None:
    await room.game(*TEN)
    await typed(room, "Ana", "32")
    assert standing(room) == "3x2", "there are ten dice"


async def test_digits_that_may_be_a_number_of_dice_are_asked_about(room: Room) -> None:
    await room.game(*["22222"] * 6)
    room.flush()
    await typed(room, "Ana", "26")
    assert standing(room) is None, "there are thirty dice"
    assert room.notices("denied")[-1].suggestion == "2x6"


@pytest.mark.parametrize(("rules", "played"), [(Rules.preset("box_2009"), None), (VISIBLE, "2x6")])
async def test_where_lost_dice_are_hidden_digits_tell_nothing_of_how_many_are_left(
    database: Database, rules: Rules, played: str | None
) -> None:
    room = Room(database, rules=rules)
    await room.game(*"222222")
    await typed(room, "Ana", "26")
    assert standing(room) == played, "six dice are left of thirty"


async def test_four_five_is_four_fives_wherever_that_is_a_bid(room: Room) -> None:
    await room.game(*TEN, calls="4x4")
    await typed(room, "Bo", "4 5")
    assert standing(room) == "4x5"


@pytest.mark.parametrize("text", ["4 5", "4/5", "4.5", "4, 5", "4-5"])
async def test_where_only_the_other_way_round_is_a_bid_it_is_asked_about(room: Room, text: str) -> None:
    await room.game(*TEN, calls="5x3")
    room.flush()
    await typed(room, "Bo", text)
    assert standing(room) == "5x3"
    refused = room.notices("denied")[-1]
    assert refused.suggestion == "5x4"
    assert toast_text(refused, catalogue("en")) == "That does not beat 5 × ⚂. Did you mean 5x4? Send: 5x4"


async def test_where_neither_way_is_a_bid_the_smallest_raise_is_named(room: Room) -> None:
    await room.game(*TEN, calls="5x6")
    room.flush()
    await typed(room, "Bo", "4 5")
    refused = room.notices("denied")[-1]
    assert (refused.suggestion, refused.smallest) == (None, (6, 6))


async def test_out_of_turn_nothing_is_turned_round(room: Room) -> None:
    await room.game(*TEN, calls="5x3")
    room.flush()
    await typed(room, "Ana", "4 5")
    assert room.notices("denied")[-1].suggestion is None


@pytest.mark.parametrize("text", ["four fives", "4 fives", "4x5", "4 of 5", "quattro di cinque"])
async def test_where_words_or_a_sign_tell_which_is_the_number_nothing_is_turned_round(room: Room, text: str) -> None:
    await room.game(*TEN)
    await room.call("5x3")
    room.flush()
    await typed(room, "Bo", text)
    assert room.notices("denied")[-1].suggestion is None


async def test_before_the_game_any_word_is_a_lucky_word(room: Room) -> None:
    await room.lobby("Ana", "Bo")
    for name, word in (("Ana", "five fours"), ("Bo", "liar")):
        await says(room, name, i.StirDice(word), "en", typed=word, by="nothing", replied_message=77)
    assert [seat.word for seat in room.table(1).seats] == ["five fours", "liar"]


async def test_banter_is_still_not_answered(room: Room) -> None:
    await room.game(*TEN)
    room.flush()
    outcome = await says(room, "Ana", i.StirDice("nice"), "en", typed="nice", by="nothing", replied_message=77)
    assert (outcome.toast, room.envelopes()) == (None, [])
