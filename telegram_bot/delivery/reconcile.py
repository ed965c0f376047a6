"""Compare the messages of tables' readers with those that they should see, in one transaction."""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial
from typing import Final, TypeVar

from pydantic import ValidationError
from sqlalchemy import delete, or_
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from telegram_bot.delivery.message import Message
from telegram_bot.intents.slots import OF_A_ROUND, TABLES_CHAT, deal_slot, reader_of_keys
from telegram_bot.screens.differences import Difference, differences, next_change
from telegram_bot.screens.facts import Facts, read_facts
from telegram_bot.screens.posting import Notification
from telegram_bot.screens.wants import wants_of
from telegram_bot.service.announcing.old_messages import outdated
from telegram_bot.service.dirty_tables import Missing
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import LaneName, RoundEnd, SentMessage
from telegram_bot.tables.model import Status

log = logging.getLogger(__name__)
T = TypeVar("T")

COMPARE_AGAIN_SECONDS: Final = 600.0
"""The pause before a table is compared again whose messages could not be made."""


class Reconciler:
    """Compares tables; the facts about a table are read once for all its readers."""

    def __init__(self, uow: UnitOfWork) -> None:
        self.uow = uow
        self.tables = uow.tables
        self.missing: dict[LaneName, list[Message]] = defaultdict(list)
        """The missing and outdated messages of each lane, in the order of reading."""
        self.compared: dict[int, float] = {}
        """The dirty tables that were compared, each since when: if the transaction fails, they are dirty again."""

    def compare(self, lanes: Collection[LaneName]) -> None:
        """Compare all dirty tables, and for these lanes also the tables of which they missed something."""
        due = self.compared = self.tables.due(self.uow.now)
        for table in due:
            self.tables.since.pop(table, None)
            self.tables.changes.pop(table, None)
        waiting = {table: of.since for lane in lanes for table, of in self.tables.missing.get(lane, {}).items()}
        since = {table: min(times) for table in waiting | due if (times := [*_both(table, waiting, due)])}
        compared = [
            (facts, table in due)
            for table in sorted(since, key=lambda table: (since[table], table))
            if (facts := self._tried(table, partial(self._facts_of, table))) is not None
        ]
        shown = self._shown([facts for facts, _ in compared])
        for facts, is_dirty in compared:
            table = facts.table.id
            found: dict[LaneName, Missing] = {}
            for reader, lane in self._readers_of(facts, shown[table]):
                if not is_dirty and lane not in lanes:
                    continue
                differing = self._tried(table, partial(self._differing, facts, reader, shown[table])) or ()
                before = self.tables.missing.get(lane, {}).get(table)
                for each in differing:
                    of = found.setdefault(lane, Missing(since[table] if before is None else before.since))
                    of.slots.add(each.want.slot)
                    only = of if len(differing) == 1 else None
                    self.missing[lane].append(Message.missing(each, reader, only, of.since))
            self.tables.note(table, found, None if is_dirty else lanes)
            if is_dirty and (again := next_change(facts)) is not None:
                self.tables.mark_later(table, again)

    def _readers_of(self, facts: Facts, shown: Mapping[str, SentMessage]) -> Iterator[tuple[int, LaneName]]:
        """Yield the readers whose messages are compared, each with their lane: also those who have keys from before."""
        if facts.shared:
            yield TABLES_CHAT, facts.chat.lane
        with_keys = {reader_of_keys(slot) or 0 for slot, message in shown.items() if message.keyboard}
        for number, player in sorted(self.uow.players_by_id({*facts.people, *with_keys}).items()):
            traits = self.uow.traits(player.channel)
            if traits.reads_rooms or not traits.buttons:
                continue
            route = facts.route_to(player)
            is_in_own_chat = facts.table.status is Status.LOBBY and route.has_menus
            if is_in_own_chat or route.kept is None or self.uow.traits(route.kept.channel).reads_rooms:
                yield number, player.lane
            else:
                yield number, route.kept.lane

    def _tried(self, table: int, find: Callable[[], T]) -> T | None:
        """Return a result, or None after an error: whatever is wrong with one table, it may not hold up others.

        Errors of the database still end the transaction.
        """
        try:
            return find()
        except SQLAlchemyError:
            raise
        except Exception:
            log.exception("the messages of table %s cannot be compared", table)
            self.tables.note(table, {}, None)
            self.tables.mark_later(table, self.uow.now + COMPARE_AGAIN_SECONDS)
            return None

    def _differing(self, facts: Facts, reader: int, shown: Mapping[str, SentMessage]) -> Sequence[Difference]:
        """Return the missing messages of a reader, and take the buttons from outdated ones."""
        wanted = list(wants_of(facts, reader))
        missing = [
            each
            for each in differences(self.uow, facts, wanted, shown)
            if self.uow.given_up.get((facts.table.id, each.want.slot)) != each.content
        ]
        strips: list[tuple[SentMessage, Notification]] = list(outdated(self.uow, facts, reader, wanted, shown))
        for message, strip in strips:
            message.keyboard = False
            self.uow.enqueue(strip)
        return missing

    def _shown(self, compared: Sequence[Facts]) -> Mapping[int, Mapping[str, SentMessage]]:
        """Return the messages of tables, without those of rounds that are history."""
        shown = defaultdict[int, dict[str, SentMessage]](dict)
        rounds = {deal_slot(deal) for each in compared for deal in (each.table.deals, *(end.deal for end in each.ends))}
        if compared:
            where = (
                col(SentMessage.table_id).in_(each.table.id for each in compared),
                or_(~OF_A_ROUND, col(SentMessage.slot).in_(rounds)),
            )
            for message in self.uow.session.exec(select(SentMessage).where(*where)):
                shown[message.table_id][message.slot] = message
        return shown

    def _facts_of(self, table: int) -> Facts | None:
        try:
            facts = read_facts(self.uow, table)
        except ValidationError as error:  # whatever is wrong with it, it may not hold up other tables
            log.error("table %s cannot be read: %s", table, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
            facts = self._without_ends(table)
        if facts is None:
            self.tables.note(table, {}, None)
        return facts

    def _without_ends(self, table: int) -> Facts | None:
        """Forget the ends of rounds, which this version cannot read: so their dice hold up nothing."""
        self.uow.session.execute(delete(RoundEnd).where(col(RoundEnd.table_id) == table))
        try:
            return read_facts(self.uow, table)
        except ValidationError:
            self.tables.mark_later(table, self.uow.now + COMPARE_AGAIN_SECONDS)
            return None


def _both(table: int, *times: Mapping[int, float]) -> Iterator[float]:
    return (each[table] for each in times if table in each)
