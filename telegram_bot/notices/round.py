"""A running round: its message, the dice of each player, bids, voice notes, the reminder."""

from html import escape
from typing import TYPE_CHECKING, Final, Literal

from pydantic import ConfigDict

from perudo_core import Bid, parse_call
from telegram_bot.notices import card_types as c
from telegram_bot.notices.base import NoticeModel, PageFormat, WebDoor, Worded
from telegram_bot.notices.card_parts import bid_fields, plain_lines, plain_text, seat_fields
from telegram_bot.notices.ending import RevealNotice, reveal_html
from telegram_bot.notices.rendering import LONGEST_ALERT, toast_text
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.offered_bids import offered_bids
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.tip_rules import Tip
from telegram_bot.tables.views import BidView, HandView, TableView
from telegram_bot.words import speech_words
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.chat.game_words import (
    BIDS_ON_A_BOARD,
    announced_lines,
    bid_lines,
    bid_list,
    facts,
    figure,
    palifico_lines,
    seat_line,
    showing_label,
    shown_lines,
    standing_line,
    total_dice,
    with_count,
)
from telegram_bot.words.dice import call_label, dice
from telegram_bot.words.lines import Format, Line, Medium, plain
from telegram_bot.words.phrases import plain_name, titled
from telegram_bot.words.results import call_line, calza_explained
from telegram_bot.words.sms import game_texts
from telegram_bot.words.sms.layout import TextReader, time_of_day
from telegram_bot.words.tip_words import tip_text
from telegram_bot.words.turns import next_line, paused_text, what_now, whose_turn


class TableNotice(NoticeModel):
    """The message of the running round.

    `shared`: the table's message asks the player to call, because no private message does. `unreachable`: some player
    has no private route, and gets instructions to open one.
    """

    kind: Literal["table"] = "table"
    card_slot = "table"
    is_public = True
    read_aloud = True
    view: TableView
    shared: bool
    unreachable: bool
    seat: int | None = None
    """The seat of the reader, if the notice has only one reader."""
    may_calza: bool = False
    """Whether that reader may say calza."""
    own_chat: bool = False
    """Whether its only reader watches computer players, in their own chat."""
    in_text_field: bool = False
    """Whether the player whose turn it is sees dice and bids in the text field, and needs no shared buttons."""

    def in_chat(self, f: Format) -> str:
        """Return each player's number of dice, the bids, whose turn it is, and when the turn ends."""
        w = f.w
        view = self.view
        lines = ["🎲 <b>" + w.say("Round {number}", number=str(view.round)) + "</b>" + total_dice(view, w)]
        lines += announced_lines(view, f)
        lines += ["", *(seat_line(view, index, seat, w) for index, seat in enumerate(view.seats)), ""]
        lines += bid_lines(view, w)
        lines += [whose_turn(view, f), *next_line(view, f)]
        if self.unreachable:
            lines += ["", w.say("📮 Want your dice and buttons in private? Tap <b>Open the bot</b>, then Start.")]
        return "\n".join(lines)

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:
        """Return the state of the game: the bid, the player whose turn it is, the dice."""
        return game_texts.table(self.view, self.seat, f, reader, may_calza=self.may_calza)

    def in_speech(self, f: Format) -> list[str]:
        return speech_words.table(self.view, f)

    def news(self, f: Format) -> list[str]:
        """Return the last bid, or the new round, and whose turn it is."""
        return speech_words.table_news(self.view, f)

    def on_page(self, page: PageFormat) -> tuple[Literal["round"], c.RoundFields]:
        w = page.w
        view = self.view
        return "round", {
            "step": view.step,
            "round": view.round,
            "seats": seat_fields(view.seats),
            "turn": view.turn,
            "opener": view.opener,
            "bids": bid_fields(view.bids),
            "palifico": " ".join(plain_lines(palifico_lines(view, Format(w, Medium.CHAT)))),
            "facts": facts(view, w),
            "shown": self._shown(w),
            "ones_wild": view.ones_wild,
            "clock_ends": view.clock_ends,
            "paused": plain_text(paused_text(Format(w, Medium.ALERT))) if view.paused else "",
            "dudo": list(view.dudo_seats),
            "calza": list(view.calza_seats),
            "raises": [list(bid) for bid in view.raises],
            "start": next(map(list, offered_bids(view)), None),
            "acts": list(page.acts),
        }

    def _shown(self, w: Catalogue) -> list[c.ShownField]:
        """Return the open dice."""
        lines = shown_lines(self.view, Format(w, Medium.ALERT))
        return [
            {"seat": each.seat, "dice": list(each.faces), "text": line}
            for each, line in zip(self.view.shown, lines, strict=True)
        ]

    @property
    def about_table(self) -> int | None:
        return self.view.table

    @property
    def keyed_at(self) -> tuple[int | None, int | None]:
        return self.view.table, self.view.step

    def round_at_front(self, current: int | None) -> int:  # noqa: ARG002 - its own
        return self.view.round

    @property
    def asks(self) -> bool:
        """Whether its keys ask the player whose turn it is."""
        return self.shared

    @property
    def asked_player(self) -> int | None:
        view = self.view
        return None if view.turn is None else view.seats[view.turn].player

    @property
    def web_door(self) -> WebDoor | None:
        is_open = self.seat is None and self.view.code and not (self.view.paused or self.unreachable)
        return WebDoor(self.view.code) if is_open else None


