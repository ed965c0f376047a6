"""The bids and choices that keyboards offer, the data of their buttons, and the requests that the data become."""

import re
from enum import StrEnum
from typing import Any, Final

import pytest
from hypothesis import given, settings
from pydantic import TypeAdapter

from perudo_core import PRESETS, Bid, Dudo, Rules, Subject, legal_calls
from perudo_core.agents import Level
from telegram_bot import notices as n
from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.buttons import Rows
from telegram_bot.channels.telegram.callback_data import parse_callback
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Request
from telegram_bot.notices.lobby import LobbyMenu
from telegram_bot.presentation.keys import Style
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.ending import Leave, PlayOn, Stop
from telegram_bot.service.handlers.game_requests import AnswerNote, CallCalza, CallDudo, MakeBid, ReturnToSeat
from telegram_bot.service.handlers.lobby_requests import (
    AddComputers,
    ChangeOption,
    Join,
    Kick,
    LeaveNextGames,
    OpenLobby,
    OpenMenu,
    PlayAgain,
)
from telegram_bot.service.handlers.pages import AnswerKnock, AnswerVisitor
from telegram_bot.service.handlers.queries import SeeBids, SeeDice, SeeRules, SeeStatus
from telegram_bot.service.handlers.settings import Choose, SeeSettings
from telegram_bot.service.requests import REQUESTS
from telegram_bot.storage.models import PrivateView
from telegram_bot.tables.faces import Face
from telegram_bot.tables.house_rules import TWISTS, HouseRules, QuickChoice
from telegram_bot.tables.lobby_rules import CLOCK_CHOICES, HOUSE_OPTIONS
from telegram_bot.tables.model import OnTimeout, TurnClock
from telegram_bot.tables.views import TableView, hand_view, lobby_view, table_view
from telegram_bot.words.catalogue import LANGUAGES, catalogue, own_name
from telegram_bot.words.house_rule_words import options_at
from telegram_bot.words.lobby_options import LOBBY_OPTIONS
from tests.telegram_bot.conftest import game_of, lobby_table, running_table
from tests.telegram_bot.tables.test_views import Twins, twins
from tests.telegram_bot.words.notice_examples import every_notice, feature_examples, longest

W = catalogue("en")
BOT = "perudo_bot"
LARGEST_TABLE = 10**15 - 1
CLASSIC = Rules.preset("box_2009").with_options(calza=True, lost_dice="visible")
HOUSES = (
    HouseRules(key="classic", title="Classic", line="five dice each, and an exact call wins one back", rules=CLASSIC),
    HouseRules(key="k" * 32, title="A name that is far too long for a button", rules=Rules.preset("aces")),
)


def data_of(rows: Rows) -> list[str]:
    return [button["callback_data"] for row in rows for button in row if "callback_data" in button]


def bid_rows(view: TableView, face: int | None) -> Rows:
    """The buttons of the player on turn: the likely bids, the faces, or the bids of a face."""
    return keyboard(n.BidsNotice(view=view, seat=0, face=face, private=True), W, bot=BOT)


def what(data: str) -> Request:
    tap = parse_callback(data)
    assert tap is not None, data
    return tap.request


OPTIONS: Final[dict[str, Any]] = {
    **{option: Rules.options()[option].values for option in HOUSE_OPTIONS},
    "rulebook": PRESETS,
    "house": ["friday_night"],
    "quick_table": QuickChoice,
    "twist": TWISTS,
    "clock": CLOCK_CHOICES,
    "on_timeout": OnTimeout,
    **{option.name: list(option.values) for option in LOBBY_OPTIONS.values()},
}
ASKED: Final[list[Request]] = [
    *(kind(**button.fixed) for kind, forms in REQUESTS.items() for button in forms.buttons if not button.carries),
    *(ChangeOption(option, str(value)) for option, values in OPTIONS.items() for value in values),
    *(ChangeOption(option) for option in (*LOBBY_OPTIONS, *HOUSE_OPTIONS)),
    *(Choose("chosen_language", language, to_all) for language in LANGUAGES for to_all in (True, False)),
    *(OpenMenu(menu) for menu in LobbyMenu if menu != LobbyMenu.MAIN),
    *(AddComputers(1, level) for level in Level),
    LeaveNextGames(12),
    AddComputers(1, engine="engine-of-20-letters"),
    *(
        answer
        for admit in (True, False)
        for answer in (AnswerKnock(12, admit=admit), AnswerVisitor(7, 12, admit=admit))
    ),
    *map(SeeSettings, n.SettingsFolder),
    *(Stop(confirmed=True, asked=12), PlayOn(12), Leave(confirmed=True, asked=12), Kick(12), Kick(-3)),
    Join(player=12),
    *(MakeBid(5, 4), SeeBids(4)),
    *(AnswerNote(12, "5x4", 1), AnswerNote(12, "dudo", 3), AnswerNote(12, None), SeeBids(n.ANY_FACE)),
    *(wish for examples in feature_examples() for wish in examples.WISHES),
]


