"""Parts of the messages of a game in a chat."""

from typing import Final

from perudo_core.agents import Character
from telegram_bot.tables.result_views import CalledRound, Reaction, ReactionTo, RevealView
from telegram_bot.tables.views import BidView, HandView, SeatView, TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure, dice, die
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.phrases import faced, name_of, seat_mark
from telegram_bot.words.turns import next_line

LONGEST_ALERT: Final = 200
BIDS_ON_A_BOARD: Final = 6
"""The maximum number of bids on a player's board; the newest are shown."""
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
BIDS_SHOWN: Final = 12
"""The maximum number of bids in the message of a running round; the newest are shown."""
BIDS_SHOWN_AT_THE_END: Final = 24
"""The same for the end of a round: everyone's dice must fit into the message too."""
MEDALS: Final = ("🥇", "🥈", "🥉")


def total_dice(view: TableView, w: Catalogue) -> str:
    """Return the number of all dice, after another fact; empty where the rules hide it."""
    if view.total_dice is None:
        return ""
    return " · " + w.count("{n} die in play", "{n} dice in play", view.total_dice)


def announced_lines(view: TableView, f: Format) -> list[str]:
    """Return what is special about a round: palifico, and open dice."""
    return [*palifico_lines(view, f), *(f"👐 {shown}" for shown in shown_lines(view, f))]


def shown_lines(view: TableView, f: Format) -> list[str]:
    """Return the players with open dice, and these dice."""
    names = f.names([seat.name for seat in view.seats])
    return [
        f.w.say(
            "{name} shows {dice} and rolls the others.", name=names[each.seat], dice=f.dice(each.faces, view.wild_by)
        )
        for each in view.shown
    ]


def showing_label(hand: HandView, w: Catalogue) -> str:
    """Return the words of the key with which a player shows dice and rolls the others; empty while they may not."""
    if not hand.may_show:
        return ""
    return w.say("Show {dice}, roll the rest", dice=dice(list(hand.may_show), w, hand.table.wild_by))


def facts(view: TableView, w: Catalogue) -> list[str]:
    """Return the facts of a round in a word or two each, for a page."""
    in_play = [] if view.total_dice is None else [w.say("Dice in play: {n}", n=str(view.total_dice))]
    plain = [] if view.palifico is not None or view.ones_wild else [w.say("ones are not wild")]
    return [*in_play, *plain, *next_line(view, Format(w, Medium.ALERT))]


def palifico_lines(view: TableView, f: Format) -> list[str]:
    """Return the announcement of a palifico round; empty in other rounds."""
    if view.palifico is None:
        return []
    if view.rules.palifico_every_round:
        if view.rules.palifico_face_change:
            return [f.w.say("🔒 <b>Palifico!</b> Only others with one die may change the face.")]
        return [f.w.say("🔒 <b>Palifico!</b> Ones are not wild, and the face is locked.")]
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


def seat_line(view: TableView, index: int, seat: SeatView, w: Catalogue) -> str:
    """Return a player with their dice."""
    name = name_of(seat)
    if seat.out:
        return f"☠️ <s>{name}</s>"
    with_face = faced(seat, f"<b>{name}</b>" if index == view.turn else name)
    usual = "" if seat.face is not None else "▫️ "
    marks = ("👉 " if index == view.turn else usual) + with_face + seat_mark(seat)
    shown = [die for each in view.shown if each.seat == index for die in each.faces]
    covered = "" if seat.dice is None else "🎲" * (seat.dice - len(shown))
    marks += "".join(f" {each}" for each in (dice(shown, w, view.wild_by), covered) if each)
    if seat.away:
        marks += " 💤 <i>" + w.say("away, so I play") + "</i>"
    return marks


def bid_lines(view: TableView, w: Catalogue) -> list[str]:
    """Return the bids of a running round, the one to beat in a line of its own."""
    standing = view.standing
    if standing is None:
        return []
    earlier = view.bids[:-1]
    lines = [bid_list(view, earlier, BIDS_SHOWN, w)] if earlier else []
    return [*lines, standing_line(view, standing, w), ""]


def bid_list(
    view: TableView | CalledRound,
    bids: tuple[BidView, ...],
    most: int,
    w: Catalogue,
    *,
    standing: BidView | None = None,
) -> str:
    """Return the newest bids, each with its player's name; the bid to beat is highlighted."""
    said = [f"{name_of(view.seats[bid.seat])} {figure(view, bid, w)}" for bid in bids[-most:]]
    if standing is not None:
        spoken = isinstance(view, TableView) and view.spoken
        said[-1] = ("🎙 " if spoken else "") + f"<b>{said[-1]}</b>"
    return ("… → " if len(bids) > most else "") + " → ".join(said)


def standing_line(view: TableView, bid: BidView, w: Catalogue) -> str:
    """Return the bid to beat."""
    name, said = name_of(view.seats[bid.seat]), figure(view, bid, w)
    if view.spoken:
        return w.say("🎙 {name} said <b>{bid}</b>", name=name, bid=said)
    return w.say("🔸 {name}: <b>{bid}</b>", bid=said, name=name)


def figure(view: TableView | RevealView | CalledRound, bid: BidView, w: Catalogue) -> str:
    """Return a bid as it is written in this round."""
    return bid_figure(bid.quantity, bid.face, w, view.wild_by)


def with_count(seat: SeatView, *, on_turn: bool) -> str:
    """Return a player with the number of their dice."""
    name = name_of(seat)
    if seat.out:
        return f"☠️ <s>{name}</s>"
    shown = ("👉 " + faced(seat, f"<b>{name}</b>") if on_turn else faced(seat, name)) + seat_mark(seat)
    shown += " 💤" if seat.away else ""
    return (shown if seat.dice is None else f"{shown} {seat.dice}").replace(" ", _NO_BREAK)


# The end of a round


def said_lines(view: CalledRound, w: Catalogue) -> list[str]:
    """Return the number of the round and its bids."""
    bids = bid_list(view, view.bids, BIDS_SHOWN_AT_THE_END, w)
    return ["🎲 <b>" + w.say("Round {number}", number=str(view.round)) + "</b>", bids]


def picture_labels(w: Catalogue) -> tuple[str, str]:
    """Return the words in the picture of a round's end: above the bid, and above the count."""
    return w.say("Bid"), w.say("Counted")


def matched_hand(view: RevealView, seat: int, w: Catalogue) -> str:
    """Return a player's dice, those that count first."""
    matching = [face for face in view.dice[seat] if view.counts(face)]
    others = sorted(face for face in view.dice[seat] if not view.counts(face))
    counting = (f"[{die(face, w, view.wild_by)}]" for face in sorted(matching, reverse=True))
    shown = " ".join([*counting, *(die(face, w, view.wild_by) for face in others)])
    return shown + (f" → <b>{len(matching)}</b>" if matching else "")


def counted(view: RevealView, w: Catalogue) -> str:
    """Return the count, and its difference from the bid."""
    if view.bid is None or view.count is None:
        return ""
    values = {"count": f"<b>{view.count}</b>", "bid": figure(view, view.bid, w)}
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
