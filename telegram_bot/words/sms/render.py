"""Turn a notice into one text message of at most 160 GSM-7 characters, in the reader's language."""

from collections.abc import Callable
from functools import partial
from typing import Any, Final

from telegram_bot import notices as n
from telegram_bot.words.catalogue import LANGUAGES, Catalogue, own_name
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line, Medium, drafts
from telegram_bot.words.notice_lines import LINES, added_lines
from telegram_bot.words.phrases import clock_label, table_name
from telegram_bot.words.sms import game_texts
from telegram_bot.words.sms.gsm import to_gsm
from telegram_bot.words.sms.layout import (
    Drafts,
    TextReader,
    fit_one_message,
    list_stirs,
    shorten_name,
    shorten_names,
)

LONGEST_COMMAND, LONGEST_CALL, LONGEST_LIST = 12, 24, 80
MOST_LISTED: Final = 4
"""The maximum number of players, or tables, that a text lists one by one."""


_CARRIERS_MATTER: Final = (
    n.PhoneMessage.WHO,
    n.PhoneMessage.HINT,
    n.PhoneMessage.STOPPED,
    n.PhoneMessage.ASK_START,
    n.PhoneMessage.RESUMED,
)
"""Answers to the words of telephone companies (STOP, HELP …), which are not about a game."""


def sms_text(notice: n.Notice, w: Catalogue, reader: TextReader) -> str | None:
    """Return a notice as a text message.

    None if phones do not get it. During a game each text begins with the round.
    """
    if type(notice) in _TEXTS:
        text: Drafts | str = _TEXTS[type(notice)](notice, w, reader)
    elif type(notice) in LINES:
        lines = partial(_lines, notice)
        if all(line.rank is None for line in lines(Format(w, Medium.TEXT))):
            return None
        text = drafts(lines, w, reader.code)
    else:
        return None
    round_ = _round_of(notice, reader)
    return fit_one_message(text, "" if round_ is None else f"R{round_}")


def _lines(notice: n.Notice, f: Format) -> list[Line]:
    return LINES[type(notice)](notice, f) + added_lines(notice, f)


def _round_of(notice: n.Notice, reader: TextReader) -> int | None:
    match notice:
        case n.HandNotice() | n.DiceNotice():
            return notice.view.table.round
        case n.TableNotice() | n.RevealNotice():
            return notice.view.round
        case n.GameOverNotice():
            return notice.view.rounds
        case n.PhoneNotice(word=word) if word in _CARRIERS_MATTER:
            return None
        case n.FeatureNotice() | n.AnswerNotice() if not isinstance(notice, n.AboutTable):
            return None
        case _:
            return reader.round


# The table


def _lobby(notice: n.LobbyNotice | n.StartedNotice, w: Catalogue, reader: TextReader) -> Drafts:
    view = notice.view
    numbers = notice.numbers if isinstance(notice, n.LobbyNotice) else ()
    number = reader.number if reader.number in numbers or not numbers else numbers[0]
    texting = any(seat.by_text for seat in view.seats if seat.player == view.host)

    def draft(letters: int, *, named: bool, clock: bool, sealed: bool) -> str:
        parts = [w.say("Table {code}.", code=view.code)]
        host = next((shorten_name(seat.name, letters) for seat in view.seats if seat.player == view.host), "")
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
                parts.append(w.say("{name} starts the game in the group.", name=host))
            else:
                parts.append(
                    w.say("Text GO to start.") if notice.to_host else w.say("{name} texts GO to start.", name=host)
                )
        if clock and view.clock.seconds:
            parts.append(w.say("Clock: {clock}.", clock=clock_label(view.clock, w)))
        if sealed and view.stirs:
            parts.append(w.say("Shaken in: {stirs}.", stirs=list_stirs(view.stirs, letters)))
        return " ".join(parts)

    few = len(view.seats) <= MOST_LISTED
    return (
        partial(draft, named=named, clock=clock, sealed=sealed)
        for sealed in (True, False)
        for named, clock in ((few, True), (few, False), (False, False))
    )


def _which_table(notice: n.WhichTableNotice, w: Catalogue, _reader: TextReader) -> Drafts:
    def draft(letters: int, *, shown: int) -> str:
        listed = ", ".join(
            f"{choice.code} {shorten_name(table_name(choice.title, w), letters)}" for choice in notice.choices[:shown]
        )
        if notice.call is None:
            return w.say("Which table? Text TABLE and a code: {tables}.", tables=listed)
        call = notice.call if notice.call[0].isdigit() else notice.call.upper()
        return w.say("Which table is {call} for? Text TABLE, a code and {call}: {tables}.", call=call, tables=listed)

    most = min(len(notice.choices), MOST_LISTED)
    return (partial(draft, shown=shown) for shown in range(most, 0, -1))


# The phone itself


