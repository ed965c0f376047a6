"""What a phone has texted before: the same again and again, or a STOP or START that a gateway delivers once more."""

from __future__ import annotations

import hashlib
import re
from typing import Final

from telegram_bot.channels.sms.opt_out import plain_words
from telegram_bot.channels.sms.text_parser import CarrierKeyword, ParsedMessage, TextRequest
from telegram_bot.service import intents as i
from telegram_bot.storage.phone_models import Phone

ANSWERED_REPEATS: Final = 3
"""How often in a row the same text is answered."""
IN_A_ROW_SECONDS: Final = 3600
"""A text that comes later than this after the last one is not one of a row."""
LONG_TEXT: Final = 40
"""In longer texts digits are times and numbers of messages, which differ in what a machine repeats."""
KEYWORDS_KEPT: Final = 20
_QUESTIONS: Final = (i.SeeDice, i.SeeStatus, i.SeeRules, i.SeeHelp, i.OpenPrivateLobby, i.TellStory)


def count_repeats(phone: Phone, text: str, at: float) -> None:
    """Count how often the phone has texted the same in a row."""
    words = plain_words(text)
    if len(words) > LONG_TEXT:
        words = re.sub(r"\d+", "", words)
    digest = hashlib.blake2b(words.encode(), digest_size=8).hexdigest()
    same = digest == phone.last_text and at - phone.same_at < IN_A_ROW_SECONDS
    phone.last_text, phone.same_count, phone.same_at = digest, phone.same_count + 1 if same else 1, at


def is_answered_enough(phone: Phone) -> bool:
    """Whether the last text was repeated so often that a machine may have sent it: it counts, without an answer."""
    return phone.same_count > ANSWERED_REPEATS


def asks_once_more(phone: Phone, read: ParsedMessage) -> bool:
    """Whether a text that was answered often enough changes nothing and only asks for one more answer."""
    if not is_answered_enough(phone):
        return False
    if not isinstance(read, TextRequest) or isinstance(read.what, _QUESTIONS):
        return True
    return phone.agreed_at is None and not read.consents


def is_delivered_again(phone: Phone, keyword: CarrierKeyword | None, cause: str, sent: float | None) -> bool:
    """Whether a STOP or START is known, by its id, or by its time if the gateway tells one: the later wish counts."""
    if keyword is None or keyword is CarrierKeyword.HELP:
        return False
    if cause in (phone.keywords or ()):
        return True
    answered_by = phone.resumed_at if keyword is CarrierKeyword.STOP else phone.opted_out_at
    return sent is not None and answered_by is not None and sent < answered_by


def note_keyword(phone: Phone, keyword: CarrierKeyword, cause: str, said_at: float) -> None:
    """Store that a STOP or START was obeyed."""
    phone.keywords = [*(phone.keywords or ()), cause][-KEYWORDS_KEPT:]
    if keyword is CarrierKeyword.STOP:
        phone.opted_out_at = said_at
    else:
        phone.opted_out_at, phone.resumed_at = None, said_at
