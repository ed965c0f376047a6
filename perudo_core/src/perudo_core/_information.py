"""The knowledge of one seat as a text: the key of a strategy table."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from perudo_core._actions import Seat
from perudo_core._errors import expect_int, expect_tuple_of, expect_type
from perudo_core._observation import Observation, observe
from perudo_core._state import State

__all__ = ["information_state_string", "known_dice_counts"]


def information_state_string(
    seen: Observation | State,
    seat: Seat | None = None,
    *,
    dice_counts: Sequence[int] | None = None,
    had_palifico: Collection[Seat] = (),
) -> str:
    """Return a seat's knowledge of the round as a text: equal for equal knowledge, different for different knowledge.

    Give an observation, or a state and the seat.

    The text has these parts, with one space between them. It contains neither names nor rules, so make one table of
    strategies for each set of rules. Its form changes only with a major version.

    - `seat=1`: the seat that knows this; `-` is a bystander;
    - `phase=bidding`;
    - `dice=12344`: the seat's own dice, sorted; `-` without dice;
    - `counts=5,4,0`: the dice of each seat; `?` for a count that the seat does not know;
    - `opener=0`: the seat that opens or opened the round, or `-`;
    - `palifico=-`: the seat whose palifico round it is, or `-`;
    - `had=2`: the seats that have had a palifico round, or `-`; only in rules with `palifico_once`;
    - `bids=2x3,3x3`: the bids of the round, oldest first, or `-`; the bidders follow from the opener;
    - `places=2,1`: the final places; only once the game is over.

    The text leaves out the number of the round, because rounds that start alike are alike. With hidden lost dice give
    the `dice_counts` that the seat remembers, from `public_dice_counts`. With `palifico_once` give `had_palifico`: the
    `palifico` of each `RoundStarted`. Raises `ValueError` for counts that do not fit the observation.

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
    counts = observation.dice_counts if dice_counts is None else known_dice_counts(observation, dice_counts)
    parts = [
        f"seat={_seat(observation.seat)}",
        f"phase={observation.phase.value}",
        f"dice={''.join(map(str, sorted(observation.dice))) or '-'}",
        f"counts={','.join('?' if count is None else str(count) for count in counts)}",
        f"opener={_seat(observation.opener)}",
        f"palifico={_seat(observation.palifico)}",
    ]
    if observation.rules.palifico_once:
        for had in had_palifico:
            expect_int(had, "each of had_palifico", 0, len(observation.seats) - 1)
        known = {*had_palifico, *([] if observation.palifico is None else [observation.palifico])}
        parts.append(f"had={','.join(map(str, sorted(known))) or '-'}")
    parts.append(f"bids={','.join(map(str, observation.bids)) or '-'}")
    if observation.outcome is not None:
        parts.append(f"places={','.join(map(str, observation.outcome.placements))}")
    return " ".join(parts)


def _seat(seat: Seat | None) -> str:
    return "-" if seat is None else str(seat)


def known_dice_counts(observation: Observation, dice_counts: Sequence[int]) -> tuple[int, ...]:
    """Return the counts as a tuple; raises `ValueError` if they do not fit the observation."""
    counts = tuple(dice_counts)
    expect_tuple_of(counts, int, "dice_counts")
    if len(counts) != len(observation.seats):
        raise ValueError(f"{len(counts)} dice_counts for {len(observation.seats)} seats")
    for seat, (count, shown) in enumerate(zip(counts, observation.dice_counts, strict=True)):
        if shown is None:
            expect_int(count, f"the dice count of seat {seat}", 1, observation.rules.starting_dice)
        elif count != shown:
            raise ValueError(f"seat {seat} holds {shown} dice, not {count}")
    return counts
