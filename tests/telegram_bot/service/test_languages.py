"""How each person and group reads: in which language, and dice as a picture or in which written style."""

from dataclasses import replace
from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import Confirmation, SettingsNotice
from telegram_bot.notices.rendering import message_html, toast_text
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.lobby_requests import Join, OpenLobby, Start, StartPrivateChat
from telegram_bot.service.handlers.queries import SeeDice, SeeHelp
from telegram_bot.service.handlers.settings import Choose, SeeSettings
from telegram_bot.service.service import HandleResult
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, DiceStyle, Player
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness, chosen, confirmation_of

VISIBLE = Rules.preset("box_2009").with_options(lost_dice="visible")


TEN = ("22222", "33333")


def standing(harness: GroupHarness) -> str | None:
    game = harness.table().game
    return None if game is None or game.current_bid is None else str(game.current_bid)


async def says(
    harness: GroupHarness, name: str, request: i.AnyRequest, language: str | None, **more: Any
) -> HandleResult:
    intent = harness.intent(name, request, **more)
    return await harness.service.handle(replace(intent, who=replace(intent.who, language=language)))


def spoken(harness: GroupHarness) -> list[str | None]:
    return [envelope.language for envelope in harness.envelopes()]


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
    harness.mark_all_sent()
    for telegram, boards in (("it", []), ("en", ["en"])):
        await says(harness, "Ana", SeeHelp(), telegram, where=None)
        told = [each.language for each in harness.envelopes() if each.notice.kind == "hand"]
        assert told == boards, "a new language of one's Telegram is that of one's board as well"
        harness.mark_all_sent()


async def test_a_group_hears_the_language_of_who_opened_its_table_or_chooses_one(harness: GroupHarness) -> None:
    await says(harness, "Ana", OpenLobby(), "it")
    await says(harness, "Bo", Join(), "nl")
    assert spoken(harness) == ["it"], "whoever joins"
    harness.group = i.Place("telegram", -1002, 0, "Others")
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
        await says(harness, "Ana", Start(), "it", table=2)
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


def styles(harness: GroupHarness) -> list[tuple[str, DiceStyle]]:
    return [(envelope.notice.kind, envelope.dice_style) for envelope in harness.envelopes()]


def shown(harness: GroupHarness) -> list[str]:
    return [
        message_html(envelope.notice, catalogue(envelope.language, envelope.dice_style)) or ""
        for envelope in harness.envelopes()
    ]


async def test_a_player_sees_their_dice_again_in_the_style_or_as_the_picture_they_chose(harness: GroupHarness) -> None:
    await harness.game("23456", "33333", sent=True)
    result = await harness.say("Ana", Choose("dice_style", DiceStyle.WORDS), where=None, by="toast")
    assert styles(harness) == [("hand", DiceStyle.WORDS)]
    assert "Your dice: <b>two, three, four, five, six</b>" in shown(harness)[0]
    assert chosen(result.toast) == ("dice_style", DiceStyle.WORDS)
    assert result.toast is not None
    told = toast_text(result.toast, catalogue(result.language, result.dice_style))
    assert told == "Bids look like this: 5 fours", "the answer shows it already"
    for pictured in (False, True):
        harness.mark_all_sent()
        result = await harness.say("Ana", Choose("pictures", pictured), where=None, by="toast")
        assert chosen(result.toast) == ("pictures", pictured)
        assert pictures(harness) == [("hand", pictured)]
    assert [chat.pictures for chat in harness.rows(Chat)] == [None], "the group chooses for itself"


