"""A game by text: the end of the last round, the new dice, the player to call and what to text, in one message."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import BidView, HandView, TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import shown_lines
from telegram_bot.words.dice import face_words
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.results import changed_lines, ending_lines, names_at, out_lines, won_line
from telegram_bot.words.sms.layout import TextReader, time_of_day
from telegram_bot.words.tip_words import tip_text
from telegram_bot.words.turns import what_now, whose_turn

BRIEF, OFFER, FULL, ADDED, MEANING, CLOCK, COUNT, HINT = range(1, 9)
"""The ranks of the lines besides the dice and the turn, the most important first: the last round in brief, another
game, the last round in full, more about another game, explanations, the clock and other calls, the dice in
play and a tip, help."""
NAMED: Final = {BRIEF: 1, FULL: 2}
"""The maximum number of other seats whose losses a text lists one by one."""
COUNTED = 6
"""The maximum number of players whom the table's state lists with their dice."""


@dataclass(frozen=True, slots=True)
class Said:
    """The parts of a text besides a player's dice."""

    previous: RevealView | None = None
    """The end of the last round."""
    help: Literal["unheard", "asked", "again"] | None = None
    """The reason for an explanation: words without a meaning, a question, or a second failure."""
    tip: Tip | None = None


def hand(hand: HandView, said: Said, f: Format, reader: TextReader) -> list[Line]:
    """Return a turn: the end of the last round, the new dice, and what to text now."""
    view, w, unheard = hand.table, f.w, said.help == "unheard"
    if said.help in ("asked", "again") and hand.on_turn:
        return _explained(hand, f, again=said.help == "again")
    begins = hand.on_turn and view.round == 1 and all(bid.seat != hand.seat for bid in view.bids)
    lines = [Line(w.say("I didn't understand."))] if unheard else []
    lines += [] if said.previous is None else _ended_round(said.previous, f, you=hand.seat)
    lines.append(Line(w.say("Your dice: {dice}.", dice=f.dice(hand.dice))))
    if view.total_dice is not None:
        lines.append(Line(_in_play(view.total_dice, w), COUNT))
    if view.palifico is not None:
        locked = Line(w.say("Palifico!"))
        lines.append(locked if view.ones_wild else Line(w.say("Palifico: ones are not wild."), MEANING, short=locked))
    lines += [*_standing(view, f, you=hand.seat), *(Line(each, BRIEF) for each in shown_lines(view, f))]
    now = Line(what_now(hand, f))
    lines.append(Line(what_now(hand, f, meaning=True), MEANING, short=now) if begins else now)
    lines.append(Line(tip_text(said.tip, hand, f), COUNT))
    lines += _until(view, reader, f) if hand.on_turn else [*_exact(view, f, may=hand.may_calza), *_roll(hand, f)]
    if (view.round == 1 or unheard) and not begins:
        lines.append(Line(w.say("? explains."), HINT))
    return lines


def _explained(hand: HandView, f: Format, *, again: bool) -> list[Line]:
    """Return the meaning of the bid to beat and the answers to it; `again`: the meaning of each answer."""
    view, standing, w = hand.table, hand.table.standing, f.w
    if not view.raises:
        return [Line(w.say("No bid is higher. Text DUDO."))]
    example = offered_bids(view, hand.dice)[0]
    dice, text = face_words(*example, w).bid, f.bid(*example)
    own = Line(w.say("Your dice: {dice}.", dice=f.dice(hand.dice)), BRIEF)
    if standing is None:
        meaning = (
            w.say(
                "Just text {bid}. It says: {dice} or more among all dice. The next goes higher.",
                bid=text,
                dice=dice,
            )
            if again
            else w.say(
                "You begin: how many dice of one face do all have together? E.g. text {bid} for {dice}.",
                bid=text,
                dice=dice,
            )
        )
        return [Line(meaning), own]
    said = face_words(standing.quantity, standing.face, w).bid
    if again:
        return [
            Line(w.say("{bid} says: {dice} or more among all dice.", bid=text, dice=dice)),
            Line(w.say("DUDO says: fewer than {dice}.", dice=said)),
            Line(w.say("Whoever is wrong loses. Text one of the two.")),
        ]
    name = names_at(view, f)[standing.seat]
    wild = [Line(w.say("Ones count too."))] if view.ones_wild and standing.face != 1 else []
    return [
        Line(w.say("{name} says: at least {dice} under all cups.", name=name, dice=said)),
        *wild,
        Line(w.say("You think so? Text {bid}.", bid=text)),
        Line(w.say("If not, DUDO.")),
        own,
    ]


