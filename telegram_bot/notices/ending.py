"""The end of a round and of a game."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Literal

from pydantic import Field

from telegram_bot.notices import card_types as c
from telegram_bot.notices.base import ExtendedNotice, NoticeModel, PageFormat, Worded, added_lines
from telegram_bot.notices.card_parts import bid_field, bid_fields, plain_text, seat_fields
from telegram_bot.tables.result_views import CalledRound, GameOverView, RevealView, called_round
from telegram_bot.tables.views import BidView
from telegram_bot.words import speech_words
from telegram_bot.words.chat.game_words import MEDALS, counted, matched_hand, reaction_line, said_lines
from telegram_bot.words.lines import BLANK, Format, Line, Medium, html
from telegram_bot.words.phrases import faced, name_of, plain_name, titled
from telegram_bot.words.results import (
    call_line,
    changed_lines,
    ending_lines,
    names_at,
    next_lines,
    out_lines,
    verdict,
    won_line,
)
from telegram_bot.words.sms import game_texts
from telegram_bot.words.sms.layout import TextReader


class CallNotice(NoticeModel):
    """A player has called dudo or calza. The dice follow in the same message."""

    kind: Literal["call"] = "call"
    card_slot = "end"
    is_public = True
    round: CalledRound
    call: Literal["dudo", "calza"]
    caller: int
    bid: BidView
    shared: bool = False
    """Whether the round's message offered bids to all."""

    @property
    def answers(self) -> int | None:
        """The voice note of the doubted bid, whether it is a lie or not: the call tells nothing of the dice."""
        return self.round.note

    def in_chat(self, f: Format) -> str:
        """Return the call that ends a round, before the dice are shown."""
        called = call_line(self.call, self.caller, self.bid, self.round, f)
        return "\n".join([*said_lines(self.round, f.w), called.text, "", "🥁 " + f.w.say("Cups up…")])

    def news(self, f: Format) -> list[str]:
        return [call_line(self.call, self.caller, self.bid, self.round, f).text]

    def on_page(self, _: PageFormat) -> tuple[Literal["call"], c.CallFields]:
        return "call", {
            "round": self.round.round,
            "call": self.call,
            "caller": self.caller,
            "bid": bid_field(self.bid),
            "bids": bid_fields(self.round.bids),
            "seats": seat_fields(self.round.seats),
        }


class RevealNotice(ExtendedNotice):
    """The message of a round once it is over."""

    kind: Literal["reveal"] = "reveal"
    card_slot = "end"
    is_public = True
    read_aloud = True
    view: RevealView
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""
    shared: bool = False
    """Whether the round's message offered bids to all."""
    animated: bool = False
    """Whether an animation shows the dice: the words below it are hidden at first, and no call precedes it."""
    opened: bool = False
    """Whether the words below an animation are not hidden."""

    @property
    def pictured(self) -> RevealView | None:
        """The dice of all, if a call ended the round."""
        return None if self.view.bid is None or self.view.count is None else self.view

    @property
    def answers(self) -> int | None:
        return self.view.answered_note

    @property
    def moves(self) -> bool:
        return self.animated

    def in_chat(self, f: Format) -> str:
        return self._shown(f, pictured=self.animated)

    def below_picture(self, f: Format) -> str:
        return self._shown(f, pictured=True)

    def _shown(self, f: Format, *, pictured: bool) -> str:
        """Everyone's dice with the matching ones marked, the count, and the result; a picture shows dice and count.

        Below an animation the result is hidden until the message is opened. Readers with a board have read the bids and
        the call there.
        """
        w = f.w
        view = self.view
        on_board = self.seat is not None and view.bid is not None
        lines = [] if self.seat is not None else said_lines(called_round(view), w)
        lines += [] if on_board and pictured else [html([line]) for line in ending_lines(view, f)]
        if view.bid is not None and not pictured:
            names = [faced(seat, name_of(seat)) for seat in view.seats]
            dice = (f"{names[seat]}: {matched_hand(view, seat, w)}" for seat, hand in enumerate(view.dice) if hand)
            lines += ["", *dice, ""]
        count = [] if view.bid is None or (pictured and not self.animated) else [Line(counted(view, w))]
        reaction = [] if view.reaction is None else [Line(reaction_line(view, view.reaction, w))]
        palifico = (
            next_lines(view, f) if view.next_palifico else []
        )  # else the next round's message contains everything
        changes = [*changed_lines(view, f), *out_lines(view, f)]
        lie = [Line(w.say("That voice note was a lie: not a single one!"), sign="🎙")] if view.spoken_lie else []
        end = html([*count, *lie, *changes, *reaction, *self.part_lines(f), *palifico])
        return "\n".join([*lines, f"<tg-spoiler>{end}</tg-spoiler>" if self.animated and not self.opened else end])

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:  # noqa: ARG002 - the same for all
        """Return the end, for a reader who is not in the next round, or whose earlier text was late."""
        return game_texts.reveal(self.view, self.seat, f)

    def in_speech(self, f: Format) -> list[str]:
        """Return the call, the dice that counted, the count, and the result."""
        return speech_words.reveal(self.view, f)

    def on_page(self, page: PageFormat) -> tuple[Literal["reveal"], c.RevealFields]:
        w = page.w
        view, f = self.view, Format(w, Medium.ALERT)
        ended = [] if view.bid is not None else ending_lines(view, f)
        # That a player is out takes the place of the dice that they lose.
        newest = {line.seat: line for line in (*changed_lines(view, f), *out_lines(view, f))}
        return "reveal", {
            "round": view.round,
            "call": view.call,
            "caller": view.caller,
            "bid": None if view.bid is None else bid_field(view.bid),
            "count": view.count,
            "ones_wild": view.ones_wild,
            "dice": [list(hand) for hand in view.dice],
            "changes": [{"seat": change.seat, "dice": change.dice} for change in view.changes],
            "out": list(view.out),
            "lines": [{"seat": line.seat, "text": line.text} for line in (*ended, *newest.values())],
            "verdict": verdict(view, f),
            "next_opener": view.next_opener,
            "next_palifico": view.next_palifico,
            "timed_out": view.timed_out,
            "seats": seat_fields(view.seats),
            "bids": bid_fields(view.bids),
            "reaction": "" if view.reaction is None else plain_text(reaction_line(view, view.reaction, w)),
        }

    @property
    def about_table(self) -> int | None:
        return self.view.table

    def round_at_front(self, current: int | None) -> int:  # noqa: ARG002 - its own
        return self.view.round

    def is_play(self, *, is_new: bool) -> bool:  # noqa: ARG002 - always
        return True


