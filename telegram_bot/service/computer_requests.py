"""Requests for computations: a computer player's call, from its seat's view and public events; those of features.

A request contains no `State`: only an `Observation` and a `Memory` of public events leave the transaction.
"""

import logging
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final

from sqlmodel import Session

from perudo_core import (
    EVERYONE,
    Observation,
    PerudoError,
    apply,
    audience,
    new_game,
    observe,
)
from perudo_core.agents import Character, Level, Memory, new_memory, remember_all
from telegram_bot.repositories.repositories import actions_of
from telegram_bot.tables.model import Table

log = logging.getLogger(__name__)

SEED_FACTOR: Final = 1_000_003
"""The factor on a table's number in a seed: larger than a game's number of steps, so decisions get different seeds."""


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A call to compute outside the transaction, for one step of one table."""

    table: int
    step: int
    seat: int
    level: Level
    character: Character
    observation: Observation
    memory: Memory
    seed: int
    """The seed of its random choices."""
    engine: str = ""
    """The operator's program that finds the call; without one, the level and the character do."""

    @property
    def on_turn(self) -> bool:
        """True if the seat must call; otherwise it may, if the rules allow a call out of turn."""
        return self.observation.turn == self.seat


@dataclass(frozen=True, slots=True)
class Computation:
    """A computation of a feature, which a side process runs outside the transaction from the rules alone."""

    key: Hashable
    """A computation with the key of a running one does not begin."""
    function: Callable[..., bytes]
    """A function of a module that imports little."""
    arguments: tuple[Any, ...]
    hand_in: Callable[[Any, bytes | None], bool]
    """Uses the result in a transaction, with a unit of work. The result is None if it was not found in time."""


def public_memory(session: Session, table: Table) -> Memory:
    """Return the public events of a table's running game as agents remember them, replayed from the stored actions."""
    names = [seat.name for seat in table.seats] if table.game is None else table.game.seats
    state, memory = new_game(table.rules, names), new_memory(table.rules, len(table.seats))
    with suppress(PerudoError):
        for action, _, _ in actions_of(session, table.id):
            state, events = apply(state, action)
            memory = remember_all(memory, [event for event in events if audience(event) is EVERYONE])
    if state == table.begun_game:
        return memory
    log.warning("the stored actions of a game are not its own: a computer player knows this round only")
    return _of_this_round(table)


def _of_this_round(table: Table) -> Memory:
    """Return the memory of a game whose earlier rounds cannot be replayed: only the current round is known."""
    game = table.begun_game
    memory = new_memory(table.rules, len(table.seats))
    rerolled = tuple(shown.seat for shown in game.shown)
    return replace(memory, bids=game.bids, palifico=game.palifico, rerolled=rerolled)


def agent_of(table: Table, seat: int) -> tuple[Level, Character]:
    """Return the agent of a seat: its computer player, or a substitute for an absent person."""
    computer = table.seats[seat].computer
    return (Level.REGULAR, Character.PLAIN) if computer is None else (computer.level, computer.character)


def call_request_for(session: Session, table: Table, seat: int, seed: int) -> CallRequest:
    """Return a seat's decision: on its turn the call, out of turn whether it calls."""
    level, character = agent_of(table, seat)
    computer = table.seats[seat].computer
    return CallRequest(
        table=table.id,
        step=table.step,
        seat=seat,
        level=level,
        character=character,
        observation=observe(table.begun_game, seat),
        memory=public_memory(session, table),
        seed=seed,
        engine="" if computer is None else computer.engine,
    )
