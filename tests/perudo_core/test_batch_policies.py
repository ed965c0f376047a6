"""A learnt policy's view of a batch: the legal calls by their numbers, the bids so far, and the way back."""

import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import perudo_core as pc
from perudo_core.batch import Batch, play_policy
from perudo_core.gymnasium import observation_of
from tests.perudo_core.test_batch import choices, rolled

GAMES = 8
ACES = pc.Rules.preset("aces").with_options(calza=True, starting_dice=2)
HOUSES = [
    (pc.Rules(), 2),
    (pc.Rules.preset("azteca").with_options(starting_dice=2), 3),
    *((ACES.with_options(calza_by=by, out_of_turn_dudo=each), 4) for by in pc.CalzaBy for each in (False, True)),
    (pc.Rules(calza=True, calza_with_two_players=False, calza_in_palifico=False, starting_dice=2), 3),
]


@pytest.mark.parametrize(("rules", "seats"), HOUSES)
def test_masks_numbers_and_bids_are_the_engines(rules: pc.Rules, seats: int) -> None:
    rng = random.Random(seats)
    encoding = pc.ActionEncoding(rules, seats)
    batch = Batch(rules, seats, GAMES, np.random.default_rng(5), keep_bids=True)
    states = [pc.new_game(rules, seats, opener=opener) for opener in batch.turn.tolist()]
    while len(batch.game):
        for row, game in enumerate(batch.game.tolist()):
            if states[game].phase is pc.Phase.ROLLING:
                states[game] = pc.apply(states[game], rolled(batch, row)).state
        running = [states[game] for game in batch.game.tolist()]
        assert [[number for number in row if number >= 0] for row in batch.bids.tolist()] == [
            [encoding.encode(bid) for bid in state.bids] for state in running
        ]
        for seat in range(seats):
            assert numbers(batch.legal_mask(np.full(len(running), seat))) == [
                sorted(encoding.encode(call) for call in pc.legal_calls(state, seat)) for state in running
            ]
            knows = [pc.observe(state, seat) for state in running]
            there = [pc.observe(batch.state(row), seat) for row in range(len(running))]
            assert list(map(as_known, there)) == list(map(as_known, knows))
            vectors = [observation_of(view, encoding)["observation"].tolist() for view in knows]
            assert batch.observation(np.full(len(running), seat)).tolist() == vectors
        assert batch.observation().tolist() == batch.observation(batch.turn).tolist()
        assert numbers(batch.legal_mask()) == [
            sorted(encoding.encode(call) for call in pc.legal_calls(state, state.turn)) for state in running
        ]
        choice = choices(batch, rng)
        calls = [pc.legal_calls(state)[index] for state, index in zip(running, choice.tolist(), strict=True)]
        action, seat_of = batch.to_action(choice)
        assert [encoding.decode(*pair) for pair in zip(action.tolist(), seat_of.tolist(), strict=True)] == calls
        assert batch.to_choice(action, seat_of).tolist() == choice.tolist()
        for game, call in zip(batch.game.tolist(), calls, strict=True):
            states[game] = pc.apply(states[game], call).state
        batch.step(choice)


def as_known(view: pc.Observation) -> pc.Observation:
    """A view without the names, and without former palifico rounds where no rule asks for them."""
    had = view.had_palifico if view.rules.palifico_once else frozenset[int]()
    return replace(view, seats=(), had_palifico=had)


def numbers(mask: Any) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in mask]


def test_a_policy_may_think_in_numbers() -> None:
    def least(batch: Batch) -> Any:
        assert (batch.bids[:, -1:] < batch.encoding.bid_count).all()
        return batch.to_choice(batch.legal_mask().argmax(axis=1))

    result = play_policy(pc.Rules(), 2, 20, np.random.default_rng(1), least, keep_bids=True)
    assert (result.decisions > result.rounds).all()


def test_a_call_that_is_not_legal_has_no_index() -> None:
    batch = Batch(pc.Rules(), 2, 2, np.random.default_rng(1))
    dudo, calza = batch.encoding.dudo, batch.encoding.calza
    for action in ([1, dudo], [1, calza], [1, 0]):
        with pytest.raises(ValueError, match=rf"action {action[1]} is not legal in row 1"):
            batch.to_choice(np.array(action))
    with pytest.raises(ValueError, match="not legal in row 0"):
        batch.to_choice(np.array([1, 1]), 1 - batch.turn)
    assert batch.to_choice(np.array([1, 5]), batch.turn).tolist() == [0, 4]


@pytest.mark.parametrize(
    ("action", "seat", "fault"),
    [
        ([1, 62], None, "action must be from 0 to 61"),
        ([1, -1], None, "action must be from 0 to 61"),
        ([1], None, "action must be an array"),
        ([1.0, 2.0], None, "action must be an array"),
        ([1, 1], [0, 2], "seat must be from 0 to 1"),
        ([1, 1], [0, -1], "seat must be from 0 to 1"),
        ([1, 1], [0], "seat must be an array"),
        ([1, 1], [0.0, 1.0], "seat must be an array"),
    ],
)
def test_numbers_and_seats_out_of_range_are_refused(action: Any, seat: Any, fault: str) -> None:
    batch = Batch(pc.Rules(), 2, 2, np.random.default_rng(1))
    with pytest.raises(ValueError, match=fault):
        batch.to_choice(np.array(action), None if seat is None else np.array(seat))


def test_bids_that_are_not_kept_are_not_mistaken_for_their_count() -> None:
    batch = Batch(pc.Rules(), 2, 2, np.random.default_rng(1))
    for asked in (lambda: batch.bids, batch.observation, lambda: batch.state(0)):
        with pytest.raises(ValueError, match=r"keep_bids=True; counts are legal_bid_count"):
            asked()


def test_all_bids_of_a_round_are_kept() -> None:
    rules = pc.Rules.preset("aces").with_options(plain_raise="any_higher", wild_ones=False, starting_dice=1)
    batch = Batch(rules, 2, 2, np.random.default_rng(1), keep_bids=True)
    for _ in range(batch.encoding.bid_count):
        batch.step(np.zeros(2, np.int64))
    assert batch.bids.tolist() == [list(range(12))] * 2
    batch.step(np.zeros(2, np.int64))
    assert not len(batch.game)
