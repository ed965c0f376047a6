"""The database's tables. Every Telegram id is a BigInteger; times are seconds since the epoch.

An `id` is None only in a new row before its flush, which gives it a number: its type is int for all who read it.
Each row gets its own copy of a default `[]`. A `default_factory` would take longer than all else of a new row, because
pydantic reads its signature each time.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import JSON, BigInteger, Column, Dialect, Index, Integer, String, TypeDecorator, UniqueConstraint, text
from sqlmodel import Field, SQLModel

NAMING = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}
SQLModel.metadata.naming_convention = NAMING
# Rows are not validated: building their validator would add 0.3 s to the start.
SQLModel.model_config["defer_build"] = True

INBOX_DEAD = "done_at IS NOT NULL AND error IS NOT NULL"
"""The updates that were set aside because every try failed."""

_UNREADABLE = "?"
_LANE_NUMBER = re.compile(r"-?[0-9]{1,19}")
_BigKey = BigInteger().with_variant(Integer, "sqlite")


@dataclass(frozen=True, order=True, slots=True)
class LaneName:
    """The name of a lane: one chat of a channel."""

    channel: str
    chat: int

    def __str__(self) -> str:
        return f"{self.channel}:{self.chat}"


class UnreadableLane(LaneName):
    """A stored name of no lane. It belongs to no channel, and its rows delay no other lane."""

    def __str__(self) -> str:
        return self.channel.removeprefix(_UNREADABLE)


class _LaneColumn(TypeDecorator[LaneName]):
    """A lane's name, stored as text."""

    impl = String
    cache_ok = True

    def process_bind_param(self, value: LaneName | None, _: Dialect) -> str | None:
        return None if value is None else str(value)

    def process_result_value(self, value: str | None, _: Dialect) -> LaneName | None:
        if value is None:
            return None
        channel, chat = value.partition(":")[::2]
        return LaneName(channel, int(chat)) if _LANE_NUMBER.fullmatch(chat) else UnreadableLane(_UNREADABLE + value, 0)


class InboxEntry(SQLModel, table=True):
    """A received update, stored before it is acted on; unique by source and cause."""

    __tablename__ = "inbox"
    __table_args__ = (
        UniqueConstraint("source", "cause"),
        Index("ix_inbox_open", "id", sqlite_where=text("done_at IS NULL"), postgresql_where=text("done_at IS NULL")),
        Index("ix_inbox_dead", "id", sqlite_where=text(INBOX_DEAD), postgresql_where=text(INBOX_DEAD)),
    )
    id: int = Field(default=None, sa_column=Column(_BigKey, primary_key=True, autoincrement=True))
    source: str
    cause: str
    payload: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    facts: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """The facts of enrichers, by the enricher's name. An unknown fact is None."""
    received_at: float
    done_at: float | None = None
    attempts: int = 0
    error: str | None = None


class DirectMessages(StrEnum):
    """Whether the bot can write to a person in private."""

    UNKNOWN = "unknown"
    OPEN = "open"
    REFUSED = "refused"


class PrivateView(StrEnum):
    """The way in which a person sees their dice and keyboard; `auto` takes the first way that works."""

    AUTO = "auto"
    EPHEMERAL = "ephemeral"
    DIRECT = "direct"
    ALERT = "alert"
    SHARED = "shared"
    INLINE = "inline"
    """In the text field: inline mode lists their dice and bids."""
    TEXT = "text"
    """By text message, to the phone that is linked to the person."""


class DiceStyle(StrEnum):
    """How dice are written in a chat's messages and buttons."""

    KEYCAPS = "keycaps"
    """4️⃣"""
    SIGNS = "signs"
    """⚃"""
    WORDS = "words"
    """four"""
    DIGITS = "digits"
    """4: for screen readers"""


