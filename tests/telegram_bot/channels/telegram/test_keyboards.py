"""Which bids and choices a keyboard offers."""

from __future__ import annotations

import random
import re
from enum import StrEnum
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from perudo_core import PRESETS, Bid, Dudo, Rules, legal_actions
from telegram_bot.channels.telegram.buttons import DANGER, PRIMARY, SUCCESS, Rows
from telegram_bot.channels.telegram.keyboards import bid_rows, keyboard
from telegram_bot.service import intents as i
from telegram_bot.service import notices as n
from telegram_bot.tables.lobby import HOUSE_OPTIONS, option_values
from telegram_bot.tables.model import Table, TurnClock
from telegram_bot.tables.views import TableView, hand_view, lobby_view, table_view
from telegram_bot.words.catalogue import LANGUAGES, catalogue
from telegram_bot.words.chat.lobby import OPTIONS_OF, LobbyPage
from tests.telegram_bot.channels.telegram.read_buttons import (
    BOT,
    CLASSIC,
    HOUSES,
    W,
    data_of,
    read,
    what,
)
from tests.telegram_bot.conftest import after_call, game_of, lobby_table, running_table

# Which bids a keyboard offers


def offered(view: TableView, rows: Rows) -> set[tuple[int, int]]:
    """Every bid that one tap on these rows makes."""
    wishes = [read(data) for data in data_of(rows)]
    assert all(wish is not None and wish.step == view.step for wish in wishes)
    return {(w.what.quantity, w.what.face) for w in wishes if w is not None and isinstance(w.what, i.MakeBid)}


def reachable(view: TableView) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The bids at one tap, and those at a face's and one more."""
    first = bid_rows(view, W, None)
    faces = [w.what.face for w in map(read, data_of(first)) if w is not None and isinstance(w.what, i.SeeBids)]
    assert None not in faces or not view.raises
    second = set().union(*(offered(view, bid_rows(view, W, face)) for face in faces if face)) if faces else set()
    return offered(view, first), second


@st.composite
def positions(draw: st.DrawFn) -> Table:
    """A game of any rulebook some bids into a round."""
    rules = Rules.preset(draw(st.sampled_from(PRESETS))).with_options(
        plain_raise=draw(st.sampled_from(["one_thing", "no_decrease", "any_higher", "ones_highest"])),
        lost_dice=draw(st.sampled_from(["hidden", "visible"])),
        wild_ones=draw(st.booleans()),
        calza=draw(st.booleans()),
    )
    counts = draw(st.lists(st.integers(0, 5), min_size=2, max_size=6).filter(lambda c: sum(map(bool, c)) > 1))
    seats = [seat for seat, count in enumerate(counts) if count]
    opener = draw(st.sampled_from(seats))
    known = rules.palifico and (rules.palifico_with_two_players or sum(map(bool, counts)) > 2)
    ones = counts[opener] == 1 and known
    table = running_table(
        *("1" * count for count in counts),
        rules=rules,
        opener=opener,
        palifico=opener if ones and draw(st.booleans()) else None,
    )
    for _ in range(draw(st.integers(0, 6))):
        bids = [call for call in legal_actions(game_of(table), game_of(table).turn) if isinstance(call, Bid)]
        if not bids:
            break
        table = after_call(table, str(draw(st.sampled_from(bids[:9] + bids[-2:]))))
    return table


@given(positions())
@settings(max_examples=150, deadline=None)
def test_a_keyboard_offers_all_legal_bids_and_no_other_within_two_taps(table: Table) -> None:
    game = game_of(table)
    assert game.turn is not None
    view = hand_view(
        table, game.turn
    ).table  # the player's own: what everybody sees may offer less, so as to hide counts
    legal = {(call.quantity, call.face) for call in legal_actions(game, game.turn) if isinstance(call, Bid)}
    one_tap, two_taps = reachable(view)
    assert one_tap | two_taps == legal
    assert len(one_tap) <= 14, "a keyboard to look at, not to search in"
    for face in (None, *range(1, 7)):
        rows = bid_rows(view, W, face)
        assert sum(map(len, rows)) <= 100
        assert all(1 <= len(row) <= 8 for row in rows)


@given(positions())
@settings(max_examples=150, deadline=None)
def test_the_first_button_is_the_common_raise(table: Table) -> None:
    view = table_view(table)
    if not view.raises:
        return
    first = next(button for row in bid_rows(view, W, None) for button in row if "bid=" in button["callback_data"])
    wish = what(first["callback_data"])
    assert isinstance(wish, i.MakeBid)
    standing = view.standing
    if standing is None:
        assert (wish.quantity, wish.face) in view.raises
        return
    same_face = [bid for bid in view.raises if bid[1] == standing.face]
    assert (wish.quantity, wish.face) == (min(same_face) if same_face else (wish.quantity, wish.face))
    if same_face:
        assert wish.quantity == standing.quantity + 1
    assert first["style"] == PRIMARY


