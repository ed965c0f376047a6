"""Each player's calls and places in one finished game, from its stored actions."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from perudo_core import (
    Action,
    Bid,
    CalzaCalled,
    DiceLost,
    DieRegained,
    DudoCalled,
    Event,
    GameOver,
    Revealed,
    Roll,
    RoundStarted,
    Rules,
    SeatLeft,
    SeatOut,
    apply,
    count_matching,
    new_game,
)


class PlayedAction(NamedTuple):
    """One stored action; `automatic`: the bot played it for an absent or late player."""

    action: Action
    automatic: bool


class ShownBid(NamedTuple):
    """A player's own bid in a round whose dice were shown."""

    deal: int
    """The number of the game's deal, from 1 on."""
    number: int
    """Its number among the bids of the round, from 0 on."""
    is_bluff: bool


@dataclass(slots=True)
class SeatFacts:
    """The counts of one seat in one game, without calls that the bot played for the player.

    Bids count in rounds whose dice were shown, so that hidden dice stay hidden.
    """

    players: int
    place: int = 0
    rounds: int = 0
    bids: int = 0
    bluffs: int = 0
    """Bids on a face of which the bidder held no die that counts."""
    bluffs_held: int = 0
    """Bluffs that were not caught: the next player raised, or there were enough dice elsewhere."""
    dudos: int = 0
    dudos_right: int = 0
    calzas: int = 0
    calzas_right: int = 0
    automatic: int = 0
    """Calls that the bot played for the player."""
    has_left: bool = False
    dice_lost: int = 0
    dice_regained: int = 0
    fewest_dice: int = 0
    """The fewest dice that they had while still in the game."""
    dice_left: int = 0
    rolled_alike: int = 0
    """The most dice of one face in a shown hand in which all dice were alike."""
    boldest_bluff: int = 0
    """The largest number of dice in a bluff that was not caught."""
    bids_doubted: int = 0
    """Their own bids that were doubted."""
    bids_held: int = 0
    """Those of them that held."""
    exactly_enough: int = 0
    """Those of them that held with not a die to spare."""
    caught_far_off: int = 0
    """The number of dice by which their worst doubted bid failed."""
    opening_dudos_right: int = 0
    """Right dudos to the first bid of a round."""
    tightest_dudos: int = 0
    """Right dudos to bids that were one die short."""
    late_dudos: int = 0
    """Wrong dudos to bids with three dice or more to spare."""
    knocked_out: int = 0
    """Players whose last die they took."""
    losing_run: int = 0
    """The most rounds in a row in which they lost a die."""
    rounds_unharmed: int = 0
    """The most rounds in a row in which they lost none."""
    longest_round: int = 0
    """The most bids in a round that they ended with dudo or calza."""
    shown_bids: list[ShownBid] = field(default_factory=list)


@dataclass(slots=True)
class _Round:
    """The running round."""

    bids: list[tuple[Bid, bool, bool]] = field(default_factory=list)
    """Each with whether the bot made it, and whether the bidder held a die that counted: they may roll again later."""
    harmed: set[int] = field(default_factory=set)


