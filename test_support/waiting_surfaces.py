"""The surfaces that wait to be shown, as rows of the outbox: as if every send succeeded in its time."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from math import inf
from typing import Final

from sqlalchemy import bindparam
from sqlmodel import Session, select

from telegram_bot import notices as n
from telegram_bot.delivery.reconcile import Reconciler
from telegram_bot.intents.slots import TABLES_CHAT, deal_of
from telegram_bot.screens.differences import Difference, changes, differences
from telegram_bot.screens.facts import read_facts
from telegram_bot.screens.posting import outbox_columns
from telegram_bot.screens.wants import wants_of
from telegram_bot.service.announcing.old_messages import outdated
from telegram_bot.service.service import Service
from telegram_bot.storage.models import OutboxEntry, SentMessage
from telegram_bot.tables.play import RESULT

_MESSAGES = count(5_000)
# Tests ask these thousands of times.
_SHOWN: Final = select(SentMessage).where(SentMessage.table_id == bindparam("table"))


def waiting_surfaces(service: Service, session: Session) -> Iterator[tuple[OutboxEntry, SentMessage]]:
    """Return the waiting surfaces of all tables in the order of reading, each with the message that it becomes."""
    uow = service.unit_of_work(session, "test")
    reconciler = Reconciler(uow)
    waits = service.tables.due(inf) | {
        table: of.since for each in service.tables.missing.values() for table, of in each.items()
    }
    for table, since in sorted(waits.items()):
        facts = read_facts(uow, table)
        assert facts is not None
        due_at = (
            0 if table not in service.tables.changes or table in service.tables.since else service.tables.changes[table]
        )
        game = facts.table.game  # its player to call is asked before the chat is told
        on_turn = None if game is None or game.turn is None else facts.table.seats[game.turn].player
        shown = {message.slot: message for message in session.exec(_SHOWN, params={"table": table})}
        compared = [player for player, _ in reconciler._readers_of(facts, shown)]
        times = sorted({facts.now, *(time for time in changes(facts) if time > facts.now)})
        told = set[int]()
        for now in times:
            compared_with = -1
            while compared_with < len(told):  # all lanes are compared at the same time, and again once the chat is told
                compared_with = len(told)
                ends = [replace(end, seen=end.seen or end.deal in told) for end in facts.ends]
                is_told = facts.last is not None and facts.last.deal in told and now >= facts.last.dice_at
                shown_table = facts.table.with_timer(RESULT, None) if is_told else facts.table
                then, after_deal = replace(facts, now=now, ends=ends, table=shown_table), max(told, default=None)
                for reader in sorted(compared, key=lambda reader: (reader != on_turn, reader)):
                    for each in list(differences(uow, then, list(wants_of(then, reader)), shown)):
                        deal = deal_of(each.want.slot)
                        if deal is not None and isinstance(each.want.notice, n.RevealNotice):
                            told.add(deal)
                        message = _message(each, max(facts.now, now))
                        shown[each.want.slot] = message
                        entry = OutboxEntry(**outbox_columns(each.notification, since if due_at == 0 else now))
                        entry.not_before = max(now, due_at)
                        entry.after_deal = None if reader == TABLES_CHAT else after_deal
                        entry.notice = (entry.notice or {}) | {"key": None if each.edited is None else ()}
                        yield entry, message
        seen = replace(facts, now=times[-1], ends=[replace(end, seen=True) for end in facts.ends])
        for reader in compared:
            wanted = list(wants_of(seen, reader))
            for message, strip in outdated(uow, seen, reader, wanted, shown):
                stripped = SentMessage(**message.model_dump() | {"keyboard": False})
                yield OutboxEntry(**outbox_columns(strip, facts.now)), stripped


def _message(difference: Difference, now: float) -> SentMessage:
    want, edited = difference.want, difference.edited
    return SentMessage(
        table_id=difference.notification.table or 0,
        slot=want.slot,
        chat=want.to.chat,
        receiver=want.to.receiver,
        message=next(_MESSAGES) if edited is None else edited.message,
        keyboard=isinstance(want.notice, n.LobbyNotice | n.TableNotice | n.HandNotice),
        digest=difference.digest,
        key=difference.key,
        frozen=want.frozen,
        asked=difference.asked and [*difference.asked[:2], now],
    )