class OwnDice(NoticeModel):
    """A notice with the dice of its only reader."""

    has_own_dice = True
    read_aloud = True

    if TYPE_CHECKING:  # declared by each type, in its stored order
        view: HandView

    @property
    def about_table(self) -> int | None:
        return self.view.table.table

    @property
    def turn_ends(self) -> float | None:
        return self.view.table.clock_ends if self.view.on_turn else None

    def round_at_front(self, current: int | None) -> int:  # noqa: ARG002 - its own
        return self.view.table.round


class HandNotice(OwnDice):
    """One player's dice, and their legal bids if they are on turn.

    In a private chat it is the player's board, which is edited during the round.
    """

    model_config = ConfigDict(extra="ignore")  # release 1.1 stored the stirs
    kind: Literal["hand"] = "hand"
    card_slot = "hand"
    view: HandView
    player: int
    title: str
    deal: int
    previous: RevealView | None = None
    help: Literal["unheard", "asked", "again"] | None = None
    """The reason for an explanation: words without a meaning, a question, or a second failure."""
    board: bool = False
    """Whether the message is edited during the round, so that it shows the state of the round."""
    called: Literal["dudo", "calza"] | None = None
    """The call that has ended the round, or None if it goes on."""
    caller: int | None = None
    """The seat whose call it was."""
    tip: Tip | None = None
    """The tip for a new player."""

    @property
    def pictured(self) -> HandView | None:
        return self.view if self.view.dice else None

    def in_chat(self, f: Format) -> str:
        """Return the dice and the facts for a decision; on a board also the round. At most six lines."""
        return self._shown(f, pictured=False)

    def below_picture(self, f: Format) -> str:
        return self._shown(f, pictured=True)

    def _shown(self, f: Format, *, pictured: bool) -> str:
        """Return a player's own dice and the facts for a decision; on a board also the round. At most six lines."""
        w = f.w
        hand = self.view
        view = hand.table
        round_number = " · " + w.say("round {number}", number=str(view.round))
        lines = [] if self.previous is None else [reveal_html(self.previous, f), ""]
        lines += [titled(self.title, round_number + total_dice(view, w))]
        lines += [self._dice_counts()] if self.board else []
        lines += announced_lines(view, f)
        if not pictured:
            lines.append(w.say("Your dice: {dice}", dice=f"<b>{dice(sorted(hand.dice), w, view.wild_by)}</b>"))
        standing = view.standing
        own = standing is not None and standing.seat == hand.seat and self.called is None
        earlier = view.bids[:-1] if own else view.bids
        if self.board and earlier:
            lines.append(bid_list(view, earlier, BIDS_ON_A_BOARD, w, standing=None if own else standing))
        elif standing is not None and not own:
            lines.append(standing_line(view, standing, w))
        lines.append(self._what_was_called(w) or (self._what_was_bid(w) if own else what_now(hand, f)))
        lines += next_line(view, f, hand.seat) if self.called is None else []
        tip = tip_text(self.tip, hand, f)
        if tip:
            lines.append(f"🐣 <i>{tip}</i>")
        return "\n".join(lines)

    def _dice_counts(self) -> str:
        """Return the number of dice of each player, and the player whose turn it is."""
        view = self.view.table
        return " · ".join(
            with_count(seat, on_turn=index == view.turn and self.called is None)
            for index, seat in enumerate(view.seats)
        )

    def _what_was_called(self, w: Catalogue) -> str:
        """Return the call that has ended the round; empty if there is none."""
        view = self.view.table
        bid, caller = view.standing, self.caller
        if self.called is None or bid is None or caller is None:
            return ""
        if caller != self.view.seat:
            said = call_line(self.called, caller, bid, view, Format(w, Medium.CHAT)).text
        elif self.called == "dudo":
            said = w.say("🗣 You said <b>dudo</b>.")
        else:
            said = w.say("🎯 You said <b>calza</b>.")
        return said + " 🥁 " + w.say("Cups up…")

    def _what_was_bid(self, w: Catalogue) -> str:
        """Return the reader's own bid, if it is the bid to beat."""
        view = self.view.table
        bid = "" if view.standing is None else f"<b>{figure(view, view.standing, w)}</b>"
        if self.view.by_bot:
            return w.say("💤 I bid {bid} for you.", bid=bid)
        return w.say("✅ You bid {bid}. I'll call you when it's your turn.", bid=bid)

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:
        """Return a turn: the end of the last round, the new dice, and what to text now."""
        said = game_texts.Said(self.previous, self.help, self.tip)
        return game_texts.hand(self.view, said, f, reader)

    def in_speech(self, f: Format) -> list[str]:
        """Return the bids since the reader's own, what they can do, and their dice."""
        return speech_words.hand(self.view, self.tip, f)

    def news(self, f: Format) -> list[str]:
        """Return the dice, and whether it is the reader's turn."""
        return speech_words.hand_news(self.view, f)

    def on_page(self, page: PageFormat) -> tuple[Literal["hand"], c.HandFields]:
        w = page.w
        hand, table = self.view, self.view.table
        return "hand", {
            "step": table.step,
            "round": table.round,
            "deal": self.deal,
            "seat": hand.seat,
            "dice": list(hand.dice),
            "on_turn": hand.on_turn,
            "may_dudo": hand.may_dudo,
            "may_calza": hand.may_calza,
            "raises": [list(bid) for bid in table.raises] if hand.on_turn else [],
            "start": next(map(list, offered_bids(table, hand.dice)), None) if hand.on_turn else None,
            "tip_shows_dice": self.tip is not None and self.tip.shows_dice,
            "shows": showing_label(hand, w),
            "tip": tip_text(self.tip, hand, Format(w.with_dice(DiceStyle.WORDS), Medium.ALERT)),
        }

    @property
    def keyed_at(self) -> tuple[int | None, int | None]:
        return self.view.table.table, self.view.table.step

    def is_play(self, *, is_new: bool) -> bool:
        """Return True unless it answers a player who asked."""
        return is_new

    @property
    def asks(self) -> bool:
        return self.view.on_turn

    @property
    def own_deal(self) -> int:
        return self.deal

    @property
    def web_door(self) -> WebDoor | None:
        """The reader's seat, on a board while the round goes on."""
        code = self.view.table.code
        return WebDoor(code, private=True) if self.board and self.called is None and code else None

    def keeping(self, old: NoticeModel) -> tuple[NoticeModel, NoticeModel | None]:
        """Return it with the old one's end of a round; another end of a round is told on its own."""
        if not isinstance(old, HandNotice) or old.previous is None:
            return self, None
        if self.previous is None or self.previous == old.previous:
            return self.model_copy(update={"previous": old.previous}), None
        return self, RevealNotice(view=old.previous, seat=old.view.seat)


