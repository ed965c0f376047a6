"""A person is deleted, so that no stored row names them; old rows are deleted; the games of others stay whole."""

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy import select as select_rows
from sqlmodel import SQLModel

from perudo_core import Rules
from perudo_core.fair_record import FairRecord
from perudo_core.stirs import SIGNS
from telegram_bot.errors import OperatorError
from telegram_bot.intents import intents as i
from telegram_bot.notices import Confirmation, ConfirmationNotice
from telegram_bot.operations import pruning
from telegram_bot.operations.forget import FORGOTTEN, PersonDeletion
from telegram_bot.operations.pruning import DAY_SECONDS, KEPT_SECONDS, Pruning
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.lobby_requests import (
    ChangeOption,
    Join,
    OpenLobby,
    PlayAgain,
    RequestNextGame,
    Start,
)
from telegram_bot.service.handlers.queries import SeeHelp
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.results.game_record import game_record
from telegram_bot.storage import models
from telegram_bot.storage.phone_models import Phone, TextSent, TextTally
from telegram_bot.tables.model import Status
from telegram_bot.tables.sealed_dice import dice_of, stirred
from tests.telegram_bot.conftest import BOTH_DATABASES, GroupHarness

WORD = "abracadabra"
UNMISTAKABLE = "Wilhelmina"


@pytest.fixture
def house(harness: GroupHarness, monkeypatch: pytest.MonkeyPatch) -> GroupHarness:
    """Bo has a name and an id that are easy to find in any stored text."""
    plain = harness.person

    def person(name: str) -> i.Person:
        if name in ("Bo", UNMISTAKABLE):
            return i.Person("telegram", 4_242_424_242, UNMISTAKABLE, "willa", "en")
        return plain(name)

    monkeypatch.setattr(harness, "person", person)
    return harness


async def forget(
    harness: GroupHarness, user: str = "@willa", *, dry_run: bool = False, leave: bool = False
) -> list[str]:
    """Forget Bo, or another user, as the command does."""
    return await PersonDeletion(harness.service).all_of(user, dry_run=dry_run, leave=leave)


def everything(harness: GroupHarness) -> str:
    with harness.database.engine.connect() as connection:
        return "\n".join(
            f"{table.name}: {json.dumps([tuple(row) for row in connection.execute(select_rows(table))], default=str)}"
            for table in SQLModel.metadata.sorted_tables
        )


def stir(harness: GroupHarness, what: str, by: str = "Bo") -> None:
    """Store a player's stir of sealed dice: a sign, or a word as of release 1.0."""
    player = harness.player(by)
    with harness.database.transaction() as session:
        row = session.get_one(models.GameTable, 1)
        stirred = {"player": player.id, "name": player.name, "what": what}
        row.state = row.state | {"sealed": True, "stirs": [*row.state["stirs"], stirred]}


async def finished(harness: GroupHarness, *, word: str = "") -> None:
    short = Rules(starting_dice=1, palifico=False)
    harness.service.config = replace(harness.service.config, rules=short)
    await harness.lobby("Ana", "Bo")
    if word:
        stir(harness, word)
    await harness.tap("Ana", Start())
    await harness.play_out(sent=True)
    harness.mark_all_sent()


def moves(harness: GroupHarness) -> list[models.GameAction]:
    return sorted(harness.rows(models.GameAction), key=lambda row: row.number)


def record_of(harness: GroupHarness, number: int) -> dict[str, Any]:
    with harness.database.transaction() as session:
        notice = game_record(harness.service.unit_of_work(session, "test"), harness.table(number))
    found: dict[str, Any] = json.loads(notice.document)
    return found


