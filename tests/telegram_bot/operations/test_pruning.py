"""Old rows are deleted, a few at a time; young, open or played ones stay."""

from typing import Any

import pytest
from sqlalchemy import event

from telegram_bot.intents import intents as i
from telegram_bot.operations import pruning
from telegram_bot.operations.pruning import DAY_SECONDS, KEPT_SECONDS, Pruning
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.lobby_requests import ChangeOption, OpenLobby, RequestNextGame, Start
from telegram_bot.service.handlers.queries import SeeHelp
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.storage import models
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness


@pytest.fixture(autouse=True)
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pruning, "BATCH", 3)
    monkeypatch.setattr(pruning, "TABLES_AT_ONCE", 2)
    monkeypatch.setattr(pruning, "BREATH_SECONDS", 0)


async def prune(harness: GroupHarness, *, days: int = 0) -> None:
    await Pruning(harness.database, lambda: harness.now, keep_games_days=days).run()


async def stopped_games(harness: GroupHarness, how_many: int) -> None:
    for number in range(1, how_many + 1):
        await harness.lobby("Ana", "Bo")
        await harness.tap("Ana", Start(), table=number)
        await harness.tap("Ana", Stop(confirmed=True), table=number)


async def test_causes_and_notices_go_after_a_week_however_many_there_are(harness: GroupHarness) -> None:
    with harness.database.transaction() as session:
        for number in range(10):
            old = harness.now - KEPT_SECONDS - 1
            session.add(models.InboxEntry(source="x", cause=f"old {number}", received_at=old, done_at=old))
            session.add(models.OutboxEntry(lane=models.LaneName("x", 1), status="sent", created_at=old, done_at=old))
        session.add(models.InboxEntry(source="x", cause="open", received_at=old))
        session.add(models.InboxEntry(source="x", cause="set aside late", received_at=old, done_at=harness.now))
        session.add(models.OutboxEntry(lane=models.LaneName("x", 1), created_at=old))
        session.flush()
        for number in range(4):
            session.add(
                models.InboxEntry(source="x", cause=f"new {number}", received_at=harness.now, done_at=harness.now)
            )
        session.add(models.Rate(key="old", arrival=old))
        session.add(models.Rate(key="new", arrival=harness.now))
    await prune(harness)
    kept = {"open", "set aside late", *(f"new {number}" for number in range(4))}
    assert {row.cause for row in harness.rows(models.InboxEntry)} == kept
    assert [row.status for row in harness.rows(models.OutboxEntry)] == ["pending"]
    assert [row.key for row in harness.rows(models.Rate)] == ["new"]
    assert harness.rows(models.LinkCode) == []


@pytest.mark.parametrize("days", [0, 30])
async def test_games_are_kept_as_long_as_the_house_says(harness: GroupHarness, days: int) -> None:
    await stopped_games(harness, 5)
    harness.now += 31 * DAY_SECONDS
    await harness.lobby("Ana", "Bo")
    harness.mark_all_sent()
    await prune(harness, days=days)
    kept = {6} if days else set(range(1, 7))
    assert {row.id for row in harness.rows(models.GameTable)} == kept
    assert {row.table_id for row in harness.rows(models.TableSeat)} == kept
    assert {row.table_id for row in harness.rows(models.GameAction)} == kept - {6}
    harness.now += days * DAY_SECONDS
    await prune(harness, days=days)
    assert 6 in {row.id for row in harness.rows(models.GameTable)}, "a table that is open is never old"


async def test_messages_that_nobody_will_edit_and_ends_of_rounds_go_before_their_games(harness: GroupHarness) -> None:
    await harness.game("2", "33", calls="1x5 dudo", sent=True)
    with harness.database.transaction() as session:
        session.add(models.SentMessage(table_id=1, slot="story", chat=-1001, message=1))
    await prune(harness)
    assert harness.rows(models.SentMessage)
    assert len(harness.rows(models.RoundEnd)) == 1
    harness.now += KEPT_SECONDS + 1
    await prune(harness)
    assert harness.rows(models.SentMessage) == []
    assert harness.rows(models.RoundEnd) == []
    assert len(harness.rows(models.GameTable)) == 1


