"""What a computer player decides on: what its seat may see, and what everybody has seen of the game.

A thought holds no `State`: an `Observation` and a `Memory` of public events are all that leaves the transaction.
"""

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import Final, NamedTuple

from sqlalchemy import bindparam, select
from sqlmodel import Session, SQLModel

from perudo_core import (
    EVERYONE,
    Call,
    Observation,
    PerudoError,
    State,
    apply,
    audience,
    load_action,
    new_game,
    observe,
)
from perudo_core.agents import Character, Level, Memory, new_memory, remember_all
from telegram_bot.storage.statements import Statement, json_value
from telegram_bot.tables.model import Table

log = logging.getLogger(__name__)

MOST_GAMES: Final = 1000
"""Games whose public events are kept in memory, so that only the newest actions are read."""


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


class _Followed(NamedTuple):
    """A game as far as its actions have been followed."""

    actions: int
    state: State
    memory: Memory


class EventCache:
    """The public events of running games, as agents remember them; rebuilt from the stored actions when not at hand."""

    def __init__(self) -> None:
        self._games: OrderedDict[int, _Followed] = OrderedDict()

    def memory_of(self, session: Session, table: Table) -> Memory:
        """What everybody knows of a table's running game."""
        try:
            followed = self._follow(session, table, self._games.get(table.id) or _beginning(table))
            if followed.state != table.begun_game:
                followed = self._follow(session, table, _beginning(table))
        except PerudoError:
            followed = None
        if followed is None or followed.state != table.begun_game:
            log.warning("the stored actions of a game are not its own: a computer player knows this round only")
            return _of_this_round(table)
        self._games[table.id] = followed
        self._games.move_to_end(table.id)
        while len(self._games) > MOST_GAMES:
            self._games.popitem(last=False)
        return followed.memory

    def _follow(self, session: Session, table: Table, followed: _Followed) -> _Followed:
        count, state, memory = followed
        for (stored,) in _ACTIONS_FROM.all(session, {"the_table": table.id, "first": count}):
            state, events = apply(state, load_action(json_value(stored)))
            memory = remember_all(memory, [event for event in events if audience(event) is EVERYONE])
            count += 1
        return _Followed(count, state, memory)


def _beginning(table: Table) -> _Followed:
    names = [seat.name for seat in table.seats] if table.game is None else list(table.game.seats)
    return _Followed(0, new_game(table.rules, names), new_memory(table.rules, len(table.seats)))


def _of_this_round(table: Table) -> Memory:
    """What can be known of a game whose earlier rounds cannot be followed: the losses of dice are public."""
    game = table.begun_game
    memory = new_memory(table.rules, len(table.seats))
    return memory._replace(dice_counts=game.dice_counts, bids=game.bids, palifico=game.palifico)


def agent_of(table: Table, seat: int) -> tuple[Level, Character]:
    """Who decides for a seat: its computer player, or one that stands in for a person who is away."""
    computer = table.seats[seat].computer
    return (Level.REGULAR, Character.PLAIN) if computer is None else (computer.level, computer.character)


def call_request_for(session: Session, event_cache: EventCache, table: Table, seat: int, seed: int) -> CallRequest:
    """What a seat has to decide: on its turn which call it makes, out of turn whether it calls at all."""
    level, character = agent_of(table, seat)
    return CallRequest(
        table=table.id,
        step=table.step,
        seat=seat,
        level=level,
        character=character,
        observation=observe(table.begun_game, seat),
        memory=event_cache.memory_of(session, table),
        seed=seed,
    )


# Built once: building a statement takes longer than executing it.
_ACTIONS: Final = SQLModel.metadata.tables["game_action"]
_ACTIONS_FROM: Final = Statement(
    select(_ACTIONS.c.action)
    .where(_ACTIONS.c.table_id == bindparam("the_table"), _ACTIONS.c.number >= bindparam("first"))
    .order_by(_ACTIONS.c.number)
)