def test_a_button_of_every_form_reads_back_as_the_wish_it_was_made_for() -> None:
    for wish in ASKED:
        at_table = isinstance(wish, TableRequest | PlayAgain)
        tap = parse_callback(callback_data.data_of(wish, *(LARGEST_TABLE, 999_999_999) if at_table else ()))
        bound = 999_999_999 if wish.bound_to_step else None
        assert tap == callback_data.ParsedTap(wish, LARGEST_TABLE if at_table else None, bound)
    forms = {(kind, button) for kind, forms in REQUESTS.items() for button in forms.buttons}
    tried = {(type(wish), button) for wish in ASKED for button in REQUESTS[type(wish)].buttons if button.write(wish)}
    assert {button.written for _, button in forms - tried} == set()


@pytest.mark.parametrize(
    ("data", "wish"),
    [
        ("g:7:3:bid=5x4", MakeBid(5, 4)),
        ("g:7:3:dice", SeeDice()),
        ("g:7:0:back", ReturnToSeat()),
        ("g:7:0:quit=12", Leave(confirmed=True, asked=12)),
        ("g:7:3:rules", SeeRules()),
        ("g:7:3:said=5x4_1_12", AnswerNote(12, "5x4", 1)),
        ("l:7:leave", Leave()),
        ("l:7:set=clock__60", ChangeOption("clock", "60")),
        ("l:7:close=12", Stop(confirmed=True, asked=12)),
        ("p:0:set=view__auto", Choose("view", PrivateView.AUTO)),
    ],
)
def test_a_button_of_version_1_0_still_asks_for_the_same(data: str, wish: Request) -> None:
    assert what(data) == wish


@pytest.mark.parametrize(
    ("unwritable", "why"),
    [
        (Stop(is_admin=True), "no button asks for"),
        (OpenLobby(ephemeral_allowed=True), "no button asks for"),
        (Join("ABC234"), "no button asks for"),
        (ChangeOption("house", "k" * 64), "longer than 64"),
        (CallDudo(), "counts at one step only"),
    ],
)
def test_no_button_carries_what_the_bot_looks_up_or_is_too_long_or_lacks_its_step(
    unwritable: Request, why: str
) -> None:
    with pytest.raises(ValueError, match=why):
        callback_data.data_of(unwritable, 7)


@pytest.mark.parametrize(
    "forged",
    [
        None, "", "g", "g:1", "g:1:2", "g:1:bid=5x4", "l:1:2:join", "l:1:join=now", "p:0:set=pictures",
        "p:0:set=pictures__maybe", "l:1:menu", "l:1:set", "l:1:set=", "l:1:close=me", "l:1:play_on",
        "p:0:set=asks_twice__maybe", "p:0:set_to_all=asks_twice__on", "p:0:set=trusts_voice__on", "p:0:set=quiet__22",
        "p:0:set=address__5", "l:1:dudo", "l:1:bid=5x4", "p:0:join", "l:1:join=ABC234", "l:1:stop=is_admin",
        "l:1:kick=" + "9" * 16, "l:1:kick=007", "l:1:kick=me", "l:-1:join", "g:1:2:bid", "g:1:2:bid=5x7",
        "g:1:2:bid=0x0", "g:1:2:bid=0005x4", "g:1:2:bid=5x4x", "g:1:2:dudo=1", "g:1:2:face=7", "g:1:2:face=",
        "g:1:2:shoot", "g:1:2:quit", "g:1:2:quit=me", "p:0:set=view__everything", "p:0:1:set=view__auto",
        "p:0:set=dice_style__xx", "p:0:set=chosen_language__xx", "p:0:set=chosen_language__",
        "p:0:set_to_all=chosen_language__EN", "x:1:2:dudo", "G:1:2:dudo", " g:1:2:dudo", "g:1:2:dudo\n",
        "g:1:2:dudo;g:1:2:calza", "g:" + "9" * 16 + ":2:dudo", "g:1:2:bid=5x4" + "0" * 60, "dice",
        *(f"g:1:1:said={value}" for value in ("5x4_0_1", "5x4_4_1", "5x7_1_1", "5x4_1", "no", "no_x", "dice_1_1")),
        "g:1:1:said=5x4_1_1_1",
    ],
)  # fmt: skip
def test_a_forged_button_reads_as_nothing(forged: str | None) -> None:
    assert parse_callback(forged) is None


