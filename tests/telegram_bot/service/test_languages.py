"""Through the service: which language is spoken to whom, and in which one typed words are read."""

from dataclasses import replace
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.service import intents as i
from telegram_bot.service.notices import MessageRef
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import toast_text
from tests.telegram_bot.conftest import GroupHarness, chosen

VISIBLE = Rules.preset("box_2009").with_options(lost_dice="visible")


TEN = ("22222", "33333")


def standing(harness: GroupHarness) -> str | None:
    """The bid to beat."""
    game = harness.table().game
    return None if game is None or game.current_bid is None else str(game.current_bid)


async def says(harness: GroupHarness, name: str, what: i.What, language: str | None, **more: Any) -> HandleResult:
    """Somebody whose Telegram speaks a language says something."""
    intent = harness.intent(name, what, **more)
    return await harness.service.handle(replace(intent, who=replace(intent.who, language=language)))


def spoken(harness: GroupHarness) -> list[str | None]:
    """The languages of what waits to be sent."""
    return [envelope.language for envelope in harness.envelopes()]


# People


@pytest.mark.parametrize(
    ("telegram", "language"),
    [("it", "it"), ("it-IT", "it"), ("fr-CA", "fr"), ("es-419", "es"), ("nl-BE", "nl"), ("en-GB", "en"), ("ru", "fr"),
     (None, "fr"), ("", "fr"), ("x" * 99, "fr")],
)  # fmt: skip
async def test_a_person_hears_what_their_telegram_speaks_or_else_the_houses_language(
    harness: GroupHarness, telegram: str | None, language: str
) -> None:
    harness.service.config = replace(harness.service.config, language="fr", languages=("en", "it", "fr", "es", "nl"))
    await says(harness, "Ana", i.SeeHelp(), telegram, where=None)
    assert spoken(harness) == [language]


async def test_a_language_that_was_chosen_stays_whatever_telegram_speaks(harness: GroupHarness) -> None:
    outcome = await says(harness, "Ana", i.Choose("chosen_language", "nl"), "it", where=None, by="toast")
    assert chosen(outcome.toast) == ("chosen_language", "nl")
    assert outcome.language == "nl", "and the answer is in it already"
    await says(harness, "Ana", i.SeeHelp(), "it", where=None)
    assert spoken(harness) == ["nl"]
    harness.mark_all_sent()
    outcome = await says(harness, "Ana", i.Choose("chosen_language", None), "it", where=None, by="toast")
    assert outcome.language == "it"
    await says(harness, "Ana", i.SeeHelp(), "it", where=None)
    assert spoken(harness) == ["it"]


async def test_dice_that_lie_open_are_shown_again_in_the_language_just_chosen(harness: GroupHarness) -> None:
    await harness.game(*TEN, sent=True)
    await harness.say("Ana", i.StartPrivateChat(greeted=False), where=None)
    harness.mark_all_sent()
    await harness.say("Ana", i.Choose("chosen_language", "es"), where=None, by="toast")
    assert {(envelope.notice.kind, envelope.language) for envelope in harness.envelopes()} == {("hand", "es")}


async def test_settings_show_what_is_chosen(harness: GroupHarness) -> None:
    await says(harness, "Ana", i.SeeSettings(), "it", where=None)
    await says(harness, "Ana", i.Choose("chosen_language", "fr"), "it", where=None, by="toast")
    await says(harness, "Ana", i.SeeSettings(), "it", where=None)
    shown = harness.notices("settings")
    assert [(notice.speaks, notice.chosen) for notice in shown] == [("it", False), ("fr", True)]


# Groups


async def test_a_group_hears_the_language_of_who_opened_its_table(harness: GroupHarness) -> None:
    await says(harness, "Ana", i.OpenLobby(), "it")
    assert spoken(harness) == ["it"]
    harness.mark_all_sent()
    await says(harness, "Bo", i.Join(), "nl")
    assert spoken(harness) == ["it"], "whoever joins"


async def test_a_group_can_choose_its_language_and_keeps_it(harness: GroupHarness) -> None:
    await says(harness, "Ana", i.OpenLobby(), "it")
    harness.mark_all_sent()
    outcome = await says(harness, "Ana", i.Choose("chosen_language", "es", to_all=True), "it", by="toast")
    assert chosen(outcome.toast) == ("chosen_language", "es")
    assert outcome.language == "it", "the answer is Ana's own"
    assert [(envelope.notice.kind, envelope.language) for envelope in harness.envelopes()] == [("lobby", "es")]
    harness.mark_all_sent()
    await says(harness, "Ana", i.SeeHelp(), "it")
    assert spoken(harness) == ["es"]
    assert harness.rows(Player)[0].chosen_language is None


async def test_the_round_is_shown_again_in_the_groups_new_language(harness: GroupHarness) -> None:
    await harness.game(*TEN, sent=True)
    await harness.say("Bo", i.Choose("chosen_language", "nl", to_all=True), by="toast")
    assert [(envelope.notice.kind, envelope.language) for envelope in harness.envelopes()] == [("table", "nl")]


