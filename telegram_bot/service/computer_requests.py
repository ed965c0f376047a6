"""What a computer player decides on: what its seat may see, and what everybody has seen of the game.

A thought holds no `State`: an `Observation` and a `Memory` of public events are all that leaves the transaction.
"""

import logging
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

from sqlmodel import Session

from perudo_core import (
    EVERYONE,
    Call,
    Observation,
    PerudoError,
    apply,
    audience,
    new_game,
    observe,
)
from perudo_core.agents import Character, Level, Memory, new_memory, remember_all
from telegram_bot.service.repositories import actions_of
from telegram_bot.tables.model import Table

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A decision that somebody has to make outside the transaction, for one step of one table."""

    table: int
    step: int
    seat: int
    level: Level
    character: Character
    observation: Observation
    memory: Memory
    seed: int
    """What chance decides in it follows from this."""

    @property
    def on_turn(self) -> bool:
        """Whether the seat must call; else it may, where the rules allow a call out of turn."""
        return self.observation.turn == self.seat


class DecisionToJudge(NamedTuple):
    """What a person decided in a round that is over, and what they could know when they did."""

    observation: Observation
    memory: Memory
    call: Call
    seed: int
    """What chance decides in the judgement follows from this, and this from what everybody knows."""


@dataclass(frozen=True, slots=True)
class RoundToReview:
    """What the people at a table decided in its last round."""

    table: int
    round: int
    wild_by: str | None
    """The rulebook by which ones were wild in the round; None: they were not."""
    decisions: tuple[DecisionToJudge, ...]


def public_memory(session: Session, table: Table) -> Memory:
    """What everybody knows of a table's running game, as agents remember it: followed from the stored actions."""
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
    """What can be known of a game whose earlier rounds cannot be followed: the losses of dice are public."""
    game = table.begun_game
    memory = new_memory(table.rules, len(table.seats))
    return memory._replace(dice_counts=game.dice_counts, bids=game.bids, palifico=game.palifico)


def agent_of(table: Table, seat: int) -> tuple[Level, Character]:
    """Who decides for a seat: its computer player, or one that stands in for a person who is away."""
    computer = table.seats[seat].computer
    return (Level.REGULAR, Character.PLAIN) if computer is None else (computer.level, computer.character)


def call_request_for(session: Session, table: Table, seat: int, seed: int) -> CallRequest:
    """What a seat has to decide: on its turn which call it makes, out of turn whether it calls at all."""
    level, character = agent_of(table, seat)
    return CallRequest(
        table=table.id,
        step=table.step,
        seat=seat,
        level=level,
        character=character,
        observation=observe(table.begun_game, seat),
        memory=public_memory(session, table),
        seed=seed,
    )
