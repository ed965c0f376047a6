"""Handle reports about chats: suspend the tables of a lost chat, resume them, follow a chat that moved."""

from collections.abc import Collection, Iterable

from sqlalchemy import delete, update
from sqlmodel import col, select

from telegram_bot import notices as n
from telegram_bot.intents.config import lobby_defaults
from telegram_bot.intents.envelope import read_envelope
from telegram_bot.intents.intents import BotMembershipChanged, Intent, PrivateRouteFailed
from telegram_bot.intents.slots import LOBBY_SLOT, OF_A_TABLE, deal_slot, hand_slot
from telegram_bot.repositories import membership as members
from telegram_bot.repositories.membership import mark_ephemeral_unreachable
from telegram_bot.repositories.repositories import load_table
from telegram_bot.screens.posting import Urgency
from telegram_bot.service.announcing.replies import help_notice
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.round_ends import count_as_seen_in
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import (
    Chat,
    DirectMessages,
    GameTable,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    Player,
    PrivateView,
    RoundEnd,
    SentMessage,
)
from telegram_bot.storage.references import move_references
from telegram_bot.storage.web_models import WebSession
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.events import RejectionReason
from telegram_bot.tables.model import CloseReason, Status
from telegram_bot.tables.turn_clock import resume, suspend


def private_route_failed(uow: UnitOfWork, failed: PrivateRouteFailed) -> None:
    """Store that a private notice was refused; use the player's next route, or the table's message."""
    envelope = failed.envelope
    if envelope.receiver is not None and failed.everybody:
        query = select(Chat).where(Chat.channel == envelope.channel, Chat.address == envelope.chat)
        for place in uow.session.exec(query):
            if envelope.reply_handle is None:
                place.ephemeral = False
            else:
                place.ephemeral_replies = False
    address = envelope.receiver if envelope.receiver is not None else envelope.chat
    player = uow.find_player(envelope.channel, address)
    if player is None:
        return
    if player.channel != envelope.channel:
        player.view = PrivateView.AUTO  # the phone refuses texts: use the person's own channel again
    elif envelope.receiver is None:
        player.direct = DirectMessages.REFUSED
    elif not failed.everybody and not failed.once:
        mark_ephemeral_unreachable(uow, envelope.channel, envelope.chat, player.id)
    uow.session.flush()
    is_tried = failed.table is not None and _try_next_route(uow, player, failed.table, envelope.notice)
    _persons_route_ended(uow, player, tried=failed.table if is_tried else None)


def private_chat_blocked(uow: UnitOfWork, player: Player) -> None:
    """Store that a person reads no private messages; use their next route."""
    player.direct = DirectMessages.REFUSED
    _persons_route_ended(uow, player)


def _persons_route_ended(uow: UnitOfWork, player: Player, tried: int | None = None) -> None:
    """Show a person's tables as they are now. `tried`: the table whose dice are sent by the next route already."""
    for row in uow.tables_read_by(player):
        if row.id != tried:
            _route_ended(uow, row.id, [player])


def _route_ended(uow: UnitOfWork, table: int, players: Iterable[Player]) -> None:
    """Show the table of players whose private route has ended as it is now, with bids for all if one is on turn.

    Bids that their boards did not show yet are sent by their next route.
    """
    for player in players:
        if uow.tables.waits(table, [hand_slot(player.id)]):
            _try_next_route(uow, player, table)
    uow.mark_table(table)


def _try_next_route(uow: UnitOfWork, player: Player, table_id: int, refused: n.Notice | None = None) -> bool:
    """Send a player their dice by their next route, if these did not arrive.

    `refused`: the notice that the last route did not take, or None if the board waits for a route that has ended.
    """
    row = uow.table_by_id(table_id)
    if row is None or row.status != Status.PLAYING:
        return False
    table = load_table(row)
    seat = table.seat_of(player.id)
    if seat is None or not table.in_play(seat):
        return False
    outbox = TableOutbox(uow, row, uow.chat_of(row))
    if isinstance(refused, n.ReminderNotice) and table.running.ends == refused.clock_ends:
        outbox.send_reminder(table, seat)
    if refused is None:
        waits = table.suspension is None and not table.seats[seat].away
        is_tried = waits and not outbox.routes.to(player).has_board
    else:
        is_tried = refused.own_deal == table.deals
    if is_tried:  # a message that has asked before counts again
        is_sent = outbox.send_hand(table, seat, news=True)
        slot = hand_slot(player.id) if is_sent else deal_slot(table.deals)
        here = col(SentMessage.table_id) == table_id, col(SentMessage.slot) == slot
        uow.session.execute(update(SentMessage).where(*here).values(asked=None))
        if not is_sent:
            uow.mark_table(table_id)
    return is_tried


def private_routes_work(uow: UnitOfWork, channel: str, addresses: Collection[int]) -> None:
    """Store that direct messages got through."""
    here = (Player.channel == channel, col(Player.address).in_(addresses))
    for player in uow.session.exec(select(Player).where(*here, Player.direct == DirectMessages.UNKNOWN)):
        player.direct = DirectMessages.OPEN


