"""Notices about a phone itself, not about a game."""

from enum import StrEnum
from typing import Final, Literal

from telegram_bot.notices.base import About, NoticeModel, Question, Worded
from telegram_bot.words.catalogue import LANGUAGES, own_name
from telegram_bot.words.languages import mark
from telegram_bot.words.lines import Format, Line
from telegram_bot.words.sms.gsm import to_gsm
from telegram_bot.words.sms.layout import (
    TextReader,
    shorten_name,
)


class PhoneMessage(StrEnum):
    """A message about the phone itself, not about a game."""

    HINT = "hint"
    """For an unknown number: how to begin."""
    WHO = "who"
    """The answer to HELP: the sender of these texts, and how to stop them."""
    STOPPED = "stopped"
    RESUMED = "resumed"
    TOO_OLD = "too_old"
    """A text that took days to arrive."""
    LIMIT = "limit"
    """The day's texts are used up."""
    TALK_LIMIT = "talk_limit"
    """The day's texts are used up, except those reserved for the game."""
    ASK_START = "ask_start"
    """Asks whether the phone wants texts again."""
    ASK_UNLINK = "ask_unlink"
    """Asks whether the phone is to stop playing for another person."""
    ASK_LINK = "ask_link"
    """Asks whether the phone is to play for the asker; `detail`: the person for whom it plays until then."""
    ASK_NAME = "ask_name"
    """Asks whether `detail` is to be the owner's new name."""
    ASK_KICK = "ask_kick"
    """Asks whether the host means `detail`, whom they named by the place in the list."""
    WRONG_CODE = "wrong_code"
    """The code is not that of the last question."""
    NEEDS_CODE = "needs_code"
    UNKNOWN_CODE = "unknown_code"
    """No table has the code `detail`, with which an unknown number wants to join."""
    MEANT = "meant"
    """The text is almost a command; contains the corrected one."""
    LANGUAGES = "languages"
    QUIET_HOW = "quiet_how"
    CLOCK_HOW = "clock_how"
    KICK_HOW = "kick_how"
    BOTS_HOW = "bots_how"
    BOOK_HOW = "book_how"
    NAME_HOW = "name_how"


LONGEST_COMMAND, LONGEST_CALL, LONGEST_LIST = 12, 24, 80


_CARRIERS_MATTER: Final = (
    PhoneMessage.WHO,
    PhoneMessage.HINT,
    PhoneMessage.STOPPED,
    PhoneMessage.ASK_START,
    PhoneMessage.RESUMED,
)
"""Answers to the words of telephone companies (STOP, HELP …), which are not about a game."""


