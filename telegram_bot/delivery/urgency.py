"""Which notices of a group come first: whoever is on turn, then the round's end, then the rest."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol, TypeVar

from telegram_bot.delivery.send_window import Urgency
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
    TableNotice,
)
from telegram_bot.storage.models import NoticeStatus

_URGENT: Final = (CallNotice, RevealNotice, GameOverNotice, ReminderNotice, BidsNotice, ResumedNotice, PausedNotice)
_MAY_BE_OVERTAKEN: Final = frozenset(
    {
        *(
            "table",
            "hand",
            "outdated",
            "bids",
            "lobby",
            "help",
            "rules",
            "settings",
            "rejection",
            "confirmation",
            "record",
            "story",
            "host",
        ),
        *("round_over", "reaction", "spoken"),
    }
)
"""The kinds of notices that a turn's buttons may overtake. They never overtake the end of a round, which they
would give away."""


_ENDS_OF_ROUNDS: Final = frozenset({"reveal", "game_over"})


class WaitingNotice(Protocol):
    """A row of the outbox."""

    status: str
    table_id: int | None
    slot: str | None
    turn: int | None
    not_before: float
    notice: dict[str, Any] | None


T = TypeVar("T", bound=WaitingNotice)


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
    """Which of a chat's waiting notices is sent first: what asks the player on turn, the end of a round, the oldest.

    A notice that is being sent comes before all others: a dead worker has left it.
    """
    left = [number for number, row in enumerate(rows) if row.status == NoticeStatus.SENDING]
    if left:
        return left[0]
    turns: dict[int | None, int] = {}
    for number, row in enumerate(rows):
        if _asks(row) and row.not_before <= now:
            turns[row.table_id] = number
        elif _kind(row) not in _MAY_BE_OVERTAKEN:
            if _kind(row) in _ENDS_OF_ROUNDS and row.not_before <= now:
                turns.pop(row.table_id, None)  # that turn is past
                return min(turns.values(), default=number)
            break
    return min(turns.values(), default=0)


def replaced_by(rows: Sequence[T]) -> list[T]:
    """Which notices the last one makes needless: earlier hands of the same player, hands of past turns and rounds.

    The end of a round takes the place of its message: an edit of that message would undo it.
    """
    *earlier, last = rows
    hands = [row for row in earlier if _kind(row) == "hand" and row.table_id == last.table_id]
    if _kind(last) in _ENDS_OF_ROUNDS:
        edits = (row for row in earlier if _kind(row) == "table" and row.table_id == last.table_id)
        return [*hands, *(row for row in edits if row.slot == last.slot)]
    if not _is_turn(last):
        return []
    return [row for row in hands if row.slot == last.slot or (_is_turn(row) and not is_fresh(row))]


def _is_turn(row: WaitingNotice) -> bool:
    return row.turn is not None and _kind(row) == "hand"


def _asks(row: WaitingNotice) -> bool:
    """Whether the player on turn gets their buttons with it: a hand, or a table whose keyboard all share."""
    notice = None if row.notice is None else row.notice.get("notice")
    shared = isinstance(notice, dict) and notice.get("kind") == "table" and bool(notice.get("shared"))
    return _is_turn(row) or (row.turn is not None and shared)


def is_fresh(row: WaitingNotice) -> bool:
    """Whether a hand shows dice that its player has not seen: nobody has bid yet in its round."""
    notice = None if row.notice is None else row.notice.get("notice")
    return isinstance(notice, dict) and not notice.get("view", {}).get("table", {}).get("bids")


def _kind(row: WaitingNotice) -> str | None:
    notice = None if row.notice is None else row.notice.get("notice")
    kind = notice.get("kind") if isinstance(notice, dict) else None
    return kind if isinstance(kind, str) else None