class OpenedRevealNotice(ExtendedNotice):
    """The reveal below an animation that has ended: the words are no longer hidden."""

    kind: Literal["opened_reveal"] = "opened_reveal"
    view: RevealView
    seat: int | None = None
    """As in the `RevealNotice`."""

    def in_chat(self, f: Format) -> str:
        """Return the words below an animation that has ended."""
        return RevealNotice(view=self.view, seat=self.seat, animated=True, opened=True, parts=self.parts).in_chat(f)


class RoundOverNotice(NoticeModel):
    """The old message of a round whose reveal is in a new one: the bids remain, the buttons go."""

    kind: Literal["round_over"] = "round_over"
    round: CalledRound
    shared: bool = False
    """Whether the message offered bids to all."""

    def in_chat(self, f: Format) -> str:
        """Return the bids of a round whose end is in a message below."""
        return "\n".join(said_lines(self.round, f.w))


def reveal_html(view: RevealView, f: Format) -> str:
    """Return the end of a round as part of another message."""
    return RevealNotice(view=view).in_chat(f)


class GameOverNotice(ExtendedNotice):
    """The winner, the places, and a way to play again."""

    kind: Literal["game_over"] = "game_over"
    cuts_names = True
    card_slot = "over"
    is_public = True
    read_aloud = True
    view: GameOverView
    previous: RevealView | None = None
    """The end of the last round, for readers who have not seen it."""
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader, by its number at the table."""
    title: str = ""
    """The title of the table's chat, for a reader elsewhere."""
    in_group: bool = False
    """Whether a group reads it, which has a list of people to tell of its next game."""
    unfolded: bool | None = None
    """Whether all keys are below it, not *More* in their place, or None if only the group's message has them."""

    def in_chat(self, f: Format) -> str:
        """Return the winner and the places, after the end of the last round for readers who have not seen it."""
        lines = [] if self.previous is None else [reveal_html(self.previous, f), ""]
        lines += [] if self.seat is None else [titled(self.title)]
        return "\n".join([*lines, html(self.lines(f))])

    def below_picture(self, f: Format) -> str | None:
        return html(self._lines(f, pictured=True)) if any(part.is_drawn for part in self.parts) else None

    def lines(self, f: Format) -> list[Line]:
        """Return the winner, the places, and the question for another game."""
        return self._lines(f)

    def _lines(self, f: Format, *, pictured: bool = False) -> list[Line]:
        replaced = self.replacing_lines(f)
        lines = replaced or self._places(f)
        parts = [] if f.medium is Medium.SPEECH else self.part_lines(f, pictured=pictured)
        lines += [BLANK, *parts] if parts else []
        if not self.view.asks_again or replaced:
            return lines
        return [*lines, BLANK, Line(f.w.count("One round. Again?", "{n} rounds. Again?", self.view.rounds))]

    def _places(self, f: Format) -> list[Line]:
        view, w, heard = self.view, f.w, f.medium is Medium.SPEECH
        placed = list(zip(view.seats, names_at(view, f), strict=True))
        lines = [Line(f.strong(won_line(view, f)), sign="🏆" if not view.going_on else "🎟"), BLANK]
        for seat, name in placed:
            place = seat.place or len(view.seats)
            if not heard:
                lines.append(Line(faced(seat, name), sign=MEDALS[place - 1] if place <= len(MEDALS) else f"{place}."))
            elif place > 1:
                lines.append(Line(w.say("Place {place}: {name}.", place=str(place), name=name)))
        if view.by_dice:
            lines.append(Line(w.say("Only computer players were left, so I counted their dice."), sign="🤖"))
        return lines

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:  # noqa: ARG002 - the same for all
        """Return the winner, after the end of the last round."""
        # A feature's line offers more than another game, where there is room.
        added = [line.text for line in added_lines(self, f) if line.rank is not None]
        return game_texts.game_over(self.view, self.previous, self.seat, added, f)

    def in_speech(self, f: Format) -> list[str]:
        """Return the end of the last round, the winner, and the places."""
        lines = [] if self.previous is None else speech_words.reveal(self.previous, f)
        return [*lines, *(line.text for line in self.lines(f))]

    def on_page(self, page: PageFormat) -> tuple[Literal["over"], c.OverFields]:
        view = self.view
        return "over", {
            "winner": view.winner,
            "winner_name": next((plain_name(seat.name) for seat in view.seats if seat.place == 1), ""),
            "rounds": view.rounds,
            "going_on": not view.asks_again,
            "seats": seat_fields(view.seats),
            "acts": list(page.acts),
        }

    @property
    def about_table(self) -> int | None:
        return self.view.table

    @property
    def keyed_at(self) -> tuple[int | None, int | None]:
        return self.view.table, None

    def round_at_front(self, current: int | None) -> int:  # noqa: ARG002 - its own
        return self.view.rounds

    def is_play(self, *, is_new: bool) -> bool:  # noqa: ARG002 - always
        return True


