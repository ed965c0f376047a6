"""The lobby, and a table that was closed."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Final, Literal

from perudo_core import PRESETS, Rules, Subject
from perudo_core.stirs import SIGNS
from telegram_bot.notices import card_types as c
from telegram_bot.notices.base import ExtendedNotice, NoticeModel, PageFormat, WebDoor, Worded, added_lines
from telegram_bot.notices.card_parts import plain_lines, seat_fields
from telegram_bot.tables.house_rules import HouseRules, QuickChoice, classic_rules, quick_table, twist_of
from telegram_bot.tables.lobby_rules import CLOCK_CHOICES, is_offered
from telegram_bot.tables.model import CloseReason, FrozenModel, TableRules, TurnClock
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.stirs import stirs_line
from telegram_bot.words.house_rule_words import (
    book_line,
    house_line,
    house_title,
    quick_choice_of,
    quick_label,
    rules_title,
)
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line, Medium, html, plain
from telegram_bot.words.lobby_options import LOBBY_OPTIONS, LobbyOption
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
from telegram_bot.words.rules import OPTIONS, how_to_play, option_label, option_value_label, preset_label, rules_text
from telegram_bot.words.sms.layout import (
    TextReader,
    list_stirs,
    shorten_name,
)


class Mention(FrozenModel):
    """A person whom a message mentions, so that they are notified."""

    name: str
    address: int


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
    LobbyMenu(subject): tuple(name for name in OPTIONS if Rules.options()[name].subject is subject)
    for subject in Subject
    if subject is not Subject.SEATS
}
"""The menus of all options, by subject."""


def options_on(menu: LobbyMenu, rules: Rules) -> tuple[str, ...]:
    """Return the options of a menu that can change the game under these rules."""
    return tuple(name for name in OPTIONS_OF[menu] if is_offered(rules, name))


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


MOST_LISTED: Final = 4
"""The maximum number of players, or tables, that a text lists one by one."""


class LobbyMessage(NoticeModel):
    """A message with the players of a table and its rules."""

    slot = "table"
    is_public = True

    if TYPE_CHECKING:  # declared by each type, in its stored order
        view: LobbyView
        house_rules: tuple[HouseRules, ...]
        ghost: str

    @property
    def about_table(self) -> int | None:
        """The table."""
        return self.view.table

    def news(self, f: Format) -> Iterable[str]:  # noqa: ARG002 - none
        """Return nothing: a page shows who is there."""
        return []

    def _fields(
        self, page: PageFormat, *, started: bool, by_text: list[str], options: list[c.OptionField]
    ) -> c.LobbyFields:
        w, view = page.w, self.view
        return {
            "code": view.code,
            "host": view.host,
            "started": started,
            "seats": seat_fields(view.seats),
            "min_seats": view.min_seats,
            "max_seats": view.max_seats,
            "ready": list(view.ready),
            "awaits_host": view.awaits_host,
            "clock": {"seconds": view.clock.seconds},
            "note": plain(added_lines(self, Format(w, Medium.ALERT))),
            "by_text": by_text,
            "rules": {
                "preset": view.rules.book,
                "title": rules_title(view.rules, self.house_rules, w, twist=twist_of(view.rules, view.options)),
                "lines": rules_text(view.rules, w),
                "how": how_to_play(view.rules, w),
            },
            "options": options,
            "acts": list(page.acts),
            "sealed": view.commitment,
            "stirs": [{"name": plain_name(stir.name), "what": stir.what} for stir in view.stirs],
            "signs": list(SIGNS),
        }

    def _texted(self, f: Format, before: Sequence[str], after: Sequence[str] = ()) -> list[Line]:
        """Return the text message: code, `before`, lines of features, players, `after`, clock, stirs."""
        w, view = f.w, self.view
        added = [line for line in added_lines(self, f) if line.rank is not None]
        names = ", ".join(f.names([seat.name for seat in view.seats])) + "."
        counted = Line(w.count("{n} player.", "{n} players.", len(view.seats)))
        lines = [Line(w.say("Table {code}.", code=view.code)), *map(Line, before), *added]
        lines.append(Line(names, rank=2, short=counted) if len(view.seats) <= MOST_LISTED else counted)
        lines += map(Line, after)
        if view.clock.seconds:
            lines.append(Line(w.say("Clock: {clock}.", clock=clock_label(view.clock, w)), rank=3))
        if view.stirs:
            lines.append(Line(w.say("Shaken in: {stirs}.", stirs=list_stirs(view.stirs, f.letters)), rank=1))
        return lines


class LobbyNotice(LobbyMessage):
    """The lobby's message."""

    kind: Literal["lobby"] = "lobby"
    view: LobbyView
    menu: str | None = None
    """The menu that its message shows, under the channel's name for it, or None for the main menu."""
    to_host: bool = False
    """Whether only the host reads it."""
    asks_name: bool = False
    """Whether its only reader is asked for their name."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers that accept a text with the table's code."""
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which a host can choose, and which give some rules their name."""
    engines: tuple[str, ...] = ()
    """The names of the programs that a host can seat."""
    usual_clock: TurnClock | None = None
    """The turn clock of a quick table without one of its own."""
    mentions: tuple[Mention, ...] = ()
    """People who asked to be told of the next game, and whom no private message reaches."""
    ghost: str = ""
    """The name of the ghost who chose the twist, if others may read it."""

    def in_chat(self, f: Format) -> str:
        """Return the players, the rules, and what to do next."""
        w = f.w
        view = self.view
        menu = self.shown_menu
        lines = ["🎲 <b>" + w.say("Perudo: who's in?") + "</b>", "", *_players(view, w), ""]
        lines += [*_rules(view, self.house_rules, w), "", *self._choices(menu, w), _next_step(view, menu, w)]
        lines += self._mentions(w)
        lines += self._by_text(w)
        lines += stirs_line(view.stirs, w)
        return "\n".join(lines)

    @property
    def shown_menu(self) -> LobbyMenu | LobbyOption:
        """Return the menu that a lobby's message shows; the first if this version does not know the stored one."""
        option = LOBBY_OPTIONS.get(self.menu or "")
        if option is not None and not option.is_switch:
            return option
        return LobbyMenu(self.menu) if self.menu in set(LobbyMenu) else LobbyMenu.MAIN

    @property
    def web_door(self) -> WebDoor | None:
        """The television; below the menu of the table the host's seat as well."""
        if self.menu not in (None, LobbyMenu.TABLE):
            return None
        is_menu = self.menu is not None
        return WebDoor(self.view.code, seat=is_menu, television=True, private=is_menu and self.to_host)

    def _mentions(self, w: Catalogue) -> list[str]:
        """Mentions the people who asked to be told of this game."""
        if not self.mentions:
            return []
        names = (
            f'<a href="tg://user?id={person.address}">{escape(plain_name(person.name))}</a>' for person in self.mentions
        )
        return [w.say("🔔 {names}, you asked me to tell you.", names=", ".join(names))]

    def text_invitation(self, w: Catalogue) -> list[str]:
        """Return how a friend takes a seat by text message, if the bot has a number and the table has room."""
        view = self.view
        if not self.numbers or len(view.seats) >= view.max_seats:
            return []
        numbers = escape(", ".join(self.numbers))
        return [w.say("📱 Or text <code>JOIN {code}</code> to {numbers}.", code=view.code, numbers=numbers)]

    def _by_text(self, w: Catalogue) -> list[str]:
        """Return how a friend takes a seat by text message, and which rules suit players by text."""
        view = self.view
        lines = self.text_invitation(w) if self.shown_menu is LobbyMenu.MAIN else []
        if any(seat.by_text for seat in view.seats) and 0 < view.clock.seconds < HOUR:
            lines.append(w.say("🐢 Someone plays by text: a clock of a few hours is kinder."))
        return lines

    def _choices(self, menu: LobbyMenu | LobbyOption, w: Catalogue) -> list[str]:
        """Return the meaning of a menu's buttons: each rulebook in a line, or each option with its value."""
        rules = self.view.rules
        if isinstance(menu, LobbyOption):
            explained = menu.explained.get(menu.usual) if menu.value_in(self.view.options) == menu.usual else None
            return [f"<b>{option_title(menu, w)}</b>", *([w.say(explained)] if explained else []), ""]
        if menu is LobbyMenu.TABLE:
            return [*self._quick_lines(w), ""]
        if menu is LobbyMenu.RULEBOOK:
            houses = [(house_title(house, w), house_line(house, w)) for house in self.house_rules]
            books = [(preset_label(book, w), book_line(book, self.house_rules, w)) for book in PRESETS]
            return [*(_described(name, line, w) for name, line in (*houses, *books)), ""]
        if menu in OPTIONS_OF:
            lines = [f"<b>{subject_label(menu, w)}</b>"]
            for name in options_on(menu, rules):
                value = option_value_label(name, getattr(rules, name), w)
                lines.append("• " + w.say("{option}: {value}", option=option_label(name, w), value=value))
            return [*lines, ""]
        return []

    def _quick_lines(self, w: Catalogue) -> list[str]:
        """Return the number of dice and the time of each quick choice."""
        classic = classic_rules(self.house_rules)
        if classic is None or self.usual_clock is None:
            return []
        tables = ((each, *quick_table(each, classic, self.usual_clock, None)) for each in QuickChoice)
        return [
            _described(
                quick_label(each, w),
                w.count("{n} die each", "{n} dice each", rules.starting_dice) + f", ⏱ {clock_label(clock, w)}",
                w,
            )
            for each, rules, clock in tables
        ]

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:
        """Return the code, the players, how friends join, and who starts the game."""
        w, view = f.w, self.view
        number = reader.number if reader.number in self.numbers or not self.numbers else self.numbers[0]
        texting = any(seat.by_text for seat in view.seats if seat.player == view.host)

        host = next((shorten_name(seat.name, f.letters) for seat in view.seats if seat.player == view.host), "")
        if not texting:
            starts = w.say("{name} starts the game in the group.", name=host)
        else:
            starts = w.say("Text GO to start.") if self.to_host else w.say("{name} texts GO to start.", name=host)
        named = [w.say("Text NAME and your name.")] if self.asks_name else []
        joins = w.say("Friends text JOIN {code} to {number}.", code=view.code, number=number)
        return self._texted(f, [], [*named, joins, starts])

    def on_page(self, page: PageFormat) -> tuple[Literal["lobby"], c.LobbyFields]:
        """Return the players, and the host's choices."""
        by_text = plain_lines(self.text_invitation(page.w))
        fields = self._fields(page, started=False, by_text=by_text, options=self._options(page.w))
        fields["engines"] = list(self.engines)
        return "lobby", fields

    @property
    def keyed_at(self) -> tuple[int | None, int | None]:
        """The table."""
        return self.view.table, None

    def _options(self, w: Catalogue) -> list[c.OptionField]:
        """Return the host's choices: whole tables, the clock, other options, and each rule that can change the game."""
        view = self.view
        house = next((house.key for house in self.house_rules if house.rules == view.rules), None)
        quick = quick_choice_of(view.rules, view.clock, self.house_rules, self.usual_clock)
        houses = {house.key: house_title(house, w) for house in self.house_rules}
        clocks = {str(seconds): clock_label(TurnClock(seconds=seconds), w) for seconds in CLOCK_CHOICES}
        return [
            _option(
                "quick_table",
                w.context_say("lobby", "Table"),
                None if quick is None else quick.value,
                {choice.value: quick_label(choice, w) for choice in QuickChoice},
            ),
            *([_option("house", w.say("Other rules"), house, houses)] if houses else []),
            _option("clock", w.say("Clock"), str(view.clock.seconds), clocks),
            *(_lobby_option(option, view.options, w) for option in LOBBY_OPTIONS.values()),
            *(_rule(name, view.rules, w) for page in OPTIONS_OF for name in options_on(page, view.rules)),
        ]