def test_the_common_raises_after_five_fours() -> None:
    table = running_table("22222", "33333", "44444", calls="5x4", rules=Rules.preset("aces"))
    rows = bid_rows(table_view(table), W, None)
    bids = [what(data) for data in data_of(rows)]
    quick = [(bid.quantity, bid.face) for bid in bids if isinstance(bid, i.MakeBid)]
    assert quick[:3] == [(6, 4), (7, 4), (8, 4)]
    assert set(quick[3:]) == {(3, 1), (6, 2), (6, 3), (5, 5), (5, 6)} & {(q, f) for q, f in table_view(table).raises}
    assert rows[0][0]["text"] == "6 × 4️⃣"


def test_a_whole_table_of_fifty_dice_fits() -> None:
    table = running_table(*["12345"] * 10, rules=Rules.preset("aces"))
    for position in (table, after_call(table, "1x2")):
        view = table_view(position)
        one_tap, two_taps = reachable(view)
        assert one_tap | two_taps == set(view.raises)


@given(positions())
@settings(deadline=None)
def test_dudo_touches_neither_calza_nor_my_dice(table: Table) -> None:
    """On no keyboard, whoever sees it and whichever page it shows: not beside, above or below."""
    view = table_view(table)
    shared = keyboard(n.TableNotice(view=view, shared=True, unreachable=False), W, bot=BOT)
    pages = [keyboard(n.BidsNotice(view=view, seat=0, face=face, private=False), W, bot=BOT) for face in range(1, 7)]
    for rows in (shared, *pages, *(bid_rows(view, W, face) for face in (None, *range(1, 7)))):
        names = [[button["callback_data"].rpartition(":")[2] for button in row] for row in rows]
        there = {name for row in names for name in row}
        assert ("dudo" in there, "calza" in there) == (view.dudo, view.calza)
        for number, row in enumerate(names):
            if "dudo" in row:
                assert row == ["dudo"], "a row of its own"
                near = {*chain.from_iterable(names[max(0, number - 1) : number + 2])}
                assert not near & {"calza", "dice"}
            if "calza" in row:
                assert row == ["calza"]
                below = [name for later in names[number + 1 :] for name in later]
                assert all(name.startswith("predict=") for name in below), "below the bids"
        styles = {button["callback_data"].rpartition(":")[2]: button.get("style") for row in rows for button in row}
        assert styles.get("dudo", DANGER) == DANGER
        assert styles.get("calza", SUCCESS) == SUCCESS
    assert view.dudo is (Dudo(game_of(table).turn or 0) in legal_actions(game_of(table)))


def test_where_no_higher_bid_is_possible_a_row_says_so_between_the_calls() -> None:
    table = running_table("2", "3", calls="1x6 2x1", rules=CLASSIC.with_options(calza_with_two_players=True))
    rows = bid_rows(table_view(table), W, None)
    assert [button["text"] for row in rows for button in row] == ["🗣 Dudo!", "🔝 No higher bid", "🎯 Calza!"]
    assert [what(data) for data in data_of(rows)] == [i.CallDudo(), i.SeeBids(None), i.CallCalza()]


