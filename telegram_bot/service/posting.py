"""How each type of notice is sent: its urgency, the notices that may overtake or replace it, and the consequences.

`POLICIES` alone decides this, with a row for each type that is not sent as usual. The row is evaluated when a notice is
enqueued, and when a try to show a surface begins; delivery reads the outbox's columns.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Any, Final, Generic, TypeVar

from telegram_bot import notices as n
from telegram_bot.registry import Registry
from telegram_bot.service.channel_traits import ChannelTraits
from telegram_bot.service.envelope import Envelope, MessageRef, SendMode
from telegram_bot.service.slots import deal_of
from telegram_bot.storage.models import SentMessage

T = TypeVar("T")


class Urgency(IntEnum):
    """The order of notices for a limit's budget when it is scarce."""

    NOW = 0
    """A player cannot act without it, or all wait for it."""
    SOON = 1
    """A player misses it, but can play on."""
    LATER = 2
    """A newer notice may replace it, or the game does not need it."""
    IDLE = 3
    """Strangers cause it: in a private chat it is sent last, and counts in no limit of the chat. It must be rare."""


class Overtaking(StrEnum):
    """The notices that a notice may overtake in a group's lane, and those that may overtake it."""

    BY_TURNS = "by_turns"
    """A notice that asks the player on turn may overtake it."""
    ASKS = "asks"
    """It asks the player on turn if it names the turn: then it overtakes; else other turns may overtake it."""
    ENDS_ROUND = "ends_round"
    """The end of a round overtakes the notices that turns may overtake, and is never overtaken."""
    NEVER = "never"
    BY_ALL = "by_all"
    """All other notices overtake it, except those that fill its slot later: it is sent when the chat is idle."""


class LeftOut(StrEnum):
    """When a notice is not sent at all."""

    NEVER = "never"
    IF_LIMIT_IS_TIGHT = "if_limit_is_tight"
    """If the reveal is due as well and is shown instead, or the group's limit is nearly used up."""
    IN_A_HURRY = "in_a_hurry"
    """If a turn waits in the chat, or a group's limit is nearly used up."""
    IN_A_BUSY_GROUP = "in_a_busy_group"
    """The same in a group only: a private chat may be all that its reader sees."""


class AfterCrash(StrEnum):
    """The rule for a new message whose worker died during the send; an edit is always repeated."""

    LEFT = "left"
    """It is unknown whether it arrived."""
    SENT_AGAIN = "sent_again"
    """Its reader may see it twice: without it a game would stop, or a player asked for it."""


class Awaited(StrEnum):
    """The notices that wait until a notice is settled, that is, sent or given up."""

    CALL = "call"
    """The call that ended a round, in the table's chat."""
    REVEAL = "reveal"
    """The end of a round, in the table's chat: private notices with the dice wait."""
    PROBE = "probe"
    """The tables of a lost chat wait: if this notice gets through, the bot can write there again."""


@dataclass(frozen=True, slots=True)
class Post:
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


@dataclass(frozen=True, slots=True)
class Depends(Generic[T]):
    """A value that depends on the notice, its post and its channel; `described` is its text in the documents."""

    described: str
    of: Callable[[Any, Post, ChannelTraits], T]


_OUTDATED: Final = n.OutdatedNotice()
_ALWAYS_OR_NEVER_NEW: Final = (SendMode.SEND, SendMode.EDIT_EXISTING)


@dataclass(frozen=True, slots=True)
class PostPolicy:
    """How notices of one type are sent."""

    urgency: Urgency | Depends[Urgency] = Urgency.LATER
    """Its urgency as an edit, and as a new message unless that has its own."""
    urgency_as_new: Urgency | Depends[Urgency] | None = None
    overtaking: Overtaking | Depends[Overtaking] = Overtaking.NEVER
    left_out: LeftOut | Depends[LeftOut] = LeftOut.NEVER
    replaceable: bool | Depends[bool] = False
    """Whether a newer notice for its slot replaces it while it waits."""
    after_crash: AfterCrash | Depends[AfterCrash] = AfterCrash.LEFT
    awaited: Awaited | Depends[Awaited | None] | None = None
    kept_for_lost_chat: bool = True
    """Whether it is kept until the bot can write to the chat again. A table that resumes sends the others anew."""
    leaves: n.Notice | Depends[n.Notice] = _OUTDATED
    """The content of the message that it replaces."""