class StartedNotice(LobbyMessage, ExtendedNotice):
    """The lobby's message once the game has begun."""

    kind: Literal["started"] = "started"
    view: LobbyView
    house_rules: tuple[HouseRules, ...] = ()
    ghost: str = ""
    """As in `LobbyNotice`."""

    def in_chat(self, f: Format) -> str:
        """Return the lobby's message while the game runs."""
        w = f.w
        view = self.view
        title = "🎲 <b>" + w.say("Perudo: the game is on!") + "</b>"
        lines = [title, "", *_players(view, w), "", *_rules(view, self.house_rules, w), *stirs_line(view.stirs, w)]
        parts = self.part_lines(f)
        lines += ["", html(parts)] if parts else []
        return "\n".join(lines)

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:  # noqa: ARG002 - the same for all
        """Return that the game is on, and the players."""
        return self._texted(f, [f.w.say("The game is on!")])

    def on_page(self, page: PageFormat) -> tuple[Literal["lobby"], c.LobbyFields]:
        """Return the players; nothing can be chosen any more."""
        return "lobby", self._fields(page, started=True, by_text=[], options=[])


_CLOSED: Final[dict[CloseReason, str]] = {
    CloseReason.STOPPED: mark("🛑 The table was closed."),
    CloseReason.IDLE: mark("🌙 No one moved for a while, so I closed the table."),
    **dict.fromkeys((CloseReason.EMPTY, CloseReason.LOST_CHAT), mark("🍃 Everyone left, so I closed the table.")),
}


