"""The end of a round as lines: each sentence once, for chats, texts, the voice and pages."""

from typing import Final, TypeAlias

from telegram_bot.tables.result_views import CalledRound, GameOverView, RevealView
from telegram_bot.tables.views import BidView, TableView
from telegram_bot.words.catalogue import mark_plural
from telegram_bot.words.lines import Format, Line, Medium

Seated: TypeAlias = RevealView | TableView | CalledRound


def names_at(table: Seated | GameOverView, f: Format) -> list[str]:
    """Return the names of the players at a table, in the order of their seats."""
    return f.names([seat.name for seat in table.seats])


def won_line(view: GameOverView, f: Format) -> str:
    """Return who has won, or who goes on to the next stage of something larger."""
    names = zip(view.seats, names_at(view, f), strict=True)
    if not view.going_on:
        return f.w.say("{name} wins!", name=next(name for seat, name in names if seat.place == 1))
    on = [name for seat, name in names if seat.computer is None][: view.going_on]
    return f.w.count("{names} goes on!", "{names} go on!", len(on), names=f.w.listed(on))


def call_line(call: str | None, caller: int, bid: BidView, table: Seated, f: Format) -> Line:
    """Return dudo or calza against a bid."""
    names, figure = names_at(table, f), f.strong(f.bid(bid.quantity, bid.face, table.wild_by))
    values = {"name": names[caller], "bidder": names[bid.seat], "bid": figure}
    if call == "calza":
        return Line(f.w.say("🎯 <b>Calza!</b> {name} says that {bidder}'s bid is exact: {bid}.", **values))
    return Line(f.w.say("🗣 <b>Dudo!</b> {name} doubts {bidder}'s {bid}.", **values))


def ending_lines(view: RevealView, f: Format, you: int | None = None) -> list[Line]:
    """Return how the round ended: the call, a missed turn, or a player who left; `you`: the seat of a text's reader."""
    if view.caller is None:
        return []
    if view.bid is not None:
        return [call_line(view.call, view.caller, view.bid, view, f)]
    w, name = f.w, names_at(view, f)[view.caller]
    own, texted, late = view.caller == you, f.medium is Medium.TEXT, view.call == "leave" and view.timed_out
    if view.call == "forfeit":
        said = w.say("You ran out of time.") if own else w.say("{name} ran out of time.", name=name)
    elif late and not texted:
        said = w.say("{name} missed too many turns and is out. The others roll again.", name=name)
    elif late:
        said = w.say("You missed too many turns.") if own else w.say("{name} missed too many turns.", name=name)
    elif not texted:
        said = w.say("{name} left the game. The others roll again.", name=name)
    else:
        said = w.say("You left the table.") if own else w.say("{name} left.", name=name)
    return [Line(said, sign="⌛" if late or view.call == "forfeit" else "🚪", seat=view.caller)]


_CHANGED: Final = {
    ("they", True): mark_plural("{name} loses a die.", "{name} loses {n} dice."),
    ("they", False): mark_plural("{name} wins a die back.", "{name} wins {n} dice back."),
    ("you", True): mark_plural("You lose a die.", "You lose {n} dice."),
    ("you", False): mark_plural("You win a die back.", "You win {n} dice back."),
    ("caller", True): mark_plural("{name} called calza and loses a die.", "{name} called calza and loses {n} dice."),
    ("caller", False): mark_plural(
        "{name} called calza and wins a die back.", "{name} called calza and wins {n} dice back."
    ),
}
"""A change of dice, and whether they are lost. Below the picture in a chat, no other line says that it was calza."""
_MIRRORED: Final = {
    "they": mark_plural("{name} gives a die away.", "{name} gives {n} dice away."),
    "you": mark_plural("You give a die away.", "You give {n} dice away."),
}
"""The same by `Rules.first_out_wins`, where no die comes back."""


