"""Scripted players who open a table, play a game by what their screens show, and record every move they make."""

import asyncio
import re
import time
from collections import Counter
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from perudo_core.agents import Level
from test_support import shown_dice
from test_support.chaos.evidence import Move
from test_support.chaos.workers import Screens
from test_support.game_driver import GAME_DATA
from test_support.person import Person
from test_support.screen_recorder import Button, Group, Message
from test_support.shown_dice import ANIMAL
from test_support.world import World

PATIENCE_SECONDS: Final = 8.0
"""How long a player waits for the answer to a tap."""
SILENCE_SECONDS: Final = 30.0
"""After this time without a message a player asks for the game's status: the end may not have arrived."""
THINKING_SECONDS: Final = 0.4
COMPUTER_LINE: Final = re.compile(r"(?m)^\d+\. 🤖 ")
"""A computer player in the list of a lobby."""
NO_GAME: Final = ("No game is running", "The game hasn't started", "There's no game here")


@dataclass(frozen=True, slots=True)
class Habits:
    """How often players do unusual things, as shares of all turns."""

    sleeps: float = 0.03
    taps_twice: float = 0.12
    taps_an_old_button: float = 0.08
    is_a_stranger: float = 0.08
    types: float = 0.06
    peeks: float = 0.06
    doubts: float = 0.35


