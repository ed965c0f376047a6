"""The codes by which hosts bring their tables to a television: four letters, for ten minutes, for one table."""

import secrets
from typing import Final

from sqlalchemy import delete
from sqlmodel import Session, col, select

from telegram_bot.storage.web_models import WebSession

LETTERS: Final = "BCDFGHJKLMNPRSTVWXZ"
"""No vowels, so that no code is a word, and no two letters that are read as one another from a sofa."""
LENGTH: Final = 4
PAIRING_SECONDS: Final = 600.0
MOST_CODES: Final = 500
"""How many televisions may show a code at a time: with more, a guess would often find one."""


def give_code(session: Session, screen: WebSession, now: float) -> bool:
    """Give a big screen a new code; False: too many show one.

    Televisions that were switched off with their code are forgotten.
    """
    gone = (col(WebSession.pairing_ends) <= now, col(WebSession.pairing_code).is_not(None))
    session.exec(delete(WebSession).where(*gone, col(WebSession.id) != screen.id))
    taken = session.exec(select(WebSession.pairing_code).where(col(WebSession.pairing_code).is_not(None))).all()
    if len(taken) >= MOST_CODES:
        return False
    screen.pairing_code, screen.pairing_ends = _new_code([code for code in taken if code]), now + PAIRING_SECONDS
    return True


def _new_code(taken: list[str]) -> str:
    """Return a code that differs in two letters from every other: one wrong letter leads to no other television."""
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        if all(sum(one != other for one, other in zip(code, each, strict=True)) > 1 for each in taken):
            return code


def screen_of_code(session: Session, code: str, now: float) -> WebSession | None:
    """The big screen that shows a code; it is locked, so that one table alone is shown there."""
    shown = (col(WebSession.pairing_code) == code.strip().upper(), col(WebSession.pairing_ends) > now)
    return session.exec(select(WebSession).where(*shown).with_for_update()).one_or_none()
