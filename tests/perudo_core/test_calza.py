from typing import Any

import pytest

import perudo_core as pc
from tests.perudo_core.notation import by_each_book, say, table

HANDS = ("2233", "4455", "2666")  # 3 twos
ANYONE = ("box_2009", "aces")
BYSTANDERS = ("italian_box", "azteca")
Reasons = tuple[pc.Reason | None, ...]


def rules(preset: str, **options: object) -> pc.Rules:
    return pc.Rules.preset(preset).with_options(calza=True, **options)


def caller_by(book: pc.Rules) -> int:
    return 1 if book.calza_by is pc.CalzaBy.ON_TURN else 2


@by_each_book
def test_off_unless_the_house_switches_it_on_needs_a_bid_and_not_in_a_palifico_round_of_italian_box(
    book: pc.Rules,
) -> None:
    state = table(book, *HANDS, calls="3x2")
    assert pc.why_illegal(state, pc.Calza(1)) is pc.Reason.CALZA_NOT_PLAYED
    assert pc.why_illegal(state, pc.Calza(9)) is pc.Reason.SEAT_UNKNOWN
    assert pc.why_illegal(table(book.with_options(calza=True), *HANDS), pc.Calza(1)) is pc.Reason.NO_BID
    state = table(book.with_options(calza=True), "2", "44", "26", palifico=0, calls="2x2")
    reason = pc.Reason.CALZA_IN_PALIFICO if book.book == "italian_box" else None
    assert pc.why_illegal(state, pc.Calza(caller_by(book))) == reason


@pytest.mark.parametrize(
    ("preset", "reasons"),
    [
        *((preset, (pc.Reason.OWN_BID, None, None)) for preset in ANYONE),
        *((preset, (pc.Reason.OWN_BID, pc.Reason.CALZA_ON_TURN, None)) for preset in BYSTANDERS),
        ("french_guide", (pc.Reason.OWN_BID, None, pc.Reason.NOT_YOUR_TURN)),
    ],
)
def test_anyone_but_the_last_bidder_or_bystanders_or_the_player_on_turn(preset: str, reasons: Reasons) -> None:
    state = table(rules(preset), *HANDS, calls="3x2")
    assert tuple(pc.why_illegal(state, pc.Calza(seat)) for seat in range(3)) == reasons
    listed = [call.seat for call in pc.legal_calls(state) if isinstance(call, pc.Calza)]
    assert listed == [seat for seat in range(3) if reasons[seat] is None]


def test_with_two_players_left_not_for_italian_box_nor_for_bystanders() -> None:
    for preset, options, reason in (
        *((preset, {}, None) for preset in (*ANYONE, "french_guide")),
        *((preset, {}, pc.Reason.CALZA_ON_TURN) for preset in BYSTANDERS),
        ("italian_box", {"calza_by": "on_turn"}, pc.Reason.CALZA_TWO_PLAYERS),
    ):
        state = table(rules(preset, **options), "223", "", "266", calls="3x2")
        assert pc.why_illegal(state, pc.Calza(2)) == reason, preset


@by_each_book
def test_right_the_caller_regains_a_die_but_never_a_sixth_wrong_he_loses_one_and_he_opens(book: pc.Rules) -> None:
    caller, rules = caller_by(book), book.with_options(calza=True)
    after, events = say(table(rules, *HANDS, calls="3x2"), f"{caller}:calza")
    assert (after.dice_counts[caller], after.total_dice, after.opener) == (5, 13, caller)
    assert (events[0], events[-1]) == (pc.CalzaCalled(caller, pc.Bid(0, 3, 2)), pc.DieRegained(caller, 1))
    after, events = say(table(rules, "22333", "44555", "26666", calls="3x2"), f"{caller}:calza")
    assert (after.dice_counts, after.opener, events[-1]) == ((5, 5, 5), caller, pc.DieRegained(caller, 0))
    for bid in ("2x2", "4x2"):
        after = table(rules, *HANDS, calls=f"{bid} {caller}:calza")
        assert (after.dice_counts[caller], after.total_dice, after.opener) == (3, 11, caller)