class DiceNotice(OwnDice):
    """The dice of one player, short enough for an alert."""

    kind: Literal["dice"] = "dice"
    view: HandView
    tip: Tip | None = None

    @property
    def takes_time(self) -> bool:
        return True

    def alert(self, f: Format) -> str:
        """Return the dice and the bid to beat, short enough for an alert. Plain text."""
        w = f.w
        hand = self.view
        view = hand.table
        lines = [w.say("Your dice: {dice}", dice=dice(sorted(hand.dice), w, view.wild_by))]
        bid = view.standing
        if bid is not None:
            lines.append(
                w.say(
                    "{name}: {figure}",
                    figure=figure(view, bid, w),
                    name=plain_name(view.seats[bid.seat].name),
                )
            )
        lines += shown_lines(view, f)
        lines.append(whose_turn(view, f, hand.seat))
        tip = tip_text(self.tip, hand, f)
        lines += ["🐣 " + tip] if tip else []
        return "\n".join(filter(None, lines))[:LONGEST_ALERT]

    def in_chat(self, f: Format) -> str:
        return escape(toast_text(self, f.w), quote=False)

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:
        return game_texts.hand(self.view, game_texts.Said(tip=self.tip), f, reader)

    def in_speech(self, f: Format) -> list[str]:
        return toast_text(self, f.w).split("\n")


ANY_FACE: Final = 0
"""Asks for the choice between the faces, instead of one face's bids."""


