"""Calza, for each book that has it and for a house that adds it."""

import pytest

import perudo_core as pc
from tests.perudo_core.notation import say, table

HANDS = ("2233", "4455", "2666")  # 3 twos
ANYONE = ("box_2009", "aces")
BYSTANDERS = ("italian_box", "azteca")


def rules(preset: str, **options: object) -> pc.Rules:
    return pc.Rules.preset(preset).with_options(calza=True, **options)


def who_may(state: pc.State) -> list[int]:
    return [call.seat for call in pc.legal_calls(state) if isinstance(call, pc.Calza)]


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_off_unless_the_house_switches_it_on(preset: str) -> None:
    state = table(pc.Rules.preset(preset), *HANDS, calls="3x2")
    assert pc.why_illegal(state, pc.Calza(1)) is pc.Reason.CALZA_NOT_PLAYED
    assert pc.why_illegal(state, pc.Calza(9)) is pc.Reason.SEAT_UNKNOWN


@pytest.mark.parametrize("preset", ANYONE)
def test_box_2009_anyone_but_the_last_bidder(preset: str) -> None:
    state = table(rules(preset), *HANDS, calls="3x2")
    assert who_may(state) == [1, 2]
    assert pc.why_illegal(state, pc.Calza(0)) is pc.Reason.OWN_BID


@pytest.mark.parametrize("preset", BYSTANDERS)
def test_italian_box_and_azteca_nor_the_player_on_turn(preset: str) -> None:
    state = table(rules(preset), *HANDS, calls="3x2")
    assert who_may(state) == [2]
    assert pc.why_illegal(state, pc.Calza(1)) is pc.Reason.CALZA_ON_TURN
    assert pc.why_illegal(state, pc.Calza(0)) is pc.Reason.OWN_BID


def test_french_guide_the_player_on_turn_only() -> None:
    state = table(rules("french_guide"), *HANDS, calls="3x2")
    assert who_may(state) == [1]
    assert pc.why_illegal(state, pc.Calza(2)) is pc.Reason.NOT_YOUR_TURN


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_needs_a_bid(preset: str) -> None:
    assert pc.why_illegal(table(rules(preset), *HANDS), pc.Calza(1)) is pc.Reason.NO_BID


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_in_a_palifico_round_not_for_italian_box(preset: str) -> None:
    state = table(rules(preset), "2", "44", "26", palifico=0, calls="2x2")
    caller = 1 if preset == "french_guide" else 2
    assert pc.why_illegal(state, pc.Calza(caller)) == (pc.Reason.CALZA_IN_PALIFICO if preset == "italian_box" else None)


@pytest.mark.parametrize(
    ("preset", "reason"),
    [
        ("box_2009", None),
        ("italian_box", pc.Reason.CALZA_ON_TURN),
        ("aces", None),
        ("azteca", pc.Reason.CALZA_ON_TURN),
        ("french_guide", None),
    ],
)
def test_with_two_players_left(preset: str, reason: pc.Reason | None) -> None:
    state = table(rules(preset), "223", "", "266", calls="3x2")
    assert pc.why_illegal(state, pc.Calza(2)) == reason


def test_italian_box_not_with_two_players_left_whoever_may_say_it() -> None:
    state = table(rules("italian_box", calza_by="on_turn"), "223", "", "266", calls="3x2")
    assert pc.why_illegal(state, pc.Calza(2)) is pc.Reason.CALZA_TWO_PLAYERS


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_right_the_caller_regains_a_die_and_opens(preset: str) -> None:
    caller = 1 if preset == "french_guide" else 2
    transition = say(table(rules(preset), *HANDS, calls="3x2"), f"{caller}:calza")
    assert transition.state.dice_counts[caller] == 5
    assert transition.state.total_dice == 13
    assert transition.state.opener == caller
    assert transition.events[0] == pc.CalzaCalled(caller, pc.Bid(0, 3, 2))
    assert transition.events[-1] == pc.DieRegained(caller, 1)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_right_with_five_dice_changes_no_dice_and_he_still_opens(preset: str) -> None:
    caller = 1 if preset == "french_guide" else 2
    transition = say(table(rules(preset), "22333", "44555", "26666", calls="3x2"), f"{caller}:calza")
    assert transition.state.dice_counts == (5, 5, 5)
    assert transition.state.opener == caller
    assert transition.events[-1] == pc.DieRegained(caller, 0)


def test_never_above_what_the_game_started_with() -> None:
    transition = say(table(rules("box_2009", starting_dice=4), *HANDS, calls="3x2"), "2:calza")
    assert transition.state.dice_counts == (4, 4, 4)


@pytest.mark.parametrize("preset", pc.PRESETS)
@pytest.mark.parametrize("bid", ["2x2", "4x2"])
def test_wrong_the_caller_loses_a_die_and_opens(preset: str, bid: str) -> None:
    caller = 1 if preset == "french_guide" else 2
    after = say(table(rules(preset), *HANDS, calls=bid), f"{caller}:calza").state
    assert after.dice_counts[caller] == 3
    assert after.total_dice == 11
    assert after.opener == caller


