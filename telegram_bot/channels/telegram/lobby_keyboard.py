"""Build the keyboards of a lobby: four buttons for everybody, and the pages of the host's choices.

A label has at most 20 characters besides its sign, so that a narrow phone shows it whole beside another one.
"""

from typing import Final

from perudo_core import PRESETS, Rules
from perudo_core.agents import Level
from perudo_core.stirs import SIGNS
from telegram_bot.channels.telegram.buttons import DANGER, PRIMARY, SUCCESS, Button, Rows, button, rows_of
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.service import intents as i
from telegram_bot.service.notices import LobbyNotice, SealNotice
from telegram_bot.tables.house_rules import QuickChoice, classic_rules
from telegram_bot.tables.lobby import CLOCK_CHOICES, option_values
from telegram_bot.tables.model import OnTimeout, PredictionsFrom
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.lobby import OPTIONS_OF, LobbyPage, options_on, page_of, subject_label
from telegram_bot.words.house_rules import house_label, quick_choice_of, quick_label
from telegram_bot.words.phrases import (
    character_label,
    duration,
    level_label,
    on_timeout_button,
    plain_name,
    predictions_label,
)
from telegram_bot.words.rules import option_label, option_value_label, preset_label

PAIR: Final = 2
STIRS_A_ROW: Final = 6
CLOCKS_A_ROW: Final = 3
NUMBERS_A_ROW: Final = 5
QUICK_SIGNS: Final = {QuickChoice.CLASSIC: "🎲", QuickChoice.SHORT: "⚡", QuickChoice.SLOW: "🐢"}


def lobby_keyboard(notice: LobbyNotice, w: Catalogue) -> Rows:
    """What everybody can tap, and the page of choices that the host looks at, which may be in a private chat."""
    page = page_of(notice)
    if page is LobbyPage.MAIN:
        return _first_rows(notice.view, w)
    join_and_start = [] if notice.to_host else _first_rows(notice.view, w)[:1]
    return [*join_and_start, *_page_rows(notice, page, w)]


def _first_rows(view: LobbyView, w: Catalogue) -> Rows:
    """Four buttons, the first two of which stay while the host chooses in the group."""
    return [
        [
            button("🙋 " + w.say("Join"), data_of(i.Join(), view.table), SUCCESS),
            button("▶️ " + w.say("Start"), data_of(i.Start(), view.table), PRIMARY),
        ],
        [
            button("🤖 " + w.context_say("lobby", "Fill"), data_of(i.AddComputers(None), view.table)),
            _page(view, LobbyPage.TABLE, "⚙️ " + w.context_say("lobby", "Table")),
        ],
    ]


def _page_rows(notice: LobbyNotice, page: LobbyPage, w: Catalogue) -> Rows:
    view = notice.view
    match page:
        case LobbyPage.TABLE:
            return _table_rows(notice, w)
        case LobbyPage.RULEBOOK:
            return [*rows_of(_books(notice, w), PAIR), _back(view, LobbyPage.TABLE, w)]
        case LobbyPage.OPTIONS:
            subjects = [subject for subject in OPTIONS_OF if options_on(subject, view.rules)] + [LobbyPage.PREDICTIONS]
            rows = rows_of((_page(view, each, subject_label(each, w)) for each in subjects), PAIR)
            hints = ("✅ " if view.hints else "▫️ ") + w.say("Hints allowed")
            return [
                *rows,
                [button(hints, _option(view, "hints"))],
                _back(view, LobbyPage.TABLE, w),
            ]
        case LobbyPage.DICE | LobbyPage.BIDS | LobbyPage.DUDO | LobbyPage.CALZA | LobbyPage.PALIFICO:
            return [*_option_rows(view, page, w), _back(view, LobbyPage.OPTIONS, w)]
        case LobbyPage.PREDICTIONS:
            return [*_prediction_rows(view, w), _back(view, LobbyPage.OPTIONS, w)]
        case LobbyPage.CLOCK:
            return [*_clock_rows(view, w), _back(view, LobbyPage.TABLE, w)]
        case LobbyPage.KICK:
            return [*rows_of(_kick_buttons(view), PAIR), _back(view, LobbyPage.TABLE, w)]
        case LobbyPage.COMPUTERS:
            return [*_computer_page(view, w), _back(view, LobbyPage.TABLE, w)]
        case LobbyPage.MAIN:
            return []


def _table_rows(notice: LobbyNotice, w: Catalogue) -> Rows:
    """What the host can choose: three whole tables with one tap each, and a page for everything else."""
    view = notice.view
    pages = [
        _page(view, LobbyPage.RULEBOOK, "📖 " + w.say("Other rules")),
        _page(view, LobbyPage.OPTIONS, "🔧 " + w.say("Each rule")),
        _page(view, LobbyPage.CLOCK, "⏱ " + w.say("Clock")),
        _page(view, LobbyPage.COMPUTERS, "🤖 " + w.say("Computer players")),
    ]
    if len(view.seats) > 1:
        pages.append(_page(view, LobbyPage.KICK, "👋 " + w.say("Remove a player")))
    if view.may_seal:
        pages.append(button("🎲 " + w.say("Shake the dice"), data_of(i.SealDice(), view.table)))
    done = _page(view, LobbyPage.MAIN, "✔️ " + w.say("Done"))
    return [*_quick_rows(notice, w), *rows_of(pages, PAIR), [done]]


def _computer_page(view: LobbyView, w: Catalogue) -> Rows:
    """One more of each level; each one's level and character, which a tap moves on to the next; each one's door."""
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


def seal_rows(notice: SealNotice) -> Rows:
    """The signs that can be stirred into sealed dice."""
    return rows_of((button(sign, data_of(i.StirDice(sign), notice.table)) for sign in SIGNS), STIRS_A_ROW)


def _option(view: LobbyView, option: str, value: object = None) -> str:
    """The data that sets an option to a value; None: to its next value."""
    return data_of(i.ChangeOption(option, None if value is None else str(value)), view.table)


def _page(view: LobbyView, page: LobbyPage, label: str) -> Button:
    return button(label, data_of(i.TurnPage(None if page is LobbyPage.MAIN else page), view.table))


def _back(view: LobbyView, page: LobbyPage, w: Catalogue) -> list[Button]:
    return [_page(view, page, "⬅️ " + w.say("Back"))]


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
    """The house rules of the installation, then the published rulebooks."""
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
            "🚪 " + plain_name(seat.name),
            data_of(i.Kick(seat.player), view.table),
            DANGER,
        )
        for seat in view.seats
        if seat.player != view.host
    ]


def _option_rows(view: LobbyView, page: LobbyPage, w: Catalogue) -> Rows:
    """Options that are on or off stand in pairs; of another option each value has a button."""
    names = options_on(page, view.rules)
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


def _prediction_rows(view: LobbyView, w: Catalogue) -> Rows:
    choices = (
        _choice(
            choice is view.predictions,
            predictions_label(choice, w),
            _option(view, "predictions", choice),
        )
        for choice in PredictionsFrom
    )
    return rows_of(choices, 1)


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
