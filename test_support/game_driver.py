"""Play a whole game at random by what the screens show."""

import asyncio
import json
import random
import re
from dataclasses import dataclass, field, replace
from typing import Self

from telegram_sandbox import Chat
from test_support import shown_dice
from test_support.person import Person
from test_support.replayed_game import replay_game, stored_games
from test_support.screen_recorder import PATIENCE, Button, Json, Message
from test_support.shown_dice import ANIMAL, BID, DIE
from test_support.world import World

GAME_DATA = re.compile(r"g:(?P<table>\d+):(?P<step>\d+):(?P<word>[a-z]+)(?:=(?P<value>\w+))?")
CALL_LABEL = re.compile(rf"^\d+ × {DIE}$|^{DIE} …$|^🗣 Dudo")
WHOSE_TURN = re.compile(rf"👉 {ANIMAL}(?P<name>[^,🎲\n]+?)(?: 🎲| 💤|$|\n)")


@dataclass(frozen=True, slots=True)
class Offer:
    """A keyboard that asks someone to act."""

    person: Person
    message: Message
    step: int

    @property
    def bids(self) -> list[Button]:
        return [button for button in self.message.flat if BID.fullmatch(button.text)]

    @property
    def dudo(self) -> Button | None:
        return self.message.button("🗣 Dudo")


