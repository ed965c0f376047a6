"""The lobby's message."""

from collections.abc import Sequence
from enum import StrEnum
from html import escape
from typing import Final

from perudo_core import PRESETS, Rules
from telegram_bot import notices as n
from telegram_bot.tables.house_rules import HouseRules, QuickChoice, classic_rules, quick_table
from telegram_bot.tables.lobby_options import LOBBY_OPTIONS, LobbyOption
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.stirs import stirs_line
from telegram_bot.words.house_rule_words import book_line, house_line, house_title, quick_label, rules_title
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Medium, html
from telegram_bot.words.notice_lines import part_lines
from telegram_bot.words.phrases import (
    HOUR,
    clock_label,
    clock_line,
    computer_label,
    faced,
    name_of,
    plain_name,
    seat_mark,
)
from telegram_bot.words.rules import is_offered, option_label, option_value_label, preset_label


class LobbyMenu(StrEnum):
    """The menus of a lobby's message."""

    MAIN = "main"
    TABLE = "table"
    RULEBOOK = "rulebook"
    OPTIONS = "options"
    DICE = "dice"
    BIDS = "bids"
    DUDO = "dudo"
    CALZA = "calza"
    PALIFICO = "palifico"
    CLOCK = "clock"
    KICK = "kick"
    COMPUTERS = "computers"


OPTIONS_OF: Final[dict[LobbyMenu, tuple[str, ...]]] = {
    LobbyMenu.DICE: ("starting_dice", "lost_dice", "opener"),
    LobbyMenu.BIDS: ("plain_raise", "wild_ones", "ones_may_open"),
    LobbyMenu.DUDO: ("out_of_turn_dudo", "lose_by_difference", "sudden_death"),
    LobbyMenu.CALZA: ("calza", "calza_by", "calza_in_palifico", "calza_with_two_players"),
    LobbyMenu.PALIFICO: ("palifico", "palifico_once", "palifico_with_two_players", "palifico_face_change"),
}
"""The menus of all options, by subject."""


def options_on(menu: LobbyMenu, rules: Rules) -> tuple[str, ...]:
    """Return the options of a menu that can change the game under these rules."""
    return tuple(name for name in OPTIONS_OF[menu] if is_offered(name, rules))


def subject_label(menu: LobbyMenu, w: Catalogue) -> str:
    """Return the subject of a menu of options."""
    return {
        LobbyMenu.DICE: "🎲 " + w.context_say("menu", "Dice"),
        LobbyMenu.BIDS: "🔢 " + w.context_say("menu", "Bids"),
        LobbyMenu.DUDO: "🗣 " + w.context_say("menu", "Dudo"),
        LobbyMenu.CALZA: "🎯 " + w.context_say("menu", "Calza"),
        LobbyMenu.PALIFICO: "🔒 " + w.context_say("menu", "Palifico"),
    }[menu]


def option_title(option: LobbyOption, w: Catalogue) -> str:
    """Return the title of an option that is no rule."""
    return f"{option.sign} {w.say(option.title)}"


def menu_of(notice: n.LobbyNotice) -> LobbyMenu | LobbyOption:
    """Return the menu that a lobby's message shows; the first if this version does not know the stored one."""
    option = LOBBY_OPTIONS.get(notice.menu or "")
    if option is not None and not option.is_switch:
        return option
    return LobbyMenu(notice.menu) if notice.menu in set(LobbyMenu) else LobbyMenu.MAIN


def lobby_text(notice: n.LobbyNotice, w: Catalogue) -> str:
    """Return the players, the rules, and what to do next."""
    view = notice.view
    menu = menu_of(notice)
    lines = ["🎲 <b>" + w.say("Perudo: who's in?") + "</b>", "", *_players(view, w), ""]
    lines += [*_rules(view, notice.house_rules, w), "", *_choices(notice, menu, w), _next_step(view, menu, w)]
    lines += _mentions(notice, w)
    lines += _by_text(notice, w)
    lines += stirs_line(view.stirs, w)
    return "\n".join(lines)


def _mentions(notice: n.LobbyNotice, w: Catalogue) -> list[str]:
    """Mentions the people who asked to be told of this game."""
    if not notice.mentions:
        return []
    names = (
        f'<a href="tg://user?id={person.address}">{escape(plain_name(person.name))}</a>' for person in notice.mentions
    )
    return [w.say("🔔 {names}, you asked me to tell you.", names=", ".join(names))]


def text_invitation(notice: n.LobbyNotice, w: Catalogue) -> list[str]:
    """Return how a friend takes a seat by text message, if the bot has a number and the table has room."""
    view = notice.view
    if not notice.numbers or len(view.seats) >= view.max_seats:
        return []
    numbers = escape(", ".join(notice.numbers))
    return [w.say("📱 Or text <code>JOIN {code}</code> to {numbers}.", code=view.code, numbers=numbers)]


def _by_text(notice: n.LobbyNotice, w: Catalogue) -> list[str]:
    """Return how a friend takes a seat by text message, and which rules suit players by text."""
    view = notice.view
    lines = text_invitation(notice, w) if menu_of(notice) is LobbyMenu.MAIN else []
    if any(seat.by_text for seat in view.seats) and 0 < view.clock.seconds < HOUR:
        lines.append(w.say("🐢 Someone plays by text: a clock of a few hours is kinder."))
    return lines


