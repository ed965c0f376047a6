"""A chat's own fate: saving what happens at its table, losing it, following it to a new address."""

from __future__ import annotations

from sqlalchemy import delete, update
from sqlmodel import col, select

from telegram_bot.service.announce import Announcer
from telegram_bot.service.notices import Envelope
from telegram_bot.service.work import Work, read
from telegram_bot.storage.rows import Chat, GameTable, Outbox, SentMessage
from telegram_bot.tables import lobby
from telegram_bot.tables.happenings import Closing, LobbyChanged, Step
from telegram_bot.tables.model import Table


def finish(work: Work, row: GameTable, before: Table | None, step: Step) -> None:
    """Save a step and tell everybody."""
    work.save(row, step)
    chat = work.chat_of(row)
    if any(isinstance(happening, LobbyChanged) for happening in step.happenings):
        chat.rules = step.table.rules.to_dict()
        chat.clock = step.table.clock.model_dump(mode="json")
    work.session.flush()
    Announcer(work, row, chat).announce(before, step)


def lose_chat(work: Work, channel: str, address: int) -> None:
    """Close a chat's tables without a word and drop what waits to be said there."""
    for chat in work.session.exec(select(Chat).where(Chat.channel == channel, Chat.address == address)).all():
        row = work.live_row_in(chat)
        if row is not None:
            finish(work, row, read(row), lobby.close(read(row), Closing.LOST_CHAT))
    work.session.exec(
        update(Outbox)
        .where(col(Outbox.lane) == f"{channel}:{address}", col(Outbox.status) == "pending")
        .values(status="failed", done_at=work.now, notice=None, error="chat lost")
    )


def move_chat(work: Work, channel: str, old: int, new: int) -> None:
    """Follow a group to its new address; its old messages can no longer be edited."""
    for chat in work.session.exec(select(Chat).where(Chat.channel == channel, Chat.address == old)).all():
        _make_room(work, chat, new)
        chat.address = new
        work.session.flush()
    work.session.exec(delete(SentMessage).where(col(SentMessage.chat) == old))
    waiting = work.session.exec(
        select(Outbox).where(Outbox.lane == f"{channel}:{old}", Outbox.status == "pending")
    ).all()
    for row in waiting:
        envelope = Envelope.model_validate(row.notice).model_copy(update={"chat": new})
        row.notice = envelope.model_dump(mode="json")
        row.lane = envelope.lane
        work.lanes.add(envelope.lane)


def _make_room(work: Work, chat: Chat, address: int) -> None:
    """Take over what is known of the new address: it may have been heard from before the move was told."""
    query = select(Chat).where(Chat.channel == chat.channel, Chat.address == address, Chat.topic == chat.topic)
    twin = work.session.exec(query).one_or_none()
    if twin is None:
        return
    running = work.live_row_in(chat)
    if running is not None and work.live_row_in(twin) is not None:
        finish(work, running, read(running), lobby.close(read(running), Closing.LOST_CHAT))
        work.session.flush()
    work.session.exec(update(GameTable).where(col(GameTable.chat_id) == twin.id).values(chat_id=chat.id))
    chat.ephemeral = twin.ephemeral
    work.session.delete(twin)
    work.session.flush()
