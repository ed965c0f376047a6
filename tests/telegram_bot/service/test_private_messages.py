"""A player's newest private message stays true: what was bid or called, who is out, how the game ended."""

from __future__ import annotations

from telegram_bot.service import intents as i
from telegram_bot.service.notices import Envelope, SendMode
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import PrivateView
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.chat.render import message_html
from tests.telegram_bot.conftest import AUTO_CLOCK, GroupHarness

GROUP = -1001
ANA, BO, CY = 101, 102, 103


def private(harness: GroupHarness, chat: int) -> list[Envelope]:
    return [envelope for envelope in harness.envelopes() if envelope.chat == chat]


def words(envelope: Envelope, language: str = "en") -> str:
    return message_html(envelope.notice, catalogue(language)) or ""


async def test_the_bid_is_told_as_mine(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444")
    harness.mark_all_sent()
    await harness.call("3x4")
    (mine,) = private(harness, ANA)
    assert (mine.mode, mine.silent) == (SendMode.EDIT_EXISTING, True)
    assert "✅ You bid <b>3 × 4️⃣</b>. I will call you when it is your turn." in words(mine)
    assert "thinking" not in words(mine), "which would be wrong a bid later"
    (asked,) = private(harness, BO)
    assert "Your turn" in words(asked)


async def test_a_bid_that_the_bot_makes_for_somebody_is_not_called_theirs(database: Database) -> None:
    harness = GroupHarness(database, clock=AUTO_CLOCK)
    await harness.game("22222", "33333")
    harness.mark_all_sent()
    await harness.run_deadlines(60)
    mine = next(envelope for envelope in private(harness, ANA) if envelope.mode is SendMode.EDIT_EXISTING)
    assert "💤 I bid" in words(mine)
    harness.mark_all_sent()
    await harness.call("6x3")
    harness.mark_all_sent()
    await harness.run_deadlines(5)
    assert [envelope for envelope in private(harness, ANA) if envelope.mode is SendMode.EDIT_EXISTING] == [], (
        "whoever sleeps is not told again and again"
    )


async def test_the_callers_message_says_what_they_called(harness: GroupHarness) -> None:
    await harness.game("22222", "33333", "44444", calls="3x2")
    harness.mark_all_sent()
    await harness.call("dudo")
    first, new = private(harness, BO)
    assert "You said <b>dudo</b>." in words(first)
    assert "You had: 3️⃣ 3️⃣ 3️⃣ 3️⃣ 3️⃣" in words(new)
    assert "You had: [2️⃣] [2️⃣] [2️⃣] [2️⃣] [2️⃣] → <b>5</b>" in words(private(harness, ANA)[-1])


async def test_whoever_is_out_reads_their_place(harness: GroupHarness) -> None:
    await harness.game("22222", "3", "44444", calls="3x2")
    harness.mark_all_sent()
    await harness.call("dudo")
    out = private(harness, BO)[-1]
    assert out.notice.kind == "knocked_out"
    assert "☠️ You are out: place 3 of 3." in words(out)
    assert "You had: 3️⃣" in words(out)
    assert "🗣 <b>Dudo!</b> Bo doubts Ana's" in words(out)


async def test_who_sees_the_dice_on_tap_gets_no_message(harness: GroupHarness) -> None:
    await harness.game("22222", "3", "44444", calls="3x2")
    await harness.say("Bo", i.Choose("view", PrivateView.ALERT))
    harness.mark_all_sent()
    await harness.call("dudo")
    assert private(harness, BO) == []


async def test_a_game_that_is_closed_is_closed_in_every_private_chat(harness: GroupHarness) -> None:
    await harness.game("22222", "33333")
    harness.mark_all_sent()
    await harness.say("Bo", i.Stop(is_admin=True, confirmed=True))
    for chat in (ANA, BO):
        (told,) = private(harness, chat)
        assert (told.notice.kind, told.mode) == ("closed", SendMode.EDIT_EXISTING)
