"""The codes by which hosts bring their tables to a television: four letters, for ten minutes, for one table."""

import secrets
from collections import Counter
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


class Pairing:
    """Gives codes to televisions."""

    def __init__(self) -> None:
        self._sites: dict[int, str] = {}
        """The sites of the screens that show a code, as far as this process gave it: addresses are not stored."""

    def give_code(self, session: Session, screen: WebSession, site: str, now: float) -> None:
        """Give a television a new code. If too many show one, forget the oldest of the site that shows the most.

        Televisions that were switched off with their code are forgotten too.
        """
        shows = col(WebSession.pairing_code).is_not(None) & (col(WebSession.id) != screen.id)
        session.exec(delete(WebSession).where(shows, col(WebSession.pairing_ends) <= now))
        showing = session.exec(select(WebSession).where(shows).order_by(col(WebSession.pairing_ends))).all()
        # A screen of another process counts as a site of its own.
        sites = {each.id: self._sites.get(each.id, str(each.id)) for each in showing}
        if len(showing) >= MOST_CODES:
            counts = Counter(sites.values())
            most = max(counts.values())
            session.delete(next(each for each in showing if counts[sites[each.id]] == most))
        self._sites = sites | {screen.id: site}
        screen.pairing_code = _new_code([each.pairing_code for each in showing if each.pairing_code])
        screen.pairing_ends = now + PAIRING_SECONDS


def _new_code(taken: list[str]) -> str:
    """Return a code that differs in two letters from every other: one wrong letter leads to no other television."""
    while True:
        code = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
        if all(sum(one != other for one, other in zip(code, each, strict=True)) > 1 for each in taken):
            return code


def screen_of_code(session: Session, code: str, now: float) -> WebSession | None:
    """Return the television that shows a code."""
    shown = (col(WebSession.pairing_code) == code.strip().upper(), col(WebSession.pairing_ends) > now)
    return session.exec(select(WebSession).where(*shown)).one_or_none()
