"""Games in arrays are the engine's games: every option, played both ways, call by call."""

import importlib
import random
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import perudo_core as pc
from perudo_core.agents.engines import policy_engine
from perudo_core.batch import MAX_BATCH_DICE, Batch, play_policy, play_random
from perudo_core.gymnasium import observation_of

Patch = pytest.MonkeyPatch
GAMES, IN_A_BATCH = 400, 10
SWITCHES = [name for name, row in pc.Rules.options().items() if row.in_books and isinstance(row.default, bool)]


def houses(count: int) -> Iterator[tuple[pc.Rules, int]]:
    """Each book as printed and with calza, then any mix of options; and how many play."""
    rng = random.Random(20)
    books = [pc.Rules.preset(preset).with_options(calza=calza) for preset in pc.PRESETS for calza in (False, True)]
    for number in range(count):
        rules = books[number] if number < len(books) else mixed(rng)
        yield rules, rng.randint(2, 6)


def mixed(rng: random.Random) -> pc.Rules:
    options: dict[str, Any] = {name: rng.random() < 0.5 for name in SWITCHES}
    options["sudden_death"] &= not options["lose_by_difference"]
    return pc.Rules().with_options(
        starting_dice=rng.choice([1, 2, 2, 3, 5, 7]),
        plain_raise=rng.choice(list(pc.PlainRaise)),
        ones_rank=rng.choice(list(pc.OnesRank)),
        calza_by=rng.choice(list(pc.CalzaBy)),
        lost_dice=rng.choice(list(pc.LostDice)),
        **options,
    )


def choices(batch: Batch, rng: random.Random) -> np.ndarray[Any, Any]:
    """Any call at all, with more doubts than a uniform draw would make, and low bids."""
    picked = []
    for bids, calls in zip(batch.legal_bid_count.tolist(), batch.legal_call_count.tolist(), strict=True):
        if bids == 0 or (calls > bids and rng.random() < 0.3):
            picked.append(rng.randrange(bids, calls))
        else:
            picked.append(rng.randrange(min(bids, 5)) if rng.random() < 0.6 else rng.randrange(calls))
    return np.array(picked)


def side_by_side(
    rules: pc.Rules, seats: int, games: int, seed: int, *, keep_bids: bool = False
) -> Iterator[tuple[Batch, list[pc.State], np.ndarray[Any, Any]]]:
    """Play games in a batch and by the engine; yield before each step the states of those that run and the choices."""
    rng = random.Random(seed)
    batch = Batch(rules, seats, games, np.random.default_rng(seed), keep_bids=keep_bids)
    states = [pc.new_game(rules, seats, opener=opener) for opener in batch.turn.tolist()]
    decisions = [0] * games
    while len(batch.game):
        running = batch.game.tolist()
        for row, game in enumerate(running):
            if states[game].phase is pc.Phase.ROLLING:
                hands = tuple(tuple(face for face in hand if face) for hand in batch.dice[row].tolist())
                states[game] = pc.apply(states[game], pc.Roll(hands)).state
        choice = choices(batch, rng)
        yield batch, [states[game] for game in running], choice
        for game, index in zip(running, choice.tolist(), strict=True):
            states[game] = pc.apply(states[game], pc.legal_calls(states[game])[index]).state
            decisions[game] += 1
        batch.step(choice)
        assert sorted(batch.game.tolist()) == [game for game in sorted(running) if not states[game].is_terminal]
    outcomes = [state.outcome for state in states]
    assert batch.result.winners.tolist() == [outcome and outcome.winner for outcome in outcomes]
    assert batch.result.placements.tolist() == [outcome and list(outcome.placements) for outcome in outcomes]
    assert batch.result.rounds.tolist() == [state.round for state in states]
    assert batch.result.decisions.tolist() == decisions