def changed_lines(view: RevealView, f: Format, you: int | None = None) -> list[Line]:
    """Return the players who lose dice or win them back."""
    names = [f.strong(name) for name in names_at(view, f)]
    calza = view.call == "calza"
    lines = []
    if calza and view.caller is not None and f.medium is not Medium.TEXT and _costs_each_other_a_die(view):
        said = f.w.say("{name}'s calza was exact: all the others lose a die.", name=names[view.caller])
        return [Line(said, sign="💥", seat=view.caller)]
    for seat, dice in ((change.seat, change.dice) for change in view.changes):
        called = calza and seat == view.caller and f.medium in (Medium.CHAT, Medium.SPEECH)
        if view.first_out_wins:
            sentence = _MIRRORED["you" if seat == you else "they"]
        else:
            sentence = _CHANGED["you" if seat == you else "caller" if called else "they", dice < 0]
        said = f.w.count(*sentence, abs(dice), name=names[seat])
        lines.append(Line(said, sign="💥" if dice < 0 and not view.first_out_wins else "🎁", seat=seat))
    if calza and not lines and view.caller is not None and f.medium is not Medium.TEXT:
        said = f.w.say("{name} has no lost die to win back.", name=names[view.caller])
        lines.append(Line(said, sign="🎯", seat=view.caller))
    return lines


def _costs_each_other_a_die(view: RevealView) -> bool:
    if view.first_out_wins or not view.changes:
        return False
    return all(change.dice == -1 and change.seat != view.caller for change in view.changes)


def out_lines(view: RevealView, f: Format, you: int | None = None) -> list[Line]:
    """Return the players who are out; of a player who left, another line says it."""
    if view.call == "leave" and not (view.timed_out and f.medium is Medium.TEXT):
        return []
    names = names_at(view, f)
    return [
        Line(
            f.w.say("You're out.") if seat == you else f.w.say("{name} is out.", name=f.strong(names[seat])),
            sign="☠️",
            seat=seat,
        )
        for seat in view.out
    ]


def next_lines(view: RevealView, f: Format) -> list[Line]:
    """Return the player who opens the next round."""
    if view.next_opener is None:
        return []
    name = names_at(view, f)[view.next_opener]
    if view.next_palifico:
        said = f.w.say("{name} is down to one die and opens a <b>palifico</b> round.", name=name)
        return [Line(said, sign="🔒")]
    return [Line(f.w.say("{name} opens the next round.", name=name), sign="➡️")]


def verdict(view: RevealView, f: Format) -> str:
    """Return the difference between count and bid in two words, for pages, which draw both."""
    if view.bid is None or view.count is None:
        return ""
    missing = view.bid.quantity - view.count
    if missing > 0:
        return f.w.count("{n} short!", "{n} short!", missing)
    if view.call == "dudo":
        return f.w.say("The bid holds!")
    return f.w.count("{n} too many!", "{n} too many!", -missing) if missing else f.w.say("Exactly right!")


def calza_explained(
    bid: BidView | None, wild_by: str | None, f: Format, *, costs_others: bool, first_out_wins: bool, sudden_death: bool
) -> list[Line]:
    """Return the meaning of calza to this bid; empty without a bid. The options are those of `CalzaStakes`."""
    if bid is None:
        return []
    exactly = f.bid(bid.quantity, bid.face, wild_by)
    if first_out_wins:
        said = f.w.say("Calza says: exactly {bid}. If so you give a die away, if not the bidder does.", bid=exactly)
    elif sudden_death and costs_others:
        said = f.w.say("Calza says: exactly {bid}. If so all the others are out, if not you are.", bid=exactly)
    elif sudden_death:
        said = f.w.say("Calza says: exactly {bid}. If so no one loses, if not you're out.", bid=exactly)
    elif costs_others:
        said = f.w.say("Calza says: exactly {bid}. If so all the others lose a die, if not you lose one.", bid=exactly)
    else:
        said = f.w.say("Calza says: exactly {bid}. If so you win a die back, if not you lose one.", bid=exactly)
    return [Line(said, rank=1)]