_TALK: Final = PostPolicy(overtaking=Overtaking.BY_TURNS)
AS_USUAL: Final = PostPolicy()


def _if_asked(hand: n.HandNotice, other: Urgency) -> Urgency:
    """Return the urgency of a player's dice: now if the player is asked."""
    return Urgency.NOW if hand.view.on_turn else other


def _fills_round(post: Post) -> bool:
    """Return True if the notice fills the slot of a round in the table's chat."""
    return deal_of(post.slot) is not None


POLICIES: Final = Registry[type[Any], PostPolicy](
    "how notices are sent",
    {
        n.TableNotice: PostPolicy(
            urgency=Depends(
                "now if it asks the player on turn, else later",
                lambda table, *_: Urgency.NOW if table.shared else Urgency.LATER,
            ),
            urgency_as_new=Urgency.NOW,
            overtaking=Depends(
                "asks, if it asks the player on turn, else by turns",
                lambda table, *_: Overtaking.ASKS if table.shared else Overtaking.BY_TURNS,
            ),
            after_crash=AfterCrash.SENT_AGAIN,
        ),
        n.HandNotice: PostPolicy(
            urgency=Depends("now on turn, else later", lambda hand, *_: _if_asked(hand, Urgency.LATER)),
            urgency_as_new=Depends("now on turn, else soon", lambda hand, *_: _if_asked(hand, Urgency.SOON)),
            overtaking=Overtaking.ASKS,
            replaceable=Depends("if the channel supersedes", lambda _, __, channel: channel.supersedes),
            after_crash=AfterCrash.SENT_AGAIN,
            kept_for_lost_chat=False,
            # A board without bids may be of an older round.
            leaves=Depends(
                "`OutdatedNotice`, but a board is deleted after the first bid",
                lambda hand, *_: n.OutdatedNotice(moved=hand.board and bool(hand.view.table.bids)),
            ),
        ),
        n.CallNotice: PostPolicy(
            urgency=Urgency.NOW,
            left_out=LeftOut.IF_LIMIT_IS_TIGHT,
            awaited=Depends("as a call, in a slot", lambda _, post, __: Awaited.CALL if post.slot else None),
            leaves=Depends(
                "`RoundOverNotice`", lambda call, *_: n.RoundOverNotice(round=call.round, shared=call.shared)
            ),
        ),
        n.RevealNotice: PostPolicy(
            urgency=Urgency.NOW,
            overtaking=Overtaking.ENDS_ROUND,
            after_crash=Depends(
                "sent again in a round's slot, else left",
                lambda _, post, __: AfterCrash.SENT_AGAIN if _fills_round(post) else AfterCrash.LEFT,
            ),
            awaited=Depends(
                "as a reveal, in a round's slot", lambda _, post, __: Awaited.REVEAL if _fills_round(post) else None
            ),
            leaves=Depends(
                "`RoundOverNotice`",
                lambda reveal, *_: n.RoundOverNotice(round=n.called_round(reveal.view), shared=reveal.shared),
            ),
        ),
        n.GameOverNotice: PostPolicy(urgency=Urgency.NOW, overtaking=Overtaking.ENDS_ROUND),
        n.RoundOverNotice: PostPolicy(
            overtaking=Depends(
                "by turns if the message offered bids to everyone, else by all",
                lambda over, *_: Overtaking.BY_TURNS if over.shared else Overtaking.BY_ALL,
            ),
        ),
        n.OpenedRevealNotice: PostPolicy(overtaking=Overtaking.BY_ALL, kept_for_lost_chat=False),
        n.OutdatedNotice: _TALK,
        n.ReactionNotice: PostPolicy(overtaking=Overtaking.BY_TURNS, left_out=LeftOut.IN_A_HURRY),
        n.BidsNotice: PostPolicy(
            urgency=Urgency.NOW, overtaking=Overtaking.BY_TURNS, replaceable=True, kept_for_lost_chat=False
        ),
        n.ReminderNotice: PostPolicy(urgency=Urgency.NOW, kept_for_lost_chat=False),
        n.PausedNotice: PostPolicy(urgency=Urgency.NOW),
        n.ResumedNotice: PostPolicy(urgency=Urgency.NOW, awaited=Awaited.PROBE, kept_for_lost_chat=False),
        n.LobbyNotice: PostPolicy(overtaking=Overtaking.BY_TURNS, replaceable=True),
        n.NextGameOfferNotice: PostPolicy(replaceable=True),
        n.HostNotice: _TALK,
        n.RulesNotice: _TALK,
        n.HelpNotice: _TALK,
        n.SettingsNotice: _TALK,
        n.ConfirmationNotice: _TALK,
        n.RejectionNotice: _TALK,
        n.GuestNotice: PostPolicy(urgency=Urgency.IDLE, replaceable=True),
    },
)
"""How each type of notice is sent that is not sent as usual."""

