"""A table of phones where everything goes wrong, played to its end: the real bot behind a gateway that misbehaves."""

from __future__ import annotations

import asyncio
import json
import random
import re
import threading
import time
import uuid
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest

from test_support.kannel_gateway import PASSWORD, SECRET, USER, kannel_setting
from test_support.world import Setting, World
from tests.end_to_end.conftest import OpenWorld
from tests.telegram_bot.channels.sms.conftest import free_port


@dataclass(frozen=True, slots=True)
class Delivery:
    """A text as the gateway hands it over: the same at each delivery."""

    id: str
    sender: str
    at: int
    words: str


@dataclass(slots=True)
class PhoneNetwork:
    """The gateway and all phones."""

    hook: str
    """The address at which the bot takes texts."""
    url: str = ""
    delivered: list[Delivery] = field(default_factory=list)
    read: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    """The texts to each phone, oldest first."""

    def write(self, sender: str, words: str, *, age: float = 0) -> Delivery:
        """A text that somebody sent, perhaps long ago; it is not delivered yet."""
        return Delivery(str(uuid.uuid4()), sender, int(time.time() - age), words)

    async def deliver(self, text: Delivery, *, times: int = 1) -> None:
        """Hand a text over, several times at once if asked."""
        query = {"secret": SECRET, "id": text.id, "time": str(text.at)}
        headers = {"X-Kannel-From": text.sender, "Content-Type": "text/plain; charset=UTF-8"}
        async with httpx.AsyncClient(timeout=20) as client:
            answers = await asyncio.gather(
                *(
                    client.post(self.hook, params=query, headers=headers, content=text.words.encode())
                    for _ in range(times)
                )
            )
        assert {answer.status_code for answer in answers} == {200}
        self.delivered.append(text)

    async def text(self, sender: str, words: str, *, times: int = 1) -> None:
        """Write and deliver."""
        await self.deliver(self.write(sender, words), times=times)


@contextmanager
def phone_network(hook: str) -> Iterator[PhoneNetwork]:
    """A running gateway."""
    network = PhoneNetwork(hook)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
            known = (self.headers["X-Kannel-Username"], self.headers["X-Kannel-Password"]) == (USER, PASSWORD)
            if known:
                network.read[self.headers["X-Kannel-To"]].append(body)
            self.send_response(202 if known else 403)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    network.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield network
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


ANA, BEA, CLEO, DEES_PHONE = "+393471234501", "+34612345602", "+33612345603", "+31612345604"
PHONES = {"Ana": ANA, "Bea": BEA, "Cleo": CLEO}
SEATS = (*PHONES, "Dee")
WEEK = 7 * 86400
SHORT_GAME = 'preset = "box_2009"\nstarting_dice = 3\npalifico = false\n'
HAND = re.compile(r"^R(?P<round>\d+) .*?dice: (?P<dice>\d(?: \d)*)\.")


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def network(port: int) -> Iterator[PhoneNetwork]:
    with phone_network(f"http://127.0.0.1:{port}/sms/modem") as running:
        yield running


@pytest.fixture
def setting(network: PhoneNetwork, port: int, tmp_path: Path) -> Setting:
    return kannel_setting(
        network.url,
        port,
        tmp_path / "quick.toml",
        SHORT_GAME,
        PERUDO_SMS__COUNTRIES='["IT", "ES", "FR", "NL"]',
        PERUDO_SMS__TEXTS_PER_PHONE_PER_DAY="1000",
        PERUDO_SMS__TEXTS_HEARD_PER_HOUR="1000",
    )


