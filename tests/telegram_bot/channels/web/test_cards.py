"""The cards of pages: the figures that a page draws, and the words for a screen reader."""

from typing import Any

import pytest

from perudo_core import Rules
from telegram_bot import notices as n
from telegram_bot.presentation.cards import Card, card_of
from telegram_bot.tables.house_rules import HouseRules
from telegram_bot.tables.model import Table, TurnClock
from telegram_bot.tables.result_views import DiceChange
from telegram_bot.tables.views import hand_view, table_view
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.page import page_catalogue, page_words
from test_support.web_world import WebWorld, a_room
from tests.telegram_bot.conftest import running_table, the_end
from tests.telegram_bot.words.notice_examples import endings, every_notice, plain

ENGLISH = page_catalogue("en")
LOBBY = next(each for each in every_notice(str) if isinstance(each, n.LobbyNotice))


def drawn(notice: n.Notice) -> Card:
    return card_of(notice, -1, 1, ENGLISH)


def board(table: Table, **changes: Any) -> n.TableNotice:
    view = table_view(table).model_copy(update=changes)
    return n.TableNotice(view=view, shared=False, unreachable=False)


async def test_the_wheel_opens_with_about_one_die_for_each_player_and_the_rules_stay_at_hand(world: WebWorld) -> None:
    ana, cy, *_ = everybody = await a_room(world, "Ana", "Cy", "Dee", "Eve", "Fay")
    rules = (await ana.card("lobby"))["rules"]
    await ana.act("start")
    assert (await ana.room())["rules"] == {"title": rules["title"], "lines": rules["lines"]}
    card = await ana.card("round")
    assert card["start"] == [5, 2]
    await everybody[card["turn"]].act("bid", table=1, step=card["step"], quantity=4, face=2)
    assert (await cy.card("round"))["start"] == [5, 2], "one more of the same face"
    answer = await ana.act("language", value="it")
    assert "italiano" in answer["text"], "in the language that was just chosen"
    assert "I speak" not in answer["text"]


async def test_a_screen_reader_hears_ones_where_the_page_draws_ones(world: WebWorld) -> None:
    ana, cy = everybody = await a_room(world, "Ana", "Cy")
    await ana.act("start")
    for quantity, face in ((1, 2), (1, 1)):
        card = await ana.card("round")
        await everybody[card["turn"]].act("bid", table=1, step=card["step"], quantity=quantity, face=face)
    card = await cy.card("round")
    assert "says one one." in card["text"]
    answer = await everybody[card["turn"]].act("bid", table=1, step=card["step"], quantity=1, face=3)
    assert "⭐" not in answer["text"]
    await everybody[card["turn"]].act("dudo", table=1, step=card["step"])
    assert "paco" not in (await cy.card("reveal"))["text"]


def test_the_lobby_has_five_presets_and_the_twists_with_a_sentence_each_and_all_else_is_a_single_option() -> None:
    classic = HouseRules(key="classic", title="Classic", rules=LOBBY.view.rules)
    shown = LOBBY.model_copy(update={"house_rules": (classic,), "usual_clock": LOBBY.view.clock})
    card = drawn(shown)
    presets, houses, twists, *singles = card["options"]
    assert (len(presets["choices"]), houses["choices"]) == (5, [])
    assert [each["value"] for each in presets["choices"] if each["on"]] == ["classic"]
    for each in (*presets["choices"], *twists["choices"]):
        assert each["about"]
    assert {each["kind"] for each in singles} == {"single", "switch"}
    assert all(each["about"] for each in singles if each["kind"] == "switch"), "a sentence before the tap"
    assert not any(each["changed"] for each in singles)
    other = LOBBY.view.model_copy(update={"rules": LOBBY.view.rules.with_options(first_out_wins=True)})
    card = drawn(shown.model_copy(update={"view": other, "usual_clock": TurnClock(seconds=17)}))
    assert [each["option"] for each in card["options"][3:] if each["changed"]] == ["first_out_wins"]
    assert [each["value"] for each in card["options"][2]["choices"] if each["on"]] == ["first_out_wins"]
    assert not any(each["on"] for each in card["options"][0]["choices"])


def test_a_game_that_waits_says_why_and_names_the_key_that_helps() -> None:
    said = [drawn(board(running_table("2", "3"), paused=paused))["paused"] for paused in (False, True)]
    assert said == ["", f"⏸ Everyone is away, so the game waits. Tap {page_words(ENGLISH)['i_am_back']} to play on."]


def test_the_lobby_says_how_a_friend_joins_by_text_until_the_table_is_full() -> None:
    for room, numbers, said in (
        (1, (), []),
        (1, ("+393401234567",), ["📱 Or text JOIN CODE22 to +393401234567."]),
        (0, ("+393401234567",), []),
    ):
        view = LOBBY.view.model_copy(update={"max_seats": len(LOBBY.view.seats) + room})
        assert drawn(LOBBY.model_copy(update={"view": view, "numbers": numbers}))["by_text"] == said


def test_a_palifico_round_is_announced_with_its_rules_and_no_other_round_is() -> None:
    said = [drawn(board(running_table("2", "33333", palifico=palifico)))["palifico"] for palifico in (0, None)]
    assert said == ["🔒 Palifico! Ana has one die. Ones are not wild, and the face is locked.", ""]


