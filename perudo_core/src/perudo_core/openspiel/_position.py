"""A game in OpenSpiel's steps: one hand at a chance node, one player asked at a time, ended rounds kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

from perudo_core._action_encoding import ActionEncoding
from perudo_core._actions import Bid, Calza, Dice, Dudo, OpenerDraw, Roll, Seat
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core._engine import apply, legal_calls
from perudo_core._errors import RulesError
from perudo_core._information import information_state_string
from perudo_core._observation import observe
from perudo_core._round_setup import ROLLING, in_turn_order
from perudo_core._rules import OpenerMethod, Rules
from perudo_core._state import State, new_game

__all__ = ["NOBODY", "EndedRound", "Position", "Settings"]

NOBODY: Final = -1


@dataclass(frozen=True)
class Settings:
    """The parameters of a game."""

    rules: Rules
    seats: int
    rounds: int
    """The number of rounds after which the game ends; 0: it ends when one player is left."""
    opener: Seat
    """-1: drawn by chance."""

    def __post_init__(self) -> None:
        if self.rounds < 0:
            raise RulesError(f"rounds must be 0 or more, not {self.rounds}")
        calls_may_cost_no_die = self.rules.calza and not (self.rules.calza_costs_others or self.rules.first_out_wins)
        if self.rounds == 0 and calls_may_cost_no_die:
            raise RulesError("with calza a game may never end: give the number of rounds")

    @cached_property
    def encoding(self) -> ActionEncoding:
        """The numbers of the calls."""
        return ActionEncoding(self.rules, self.seats)

    @property
    def pass_number(self) -> int:
        """The number of a pass, by a player asked out of turn."""
        return self.encoding.size

    @property
    def others_may_call(self) -> bool:
        """Whether other players than the one on turn may say dudo or calza."""
        return self.rules.out_of_turn_dudo or self.rules.calza

    @property
    def max_rounds(self) -> int:
        """The highest possible number of rounds."""
        return self.rounds or sum(self.rules.dice_at_start(self.seats)) - 1

    @cached_property
    def start(self) -> Position:
        """The position before the first roll, made once: OpenSpiel begins a game for each copy of a state."""
        opener = None if self.opener == NOBODY else self.opener
        # Every method finds each seat with the same probability.
        rules = self.rules.with_options(opener=OpenerMethod.RANDOM)
        return Position(self, new_game(rules, self.seats, opener=opener))


class EndedRound(NamedTuple):
    """The public facts of a round that is over."""

    dice: Dice
    opener: Seat
    bids: tuple[Bid, ...]
    doubt: Dudo | Calza

    def __str__(self) -> str:
        dice = ",".join("".join(map(str, sorted(hand))) or "-" for hand in self.dice)
        return f"dice={dice} opener={self.opener} calls={','.join(map(str, self.bids))},{self.doubt.seat}:{self.doubt}"


class Position(NamedTuple):
    """A moment of a game, hidden dice included."""

    settings: Settings
    state: State
    hands: Dice = ()
    """The hands dealt so far, while chance deals."""
    asked: tuple[Seat, ...] = ()
    """The seats that may still call out of turn before the player whose turn it is; the first is to move."""
    ended: tuple[EndedRound, ...] = ()

    def __deepcopy__(self, memo: object) -> Position:
        """Return the position itself, because a position never changes."""
        return self

    def __str__(self) -> str:
        state = self.state
        dice = ",".join("".join(map(str, hand)) or "-" for hand in self.hands or state.dice)
        counts, bids = (",".join(map(str, values)) or "-" for values in (state.dice_counts, state.bids))
        now = f"dice={dice} counts={counts} opener={state.opener} bids={bids} to_move={self.player}"
        return " | ".join([*map(str, self.ended), now])

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return 0 < self.settings.rounds == len(self.ended) or self.state.is_terminal

    @property
    def player(self) -> Seat | None:
        """The player to move, or None for chance and at the end, because no player is on turn between two rounds."""
        return self.asked[0] if self.asked else self.state.turn

    @property
    def is_dealing(self) -> bool:
        """Whether chance deals the hands of a round."""
        return self.state.phase is ROLLING

    def outcomes(self) -> list[tuple[int, float]]:
        """Return the outcomes of chance as numbers, with probabilities."""
        if not self.is_dealing:
            return [(seat, 1 / self.settings.seats) for seat in range(self.settings.seats)]
        hands = hand_outcomes(self.state.dice_counts[len(self.hands)])
        return [(number, float(probability)) for number, (_, probability) in enumerate(hands)]

    def outcome_text(self, number: int) -> str:
        """Return an outcome of chance in words."""
        if not self.is_dealing:
            return f"seat {number} opens"
        seat = len(self.hands)
        hand, _ = hand_outcomes(self.state.dice_counts[seat])[number]
        return f"seat {seat} rolls {''.join(map(str, hand))}"

    def after_chance(self, number: int) -> Position:
        """Return the position after an outcome."""
        state = self.state
        if not self.is_dealing:
            return self._replace(state=apply(state, OpenerDraw(number)).state)
        hand, _ = hand_outcomes(state.dice_counts[len(self.hands)])[number]
        hands = _with_empty_hands((*self.hands, hand), state.dice_counts)
        if len(hands) < len(state.seats):
            return self._replace(hands=hands)
        return self._replace(hands=(), state=apply(state, Roll(hands)).state)

    def legal_numbers(self) -> list[int]:
        """Return the calls of the player to move, in order."""
        calls, encode = legal_calls(self.state, self.player), self.settings.encoding.encode
        numbers = calls.bid_numbers
        numbers += [encode(calls[index]) for index in range(len(numbers), len(calls))]
        return [*numbers, self.settings.pass_number] if self.asked else numbers

    def after_call(self, number: int) -> Position:
        """Return the position after a call, or a pass, of the player to move."""
        if number == self.settings.pass_number:
            return self._replace(asked=self.asked[1:])
        assert self.player is not None, "only a player calls"  # noqa: S101 - for the type checker
        call = self.settings.encoding.decode(number, self.player)
        following = apply(self.state, call).state
        if isinstance(call, Bid):
            asked = _interrupters(following) if self.settings.others_may_call else ()
            return self._replace(state=following, asked=asked)
        state = self.state
        ended = EndedRound(state.dice, state.bids[0].seat, state.bids, call)
        hands = _with_empty_hands((), following.dice_counts) if following.is_chance else ()
        return Position(self.settings, following, hands, ended=(*self.ended, ended))

    def information_text(self, seat: Seat | None, *, perfect_recall: bool = True) -> str:
        """Return a seat's knowledge; without perfect recall it lacks the ended rounds and the bids before the last."""
        state = self.state
        view = observe(state, seat)
        if not perfect_recall:
            view = replace(view, bids=view.bids[-1:])
        text = information_state_string(view)
        if self.asked:
            text += f" asked={self.asked[0]}"
        return " | ".join([*map(str, self.ended), text]) if perfect_recall else text

    def returns(self) -> list[float]:
        """Return each seat's result."""
        seats, outcome = self.settings.seats, self.state.outcome
        if not self.is_over:
            return [0.0] * seats
        if self.settings.rounds == 0 and outcome is not None:
            return [1.0 if seat == outcome.winner else -1 / (seats - 1) for seat in range(seats)]
        counts, good = self.state.dice_counts, -1 if self.settings.rules.first_out_wins else 1
        return [good * (count - (sum(counts) - count) / (seats - 1)) for count in counts]


def _interrupters(state: State) -> tuple[Seat, ...]:
    """Return the seats that may say dudo or calza out of turn, the nearest to the bidder's left first."""
    bidder = state.bids[-1].seat
    seats = {call.seat for call in legal_calls(state) if not isinstance(call, Bid)} - {state.turn}
    order = in_turn_order(bidder, len(state.seats), state.rules.direction(state.round))
    return tuple(seat for seat in order if seat in seats)


def _with_empty_hands(hands: Dice, counts: tuple[int, ...]) -> Dice:
    """Return the hands, followed by an empty hand for each next seat that is out."""
    while len(hands) < len(counts) and not counts[len(hands)]:
        hands = (*hands, ())
    return hands
