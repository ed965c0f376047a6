"""The end of a round or a game: everybody's dice, the count, who lost what, who opens next."""

from __future__ import annotations

from telegram_bot.service.notices import (
    CalledRound,
    CallNotice,
    GameOverNotice,
    KnockedOutNotice,
    RevealNotice,
    RoundOverNotice,
    called_round,
)
from telegram_bot.tables.result_views import DiceChange, RevealView
from telegram_bot.tables.views import BidView, SeatView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.fair_dice import opened_seal
from telegram_bot.words.chat.statistics import after_the_game
from telegram_bot.words.dice import bid_figure, die
from telegram_bot.words.phrases import name_of, titled
from telegram_bot.words.reactions import reaction_line

MEDALS = ("🥇", "🥈", "🥉")
BIDS_SHOWN = 24
"""The most bids that a message shows, the newest ones: everybody's dice must fit into the message too."""


def reveal_text(notice: RevealNotice, w: Catalogue) -> str:
    """Everybody's dice with the matching ones marked, the count, and what follows."""
    view = notice.view
    lines = [*_said(called_round(view), w), *call_lines(view, w)]
    if view.bid is not None:
        lines += ["", *_dice(view, w), "", _count(view, w)]
    lines += consequences(view, w)
    lines += [] if view.reaction is None else [reaction_line(view, view.reaction, w)]
    lines += next_lines(view, w)
    return "\n".join(line for line in lines if line is not None)


def call_text(notice: CallNotice, w: Catalogue) -> str:
    """The call that ends a round, before anybody sees the dice."""
    bidder = notice.round.seats[notice.bid.seat]
    figure = bid_figure(notice.bid.quantity, notice.bid.face, w, notice.round.wild_by)
    called = _doubt_or_calza(notice.call, notice.round.seats[notice.caller], bidder, figure, w)
    return "\n".join([*_said(notice.round, w), called, "", "🥁 " + w.say("Cups up…")])


def round_over_text(notice: RoundOverNotice, w: Catalogue) -> str:
    """The bids of a round whose end is told below."""
    return "\n".join(_said(notice.round, w))


def _said(view: CalledRound, w: Catalogue) -> list[str]:
    """The number of the round and its bids."""
    shown = " → ".join(
        f"{name_of(view.seats[bid.seat])} {bid_figure(bid.quantity, bid.face, w, view.wild_by)}"
        for bid in view.bids[-BIDS_SHOWN:]
    )
    bids = ("… → " if len(view.bids) > BIDS_SHOWN else "") + shown
    return ["🎲 <b>" + w.say("Round {number}", number=view.round) + "</b>", bids]


def picture_labels(w: Catalogue) -> tuple[str, str]:
    """The words in the picture of a round's end: over the bid, and over what was counted."""
    return w.say("Bid"), w.say("Counted")


def _figure(view: RevealView, bid: BidView, w: Catalogue) -> str:
    return bid_figure(bid.quantity, bid.face, w, view.wild_by)


def call_lines(view: RevealView, w: Catalogue) -> list[str]:
    """How the round ended: the call, a missed turn, somebody who left."""
    if view.caller is None:
        return []
    caller = name_of(view.seats[view.caller])
    match view.call:
        case "dudo" | "calza" as call if view.bid is not None:
            bidder = view.seats[view.bid.seat]
            return [_doubt_or_calza(call, view.seats[view.caller], bidder, _figure(view, view.bid, w), w)]
        case "forfeit":
            return [w.say("⌛ {name} ran out of time.", name=caller)]
        case "leave" if view.timed_out:
            return [w.say("⌛ {name} missed too many turns and is out. The others roll again.", name=caller)]
        case _:
            return [w.say("🚪 {name} left the game. The others roll again.", name=caller)]


def _doubt_or_calza(call: str, caller: SeatView, bidder: SeatView, figure: str, w: Catalogue) -> str:
    values = {"name": name_of(caller), "bidder": name_of(bidder), "bid": f"<b>{figure}</b>"}
    if call == "calza":
        return w.say("🎯 <b>Calza!</b> {name} says that {bidder}'s {bid} is exact.", **values)
    return w.say("🗣 <b>Dudo!</b> {name} doubts {bidder}'s {bid}.", **values)


def _dice(view: RevealView, w: Catalogue) -> list[str]:
    return [f"{name_of(view.seats[index])}: {_hand(view, index, w)}" for index, hand in enumerate(view.dice) if hand]


def _hand(view: RevealView, seat: int, w: Catalogue) -> str:
    matching = [face for face in view.dice[seat] if view.counts(face)]
    others = sorted(face for face in view.dice[seat] if not view.counts(face))
    counting = (f"[{die(face, w, view.wild_by)}]" for face in sorted(matching, reverse=True))
    shown = " ".join([*counting, *(die(face, w, view.wild_by) for face in others)])
    return shown + (f" → <b>{len(matching)}</b>" if matching else "")


