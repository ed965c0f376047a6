"""A game aloud: the sentences of the messages without their signs, dice and bids as words.

A listener cannot look back: first the action that the player must take, then the facts for it.
"""

from collections.abc import Iterable
from typing import Final

from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import BidView, HandView, TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat import game_words as written
from telegram_bot.words.dice import face_words
from telegram_bot.words.lines import Format
from telegram_bot.words.results import changed_lines, ending_lines, names_at, next_lines, out_lines
from telegram_bot.words.tip_words import tip_text
from telegram_bot.words.turns import next_line, what_now, whose_turn

MOST_BIDS: Final = 4
"""The maximum number of bids that are repeated to a player whose turn it is: the last ones."""
MOST_HANDS: Final = 6
"""With more players a listener cannot follow the hands."""


# Dice and bids


def _dice(faces: Iterable[int], w: Catalogue) -> str:
    """Dice by their faces, in order from the highest face: "2 fives, one four and 2 aces"."""
    faces = list(faces)
    groups = [face_words(faces.count(face), face, w).spoken for face in sorted(set(faces), reverse=True)]
    return w.listed(groups)


# A reveal


def reveal(view: RevealView, f: Format) -> list[str]:
    """Return the end of a round."""
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


def hand(hand: HandView, tip: Tip | None, f: Format) -> list[str]:
    """Return the facts for a decision, the newest first, then the dice."""
    view, w = hand.table, f.w
    explained = [text] if (text := tip_text(tip, hand, f)) else []
    dice, now = w.say("Your dice: {dice}", dice=_dice(hand.dice, w)), what_now(hand, f)
    if not view.bids:
        in_play = [] if view.total_dice is None else [w.count("{n} die in play", "{n} dice in play", view.total_dice)]
        opened = [w.say("Round {number}", number=str(view.round)), *in_play, *written.announced_lines(view, f)]
        return [*opened, dice, now, *next_line(view, f, hand.seat), *explained]
    heard = _bids(view, hand.seat, f)
    return [*written.shown_lines(view, f), *([*heard, now, dice] if hand.on_turn else [dice, *heard, now]), *explained]


def _bids(view: TableView, reader: int | None, f: Format) -> list[str]:
    """Return the bids since the reader's own, or the last ones."""
    since = max((at for at, bid in enumerate(view.bids) if bid.seat == reader), default=-1)
    own_stands = since == len(view.bids) - 1
    return [_bid(view, bid, f) for bid in view.bids[since if own_stands else since + 1 :][-MOST_BIDS:]]


def _bid(view: TableView, bid: BidView, f: Format) -> str:
    return f.w.say("{name} says {bid}.", name=names_at(view, f)[bid.seat], bid=f.bid(bid.quantity, bid.face))


def table(view: TableView, f: Format) -> list[str]:
    """Return the state of a game."""
    counts = [
        f.w.count("{name} has one die.", "{name} has {n} dice.", seat.dice, name=name)
        for seat, name in zip(view.seats, names_at(view, f), strict=True)
        if seat.dice and not seat.out
    ]
    return [
        f.w.say("Round {number}", number=str(view.round)),
        *counts,
        *written.announced_lines(view, f),
        *_bids(view, None, f),
        whose_turn(view, f),
        *next_line(view, f),
    ]


def table_news(view: TableView, f: Format) -> list[str]:
    """Return the last bid, or the new round, and whose turn it is."""
    if view.standing is None:
        opened = [f.w.say("Round {number}", number=str(view.round)), *written.announced_lines(view, f)]
        return [*opened, whose_turn(view, f), *next_line(view, f)]
    return [_bid(view, view.bids[-1], f), *written.shown_lines(view, f), whose_turn(view, f)]


def hand_news(hand: HandView, f: Format) -> list[str]:
    """Return the dice, and whether it is the player's turn."""
    turn = [whose_turn(hand.table, f, hand.seat)] if hand.on_turn else []
    return [f.w.say("Your dice: {dice}", dice=_dice(hand.dice, f.w)), *turn]
