"""Questions that confirm a change in a phone's name, and the codes of their answers.

A forger of a sender's number cannot read the texts to that number, so an answer contains the code of its question. For
the same reason, a text that a carrier delivers twice does not confirm itself.
"""

import re
import secrets
from dataclasses import asdict, dataclass, replace
from typing import Final, NamedTuple

from sqlmodel import Session

from telegram_bot.notices import PhoneMessage
from telegram_bot.notices.base import About
from telegram_bot.storage.phone_models import Phone, TextTally, day_of

ANSWER_SECONDS: Final = 600
HOUR: Final = 3600
DAY_SECONDS: Final = 86400
"""How long a question can be answered."""
WRONG_ANSWERS_PER_DAY: Final = 10
"""After so many wrong codes in a day no code of the phone counts: a forger guesses one of 9,000."""
RESUMING_PER_DAY: Final = 3
"""How often in a day a phone after STOP is asked whether it wants texts again."""
UNKNOWN_CODES_PER_DAY: Final = 3
"""How often in a day an unknown number gets the answer that a table's code is wrong."""
_SMALLEST, _CODES = 1000, 9000
_ANSWER: Final = re.compile(r"(?:(?P<words>\S+(?: \S+){0,4}) )?(?P<code>\d{4})[.!]*")


@dataclass(frozen=True, slots=True)
class TextQuestion:
    """A question as it is stored with the phone."""

    about: About
    table: int | None = None
    link: str = ""
    """The code of the requested link."""
    name: str = ""
    """The requested name."""
    player: int = 0
    """The guest who waits for the host's answer, or the player whom the host sends out."""
    code: str = ""
    until: float = 0
    answered_by: str = ""
    """The cause of the text that answered it: after a crash only that text may answer again."""


class TextAnswer(NamedTuple):
    """A text that may answer a question: the words in front of the code, and the code."""

    words: str
    code: str


def with_code(phone: Phone, question: TextQuestion, now: float) -> TextQuestion:
    """Return the question with its code. A repeated question keeps its code, so the earlier text remains valid."""
    asked = _stored(phone)
    if asked is not None and asked.until > now and replace(asked, code="", until=0) == question:
        code = asked.code
    else:
        code = str(_SMALLEST + secrets.randbelow(_CODES))
    # A phone that said STOP is asked few times a day, so its question remains open for the day.
    seconds = DAY_SECONDS if question.about is About.START else ANSWER_SECONDS
    return replace(question, code=code, until=now + seconds)


def store(session: Session, phone: int, question: TextQuestion) -> None:
    """Store the question to the phone; an earlier one becomes void."""
    session.get_one(Phone, phone).question = asdict(question)


def read_answer(text: str) -> TextAnswer | None:
    """Return the answer in a text: a code, perhaps after a few words."""
    found = _ANSWER.fullmatch(" ".join(text.split()))
    return None if found is None else TextAnswer(found["words"] or "", found["code"])


def take_answer(session: Session, phone: int, code: str, cause: str, now: float) -> TextQuestion | None:
    """Return the question that the code answers. It is answered once."""
    row = session.get_one(Phone, phone)
    asked = _stored(row)
    if asked is None or asked.code != code or asked.until <= now or asked.answered_by not in ("", cause):
        return None
    if _wrong_answers(session, phone, now).texts >= WRONG_ANSWERS_PER_DAY:
        return None
    row.question = asdict(replace(asked, answered_by=cause))
    return asked


def count_wrong_answer(session: Session, phone: int, now: float) -> int:
    """Return the number of wrong codes of the day, with this one; 0 without an open question."""
    asked = _stored(session.get_one(Phone, phone))
    if asked is None or asked.until <= now or asked.answered_by:
        return 0
    tally = _wrong_answers(session, phone, now)
    tally.texts += 1
    session.add(tally)
    return tally.texts


def may_ask_to_resume(session: Session, phone: int, now: float) -> bool:
    """Count a question whether a phone wants texts again; False if it was asked often enough today."""
    return _may_once_more(session, phone, "resuming", RESUMING_PER_DAY, now)


def may_tell_again(session: Session, phone: int, word: PhoneMessage, now: float) -> bool:
    """Count a sentence that anyone can ask for; False if the phone got it in this hour."""
    return _may_once_more(session, phone, f"{word}@{int(now // HOUR) % 24}", 1, now)


def may_tell_unknown_code(session: Session, phone: int, now: float) -> bool:
    """Count an answer that a table's code is wrong; False if the unknown number got it often enough today."""
    return _may_once_more(session, phone, "code", UNKNOWN_CODES_PER_DAY, now)


def _may_once_more(session: Session, phone: int, what: str, most: int, now: float) -> bool:
    session.get_one(Phone, phone)
    tally = _tally(session, f"{what}:{phone}", now)
    if tally.texts >= most:
        return False
    tally.texts += 1
    session.add(tally)
    return True


def _stored(phone: Phone) -> TextQuestion | None:
    if phone.question is None:
        return None
    return TextQuestion(**phone.question | {"about": About(phone.question["about"])})


def _wrong_answers(session: Session, phone: int, now: float) -> TextTally:
    return _tally(session, f"answer:{phone}", now)


def _tally(session: Session, scope: str, now: float) -> TextTally:
    today = day_of(now)
    return session.get(TextTally, (today, scope)) or TextTally(day=today, scope=scope, texts=0, cost=0)
