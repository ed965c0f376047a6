"""Build the keys of a lobby: four for everyone, and the host's menus.

A label has at most 20 characters besides its sign, so that a narrow phone shows two labels side by side.
"""

from collections.abc import Sequence
from typing import Final

from perudo_core import PRESETS, Rules
from perudo_core.agents import Level
from telegram_bot.notices import LobbyNotice
from telegram_bot.notices.lobby import OPTIONS_OF, LobbyMenu, option_title, options_on, subject_label
from telegram_bot.presentation.keys import Key, Keys, Style, rows_of
from telegram_bot.service.handlers.lobby_requests import (
    AddComputers,
    ChangeComputer,
    ChangeOption,
    Join,
    Kick,
    OpenMenu,
    Start,
)
from telegram_bot.service.request import Request
from telegram_bot.tables.house_rules import QuickChoice, classic_rules
from telegram_bot.tables.lobby_rules import CLOCK_CHOICES
from telegram_bot.tables.model import OnTimeout
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.house_rule_words import house_label, quick_choice_of, quick_label
from telegram_bot.words.lobby_options import LOBBY_OPTIONS, LobbyOption
from telegram_bot.words.phrases import (
    character_label,
    duration,
    faced,
    level_label,
    on_timeout_button,
    plain_name,
)
from telegram_bot.words.rules import option_label, option_value_label, preset_label

PAIR: Final = 2
CLOCKS_A_ROW: Final = 3
NUMBERS_A_ROW: Final = 5
QUICK_SIGNS: Final = {QuickChoice.CLASSIC: "🎲", QuickChoice.SHORT: "⚡", QuickChoice.SLOW: "🐢"}


