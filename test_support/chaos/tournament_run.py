"""Scripted people, phones and guests, who play a tournament of a group while its workers are killed."""

import asyncio
import json
import random
import re
import time
from collections import Counter
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from perudo_core import Bid, legal_calls, load_state
from test_support.chaos.evidence import CallMade, Move
from test_support.person import Person
from test_support.screen_recorder import Answer, Json, Message
from test_support.worker_cluster import WorkerCluster

CALL: Final = re.compile(r"g:(\d+):(\d+):(?:bid=(\d+)x(\d)|dudo)")
PATIENCE_SECONDS: Final = 8.0
"""How long a player waits for the answer to a call before the next look at the screen."""
LOOK_SECONDS: Final = 0.2
DOUBTS: Final = 0.7
"""The share of turns with a bid on the table in which a player doubts it."""
COMPUTERS_FILL: Final = "Computer players fill the smaller tables"
ON_THE_LIST: Final = ("You're in!", "You're on the list")


class Guest:
    """A page of the web seat without a browser: it keeps its stream of events open and repeats what gets no answer."""

    def __init__(self, url: str, name: str) -> None:
        self.name = name
        self.cards: list[Json] = []
        self.acts = 0
        self._cursor = "0.0"
        self.client = httpx.AsyncClient(base_url=url, headers={"Origin": url}, timeout=30)

    async def ask(self, name: str, /, **body: Any) -> Json:
        """Send a request until a worker answers it."""
        while True:
            with suppress(httpx.TransportError):
                answer = await self.client.post(f"/seat/{name}", json=body)
                if answer.status_code == httpx.codes.OK:
                    found: Json = answer.json()
                    return found
                assert answer.status_code == httpx.codes.TOO_MANY_REQUESTS or answer.is_server_error, answer.text
            await asyncio.sleep(LOOK_SECONDS)

    async def act(self, act: str, **more: Any) -> Json:
        """Tap a button of the page."""
        self.acts += 1
        return await self.ask("act", id=f"a{self.acts}", act=act, **more)

    async def watch(self) -> None:
        """Draw the cards of the stream, until cancelled."""
        while True:
            with suppress(httpx.TransportError):
                async with self.client.stream("GET", "/seat/stream", params={"after": self._cursor}) as stream:
                    fields: dict[str, str] = {}
                    async for line in stream.aiter_lines():
                        if not line:
                            self._draw(fields)
                            fields = {}
                        elif ": " in line:
                            name, _, value = line.partition(": ")
                            fields[name] = value
            await asyncio.sleep(LOOK_SECONDS)

    def _draw(self, fields: dict[str, str]) -> None:
        self._cursor = fields.get("id", self._cursor)
        if fields.get("event") == "card":
            self.cards.append(json.loads(fields["data"]))