_PHONE: Final[dict[PhoneMessage, str]] = {
    PhoneMessage.HINT: mark(
        "This is Perudo, a dice game. Text JOIN and a friend's code, or NEW. HELP helps, STOP ends all texts."
    ),
    PhoneMessage.WHO: mark(
        "Perudo, a dice game among friends. Text JOIN and a friend's code to play, or NEW for a table. "
        "STOP ends all texts."
    ),
    PhoneMessage.STOPPED: mark("Perudo: you'll get no more texts. Text START to come back."),
    PhoneMessage.RESUMED: mark("Perudo: welcome back. Text ? for help, STOP to stop."),
    PhoneMessage.ASK_START: mark(
        "Perudo: do you want texts again? If so, text START {code}. If that wasn't you, do nothing."
    ),
    PhoneMessage.ASK_UNLINK: mark("Stop playing for {name} on this phone? If so, text UNLINK {code}."),
    PhoneMessage.ASK_NAME: mark("Shall I call you {name} from now on? If so, text NAME {code}."),
    PhoneMessage.ASK_KICK: mark("Take {name} off the table? If so, text KICK {code}."),
    PhoneMessage.WRONG_CODE: mark(
        "That's not the code from my last question. After many wrong codes I accept none until tomorrow."
    ),
    PhoneMessage.TOO_OLD: mark(
        "Your text took very long to arrive, so nothing happened. Text STATUS to see where things stand."
    ),
    PhoneMessage.LIMIT: mark("That was my last text for today. Your moves still count, and I answer again tomorrow."),
    PhoneMessage.TALK_LIMIT: mark(
        "I answer no more questions today. My other texts of the day are for your dice and your turns."
    ),
    PhoneMessage.NEEDS_CODE: mark("Which one? Text {command} and the code, like {command} ABC234."),
    PhoneMessage.UNKNOWN_CODE: mark(
        "I know no table {call}. Look at the code in your friend's message again, and text JOIN and the code."
    ),
    PhoneMessage.MEANT: mark("Did you mean {call}? Send: {call}"),
    PhoneMessage.LANGUAGES: mark("Text {command} and one of: {languages}."),
    PhoneMessage.QUIET_HOW: mark("Text QUIET and the hours of your night, like QUIET 22-8, or QUIET OFF."),
    PhoneMessage.CLOCK_HOW: mark("Text CLOCK and the time for a turn: 5M, 15M, 1H, 6H, 24H, or OFF."),
    PhoneMessage.KICK_HOW: mark("Text KICK and a name, or their place in the list of names, like KICK 2."),
    PhoneMessage.BOTS_HOW: mark("Text BOTS and a number, such as BOTS 2, to add computer players."),
    PhoneMessage.NAME_HOW: mark("Text NAME and what the others should call you, like NAME Gran."),
    PhoneMessage.BOOK_HOW: mark("Text BOOK and one of: {books}."),
}
"""How to begin, how to stop, how a command is used."""


class PhoneNotice(NoticeModel):
    """A message about the phone itself. `detail` is its subject, such as a command."""

    kind: Literal["phone"] = "phone"
    word: PhoneMessage
    detail: str = ""
    link: str = ""
    """The code of the link that a question is about."""
    asker: str = ""
    """The person who asked for that link."""
    player: int = 0
    """The player that a question is about."""
    table: int | None = None
    """That player's table."""

    @property
    def phone_word(self) -> str:
        return self.word

    @property
    def text_question(self) -> Question | None:
        match self.word:
            case PhoneMessage.ASK_UNLINK:
                return Question(About.UNLINK)
            case PhoneMessage.ASK_START:
                return Question(About.START)
            case PhoneMessage.ASK_LINK:
                return Question(About.LINK, link=self.link)
            case PhoneMessage.ASK_KICK:
                return Question(About.KICK, self.table, player=self.player)
            case PhoneMessage.ASK_NAME:
                return Question(About.NAME, name=self.detail)
            case _:
                return None

    def by_text(self, f: Format, reader: TextReader) -> list[Line]:  # noqa: ARG002 - the same for all
        """Return the message, or the question with the code of its answer."""
        if self.word is PhoneMessage.ASK_LINK:
            return [Line(self._ask_link(f))]
        detail = to_gsm(self.detail)
        said = f.w.say(
            _PHONE[self.word],
            name=f.name(self.detail),
            code=f.code,
            command=detail[:LONGEST_COMMAND],
            call=detail[:LONGEST_CALL],
            books=detail[:LONGEST_LIST],
            languages=", ".join(map(own_name, LANGUAGES)),
        )
        return [Line(said)]

    def _ask_link(self, f: Format) -> str:
        w, code = f.w, f.code
        asker = shorten_name(self.asker, f.letters) or w.say("Someone")
        if before := shorten_name(self.detail, f.letters):
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

    def round_at_front(self, current: int | None) -> int | None:
        """Return no round before the answers to the words of telephone companies."""
        return None if self.word in _CARRIERS_MATTER else current


class LinkCodeNotice(Worded):
    """The code that a phone texts to play for the person, with the numbers."""

    kind: Literal["link_code"] = "link_code"
    code: str
    numbers: tuple[str, ...]

    def lines(self, f: Format) -> list[Line]:
        said = f.w.say(
            "📱 Text <code>LINK {code}</code> to {numbers} within 15 minutes, and that phone plays for you.",
            code=self.code,
            numbers=f.foreign(", ".join(self.numbers)),
        )
        return [Line(said, rank=None)]
