"""Records a game, and replays a record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from perudo_core._actions import Action, Leave, PlayerAction, Roll, Seat
from perudo_core._engine import apply
from perudo_core._errors import IllegalActionError, RecordError, RulesError, expect_type, with_ints
from perudo_core._events import Event
from perudo_core._phase import Phase
from perudo_core._public_names import Listed
from perudo_core._record import SCHEMA_1, Record, RecordRound, schema_for
from perudo_core._rules import Rules
from perudo_core._state import State, new_game

__all__ = ["Recorder", "Replay", "Step", "record_of", "replay", "replay_steps"]

MAX_HELD: Final = 50_000_000
"""The limit of seats and bids in all states of a replay together. Each state has its own, so a short record with many
thousands of calls would need gigabytes. Games of people stay below a hundredth of the limit."""


@dataclass(frozen=True, slots=True)
class Step(metaclass=Listed):
    """One action of a replay, with the state and the events that followed."""

    action: Action
    state: State
    """After the action."""
    events: tuple[Event, ...]
    round: int
    """The action's round in the record, from 1."""
    call: int | None
    """The action's number in its round, from 1, or None for the roll."""


@dataclass(frozen=True, slots=True)
class Replay(metaclass=Listed):
    """A whole replayed game: iterate over it for its steps."""

    start: State
    """Before the first roll."""
    steps: tuple[Step, ...] = field(repr=False)

    @property
    def final(self) -> State:
        """The state after the last step."""
        return self.steps[-1].state if self.steps else self.start

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)


def replay(record: Record) -> Replay:
    """Play a record again.

    Raises `RecordError` with round, call and reason for a record that cannot be played.

    >>> from perudo_core import Bid, Dudo
    >>> game = record_of(Rules(starting_dice=1), ["Ana", "Bo"], [Roll(((2,), (3,))), Bid(0, 2, 2), Dudo(1)], opener=0)
    >>> replay(game).final.outcome
    Outcome(winner=1, placements=(2, 1))
    """
    return Replay(_start(record), tuple(replay_steps(record)))


def replay_steps(record: Record) -> Iterator[Step]:
    """Play a record again step by step; raises `RecordError` at its first error, after the steps before it."""
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
    """Return the record of a game, finished or not, from all of its actions since `new_game`.

    Raises `RulesError` for seats that the rules do not allow, `IllegalActionError` at an action that is not legal, and
    `RecordError` before the opener is found.

    >>> record_of(Rules(), ["Ana", "Bo"], [Roll(((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)))], opener=0).rounds
    (RecordRound(dice=((2, 2, 2, 5, 6), (1, 2, 3, 4, 4)), actions=()),)
    """
    expect_type(actions, Iterable, "actions")
    recorder = Recorder(new_game(rules, seats, opener=opener))
    for action in actions:
        recorder.apply(action)
    return recorder.record()


class Recorder(metaclass=Listed):
    """Plays a game and keeps its record; `state` is the current state of the game.

    A recorder begins with any state before the first round, also after a tied roll for the opener or after players have
    left; a later state raises `RecordError`. To continue in another process before the first round
    (`recorder.state.round` is 0), store `dump_state(recorder.state)` and begin a recorder with the loaded state. From
    the first round on, store the record and `resume` it.

    >>> from perudo_core import Bid
    >>> recorder = Recorder(new_game(Rules(starting_dice=1), ["Ana", "Bo"], opener=0))
    >>> events = [*recorder.apply(Roll(((2,), (3,)))), *recorder.apply(Bid(0, 1, 2))]
    >>> Recorder.resume(recorder.record()).state == recorder.state
    True
    """

    def __init__(self, start: State) -> None:
        expect_type(start, State, "start")
        if start.round:
            raise RecordError("a record begins before the first round: resume the game's record")
        self.state = start
        self._opener = start.opener
        left: list[PlayerAction] = [Leave(seat) for seat in start.eliminated]
        self._rounds: list[tuple[Roll, list[PlayerAction]]] = [(Roll(()), left)] if left else []

    def __repr__(self) -> str:
        return f"<Recorder: {self.state!r}>"

    @classmethod
    def resume(cls, record: Record) -> Recorder:
        """Return a recorder that continues a recorded game.

        Its record is that of the whole game. For fair dice resume `fair_record.record`, and put the longer record back
        with `dataclasses.replace(fair_record, record=recorder.record())`. Raises `RecordError` for a finished game, and
        for a record that cannot be replayed.
        """
        recorder = cls(_start(record))
        for step in replay_steps(record):
            recorder.apply(step.action)
        if recorder.state.is_terminal:
            raise RecordError("the game is over")
        return recorder

    def apply(self, action: Action) -> tuple[Event, ...]:
        """Apply the action and record it; the events are those of `perudo_core.apply`.

        Raises `IllegalActionError` for an action that is not legal, and does not record it.
        """
        before, transition = self.state, apply(self.state, action)
        action = with_ints(action)
        self.state = after = transition.state
        if self._opener is None and after.phase is not Phase.OPENING:
            # If all others left before the opening, any opener gives the same result; the winner is a valid one.
            self._opener = after.active_seats[0] if after.opener is None else after.opener
        if isinstance(action, Roll):
            self._rounds.append((action, []))
        elif isinstance(action, PlayerAction):
            if before.phase is not Phase.BIDDING and not (self._rounds and self._rounds[-1][0].dice == ()):
                self._rounds.append((Roll(()), []))
            self._rounds[-1][1].append(action)
        return transition.events

    def record(self) -> Record:
        """Return the record so far; raises `RecordError` before the opener is found."""
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
