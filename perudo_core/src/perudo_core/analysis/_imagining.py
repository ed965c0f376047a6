"""The average result of a call over imagined worlds, by roll-outs or by the heads-up tables."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from random import Random
from typing import Final, Protocol, TypeAlias

from perudo_core._actions import Bid, Call, Dudo, Seat
from perudo_core._bid_numbers import FACE_COUNT, bid_number
from perudo_core._chance_outcomes import hand_outcomes
from perudo_core.agents._headup import round_of, weights
from perudo_core.agents._headup_tree import DUDO, Recent, Round, tree_of
from perudo_core.agents._inference import Hands, memos_of
from perudo_core.agents._playout import Playouts, coded, count_of
from perudo_core.agents._rollouts import candidates_of, losses_of, results_of, results_of_silence, worlds_of
from perudo_core.agents._situation import Situation

__all__ = ["Imagining", "Results", "RollOuts", "TablePlay", "table_play"]

Results: TypeAlias = Callable[[Call | None], list[float]]
"""The dice that each call wins in each of some worlds. The key None is silence out of turn."""

SLIP: Final = 0.5
"""A number added to each weight of the tables, 0 to 15, because people make calls that the tables never make."""
DRAWS: Final = 16
"""The number of calls of one world that have their own random draw."""


class Imagining(Protocol):
    """One way to imagine the hidden dice and the rest of the round."""

    def candidates(self, most: int) -> list[Call]:
        """Return the calls to try."""

    def imagined(self, rng: Random, worlds: int) -> Results:
        """Results over so many new worlds: the same worlds for every call."""


class RollOuts:
    """Draws the others' dice by their calls, and plays the round out with simple players."""

    def __init__(self, situation: Situation, hands: dict[Seat, Hands]) -> None:
        self._situation = situation
        self._hands = hands
        self._playouts = Playouts(
            situation.counts, memos_of(situation), situation.ones_are_wild, situation.direction, situation.open_dice
        )

    def candidates(self, most: int) -> list[Call]:
        """Return all calls except bids that are far too high or far too improbable."""
        return candidates_of(self._situation, most)

    def imagined(self, rng: Random, worlds: int) -> Results:
        """Results over so many new worlds."""
        situation, playouts, losses = self._situation, self._playouts, losses_of(self._situation)
        drawn = worlds_of(situation, playouts, rng, worlds, self._hands)

        def results(call: Call | None) -> list[float]:
            if call is None:
                return results_of_silence(situation, playouts, drawn, losses)
            return results_of(situation, playouts, drawn, losses, call)

        return results


def table_play(situation: Situation, chosen: Call | None) -> TablePlay | None:
    """Return the heads-up tables, if they contain the situation, its bids and the chosen call; otherwise None."""
    found = round_of(situation) if situation.bid_numbers else None
    if found is None:
        return None
    game, mover = found
    tree = tree_of(game.kind, game.dice)
    recent = tuple(situation.bids[-tree.recall :])
    hand = tuple(face for face, count in enumerate(situation.hand) for _ in range(count))
    if recent not in tree.actions or weights(game, mover, recent, hand) is None:
        return None
    if isinstance(chosen, Bid) and bid_number(chosen.quantity, chosen.face) not in tree.actions[recent]:
        return None
    return TablePlay(situation, game, mover, hand)


class TablePlay:
    """For two players: draws the other's dice by the tables' calls, and plays the round out with the tables."""

    def __init__(self, situation: Situation, game: Round, mover: int, hand: tuple[int, ...]) -> None:
        self._situation = situation
        self._game = game
        self._mover = mover
        self._hand = hand
        self._tree = tree_of(game.kind, game.dice)
        self._recent: Recent = tuple(situation.bids[-self._tree.recall :])
        self._mixtures: dict[tuple[int, Recent, tuple[int, ...]], list[int]] = {}
        held = (game.first, game.second)[1 - mover]
        self.hands = tuple(other for other, _ in hand_outcomes(held))
        """The hands that the other player may have."""
        self.likely = [float(chance) * self._fit(other) for other, chance in hand_outcomes(held)]
        """The probability of each hand after the calls, on any scale."""

    def candidates(self, most: int) -> list[Call]:
        """Return the calls of the tables, the most frequent first."""
        seat = self._situation.seat
        row = weights(self._game, self._mover, self._recent, self._hand) or b""
        known = sorted(zip(row, self._tree.actions[self._recent], strict=True), key=lambda each: -each[0])[:most]
        return [Dudo(seat) if call == DUDO else self._situation.bid(call) for _, call in known]

    def imagined(self, rng: Random, worlds: int) -> Results:
        """Results over so many new worlds."""
        drawn = [
            (hand, [rng.random() for _ in range(DRAWS)])
            for hand in rng.choices(self.hands, cum_weights=list(accumulate(self.likely)), k=worlds)
        ]

        def results(call: Call | None) -> list[float]:
            assert call is not None, "the tables are asked for the player to call"  # noqa: S101 - for the type checker
            return [self._won(call, hand, draws) for hand, draws in drawn]

        return results

    def _won(self, call: Call, other: tuple[int, ...], draws: list[float]) -> float:
        last, code = self._situation.last, coded((*self._hand, *other))
        wild = self._situation.ones_are_wild
        if type(call) is Bid:
            bidder, bid = self._played(bid_number(call.quantity, call.face), other, draws)
            holds = count_of(code, bid % FACE_COUNT + 1, wild) >= bid // FACE_COUNT + 1
            return 1.0 if holds is (bidder == self._mover) else -1.0
        assert last is not None, "there is a bid to doubt"  # noqa: S101 - for the type checker
        return -1.0 if count_of(code, last.face, wild) >= last.quantity else 1.0

    def _played(self, bid: int, other: tuple[int, ...], draws: list[float]) -> tuple[int, int]:
        """Return the last bid of the round and its bidder, after the seat has made this bid."""
        hands = (self._hand, other) if self._mover == 0 else (other, self._hand)
        bidder, recent, turn = self._mover, self._tree.after(self._recent, bid), 0
        while True:
            answerer = 1 - bidder
            mixture = self._mixture(answerer, recent, hands[answerer])
            at = draws[turn % DRAWS] * mixture[-1]
            call = next(call for call, until in zip(self._tree.actions[recent], mixture, strict=True) if at < until)
            if call == DUDO:
                return bidder, bid
            bidder, bid, recent, turn = answerer, call, self._tree.after(recent, call), turn + 1

    def _mixture(self, mover: int, recent: Recent, hand: tuple[int, ...]) -> list[int]:
        """Return the cumulative weights of a player's calls."""
        key = (mover, recent, hand)
        if key not in self._mixtures:
            row = weights(self._game, mover, recent, hand)
            assert row is not None, "the tables know what their own calls lead to"  # noqa: S101 - for the type checker
            self._mixtures[key] = list(accumulate(row))
        return self._mixtures[key]

    def _fit(self, other: tuple[int, ...]) -> float:
        """Return the probability of the other player's bids in this round with a hand, by the tables."""
        situation, fit = self._situation, 1.0
        for index, (bid, bidder) in enumerate(zip(situation.bids, situation.bidders, strict=True)):
            recent = tuple(situation.bids[max(0, index - self._tree.recall) : index])
            known = self._tree.actions.get(recent, ())
            row = weights(self._game, 1 - self._mover, recent, other) if bidder != situation.seat else None
            if row is not None and bid in known:
                fit *= (row[known.index(bid)] + SLIP) / (sum(row) + SLIP * len(row))
        return fit