@dataclass
class Trouble:
    """A table of three phones and Dee, who plays in Telegram and by a linked phone."""

    world: World
    network: PhoneNetwork
    code: str = ""
    moves: int = 0
    by_phone: bool = False
    """Whether Dee's phone is linked."""
    drawn: random.Random = field(default_factory=lambda: random.Random(7))

    # The table

    @property
    def state(self) -> dict[str, Any]:
        [(state,)] = self.world.rows("SELECT state FROM game_table ORDER BY id DESC LIMIT 1")
        found: dict[str, Any] = json.loads(state)
        return found

    def actions(self) -> list[dict[str, Any]]:
        return [json.loads(action) for (action,) in self.world.rows("SELECT action FROM game_action ORDER BY number")]

    def on_turn(self) -> str:
        turn: int = self.state["game"]["turn"]
        return SEATS[turn]

    # Phones

    def spelled(self, number: str) -> str:
        """The number as this gateway happens to write it."""
        digits = number[1:]
        national = [digits[2:]] if number == ANA else []
        return self.drawn.choice([digits, digits, f"00{digits}", number, *national])

    def write(self, number: str, words: str, *, age: float = 0) -> Delivery:
        return self.network.write(self.spelled(number), words, age=age)

    async def text(self, number: str, words: str, *, times: int = 1) -> None:
        await self.network.text(self.spelled(number), words, times=times)
        await self.settled()

    async def told(self, number: str, words: str, expected: str) -> None:
        """Text something, and wait for the answer."""
        before = len(self.network.read[number])
        await self.text(number, words)
        answers = self.network.read[number][before:]
        assert any(re.search(expected, answer) for answer in answers), (words, answers)

    async def confirmed(self, number: str, words: str, expected: str) -> None:
        """Text something that is asked about, then the code in the question, and wait for the answer."""
        await self.text(number, words)
        found = re.search(r"\b([A-Z]+ \d{4})\.", self.network.read[number][-1])
        assert found is not None, self.network.read[number][-1]
        await self.told(number, found[1], expected)

    async def settled(self) -> None:
        """Wait until nothing waits, except what is gathered for a later time."""
        await self.world.recorder.until(partial(self.quiet, time.time()), "nothing to wait", 30)

    def quiet(self, since: float) -> bool | None:
        [(waiting,)] = self.world.rows(
            "SELECT (SELECT count(*) FROM inbox WHERE done_at IS NULL) + (SELECT count(*) FROM outbox"
            " WHERE status = 'sending' OR (status = 'pending' AND not_before < ?))",
            since + 60,
        )
        return not waiting or None

    # Moves

    def move(self) -> str:
        """What the player on turn says: the next number of threes, or a doubt."""
        bids = self.state["game"]["bids"]
        return "dudo" if len(bids) > 2 else f"{len(bids) + 1}x3"

    async def play(self) -> None:
        """The player on turn moves, and the network does to the text what it has in store."""
        name, words, step = self.on_turn(), self.move(), self.state["step"]
        self.moves += 1
        if name in PHONES or self.by_phone:
            text = self.write(PHONES.get(name, DEES_PHONE), words)
            await self.disturb(name)
            assert self.state["step"] == step, "what came late, again or out of turn moved something"
            await self.network.deliver(text, times=self.drawn.randint(1, 3))
        else:
            await self.disturb(name)
            await self.world["Dee"].say(words)
        await self.world.recorder.until(partial(self.moved_on, step), f"{name}'s {words}", 30)
        await self.settled()

    def moved_on(self, step: int) -> bool | None:
        state = self.state
        return (state["step"], state["status"]) != (step, "playing") or None

    async def disturb(self, on_turn: str) -> None:
        """Everything that must not move the table, in any order."""
        others = [number for name, number in PHONES.items() if name != on_turn]
        number = PHONES.get(on_turn, CLEO)
        mishaps = [
            self.drawn.choice(self.network.delivered),  # a delivery that comes again
            self.write(self.drawn.choice(others), "dudo"),  # what overtook the move of the player on turn
            self.write(self.drawn.choice(others), f"{self.drawn.randint(1, 3)}x4"),
            self.write(number, "3x6", age=600),  # of an earlier turn, under way for minutes
            self.write(number, "dudo", age=WEEK),  # of last week's game
            self.write(number, "STOP", age=WEEK),
            self.write(number, "Automatic reply: I am out of the office and will reply tomorrow."),
            self.write(number, f"JOIN {self.code} Zoe"),  # a second person on the same phone
        ]
        self.drawn.shuffle(mishaps)
        for text in mishaps[: self.drawn.randint(2, len(mishaps))]:
            await self.network.deliver(text, times=self.drawn.randint(1, 2))
        await self.settled()