class KnockedOutNotice(Worded):
    """A private message below the dice: the reader is out, with their place."""

    kind: Literal["knocked_out"] = "knocked_out"
    read_aloud = True
    place: int
    players: int
    title: str
    practice: int | None = None
    """The practice table where computer players still play, or None in another game."""
    options: Mapping[str, str] = Field(default_factory=dict)
    """The options of features at the table."""

    def lines(self, f: Format) -> list[Line]:
        """Return the place of a player who is out."""
        out = f.w.say("☠️ You're out: place {place} of {players}.", place=str(self.place), players=str(self.players))
        title = [Line(titled(self.title), rank=None)] if f.medium is Medium.CHAT else []
        if self.practice is not None:
            return [Line(f.strong(out), rank=None)]
        return [*title, Line(f.strong(out), rank=None), Line(f.w.say("I'll tell you here who wins."), rank=None)]


class Celebration(StrEnum):
    """The occasion of a celebration, the greatest first."""

    WIN = "win"
    EXACT_CALZA = "exact_calza"
    ELIMINATION = "elimination"


class ReactionNotice(NoticeModel):
    """The bot reacts to the reveal, if that delays no turn."""

    kind: Literal["reaction"] = "reaction"
    celebration: Celebration


def call_notice(view: RevealView) -> CallNotice | None:
    """Return the call that ended the round, or None if it ended without one."""
    if view.bid is None or view.caller is None or view.call not in ("dudo", "calza"):
        return None
    call: Literal["dudo", "calza"] = "calza" if view.call == "calza" else "dudo"
    return CallNotice(round=called_round(view), call=call, caller=view.caller, bid=view.bid)


def celebration_of(view: RevealView, *, won: bool) -> Celebration | None:
    """Return the reason of a celebration at the end of a round."""
    if won:
        return Celebration.WIN
    if view.call == "calza" and view.bid is not None and view.count == view.bid.quantity:
        return Celebration.EXACT_CALZA
    return Celebration.ELIMINATION if view.out and view.bid is not None else None
