"""Choose the message of a lane that is sent first, and the messages that are left out.

In a group the player to call comes first, then the end of a round.
"""

from collections.abc import Sequence

from telegram_bot.delivery.message import Message
from telegram_bot.screens.posting import Urgency


def choose(messages: Sequence[Message], now: float, *, group: bool) -> Message:
    """Choose the next notice of a lane: one that all others overtake when no other one is due, or for its slot."""
    idle = [message for message in messages if message.urgency == Urgency.IDLE]
    others = [message for message in messages if message not in idle]
    due = next((message for message in idle if message.not_before <= now), None)
    if not others:
        return due or min(idle, key=lambda message: message.not_before)
    chosen = pick(others, now, group=group)
    if due is not None and chosen.not_before > now:
        chosen = due
    before = messages[: messages.index(chosen)]
    return next((message for message in before if message in idle and in_same_slot(message, chosen)), chosen)


def in_same_slot(message: Message, other: Message) -> bool:
    """Return True if both notices fill the same slot of a table."""
    return message.slot is not None and (message.table_id, message.slot) == (other.table_id, other.slot)


def pick(messages: Sequence[Message], now: float, *, group: bool) -> Message:
    """Choose the oldest notice that is due and waits for no earlier one. Without any, the one that is due first.

    A turn overtakes the notices of other tables. In a group, whose limit is low, it overtakes those of its own table as
    well, and so does the end of a round.
    """
    oldest: Message | None = None
    later: list[Message] = []
    tables = set[int | None]()
    for message in messages:
        overtakes = message.urgency == Urgency.TURN and (group or not tables & {message.table_id, None})
        if message.not_before > now or any(_must_precede(earlier, message) for earlier in later):
            later.append(message)
        elif overtakes or (group and message.urgency == Urgency.ENDS):
            return message
        else:
            oldest = oldest or message
        tables.add(message.table_id)
    return oldest or min((each for each in later if each.not_before > now), key=lambda each: each.not_before)


def _must_precede(earlier: Message, message: Message) -> bool:
    """Return True if a notice waits for an earlier one of its table: of its slot, or one that ends a round."""
    if message.table_id is None or message.table_id != earlier.table_id:
        return False
    return earlier.urgency == Urgency.ENDS or (message.slot is not None and message.slot == earlier.slot)


def is_left_out(message: Message, messages: Sequence[Message], *, group: bool, scarce: bool) -> bool:
    """Return True if a group does without a notice now; `scarce`: its limit is nearly used up.

    A private chat may be all that its reader sees.
    """
    is_busy = scarce or any(other.turn is not None for other in messages)
    return message.urgency is Urgency.OPTIONAL and group and is_busy
