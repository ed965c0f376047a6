"""Through the service: the language of each message, and the language in which typed words are read."""

from dataclasses import replace
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.intents import intents as i
from telegram_bot.notices.rendering import toast_text
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.queries import SeeHelp
from telegram_bot.service.handlers.settings import Choose, SeeSettings
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Player
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness, chosen

VISIBLE = Rules.preset("box_2009").with_options(lost_dice="visible")


TEN = ("22222", "33333")


def standing(harness: GroupHarness) -> str | None:
    game = harness.table().game
    return None if game is None or game.current_bid is None else str(game.current_bid)


async def says(
    harness: GroupHarness, name: str, request: i.AnyRequest, language: str | None, **more: Any
) -> HandleResult:
    """A person whose Telegram has this language sends a text."""
    intent = harness.intent(name, request, **more)
    return await harness.service.handle(replace(intent, who=replace(intent.who, language=language)))


def spoken(harness: GroupHarness) -> list[str | None]:
    return [envelope.language for envelope in harness.envelopes()]


# People


HEARD = {"it": "it", "it-IT": "it", "fr-CA": "fr", "es-419": "es", "nl-BE": "nl", "en-GB": "en"}


async def test_a_person_hears_what_their_telegram_speaks_or_else_the_houses_language(harness: GroupHarness) -> None:
    harness.service.config = replace(harness.service.config, language="fr", languages=("en", "it", "fr", "es", "nl"))
    for telegram in (*HEARD, "ru", None, "", "x" * 99):
        harness.mark_all_sent()
        await says(harness, "Ana", SeeHelp(), telegram, where=None)
        assert spoken(harness) == [HEARD.get(telegram or "", "fr")], telegram


async def test_a_language_that_was_chosen_stays_whatever_telegram_speaks(harness: GroupHarness) -> None:
    await harness.game(*TEN, sent=True)
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None)
    for choice, language in (("nl", "nl"), (None, "it")):
        harness.mark_all_sent()
        outcome = await says(harness, "Ana", Choose("chosen_language", choice), "it", where=None, by="toast")
        assert chosen(outcome.toast) == ("chosen_language", language)
        assert outcome.language == language, "and the answer is in it already"
        assert {(each.notice.kind, each.language) for each in harness.envelopes()} == {("hand", language)}
        harness.mark_all_sent()
        await says(harness, "Ana", SeeSettings(), "it", where=None)
        (settings,) = harness.notices("settings")
        assert (settings.speaks, settings.chosen, spoken(harness)) == (language, choice is not None, [language])


async def test_a_new_language_of_ones_telegram_is_that_of_ones_board_as_well(harness: GroupHarness) -> None:
    await harness.game(*TEN, sent=True)
    await harness.say("Ana", StartPrivateChat(greeted=False), where=None)
    harness.mark_all_sent()
    for telegram, language in (("it", "it"), ("it", None), ("en", "en")):
        await says(harness, "Ana", SeeHelp(), telegram, where=None)
        boards = [each.language for each in harness.envelopes() if each.notice.kind == "hand"]
        assert boards == ([] if language is None else [language])
        harness.mark_all_sent()


async def test_a_group_hears_the_language_of_who_opened_its_table(harness: GroupHarness) -> None:
    await says(harness, "Ana", OpenLobby(), "it")
    assert spoken(harness) == ["it"]
    harness.mark_all_sent()
    await says(harness, "Bo", Join(), "nl")
    assert spoken(harness) == ["it"], "whoever joins"


async def test_a_group_can_choose_its_language_and_keeps_it(harness: GroupHarness) -> None:
    await harness.say("Cy", Choose("chosen_language", "nl", to_all=True), by="toast")
    await says(harness, "Ana", OpenLobby(), "it")
    assert spoken(harness)[-1] == "nl", "before there is a table anyone chooses"
    await says(harness, "Bo", Join(), "it")
    for kind, language in (("lobby", "es"), ("table", "fr")):
        harness.mark_all_sent()
        choice = Choose("chosen_language", language, to_all=True)
        outcome = await says(harness, "Ana", choice, "it", by="toast")
        assert chosen(outcome.toast) == ("chosen_language", language)
        assert outcome.language == "it", "the answer is Ana's own"
        assert [(each.notice.kind, each.language) for each in harness.envelopes()] == [(kind, language)]
        harness.mark_all_sent()
        await says(harness, "Ana", SeeHelp(), "it")
        assert spoken(harness) == [language]
        await says(harness, "Ana", Start(), "it", table=1)
    assert {player.chosen_language for player in harness.rows(Player)} == {None}


async def typed(harness: GroupHarness, name: str, text: str, language: str = "en", **more: Any) -> HandleResult:
    return await says(harness, name, i.TypedText(text), language, **more)


async def test_the_tables_language_settles_what_the_players_own_leaves_open(harness: GroupHarness) -> None:
    await harness.game(*["22222"] * 6)
    await typed(harness, "Ana", "once 6", "en")
    assert harness.notices("rejection")[-1].suggestion == "11x6"
    await harness.say("Bo", Choose("chosen_language", "es", to_all=True), by="toast")
    harness.mark_all_sent()
    await typed(harness, "Ana", "tres 6", "fr")
    assert standing(harness) == "3x6"


@pytest.mark.parametrize(
    ("rules", "dice", "text", "played"),
    [
        (VISIBLE, "22222", "26", None),
        (VISIBLE, "22222", "32", "3x2"),
        (VISIBLE, "2", "26", "2x6"),
        (Rules.preset("box_2009"), "2", "26", None),
    ],
    ids=["there are thirty dice", "there are not that many", "six dice are left", "how many are left is hidden"],
)
async def test_digits_run_together_are_read_by_the_number_of_dice_that_all_know(
    database: Database, rules: Rules, dice: str, text: str, played: str | None
) -> None:
    harness = GroupHarness(database, rules=rules)
    await harness.game(*[dice] * 6)
    await typed(harness, "Ana", text)
    assert standing(harness) == played
    suggested = [notice.suggestion for notice in harness.notices("rejection")]
    assert suggested == ["2x6"] * (played is None)


async def test_four_five_is_turned_round_only_where_that_alone_would_be_a_bid(harness: GroupHarness) -> None:
    await harness.game(*TEN, calls="5x3")
    for text in ("4 5", "4/5", "4.5", "4, 5", "4-5"):
        harness.mark_all_sent()
        await typed(harness, "Bo", text)
        refused = harness.notices("rejection")[-1]
        assert refused.suggestion == "5x4", text
        assert toast_text(refused, catalogue("en")) == "That doesn't beat 5 × 3️⃣. Did you mean 5x4? Send: 5x4"
    said_exactly = [("Bo", text) for text in ("four fives", "4 fives", "4x5", "4 of 5", "quattro di cinque")]
    for name, text in (("Ana", "4 5"), *said_exactly):
        harness.mark_all_sent()
        await typed(harness, name, text)
        assert harness.notices("rejection")[-1].suggestion is None, text
    assert standing(harness) == "5x3"
    await harness.call("5x6")
    harness.mark_all_sent()
    await typed(harness, "Ana", "4 5")
    refused = harness.notices("rejection")[-1]
    assert (refused.suggestion, refused.smallest) == (None, (6, 6)), "neither way is a bid"
    await harness.set_dice(*TEN)
    await harness.call("4x4")
    await typed(harness, "Bo", "4 5")
    assert standing(harness) == "4x5"