class ClosedNotice(Worded):
    """The message of a table that was closed without a winner."""

    kind: Literal["closed"] = "closed"
    slot = "over"
    is_public = True
    read_aloud = True
    why: CloseReason
    names: tuple[str, ...] = ()
    by: str = ""
    """The name of the person who closed it, if a person did."""

    def lines(self, f: Format) -> list[Line]:
        """Why a table closed, and how to open another."""
        if self.why is CloseReason.STOPPED and self.by:
            why = f.w.say("🛑 {name} closed the table.", name=f.strong(f.name(self.by)))
        else:
            why = f.w.say(_CLOSED[self.why])
        return [Line(why), Line(f.w.say("Send /perudo to open a new one."))]

    def on_page(self, _: PageFormat) -> tuple[Literal["closed"], c.ClosedFields]:
        """Return its card."""
        return "closed", {"why": self.why.value, "by": self.by}


def _players(view: LobbyView, w: Catalogue) -> list[str]:
    lines = []
    for number, seat in enumerate(view.seats, start=1):
        computer = [] if seat.computer is None else [f"<i>({computer_label(seat.computer, w)})</i>"]
        marks = computer + ["👑"] * (seat.player == view.host) + ["🙋"] * (seat.player in view.ready)
        lines.append(" ".join([f"{number}.", faced(seat, name_of(seat)) + seat_mark(seat), *marks]))
    return lines


