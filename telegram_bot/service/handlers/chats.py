"""A chat's own fate: saving what happens at its table, losing it, following it to a new address."""

from __future__ import annotations

from sqlalchemy import delete, update
from sqlmodel import col, select

from telegram_bot.service import members
from telegram_bot.service.announcer import Announcer
from telegram_bot.service.notices import Envelope, HandNotice, KeyboardNotice, ReminderNotice, ResumedNotice
from telegram_bot.service.unit_of_work import Work, read
from telegram_bot.storage.models import Chat, GameTable, Outbox, Sending, SentMessage
from telegram_bot.tables import lobby
from telegram_bot.tables.events import Closing, LobbyChanged, Step
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.suspension import resume, suspend


def finish(work: Work, row: GameTable, before: Table | None, step: Step) -> None:
    """Save a step and tell everybody."""
    work.save(row, step)
    chat = work.chat_of(row)
    if any(isinstance(happening, LobbyChanged) for happening in step.happenings):
        chat.rules = step.table.rules.to_dict()
        chat.clock = step.table.clock.model_dump(mode="json")
    work.session.flush()
    Announcer(work, row, chat).announce(before, step)


def lose(work: Work, channel: str, address: int, topic: int | None = None) -> None:
    """The bot cannot write to a chat, or to one topic of it: its tables wait, and so does what was to be said there."""
    # Tables before their chats and notices: the order in which every step locks them.
    lost = _places(work, channel, address, topic)
    rows = [work.live_row_in(chat) for chat in lost]
    for chat, row in zip(lost, rows, strict=True):
        chat.lost_at = chat.lost_at or work.now
        if row is not None:
            before = read(row)
            step = suspend(before, now=work.now, pace=work.pace)
            if step.table != before:
                work.save(row, step)
    work.session.flush()
    topics = {chat.topic for chat in lost}
    for notice in _notices(work, channel, address, Sending.PENDING):
        envelope = _read(notice)
        if envelope is not None and topic in (None, envelope.topic):
            kept = envelope.topic in topics and not notice.supersedable and not isinstance(envelope.notice, FADING)
            _set_aside(work, notice, Sending.HELD if kept else Sending.FAILED)


FADING = (HandNotice, KeyboardNotice, ReminderNotice, ResumedNotice)
"""What is not worth telling later: a table that goes on tells it afresh."""


def _set_aside(work: Work, notice: Outbox, status: Sending) -> None:
    notice.status, notice.error, notice.done_at = status, "unwritable", work.now
    if status is Sending.FAILED:
        notice.notice = None


def knock(work: Work, chat: Chat) -> None:
    """Something was heard from a place where the bot could not write: perhaps it can again."""
    if chat.lost_at is None:
        return
    row = work.live_row_in(chat)
    if row is not None and read(row).suspended_at is not None:
        Announcer(work, row, chat).probe()
    else:
        _reopen(work, chat)


def can_write(work: Work, channel: str, address: int, topic: int) -> None:
    """A message got through to a place: what waited there goes on."""
    for chat in _places(work, channel, address, topic):
        _reopen(work, chat)


def _reopen(work: Work, chat: Chat) -> None:
    if chat.lost_at is None:
        return
    row = work.live_row_in(chat)
    chat.lost_at = None
    for notice in _notices(work, chat.channel, chat.address, Sending.HELD):
        envelope = _read(notice)
        if envelope is not None and envelope.topic == chat.topic:
            notice.status, notice.error, notice.done_at = Sending.PENDING, None, None
            work.lanes.add(notice.lane)
    work.session.flush()
    if row is not None:
        before = read(row)
        step = resume(before, now=work.now, pace=work.pace)
        if step.happenings:
            finish(work, row, before, step)


def _places(work: Work, channel: str, address: int, topic: int | None) -> list[Chat]:
    query = select(Chat).where(Chat.channel == channel, Chat.address == address).order_by(col(Chat.id))
    return list(work.session.exec(query if topic is None else query.where(Chat.topic == topic)))


def _notices(work: Work, channel: str, address: int, status: Sending) -> list[Outbox]:
    query = select(Outbox).where(Outbox.lane == f"{channel}:{address}", Outbox.status == status)
    return list(work.session.exec(query.order_by(col(Outbox.id))))


def _read(row: Outbox) -> Envelope | None:
    """What a notice says; None, and delivery will set it aside, where this version cannot read it."""
    try:
        return Envelope.model_validate(row.notice)
    except ValueError:
        return None


def move_chat(work: Work, channel: str, old: int, new: int) -> None:
    """Follow a group to its new address; its old messages can no longer be edited."""
    moved_any = False
    for chat in _places(work, channel, old, None):
        work.live_row_in(chat)  # tables are locked before anything of theirs, by everybody: no two wait for each other
    for chat in _places(work, channel, old, None):  # without those that somebody else has moved meanwhile
        _make_room(work, chat, new)
        chat.address = new
        moved_any = True
        work.session.flush()
    moved = _places(work, channel, new, None) if moved_any else []
    work.session.exec(delete(SentMessage).where(col(SentMessage.chat) == old))
    for row in (*_notices(work, channel, old, Sending.PENDING), *_notices(work, channel, old, Sending.HELD)):
        envelope = _read(row)
        if envelope is None:
            continue
        there = envelope.model_copy(update={"chat": new})
        row.notice = there.model_dump(mode="json")
        row.lane = there.lane
        work.lanes.add(there.lane)
    members.move(work, channel, old, new)
    work.session.flush()
    for chat in moved:
        _show_anew(work, chat)


def _show_anew(work: Work, chat: Chat) -> None:
    """Show a table at its new address, where nobody can tap what stands at the old one."""
    row = work.live_row_in(chat)
    if row is None:
        return
    table = read(row)
    if table.status is Status.LOBBY:
        Announcer(work, row, chat).lobby(table)
    elif table.game is not None:
        Announcer(work, row, chat).round(table)


def _make_room(work: Work, chat: Chat, address: int) -> None:
    """Take over what is known of the new address: it may have been heard from before the move was told."""
    query = select(Chat).where(Chat.channel == chat.channel, Chat.address == address, Chat.topic == chat.topic)
    twin = work.session.exec(query).one_or_none()
    if twin is None or twin is chat:
        return
    running = work.live_row_in(chat)
    newer = work.live_row_in(twin)
    if running is not None and newer is not None:
        # A game is worth more than a lobby that somebody opened before the move was told.
        if read(running).status is Status.PLAYING and read(newer).status is Status.LOBBY:
            finish(work, newer, read(newer), lobby.close(read(newer), Closing.STOPPED))
        else:
            finish(work, running, read(running), lobby.close(read(running), Closing.LOST_CHAT))
        work.session.flush()
    work.session.exec(update(GameTable).where(col(GameTable.chat_id) == twin.id).values(chat_id=chat.id))
    chat.ephemeral = twin.ephemeral
    work.session.delete(twin)
    work.session.flush()
