"""Turn notices into cards: structured data for web pages, with sentences in the reader's language.

See PROTOCOL.md.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import unescape
from typing import Any, Final, Literal, TypeAlias, cast

from perudo_core.stirs import SIGNS
from telegram_bot import notices as n
from telegram_bot.notices import PUBLIC, LobbyNotice, Notice, StartedNotice
from telegram_bot.notices import card_types as c
from telegram_bot.presentation.features import EXTENSIONS, PRESENTATIONS, FeatureCard
from telegram_bot.service.requests import act_of
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.house_rules import QuickChoice
from telegram_bot.tables.lobby_options import LOBBY_OPTIONS, LobbyOption
from telegram_bot.tables.lobby_rules import CLOCK_CHOICES, option_values
from telegram_bot.tables.model import ComputerPlayer, TableRules, TurnClock
from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.sealed_dice import StirView
from telegram_bot.tables.views import BidView, SeatView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import palifico_lines, reaction_line
from telegram_bot.words.chat.lobby_words import OPTIONS_OF, options_on, text_invitation
from telegram_bot.words.chat.render import message_html
from telegram_bot.words.house_rule_words import house_title, quick_choice_of, quick_label, rules_title
from telegram_bot.words.lines import Format, Line, Medium, plain
from telegram_bot.words.messages import paused_lines
from telegram_bot.words.notice_lines import added_lines
from telegram_bot.words.phrases import clock_label, plain_name
from telegram_bot.words.results import changed_lines, ending_lines, out_lines, verdict
from telegram_bot.words.rules import option_label, option_value_label, rules_text
from telegram_bot.words.speech_words import news_text
from telegram_bot.words.tip_words import tip_text

Card: TypeAlias = dict[str, Any]
"""A card as it is stored and sent."""
_TAG: Final = re.compile(r"<[^>]*>")

SLOTS: Final[Mapping[type, str]] = {
    n.LobbyNotice: "table",
    n.StartedNotice: "table",
    n.TableNotice: "table",
    n.CallNotice: "end",
    n.RevealNotice: "end",
    n.GameOverNotice: "over",
    n.ClosedNotice: "over",
    n.PausedNotice: "news",
    n.ResumedNotice: "news",
    n.HostNotice: "news",
    n.HandNotice: "hand",
    n.ConfirmNotice: "question",
    n.GuestNotice: "door",
    n.ReminderNotice: "note",
    n.AwayNotice: "note",
    n.ConfirmationNotice: "note",
    n.RejectionNotice: "note",
}
"""The place on the page for each notice of the base game; pages do not show other notices."""


def slot_of(notice: Notice) -> str | None:
    """Return the notice's place on the page, or None if pages do not show it."""
    card = _feature_card(notice)
    return SLOTS.get(type(notice)) if card is None else card.slot


def _feature_card(notice: Notice) -> FeatureCard | None:
    presentation = PRESENTATIONS.get(type(notice))
    return None if presentation is None else presentation.card


def may_enter(notice: Notice, address: int) -> bool:
    """Return True if a lane accepts the notice. A room, whose address is below zero, accepts only what all may read."""
    return address > 0 or isinstance(notice, PUBLIC)


def card_of(notice: Notice, address: int, table: int | None, w: Catalogue) -> Card:
    """Return a notice's card for a lane."""
    card = _feature_card(notice)
    kind, fields = FIELDS.get(type(notice), toast)(notice, w) if card is None else (card.slot, card.fields(notice, w))
    return {
        "card": kind,
        "slot": slot_of(notice),
        "lane": "public" if address < 0 else "private",
        "table": table or None,
        "text": news_text(notice, w),
        **fields,
        **(_added_fields(notice, w) if isinstance(notice, n.ExtendedNotice) else {}),
    }


# Parts


def _seat(seat: SeatView) -> c.SeatField:
    return {
        "player": seat.player,
        "name": plain_name(seat.name),
        "face": None if seat.face is None else seat.face.sign,
        "colour": seat.colour,
        "dice": seat.dice,
        "out": seat.out,
        "place": seat.place,
        "away": seat.away,
        "by_text": seat.by_text,
        "guest": seat.guest,
        "computer": None if seat.computer is None else _computer(seat.computer),
    }


def _computer(computer: ComputerPlayer) -> c.ComputerField:
    return {"level": computer.level.value, "character": computer.character.value}


def _seats(seats: Sequence[SeatView]) -> list[c.SeatField]:
    return [_seat(seat) for seat in seats]


def _bid(bid: BidView) -> c.BidField:
    return {"seat": bid.seat, "quantity": bid.quantity, "face": bid.face}


def _bids(bids: Sequence[BidView]) -> list[c.BidField]:
    return [_bid(bid) for bid in bids]


def _stirs(stirs: Sequence[StirView]) -> list[c.StirField]:
    return [{"name": plain_name(stir.name), "what": stir.what} for stir in stirs]


