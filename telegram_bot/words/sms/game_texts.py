"""A game by text: the end of the last round, the new dice, the player to call and what to text, in one message."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Literal

from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.sealed_dice import StirView
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import BidView, HandView, TableView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import shown_lines
from telegram_bot.words.dice import face_words
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.results import changed_lines, ending_lines, names_at, out_lines
from telegram_bot.words.sms.layout import Drafts, TextReader, list_stirs, shorten_names, time_of_day
from telegram_bot.words.tip_words import tip_text

FULL, BRIEF, BRIEFEST = 0, 1, 2
"""The amount of detail about the last round in a text."""
NAMED = {FULL: 2, BRIEF: 1, BRIEFEST: 0}
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
    stirs: Sequence[StirView] | None = None
    tip: Tip | None = None


def hand(hand: HandView, said: Said, w: Catalogue, reader: TextReader) -> Drafts:
    """Return a turn: the end of the last round, the new dice, and what to text now."""
    view, previous, stirs = hand.table, said.previous, said.stirs
    if said.help in ("asked", "again") and hand.on_turn:
        return _explained(hand, w, again=said.help == "again")
    unheard = said.help == "unheard"
    begins = hand.on_turn and view.round == 1 and all(bid.seat != hand.seat for bid in view.bids)

    def draft(letters: int, *, asides: int, brief: int, named: bool) -> str:
        f = Format(w, Medium.TEXT, letters)
        parts = [w.say("I didn't understand.")] if unheard else []
        if previous is not None:
            parts += _reveal_summary(previous, f, you=hand.seat, brief=brief)
        parts.append(w.say("Your dice: {dice}.", dice=f.dice(hand.dice)))
        if asides >= 2 and view.total_dice is not None:  # noqa: PLR2004 - the order in which asides go
            parts.append(w.count("{n} die in play.", "{n} dice in play.", view.total_dice))
        parts += _palifico(view, w, brief=asides < 0)
        parts += [*_standing(view, f, you=hand.seat), *shown_lines(view, f)]
        parts.append(what_now(hand, f, meaning=begins and asides >= 0))
        tip = tip_text(said.tip, hand, f) if asides >= 2 else ""  # noqa: PLR2004
        parts += [tip] if tip else []
        if hand.on_turn and asides >= 1:
            parts += _until(view, w, reader)
        if not hand.on_turn and asides >= 1:
            parts += _exact(view, f, may=hand.may_calza)
            parts += _offered_roll(hand, f)
        if stirs:
            parts.append(_stirred(stirs, letters, w, named=named))
        if asides >= 3 and (view.round == 1 or unheard) and not begins:  # noqa: PLR2004
            parts.append(w.say("? explains."))
        return " ".join(parts)

    return (
        partial(draft, asides=asides, brief=brief, named=named)
        for brief, named, asides in product(
            (FULL, BRIEF, BRIEFEST), (True, False) if stirs else (True,), (3, 2, 1, 0, -1)
        )
    )


def _explained(hand: HandView, w: Catalogue, *, again: bool) -> Drafts:
    """Return the meaning of the bid to beat and the answers to it; `again`: the meaning of each answer."""
    view, standing = hand.table, hand.table.standing
    if not view.raises:
        return [lambda _letters: w.say("No bid is higher. Text DUDO.")]
    example = offered_bids(view, hand.dice)[0]
    dice = face_words(*example, w).bid

    def draft(letters: int, *, shown: bool) -> str:
        f = Format(w, Medium.TEXT, letters)
        text = f.bid(*example)
        own = [w.say("Your dice: {dice}.", dice=f.dice(hand.dice))] if shown else []
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
            return " ".join([meaning, *own])
        said = face_words(standing.quantity, standing.face, w).bid
        if again:
            raised = w.say("{bid} says: {dice} or more among all dice.", bid=text, dice=dice)
            doubted = w.say("DUDO says: fewer than {dice}.", dice=said) if hand.may_dudo else ""
            return " ".join(filter(None, [raised, doubted, w.say("Whoever is wrong loses. Text one of the two.")]))
        meaning = w.say(
            "{name} says: at least {dice} under all cups.", name=names_at(view, f)[standing.seat], dice=said
        )
        wild = [w.say("Ones count too.")] if view.ones_wild and standing.face != 1 else []
        answer = w.say("You think so? Text {bid}.", bid=text)
        doubt = [w.say("If not, DUDO.")] if hand.may_dudo else []
        return " ".join([meaning, *wild, answer, *doubt, *own])

    return (partial(draft, shown=shown) for shown in (True, False))


def _stirred(stirs: Sequence[StirView], letters: int, w: Catalogue, *, named: bool) -> str:
    """Return the stirs with their players, or only their number."""
    if not named:
        return w.count("Dice shaken once.", "Dice shaken {n} times.", len(stirs))
    return w.say("Shaken in: {stirs}.", stirs=list_stirs(stirs, letters))


def table(view: TableView, seat: int | None, w: Catalogue, reader: TextReader, *, may_calza: bool) -> Drafts:
    """Return the state of the game: the bid, the player whose turn it is, the dice."""

    def draft(letters: int, *, counts: bool, clock: bool) -> str:
        f = Format(w, Medium.TEXT, letters)
        names = names_at(view, f)
        parts = [*_palifico(view, w, brief=True), *_standing(view, f, you=seat), *shown_lines(view, f)]
        if view.paused:
            parts.append(w.say("Everyone is away: text anything to go on."))
        elif view.turn is not None:
            on_turn = w.say("It's your turn.") if view.turn == seat else None
            parts.append(on_turn or w.say("It's {name}'s turn.", name=names[view.turn]))
            parts += _until(view, w, reader) if clock else []
        parts += _exact(view, f, may=may_calza) if clock else []
        if counts and len(view.seats) <= COUNTED and all(each.dice is not None for each in view.seats):
            left = ", ".join(f"{names[i]} {each.dice}" for i, each in enumerate(view.seats) if not each.out)
            parts.append(w.say("Dice: {dice}.", dice=left))
        elif view.total_dice is not None:
            parts.append(w.count("{n} die in play.", "{n} dice in play.", view.total_dice))
        return " ".join(parts)

    return (
        partial(draft, counts=counts, clock=clock)
        for counts, clock in ((True, True), (True, False), (False, True), (False, False))
    )


def reveal(view: RevealView, seat: int | None, w: Catalogue) -> Drafts:
    """Return the end of a round, for a reader who is not in the next round, or whose earlier text was late."""
    you = seat if seat is not None else view.out[0] if len(view.out) == 1 else None
    plays_on = seat is not None and seat not in view.out

    def draft(letters: int, *, brief: int) -> str:
        parts = _reveal_summary(view, Format(w, Medium.TEXT, letters), you=you, brief=brief)
        thanks = [] if plays_on or brief else [w.say("Thanks for playing!")]
        return " ".join([*parts, *thanks])

    return (partial(draft, brief=brief) for brief in (FULL, BRIEF, BRIEFEST))


def game_over(
    view: GameOverView, previous: RevealView | None, seat: int | None, added: Sequence[str], w: Catalogue
) -> Drafts:
    """Return the winner, after the end of the last round."""
    seats = view.seats if previous is None else previous.seats  # a player keeps their number at the table
    names = [each.name for each in seats]
    first = next(each.player for each in view.seats if each.place == 1)
    winner = next(index for index, each in enumerate(seats) if each.player == first)

    def draft(letters: int, *, brief: int, offers: str) -> str:
        parts: list[str] = []
        if previous is not None:
            parts += _reveal_summary(previous, Format(w, Medium.TEXT, letters), you=seat, brief=brief)
        if seat is not None and view.winner == seat:
            parts.append(w.say("You win the game!"))
        else:
            parts.append(w.say("{name} wins the game!", name=shorten_names(names, letters)[winner]))
        return " ".join([*parts, offers] if offers else parts)

    offered = [""] if view.going_on else [*added, w.say("Text AGAIN for another.")]
    lengths = [*product((FULL, BRIEF), offered), (BRIEF, ""), (BRIEFEST, "")]
    return (partial(draft, brief=brief, offers=offers) for brief, offers in lengths)


# Parts


def _reveal_summary(view: RevealView, f: Format, *, you: int | None, brief: int) -> list[str]:
    """Return the call, the count, and the players who lost dice. The reader's own bid or call says "you"."""
    if view.bid is not None and view.count is not None:
        ended = [_counted_call(view, view.bid, f, you=you, brief=brief)]
    else:
        ended = [line.text for line in ending_lines(view, f, you)]
    return [*ended, *_consequences(view, f, you=you, most=NAMED[brief])]


