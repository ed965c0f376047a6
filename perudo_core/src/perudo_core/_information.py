"""The knowledge of one seat as a text: the key of a strategy table."""

from __future__ import annotations

from perudo_core._actions import Seat
from perudo_core._errors import expect_type
from perudo_core._observation import Observation, observe
from perudo_core._state import State

__all__ = ["information_state_string"]


def information_state_string(seen: Observation | State, seat: Seat | None = None) -> str:
    """Return a seat's knowledge of the round as a text: equal for equal knowledge, different for different knowledge.

    Give an observation, or a state and the seat.

    The text has these parts, with one space between them. It contains neither names nor rules, so make one table of
    strategies for each set of rules. Its form changes only with a major version.

    - `seat=1`: the seat that knows this; `-` is a bystander;
    - `phase=bidding`;
    - `dice=12344`: the seat's own dice, sorted; `-` without dice;
    - `counts=5,4,0`: the number of dice of each seat;
    - `opener=0`: the seat that opens or opened the round, or `-`;
    - `palifico=-`: the seat whose palifico round it is, or `-`;
    - `had=2`: the seats that have had a palifico round, or `-`; only in rules with `palifico_once`;
    - `to=right`: the direction of play, `left` or `right`; only in rules with `reverse_after_call`;
    - `bids=2x3,3x3`: the bids of the round, oldest first, or `-`; the bidders follow from the opener;
    - `open=2x3:33,3x3:1`: the dice shown after some of the bids, or `-`; only in rules with `reroll_after_bid`;
    - `places=2,1`: the final places; only once the game is over.

    The text leaves out the number of the round, because rounds that start alike are alike.

    >>> from perudo_core import Bid, Rules, observe, set_up
    >>> state = set_up(Rules.preset("aces"), ((6, 2, 2), (3, 4)), [Bid(0, 1, 2), Bid(1, 2, 2)])
    >>> information_state_string(state, 0) == information_state_string(observe(state, 0))
    True
    >>> information_state_string(state, 0)
    'seat=0 phase=bidding dice=226 counts=3,2 opener=0 palifico=- had=- bids=1x2,2x2'
    """
    expect_type(seen, Observation | State, "seen")
    if isinstance(seen, Observation) and seat is not None:
        raise TypeError("an observation has its seat: give the state and a seat, or the observation alone")
    observation = observe(seen, seat) if isinstance(seen, State) else seen
    parts = [
        f"seat={_seat(observation.seat)}",
        f"phase={observation.phase.value}",
        f"dice={''.join(map(str, sorted(observation.dice))) or '-'}",
        f"counts={','.join(map(str, observation.dice_counts))}",
        f"opener={_seat(observation.opener)}",
        f"palifico={_seat(observation.palifico)}",
    ]
    if observation.rules.palifico_once:
        parts.append(f"had={','.join(map(str, sorted(observation.had_palifico))) or '-'}")
    if observation.rules.reverse_after_call:
        parts.append(f"to={'left' if observation.rules.direction(observation.round) == 1 else 'right'}")
    parts.append(f"bids={','.join(map(str, observation.bids)) or '-'}")
    if observation.rules.reroll_after_bid:
        shown = (f"{each.bid}:{''.join(map(str, sorted(each.dice)))}" for each in observation.shown)
        parts.append(f"open={','.join(shown) or '-'}")
    if observation.outcome is not None:
        parts.append(f"places={','.join(map(str, observation.outcome.placements))}")
    return " ".join(parts)


def _seat(seat: Seat | None) -> str:
    return "-" if seat is None else str(seat)