def _described(name: str, line: str, w: Catalogue) -> str:
    """Return a choice with its description."""
    return "• " + w.say("{option}: {value}", option=f"<b>{escape(name)}</b>", value=escape(line))


def _rules(view: LobbyView, houses: Sequence[HouseRules], w: Catalogue) -> list[str]:
    book = rules_title(view.rules, houses, w, twist=twist_of(view.rules, view.options))
    chosen = [(option, option.value_in(view.options)) for option in LOBBY_OPTIONS.values()]
    options = [
        f"{option.sign} {w.say(option.explained[value])}"
        for option, value in chosen
        if value != option.usual and value in option.explained
    ]
    return [f"📖 {escape(book)}", f"⏱ {clock_line(view.clock, w)}", *options]


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


def _lobby_option(option: LobbyOption, options: Mapping[str, str], w: Catalogue) -> c.OptionField:
    title, value = w.say(option.title), option.value_in(options)
    if option.is_switch:
        return {"option": option.name, "title": title, "value": value != option.usual, "choices": []}
    return _option(option.name, title, value, {each: w.say(label) for each, label in option.values.items()})


def _option(option: str, title: str, value: str | None, choices: Mapping[str, str]) -> c.OptionField:
    shown: list[c.ChoiceField] = [{"value": key, "text": text} for key, text in choices.items()]
    return {"option": option, "title": title, "value": value, "choices": shown}


def _rule(name: str, rules: TableRules, w: Catalogue) -> c.OptionField:
    values = {_written(value): option_value_label(name, value, w) for value in Rules.options()[name].values}
    return {**_option(name, option_label(name, w), _written(getattr(rules, name)), values), "rule": True}


def _written(value: object) -> str:
    """Return an option's value as rulebook files write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
