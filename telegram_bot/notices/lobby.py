"""The lobby, and a table that was closed."""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from html import escape
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Self

from perudo_core.stirs import SIGNS
from telegram_bot.notices import card_types as c
from telegram_bot.notices.base import (
    ExtendedNotice,
    NoticeModel,
    PageFormat,
    WebDoor,
    Worded,
    added_lines,
    start_link,
)
from telegram_bot.notices.card_parts import plain_lines, seat_fields
from telegram_bot.tables.house_rules import CLASSIC, HouseRules, QuickChoice, has_twist, offered_twists, twist_of
from telegram_bot.tables.model import CloseReason, FrozenModel, TableRules, TurnClock
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.stirs import stirs_line
from telegram_bot.words.house_rule_words import (
    SingleOption,
    house_label,
    house_line,
    nearest_rules,
    options_at,
    quick_choice_of,
    quick_label,
    quick_line,
    rules_title,
    single_options,
)
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line, Medium, html, plain
from telegram_bot.words.lobby_options import LOBBY_OPTIONS
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
from telegram_bot.words.rules import how_to_play, rules_text, twist_label, twist_phrase
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
    """The menus of a host's private message."""

    MAIN = "main"
    RULES = "rules"
    OPTIONS = "options"
    """The options that people change most, with keys."""
    BOOKS = "books"
    """The published rulebooks."""
    NAMES = "names"
    """All options, which the host changes by name."""
    PLAYERS = "players"


_ASKED: Final = {
    LobbyMenu.MAIN: mark("{host}, this is your table: friends join in the group, you choose here."),
    LobbyMenu.RULES: mark("{host}, how shall we play? Tap a table, or a twist as well."),
    LobbyMenu.OPTIONS: mark("{host}, tap to change one. You find all others under More by name."),
    LobbyMenu.BOOKS: mark("{host}, by which rulebook shall we play?"),
    LobbyMenu.NAMES: mark("{host}, to change one, send me its name and a value: {example}"),
    LobbyMenu.PLAYERS: mark("{host}, who else should play, and who should leave?"),
}
"""The question of a menu to the host."""


class Choice(NamedTuple):
    """A whole table or a twist that a host chooses with one tap, with a sentence."""

    option: str
    value: str
    """The option and its value, as `ChangeOption` has them."""
    label: str
    about: str
    is_on: bool


MOST_LISTED: Final = 4
"""The maximum number of players, or tables, that a text lists one by one."""


