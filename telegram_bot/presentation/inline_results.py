"""The list over the text field: the text of each result, and the message that it posts in the group."""

from dataclasses import dataclass
from html import escape
from typing import Final, Literal

from perudo_core.odds import probability_holds
from telegram_bot.notices import DiceNotice, RejectionNotice
from telegram_bot.parsing.inline_filter import filter_for
from telegram_bot.service.own_tables import OwnTable, OwnTables
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.offered_bids import offered_bids, seen_dice, unseen_dice
from telegram_bot.tables.views import HandView, TableView
from telegram_bot.words.catalogue import Catalogue, catalogue
from telegram_bot.words.dice import bid_figure, face_words
from telegram_bot.words.lines import Format, Medium
from telegram_bot.words.phrases import plain_name, table_name

SIGNS: Final = {"bid": "🎲", "dudo": "🗣", "calza": "🎯"}
"""The sign at the beginning of a call's message."""


@dataclass(frozen=True, slots=True)
class InlineResult:
    """One line of the list. A result without a call posts a message without effect on the game."""

    title: str
    description: str
    posts: str
    """The message in HTML, without the sign at its beginning."""
    table: int = 0
    step: int = 0
    call: Literal["bid", "dudo", "calza"] | None = None
    bid: tuple[int, int] | None = None


def inline_results(own: OwnTables, typed: str, *, in_group: bool) -> list[InlineResult]:
    """Return the list for a person and the words typed so far: their dice, dudo and calza, then bids by likelihood.

    If the person is on turn somewhere, only these tables are listed; if there are several, the typed words can also be
    part of a title.
    """
    w = catalogue(own.language, own.dice_style)
    playing = [(table, table.hand) for table in own.tables if table.hand is not None]
    if not playing:
        return [_nothing_to_see(own, w)]
    shown = [one for one in playing if one[1].on_turn] or playing
    titled = [one for one in shown if typed.strip() and typed.strip().casefold() in one[0].title.casefold()]
    if len(shown) > 1 and titled:
        shown, typed = titled, ""
    results: list[InlineResult] = []
    for table, hand in shown:
        title = plain_name(table_name(table.title, w)) if len(playing) > 1 else ""
        calls = _calls(table, hand, typed, title, w) if in_group and hand.on_turn and not hand.table.paused else []
        results += [_dice(table, hand, w, title, in_group=in_group, found=bool(calls)), *calls]
    return results


def _nothing_to_see(own: OwnTables, w: Catalogue) -> InlineResult:
    """Return the first step for a newcomer. The message that it posts invites the others."""
    if any(table.unrevealed for table in own.tables):  # in the person's language: the table may be over
        why, posts = RejectionReason.REVEALING, w.say("I'm looking at my dice 👀")
    else:
        spoken = catalogue(own.tables[0].language) if own.tables else w
        why = RejectionReason.NOT_STARTED if own.tables else RejectionReason.NO_TABLE
        posts = "🎲 " + spoken.say("Who plays Perudo with me? Send /perudo to open a table.")
    description = RejectionNotice(reason=why).alert(Format(w, Medium.ALERT))
    return InlineResult(title="🎲 Perudo", description=description, posts=posts)


def _dice(table: OwnTable, hand: HandView, w: Catalogue, title: str, *, in_group: bool, found: bool) -> InlineResult:
    own_dice, *rest = DiceNotice(view=hand).alert(Format(w, Medium.ALERT)).split("\n")
    if not in_group:
        rest.append(
            w.say("Your bids are in {title}: type my name there.", title=plain_name(table_name(table.title, w)))
        )
    elif hand.on_turn and not found and not hand.table.paused:
        rest.append(w.say("That doesn't match a call you can make now."))
    spoken = catalogue(table.language, table.dice_style)
    return InlineResult(
        title="🎲 " + own_dice,
        description=" · ".join(([title] if title else []) + rest),
        posts=spoken.say("I'm looking at my dice 👀"),
        table=hand.table.table,
        step=hand.table.step,
    )


def _calls(table: OwnTable, hand: HandView, typed: str, title: str, w: Catalogue) -> list[InlineResult]:
    """Return the player's calls that match the typed words."""
    view = hand.table
    spoken = catalogue(table.language, table.dice_style)
    fits = filter_for(typed, w.language, table.language, view)

    def about(text: str) -> str:
        return " · ".join(part for part in (text, title) if part)

    standing = about(_standing(hand, w))
    found = []
    if hand.may_dudo and fits.dudo:
        dudo = w.say("Dudo!"), standing, escape(spoken.say("Dudo!"))
        found.append(_ending_call("dudo", *dudo, view))
    if hand.may_calza and fits.calza:
        calza = w.say("Calza!"), standing, escape(spoken.say("Calza!"))
        found.append(_ending_call("calza", *calza, view))
    return found + [
        InlineResult(
            title=bid_figure(*bid, w, view.wild_by),
            description=about(face_words(*bid, w).bid),
            posts=escape(bid_figure(*bid, spoken, view.wild_by)),
            table=view.table,
            step=view.step,
            call="bid",
            bid=bid,
        )
        for bid in ranked_bids(hand)
        if fits.bid(*bid)
    ]


def _ending_call(
    call: Literal["dudo", "calza"], title: str, description: str, posts: str, view: TableView
) -> InlineResult:
    return InlineResult(f"{SIGNS[call]} {title}", description, posts, view.table, view.step, call)


def _standing(hand: HandView, w: Catalogue) -> str:
    bid = hand.table.standing
    if bid is None:
        return ""
    return w.say(
        "{name}: {figure}",
        figure=bid_figure(bid.quantity, bid.face, w, hand.table.wild_by),
        name=plain_name(hand.table.seats[bid.seat].name),
    )


def ranked_bids(hand: HandView) -> list[tuple[int, int]]:
    """Return all legal bids: the offered ones, then the most likely; the strongest of equally likely ones.

    The order follows from the player's own view, so it reveals nothing about other players' dice.
    """
    table = hand.table
    seen, unseen = seen_dice(table, hand.dice), unseen_dice(table, hand.dice)
    chances = {bid: probability_holds(seen, unseen, *bid, table.ones_wild) for bid in table.raises}
    strongest_first = list(reversed(table.raises))
    likeliest = sorted(strongest_first, key=lambda bid: chances[bid], reverse=True)
    return list(dict.fromkeys([*offered_bids(table, hand.dice), *likeliest]))
