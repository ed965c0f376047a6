"""A player who sees nothing plays a game in the private chat: they know what they heard, and they say what they do."""

import asyncio
import itertools
from dataclasses import dataclass, field
from functools import partial

import pytest

from test_support.game_driver import GameDriver
from test_support.person import Person
from test_support.spoken_english import Told, hear
from test_support.voice_notes import espeak_note
from test_support.world import World
from tests.end_to_end.conftest import OpenWorld

ONE = ("", "ace", "two", "three", "four", "five", "six")
VOICES = ("", "m3", "f2", "m1", "f5")
"""The voices of espeak-ng: a player repeats in the next one a call that the bot did not understand."""
ATTEMPTS = 6
SILENCE_SECONDS = 300.0
Call = tuple[int, int] | str


def in_words(call: Call) -> str:
    return call if isinstance(call, str) else f"one {ONE[call[1]]}"


@dataclass
class BlindPlayer:
    """A player who perceives only the sound of the notes in their private chat."""

    world: World
    person: Person
    heard: int = 0
    wish: Call | None = None
    attempts: int = 0
    said: list[str] = field(default_factory=list)
    told: list[Told] = field(default_factory=list)

    def notes(self) -> list[bytes]:
        bot = self.world.sandbox.world.settings.bot_id
        messages = self.world.sandbox.world.messages.values()
        mine = [one for one in messages if one.chat_id == self.person.id and one.sender_id == bot]
        return [one.media.file.content for one in mine if one.media is not None and one.media.kind == "voice"]

    async def play(self) -> None:
        while not (told := await self.listen()).over:
            if told.my_turn:
                self.wish, self.attempts = self.choose(told), 0
                await self.say(in_words(self.wish))
            elif told.heard is not None and (told.heard == self.wish or self.attempts >= ATTEMPTS):
                await self.say("that is right")
            elif told.heard is not None or told.text.startswith("i heard no"):
                await self.say("that is right" if self.wish is None else in_words(self.wish))

    async def listen(self) -> Told:
        for _ in range(round(SILENCE_SECONDS / 0.05)):
            if len(notes := self.notes()) > self.heard:
                self.heard += 1
                told = await asyncio.to_thread(hear, notes[self.heard - 1])
                self.told.append(told)
                assert any(one.text for one in self.told[-3:]), "a note is no sentence that a listener knows"
                return told
            await asyncio.sleep(0.05)
        await self.say("my dice")  # nothing was understood for a while: how does it stand?
        return await self.listen()

    def choose(self, told: Told) -> Call:
        """Bid the die that they heard of, or doubt."""
        return "dudo" if told.bids else (1, (told.dice or (2,))[0])

    async def say(self, text: str) -> None:
        self.attempts += 1
        voice = next(itertools.islice(itertools.cycle(VOICES), self.attempts - 1, None))
        note = await asyncio.to_thread(partial(espeak_note, text, variant=voice, rate=130))
        self.said.append(text)
        await self.person.user.send_voice(note)


async def play_by_sight(driver: GameDriver, person: Person) -> None:
    while not driver.over():
        for offer in driver.offers():
            if offer.person is person:
                await driver.move(offer)
        await asyncio.sleep(0.1)


@pytest.mark.timeout(900)  # each note is spoken and heard by the processor
async def test_a_game_is_played_by_sound_alone(open_world: OpenWorld) -> None:
    plan = {"clock": {"seconds": 0}, "rules": {"starting_dice": 1, "palifico": False}, "dice": [[0, 2], 4, 3]}
    variables = {"PERUDO_TABLE__RULEBOOK": "aces", "PERUDO_VOICE__NOTES_PER_MINUTE": "0"}
    async with open_world(World, people=("Ana", "Bo"), plan=plan, variables=variables) as world:
        ana, bo = world.some("Ana", "Bo")
        await asyncio.gather(ana.say("/start"), bo.say("/start"))
        await ana.say("/settings")
        assert "aloud" in await ana.tap("🔊 Read to me aloud")
        driver = GameDriver(world, world.group, [ana, bo], doubt=0)
        blind = BlindPlayer(world, ana)
        await driver.seat()
        async with asyncio.TaskGroup() as playing:
            playing.create_task(blind.play())
            playing.create_task(play_by_sight(driver, bo))
        assert [action["type"] for action in driver.actions() if action.get("seat") == 0] == ["bid", "dudo"]
        assert blind.said.count("that is right") >= 2, "and Ana confirmed each by voice"
        taps = [tap for tap, _ in world.recorder.answers.values() if tap.user_id == ana.id]
        assert len(taps) <= 3, "the settings, Join and Start: everything else was said"
