"""Whose turn it is, and what they can do: decided once, worded for each medium."""

from typing import Final

from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.views import HandView, TableView
from telegram_bot.words.dice import face_words
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.phrases import time_left
from telegram_bot.words.results import names_at

_TO_ALL: Final = {
    "open": mark("👉 <b>{name}</b> opens."),
    "raise": mark("👉 <b>{name}</b>, raise or say dudo!"),
    "doubt": mark("👉 <b>{name}</b>, no bid is higher: say dudo!"),
}
_TO_YOU: Final = {
    (Medium.CHAT, "open"): mark("👉 You open. Pick a bid, or type one like <code>{bid}</code>."),
    (Medium.SPEECH, "open"): mark("You open. Make a bid."),
    **dict.fromkeys(
        ((Medium.CHAT, "raise"), (Medium.SPEECH, "raise")), mark("👉 Your turn. Raise, or say <b>dudo</b>.")
    ),
    **dict.fromkeys(
        ((Medium.CHAT, "doubt"), (Medium.SPEECH, "doubt")), mark("👉 Your turn. No bid is higher: say <b>dudo</b>.")
    ),
    (Medium.TEXT, "open"): mark("You open: text e.g. {bid}."),
    (Medium.TEXT, "raise"): mark("Your turn: text e.g. {bid}, or DUDO."),
    (Medium.TEXT, "doubt"): mark("Your turn: text DUDO."),
}


def paused_text(f: Format) -> str:
    """Return that the game waits for a person, and how they go on."""
    if f.medium is Medium.TEXT:
        return f.w.say("Everyone is away, so the game waits. Text BACK to play on.")
    return f.w.say("⏸ Everyone is away, so the game waits. Tap <b>I'm back</b> to play on.")


def whose_turn(view: TableView, f: Format, you: int | None = None) -> str:
    """Return whose turn it is; a chat says what they can do, and until when. `you`: the seat of the only reader."""
    if view.paused:
        return paused_text(f)
    if view.turn is None:
        return ""
    if view.turn == you:
        return f.w.say("It's your turn.")
    name = names_at(view, f)[view.turn]
    if f.medium is Medium.CHAT:
        # The raises that all may know are not all raises in a palifico round with hidden numbers of dice.
        all_known = view.palifico is None or view.total_dice is not None
        return _with_clock(f.w.say(_TO_ALL[_choice(view, all_known=all_known)], name=name), view, f)
    if view.standing is None:
        return f.w.say("{name} opens.", name=name)
    return f.w.say("It's {name}'s turn.", name=name)


def next_line(view: TableView, f: Format, you: int | None = None) -> list[str]:
    """Return who is next, and a chat's way through the list of players; empty where that is always the same."""
    way, seats = view.rules.direction(view.round), len(view.seats)
    round_the_table = [] if view.turn is None else [(view.turn + way * step) % seats for step in range(1, seats)]
    others = [seat for seat in round_the_table if not view.seats[seat].out]
    if not view.rules.reverse_after_call or not others[1:]:
        return []
    name, sign = names_at(view, f)[others[0]], "↓ " if way == 1 else "↑ "
    says = f.w.say("You're next.") if others[0] == you else f.w.say("{name} is next.", name=name)
    return [sign + says if f.medium is Medium.CHAT else says]


def what_now(hand: HandView, f: Format, *, meaning: bool = False) -> str:
    """Return what a player can do, or whom they wait for; `meaning`: a text explains the bid to beginners."""
    view, w = hand.table, f.w
    if not hand.on_turn and f.medium is Medium.CHAT and view.turn is not None:
        name = names_at(view, f)[view.turn]
        if view.standing is None:
            return w.say("{name} opens. I'll call you when it's your turn.", name=name)
        return w.say("{name} is thinking. I'll call you when it's your turn.", name=name)
    if not hand.on_turn:
        return whose_turn(view, f)
    example = next(iter(offered_bids(view, hand.dice)), (3, 4))
    bid = f"{example[0]}x{example[1]}"
    choice = _choice(view, all_known=True)
    if meaning and choice == "open":
        dice = face_words(*example, w).bid
        return w.say("You open: text e.g. {bid}, which says {dice} among all dice.", bid=bid, dice=dice)
    if choice == "raise" and hand.may_calza and f.medium is Medium.TEXT:
        return w.say("Your turn: text e.g. {bid}, DUDO or CALZA.", bid=bid)
    if meaning and choice == "raise" and view.standing is not None:
        dice = face_words(view.standing.quantity, view.standing.face, w).bid
        return w.say(
            "That's {dice} among all dice. Your turn: raise it, e.g. {bid}, or DUDO if you doubt it.",
            dice=dice,
            bid=bid,
        )
    return _with_clock(w.say(_TO_YOU[f.medium, choice], bid=bid), view, f)


def _choice(view: TableView, *, all_known: bool) -> str:
    """Return what the player on turn can do: after a bid they may always doubt it, but not always go higher."""
    if view.standing is None:
        return "open"
    return "raise" if view.raises or not all_known else "doubt"


def _with_clock(line: str, view: TableView, f: Format) -> str:
    """Return the line of a chat with the time left."""
    if f.medium is not Medium.CHAT or view.clock_ends is None:
        return line
    return f"{line} ⏳ {time_left(view.clock_ends, f.w)}"
