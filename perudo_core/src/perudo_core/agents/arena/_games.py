"""Plays games of agents, and counts each agent's calls."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random
from time import perf_counter, process_time
from typing import Final, TypeGuard

from perudo_core._actions import Action, Bid, Call, Concede, Dudo, PlayerAction, Seat
from perudo_core._chance import sample_roll
from perudo_core._engine import apply, is_legal, why_illegal
from perudo_core._errors import StateError, abbreviated
from perudo_core._observation import observe
from perudo_core._record import Record
from perudo_core._replay import record_of
from perudo_core._rules import Rules
from perudo_core._state import State, new_game
from perudo_core.agents._chances import at_least
from perudo_core.agents._inference import chance_after_calls
from perudo_core.agents._memory import Memory, new_memory, remember_all
from perudo_core.agents._registry import Agent
from perudo_core.agents._situation import Situation, situation_of
from perudo_core.agents.arena._players import Player, agent_of
from perudo_core.agents.engines import SECONDS, LateError, ProgramAgent
from perudo_core.odds import count_matching

__all__ = ["Played", "Tally", "play_games"]

FORECASTS_BY_CALLS: Final = 24
MOST_CALLS: Final = 20_000
"""The limit of calls in a game, for players whose rounds cost no dice."""


@dataclass(slots=True)
class Tally:
    """The counts of one player's calls, over some games."""

    games: int = 0
    wins: int = 0
    bids: int = 0
    bluffs: int = 0
    answers: int = 0
    doubts: int = 0
    right_doubts: int = 0
    jumps: int = 0
    """The sum of the dice by which raises exceed the least legal quantity of their face."""
    raises: int = 0
    failures: int = 0
    """The number of exceptions and illegal calls; on their turn the player concedes the round instead."""
    late: int = 0
    """The failures of a program that did not answer in time."""
    illegal: int = 0
    """The failures that were an answer, but no legal call."""
    first_failure: str = ""
    """The traceback of the first exception, or the reason against the first illegal call."""
    seconds: list[float] = field(default_factory=list)
    """Seconds of processor time for each call; for a program's, seconds of the clock."""

    def add(self, other: Tally) -> None:
        """Add the counts of another tally."""
        for name in ("games", "wins", "bids", "bluffs", "answers", "doubts", "right_doubts", "jumps", "raises"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.failures += other.failures
        self.late += other.late
        self.illegal += other.illegal
        self.first_failure = self.first_failure or other.first_failure
        self.seconds += other.seconds

    def fail(self, failure: str, error: Exception | None = None) -> None:
        """Count a failure; keep the text of the first one. Without an error it was an illegal call."""
        self.failures += 1
        self.late += isinstance(error, LateError)
        self.illegal += error is None or isinstance(error, StateError)
        self.first_failure = self.first_failure or failure


@dataclass(slots=True)
class Played:
    """The results of some games: a tally for each player of the table, and the forecasts for each answered bid."""

    tallies: list[Tally]
    strict: bool = False
    """Whether the first failure of an agent ends the games."""
    by_dice: list[tuple[float, bool]] = field(default_factory=list)
    by_bids: list[tuple[float, bool]] = field(default_factory=list)
    by_calls: list[tuple[float, bool]] = field(default_factory=list)
    """For each answer to a bid: the chance that it holds, from the view of the player to call, and whether it holds.
    By dice alone, by the faces that were bid last, and by all calls; the last only for one answer in 24."""
    names: Sequence[str] = ()
    """The players' names in the records of the games; without them no game is kept."""
    records: list[Record] = field(default_factory=list)


def play_games(  # noqa: PLR0917 - `map` of a pool gives them by their order
    players: Sequence[Player],
    rules: Rules,
    numbers: Sequence[int],
    seed: int,
    strict: bool = False,
    seconds: float = SECONDS,
    names: Sequence[str] = (),
) -> Played:
    """Play the games of these numbers.

    Each group of as many games as players has the same dice, and in each game all players move one seat on: common
    random numbers. The games are kept if the players have names.
    """
    played = Played([Tally() for _ in players], strict, names=names)
    with ExitStack() as running:
        agents = [agent_of(player, running, seconds) for player in players]
        for number in numbers:
            _play(agents, rules, number, seed, played)
    return played


def _play(agents: Sequence[Agent], rules: Rules, number: int, seed: int, played: Played) -> None:
    size = len(agents)
    deal, shift = divmod(number, size)
    dice = Random(f"{seed} {deal}")  # noqa: S311 - a seed makes a game repeatable
    sitting = [(seat + shift) % size for seat in range(size)]
    chances = [Random(f"{seed} {deal} {who}") for who in range(size)]  # noqa: S311 - as above
    opener = dice.randrange(size)
    state = new_game(rules, size, opener=opener)
    memory = new_memory(rules, size)
    calls, actions = 0, list[Action]()
    while not state.is_terminal:
        if state.is_chance:
            action: Action = sample_roll(state, dice)
        else:
            assert state.turn is not None, "somebody is on turn"  # noqa: S101 - for the type checker
            who = sitting[state.turn]
            calls += 1
            action = _call(state, memory, agents, sitting, chances, played)
            if calls > MOST_CALLS:
                action = Concede(state.turn)
                played.tallies[who].fail(f"the game did not end within {MOST_CALLS} calls")
        actions.append(action)
        state, events = apply(state, action)
        memory = remember_all(memory, events)
    for tally in played.tallies:
        tally.games += 1
    assert state.outcome is not None, "the game is over"  # noqa: S101 - for the type checker
    played.tallies[sitting[state.outcome.winner]].wins += 1
    if played.names:
        played.records.append(record_of(rules, [played.names[who] for who in sitting], actions, opener=opener))


def _call(  # noqa: PLR0917 - all that a game of agents consists of
    state: State,
    memory: Memory,
    agents: Sequence[Agent],
    sitting: Sequence[int],
    chances: Sequence[Random],
    played: Played,
) -> PlayerAction:
    """Return the call of the player whose turn it is, or of a player who speaks first.

    An illegal call becomes a conceded round.
    """
    turn = state.turn or 0
    if state.rules.out_of_turn_dudo or state.rules.calza:
        for offset in range(1, len(agents)):
            seat = (turn + offset) % len(agents)
            who, view = sitting[seat], observe(state, seat)
            if view.legal_calls:
                try:
                    early = agents[who].interrupt(view, memory, chances[who])
                except Exception as error:  # noqa: BLE001 - a game goes on, whatever an agent does
                    _fail(played, who, traceback.format_exc(), error)
                    continue
                if early is not None:
                    if _is_call_of(early, seat, state):
                        return early
                    _fail(played, who, _why_not(early, seat, state))
    who = sitting[turn]
    tally, view = played.tallies[who], observe(state, turn)
    situation = situation_of(view, memory)
    _forecast(state, situation, memory, played)
    clock = perf_counter if isinstance(agents[who], ProgramAgent) else process_time
    started = clock()
    try:
        call: object = agents[who].choose(view, memory, chances[who])
    except Exception as error:  # noqa: BLE001 - as above
        tally.seconds.append(clock() - started)
        _fail(played, who, traceback.format_exc(), error)
        return Concede(turn)
    tally.seconds.append(clock() - started)
    if not _is_call_of(call, turn, state):
        _fail(played, who, _why_not(call, turn, state))
        return Concede(turn)
    _note(state, situation, call, tally)
    return call


def _fail(played: Played, who: int, failure: str, error: Exception | None = None) -> None:
    """Count a failure, so that the game continues whatever an agent does; in strict games raise it."""
    if played.strict:
        raise sys.exception() or ValueError(failure)
    played.tallies[who].fail(failure, error)


def _why_not(call: object, seat: Seat, state: State) -> str:
    if not isinstance(call, Call):
        return f"{abbreviated(call)} is no call"
    if call.seat != seat:
        return f"{abbreviated(call)} is a call of seat {abbreviated(call.seat)}, not of seat {seat}"
    return f"{abbreviated(call)} is not legal: {why_illegal(state, call)}"


def _is_call_of(call: object, seat: Seat, state: State) -> TypeGuard[Call]:
    return isinstance(call, Call) and call.seat == seat and is_legal(state, call)


def _holds(state: State, bid: Bid) -> bool:
    return sum(count_matching(hand, bid.face, state.ones_are_wild) for hand in state.dice) >= bid.quantity


def _forecast(state: State, situation: Situation, memory: Memory, played: Played) -> None:
    last = situation.last
    if last is not None:
        need, holds = last.quantity - situation.own(last.face), _holds(state, last)
        played.by_dice.append((at_least(situation.tail_by_dice(last.face), need), holds))
        played.by_bids.append((at_least(situation.tail_by_bids(last.face), need), holds))
        if len(played.by_bids) % FORECASTS_BY_CALLS == 0:
            played.by_calls.append((chance_after_calls(situation, memory, last.quantity, last.face), holds))


def _note(state: State, situation: Situation, call: Call, tally: Tally) -> None:
    last = situation.last
    tally.answers += last is not None
    if isinstance(call, Bid):
        tally.bids += 1
        tally.bluffs += situation.is_bluff(call.quantity, call.face)
        if last is not None:
            least = next(n // 6 + 1 for n in situation.bid_numbers if n % 6 + 1 == call.face)
            tally.raises += 1
            tally.jumps += call.quantity - least
    else:
        tally.doubts += 1
        tally.right_doubts += isinstance(call, Dudo) and not _holds(state, state.bids[-1])
