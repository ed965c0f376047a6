"""Turn a notice into one text message of at most 160 GSM-7 characters, in the reader's language."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final, assert_never

from perudo_core import Reason
from telegram_bot.service import notices as n
from telegram_bot.tables.events import CloseReason, RejectionReason
from telegram_bot.tables.fair_dice import SHOWN_OF_SEAL
from telegram_bot.words import replies
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import clock_label
from telegram_bot.words.rules import preset_label
from telegram_bot.words.sms import game, phone_pages
from telegram_bot.words.sms.layout import (
    Drafts,
    Reader,
    bid_figure,
    fit_one_message,
    fixed_text,
    list_stirs,
    shorten_name,
    shorten_names,
    time_of_day,
)

__all__ = ["Reader", "sms_text"]

LONGEST_TITLE: Final = 20
LONGEST_LIST: Final = 4
"""The most players, or tables, that a text names one by one."""


_CARRIERS_MATTER: Final = (
    n.PhoneMessage.WHO,
    n.PhoneMessage.HINT,
    n.PhoneMessage.STOPPED,
    n.PhoneMessage.ASK_START,
    n.PhoneMessage.RESUMED,
)
"""Answers to the words of telephone companies (STOP, HELP …): they have nothing to do with a game."""


def sms_text(notice: n.Notice, w: Catalogue, reader: Reader) -> str | None:
    """A notice as a text message; None if a phone is not told of it. During a game each text begins with the round."""
    drafts = _drafts(notice, w, reader)
    if drafts is None:
        return None
    round_ = _round_of(notice, reader)
    return fit_one_message(drafts, "" if round_ is None else f"R{round_}")


def _round_of(notice: n.Notice, reader: Reader) -> int | None:
    match notice:
        case n.HandNotice() | n.DiceNotice():
            return notice.view.table.round
        case n.TableNotice() | n.RevealNotice():
            return notice.view.round
        case n.GameOverNotice():
            return notice.view.rounds
        case n.PhoneNotice(word=word) if word in _CARRIERS_MATTER:
            return None
        case _:
            return reader.round


def _drafts(notice: n.Notice, w: Catalogue, reader: Reader) -> Drafts | None:  # noqa: C901, PLR0911, PLR0912 - one case per notice
    match notice:
        case n.HandNotice() | n.DiceNotice():
            return game.hand(notice, w, reader)
        case n.TableNotice():
            return game.table(notice, w, reader)
        case n.RevealNotice():
            return game.reveal(notice, w)
        case n.GameOverNotice():
            return game.game_over(notice, w)
        case n.LobbyNotice() | n.StartedNotice():
            return _lobby(notice, w, reader)
        case n.ClosedNotice():
            return _closed(notice, w)
        case n.ReminderNotice():
            until = time_of_day(notice.clock_ends, reader, w.language)
            return fixed_text(
                w.say("Your turn is running out: until {time}. Text a bid like 3x4, or DUDO.", time=until)
            )
        case n.AwayNotice():
            return _titled(
                lambda title: w.say(
                    "You missed your turn at {title}, so I play for you. Text BACK to play on.", title=title
                ),
                notice.title,
            )
        case n.PausedNotice():
            return fixed_text(w.say("Everyone is away, so the game waits. Text BACK to go on."))
        case n.RulesNotice():
            return _rules(notice, w)
        case n.HelpNotice() | n.SettingsNotice():
            return phone_pages.help_text(w)
        case n.WelcomeNotice():
            return fixed_text(
                w.say("Perudo by text. Text JOIN and a table's code to take a seat, or NEW for a table of your own.")
            )
        case n.TutorialNotice():
            return phone_pages.tutorial_text(notice, w)
        case n.WhichTableNotice():
            return _which_table(notice, w)
        case n.ConfirmLeaveNotice() | n.ConfirmStopNotice():
            return _titled(partial(_question, notice, w=w, code=reader.code), notice.title)
        case n.ConfirmationNotice():
            return _done(notice, w)
        case n.RejectionNotice():
            return _denied(notice, w)
        case n.PhoneNotice():
            return phone_pages.phone_text(notice, w, reader.code)
        case n.CallNotice() | n.RoundOverNotice() | n.ReactionNotice() | n.SpokenNotice():
            return None
        case n.BidsNotice() | n.OutdatedNotice() | n.IdentifyAdminNotice() | n.RecordNotice() | n.LinkCodeNotice():
            return None
        case n.HostNotice() | n.ResumedNotice() | n.KnockedOutNotice():  # only chats are told
            return None
        case n.StoryNotice():
            return phone_pages.story_text(notice, w)
        case n.StatisticsNotice():
            return phone_pages.statistics_text(notice, w)
        case n.LeagueNotice() | n.ComputerRatingsNotice():  # a league belongs to a group's chat
            return None
        case n.NextGameOfferNotice() | n.NextGameNotice() | n.HeardNotice() | n.CoachNotice() | n.PracticeNotice():
            return None
        case n.RoundReviewNotice():  # a phone pays for nothing that can be left out
            return None
        case _:
            assert_never(notice)


# The table


def _lobby(notice: n.LobbyNotice | n.StartedNotice, w: Catalogue, reader: Reader) -> Drafts:
    view = notice.view
    numbers = notice.numbers if isinstance(notice, n.LobbyNotice) else ()
    number = reader.number if reader.number in numbers or not numbers else numbers[0]
    texting = any(seat.by_text for seat in view.seats if seat.player == view.host)

    def draft(letters: int, *, named: bool, clock: bool, sealed: bool) -> str:
        parts = [w.say("Table {code}.", code=view.code)]
        if isinstance(notice, n.StartedNotice):
            parts.append(w.say("The game is on!"))
        if named:
            parts.append(", ".join(shorten_names([seat.name for seat in view.seats], letters)) + ".")
        else:
            parts.append(w.count("{n} player.", "{n} players.", len(view.seats)))
        if isinstance(notice, n.LobbyNotice):
            if notice.asks_name:
                parts.append(w.say("Text NAME and your name."))
            parts.append(w.say("Friends text JOIN {code} to {number}.", code=view.code, number=number))
            if not texting:
                parts.append(w.say("The host starts the game in the group."))
            else:
                parts.append(w.say("Text GO to start.") if notice.to_host else w.say("The host texts GO to start."))
        if clock and view.clock.seconds:
            parts.append(w.say("Clock: {clock}.", clock=clock_label(view.clock, w)))
        if sealed and view.stirs:
            parts.append(w.say("Stirred: {stirs}.", stirs=list_stirs(view.stirs, letters)))
        elif sealed and view.commitment is not None and isinstance(notice, n.LobbyNotice):
            parts.append(_seal(view.commitment[:SHOWN_OF_SEAL], w))
        return " ".join(parts)

    few = len(view.seats) <= LONGEST_LIST
    return (
        partial(draft, named=named, clock=clock, sealed=sealed)
        for sealed in (True, False)
        for named, clock in ((few, True), (few, False), (False, False))
    )


def _seal(beginning: str, w: Catalogue) -> str:
    return w.say("Dice sealed {seal}. Text STIR and any word.", seal=beginning)


def _closed(notice: n.ClosedNotice, w: Catalogue) -> Drafts:
    match notice.why:
        case CloseReason.STOPPED if notice.by:
            why = w.say("🛑 {name} closed the table.", name=shorten_name(notice.by, LONGEST_TITLE))
        case CloseReason.STOPPED:
            why = w.say("🛑 The table was closed.")
        case CloseReason.IDLE:
            why = w.say("🌙 Nobody moved for a while, so I closed the table.")
        case CloseReason.EMPTY | CloseReason.LOST_CHAT:
            why = w.say("🍃 Everyone left, so I closed the table.")
    return fixed_text(why + " " + w.say("Text NEW for another one."))


def _rules(notice: n.RulesNotice, w: Catalogue) -> Drafts:
    book = preset_label(notice.rules.preset, w)
    return [
        lambda letters: w.say(
            "{book}: bid how many dice of a face all have together, each bid higher. Ones are "
            "wild. DUDO doubts: whoever is wrong loses a die.",
            book=shorten_name(book, letters),
        )
    ]


def _which_table(notice: n.WhichTableNotice, w: Catalogue) -> Drafts:
    def draft(letters: int, *, shown: int) -> str:
        listed = ", ".join(f"{choice.code} {shorten_name(choice.title, letters)}" for choice in notice.choices[:shown])
        return w.say("Which table? Text TABLE and a code: {tables}.", tables=listed)

    most = min(len(notice.choices), LONGEST_LIST)
    return (partial(draft, shown=shown) for shown in range(most, 0, -1))


def _question(notice: n.ConfirmLeaveNotice | n.ConfirmStopNotice, title: str, *, w: Catalogue, code: str) -> str:
    match notice:
        case n.ConfirmStopNotice():
            return w.say(
                "Close the table at {title} for everybody? Nobody wins. If so, text CLOSE {code}.",
                title=title,
                code=code,
            )
        case n.ConfirmLeaveNotice(lobby=True):
            return w.say("Leave the table at {title}? If so, text LEAVE {code}.", title=title, code=code)
        case _:
            return w.say(
                "Leave the game at {title}? You lose your dice, and the others roll again. If so, text LEAVE {code}.",
                title=title,
                code=code,
            )


def _titled(say: Callable[[str], str], title: str) -> Drafts:
    return [lambda letters: say(shorten_name(title, letters) or "Perudo")]


# Answers


def _done(notice: n.ConfirmationNotice, w: Catalogue) -> Drafts:  # noqa: PLR0911 - one case per confirmation
    match notice.done:
        case n.Confirmation.JOINED if notice.nameless:
            return _titled(
                lambda title: w.say(
                    "You are in at {title}! What shall I call you? Text NAME and your name. ? helps, "
                    "STOP ends all texts.",
                    title=title,
                ),
                notice.title,
            )
        case n.Confirmation.JOINED:
            return _titled(partial(_joined, seal=notice.seal, w=w), notice.title)
        case n.Confirmation.UNLINKED:
            return _titled(
                lambda title: w.say("This phone does not play for {name} any more.", name=title), notice.title
            )
        case n.Confirmation.RULES_CHOSEN:  # a text tells the lobby; house rules may have long names
            return fixed_text(w.say("Done."))
        case n.Confirmation.STORY_ABOVE:
            return fixed_text(w.say("You have that game's story already. Scroll up a little!"))
        case n.Confirmation.STORY_UNKNOWN:
            return fixed_text(w.say("I could not work out that game's story. Text STORY again in a minute."))
        case n.Confirmation.BID if notice.bid is not None:
            return fixed_text(w.say("You bid {bid}.", bid=bid_figure(notice.bid.quantity, notice.bid.face)))
        case _:
            title = shorten_name(notice.title, LONGEST_TITLE)
            return [lambda _letters: replies.done_text(notice.model_copy(update={"title": title}), w)]


def _joined(title: str, *, seal: str, w: Catalogue) -> str:
    joined = w.say(
        "You are in at {title}! Your dice come by text. ? helps, LEAVE leaves, STOP ends all texts.", title=title
    )
    return f"{joined} {_seal(seal, w)}" if seal else joined


_OF_THEIR_OWN: Final[dict[RejectionReason, Callable[[Catalogue], str]]] = {
    RejectionReason.NO_TABLE: lambda w: w.say(
        "There is no such game. Text JOIN and its code, or NEW for a table of your own."
    ),
    RejectionReason.NOT_SEATED: lambda w: w.say(
        "You do not sit at this table. Text JOIN and its code for the next game."
    ),
    RejectionReason.TABLE_EXISTS: lambda w: w.say("Your table is open already. Text STATUS to see it."),
    RejectionReason.STALE: lambda w: w.say(
        "That was for an earlier turn, so nothing happened. Text DICE to see your dice."
    ),
    RejectionReason.NO_LINK: lambda w: w.say(
        "No phone is linked. Send /link to the bot in Telegram, then text LINK and the code."
    ),
    RejectionReason.LINK_EXPIRED: lambda w: w.say(
        "I do not know that code. Send /link to the bot in Telegram for a new one."
    ),
    RejectionReason.NOBODY: lambda w: w.say(
        "Who is that? Text KICK and their place in the list of names, like KICK 2."
    ),
    RejectionReason.NOT_STARTED: lambda w: w.say("The game has not started yet. Text STATUS to see who is in."),
    RejectionReason.NO_GAME: lambda w: w.say("That game is over. Text AGAIN for another."),
}


def _of_phones(notice: n.RejectionNotice, w: Catalogue) -> Drafts | None:
    """Why a phone cannot do what was texted: somebody else plays with it, or the day's texts may not last."""
    if notice.shared is not None:
        names = notice.shared

        def shared(letters: int) -> str:
            name, other = (shorten_name(name, letters) or "Perudo" for name in names)
            return w.say(
                "This phone plays for {name} already, one seat a phone. Share it (text NAME {name} & {other}), or join "
                "with another phone.",
                name=name,
                other=other,
            )

        return [shared]
    if notice.denial is RejectionReason.TEXTS_SHORT and notice.texts is not None:
        needed, left = notice.texts
        return fixed_text(
            w.say(
                "Today's texts may run out: about {needed} needed, {left} left. Text GO to play anyway.",
                needed=needed,
                left=left,
            )
        )
    return None


