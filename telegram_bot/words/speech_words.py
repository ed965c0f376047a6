"""Read notices aloud: the sentences of the messages without their signs, dice and bids as words.

A listener cannot look back: first the action that the player must take, then the facts for it.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

from babel.lists import format_list

from perudo_core import Bid, parse_call
from telegram_bot import notices as n
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import BidView, TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat import game_words as written
from telegram_bot.words.chat.render import message_html, toast_text
from telegram_bot.words.dice import call_label, face_words
from telegram_bot.words.lines import Format, Medium, spoken
from telegram_bot.words.notice_lines import LINES
from telegram_bot.words.reply_words import calza_explained
from telegram_bot.words.results import call_line, changed_lines, ending_lines, names_at, next_lines, out_lines
from telegram_bot.words.tip_words import tip_text

MOST_BIDS: Final = 4
"""The maximum number of bids that are repeated to a player on turn: the last ones."""
MOST_HANDS: Final = 6
"""With more players a listener cannot follow the hands."""


def spoken_text(notice: n.Notice, w: Catalogue) -> str:
    """Return a notice in spoken form, as plain text."""
    return " ".join(spoken(texts_to_say(notice, w.with_dice(DiceStyle.WORDS))))


def texts_to_say(notice: n.Notice, w: Catalogue) -> Iterable[str]:
    """Return the lines of a notice that is said, or shown on a web page."""
    f = Format(w, Medium.SPEECH)
    if type(notice) in _OWN_TEXTS:
        return _OWN_TEXTS[type(notice)](notice, f)
    if type(notice) in LINES:
        return [line.text for line in LINES[type(notice)](notice, f)]
    return (message_html(notice, w) or "").split("\n")


def _heard(notice: n.HeardNotice, f: Format) -> list[str]:
    """Return the recognised call; a listener can answer in the same way."""
    w, said = f.w, parse_call(notice.guesses[0], 0)
    call = f.bid(said.quantity, said.face) if isinstance(said, Bid) else call_label(notice.guesses[0], w, None)
    if notice.answered or not notice.private:
        return [w.say("{name} says {bid}.", name=f.name(notice.name, 1), bid=call)]
    explained = [line.text for line in calza_explained(notice.explained, notice.wild_by, f)]
    return [
        w.say("I heard {call}.", call=call),
        *explained,
        w.say('Say "that is right", and it counts. If not, say it again.'),
    ]


# Dice and bids


def _dice(faces: Iterable[int], w: Catalogue) -> str:
    """Dice by their faces, in order from the highest face: "2 fives, one four and 2 aces"."""
    faces = list(faces)
    groups = [face_words(faces.count(face), face, w).spoken for face in sorted(set(faces), reverse=True)]
    return format_list(groups, locale=w.language.replace("-", "_"))


# A reveal


def _reveal(view: RevealView, f: Format) -> list[str]:
    return [
        *(line.text for line in ending_lines(view, f)),
        *_hands(view, f),
        _count(view, f.w),
        *(line.text for line in (*changed_lines(view, f), *out_lines(view, f), *next_lines(view, f))),
    ]


def _hands(view: RevealView, f: Format) -> list[str]:
    """Return the players with dice that counted."""
    counting = {seat: [face for face in hand if view.counts(face)] for seat, hand in enumerate(view.dice)}
    if len([hand for hand in view.dice if hand]) > MOST_HANDS:
        return []
    names = names_at(view, f)
    return [
        f.w.say("{name} has {dice}.", name=names[seat], dice=_dice(faces, f.w))
        for seat, faces in counting.items()
        if faces
    ]


def _count(view: RevealView, w: Catalogue) -> str:
    if view.bid is None or view.count is None:
        return ""
    count, missing = view.count, view.bid.quantity - view.count
    if view.call == "calza":
        if missing == 0:
            return w.count(
                "There's exactly one. The calza is right!", "There are exactly {n}. The calza is right!", count
            )
        if count == 0:
            return w.say("There's none. The calza is wrong.")
        return w.count("There's one. The calza is wrong.", "There are {n}. The calza is wrong.", count)
    if missing == 0:
        return w.count("There's exactly one. The bid holds.", "There are exactly {n}. The bid holds.", count)
    if missing < 0:
        return w.count("There's one. The bid holds.", "There are {n}. The bid holds.", count)
    if count == 0:
        return w.say("There's none. The bid fails.")
    return w.count("There's only one. The bid fails.", "There are only {n}. The bid fails.", count)


# A hand, a table


def _hand(notice: n.HandNotice, f: Format) -> list[str]:
    hand, view, w = notice.view, notice.view.table, f.w
    lines: list[str] = []
    tip = [text] if (text := tip_text(notice, f)) else []
    dice = w.say("Your dice: {dice}", dice=_dice(hand.dice, w))
    if not view.bids:
        in_play = [] if view.total_dice is None else [w.count("{n} die in play", "{n} dice in play", view.total_dice)]
        lines += [w.say("Round {number}", number=str(view.round)), *in_play, *written.palifico_lines(view, f), dice]
        if not hand.on_turn:
            return [*lines, *_whose_turn(view, f), *tip]
        return [*lines, w.say("You open. Make a bid."), *tip]
    if not hand.on_turn:
        return [*lines, dice, *_bids(view, hand.seat, f), *_whose_turn(view, f), *tip]
    if not hand.may_dudo:
        now = w.say("It's your turn.")
    elif view.raises:
        now = w.say("👉 Your turn. Raise, or say <b>dudo</b>.")
    else:
        now = w.say("👉 Your turn. No bid is higher: say <b>dudo</b>.")
    return [*lines, *_bids(view, hand.seat, f), now, dice, *tip]


def _bids(view: TableView, reader: int | None, f: Format) -> list[str]:
    """Return the bids since the reader's own, or the last ones."""
    since = max((at for at, bid in enumerate(view.bids) if bid.seat == reader), default=-1)
    own_stands = since == len(view.bids) - 1
    return [_bid(view, bid, f) for bid in view.bids[since if own_stands else since + 1 :][-MOST_BIDS:]]


