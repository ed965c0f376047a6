"""Through the service: how dice are written, to a person and in a group."""

from __future__ import annotations

import pytest

from telegram_bot.service import intents as i
from telegram_bot.service.notices import Confirmation
from telegram_bot.storage.models import Chat, DiceStyle, Player
from telegram_bot.tables.events import RejectionReason
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html, toast_text
from tests.telegram_bot.conftest import GroupHarness, chosen, confirmation_of, rejection_of


def styles(harness: GroupHarness) -> list[tuple[str, DiceStyle]]:
    """What waits to be sent, with how its dice are written."""
    return [(envelope.notice.kind, envelope.dice_style) for envelope in harness.envelopes()]


def shown(harness: GroupHarness) -> list[str]:
    return [
        message_html(envelope.notice, catalogue(envelope.language, envelope.dice_style)) or ""
        for envelope in harness.envelopes()
    ]


async def test_a_player_sees_their_dice_again_in_the_style_they_chose(harness: GroupHarness) -> None:
    await harness.game("23456", "33333")
    harness.mark_all_sent()
    result = await harness.say("Ana", i.Choose("dice_style", DiceStyle.WORDS), where=None, by="toast")
    assert styles(harness) == [("hand", DiceStyle.WORDS)]
    assert "Your dice: <b>two, three, four, five, six</b>" in shown(harness)[0]
    assert chosen(result.toast) == ("dice_style", DiceStyle.WORDS)
    assert result.toast is not None
    told = toast_text(result.toast, catalogue(result.language, result.dice_style))
    assert told == "Bids look like this: 5 fours", "the answer shows it already"


@pytest.mark.parametrize(
    ("style", "bid"), [(DiceStyle.KEYCAPS, "2 × 4️⃣"), (DiceStyle.SIGNS, "2 × ⚃"), (DiceStyle.DIGITS, "2 × 4")]
)
async def test_a_group_sees_its_table_again_in_the_style_that_was_chosen(
    harness: GroupHarness, style: DiceStyle, bid: str
) -> None:
    await harness.game("22222", "33333", calls="2x4")
    harness.mark_all_sent()
    await harness.say("Bo", i.Choose("dice_style", style, to_all=True), by="toast")
    assert styles(harness) == [("table", style)]
    assert f"🔸 <b>{bid}</b> fours, says Ana" in shown(harness)[0]
    assert {player.dice_style for player in harness.rows(Player)} == {DiceStyle.KEYCAPS}, "private chats stay"


async def test_a_passer_by_does_not_change_the_dice_of_a_running_game(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    result = await harness.say("Cy", i.Choose("dice_style", DiceStyle.SIGNS, to_all=True), by="toast")
    assert rejection_of(result.toast) is RejectionReason.NOT_SEATED
    assert [chat.dice_style for chat in harness.rows(Chat)] == [DiceStyle.KEYCAPS]


async def test_a_bid_is_confirmed_with_the_sign_of_the_wild_ones(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", calls="1x2")
    result = await harness.tap("Bo", i.MakeBid(1, 1))
    assert confirmation_of(result.toast) is Confirmation.BID
    assert result.toast is not None
    assert toast_text(result.toast, catalogue("en")) == "You bid 1 × ⭐."


async def test_a_refused_bid_names_the_standing_one_with_that_sign_too(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", calls="1x2 1x1")
    result = await harness.tap("Ana", i.MakeBid(1, 1))
    assert result.toast is not None
    told = toast_text(result.toast, catalogue("en"))
    assert told == "That does not beat 1 × ⭐. The smallest raise is 3 × 2️⃣."


async def test_a_style_of_a_later_version_is_shown_as_usual(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.update_row(Player, 1, dice_style="holograms")
    harness.mark_all_sent()
    await harness.say("Ana", i.SeeDice())
    assert styles(harness) == [("hand", DiceStyle.KEYCAPS)]
