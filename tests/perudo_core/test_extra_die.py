"""Rules in which the first seat begins with one die more than the others."""

import pytest

import perudo_core as pc

RULES = pc.Rules(extra_die=True, calza=True)
HANDS = ((2,) * 6, (3,) * 5, (4,) * 5)


@pytest.mark.parametrize("lost_dice", pc.LostDice)
def test_the_first_seat_begins_with_one_die_more_and_a_bid_may_count_it(lost_dice: pc.LostDice) -> None:
    rules = RULES.with_options(lost_dice=lost_dice)
    start = pc.new_game(rules, 3, opener=1)
    assert (start.dice_counts, start.max_quantity, pc.ActionEncoding(rules, 3).max_quantity) == ((6, 5, 5), 16, 16)
    assert pc.apply(start, pc.Roll(HANDS)).state.dice == HANDS


def test_a_right_calza_gives_the_sixth_die_back_and_no_seventh_one() -> None:
    for hands, remaining in (((2,) * 5, 6), ((2,) * 6, 6)):
        state = pc.set_up(RULES, (hands, *HANDS[1:]), [pc.Bid(2, len(hands), 2)], opener=2)
        assert pc.apply(state, pc.Calza(0)).state.dice_counts == (remaining, 5, 5)
    state = pc.set_up(RULES, HANDS, [pc.Bid(0, 5, 3)])
    assert pc.apply(state, pc.Calza(1)).state.dice_counts == (6, 5, 5), "the others have no more than ever"


def test_a_player_with_two_dice_at_the_start_can_drop_to_one_where_the_others_cannot() -> None:
    state = pc.set_up(RULES.with_options(starting_dice=1), ((2, 2), (3,), (4,)), [pc.Bid(0, 3, 2)])
    after = pc.apply(state, pc.Dudo(1)).state
    assert (after.dice_counts, after.palifico) == ((1, 1, 1), 0)
    assert pc.load_state(pc.dump_state(after)) == after


@pytest.mark.parametrize(("counts", "reason"), [([6, 6, 5], "above the start"), ([5, 5, 5], "nobody can have lost")])
def test_a_state_before_the_first_roll_without_the_die_or_with_another_one_is_no_state(
    counts: list[int], reason: str
) -> None:
    start = pc.dump_state(pc.new_game(RULES, 3, opener=0))
    assert pc.load_state(start) == pc.new_game(RULES, 3, opener=0)
    with pytest.raises(pc.StateError, match=reason):
        pc.load_state(start | {"dice_counts": counts})


def test_nobody_begins_with_eleven_dice() -> None:
    with pytest.raises(pc.RulesError, match="with extra_die starting_dice must be 1 to 9"):
        RULES.with_options(starting_dice=10)
    assert pc.new_game(RULES.with_options(starting_dice=9), 2, opener=0).dice_counts == (10, 9)