def _counted_call(view: RevealView, bid: BidView, f: Format, *, you: int | None, brief: int) -> str:
    w, names = f.w, names_at(view, f)
    own_bid, own_call = bid.seat == you, view.caller is not None and view.caller == you
    bidder, caller = names[bid.seat], "" if view.caller is None else names[view.caller]
    if brief:
        bidder, caller = w.say("You") if own_bid else bidder, w.say("you") if own_call else caller
    count = view.count or 0
    there_were = w.count("there was {n}.", "there were {n}.", count) if count else w.say("there were none.")
    values = {"bidder": bidder, "caller": caller, "bid": f.bid(bid.quantity, bid.face), "count": str(count)}
    values["there_were"] = there_were
    match view.call, bool(brief):
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


def _consequences(view: RevealView, f: Format, *, you: int | None, most: int) -> Iterator[str]:
    """Yield the players who lost or won dice or are out; of many, only the reader and the number of others."""
    out = out_lines(view, f, you)
    changed = [line for line in changed_lines(view, f, you) if line.seat not in view.out]
    yield from (line.text for line in (*out, *changed) if line.seat == you)
    for lines in (changed, out):
        others = [line.text for line in lines if line.seat != you]
        yield from others[:most]
        if most and (more := len(others) - most) > 0:
            yield f.w.count("{n} more too.", "{n} more too.", more)


