"""Play by what the screens show: a game, or all tables of a tournament."""

import asyncio
import random
import re
from dataclasses import dataclass, field
from typing import Self

from sqlmodel import Session

from telegram_sandbox import Chat
from test_support.person import Person
from test_support.replayed_game import Stored, stored_games
from test_support.screen_recorder import PATIENCE, Json, Message
from test_support.shown_dice import ANIMAL
from test_support.world import World

CALL = re.compile(r"g:(?P<table>\d+):(?P<step>\d+):(?P<call>bid=\d+x\d|dudo)")
WHOSE_TURN = re.compile(rf"👉 {ANIMAL}(?P<name>[^,🎲\n]+?)(?: 🎲| 💤|$|\n)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A keyboard that asks someone to act."""

    person: Person
    message: Message
    table: int
    step: int
    bids: list[Json]
    dudo: Json | None


@dataclass(slots=True)
class GameDriver:
    """Plays through the players' screens: one table, or with a `stage` all tables of a tournament."""

    world: World
    group: Chat
    people: list[Person]
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    doubt: float = 0.3
    stage: str = ""
    """The words in the group's message on a tournament, for as long as its tables are played."""
    began: int = 0
    table: int = 0
    steps: set[tuple[int, int]] = field(default_factory=set)
    """The tables and steps that someone has acted at."""

    @property
    def host(self) -> Person:
        return self.people[0]

    # The lobby

    async def open(self) -> None:
        self.began = len(self.world.recorder.versions)
        await self.host.say("/perudo", self.group)
        lobby = await self.host.sees("who's in", self.group, since=self.began)
        self.table = int(lobby.buttons[0]["callback_data"].split(":")[1])

    async def gather(self, *, private: bool = True) -> None:
        """Open a lobby and fill it by taps; with `private` everyone first presses Start in the private chat."""
        if private:
            await asyncio.gather(*(person.say("/start") for person in self.people))
        await self.open()
        for person in self.people[1:]:
            assert "You're in!" in await person.tap("Join", self.group)

    async def begin(self) -> None:
        last = rf"(?m)^{len(self.people)}\. {ANIMAL}{re.escape(self.people[-1].name)}"
        await self.host.sees(last, self.group, since=self.began)
        assert await self.host.tap("Start", self.group) == "The game is on!"
        await self.host.sees("the game is on", self.group, since=self.began)

    async def seat(self) -> Self:
        await self.gather()
        await self.begin()
        return self

    # The game

    async def turn(self) -> Offer:
        offer = await self.next_offer()
        assert offer is not None, "the game is over"
        return offer

    async def raise_it(self) -> None:
        """Let the player whose turn it is tap the keyboard's first bid."""
        offer = await self.turn()
        assert await self.tap(offer, offer.bids[0]) == f"You bid {offer.bids[0]['text']}."

    async def doubt_it(self) -> None:
        offer = await self.turn()
        assert offer.dudo is not None
        assert await self.tap(offer, offer.dudo) == "Dudo! Cups up!"

    def stored(self) -> Stored:
        with Session(self.world.engine) as session:
            (game,) = (game for game in stored_games(session) if game.table == self.table)
        return game

    def actions(self) -> list[Json]:
        """Return all that players did, in order."""
        return [action for _, action in self.stored().actions if not action["type"].startswith(("roll", "open"))]

    def table_message(self) -> Message | None:
        return self.host.newest(r"Round \d+(?s:.*)👉", self.group, self.began)

    def over(self) -> bool:
        if not self.stage:
            return self.host.newest("🏆", self.group, self.began) is not None
        told = self.host.newest("[Tt]ournament|grand final", self.group)
        return told is None or self.stage not in told.text

    def offers(self) -> list[Offer]:
        return [offer for person in self.people if (offer := self.asked(person))]

    def asked(self, person: Person) -> Offer | None:
        """Return the newest keyboard that asks a person, who has not acted yet."""
        for message in (*person.screen()[:-8:-1], *person.screen(self.group)[:-24:-1]):
            datas = [(CALL.fullmatch(button.get("callback_data", "")), button) for button in message.buttons]
            calls = [(found, button) for found, button in datas if found]
            if not calls or message.first <= self.began:
                continue
            table, step = int(calls[0][0]["table"]), int(calls[0][0]["step"])
            if (table, step) in self.steps or self.table not in (0, table):
                continue
            if message.chat_id == self.group.id and message.seen_by is None:
                turn = WHOSE_TURN.search(message.text)
                if turn is None or turn["name"] != person.name:
                    continue
            bids = [button for found, button in calls if found["call"] != "dudo"]
            dudo = next((button for found, button in calls if found["call"] == "dudo"), None)
            return Offer(person, message, table, step, bids, dudo)
        return None

    async def next_offer(self, within: float = PATIENCE) -> Offer | None:
        """Wait for the next keyboard that asks someone to act, or None if the game is over."""

        def look() -> Offer | str | None:
            if self.over():
                return "over"
            newest = {offer.table: offer for offer in sorted(self.offers(), key=lambda offer: offer.step)}
            return min(newest.values(), key=lambda offer: offer.step, default=None)

        found = await self.world.recorder.until(look, f"a move in {self.group.title}", within)
        return found if isinstance(found, Offer) else None

    async def play(self, moves: int | None = None) -> None:
        """Let players act until the game is over, or so many times."""
        while moves != 0 and (offer := await self.next_offer()):
            await self.move(offer)
            moves = None if moves is None else moves - 1

    async def move(self, offer: Offer) -> None:
        doubts = not offer.bids or self.rng.random() < self.doubt
        await self.tap(offer, offer.dudo if offer.dudo and doubts else self.rng.choice(offer.bids[:4]))

    async def tap(self, offer: Offer, button: Json) -> str:
        self.steps.add((offer.table, offer.step))
        return await offer.person.call(offer.message, button["callback_data"])