@BOTH_DATABASES
async def test_nothing_of_them_stays_anywhere(house: GroupHarness) -> None:
    await finished(house, word=WORD)
    with house.database.transaction() as session:
        bo = house.player("Bo")
        known: dict[str, Any] = {"region": "DE", "zone": "UTC", "gateway": "x", "created_at": 1, "heard_at": 1}
        phone = Phone(number="ciphertext", number_hash="hash", **known)
        session.add(phone)
        session.flush()
        session.get_one(models.Player, bo.id).phone = phone.id
        session.add(TextSent(gateway="x", message="1", phone_id=phone.id, kind="turn", at=1, segments=1, cost=1))
        for scope in ("phone", "code", "who@13"):
            session.add(TextTally(day="2026-01-01", scope=f"{scope}:{phone.id}", texts=1, cost=1))
        session.add(models.LinkCode(code="ABCDEF", player_id=bo.id, expires_at=1))
        session.add(models.Member(channel="telegram", address=-1001, player_id=bo.id))
        session.add(models.Rate(key="person:telegram:4242424242:words", arrival=1))
        assert session.get_one(models.SentMessage, (1, "hand:2")).chat == 4_242_424_242
        session.add(models.SentMessage(table_id=1, slot="x", chat=-1001, message=8, receiver=4_242_424_242))
        update = {"message": {"from": {"id": 4_242_424_242, "first_name": UNMISTAKABLE}, "text": "hi"}}
        facts = {"surname": UNMISTAKABLE}
        session.add(models.InboxEntry(source="telegram", cause="waits", payload=update, facts=facts, received_at=1))
        dead: dict[str, Any] = {"cause": "dead", "received_at": 1, "done_at": 2, "error": "KeyError"}
        session.add(models.InboxEntry(source="telegram", payload=update, **dead))
        text = {"phone": phone.id, "text": UNMISTAKABLE, "gateway": "x", "at": 1}
        session.add(models.InboxEntry(source="sms", cause="texted", payload=text, received_at=1))
        others = {"from": {"id": 14_242_424_242}, "message_id": 4_242_424_242, "x": phone.id}
        session.add(models.InboxEntry(source="telegram", cause="other", payload=others, received_at=1))
        session.add(models.Chat(channel="sms", address=-phone.id, title=UNMISTAKABLE))
    house.enqueue(ConfirmationNotice(done=Confirmation.JOINED, title=UNMISTAKABLE))
    await house.say("Bo", SeeHelp(), where=None)

    lines = await forget(house, "@WILLA", dry_run=True)
    assert lines[0] == f"{UNMISTAKABLE} @willa telegram:4242424242"
    assert lines[-1] == "Nothing was deleted: this was a dry run."
    listed = ["language", "game(s)", "notice(s)", "update(s)", "of", "telephone"]
    assert [line.split()[1] for line in lines[1:-1]] == listed
    assert UNMISTAKABLE in everything(house)

    await forget(house, "4242424242")
    left = everything(house).replace('\\"message_id\\": 4242424242', "").replace('"message_id": 4242424242', "")
    for trace in (UNMISTAKABLE, "willa", " 4242424242", ":4242424242", '"4242424242', WORD, "phone:1", "ciphertext"):
        assert trace not in left, trace
    assert [row.name for row in house.rows(models.Player)] == ["Ana"]
    assert house.rows(TextTally) == []
    kept = {row.cause: row.payload is not None for row in house.rows(models.InboxEntry) if not row.cause.isdecimal()}
    assert kept == {"waits": False, "dead": False, "texted": False, "other": True}
    assert house.unfinished() == ["other"]


async def test_the_others_game_stays_whole_with_somebody_in_their_place(house: GroupHarness) -> None:
    await finished(house)
    bo, last = house.player("Bo").id, house.rows(models.RoundEnd)[-1]
    score = {"kind": "evening", "achievements": [], "evening": [{"name": UNMISTAKABLE, "wins": 2}]}
    house.update_row(models.RoundEnd, (1, last.deal), parts=[score])
    house.update_row(models.GameTable, 1, started_parts=[score])
    before, actions = record_of(house, 1), [row.action for row in moves(house)]
    await forget(house, "telegram:4242424242")
    after = record_of(house, 1)
    assert json.dumps(after) == json.dumps(before).replace(UNMISTAKABLE, "Somebody")
    FairRecord.from_json(json.dumps(after)).verify()
    assert [row.action for row in moves(house)] == actions
    seats = house.table().seats
    seat = next(n for n, seat in enumerate(seats) if seat.name == "Somebody")
    assert {row.cause for row in moves(house) if row.action.get("seat") == seat} == {FORGOTTEN}
    assert FORGOTTEN not in {row.cause for row in moves(house) if row.action.get("seat") == 1 - seat}
    for end in house.rows(models.RoundEnd):
        for view in filter(None, (end.view, end.over)):
            assert sorted(seat["name"] for seat in view["seats"]) == ["Ana", "Somebody"]
            assert {seat["player"] for seat in view["seats"]} == {seat.player for seat in seats}
            assert bo not in {seat["player"] for seat in view["seats"]}
    assert UNMISTAKABLE not in everything(house)
    for user in ("4242424242", "@willa", "sms:7"):
        with pytest.raises(OperatorError, match=f"no one is known as {user}"):
            await forget(house, user)
    for user in ("Willa", "@", "12 34", "telegram:", "١٢"):
        with pytest.raises(OperatorError):
            await forget(house, user)
    await house.tap("Ana", PlayAgain(), table=1)
    assert [seat.name for seat in house.table(2).seats] == ["Ana"], "a new game does without them"
    await house.say("Bo", Join())
    assert [seat.name for seat in house.table(2).seats] == ["Ana", UNMISTAKABLE], "who comes back is someone new"