class LobbyMessage(NoticeModel):
    """A message with the players of a table and its rules."""

    card_slot = "table"
    is_public = True

    if TYPE_CHECKING:  # declared by each type, in its stored order
        view: LobbyView
        house_rules: tuple[HouseRules, ...]
        ghost: str

    @property
    def about_table(self) -> int | None:
        return self.view.table

    def news(self, f: Format) -> Iterable[str]:  # noqa: ARG002 - none
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
    alone: bool = False
    """Whether its host sees no other message with the lobby."""
    invites_host: bool = False
    """Whether the host has to open the private chat to find the menus there."""
    bot: str = ""
    """The name of the bot that sends it, or nothing where no link leads to it."""
    asks_name: bool = False
    """Whether its only reader is asked for their name."""
    numbers: tuple[str, ...] = ()
    """Telephone numbers that accept a text with the table's code."""
    house_rules: tuple[HouseRules, ...] = ()
    """The house rules of the installation, which a host can choose, and which give some rules their name."""
    engines: tuple[str, ...] = ()
    """The names of the programs that a host can seat."""
    usual_clock: TurnClock = TurnClock()
    """The turn clock of a preset without one of its own."""
    mentions: tuple[Mention, ...] = ()
    """People who asked to be told of the next game, and whom no private message reaches."""
    ghost: str = ""
    """The name of the ghost who chose the twist, if others may read it."""

    def in_chat(self, f: Format) -> str:
        """Return the players, the rules, and what to do next."""
        w = f.w
        view = self.view
        lines = ["🎲 <b>" + w.say("Perudo: who's in?") + "</b>", "", *_players(view, w), ""]
        lines += [*_rules(view, self.house_rules, w), "", *self._choices(w), self._next_step(w)]
        lines += self._mentions(w)
        lines += self._by_text(w)
        lines += stirs_line(view.stirs, w)
        return "\n".join(lines)

    @property
    def shown_menu(self) -> LobbyMenu:
        """Return the menu of a host's message; the first if this version does not know the stored one."""
        return LobbyMenu(self.menu) if self.menu in set(LobbyMenu) else LobbyMenu.MAIN

    @property
    def web_door(self) -> WebDoor | None:
        """In the host's private chat their seat and the television."""
        if not self.to_host or self.shown_menu is not LobbyMenu.MAIN:
            return None
        return WebDoor(self.view.code, television=True, private=True)

    def sent_by(self, bot: str, *, reads_all: bool) -> Self:  # noqa: ARG002 - its readers tap
        """Return it with the way to the private chat with this bot."""
        return self.model_copy(update={"bot": bot})

    def _mentions(self, w: Catalogue) -> list[str]:
        """Mentions the people who asked to be told of this game."""
        if not self.mentions:
            return []
        names = [
            f'<a href="tg://user?id={person.address}">{escape(plain_name(person.name))}</a>' for person in self.mentions
        ]
        return [w.say("🔔 {names}, you asked me to tell you.", names=w.listed(names))]

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
        lines = [] if self.to_host and not self.alone else self.text_invitation(w)
        if any(seat.by_text for seat in view.seats) and 0 < view.clock.seconds < HOUR:
            lines.append(w.say("🐢 Someone plays by text: a clock of a few hours is kinder."))
        return lines

    @property
    def nearest(self) -> TableRules:
        """Return the rules with which the table's are compared."""
        return nearest_rules(self.view.rules, self.house_rules)

    def tables(self, w: Catalogue) -> list[Choice]:
        """Return the whole tables: the presets, and the operator's house rules."""
        view, houses = self.view, [house for house in self.house_rules if house.key != CLASSIC]
        chosen = quick_choice_of(view.rules, view.clock, self.house_rules, self.usual_clock)
        presets = [
            Choice(
                "quick_table",
                each.value,
                quick_label(each, w),
                quick_line(each, self.house_rules, self.usual_clock, w),
                is_on=each is chosen,
            )
            for each in QuickChoice
        ]
        own = [
            Choice("house", house.key, house_label(house, w), house_line(house, w), is_on=house.rules == view.rules)
            for house in houses
        ]
        return [*presets, *own]

    def twists(self, w: Catalogue) -> list[Choice]:
        """Return the twists that the host can switch on or off."""
        rules, offered = self.view.rules, offered_twists(self.view.rules, self.nearest, self.view.options)
        return [
            Choice("twist", twist, twist_label(twist, w), twist_phrase(twist, w), is_on=has_twist(rules, twist))
            for twist in offered
        ]

    def _choices(self, w: Catalogue) -> list[str]:
        """Return the meaning of a menu's buttons: a sentence for each whole table and each twist, or each option."""
        match self.shown_menu if self.to_host else LobbyMenu.MAIN:
            case LobbyMenu.RULES:
                twists = [_described(each, w) for each in self.twists(w)]
                heading = "🌀 <b>" + w.say("Twists") + "</b>"
                return [*(_described(each, w) for each in self.tables(w)), "", heading, *twists, ""]
            case LobbyMenu.OPTIONS:
                return [*(self._explained(each, w) for each in self.keyed_options(w)), ""]
            case LobbyMenu.BOOKS:
                return []
            case LobbyMenu.NAMES:
                return [*(_option_line(each, self.view, self.nearest, w) for each in options_at(self.view, w)), ""]
            case _:
                return []

    def keyed_options(self, w: Catalogue) -> list[SingleOption]:
        """Return the options with keys of their own: those that people change most."""
        keyed = {"clock", "starting_dice", "calza", "lost_dice"} | {
            option.name for option in LOBBY_OPTIONS.values() if option.has_key
        }
        return [each for each in options_at(self.view, w) if each.name in keyed]

    def _explained(self, option: SingleOption, w: Catalogue) -> str:
        line = _option_line(option, self.view, self.nearest, w)
        return f"{line} · {escape(option.about)}" if option.about else line

    def _next_step(self, w: Catalogue) -> str:
        """Return what the readers tap next; a menu asks its host."""
        view, few = self.view, len(self.view.seats) < self.view.min_seats
        host = escape(plain_name(next((seat.name for seat in view.seats if seat.player == view.host), "")))
        if self.to_host and not (self.alone and self.shown_menu is LobbyMenu.MAIN):
            option = next(each for each in single_options(w) if each.name == "calza")
            example = f"<code>{escape(option.title)}: {escape(option.values['false'])}</code>"
            return w.say(_ASKED[self.shown_menu], host=host, example=example)
        if few:
            says = w.say(
                "Tap <b>Join</b> to play. There's room for {more} more.", more=str(view.max_seats - len(view.seats))
            )
        elif len(view.seats) >= view.max_seats and not any(seat.computer for seat in view.seats):
            says = w.say("The table is full. {host}, tap <b>Start</b>.", host=host)
        else:
            says = w.say("Tap <b>Join</b> to play. {host} taps <b>Start</b> when everyone is in.", host=host)
        if self.to_host or not (few or self.invites_host):
            return says
        here = w.say("our private chat")
        chat = f'<a href="{start_link(self.bot)}">{here}</a>' if self.bot else here
        where = w.say("⚙️ {host}, rules and computer players are in {chat}.", host=host, chat=chat)
        return f"{says}\n{where}"

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
        by_text = plain_lines(self.text_invitation(page.w))
        fields = self._fields(page, started=False, by_text=by_text, options=self._options(page.w))
        fields["engines"] = list(self.engines)
        return "lobby", fields

    @property
    def keyed_at(self) -> tuple[int | None, int | None]:
        return self.view.table, None

    def _options(self, w: Catalogue) -> list[c.OptionField]:
        """Return the host's choices: the presets, the twists, and every single option."""
        tables, twists = self.tables(w), self.twists(w)
        return [
            _whole("quick_table", w.context_say("lobby", "Table"), "one", tables),
            _whole("house", w.say("Other rules"), "one", tables),
            _whole("twist", w.say("Twists"), "several", twists),
            *(_single(each, self.view, self.nearest) for each in options_at(self.view, w)),
        ]


