"""What a player may know, as OpenSpiel's tensors and strings."""

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
    """A state of OpenSpiel's game, as far as an observer looks at it."""

    position: Position


class PerudoObserver:
    """An observer as OpenSpiel wants it: `tensor` is the parts of `dict` in one row, each a view of it.

    With n seats, and B bids in the encoding:

    - `player` (n): who looks, as a 1 at their place;
    - `dice` (6), private: how many of each face the player holds; for all players (n, 6);
    - `dice_counts` (n): how many dice each seat holds;
    - `opener`, `palifico`, `had_palifico`, `to_move` (n): a 1 for each seat that is meant;
    - `bids` (B): a 1 for each bid of the round, without perfect recall for the last one. Their order follows, for
      each bid is stronger than the one before;
    - `ended_rounds` (rounds - 1, 9n + B), with perfect recall where there can be any: for each the dice of all (6n),
      the opener (n), the bids (B), who said dudo (n), who said calza (n).
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
        """Write down what this player knows."""
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
        """What this player knows, as a text."""
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