LARGEST: Final = {"table": LARGEST_TABLE, "player": LARGEST_TABLE, "step": 999_999_999}
STORED: Final = TypeAdapter[n.Notice](n.Notice)


def enlarged(stored: Any) -> Any:
    """A stored notice with the largest possible numbers of tables, players and steps."""
    if isinstance(stored, list):
        return list(map(enlarged, stored))
    if not isinstance(stored, dict) or stored.get("kind") == "tutorial":
        return stored
    return {
        key: LARGEST[key] - value if key in LARGEST and isinstance(value, int) and value > 0 else enlarged(value)
        for key, value in stored.items()
    }


def test_every_keyboard_is_one_that_telegram_takes_and_that_we_can_read() -> None:
    for example in every_notice(longest):
        if not keyboard(example, W, bot=BOT):
            continue
        notice = STORED.validate_python(enlarged(example.model_dump(mode="json")))
        for w in map(catalogue, LANGUAGES):
            rows = keyboard(notice, w, bot=BOT)
            assert sum(map(len, rows)) <= 100
            assert all(1 <= len(row) <= 8 for row in rows)
            buttons = [button for row in rows for button in row]
            assert all(1 <= len(button["text"]) <= 64 for button in buttons)
        for button in buttons:
            assert set(button) - {"text", "style"} in ({"callback_data"}, {"copy_text"}, {"url"}, {"web_app"})
            assert button.get("style") in (None, *Style)
            if "url" in button:
                assert len(button["url"].partition("?start=")[2]) <= 64
        data = data_of(rows)
        assert len(set(data)) == len(data), "two buttons do the same"
        assert all(1 <= len(each.encode()) <= 64 and parse_callback(each) for each in data)


def settings_keys(folder: n.SettingsFolder | None = None, **more: Any) -> dict[str, Request]:
    """The buttons of the settings, or of a folder of them, with their requests."""
    usual = {"view": PrivateView.AUTO, "private": True, "rules": Rules(), "clock": TurnClock(), "face": Face.SNAIL}
    notice = n.SettingsNotice.model_validate({**usual, "pictures": True, **more})
    rows = keyboard(notice if folder is None else notice.model_copy(update={"folder": folder}), W, bot=BOT)
    return {button["text"]: what(button["callback_data"]) for row in rows for button in row}


@pytest.mark.parametrize("private", [True, False])
def test_settings_offer_every_language_by_its_own_name_and_mark_the_chosen_one(private: bool) -> None:
    def labels(*, chosen: bool) -> set[str]:
        keys = settings_keys(n.SettingsFolder.LANGUAGE, private=private, speaks="en", chosen=chosen)
        return {label for label, wish in keys.items() if isinstance(wish, Choose) and wish.name == "chosen_language"}

    assert labels(chosen=False) == {own_name(language).capitalize() for language in LANGUAGES}
    assert labels(chosen=True) >= {"✅ English", "✨ Automatic"}


