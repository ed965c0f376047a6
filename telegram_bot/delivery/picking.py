"""Choose the waiting notice of a lane that is sent first, and the notices that are left out.

The choice follows from columns of the outbox. In a group the player on turn comes first, then the end of a round.
"""

from collections.abc import Sequence

from telegram_bot.service.posting import Urgency
from telegram_bot.storage.models import NoticeStatus, OutboxEntry


def choose(rows: Sequence[OutboxEntry], now: float, *, group: bool) -> OutboxEntry:
    """Choose the next notice of a lane: one that all others overtake when no other one is due, or for its slot."""
    idle = [row for row in rows if row.urgency == Urgency.IDLE and row.status != NoticeStatus.SENDING]
    others = [row for row in rows if row not in idle]
    due = next((row for row in idle if row.not_before <= now), None)
    if not others:
        return due or min(idle, key=lambda row: row.not_before)
    chosen = pick(others, now) if group else oldest_of_the_game(others, now)
    if due is not None and chosen.not_before > now and chosen.status != NoticeStatus.SENDING:
        chosen = due
    before = rows[: rows.index(chosen)]
    return next((row for row in before if row in idle and in_same_slot(row, chosen)), chosen)


def in_same_slot(row: OutboxEntry, other: OutboxEntry) -> bool:
    """Return True if both notices fill the same slot of a table."""
    return row.slot is not None and (row.table_id, row.slot) == (other.table_id, other.slot)


def pick(rows: Sequence[OutboxEntry], now: float) -> OutboxEntry:
    """Choose a group's next notice: the first that asks the player on turn or ends a round, else the oldest.

    A notice that is being sent comes before all others: a dead worker has left it.
    """
    for row in rows:
        if row.status == NoticeStatus.SENDING:
            return row
        if (row.urgency == Urgency.ENDS or _asks(row)) and row.not_before <= now:
            return row
        if row.urgency == Urgency.ENDS:
            break
    return rows[0]


def oldest_of_the_game(rows: Sequence[OutboxEntry], now: float) -> OutboxEntry:
    """Choose a private chat's next notice: the oldest that is due, but a turn overtakes those of other tables.

    A notice that is being sent comes before all others: a dead worker has left it. Without a due notice, the one that
    is due first.
    """
    oldest: OutboxEntry | None = None
    later: list[OutboxEntry] = []
    tables = set[int | None]()
    for row in rows:
        if row.status == NoticeStatus.SENDING:
            return row
        if row.not_before > now or any(_must_precede(earlier, row) for earlier in later):
            later.append(row)
        elif _asks(row) and not tables & {row.table_id, None}:
            return row
        else:
            oldest = oldest or row
        tables.add(row.table_id)
    return oldest or min((row for row in later if row.not_before > now), key=lambda row: row.not_before)


def _asks(row: OutboxEntry) -> bool:
    """Return True if a turn's clock waits for a notice without which its player cannot act."""
    return row.urgency == Urgency.ASKS and row.turn is not None


def _must_precede(earlier: OutboxEntry, row: OutboxEntry) -> bool:
    """Return True if a notice waits for an earlier one of its table: of its slot, or one that ends a round."""
    if row.table_id is None or row.table_id != earlier.table_id:
        return False
    return earlier.urgency == Urgency.ENDS or (row.slot is not None and row.slot == earlier.slot)


def is_left_out(row: OutboxEntry, rows: Sequence[OutboxEntry], *, group: bool, scarce: bool) -> bool:
    """Return True if a group does without a notice now; `scarce`: its limit is nearly used up.

    A private chat may be all that its reader sees.
    """
    is_busy = scarce or any(other.turn is not None for other in rows if other is not row)
    return row.passing and group and is_busy