@given(positions(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_no_keyboard_tells_of_anybodys_dice(table: Table, rng: random.Random) -> None:
    """Not even the player's own: it may be seen over a shoulder."""
    game = game_of(table)
    dice = tuple(tuple(rng.randint(1, 6) for _ in hand) for hand in game.dice)
    twin = table.replace(game=game._replace(setup=game.setup._replace(dice=dice)))
    for seat in game.active_seats:
        shown = [
            keyboard(n.HandNotice(view=hand_view(one, seat), player=1, title="", deal=1), W, bot=BOT)
            for one in (table, twin)
        ]
        assert shown[0] == shown[1]
    tables = [n.TableNotice(view=table_view(one), shared=True, unreachable=False) for one in (table, twin)]
    assert keyboard(tables[0], W, bot=BOT) == keyboard(tables[1], W, bot=BOT)


def test_who_is_not_on_turn_may_only_say_calza() -> None:
    rules = Rules.preset("box_2009").with_options(calza=True)
    table = running_table("22222", "33333", "44444", rules=rules, calls="3x4")
    hands = [n.HandNotice(view=hand_view(table, seat), player=1, title="", deal=1) for seat in range(3)]
    assert keyboard(hands[0], W, bot=BOT) == [], "the bidder"
    assert [what(data) for data in data_of(keyboard(hands[2], W, bot=BOT))] == [i.CallCalza()]
    assert i.CallDudo() in [what(data) for data in data_of(keyboard(hands[1], W, bot=BOT))]


def test_a_lobby_offers_the_start_only_when_enough_sit() -> None:
    for people in (1, 2):
        notice = n.LobbyNotice(view=lobby_view(lobby_table(people)))
        assert (i.Start() in map(what, data_of(keyboard(notice, W, bot=BOT)))) is (people == 2)


def test_the_host_is_not_offered_to_be_sent_out() -> None:
    notice = n.LobbyNotice(view=lobby_view(lobby_table(3)), page="kick")
    wishes = [what(data) for data in data_of(keyboard(notice, W, bot=BOT))]
    assert [wish.player for wish in wishes if isinstance(wish, i.Kick)] == [2, 3]


def test_notices_without_buttons_have_none() -> None:
    for notice in (
        n.ResumedNotice(),
        n.OutdatedNotice(),
        n.ConfirmationNotice(done=n.Confirmation.LEFT),
    ):
        assert keyboard(notice, W, bot=BOT) == []


LONGEST_LABEL = 20
"""Characters that a narrow phone shows on one of two buttons in a row."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_label_in_the_lobby_is_short_enough_for_its_place(language: str) -> None:
    """Counted without the sign before it; names are the players' own."""
    w = catalogue(language)
    for preset in PRESETS:
        for page in set(LobbyPage) - {LobbyPage.KICK}:
            for rules in every_value(Rules.preset(preset).with_options(calza=True)):
                view = lobby_view(lobby_table(3, rules))
                for row in keyboard(n.LobbyNotice(view=view, page=page, house_rules=HOUSES), w, bot=BOT):
                    for button in row:
                        label = re.sub(r"^[^\w]+", "", button["text"])
                        assert 1 <= len(label) <= LONGEST_LABEL, label


def test_options_are_offered_only_where_they_can_change_the_game() -> None:
    def offered_on(page: LobbyPage, **options: object) -> set[str]:
        view = lobby_view(lobby_table(3, Rules.preset("box_2009").with_options(**options)))
        wishes = map(what, data_of(keyboard(n.LobbyNotice(view=view, page=page), W, bot=BOT)))
        return {wish.option for wish in wishes if isinstance(wish, i.ChangeOption)}

    assert offered_on(LobbyPage.CALZA) == {"calza"}
    assert offered_on(LobbyPage.CALZA, calza=True) == {
        "calza",
        "calza_by",
        "calza_in_palifico",
        "calza_with_two_players",
    }
    assert offered_on(LobbyPage.CALZA, calza=True, palifico=False) == {"calza", "calza_by", "calza_with_two_players"}
    assert offered_on(LobbyPage.PALIFICO, palifico=False) == {"palifico"}
    assert len(offered_on(LobbyPage.PALIFICO)) == 4
    assert offered_on(LobbyPage.PALIFICO, sudden_death=True) == set(), "nobody drops to one die"
    assert "ones_may_open" not in offered_on(LobbyPage.BIDS, wild_ones=False)
    assert offered_on(LobbyPage.DUDO, sudden_death=True) == {"out_of_turn_dudo", "sudden_death"}


def test_every_option_has_a_page_and_every_value_a_button() -> None:
    assert sorted(name for names in OPTIONS_OF.values() for name in names) == sorted(HOUSE_OPTIONS)
    view = lobby_view(lobby_table(3, CLASSIC))
    wishes = [
        what(data) for page in OPTIONS_OF for data in data_of(keyboard(n.LobbyNotice(view=view, page=page), W, bot=BOT))
    ]
    for option in ("starting_dice", "lost_dice", "opener_method", "plain_raise", "calza_by"):
        values = {wish.value for wish in wishes if isinstance(wish, i.ChangeOption) and wish.option == option}
        assert values == set(map(str, option_values(CLASSIC, option)))


def test_a_quick_choice_is_marked_while_the_table_plays_by_it() -> None:
    def marked(rules: Rules, seconds: int) -> list[str]:
        view = lobby_view(lobby_table(2, rules, clock=TurnClock(seconds=seconds)))
        notice = n.LobbyNotice(view=view, house_rules=HOUSES, usual_clock=TurnClock())
        return [b["text"] for row in keyboard(notice, W, bot=BOT) for b in row if "✅" in b["text"]]

    assert marked(CLASSIC, 120) == ["✅ Classic"]
    assert marked(CLASSIC.with_options(starting_dice=3), 60) == ["✅ Short"]
    assert marked(CLASSIC, 86400) == ["✅ Slow"]
    assert marked(Rules.preset("aces"), 120) == []


def every_value(rules: Rules) -> list[Rules]:
    """The rules with each value of each option that a label names."""
    return [
        rules.with_options(**{name: value})
        for name in HOUSE_OPTIONS
        if isinstance(current := getattr(rules, name), StrEnum)
        for value in type(current)
    ]
