"""Choose the waiting notice of a lane that is sent first, the notices that it drops, and those that are left out.

The choice follows from columns of the outbox. In a group the player on turn comes first, then the end of a round.
"""

import itertools
from collections.abc import Sequence

from telegram_bot.service.posting import DroppedBy, LeftOut, Overtaking, Urgency
from telegram_bot.storage.models import NoticeStatus, OutboxEntry


def pick(rows: Sequence[OutboxEntry], now: float) -> OutboxEntry:
    """Choose a group's next notice: one that asks the player on turn, then the end of a round, then the oldest.

    A notice that is being sent comes before all others: a dead worker has left it.
    """
    left = next((row for row in rows if row.status == NoticeStatus.SENDING), None)
    if left is not None:
        return left
    asking: dict[int | None, OutboxEntry] = {}
    positions = {id(row): position for position, row in enumerate(rows)}
    for row in rows:
        is_due = row.not_before <= now
        if row.overtaking == Overtaking.ASKS and row.turn is not None and is_due:
            asking[row.table_id] = row
        elif row.overtaking == Overtaking.ENDS_ROUND and is_due:
            asking.pop(row.table_id, None)  # that turn is over
            return _oldest(asking, positions, otherwise=row)
        elif row.overtaking in (Overtaking.NEVER, Overtaking.ENDS_ROUND):
            break
    return _oldest(asking, positions, otherwise=rows[0])


def _oldest(asking: dict[int | None, OutboxEntry], positions: dict[int, int], *, otherwise: OutboxEntry) -> OutboxEntry:
    return min(asking.values(), key=lambda row: positions[id(row)], default=otherwise)


def oldest_of_the_game(rows: Sequence[OutboxEntry], now: float) -> OutboxEntry:
    """Choose a private chat's next notice: the oldest that is due; notices for which no game waits come last.

    A notice that is being sent comes before all others: a dead worker has left it. Without a due notice, the one that
    is due first.
    """
    later: list[OutboxEntry] = []
    idle: OutboxEntry | None = None
    for row in rows:
        if row.status == NoticeStatus.SENDING:
            return row
        if row.not_before > now or any(_must_precede(earlier, row) for earlier in later):
            later.append(row)
        elif row.urgency != Urgency.IDLE:
            return row
        else:
            idle = idle or row
    return idle or min((row for row in later if row.not_before > now), key=lambda row: row.not_before)


def _must_precede(earlier: OutboxEntry, row: OutboxEntry) -> bool:
    """Return True if a notice waits for an earlier one of its table: of its slot, or one that is never overtaken."""
    if row.table_id is None or row.table_id != earlier.table_id:
        return False
    is_overtaken = earlier.overtaking in (Overtaking.BY_TURNS, Overtaking.ASKS)
    return not is_overtaken or (row.slot is not None and row.slot == earlier.slot)


def dropped_by(picked: OutboxEntry, rows: Sequence[OutboxEntry]) -> list[OutboxEntry]:
    """Return the notices that a notice drops because it overtakes them."""
    before = itertools.takewhile(lambda row: row is not picked, rows)
    return [row for row in before if row.table_id == picked.table_id and _is_dropped(row, picked)]


def _is_dropped(row: OutboxEntry, by: OutboxEntry) -> bool:
    ends_round, same_slot = by.overtaking == Overtaking.ENDS_ROUND, row.slot == by.slot
    match row.dropped_by:
        case DroppedBy.ITS_SLOT:
            return same_slot
        case DroppedBy.ROUNDS_END:
            return ends_round or same_slot
        case DroppedBy.NEXT_TURN:
            return ends_round or same_slot or row.turn is not None
        case _:
            return False


def is_left_out(row: OutboxEntry, rows: Sequence[OutboxEntry], *, group: bool, scarce: bool) -> bool:
    """Return True if a notice is not sent; `scarce`: the group's limit is nearly used up."""
    match row.left_out:
        case LeftOut.IN_GROUPS:
            return group
        case LeftOut.IN_A_BUSY_GROUP if not group:
            return False
        case LeftOut.IN_A_HURRY | LeftOut.IN_A_BUSY_GROUP:
            return scarce or any(other.turn is not None for other in rows if other is not row)
        case _:
            return False
