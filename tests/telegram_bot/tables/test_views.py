"""Views of a table: never another player's dice, nor a count that the rules hide; the bids that are offered first."""

from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo_core import PRESETS, Bid, Rules, legal_calls, why_illegal
from telegram_bot import notices as n
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.presentation.cards import card_of
from telegram_bot.presentation.inline_results import ranked_bids
from telegram_bot.tables import play
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import Table
from telegram_bot.tables.offered_bids import offered_bids, unseen_dice
from telegram_bot.tables.play import likely_calls
from telegram_bot.tables.result_views import game_over_view, reveal_view
from telegram_bot.tables.tip_rules import Tip, fitting_tips
from telegram_bot.tables.views import hand_view, lobby_view, table_view
from tests.telegram_bot.conftest import EN, at, game_of, lobby_table, parse, revealed, running_table, the_end

HIDDEN = Rules.preset("box_2009")
VISIBLE = HIDDEN.with_options(lost_dice="visible", calza=True)


def step_of(table: Table, call: str) -> TableChange:
    return play.make_call(table, parse(table, call), step=table.step, moment=at())


Twins: TypeAlias = tuple[Table, Table, int]


@st.composite
def rulebooks(draw: st.DrawFn) -> Rules:
    rules = Rules.preset(draw(st.sampled_from(PRESETS)))
    return rules.with_options(
        lost_dice=draw(st.sampled_from(["hidden", "visible"])),
        calza=draw(st.booleans()),
        palifico_face_change=draw(st.booleans()),
        plain_raise=draw(st.sampled_from(["one_thing", "no_decrease", "any_higher"])),
        ones_rank=draw(st.sampled_from(["double", "highest", "lowest"])),
        wild_ones=draw(st.booleans()),
    )


@st.composite
def twins(draw: st.DrawFn) -> Twins:
    """Two games alike in everything but the dice of all seats except one, and that seat."""
    rules = draw(rulebooks())
    counts = draw(st.lists(st.integers(0, 5), min_size=2, max_size=6).filter(lambda c: sum(map(bool, c)) > 1))
    seats = [seat for seat, count in enumerate(counts) if count]
    me = draw(st.sampled_from(seats))
    opener = draw(st.sampled_from(seats))
    ones = [seat for seat in seats if counts[seat] == 1]
    known = rules.palifico and (rules.palifico_with_two_players or len(seats) > 2)
    palifico = opener if known and opener in ones and draw(st.booleans()) else None
    faces = st.integers(1, 6).map(str)
    hands = ["".join(draw(st.lists(faces, min_size=count, max_size=count))) for count in counts]
    others = [
        hand if seat == me else "".join(draw(st.lists(faces, min_size=len(hand), max_size=len(hand))))
        for seat, hand in enumerate(hands)
    ]
    table, twin = (running_table(*dealt, rules=rules, opener=opener, palifico=palifico) for dealt in (hands, others))
    for _ in range(draw(st.integers(0, 6))):
        bids = [call for call in legal_calls(game_of(table), game_of(table).turn) if isinstance(call, Bid)]
        if not bids:
            break
        bid = str(draw(st.sampled_from(bids[:9] + bids[-2:])))
        table, twin = step_of(table, bid).table, step_of(twin, bid).table
    return table, twin, me


@given(twins())
@settings(max_examples=100, deadline=None)
def test_no_view_tells_of_another_players_dice_nor_counts_what_the_rules_hide(pair: Twins) -> None:
    table, twin, me = pair
    view, own = table_view(table), hand_view(table, me)
    assert game_of(table).dice[me] == game_of(twin).dice[me] == own.dice
    assert view.model_dump_json() == table_view(twin).model_dump_json()
    assert own.model_dump_json() == hand_view(twin, me).model_dump_json()
    raises = {"raises": ()}  # the own ones may be more, see below
    assert own.table.model_copy(update=raises) == view.model_copy(update=raises)
    assert not {"game", "dice", "secret"} & view.model_dump().keys()
    hidden, counts = table.rules.lost_dice == "hidden", game_of(table).dice_counts
    for seat, count in zip(view.seats, counts, strict=True):
        assert seat.out is (count == 0)
        assert seat.dice == (None if hidden and count else count)
    assert view.total_dice == (None if hidden else sum(counts))


@given(twins())
def test_a_view_offers_the_legal_bids_of_the_player_on_turn(pair: Twins) -> None:
    table, _, _ = pair
    game = game_of(table)
    assert game.turn is not None
    offered = set(hand_view(table, game.turn).table.raises)
    assert set(table_view(table).raises) <= offered
    for quantity in range(1, game.max_quantity + 2):
        for face in range(1, 7):
            legal = why_illegal(game, parse(table, f"{quantity}x{face}")) is None
            assert ((quantity, face) in offered) is legal


