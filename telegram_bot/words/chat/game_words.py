"""A running game in a chat: the message of a round, a player's own view, the end of a round and of the game."""

from html import escape
from typing import Final

from perudo_core.agents import Character
from telegram_bot import notices as n
from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.result_views import Reaction, ReactionTo, RevealView
from telegram_bot.tables.views import BidView, SeatView, TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.stirs import stirs_line
from telegram_bot.words.dice import bid_figure, call_label, dice, die
from telegram_bot.words.lines import BLANK, Format, Line, Medium, html, plain
from telegram_bot.words.notice_lines import part_lines
from telegram_bot.words.phrases import faced, name_of, plain_name, seat_mark, time_left, titled
from telegram_bot.words.reply_words import calza_explained
from telegram_bot.words.results import call_line, changed_lines, ending_lines, names_at, next_lines, out_lines
from telegram_bot.words.tip_words import tip_text

LONGEST_ALERT: Final = 200
BIDS_ON_A_BOARD: Final = 6
"""The maximum number of bids on a player's board; the newest are shown."""
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
BIDS_SHOWN: Final = 12
"""The maximum number of bids in the message of a running round; the newest are shown."""
BIDS_SHOWN_AT_THE_END: Final = 24
"""The same for the end of a round: everyone's dice must fit into the message too."""
MEDALS: Final = ("🥇", "🥈", "🥉")


def round_text(notice: n.TableNotice, w: Catalogue) -> str:
    """Return the number of dice of each player, the bids, the bid to beat, whose turn it is, and when the turn ends."""
    view = notice.view
    lines = ["🎲 <b>" + w.say("Round {number}", number=str(view.round)) + "</b>" + _total(view, w)]
    lines += palifico_lines(view, Format(w, Medium.CHAT))
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


def palifico_lines(view: TableView, f: Format) -> list[str]:
    """Return the announcement of a palifico round; empty in other rounds."""
    if view.palifico is None:
        return []
    name = f.name(view.seats[view.palifico].name, view.palifico + 1)
    if view.rules.palifico_face_change:
        return [
            f.w.say(
                "🔒 <b>Palifico!</b> {name} has one die. Ones are not wild. Only "
                "others with one die may change the face.",
                name=name,
            )
        ]
    return [f.w.say("🔒 <b>Palifico!</b> {name} has one die. Ones are not wild, and the face is locked.", name=name)]


def _seat(view: TableView, index: int, seat: SeatView, w: Catalogue) -> str:
    name = name_of(seat)
    if seat.out:
        return f"☠️ <s>{name}</s>"
    shown = faced(seat, f"<b>{name}</b>" if index == view.turn else name)
    usual = "" if seat.face is not None else "▫️ "
    marks = ("👉 " if index == view.turn else usual) + shown + seat_mark(seat)
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
    lines = [_bid_list(view, earlier, BIDS_SHOWN, w)] if earlier else []
    return [*lines, _standing(view, standing, w), ""]


def _bid_list(
    view: TableView | n.CalledRound,
    bids: tuple[BidView, ...],
    most: int,
    w: Catalogue,
    *,
    standing: BidView | None = None,
) -> str:
    """Return the newest bids, each with its player's name; the bid to beat is highlighted."""
    said = [f"{name_of(view.seats[bid.seat])} {_figure(view, bid, w)}" for bid in bids[-most:]]
    if standing is not None:
        spoken = isinstance(view, TableView) and view.spoken
        said[-1] = ("🎙 " if spoken else "") + f"<b>{said[-1]}</b>"
    return ("… → " if len(bids) > most else "") + " → ".join(said)


def _standing(view: TableView, bid: BidView, w: Catalogue) -> str:
    name, figure = name_of(view.seats[bid.seat]), _figure(view, bid, w)
    if view.spoken:
        return w.say("🎙 {name} said <b>{bid}</b>", name=name, bid=figure)
    return w.say("🔸 {name}: <b>{bid}</b>", bid=figure, name=name)


def _figure(view: TableView | RevealView | n.CalledRound, bid: BidView, w: Catalogue) -> str:
    return bid_figure(bid.quantity, bid.face, w, view.wild_by)


