"""A player's knowledge as OpenSpiel's tensors and strings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, Final, Protocol

import numpy as np
import pyspiel
from numpy.typing import NDArray

from perudo_core._actions import FACES, Calza, Dice, Seat
from perudo_core.openspiel._position import EndedRound, Position, Settings

__all__ = ["PerudoObserver"]


class HasPosition(Protocol):
    """The part of OpenSpiel's state that an observer reads."""

    position: Position


class PerudoObserver:
    """An observer for OpenSpiel: `tensor` is a row of all parts, and the values of `dict` are views of it.

    With n seats, and B bids in the encoding:

    - `player` (n): a 1 at the observing player's seat;
    - `dice` (6), private: the player's number of dice of each face; for all players (n, 6);
    - `dice_counts` (n): the number of dice of each seat;
    - `opener`, `palifico`, `had_palifico`, `to_move` (n): a 1 for each seat that this applies to;
    - `bids` (B): a 1 for each bid of the round; without perfect recall only for the last one. The order of the bids
      follows, because each bid is stronger than the one before;
    - `ended_rounds` (rounds - 1, 9n + B), only with perfect recall and more than one round: for each round the dice of
      all (6n), the opener (n), the bids (B), the seat that said dudo (n), the seat that said calza (n).
    """

    def __init__(self, settings: Settings, iig_obs_type: Any, params: Mapping[str, Any] | None) -> None:
        if params:
            raise ValueError(f"there are no observation parameters: {params}")
        self._iig_obs_type: Final = iig_obs_type
        seats, bids = settings.seats, settings.encoding.bid_count
        shapes: dict[str, tuple[int, ...]] = {"player": (seats,)}
        if iig_obs_type.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER:
            shapes["dice"] = (len(FACES),)
        elif iig_obs_type.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            shapes["dice"] = (seats, len(FACES))
        if iig_obs_type.public_info:
            for name in ("dice_counts", "opener", "palifico", "had_palifico", "to_move"):
                shapes[name] = (seats,)
            shapes["bids"] = (bids,)
            if iig_obs_type.perfect_recall and settings.max_rounds > 1:
                shapes["ended_rounds"] = (settings.max_rounds - 1, (len(FACES) + 3) * seats + bids)
        self.tensor: NDArray[np.float32] = np.zeros(sum(map(prod, shapes.values())), np.float32)
        self.dict: dict[str, NDArray[np.float32]] = {}
        begin = 0
        for name, shape in shapes.items():
            self.dict[name] = self.tensor[begin : begin + prod(shape)].reshape(shape)
            begin += prod(shape)

    def set_from(self, state: HasPosition, player: Seat) -> None:
        """Write this player's knowledge into the tensor."""
        self.tensor.fill(0)
        position, parts = state.position, self.dict
        core = position.state
        parts["player"][player] = 1
        if "dice" in parts:
            hands = core.dice if parts["dice"].ndim > 1 else core.dice[player : player + 1]
            for row, hand in zip(np.atleast_2d(parts["dice"]), hands, strict=True):
                _count_faces(row, hand)
        if "bids" not in parts:
            return
        parts["dice_counts"][:] = core.dice_counts
        for name, seats in {
            "opener": [core.opener],
            "palifico": [core.palifico],
            "had_palifico": core.had_palifico,
            "to_move": [position.player],
        }.items():
            parts[name][[seat for seat in seats if seat is not None]] = 1
        shown = core.bids if self._iig_obs_type.perfect_recall else core.bids[-1:]
        parts["bids"][_numbers(position, shown)] = 1
        if "ended_rounds" in parts:
            for row, ended in zip(parts["ended_rounds"], position.ended, strict=False):
                _write_ended(row, position, ended)

    def string_from(self, state: HasPosition, player: Seat) -> str:
        """Return this player's knowledge as a text."""
        kind, position = self._iig_obs_type, state.position
        single = kind.private_info == pyspiel.PrivateInfoType.SINGLE_PLAYER
        parts = []
        if kind.public_info:
            parts.append(position.information_text(player if single else None, perfect_recall=kind.perfect_recall))
        elif single:
            parts.append(_hands_text(position.state.dice[player : player + 1]))
        if kind.private_info == pyspiel.PrivateInfoType.ALL_PLAYERS:
            parts.append(_hands_text(position.state.dice))
        return " ".join(parts)


def _hands_text(hands: Dice) -> str:
    return ",".join("".join(map(str, sorted(hand))) or "-" for hand in hands)


def _numbers(position: Position, bids: Iterable[Any]) -> list[int]:
    return [position.settings.encoding.encode(bid) for bid in bids]


def _count_faces(row: NDArray[np.float32], hand: tuple[int, ...]) -> None:
    for face in hand:
        row[face - 1] += 1


def _write_ended(row: NDArray[np.float32], position: Position, ended: EndedRound) -> None:
    seats, bids = position.settings.seats, position.settings.encoding.bid_count
    dice, opener, calls, doubts = np.split(row, [6 * seats, 7 * seats, 7 * seats + bids])
    for hand_row, hand in zip(dice.reshape(seats, 6), ended.dice, strict=True):
        _count_faces(hand_row, hand)
    opener[ended.opener] = 1
    calls[_numbers(position, ended.bids)] = 1
    doubts[ended.doubt.seat + seats * isinstance(ended.doubt, Calza)] = 1
