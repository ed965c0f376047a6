"""Find the table of an intent: named by a button, a place, a reply or a code, or the only one."""

from dataclasses import replace

from sqlmodel import col, select

from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import MessageRef
from telegram_bot.intents.request import Fits
from telegram_bot.notices import TableChoice, WhichTableNotice
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, Player, SentMessage
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status, Table


def find_table(
    uow: UnitOfWork, intent: i.Intent, player: Player, *, code: str | None = None, fits: Fits = Fits.ANY
) -> GameTable:
    """Return an intent's table; `code` names it from every place.

    `fits`: as of the request.

    Raises:
        RejectedError: there is none, or there are several.
    """
    if intent.table is not None:
        return find_named_table(uow, intent, intent.table, player)
    if code is not None:
        row = uow.table_by_code(code)
        if row is None:
            raise RejectedError(RejectionReason.NO_TABLE)
        return row
    if intent.where is not None:
        chat = uow.ensure_chat(intent.where)
        row = uow.table_in(chat)
        if row is None:
            raise RejectedError(RejectionReason.NO_TABLE)
        return row
    rows = uow.live_tables_of(player) or uow.suspended_tables_of(player)
    if not rows:
        raise RejectedError(RejectionReason.NO_TABLE)
    chosen = choose_table(uow, intent, player, rows, fits)
    if chosen is None:
        raise RejectedError(RejectionReason.WHICH_TABLE)
    return chosen


def require_revealed(uow: UnitOfWork, intent: i.Intent, player: Player, code: str | None = None) -> None:
    """Make sure that no answer tells of dice before the chat of their table shows them.

    It could tell of the tables of the person, of the place where they ask, of the page's room, and with this `code`.

    Raises:
        RejectedError: there is such a table.
    """
    here = None if intent.where is None else uow.find_chat(intent.where)
    rows = [uow.table_by_code(each.upper()) for each in (intent.reads, code) if each]
    if uow.has_unrevealed(player, *filter(None, (here, *(uow.chat_of(row) for row in rows if row is not None)))):
        raise RejectedError(RejectionReason.REVEALING)


def choose_table(
    uow: UnitOfWork, intent: i.Intent, player: Player, rows: list[GameTable], fits: Fits
) -> GameTable | None:
    """Return the table of a player's private words, or None if there is none, or several are possible."""
    likely = fitting(uow, player, rows, fits)
    if len(rows) == 1 or intent.replied_to is None:
        replied_to = None
    else:
        possible = fitting(uow, player, rows, Fits.GAME) if fits is Fits.TURN else likely
        replied_to = _replied_to(uow, intent.replied_to, player, possible)
    if replied_to is not None or len(likely) == 1:
        return replied_to or likely[0]
    return next((row for row in likely if row.id == player.focus), None)


def fitting(uow: UnitOfWork, player: Player, rows: list[GameTable], fits: Fits) -> list[GameTable]:
    """Return those of a person's tables that a request can be about, or all of them if there are none."""
    if len(rows) < 2 or fits is Fits.ANY:  # noqa: PLR2004 - one table is not compared with others
        return rows
    if fits is Fits.LOBBY:
        return [row for row in rows if row.status == Status.LOBBY] or rows
    unrevealed = {row.id for row in rows if uow.unrevealed(row) is not None}
    games = [row for row in rows if row.status == Status.PLAYING or row.id in unrevealed]
    with_dice = [row for row in games if row.id in unrevealed or _has_dice(load_table(row), player)]
    turns = [row for row in with_dice if fits is Fits.TURN and row.id not in unrevealed and _is_asked(row, player)]
    return turns or with_dice or games or rows


def _is_asked(row: GameTable, player: Player) -> bool:
    table = load_table(row)
    turn = None if table.game is None else table.game.turn
    return turn is not None and table.seats[turn].player == player.id


def _has_dice(table: Table, player: Player) -> bool:
    seat = table.seat_of(player.id)
    return seat is not None and table.in_play(seat)


def find_named_table(uow: UnitOfWork, intent: i.Intent, table: int, player: Player | None) -> GameTable:
    """Return the table that a button names.

    Buttons can be forged: a table answers in its own chat, or to its own people and readers. `player`: None for someone
    without a row.

    Raises:
        RejectedError: it is elsewhere, or does not exist.
    """
    row = uow.table_by_id(table)
    if row is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    chat = uow.chat_of(row)
    if intent.where is None:
        known = player is not None and (uow.has_seat(table, player) or _is_read(uow, intent, row))
    else:
        known = (intent.where.channel, intent.where.address) == (chat.channel, chat.address)
        if not known and intent.answered_by == "message":
            raise RejectedError(RejectionReason.ELSEWHERE)  # a call that was posted, in the wrong chat
    if not known:
        raise RejectedError(RejectionReason.NO_TABLE)
    return row


def _is_read(uow: UnitOfWork, intent: i.Intent, row: GameTable) -> bool:
    """Return True if the person reads the table's room: a page may still show the evening's game before the newest."""
    found = uow.table_by_code(intent.reads) if intent.reads else None
    return found is not None and found.chat_id == row.chat_id and row.created_at >= uow.chat_of(row).plays_since


def in_known_topic(uow: UnitOfWork, intent: i.Intent) -> i.Intent:
    """Return the intent; an unknown topic becomes that of its table, or of the only live table in the group."""
    where = intent.where
    if where is None or where.topic_known:
        return intent
    if intent.table is not None:
        row = uow.table_by_id(intent.table)
        chats = [] if row is None else [uow.chat_of(row)]
    else:
        tables = select(Chat).join(GameTable, col(GameTable.chat_id) == col(Chat.id)).where(col(GameTable.live))
        here = (Chat.channel == where.channel, Chat.address == where.address)
        chats = list(uow.session.exec(tables.where(*here)))
    topics = {chat.topic for chat in chats if (chat.channel, chat.address) == (where.channel, where.address)}
    return replace(intent, where=replace(where, topic=topics.pop() if len(topics) == 1 else 0, topic_known=True))


def _replied_to(uow: UnitOfWork, replied_to: MessageRef, player: Player, rows: list[GameTable]) -> GameTable | None:
    query = select(SentMessage.table_id).where(
        SentMessage.chat == player.address, SentMessage.message == replied_to.message
    )
    tables = set(uow.session.exec(query))
    return next((row for row in rows if row.id in tables), None)


def ask_which_table(uow: UnitOfWork, intent: i.Intent, player: Player, word: str, fits: Fits) -> None:
    """Ask the player which of several tables they mean."""
    choices = []
    for row in fitting(uow, player, uow.live_tables_of(player), fits):
        table = load_table(row)
        title, code = uow.chat_of(row).title, table.join_code
        wild_by = table.wild_by if uow.unrevealed(row) is None else None
        choices.append(TableChoice(table=table.id, step=table.step, title=title, code=code, wild_by=wild_by))
    say(uow, player, WhichTableNotice(choices=tuple(choices), word=word), at=intent)


def has_dice_anywhere(uow: UnitOfWork, player: Player) -> bool:
    """Return True if the person has dice at some table."""
    return any(_has_dice(load_table(row), player) for row in uow.live_tables_of(player))
