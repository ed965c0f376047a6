"""From a game to its record, and from a record to its game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from perudo_core.actions import Action, Leave, PlayerAction, Roll, Seat
from perudo_core.engine import apply
from perudo_core.errors import IllegalActionError, RecordError, RulesError, expect_type
from perudo_core.record import SCHEMA_1, Record, RecordRound, schema_for
from perudo_core.rules import Rules
from perudo_core.state import Phase, State, new_game

if TYPE_CHECKING:
    from collections.abc import Iterator

    from perudo_core.events import Event

__all__ = ["Recorder", "Replay", "Step", "record_of", "replay", "replay_steps"]

MAX_HELD: Final = 50_000_000
"""Seats and bids that the states after the calls of a replay hold in all. Each state has its own, so that a short
record of many thousands would ask for many gigabytes; no game that people play comes to a hundredth."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action of a replay, what it led to, and its place in the record: `call` is None for the roll."""

    action: Action
    state: State
    events: tuple[Event, ...]
    round: int
    call: int | None


@dataclass(frozen=True, slots=True)
class Replay:
    """A whole replayed game."""

    start: State
    steps: tuple[Step, ...]

    @property
    def final(self) -> State:
        """The state after the last step."""
        return self.steps[-1].state if self.steps else self.start

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)


def replay(record: Record) -> Replay:
    """Play a record again, or raise a `RecordError` with round, call and reason."""
    return Replay(_start(record), tuple(replay_steps(record)))


def replay_steps(record: Record) -> Iterator[Step]:
    """Play a record again step by step, up to its end or its first fault."""
    state, held = _start(record), 0
    for number, entry in enumerate(record.rounds, 1):
        if state.phase is Phase.OVER:
            raise RecordError("the game is over", number)
        if state.phase is Phase.BIDDING:
            raise RecordError("the round before is not finished", number)
        early = not entry.dice and record.schema != SCHEMA_1
        if early and not entry.actions:
            raise RecordError("neither dice nor calls", number)
        if not early:
            step = _step(state, Roll(entry.dice), number, None)
            state = step.state
            yield step
        for at, action in enumerate(entry.actions, 1):
            if early and not isinstance(action, Leave):
                raise RecordError("no dice are rolled", number, at)
            if not early and state.phase is not Phase.BIDDING:
                raise RecordError("the round is over", number, at)
            held += len(state.seats) + len(state.bids)
            if held > MAX_HELD:
                raise RecordError("too large to be replayed", number, at)
            step = _step(state, action, number, at)
            state = step.state
            yield step


def record_of(
    rules: Rules, seats: int | Sequence[str], actions: Iterable[Action], *, opener: Seat | None = None
) -> Record:
    """The record of a game, finished or not, from all of its actions since `new_game`."""
    expect_type(rules, Rules, "rules")
    expect_type(seats, int | Sequence, "seats")
    expect_type(actions, Iterable, "actions")
    recorder = Recorder(new_game(rules, seats, opener=opener))
    for action in actions:
        recorder.apply(action)
    return recorder.record()


class Recorder:
    """Plays a game, from a new one, and keeps its record."""

    def __init__(self, start: State) -> None:
        expect_type(start, State, "start")
        if start.round or start.eliminated or start.contenders not in {(), tuple(range(len(start.seats)))}:
            raise RecordError("a record begins with a new game")
        self.state = start
        self._opener = start.opener
        self._rounds: list[tuple[Roll, list[PlayerAction]]] = []

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Take the action and note it; the events of `perudo_core.apply`."""
        before, transition = self.state, apply(self.state, action)
        self.state = after = transition.state
        if self._opener is None and after.phase is not Phase.OPENING:
            # Where everybody else left before the opening, any opener leads to the same end; the winner was there.
            self._opener = after.active_seats[0] if after.opener is None else after.opener
        if isinstance(action, Roll):
            self._rounds.append((action, []))
        elif isinstance(action, PlayerAction):
            if before.phase is not Phase.BIDDING and not (self._rounds and self._rounds[-1][0].dice == ()):
                self._rounds.append((Roll(()), []))
            self._rounds[-1][1].append(action)
        return transition.events

    def record(self) -> Record:
        """The record so far. The game must have found its opener."""
        if self._opener is None:
            raise RecordError("nobody opens the game yet")
        rounds = tuple(RecordRound(roll.dice, tuple(actions)) for roll, actions in self._rounds)
        return Record(schema_for(rounds), self.state.rules, self.state.seats, self._opener, rounds)


def _start(record: Record) -> State:
    expect_type(record, Record, "record")
    try:
        return new_game(record.rules, record.seats, opener=record.opener)
    except RulesError as error:
        raise RecordError(str(error)) from None


def _step(state: State, action: Action, number: int, call: int | None) -> Step:
    try:
        transition = apply(state, action)
    except IllegalActionError as error:
        raise RecordError(error.reason.value, number, call) from error
    return Step(action, transition.state, transition.events, number, call)