def lines_of(notice: Notice, w: Catalogue) -> list[str]:
    """Return the chat's message as lines of plain text."""
    return _plain((message_html(notice, w) or "").split("\n"))


def _plain(lines: Iterable[str]) -> list[str]:
    return [line for line in (unescape(_TAG.sub("", each)).strip() for each in lines) if line]


def _added_acts(notice: Notice, w: Catalogue) -> list[c.ActField]:
    keys = (key for each in EXTENSIONS.get(type(notice), ()) if each.acts for key in each.acts(notice, w))
    return [cast("c.ActField", {**act_of(key.request), "text": key.text}) for key in keys if key.request is not None]


def _added_fields(notice: n.ExtendedNotice, w: Catalogue) -> dict[str, Any]:
    """Return the fields of the parts that features have added to a notice."""
    cards = ((_feature_card(part), part) for part in notice.parts)
    return {name: value for card, part in cards if card is not None for name, value in card.fields(part, w).items()}


# Cards of a lobby


def _lobby(notice: LobbyNotice | StartedNotice, w: Catalogue) -> tuple[Literal["lobby"], c.LobbyFields]:
    view = notice.view
    return "lobby", {
        "code": view.code,
        "host": view.host,
        "started": isinstance(notice, StartedNotice),
        "seats": _seats(view.seats),
        "min_seats": view.min_seats,
        "max_seats": view.max_seats,
        "ready": list(view.ready),
        "awaits_host": view.awaits_host,
        "clock": {"seconds": view.clock.seconds},
        "note": plain(added_lines(notice, Format(w, Medium.ALERT))),
        "by_text": _plain(text_invitation(notice, w)) if isinstance(notice, LobbyNotice) else [],
        "rules": {
            "preset": view.rules.book,
            "title": rules_title(view.rules, notice.house_rules, w),
            "lines": rules_text(view.rules, w),
        },
        "options": [] if isinstance(notice, StartedNotice) else _options(notice, w),
        "acts": _added_acts(notice, w),
        "sealed": view.commitment,
        "stirs": _stirs(view.stirs),
        "signs": list(SIGNS),
    }


def _options(notice: LobbyNotice, w: Catalogue) -> list[c.OptionField]:
    """Return the host's choices: whole tables, the clock, other options, and each rule that can change the game."""
    view = notice.view
    house = next((house.key for house in notice.house_rules if house.rules == view.rules), None)
    quick = quick_choice_of(view.rules, view.clock, notice.house_rules, notice.usual_clock)
    houses = {house.key: house_title(house, w) for house in notice.house_rules}
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


def _lobby_option(option: LobbyOption, options: Mapping[str, str], w: Catalogue) -> c.OptionField:
    title, value = w.say(option.title), option.value_in(options)
    if option.is_switch:
        return {"option": option.name, "title": title, "value": value != option.usual, "choices": []}
    return _option(option.name, title, value, {each: w.say(label) for each, label in option.values.items()})


def _option(option: str, title: str, value: str | None, choices: Mapping[str, str]) -> c.OptionField:
    shown: list[c.ChoiceField] = [{"value": key, "text": text} for key, text in choices.items()]
    return {"option": option, "title": title, "value": value, "choices": shown}


def _rule(name: str, rules: TableRules, w: Catalogue) -> c.OptionField:
    values = {_written(value): option_value_label(name, value, w) for value in option_values(rules, name)}
    return {**_option(name, option_label(name, w), _written(getattr(rules, name)), values), "rule": True}