def _count(view: RevealView, w: Catalogue) -> str:
    if view.bid is None or view.count is None:
        return ""
    values = {"count": f"<b>{view.count}</b>", "bid": _figure(view, view.bid, w)}
    missing = view.bid.quantity - view.count
    if view.call == "calza" and missing == 0:
        return w.say("Counted {count}, bid {bid}: exactly right!", **values)
    if view.call == "calza":
        return w.say("Counted {count}, bid {bid}: not exact.", **values)
    if missing == 0:
        return w.say("Counted {count}, bid {bid}: exactly enough, ouch! The bid holds.", **values)
    if missing < 0:
        return w.count(
            "Counted {count}, bid {bid}: one to spare, the bid holds.",
            "Counted {count}, bid {bid}: {n} to spare, the bid holds.",
            -missing,
            **values,
        )
    return w.count(
        "Counted {count}, bid {bid}: one short!", "Counted {count}, bid {bid}: {n} short!", missing, **values
    )


def consequences(view: RevealView, w: Catalogue) -> list[str]:
    """Who loses or wins dice, and who is out."""
    lines = []
    for change in view.changes:
        caller = view.call == "calza" and change.seat == view.caller
        lines.append(_calza_result(view, change, w) if caller else _dice_change(view, change, w))
    if view.call == "calza" and not view.changes and view.caller is not None:
        lines.append(w.say("🎯 <b>{name}</b> has no lost die to win back.", name=name_of(view.seats[view.caller])))
    lines += [
        w.say("☠️ <b>{name}</b> is out.", name=name_of(view.seats[seat])) for seat in view.out if view.call != "leave"
    ]
    return lines


def _dice_change(view: RevealView, change: DiceChange, w: Catalogue) -> str:
    name = name_of(view.seats[change.seat])
    if change.dice < 0:
        return w.count("💥 <b>{name}</b> loses a die.", "💥 <b>{name}</b> loses {n} dice.", -change.dice, name=name)
    return w.count("🎁 <b>{name}</b> wins a die back.", "🎁 <b>{name}</b> wins {n} dice back.", change.dice, name=name)


def _calza_result(view: RevealView, change: DiceChange, w: Catalogue) -> str:
    """What a calza has won or cost the player who called it: below, the next round's message tells no call."""
    name = name_of(view.seats[change.seat])
    if change.dice < 0:
        return w.count(
            "💥 <b>{name}</b> called calza and loses a die.",
            "💥 <b>{name}</b> called calza and loses {n} dice.",
            -change.dice,
            name=name,
        )
    return w.count(
        "🎁 <b>{name}</b> called calza and wins a die back.",
        "🎁 <b>{name}</b> called calza and wins {n} dice back.",
        change.dice,
        name=name,
    )


def next_lines(view: RevealView, w: Catalogue) -> list[str]:
    """Who opens the next round."""
    if view.next_opener is None:
        return []
    name = name_of(view.seats[view.next_opener])
    if view.next_palifico:
        return [w.say("🔒 {name} is down to one die and opens a <b>palifico</b> round.", name=name)]
    return [w.say("➡️ {name} opens the next round.", name=name)]


def recap(view: RevealView, w: Catalogue, *, seat: int | None = None) -> list[str]:
    """The last round in a line or two, for the top of the next one; `seat`: the reader's, whose dice are shown."""
    if view.bid is None:
        return [*call_lines(view, w), *consequences(view, w)]
    lines = [_count(view, w) + " " + " ".join(consequences(view, w))]
    if seat is not None and view.dice[seat]:
        lines.append(w.say("You had: {dice}", dice=_hand(view, seat, w)))
    return lines


def knocked_out_text(notice: KnockedOutNotice, w: Catalogue) -> str:
    """How the reader's last round ended, and which place is theirs."""
    out = w.say("☠️ You are out: place {place} of {players}.", place=notice.place, players=notice.players)
    ended = [f"<i>{line}</i>" for line in [*call_lines(notice.view, w)[:1], *recap(notice.view, w, seat=notice.seat)]]
    return "\n".join([titled(notice.title), *ended, "", f"<b>{out}</b>", w.say("Thanks for playing!")])


def game_over_text(notice: GameOverNotice, w: Catalogue) -> str:
    """The winner and the places."""
    view = notice.view
    winner = next(seat for seat in view.seats if seat.place == 1)
    lines = ["🏆 <b>" + w.say("{name} wins!", name=name_of(winner)) + "</b>", ""]
    if notice.seat is not None:
        lines.insert(0, titled(notice.title))
        if notice.previous is not None:
            lines += [*(f"<i>{line}</i>" for line in recap(notice.previous, w, seat=notice.seat)), ""]
    for seat in view.seats:
        place = seat.place or len(view.seats)
        mark = MEDALS[place - 1] if place <= len(MEDALS) else f"{place}."
        lines.append(f"{mark} {name_of(seat)}")
    lines += after_the_game(notice, w)
    lines += ["", w.count("One round. Again?", "{n} rounds. Again?", view.rounds)]
    if view.secret is not None:
        lines += opened_seal(view, w)
    return "\n".join(lines)