def _palifico(view: TableView, w: Catalogue, *, brief: int) -> list[str]:
    if view.palifico is None:
        return []
    return [w.say("Palifico!") if brief or view.ones_wild else w.say("Palifico: ones are not wild.")]


def _standing(view: TableView, f: Format, *, you: int | None) -> list[str]:
    bid: BidView | None = view.standing
    if bid is None:
        return []
    figure = f.bid(bid.quantity, bid.face)
    if bid.seat == you:
        return [f.w.say("You said {bid}.", bid=figure)]
    return [f.w.say("{name} says {bid}.", name=names_at(view, f)[bid.seat], bid=figure)]


def _exact(view: TableView, f: Format, *, may: bool) -> list[str]:
    """Return the offer of calza for a reader whose turn it is not, if the rules allow it."""
    if view.standing is None or not may:
        return []
    return [f.w.say("Exactly {bid}? Text CALZA.", bid=f.bid(view.standing.quantity, view.standing.face))]


def _offered_roll(hand: HandView, f: Format) -> list[str]:
    """Return the offer to show dice and roll the others, for the last bidder, if the rules allow it."""
    if not hand.may_show:
        return []
    return [f.w.say("Text REROLL to show {dice} and roll the rest.", dice=f.dice(hand.may_show))]


def _until(view: TableView, w: Catalogue, reader: TextReader) -> list[str]:
    if view.clock_ends is None:
        return []
    return [w.say("Until {time}.", time=time_of_day(view.clock_ends, reader, w.language))]


def what_now(hand: HandView, f: Format, *, meaning: bool = False) -> str:
    """Return the instruction for the next text; `meaning`: with an explanation for beginners."""
    view, w = hand.table, f.w
    if not hand.on_turn:
        if view.turn is None:
            return ""
        name = names_at(view, f)[view.turn]
        return w.say("{name} opens.", name=name) if view.standing is None else w.say("It's {name}'s turn.", name=name)
    if not view.raises:
        return w.say("Your turn: text DUDO.")
    example = offered_bids(view, hand.dice)[0]
    bid = f.bid(*example)
    if view.standing is None and meaning:
        dice = face_words(*example, w).bid
        return w.say("You open: text e.g. {bid}, which says {dice} among all dice.", bid=bid, dice=dice)
    if view.standing is None:
        return w.say("You open: text e.g. {bid}.", bid=bid)
    if not hand.may_dudo:
        return w.say("Your turn: text e.g. {bid}.", bid=bid)
    if meaning and not hand.may_calza:
        dice = face_words(view.standing.quantity, view.standing.face, w).bid
        return w.say(
            "That's {dice} among all dice. Your turn: raise it, e.g. {bid}, or DUDO if you doubt it.",
            dice=dice,
            bid=bid,
        )
    if hand.may_calza:
        return w.say("Your turn: text e.g. {bid}, DUDO or CALZA.", bid=bid)
    return w.say("Your turn: text e.g. {bid}, or DUDO.", bid=bid)
