"""Play a tournament of a group by the buttons on people's screens."""

import random
import re

from test_support.person import Person
from test_support.screen_recorder import Message
from test_support.world import World

CALL = re.compile(r"g:\d+:\d+:(?:bid=\d+x\d|dudo)")


class TournamentNight:
    """Friends who tap the buttons on their screens."""

    def __init__(self, world: World, *people: str) -> None:
        self.world = world
        self.people = world.some(*people)
        self.script = random.Random(7)
        self.answered = set[str]()
        """The tables and steps that a friend has answered."""

    def offer(self) -> tuple[Person, Message, list[str]] | None:
        """Return a message with calls that no friend has answered, and the buttons' data."""
        for person in self.script.sample(self.people, len(self.people)):
            for message in reversed([*person.screen(self.world.group)[-8:], *person.screen()[-8:]]):
                calls = [button.data for button in message.flat if button.data and CALL.fullmatch(button.data)]
                if calls and calls[0].rpartition(":")[0] not in self.answered:
                    return person, message, calls
        return None

    async def play(self, phase: str, moves: int | None = None) -> None:
        """Let friends bid as low as possible, or doubt, until the group's message names another phase.

        `moves`: at most so many calls.
        """
        while phase in self.newest() and moves != 0:
            await self.world.recorder.until(lambda: phase not in self.newest() or self.offer(), "a keyboard with calls")
            if offer := self.offer():
                person, message, calls = offer
                doubts = "dudo" in calls[-1] and self.script.random() < 0.7
                await person.answer_to(await person.press(message, calls[-1] if doubts else calls[0]))
                self.answered.add(calls[0].rpartition(":")[0])
                moves = None if moves is None else moves - 1

    def newest(self) -> str:
        found = self.people[0].newest("Tournament|tournament|grand final", self.world.group)
        return "" if found is None else found.text
