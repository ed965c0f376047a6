"""Compare the messages of the readers in some lanes with those that they should see, in one transaction."""

import logging
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar

from pydantic import ValidationError
from sqlalchemy import bindparam, delete, update
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col

from telegram_bot.delivery.message import Message
from telegram_bot.intents.slots import TABLES_CHAT
from telegram_bot.screens.differences import Difference, differences, next_change
from telegram_bot.screens.facts import Facts, read_facts
from telegram_bot.screens.posting import Notification
from telegram_bot.screens.wants import Want, wants_of
from telegram_bot.service.announcing.old_messages import button_slots, outdated
from telegram_bot.service.readers import Reader, Settled
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import LaneName, RoundEnd, SentMessage
from telegram_bot.storage.session import columns_of, plain
from telegram_bot.tables.model import Status

log = logging.getLogger(__name__)
T = TypeVar("T")

SOON_SECONDS = 5.0
"""A lane whose next message is due within this time is read again then; later ones are found by the next looks."""

COMPARE_AGAIN_SECONDS: Final = 600.0
"""The pause before a table is compared again whose messages could not be made."""

_SHOWN: Final = columns_of(SentMessage).where(
    col(SentMessage.table_id).in_(bindparam("tables", expanding=True)),
    col(SentMessage.slot).in_(bindparam("slots", expanding=True)),
)
_STRIP: Final = (
    update(SentMessage)
    .where(col(SentMessage.table_id) == bindparam("in_table"), col(SentMessage.slot) == bindparam("in_slot"))
    .values(keyboard=False)
)