class _Counter:
    """Counts while a game is replayed."""

    def __init__(self, rules: Rules, seats: int) -> None:
        self.first_out_wins = rules.first_out_wins
        self.facts = [SeatFacts(seats, fewest_dice=dice) for dice in rules.dice_at_start(seats)]
        self.round = _Round()
        self.deals = 0
        self.unharmed = [0] * seats
        self.losing = [0] * seats

    def see(self, event: Event, *, automatic: bool) -> None:
        """Count an event. `automatic`: the bot took the action that led to it."""
        match event:
            case RoundStarted():
                self.round = _Round()
            case DiceLost(seat=seat, amount=amount) if not self.first_out_wins:
                self.facts[seat].dice_lost += amount
                self.round.harmed.add(seat)
            case DieRegained(seat=seat, amount=amount):
                self.facts[seat].dice_regained += amount
            case DudoCalled(seat=seat) | CalzaCalled(seat=seat):
                self.facts[seat].longest_round = max(self.facts[seat].longest_round, len(self.round.bids))
            case SeatOut(seat=seat, place=place):
                self.facts[seat].place = place
            case SeatLeft(seat=seat, place=place):
                self.facts[seat].place, self.facts[seat].has_left = place, True
            case GameOver(outcome=outcome):
                for seat, place in enumerate(outcome.placements):
                    self.facts[seat].place = place
            case _:
                pass
        if automatic and isinstance(event, DudoCalled):
            self.facts[event.seat].automatic += 1

    def count_round(self, shown: Revealed, call: DudoCalled | CalzaCalled, out: list[int], *, automatic: bool) -> None:
        """Count the bids and the call of a round whose dice were shown."""
        for seat, hand in enumerate(shown.dice):
            if hand:
                self.facts[seat].rounds += 1
                if len(set(hand)) == 1:
                    self.facts[seat].rolled_alike = max(self.facts[seat].rolled_alike, len(hand))
        for number, (bid, by_bot, held) in enumerate(self.round.bids, 1):
            facts = self.facts[bid.seat]
            if by_bot:
                facts.automatic += 1
                continue
            facts.bids += 1
            facts.shown_bids.append(ShownBid(self.deals, number - 1, is_bluff=not held))
            if not held:
                facts.bluffs += 1
                if number < len(self.round.bids) or shown.holds:
                    facts.bluffs_held += 1
                    facts.boldest_bluff = max(facts.boldest_bluff, bid.quantity)
        self._count_call(shown, call, out, automatic=automatic)
        if self.first_out_wins:
            self._count_wrong(shown, call)
        for seat, hand in enumerate(shown.dice):
            if hand:
                self._count_runs(seat)

    def _count_call(self, shown: Revealed, call: DudoCalled | CalzaCalled, out: list[int], *, automatic: bool) -> None:
        caller, bidder = self.facts[call.seat], self.facts[shown.bid.seat]
        to_spare = shown.matching - shown.bid.quantity
        if isinstance(call, CalzaCalled):
            caller.calzas += 1
            caller.calzas_right += shown.exact
            return
        if not self.round.bids[-1][1]:
            bidder.bids_doubted += 1
            bidder.bids_held += shown.holds
            bidder.exactly_enough += to_spare == 0
            bidder.caught_far_off = max(bidder.caught_far_off, -to_spare)
            bidder.knocked_out += call.seat in out
        if automatic:
            return
        caller.dudos += 1
        caller.dudos_right += not shown.holds
        caller.opening_dudos_right += not shown.holds and len(self.round.bids) == 1
        caller.tightest_dudos += to_spare == -1
        caller.late_dudos += to_spare >= FAR_OFF
        caller.knocked_out += shown.bid.seat in out

    def _count_wrong(self, shown: Revealed, call: DudoCalled | CalzaCalled) -> None:
        """Count the round of the player who was wrong as a lost die, where no die is lost."""
        is_calza = isinstance(call, CalzaCalled)
        if is_calza and shown.exact:
            return
        wrong = call.seat if is_calza or shown.holds else shown.bid.seat
        self.facts[wrong].dice_lost += 1
        self.round.harmed.add(wrong)

    def _count_runs(self, seat: int) -> None:
        harmed = seat in self.round.harmed
        self.losing[seat] = self.losing[seat] + 1 if harmed else 0
        self.unharmed[seat] = 0 if harmed else self.unharmed[seat] + 1
        facts = self.facts[seat]
        facts.losing_run = max(facts.losing_run, self.losing[seat])
        facts.rounds_unharmed = max(facts.rounds_unharmed, self.unharmed[seat])


FAR_OFF = 3


def facts_of(rules: Rules, seats: int, actions: Iterable[PlayedAction]) -> tuple[SeatFacts, ...]:
    """Replay a game and count what each seat did.

    Raises:
        IllegalActionError: the actions are no game under these rules.
    """
    state = new_game(rules, [f"seat {seat}" for seat in range(seats)])
    counter = _Counter(rules, seats)
    for action, automatic in actions:
        state, events = apply(state, action)
        counter.deals += isinstance(action, Roll)
        if isinstance(action, Bid):
            held = count_matching(state.dice[action.seat], action.face, state.ones_are_wild) > 0
            counter.round.bids.append((action, automatic, held))
            continue
        for event in events:
            counter.see(event, automatic=automatic)
        shown = next((event for event in events if isinstance(event, Revealed)), None)
        if shown is not None:
            call = next(event for event in events if isinstance(event, DudoCalled | CalzaCalled))
            out = [event.seat for event in events if isinstance(event, SeatOut)]
            counter.count_round(shown, call, out, automatic=automatic)
        for seat, dice in enumerate(state.dice_counts):
            facts = counter.facts[seat]
            facts.dice_left = dice
            facts.fewest_dice = min(facts.fewest_dice, dice) if dice and not rules.first_out_wins else facts.fewest_dice
    return tuple(counter.facts)
