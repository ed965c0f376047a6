"""Which notices come first: in a group whoever is on turn, then the round's end; of all chats those that play."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from telegram_bot.delivery.limits import Priority, Urgency
from telegram_bot.service.notices import (
    BidsNotice,
    CallNotice,
    Envelope,
    GameOverNotice,
    HandNotice,
    PausedNotice,
    ReminderNotice,
    ResumedNotice,
    RevealNotice,
    SendMode,
    TableNotice,
)
from telegram_bot.storage.models import NoticeStatus

_PLAY: Final = (
    TableNotice,
    HandNotice,
    CallNotice,
    RevealNotice,
    GameOverNotice,
    ReminderNotice,
    BidsNotice,
    ResumedNotice,
)
"""Notices that players wait for. They are sent before others when the bot's budget is scarce."""
_URGENT: Final = (CallNotice, RevealNotice, GameOverNotice, ReminderNotice, BidsNotice, ResumedNotice, PausedNotice)
_MAY_BE_OVERTAKEN: Final = frozenset(
    {
        *("table", "hand", "outdated", "bids", "lobby", "help", "rules", "settings", "rejection", "confirmation"),
        *("record", "story", "host", "round_over", "reaction", "spoken"),
    }
)
"""The kinds of notices that a turn's buttons may overtake. They never overtake the end of a round, which they
would give away."""


_ENDS_OF_ROUNDS: Final = frozenset({"reveal", "game_over"})


class WaitingNotice(NamedTuple):
    """A row of the outbox that waits, or that a dead worker was sending."""

    id: int
    lane: str
    table_id: int | None
    turn: int | None
    slot: str | None
    notice: dict[str, Any] | None
    status: str
    attempts: int
    not_before: float
    created_at: float
    expires_at: float | None


def priority_of(envelope: Envelope) -> Priority:
    """The priority of a notice: answers to taps, and notices that players wait for, come first.

    A board that is edited asks its reader on their turn; else it only keeps up with the table.
    """
    notice = envelope.notice
    keeps_up = isinstance(notice, HandNotice) and envelope.mode is SendMode.EDIT_EXISTING
    urgent = envelope.reply_handle is not None or (isinstance(notice, _PLAY) and not keeps_up)
    return Priority.TURN if urgent else Priority.REST


def urgency_of(envelope: Envelope, *, is_new: bool) -> Urgency:
    """How urgent a notice is. `is_new`: it is a new message, no edit."""
    notice = envelope.notice
    if envelope.reply_handle is not None or isinstance(notice, _URGENT):
        return Urgency.NOW
    if isinstance(notice, HandNotice):
        return Urgency.NOW if notice.view.on_turn else Urgency.SOON
    if isinstance(notice, TableNotice) and (notice.shared or is_new):
        return Urgency.NOW
    return Urgency.LATER


def first_to_send(rows: Sequence[WaitingNotice], now: float) -> int:
    """Which of a group's waiting notices is sent first: what asks the player on turn, the end of a round, the oldest.

    A notice that is being sent comes before all others: a dead worker has left it.
    """
    left = [number for number, row in enumerate(rows) if row.status == NoticeStatus.SENDING]
    if left:
        return left[0]
    turns: dict[int | None, int] = {}
    for number, row in enumerate(rows):
        notice = _notice(row)
        shared = notice.get("kind") == "table" and bool(notice.get("shared"))
        if row.turn is not None and (shared or notice.get("kind") == "hand") and row.not_before <= now:
            turns[row.table_id] = number  # the player on turn gets their buttons with it
        elif notice.get("kind") not in _MAY_BE_OVERTAKEN:
            if notice.get("kind") in _ENDS_OF_ROUNDS and row.not_before <= now:
                turns.pop(row.table_id, None)  # that turn is past
                return min(turns.values(), default=number)
            break
    return min(turns.values(), default=0)


def replaced_by(rows: Sequence[WaitingNotice]) -> list[WaitingNotice]:
    """Which notices the last one makes needless: earlier hands of the same player, hands of past turns and rounds.

    The end of a round takes the place of its message: an edit of that message would undo it.
    """
    *earlier, last = rows
    kind = _notice(last).get("kind")
    hands = [row for row in earlier if _notice(row).get("kind") == "hand" and row.table_id == last.table_id]
    if kind in _ENDS_OF_ROUNDS:
        edits = (row for row in earlier if _notice(row).get("kind") == "table" and row.table_id == last.table_id)
        return [*hands, *(row for row in edits if row.slot == last.slot)]
    if last.turn is None or kind != "hand":
        return []
    return [row for row in hands if row.slot == last.slot or (row.turn is not None and not _is_fresh(row))]


def _is_fresh(row: WaitingNotice) -> bool:
    """Whether a hand shows dice that its player has not seen: nobody has bid yet in its round."""
    return not _notice(row).get("view", {}).get("table", {}).get("bids")


def _notice(row: WaitingNotice) -> dict[str, Any]:
    """The stored notice; empty if it is one that this version cannot read."""
    notice = None if row.notice is None else row.notice.get("notice")
    return notice if isinstance(notice, dict) else {}
