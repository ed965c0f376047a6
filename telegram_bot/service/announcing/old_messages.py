"""Old messages lose their keys, or are deleted. A question alone is changed elsewhere: its answer is written over it.

A surface that nothing wants any more is `outdated`: delivery finds it when its reader is compared. `retirement` is for
a message that a newer one has replaced. A step calls `withdraw` for what was said for a while.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlmodel import col, select

from telegram_bot import notices as n
from telegram_bot.intents.envelope import Envelope, read_envelope
from telegram_bot.intents.slots import TABLES_CHAT, deal_of, deal_slot, hand_slot, menu_slot
from telegram_bot.screens.facts import Facts
from telegram_bot.screens.posting import Notification, Urgency, ref_of
from telegram_bot.screens.wants import Want
from telegram_bot.service.announcing.saying import About, post
from telegram_bot.service.outbox_dedupe import drop_waiting
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import (
    OPEN_NOTICES,
    Chat,
    DirectMessages,
    NoticeStatus,
    OutboxEntry,
    Player,
    SentMessage,
)


def button_slots(facts: Facts, reader: int) -> Sequence[str]:
    """Return the slots of the reader's messages that may have outdated buttons: the bids, a host's menu."""
    return [deal_slot(facts.table.deals)] if reader == TABLES_CHAT else [hand_slot(reader), menu_slot(reader)]


def outdated(
    uow: UnitOfWork, facts: Facts, reader: int, wanted: Collection[Want], shown: Mapping[str, SentMessage]
) -> Iterator[tuple[SentMessage, Notification]]:
    """Return the messages whose buttons belong to nothing that the reader should see, and what takes these away.

    Bids stay while the last round has dice that are not seen, because its end decides what comes next, and while the
    player is away or reads a page. A host's menu goes.
    """
    seat, table = facts.table.seat_of(reader), facts.table
    is_absent = reader in facts.routes.page_readers or (seat is not None and table.seats[seat].away)
    are_bids_kept = is_absent or any(each is not None for each in (facts.unrevealed, table.show_at, facts.chat.lost_at))
    for slot in button_slots(facts, reader):
        message, is_menu = shown.get(slot), slot == menu_slot(reader)
        if message is None or not message.keyboard or any(want.slot == slot for want in wanted):
            continue
        if are_bids_kept and not is_menu:
            continue
        to = uow.player_by_id(reader) if reader != TABLES_CHAT and message.receiver is None else facts.chat
        if isinstance(to, Player) and to.direct == DirectMessages.REFUSED:
            continue  # they stay until the player lets the bot in
        yield message, Notification(_closing(message, n.OutdatedNotice(moved=is_menu), to), table=table.id)


def _leftover_of(notice: n.Notice) -> n.OutdatedNotice | n.RoundOverNotice:
    """Return the content of the message that a notice replaces."""
    match notice:
        case n.HandNotice():  # a board without bids may be of an older round
            return n.OutdatedNotice(moved=notice.board and bool(notice.view.table.bids))
        case n.CallNotice():
            return n.RoundOverNotice(round=notice.round, shared=notice.shared)
        case n.RevealNotice():
            return n.RoundOverNotice(round=n.called_round(notice.view), shared=notice.shared)
        case n.SeatHandoverNotice():  # who plays now is told below
            return n.OutdatedNotice(moved=True)
        case _:
            return n.OutdatedNotice()


def retirement(envelope: Envelope, old: SentMessage) -> Notification | None:
    """Return the notice that marks the replaced message as outdated, or None if no part of it needs that.

    An ephemeral message is deleted, and so is a board whose newer message contains all of it.
    """
    left = _leftover_of(envelope.notice)
    if old.frozen:
        left = n.OutdatedNotice()
    is_deleted = old.receiver is not None or left.deletes
    if not (old.keyboard or is_deleted):
        return None
    is_calm = isinstance(left, n.RoundOverNotice) and not left.shared
    # A turn in the same private chat must not wait for it.
    is_board = isinstance(envelope.notice, n.HandNotice) and old.receiver is None
    return Notification(
        _closing(old, left, envelope),
        table=old.table_id,
        after_deal=deal_of(old.slot) if is_calm else None,
        urgency=Urgency.IDLE if is_calm or is_board else None,
    )


def withdraw(
    uow: UnitOfWork, reader: Player | Chat, slot: str, *, about: About | int, keeps_words: bool = False
) -> None:
    """Take back what was said in a slot of a table, or of a feature's message.

    It is deleted, and not sent if it waits. `keeps_words`: only the keys of its message go.
    """
    table = about if isinstance(about, int) else about.table_id
    gone = n.OutdatedNotice(moved=not keeps_words)
    if not keeps_words:
        drop_waiting(uow.session, table, col(OutboxEntry.slot) == slot, uow.now)
        under_way = select(OutboxEntry.notice).where(
            OPEN_NOTICES,
            OutboxEntry.status == NoticeStatus.SENDING,
            OutboxEntry.table_id == table,
            OutboxEntry.slot == slot,
        )
        for stored in uow.session.exec(under_way):
            if (sending := read_envelope(stored)) is not None:
                edit = {"notice": gone, "key": None, "edit_only": True, "reply_handle": None}
                post(uow, about, Notification(sending.model_copy(update=edit), slot=slot))
    sent = uow.session.get(SentMessage, (table, slot))
    if sent is None or (keeps_words and not sent.keyboard):
        return
    if keeps_words:
        sent.keyboard = False
    else:
        uow.session.delete(sent)
    post(uow, about, Notification(_closing(sent, gone, reader)))


def _closing(old: SentMessage, left: n.Notice, to: Player | Chat | Envelope) -> Envelope:
    """Return the edit that leaves only this of a message, or deletes it; `to`: its reader, or what replaces it."""
    edit = {"chat": old.chat, "receiver": old.receiver, "target": ref_of(old), "notice": left}
    if isinstance(to, Envelope):
        return to.model_copy(update=edit | {"key": None})
    return Envelope(channel=to.channel, topic=to.topic if isinstance(to, Chat) else 0, **edit)
