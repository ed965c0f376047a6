"""The process that thinks for computer players: it reads questions from its input, and answers them in order.

It knows the rules and nothing else: no database, no settings, no token. It ends when its input does, so it does not
outlive the bot, whatever ends that.
"""

from __future__ import annotations

import os
import pickle
import struct
import sys
from random import Random
from typing import Any, BinaryIO, Final

from perudo_core import Call, Observation
from perudo_core.agents import Character, Level, Memory, create_agent

LENGTH: Final = struct.Struct("!I")
NICE: Final = 10
"""Thoughts wait for what people do, rather than people for thoughts."""


def choose(level: Level, character: Character, observation: Observation, memory: Memory, seed: int) -> Call | None:
    """The call of a computer player: by what its seat may see and everybody knows, and by the chance of a seed.

    None: it is not the seat's turn, and it lets the turn pass.
    """
    agent, rng = create_agent(level, character), Random(seed)  # noqa: S311 - a seed repeats it
    decide = agent.choose if observation.seat == observation.turn else agent.interrupt
    return decide(observation, memory, rng)


def pack(value: Any) -> bytes:
    """A value with its length in front."""
    content = pickle.dumps(value)
    return LENGTH.pack(len(content)) + content


def main(asked: BinaryIO, answered: BinaryIO) -> None:
    """Answer until the input ends: with a call, or with the name of an error."""
    os.nice(NICE)
    while len(head := asked.read(LENGTH.size)) == LENGTH.size:
        try:
            answer: Any = choose(*pickle.loads(asked.read(*LENGTH.unpack(head))))  # noqa: S301 - from the bot itself
        except Exception as error:  # noqa: BLE001 - one question's error is not the next one's
            answer = type(error).__name__
        answered.write(pack(answer))
        answered.flush()


if __name__ == "__main__":
    main(sys.stdin.buffer, sys.stdout.buffer)