_PHONE: Final[dict[n.PhoneMessage, str]] = {
    n.PhoneMessage.HINT: mark(
        "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
    ),
    n.PhoneMessage.WHO: mark(
        "Perudo, a dice game among friends. Text JOIN and a friend's code to play, or NEW for a table. "
        "STOP ends all texts."
    ),
    n.PhoneMessage.STOPPED: mark("Perudo: you'll get no more texts. Text START to come back."),
    n.PhoneMessage.RESUMED: mark("Perudo: welcome back. Text ? for help, STOP to stop."),
    n.PhoneMessage.ASK_START: mark(
        "Perudo: do you want texts again? If so, text START {code}. If that wasn't you, do nothing."
    ),
    n.PhoneMessage.ASK_UNLINK: mark("Stop playing for {name} on this phone? If so, text UNLINK {code}."),
    n.PhoneMessage.ASK_NAME: mark("Shall I call you {name} from now on? If so, text NAME {code}."),
    n.PhoneMessage.ASK_KICK: mark("Take {name} off the table? If so, text KICK {code}."),
    n.PhoneMessage.WRONG_CODE: mark(
        "That's not the code from my last question. After many wrong codes I accept none until tomorrow."
    ),
    n.PhoneMessage.TOO_OLD: mark(
        "Your text took very long to arrive, so nothing happened. Text STATUS to see where things stand."
    ),
    n.PhoneMessage.LIMIT: mark("That was my last text for today. Your moves still count, and I answer again tomorrow."),
    n.PhoneMessage.TALK_LIMIT: mark(
        "I answer no more questions today. My other texts of the day are for your dice and your turns."
    ),
    n.PhoneMessage.NEEDS_CODE: mark("Which one? Text {command} and the code, like {command} ABC234."),
    n.PhoneMessage.UNKNOWN_CODE: mark(
        "I know no table {call}. Look at the code in your friend's message again, and text JOIN and the code."
    ),
    n.PhoneMessage.MEANT: mark("Did you mean {call}? Send: {call}"),
    n.PhoneMessage.LANGUAGES: mark("Text {command} and one of: {languages}."),
    n.PhoneMessage.QUIET_HOW: mark("Text QUIET and the hours of your night, like QUIET 22-8, or QUIET OFF."),
    n.PhoneMessage.CLOCK_HOW: mark("Text CLOCK and the time for a turn: 5M, 15M, 1H, 6H, 24H, or OFF."),
    n.PhoneMessage.KICK_HOW: mark("Text KICK and a name, or their place in the list of names, like KICK 2."),
    n.PhoneMessage.BOTS_HOW: mark("Text BOTS and a number, such as BOTS 2, to add computer players."),
    n.PhoneMessage.NAME_HOW: mark("Text NAME and what the others should call you, like NAME Gran."),
    n.PhoneMessage.BOOK_HOW: mark("Text BOOK and one of: {books}."),
}
"""How to begin, how to stop, how a command is used."""


def _phone(notice: n.PhoneNotice, w: Catalogue, reader: TextReader) -> Drafts:
    detail = to_gsm(notice.detail)

    def draft(letters: int) -> str:
        if notice.word is n.PhoneMessage.ASK_LINK:
            return _ask_link(notice, w, reader.code, letters)
        return w.say(
            _PHONE[notice.word],
            name=shorten_name(notice.detail, letters) or "Perudo",
            code=reader.code,
            command=detail[:LONGEST_COMMAND],
            call=detail[:LONGEST_CALL],
            books=detail[:LONGEST_LIST],
            languages=", ".join(map(own_name, LANGUAGES)),
        )

    return [draft]


def _ask_link(notice: n.PhoneNotice, w: Catalogue, code: str, letters: int) -> str:
    asker = shorten_name(notice.asker, letters) or w.say("Someone")
    if before := shorten_name(notice.detail, letters):
        return w.say(
            "{asker} on Telegram wants to use this phone, which plays for {name}. To allow it, text LINK {code}.",
            asker=asker,
            name=before,
            code=code,
        )
    return w.say(
        "{asker} on Telegram wants to play on this phone. To allow it, text LINK {code}. "
        "If that wasn't you, do nothing.",
        asker=asker,
        code=code,
    )


_TEXTS: Final[dict[type, Callable[[Any, Catalogue, TextReader], Drafts | str]]] = {
    n.LobbyNotice: _lobby,
    n.StartedNotice: _lobby,
    n.HandNotice: game_texts.hand,
    n.DiceNotice: game_texts.hand,
    n.TableNotice: game_texts.table,
    n.RevealNotice: game_texts.reveal,
    n.GameOverNotice: game_texts.game_over,
    n.ReminderNotice: game_texts.reminder,
    n.WhichTableNotice: _which_table,
    n.PhoneNotice: _phone,
}
"""Phones get no other notices: each text costs, and leagues, hints and whole files belong to chats."""
