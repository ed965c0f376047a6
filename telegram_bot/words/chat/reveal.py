"""The end of a round or a game: everybody's dice, the count, who lost what, who opens next."""

from __future__ import annotations

from html import escape

from telegram_bot.service.notices import GameOverNotice, RevealNotice
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.views import BidView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure, die
from telegram_bot.words.phrases import folded, name_of

MEDALS = ("🥇", "🥈", "🥉")
BIDS_SHOWN = 24
"""The most bids that a message shows, the newest ones: everybody's dice must fit into the message too."""


def reveal_text(notice: RevealNotice, w: Catalogue) -> str:
    """Everybody's dice with the matching ones marked, the count, and what follows."""
    view = notice.view
    lines = ["🎲 <b>" + w.say("Round {number}", number=view.round) + "</b>", _bids(view, w), *_call(view, w)]
    if view.bid is not None:
        lines += ["", *_dice(view, w), "", _count(view, w)]
    lines += _consequences(view, w)
    lines += _next(view, w)
    return "\n".join(line for line in lines if line is not None)


def picture_labels(w: Catalogue) -> tuple[str, str]:
    """The words in the picture of a round's end: over the bid, and over what was counted."""
    return w.say("Bid"), w.say("Counted")


def _bids(view: RevealView, w: Catalogue) -> str:
    shown = " → ".join(f"{name_of(view.seats[bid.seat])} {_figure(view, bid, w)}" for bid in view.bids[-BIDS_SHOWN:])
    return ("… → " if len(view.bids) > BIDS_SHOWN else "") + shown


def _figure(view: RevealView, bid: BidView, w: Catalogue) -> str:
    return bid_figure(bid.quantity, bid.face, w, view.wild_by)


def _call(view: RevealView, w: Catalogue) -> list[str]:
    if view.caller is None:
        return []
    caller = name_of(view.seats[view.caller])
    bidder = name_of(view.seats[view.bid.seat]) if view.bid is not None else ""
    figure = _figure(view, view.bid, w) if view.bid is not None else ""
    match view.call:
        case "dudo":
            return [
                w.say(
                    "🗣 <b>Dudo!</b> {name} doubts {bidder}'s {bid}.", name=caller, bidder=bidder, bid=f"<b>{figure}</b>"
                )
            ]
        case "calza":
            return [
                w.say(
                    "🎯 <b>Calza!</b> {name} says that {bidder}'s {bid} is exact.",
                    name=caller,
                    bidder=bidder,
                    bid=f"<b>{figure}</b>",
                )
            ]
        case "forfeit":
            return [w.say("⌛ {name} ran out of time.", name=caller)]
        case "leave" if view.timed_out:
            return [w.say("⌛ {name} missed too many turns and is out. The others roll again.", name=caller)]
        case _:
            return [w.say("🚪 {name} left the game. The others roll again.", name=caller)]


def _dice(view: RevealView, w: Catalogue) -> list[str]:
    lines = []
    for index, hand in enumerate(view.dice):
        if not hand:
            continue
        matching = [face for face in hand if view.counts(face)]
        others = sorted(face for face in hand if not view.counts(face))
        counting = (f"[{die(face, w, view.wild_by)}]" for face in sorted(matching, reverse=True))
        shown = " ".join([*counting, *(die(face, w, view.wild_by) for face in others)])
        lines.append(f"{name_of(view.seats[index])}: {shown}" + (f" → <b>{len(matching)}</b>" if matching else ""))
    return lines


def _count(view: RevealView, w: Catalogue) -> str:
    if view.bid is None or view.count is None:
        return ""
    values = {"count": f"<b>{view.count}</b>", "bid": _figure(view, view.bid, w)}
    exact = view.count == view.bid.quantity
    if view.call == "calza":
        if exact:
            return w.say("Counted {count}, bid {bid}: exactly right!", **values)
        return w.say("Counted {count}, bid {bid}: not exact.", **values)
    if exact:
        return w.say("Counted {count}, bid {bid}: exactly enough, the bid holds.", **values)
    if view.count > view.bid.quantity:
        return w.say("Counted {count}, bid {bid}: the bid holds.", **values)
    return w.say("Counted {count}, bid {bid}: the bid fails.", **values)


def _consequences(view: RevealView, w: Catalogue) -> list[str]:
    lines = []
    for change in view.changes:
        name = name_of(view.seats[change.seat])
        if change.dice < 0:
            lines.append(
                w.count("💥 <b>{name}</b> loses a die.", "💥 <b>{name}</b> loses {n} dice.", -change.dice, name=name)
            )
        else:
            lines.append(
                w.count(
                    "🎁 <b>{name}</b> wins a die back.", "🎁 <b>{name}</b> wins {n} dice back.", change.dice, name=name
                )
            )
    if view.call == "calza" and not view.changes and view.caller is not None:
        lines.append(w.say("🎯 <b>{name}</b> has no lost die to win back.", name=name_of(view.seats[view.caller])))
    lines += [
        w.say("☠️ <b>{name}</b> is out.", name=name_of(view.seats[seat])) for seat in view.out if view.call != "leave"
    ]
    return lines


def _next(view: RevealView, w: Catalogue) -> list[str]:
    if view.next_opener is None:
        return []
    name = name_of(view.seats[view.next_opener])
    if view.next_palifico:
        return [w.say("🔒 {name} is down to one die and opens a <b>palifico</b> round.", name=name)]
    return [w.say("➡️ {name} opens the next round.", name=name)]


def recap(view: RevealView, w: Catalogue) -> list[str]:
    """The last round in a line or two, for the top of the next one."""
    if view.bid is None:
        return [*_call(view, w), *_consequences(view, w)]
    return [_count(view, w) + " " + " ".join(_consequences(view, w))]


def game_over_text(notice: GameOverNotice, w: Catalogue) -> str:
    """The winner and the places."""
    view = notice.view
    winner = next(seat for seat in view.seats if seat.place == 1)
    lines = ["🏆 <b>" + w.say("{name} wins!", name=name_of(winner)) + "</b>", ""]
    for seat in view.seats:
        place = seat.place or len(view.seats)
        mark = MEDALS[place - 1] if place <= len(MEDALS) else f"{place}."
        lines.append(f"{mark} {name_of(seat)}")
    lines += ["", w.count("One round. Again?", "{n} rounds. Again?", view.rounds)]
    if view.secret is not None:
        opened = w.say("The seal is open. Tap <b>Check the dice</b> to see that nobody chose them.")
        lines.append(folded("🔐 " + w.say("dice sealed · how?"), opened, _opened(view, w)))
    return "\n".join(lines)


def _opened(view: GameOverView, w: Catalogue) -> str:
    secret = w.say("Secret: {secret}", secret=f"<code>{view.secret}</code>")
    words = w.say("Words: {words}", words=f"<code>{escape(view.salt)}</code>")
    return f"{secret}\n{words}"