class StartedNotice(LobbyMessage, ExtendedNotice):
    """The lobby's message once the game has begun."""

    kind: Literal["started"] = "started"
    view: LobbyView
    house_rules: tuple[HouseRules, ...] = ()
    ghost: str = ""
    """As in `LobbyNotice`."""

    def in_chat(self, f: Format) -> str:
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
    card_slot = "over"
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
        return "closed", {"why": self.why.value, "by": self.by}


def _players(view: LobbyView, w: Catalogue) -> list[str]:
    lines = []
    for number, seat in enumerate(view.seats, start=1):
        computer = [] if seat.computer is None else [f"<i>({computer_label(seat.computer, w)})</i>"]
        marks = computer + ["👑"] * (seat.player == view.host) + ["🙋"] * (seat.player in view.ready)
        lines.append(" ".join([f"{number}.", faced(seat, name_of(seat)) + seat_mark(seat), *marks]))
    return lines


def _described(choice: Choice, w: Catalogue) -> str:
    """Return a choice with its description."""
    return "• " + w.say("{option}: {value}", option=f"<b>{escape(choice.label)}</b>", value=escape(choice.about))


def _rules(view: LobbyView, houses: Sequence[HouseRules], w: Catalogue) -> list[str]:
    book = rules_title(view.rules, houses, w, twist=twist_of(view.rules, view.options))
    chosen = [(option, option.value_in(view.options)) for option in LOBBY_OPTIONS.values()]
    options = [
        f"{option.sign} {w.say(option.explained[value])}"
        for option, value in chosen
        if value != option.usual and value in option.explained
    ]
    return [f"📖 {escape(book)}", f"⏱ {clock_line(view.clock, w)}", *options]


def _option_line(option: SingleOption, view: LobbyView, nearest: TableRules, w: Catalogue) -> str:
    """Return an option with its value; one that was changed stands out."""
    value = option.value_at(view)
    said = escape(w.say("{option}: {value}", option=option.title, value=option.values.get(value, value)))
    return f"• <b>{said}</b>" if option.is_changed(view, nearest) else f"• {said}"


def _whole(option: str, title: str, kind: Literal["one", "several"], choices: Iterable[Choice]) -> c.OptionField:
    shown: list[c.ChoiceField] = [
        {"value": each.value, "text": each.label, "about": each.about, "on": each.is_on}
        for each in choices
        if each.option == option
    ]
    return {"option": option, "title": title, "kind": kind, "choices": shown}


def _single(option: SingleOption, view: LobbyView, nearest: TableRules) -> c.OptionField:
    value = option.value_at(view)
    choices: list[c.ChoiceField] = [
        {"value": key, "text": text, "on": key == value} for key, text in option.values.items()
    ]
    return {
        "option": option.name,
        "title": option.title,
        "kind": "switch" if option.off else "single",
        "choices": choices,
        "on": bool(option.off) and value != option.off,
        "about": option.about,
        "changed": option.is_changed(view, nearest),
    }