def test_the_own_settings_lead_by_few_keys_to_every_animal_and_to_each_style_of_dice() -> None:
    keys = settings_keys()
    assert {label: wish for label, wish in keys.items() if isinstance(wish, SeeSettings)} == {
        "🐌 Your animal …": SeeSettings(n.SettingsFolder.ANIMALS),
        "🎲 Dice: 5 × 4️⃣ …": SeeSettings(n.SettingsFolder.DICE),
        "🌐 Language: English …": SeeSettings(n.SettingsFolder.LANGUAGE),
    }
    assert len(keys) < 10
    dice = {"✅ 5 × 4️⃣", "5 × ⚃", "5 fours", "5 × 4", "✅ 🖼 Dice as pictures", "🔤 Dice as text"}
    assert dice < settings_keys(n.SettingsFolder.DICE).keys()
    animals = settings_keys(n.SettingsFolder.ANIMALS)
    assert animals.popitem()[1] == SeeSettings()
    assert animals == {("✅ " if face is Face.SNAIL else "") + face.sign: Choose("face", face) for face in Face}


def test_the_group_chooses_in_its_settings_whether_spoken_bids_need_a_tap() -> None:
    for switches, private, labels in (
        ({"trusts_voice": False}, False, ["▫️ Spoken bids need no tap"]),
        ({"trusts_voice": True}, False, ["✅ Spoken bids need no tap"]),
        ({}, False, []),
        ({}, True, []),
    ):
        keys = settings_keys(private=private, switches=switches)
        assert [label for label in keys if "Spoken" in label] == labels


def test_which_of_two_tables_repeats_what_was_said() -> None:
    choices = (n.TableChoice(table=7, step=3, title="Friends"), n.TableChoice(table=8, step=3, title=""))
    rows = keyboard(n.WhichTableNotice(choices=choices, word="bid=2x3"), W, bot=BOT)
    assert [button["text"] for row in rows for button in row] == ["Friends: 2 × 3️⃣", "Practice: 2 × 3️⃣"]
    said_and_read: dict[str, i.AnyRequest] = {"5x4": MakeBid(5, 4), "dudo": CallDudo(), "calza": CallCalza()}
    said_and_read |= {"dice": SeeDice(), "status": SeeStatus(), "leave": Leave(), "stop": Stop()}
    for word, wish in said_and_read.items():
        (data,) = data_of(keyboard(n.WhichTableNotice(choices=choices[:1], word=word), W, bot=BOT))
        assert what(data) == wish


def heard(*guesses: str, **more: object) -> n.HeardNotice:
    given = {**LARGEST, "name": "Ana", "private": False}
    return n.HeardNotice.model_validate({**given, "guesses": guesses, **more})


def test_what_may_have_been_said_has_a_button_each_and_one_for_none_of_it() -> None:
    rows = keyboard(heard("50x6", "dudo", "calza"), W, bot=BOT)
    assert [[button["text"] for button in row] for row in rows] == [["50 × 6️⃣", "Dudo!", "Calza!"], ["✖️ Not that"]]
    answers = [
        AnswerNote(LARGEST_TABLE, call, number) for number, call in enumerate(("50x6", "dudo", "calza"), start=1)
    ]
    assert [what(data) for data in data_of(rows)] == [*answers, AnswerNote(LARGEST_TABLE, None)]
    assert all(len(data.encode()) <= callback_data.LONGEST for data in data_of(rows))
    rows = keyboard(heard("5x4", "5x5", sure=True), W, bot=BOT)
    labels = [[button["text"] for button in row] for row in rows]
    assert labels == [["✅ 5 × 4️⃣"], ["5 × 5️⃣"], ["✖️ Not that"]], "what was heard surely stands out"
    assert keyboard(heard("5x4", answered=True), W, bot=BOT) == []


def offered(view: TableView, rows: Rows) -> set[tuple[int, int]]:
    """Every bid that one tap on these rows makes."""
    wishes = [parse_callback(data) for data in data_of(rows)]
    assert all(wish is not None and wish.step == view.step for wish in wishes)
    return {(w.request.quantity, w.request.face) for w in wishes if w is not None and isinstance(w.request, MakeBid)}


