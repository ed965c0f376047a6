"""One transaction: the session, the time, the random numbers; only `commit_step` saves a table."""

from __future__ import annotations

import logging
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import func, null, update
from sqlmodel import col, select

from perudo_core import Action, Roll, dump_action
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.intents import DEADLINE, ParseText
from telegram_bot.repositories.repositories import Repositories, load_table
from telegram_bot.screens.posting import Notification, outbox_columns
from telegram_bot.service.computer_requests import CallRequest, Computation
from telegram_bot.service.dirty_tables import DirtyTables, changed_people
from telegram_bot.service.outbox_dedupe import keep_reveals
from telegram_bot.storage.models import (
    OPEN_NOTICES,
    Chat,
    GameAction,
    GameTable,
    LaneName,
    NoticeStatus,
    OutboxEntry,
    RoundEnd,
    TableSeat,
)
from telegram_bot.tables.events import PlainEvent, TableChange
from telegram_bot.tables.lobby_rules import NewTable, others_changed
from telegram_bot.tables.model import Moment, Status, Table, Timings
from telegram_bot.tables.sealed_dice import new_secret
from telegram_bot.tables.turn_clock import next_due

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class CommittedStep:
    """One step of one table, saved by the running transaction."""

    row: GameTable
    before: Table | None
    """The table before the step, or None if it is new."""
    step: TableChange
    """The table after the step, and its events."""


