"""Analyse a finished game."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Final, NamedTuple

from perudo_core._actions import Bid, Calza, Concede, Dudo, Roll, Seat
from perudo_core._errors import RecordError, expect_int, expect_type
from perudo_core._events import DiceLost, DieRegained, Event, Revealed, RoundVoided, visible_events
from perudo_core._observation import observe
from perudo_core._record import Record
from perudo_core._replay import Step, replay
from perudo_core._state import State
from perudo_core.agents._memory import Memory, new_memory, remember_all
from perudo_core.agents._situation import situation_of
from perudo_core.analysis._equities import Shares, deal_equities, shares
from perudo_core.analysis._results import Decided, Decision, GameAnalysis, PlayerAnalysis, RoundAnalysis
from perudo_core.analysis._weighing import WORLDS, Weighing, weigh
from perudo_core.fair_record import FairRecord
from perudo_core.odds import count_matching

__all__ = ["analyse"]

MOST_WORLDS: Final = 100_000
CONCEDED: Final = -1.0
"""The worth of conceding a round, in dice."""


def analyse(record: Record | FairRecord, *, seed: int = 0, worlds: int = WORLDS) -> GameAnalysis:
    """Analyse a finished game: the same seed gives the same analysis.

    Raises `RecordError` for a record that cannot be replayed, and for an unfinished game.

    >>> from perudo_core import Bid, Dudo, Roll, Rules, record_of
    >>> actions = [Roll(((2,), (3,))), Bid(0, 2, 2), Dudo(1)]
    >>> game = analyse(record_of(Rules(starting_dice=1), ["Ana", "Bo"], actions, opener=0))
    >>> [decision.milli_dice_lost for decision in game.decisions][1], game.players[1].result
    (0, 1.0)
    """
    if not isinstance(record, Record | FairRecord):
        raise TypeError(f"record must be a Record or a FairRecord, not {type(record).__name__}")
    expect_type(seed, int, "seed")
    expect_int(worlds, "worlds", 1, MOST_WORLDS)
    plain = record.record if isinstance(record, FairRecord) else record
    game = replay(plain)
    outcome = game.final.outcome
    if outcome is None:
        raise RecordError("the game is not over")
    memory = new_memory(plain.rules, len(plain.seats))
    before, rounds, course = game.start, list[RoundAnalysis](), [game.start.dice_counts]
    round_: _Round | None = None
    for step in game:
        if isinstance(step.action, Roll):
            round_ = _Round(step.round, step.state, f"{seed}:{step.round}", worlds)
        elif round_ is not None and before.turn is not None:
            round_.decide(before, memory, step)
            if step.state.turn is None:
                rounds += round_.analysed(step.events)
        if step.state.turn is None:
            course.append(step.state.dice_counts)
        memory = remember_all(memory, visible_events(step.events, None))
        before = step.state
    players = tuple(_player(rounds, seat, name, outcome.placements[seat]) for seat, name in enumerate(plain.seats))
    return GameAnalysis(plain.rules, plain.seats, outcome, tuple(rounds), players, tuple(course))


class _Choice(NamedTuple):
    """A decision before the end of the round is known."""

    seat: Seat
    call: Decided
    answered: Bid | None
    dice: tuple[int, ...]
    number: int
    weighing: Weighing

    @property
    def lost(self) -> float:
        return self.weighing.best.worth - CONCEDED if isinstance(self.call, Concede) else self.weighing.lost(self.call)


class _Round:
    """A round while it is replayed."""

    def __init__(self, number: int, dealt: State, seed: str, worlds: int) -> None:
        self._number = number
        self._dealt = dealt
        self._seed = seed
        self._worlds = worlds
        self._decided: list[_Choice] = []

    def decide(self, before: State, memory: Memory, step: Step) -> None:
        """Weigh a player's decision by the player's knowledge."""
        action = step.action
        if not isinstance(action, Bid | Dudo | Calza | Concede):
            return
        number = len(self._decided) + 1
        seat = action.seat
        call = None if isinstance(action, Concede) else action
        rng = Random(f"{self._seed}:{number}")  # noqa: S311 - a simulation
        weighing = weigh(observe(before, seat), memory, rng, chosen=call, worlds=self._worlds)
        self._decided.append(_Choice(seat, action, before.current_bid, before.dice[seat], number, weighing))

    def analysed(self, events: Sequence[Event]) -> list[RoundAnalysis]:
        """Return the round after its last events; none for a void one."""
        if any(isinstance(event, RoundVoided) for event in events):
            return []
        dealt = self._dealt
        counts = dealt.dice_counts
        in_play = tuple(count > 0 for count in counts)
        result = self._result(events)
        memory = new_memory(dealt.rules, len(counts))
        opening = situation_of(observe(dealt, dealt.turn), memory)
        rng = Random(f"{self._seed}:deal")  # noqa: S311 - a simulation
        expected, seen = deal_equities(opening, dealt.dice, rng)
        paid = [shares(each.seat, -each.lost, in_play) for each in self._decided]
        skill = tuple(map(sum, zip(*paid, strict=True)))
        luck = tuple(got - due - play for got, due, play in zip(result, expected, skill, strict=True))
        deal = tuple(after - due for after, due in zip(seen, expected, strict=True))
        reveal = next((event for event in events if isinstance(event, Revealed)), None)
        decisions = tuple(self._decision(each, reveal) for each in self._decided)
        return [RoundAnalysis(self._number, counts, decisions, result, expected, skill, luck, deal)]

    def _result(self, events: Sequence[Event]) -> Shares:
        """Return the result of each seat.

        A player who is out by sudden death has lost one stake; the others have won one.
        """
        in_play = tuple(count > 0 for count in self._dealt.dice_counts)
        rules = self._dealt.rules
        worth = -1 if rules.first_out_wins else 1  # of a die
        at_once = rules.sudden_death
        gains = [
            (event.seat, worth * (event.amount if isinstance(event, DieRegained) else -1 if at_once else -event.amount))
            for event in events
            if isinstance(event, DiceLost | DieRegained)
        ]
        return tuple(map(sum, zip(*(shares(seat, gain, in_play) for seat, gain in gains), strict=True)))

    def _decision(self, decided: _Choice, reveal: Revealed | None) -> Decision:
        """Return the decision, completed by the reveal if there was one."""
        is_right = None if reveal is None else _is_right(decided.call, reveal)
        was_counted = reveal is not None and (decided.number == len(self._decided) or decided.call == reveal.bid)
        return Decision(
            round=self._number,
            number=decided.number,
            seat=decided.seat,
            call=decided.call,
            answered=decided.answered,
            dice=decided.dice,
            weighing=decided.weighing,
            lost=decided.lost,
            is_right=is_right,
            was_counted=was_counted,
            got_through=not isinstance(decided.call, Concede) and not (was_counted and not is_right),
        )


def _is_right(call: Decided, reveal: Revealed) -> bool:
    """Return whether a bid of the round holds by the revealed dice, or the answer to the last bid is right."""
    if not isinstance(call, Bid):
        return reveal.exact if isinstance(call, Calza) else not reveal.holds
    return sum(count_matching(hand, call.face, reveal.ones_are_wild) for hand in reveal.dice) >= call.quantity


def _player(rounds: Sequence[RoundAnalysis], seat: Seat, name: str, place: int) -> PlayerAnalysis:
    """Return the sums of one seat."""
    own = [decision for each in rounds for decision in each.decisions if decision.seat == seat]
    bluffs = [decision for decision in own if decision.is_bluff]
    doubts = [decision for decision in own if isinstance(decision.call, Dudo | Calza)]
    return PlayerAnalysis(
        seat=seat,
        name=name,
        place=place,
        decisions=len(own),
        lost=sum(decision.lost for decision in own),
        bluffs=len(bluffs),
        bluffs_through=sum(decision.got_through for decision in bluffs),
        doubts=len(doubts),
        right_doubts=sum(decision.is_right is True for decision in doubts),
        result=sum(each.result[seat] for each in rounds),
        expected=sum(each.expected[seat] for each in rounds),
        skill=sum(each.skill[seat] for each in rounds),
        luck=sum(each.luck[seat] for each in rounds),
        deal=sum(each.deal[seat] for each in rounds),
    )
