"""The levels that imagine the hidden dice and play the round out: strong and expert."""

from __future__ import annotations

from random import Random
from typing import Final, TypeAlias

from perudo_core._actions import FACES, Bid, Call, Calza, Dudo, Seat
from perudo_core._bid_numbers import FACE_COUNT, bid_number
from perudo_core._rules import Rules
from perudo_core.agents._chances import at_least
from perudo_core.agents._inference import Hands, inferred_hands, memos_of
from perudo_core.agents._memory import Memory
from perudo_core.agents._playout import FACE_CODES, LISTENER, NAIVE, REGULAR, SIMPLE_PLAYERS, Playouts, World, coded
from perudo_core.agents._reckoning import Worths
from perudo_core.agents._situation import Situation, face_chances

__all__ = [
    "EXPERT", "EXPONENT", "MIXTURE", "STRONG", "candidates_of", "losses_of", "results_of", "results_of_silence",
    "roll_out", "worlds_of",
]  # fmt: skip

LEAST_CHANCE: Final = 0.12
"""Bids with a lower chance are considered only if there are no others."""
MOST_ABOVE_LEAST: Final = 4
MIXTURE: Final = (NAIVE, LISTENER, REGULAR)
"""The simple players that stand for unknown players."""


Stages: TypeAlias = tuple[tuple[int, int], ...]
"""For each stage the number of calls that are still considered, the most probable first, and of further worlds."""

STRONG: Final[Stages] = ((12, 8), (4, 12))
EXPERT: Final[Stages] = ((16, 60), (6, 120), (3, 160))
EXPONENT: Final = 3.0
"""The exponent in the chance of winning by dice: 3.5 fits 4,754 rounds of `strong`; the opener hardly matters."""


def roll_out(
    situation: Situation, memory: Memory, rng: Random, stages: Stages, exponent: float | None = None
) -> Worths:
    """Rank calls by the dice that they win on average, over imagined worlds that fit the calls so far."""
    memos = memos_of(situation)
    playouts = Playouts(situation.counts, memos, situation.ones_are_wild, situation.direction, situation.open_dice)
    hands = inferred_hands(situation, memory, memos)
    losses = losses_of(situation, exponent)
    considered = candidates_of(situation, stages[0][0])
    sums = dict.fromkeys(considered, 0.0)
    played = 0
    for calls, count in stages:
        considered = sorted(considered, key=lambda call: -sums[call])[:calls]
        worlds = worlds_of(situation, playouts, rng, count, hands)
        for call in considered:
            sums[call] += sum(results_of(situation, playouts, worlds, losses, call))
        played += count
    return [(call, sums[call] / played) for call in considered]


def losses_of(situation: Situation, exponent: float | None = None) -> tuple[float, ...]:
    """Return the worth to the seat of a die that each seat loses; its own loss is worth -1.

    By dice alone, or by the chance of winning the game, which grows as a power of the player's number of dice.
    """
    counts, seat = situation.counts, situation.seat
    others = sum(1 for count in counts if count) - 1
    if exponent is None or situation.rules.first_out_wins:
        return tuple(-1.0 if other == seat else 1.0 / others if count else 0.0 for other, count in enumerate(counts))
    powers = [float(count) ** exponent for count in counts]
    lost = [power - (count - 1.0) ** exponent if count else 0.0 for power, count in zip(powers, counts, strict=True)]
    own, total = powers[seat], sum(powers)
    change = own / total - (own - lost[seat]) / (total - lost[seat])
    return tuple(
        -1.0 if other == seat else (own / (total - each) - own / total) / change for other, each in enumerate(lost)
    )