def lobby_keys(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Return the buttons for everyone, and the host's open menu, which may be in a private chat."""
    menu = notice.shown_menu
    if menu is LobbyMenu.MAIN:
        return _first_rows(w)
    join_and_start = [] if notice.to_host else _first_rows(w)[:1]
    return [*join_and_start, *_menu_rows(notice, menu, w)]


def _first_rows(w: Catalogue) -> Keys:
    """Four buttons; the first two remain while the host chooses in the group."""
    return [
        [
            Key(w.say("Join"), Join(), sign="🙋", style=Style.SUCCESS),
            Key(w.say("Start"), Start(), sign="▶️", style=Style.PRIMARY),
        ],
        [
            Key(w.context_say("lobby", "Fill"), AddComputers(None), sign="🤖"),
            _menu_key(LobbyMenu.TABLE, w.context_say("lobby", "Table"), "⚙️"),
        ],
    ]


def _menu_rows(notice: LobbyNotice, menu: LobbyMenu | LobbyOption, w: Catalogue) -> Keys:
    view = notice.view
    match menu:
        case LobbyMenu.TABLE:
            return _table_rows(notice, w)
        case LobbyMenu.RULEBOOK:
            return [*rows_of(_books(notice, w), PAIR), _back(LobbyMenu.TABLE, w)]
        case LobbyMenu.OPTIONS:
            switches = [[_option_switch(view, each, w)] for each in LOBBY_OPTIONS.values() if each.is_switch]
            return [*rows_of(_subjects(view, w), PAIR), *switches, _back(LobbyMenu.TABLE, w)]
        case LobbyMenu.DICE | LobbyMenu.BIDS | LobbyMenu.DUDO | LobbyMenu.CALZA | LobbyMenu.PALIFICO:
            return [*_option_rows(view, menu, w), _back(LobbyMenu.OPTIONS, w)]
        case LobbyOption():
            return [*_value_rows(view, menu, w), _back(LobbyMenu.OPTIONS, w)]
        case LobbyMenu.CLOCK:
            return [*_clock_rows(view, w), _back(LobbyMenu.TABLE, w)]
        case LobbyMenu.KICK:
            return [*rows_of(_kick_buttons(view), PAIR), _back(LobbyMenu.TABLE, w)]
        case LobbyMenu.COMPUTERS:
            return [*_computer_rows(view, notice.engines, w), _back(LobbyMenu.TABLE, w)]
        case LobbyMenu.MAIN:
            return []


def _table_rows(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Return the host's choices: three whole tables with one tap each, and a menu for everything else."""
    view = notice.view
    menus = [
        _menu_key(LobbyMenu.RULEBOOK, w.say("Other rules"), "📖"),
        _menu_key(LobbyMenu.OPTIONS, w.say("Each rule"), "🔧"),
        _menu_key(LobbyMenu.CLOCK, w.say("Clock"), "⏱"),
        _menu_key(LobbyMenu.COMPUTERS, w.say("Computer players"), "🤖"),
    ]
    if len(view.seats) > 1:
        menus.append(_menu_key(LobbyMenu.KICK, w.say("Remove a player"), "👋"))
    done = _menu_key(LobbyMenu.MAIN, w.say("Done"), "✔️")
    return [*_quick_rows(notice, w), *rows_of(menus, PAIR), [done]]


def _computer_rows(view: LobbyView, engines: Sequence[str], w: Catalogue) -> Keys:
    """Buttons that add a player of each level, or an engine; and for each one: next level, next character, removal."""
    rows: Keys = []
    if len(view.seats) < view.max_seats:
        levels = (Key(level_label(level, w), AddComputers(1, level), sign="🤖") for level in Level)
        programs = (Key(engine, AddComputers(1, engine=engine), sign="🤖") for engine in engines)
        rows += rows_of([*levels, *programs], PAIR)
    for seat in view.seats:
        if seat.computer is not None:
            name = plain_name(seat.name)
            level = level_label(seat.computer.level, w)
            character = character_label(seat.computer.character, w)
            traits = [
                Key(f"{name}: {level}", ChangeComputer(seat.player, "level")),
                Key(character, ChangeComputer(seat.player, "character")),
            ]
            leaves = f"🚪 {name}: {seat.computer.engine}" if seat.computer.engine else "🚪"
            rows += [[*([] if seat.computer.engine else traits), Key(leaves, Kick(seat.player), style=Style.DANGER)]]
    return rows


def _option(option: str, value: object = None) -> ChangeOption:
    """Return the request that sets an option to a value, or to its next value if that is None."""
    return ChangeOption(option, None if value is None else str(value))


def _menu_key(menu: str, text: str, sign: str = "") -> Key:
    return Key(text, OpenMenu(None if menu is LobbyMenu.MAIN else menu), sign=sign)


def _back(menu: LobbyMenu, w: Catalogue) -> list[Key]:
    return [_menu_key(menu, w.say("Back"), "⬅️")]


def _quick_rows(notice: LobbyNotice, w: Catalogue) -> Keys:
    """Three whole tables, each with one tap."""
    view = notice.view
    if classic_rules(notice.house_rules) is None:
        return []
    chosen = quick_choice_of(view.rules, view.clock, notice.house_rules, notice.usual_clock)
    return [
        [
            Key(
                quick_label(choice, w),
                _option("quick_table", choice),
                sign="✅" if choice is chosen else QUICK_SIGNS[choice],
            )
            for choice in QuickChoice
        ]
    ]


def _books(notice: LobbyNotice, w: Catalogue) -> list[Key]:
    """Return the house rules of the installation, then the published rulebooks."""
    view = notice.view

    houses = [
        _choice(house.rules == view.rules, house_label(house, w), _option("house", house.key))
        for house in notice.house_rules
    ]
    books = [
        _choice(
            Rules.preset(book) == view.rules,
            preset_label(book, w),
            _option("rulebook", book),
        )
        for book in PRESETS
    ]
    return [*houses, *books]


def _choice(is_chosen: bool, text: str, request: Request) -> Key:
    return Key(text, request, sign="✅" if is_chosen else "")


def _kick_buttons(view: LobbyView) -> list[Key]:
    return [
        Key(faced(seat, plain_name(seat.name)), Kick(seat.player), sign="🚪", style=Style.DANGER)
        for seat in view.seats
        if seat.player != view.host
    ]


def _option_rows(view: LobbyView, menu: LobbyMenu, w: Catalogue) -> Keys:
    """Pairs of switches; other options have a button for each value."""
    names = options_on(menu, view.rules)
    switches = [name for name in names if isinstance(getattr(view.rules, name), bool)]
    rows: Keys = []
    for name in names:
        if name not in switches:
            width = NUMBERS_A_ROW if name == "starting_dice" else PAIR
            rows += rows_of((_value(view, name, value, w) for value in Rules.options()[name].values), width)
    return [*rows_of((_switch(view, name, w) for name in switches), PAIR), *rows]


def _switch(view: LobbyView, name: str, w: Catalogue) -> Key:
    sign = "✅" if getattr(view.rules, name) else "▫️"
    return Key(option_label(name, w), _option(name), sign=sign)


def _value(view: LobbyView, name: str, value: object, w: Catalogue) -> Key:
    is_chosen = value == getattr(view.rules, name)
    return _choice(is_chosen, option_value_label(name, value, w), _option(name, value))


def _subjects(view: LobbyView, w: Catalogue) -> list[Key]:
    """Return the menus of options: of rules that can change the game, and of other choices."""
    rules = [_menu_key(each, subject_label(each, w)) for each in OPTIONS_OF if options_on(each, view.rules)]
    others = (each for each in LOBBY_OPTIONS.values() if not each.is_switch)
    return rules + [_menu_key(each.name, option_title(each, w)) for each in others]


def _option_switch(view: LobbyView, option: LobbyOption, w: Catalogue) -> Key:
    sign = "▫️" if option.value_in(view.options) == option.usual else "✅"
    return Key(w.say(option.title), _option(option.name), sign=sign)


def _value_rows(view: LobbyView, option: LobbyOption, w: Catalogue) -> Keys:
    chosen = option.value_in(view.options)
    return [
        [_choice(value == chosen, w.say(label), _option(option.name, value))] for value, label in option.values.items()
    ]


def _clock_rows(view: LobbyView, w: Catalogue) -> Keys:
    times = (
        _choice(
            seconds == view.clock.seconds,
            duration(seconds, w) if seconds else w.say("Off"),
            _option("clock", seconds),
        )
        for seconds in CLOCK_CHOICES
    )
    choices = (
        _choice(
            choice is view.clock.on_timeout,
            on_timeout_button(choice, w),
            _option("on_timeout", choice),
        )
        for choice in OnTimeout
    )
    return [*rows_of(times, CLOCKS_A_ROW), *rows_of(choices, 1)]