class Player(SQLModel, table=True):
    """A person, by their address on a channel."""

    __tablename__ = "player"
    __table_args__ = (UniqueConstraint("channel", "address"),)
    id: int = Field(default=None, primary_key=True)
    channel: str
    address: int = Field(sa_column=Column(BigInteger, nullable=False))
    name: str
    username: str | None = None
    language: str | None = None
    """The language of the person's messenger."""
    chosen_language: str | None = None
    dice_style: str = DiceStyle.KEYCAPS
    """A `DiceStyle`."""
    pictures: bool | None = None
    """Whether pictures show the person's dice, or None before a choice."""
    view: str = PrivateView.AUTO
    direct: str = DirectMessages.UNKNOWN
    focus: int | None = None
    """The table of the last private message."""
    phone: int | None = Field(default=None, unique=True)
    """The address, on the channel for text messages, of the phone that is linked to this person of another channel."""
    quiet: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    """Quiet hours, a `tables.quiet_hours.QuietHours`."""
    awake_until: float = 0
    """The time until which the bot may text them in spite of quiet hours, because they have just texted."""
    nameless: bool = False
    """Whether `name` is a placeholder, because neither the messenger nor the person has given a name."""
    named: bool = False
    """Whether the person chose `name`: the messenger's name does not replace it."""
    told_of_voice: bool = False
    """Whether the bot has explained that it does not recognise voice notes in their language here."""
    asks_twice: bool = False
    """Whether dudo and calza need a second tap."""
    tips: bool = True
    """Whether the bot gives tips for new players."""
    tips_told: list[str] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The tips that the person has been given, each a `tables.tips.Tip`."""
    last_tip: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """The last tip, with the table and the step at which it was given: that hand has it whenever it is shown."""
    switched_on: list[str] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The switches of features that the person has switched on."""
    seen_at: float = 0
    """The day of the person's last request."""
    hidden: bool = False
    """Whether leagues and other people's statistics leave the person out."""
    guest: bool = False
    """Whether the person came by a link, without an account. No league counts guests, because the same person may be
    another guest next time."""
    face: str | None = None
    """A `tables.faces.Face`, or None if the person has chosen none."""

    @property
    def lane(self) -> LaneName:
        """Return the queue of the messages in their own chat."""
        return LaneName(self.channel, self.address)


class Chat(SQLModel, table=True):
    """A place for a table: a group, or one topic of a forum (`topic` 0: the group itself)."""

    __tablename__ = "chat"
    __table_args__ = (UniqueConstraint("channel", "address", "topic"),)
    id: int = Field(default=None, primary_key=True)
    channel: str
    address: int = Field(sa_column=Column(BigInteger, nullable=False))
    topic: int = Field(default=0, sa_column=Column(BigInteger, nullable=False))
    title: str = ""
    language: str | None = None
    """The language of the person who opened the last table here."""
    chosen_language: str | None = None
    dice_style: str = DiceStyle.KEYCAPS
    """A `DiceStyle`."""
    pictures: bool | None = None
    """Whether a picture shows all dice at the end of a round, or None before a choice."""
    animations: bool = True
    """Whether that picture is animated."""
    switched_on: list[str] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The switches of features that are switched on here."""
    ephemeral: bool | None = None
    """Whether the bot may send ephemeral messages here at any time, or None if that is unknown."""
    ephemeral_replies: bool = True
    """Whether a tap here may be answered with an ephemeral message; False after Telegram refused one."""
    trusts_voice: bool = False
    """Whether a voice bid counts without a tap if the recogniser is sure."""
    told_of_voice: bool = False
    """Whether the bot has explained here that it does not recognise voice notes."""
    plays_since: float = 0
    """The beginning of the present or the last evening. Links and codes of earlier tables do not work."""
    lost_at: float | None = None
    """Since when the bot cannot write here (muted, removed, closed topic), or None while it can."""
    rules: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    clock: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON))
    seen_at: float = 0
    """The day of the last request here."""

    @property
    def lane(self) -> LaneName:
        """Return the queue of its messages."""
        return LaneName(self.channel, self.address)


class Member(SQLModel, table=True):
    """One person in one group. Most people have no such row."""

    __tablename__ = "member"
    channel: str = Field(primary_key=True)
    address: int = Field(sa_column=Column(BigInteger, primary_key=True, autoincrement=False))
    """The address of the group."""
    player_id: int = Field(foreign_key="player.id", primary_key=True, index=True)
    gone: bool = False
    """Whether the person left the group or was removed from it."""
    unreachable_until: float = 0
    """The time until which ephemeral messages to this person are not tried here."""


class NextGameRequest(SQLModel, table=True):
    """A person who gets a message when a lobby opens in a place."""

    __tablename__ = "next_game_request"
    chat_id: int = Field(foreign_key="chat.id", primary_key=True)
    player_id: int = Field(foreign_key="player.id", primary_key=True, index=True)
    table_id: int | None = None
    """The open lobby whose message mentions the person."""
    told_at: float = 0
    """When the person was last told of a lobby; 0: not yet."""


OVER = "NOT live"
"""The SQL condition for tables that are neither a lobby nor a running game."""


class GameTable(SQLModel, table=True):
    """One table: `state` is the complete table as JSON, `version` increases with every change."""

    __tablename__ = "game_table"
    __table_args__ = (
        Index(
            "uq_game_table_live_chat",
            "chat_id",
            unique=True,
            sqlite_where=text("live"),
            postgresql_where=text("live"),
        ),
        Index("ix_game_table_over", "updated_at", sqlite_where=text(OVER), postgresql_where=text(OVER)),
    )
    id: int = Field(default=None, primary_key=True)
    code: str = Field(unique=True)
    chat_id: int = Field(foreign_key="chat.id", index=True)
    live: bool = True
    status: str
    version: int = 0
    state: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False), repr=False)
    due_at: float | None = Field(default=None, index=True)
    menu: str | None = Field(default=None, sa_column_kwargs={"name": "page"})
    """The menu that the lobby's message shows, under the channel's name for it, or None for the main menu."""
    created_at: float
    updated_at: float
    others_changes: int = 0
    """How often other people than the host have joined, left or changed in the lobby; the host's texts follow it."""
    started_parts: list[dict[str, Any]] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """The parts that features added to the message of the game's start: each a notice of a feature."""