@BOTH_DATABASES
async def test_a_table_is_deleted_with_the_ends_of_its_rounds(harness: GroupHarness) -> None:
    await harness.game("2", "33", calls="1x5 dudo", sent=True)
    harness.now += 2 * DAY_SECONDS
    await prune(harness, days=1)
    assert harness.rows(models.GameTable) == []
    assert harness.rows(models.RoundEnd) == []


async def seen_long_ago(harness: GroupHarness, days: float = 91) -> None:
    harness.now += days * DAY_SECONDS
    await Pruning(harness.database, lambda: harness.now, config=harness.service.config).run()


async def test_what_strangers_made_and_nobody_uses_goes(harness: GroupHarness) -> None:
    """A person adds the bot to group after group, opens lobbies, asks for help, and never plays."""
    await harness.lobby("Ana", "Bo")
    await harness.tap("Ana", Start())
    for number in range(2, 9):
        harness.group = i.Place("telegram", -number, 0, f"Group {number}")
        arrived = i.BotMembershipChanged(present=True, ephemeral_allowed=False, arrived=True)
        await harness.say("Cy", arrived, by="nothing")
        await harness.say("Cy", SeeHelp())
        await harness.say("Cy", OpenLobby())
        await harness.say("Cy", Leave())
    await harness.tap("Ana", Stop(confirmed=True), table=1, where=i.Place("telegram", -1001))
    await seen_long_ago(harness, 89)
    assert (len(harness.rows(models.Chat)), len(harness.rows(models.GameTable))) == (8, 8)
    await seen_long_ago(harness, 2)
    assert [chat.address for chat in harness.rows(models.Chat)] == [-1001]
    assert [row.id for row in harness.rows(models.GameTable)] == [1], "which was played"
    assert {player.name for player in harness.rows(models.Player)} >= {"Ana", "Bo"}


CHOSEN: dict[str, i.AnyRequest] = {
    "language": Choose("chosen_language", "it", to_all=True),
    "dice": Choose("dice_style", models.DiceStyle.WORDS, to_all=True),
    "rules": ChangeOption("rulebook", "azteca"),
    "clock": ChangeOption("clock", "300"),
    "next game": RequestNextGame(),
    "an open lobby": OpenLobby(),
}


async def test_what_somebody_chose_in_a_group_stays(harness: GroupHarness) -> None:
    for number, (choice, request) in enumerate(CHOSEN.items(), start=1):
        harness.group = i.Place("telegram", -number, 0, choice)
        if choice in ("rules", "clock"):
            await harness.lobby("Ana")
        await harness.say("Ana", request)
        if choice in ("rules", "clock"):
            await harness.say("Ana", Leave())
    await seen_long_ago(harness)
    assert [chat.title for chat in harness.rows(models.Chat)] == list(CHOSEN)


async def test_so_does_a_person_who_chose_something_or_comes_again(harness: GroupHarness) -> None:
    await harness.say("Ana", Choose("view", models.PrivateView.ALERT))
    await harness.say("Eve", Choose("chosen_language", "it"))
    await harness.say("Dee", Choose("dice_style", models.DiceStyle.WORDS))
    for name in ("Bo", "Cy", "Fay", "Gus"):
        await harness.say(name, SeeHelp())
    harness.now += 60 * DAY_SECONDS
    await harness.say("Fay", SeeHelp())
    await seen_long_ago(harness, 60)
    assert sorted(player.name for player in harness.rows(models.Player)) == ["Ana", "Dee", "Eve", "Fay", "Gus"], (
        "the newest keeps the number from new use"
    )
    assert len(harness.rows(models.Chat)) == 1


async def test_no_transaction_deletes_more_than_a_little(harness: GroupHarness) -> None:
    await stopped_games(harness, 4)
    harness.mark_all_sent()
    harness.now += 40 * DAY_SECONDS
    tables: list[set[Any]] = [set()]

    @event.listens_for(harness.database.engine, "before_cursor_execute")
    def on_statement(_c: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        if statement.startswith("DELETE FROM game_action"):
            tables[-1].add(str(parameters))

    @event.listens_for(harness.database.engine, "commit")
    def on_commit(_: Any) -> None:
        tables.append(set())

    await prune(harness, days=30)
    assert harness.rows(models.GameTable) == []
    assert max(map(len, tables)) == 1, "one game at a time"
