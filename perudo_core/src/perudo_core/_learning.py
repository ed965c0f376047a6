"""An observation as a program that learns gets it: numbers, a mask of the legal calls, and their space."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from perudo_core._action_encoding import ActionEncoding
from perudo_core._actions import FACES, Seat
from perudo_core._observation import Observation
from perudo_core._round_setup import in_turn_order
from perudo_core._state import State

__all__ = ["observation_of", "observation_space", "state_of", "state_space"]


def observation_space(encoding: ActionEncoding) -> spaces.Dict:
    """Return the space of one player's observations."""
    most = np.full(8 + 4 * encoding.seats, encoding.max_quantity, dtype=np.float32)
    return spaces.Dict(
        observation=spaces.Box(np.zeros_like(most), np.maximum(most, 6), dtype=np.float32),
        action_mask=spaces.Box(0, 1, (encoding.size,), dtype=np.int8),
    )


def observation_of(view: Observation, encoding: ActionEncoding) -> dict[str, Any]:
    """Return the `observation` and the `action_mask` of a seat, as the environments give them to a learner.

    The mask is all zero unless the seat is on turn. Raises `ValueError` for the view of a bystander.
    """
    numbers = [*(view.dice.count(face) for face in FACES), *_public_numbers(view, view.own_seat)]
    mask = np.zeros(encoding.size, dtype=np.int8)
    if view.turn == view.seat:
        mask[[encoding.encode(call) for call in view.legal_calls]] = 1
    return {"observation": np.array(numbers, dtype=np.float32), "action_mask": mask}


def state_space(encoding: ActionEncoding) -> spaces.Box:
    """Return the space of `state_of`."""
    return spaces.Box(0, max(encoding.max_quantity, 6), (2 + 11 * encoding.seats,), dtype=np.float32)


def state_of(state: State, encoding: ActionEncoding) -> NDArray[np.float32]:
    """Return all hands, the public numbers from seat 0 on, and the seat on turn, as numbers for a critic."""
    order = in_turn_order(0, encoding.seats, state.rules.direction(state.round))
    hands = [state.dice[seat].count(face) for seat in order for face in FACES]
    on_turn = [seat == state.turn for seat in order]
    return np.array([*hands, *_public_numbers(state, 0), *on_turn], dtype=np.float32)


def _public_numbers(view: Observation | State, first: Seat) -> list[int]:
    seats = len(view.seats)
    said = {bid.seat: (bid.quantity, bid.face) for bid in view.bids}
    order = in_turn_order(first, seats, view.rules.direction(view.round))
    bidder = None if view.current_bid is None else view.current_bid.seat
    return [
        *(view.dice_counts[seat] for seat in order),
        *(number for seat in order for number in said.get(seat, (0, 0))),
        *(seat == bidder for seat in order),
        view.ones_are_wild,
        view.palifico is not None,
    ]