async def test_a_lucky_word_takes_the_proof_of_the_dice_with_it(house: GroupHarness) -> None:
    await finished(house, word=WORD)
    assert "secret" in json.dumps(record_of(house, 1))
    await forget(house)
    after = record_of(house, 1)
    assert "secret" not in json.dumps(after), "nothing is claimed that cannot be checked"
    assert house.table().secret is None


async def test_signs_stay_in_the_dice_without_a_name(house: GroupHarness) -> None:
    await house.lobby("Ana", "Bo")
    for name, sign in (("Bo", SIGNS[0]), ("Ana", SIGNS[1])):
        stir(house, sign, by=name)
    await house.tap("Ana", Start())
    await house.tap("Bo", Leave(confirmed=True))
    house.mark_all_sent()
    before = record_of(house, 1)
    await forget(house)
    after = record_of(house, 1)
    assert after["salt"] == before["salt"]
    assert FairRecord.from_json(json.dumps(after)).verify()
    assert [stir.name for stir in stirred(house.table())] == ["Somebody", "Ana"]
    assert UNMISTAKABLE not in everything(house)


async def test_a_game_goes_on_without_the_name_of_somebody_who_stirred_and_left(house: GroupHarness) -> None:
    """The dice of a running game depend on the word, so the bot keeps it, without a name, until the game is over."""
    await house.lobby("Ana", "Bo", "Cy")
    stir(house, WORD)
    await house.tap("Bo", Leave())
    await house.tap("Ana", Start())
    await house.set_dice("22222", "33333")
    await house.call("4x2")
    await house.call("dudo")
    (end,) = house.rows(models.RoundEnd)
    assert UNMISTAKABLE in json.dumps(end.before)
    before, dice = house.table(), dice_of(house.table())
    await forget(house)
    table = house.table()
    assert (table.status, table.game, dice_of(table)) == (Status.PLAYING, before.game, dice)
    assert [stir.name for stir in stirred(table)] == ["Somebody"]
    assert UNMISTAKABLE not in everything(house)


async def test_who_stirred_and_left_the_lobby_is_forgotten_there_too(house: GroupHarness) -> None:
    await house.lobby("Ana", "Bo", "Cy")
    stir(house, SIGNS[0])
    stir(house, WORD)
    await house.tap("Bo", Leave())
    await house.tap("Ana", Start())
    await house.tap("Ana", Stop(confirmed=True))
    house.mark_all_sent()
    await forget(house)
    assert house.table().secret is None, "without the word nothing can be verified"
    left = everything(house)
    assert UNMISTAKABLE not in left
    assert WORD not in left


async def test_who_sits_at_a_table_is_not_forgotten_unless_they_leave_it(house: GroupHarness) -> None:
    await house.lobby("Ana", "Bo", "Cy")
    with pytest.raises(OperatorError, match=r"they sit at a table \(Friends\): --leave takes them from it"):
        await forget(house)
    assert len(house.table().seats) == 3
    await forget(house, leave=True)
    assert [seat.name for seat in house.table().seats] == ["Ana", "Cy"], "they left by the one road"
    assert house.waiting_kinds()[-1][0] == "lobby", "and the table shows it"
    assert UNMISTAKABLE not in everything(house)


async def test_who_leaves_a_game_is_forgotten_when_it_is_over(house: GroupHarness) -> None:
    await house.lobby("Ana", "Bo", "Cy")
    stir(house, WORD)
    await house.tap("Ana", Start())
    with pytest.raises(OperatorError, match=r"1 game\(s\) that they left still run"):
        await forget(house, leave=True)
    assert not house.table().in_play(1)
    assert house.table().status is Status.PLAYING
    with pytest.raises(OperatorError, match="all the rest is still there"):
        await forget(house)
    assert UNMISTAKABLE in everything(house), "as it says"
    house.mark_all_sent()
    await house.tap("Ana", Stop(confirmed=True))
    house.mark_all_sent()
    await forget(house)
    left = everything(house)
    assert UNMISTAKABLE not in left
    assert WORD not in left


async def test_a_name_that_two_have_is_not_guessed(house: GroupHarness) -> None:
    await house.lobby("Ana", "Bo")
    with house.database.transaction() as session:
        session.add(models.Player(channel="telegram", address=5, name="Willa", username="Willa"))
    with pytest.raises(OperatorError, match="say which of telegram:4242424242, telegram:5"):
        await forget(house)


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
            times: dict[str, Any] = {"received_at": harness.now, "done_at": harness.now}
            session.add(models.InboxEntry(source="x", cause=f"new {number}", **times))
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
    await harness.start_game("Ana", "Bo")
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
