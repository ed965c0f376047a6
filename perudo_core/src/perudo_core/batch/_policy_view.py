"""Legal calls by their numbers, for a policy: the same calls that `Batch.step` takes by their indices."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from perudo_core._rules import CalzaBy, Rules
from perudo_core.batch._bid_tables import BidTables, Flags, Ints

__all__ = ["Situation", "legal_mask", "to_action", "to_choice"]

NO_CALL: Final = -1


class Situation(NamedTuple):
    """The values that decide which calls are legal; the arrays have a row for each game."""

    rules: Rules
    tables: BidTables
    row: Ints
    """The row of the bid tables."""
    bid_count: Ints
    """The number of legal bids."""
    call_count: Ints
    """The number of legal calls."""
    dudo_count: Ints
    """The number of seats that may say dudo once there is a bid."""
    turn: Ints
    next_seat: Ints
    """[game, seat]: the next one to the left that is still in."""
    bidder: Ints


def legal_mask(now: Situation, seat: Ints | None) -> Flags:
    """[game, number]: true for each call that the player whose turn it is, or the seat, may make."""
    dudo, calza = _doubts(now, _seats(now, seat))
    mask = np.empty((len(now.row), now.tables.bid_count + 2), np.bool_)
    mask[:, :-2] = now.tables.allowed.take(now.row, axis=0)
    mask[:, :-2] &= now.tables.ranks.take(now.row, axis=0) < now.bid_count[:, None]
    if seat is not None:
        mask[:, :-2] &= (now.turn == seat)[:, None]
    mask[:, -2] = dudo != NO_CALL
    mask[:, -1] = calza != NO_CALL
    return mask


def to_choice(now: Situation, action: Ints, seat: Ints | None) -> Ints:
    """Return the indices of these calls among the legal ones; raises `ValueError` for an illegal call."""
    seats, numbers = _seats(now, seat), np.asarray(action)
    if numbers.shape != now.row.shape or numbers.dtype.kind not in "iu":
        raise ValueError("action must be an array of whole numbers, one for each running game")
    bid_count = now.tables.bid_count
    if ((numbers < 0) | (numbers >= bid_count + 2)).any():
        raise ValueError(f"action must be from 0 to {bid_count + 1}")
    dudo, calza = _doubts(now, seats)
    bid = np.minimum(numbers, bid_count - 1)
    rank = now.tables.ranks[now.row, bid]
    legal = now.tables.allowed[now.row, bid] & (rank < now.bid_count) & (seats == now.turn)
    choice = np.select([numbers < bid_count, numbers == bid_count], [np.where(legal, rank, NO_CALL), dudo], calza)
    if (choice == NO_CALL).any():
        game = int(np.flatnonzero(choice == NO_CALL)[0])
        raise ValueError(f"action {numbers[game]} is not legal in row {game}")
    return choice


def to_action(now: Situation, choice: Ints) -> tuple[Ints, Ints]:
    """Return the numbers of the calls at these indices, and the seats of these calls."""
    bid_count = now.tables.bid_count
    every = np.arange(len(choice))
    bid = now.tables.following[now.row, np.minimum(choice, bid_count - 1)]
    nth = choice - now.bid_count
    action = np.select([nth < 0, nth < now.dudo_count], [bid, np.full_like(choice, bid_count)], bid_count + 1)
    seat = now.turn
    asked = now.turn
    for _ in range(now.next_seat.shape[1]):
        dudo, calza = _doubts(now, asked)
        seat = np.where((nth >= 0) & ((dudo == choice) | (calza == choice)), asked, seat)
        asked = now.next_seat[every, asked]
    return action, seat


def _seats(now: Situation, seat: Ints | None) -> Ints:
    if seat is None:
        return now.turn
    seats = np.asarray(seat)
    if seats.shape != now.turn.shape or seats.dtype.kind not in "iu":
        raise ValueError("seat must be an array of whole numbers, one for each running game")
    if ((seats < 0) | (seats >= now.next_seat.shape[1])).any():
        raise ValueError(f"seat must be from 0 to {now.next_seat.shape[1] - 1}")
    return seats


def _doubts(now: Situation, seats: Ints) -> tuple[Ints, Ints]:
    """Return the indices of these seats' dudo and calza; -1 if a seat may not say it."""
    place = _places(now, seats)
    dudo = np.where(place < now.dudo_count, now.bid_count + place, NO_CALL)
    place = place - (now.rules.calza_by is CalzaBy.BYSTANDERS)
    first = now.bid_count + now.dudo_count
    calza = np.where((place >= 0) & (first + place < now.call_count), first + place, NO_CALL)
    nobody = (place < -1) | (seats == now.bidder) | (now.bidder < 0)
    return np.where(nobody, NO_CALL, dudo), np.where(nobody, NO_CALL, calza)


def _places(now: Situation, seats: Ints) -> Ints:
    """Return the number of players from the player to call to these seats, in turn order; -9 for a seat that is out."""
    every = np.arange(len(seats))
    place = np.where(seats == now.turn, 0, -9)
    asked = now.turn
    for steps in range(1, now.next_seat.shape[1]):
        asked = now.next_seat[every, asked]
        place = np.where((place < 0) & (asked == seats), steps, place)
    return place