async def test_a_group_sees_its_table_again_in_the_style_that_was_chosen(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", calls="2x4")
    bids = {DiceStyle.SIGNS: "2 × ⚃", DiceStyle.DIGITS: "2 × 4", DiceStyle.KEYCAPS: "2 × 4️⃣"}
    for style, bid in bids.items():
        harness.mark_all_sent()
        await harness.say("Bo", Choose("dice_style", style, to_all=True), by="toast")
        assert styles(harness) == [("table", style)]
        assert f"🔸 Ana: <b>{bid}</b>\n" in shown(harness)[0]
    assert {player.dice_style for player in harness.rows(Player)} == {DiceStyle.KEYCAPS}, "private chats stay"
    result = await harness.tap("Bo", MakeBid(1, 1))
    assert confirmation_of(result.toast) is Confirmation.BID
    assert result.toast is not None
    assert toast_text(result.toast, catalogue("en")) == "You bid 1 × ⭐.", "with the sign of the wild ones"


async def test_a_setting_that_is_chosen_again_is_no_edit_that_the_messenger_refuses(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", sent=True)
    for chosen_times, edits in ((1, ["settings", "table"]), (2, [])):
        await harness.tap("Ana", Choose("dice_style", DiceStyle.SIGNS, to_all=True), tapped=MessageRef(7))
        assert sorted(envelope.notice.kind for envelope in harness.envelopes()) == edits, chosen_times
        harness.mark_all_sent()
    for chosen_times, edits in ((1, ["hand", "settings"]), (2, [])):
        await harness.tap("Ana", Choose("dice_style", DiceStyle.DIGITS), where=None, tapped=MessageRef(8))
        assert sorted(envelope.notice.kind for envelope in harness.envelopes()) == edits, chosen_times
        harness.mark_all_sent()
    for language, edits in (("it", ["hand", "settings"]), ("it", []), ("en", ["hand", "settings"])):
        await harness.tap("Ana", Choose("chosen_language", language), where=None, tapped=MessageRef(8))
        assert sorted(envelope.notice.kind for envelope in harness.envelopes()) == edits, language
        harness.mark_all_sent()


async def test_a_style_of_a_later_version_is_shown_as_usual(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.update_row(Player, 1, dice_style="holograms")
    harness.mark_all_sent()
    await harness.say("Ana", SeeDice())
    assert styles(harness) == [("hand", DiceStyle.KEYCAPS)]


def pictures(harness: GroupHarness) -> list[tuple[str, bool]]:
    return [(envelope.notice.kind, envelope.pictures) for envelope in harness.envelopes()]


async def reveal(harness: GroupHarness) -> dict[str, bool]:
    """End a round; return whether the messages in the group and in private may be pictures."""
    await harness.call("2x4")
    harness.mark_all_sent()
    await harness.call("dudo")
    in_group = [notice.kind for notice in harness.notices("reveal") if notice.seat is None]
    assert in_group == ["reveal"]
    shown = [(kind, pictured) for kind, pictured in pictures(harness) if kind == "reveal"]
    return dict(pictures(harness)) | {"reveal": shown[0][1], "private reveal": shown[1][1]}


async def test_a_group_that_chooses_text_in_place_of_pictures_chooses_for_itself(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    assert {pictured for kind, pictured in pictures(harness) if kind == "hand"} == {True}
    assert await reveal(harness) == {"reveal": True, "table": True, "hand": True, "private reveal": False}
    await harness.set_dice("22222", "33333")
    result = await harness.say("Bo", Choose("pictures", False, to_all=True), by="toast")
    assert chosen(result.toast) == ("pictures", False)
    assert await reveal(harness) == {"reveal": False, "table": False, "hand": True, "private reveal": False}
    assert {player.pictures for player in harness.rows(Player)} == {None}


async def test_dice_written_for_a_screen_reader_come_as_pictures_only_if_wanted(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    await harness.say("Bo", Choose("pictures", True), where=None, by="toast")
    for style in DiceStyle:
        for person in ("Ana", "Bo"):
            await harness.say(person, Choose("dice_style", style), where=None, by="toast")
        harness.mark_all_sent()
        for person in ("Ana", "Bo"):
            await harness.say(person, SeeDice(), where=None)
        read_aloud = style in (DiceStyle.WORDS, DiceStyle.DIGITS)
        assert pictures(harness) == [("hand", not read_aloud), ("hand", True)], style


@pytest.mark.parametrize(("hands", "reveals"), [(True, False), (False, True), (False, False)])
async def test_what_is_not_drawn_here_is_text_not_offered(harness: GroupHarness, hands: bool, reveals: bool) -> None:
    harness.service.config = replace(harness.service.config, hand_pictures=hands, reveal_pictures=reveals)
    await harness.game("22222", "33333")
    await harness.say("Ana", Choose("pictures", True), where=None, by="toast")
    expected = {"reveal": reveals, "table": reveals, "hand": hands, "private reveal": False}
    assert await reveal(harness) == expected
    harness.mark_all_sent()
    await harness.say("Ana", SeeSettings(), where=None)
    await harness.say("Ana", SeeSettings())
    offered = [notice.pictures for notice in harness.notices("settings") if isinstance(notice, SettingsNotice)]
    assert offered == [hands or None, reveals or None]
