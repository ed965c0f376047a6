"""A player misses a turn: what it costs them, who plays, and what they and the group read, under each option."""

import pytest

from perudo_core import Bid, apply
from telegram_bot.notices.rendering import message_html
from telegram_bot.service.handlers.game_requests import ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import Join, StartPrivateChat
from telegram_bot.storage.database import Database
from telegram_bot.tables.model import OnTimeout, TurnClock
from telegram_bot.words.phrases import clock_line
from tests.telegram_bot.conftest import EN, GroupHarness, round_state

BO = 1

SAID = {
    OnTimeout.AUTO: ("1 minute, then I play for you", "You missed your turn, so I play for you."),
    OnTimeout.LOSE_DIE: (
        "1 minute, then you lose the round and I play on",
        "You missed your turn and lost a die. Now I play for you.",
    ),
    OnTimeout.DROP_OUT: (
        "1 minute, out after several missed turns",
        "You missed your turn, so I played it. Miss 2 more in a row and you're out.",
    ),
}
"""The lobby's words for a missed turn, and those that its player reads."""


def texts(harness: GroupHarness, *kinds: str, to: str = "Bo") -> list[str]:
    """The words that wait to be sent to a person in private, or to the group."""
    chat = harness.person(to).address if to else -1001
    found = [each.notice for each in harness.envelopes() if each.chat == chat and each.notice.kind in kinds]
    return [message_html(each, EN) or "" for each in found]


def dice(harness: GroupHarness) -> int:
    return harness.table().begun_game.dice_counts[BO]


async def bo_misses_a_turn(database: Database, on_timeout: OnTimeout) -> GroupHarness:
    harness = GroupHarness(database, clock=TurnClock(seconds=60, on_timeout=on_timeout))
    for name in ("Ana", "Bo", "Cy"):
        await harness.say(name, StartPrivateChat(), where=None)
    await harness.game("33456", "22344", "55566", calls="1x2", sent=True)
    await harness.run_deadlines(60)
    return harness


@pytest.mark.parametrize("on_timeout", OnTimeout)
async def test_each_sentence_about_a_missed_turn_is_right(database: Database, on_timeout: OnTimeout) -> None:
    harness = await bo_misses_a_turn(database, on_timeout)
    table, (option, missed) = harness.table(), SAID[on_timeout]
    assert option == clock_line(table.clock, EN)
    (told,) = texts(harness, "away")
    assert missed in told
    assert dice(harness) == (4 if "lost a die" in missed else 5)
    plays_on = "play for you" in missed
    assert table.seats[BO].away is plays_on
    assert ("I'm back" in told) is plays_on
    assert ("away, so I play" in "".join(texts(harness, "table", to=""))) is plays_on
    if on_timeout is not OnTimeout.LOSE_DIE:
        (hand,) = texts(harness, "hand")
        assert "I bid <b>1 × 3️⃣</b> for you" in hand


@pytest.mark.parametrize("on_timeout", [OnTimeout.AUTO, OnTimeout.LOSE_DIE])
async def test_who_is_away_loses_dice_by_the_bots_calls_alone_and_is_told_once_and_on_return(
    database: Database, on_timeout: OnTimeout
) -> None:
    harness = await bo_misses_a_turn(database, on_timeout)
    harness.mark_all_sent()
    told: list[str] = []
    for _ in range(3):
        await bo_opens_and_loses(harness)
        told += texts(harness, "away")
        harness.mark_all_sent()
    told_before = on_timeout is OnTimeout.LOSE_DIE
    assert len(told) == (not told_before)
    assert all("You're away and lost a die. I play on for you." in each for each in told)
    await harness.tap("Bo", ReturnToSeat())
    (back,) = texts(harness, "back")
    assert f"While you were away you lost {3 + told_before} dice; I played for you." in back


async def test_the_owner_of_a_seat_reads_on_return_what_it_lost_and_who_played(database: Database) -> None:
    harness = await bo_misses_a_turn(database, OnTimeout.AUTO)
    await harness.say("Dee", StartPrivateChat(), where=None)
    await harness.tap("Dee", Join(player=harness.table().seats[BO].player))
    await bo_opens_and_loses(harness)
    await harness.tap("Bo", ReturnToSeat())
    assert texts(harness, "back") == []
    await bo_opens_and_loses(harness)
    (back,) = texts(harness, "back")
    assert "While you were away you lost 2 dice; <b>Dee</b> played for you." in back


async def bo_opens_and_loses(harness: GroupHarness) -> None:
    """The bot has opened for Bo with the bid 1 x 2, and Cy doubts."""
    table, had = harness.table(), dice(harness)
    game = round_state(table.rules, ("33456", "3" * had, "55566"), opener=BO)
    harness.store(table.replace(game=apply(game, Bid(BO, 1, 2)).state))
    await harness.call("dudo")
    harness.show_dice()
    assert dice(harness) == had - 1
