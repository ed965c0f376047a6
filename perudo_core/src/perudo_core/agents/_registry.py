"""The agents by level and character."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from functools import partial
from math import exp
from random import Random
from typing import Final, Protocol, TypeVar, runtime_checkable

from perudo_core._actions import Bid, Call
from perudo_core._errors import abbreviated, expect_type
from perudo_core._observation import Observation
from perudo_core.agents._headup import head_up
from perudo_core.agents._inference import kinds_of
from perudo_core.agents._memory import Memory
from perudo_core.agents._playout import REGULAR
from perudo_core.agents._reckoning import Worths, by_bids, novice, regular
from perudo_core.agents._rollouts import EXPERT, EXPONENT, STRONG, roll_out
from perudo_core.agents._situation import Situation, situation_of
from perudo_core.agents._temperament import TEMPERAMENTS, Character, Temperament, mirrored

__all__ = ["Agent", "Level", "LevelAgent", "create_agent"]

Named = TypeVar("Named", bound=StrEnum)
MOST_JUMPED: Final = 3
INTERRUPTS_ABOVE: Final = 0.75
"""The chance above which an agent speaks out of turn."""
SIMPLE_ABOVE: Final = 0.8
"""The chance that the other player is a simple one above which the expert leaves the tables."""
LEANING_BY_TABLES: Final = 10.0
"""The effect of a leaning on the mixture of the tables: 0.1 makes a call e times as frequent."""


class Level(StrEnum):
    """The strength of an agent, and its method."""

    NOVICE = "novice"  # misjudges the dice, and ignores the others' bids
    REGULAR = "regular"  # half believes the others' bids, and bids so that the next player will hardly doubt
    STRONG = "strong"  # watches how each player plays; tries only the more probable calls, on a few worlds
    EXPERT = "expert"  # tries daring calls too, on many worlds, for the game; heads-up without calza plays by tables


@runtime_checkable
class Agent(Protocol):
    """Decides for a seat, from the seat's observation, the public memory and a random generator.

    An agent keeps no state between two calls, so one object may play any number of seats and games. Its knowledge of a
    game is the `Memory`, and all chance comes from `rng`, so a seed repeats a game. The agents of this library may
    decide in several threads at once, each with an `rng` of its own.
    """

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """Return a legal call of the observation's seat; raises `ValueError` for a seat without legal calls."""

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Return a dudo or calza out of turn, if the rules allow it, or None for no call."""


@dataclass(frozen=True, slots=True)
class LevelAgent:
    """An agent of a level, with a temperament."""

    level: Level
    temperament: Temperament

    @property
    def name(self) -> str:
        """The level, and the character if it is not plain: `regular:bold`; `own` for your own temperament."""
        character = next((name for name, each in TEMPERAMENTS.items() if each == self.temperament), "own")
        return self.level.value if character == Character.PLAIN else f"{self.level}:{character}"

    def choose(self, observation: Observation, memory: Memory, rng: Random) -> Call:
        """Return the call with the greatest worth, after the temperament has added its leanings."""
        expect_type(rng, Random, "rng")
        situation = situation_of(observation, memory)
        temperament = mirrored(self.temperament, memory, situation.seat)
        if self.level is Level.EXPERT and (mixed := _by_tables(situation, memory)) is not None:
            return _drawn(mixed, _leaning([(call, 0.0) for call, _ in mixed], situation, temperament), rng)
        return max(_leaning(self._worths(situation, memory, rng), situation, temperament), key=_worth)[0]

    def worths(self, observation: Observation, memory: Memory, rng: Random) -> list[tuple[Call, float]]:
        """Return the calls that the level considers, the best first, each with its worth; without the temperament.

        The worth is the number of dice that a call wins on average; the seat's own die counts as -1. For an expert it
        is weighted by the chance of winning the game. For a novice it is the chance that the call is right. Raises
        `ValueError` for a seat without legal calls.
        """
        expect_type(rng, Random, "rng")
        return sorted(self._worths(situation_of(observation, memory), memory, rng), key=_worth, reverse=True)

    def _worths(self, situation: Situation, memory: Memory, rng: Random) -> Worths:
        return _LEVELS[self.level](situation, memory, rng) if situation.bid_numbers else by_bids(situation)

    def interrupt(self, observation: Observation, memory: Memory, rng: Random) -> Call | None:
        """Return a dudo or calza that is very probably right."""
        del rng
        expect_type(observation, Observation, "observation")
        if observation.seat is None or observation.seat == observation.turn or not observation.legal_calls:
            return None
        situation = situation_of(observation, memory)
        leaning = mirrored(self.temperament, memory, situation.seat).doubt
        call, worth = max(by_bids(situation), key=_worth)
        return call if worth + leaning > INTERRUPTS_ABOVE else None


def _worth(call: tuple[Call, float]) -> float:
    return call[1]


def _leaning(worths: Worths, situation: Situation, temperament: Temperament) -> Worths:
    if temperament.is_neutral:
        return worths
    least: dict[int, int] = {}
    for number in situation.bid_numbers:
        least.setdefault(number % 6 + 1, number // 6 + 1)
    result: Worths = []
    for call, worth in worths:
        if type(call) is Bid:
            jumped = min(call.quantity - least[call.face], MOST_JUMPED)
            bluff = temperament.bluff if situation.is_bluff(call.quantity, call.face) else 0.0
            result.append((call, worth + bluff + temperament.jump * jumped))
        else:
            result.append((call, worth + temperament.doubt))
    return result


def _by_tables(situation: Situation, memory: Memory) -> Worths | None:
    """Return the mixture of the heads-up tables, or None where they have none.

    None also against a player who is probably one of the simple ones, because roll-outs win more against them.
    """
    mixed = head_up(situation) if situation.bid_numbers else None
    if mixed is not None and _is_simple(situation, memory):
        return None
    return mixed


def _is_simple(situation: Situation, memory: Memory) -> bool:
    """Return whether the only other player left is probably one of the simple players."""
    other = next(seat for seat, count in enumerate(situation.counts) if count and seat != situation.seat)
    return sum(kinds_of(memory, other)[:REGULAR]) > SIMPLE_ABOVE


def _drawn(mixed: Worths, leanings: Worths, rng: Random) -> Call:
    weights = [
        weight * exp(LEANING_BY_TABLES * leaning) for (_, weight), (_, leaning) in zip(mixed, leanings, strict=True)
    ]
    return rng.choices([call for call, _ in mixed], weights)[0]


def create_agent(level: Level | str, character: Character | str = Character.PLAIN) -> LevelAgent:
    """Return the agent of a level and a character, by their names.

    Raises `ValueError` for an unknown name. The caller decides about unknown stored names, for instance with
    `create_agent(level if level in list(Level) else Level.REGULAR)`.

    >>> create_agent("regular", "bold").level.value
    'regular'
    """
    expect_type(level, str, "level")
    expect_type(character, str, "character")
    return LevelAgent(_named(Level, level), TEMPERAMENTS[_named(Character, character)])


def _named(kind: type[Named], name: str) -> Named:
    if name not in list(kind):
        near = f" (did you mean {found[0]}?)" if (found := get_close_matches(name, list(kind), 1)) else ""
        raise ValueError(f"{abbreviated(name)} is no {kind.__name__.lower()}{near}; there are {', '.join(kind)}")
    return kind(name)


_LEVELS: Final[dict[Level, Callable[[Situation, Memory, Random], Worths]]] = {
    Level.NOVICE: novice,
    Level.REGULAR: regular,
    Level.STRONG: partial(roll_out, stages=STRONG),
    Level.EXPERT: partial(roll_out, stages=EXPERT, exponent=EXPONENT),
}
