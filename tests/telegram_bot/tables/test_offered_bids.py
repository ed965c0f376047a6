"""The bids that every surface offers first, and the facts from which their order follows."""

from hypothesis import given, settings
from hypothesis import strategies as st

from perudo_core import PRESETS, Rules
from telegram_bot import notices as n
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.presentation.cards import card_of
from telegram_bot.presentation.inline_results import ranked_bids
from telegram_bot.tables.offered_bids import offered_bids, unseen_dice
from telegram_bot.tables.play import likely_calls
from telegram_bot.tables.tip_rules import Tip, fitting_tips
from telegram_bot.tables.views import hand_view, table_view
from telegram_bot.words.catalogue import catalogue
from tests.telegram_bot.conftest import running_table

W = catalogue("en")
VISIBLE = Rules.preset("box_2009").with_options(lost_dice="visible")


def test_after_three_fours_four_fours_are_offered_first_and_two_ones_behind_all_other_faces() -> None:
    table = running_table("22335", "33566", calls="3x4", rules=VISIBLE)
    assert offered_bids(table_view(table))[:4] == [(4, 4), (3, 5), (3, 6), (2, 1)]


def test_the_opener_of_a_palifico_round_is_offered_what_ten_dice_are_likely_to_hold() -> None:
    table = running_table("3", "22345", "156", "6", rules=VISIBLE, palifico=0)
    assert table_view(table).total_dice == 10
    assert offered_bids(table_view(table))[0] == (2, 2), "ones are not wild: two of a face hold more often than not"
    assert hand_view(table, 0).dice == (3,)
    assert offered_bids(hand_view(table, 0).table, (3,))[0] == (2, 3), "and her own three"


def test_a_raise_that_hardly_holds_is_behind_a_face_that_the_player_holds() -> None:
    table = running_table("22222", "33333", "44444", calls="5x2")
    hand = hand_view(table, 1)
    assert offered_bids(hand.table, hand.dice)[0] == (5, 3), "her five threes, and not six twos of ten other dice"


def test_the_die_that_one_player_has_more_is_among_those_that_the_others_do_not_see() -> None:
    rules = Rules(extra_die=True)
    first = table_view(running_table("222222", "33333", "44444", rules=rules))
    second = table_view(running_table("222222", "33333", "44444", calls="1x2", rules=rules))
    unseen = unseen_dice(first, (2,) * 6), unseen_dice(second, (3,) * 5), unseen_dice(first, ())
    assert unseen == (10, 11, 16)


def test_all_surfaces_offer_a_player_the_same_bid_first() -> None:
    table = running_table("33315", "22456", "2", rules=VISIBLE)
    hand = hand_view(table, 0)
    best = offered_bids(hand.table, hand.dice)[0]
    assert best == (4, 3)
    notice = n.HandNotice(view=hand, player=1, title="", deal=1)
    private = n.BidsNotice(view=hand.table, seat=0, face=None, private=True, dice=hand.dice)
    for keys in (keyboard(notice, W, bot="b"), keyboard(private, W, bot="b")):
        assert keys[0][0]["callback_data"].endswith("bid=4x3")
    assert card_of(notice, 1, table.id, W)["start"] == [*best]
    assert likely_calls(hand)[0] == "4x3"
    assert ranked_bids(hand)[0] == best


@given(
    st.sampled_from(PRESETS),
    st.lists(st.sampled_from("123456"), min_size=6, max_size=6).map("".join),
    st.lists(st.sampled_from("123456"), min_size=6, max_size=6).map("".join),
    st.sampled_from(["", "2x4", "2x4 3x4"]),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_keys_of_others_are_the_same_for_any_dice(
    preset: str, some: str, others: str, calls: str, palifico: bool
) -> None:
    """A reader without a hand gets the same keys and the same wheel in two games that differ in their dice only."""

    def shown(dice: str) -> tuple[object, ...]:
        hands = (dice[0], dice[1:3], dice[3:6]) if palifico else (dice[:2], dice[2:4], dice[4:])
        rules = Rules.preset(preset)
        opener = 0 if palifico and rules.palifico else None
        table = running_table(*hands, rules=rules, calls=calls, palifico=opener)
        view = table_view(table)
        public = n.TableNotice(view=view, shared=True, unreachable=False)
        back = n.BidsNotice(view=view, seat=0, face=None, private=False)
        return (
            offered_bids(view),
            keyboard(public, W, bot="b"),
            keyboard(back, W, bot="b"),
            card_of(public, -1, table.id, W),
        )

    assert shown(some) == shown(others)


@given(st.lists(st.sampled_from("123456"), min_size=5, max_size=5).map("".join))
@settings(max_examples=30, deadline=None)
def test_the_bids_offered_to_a_player_are_the_same_for_any_dice_of_the_others(dice: str) -> None:
    table = running_table(dice, "33315", "2", calls="2x4", rules=VISIBLE)
    hand, other = hand_view(table, 1), hand_view(running_table("66666", "33315", "5", calls="2x4", rules=VISIBLE), 1)
    assert ranked_bids(hand) == ranked_bids(other)
    assert likely_calls(hand) == likely_calls(other)


@given(st.lists(st.sampled_from("123456"), min_size=5, max_size=5).map("".join), st.sampled_from(["", "2x4"]))
@settings(max_examples=40, deadline=None)
def test_which_tip_a_player_gets_is_the_same_for_any_dice(dice: str, calls: str) -> None:
    hands = [hand_view(running_table("33456", cup, calls=calls), 1) for cup in (dice, "23456")]
    some, others = map(fitting_tips, hands)
    assert some == others


def test_ones_count_is_a_tip_for_everybody_where_ones_are_wild() -> None:
    table = running_table("13456", "23456")
    assert [fitting_tips(hand_view(table, seat)) for seat in (0, 1)] == [(Tip.WILD,), (Tip.WILD,)]