class Reconciler:
    """Compares readers; the facts about a table are read once for all of them."""

    def __init__(self, uow: UnitOfWork) -> None:
        self.uow = uow
        self.soon: dict[LaneName, float] = {}
        """The lanes with a reader whose messages change soon, and in how many seconds."""
        self._settled: dict[tuple[int, int], Settled] = {}

    @property
    def settled(self) -> Collection[Settled]:
        """Return the readers that are settled as soon as the transaction is committed."""
        return self._settled.values()

    def note(self, settled: Iterable[Settled]) -> None:
        """Note readers whose messages were compared or sent."""
        self._settled |= {(each.table, each.player): each for each in settled}

    def compare(self, lanes: Collection[LaneName]) -> dict[LaneName, list[Message]]:
        """Return the missing and outdated messages of each lane, in the order of reading.

        A reader without any is not compared again before something changes.
        """
        found, now = defaultdict[LaneName, list[Message]](list), self.uow.now
        tables: dict[int, Facts | None] = {}  # read after the readers: a mark must not be newer than its table
        compared: list[tuple[Reader, Facts, list[Want]]] = []
        due = [reader for reader in self.uow.readers.due(now + SOON_SECONDS) if reader.lane in lanes]
        self.uow.players_by_id(reader.player for reader in due if reader.player != TABLES_CHAT)
        for reader in due:
            due_at = self._due_at(reader)
            if due_at is None or due_at > now:
                self._compare_later(reader, due_at)
                continue
            if reader.table not in tables:
                tables[reader.table] = self._tried(reader, partial(self._facts_of, reader.table))
            facts = tables[reader.table]
            wanted = None if facts is None else self._tried(reader, partial(_wanted, facts, reader))
            if facts is None or wanted is None:  # its messages stay as they are for a while
                self.note([Settled(reader.table, reader.player, reader.marks, now + COMPARE_AGAIN_SECONDS)])
            elif any(want.to.lane != reader.lane for want in wanted):  # a send to that lane may be running
                self.note([Settled(reader.table, reader.player, reader.marks, moved_to=wanted[0].to.lane)])
            else:
                compared.append((reader, facts, wanted))
        shown = self._shown(compared)
        for reader, facts, wanted in compared:
            differing = self._tried(reader, partial(self._differing, facts, reader, wanted, shown[reader.table]))
            if differing is None:
                self.note([Settled(reader.table, reader.player, reader.marks, now + COMPARE_AGAIN_SECONDS)])
                continue
            missing, left = differing
            for message, strip in left:
                of_message = {"in_table": message.table_id, "in_slot": message.slot}
                self.uow.session.connection().execute(_STRIP, of_message)
                self.uow.enqueue(strip)
            again = next_change(facts)
            has_ended = facts.table.status not in (Status.LOBBY, Status.PLAYING)
            is_over = has_ended and facts.unrevealed is None and facts.chat.lost_at is None
            is_last = len(missing) <= 1 and not is_over
            state = Settled(reader.table, reader.player, reader.marks if is_last else None, again)
            since = reader.since or reader.due_at or facts.now
            found[reader.lane] += [Message.missing(each, state, since) for each in missing]
            self._compare_later(reader, again)
            if not missing:
                self.note([replace(state, marks=reader.marks, is_over=is_over and again is None)])
        return found

    @staticmethod
    def _tried(reader: Reader, find: Callable[[], T | None]) -> T | None:
        """Return a result, or None after an error: whatever is wrong with one table, it may not hold up others.

        Errors of the database still end the transaction.
        """
        try:
            return find()
        except SQLAlchemyError:
            raise
        except Exception:
            log.exception("the messages of table %s cannot be compared", reader.table)
            return None

    def _differing(
        self, facts: Facts, reader: Reader, wanted: Sequence[Want], shown: Mapping[str, SentMessage]
    ) -> tuple[list[Difference], list[tuple[SentMessage, Notification]]]:
        """Return the missing messages of a reader, and those with outdated buttons."""
        missing = [
            each
            for each in differences(self.uow, facts, wanted, shown)
            if self.uow.given_up.get((reader.table, each.want.slot)) != each.content
        ]
        return missing, list(outdated(self.uow, facts, reader.player, wanted, shown))

    def _shown(
        self, compared: Collection[tuple[Reader, Facts, Sequence[Want]]]
    ) -> Mapping[int, Mapping[str, SentMessage]]:
        """Return the messages that fill the wanted slots, and those with bids, by table."""
        shown = defaultdict[int, dict[str, SentMessage]](dict)
        slots = {want.slot for _, _, wanted in compared for want in wanted}
        slots |= {slot for reader, facts, _ in compared for slot in button_slots(facts, reader.player)}
        if compared:
            where = {"tables": list({reader.table for reader, *_ in compared}), "slots": list(slots)}
            for message in self.uow.session.connection().execute(_SHOWN, where).mappings():
                shown[message["table_id"]][message["slot"]] = plain(SentMessage, message)
        return shown

    def _due_at(self, reader: Reader) -> float | None:
        """Return when a reader must be compared, although what is settled is not committed yet."""
        settled = self._settled.get((reader.table, reader.player))
        return reader.due_at if settled is None or settled.marks != reader.marks else settled.again

    def _compare_later(self, reader: Reader, again: float | None) -> None:
        if again is not None and again - self.uow.now <= SOON_SECONDS:
            self.soon[reader.lane] = min(again - self.uow.now, self.soon.get(reader.lane, SOON_SECONDS))

    def _facts_of(self, table: int) -> Facts | None:
        try:
            facts = read_facts(self.uow, table)
        except ValidationError as error:  # whatever is wrong with it, it may not hold up other tables
            log.error("table %s cannot be read: %s", table, type(error).__name__)  # noqa: TRY400 - what it quotes may be secret
            return self._without_ends(table)
        if facts is None:
            self.uow.readers.forget_table(table)
        return facts

    def _without_ends(self, table: int) -> Facts | None:
        """Forget the ends of rounds, which this version cannot read: so their dice hold up nothing."""
        self.uow.session.execute(delete(RoundEnd).where(col(RoundEnd.table_id) == table))
        try:
            return read_facts(self.uow, table)
        except ValidationError:
            return None


def _wanted(facts: Facts, reader: Reader) -> list[Want]:
    return list(wants_of(facts, reader.player))