def _whose_turn(view: TableView, w: Catalogue) -> str:
    if view.paused:
        return w.say("⏸ Everyone is away, so the game waits. Tap <b>I'm back</b> to play on.")
    if view.turn is None:
        return ""
    name = name_of(view.seats[view.turn])
    if view.standing is None:
        line = w.say("👉 <b>{name}</b> opens.", name=name)
    elif view.dudo and not view.raises and (view.palifico is None or view.total_dice is not None):
        line = w.say("👉 <b>{name}</b>, no bid is higher: say dudo!", name=name)
    elif view.dudo:
        line = w.say("👉 <b>{name}</b>, raise or say dudo!", name=name)
    else:
        line = w.say("👉 <b>{name}</b>, your turn!", name=name)
    if view.clock_ends is None:
        return line
    return f"{line} ⏳ {time_left(view.clock_ends, w)}"


def hand_text(notice: n.HandNotice, w: Catalogue, *, pictured: bool = False) -> str:
    """Return a player's own dice and the facts for a decision; on a board also the round. At most six lines."""
    hand = notice.view
    view = hand.table
    round_number = " · " + w.say("round {number}", number=str(view.round))
    lines = [] if notice.previous is None else [reveal_text(n.RevealNotice(view=notice.previous), w), ""]
    lines += [titled(notice.title, round_number + _total(view, w))]
    lines += [_dice_counts(notice)] if notice.board else []
    lines += palifico_lines(view, Format(w, Medium.CHAT))
    if not pictured:
        lines.append(w.say("Your dice: {dice}", dice=f"<b>{dice(sorted(hand.dice), w, view.wild_by)}</b>"))
    standing = view.standing
    own = standing is not None and standing.seat == hand.seat and notice.called is None
    earlier = view.bids[:-1] if own else view.bids
    if notice.board and earlier:
        lines.append(_bid_list(view, earlier, BIDS_ON_A_BOARD, w, standing=None if own else standing))
    elif standing is not None and not own:
        lines.append(_standing(view, standing, w))
    lines.append(_what_was_called(notice, w) or (_what_was_bid(notice, w) if own else _what_now(notice, w)))
    tip = tip_text(notice, Format(w, Medium.CHAT))
    if tip:
        lines.append(f"🐣 <i>{tip}</i>")
    if notice.stirs is not None:
        lines += stirs_line(notice.stirs, w)
    return "\n".join(lines)


def _dice_counts(notice: n.HandNotice) -> str:
    """Return the number of dice of each player, and the player on turn."""
    view = notice.view.table
    return " · ".join(
        _with_count(seat, on_turn=index == view.turn and notice.called is None) for index, seat in enumerate(view.seats)
    )


def _with_count(seat: SeatView, *, on_turn: bool) -> str:
    name = name_of(seat)
    if seat.out:
        return f"☠️ <s>{name}</s>"
    shown = ("👉 " + faced(seat, f"<b>{name}</b>") if on_turn else faced(seat, name)) + seat_mark(seat)
    shown += " 💤" if seat.away else ""
    return (shown if seat.dice is None else f"{shown} {seat.dice}").replace(" ", _NO_BREAK)


def _what_was_called(notice: n.HandNotice, w: Catalogue) -> str:
    """Return the call that has ended the round; empty if there is none."""
    view = notice.view.table
    bid, caller = view.standing, notice.caller
    if notice.called is None or bid is None or caller is None:
        return ""
    if caller != notice.view.seat:
        said = call_line(notice.called, caller, bid, view, Format(w, Medium.CHAT)).text
    elif notice.called == "dudo":
        said = w.say("🗣 You said <b>dudo</b>.")
    else:
        said = w.say("🎯 You said <b>calza</b>.")
    return said + " 🥁 " + w.say("Cups up…")


def _what_was_bid(notice: n.HandNotice, w: Catalogue) -> str:
    """Return the reader's own bid, if it is the bid to beat."""
    view = notice.view.table
    bid = "" if view.standing is None else f"<b>{_figure(view, view.standing, w)}</b>"
    if view.seats[notice.view.seat].away:
        return w.say("💤 I bid {bid} for you.", bid=bid)
    return w.say("✅ You bid {bid}. I'll call you when it's your turn.", bid=bid)


