"""Check that readers' messages are compared when they should change, and that history is sent once.

The content of a table's messages follows from stored facts: see `telegram_bot/screens`. Delivery compares a reader's
messages only if the reader is marked, so whatever changes what a reader should see must mark that reader.
"""

import re
from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from typing import Any, Final
from weakref import WeakKeyDictionary

from pydantic import ValidationError
from sqlalchemy import Engine

from telegram_bot import notices as n
from telegram_bot.delivery import outbox
from telegram_bot.delivery.reconcile import Reconciler
from telegram_bot.delivery.worker import DeliveryWorker
from telegram_bot.screens.facts import read_facts
from telegram_bot.screens.wants import Want, wants_of
from telegram_bot.service.dirty_tables import DirtyTables
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.tables.model import Status

HISTORY: Final = (
    *(n.RevealNotice, n.KnockedOutNotice, n.StartedNotice),
    *(n.GameOverNotice, n.ClosedNotice, n.ConfirmationNotice),
)
"""The notices that stay as they are, although nothing keeps them up to date any more."""
LATE: Final = re.compile(r"clock_|commitment|stirs|seats\.\d+\.(?:away|left_to_bot|taken_by)")
"""The fields that a message may show as they were: nothing marks its readers when these change."""
KNOWN: Final = WeakKeyDictionary[DirtyTables, set[int]]()
"""The tables that were ever marked."""
Wanted = dict[tuple[int, int], dict[str, Want]]


def watch(patch: Callable[[object, str, object], None]) -> list[str]:
    """Watch the readers of all databases of a test; return a list to which each fault will be added."""
    faults: list[str] = []
    told = set[tuple[Engine, str, int | None, str]]()
    under_way = 0

    def looking(step: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        @wraps(step)
        async def looked(self: Any, *args: Any, **more: Any) -> Any:
            nonlocal under_way
            service: Service = getattr(self, "service", self)
            before = {} if under_way else wanted(service)
            under_way += 1
            try:
                return await step(self, *args, **more)
            finally:
                under_way -= 1
                if before:
                    faults.extend(unmarked(service, before))

        return looked

    def marked(uow: UnitOfWork, sent: Any) -> Any:
        for item, _ in sent:
            notice = item.envelope.notice
            if isinstance(notice, HISTORY) and not item.is_edit and item.slot is not None:
                fact = uow.session.get_bind().engine, str(item.lane), item.table_id, notice.model_dump_json()
                if fact in told:
                    faults.append(f"{notice.kind} of table {item.table_id} was sent twice to {item.lane}")
                told.add(fact)
        return mark_sent(uow, sent)

    def mark(tables: DirtyTables, table: int, now: float) -> None:
        KNOWN.setdefault(tables, set()).add(table)
        mark_table(tables, table, now)

    mark_sent, mark_table = outbox.mark_sent, DirtyTables.mark
    patch(DirtyTables, "mark", mark)
    patch(Service, "handle", looking(Service.handle))
    patch(DeliveryWorker, "_commit", looking(DeliveryWorker._commit))
    patch(outbox, "mark_sent", marked)
    return faults


def wanted(service: Service) -> Wanted:
    """Return what the readers should see whose messages will not be compared."""
    found: Wanted = {}
    with service.database.transaction() as session, session.no_autoflush:
        uow = service.unit_of_work(session, "screens")
        waits = {
            *service.tables.since,
            *service.tables.changes,
            *(t for of in service.tables.missing.values() for t in of),
        }
        for table in sorted(KNOWN.get(service.tables, set()) - waits):
            try:
                facts = read_facts(uow, table)
            except ValidationError:  # a test has spoilt it
                continue
            if facts is None or (facts.unrevealed is None and facts.table.status not in (Status.LOBBY, Status.PLAYING)):
                continue
            if facts.chat.lost_at is None and facts.table.suspension is None:
                for reader, _ in Reconciler(uow)._readers_of(facts, {}):
                    found[table, reader] = {want.slot: want for want in wants_of(facts, reader)}
        session.expunge_all()
    return found


def unmarked(service: Service, before: Wanted) -> Iterator[str]:
    """Yield each message that should have changed since then, although its reader was not marked."""
    for (table, player), now in wanted(service).items():
        was = before.get((table, player), now)
        for slot in was.keys() | now.keys():
            if fields := different(was.get(slot), now.get(slot)):
                yield f"{slot} of table {table} changed for reader {player}, who is not marked: {fields}"


def different(was: Want | None, now: Want | None) -> list[str]:
    """Return the fields of a message that must change, the slot if all of it must, or nothing.

    A message stays where it is: private messages take another route from the next turn on.
    """
    if now is None or was is None:
        return [] if now is not None and now.edit_only else ["slot"]
    if was.to != now.to:
        return []
    if was.notice.kind != now.notice.kind:
        return ["kind"]
    if now.frozen or (now.once and was.key == now.key) or was.notice == now.notice:
        return []
    a, b = dict(_flat(was.notice.model_dump(mode="json"))), dict(_flat(now.notice.model_dump(mode="json")))
    return [name for name in a.keys() | b.keys() if a.get(name) != b.get(name) and not LATE.search(name)]


def _flat(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict | list) and value:
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _flat(each, f"{path}.{name}")
    else:
        yield path, value