def _written(value: object) -> str:
    """Return an option's value as rulebook files write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


# Cards of a game


def _round(notice: n.TableNotice, w: Catalogue) -> tuple[Literal["round"], c.RoundFields]:
    view = notice.view
    return "round", {
        "step": view.step,
        "round": view.round,
        "seats": _seats(view.seats),
        "turn": view.turn,
        "opener": view.opener,
        "bids": _bids(view.bids),
        "palifico": " ".join(_plain(palifico_lines(view, Format(w, Medium.CHAT)))),
        "ones_wild": view.ones_wild,
        "total_dice": view.total_dice,
        "clock_ends": view.clock_ends,
        "paused": " ".join(_plain(line.text for line in _why_paused(w))) if view.paused else "",
        "dudo": list(view.dudo_seats),
        "calza": list(view.calza_seats),
        "raises": [list(bid) for bid in view.raises],
        "start": next(map(list, offered_bids(view)), None),
        "acts": _added_acts(notice, w),
    }


def _why_paused(w: Catalogue) -> list[Line]:
    return paused_lines(n.PausedNotice(table=0), Format(w, Medium.ALERT))


def _call(notice: n.CallNotice, _w: Catalogue) -> tuple[Literal["call"], c.CallFields]:
    return "call", {
        "round": notice.round.round,
        "call": notice.call,
        "caller": notice.caller,
        "bid": _bid(notice.bid),
        "bids": _bids(notice.round.bids),
        "seats": _seats(notice.round.seats),
    }


def _reveal(notice: n.RevealNotice, w: Catalogue) -> tuple[Literal["reveal"], c.RevealFields]:
    view, f = notice.view, Format(w, Medium.ALERT)
    ended = [] if view.bid is not None else ending_lines(view, f)
    # That a player is out takes the place of the dice that they lose.
    newest = {line.seat: line for line in (*changed_lines(view, f), *out_lines(view, f))}
    return "reveal", {
        "round": view.round,
        "call": view.call,
        "caller": view.caller,
        "bid": None if view.bid is None else _bid(view.bid),
        "count": view.count,
        "ones_wild": view.ones_wild,
        "dice": [list(hand) for hand in view.dice],
        "changes": [{"seat": change.seat, "dice": change.dice} for change in view.changes],
        "out": list(view.out),
        "lines": [{"seat": line.seat, "text": line.text} for line in (*ended, *newest.values())],
        "verdict": verdict(view, f),
        "next_opener": view.next_opener,
        "next_palifico": view.next_palifico,
        "timed_out": view.timed_out,
        "seats": _seats(view.seats),
        "bids": _bids(view.bids),
        "reaction": "" if view.reaction is None else unescape(_TAG.sub("", reaction_line(view, view.reaction, w))),
    }


def _over(notice: n.GameOverNotice, w: Catalogue) -> tuple[Literal["over"], c.OverFields]:
    view = notice.view
    return "over", {
        "winner": view.winner,
        "winner_name": next((plain_name(seat.name) for seat in view.seats if seat.place == 1), ""),
        "rounds": view.rounds,
        "going_on": view.going_on > 0,
        "seats": _seats(view.seats),
        "acts": _added_acts(notice, w),
    }


def _closed(notice: n.ClosedNotice, _w: Catalogue) -> tuple[Literal["closed"], c.ClosedFields]:
    return "closed", {"why": notice.why.value, "by": notice.by}


def _news(
    notice: n.PausedNotice | n.ResumedNotice | n.HostNotice, _w: Catalogue
) -> tuple[Literal["news"], c.NewsFields]:
    return "news", {"about": notice.kind}


# Private cards


def _hand(notice: n.HandNotice, w: Catalogue) -> tuple[Literal["hand"], c.HandFields]:
    hand, table = notice.view, notice.view.table
    return "hand", {
        "step": table.step,
        "round": table.round,
        "deal": notice.deal,
        "seat": hand.seat,
        "dice": list(hand.dice),
        "on_turn": hand.on_turn,
        "may_dudo": hand.may_dudo,
        "may_calza": hand.may_calza,
        "raises": [list(bid) for bid in table.raises] if hand.on_turn else [],
        "start": next(map(list, offered_bids(table, hand.dice)), None) if hand.on_turn else None,
        "tip_shows_dice": notice.tip is not None and notice.tip.shows_dice,
        "tip": tip_text(notice, Format(w.with_dice(DiceStyle.WORDS), Medium.ALERT)),
    }


def _reminder(notice: n.ReminderNotice, _w: Catalogue) -> tuple[Literal["reminder"], c.ReminderFields]:
    return "reminder", {"clock_ends": notice.clock_ends}


def _question(notice: n.ConfirmNotice, w: Catalogue) -> tuple[Literal["question"], c.QuestionFields]:
    return "question", {"about": notice.about, "text": news_text(notice.model_copy(update={"title": ""}), w)}


def _door(notice: n.GuestNotice, _w: Catalogue) -> tuple[Literal["knock", "admitted", "refused"], c.DoorFields]:
    return notice.what, {"player": notice.player, "name": plain_name(notice.name)}


def toast(notice: Notice, _w: Catalogue) -> tuple[Literal["away", "toast"], c.NoFields]:
    """Return the card of a notice that pages show as a sentence."""
    return ("away" if isinstance(notice, n.AwayNotice) else "toast"), {}


FIELDS: Final[Mapping[type, Callable[[Any, Catalogue], tuple[str, c.Fields]]]] = {
    LobbyNotice: _lobby,
    StartedNotice: _lobby,
    n.TableNotice: _round,
    n.CallNotice: _call,
    n.RevealNotice: _reveal,
    n.GameOverNotice: _over,
    n.ClosedNotice: _closed,
    n.PausedNotice: _news,
    n.ResumedNotice: _news,
    n.HostNotice: _news,
    n.HandNotice: _hand,
    n.ReminderNotice: _reminder,
    n.ConfirmNotice: _question,
    n.GuestNotice: _door,
}
"""The fields of each card of the base game; a notice that is not here is a `toast`."""
