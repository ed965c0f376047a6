"""The message of a running round, and one player's own view of it."""

from __future__ import annotations

from html import escape

from telegram_bot.service.notices import DiceNotice, HandNotice, TableNotice
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.views import BidView, SeatView, TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.reveal import recap
from telegram_bot.words.dice import bid_figure, dice
from telegram_bot.words.phrases import bid_face, moment, name_of, plain_name, seat_mark, titled

LONGEST_ALERT = 200
BIDS_SHOWN = 12
"""The most bids that the message of a round shows, the newest ones."""


def round_text(notice: TableNotice, w: Catalogue) -> str:
    """The number of dice of each player, the bids, the bid to beat, whose turn it is, and when the turn ends."""
    view = notice.view
    lines = ["🎲 <b>" + w.say("Round {number}", number=view.round) + "</b>" + _total(view, w)]
    lines += palifico_lines(view, w)
    lines += ["", *(_seat(view, index, seat, w) for index, seat in enumerate(view.seats)), ""]
    lines += _bids(view, w)
    lines.append(_whose_turn(view, w))
    if notice.unreachable:
        lines += ["", w.say("📮 Want your dice and buttons in private? Tap <b>Open the bot</b>, then Start.")]
    return "\n".join(lines)


def _total(view: TableView, w: Catalogue) -> str:
    if view.total_dice is None:
        return ""
    return " · " + w.count("{n} die in play", "{n} dice in play", view.total_dice)


def palifico_lines(view: TableView, w: Catalogue) -> list[str]:
    """That the round is a palifico, if it is one."""
    if view.palifico is None:
        return []
    name = name_of(view.seats[view.palifico])
    if view.rules.palifico_face_change:
        return [
            w.say(
                "🔒 <b>Palifico!</b> {name} has one die. Ones are not wild. Only "
                "others with one die may change the face.",
                name=name,
            )
        ]
    return [w.say("🔒 <b>Palifico!</b> {name} has one die. Ones are not wild, and the face is locked.", name=name)]


def _seat(view: TableView, index: int, seat: SeatView, w: Catalogue) -> str:
    name = name_of(seat)
    if seat.out:
        return f"☠️ <s>{name}</s>"
    shown = f"<b>{name}</b>" if index == view.turn else name
    marks = ("👉 " if index == view.turn else "▫️ ") + shown + seat_mark(seat)
    if seat.dice is not None:
        marks += " " + "🎲" * seat.dice
    if seat.away:
        marks += " 💤 <i>" + w.say("away, so I play") + "</i>"
    return marks


def _bids(view: TableView, w: Catalogue) -> list[str]:
    standing = view.standing
    if standing is None:
        return []
    earlier = view.bids[:-1]
    lines = []
    if earlier:
        shown = " → ".join(f"{name_of(view.seats[bid.seat])} {_figure(view, bid, w)}" for bid in earlier[-BIDS_SHOWN:])
        lines.append(("… → " if len(earlier) > BIDS_SHOWN else "") + shown)
    lines += [_standing(view, w), ""]
    return lines


def _standing(view: TableView, w: Catalogue) -> str:
    bid = view.standing
    if bid is None:
        return ""
    if view.spoken:
        said = _figure(view, bid, w)
        if w.dice_style is not DiceStyle.WORDS:
            said += f" {escape(bid_face(bid, view.rules, w))}"
        return w.say("🎙 {name} said <b>{bid}</b>", name=name_of(view.seats[bid.seat]), bid=said)
    if w.dice_style is DiceStyle.WORDS:
        return w.say("🔸 <b>{bid}</b>, says {name}", bid=_figure(view, bid, w), name=name_of(view.seats[bid.seat]))
    return w.say(
        "🔸 <b>{figure}</b> {face}, says {name}",
        figure=_figure(view, bid, w),
        face=escape(bid_face(bid, view.rules, w)),
        name=name_of(view.seats[bid.seat]),
    )