def reachable(view: TableView) -> tuple[set[tuple[int, int]], set[tuple[int, int]]]:
    """The bids at one tap, and those under *more…* and a face."""
    first = bid_rows(view, None)
    more = [
        w.request.face for w in map(parse_callback, data_of(first)) if w is not None and isinstance(w.request, SeeBids)
    ]
    assert more in ([], [n.ANY_FACE]) or not view.raises
    pages = data_of(bid_rows(view, n.ANY_FACE)) if n.ANY_FACE in more else []
    faces = [w.request.face for w in map(parse_callback, pages) if w is not None and isinstance(w.request, SeeBids)]
    second = set().union(*(offered(view, bid_rows(view, face)) for face in faces if face)) if faces else set()
    return offered(view, first), second


@given(twins())
@settings(max_examples=60, deadline=None)
def test_a_keyboard_offers_all_legal_bids_and_the_likeliest_at_one_tap_above_dudo_and_calza(pair: Twins) -> None:
    """On every keyboard, for every reader and menu."""
    table, *_ = pair
    game = game_of(table)
    assert game.turn is not None
    # The player's own view: what everyone sees may offer less, so as to hide counts.
    view, calls = hand_view(table, game.turn).table, legal_calls(game, game.turn)
    one_tap, more = reachable(view)
    assert one_tap | more == {(call.quantity, call.face) for call in calls if isinstance(call, Bid)}
    assert len(one_tap) <= 5, "keys to look at, not to search in"
    for face in (None, *range(7)):
        rows = bid_rows(view, face)
        assert sum(map(len, rows)) <= 100
        assert all(1 <= len(row) <= 3 for row in rows)
    view = table_view(table)
    assert view.dudo is (Dudo(game.turn) in calls)
    shared = keyboard(n.TableNotice(view=view, shared=True, unreachable=False), W, bot=BOT)
    pages = [keyboard(n.BidsNotice(view=view, seat=0, face=face, private=False), W, bot=BOT) for face in range(1, 7)]
    for rows in (shared, *pages, *(bid_rows(view, face) for face in (None, *range(1, 7)))):
        names = [[button["callback_data"].rpartition(":")[2] for button in row] for row in rows]
        calls_there = [name for row in names for name in row if name in ("dudo", "calza")]
        assert calls_there == [name for name, offered in (("dudo", view.dudo), ("calza", view.calza)) if offered]
        for number, row in enumerate(names):
            if {"dudo", "calza"} & {*row}:
                assert row == calls_there, "side by side"
                assert not any(name.startswith("bid=") for later in names[number:] for name in later), "below all bids"
        styles = {button["callback_data"].rpartition(":")[2]: button.get("style") for row in rows for button in row}
        assert styles.get("dudo", Style.DANGER) == Style.DANGER
        assert styles.get("calza") is None, "a plain key: beginners take a green one"


def test_where_no_higher_bid_is_possible_only_the_calls_are_left() -> None:
    table = running_table("2", "3", calls="1x6 2x1", rules=CLASSIC.with_options(calza_with_two_players=True))
    rows = bid_rows(table_view(table), None)
    assert [button["text"] for row in rows for button in row] == ["🗣 Dudo!", "🎯 Calza?"]
    assert [what(data) for data in data_of(rows)] == [CallDudo(), CallCalza()]


def test_who_is_not_on_turn_may_only_say_calza() -> None:
    rules = Rules.preset("box_2009").with_options(calza=True)
    table = running_table("22222", "33333", "44444", rules=rules, calls="3x4")
    hands = [n.HandNotice(view=hand_view(table, seat), player=1, title="", deal=1) for seat in range(3)]
    assert keyboard(hands[0], W, bot=BOT) == [], "the bidder"
    aside = keyboard(hands[2], W, bot=BOT)
    assert [what(data) for data in data_of(aside)] == [CallCalza()]
    assert (aside[0][0]["text"], aside[0][0].get("style")) == ("🎯 Calza?", None), "a key that asks, and no green one"
    assert CallDudo() in [what(data) for data in data_of(keyboard(hands[1], W, bot=BOT))]


def test_the_host_is_not_offered_to_be_sent_out_and_notices_without_buttons_have_none() -> None:
    notice = n.LobbyNotice(view=lobby_view(lobby_table(3)), menu="players", to_host=True)
    wishes = [what(data) for data in data_of(keyboard(notice, W, bot=BOT))]
    assert [wish.player for wish in wishes if isinstance(wish, Kick)] == [2, 3]
    for bare in (n.ResumedNotice(), n.OutdatedNotice(), n.ConfirmationNotice(done=n.Confirmation.LEFT)):
        assert keyboard(bare, W, bot=BOT) == []


