"""No notice to another player contains a player's dice."""

import json
import random
from typing import Any

from perudo_core import Rules, legal_calls, observe
from telegram_bot.service.handlers.queries import SeeDice, SeeStatus
from telegram_bot.service.handlers.reroll import ShowDice
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import Chat, OutboxEntry, Player, RoundEnd
from telegram_bot.tables.model import Status, Table
from tests.telegram_bot.conftest import AUTO_CLOCK, NAMES, GroupHarness


def dice_in(value: Any) -> list[tuple[int, ...]]:
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


async def test_no_notice_for_anybody_else_holds_a_players_dice(database: Database) -> None:
    rules = Rules.preset("box_2009").with_options(calza=True, reroll_after_bid=True)
    harness = GroupHarness(database, rules=rules, clock=AUTO_CLOCK)
    names = NAMES[:4]
    await harness.start_game(*names)
    rng = random.Random(5)
    reveals = shown = 0
    for turn in range(60):
        table = harness.table()
        if table.status is not Status.PLAYING:
            break
        reveals += look(harness, table)
        shown += len(table.begun_game.shown)
        harness.mark_all_sent()
        calls = list(legal_calls(table.begun_game))
        call = rng.choice(calls) if rng.random() < 0.5 else calls[0]
        if hasattr(call, "face"):
            await harness.call(str(call))
            if turn % 3:
                await harness.tap(names[call.seat], ShowDice())
        else:
            await harness.call(f"{call.seat}:{type(call).__name__.lower()}")
        if turn % 7 == 3:
            await harness.run_deadlines(30)
        if turn % 11 == 5:
            await harness.say(rng.choice(names), SeeStatus())
            await harness.say(rng.choice(names), SeeDice())
        if turn % 13 == 6:
            harness.update_row(Player, 2, direct="refused")
            harness.update_row(Chat, 1, ephemeral=turn % 2 == 0)
    assert min(reveals, shown) > 2
    harness.mark_all_sent()
    assert {row.notice is None for row in harness.rows(OutboxEntry)} == {True}, "what was told is not kept"


def look(harness: GroupHarness, table: Table) -> int:
    reveals, open_dice = 0, {seat: dice for seat, dice in enumerate(observe(table.begun_game, None).open_dice) if dice}
    for end in harness.rows(RoundEnd):
        written = json.dumps([end.view, end.before, end.over, end.parts])
        assert table.status is not Status.PLAYING or table.secret is None or table.secret not in written
        assert end.before is None or end.seen_at is None, "boards with the call are no longer shown"
        assert end.before is None or dice_in(end.view), "the table before holds only dice that are shown in a moment"
        assert end.view["round"] < table.begun_game.round or table.status is not Status.PLAYING
    for envelope in harness.envelopes():
        stored = envelope.notice.model_dump(mode="json")
        if table.status is Status.PLAYING:
            assert table.secret is not None
            assert table.secret not in json.dumps(stored), "all dice follow from it"
        view = stored.get("view") or {}
        seen = view.get("table", view) if isinstance(view, dict) else {}
        if isinstance(seen, dict) and seen.get("round") == table.begun_game.round and table.status is Status.PLAYING:
            told = {each["seat"]: tuple(each["faces"]) for each in seen.get("shown", ())}
            assert told.items() <= open_dice.items(), "of the others only what they have shown"
        match stored["kind"]:
            case "hand" | "reminder" if stored["view"] is not None:
                assert (envelope.receiver or envelope.chat) == 101 + stored["view"]["seat"]
                previous = stored.pop("previous", None)
                own = stored["view"]["dice"]
                assert dice_in(stored) == [tuple(own)]
                assert previous is None or previous["round"] < table.begun_game.round
            case "reveal":
                reveals += 1
                assert stored["view"]["round"] < table.begun_game.round
            case _:
                assert dice_in(stored) == [], stored["kind"]
    return reveals
