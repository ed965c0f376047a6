"""How a notice waits in the outbox: its urgency, and the notices that may overtake or replace it.

It is decided when a notice is enqueued, and when a surface differs; delivery reads the outbox's columns.
"""

from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, Final

from telegram_bot import notices as n
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.intents.slots import deal_of
from telegram_bot.storage.models import SentMessage


class Urgency(IntEnum):
    """The order of the notices of a chat, and for the budget of its limits when it is scarce."""

    TURN = -1
    """It asks, and a turn's clock waits for it: in a group it overtakes others."""
    ASKS = 0
    """A player cannot act without it."""
    ENDS = 1
    """A round, a game or a pause ends or begins: it overtakes what can wait, and nothing overtakes it."""
    SOON = 2
    """A player misses it, but can play on."""
    TOLD = 3
    """The game does not need it."""
    IDLE = 4
    """It is sent when the chat is idle, or before the next notice for its slot."""
    OPTIONAL = 5
    """As `TOLD`, and a group does without it while a turn waits, or its limit is nearly used up."""


URGENCIES: Final[dict[type[Any], Urgency]] = {
    n.TableNotice: Urgency.ASKS,
    n.HandNotice: Urgency.ASKS,
    n.BidsNotice: Urgency.ASKS,
    n.ReminderNotice: Urgency.ASKS,
    n.CallNotice: Urgency.ENDS,
    n.RevealNotice: Urgency.ENDS,
    n.GameOverNotice: Urgency.ENDS,
    n.PausedNotice: Urgency.ENDS,
    n.ResumedNotice: Urgency.ENDS,
    n.OpenedRevealNotice: Urgency.IDLE,
    n.GuestNotice: Urgency.IDLE,
    n.ReactionNotice: Urgency.OPTIONAL,
}
"""The urgency of each type of notice that is not `TOLD`; see `urgency_of`."""


class Awaited(StrEnum):
    """The notices that wait until a notice is settled, that is, sent or given up."""

    CALL = "call"
    """The call that ended a round, in the table's chat."""
    REVEAL = "reveal"
    """The end of a round, in the table's chat: private notices with the dice wait."""
    PROBE = "probe"
    """The tables of a lost chat wait: if this notice gets through, the bot can write there again."""


@dataclass(frozen=True, slots=True)
class Notification:
    """A notice in its envelope, and how it waits in the outbox."""

    envelope: Envelope
    table: int | None = None
    """Below zero: the number of a feature's message that belongs to no table, so that its slot can be edited."""
    slot: str | None = None
    expires_at: float | None = None
    not_before: float = 0
    turn: int | None = None
    """The table's step whose clock waits for the notice. A replacement takes it over."""
    after_deal: int | None = None
    """The round whose dice the table's chat must have seen before."""
    held: bool = False
    """Whether its times with regard to the end of a round are set: see `RevealDelay`."""
    urgency: Urgency | None = None
    """Its urgency, if it is not that of its type."""
    is_edit: bool | None = None
    """Whether a surface changes its message, or None for what is said once."""

    @property
    def is_replaceable(self) -> bool:
        """Return True if a newer notice for its slot replaces it while it waits."""
        return self.slot is not None and not self.envelope.edit_only

    @property
    def replaces_waiting(self) -> bool:
        """Return True if it replaces an older notice that waits for its slot, on any channel."""
        is_edit = self.envelope.key == () and not self.envelope.edit_only
        return is_edit or self.envelope.target is not None


def awaited_by(notice: n.Notice, slot: str | None) -> Awaited | None:
    """Return the notices that wait for a notice."""
    match notice:
        case n.ResumedNotice():
            return Awaited.PROBE
        case n.CallNotice() if slot is not None:
            return Awaited.CALL
        case n.RevealNotice() if deal_of(slot) is not None:
            return Awaited.REVEAL
        case _:
            return None


def urgency_of(post: Notification) -> Urgency:
    """Return the urgency of what is said or shown. A surface that asks no player is less urgent than its type."""
    notice = post.envelope.notice
    if post.envelope.reply_handle is not None:
        return Urgency.ASKS
    if post.urgency is not None:
        return post.urgency
    if post.is_edit is not None and notice.asks is False:
        return Urgency.TOLD if post.is_edit else Urgency.SOON
    found = URGENCIES.get(type(notice), Urgency.TOLD)
    return Urgency.TURN if found is Urgency.ASKS and post.turn is not None else found


def outbox_columns(post: Notification, now: float) -> dict[str, Any]:
    """Return the columns of a notice's row in the outbox."""
    envelope = post.envelope
    return {
        "lane": envelope.lane,
        "table_id": post.table,
        "slot": post.slot,
        "turn": post.turn,
        "notice": envelope.model_dump(mode="json"),
        "created_at": now,
        "not_before": post.not_before,
        "expires_at": post.expires_at,
        "after_deal": post.after_deal,
        "urgency": urgency_of(post),
        "supersedable": post.is_replaceable,
        "awaited": awaited_by(envelope.notice, post.slot),
    }


def ref_of(sent: SentMessage) -> MessageRef:
    """Return a sent message as its channel knows it."""
    return MessageRef(sent.message, sent.receiver, sent.picture)
