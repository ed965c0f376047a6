"""How dice are shown to a person or a group: as a picture, or in one of the written styles."""

from dataclasses import replace

import pytest

from telegram_bot.intents.envelope import MessageRef
from telegram_bot.notices import Confirmation, SettingsNotice
from telegram_bot.notices.rendering import message_html, toast_text
from telegram_bot.service.handlers.game_requests import MakeBid
from telegram_bot.service.handlers.queries import SeeDice
from telegram_bot.service.handlers.settings import Choose, SeeSettings
from telegram_bot.storage.models import Chat, DiceStyle, Player
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import GroupHarness, chosen, confirmation_of


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
async def test_what_the_installation_does_not_draw_is_text_and_offered_to_nobody(
    harness: GroupHarness, hands: bool, reveals: bool
) -> None:
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