def bot_membership_changed(uow: UnitOfWork, intent: Intent, request: BotMembershipChanged) -> None:
    """Suspend the tables of a group where the bot may not write, resume them where it may; greet a new group."""
    if intent.where is None:
        return
    if not request.present or not request.can_write:
        lose_chat(uow, intent.where.channel, intent.where.address)
        return
    group = uow.ensure_chat(intent.where)
    if request.arrived:
        group.language = group.language or uow.language_spoken_by(intent.who)
    places = _chats_at(uow, intent.where.channel, intent.where.address, None)
    was_lost = any(chat.lost_at is not None for chat in places)
    for chat in places:
        ends_routes = request.ephemeral_allowed and not chat.ephemeral
        row = uow.live_table_in(chat) if ends_routes else None
        chat.ephemeral = request.ephemeral_allowed
        resume_chat(uow, chat)
        if row is not None:
            _route_ended(uow, row.id, uow.players_by_id(load_table(row).people).values())
    if request.arrived and not was_lost:
        say(uow, group, help_notice(group, lobby_defaults(group, uow.config)[0], voice=uow.config.hears_voice))


def lose_chat(uow: UnitOfWork, channel: str, address: int, topic: int | None = None) -> None:
    """Suspend the tables of a chat, or of one topic, where the bot cannot write. Its notices wait too.

    Notices that waited for a reveal there are sent now; the players read the reason.
    """
    lost = _chats_at(uow, channel, address, topic)
    rows = [uow.live_table_in(chat) for chat in lost]
    for chat, row in zip(lost, rows, strict=True):
        chat.lost_at = chat.lost_at or uow.now
        if row is not None:
            before = load_table(row)
            step = suspend(before, moment=uow.moment)
            if step.table != before:
                uow.commit_step(row, before, step)
    uow.session.flush()
    topics = {chat.topic for chat in lost}
    unrevealed = {table for chat in lost for table in count_as_seen_in(uow.session, chat.id, uow.now)}
    for table in sorted(unrevealed):
        uow.mark_table(table)
    for notice in _notices_for(uow, channel, address, NoticeStatus.PENDING):
        envelope = read_envelope(notice.notice)
        if envelope is not None and topic in (None, envelope.topic):
            # A table that resumes asks and shows its messages anew.
            is_shown_anew = envelope.edits or notice.awaited is not None
            kept = envelope.topic in topics and not is_shown_anew and notice.urgency > Urgency.ASKS
            _set_aside(uow, notice, NoticeStatus.HELD if kept else NoticeStatus.FAILED)
    for chat, row in zip(lost, rows, strict=True):
        if row is not None and row.id in unrevealed:
            _tell_why_suspended(uow, row, chat)


def _tell_why_suspended(uow: UnitOfWork, row: GameTable, chat: Chat) -> None:
    outbox = TableOutbox(uow, row, chat)
    for seat in load_table(row).seats:
        if seat.computer is not None or seat.away:
            continue
        player = uow.player_by_id(seat.player)
        route = outbox.routes.to(player)
        if route.is_own_chat:
            why = n.RejectionNotice(reason=RejectionReason.SUSPENDED)
            say(uow, player, why, about=outbox, at=route)


def _set_aside(uow: UnitOfWork, notice: OutboxEntry, status: NoticeStatus) -> None:
    notice.status, notice.error, notice.done_at = status, "unwritable", uow.now
    if status is NoticeStatus.FAILED:
        notice.notice = None


def resume_chat(uow: UnitOfWork, chat: Chat) -> None:
    """Try to write again to a lost chat which has sent an update."""
    if chat.lost_at is None:
        return
    row = uow.live_table_in(chat)
    if row is not None and load_table(row).suspension is not None:
        TableOutbox(uow, row, chat).send_probe()
    else:
        _resume_tables(uow, chat)


def mark_writable(uow: UnitOfWork, channel: str, address: int, topic: int) -> None:
    """Resume a chat after a message got through."""
    for chat in _chats_at(uow, channel, address, topic):
        _resume_tables(uow, chat)


def _resume_tables(uow: UnitOfWork, chat: Chat) -> None:
    if chat.lost_at is None:
        return
    row = uow.live_table_in(chat)
    chat.lost_at = None
    _mark_newest(uow, chat)
    for notice in _notices_for(uow, chat.channel, chat.address, NoticeStatus.HELD):
        envelope = read_envelope(notice.notice)
        if envelope is not None and envelope.topic == chat.topic:
            notice.status, notice.error, notice.done_at = NoticeStatus.PENDING, None, None
            uow.wake(notice.lane)
    uow.session.flush()
    if row is not None:
        before = load_table(row)
        step = resume(before, moment=uow.moment)
        if step.events:
            uow.commit_step(row, before, step)