_OUT_OF_TURN: Final = (None, Reason.NOT_YOUR_TURN, Reason.OWN_BID)


def _denied(notice: n.RejectionNotice, w: Catalogue) -> Drafts:
    """Why the intent was rejected and the smallest thing that would work."""
    on_turn = None if notice.on_turn is None else shorten_name(notice.on_turn, LONGEST_TITLE)
    plain = notice.model_copy(update={"on_turn": on_turn})
    if notice.suggestion is not None:
        call = notice.suggestion.upper() if notice.suggestion.isalpha() else notice.suggestion
        question = w.say("Did you mean {call}? Text {call}", call=call)
        why = replies.why_illegal(plain, w, bid_figure) if notice.standing is not None else ""
        return [lambda _letters: f"{why} {question}", lambda _letters: question]
    special = _of_phones(notice, w)
    if special is not None:
        return special
    own = _OF_THEIR_OWN.get(notice.denial)
    if own is not None:
        return fixed_text(own(w))
    if notice.denial is RejectionReason.ILLEGAL and notice.reason in _OUT_OF_TURN and on_turn is not None:
        why = "" if notice.reason is not Reason.OWN_BID else replies.why_illegal(plain, w, bid_figure)
        wait = w.say("It is {name}'s turn. You get a text when it is yours.", name=on_turn)
        return [lambda _letters: f"{why} {wait}"]
    if notice.denial is RejectionReason.ILLEGAL and notice.reason is None and notice.on_turn is None:
        return fixed_text(w.say("That is not possible now. Text STATUS to see the table."))
    return [lambda _letters: replies.denied_text(plain, w, bid_figure)]