def test_calza_is_offered_where_the_rules_play_it() -> None:
    assert not table_view(running_table("22", "33", "44", rules=HIDDEN, calls="1x4")).calza
    assert not table_view(running_table("22", "33", "44", rules=VISIBLE)).calza, "nothing has been bid"
    italian = Rules.preset("italian_box").with_options(calza=True)
    palifico = running_table("2", "33", "44", rules=italian, palifico=0, calls="1x4")
    assert (table_view(palifico).calza, palifico.wild_by) == (False, None)


def test_a_public_view_shows_the_bids_and_whose_turn_it_is() -> None:
    table = running_table("22222", "33333", "", "5", rules=VISIBLE, calls="3x4 4x4", opener=1).with_seat(0, away=True)
    view = table_view(table)
    assert [(bid.seat, bid.quantity, bid.face) for bid in view.bids] == [(1, 3, 4), (3, 4, 4)]
    assert view.standing == view.bids[-1]
    assert (view.turn, view.opener, view.total_dice, view.dudo, view.calza) == (0, 1, 11, True, True)
    assert [(seat.name, seat.dice, seat.out, seat.away) for seat in view.seats] == [
        ("Ana", 5, False, True),
        ("Bo", 5, False, False),
        ("Cy", 0, True, False),
        ("Dee", 1, False, False),
    ]


@pytest.mark.parametrize(
    ("preset", "options", "dudo", "calza"),
    [
        ("box_2009", {"calza": True}, (1,), (1, 2)),
        ("azteca", {"calza": True}, (1,), (2,)),
        ("french_guide", {"calza": True}, (1,), (1,)),
        ("box_2009", {"calza": True, "out_of_turn_dudo": True}, (1, 2), (1, 2)),
        ("box_2009", {}, (1,), ()),
    ],
)
def test_everybody_is_told_who_may_call_by_each_rulebook(
    preset: str, options: dict[str, bool], dudo: tuple[int, ...], calza: tuple[int, ...]
) -> None:
    rules = Rules.preset(preset).with_options(**options)
    table = running_table("22222", "33333", "44444", "", rules=rules, calls="3x4")
    view = table_view(table)
    assert (view.dudo_seats, view.calza_seats) == (dudo, calza)
    for seat in range(3):
        mine = hand_view(table, seat)
        assert (mine.on_turn, mine.may_dudo, mine.may_calza) == (seat == 1, seat in dudo, seat in calza)


def test_dice_are_shown_when_a_round_ends_and_only_then() -> None:
    table = running_table("22222", "33333", "44444", rules=HIDDEN)
    bid = step_of(table, "6x2")
    assert reveal_view(table, bid.table, bid.game_events) is None
    view, *_ = the_end(bid.table)
    assert view.dice == ((2,) * 5, (3,) * 5, (4,) * 5)
    assert (view.call, view.caller, view.count, view.round) == ("dudo", 1, 5, 1)
    assert (view.bid, view.ones_wild) == (view.bids[-1], True)
    assert [(change.seat, change.dice) for change in view.changes] == [(0, -1)]
    assert (view.next_opener, view.next_palifico, view.out) == (0, False, ())


def test_a_reveal_announces_palifico_and_who_is_out() -> None:
    assert the_end(running_table("22", "333", rules=HIDDEN, calls="3x2"))[0].next_palifico
    out, *_ = the_end(running_table("2", "333", "444", rules=HIDDEN, calls="3x2"))
    assert (out.out, out.next_opener, out.next_palifico) == ((0,), 1, False)


def test_a_right_calza_shows_the_die_regained() -> None:
    on_turn = VISIBLE.with_options(calza_by="on_turn")
    table = running_table("2222", "33333", "44444", rules=on_turn, calls="1x3", opener=2)
    view, *_ = the_end(running_table("2222", "3", "444", rules=VISIBLE, calls="4x2", opener=2), "0:calza")
    assert [(change.seat, change.dice) for change in view.changes] == [(0, 1)]
    assert (view.call, view.caller, view.seats[0].dice) == ("calza", 0, 5)
    full, *_ = the_end(step_of(table, "5x3").table, "calza")
    assert (full.changes, full.next_opener) == ((), 1), "five dice are the most"


def test_hidden_lost_dice_stay_hidden_after_a_reveal() -> None:
    """RULEBOOKS, hidden lost dice: dice shown at a reveal are public, counts are not shown."""
    view, *_ = the_end(running_table("222", "3333", "44", rules=HIDDEN, calls="6x2"))
    assert [seat.dice for seat in view.seats] == [None, None, None]
    *_, after = the_end(running_table("2", "333", "44", rules=HIDDEN, calls="6x2"))
    assert [seat.dice for seat in table_view(after).seats] == [0, None, None]


def test_a_player_who_leaves_shows_nobodys_dice() -> None:
    table = running_table("22222", "33333", "44444", rules=HIDDEN, calls="3x4")
    view = revealed(table, play.resign(table, 1, moment=at()))
    assert (view.call, view.caller, view.dice, view.bid, view.count, view.out) == ("leave", 1, (), None, None, (1,))