@dataclass(slots=True)
class UnitOfWork(Repositories):
    """The session, time and configuration of one step, and the lanes with new notices."""

    rng: random.Random
    cause: str
    parse_text: ParseText | None = None
    """The parser of typed words, or None if words are not parsed."""
    texted: str | None = None
    """The words of the text message that the step follows from."""
    lifts: int | None = field(default=None, init=False)
    """How often the player had lifted the cup in the round before the bid of this step, if they bid on a page."""
    subscribers: Sequence[Subscriber] = ()
    failed_hooks: dict[tuple[str, int | None], float] = field(default_factory=dict)
    """The functions of features that have failed for a table in this process, each until when it is left out."""
    given_up: dict[tuple[int, str], str] = field(default_factory=dict)
    """The contents that were refused, or may have arrived, by table and slot: they are not tried again."""
    tables: DirtyTables = field(default_factory=DirtyTables)
    """The tables whose readers' messages are compared."""
    call_requests: list[CallRequest] = field(default_factory=list, init=False)
    """The calls that this worker must compute after the commit."""
    computations: list[Computation] = field(default_factory=list, init=False)
    """The computations of features that this worker must run after the commit."""
    _lanes: set[LaneName] = field(default_factory=set, init=False)
    _marked: dict[int, float | None] = field(default_factory=dict, init=False)
    """The tables that this step marks, each with the time if they are compared later."""
    _saved_rows: list[GameTable] = field(default_factory=list, init=False)
    """The tables that this step saves, whose rows stay in the session: at its end it needs them again."""

    @property
    def timings(self) -> Timings:
        """The installation's timings."""
        return self.config.timings

    @property
    def moment(self) -> Moment:
        """The time, the timings and the source of chance of this step."""
        return Moment(self.now, self.timings, self.rng)

    def new_table(self, chat: Chat) -> tuple[GameTable, NewTable]:
        """Return a new table and its row. The secret is drawn before the code, which is part of the salt."""
        secret = new_secret(self.rng) if self.config.sealed_dice else None
        row = self.add_table(chat, self.rng)
        return row, NewTable(row.id, row.code, secret, self.evening_code(chat, row))

    # A step

    def commit_step(self, row: GameTable, before: Table | None, step: TableChange) -> None:
        """Save a step of a table: state, version, deadline, seats, actions; then call the subscribers.

        Every step of every table is saved here; the version increases with each save. `before`: None for a new row.
        """
        table = step.table
        status_changed = row.version == 0 or row.status != table.status
        live = table.status in (Status.LOBBY, Status.PLAYING)
        others = PlainEvent.LOBBY_CHANGED in step.events and others_changed(before, table)
        row.version += 1
        row.state = table.model_dump(mode="json")
        row.status, row.live = str(table.status), live
        row.due_at = next_due(table) if live else min(table.timers.values(), default=None)
        row.others_changes += others
        if live or status_changed:  # a timer of a game that is over makes its evening no longer
            row.updated_at = self.now
        self._saved_rows.append(row)
        if PlainEvent.LOBBY_CHANGED in step.events:
            self._remember_choices(row, table)
        if before is None or _sitting(before) != _sitting(table):
            self._save_seats(row, table, new=before is None)
        if step.actions:
            self._append_actions(row, step.actions)
        self.session.flush()
        saved = {
            "table": row.id,
            "version": row.version,
            "status": str(table.status),
            "cause": self.cause.partition(":")[0],
        }
        log.debug("table saved", extra=saved)  # at one level: another one would tell that a call has ended the game
        committed = CommittedStep(row, before, step)
        for subscriber in self.subscribers:
            subscriber(self, committed)

    def set_timer(self, row: GameTable, name: str, at: float | None) -> None:
        """Set a timer of a table, whose function in `TIMERS` is called then. None stops it."""
        table = load_table(row)
        self.commit_step(row, table, TableChange(table.with_timer(name, at)))

    def _remember_choices(self, row: GameTable, table: Table) -> None:
        """Store the rules and the turn clock for the chat's next lobby."""
        chat = self.chat_of(row)
        chat.rules = table.rules.to_dict()
        chat.clock = table.clock.model_dump(mode="json")

    def _append_actions(self, row: GameTable, actions: Sequence[Action]) -> None:
        after_last = func.coalesce(func.max(GameAction.number) + 1, 0)
        first = self.session.exec(select(after_last).where(GameAction.table_id == row.id)).one()
        known, cause = {"table_id": row.id, "at": self.now}, self.cause
        for number, action in enumerate(actions, first):
            stored = known | {"number": number, "cause": cause, "action": dump_action(action)}
            self.session.add(GameAction.model_validate(stored))
            if isinstance(action, Roll):
                cause = DEADLINE  # the bot opens the round for a player who is away

    def _save_seats(self, row: GameTable, table: Table, *, new: bool) -> None:
        seats = select(TableSeat).where(TableSeat.table_id == row.id)
        sittings = {} if new else {sitting.player_id: sitting for sitting in self.session.exec(seats)}
        takes_part, sitting_now = _sitting(table)
        for player in sitting_now - sittings.keys():
            self.session.add(TableSeat(table_id=row.id, player_id=player, live=takes_part))
        for player, sitting in sittings.items():
            sitting.live = takes_part and player in sitting_now

    # Tables to compare

    def mark_table(self, table: int, *, at: float | None = None) -> None:
        """Have the messages of a table's readers compared after this step or, if a part of it says so, at a time."""
        self._marked[table] = at or self._marked.get(table)

    def wake(self, *lanes: LaneName) -> None:
        """Have delivery look at these lanes after the commit."""
        self._lanes.update(lanes)

    def finish(self) -> frozenset[LaneName]:
        """Mark the tables that this step concerns, at its end; return the lanes for delivery to look at."""
        for player in changed_people(self.session):
            for row in self.tables_read_by(player):
                self.mark_table(row.id)
                for refused in [each for each in self.given_up if each[0] == row.id]:  # it may get through now
                    del self.given_up[refused]
        for table, at in sorted(self._marked.items()):
            if at is None:
                self.tables.mark(table, self.now)
            else:
                self.tables.mark_later(table, at)
            if (stored := self.session.get(GameTable, table)) is not None:
                self.wake(self.chat_of(stored).lane)
        self._marked.clear()
        return frozenset(self._lanes)

    # Notices

    def enqueue(self, notification: Notification) -> int:
        """Put a notice into the outbox; return its number. It takes over the turn of the one that it replaces."""
        envelope = notification.envelope
        channel = self.traits(envelope.channel)
        if channel.unordered:
            current = self.current_round(notification)
            notification = replace(notification, envelope=envelope.model_copy(update={"round": current}))
        if notification.slot is not None and channel.supersedes and envelope.notice.has_own_dice:
            notification = replace(notification, envelope=keep_reveals(self.session, notification))
        self.wake(envelope.lane)
        if (slot := notification.slot) is not None and (channel.supersedes or notification.replaces_waiting):
            replaced = (
                update(OutboxEntry)
                .where(
                    OPEN_NOTICES,
                    col(OutboxEntry.lane) == envelope.lane,
                    col(OutboxEntry.table_id) == notification.table,
                    col(OutboxEntry.slot) == slot,
                    col(OutboxEntry.supersedable),
                    col(OutboxEntry.status) == NoticeStatus.PENDING,
                )
                .values(status=NoticeStatus.SUPERSEDED, done_at=self.now, notice=null())
                .returning(col(OutboxEntry.turn))
            )
            for turn in self.session.execute(replaced).scalars():
                notification = notification if notification.turn is not None else replace(notification, turn=turn)
        row = OutboxEntry(**outbox_columns(notification, self.now))
        self.session.add(row)
        self.session.flush()
        return row.id

    def current_round(self, notification: Notification) -> int | None:
        """Return the round of a notice: that of its table or, without one, of its reader's; or None.

        A notice that does not wait for unrevealed dice names their round, whatever follows.
        """
        to, table = notification.envelope, notification.table
        row = None if table is None else self.session.get(GameTable, table)
        player = self.find_player(to.channel, to.chat) if row is None else None
        rows = [row] if row is not None else [] if player is None else self.live_tables_of(player)
        rounds = {row.id: number for row in rows if (number := self._round_of(row, told=not notification.held))}
        if player is not None and len(rounds) > 1:
            return rounds.get(player.focus or 0)
        return next(iter(rounds.values()), None)

    def _round_of(self, row: GameTable, *, told: bool) -> int | None:
        unrevealed = self.unrevealed(row) if told else None
        if unrevealed is not None:
            return int(self.session.get_one(RoundEnd, (row.id, unrevealed[0])).view["round"])
        game = load_table(row).game if row.live else None
        return None if game is None else game.round

    def release_lane(self, lane: LaneName) -> None:
        """Send the lane's notices now that wait for a later time; those that wait for a reveal, after it."""
        self.session.execute(
            update(OutboxEntry)
            .where(OPEN_NOTICES, col(OutboxEntry.lane) == lane, col(OutboxEntry.status) == "pending")
            .values(not_before=0)
        )
        self.wake(lane)

    def is_enqueued(self, envelope: Envelope) -> bool:
        """Return True if the same envelope is already waiting."""
        query = select(OutboxEntry.notice).where(
            OPEN_NOTICES, OutboxEntry.lane == envelope.lane, OutboxEntry.status == "pending"
        )
        return envelope.model_dump(mode="json") in self.session.exec(query).all()


Subscriber = Callable[[UnitOfWork, CommittedStep], None]
"""Writes the consequences of a step, in its transaction: an error undoes the step and the other subscribers' writes."""


def _sitting(table: Table) -> tuple[bool, frozenset[int]]:
    """Return whether the people on the seats of a table take part, and who these are.

    People who wait for a seat, or whose seat another player has, are among them: their words are about this table.
    The players of a suspended table may take a seat elsewhere.
    """
    takes_part = table.status in (Status.LOBBY, Status.PLAYING) and table.suspension is None
    return takes_part, frozenset(
        each.player
        for index, seat in enumerate(table.seats)
        if seat.computer is None and (table.game is None or table.in_play(index))
        for each in (seat, seat.next, seat.owner)
        if each is not None
    )