async def the_game_begins(table: Trouble) -> None:
    await table.told(ANA, "NEW Ana", "Ana")
    found = re.search(r"\b[A-Z2-9]{6}\b", table.network.read[ANA][0])
    assert found is not None
    table.code = found[0]
    await table.told(BEA, f"JOIN {table.code} Bea", "Ana")
    await table.told(CLEO, f"entra {table.code} Cleo", "Ana")
    for number in PHONES.values():
        await table.told(number, "LANGUAGE english", "English")
    await table.text(BEA, "STOP")
    await table.confirmed(BEA, "START", "welcome back")
    await table.world["Dee"].start(f"j_{table.code}")
    await table.world["Dee"].sees("You are in")
    await table.told(ANA, "GO", r"^R1 ")
    assert tuple(seat["name"] for seat in table.state["seats"]) == SEATS


async def link(table: Trouble) -> None:
    """Dee links a phone while nobody waits for Dee."""
    dee = table.world["Dee"]
    await dee.say("/link")
    message = await dee.sees(r"LINK [A-Z0-9]{6}")
    found = re.search(r"LINK ([A-Z0-9]{6})", message.text)
    assert found is not None
    await table.confirmed(DEES_PHONE, f"LINK {found[1]}", "Linked")
    table.by_phone = True


async def unlink(table: Trouble) -> None:
    """Dee's phone is unlinked while everybody waits for Dee."""
    await table.confirmed(DEES_PHONE, "UNLINK", "any more")
    table.by_phone = False


async def test_a_table_of_phones_where_everything_goes_wrong_is_played_to_its_end(
    open_world: OpenWorld, setting: Setting, network: PhoneNetwork
) -> None:
    async with open_world(setting) as world:
        world.expect_log(r"\[debug")
        table = Trouble(world, network)
        await the_game_begins(table)
        linked = unlinked = 0
        while table.state["status"] == "playing":
            assert table.moves < 150
            name = table.on_turn()
            if not linked and table.moves > 3 and name != "Dee":
                await link(table)
                linked = table.moves
            elif linked and not unlinked and name == "Dee" and table.moves > linked + 4:
                await unlink(table)
                unlinked = table.moves
                assert table.on_turn() == "Dee", "the turn was lost"
            await table.play()
        assert linked
        assert unlinked
        assert table.state["status"] == "finished"
        await world["Dee"].sees("wins|🏆")
        for number in PHONES.values():
            assert any("wins the game" in text or "You win the game" in text for text in network.read[number])
        assert len(network.delivered) > 5 * table.moves
        no_move_doubled(table)
        everybody_got_their_dice_and_no_others(table)
        no_number_anywhere(table)


def no_move_doubled(table: Trouble) -> None:
    calls = [action for action in table.actions() if action["type"] in ("bid", "dudo", "calza")]
    assert len(calls) == table.moves


def everybody_got_their_dice_and_no_others(table: Trouble) -> None:
    rolls = [action["dice"] for action in table.actions() if action["type"] == "roll"]
    for seat, number in enumerate((*PHONES.values(), DEES_PHONE)):
        told: dict[int, set[tuple[int, ...]]] = defaultdict(set)
        for text in table.network.read[number]:
            assert len(text) <= 160
            if found := HAND.search(text):
                told[int(found["round"])].add(tuple(map(int, found["dice"].split())))
        own = {round_: {tuple(sorted(roll[seat]))} for round_, roll in enumerate(rolls, start=1) if roll[seat]}
        if number == DEES_PHONE:  # linked for a part of the game
            assert told
            assert told.items() <= own.items()
        else:
            assert told == own


def no_number_anywhere(table: Trouble) -> None:
    world, network = table.world, table.network
    told = [message.text for message in world["Dee"].history()] + [
        text for read in network.read.values() for text in read
    ]
    told.append(world.log.read_text())
    stored = b"".join(file.read_bytes() for file in world.folder.glob("*.db*"))
    assert len(stored) > 10_000
    for number in (*PHONES.values(), DEES_PHONE):
        assert not any(number[3:] in text for text in told)
        assert number[3:].encode() not in stored
