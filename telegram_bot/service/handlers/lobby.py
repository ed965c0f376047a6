"""Open tables: a lobby in a group, another game after a finished one, a link that offers a seat."""

from __future__ import annotations

from telegram_bot.service import members
from telegram_bot.service.handlers.chats import save_and_announce
from telegram_bot.service.handlers.game import TableHandler
from telegram_bot.service.handlers.queries import show_again
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import Intent, OpenLobby, StartPrivateChat
from telegram_bot.service.multi_table import has_dice_anywhere
from telegram_bot.service.notices import Toast, WelcomeNotice
from telegram_bot.service.replies import say
from telegram_bot.service.seating import new_lobby, require_may_host
from telegram_bot.service.table_lookup import find_named_table
from telegram_bot.service.unit_of_work import UnitOfWork, load_table
from telegram_bot.storage.models import DirectMessages, Player
from telegram_bot.tables import lobby
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status


def open_lobby(uow: UnitOfWork, intent: Intent, player: Player, what: OpenLobby) -> None:
    """Open a lobby in the group, or show again what stands there."""
    if intent.where is None:
        say(uow, intent, player, WelcomeNotice(name=player.name, titles=_titles(uow, player)))
        return
    chat = uow.ensure_chat(intent.where)
    chat.ephemeral_replies = True  # what was refused once is worth another try with a new table
    if what.can_whisper is not None:
        chat.ephemeral = what.can_whisper
    running = uow.lock_live_table_in(chat)
    if running is not None:
        show_again(TableContext(uow, running, intent, player))
        return
    row, step = new_lobby(uow, chat, player)
    save_and_announce(uow, row, None, step)


def play_again(uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
    """Open a lobby for those who played before; a seat in it where another was quicker.

    Raises:
        DeniedError: a game runs there, or the player was not in the last one.
    """
    if intent.table is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    old = find_named_table(uow, intent, intent.table, player, locked=False)
    chat = uow.chat_of(old)
    running = uow.lock_live_table_in(chat)
    if running is not None:
        table = load_table(running)
        if table.status is Status.LOBBY and table.seat_of(player.id or 0) is None:
            return TableHandler(uow, running, intent, player).join()
        raise RejectedError(RejectionReason.TABLE_EXISTS)
    if load_table(old).seat_of(player.id or 0) is None:
        raise RejectedError(RejectionReason.NOT_SEATED)  # a denial commits: no row may be written before it
    if intent.where is not None:
        members.mark_joined(uow, intent.where, (player.address,))
    require_may_host(uow, player)
    gone = members.players_who_left(uow, chat)
    row = uow.add_table(chat)
    step = lobby.rematch(
        load_table(old),
        row.id or 0,
        row.code,
        player.id or 0,
        gone=gone,
        now=uow.now,
        timings=uow.timings,
        secret=uow.new_secret(),
    )
    save_and_announce(uow, row, None, step)
    return None


def start_private_chat(uow: UnitOfWork, intent: Intent, player: Player, what: StartPrivateChat) -> None:
    """Greet, and seat the person where their link says; the dice of games that run are there: see `multi_table`."""
    player.direct = DirectMessages.OPEN
    uow.session.flush()
    joined = _join_by_code(uow, intent, player, what.code) if what.code is not None else False
    if what.greeted and not joined and not has_dice_anywhere(uow, player):
        say(uow, intent, player, WelcomeNotice(name=player.name, titles=_titles(uow, player)))


def _join_by_code(uow: UnitOfWork, intent: Intent, player: Player, code: str) -> bool:
    """Take the seat that a link offers; a player who sits there already only opened the private chat."""
    row = uow.lock_table_by_code(code.upper())
    if row is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    if load_table(row).seat_of(player.id or 0) is not None:
        return False
    TableHandler(uow, row, intent, player).join()
    return True


def _titles(uow: UnitOfWork, player: Player) -> tuple[str, ...]:
    return tuple(uow.chat_of(row).title for row in uow.live_tables_of(player))
