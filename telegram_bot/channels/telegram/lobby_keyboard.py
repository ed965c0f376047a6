"""Build the keyboards of a lobby: four buttons for everyone, and the host's menus.

A label has at most 20 characters besides its sign, so that a narrow phone shows two labels side by side.
"""

from typing import Final

from perudo_core import PRESETS, Rules
from perudo_core.agents import Level
from telegram_bot.channels.telegram.buttons import DANGER, PRIMARY, SUCCESS, Button, Rows, button, rows_of
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.service import intents as i
from telegram_bot.service.lobby_options import LOBBY_OPTIONS, LobbyOption
from telegram_bot.service.notices import LobbyNotice
from telegram_bot.tables.house_rules import QuickChoice, classic_rules
from telegram_bot.tables.lobby import CLOCK_CHOICES, option_values
from telegram_bot.tables.model import OnTimeout
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.lobby import OPTIONS_OF, LobbyMenu, menu_of, option_title, options_on, subject_label
from telegram_bot.words.house_rules import house_label, quick_choice_of, quick_label
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


def lobby_keyboard(notice: LobbyNotice, w: Catalogue) -> Rows:
    """Return the buttons for everyone, and the host's open menu, which may be in a private chat."""
    menu = menu_of(notice)
    if menu is LobbyMenu.MAIN:
        return _first_rows(notice.view, w)
    join_and_start = [] if notice.to_host else _first_rows(notice.view, w)[:1]
    return [*join_and_start, *_menu_rows(notice, menu, w)]


def _first_rows(view: LobbyView, w: Catalogue) -> Rows:
    """Four buttons; the first two remain while the host chooses in the group."""
    return [
        [
            button("🙋 " + w.say("Join"), data_of(i.Join(), view.table), SUCCESS),
            button("▶️ " + w.say("Start"), data_of(i.Start(), view.table), PRIMARY),
        ],
        [
            button("🤖 " + w.context_say("lobby", "Fill"), data_of(i.AddComputers(None), view.table)),
            _menu_button(view, LobbyMenu.TABLE, "⚙️ " + w.context_say("lobby", "Table")),
        ],
    ]


def _menu_rows(notice: LobbyNotice, menu: LobbyMenu | LobbyOption, w: Catalogue) -> Rows:
    view = notice.view
    match menu:
        case LobbyMenu.TABLE:
            return _table_rows(notice, w)
        case LobbyMenu.RULEBOOK:
            return [*rows_of(_books(notice, w), PAIR), _back(view, LobbyMenu.TABLE, w)]
        case LobbyMenu.OPTIONS:
            switches = [[_option_switch(view, each, w)] for each in LOBBY_OPTIONS.values() if each.is_switch]
            return [*rows_of(_subjects(view, w), PAIR), *switches, _back(view, LobbyMenu.TABLE, w)]
        case LobbyMenu.DICE | LobbyMenu.BIDS | LobbyMenu.DUDO | LobbyMenu.CALZA | LobbyMenu.PALIFICO:
            return [*_option_rows(view, menu, w), _back(view, LobbyMenu.OPTIONS, w)]
        case LobbyOption():
            return [*_value_rows(view, menu, w), _back(view, LobbyMenu.OPTIONS, w)]
        case LobbyMenu.CLOCK:
            return [*_clock_rows(view, w), _back(view, LobbyMenu.TABLE, w)]
        case LobbyMenu.KICK:
            return [*rows_of(_kick_buttons(view), PAIR), _back(view, LobbyMenu.TABLE, w)]
        case LobbyMenu.COMPUTERS:
            return [*_computer_rows(view, w), _back(view, LobbyMenu.TABLE, w)]
        case LobbyMenu.MAIN:
            return []


def _table_rows(notice: LobbyNotice, w: Catalogue) -> Rows:
    """Return the host's choices: three whole tables with one tap each, and a menu for everything else."""
    view = notice.view
    menus = [
        _menu_button(view, LobbyMenu.RULEBOOK, "📖 " + w.say("Other rules")),
        _menu_button(view, LobbyMenu.OPTIONS, "🔧 " + w.say("Each rule")),
        _menu_button(view, LobbyMenu.CLOCK, "⏱ " + w.say("Clock")),
        _menu_button(view, LobbyMenu.COMPUTERS, "🤖 " + w.say("Computer players")),
    ]
    if len(view.seats) > 1:
        menus.append(_menu_button(view, LobbyMenu.KICK, "👋 " + w.say("Remove a player")))
    done = _menu_button(view, LobbyMenu.MAIN, "✔️ " + w.say("Done"))
    return [*_quick_rows(notice, w), *rows_of(menus, PAIR), [done]]


