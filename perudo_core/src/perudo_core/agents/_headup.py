"""Plays rounds of two players by the shipped tables, whose strategy is close to unbeatable without calza."""

from __future__ import annotations

import lzma
from functools import cache, lru_cache
from importlib.resources import files
from itertools import accumulate
from typing import Final

from perudo_core._actions import Call, Dudo
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core._options import CalzaBy
from perudo_core._rules import IN_THE_BOOKS, unsupported
from perudo_core.agents._headup_tree import DUDO, MOST_DICE, Recent, Round, RoundKind, rounds_of, situations, tree_of
from perudo_core.agents._situation import Situation

__all__ = ["TABLES_FOLDER", "head_up", "load_tables", "round_of", "weights"]

TABLES_FOLDER: Final = "tables"
PLAYERS: Final = 2
SUPPORTED: Final = frozenset(
    IN_THE_BOOKS - {"lose_by_difference"}
    | {"calza_costs_others", "extra_die", "first_out_wins", "palifico_every_round", "reroll_after_bid"}
    | {"ones_rank", "reverse_after_call"}
)
"""The options under which a round of two players may be one of the tables."""


def head_up(situation: Situation) -> list[tuple[Call, float]] | None:
    """Return the calls of the tables with their weights, or None for a situation that is in no table."""
    found = round_of(situation)
    if found is None:
        return None
    game, mover = found
    if situation.last is not None and situation.last.quantity > game.dice:
        return [(Dudo(situation.seat), 1.0)]
    tree = tree_of(game.kind, game.dice)
    recent = tuple(situation.bids[-tree.recall :])
    hand = tuple(face for face, count in enumerate(situation.hand) for _ in range(count))
    row = weights(game, mover, recent, hand)
    if row is None:
        return None
    return [
        (Dudo(situation.seat) if call == DUDO else situation.bid(call), float(weight))
        for call, weight in zip(tree.actions[recent], row, strict=True)
        if weight
    ]


def round_of(situation: Situation) -> tuple[Round, int] | None:
    """Return the round of the tables that fits this one, and the seat's player in it: 0 or 1."""
    rules, counts, seat = situation.rules, situation.counts, situation.seat
    others = [other for other, count in enumerate(counts) if count and other != seat]
    if len(others) != PLAYERS - 1 or max(counts) > MOST_DICE or situation.open_dice:
        return None
    if unsupported(rules, SUPPORTED):
        return None
    if _calza_may_be_said(situation):
        return None  # the tables know no calza, and lose to a player who says it
    own, other = counts[seat], counts[others[0]]
    if situation.palifico is not None:
        first, second = (own, other) if situation.palifico == seat else (other, own)
        if first != 1 or (rules.palifico_face_change and second == 1):
            return None
        return Round(RoundKind.PALIFICO, first, second), int(situation.palifico != seat)
    kind = _KINDS.get(rules.normal_bid_rules)
    if kind is None or not rules.wild_ones:
        return None
    return Round(kind, max(own, other), min(own, other)), int(own < other)


def _calza_may_be_said(situation: Situation) -> bool:
    rules = situation.rules
    by_a_player = rules.calza_with_two_players and rules.calza_by is not CalzaBy.BYSTANDERS
    return rules.calza and by_a_player and (rules.calza_in_palifico or situation.palifico is None)


_KINDS: Final = {kind.bid_rules: kind for kind in RoundKind if kind is not RoundKind.PALIFICO}


def weights(game: Round, mover: int, recent: Recent, hand: tuple[int, ...]) -> bytes | None:
    """Return the weight of each call, or None for bids that are not in the tables.

    >>> row = weights(Round(RoundKind.ONE_THING, 1, 1), 0, (), (3,))
    >>> row is not None and len(row) == len(tree_of(RoundKind.ONE_THING, 2).actions[()]), max(row or b"")
    (True, 255)
    """
    offset = _offsets(game).get((0 if game.is_symmetric else mover, recent))
    table = _table(game)
    if offset is None or table is None:
        return None
    numbers = _hand_numbers(len(hand))
    size = len(tree_of(game.kind, game.dice).actions[recent]) * len(numbers)
    return table[offset + numbers[hand] : offset + size : len(numbers)]


def load_tables() -> None:
    """Read all tables, 1.7 MB, for a process that may not open files later."""
    for kind in RoundKind:
        for game in rounds_of(kind):
            _compressed(game.file_name)


@lru_cache(maxsize=2)
def _table(game: Round) -> bytes | None:
    """Return the table of a round, at most 4 MB: unpacked when it is first needed, and soon dropped again."""
    compressed = _compressed(game.file_name)
    return None if compressed is None else lzma.decompress(compressed)


@cache
def _compressed(file_name: str) -> bytes | None:
    file = files("perudo_core.agents").joinpath(TABLES_FOLDER, file_name)
    return file.read_bytes() if file.is_file() else None


@lru_cache(maxsize=8)
def _offsets(game: Round) -> dict[tuple[int, Recent], int]:
    """Return the position at which the rows of each situation begin."""
    hands = (len(hand_outcomes(game.first)), len(hand_outcomes(game.second)))
    actions = tree_of(game.kind, game.dice).actions
    sizes = {
        (mover, recent): hands[mover] * len(actions[recent])
        for mover, recent in situations(game)
        if not (game.is_symmetric and mover)
    }
    return dict(zip(sizes, accumulate(sizes.values(), initial=0), strict=False))


@lru_cache(maxsize=MOST_DICE + 1)
def _hand_numbers(count: int) -> dict[tuple[int, ...], int]:
    return {hand: number for number, (hand, _) in enumerate(hand_outcomes(count))}
