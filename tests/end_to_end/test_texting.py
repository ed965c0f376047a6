"""Two people in Telegram and two with telephones at one table: the real bot, and Kannel's real gateway in between."""

import asyncio
import json
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from telegram_bot.sandbox_launcher import free_port
from test_support.game_driver import GameDriver
from test_support.kannel_gateway import OURS, kannel_setting
from test_support.world import World
from tests.end_to_end.conftest import OpenWorld
from tests.telegram_bot.channels.sms.kannel_server import KannelServer, kannel

pytestmark = pytest.mark.xdist_group("kannel")

CY, DEE = "+393471234503", "+393471234504"
SHORT_GAME = 'preset = "box_2009"\nstarting_dice = 2\npalifico = false\n'


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def box(port: int, tmp_path: Path) -> Iterator[KannelServer]:
    (tmp_path / "kannel").mkdir()
    with kannel(tmp_path / "kannel", f"http://127.0.0.1:{port}/sms/modem") as running:
        yield running


class Table:
    """The game as the database holds it: whose turn, which bid, whose dice."""

    def __init__(self, world: World, table: int) -> None:
        self.world = world
        self.table = table

    @property
    def state(self) -> dict[str, object]:
        [(state,)] = self.world.rows("SELECT state FROM game_table WHERE id = ?", self.table)
        found: dict[str, object] = json.loads(state)
        return found

    def actions(self) -> list[dict[str, object]]:
        rows = self.world.rows("SELECT action FROM game_action WHERE table_id = ? ORDER BY number", self.table)
        return [json.loads(action) for (action,) in rows]


def read(box: KannelServer, number: str) -> list[str]:
    texts = box.read(number)
    assert all(len(text) <= 160 for text in texts)
    return texts


DICE = re.compile(r"\b(?:dadi|dice): ((?:\d ?)+)\.")
PHONES = {"Cy": CY, "Dee": DEE}
LAST_WORDS = {CY: ("wins the game!", "You win the game!"), DEE: ("vince", "Hai vinto")}
"""After another player's victory, and after one's own. Cy reads the table's language, Dee that of her first word."""


async def play(world: World, table: Table, box: KannelServer) -> None:
    """Each player bids two threes where there is no bid, and else doubts; each phone reads a language of its own.

    Kannel knows a text's second alone, so the same words twice in a second would be one text that came twice.
    """
    for number in range(60):
        state = table.state
        if state["status"] != "playing":
            return
        game, seats, step = state["game"], state["seats"], state["step"]
        assert isinstance(game, dict)
        assert isinstance(seats, list)
        name = seats[game["turn"]]["name"]
        if name in PHONES:
            await asyncio.to_thread(box.text, PHONES[name], ("dubito" if game["bids"] else "due tre") + "!" * number)
        else:
            await world[name].say("dudo" if game["bids"] else "2x3")
        await world.recorder.until(partial(moved_on, table, step), f"{name}'s move", 20)
        await world.settled()  # no one plays on before the group has seen the dice


def moved_on(table: Table, step: object) -> bool | None:
    state = table.state
    return (state["step"], state["status"]) != (step, "playing") or None


def ended(box: KannelServer, number: str) -> bool | None:
    return any(words in text for text in read(box, number) for words in LAST_WORDS[number]) or None


async def test_two_in_telegram_and_two_with_telephones_play_a_game(
    open_world: OpenWorld, port: int, box: KannelServer, tmp_path: Path
) -> None:
    setting = kannel_setting(box.url, port, tmp_path / "quick.toml", SHORT_GAME)
    async with open_world(setting) as world:
        world.expect_log(r"\[debug")  # so that even what is told then is looked through for numbers
        driver = GameDriver(world, world.group, world.some("Ana", "Bo"))
        await driver.gather(private=True)
        lobby = await driver.host.sees("who's in", driver.group)
        [(code,)] = world.rows("SELECT code FROM game_table")
        assert code in lobby.text
        assert OURS in lobby.text
        await asyncio.to_thread(box.text, CY, f"JOIN {code} Cy")
        await driver.host.sees(r"Cy\b", driver.group)
        await asyncio.to_thread(box.text, DEE, f"entra {code} Dee")
        lobby = await driver.host.sees(r"4\. .*Dee", driver.group)
        assert "📱" in lobby.text
        await driver.begin()
        table = Table(world, driver.table)
        await play(world, table, box)
        assert table.state["status"] == "finished"
        await driver.host.sees("🏆", driver.group)
        for number in PHONES.values():
            await world.recorder.until(partial(ended, box, number), "the end by text")
        await world.settled()
        only_their_own_dice(table, box)
        no_number_anywhere(world, driver, box)


def only_their_own_dice(table: Table, box: KannelServer) -> None:
    rolls = [action["dice"] for action in table.actions() if action["type"] == "roll"]
    for seat, number in enumerate(PHONES.values(), start=2):
        own = {tuple(sorted(dice[seat])) for dice in rolls}  # type: ignore[index]
        with_dice = [text for text in read(box, number) if DICE.search(text)]
        assert all(re.match(r"R\d+ ", text) for text in with_dice)
        told = {tuple(map(int, found.split())) for text in with_dice for found in DICE.findall(text)}
        assert told
        assert told <= own


def no_number_anywhere(world: World, driver: GameDriver, box: KannelServer) -> None:
    told = [message.text for person in driver.people for message in person.history()]
    told += [world.log.read_text(), *(text for number in PHONES.values() for text in read(box, number))]
    stored = b"".join(file.read_bytes() for file in world.folder.glob("*.db*"))
    assert len(stored) > 10_000
    for number in PHONES.values():
        assert not any(number[3:] in text for text in told)
        assert number[3:].encode() not in stored
