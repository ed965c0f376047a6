"""A person is deleted: no stored row names them, and the games of the others stay whole."""

import json
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select as select_rows
from sqlmodel import SQLModel

from perudo_core import Rules
from perudo_core.fair_record import FairRecord
from perudo_core.stirs import SIGNS
from telegram_bot.errors import OperatorError
from telegram_bot.intents import intents as i
from telegram_bot.notices import Confirmation, ConfirmationNotice
from telegram_bot.operations.forget import FORGOTTEN, PersonDeletion
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.lobby_requests import Join, PlayAgain, Start
from telegram_bot.service.handlers.queries import SeeHelp
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
        phone = Phone(
            number="ciphertext", number_hash="hash", region="DE", zone="UTC", gateway="x", created_at=1, heard_at=1
        )
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
        session.add(
            models.InboxEntry(
                source="telegram", cause="dead", payload=update, received_at=1, done_at=2, error="KeyError"
            )
        )
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