_NO_TRAITS: Final = ChannelTraits("")


def policy_of(notice: n.Notice) -> PostPolicy:
    """Return the row of a notice's type."""
    return POLICIES.get(type(notice), AS_USUAL)


def _value(field: T | Depends[T], post: Post, channel: ChannelTraits) -> T:
    return field.of(post.envelope.notice, post, channel) if isinstance(field, Depends) else field


def policy_columns(post: Post, channel: ChannelTraits) -> dict[str, Any]:
    """Return the columns of the outbox that the notice's row decides."""
    envelope = post.envelope
    row = policy_of(envelope.notice)
    urgency = _value(row.urgency, post, channel) if envelope.reply_handle is None else Urgency.NOW
    return {
        "urgency": urgency,
        "urgency_as_new": urgency if row.urgency_as_new is None else _value(row.urgency_as_new, post, channel),
        "overtaking": _value(row.overtaking, post, channel),
        "left_out": _value(row.left_out, post, channel),
        "supersedable": _value(row.replaceable, post, channel),
        "after_crash": _value(row.after_crash, post, channel),
        "awaited": _value(row.awaited, post, channel),
        "follows_round": envelope.receiver is None,
    }


def replaces_in_slot(post: Post, channel: ChannelTraits) -> bool:
    """Return True if the notice replaces a waiting notice in its slot, unless it is always a new message, or never."""
    return post.slot is not None and (channel.supersedes or post.envelope.mode not in _ALWAYS_OR_NEVER_NEW)


def outbox_columns(post: Post, now: float, channel: ChannelTraits = _NO_TRAITS) -> dict[str, Any]:
    """Return the columns of a notice's row in the outbox."""
    return {
        "lane": post.envelope.lane,
        "table_id": post.table,
        "slot": post.slot,
        "turn": post.turn,
        "notice": post.envelope.model_dump(mode="json"),
        "created_at": now,
        "not_before": post.not_before,
        "expires_at": post.expires_at,
        "after_deal": post.after_deal,
        **policy_columns(post, channel),
    }


def retirement(envelope: Envelope, old: SentMessage) -> Post | None:
    """Return the notice that marks the replaced message as outdated, or None if no part of it needs that.

    An ephemeral message is deleted, and so is a board whose newer message contains all of it.
    """
    leaves = policy_of(envelope.notice).leaves
    left = leaves.of(envelope.notice, Post(envelope), _NO_TRAITS) if isinstance(leaves, Depends) else leaves
    is_deleted = old.receiver is not None or (isinstance(left, n.OutdatedNotice) and left.moved)
    if not (old.keyboard or is_deleted):
        return None
    old_message = {"chat": old.chat, "receiver": old.receiver, "target": ref_of(old)}
    strip = envelope.model_copy(update={"mode": SendMode.TARGET, "notice": left, **old_message})
    is_calm = isinstance(left, n.RoundOverNotice) and not left.shared
    return Post(strip, table=old.table_id, after_deal=deal_of(old.slot) if is_calm else None)


def ref_of(sent: SentMessage) -> MessageRef:
    """Return a sent message as its channel knows it."""
    return MessageRef(sent.message, sent.receiver, sent.picture)