MOST_KEYS = 12
LONGEST_LABEL = 20
"""Characters that a narrow phone shows on one of two buttons in a row."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_label_in_the_lobby_is_short_enough_for_its_place(language: str) -> None:
    """Counted without the sign before it; names are the players' own."""
    w = catalogue(language)
    for rules in (*(Rules.preset(preset).with_options(calza=True) for preset in PRESETS), *every_value(CLASSIC)):
        view = lobby_view(lobby_table(3, rules))
        for menu in {*LobbyMenu} - {LobbyMenu.PLAYERS}:
            rows = keyboard(n.LobbyNotice(view=view, menu=menu, house_rules=HOUSES, to_host=True), w, bot=BOT)
            assert menu is LobbyMenu.RULES or sum(map(len, rows)) <= MOST_KEYS
            for row in rows:
                for button in row:
                    label = re.sub(r"^[^\w]+", "", button["text"])
                    assert 1 <= len(label) <= LONGEST_LABEL, label


def test_options_are_listed_only_where_they_can_change_the_game() -> None:
    def listed(subject: Subject, **options: object) -> set[str]:
        view = lobby_view(lobby_table(3, Rules.preset("box_2009").with_options(**options)))
        rows = Rules.options()
        return {each.name for each in options_at(view, W) if each.name in rows and rows[each.name].subject is subject}

    of_calza = {"calza", "calza_by", "calza_with_two_players", "calza_costs_others"}
    assert listed(Subject.CALZA) == {"calza"}
    assert listed(Subject.CALZA, calza=True) == of_calza | {"calza_in_palifico"}
    assert listed(Subject.CALZA, calza=True, palifico=False) == of_calza
    assert listed(Subject.PALIFICO, palifico=False) == {"palifico"}
    assert len(listed(Subject.PALIFICO)) == 5
    always = listed(Subject.PALIFICO, palifico_every_round=True)
    assert always == {"palifico", "palifico_every_round", "palifico_face_change"}
    assert listed(Subject.PALIFICO, sudden_death=True) == {"palifico_every_round"}, "no one drops to one die"
    assert "ones_may_open" not in listed(Subject.BIDS, wild_ones=False)
    assert "reroll_after_bid" in listed(Subject.BIDS) - listed(Subject.BIDS, starting_dice=1)
    of_dudo = {"out_of_turn_dudo", "reverse_after_call"}
    assert listed(Subject.DUDO, sudden_death=True) == of_dudo | {"sudden_death"}
    assert listed(Subject.DUDO, first_out_wins=True) == of_dudo | {"lose_by_difference", "first_out_wins"}


def test_a_preset_is_marked_while_the_table_plays_by_it() -> None:
    def marked(rules: Rules, seconds: int) -> list[str]:
        view = lobby_view(lobby_table(2, rules, clock=TurnClock(seconds=seconds)))
        notice = n.LobbyNotice(view=view, menu="rules", to_host=True, house_rules=HOUSES[:1], usual_clock=TurnClock())
        return [b["text"] for row in keyboard(notice, W, bot=BOT) for b in row if "✅" in b["text"]]

    assert marked(CLASSIC, 120) == ["✅ Classic"]
    assert marked(CLASSIC.with_options(starting_dice=3), 60) == ["✅ Short"]
    assert marked(CLASSIC, 86400) == ["✅ Slow"]
    assert marked(Rules.preset("aces"), 120) == ["✅ Aces (English)"]
    assert marked(CLASSIC.with_options(first_out_wins=True), 120) == ["✅ First out wins"]
    assert marked(Rules.preset("azteca"), 120) == []


def every_value(rules: Rules) -> list[Rules]:
    """The rules with each value of each option that a label names."""
    return [
        rules.with_options(**{name: value})
        for name in HOUSE_OPTIONS
        if isinstance(current := getattr(rules, name), StrEnum)
        for value in type(current)
    ]