@pytest.mark.parametrize("preset", ANYONE)
def test_wrong_with_the_last_die_the_next_to_the_left_opens_and_the_game_can_end(preset: str) -> None:
    after = table(rules(preset), "22", "3", "26", calls="2x2 1:calza")
    assert (after.dice_counts, after.opener) == ((2, 0, 2), 2)
    assert table(rules("box_2009"), "22", "3", calls="1x2 calza").outcome == pc.Outcome(0, (1, 2))


def test_beyond_the_books_dice_after_a_calza() -> None:
    rows: list[tuple[str, dict[str, Any], str, tuple[int, ...]]] = [
        ("never above what the game started with", {"starting_dice": 4}, "3x2 2:calza", (4, 4, 4)),
        ("one die, not the difference", {"lose_by_difference": True}, "9x2 calza", (4, 3, 4)),
        ("wrong is the end in sudden death", {"sudden_death": True}, "9x2 calza", (4, 0, 4)),
        ("a wrong one costs only the caller", {"calza_costs_others": True}, "9x2 calza", (4, 3, 4)),
    ]
    for clause, options, calls, counts in rows:
        assert table(rules("box_2009", **options), *HANDS, calls=calls).dice_counts == counts, clause


@by_each_book
def test_italian_wikipedia_a_right_one_costs_all_others_a_die_and_the_caller_opens(book: pc.Rules) -> None:
    caller = caller_by(book)
    costly = book.with_options(calza=True, calza_costs_others=True)
    after, events = say(table(costly, *HANDS, calls="3x2"), f"{caller}:calza")
    lost = [(event.seat, event.amount) for event in events if isinstance(event, pc.DiceLost)]
    assert lost == ([(2, 1), (0, 1)] if caller == 1 else [(0, 1), (1, 1)])
    assert after.dice_counts == ((3, 4, 3) if caller == 1 else (3, 3, 4))
    assert after.opener == caller
    assert not any(isinstance(event, pc.DieRegained) for event in events)


def test_where_a_right_one_costs_the_others_who_drops_is_not_palifico_and_several_may_go_out_at_once() -> None:
    costly = rules("box_2009", calza_costs_others=True)
    after = table(costly, "22", "45", "266", calls="3x2 2:calza")
    assert (after.dice_counts, after.opener, after.palifico) == ((1, 1, 3), 2, None)
    after, events = say(table(costly, "2", "", "2", "33", "4", calls="2x2"), "2:calza")
    out = [event for event in events if isinstance(event, pc.SeatOut)]
    assert out == [pc.SeatOut(4, 4), pc.SeatOut(0, 3)], "the nearest to the caller's left goes first"
    assert (after.dice_counts, after.eliminated) == ((0, 0, 1, 1, 0), (1, 4, 0))
    assert table(costly, "2", "3", "2", calls="2x2 2:calza").outcome == pc.Outcome(2, (3, 2, 1))
    dead = table(costly.with_options(sudden_death=True), *HANDS, calls="3x2 calza")
    assert (dead.dice_counts, dead.outcome) == ((0, 4, 0), pc.Outcome(1, (2, 1, 3)))


@pytest.mark.parametrize("preset", [*ANYONE, *BYSTANDERS])
def test_of_several_the_nearest_to_the_left_of_the_bidder_counts_and_the_players_action_stands(preset: str) -> None:
    state = table(rules(preset), "22", "33", "44", "55", opener=1, calls="2x2")
    assert pc.settle_claims(state, [2, 0, 3]) == (2 if preset in ANYONE else 3), "a bystander is not on turn"
    claims: list[list[int]] = [[3, 0], [0, 1], [1], [], [7]]
    assert [pc.settle_claims(state, each) for each in claims] == [3, 0, None, None, None]
    assert pc.settle_claims(table(rules(preset), *HANDS), [1, 2]) is None, "there is no bid"
    acts = table(rules(preset), *HANDS, calls="3x2")
    assert say(acts, "4x2").state.current_bid == pc.Bid(1, 4, 2)
    assert pc.settle_claims(say(acts, "dudo").state, [2]) is None