def test_the_end_shows_the_places() -> None:
    table = running_table("2", "33", "", rules=HIDDEN, calls="2x2")
    _, view, _ = the_end(table)
    assert view is not None
    assert [(seat.name, seat.place) for seat in view.seats] == [("Bo", 1), ("Ana", 2), ("Cy", 3)]
    assert (view.winner, view.rounds) == (1, 1)
    assert game_over_view(table, ()) is None


def test_a_lobby_shows_who_sits_and_what_is_chosen() -> None:
    view = lobby_view(lobby_table(3))
    assert [(seat.player, seat.name) for seat in view.seats] == [(1, "Ana"), (2, "Bo"), (3, "Cy")]
    assert (view.host, view.code, view.min_seats, view.max_seats) == (1, "CODE22", 2, 6)


def test_hidden_dice_the_table_s_own_bids_do_not_tell_who_has_one_die_left() -> None:
    rules = Rules.preset("azteca").with_options(lost_dice="hidden")
    one = running_table("2", "3", "44444", rules=rules, palifico=0, calls="1x2")
    many = running_table("2", "33333", "4", rules=rules, palifico=0, calls="1x2")

    assert table_view(one).raises == table_view(many).raises
    assert (1, 3) in hand_view(one, 1).table.raises, "who may change the face finds it on their own keyboard"
    assert (1, 3) not in hand_view(many, 1).table.raises


# The bids that every surface offers first, and the facts from which their order follows


VISIBLE_DICE = Rules.preset("box_2009").with_options(lost_dice="visible")


def test_after_three_fours_four_fours_are_offered_first_and_two_ones_behind_all_other_faces() -> None:
    table = running_table("22335", "33566", calls="3x4", rules=VISIBLE_DICE)
    assert offered_bids(table_view(table))[:4] == [(4, 4), (3, 5), (3, 6), (2, 1)]


def test_the_opener_of_a_palifico_round_is_offered_what_ten_dice_are_likely_to_hold() -> None:
    table = running_table("3", "22345", "156", "6", rules=VISIBLE_DICE, palifico=0)
    assert table_view(table).total_dice == 10
    assert offered_bids(table_view(table))[0] == (2, 2), "ones are not wild: two of a face hold more often than not"
    assert hand_view(table, 0).dice == (3,)
    assert offered_bids(hand_view(table, 0).table, (3,))[0] == (2, 3), "and her own three"


def test_the_die_that_one_player_has_more_is_among_those_that_the_others_do_not_see() -> None:
    rules = Rules(extra_die=True)
    first = table_view(running_table("222222", "33333", "44444", rules=rules))
    second = table_view(running_table("222222", "33333", "44444", calls="1x2", rules=rules))
    unseen = unseen_dice(first, (2,) * 6), unseen_dice(second, (3,) * 5), unseen_dice(first, ())
    assert unseen == (10, 11, 16)


def test_all_surfaces_offer_a_player_the_same_bid_first() -> None:
    table = running_table("33315", "22456", "2", rules=VISIBLE_DICE)
    hand = hand_view(table, 0)
    best = offered_bids(hand.table, hand.dice)[0]
    assert best == (4, 3)
    notice = n.HandNotice(view=hand, player=1, title="", deal=1)
    private = n.BidsNotice(view=hand.table, seat=0, face=None, private=True, dice=hand.dice)
    for keys in (keyboard(notice, EN, bot="b"), keyboard(private, EN, bot="b")):
        assert keys[0][0]["callback_data"].endswith("bid=4x3")
    assert card_of(notice, 1, table.id, EN)["start"] == [*best]
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
def test_keys_of_others_are_alike_for_any_dice(preset: str, some: str, others: str, calls: str, palifico: bool) -> None:
    def shown(dice: str) -> tuple[object, ...]:
        hands = (dice[0], dice[1:3], dice[3:6]) if palifico else (dice[:2], dice[2:4], dice[4:])
        rules = Rules.preset(preset)
        opener = 0 if palifico and rules.palifico else None
        table = running_table(*hands, rules=rules, calls=calls, palifico=opener)
        view = table_view(table)
        public = n.TableNotice(view=view, shared=True, unreachable=False)
        back = n.BidsNotice(view=view, seat=0, face=None, private=False)
        keys = keyboard(public, EN, bot="b"), keyboard(back, EN, bot="b")
        return offered_bids(view), *keys, card_of(public, -1, table.id, EN)

    assert shown(some) == shown(others)


@given(st.lists(st.sampled_from("123456"), min_size=5, max_size=5).map("".join))
@settings(max_examples=30, deadline=None)
def test_the_bids_offered_to_a_player_are_the_same_for_any_dice_of_the_others(dice: str) -> None:
    table = running_table(dice, "33315", "2", calls="2x4", rules=VISIBLE_DICE)
    twin = running_table("66666", "33315", "5", calls="2x4", rules=VISIBLE_DICE)
    hand, other = hand_view(table, 1), hand_view(twin, 1)
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
