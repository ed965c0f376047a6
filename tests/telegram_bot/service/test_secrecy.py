"""No notice for anybody else contains a player's dice."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from perudo_core import PRESETS, Rules, legal_actions
from telegram_bot.service import intents as i
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import (
    Chat,
    OutboxEntry,
    Player,
)
from telegram_bot.tables.model import Status, Table
from tests.telegram_bot.conftest import AUTO_CLOCK, NAMES, GroupHarness

GROUP = -1001
ANA, BO, CY = 101, 102, 103


def dice_in(value: Any) -> list[tuple[int, ...]]:
    """Every list of dice in a stored notice, wherever it stands."""
    found: list[tuple[int, ...]] = []
    if isinstance(value, dict):
        for name, inner in value.items():
            if name == "dice" and isinstance(inner, list):
                found += [tuple(hand) for hand in inner] if inner and isinstance(inner[0], list) else [tuple(inner)]
            else:
                found += dice_in(inner)
    elif isinstance(value, list):
        for inner in value:
            found += dice_in(inner)
    return found


@pytest.mark.parametrize("preset", PRESETS)
async def test_no_notice_for_anybody_else_holds_a_players_dice(database: Database, preset: str) -> None:
    rules = Rules.preset(preset).with_options(calza=preset != "aces")
    harness = GroupHarness(database, rules=rules, clock=AUTO_CLOCK, seed=sum(map(ord, preset)))
    names = NAMES[:4]
    await harness.lobby(*names)
    await harness.tap("Ana", i.Start())
    rng = random.Random(5)
    reveals = 0
    for turn in range(60):
        table = harness.table()
        if table.status is not Status.PLAYING:
            break
        assert table.game is not None
        reveals += look(harness, table)
        harness.mark_all_sent()
        calls = list(legal_actions(table.game))
        call = rng.choice(calls) if rng.random() < 0.5 else calls[0]
        if hasattr(call, "face"):
            await harness.call(str(call))
        else:
            await harness.call(f"{call.seat}:{type(call).__name__.lower()}")
        if turn % 7 == 3:
            await harness.run_deadlines(30)
        if turn % 11 == 5:
            await harness.say(rng.choice(names), i.SeeStatus())
            await harness.say(rng.choice(names), i.SeeDice())
        if turn % 13 == 6:
            harness.update_row(Player, 2, direct="refused")
            harness.update_row(Chat, 1, ephemeral=turn % 2 == 0)
    assert reveals > 2
    harness.mark_all_sent()
    assert {row.notice is None for row in harness.rows(OutboxEntry)} == {True}, "what was told is not kept"


def look(harness: GroupHarness, table: Table) -> int:
    """Check everything that waits to be sent; returns the number of reveals."""
    assert table.game is not None
    reveals = 0
    for envelope in harness.envelopes():
        stored = envelope.notice.model_dump(mode="json")
        if table.status is Status.PLAYING:
            assert table.secret is not None
            assert table.secret not in json.dumps(stored), "all dice follow from it"
        match stored["kind"]:
            case "hand":
                assert (envelope.receiver or envelope.chat) == 101 + stored["view"]["seat"]
                previous = stored.pop("previous")
                own = stored["view"]["dice"]
                assert dice_in(stored) == [tuple(own)]
                assert previous is None or previous["round"] < table.game.round
            case "reveal" | "knocked_out":
                reveals += 1
                assert stored["view"]["round"] < table.game.round
            case _:
                assert dice_in(stored) == [], stored["kind"]
    return reveals


def test_the_search_for_dice_finds_them() -> None:
    assert dice_in({"view": {"dice": [1, 2], "table": {"seats": [{"dice": 5}, {"dice": [6]}]}}}) == [(1, 2), (6,)]
    assert dice_in([{"dice": [[1], [2, 3]]}]) == [(1,), (2, 3)]