@dataclass(slots=True)
class Game:
    """One table and the people at it."""

    world: World
    screens: Screens
    group: Group
    people: list[Person]
    stranger: Person
    rng: Random
    computers: int = 0
    """How many computer players the host adds."""
    habits: Habits = Habits()
    made: list[Move] = field(default_factory=list)
    table: int | None = None
    lobby: Message | None = None
    seated: set[str] = field(default_factory=set)
    computers_seated: int = 0
    running: bool = False
    over: bool = False
    did: Counter[str] = field(default_factory=Counter)
    _offers: dict[int, tuple[Person, Message]] = field(default_factory=dict)
    _done: int = -1
    _news: asyncio.Event = field(default_factory=asyncio.Event)
    _old: list[tuple[Message, Button]] = field(default_factory=list)

    # Seeing

    def hear(self, message: Message) -> None:
        """Record what a player at this table sees."""
        if message.chat == self.group.id:
            self._hear_in_group(message)
        for button in message.flat:
            found = GAME_DATA.fullmatch(button.data or "")
            if found is None:
                continue
            self.table, self.running = int(found["table"]), True
            is_call = found["word"] == "dudo" or shown_dice.BID.fullmatch(button.text)
            if is_call and message.chat > 0 and "👉 You" in message.text:
                person = next(person for person in self.people if person.id == message.chat)
                self._offers[int(found["step"])] = person, message
                break
        self._news.set()

    def _hear_in_group(self, message: Message) -> None:
        join = message.button("Join")
        if "who's in" in message.text:
            self.computers_seated = len(COMPUTER_LINE.findall(message.text))
            # Another page has no Join; without any buttons a newer message has taken its place.
            button = join or message.button("Back")
            if button is not None and button.data is not None:
                self.lobby, self.table = message, int(button.data.split(":")[1])
            self.seated = {
                person.name for person in self.people if re.search(rf"(?m)^\d+\. {ANIMAL}{person.name}\b", message.text)
            }
        elif "the game is on" in message.text:
            self.running = True
        elif "🏆" in message.text:
            self.over = True

    async def _hears_more(self, within: float) -> bool:
        if self.screens.broken is not None:
            raise self.screens.broken
        self._news.clear()
        try:
            async with asyncio.timeout(within):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    # The lobby

    async def play(self) -> None:
        """Open a table and play its game to the end."""
        self.screens.by_chat[self.group.id] = self.screens.by_title[self.group.title] = self.hear
        await self.gather()
        while not self.over:
            offer = await self.next_offer()
            if offer is None:
                await self.ask()
            else:
                await self.act(*offer)

    async def gather(self) -> None:
        """Open the lobby, join, start; repeat whatever gets no answer."""
        host = self.people[0]
        while not self.running:
            if self.lobby is None:
                self.did["asked to see the table"] += bool(self.table)
                await host.say("/perudo", self.group)
                await self._until(lambda: self.lobby is not None)
            if self.lobby is None:
                continue
            await asyncio.gather(*(self.sit_down(person) for person in self.people))
            await self._until(lambda: len(self.seated) == len(self.people))
            if len(self.seated) == len(self.people):
                await self.add_computers()
            if self.is_complete and not self.running:
                queries = [await host.press(self.lobby, f"l:{self.table}:start")]
                await self.screens.answers_to(queries, PATIENCE_SECONDS)
                await self._until(lambda: self.running)
            if not self.running:
                self.lobby = None

    async def sit_down(self, person: Person) -> None:
        """Tap Join."""
        if person.name in self.seated or self.lobby is None or self.running:
            return
        queries = [await person.press(self.lobby, f"l:{self.table}:join")]
        await self.screens.answers_to(queries, PATIENCE_SECONDS)

    @property
    def is_complete(self) -> bool:
        """Whether everyone sits at the table."""
        return len(self.seated) == len(self.people) and self.computers_seated >= self.computers

    async def add_computers(self) -> None:
        """Let the host open the page of computer players and tap a level for each; repeat what gets no answer."""
        host = self.people[0]
        while self.lobby is not None and not self.running and (had := self.computers_seated) < self.computers:
            lobby, level = self.lobby, self.rng.choice(list(Level))
            if lobby.button(str(level)) is None:
                page = await host.press(lobby, f"l:{self.table}:menu=computers")
                await self.screens.answers_to([page], PATIENCE_SECONDS)
            query = await host.press(lobby, f"l:{self.table}:bot={level}")
            (answer,) = await self.screens.answers_to([query], PATIENCE_SECONDS)
            await self._until(lambda had=had: self.computers_seated > had)
            self.did["added a computer player"] += self.computers_seated > had
            if answer is None and self.computers_seated == had:
                self.lobby = None

    async def _until(self, check: object, within: float = PATIENCE_SECONDS) -> None:
        assert callable(check)
        end = time.monotonic() + within
        while not check() and (left := end - time.monotonic()) > 0:
            await self._hears_more(left)

    # The game

    async def next_offer(self) -> tuple[int, Person, Message] | None:
        """Return the newest unused keyboard, or None if no message arrives for long."""
        while not self.over:
            step = max(self._offers, default=-1)
            if step > self._done:
                self._done = step
                return step, *self._offers[step]
            if not await self._hears_more(SILENCE_SECONDS):
                return None
        return None

    async def ask(self) -> None:
        """Ask whether the game is over, after a long time without a message."""
        if self.over or self.lobby is None:
            return
        self.did["asked"] += 1
        query = await self.people[0].press(self.lobby, f"g:{self.table}:0:dice")
        (answer,) = await self.screens.answers_to([query], PATIENCE_SECONDS)
        if answer is not None and answer.text.startswith(NO_GAME):
            self.over = True

    async def act(self, step: int, person: Person, message: Message) -> None:
        """Take one turn."""
        rng, habits = self.rng, self.habits
        await asyncio.sleep(rng.uniform(0, THINKING_SECONDS))
        if step < max(self._offers):
            return
        bids = [button for button in message.flat if shown_dice.BID.fullmatch(button.text)]
        dudo = message.button("🗣 Dudo")
        if rng.random() < habits.sleeps:
            self.did["slept"] += 1
            return
        button = dudo if dudo and (not bids or rng.random() < habits.doubts) else rng.choice(bids[:4])
        taps = [(person, message, button)]
        if rng.random() < habits.taps_twice:
            self.did["tapped twice"] += 1
            taps *= 2
        if rng.random() < habits.is_a_stranger:
            self.did["a stranger tapped"] += 1
            taps.insert(0, (rng.choice([self.stranger, *self.people]), message, button))
        if self._old and rng.random() < habits.taps_an_old_button:
            self.did["tapped an old button"] += 1
            taps.insert(0, (person, *rng.choice(self._old)))
        self._old = [*self._old[-5:], (message, button)]
        if rng.random() < habits.types:
            await self.type(person, button)
        if rng.random() < habits.peeks:
            await person.press(message, f"g:{self.table}:{step}:dice")
        queries = await asyncio.gather(*(self.tap(*each) for each in taps))
        await self.screens.answers_to(queries, PATIENCE_SECONDS)

    async def tap(self, person: Person, message: Message, button: Button) -> str:
        """Tap a call and record it."""
        self.did["tapped"] += 1
        query = await person.press(message, button.data or "")
        self.made.append(Move(query, person.id, self.group.id, shown_dice.bid(button.text)))
        return query

    async def type(self, person: Person, button: Button) -> None:
        """Type a call and record it."""
        self.did["typed"] += 1
        call = shown_dice.bid(button.text)
        words = "/dudo" if call is None else f"/bid {call[0]} {call[1]}"
        said = await person.say(words, self.group)
        self.made.append(Move(f"{self.group.id}/{said['message_id']}", person.id, self.group.id, call))


def moves(games: list[Game], screens: Screens) -> tuple[Move, ...]:
    """Return all recorded moves with their answers."""
    found = []
    for made in (made for game in games for made in game.made):
        answer = screens.answers.get(made.name)
        found.append(made if answer is None else replace(made, heard=answer.text))
    return tuple(found)
