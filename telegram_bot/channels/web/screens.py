"""The sessions of televisions."""

from telegram_bot.channels.web import sessions
from telegram_bot.channels.web.admission import PairedBy, ScreenKey
from telegram_bot.channels.web.entering import Limit, come
from telegram_bot.channels.web.pairing import Pairing, screen_of_code
from telegram_bot.channels.web.sessions import Page, RefusedRequestError
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.web_models import WebSession


def watch_screen(uow: UnitOfWork, *, code: str, key: str, language: str) -> tuple[Page, str]:
    """Return a television's page and its token.

    Raises:
        RefusedRequestError: the table does not exist, or the key is wrong.
    """
    chat = sessions.chat_by_code(uow, code)
    row, token = sessions.new_session(uow, None, language)
    return come(uow, row, chat, ScreenKey(key)), token


def offer_screen(
    uow: UnitOfWork, page: Page | None, *, language: str, site: str, limit: Limit, pairing: Pairing
) -> tuple[Page, str | None]:
    """Return a television's page with a code for the host to type, and its token if it is new.

    Raises:
        RefusedRequestError: the network got too many codes.
    """
    row, token = None if page is None or page.kind != "screen" else uow.session.get(WebSession, page.session), None
    if row is None:
        row, token = sessions.new_session(uow, None, language)
        uow.session.flush()
    if row.pairing_code is None or row.pairing_ends <= uow.now:
        limit()
        pairing.give_code(uow.session, row, site, uow.now)
    row.seen_at = uow.now
    uow.session.flush()
    return sessions.page_of(uow, row), token


def show_on_screen(uow: UnitOfWork, page: Page, code: str) -> int:
    """Show the page's room on the television that shows a code; returns the television's session.

    Raises:
        RefusedRequestError: no television shows the code, or the page is not the host's.
    """
    chat = sessions.room_of(uow, page)
    screen = screen_of_code(uow.session, code, uow.now)
    if screen is None:
        raise RefusedRequestError(404, "no_screen")
    come(uow, screen, chat, PairedBy(page.player))
    screen.pairing_code = None
    uow.session.flush()
    return screen.id