def table(view: TableView, seat: int | None, f: Format, reader: TextReader, *, may_calza: bool) -> list[Line]:
    """Return the state of the game: the bid, the player whose turn it is, the dice."""
    w = f.w
    lines = [] if view.palifico is None else [Line(w.say("Palifico!"))]
    lines += [
        *_standing(view, f, you=seat),
        *(Line(each, BRIEF) for each in shown_lines(view, f)),
        Line(whose_turn(view, f, seat)),
    ]
    lines += [] if view.paused or view.turn is None else _until(view, reader, f)
    lines += _exact(view, f, may=may_calza)
    in_play = None if view.total_dice is None else Line(_in_play(view.total_dice, w))
    if len(view.seats) <= COUNTED and all(each.dice is not None for each in view.seats):
        players = zip(names_at(view, f), view.seats, strict=True)
        left = ", ".join(f"{name} {each.dice}" for name, each in players if not each.out)
        return [*lines, Line(w.say("Dice: {dice}.", dice=left), BRIEF, short=in_play)]
    return lines if in_play is None else [*lines, in_play]


def reveal(view: RevealView, seat: int | None, f: Format) -> list[Line]:
    """Return the end of a round, for a reader who is not in the next round, or whose earlier text was late."""
    you = seat if seat is not None else view.out[0] if len(view.out) == 1 else None
    if seat is not None and seat not in view.out:
        last = []
    elif you is None or (view.call == "leave" and not view.timed_out):
        last = [Line(f.w.say("Thanks for playing!"), FULL)]
    else:
        place, players = str(view.place_when_out), str(len(view.seats))
        last = [
            Line(f.w.say("Place {place} of {players}. I'll text you who wins.", place=place, players=players), BRIEF)
        ]
    return [*_ended_round(view, f, you=you), *last]


def game_over(
    view: GameOverView, previous: RevealView | None, seat: int | None, added: Sequence[str], f: Format
) -> list[Line]:
    """Return the winner, after the end of the last round."""
    seats, w = view.seats if previous is None else previous.seats, f.w  # a player keeps their number at the table
    first = next(each.player for each in view.seats if each.place == 1)
    winner = next(index for index, each in enumerate(seats) if each.player == first)
    lines = [] if previous is None else _ended_round(previous, f, you=seat)
    if view.going_on:
        lines.append(Line(won_line(view, f)))
    elif seat is not None and view.winner == seat:
        lines.append(Line(w.say("You win the game!")))
    else:
        lines.append(Line(w.say("{name} wins the game!", name=f.names([each.name for each in seats])[winner])))
    offer = Line(w.say("Text AGAIN for another."), OFFER)
    for each in reversed(added):
        offer = Line(each, ADDED, short=offer)
    return [*lines, offer] if view.asks_again else lines


# Parts


def _ended_round(view: RevealView, f: Format, *, you: int | None) -> list[Line]:
    """Return the call, the count, and the players who lost dice. The reader's own bid or call says "you"."""
    if view.bid is not None and view.count is not None:
        short = Line(_counted_call(view, view.bid, f, you=you, brief=True))
        ended = [Line(_counted_call(view, view.bid, f, you=you, brief=False), FULL, short=short)]
    else:
        ended = ending_lines(view, f, you)
    return [*ended, *_consequences(view, f, you=you)]