class LinkCode(SQLModel, table=True):
    """A code for linking a phone: the phone that texts the code is linked to the person."""

    __tablename__ = "link_code"
    code: str = Field(primary_key=True)
    player_id: int = Field(foreign_key="player.id", unique=True)
    expires_at: float


class TableSeat(SQLModel, table=True):
    """A player's seat at a table; `live` while the table is a lobby, or a running game with this player."""

    __tablename__ = "sitting"
    table_id: int = Field(foreign_key="game_table.id", primary_key=True)
    player_id: int = Field(foreign_key="player.id", primary_key=True, index=True)
    live: bool = True


class GameAction(SQLModel, table=True):
    """One action of a game. Replaying the actions in order gives the game's state."""

    __tablename__ = "game_action"
    table_id: int = Field(foreign_key="game_table.id", primary_key=True)
    number: int = Field(primary_key=True)
    at: float
    cause: str
    action: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))


class RoundEnd(SQLModel, table=True):
    """The end of one round, written by its step: facts that later steps change. It is deleted with its table."""

    __tablename__ = "round_end"
    __table_args__ = (
        Index(
            "ix_round_end_unseen",
            "table_id",
            sqlite_where=text("seen_at IS NULL"),
            postgresql_where=text("seen_at IS NULL"),
        ),
    )
    table_id: int = Field(foreign_key="game_table.id", primary_key=True, ondelete="CASCADE")
    deal: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    """The round's `Table.deals`."""
    at: float
    """When the round ended: the time of the call, if a call ended it."""
    cups_at: float
    """When the message with the dice is due. If that is before `dice_at`, an animation hides them until then."""
    dice_at: float
    """When the dice are due in the table's chat; until then it shows the call."""
    seen_at: float | None = None
    """When the message with the dice arrived in the table's chat or was given up, or None before that.

    A place without a shared chat, and a lost chat, count as having seen it.
    """
    view: dict[str, Any] = Field(sa_column=Column(JSON, nullable=False))
    """A `RevealView`, without a computer player's remark."""
    before: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)), repr=False)
    """The table before a dudo or calza, without its secret, for boards that show the call and their reader's dice.

    None if no such call ended the round, and once the dice were seen; an animated end keeps it until the next is seen,
    because boards show the call while the animation plays.
    """
    awake: list[int] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The seats of the people who took part in the round and were not away: they see its end in private."""
    shared: bool = False
    """Whether the round's message offered bids to all."""
    over: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """A `GameOverView`, if the game ended with the round."""
    parts: list[dict[str, Any]] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The parts that features added to the message of the game's end: each a notice of a feature."""
    reveal_parts: list[dict[str, Any]] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The same for the message with the dice."""

    @property
    def is_animated(self) -> bool:
        """True if an animation shows the dice."""
        return self.cups_at < self.dice_at


class GameTally(SQLModel, table=True):
    """The number of games and rounds ever played. Several rows share the sum, so workers rarely wait for each other."""

    __tablename__ = "game_tally"
    shard: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False))
    games_started: int = Field(sa_column=Column(BigInteger, nullable=False))
    games_finished: int = Field(sa_column=Column(BigInteger, nullable=False))
    rounds_played: int = Field(sa_column=Column(BigInteger, nullable=False))


class NoticeStatus(StrEnum):
    """The status of an outgoing notice.

    `unknown`: the process died, or a time-out ended the send. `held`: waits until the bot may write to the chat again.
    """

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    SUPERSEDED = "superseded"
    FAILED = "failed"
    UNKNOWN = "unknown"
    HELD = "held"


OPEN_NOTICES = text("status IN ('pending', 'sending')")
"""The condition of the partial index, word for word: a database uses the index only for exactly this condition."""


class OutboxEntry(SQLModel, table=True):
    """A notice to be sent, committed together with the change that it announces; sent in order within its lane.

    A surface that was sent, or given up, has a row as well: after a restart it counts in the limits of its chat.
    """

    __tablename__ = "outbox"
    __table_args__ = (
        Index(
            "ix_outbox_open",
            "lane",
            "id",
            sqlite_where=OPEN_NOTICES,
            postgresql_where=OPEN_NOTICES,
        ),
    )
    id: int = Field(default=None, sa_column=Column(_BigKey, primary_key=True, autoincrement=True))
    lane: LaneName = Field(sa_type=_LaneColumn)
    table_id: int | None = Field(default=None, index=True)
    turn: int | None = None
    """The table's step whose clock waits until this notice has been sent, or None if no clock waits."""
    slot: str | None = None
    supersedable: bool = False
    """Whether a newer notice for its slot replaces it while it waits."""
    urgency: int = 3
    """An `Urgency` of `screens/posting.py`."""
    awaited: str | None = None
    """The notices that wait for this one, an `Awaited`."""
    notice: dict[str, Any] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """Until it is sent."""
    status: str = NoticeStatus.PENDING
    not_before: float = 0
    created_at: float
    expires_at: float | None = None
    after_deal: int | None = None
    """The round of its table whose dice the table's chat must have seen before, however long that takes."""
    done_at: float | None = None
    error: str | None = None