async def test_before_there_is_a_table_anybody_chooses(harness: GroupHarness) -> None:
    await harness.say("Cy", i.Choose("chosen_language", "nl", to_all=True), by="toast")
    await says(harness, "Ana", i.OpenLobby(), "it")
    assert spoken(harness) == ["nl"]


# What is typed


async def typed(harness: GroupHarness, name: str, text: str, language: str = "en", **more: Any) -> HandleResult:
    return await says(harness, name, i.TypedText(text), language, **more)


async def test_the_tables_language_settles_what_the_players_own_leaves_open(harness: GroupHarness) -> None:
    await harness.game(*["22222"] * 6)
    await typed(harness, "Ana", "once 6", "en")
    assert harness.notices("rejection")[-1].suggestion == "11x6"
    await harness.say("Bo", i.Choose("chosen_language", "es", to_all=True), by="toast")
    harness.mark_all_sent()
    await typed(harness, "Ana", "tres 6", "fr")
    assert standing(harness) == "3x6"


async def test_digits_run_together_are_read_by_the_number_of_dice(harness: GroupHarness) -> None:
    await harness.game(*TEN)
    await typed(harness, "Ana", "32")
    assert standing(harness) == "3x2", "there are ten dice"


async def test_digits_that_may_be_a_number_of_dice_are_asked_about(harness: GroupHarness) -> None:
    await harness.game(*["22222"] * 6, sent=True)
    await typed(harness, "Ana", "26")
    assert standing(harness) is None, "there are thirty dice"
    assert harness.notices("rejection")[-1].suggestion == "2x6"


@pytest.mark.parametrize(("rules", "played"), [(Rules.preset("box_2009"), None), (VISIBLE, "2x6")])
async def test_where_lost_dice_are_hidden_digits_tell_nothing_of_how_many_are_left(
    database: Database, rules: Rules, played: str | None
) -> None:
    harness = GroupHarness(database, rules=rules)
    await harness.game(*"222222")
    await typed(harness, "Ana", "26")
    assert standing(harness) == played, "six dice are left of thirty"


async def test_four_five_is_four_fives_wherever_that_is_a_bid(harness: GroupHarness) -> None:
    await harness.game(*TEN, calls="4x4")
    await typed(harness, "Bo", "4 5")
    assert standing(harness) == "4x5"


@pytest.mark.parametrize("text", ["4 5", "4/5", "4.5", "4, 5", "4-5"])
async def test_where_only_the_other_way_round_is_a_bid_it_is_asked_about(harness: GroupHarness, text: str) -> None:
    await harness.game(*TEN, calls="5x3", sent=True)
    await typed(harness, "Bo", text)
    assert standing(harness) == "5x3"
    refused = harness.notices("rejection")[-1]
    assert refused.suggestion == "5x4"
    assert toast_text(refused, catalogue("en")) == "That does not beat 5 × 3️⃣. Did you mean 5x4? Send: 5x4"


async def test_where_neither_way_is_a_bid_the_smallest_raise_is_named(harness: GroupHarness) -> None:
    await harness.game(*TEN, calls="5x6", sent=True)
    await typed(harness, "Bo", "4 5")
    refused = harness.notices("rejection")[-1]
    assert (refused.suggestion, refused.smallest) == (None, (6, 6))


async def test_out_of_turn_nothing_is_turned_round(harness: GroupHarness) -> None:
    await harness.game(*TEN, calls="5x3", sent=True)
    await typed(harness, "Ana", "4 5")
    assert harness.notices("rejection")[-1].suggestion is None


@pytest.mark.parametrize("text", ["four fives", "4 fives", "4x5", "4 of 5", "quattro di cinque"])
async def test_where_words_or_a_sign_tell_which_is_the_number_nothing_is_turned_round(
    harness: GroupHarness, text: str
) -> None:
    await harness.game(*TEN)
    await harness.call("5x3")
    harness.mark_all_sent()
    await typed(harness, "Bo", text)
    assert harness.notices("rejection")[-1].suggestion is None


async def test_before_the_game_any_word_is_a_lucky_word(harness: GroupHarness) -> None:
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", i.SealDice())
    for name, word in (("Ana", "five fours"), ("Bo", "liar")):
        await says(harness, name, i.TypedText(word, may_be_talk=True), "en", replied_to=MessageRef(77))
    assert [stir.what for stir in harness.table(1).stirs] == ["five fours", "liar"]


async def test_banter_is_still_not_answered(harness: GroupHarness) -> None:
    await harness.game(*TEN, sent=True)
    outcome = await says(harness, "Ana", i.TypedText("nice", may_be_talk=True), "en", replied_to=MessageRef(77))
    assert (outcome.toast, harness.envelopes()) == (None, [])