class BidsNotice(NoticeModel):
    """The bids on a face, the choice of a face, or the most likely bids, in a message with other contents."""

    kind: Literal["bids"] = "bids"
    view: TableView
    seat: int
    face: int | None
    private: bool
    """Whether only the player sees the message."""
    dice: tuple[int, ...] = ()
    """The player's dice, in a private message only: the best bids follow from them."""

    @property
    def keyed_at(self) -> tuple[int | None, int | None]:
        return self.view.table, self.view.step


class HeardNotice(NoticeModel):
    """Asks the speaker of a voice note which of these calls they said; after the answer, reports it."""

    kind: Literal["heard"] = "heard"
    read_aloud = True
    table: int
    step: int
    player: int
    name: str
    private: bool
    """Whether only the player reads it."""
    guesses: tuple[str, ...]
    """Calls as `perudo_core` writes them, the likeliest first."""
    sure: bool = False
    """Whether the recogniser is sure of the first."""
    explained: BidView | None = None
    """The bid to beat, if the first guess is calza and the player has never said it: the question explains calza."""
    costs_others: bool = False
    """Whether a right calza, which the question explains, costs all others a die."""
    first_out_wins: bool = False
    """Whether it gives the caller's die away."""
    sudden_death: bool = False
    """Whether one loss puts a player out."""
    answered: bool = False
    """Whether the player has said that the only guess is right."""
    wild_by: str | None = None
    """The rulebook by which ones are wild in the round, or None if they are not."""

    def in_chat(self, f: Format) -> str:
        """Asks the player which call they said, or reports it."""
        explained = plain(self._calza_explained(f))
        return " ".join(filter(None, [explained, self._question(f.w)]))

    def _calza_explained(self, f: Format) -> list[Line]:
        return calza_explained(
            self.explained,
            self.wild_by,
            f,
            costs_others=self.costs_others,
            first_out_wins=self.first_out_wins,
            sudden_death=self.sudden_death,
        )

    def _question(self, w: Catalogue) -> str:
        name = escape(plain_name(self.name), quote=False)
        first = f"<b>{escape(call_label(self.guesses[0], w, self.wild_by), quote=False)}</b>" if self.guesses else ""
        if self.answered and self.private:
            return w.say("🎙 You said {call}.", call=first)
        if self.answered:
            return w.say("🎙 {name} said {call}.", name=name, call=first)
        if self.sure and self.private:
            return w.say("🎙 I heard {call}. Tap to play it.", call=first)
        if self.sure:
            return w.say("🎙 {name}, I heard {call}. Tap to play it.", name=name, call=first)
        if self.private:
            return w.say("🎙 Did you say this? Tap to play it.")
        return w.say("🎙 {name}, did you say this? Tap to play it.", name=name)

    def in_speech(self, f: Format) -> list[str]:
        """Return the recognised call; a listener can answer in the same way."""
        w, said = f.w, parse_call(self.guesses[0], 0)
        call = f.bid(said.quantity, said.face) if isinstance(said, Bid) else call_label(self.guesses[0], w, None)
        if self.answered or not self.private:
            return [w.say("{name} says {bid}.", name=f.name(self.name, 1), bid=call)]
        explained = [line.text for line in self._calza_explained(f)]
        return [
            w.say("I heard {call}.", call=call),
            *explained,
            w.say('Say "that is right", and it counts. If not, say it again.'),
        ]


class ReminderNotice(Worded):
    """The player to call has little time left."""

    kind: Literal["reminder"] = "reminder"
    card_slot = "note"
    read_aloud = True
    name: str
    address: int
    clock_ends: float
    direct: bool
    view: HandView | None = None
    """The player's turn, if they alone read the notice: a text names a bid that is legal."""

    def lines(self, f: Format) -> list[Line]:
        """Remind the player whose turn it is; in a group, by a mention."""
        if self.direct:
            return [Line(f.w.say("⏰ Your time is nearly up."))]
        name = f.name(self.name)
        mention = f'<a href="tg://user?id={self.address}">{name}</a>' if f.medium is Medium.CHAT else name
        return [Line(f.w.say("⏰ {name}, your time is nearly up.", name=mention))]

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:
        """Return when the player's time ends, and what to text until then."""
        time = time_of_day(self.clock_ends, reader, f.w.language)
        now = [] if self.view is None else [Line(what_now(self.view, f))]
        return [Line(f.w.say("Your time runs out at {time}.", time=time)), *now]

    def on_page(self, _: PageFormat) -> tuple[Literal["reminder"], c.ReminderFields]:
        return "reminder", {"clock_ends": self.clock_ends}

    def is_play(self, *, is_new: bool) -> bool:  # noqa: ARG002 - always
        return True