@dataclass(slots=True)
class TournamentRun:
    """One tournament: its players, the calls that they made, and the kills."""

    world: WorkerCluster
    people: list[Person]
    phones: dict[str, int] = field(default_factory=dict)
    """The sandbox's phones, by the names of their owners."""
    guests: dict[str, Guest] = field(default_factory=dict)
    script: random.Random = field(default_factory=lambda: random.Random(7))
    calls: list[tuple[int, Move]] = field(default_factory=list)
    """Each call, with its table; the group of the move is not known yet."""
    kills: Counter[str] = field(default_factory=Counter)
    begun: float = 0.0
    _made: dict[tuple[int, int], float] = field(default_factory=dict)
    """When the newest call was made at each step of each table."""

    @property
    def host(self) -> Person:
        """The person who opens the list."""
        return self.people[0]

    async def play(self, *, kills: int) -> None:
        """Play from the empty list to the last place; kill a worker so many times in each phase."""
        async with AsyncExitStack() as clients, asyncio.TaskGroup() as tasks:
            for guest in self.guests.values():
                await clients.enter_async_context(guest.client)
            playing = [tasks.create_task(guest.watch()) for guest in self.guests.values()]
            await self._gather(kills)
            self.begun = time.time()
            assert await self._answer_to("Start") == "It begins!"
            playing += [tasks.create_task(self._keep_playing(person)) for person in self.people]
            if self.phones or self.guests:
                playing.append(tasks.create_task(self._play_others()))
            await self._kill_in_each_phase(kills)
            await self.world.settled()
            for task in playing:
                task.cancel()

    # The list

    async def _gather(self, kills: int) -> None:
        world = self.world
        for person in self.people:
            await person.start()
        await world.settled()
        await self._let_guests_in()
        await self.host.say("/tournament", world.group)
        await self.host.sees("Several tables at once", world.group)
        ((code,),) = world.rows("SELECT code FROM tournament")
        joining: list[asyncio.Task[Any]] = [asyncio.create_task(self._join(person)) for person in self.people[1:]]
        joining += [asyncio.create_task(guest.act("enter", code=code)) for guest in self.guests.values()]
        joining += [asyncio.create_task(self._join_by_text(name, code)) for name in self.phones]
        for _ in range(kills):
            await self._kill("list open")
        await asyncio.gather(*joining)
        count = len(self.people) + len(self.phones) + len(self.guests)
        await self.host.sees(f"{count}/40", world.group)
        while self.host.newest(COMPUTERS_FILL, world.group) is None:
            await self._answer_to("Fill")
            with suppress(AssertionError):
                await self.host.sees(COMPUTERS_FILL, world.group, within=PATIENCE_SECONDS)

    async def _let_guests_in(self) -> None:
        """Let the first guest ask the host for a seat, so that the group has a room; its link lets the guests in."""
        if not self.guests:
            return
        world = self.world
        await self.host.say("/perudo", world.group)
        await self.host.sees_button("Join", world.group)
        ((code,),) = world.rows("SELECT code FROM game_table")
        first = next(iter(self.guests.values()))
        await first.ask("enter", code=code, name=first.name, language="en")
        ((key,),) = world.rows("SELECT key FROM web_room")
        for guest in self.guests.values():
            await guest.ask("enter", code=code, key=key, name=guest.name, language="en")
        await self.host.say("/stop", world.group)
        await world.settled()

    async def _join(self, person: Person) -> None:
        answer = ""
        while not answer.startswith(ON_THE_LIST):
            answer = await self._answer_to("Join", person)

    async def _join_by_text(self, name: str, code: str) -> None:
        """Ask by text; the host lets the phone in."""
        phone = self.phones[name]
        await self._text(phone, f"TOURNAMENT {code} {name}")
        while not self._was_told(phone, ON_THE_LIST[0]):
            with suppress(AssertionError):
                question = await self.host.sees_button(f"🚪 {name}", within=PATIENCE_SECONDS)
                answer = question.button(f"🚪 {name}")
                await self._heard(await self.host.press(question, (answer and answer.data) or ""))

    def _was_told(self, phone: int, words: str) -> bool:
        texts = self.world.texts.texts
        return any(each.from_bot and each.phone == phone and words in each.body for each in texts)

    async def _answer_to(self, label: str, person: Person | None = None) -> str:
        """Tap a button of the group's message; nothing if no answer came, because a worker died."""
        tapping = person or self.host
        message = await tapping.sees_button(label, self.world.group)
        button = message.button(label)
        assert button is not None
        answer = await self._heard(await tapping.press(message, button.data or ""))
        return "" if answer is None else answer.text

    async def _heard(self, query: str) -> Answer | None:
        recorder = self.world.recorder
        try:
            return await recorder.until(lambda: recorder.answers.get(query), "an answer", PATIENCE_SECONDS)
        except AssertionError:
            return None

    # Calls

    def newest(self) -> str:
        """Return the group's message about the tournament."""
        found = self.host.newest("Tournament|tournament|grand final", self.world.group)
        return "" if found is None else found.text

    async def _keep_playing(self, person: Person) -> None:
        while True:
            await asyncio.sleep(self.script.uniform(LOOK_SECONDS, 2 * LOOK_SECONDS))
            offer = self._offer(person)
            if offer is None:
                continue
            message, calls = offer
            found = calls[-1] if self._doubts(calls[-1][0].endswith("dudo")) else calls[0]
            table, step = int(found[1]), int(found[2])
            self._made[table, step] = time.monotonic()
            query = await person.press(message, found[0])
            call = (int(found[3]), int(found[4])) if found[3] else None
            answer = await self._heard(query)
            self._note(table, query, person.id, call, None if answer is None else answer.text)

    def _offer(self, person: Person) -> tuple[Message, list[re.Match[str]]] | None:
        """Return the newest keyboard with calls on the person's own screen, and its calls; none that was just used."""
        for message in reversed(person.screen()[-8:]):
            calls = [found for button in message.flat if (found := CALL.fullmatch(button.data or ""))]
            if calls and self._is_new(int(calls[0][1]), int(calls[0][2])):
                return message, calls
        return None

    def _is_new(self, table: int, step: int) -> bool:
        return time.monotonic() - self._made.get((table, step), 0) > 2 * PATIENCE_SECONDS

    def _doubts(self, may: bool) -> bool:
        return may and self.script.random() < DOUBTS

    def _note(self, table: int, name: str, person: int, call: CallMade, heard: str | None) -> None:
        self.calls.append((table, Move(name, person, 0, call, heard)))

    async def _play_others(self) -> None:
        """Let phones and guests call when it is their turn."""
        addresses = dict(self.world.rows("SELECT name, address FROM player"))
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            for table, raw in self.world.rows("SELECT id, state FROM game_table WHERE live AND status = 'playing'"):
                state = json.loads(raw)
                game = load_state(state["game"])
                if game.turn is None or not self._is_new(table, state["step"]):
                    continue
                name = state["seats"][game.turn]["name"]
                if name not in self.phones and name not in self.guests:
                    continue
                low = legal_calls(game, game.turn)[0]
                doubts = self._doubts(bool(game.bids)) or not isinstance(low, Bid)
                call = None if doubts or not isinstance(low, Bid) else (low.quantity, low.face)
                self._made[table, state["step"]] = time.monotonic()
                if name in self.phones:
                    await self._text(self.phones[name], "dudo" if call is None else f"{call[0]}x{call[1]}")
                    self._note(table, f"{name}/{len(self.calls)}", addresses[name], call, None)
                else:
                    guest = self.guests[name]
                    bid = {} if call is None else {"quantity": call[0], "face": call[1]}
                    told = await guest.act("bid" if bid else "dudo", table=table, step=state["step"], **bid)
                    heard = "You bid " if told["done"] else told["text"]
                    self._note(table, f"{name}/a{guest.acts}", addresses[name], call, heard)

    async def _text(self, phone: int, text: str) -> None:
        await self.world.act("POST", "/texts", phone=phone, text=text)

    # Kills

    async def _kill(self, phase: str) -> None:
        """Kill the next worker in turn, and start it again."""
        await self.world.kill()
        await self.world.restart()
        self.kills[phase] += 1

    async def _kill_in_each_phase(self, kills: int) -> None:
        """Kill a worker as each phase begins, and then in its midst, until the tournament is over."""
        phase = ""
        while "wins the tournament!" not in (newest := self.newest()):
            found = re.search(r"stage \d+|grand final", newest.partition("\n")[0] + newest.partition("🏁")[2])
            if found is not None and found[0] != phase:
                phase, made = found[0], len(self.calls)
                if kills:
                    await self._kill(f"between stages, as the {phase} began")
                for _ in range(kills):
                    made += 8
                    while len(self.calls) < made and phase in self.newest():  # noqa: ASYNC110 - players make the calls
                        await asyncio.sleep(LOOK_SECONDS)
                    await self._kill(phase)
            await asyncio.sleep(LOOK_SECONDS)