def _computer_rows(view: LobbyView, w: Catalogue) -> Rows:
    """Buttons that add a player of each level; and for each one: next level, next character, removal."""
    rows: Rows = []
    if len(view.seats) < view.max_seats:
        levels = (
            button("🤖 " + level_label(level, w), data_of(i.AddComputers(1, level), view.table)) for level in Level
        )
        rows += rows_of(levels, PAIR)
    for seat in view.seats:
        if seat.computer is not None:
            name = plain_name(seat.name)
            level = data_of(i.ChangeComputer(seat.player, "level"), view.table)
            character = data_of(i.ChangeComputer(seat.player, "character"), view.table)
            kick = data_of(i.Kick(seat.player), view.table)
            rows += [
                [
                    button(f"{name}: {level_label(seat.computer.level, w)}", level),
                    button(character_label(seat.computer.character, w), character),
                    button("🚪", kick, DANGER),
                ]
            ]
    return rows


def _option(view: LobbyView, option: str, value: object = None) -> str:
    """Return the data that sets an option to a value, or to its next value if that is None."""
    return data_of(i.ChangeOption(option, None if value is None else str(value)), view.table)


def _menu_button(view: LobbyView, menu: str, label: str) -> Button:
    return button(label, data_of(i.OpenMenu(None if menu is LobbyMenu.MAIN else menu), view.table))


def _back(view: LobbyView, menu: LobbyMenu, w: Catalogue) -> list[Button]:
    return [_menu_button(view, menu, "⬅️ " + w.say("Back"))]


def _quick_rows(notice: LobbyNotice, w: Catalogue) -> Rows:
    """Three whole tables, each with one tap."""
    view = notice.view
    if classic_rules(notice.house_rules) is None:
        return []
    chosen = quick_choice_of(view.rules, view.clock, notice.house_rules, notice.usual_clock)
    return [
        [
            button(
                f"{'✅' if choice is chosen else QUICK_SIGNS[choice]} {quick_label(choice, w)}",
                _option(view, "quick_table", choice),
            )
            for choice in QuickChoice
        ]
    ]


def _books(notice: LobbyNotice, w: Catalogue) -> list[Button]:
    """Return the house rules of the installation, then the published rulebooks."""
    view = notice.view

    houses = [
        _choice(house.rules == view.rules, house_label(house, w), _option(view, "house", house.key))
        for house in notice.house_rules
    ]
    books = [
        _choice(
            Rules.preset(book) == view.rules,
            preset_label(book, w),
            _option(view, "rulebook", book),
        )
        for book in PRESETS
    ]
    return [*houses, *books]


def _choice(is_chosen: bool, label: str, data: str) -> Button:
    return button(("✅ " if is_chosen else "") + label, data)


def _kick_buttons(view: LobbyView) -> list[Button]:
    return [
        button(
            "🚪 " + faced(seat, plain_name(seat.name)),
            data_of(i.Kick(seat.player), view.table),
            DANGER,
        )
        for seat in view.seats
        if seat.player != view.host
    ]


def _option_rows(view: LobbyView, menu: LobbyMenu, w: Catalogue) -> Rows:
    """Pairs of switches; other options have a button for each value."""
    names = options_on(menu, view.rules)
    switches = [name for name in names if isinstance(getattr(view.rules, name), bool)]
    rows: Rows = []
    for name in names:
        if name not in switches:
            width = NUMBERS_A_ROW if name == "starting_dice" else PAIR
            rows += rows_of((_value(view, name, value, w) for value in option_values(view.rules, name)), width)
    return [*rows_of((_switch(view, name, w) for name in switches), PAIR), *rows]


def _switch(view: LobbyView, name: str, w: Catalogue) -> Button:
    sign = "✅ " if getattr(view.rules, name) else "▫️ "
    return button(sign + option_label(name, w), _option(view, name))


def _value(view: LobbyView, name: str, value: object, w: Catalogue) -> Button:
    is_chosen = value == getattr(view.rules, name)
    return _choice(is_chosen, option_value_label(name, value, w), _option(view, name, value))


def _subjects(view: LobbyView, w: Catalogue) -> list[Button]:
    """Return the menus of options: of rules that can change the game, and of other choices."""
    rules = [_menu_button(view, each, subject_label(each, w)) for each in OPTIONS_OF if options_on(each, view.rules)]
    others = (each for each in LOBBY_OPTIONS.values() if not each.is_switch)
    return rules + [_menu_button(view, each.name, option_title(each, w)) for each in others]


def _option_switch(view: LobbyView, option: LobbyOption, w: Catalogue) -> Button:
    sign = "▫️ " if option.value_in(view.options) == option.usual else "✅ "
    return button(sign + w.say(option.title), _option(view, option.name))


def _value_rows(view: LobbyView, option: LobbyOption, w: Catalogue) -> Rows:
    chosen = option.value_in(view.options)
    return [
        [_choice(value == chosen, w.say(label), _option(view, option.name, value))]
        for value, label in option.values.items()
    ]


def _clock_rows(view: LobbyView, w: Catalogue) -> Rows:
    times = (
        _choice(
            seconds == view.clock.seconds,
            duration(seconds, w) if seconds else w.say("Off"),
            _option(view, "clock", seconds),
        )
        for seconds in CLOCK_CHOICES
    )
    choices = (
        _choice(
            choice is view.clock.on_timeout,
            on_timeout_button(choice, w),
            _option(view, "on_timeout", choice),
        )
        for choice in OnTimeout
    )
    return [*rows_of(times, CLOCKS_A_ROW), *rows_of(choices, 1)]