def _what_now(notice: n.HandNotice, w: Catalogue) -> str:
    view = notice.view.table
    if notice.view.on_turn:
        if view.standing is None:
            example = next((f"{quantity}x{face}" for quantity, face in offered_bids(view, notice.view.dice)), "3x4")
            line = w.say("👉 You open. Pick a bid, or type one like <code>{bid}</code>.", bid=example)
        elif view.raises:
            line = w.say("👉 Your turn. Raise, or say <b>dudo</b>.")
        else:
            line = w.say("👉 Your turn. No bid is higher: say <b>dudo</b>.")
        return line if view.clock_ends is None else f"{line} ⏳ {time_left(view.clock_ends, w)}"
    if view.turn is None:
        return ""
    name = name_of(view.seats[view.turn])
    if view.standing is None:
        return w.say("{name} opens. I'll call you when it's your turn.", name=name)
    return w.say("{name} is thinking. I'll call you when it's your turn.", name=name)


def dice_alert(notice: n.DiceNotice, w: Catalogue) -> str:
    """Return the dice and the bid to beat, short enough for an alert. Plain text."""
    hand = notice.view
    view = hand.table
    lines = [w.say("Your dice: {dice}", dice=dice(sorted(hand.dice), w, view.wild_by))]
    bid = view.standing
    if bid is not None:
        lines.append(
            w.say(
                "{name}: {figure}",
                figure=_figure(view, bid, w),
                name=plain_name(view.seats[bid.seat].name),
            )
        )
    if hand.on_turn:
        lines.append(w.say("It's your turn."))
    elif view.turn is not None:
        lines.append(w.say("It's {name}'s turn.", name=plain_name(view.seats[view.turn].name)))
    tip = tip_text(notice, Format(w, Medium.ALERT))
    lines += ["🐣 " + tip] if tip else []
    return "\n".join(lines)[:LONGEST_ALERT]


# The end of a round


def reveal_text(notice: n.RevealNotice, w: Catalogue, *, pictured: bool = False) -> str:
    """Everyone's dice with the matching ones marked, the count, and the result; a picture shows dice and count.

    Below an animation the result is hidden until the message is opened. Readers with a board have read the bids and
    the call there.
    """
    view, pictured = notice.view, pictured or notice.animated
    on_board = notice.seat is not None and view.bid is not None
    f = Format(w, Medium.CHAT)
    lines = [] if notice.seat is not None else _said(n.called_round(view), w)
    lines += [] if on_board and pictured else [html([line]) for line in ending_lines(view, f)]
    if view.bid is not None and not pictured:
        names = [faced(seat, name_of(seat)) for seat in view.seats]
        dice = (f"{names[seat]}: {_hand(view, seat, w)}" for seat, hand in enumerate(view.dice) if hand)
        lines += ["", *dice, ""]
    counted = [] if view.bid is None or (pictured and not notice.animated) else [Line(_count(view, w))]
    reaction = [] if view.reaction is None else [Line(reaction_line(view, view.reaction, w))]
    palifico = next_lines(view, f) if view.next_palifico else []  # else the next round's message contains everything
    changes = [*changed_lines(view, f), *out_lines(view, f)]
    end = html([*counted, *changes, *reaction, *part_lines(notice, f), *palifico])
    return "\n".join([*lines, f"<tg-spoiler>{end}</tg-spoiler>" if notice.animated and not notice.opened else end])


def opened_reveal_text(notice: n.OpenedRevealNotice, w: Catalogue) -> str:
    """Return the words below an animation that has ended."""
    reveal = n.RevealNotice(view=notice.view, seat=notice.seat, animated=True, opened=True, parts=notice.parts)
    return reveal_text(reveal, w)


def call_text(notice: n.CallNotice, w: Catalogue) -> str:
    """Return the call that ends a round, before the dice are shown."""
    called = call_line(notice.call, notice.caller, notice.bid, notice.round, Format(w, Medium.CHAT))
    return "\n".join([*_said(notice.round, w), called.text, "", "🥁 " + w.say("Cups up…")])


def round_over_text(notice: n.RoundOverNotice, w: Catalogue) -> str:
    """Return the bids of a round whose end is in a message below."""
    return "\n".join(_said(notice.round, w))


def _said(view: n.CalledRound, w: Catalogue) -> list[str]:
    """Return the number of the round and its bids."""
    bids = _bid_list(view, view.bids, BIDS_SHOWN_AT_THE_END, w)
    return ["🎲 <b>" + w.say("Round {number}", number=str(view.round)) + "</b>", bids]


def picture_labels(w: Catalogue) -> tuple[str, str]:
    """Return the words in the picture of a round's end: above the bid, and above the count."""
    return w.say("Bid"), w.say("Counted")


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