def _players(view: LobbyView, w: Catalogue) -> list[str]:
    lines = []
    for number, seat in enumerate(view.seats, start=1):
        computer = [] if seat.computer is None else [f"<i>({computer_label(seat.computer, w)})</i>"]
        marks = computer + ["👑"] * (seat.player == view.host) + ["🙋"] * (seat.player in view.ready)
        lines.append(" ".join([f"{number}.", faced(seat, name_of(seat)) + seat_mark(seat), *marks]))
    return lines


def _choices(notice: n.LobbyNotice, menu: LobbyMenu | LobbyOption, w: Catalogue) -> list[str]:
    """Return the meaning of a menu's buttons: each rulebook in a line, or each option with its value."""
    rules = notice.view.rules
    if isinstance(menu, LobbyOption):
        explained = menu.explained.get(menu.usual) if menu.value_in(notice.view.options) == menu.usual else None
        return [f"<b>{option_title(menu, w)}</b>", *([w.say(explained)] if explained else []), ""]
    if menu is LobbyMenu.TABLE:
        return [*_quick_lines(notice, w), ""]
    if menu is LobbyMenu.RULEBOOK:
        houses = [(house_title(house, w), house_line(house, w)) for house in notice.house_rules]
        books = [(preset_label(book, w), book_line(book, notice.house_rules, w)) for book in PRESETS]
        return [*(_described(name, line, w) for name, line in (*houses, *books)), ""]
    if menu in OPTIONS_OF:
        lines = [f"<b>{subject_label(menu, w)}</b>"]
        for name in options_on(menu, rules):
            value = option_value_label(name, getattr(rules, name), w)
            lines.append("• " + w.say("{option}: {value}", option=option_label(name, w), value=value))
        return [*lines, ""]
    return []


def _quick_lines(notice: n.LobbyNotice, w: Catalogue) -> list[str]:
    """Return the number of dice and the time of each quick choice."""
    classic = classic_rules(notice.house_rules)
    if classic is None or notice.usual_clock is None:
        return []
    tables = ((each, *quick_table(each, classic, notice.usual_clock, None)) for each in QuickChoice)
    return [
        _described(
            quick_label(each, w),
            w.count("{n} die each", "{n} dice each", rules.starting_dice) + f", ⏱ {clock_label(clock, w)}",
            w,
        )
        for each, rules, clock in tables
    ]


def _described(name: str, line: str, w: Catalogue) -> str:
    """Return a choice with its description."""
    return "• " + w.say("{option}: {value}", option=f"<b>{escape(name)}</b>", value=escape(line))


def _rules(view: LobbyView, houses: Sequence[HouseRules], w: Catalogue) -> list[str]:
    book = rules_title(view.rules, houses, w)
    chosen = [(option, option.value_in(view.options)) for option in LOBBY_OPTIONS.values()]
    options = [
        f"{option.sign} {w.say(option.explained[value])}"
        for option, value in chosen
        if value != option.usual and value in option.explained
    ]
    return [f"📖 {escape(book)}", f"⏱ {clock_line(view.clock, w)}", *options]


_TAP_AN_OPTION: Final = mark("{host}, tap an option to change it.")
_ASKED: Final = {
    LobbyMenu.TABLE: mark("{host}, how shall we play?"),
    LobbyMenu.RULEBOOK: mark("{host}, which rules shall we play?"),
    LobbyMenu.OPTIONS: mark("{host}, what would you like to change?"),
    **dict.fromkeys(OPTIONS_OF, _TAP_AN_OPTION),
    LobbyMenu.CLOCK: mark("{host}, how long may a turn take?"),
    LobbyMenu.KICK: mark("{host}, who should leave?"),
    LobbyMenu.COMPUTERS: mark("{host}, who else should play? Tap a level to add a player."),
}
"""The question of a menu to the host."""


def _next_step(view: LobbyView, menu: LobbyMenu | LobbyOption, w: Catalogue) -> str:
    host = escape(plain_name(next((seat.name for seat in view.seats if seat.player == view.host), "")))
    if isinstance(menu, LobbyOption):
        return w.say(_TAP_AN_OPTION, host=host)
    if menu in _ASKED:
        return w.say(_ASKED[menu], host=host)
    if len(view.seats) < view.min_seats:
        return w.say(
            "Tap <b>Join</b> to play. There's room for {most}; <b>Fill</b> brings computer players.",
            most=str(view.max_seats),
        )
    if len(view.seats) >= view.max_seats and not any(seat.computer for seat in view.seats):
        return w.say("The table is full. {host}, tap <b>Start</b>.", host=host)
    return w.say("Tap <b>Join</b> to play. {host} taps <b>Start</b> when everyone is in.", host=host)


def started_text(notice: n.StartedNotice, w: Catalogue) -> str:
    """Return the lobby's message while the game runs."""
    view = notice.view
    title = "🎲 <b>" + w.say("Perudo: the game is on!") + "</b>"
    lines = [title, "", *_players(view, w), "", *_rules(view, notice.house_rules, w), *stirs_line(view.stirs, w)]
    parts = part_lines(notice, Format(w, Medium.CHAT))
    lines += ["", html(parts)] if parts else []
    return "\n".join(lines)
