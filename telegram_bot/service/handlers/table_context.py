"""A person at one table, whose row is locked: the surroundings of whatever they ask for there."""

from __future__ import annotations

from telegram_bot.service.handlers.chats import finish
from telegram_bot.service.intents import Intent
from telegram_bot.service.notices import Done, DoneNotice, Toast
from telegram_bot.service.replies import say
from telegram_bot.service.seating import nights_of
from telegram_bot.service.unit_of_work import Work, read
from telegram_bot.storage.models import TEXTING, GameTable, Player
from telegram_bot.tables import play
from telegram_bot.tables.events import Denial, DeniedError, Step
from telegram_bot.tables.model import Table

CONFIRMED = (Done.BID, Done.DUDO, Done.CALZA, Done.CLAIMED)
"""What is confirmed where it was typed in private: the table's message is elsewhere."""


class Visit:
    """The table as it is found, and as it is left."""

    def __init__(self, work: Work, row: GameTable, intent: Intent, player: Player) -> None:
        self.work = work
        self.row = row
        self.intent = intent
        self.player = player
        assert player.id is not None  # noqa: S101 - flushed
        self.me = player.id
        self.stored = self.table = read(row)
        self.chat = self.work.chat_of(row)

    returned: Step | None = None

    def heard(self) -> bool:
        """Hand the seat back if it was away: its player was heard from; True if the table told of it."""
        returned = self.come_back()
        self.do(Step(self.table))
        return returned is not None

    def come_back(self) -> tuple[Table, Step] | None:
        """The table with the player's seat handed back, when it was away."""
        before = self.table
        seat = before.seat_of(self.me)
        if seat is None:
            return None
        self.table = before.with_seat(seat, name=self.player.name, **nights_of(self.player))
        self.returned = play.come_back(self.table, seat, now=self.work.now, pace=self.work.pace)
        self.table = self.returned.table
        return (before, self.returned) if self.returned.happenings else None

    def do(self, step: Step, toast: DoneNotice | None = None) -> Toast | None:
        """Save a step that follows the player's return, if any, and answer."""
        whole = step if self.returned is None else self.returned.then(step)
        before = self.stored
        if whole.happenings or whole.actions or whole.table != before:
            self.stored = whole.table
            finish(self.work, self.row, before, whole)
        # Words need no answer of their own where the table's message shows the result; a tap always does.
        if self.intent.answered_by == "toast":
            return toast
        if toast is not None and toast.done in CONFIRMED and self.intent.where is None and not self.texts():
            say(self.work, self.intent, self.player, toast)
        return None

    def texts(self) -> bool:
        """Whether the words came by text message, where each answer costs money."""
        return self.intent.who.channel == TEXTING

    def seat(self) -> int:
        """Where the player sits.

        Raises:
            DeniedError: nowhere at this table.
        """
        seat = self.table.seat_of(self.me)
        if seat is None:
            raise DeniedError(Denial.NOT_SEATED)
        return seat
