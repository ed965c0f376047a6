"""Build inline keyboards: the keys of a notice as buttons, and the ways to web pages."""

from telegram_bot import notices as n
from telegram_bot.channels.telegram.buttons import CODE, Button, Rows, SeatPages
from telegram_bot.channels.telegram.callback_data import data_of
from telegram_bot.notices.base import start_link
from telegram_bot.presentation.keys import Key
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.lobby_requests import StartPrivateChat
from telegram_bot.service.requests import write_link
from telegram_bot.words.catalogue import Catalogue


def keyboard(notice: n.Notice, w: Catalogue, *, bot: str, inline: bool = False) -> Rows:
    """Return the buttons under a notice; most notices have none. `inline`: whether the bot has inline mode."""
    here = notice.keyed_at
    return [[_button(key, *(key.at or here), bot=bot) for key in row] for row in keys_of(notice, w, inline=inline)]


def _button(key: Key, table: int | None, step: int | None, *, bot: str) -> Button:
    shown: Button = {"text": key.label}
    match key.request:
        case None if key.opens_list:
            return shown | {"switch_inline_query_current_chat": ""}
        case None if key.copies:
            return shown | {"copy_text": {"text": key.copies}}
        case None:
            return shown | {"url": key.url}
        case StartPrivateChat(code=code):
            return shown | {"url": start_link(bot) if code is None else start_link(bot, CODE + code)}
        case request if key.in_private:
            return shown | {"url": start_link(bot, write_link(request))}
        case request:
            at_table = isinstance(request, TableRequest) or request.about_last_table
            data = data_of(request, table if at_table else None, step)
            return shown | {"callback_data": data} | ({} if key.style is None else {"style": key.style.value})


def seat_rows(notice: n.Notice, w: Catalogue, pages: SeatPages, *, bot: str, registered: bool) -> Rows:
    """Buttons that open the player's web seat, below the others; `registered`: whether groups can open it.

    Telegram accepts the seat's own address in private chats only.
    """
    door = notice.web_door
    if door is None or not (door.private or registered):
        return []
    page, opens = pages.page(door.code) if door.private else pages.link(bot, door.code), []
    if door.seat:
        opens.append(("🪑 " + w.say("Open the table"), page))
    if door.television:
        opens.append(("📺 " + w.say("Television"), page + "_tv"))
    return [[{"text": text, **({"web_app": {"url": url}} if door.private else {"url": url})} for text, url in opens]]
