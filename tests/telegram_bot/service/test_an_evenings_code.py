"""The games of an evening: one code reaches all its tables, and each person who asks for another game is counted."""

import json
from collections.abc import Sequence
from itertools import permutations

import pytest

from perudo_core import Rules
from telegram_bot.intents import intents as i
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.repositories.repositories import REMATCH_SECONDS
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.lobby_requests import Join, Kick, OpenLobby, PlayAgain, Start, StartPrivateChat
from telegram_bot.service.handlers.phone_requests import ChooseTable
from telegram_bot.service.handlers.queries import SeeStatus
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import Status, Table
from test_support.web_world import WebWorld, a_room, keys_of
from tests.telegram_bot.conftest import GroupHarness, rejection_of

BO, CY = 502, 503


@pytest.fixture
def harness(database: Database) -> GroupHarness:
    """One die each: the games are short."""
    return GroupHarness(database, rules=Rules(starting_dice=1, palifico=False))


async def a_rematch(harness: GroupHarness) -> str:
    """Ana and Bo play and open the next table; returns the code that they saw first."""
    await harness.lobby("Ana", "Bo")
    code: str = harness.notices("lobby")[-1].view.code
    await harness.tap("Ana", Start())
    await harness.play_out()
    harness.pass_time(60)
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    return code


async def test_a_text_or_a_link_with_the_evenings_code_takes_a_seat_in_the_next_lobby(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    assert harness.notices("lobby")[-1].view.code == code
    await harness.text("Cy", Join(code=code))
    await harness.say("Dee", StartPrivateChat(code=code), where=None)
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo", "Cy", "Dee"]
    assert harness.table(1).status is Status.FINISHED
    await harness.tap("Ana", Stop(confirmed=True), table=2)
    await harness.say("Bo", OpenLobby())
    assert harness.notices("lobby")[-1].view.code == code, "by command as well"
    await harness.text("Cy", Join(code=code))
    assert [seat.name for seat in harness.table(3).seats] == ["Bo", "Cy"]
    await harness.tap("Bo", Stop(confirmed=True), table=3)
    harness.pass_time(REMATCH_SECONDS + 1)
    harness.mark_all_sent()
    await harness.say("Ana", OpenLobby())
    assert harness.notices("lobby")[-1].view.code != code, "the next evening has a code of its own"
    refused = await harness.text("Cy", Join(code=code), answered_by="toast")
    assert rejection_of(refused.toast) is RejectionReason.GAME_OVER
    assert [seat.name for seat in harness.table(4).seats] == ["Ana"]


async def test_each_game_of_an_evening_keeps_its_own_name_in_its_record_and_its_file(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    await harness.tap("Ana", Start(), table=2)
    await harness.play_out(2)
    tables = [harness.table(number) for number in (1, 2)]
    with harness.database.transaction() as session:
        uow = UnitOfWork(session, harness.now, harness.service.config, harness.service.rng, "test")
        records = [game_record(uow, table) for table in tables]
    names = [json.loads(record.document)["table"] for record in records]
    assert names[0] == code != names[1]
    assert [record.name for record in records] == [f"perudo-{name}.json" for name in names]


async def test_a_kick_ends_the_evenings_code_because_the_kicked_player_knows_it(harness: GroupHarness) -> None:
    await harness.say("Ana", OpenLobby())
    code = harness.table().code
    await harness.text("Cy", Join(code=code))
    await harness.say("Bo", Join())
    await harness.tap("Ana", Kick(harness.table().seats[1].player))
    await harness.tap("Ana", Start())
    await harness.play_out()
    harness.mark_all_sent()
    await harness.tap("Ana", PlayAgain())
    assert harness.notices("lobby")[-1].view.code != code
    await harness.text("Cy", Join(code=code))
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo"]


async def test_a_player_of_two_tables_chooses_one_by_the_code_that_they_see(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    await harness.text("Cy", Join(code=code))
    await harness.say("Dee", OpenLobby(), where=i.Place("telegram", -1002, 0, "Others"))
    assert harness.table(3).code != code
    await harness.text("Cy", Join(code=harness.table(3).code))
    harness.mark_all_sent()
    await harness.text("Cy", SeeStatus())
    (asked,) = harness.notices("which_table")
    assert [choice.code for choice in asked.choices] == [code, harness.table(3).code]
    await harness.text("Cy", ChooseTable(code))
    assert next(each.title for each in harness.notices("confirmation")) == "Friends"


async def test_the_table_whose_code_the_evening_has_is_kept_as_long_as_people_need_it(harness: GroupHarness) -> None:
    code = await a_rematch(harness)
    pruning = Pruning(harness.database, lambda: harness.now, keep_games_days=30)
    harness.pass_time(31 * DAY_SECONDS)
    await pruning.run()
    await harness.text("Cy", Join(code=code))
    assert [seat.name for seat in harness.table(2).seats] == ["Ana", "Bo", "Cy"]
    await harness.tap("Ana", Stop(confirmed=True), table=2)
    harness.pass_time(31 * DAY_SECONDS)
    await pruning.run()
    await pruning.run()
    assert harness.rows(GameTable) == []


PEOPLE = ("Ana", "Bo", "Cy", "Dee")
"""The host, two players of whom the second one left the game, and a friend who came late and watched."""
FIRST_TWO = {order[:2]: pytest.param(order, id="-".join(order)) for order in permutations(PEOPLE)}
ORDERS = list(FIRST_TWO.values())
"""Each two are first in each order: one half of these are asked on pages, the other half elsewhere."""


def all_want_another(table: Table) -> bool:
    players = {seat.name: seat.player for seat in table.seats}
    return (table.status, set(players), table.host, set(table.ready)) == (
        Status.LOBBY,
        set(PEOPLE),
        players["Ana"],
        set(players.values()),
    )


@pytest.mark.parametrize("order", ORDERS[::2])
async def test_on_pages_all_who_were_in_the_room_count_in_any_order(database: Database, order: Sequence[str]) -> None:
    world = WebWorld(database)
    players = await a_room(world, *PEOPLE[:3])
    await players[0].act("start")
    dee = world.browser("192.0.2.9")
    key, _ = await keys_of(players[0])
    await dee.ask("enter", code=world.table().code, key=key, name="Dee", language="en")
    await players[2].act("leave", confirmed=True)
    await players[0].act("stop", confirmed=True)
    pages = dict(zip(PEOPLE, [*players, dee], strict=True))
    for name in order:
        answer = await pages[name].act("again", table=1)
        assert (answer["done"], answer["reason"]) == (True, None), (name, answer)
    assert all_want_another(world.table(2))


@pytest.mark.parametrize("order", ORDERS[1::2])
async def test_in_chats_and_by_text_each_is_counted_in_any_order(database: Database, order: Sequence[str]) -> None:
    harness = GroupHarness(database)
    await harness.say("Ana", OpenLobby())
    await harness.text("Bo", Join(code=harness.table().code))
    await harness.say("Cy", Join())
    await harness.tap("Ana", Start())
    await harness.say("Cy", Leave(confirmed=True))
    harness.mark_all_sent()
    await harness.tap("Ana", Stop(confirmed=True))
    harness.mark_all_sent()
    asks = {
        "Ana": lambda: harness.tap("Ana", PlayAgain()),
        "Bo": lambda: harness.text("Bo", PlayAgain(), table=1),
        "Cy": lambda: harness.tap("Cy", PlayAgain(), where=None),
        "Dee": lambda: harness.tap("Dee", PlayAgain()),
    }
    for name in order:
        await asks[name]()
    assert all_want_another(harness.table(2))
