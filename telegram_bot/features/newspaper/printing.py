"""Print the newspaper on the morning after an evening, once, and open the table of a revenge."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy import String, cast, literal
from sqlmodel import Session, col, delete, select

from telegram_bot.features.newspaper.edition import Revenge, edition_of, next_friday, next_nine
from telegram_bot.features.newspaper.notices import NewspaperNotice
from telegram_bot.notices.rendering import caption_html
from telegram_bot.operations.evening_file import EveningPart
from telegram_bot.repositories.repositories import REMATCH_SECONDS
from telegram_bot.screens.switches import Switch
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.table_context import new_lobby
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.key_value import forgotten_span
from telegram_bot.storage.models import OPEN_NOTICES, GameTable, KeyValue, OutboxEntry, Player
from telegram_bot.tables.events import PlainEvent, RejectedError
from telegram_bot.tables.model import Status, Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark
from telegram_bot.words.switch_words import SwitchWords

log = logging.getLogger(__name__)

MORNING: Final = "newspaper"
"""The timer of an evening's last game until its newspaper."""
REVENGE: Final = "revenge"
"""The timer of the same game until the table of a revenge opens."""
SLOT: Final = "newspaper"
ENDED: Final = Switch(
    "no_newspaper",
    sign="📰",
    group=SwitchWords(
        label=mark("No morning paper"),
        on=mark("The morning after an evening is quiet from now on."),
        off=mark("On the morning after an evening I tell what happened."),
    ),
)
LATEST_SECONDS: Final = 3 * 3600
"""A bot that was down at nine prints until noon, and opens a table until eleven in the evening."""
OLDEST_SECONDS: Final = 36 * 3600
"""How long after its end an evening is told of, if people play when its newspaper is due."""
_WANTED: Final = "newspaper_revenge:"


def follow(outbox: TableOutbox, committed: CommittedStep) -> None:
    """After a game in a group, wait for the next morning."""
    table, chat = committed.step.table, outbox.chat
    is_over = PlainEvent.RESULT_SHOWN in committed.step.events
    if is_over and outbox.shared and not table.practice and chat.channel != outbox.uow.channels.rooms:
        now, zone = outbox.uow.now, outbox.uow.config.time_zone
        outbox.uow.set_timer(committed.row, MORNING, next_nine(now + REMATCH_SECONDS, zone))


def print_newspaper(uow: UnitOfWork, table: Table) -> float | None:
    """Send the newspaper of the evening whose last game is over, or wait for another morning."""
    row = uow.session.get_one(GameTable, table.id)
    chat, zone = uow.chat_of(row), uow.config.time_zone
    if ENDED.is_on(chat) or is_forgotten(uow, table.timers[MORNING]) or _has_later_game(uow, row):
        return None
    live = uow.session.exec(select(GameTable.status).where(GameTable.chat_id == chat.id, col(GameTable.live))).first()
    morning = next_nine(uow.now - (0 if live == Status.PLAYING else LATEST_SECONDS), zone)
    if morning > uow.now:  # they play, or the bot was down until now
        return morning if morning < row.updated_at + OLDEST_SECONDS else None
    paper = newspaper_of(uow, row, morning)
    if paper is not None:
        outbox, until = TableOutbox(uow, row, chat), morning + LATEST_SECONDS
        say(uow, chat, paper, about=outbox, silent=True, slot=SLOT, until=until)
    return None


def newspaper_of(uow: UnitOfWork, row: GameTable, morning: float) -> NewspaperNotice | None:
    """Return the newspaper of the evening of a finished game, or None if there is nothing to tell."""
    edition, zone = edition_of(uow, row), uow.config.time_zone
    if edition is None:
        return None
    at, wanted_by = next_friday(morning, zone), revenge_wanted_by(uow, row.id)
    return NewspaperNotice(
        table=row.id,
        title=uow.chat_of(row).title,
        at=morning,
        zone=zone,
        lie=edition.lie,
        catches=edition.catches,
        falls=edition.falls,
        sun=edition.sun,
        rain=edition.rain,
        revenge=None if edition.owes is None else Revenge(name=edition.owes[0], other=edition.owes[1], at=at),
        wanted_by=None if wanted_by is None else "" if wanted_by.hidden else wanted_by.name,
    )


def in_evening(uow: UnitOfWork, rows: Sequence[GameTable], begun: datetime, w: Catalogue) -> Iterator[EveningPart]:
    """Yield the newspaper of each room where an evening's games were played, dated by its begin, for its file."""
    at = begun.replace(tzinfo=ZoneInfo(uow.config.time_zone)).timestamp()
    for last in {row.chat_id: row for row in rows}.values():
        paper = newspaper_of(uow, last, at)
        if paper is not None:
            told = paper.model_copy(update={"revenge": None})  # its key is below the message of a group
            yield EveningPart(None, "", told.picture(w), caption_html(told, w) or "")


def _has_later_game(uow: UnitOfWork, row: GameTable) -> bool:
    later = (GameTable.chat_id == row.chat_id, col(GameTable.id) > row.id, GameTable.status == Status.FINISHED)
    return uow.session.exec(select(GameTable.id).where(*later).limit(1)).first() is not None


def is_forgotten(uow: UnitOfWork, at: float) -> bool:
    """Return True if a time lies between a backup and its restore: what was due then was probably done."""
    span = forgotten_span(uow.session)
    return span is not None and span[0] < at < span[1]


def want_revenge(uow: UnitOfWork, row: GameTable, player: Player, at: float) -> None:
    """Have the table of a revenge opened by the first person who wants it."""
    uow.session.merge(KeyValue(key=f"{_WANTED}{row.id}", value=str(player.id)))
    uow.set_timer(row, REVENGE, at)


def revenge_wanted_by(uow: UnitOfWork, table: int) -> Player | None:
    """Return the first person who wanted the revenge, or None before that, or if they were forgotten."""
    stored = uow.session.get(KeyValue, f"{_WANTED}{table}")
    return None if stored is None else uow.session.get(Player, int(stored.value))


def open_revenge(uow: UnitOfWork, table: Table) -> None:
    """Open the lobby that a person wanted, unless people play there, or it is too late."""
    row, due = uow.session.get_one(GameTable, table.id), table.timers[REVENGE]
    chat, player = uow.chat_of(row), revenge_wanted_by(uow, table.id)
    is_late = uow.now > due + LATEST_SECONDS or is_forgotten(uow, due)
    if player is None or is_late or chat.lost_at is not None or uow.live_table_in(chat) is not None:
        return
    try:
        new, step = new_lobby(uow, chat, player)
    except RejectedError as error:
        log.info("the table of a revenge is not opened: %s", error.reason, extra={"table": table.id})
        return
    uow.commit_step(new, None, step)


def tables_of_waiting(session: Session, _: int) -> Iterable[int]:
    """Return the tables whose newspapers wait: they name people of an evening's other tables."""
    waiting = select(OutboxEntry.table_id).where(OutboxEntry.slot == SLOT, OPEN_NOTICES)
    return [table for table in session.exec(waiting) if table is not None]


def prune(session: Session, _: float) -> None:
    """Delete the wishes for a revenge after deleted games."""
    key = literal(_WANTED) + cast(col(GameTable.id), String)
    is_kept = select(GameTable.id).where(key == col(KeyValue.key)).exists()
    session.exec(delete(KeyValue).where(col(KeyValue.key).startswith(_WANTED, autoescape=True), ~is_kept))