@dataclass(slots=True)
class GameDriver:
    """Plays one table through its players' screens."""

    world: World
    group: Chat
    people: list[Person]
    rng: random.Random = field(default_factory=lambda: random.Random(1))
    doubt: float = 0.3
    typed: float = 0.0
    browse: float = 0.15
    peek: float = 0.05
    began: int = 0
    table: int = 0
    steps: set[int] = field(default_factory=set)

    @property
    def host(self) -> Person:
        return self.people[0]

    # The lobby

    async def open(self, *, private: bool = False) -> None:
        """Open a lobby by command; with `private` everyone first presses Start in the private chat."""
        if private:
            await asyncio.gather(*(person.start() for person in self.people))
        self.began = self.world.mark()
        await self.host.say("/perudo", self.group)
        lobby = await self.host.sees("who's in", self.group, since=self.began)
        self.table = int(next(button.data or "" for button in lobby.flat).split(":")[1])

    async def gather(self, *, private: bool = False) -> None:
        """Open a lobby and fill it by taps."""
        await self.open(private=private)
        for person in self.people[1:]:
            assert "You're in!" in await person.tap("Join", self.group)

    async def begin(self) -> None:
        last = rf"(?m)^{len(self.people)}\. {ANIMAL}{re.escape(self.people[-1].name)}"
        await self.host.sees(last, self.group, since=self.began)
        assert await self.host.tap("Start", self.group) == "The game is on!"
        await self.host.sees("the game is on", self.group, since=self.began)

    async def seat(self) -> Self:
        await self.gather(private=True)
        await self.begin()
        return self

    # The game

    async def turn(self) -> Offer:
        offer = await self.next_offer()
        assert offer is not None, "the game is over"
        return offer

    async def raise_it(self) -> None:
        """Let the player whose turn it is tap the keyboard's first bid."""
        label = (await self.turn()).bids[0].text
        await self._call(label, f"You bid {label}.")

    async def doubt_it(self) -> None:
        await self._call("Dudo", "Dudo! Cups up!")

    async def _call(self, label: str, answer: str) -> None:
        offer = await self.turn()
        assert await offer.person.tap(label, on=offer.message) == answer
        self.steps.add(offer.step)

    def actions(self, *kinds: str) -> list[Json]:
        rows = self.world.rows("SELECT action FROM game_action WHERE table_id = ? ORDER BY number", self.table)
        found = [json.loads(action) for (action,) in rows]
        return [a for a in found if (a["type"] in kinds if kinds else not a["type"].startswith(("roll", "open")))]

    def placings(self) -> tuple[str, ...] | None:
        """Return the players in order of their places, as the stored actions lead there, or None amid the game."""
        (game,) = (game for game in stored_games(self.world) if game.table == self.table)
        return replay_game(game)

    def table_message(self) -> Message | None:
        return self.host.newest(r"Round \d+(?s:.*)👉", self.group, self.began)

    def over(self) -> Message | None:
        return self.host.newest("🏆", self.group, self.began)

    def offers(self) -> list[Offer]:
        found = []
        for person in self.people:
            for message in (*person.screen()[:-8:-1], *person.screen(self.group)[:-24:-1]):
                step = self.asks(message)
                if step is None or step in self.steps:
                    continue
                if message.chat == self.group.id and message.to is None:
                    turn = WHOSE_TURN.search(message.text)
                    if turn is None or turn["name"] != person.name:
                        continue
                found.append(Offer(person, message, step))
                break
        return found

    def asks(self, message: Message) -> int | None:
        """Return the step of the game that a keyboard with bids or dudo was made for."""
        if not message.buttons or message.first < self.began:
            return None
        for button in message.flat:
            found = GAME_DATA.fullmatch(button.data or "")
            if found and CALL_LABEL.search(button.text) and int(found["table"]) == self.table:
                return int(found["step"])
        return None

    async def next_offer(self, within: float = PATIENCE) -> Offer | None:
        """Wait for the next keyboard that asks someone to act, or None if the game is over."""

        def look() -> Offer | str | None:
            return "over" if self.over() else max(self.offers(), key=lambda offer: offer.step, default=None)

        found = await self.world.recorder.until(look, f"a move in {self.group.title}", within)
        return found if isinstance(found, Offer) else None

    async def play(self) -> None:
        while offer := await self.next_offer():
            await self.move(offer)

    async def move(self, offer: Offer) -> None:
        if self.rng.random() < self.peek:
            await self.look_at_dice()
        self.steps.add(offer.step)
        calza = offer.message.button("Calza")
        more = [button for button in offer.message.flat if "…" in button.text]
        draw = self.rng.random()
        if offer.dudo and (draw < self.doubt or not (offer.bids or more)):
            await self.tap(offer, offer.dudo)
        elif calza and draw < self.doubt + 0.1:
            await self.tap(offer, calza)
        elif more and (not offer.bids or self.rng.random() < self.browse):
            await self.open_bids(offer, self.rng.choice(more))
        elif offer.bids and self.rng.random() < self.typed:
            await self.type(offer, self.rng.choice(offer.bids))
        else:
            await self.tap(offer, self.rng.choice(offer.bids[:6]))

    async def tap(self, offer: Offer, button: Button) -> None:
        await offer.person.call(offer.message, button.data or "")

    async def open_bids(self, offer: Offer, button: Button) -> None:
        """Look for another bid, under *more…* and a face."""
        since = offer.message.changed
        answer = await offer.person.answer_to(await offer.person.press(offer.message, button.data or ""))
        if answer.text:
            assert answer.text.startswith("That was for an earlier bid"), answer
            return

        def turned() -> Message | None:
            now = self.world.recorder.messages.get(offer.message.key)
            return now if now is not None and now.changed > since and now.button("Back") else None

        offer = replace(offer, message=await self.world.recorder.until(turned, "the next bids"))
        faces = [button for button in offer.message.flat if button.text.endswith(" …")]
        if faces:
            await self.open_bids(offer, self.rng.choice(faces))
        else:
            await self.tap(offer, self.rng.choice(offer.bids[:4]))

    async def type(self, offer: Offer, button: Button) -> None:
        """Type the call: as a command, or in reply to the table."""
        called = shown_dice.bid(button.text)
        assert called is not None
        quantity, face = called
        table = await self.world.recorder.until(self.table_message, "the round in the group")
        words = ("ones", "twos", "threes", "fours", "fives", "sixes")[face - 1]
        text = self.rng.choice((f"/bid {quantity} {face}", f"{quantity}x{face}", f"{quantity} {words}"))
        await offer.person.say(text, self.group, reply_to=None if text.startswith("/") else table)

    async def look_at_dice(self) -> None:
        person = self.rng.choice(self.people)
        message = self.table_message()
        if message is None or (button := message.button("My dice")) is None:
            return
        answer = await person.answer_to(await person.press(message, button.data or ""))
        assert "Your dice:" in answer.text or "not in this game" in answer.text, answer
