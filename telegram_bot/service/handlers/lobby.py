"""How tables come about: a lobby in a group, one game after another, a link that offers a seat."""

from __future__ import annotations

from telegram_bot.service import members
from telegram_bot.service.handlers.chats import finish
from telegram_bot.service.handlers.game import AtTable
from telegram_bot.service.handlers.queries import show_again
from telegram_bot.service.handlers.table_context import Visit
from telegram_bot.service.intents import Intent, OpenDirect, OpenLobby
from telegram_bot.service.multi_table import plays_somewhere
from telegram_bot.service.notices import Toast, WelcomeNotice
from telegram_bot.service.replies import say
from telegram_bot.service.seating import may_host, new_lobby
from telegram_bot.service.table_lookup import named
from telegram_bot.service.unit_of_work import Work, read
from telegram_bot.storage.models import DirectMessages, Player
from telegram_bot.tables import lobby
from telegram_bot.tables.events import Denial, DeniedError
from telegram_bot.tables.model import Status


def open_lobby(work: Work, intent: Intent, player: Player, what: OpenLobby) -> None:
    """Open a lobby in the group, or show again what stands there."""
    if intent.where is None:
        say(work, intent, player, WelcomeNotice(name=player.name, titles=_titles(work, player)))
        return
    chat = work.chat(intent.where)
    chat.ephemeral_replies = True  # what was refused once is worth another try with a new table
    if what.can_whisper is not None:
        chat.ephemeral = what.can_whisper
    running = work.live_row_in(chat)
    if running is not None:
        show_again(Visit(work, running, intent, player))
        return
    row, step = new_lobby(work, chat, player)
    finish(work, row, None, step)


def play_again(work: Work, intent: Intent, player: Player) -> Toast | None:
    """Open a lobby for those who played before; a seat in it where another was quicker.

    Raises:
        DeniedError: a game runs there, or the player was not in the last one.
    """
    if intent.table is None:
        raise DeniedError(Denial.NO_TABLE)
    old = named(work, intent, intent.table, player, locked=False)
    chat = work.chat_of(old)
    running = work.live_row_in(chat)
    if running is not None:
        table = read(running)
        if table.status is Status.LOBBY and table.seat_of(player.id or 0) is None:
            return AtTable(work, running, intent, player).join()
        raise DeniedError(Denial.TABLE_EXISTS)
    if read(old).seat_of(player.id or 0) is None:
        raise DeniedError(Denial.NOT_SEATED)  # a denial commits: no row may be written before it
    if intent.where is not None:
        members.came(work, intent.where, (player.address,))
    may_host(work, player)
    gone = members.gone_from(work, chat)
    row = work.new_row(chat)
    step = lobby.rematch(
        read(old),
        row.id or 0,
        row.code,
        player.id or 0,
        gone=gone,
        now=work.now,
        pace=work.pace,
        secret=work.new_secret(),
    )
    finish(work, row, None, step)
    return None


def open_direct(work: Work, intent: Intent, player: Player, what: OpenDirect) -> None:
    """Greet, and seat the person where their link says; the dice of games that run are there: see `several`."""
    player.direct = DirectMessages.OPEN
    work.session.flush()
    joined = _join_by_code(work, intent, player, what.code) if what.code is not None else False
    if what.greeted and not joined and not plays_somewhere(work, player):
        say(work, intent, player, WelcomeNotice(name=player.name, titles=_titles(work, player)))


def _join_by_code(work: Work, intent: Intent, player: Player, code: str) -> bool:
    """Take the seat that a link offers; a player who sits there already only opened the private chat."""
    row = work.row_by_code(code.upper())
    if row is None:
        raise DeniedError(Denial.NO_TABLE)
    if read(row).seat_of(player.id or 0) is not None:
        return False
    AtTable(work, row, intent, player).join()
    return True


def _titles(work: Work, player: Player) -> tuple[str, ...]:
    return tuple(work.chat_of(row).title for row in work.live_rows_of(player))