@pytest.mark.parametrize(
    ("hands", "bid", "call", "giver"),
    [
        (("22", "33", "44"), "2x2", "dudo", "Ana"),
        (("2", "33", "44"), "1x2", "dudo", "Ana"),
        (("22", "33", "44"), "2x2", "calza", "Bo"),
        (("22", "33", "44"), "3x2", "calza", "Ana"),
    ],
)
def test_where_the_first_without_dice_wins_they_give(hands: tuple[str, ...], bid: str, call: str, giver: str) -> None:
    table = running_table(*hands, rules=Rules(calza=True, first_out_wins=True), calls=bid)
    view, *_ = the_end(table, call)
    notice = n.RevealNotice(view=view)
    spoken = notice.in_speech(Format(ENGLISH, Medium.SPEECH))
    assert f"{giver} gives a die away." in spoken
    assert not any("calza and" in line or "lost die" in line for line in spoken)
    assert [index for index, seat in enumerate(view.seats) if seat.out] == list(view.out) == []


@pytest.mark.parametrize(
    ("number", "hands", "said"),
    [
        (1, ("2", "3", "4"), "↓ Bo is next."),
        (2, ("2", "3", "4"), "↑ Cy is next."),
        (2, ("2", "3", "4", ""), "↑ Cy is next."),
        (2, ("2", "3"), ""),
    ],
)
def test_where_rounds_go_to_and_fro_the_board_says_who_is_next(number: int, hands: tuple[str, ...], said: str) -> None:
    table = running_table(*hands, rules=Rules(reverse_after_call=True))
    notice = board(table, round=number)
    assert drawn(notice)["facts"] == ([said[2:]] if said else [])
    in_chat = notice.in_chat(Format(ENGLISH, Medium.CHAT))
    assert in_chat.endswith(f"\n{said}") if said else "next" not in in_chat
    for seat in range(1, 3 if said else 1):
        hand = hand_view(table, seat, notice.view)
        own = n.HandNotice(view=hand, player=seat, title="", deal=1, board=True).in_chat(Format(ENGLISH, Medium.CHAT))
        assert own.endswith("You're next." if ("Bo", "Cy")[seat - 1] in said else said)


def test_the_end_of_a_round_is_a_sentence_for_each_player_that_it_changes_and_two_words_on_the_count() -> None:
    ends = list(endings(plain))
    change = DiceChange(seat=1, dice=-1)
    late = {"call": "forfeit", "caller": 1, "bid": None, "count": None, "dice": (), "changes": (change,), "out": ()}
    cards = [drawn(n.RevealNotice(view=view)) for view in (*ends, ends[0].model_copy(update=late))]
    assert [([(line["seat"], line["text"]) for line in card["lines"]], card["verdict"]) for card in cards] == [
        ([(1, "Player 1 loses a die.")], "The bid holds!"),
        ([(0, "Player 0 loses a die.")], "1 short!"),
        ([(0, "Player 0 loses a die.")], "2 short!"),
        ([(1, "Player 1 loses a die.")], "The bid holds!"),
        ([(0, "Player 0 loses a die.")], "1 short!"),
        ([(0, "Player 0 loses a die.")], "1 short!"),
        ([(0, "Player 0 is out.")], "2 short!"),
        ([(1, "Player 1 wins a die back.")], "Exactly right!"),
        ([(1, "Player 1 has no lost die to win back.")], "Exactly right!"),
        ([(1, "Player 1 loses a die.")], "1 short!"),
        ([(0, "Player 0 left the game. The others roll again.")], ""),
        ([(1, "Player 1 ran out of time."), (1, "Player 1 loses a die.")], ""),
    ]


def test_an_exact_calza_that_costs_all_the_others_a_die_is_one_sentence() -> None:
    right = next(
        view for view in endings(plain) if view.call == "calza" and any(each.dice > 0 for each in view.changes)
    )
    others = tuple(seat for seat in range(len(right.seats)) if seat != right.caller)
    for dice, said in (
        (-1, ["Player 1's calza was exact: all the others lose a die."]),
        (-2, ["Player 0 loses 2 dice."]),
    ):
        view = right.model_copy(update={"changes": tuple(DiceChange(seat=seat, dice=dice) for seat in others)})
        lines = [line["text"] for line in drawn(n.RevealNotice(view=view))["lines"]]
        assert lines[: len(said)] == said


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (Rules(palifico_every_round=True), "Palifico! Ones are not wild, and the face is locked."),
        (
            Rules(palifico_every_round=True, palifico_face_change=True),
            "Palifico! Only others with one die may change the face.",
        ),
    ],
)
def test_where_every_round_is_palifico_each_says_so_and_no_reveal_announces_one(rules: Rules, said: str) -> None:
    table = running_table("22", "33", "44", rules=rules, calls="5x2")
    assert drawn(board(table))["palifico"].endswith(said)
    view, *_ = the_end(table, "dudo")
    assert not view.next_palifico
    spoken = n.RevealNotice(view=view).in_speech(Format(ENGLISH, Medium.SPEECH))
    assert "Ana opens the next round." in spoken