def _bid(view: TableView, bid: BidView, f: Format) -> str:
    return f.w.say("{name} says {bid}.", name=names_at(view, f)[bid.seat], bid=f.bid(bid.quantity, bid.face))


def _whose_turn(view: TableView, f: Format) -> list[str]:
    return [] if view.turn is None else [f.w.say("It's {name}'s turn.", name=names_at(view, f)[view.turn])]


def _table(view: TableView, f: Format) -> list[str]:
    """Return the state of a game."""
    counts = [
        f.w.count("{name} has one die.", "{name} has {n} dice.", seat.dice, name=name)
        for seat, name in zip(view.seats, names_at(view, f), strict=True)
        if seat.dice and not seat.out
    ]
    return [
        f.w.say("Round {number}", number=str(view.round)),
        *counts,
        *written.palifico_lines(view, f),
        *_bids(view, None, f),
        *_whose_turn(view, f),
    ]


def _game_over(notice: n.GameOverNotice, f: Format) -> list[str]:
    lines = [] if notice.previous is None else _reveal(notice.previous, f)
    return [*lines, *(line.text for line in written.over_lines(notice, f))]


_OWN_TEXTS: Final[dict[type, Callable[[Any, Format], Iterable[str]]]] = {
    n.HandNotice: _hand,
    n.RevealNotice: lambda notice, f: _reveal(notice.view, f),
    n.GameOverNotice: _game_over,
    n.TableNotice: lambda notice, f: _table(notice.view, f),
    n.HeardNotice: _heard,
    n.DiceNotice: lambda notice, f: toast_text(notice, f.w).split("\n"),
}
"""The lines of each notice that is read aloud."""


def news_text(notice: n.Notice, w: Catalogue) -> str:
    """Return the news in a notice, for the screen reader of a person who follows the table; "" without news."""
    w = w.with_dice(DiceStyle.WORDS)
    f = Format(w, Medium.SPEECH)
    match notice:
        case n.TableNotice(view=view) if view.standing is None:
            opened = [w.say("Round {number}", number=str(view.round)), *written.palifico_lines(view, f)]
            lines = [*opened, *_whose_turn(view, f)]
        case n.TableNotice(view=view):
            lines = [_bid(view, view.bids[-1], f), *_whose_turn(view, f)]
        case n.HandNotice(view=hand):
            lines = [w.say("Your dice: {dice}", dice=_dice(hand.dice, w))]
            lines += [w.say("It's your turn.")] if hand.on_turn else []
        case n.CallNotice(bid=bid, caller=caller, round=called):
            lines = [call_line(notice.call, caller, bid, called, f).text]
        case n.LobbyNotice() | n.StartedNotice():
            lines = []
        case _:
            lines = list(texts_to_say(notice, w))
    return " ".join(spoken(lines))