def _counted_call(view: RevealView, bid: BidView, f: Format, *, you: int | None, brief: bool) -> str:
    w, names = f.w, names_at(view, f)
    own_bid, own_call = bid.seat == you, view.caller is not None and view.caller == you
    bidder, caller = names[bid.seat], "" if view.caller is None else names[view.caller]
    if brief:
        bidder, caller = w.say("You") if own_bid else bidder, w.say("you") if own_call else caller
    count = view.count or 0
    there_were = w.count("there was {n}.", "there were {n}.", count) if count else w.say("there were none.")
    values = {"bidder": bidder, "caller": caller, "bid": f.bid(bid.quantity, bid.face), "count": str(count)}
    values["there_were"] = there_were
    match view.call, brief:
        case "calza", False if own_bid:
            return w.say("You said {bid}, {caller} said calza: {there_were}", **values)
        case "calza", False if own_call:
            return w.say("{bidder} said {bid}, you said calza: {there_were}", **values)
        case "calza", False:
            return w.say("{bidder} said {bid}, {caller} said calza: {there_were}", **values)
        case "calza", True:
            return w.say("{bidder} {bid}, {caller} calza: {count}.", **values)
        case _, False if own_bid:
            return w.say("You said {bid}, {caller} doubted: {there_were}", **values)
        case _, False if own_call:
            return w.say("{bidder} said {bid}, you doubted: {there_were}", **values)
        case _, False:
            return w.say("{bidder} said {bid}, {caller} doubted: {there_were}", **values)
        case _:
            return w.say("{bidder} {bid}, {caller} dudo: {count}.", **values)


def _consequences(view: RevealView, f: Format, *, you: int | None) -> Iterator[Line]:
    """Yield the players who lost or won dice or are out; of many, only the reader and the number of others."""
    out = out_lines(view, f, you)
    changed = [line for line in changed_lines(view, f, you) if line.seat not in view.out]
    yield from (line for line in (*out, *changed) if line.seat == you)
    for lines in (changed, out):
        others, line = [each.text for each in lines if each.seat != you], None
        for rank, most in NAMED.items() if others else ():
            more = len(others) - most
            counted = [f.w.count("{n} more too.", "{n} more too.", more)] if more > 0 else []
            line = Line(" ".join([*others[:most], *counted]), rank, short=line)
        if line is not None:
            yield line


def _in_play(number: int, w: Catalogue) -> str:
    return w.count("{n} die in play.", "{n} dice in play.", number)


def _standing(view: TableView, f: Format, *, you: int | None) -> list[Line]:
    bid: BidView | None = view.standing
    if bid is None:
        return []
    figure = f.bid(bid.quantity, bid.face)
    if bid.seat == you:
        return [Line(f.w.say("You said {bid}.", bid=figure))]
    return [Line(f.w.say("{name} says {bid}.", name=names_at(view, f)[bid.seat], bid=figure))]


def _exact(view: TableView, f: Format, *, may: bool) -> list[Line]:
    """Return the offer of calza for a reader whose turn it is not, if the rules allow it."""
    if view.standing is None or not may:
        return []
    return [Line(f.w.say("Exactly {bid}? Text CALZA.", bid=f.bid(view.standing.quantity, view.standing.face)), CLOCK)]


def _roll(hand: HandView, f: Format) -> list[Line]:
    """Return the offer to show dice and roll the others, for the last bidder, if the rules allow it."""
    if not hand.may_show:
        return []
    return [Line(f.w.say("Text REROLL to show {dice} and roll the rest.", dice=f.dice(hand.may_show)), CLOCK)]


def _until(view: TableView, reader: TextReader, f: Format) -> list[Line]:
    if view.clock_ends is None:
        return []
    return [Line(f.w.say("Until {time}.", time=time_of_day(view.clock_ends, reader, f.w.language)), CLOCK)]