def _mark_newest(uow: UnitOfWork, chat: Chat) -> None:
    """Have the newest tables of a chat compared, which may be over."""
    newest = select(GameTable.id).where(GameTable.chat_id == chat.id).order_by(col(GameTable.id).desc()).limit(2)
    for table in uow.session.exec(newest):
        uow.mark_table(table)


def _chats_at(uow: UnitOfWork, channel: str, address: int, topic: int | None) -> list[Chat]:
    query = select(Chat).where(Chat.channel == channel, Chat.address == address).order_by(col(Chat.id))
    return list(uow.session.exec(query if topic is None else query.where(Chat.topic == topic)))


def _notices_for(uow: UnitOfWork, channel: str, address: int, status: NoticeStatus) -> list[OutboxEntry]:
    query = select(OutboxEntry).where(OutboxEntry.lane == LaneName(channel, address), OutboxEntry.status == status)
    return list(uow.session.exec(query.order_by(col(OutboxEntry.id))))


def move_chat(uow: UnitOfWork, channel: str, old: int, new: int) -> None:
    """Follow a group to its new address; its old messages can no longer be edited."""
    moved_any = False
    for chat in _chats_at(uow, channel, old, None):
        _merge_into(uow, chat, new)
        chat.address = new
        moved_any = True
        uow.session.flush()
    moved = _chats_at(uow, channel, new, None) if moved_any else []
    _leave_messages(uow, old, new)
    for table in uow.tables.missing.pop(LaneName(channel, old), {}):
        uow.mark_table(table)
    for row in (
        *_notices_for(uow, channel, old, NoticeStatus.PENDING),
        *_notices_for(uow, channel, old, NoticeStatus.HELD),
    ):
        envelope = read_envelope(row.notice)
        if envelope is None:
            continue
        there = envelope.model_copy(update={"chat": new})
        row.notice = there.model_dump(mode="json")
        row.lane = there.lane
        uow.wake(there.lane)
    members.move_members(uow, channel, old, new)
    uow.session.flush()
    for chat in moved:
        _forget_unrevealed_rounds(uow, chat)
        _repost_table(uow, chat)


def _leave_messages(uow: UnitOfWork, old: int, new: int) -> None:
    """Leave a group's old messages as they are: history is not written again at the new address."""
    of_games = col(SentMessage.chat) == old, col(SentMessage.receiver).is_(None), OF_A_TABLE
    uow.session.execute(update(SentMessage).where(*of_games).values(chat=new, message=0, frozen=True))
    uow.session.execute(delete(SentMessage).where(col(SentMessage.chat) == old))


def _forget_unrevealed_rounds(uow: UnitOfWork, chat: Chat) -> None:
    """Forget the messages of rounds whose end the group has not seen: it is shown at the new address."""
    ends = select(RoundEnd.table_id, RoundEnd.deal).join(GameTable, col(GameTable.id) == col(RoundEnd.table_id))
    for table, deal in uow.session.exec(ends.where(GameTable.chat_id == chat.id, col(RoundEnd.seen_at).is_(None))):
        here = col(SentMessage.table_id) == table, col(SentMessage.slot) == deal_slot(deal)
        uow.session.execute(delete(SentMessage).where(*here))
        uow.mark_table(table)


def _repost_table(uow: UnitOfWork, chat: Chat) -> None:
    """Show a table at its new address: the buttons of the messages at the old one do not work."""
    row = uow.live_table_in(chat)
    if row is None:
        return
    table = load_table(row)
    slot = LOBBY_SLOT if table.status is Status.LOBBY else deal_slot(table.deals)
    uow.session.execute(delete(SentMessage).where(col(SentMessage.table_id) == row.id, col(SentMessage.slot) == slot))
    if table.status is Status.LOBBY:
        TableOutbox(uow, row, chat).send_lobby(table)
    elif table.game is not None:
        uow.mark_table(row.id)


def _merge_into(uow: UnitOfWork, chat: Chat, address: int) -> None:
    """Merge the rows of the new address: updates may have arrived from there before the report of the move."""
    query = select(Chat).where(Chat.channel == chat.channel, Chat.address == address, Chat.topic == chat.topic)
    twin = uow.session.exec(query).one_or_none()
    if twin is None or twin is chat:
        return
    running = uow.live_table_in(chat)
    newer = uow.live_table_in(twin)
    if running is not None and newer is not None:
        # A game is kept rather than a lobby that was opened before the report of the move.
        before, other = load_table(running), load_table(newer)
        if before.status is Status.PLAYING and other.status is Status.LOBBY:
            uow.commit_step(newer, other, lobby_rules.close(other, CloseReason.STOPPED))
        else:
            uow.commit_step(running, before, lobby_rules.close(before, CloseReason.LOST_CHAT))
        uow.session.flush()
    move_references(uow.session, Chat, twin.id, chat.id)
    shown = update(WebSession).where(col(WebSession.shown_chat_id) == twin.id)
    uow.session.execute(shown.values(shown_chat_id=chat.id))
    chat.ephemeral = twin.ephemeral
    uow.session.delete(twin)
    uow.session.flush()