def candidates_of(situation: Situation, most: int) -> list[Call]:
    """Return the calls to try: dudo, calza, and the most probable bids, without far too high or improbable ones."""
    tails = {face: situation.tail_by_bids(face) for face in FACES}
    least: dict[int, int] = {}
    chances: dict[Call, float] = {}
    for number in situation.bid_numbers:
        quantity, face = number // FACE_COUNT + 1, number % FACE_COUNT + 1
        first = least.setdefault(face, quantity)
        chance = at_least(tails[face], quantity - situation.own(face))
        if situation.last is None:
            if quantity > first and not LEAST_CHANCE < chance < 0.995:  # noqa: PLR2004 - as good as sure
                continue
        elif quantity > first + MOST_ABOVE_LEAST or (chance < LEAST_CHANCE and chances):
            continue
        chances[situation.bid(number)] = chance
    calls: list[Call] = []
    if situation.may_dudo:
        calls.append(Dudo(situation.seat))
    if situation.may_calza:
        calls.append(Calza(situation.seat))
    bids = sorted(chances, key=lambda call: -chances[call])
    if situation.last is None:  # an even spread: as an opening, a sure bid is no better than a daring one
        step = max(1, -(-len(bids) // most))
        bids = bids[::step]
    return [*calls, *bids[:most]]


def worlds_of(
    situation: Situation, playouts: Playouts, rng: Random, count: int, inferred: dict[int, Hands]
) -> list[World]:
    """Worlds with the others' dice, drawn from the inferred hands, or else by the bid model."""
    own = sum(FACE_CODES[face] * held for face, held in enumerate(situation.hand))
    codes: list[list[int]] = []
    kinds: list[list[int]] = []
    for seat, held in enumerate(situation.counts):
        players = rng.choices(MIXTURE, k=count)
        if seat == situation.seat:
            codes.append([own] * count)
        elif not held:
            codes.append([0] * count)
        elif seat in inferred:
            hands = inferred[seat]
            drawn = hands.drawn(rng, count)
            codes.append([hands.codes[index] for index in drawn])
            known = [hands.kinds[index] for index in drawn]
            players = [kind if kind in SIMPLE_PLAYERS else other for kind, other in zip(known, players, strict=True)]
        else:
            codes.append(_drawn(situation, seat, count, rng))
        kinds.append(players)
    return [
        playouts.world(hands, players)
        for hands, players in zip(zip(*codes, strict=True), zip(*kinds, strict=True), strict=True)
    ]


def _drawn(situation: Situation, seat: Seat, count: int, rng: Random) -> list[int]:
    """So many hands of a seat, each die by the bid model."""
    bidders, held = dict(situation.last_faces), situation.hidden(seat)
    opened = coded(situation.opened(seat))
    weights = None
    if seat in bidders:
        weights = face_chances(bidders[seat], situation.ones_are_wild, situation.honesty[seat])[1:]
    dice = rng.choices(FACE_CODES[1:], weights, k=held * count)
    return [opened + sum(dice[start : start + held]) for start in range(0, held * count, held)]


def results_of(
    situation: Situation, playouts: Playouts, worlds: list[World], losses: tuple[float, ...], call: Call
) -> list[float]:
    """Return the dice that a call wins in each of these worlds."""
    seat, last = situation.seat, situation.last
    won: list[float] = []
    if type(call) is Bid:
        return _results_from(situation, playouts, worlds, losses, (seat, bid_number(call.quantity, call.face)))
    assert last is not None, "there is a bid to doubt"  # noqa: S101 - for the type checker
    number = bid_number(last.quantity, last.face)
    exact = type(call) is Calza
    can_regain = situation.counts[seat] < situation.rules.round_options.most_dice(seat)
    gain, missed = 1.0 if can_regain else 0.05, -1.0
    if situation.rules.first_out_wins:
        gain, missed = -losses[seat], -losses[last.seat]
    elif situation.rules.calza_costs_others:
        gain = sum(losses) - losses[seat]
    for world in worlds:
        off = playouts.count(world, number) - last.quantity
        if exact:
            won.append(gain if off == 0 else missed)
        else:
            won.append(_worth_of_doubt(situation.rules, losses, last.seat, seat, off))
    return won


def _worth_of_doubt(rules: Rules, losses: tuple[float, ...], bidder: Seat, doubter: Seat, off: int) -> float:
    """Return the worth of a dudo to the seat of these losses; `off`: how many dice more than the bid there are."""
    wrong, right = (doubter, bidder) if off >= 0 else (bidder, doubter)
    worth = -losses[right] if rules.first_out_wins else losses[wrong]
    return worth * rules.dudo_cost(off)


def results_of_silence(
    situation: Situation, playouts: Playouts, worlds: list[World], losses: tuple[float, ...]
) -> list[float]:
    """Return the dice won in each of these worlds if a seat that could speak out of turn stays silent."""
    last = situation.last
    assert last is not None, "nobody speaks out of turn before the first bid"  # noqa: S101 - for the type checker
    return _results_from(situation, playouts, worlds, losses, (last.seat, bid_number(last.quantity, last.face)))


def _results_from(
    situation: Situation, playouts: Playouts, worlds: list[World], losses: tuple[float, ...], bid: tuple[Seat, int]
) -> list[float]:
    """Return the dice won in each world, with the round played out from this seat's bid."""
    won: list[float] = []
    for world in worlds:
        bidder, doubter, number = playouts.last_bid(world, *bid)
        off = playouts.count(world, number) - (number // FACE_COUNT + 1)
        won.append(_worth_of_doubt(situation.rules, losses, bidder, doubter, off))
    return won
