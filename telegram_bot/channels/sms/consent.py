"""Which texts are unmistakable: a phone is texted only after one of them."""

from __future__ import annotations

from sqlmodel import Session, col, select

from telegram_bot.channels.sms.text_commands import ParsedMessage, TextRequest
from telegram_bot.service import intents as i
from telegram_bot.storage.models import GameTable, LinkCode


def consents(session: Session, read: ParsedMessage, now: float) -> bool:
    """Whether a text asks unmistakably for further texts: it opens a table, or names a code that exists."""
    if not isinstance(read, TextRequest) or not read.consents:
        return False
    match read.what:
        case i.Join(code=str(code)):
            return is_table_code(session, code)
        case i.LinkPhone(code=code):
            found = session.get(LinkCode, code)
            return found is not None and found.expires_at > now
    return True


def is_table_code(session: Session, code: str) -> bool:
    """Whether a table has this code, or had it."""
    return session.exec(select(GameTable.id).where(col(GameTable.code) == code)).first() is not None