def game_over_text(notice: n.GameOverNotice, w: Catalogue) -> str:
    """Return the winner and the places, after the end of the last round for readers who have not seen it."""
    lines = [] if notice.previous is None else [reveal_text(n.RevealNotice(view=notice.previous), w), ""]
    lines += [] if notice.seat is None else [titled(notice.title)]
    return "\n".join([*lines, html(over_lines(notice, Format(w, Medium.CHAT)))])


def over_lines(notice: n.GameOverNotice, f: Format) -> list[Line]:
    """Return the winner, the places, and the question for another game."""
    view, w, heard = notice.view, f.w, f.medium is Medium.SPEECH
    placed = list(zip(view.seats, names_at(view, f), strict=True))
    winner = next(name for seat, name in placed if seat.place == 1)
    lines = [Line(f.strong(w.say("{name} wins!", name=winner)), sign="🏆"), BLANK]
    for seat, name in placed:
        place = seat.place or len(view.seats)
        if not heard:
            lines.append(Line(faced(seat, name), sign=MEDALS[place - 1] if place <= len(MEDALS) else f"{place}."))
        elif place > 1:
            lines.append(Line(w.say("Place {place}: {name}.", place=str(place), name=name)))
    if view.by_dice:
        lines.append(Line(w.say("Only computer players were left: the most dice win."), sign="🤖"))
    parts = [] if heard else part_lines(notice, f)
    lines += [BLANK, *parts] if parts else []
    return (
        lines
        if view.going_on
        else [*lines, BLANK, Line(w.count("One round. Again?", "{n} rounds. Again?", view.rounds))]
    )


# Sentences of computer players

LOUD = frozenset({Character.BOLD, Character.TRICKSTER})
"""Characters that say more than is wise."""


def reaction_line(view: RevealView, reaction: Reaction, w: Catalogue) -> str:
    """Return a computer player's remark: its name, and one of the sentences for the occasion."""
    seat = view.seats[reaction.seat]
    loud = seat.computer is not None and seat.computer.character in LOUD
    said = _sentences(reaction.to, w, loud=loud)
    return f"{name_of(seat)}: <i>{said[reaction.variant % len(said)]}</i>"


def _sentences(to: ReactionTo, w: Catalogue, *, loud: bool) -> tuple[str, ...]:
    return {
        (ReactionTo.BLUFF_HELD, True): (w.say("Never doubt me. Well, do!"), w.say("Ha! I had almost nothing.")),
        (ReactionTo.BLUFF_HELD, False): (w.say("Phew, thank you all."), w.say("I hoped that you had some.")),
        (ReactionTo.LOST_DIE, True): (w.say("I'll be back for that one!"), w.say("I did that on purpose.")),
        (ReactionTo.LOST_DIE, False): (w.say("Oh well, my mistake."), w.say("I should have known.")),
        (ReactionTo.OUT, True): (w.say("Out already? I want a rematch!"), w.say("You'll miss me.")),
        (ReactionTo.OUT, False): (w.say("Well played, everyone."), w.say("I'll watch from here.")),
        (ReactionTo.WON, True): (w.say("Was there ever any doubt?"), w.say("Who's next?")),
        (ReactionTo.WON, False): (w.say("That was close. Thank you!"), w.say("A good game, all of you.")),
    }[to, loud]


# Voice notes


def heard_text(notice: n.HeardNotice, w: Catalogue) -> str:
    """Asks the player which call they said, or reports it."""
    explained = plain(calza_explained(notice.explained, notice.wild_by, Format(w, Medium.CHAT)))
    return " ".join(filter(None, [explained, _heard_question(notice, w)]))


def _heard_question(notice: n.HeardNotice, w: Catalogue) -> str:
    name = escape(plain_name(notice.name), quote=False)
    first = f"<b>{escape(call_label(notice.guesses[0], w, notice.wild_by), quote=False)}</b>" if notice.guesses else ""
    if notice.answered and notice.private:
        return w.say("🎙 You said {call}.", call=first)
    if notice.answered:
        return w.say("🎙 {name} said {call}.", name=name, call=first)
    if notice.sure and notice.private:
        return w.say("🎙 I heard {call}. Tap to play it.", call=first)
    if notice.sure:
        return w.say("🎙 {name}, I heard {call}. Tap to play it.", name=name, call=first)
    if notice.private:
        return w.say("🎙 Did you say this? Tap to play it.")
    return w.say("🎙 {name}, did you say this? Tap to play it.", name=name)
