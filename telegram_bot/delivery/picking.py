"""Choose the waiting notice of a lane that is sent first, and the notices that are left out.

The choice follows from columns of the outbox. In a group the player to call comes first, then the end of a round.
"""

from collections.abc import Sequence

from telegram_bot.service.posting import Urgency
from telegram_bot.storage.models import NoticeStatus, OutboxEntry


def choose(rows: Sequence[OutboxEntry], now: float, *, group: bool) -> OutboxEntry:
    """Choose the next notice of a lane: one that all others overtake when no other one is due, or for its slot.

    A notice that is being sent comes before all others: an earlier process has left it.
    """
    if rows[0].status == NoticeStatus.SENDING:
        return rows[0]
    idle = [row for row in rows if row.urgency == Urgency.IDLE]
    others = [row for row in rows if row not in idle]
    due = next((row for row in idle if row.not_before <= now), None)
    if not others:
        return due or min(idle, key=lambda row: row.not_before)
    chosen = pick(others, now, group=group)
    if due is not None and chosen.not_before > now:
        chosen = due
    before = rows[: rows.index(chosen)]
    return next((row for row in before if row in idle and in_same_slot(row, chosen)), chosen)


def in_same_slot(row: OutboxEntry, other: OutboxEntry) -> bool:
    """Return True if both notices fill the same slot of a table."""
    return row.slot is not None and (row.table_id, row.slot) == (other.table_id, other.slot)


def pick(rows: Sequence[OutboxEntry], now: float, *, group: bool) -> OutboxEntry:
    """Choose the oldest notice that is due and waits for no earlier one. Without any, the one that is due first.

    A turn overtakes the notices of other tables. In a group, whose limit is low, it overtakes those of its own table as
    well, and so does the end of a round.
    """
    oldest: OutboxEntry | None = None
    later: list[OutboxEntry] = []
    tables = set[int | None]()
    for row in rows:
        overtakes = _asks(row) and (group or not tables & {row.table_id, None})
        if row.not_before > now or any(_must_precede(earlier, row) for earlier in later):
            later.append(row)
        elif overtakes or (group and row.urgency == Urgency.ENDS):
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
