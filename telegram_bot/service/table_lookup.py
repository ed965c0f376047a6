"""Which table an intent concerns: named by a button, a place, a reply or a code, or the only one there is."""

from __future__ import annotations

from sqlmodel import select

from telegram_bot.service.intents import Intent, Join
from telegram_bot.service.notices import Choice, WhichTableNotice
from telegram_bot.service.replies import say, word_of
from telegram_bot.service.unit_of_work import Work, read
from telegram_bot.storage.models import GameTable, Player, SentMessage
from telegram_bot.tables.events import Denial, DeniedError


def find(work: Work, intent: Intent, player: Player) -> GameTable:
    """The table an intent concerns, locked until the transaction ends.

    Raises:
        DeniedError: there is none, or there are several.
    """
    if intent.table is not None:
        return named(work, intent, intent.table, player)
    if isinstance(intent.what, Join) and intent.what.code is not None:
        row = work.row_by_code(intent.what.code)
        if row is None:
            raise DeniedError(Denial.NO_TABLE)
        return row
    if intent.where is not None:
        chat = work.chat(intent.where)
        row = work.live_row_in(chat)
        if row is None:
            raise DeniedError(Denial.NO_TABLE)
        return row
    rows = work.live_rows_of(player) or work.suspended_rows_of(player)
    if not rows:
        raise DeniedError(Denial.NO_TABLE)
    if len(rows) > 1:
        in_focus = next((row for row in rows if row.id == player.focus), None)
        chosen = _replied_to(work, intent, player, rows) or in_focus
        if chosen is None:
            raise DeniedError(Denial.WHICH_TABLE)
        rows = [chosen]
    row = work.table_row(rows[0].id or 0)
    if row is None:
        raise DeniedError(Denial.NO_TABLE)
    return row


def named(work: Work, intent: Intent, table: int, player: Player, *, locked: bool = True) -> GameTable:
    """The table that a button names. Buttons can be forged: it answers in its own chat, or to its own people.

    Raises:
        DeniedError: it stands elsewhere, or nowhere.
    """
    row = work.table_row(table) if locked else work.table_as_it_was(table)
    if row is None:
        raise DeniedError(Denial.NO_TABLE)
    chat = work.chat_of(row)
    if intent.where is None:
        known = work.sits(table, player)
    else:
        known = (intent.where.channel, intent.where.address) == (chat.channel, chat.address)
    if not known:
        raise DeniedError(Denial.NO_TABLE)
    return row


def _replied_to(work: Work, intent: Intent, player: Player, rows: list[GameTable]) -> GameTable | None:
    if intent.replied_message is None:
        return None
    query = select(SentMessage.table_id).where(
        SentMessage.chat == player.address, SentMessage.message == intent.replied_message
    )
    tables = set(work.session.exec(query))
    return next((row for row in rows if row.id in tables), None)


def ask_which(work: Work, intent: Intent, player: Player) -> None:
    """Let the player say which of several tables they mean."""
    choices = []
    for row in work.live_rows_of(player):
        table = read(row)
        title = work.chat_of(row).title
        choices.append(Choice(table=table.id, step=table.step, title=title, code=row.code))
    say(work, intent, player, WhichTableNotice(choices=tuple(choices), word=word_of(intent)))