class SentMessage(SQLModel, table=True):
    """The message that shows a slot of a table, so that it can be edited."""

    __tablename__ = "sent_message"
    __table_args__ = (Index("ix_sent_message_message", "chat", "message"),)
    table_id: int = Field(primary_key=True)
    slot: str = Field(primary_key=True)
    chat: int = Field(sa_column=Column(BigInteger, nullable=False))
    message: int = Field(sa_column=Column(BigInteger, nullable=False))
    """The channel's number of the message, or 0 for a card of a page."""
    receiver: int | None = Field(default=None, sa_column=Column(BigInteger))
    """The only reader of an ephemeral message."""
    keyboard: bool = False
    followed: bool = False
    """Whether another message was written below it in the chat."""
    picture: bool = False
    """Whether it is a picture with a caption, which the channel edits by other methods."""
    digest: str | None = None
    """The hash of the message's content, so that it is not edited to the same content, or None if it is unknown."""
    key: list[int] = Field(default=[], sa_column=Column(JSON, nullable=False))
    """The `Want.key` of its content: a greater one is shown in a new message."""
    frozen: bool = False
    """Whether the message stays as it is: it is history."""
    asked: list[float] | None = Field(default=None, sa_column=Column(JSON(none_as_null=True)))
    """The step of the turn for which it asks, the begin of that turn's clock, and when it was first shown for it."""
    again: bool = False
    """Whether it must become a new message: after a long turn, as a player asked, or as it may be lost."""


class Rate(SQLModel, table=True):
    """A limit of what people may do (generic cell rate algorithm): the theoretical arrival time of the next event."""

    __tablename__ = "rate"
    key: str = Field(primary_key=True)
    arrival: float = 0


HEARTBEAT = "heartbeat"
"""The key that a running bot renews, or its prefix if there are several keys."""
RESTORED = "restored"
"""The key of the restored backup's time, until the chat of every live table got a message about it."""
PLAYING = "playing"
"""The key that names the process that plays; see `who_plays`."""
FORGOTTEN_SPAN = "forgotten_span"
"""The key of the time of the last restored backup, and of its restore: what was shown between them is forgotten."""
READS_ALL = "reads_all:"
"""The prefix of the keys with "1" for channels on which the bot sees every message of every group."""
LAST_BACKUP = "backup"
"""The key of the time of the last complete `perudo-bot backup`."""


class KeyValue(SQLModel, table=True):
    """A small fact about the installation, by name."""

    __tablename__ = "note"  # `restore` writes a row before a backup of an earlier release is migrated
    key: str = Field(primary_key=True)
    value: str
