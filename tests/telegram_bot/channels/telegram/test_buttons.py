"""Buttons: what they carry, what they read back as, and which bids they offer."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perudo_core import PRESETS, Rules
from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.buttons import DANGER, PRIMARY, SUCCESS
from telegram_bot.channels.telegram.keyboards import keyboard
from telegram_bot.service import intents as i
from telegram_bot.service import notices as n
from telegram_bot.service.announcing.replies import canonical_word
from telegram_bot.storage.models import DiceStyle, PrivateView
from telegram_bot.tables import play
from telegram_bot.tables.events import GameEvents
from telegram_bot.tables.house_rules import QuickChoice
from telegram_bot.tables.lobby import CLOCK_CHOICES, HOUSE_OPTIONS, option_values
from telegram_bot.tables.model import OnTimeout, PredictionsFrom, TurnClock
from telegram_bot.tables.result_views import game_over_view
from telegram_bot.tables.views import hand_view, lobby_view, table_view
from telegram_bot.words.catalogue import LANGUAGES, catalogue, own_name
from telegram_bot.words.chat.lobby import LobbyPage
from tests.telegram_bot.channels.telegram.read_buttons import (
    BOT,
    HOUSES,
    LARGEST_TABLE,
    W,
    data_of,
    read,
    what,
)
from tests.telegram_bot.conftest import NAMES, START, TIMINGS, lobby_table, running_table

# What a button carries

CHOICES: dict[str, list[i.SettingValue]] = {
    "view": [*PrivateView],
    "asks_twice": [True, False],
    "dice_style": [*DiceStyle],
    "pictures": [True, False],
    "aloud": [True, False],
    "trusts_voice": [True, False],
    "chosen_language": [*LANGUAGES, None],
    "verbose": [True, False],
}


@pytest.mark.parametrize(
    ("data", "wish"),
    [
        (callback_data.lobby(7, "join"), i.Join()),
        (callback_data.lobby(7, "leave"), i.Leave()),
        (callback_data.lobby(7, "start"), i.Start()),
        (callback_data.lobby(7, "again"), i.PlayAgain()),
        (callback_data.lobby(7, "record"), i.SeeRecord()),
        (callback_data.lobby(7, "stop"), i.Stop()),
        (callback_data.lobby(7, "close"), i.Stop(confirmed=True)),
        (callback_data.lobby(7, "close", 12), i.Stop(confirmed=True, asked=12)),
        (callback_data.lobby(7, "play_on", 12), i.PlayOn(asked=12)),
        *[
            (callback_data.option(7, option, value), i.ChangeOption(option, str(value)))
            for option, values in {
                **{option: option_values(Rules(), option) for option in HOUSE_OPTIONS},
                "rulebook": PRESETS,
                "house_rules": ["friday_night"],
                "quick_table": QuickChoice,
                "clock": CLOCK_CHOICES,
                "on_timeout": OnTimeout,
                "predictions": PredictionsFrom,
            }.items()
            for value in values
        ],
        *[(callback_data.option(7, option), i.ChangeOption(option)) for option in ("hints", *HOUSE_OPTIONS)],
        *[
            (callback_data.setting(name, value, to_all=to_all), i.Choose(name, value, to_all))
            for name, values in CHOICES.items()
            for value in values
            for to_all in (True, False)
            if (i.SETTINGS[name].group if to_all else i.SETTINGS[name].person)
        ],
        (callback_data.person("next"), i.WishNextGame()),
        (callback_data.lobby(7, "kick", 12), i.Kick(12)),
        (callback_data.lobby(7, "menu", LobbyPage.MAIN), i.TurnPage(None)),
        *[(callback_data.lobby(7, "menu", page), i.TurnPage(page)) for page in LobbyPage if page is not LobbyPage.MAIN],
        (callback_data.game(7, 3, "bid", "5x4"), i.MakeBid(5, 4)),
        (callback_data.game(7, 3, "dudo"), i.CallDudo()),
        (callback_data.game(7, 3, "calza"), i.CallCalza()),
        (callback_data.game(7, 3, "dice"), i.SeeDice()),
        (callback_data.game(7, 3, "here"), i.BidHere()),
        (callback_data.game(7, 3, "back"), i.ReturnToSeat()),
        (callback_data.game(7, 3, "quit", 12), i.Leave(confirmed=True, asked=12)),
        (callback_data.note_answer(7, 3, 12, "5x4", 1), i.AnswerNote(12, "5x4", 1)),
        (callback_data.note_answer(7, 3, 12, "dudo", 3), i.AnswerNote(12, "dudo", 3)),
        (callback_data.note_answer(7, 3, 12), i.AnswerNote(12, None)),
        (callback_data.game(7, 3, "face", 4), i.SeeBids(4)),
        (callback_data.game(7, 3, "faces"), i.SeeBids(None)),
    ],
)
def test_a_button_reads_back_as_the_wish_it_was_made_for(data: str, wish: i.What) -> None:
    tap = read(data)
    assert tap is not None
    assert tap.what == wish
    area = data[0]
    assert (tap.table, tap.step) == {"l": (7, None), "g": (7, 3), "p": (None, None)}[area]


@pytest.mark.parametrize(
    "forged",
    [
        None,
        "",
        "g",
        "g:1",
        "g:1:2",
        "g:1:bid=5x4",
        "l:1:2:join",
        "l:1:join=now",
        "p:0:set=pictures",
        "p:0:set=pictures__maybe",
        "l:1:menu",
        "l:1:menu=secret",
        "l:1:set",
        "l:1:set=",
        "l:1:close=me",
        "l:1:play_on",
        "p:0:set=asks_twice__maybe",
        "p:0:set_to_all=asks_twice__on",
        "p:0:set=trusts_voice__on",
        "p:0:set=quiet__22",
        "p:0:set=address__5",
        "l:1:set=clock__-5",
        "l:1:kick=me",
        "l:-1:join",
        "g:1:2:bid",
        "g:1:2:bid=5x7",
        "g:1:2:bid=0005x4",
        "g:1:2:bid=5x4x",
        "g:1:2:dudo=1",
        "g:1:2:face=7",
        "g:1:2:face=",
        "g:1:2:shoot",
        "g:1:2:quit",
        "g:1:2:quit=me",
        "p:0:set=view__everything",
        "p:0:1:set=view__auto",
        "p:0:set=dice_style__xx",
        "p:0:set=chosen_language__xx",
        "p:0:set=chosen_language__",
        "p:0:set_to_all=chosen_language__EN",
        "x:1:2:dudo",
        "G:1:2:dudo",
        " g:1:2:dudo",
        "g:1:2:dudo\n",
        "g:1:2:dudo;g:1:2:calza",
        "g:" + "9" * 16 + ":2:dudo",
        "g:1:2:bid=5x4" + "0" * 60,
        "dice",
    ],
)
def test_a_forged_button_reads_as_nothing(forged: str | None) -> None:
    assert read(forged) is None


@given(
    st.one_of(
        st.text(max_size=80),
        st.from_regex(r"[lgp]:\d{1,17}(:\d{1,11})?:[a-z]{1,7}(=[a-z0-9_]{0,9})?", fullmatch=True),
    )
)
def test_whatever_a_button_carries_reading_it_never_fails(data: str) -> None:
    tap = read(data)
    assert tap is None or isinstance(tap, callback_data.ParsedTap)


def every_notice() -> list[n.Notice]:
    """One of every notice that may carry buttons, with the largest numbers there can be."""
    wide = Rules.preset("aces").with_options(starting_dice=10, calza=True)
    lobby = lobby_view(lobby_table(10, wide))
    lobby = lobby.model_copy(
        update={
            "table": LARGEST_TABLE,
            "seats": tuple(seat.model_copy(update={"player": 10**15 - 1 - n}) for n, seat in enumerate(lobby.seats)),
        }
    )
    table = running_table(*["1234561234"] * 10, rules=wide, calls="3x4").replace(id=LARGEST_TABLE, step=999_999_999)
    view = table_view(table)
    over = play.resign(running_table("22", "33"), 0, now=START, rng=random.Random(1), timings=TIMINGS)
    events = tuple(e for group in over.events if isinstance(group, GameEvents) for e in group.events)
    ended = game_over_view(over.table, events)
    assert ended is not None
    choices = tuple(n.TableChoice(table=LARGEST_TABLE - k, step=999_999_999, title=NAMES[k] * 40) for k in range(5))
    wishes: list[i.What] = [
        i.MakeBid(100, 6),
        i.CallDudo(),
        i.CallCalza(),
        i.SeeDice(),
        i.SeeStatus(),
        i.Leave(),
        i.Stop(),
    ]
    words = [canonical_word(i.Intent("t", "1", i.Person("t", 1, "A"), wish)) for wish in wishes]
    return [
        *(n.LobbyNotice(view=lobby, page=page, house_rules=HOUSES) for page in (*LobbyPage, None)),
        *(
            n.TableNotice(view=shown, shared=shared, unreachable=unreachable)
            for shown in (view, view.model_copy(update={"paused": True}))
            for shared in (True, False)
            for unreachable in (True, False)
        ),
        *(n.HandNotice(view=hand_view(table, seat), player=1, title="T", deal=1) for seat in (1, 2)),
        *(
            n.BidsNotice(view=view, seat=1, face=face, private=private)
            for face in (None, 5)
            for private in (True, False)
        ),
        n.GameOverNotice(view=ended),
        n.GameOverNotice(view=ended.model_copy(update={"secret": "ab" * 32, "salt": "CODE22"})),
        n.AwayNotice(table=LARGEST_TABLE, title="T"),
        n.PausedNotice(table=LARGEST_TABLE),
        n.ConfirmLeaveNotice(table=LARGEST_TABLE, title="T", player=LARGEST_TABLE, name="Ana"),
        n.ConfirmStopNotice(table=LARGEST_TABLE, title="T", player=LARGEST_TABLE, name="Ana"),
        n.NextGameOfferNotice(),
        n.NextGameNotice(title="T", code="CODE22"),
        n.IdentifyAdminNotice(table=None),
        n.IdentifyAdminNotice(table=LARGEST_TABLE),
        *(
            n.SettingsNotice(view=chosen, private=private, rules=wide, clock=TurnClock(), phone=True, pictures=True)
            for chosen in PrivateView
            for private in (True, False)
        ),
        *(n.WhichTableNotice(choices=choices, word=word) for word in words),
    ]


@pytest.mark.parametrize("notice", every_notice(), ids=lambda notice: notice.kind)
def test_every_keyboard_is_one_that_telegram_takes_and_that_we_can_read(notice: n.Notice) -> None:
    rows = keyboard(notice, W, bot=BOT)
    assert rows
    assert sum(map(len, rows)) <= 100
    seen = set()
    for row in rows:
        assert 1 <= len(row) <= 8
        for button in row:
            assert set(button) - {"text", "style"} in ({"callback_data"}, {"url"})
            assert 1 <= len(button["text"]) <= 64
            assert button.get("style") in (None, PRIMARY, SUCCESS, DANGER)
            if "url" in button:
                assert button["url"].startswith(f"https://t.me/{BOT}?start=")
                assert len(button["url"].rpartition("=")[2]) <= 64
                continue
            assert 1 <= len(button["callback_data"].encode()) <= 64
            assert read(button["callback_data"]) is not None, button
            assert button["callback_data"] not in seen, "two buttons do the same"
            seen.add(button["callback_data"])


@pytest.mark.parametrize("private", [True, False])
def test_settings_offer_every_language_by_its_own_name_and_mark_the_chosen_one(private: bool) -> None:
    def labels(speaks: str, *, chosen: bool) -> list[str]:
        notice = n.SettingsNotice(
            view=PrivateView.DIRECT, private=private, rules=Rules(), clock=TurnClock(), speaks=speaks, chosen=chosen
        )
        return [button["text"] for row in keyboard(notice, W, bot=BOT) for button in row if "language" in str(button)]

    assert set(labels("en", chosen=False)) == {
        *(own_name(language).capitalize() for language in LANGUAGES),
        "✅ ✨ Automatic",
    }
    assert "✅ English" in labels("en", chosen=True)
    assert "✨ Automatic" in labels("en", chosen=True)


@pytest.mark.parametrize("private", [True, False])
@pytest.mark.parametrize("language", LANGUAGES)
def test_settings_offer_pictures_and_text_in_few_words(language: str, private: bool) -> None:
    def labels(*, pictures: bool | None) -> list[str]:
        notice = n.SettingsNotice(
            view=PrivateView.AUTO, private=private, rules=Rules(), clock=TurnClock(), pictures=pictures
        )
        rows = keyboard(notice, catalogue(language), bot=BOT)
        return [button["text"] for row in rows for button in row if "pictures" in button["callback_data"]]

    shown, hidden = labels(pictures=True), labels(pictures=False)
    assert [label.startswith("✅ ") for label in (*shown, *hidden)] == [True, False, False, True]
    assert all(len(label.removeprefix("✅ ")) <= 20 for label in (*shown, *hidden))
    assert labels(pictures=None) == []


def test_which_of_two_tables_repeats_what_was_said() -> None:
    choices = (n.TableChoice(table=7, step=3, title="Friends"),)
    said_and_read: dict[str, i.What] = {
        "5x4": i.MakeBid(5, 4),
        "dudo": i.CallDudo(),
        "calza": i.CallCalza(),
        "dice": i.SeeDice(),
        "status": i.SeeStatus(),
        "leave": i.Leave(),
        "stop": i.Stop(),
    }
    for word, wish in said_and_read.items():
        (data,) = data_of(keyboard(n.WhichTableNotice(choices=choices, word=word), W, bot=BOT))
        assert what(data) == wish


# What was heard


def heard(*guesses: str, **more: object) -> n.HeardNotice:
    given = {"table": LARGEST_TABLE, "step": 10**9 - 1, "player": 10**15 - 1, "name": "Ana", "private": False}
    return n.HeardNotice.model_validate({**given, "guesses": guesses, **more})


def test_what_may_have_been_said_has_a_button_each_and_one_for_none_of_it() -> None:
    rows = keyboard(heard("50x6", "dudo", "calza"), W, bot=BOT)
    assert [[button["text"] for button in row] for row in rows] == [["50 × 6️⃣", "Dudo!", "Calza!"], ["✖️ Not that"]]
    asked = 10**15 - 1
    assert [what(data) for data in data_of(rows)] == [
        i.AnswerNote(asked, "50x6", 1),
        i.AnswerNote(asked, "dudo", 2),
        i.AnswerNote(asked, "calza", 3),
        i.AnswerNote(asked, None),
    ]
    assert all(len(data.encode()) <= callback_data.LONGEST for data in data_of(rows))


def test_what_was_heard_surely_stands_out() -> None:
    rows = keyboard(heard("5x4", "5x5", sure=True), W, bot=BOT)
    assert [[button["text"] for button in row] for row in rows] == [["✅ 5 × 4️⃣"], ["5 × 5️⃣"], ["✖️ Not that"]]
    assert keyboard(heard("5x4", answered=True), W, bot=BOT) == []


@pytest.mark.parametrize("value", ["5x4_0_1", "5x4_4_1", "5x7_1_1", "5x4_1", "no", "no_x", "dice_1_1", "5x4_1_1_1"])
def test_forged_answers_to_what_was_heard_are_no_button(value: str) -> None:
    assert callback_data.parse_callback(f"g:1:1:said={value}") is None


def test_the_group_chooses_in_its_settings_whether_spoken_bids_need_a_tap() -> None:
    def labels(*, private: bool, trusts: bool | None) -> list[str]:
        notice = n.SettingsNotice(
            view=PrivateView.AUTO, private=private, rules=Rules(), clock=TurnClock(), trusts_voice=trusts
        )
        rows = keyboard(notice, W, bot=BOT)
        return [str(button["text"]) for row in rows for button in row if "Spoken" in str(button["text"])]

    assert labels(private=False, trusts=False) == ["▫️ Spoken bids need no tap"]
    assert labels(private=False, trusts=True) == ["✅ Spoken bids need no tap"]
    assert labels(private=True, trusts=None) == labels(private=False, trusts=None) == []