@pytest.mark.parametrize(("seed", "house"), [*enumerate(houses(GAMES // IN_A_BATCH))])
def test_every_game_is_the_engines_game(seed: int, house: tuple[pc.Rules, int]) -> None:
    for batch, states, _ in side_by_side(*house, IN_A_BATCH, seed):
        for row, state in enumerate(states):
            same(batch, row, state)


def same(batch: Batch, row: int, state: pc.State) -> None:
    legal, bid = pc.legal_calls(state), state.current_bid
    said = (batch.bidder[row], batch.bid_quantity[row], batch.bid_face[row])
    assert said == ((-1, 0, 0) if bid is None else (bid.seat, bid.quantity, bid.face))
    assert (batch.turn[row], batch.round[row]) == (state.turn, state.round)
    assert batch.palifico[row] == (-1 if state.palifico is None else state.palifico)
    assert batch.dice_counts[row].tolist() == list(state.dice_counts)
    assert batch.legal_call_count[row] == len(legal)
    assert batch.legal_bid_count[row] == sum(isinstance(call, pc.Bid) for call in legal)
    assert state.turn is not None
    assert [face for face in batch.own_dice[row].tolist() if face] == list(state.dice[state.turn])


def test_random_games_repeat_by_their_seed_any_seat_wins_and_a_policy_is_asked_for_an_index_or_a_number() -> None:
    result, again = (play_random(pc.Rules(), 4, 200, np.random.default_rng(3)) for _ in range(2))
    assert (again.winners == result.winners).all()
    assert set(result.winners.tolist()) == {0, 1, 2, 3}
    assert (np.sort(result.placements, axis=1) == np.arange(1, 5)).all()

    def always_doubt(batch: Batch) -> Any:
        return np.where(batch.bid_quantity > 0, batch.legal_bid_count, 0)

    result = play_policy(pc.Rules(), 3, 50, np.random.default_rng(1), always_doubt)
    assert (result.decisions == 2 * result.rounds).all()
    assert play_random(pc.Rules(), 2, 0, np.random.default_rng(1)).winners.tolist() == []

    def least(batch: Batch) -> Any:
        assert (batch.bids[:, -1:] < batch.encoding.bid_count).all()
        return batch.to_choice(batch.legal_mask().argmax(axis=1))

    result = play_policy(pc.Rules(), 2, 20, np.random.default_rng(1), least, keep_bids=True)
    assert (result.decisions > result.rounds).all()


def test_a_choice_that_is_none_is_refused_and_changes_nothing_and_arguments_of_other_kinds_by_name() -> None:
    batch = Batch(pc.Rules(), 2, 3, np.random.default_rng(1))
    choices: list[tuple[Any, str]] = [
        (np.zeros(2, np.int64), "one for each running game"),
        (np.zeros(3), "whole numbers"),
        (np.full(3, -1), "at least 0"),
        (np.full(3, 10**6), "below legal_call_count"),
        ([0], "choice must be an array"),
    ]
    for choice, fault in choices:
        with pytest.raises(ValueError, match=fault):
            batch.step(choice)
    assert batch.bid_quantity.tolist() == [0, 0, 0]
    rng: Any = np.random.default_rng(1)
    box, aces = pc.Rules(), pc.Rules.preset("aces")
    others: list[tuple[tuple[Any, ...], type[Exception], str]] = [
        *(((box, 2, games, rng), TypeError, "games must be a whole number") for games in (True, 2.0, "2", None)),
        *(((box, many, 1, rng), TypeError, "seats must be a whole number") for many in (["a", "b"], 2.0, True, None)),
        *(((box, 2, many, rng), ValueError, "games must be from 0 to 10000000, ") for many in (-1, 10**12, 10**30)),
        ((box, 1, 1, rng), ValueError, "seats must be from 2 to 50, not 1"),
        ((box, 7, 1, rng), pc.RulesError, "7 seats, where these rules seat 2 to 6"),
        ((box, 2, 1, random.Random(1)), TypeError, r"rng must be a numpy\.random\.Generator"),
        ((aces, MAX_BATCH_DICE // 5 + 1, 1, rng), pc.RulesError, "205 dice, where a batch holds at most 200"),
    ]
    for arguments, error, words in others:
        with pytest.raises(error, match=words):
            Batch(*arguments)


@pytest.mark.parametrize(
    "option", sorted({name for name, row in pc.Rules.options().items() if not row.in_books} - {"ones_rank"})
)
def test_a_batch_plays_the_options_of_the_books_and_the_rank_of_ones_alone(option: str) -> None:
    with pytest.raises(pc.RulesError, match=f"does not know {option}: "):
        Batch(pc.Rules(calza=True).with_options(**{option: True}), 3, 1, np.random.default_rng(1))
    Batch(pc.Rules(calza_costs_others=True), 3, 1, np.random.default_rng(1))  # without calza it changes nothing


@pytest.mark.parametrize(
    ("module", "extra"),
    [
        *(("batch", "numpy"), ("solving", "numpy"), ("gymnasium", "gymnasium")),
        *(("pettingzoo", "pettingzoo"), ("openspiel", "openspiel")),
    ],
)
def test_without_packages_the_extra_of_a_module_is_named(module: str, extra: str, monkeypatch: Patch) -> None:
    needed = "pyspiel" if module == "openspiel" else "numpy"
    monkeypatch.setitem(sys.modules, needed, None)
    monkeypatch.delitem(sys.modules, f"perudo_core.{module}", raising=False)
    with pytest.raises(ModuleNotFoundError, match=rf"pip install 'perudo-core\[{extra}\]'"):
        importlib.import_module(f"perudo_core.{module}")
    monkeypatch.setitem(sys.modules, "numpy", None)
    monkeypatch.delitem(sys.modules, "perudo_core._learning", raising=False)
    with pytest.raises(ModuleNotFoundError, match=r"^policy_engine needs numpy: pip install 'perudo-core\[numpy\]'$"):
        policy_engine(lambda _: 0)


# A policy's view: the legal calls by their numbers, the bids so far, and the way back

ACES = pc.Rules.preset("aces").with_options(calza=True, starting_dice=2)
HOUSES = [
    (pc.Rules(), 2),
    (pc.Rules.preset("azteca").with_options(starting_dice=2), 3),
    *((ACES.with_options(calza_by=by, out_of_turn_dudo=each), 4) for by in pc.CalzaBy for each in (False, True)),
    (pc.Rules(calza=True, calza_with_two_players=False, calza_in_palifico=False, starting_dice=2), 3),
]


@pytest.mark.parametrize(("rules", "seats"), HOUSES)
def test_masks_numbers_and_bids_are_the_engines(rules: pc.Rules, seats: int) -> None:
    encoding = pc.ActionEncoding(rules, seats)

    def legal(state: pc.State, seat: int | None) -> list[int]:
        return sorted(encoding.encode(call) for call in pc.legal_calls(state, seat))

    for batch, states, choice in side_by_side(rules, seats, 8, seats, keep_bids=True):
        kept = [[number for number in row if number >= 0] for row in batch.bids.tolist()]
        assert kept == [[encoding.encode(bid) for bid in state.bids] for state in states]
        for seat in range(seats):
            all_of = np.full(len(states), seat)
            assert numbers(batch.legal_mask(all_of)) == [legal(state, seat) for state in states]
            knows = [pc.observe(state, seat) for state in states]
            there = [pc.observe(batch.state(row), seat) for row in range(len(states))]
            assert list(map(as_known, there)) == list(map(as_known, knows))
            vectors = [observation_of(view, encoding)["observation"].tolist() for view in knows]
            assert batch.observation(all_of).tolist() == vectors
        assert batch.observation().tolist() == batch.observation(batch.turn).tolist()
        assert numbers(batch.legal_mask()) == [legal(state, state.turn) for state in states]
        calls = [pc.legal_calls(state)[index] for state, index in zip(states, choice.tolist(), strict=True)]
        action, seat_of = batch.to_action(choice)
        assert [encoding.decode(*pair) for pair in zip(action.tolist(), seat_of.tolist(), strict=True)] == calls
        assert batch.to_choice(action, seat_of).tolist() == choice.tolist()


def as_known(view: pc.Observation) -> pc.Observation:
    """A view without the names, and without former palifico rounds where no rule asks for them."""
    had = view.had_palifico if view.rules.palifico_once else frozenset[int]()
    return replace(view, seats=(), had_palifico=had)


def numbers(mask: Any) -> list[list[int]]:
    return [np.flatnonzero(row).tolist() for row in mask]


def test_a_call_that_is_not_legal_or_no_number_has_no_index_and_bids_that_are_not_kept_are_not_their_count() -> None:
    batch = Batch(pc.Rules(), 2, 2, np.random.default_rng(1))
    dudo, calza = batch.encoding.dudo, batch.encoding.calza
    refused: list[tuple[Any, Any, str]] = [
        *(([1, last], None, f"action {last} is not legal in row 1") for last in (dudo, calza, 0)),
        ([1, 1], 1 - batch.turn, "not legal in row 0"),
        ([1, 62], None, "action must be from 0 to 61"),
        ([1, -1], None, "action must be from 0 to 61"),
        ([1], None, "action must be an array"),
        ([1.0, 2.0], None, "action must be an array"),
        ([1, 1], [0, 2], "seat must be from 0 to 1"),
        ([1, 1], [0, -1], "seat must be from 0 to 1"),
        ([1, 1], [0], "seat must be an array"),
        ([1, 1], [0.0, 1.0], "seat must be an array"),
    ]
    for action, seat, fault in refused:
        with pytest.raises(ValueError, match=fault):
            batch.to_choice(np.array(action), None if seat is None else np.array(seat))
    assert batch.to_choice(np.array([1, 5]), batch.turn).tolist() == [0, 4]
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
