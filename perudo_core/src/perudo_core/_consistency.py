"""Proves that a state which the engine did not make fits its rules."""

from __future__ import annotations

from typing import Any, Final

from perudo_core._actions import FACES, Bid, Seat
from perudo_core._bid_lists import NO_BIDS
from perudo_core._bidding import MAX_TABLE_DICE, ONE
from perudo_core._engine import apply
from perudo_core._errors import IllegalActionError, StateError
from perudo_core._phase import Phase
from perudo_core._round_setup import RoundSetup, filled, open_dice, setup_of
from perudo_core._rules import OpenerMethod
from perudo_core._state import State, complete_state

__all__ = ["proved", "proved_state"]

MAX_BIDS: Final = len(FACES) * MAX_TABLE_DICE
"""The most bids of a round; more are refused immediately, so that data from outside cannot ask for much work."""


def proved_state(turn: Seat | None, bids: tuple[Bid, ...], **setup: Any) -> State:
    """Return the state of these fields; raises `StateError` for fields that no game can have.

    Only the state is checked. Only a record proves a history that leads to it.
    """
    return proved(setup_of(**setup), turn, bids)


def proved(setup: RoundSetup, turn: Seat | None, bids: tuple[Bid, ...]) -> State:
    """Return the state of these parts; raises `StateError` for parts that no game can have."""
    state: State = filled(State.__new__(State), setup, turn, bids, NO_BIDS)
    _prove_table(state)
    return _proved_phase(state)


def _prove_table(state: State) -> None:
    rules, size = state.rules, len(state.seats)
    _prove(rules.min_seats <= size <= (rules.max_seats or size), "seats do not fit the rules")
    _prove(len(state.dice_counts) == size, "dice_counts must have one for each seat")
    above = any(count > most for count, most in zip(state.dice_counts, rules.dice_at_start(size), strict=True))
    _prove(not above, "dice_counts above the start")
    out = [seat for seat, count in enumerate(state.dice_counts) if count == 0]
    winners = set(out) - set(state.eliminated) if rules.first_out_wins and state.is_terminal else set()
    _prove(sorted((*state.eliminated, *winners)) == out, "eliminated must be the seats without dice")
    ended = len(winners) == 1 or (size - len(out) == 1 and not winners)
    _prove(ended == state.is_terminal and len(out) < size, "phase does not fit the dice")
    _prove(all(seat < size for seat in state.had_palifico), "had_palifico names no seat")
    _prove(len(state.dice) == size, "dice must have one hand for each seat")


def _proved_phase(state: State) -> State:
    """Return the state itself, where the phase, the players and the bids fit one another."""
    phase, active_seats = state.phase, state.active_seats
    if phase is Phase.OPENING and state.rules.opener is not OpenerMethod.RANDOM:
        contenders = state.contenders
        _prove(len(contenders) > 1 and set(contenders) <= set(active_seats), "contenders must be players still in")
        _prove(list(contenders) == sorted(set(contenders)), "contenders must be in order")
    else:
        _prove(not state.contenders, "contenders without a contest")
    if phase in {Phase.OPENING, Phase.OVER}:
        _prove(state.opener is None and state.palifico is None, f"no opener and no palifico while {phase}")
    else:
        _prove(state.opener in active_seats, "opener must be a player still in")
    if state.rules.round_options.palifico_every_round:
        _prove(state.palifico == state.opener, "palifico must be the opener")
    elif state.palifico is not None:
        fits = state.rules.palifico and state.palifico == state.opener and state.dice_counts[state.palifico] == 1
        _prove(fits, "palifico must be the opener with one die")
    _prove(phase is not Phase.OPENING or state.round == 0, "no round while opening")
    _prove_losses(state)
    if phase is Phase.BIDDING:
        return _replayed_bidding(state)
    nothing = not any(state.dice) and not state.bids and not state.shown and state.turn is None
    _prove(nothing, f"no dice, bids or turn while {phase}")
    return state


def _replayed_bidding(state: State) -> State:
    """Return the state that these bids lead to from the roll."""
    _prove(state.round > 0, "bidding needs a round")
    _prove(len(state.bids) <= MAX_BIDS, "too many bids")
    _prove(tuple(map(len, state.dice)) == state.dice_counts, "dice do not fit dice_counts")
    again = complete_state(state._setup, state.opener)
    try:
        for bid in state.bids:
            again = apply(again, bid).state
    except IllegalActionError as error:
        raise StateError(f"state: an illegal bid: {error}") from None
    _prove(again.turn == state.turn, "turn does not follow the bids")
    _prove_shown(state)
    return again


def _prove_shown(state: State) -> None:
    bids, shown = state.bids, state.shown
    _prove(not shown or state.rules.reroll_after_bid, "shown dice, where nobody rolls again")
    _prove(
        [each.bid for each in shown] == [bid for bid in bids if any(each.bid == bid for each in shown)],
        "shown must follow bids of the round, each once",
    )
    for each in shown:
        faces = {each.bid.face, ONE} if state.ones_are_wild else {each.bid.face}
        _prove(each.seat == each.bid.seat and each.dice != () and set(each.dice) <= faces, "shown must support a bid")
    for seat in {each.seat for each in shown}:
        dice, hand = open_dice(shown, seat), state.dice[seat]
        _prove(dice == hand[: len(dice)] and len(dice) < len(hand), "shown must be the first dice of a hand")


def _prove_losses(state: State) -> None:
    rules, players = state.rules, state.active_seats
    if state.round == 0 or rules.sudden_death:
        start = rules.dice_at_start(len(state.seats))
        _prove(
            all(state.dice_counts[seat] == start[seat] for seat in players),
            "nobody can have lost some of their dice and kept some",
        )
    if rules.round_options.palifico_every_round:
        begun = state.phase is not Phase.BIDDING or state.palifico in state.had_palifico
        _prove(begun, "had_palifico lacks the player")
        return
    drops = rules.can_drop_to_palifico
    _prove(drops or not state.had_palifico, "had_palifico where nobody can drop to one die")
    if state.palifico is not None:
        _prove(drops and state.round > 0, "palifico is for who dropped to one die")
        _prove(rules.palifico_with_two_players or len(players) > 2, "no palifico with two players")  # noqa: PLR2004 - the option's own words
        _prove(state.phase is Phase.ROLLING or state.palifico in state.had_palifico, "had_palifico lacks the player")


def _prove(holds: bool, fault: str) -> None:
    if not holds:
        raise StateError(f"state: {fault}")
