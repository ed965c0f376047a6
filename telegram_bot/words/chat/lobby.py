"""The lobby's message, and the last message of a table that was closed."""

from __future__ import annotations

from enum import StrEnum
from html import escape

from telegram_bot.service.notices import ClosedNotice, LobbyNotice, StartedNotice
from telegram_bot.tables.events import CloseReason
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import HOUR, clock_label, name_of, on_timeout_label, plain_name, seat_mark
from telegram_bot.words.rules import options_differing, preset_label


class LobbyPage(StrEnum):
    """The pages of a lobby's message."""

    MAIN = "main"
    RULEBOOK = "rulebook"
    OPTIONS = "options"
    CLOCK = "clock"
    KICK = "kick"


def page_of(notice: LobbyNotice) -> LobbyPage:
    """The page that a lobby's message shows; the first if this version does not know the stored one."""
    return LobbyPage(notice.page) if notice.page in set(LobbyPage) else LobbyPage.MAIN


def lobby_text(notice: LobbyNotice, w: Catalogue) -> str:
    """The players, the rules, and what to do next."""
    view = notice.view
    lines = ["🎲 <b>" + w.say("Perudo: who is in?") + "</b>", "", *_players(view), "", *_rules(view, w), ""]
    lines.append(_next_step(view, page_of(notice), w))
    lines += _by_text(notice, w)
    lines += _seal(
        view, w.say("The dice are sealed: this seal is opened after the game. Reply with a lucky word to stir them.")
    )
    return "\n".join(lines)


def _by_text(notice: LobbyNotice, w: Catalogue) -> list[str]:
    """How a friend takes a seat by text message, and which rules suit players who text."""
    view = notice.view
    lines = []
    if notice.numbers and len(view.seats) < view.max_seats:
        text = w.say(
            "📱 Or text <code>JOIN {code}</code> to {numbers}.",
            code=view.code,
            numbers=escape(", ".join(notice.numbers)),
        )
        lines.append(text)
    if any(seat.by_text for seat in view.seats) and 0 < view.clock.seconds < HOUR:
        lines.append(w.say("🐢 Somebody plays by text: a clock of some hours is kinder."))
    return lines


def _seal(view: LobbyView, why: str) -> list[str]:
    """The commitment to the game's dice, in a folded quotation."""
    if view.commitment is None:
        return []
    return [f"<blockquote expandable>🔐 {why}\n<code>{view.commitment}</code></blockquote>"]


def _players(view: LobbyView) -> list[str]:
    lines = []
    for number, (seat, word) in enumerate(zip(view.seats, view.words, strict=True), start=1):
        marks = ["👑"] * (seat.player == view.host) + ["🍀", escape(word)] * bool(word)
        lines.append(" ".join([f"{number}.", name_of(seat) + seat_mark(seat), *marks]))
    return lines


def _rules(view: LobbyView, w: Catalogue) -> list[str]:
    book = " · ".join([preset_label(view.rules.preset, w), *options_differing(view.rules, w)])
    clock = clock_label(view.clock, w)
    if view.clock.seconds:
        clock = f"{clock}, {on_timeout_label(view.clock.on_timeout, w)}"
    return [f"📖 {escape(book)}", f"⏱ {clock}"]


def _next_step(view: LobbyView, page: LobbyPage, w: Catalogue) -> str:  # noqa: PLR0911 - one case per page
    host = escape(plain_name(next((seat.name for seat in view.seats if seat.player == view.host), "")))
    match page:
        case LobbyPage.RULEBOOK:
            return w.say("{host}, which rulebook shall we play by?", host=host)
        case LobbyPage.OPTIONS:
            return w.say("{host}, tap an option to change it.", host=host)
        case LobbyPage.CLOCK:
            return w.say("{host}, how long may a turn take?", host=host)
        case LobbyPage.KICK:
            return w.say("{host}, who should leave?", host=host)
        case LobbyPage.MAIN:
            pass
    if len(view.seats) < view.min_seats:
        return w.say("Tap <b>Join</b> to play. Up to {most} can sit here.", most=view.max_seats)
    if len(view.seats) >= view.max_seats:
        return w.say("The table is full. {host}, tap <b>Start</b>.", host=host)
    return w.say("Tap <b>Join</b> to play. {host} taps <b>Start</b> when everyone is in.", host=host)


def started_text(notice: StartedNotice, w: Catalogue) -> str:
    """The lobby's message while the game runs."""
    view = notice.view
    title = "🎲 <b>" + w.say("Perudo: the game is on!") + "</b>"
    seal = _seal(view, w.say("The dice are sealed: this seal is opened after the game."))
    return "\n".join([title, "", *_players(view), "", *_rules(view, w), *seal])


def closed_text(notice: ClosedNotice, w: Catalogue) -> str:
    """Why the table closed, and how to open another."""
    match notice.why:
        case CloseReason.STOPPED:
            why = w.say("🛑 The table was closed.")
        case CloseReason.IDLE:
            why = w.say("🌙 Nobody moved for a while, so the table closed.")
        case CloseReason.EMPTY | CloseReason.LOST_CHAT:
            why = w.say("🍃 Everyone left, so the table closed.")
    return why + "\n" + w.say("Send /perudo to open a new one.")
