"""Build the keys of a lobby: two for everyone, and the host's menus in private.

A label has at most 20 characters besides its sign, so that a narrow phone shows two labels side by side.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from perudo_core.agents import Level
from telegram_bot.notices import LobbyNotice
from telegram_bot.notices.lobby import Choice, LobbyMenu
from telegram_bot.presentation.keys import Key, Keys, Style, rows_of
from telegram_bot.service.handlers.lobby_requests import (
    AddComputers,
    ChangeOption,
    Join,
    Kick,
    OpenMenu,
    Start,
)
from telegram_bot.tables.house_rules import QuickChoice
from telegram_bot.tables.model import ComputerPlayer
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.house_rule_words import SingleOption, single_options
from telegram_bot.words.lobby_options import LOBBY_OPTIONS
from telegram_bot.words.phrases import faced, level_label, plain_name

PAIR: Final = 2
TABLE_SIGNS: Final[dict[str, str]] = {
    QuickChoice.CLASSIC: "🎲",
    QuickChoice.SHORT: "⚡",
    QuickChoice.SLOW: "🐢",
    QuickChoice.BOX: "📦",
    QuickChoice.ACES: "🃏",
}


def lobby_keys(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Return the two buttons for everyone, or the menu of a host in private."""
    start = Key(w.say("Start"), Start(), sign="▶️", style=Style.PRIMARY)
    if not notice.to_host:
        return [[Key(w.say("Join"), Join(), sign="🙋", style=Style.SUCCESS), start]]
    back = [_menu_key(LobbyMenu.MAIN, w.say("Back"), "⬅️")]
    match notice.shown_menu:
        case LobbyMenu.RULES:
            return [*_rule_rows(notice, w), back]
        case LobbyMenu.OPTIONS:
            return [*_option_rows(notice, w), [_menu_key(LobbyMenu.RULES, w.say("Back"), "⬅️")]]
        case LobbyMenu.BOOKS:
            book = next(each for each in single_options(w) if each.name == "rulebook")
            back = [_menu_key(LobbyMenu.OPTIONS, w.say("Back"), "⬅️")]
            return [*rows_of(_value_keys(book, notice.view, book.values), PAIR), back]
        case LobbyMenu.NAMES:
            return [[_menu_key(LobbyMenu.OPTIONS, w.say("Back"), "⬅️")]]
        case LobbyMenu.PLAYERS:
            return [*_player_rows(notice.view, notice.engines, w), back]
        case LobbyMenu.MAIN:
            menus = [
                _menu_key(LobbyMenu.RULES, w.context_say("lobby", "Rules"), "📖"),
                _menu_key(LobbyMenu.PLAYERS, w.context_say("lobby", "Players"), "🤖"),
            ]
            return [*([[start]] if notice.alone else []), menus]


def _rule_rows(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Return the presets and the operator's own rules, the twists, and the way to every single option."""
    tables = [_choice(each, TABLE_SIGNS.get(each.value, "📖")) for each in notice.tables(w)]
    twists = [_choice(each, "🌀") for each in notice.twists(w)]
    each = _menu_key(LobbyMenu.OPTIONS, w.say("Each rule"), "🔧")
    return [*rows_of(tables, PAIR), *rows_of(twists, PAIR), [each]]


KEYED_VALUES: Final = {"clock": ("30", "60", "120", "300"), "starting_dice": ("3", "5")}
"""The values with keys, of the options that have many."""


def _option_rows(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Return keys for the options that people change most, and the ways to the rulebooks and to all others."""
    rows: Keys = []
    switched: list[Key] = []
    for option in notice.keyed_options(w):
        if option.name in KEYED_VALUES:
            rows += rows_of(_value_keys(option, notice.view, KEYED_VALUES[option.name]), PAIR)
        else:
            switched.append(_next_value_key(option, notice.view))
    books = _menu_key(LobbyMenu.BOOKS, w.say("Rulebooks"), "📚")
    return [*rows, *rows_of(switched, PAIR), [books, _menu_key(LobbyMenu.NAMES, w.say("More by name"), "✏️")]]


def _next_value_key(option: SingleOption, view: LobbyView) -> Key:
    """Return the key that changes an option to its next value."""
    at = option.value_at(view)
    if not option.off and option.name in LOBBY_OPTIONS:
        return Key(option.values[at], ChangeOption(option.name), sign=LOBBY_OPTIONS[option.name].sign)
    off = option.off or next(iter(option.values))
    return Key(option.title, ChangeOption(option.name), sign="▫️" if at == off else "✅")


def _value_keys(option: SingleOption, view: LobbyView, values: Iterable[str]) -> list[Key]:
    at = option.value_at(view)
    return [
        Key(option.values[each], ChangeOption(option.name, each), sign="✅" if each == at else "▫️") for each in values
    ]


def _choice(choice: Choice, sign: str) -> Key:
    return Key(choice.label, ChangeOption(choice.option, choice.value), sign="✅" if choice.is_on else sign)


def _player_rows(view: LobbyView, engines: Sequence[str], w: Catalogue) -> Keys:
    """Buttons that add a computer player of each level, or an engine, or fill the table; and that remove a player."""
    free, rows = view.max_seats - len(view.seats), list[list[Key]]()
    if free > 0:
        levels = (Key(level_label(level, w), AddComputers(1, level), sign="🤖") for level in Level)
        programs = (Key(engine, AddComputers(1, engine=engine), sign="🤖") for engine in engines)
        rows += rows_of([*levels, *programs], PAIR)
    if free > 1:
        rows.append([Key(w.say("Fill the table"), AddComputers(None), sign="🤖")])
    others = [
        Key(
            faced(seat, plain_name(seat.name)) if seat.computer is None else _computer(seat.name, seat.computer, w),
            Kick(seat.player),
            sign="🚪",
            style=Style.DANGER,
        )
        for seat in view.seats
        if seat.player != view.host
    ]
    return [*rows, *rows_of(others, PAIR)]


def _computer(name: str, computer: ComputerPlayer, w: Catalogue) -> str:
    return f"{plain_name(name)}: {computer.engine or level_label(computer.level, w)}"


def _menu_key(menu: LobbyMenu, text: str, sign: str) -> Key:
    return Key(text, OpenMenu(None if menu is LobbyMenu.MAIN else menu), sign=sign)
