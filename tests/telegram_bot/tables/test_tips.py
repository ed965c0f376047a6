"""The tips that fit a hand: the others at the table see that a player gets one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from telegram_bot.tables.tip_rules import Tip, fitting_tips
from telegram_bot.tables.views import hand_view
from tests.telegram_bot.conftest import running_table


@given(st.lists(st.sampled_from("123456"), min_size=5, max_size=5).map("".join), st.sampled_from(["", "2x4"]))
@settings(max_examples=40, deadline=None)
def test_which_tip_a_player_gets_is_the_same_for_any_dice(dice: str, calls: str) -> None:
    hands = [hand_view(running_table("33456", cup, calls=calls), 1) for cup in (dice, "23456")]
    some, others = map(fitting_tips, hands)
    assert some == others


def test_ones_count_is_a_tip_for_everybody_where_ones_are_wild() -> None:
    table = running_table("13456", "23456")
    assert [fitting_tips(hand_view(table, seat)) for seat in (0, 1)] == [(Tip.WILD,), (Tip.WILD,)]