def _figure(view: TableView, bid: BidView, w: Catalogue) -> str:
    return bid_figure(bid.quantity, bid.face, w, view.wild_by)


def _whose_turn(view: TableView, w: Catalogue) -> str:
    if view.paused:
        return w.say("⏸ Everyone is away, so the game waits. Tap <b>Go on</b>.")
    if view.turn is None:
        return ""
    name = name_of(view.seats[view.turn])
    if view.standing is None:
        line = w.say("👉 <b>{name}</b> opens the round.", name=name)
    elif view.dudo:
        line = w.say("👉 <b>{name}</b>, raise or say dudo!", name=name)
    else:
        line = w.say("👉 <b>{name}</b>, your turn!", name=name)
    if view.clock_ends is None:
        return line
    return f"{line} ⏳ {moment(view.clock_ends, w)}"


def hand_text(notice: HandNotice, w: Catalogue) -> str:
    """A player's own dice and what they need to decide."""
    hand = notice.view
    view = hand.table
    round_number = " · " + w.say("round {number}", number=view.round)
    lines = [titled(notice.title, round_number + _total(view, w))]
    if notice.previous is not None:
        lines += [f"<i>{line}</i>" for line in recap(notice.previous, w, seat=hand.seat)]
    lines += palifico_lines(view, w)
    lines += ["", w.say("Your dice: {dice}", dice=f"<b>{dice(sorted(hand.dice), w, view.wild_by)}</b>"), ""]
    if notice.called is not None or (view.standing is not None and view.standing.seat == hand.seat):
        return "\n".join([*lines, _what_was_said(notice, w)])
    if view.standing is not None:
        lines.append(_standing(view, w))
    lines.append(_what_now(notice, w))
    return "\n".join(lines)


def _what_was_said(notice: HandNotice, w: Catalogue) -> str:
    """What the reader has said. It stays true, so it does not tell whose turn it is now."""
    view = notice.view.table
    if notice.called == "dudo":
        return w.say("🗣 You said <b>dudo</b>.")
    if notice.called == "calza":
        return w.say("🎯 You said <b>calza</b>.")
    bid = "" if view.standing is None else f"<b>{_figure(view, view.standing, w)}</b>"
    if view.seats[notice.view.seat].away:
        return w.say("💤 I bid {bid} for you.", bid=bid)
    return w.say("✅ You bid {bid}. I will call you when it is your turn.", bid=bid)


def _what_now(notice: HandNotice, w: Catalogue) -> str:
    view = notice.view.table
    if notice.view.on_turn:
        if view.standing is None:
            line = w.say("👉 You open. Pick a bid, or type one like <code>3x4</code>.")
        else:
            line = w.say("👉 Your turn. Raise, or say <b>dudo</b>.")
        return line if view.clock_ends is None else f"{line} ⏳ {moment(view.clock_ends, w)}"
    if view.turn is None:
        return ""
    name = name_of(view.seats[view.turn])
    if view.standing is None:
        return w.say("{name} opens. I will call you when it is your turn.", name=name)
    return w.say("{name} is thinking. I will call you when it is your turn.", name=name)


def dice_alert(notice: DiceNotice, w: Catalogue) -> str:
    """The dice and the bid to beat, short enough for an alert. Plain text."""
    hand = notice.view
    view = hand.table
    lines = [w.say("Your dice: {dice}", dice=dice(sorted(hand.dice), w, view.wild_by))]
    bid = view.standing
    if bid is not None:
        lines.append(
            w.say(
                "Bid: {figure} by {name}",
                figure=_figure(view, bid, w),
                name=plain_name(view.seats[bid.seat].name),
            )
        )
    if hand.on_turn:
        lines.append(w.say("It is your turn."))
    elif view.turn is not None:
        lines.append(w.say("It is {name}'s turn.", name=plain_name(view.seats[view.turn].name)))
    return "\n".join(lines)[:LONGEST_ALERT]