@pytest.mark.parametrize("preset", ANYONE)
def test_wrong_with_the_last_die_the_next_to_the_left_opens(preset: str) -> None:
    after = say(table(rules(preset), "22", "3", "26", calls="2x2"), "1:calza").state
    assert after.dice_counts == (2, 0, 2)
    assert after.opener == 2


def test_wrong_with_the_last_die_can_end_the_game() -> None:
    after = say(table(rules("box_2009"), "22", "3", calls="1x2"), "calza").state
    assert after.outcome == pc.Outcome(0, (1, 2))


def test_wrong_costs_one_die_even_where_a_dudo_costs_the_difference() -> None:
    after = say(table(rules("box_2009", lose_by_difference=True), *HANDS, calls="9x2"), "calza").state
    assert after.dice_counts == (4, 3, 4)


def test_wrong_is_the_end_in_sudden_death() -> None:
    after = say(table(rules("box_2009", sudden_death=True), *HANDS, calls="9x2"), "calza").state
    assert after.dice_counts == (4, 0, 4)


@pytest.mark.parametrize("preset", pc.PRESETS)
def test_italian_wikipedia_a_right_one_costs_all_others_a_die_and_the_caller_opens(preset: str) -> None:
    caller = 1 if preset == "french_guide" else 2
    transition = say(table(rules(preset, calza_costs_others=True), *HANDS, calls="3x2"), f"{caller}:calza")
    lost = [(event.seat, event.amount) for event in transition.events if isinstance(event, pc.DiceLost)]
    assert lost == ([(2, 1), (0, 1)] if caller == 1 else [(0, 1), (1, 1)])
    assert transition.state.dice_counts == ((3, 4, 3) if caller == 1 else (3, 3, 4))
    assert transition.state.opener == caller
    assert not any(isinstance(event, pc.DieRegained) for event in transition.events)


def test_italian_wikipedia_a_wrong_one_costs_only_the_caller_a_die() -> None:
    after = say(table(rules("box_2009", calza_costs_others=True), *HANDS, calls="9x2"), "calza").state
    assert after.dice_counts == (4, 3, 4)


def test_no_palifico_round_follows_for_others_who_drop_to_one_die() -> None:
    after = say(table(rules("box_2009", calza_costs_others=True), "22", "45", "266", calls="3x2"), "2:calza").state
    assert (after.dice_counts, after.opener, after.palifico) == ((1, 1, 3), 2, None)


def test_of_several_who_go_out_at_once_the_nearest_to_the_callers_left_goes_first() -> None:
    state = table(rules("box_2009", calza_costs_others=True), "2", "", "2", "33", "4", calls="2x2")
    transition = say(state, "2:calza")
    assert [event for event in transition.events if isinstance(event, pc.SeatOut)] == [
        pc.SeatOut(4, 4),
        pc.SeatOut(0, 3),
    ]
    assert transition.state.dice_counts == (0, 0, 1, 1, 0)
    assert transition.state.eliminated == (1, 4, 0)


def test_a_right_one_can_end_the_game() -> None:
    costly = rules("box_2009", calza_costs_others=True)
    assert say(table(costly, "2", "3", "2", calls="2x2"), "2:calza").state.outcome == pc.Outcome(2, (3, 2, 1))


def test_in_sudden_death_a_right_one_puts_all_others_out() -> None:
    after = say(
        table(rules("box_2009", calza_costs_others=True, sudden_death=True), *HANDS, calls="3x2"), "calza"
    ).state
    assert after.dice_counts == (0, 4, 0)
    assert after.outcome == pc.Outcome(1, (2, 1, 3))


@pytest.mark.parametrize("preset", ANYONE)
def test_two_at_once_the_nearest_to_the_left_of_the_bidder_counts(preset: str) -> None:
    state = table(rules(preset), "22", "33", "44", "55", opener=1, calls="2x2")
    claims: list[list[int]] = [[3, 2], [3, 0], [0, 1], [1], [], [7]]
    assert [pc.settle_claims(state, each) for each in claims] == [2, 3, 0, None, None, None]


@pytest.mark.parametrize("preset", BYSTANDERS)
def test_two_at_once_the_player_on_turn_has_no_claim(preset: str) -> None:
    state = table(rules(preset), "22", "33", "44", "55", opener=1, calls="2x2")
    assert pc.settle_claims(state, [2, 0, 3]) == 3


def test_two_at_once_before_any_bid() -> None:
    assert pc.settle_claims(table(rules("box_2009"), *HANDS), [1, 2]) is None


@pytest.mark.parametrize("preset", [*ANYONE, *BYSTANDERS])
def test_at_the_moment_the_player_on_turn_acts_the_action_stands(preset: str) -> None:
    state = table(rules(preset), *HANDS, calls="3x2")
    acted = pc.apply(state, pc.Bid(1, 4, 2)).state
    assert acted.current_bid == pc.Bid(1, 4, 2)
    assert pc.settle_claims(say(state, "dudo").state, [2]) is None
