"""For search and learning: chance with probabilities, calls as numbers, what a seat knows, states that fit it."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import perudo_core as pc
from tests.perudo_core.notation import changed, table
from tests.perudo_core.test_properties import SEED, play

# Chance


def test_each_roll_is_as_probable_as_any_other_and_sorted_hands_are_those_without_their_order() -> None:
    start = pc.new_game(pc.Rules().with_options(starting_dice=2), 2, opener=0)
    outcomes = pc.chance_outcomes(start)
    assert len(outcomes) == len({action for action, _ in outcomes}) == 6**4
    assert {probability for _, probability in outcomes} == {Fraction(1, 6**4)}
    assert list(outcomes) == [outcomes[index] for index in range(len(outcomes))]
    assert outcomes[-1] == (pc.Roll(((6, 6), (6, 6))), Fraction(1, 6**4)) == outcomes[-2:][1]
    added: Counter[pc.Action] = Counter()
    for action, probability in outcomes:
        assert isinstance(action, pc.Roll)
        assert pc.is_legal(start, action)
        added[pc.Roll(tuple(tuple(sorted(hand)) for hand in action.dice))] += probability  # type: ignore[assignment]
    sorted_hands = pc.chance_outcomes(start, sorted_hands=True)
    assert dict(sorted_hands) == added
    assert [sorted_hands[index] for index in range(441)] == list(sorted_hands)


def test_rolls_too_many_to_list_are_not_listed_and_hands_have_probabilities_up_to_ten_dice() -> None:
    outcomes = pc.chance_outcomes(pc.new_game(pc.Rules(), 4, opener=0))
    assert len(outcomes) == 6**20
    assert outcomes[6**20 - 1][0] == pc.Roll(((6,) * 5,) * 4)
    with pytest.raises(IndexError):
        outcomes[6**20]
    with pytest.raises(ValueError, match="25 dice have too many rolls to list: at most 24"):
        pc.chance_outcomes(pc.new_game(pc.Rules(), 5, opener=0))
    for hands in map(pc.hand_outcomes, range(11)):
        assert sum(probability for _, probability in hands) == 1
        assert [hand for hand, _ in hands] == sorted({hand for hand, _ in hands})
    with pytest.raises(ValueError, match="count must be from 0 to 10, not 11"):
        pc.hand_outcomes(11)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_the_opening_has_probabilities_too(preset: str) -> None:
    start = pc.new_game(pc.Rules.preset(preset), 2)
    for sorted_hands in (False, True):
        outcomes = pc.chance_outcomes(start, sorted_hands=sorted_hands)
        assert sum(probability for _, probability in outcomes) == 1
        assert all(pc.apply(start, action).state for action, _ in outcomes)
        assert pc.sample_roll(start, random.Random(1)) in [action for action, _ in pc.chance_outcomes(start)]


def test_who_draws_and_who_rolls_is_awaited_and_no_chance_while_players_call() -> None:
    drawn = pc.chance_outcomes(pc.new_game(pc.Rules(), 2))
    assert list(drawn) == [(pc.OpenerDraw(0), Fraction(1, 2)), (pc.OpenerDraw(1), Fraction(1, 2))]
    tied = pc.apply(pc.new_game(pc.Rules.preset("azteca"), 3), pc.OpeningRoll(((5,), (2,), (5,)))).state
    assert pc.chance_outcomes(tied)[7] == (pc.OpeningRoll(((2,), (), (2,))), Fraction(1, 36))
    state = pc.set_up(pc.Rules.preset("aces"), ((1,), (), (2, 2)), [pc.Bid(0, 1, 2)])
    first, second, *_ = (action for action, _ in pc.chance_outcomes(pc.apply(state, pc.Dudo(2)).state))
    assert (first, second) == (pc.Roll(((1,), (), (1,))), pc.Roll(((1,), (), (2,)))), "a seat that is out rolls nothing"
    with pytest.raises(pc.IllegalActionError, match="roll/not_now"):
        pc.chance_outcomes(state)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_every_call_has_a_number_of_its_own(preset: str) -> None:
    encoding = pc.ActionEncoding(pc.Rules.preset(preset), 3)
    calls = [encoding.decode(number, 2) for number in range(encoding.size)]
    assert [encoding.encode(call) for call in calls] == list(range(6 * 15 + 2))
    assert calls[:7] == [*(pc.Bid(2, 1, face) for face in range(1, 7)), pc.Bid(2, 2, 1)]
    assert calls[-3:] == [pc.Bid(2, 15, 6), pc.Dudo(2), pc.Calza(2)]
    assert (encoding.bid_count, encoding.dudo, encoding.calza, encoding.max_quantity) == (90, 90, 91, 15)


def test_what_has_no_number_is_refused() -> None:
    encoding = pc.ActionEncoding(pc.Rules(), 2)
    refused: list[tuple[Callable[..., object], tuple[Any, ...], type[Exception], str]] = [
        (encoding.decode, (-1, 0), ValueError, "number must be from 0 to 61"),
        (encoding.decode, (62, 0), ValueError, "number must be from 0 to 61"),
        (encoding.decode, (0, 2), ValueError, "seat must be from 0 to 1"),
        (encoding.encode, (pc.Bid(0, 11, 6),), ValueError, "quantity must be from 1 to 10"),
        (encoding.encode, (pc.Bid(0, 1, 7),), ValueError, "face must be from 1 to 6"),
        (encoding.encode, (pc.Concede(0),), TypeError, "call must be of type"),
        (pc.ActionEncoding, (pc.Rules(), ["a", "b"]), TypeError, "seats must be a whole number"),
        (pc.ActionEncoding, (pc.Rules(), 7), pc.RulesError, "7 seats"),
    ]
    for function, arguments, error, fault in refused:
        with pytest.raises(error, match=fault):
            function(*arguments)


def test_the_text_of_what_a_seat_knows_does_not_change_nor_before_the_first_roll_and_after_the_last_call() -> None:
    with_two = pc.Rules.preset("aces").with_options(palifico_with_two_players=True)
    for rules, had in ((with_two, "had=1 "), (pc.Rules.preset("azteca"), ""), (pc.Rules(), "")):
        bids = [pc.Bid(1, 2, 2), pc.Bid(0, 3, 2)]
        state = pc.set_up(rules, ((6, 2, 2), (4,)), bids, opener=1, palifico=1, had_palifico=[1], round=7)
        key = f"seat=0 phase=bidding dice=226 counts=3,1 opener=1 palifico=1 {had}bids=2x2,3x2"
        assert pc.information_state_string(pc.observe(state, 0)) == key
        bystander = pc.information_state_string(pc.observe(state, None))
        assert bystander == key.replace("seat=0", "seat=-").replace("226", "-")
    seen = pc.observe(pc.new_game(pc.Rules(), 2), 1)
    told = pc.information_state_string(seen)
    assert told == "seat=1 phase=opening dice=- counts=5,5 opener=- palifico=- bids=-"
    with pytest.raises(TypeError, match="an observation has its seat"):
        pc.information_state_string(seen, 1)
    over = pc.apply(pc.set_up(pc.Rules(), ((6,), (4,)), [pc.Bid(0, 1, 5)]), pc.Dudo(1)).state
    told = pc.information_state_string(pc.observe(over, 0))
    assert told == "seat=0 phase=over dice=- counts=0,1 opener=- palifico=- bids=- places=2,1"
    for preset, matters in (("aces", True), ("azteca", False)):
        state = pc.set_up(pc.Rules.preset(preset), ((6,), (4, 4), (5,)), had_palifico=[2, 0])
        assert (" had=0,2 " in pc.information_state_string(state, 0)) is matters


@pytest.mark.usefixtures("untraced")
@given(SEED, st.sampled_from(pc.PRESETS), st.integers(2, 4), st.sampled_from(pc.LostDice), st.booleans())
def test_equal_knowledge_has_equal_texts_and_samples(seed: int, preset: str, seats: int, lost: str, once: bool) -> None:
    options: dict[str, Any] = {"calza": True, "palifico_once": once, "starting_dice": 3, "lost_dice": lost}
    rules = pc.Rules.preset(preset).with_options(**options)
    rng = random.Random(seed)
    state = rng.choice([each.after for each in play(rules, seats, seed) if each.after.phase is pc.Phase.BIDDING])
    for seat in state.active_seats:
        view = pc.observe(state, seat)
        sampled = pc.sample_state(view, rng)
        assert pc.observe(sampled, seat) == view
        mixed = list(state.dice[seat])
        rng.shuffle(mixed)
        reordered = (*sampled.dice[:seat], tuple(mixed), *sampled.dice[seat + 1 :])
        assert sampled == changed(state, dice=sampled.dice)
        other = changed(state, dice=reordered, round=state.round + 4)
        assert len({pc.information_state_string(pc.observe(each, seat)) for each in (state, sampled, other)}) == 1


def test_different_knowledge_has_different_texts() -> None:
    rules = pc.Rules.preset("aces")
    views = [
        pc.observe(
            pc.set_up(rules, dice, [pc.Bid((opener + turn) % 2, *bid) for turn, bid in enumerate(bids)], opener=opener),
            seat,
        )
        for dice in [((2, 2), (3, 3)), ((2, 3), (3, 3)), ((2,), (3, 3)), ((2,), (3,))]
        for bids in [(), ((1, 2),), ((1, 2), (1, 3)), ((1, 3),)]
        for opener in (0, 1)
        for seat in (0, 1)
    ]
    known = {(view.seat, view.opener, view.dice, view.dice_counts, view.bids) for view in views}
    assert len({pc.information_state_string(view) for view in views}) == len(known)


def test_likelihoods_say_which_hands_are_drawn_unless_false_or_between_rounds_for_a_bystander_too() -> None:
    """Four times as likely with a two: the posterior is 4 * 11/36 against 25/36."""
    bids = [pc.Bid(0, 1, 2), pc.Bid(1, 2, 2)]
    view = pc.observe(pc.set_up(pc.Rules.preset("aces"), ((6, 2, 2), (3, 4), ()), bids), 0)
    rng, asked = random.Random(3), set()

    def with_twos(seat: int, hand: tuple[int, ...]) -> float:
        asked.add((seat, hand))
        return 4.0 if 2 in hand else 1.0

    hands = [pc.sample_state(view, rng, likelihood=with_twos).dice[1] for _ in range(1500)]
    assert len(asked) == 21
    assert sum(2 in hand for hand in hands) / 1500 == pytest.approx(44 / 69, abs=0.03)
    state = pc.set_up(pc.Rules.preset("aces"), ((6, 2, 2), (3, 4)), [pc.Bid(0, 1, 2)])
    assert pc.sample_state(pc.observe(state, None), random.Random(1)).dice_counts == (3, 2)
    for likelihood in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(ValueError, match="the likelihoods of seat 1 must be"):
            pc.sample_state(pc.observe(state, 0), random.Random(1), likelihood=lambda _seat, _hand: likelihood)  # noqa: B023
    with pytest.raises(ValueError, match="no round runs"):
        pc.sample_state(pc.observe(pc.new_game(pc.Rules(), 2, opener=0), 0), random.Random(1))


A_ROUND = table(pc.Rules.preset("aces"), "234", "55", "1", calls="1x3")


def counted(dice: Sequence[int], face: int, wild: bool) -> int:
    return sum(die == face or (wild and die == 1) for die in dice)


@pytest.mark.usefixtures("untraced")
def test_every_small_case_against_every_roll() -> None:
    """All hands of up to three dice, up to four dice unseen, every face and every quantity."""
    hands = [hand for many in range(4) for hand in combinations_with_replacement(range(1, 7), many)]
    for unknown, wild, face in product(range(5), (True, False), range(1, 7)):
        rolls = list(product(range(1, 7), repeat=unknown))
        fell = Counter(counted(roll, face, wild) for roll in rolls)
        for hand in hands:
            own, size = counted(hand, face, wild), len(hand) + unknown
            assert pc.count_matching(hand, face, wild) == own
            chances = tuple(Fraction(fell[count - own], len(rolls)) for count in range(size + 1))
            assert pc.count_probabilities(hand, unknown, face, wild) == chances
            for quantity in range(-1, size + 3):
                exact = chances[quantity] if 0 <= quantity <= size else 0
                assert pc.probability_exact(hand, unknown, quantity, face, wild) == exact
                assert pc.probability_holds(hand, unknown, quantity, face, wild) == sum(chances[max(quantity, 0) :])


def test_the_chance_that_a_bid_holds() -> None:
    hidden = table(pc.Rules(lost_dice="hidden"), "234", "55", "1", calls="1x3")
    palifico = table(pc.Rules(), "2", "55", "1", palifico=0, calls="1x5")
    for state, seat, bid, holds, why in (
        (A_ROUND, 0, pc.Bid(0, 2, 3), 1 - Fraction(2, 3) ** 3, "one of two is still wanted"),
        (A_ROUND, 1, pc.Bid(0, 1, 5), 1, "the own hand is enough"),
        (A_ROUND, None, pc.Bid(0, 6, 3), Fraction(1, 3**6), "a bystander knows no dice"),
        (hidden, 0, pc.Bid(0, 2, 3), 1 - Fraction(2, 3) ** 3, "a player can count the dice that were lost"),
        (palifico, 2, pc.Bid(0, 1, 5), 1 - Fraction(5, 6) ** 3, "in a palifico round ones do not count"),
    ):
        view = pc.observe(state, seat)
        assert pc.bid_probability(view, bid) == pc.bid_odds(view, bid).holds == holds, why


def test_all_odds_of_a_bid_and_those_of_a_thousand_players_soon() -> None:
    view = pc.observe(table(pc.Rules.preset("aces"), "23", "55", calls="1x3"), 0)
    odds = pc.bid_odds(view, pc.Bid(1, 2, 3))
    none, one, four, five = (Fraction(ninths, 9) for ninths in (0, 1, 4, 5))
    assert odds == pc.Odds(five, four, (none, four, four, one, none))
    assert odds.floats() == pc.Odds(5 / 9, 4 / 9, (0.0, 4 / 9, 4 / 9, 1 / 9, 0.0))
    assert pc.bid_odds(view, pc.Bid(1, 9, 3)) == pc.Odds(Fraction(0), Fraction(0), odds.counts)
    assert pc.bid_odds(view, pc.Bid(1, -9, 3)) == pc.Odds(Fraction(1), Fraction(0), odds.counts)
    assert pc.probability_holds([], 5000, 10**9999, 2, ones_are_wild=True) == 0
    assert 0 < pc.probability_holds([], 5000, 1700, 2, ones_are_wild=True) < 1
    assert sum(pc.count_probabilities([1], 1000, 2, ones_are_wild=True)) == 1
