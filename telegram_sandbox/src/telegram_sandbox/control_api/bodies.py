"""The request bodies of the control API."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from telegram_sandbox.faults import FaultKind
from telegram_sandbox.model import BotStatus
from telegram_sandbox.outage import OutageKind
from telegram_sandbox.sms.network import LONGEST_TEXT
from telegram_sandbox.update_queue import REMEMBERED

Name = Annotated[str, Field(min_length=1, max_length=64)]
Text = Annotated[str, Field(max_length=100_000)]
LATEST_DATE = 2**32


class Body(BaseModel):
    """What a request may say; anything else in it is refused."""

    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class NewPerson(Body):
    """Somebody who joins."""

    name: Name


class PersonChange(Body):
    """What changes about somebody."""

    name: Name | None = None
    language_code: Annotated[str, Field(pattern=r"^[a-zA-Z-]{0,12}$")] | None = None
    username: Annotated[str, Field(pattern=r"^[A-Za-z0-9_]{0,32}$")] | None = None
    blocked_bot: bool | None = None


class NewMessage(Body):
    """What somebody writes."""

    sender: int = Field(alias="from")
    chat_id: int
    text: Text
    reply_to: int | None = None
    thread_id: int | None = None
    date: Annotated[int, Field(ge=0, le=LATEST_DATE)] | None = None
    forwarded_from: int | None = None


class MessageChange(Body):
    """An edit of somebody's own message."""

    sender: int = Field(alias="from")
    chat_id: int
    message_id: int
    text: Text


class MessageReference(Body):
    """One message."""

    chat_id: int
    message_id: int


class NewMedia(Body):
    """A photo or voice note that somebody sends."""

    sender: int = Field(alias="from")
    chat_id: int
    kind: Literal["photo", "voice"]
    duration: Annotated[float, Field(ge=0, le=86_400)] = 0
    caption: Text | None = None
    reply_to: int | None = None
    thread_id: int | None = None


class NewTap(Body):
    """Which button somebody presses."""

    sender: int = Field(alias="from")
    chat_id: int
    data: Text
    message_id: int | None = None
    ephemeral_message_id: int | None = None
    forged: bool = False


class NewInlineQuery(Body):
    """What somebody types after the bot's name."""

    sender: int = Field(alias="from")
    chat_id: int
    query: Text = ""
    offset: Text = ""


class NewInlineChoice(Body):
    """Which result somebody chooses, and in which chat."""

    sender: int = Field(alias="from")
    chat_id: int
    query_id: Text
    result_id: Text
    reply_to: int | None = None
    thread_id: int | None = None


class InlineModeChange(Body):
    """What BotFather is asked to change about inline mode."""

    enabled: bool | None = None
    feedback: Annotated[float, Field(ge=0, le=1)] | None = None


class NewChat(Body):
    """A new group."""

    title: Annotated[str, Field(min_length=1, max_length=128)]
    type: Literal["group", "supergroup"]
    members: list[int]
    is_forum: bool = False


class Member(Body):
    """Who joins."""

    user_id: int


class Admin(Body):
    """Who becomes an admin, perhaps one who writes as the group itself, or stops being one."""

    user_id: int
    admin: bool
    anonymous: bool = False


class BotStatusChange(Body):
    """What the bot is in a group from now on."""

    status: BotStatus


class Permissions(Body):
    """What a group lets its plain members do."""

    can_send_messages: bool


class NewTopic(Body):
    """A topic of a forum."""

    name: Annotated[str, Field(min_length=1, max_length=128)]


class TopicChange(Body):
    """Whether a topic is closed."""

    closed: bool


class Flood(Body):
    """Whether flood limits apply."""

    enabled: bool


class NewFault(Body):
    """What goes wrong with the bot's calls of a method, `*` for any but getUpdates.

    `times` null: until it is deleted.
    """

    kind: FaultKind
    method: Name = "*"
    chat_id: int | None = None
    times: Annotated[int, Field(ge=1, le=1_000_000)] | None = 1
    probability: Annotated[float, Field(gt=0, le=1)] = 1.0
    seed: int | None = None
    code: Annotated[int, Field(ge=400, le=599)] = 500
    description: Text | None = None
    retry_after: Annotated[int, Field(ge=1, le=86_400)] | None = None
    seconds: Annotated[float, Field(ge=0, le=600)] = 0


class NewOutage(Body):
    """How the bot loses the server, and for how long by the sandbox's clock; null: until it is ended."""

    kind: OutageKind = "refuse"
    seconds: Annotated[float, Field(gt=0, le=10 * 365 * 86_400)] | None = None
    holds_updates: bool = True


class DeliveryFaultsChange(Body):
    """How updates are delayed, and how often their confirmations get lost."""

    delay_seconds: Annotated[float, Field(ge=0, le=60)] = 0.0
    repeat: Annotated[float, Field(ge=0, le=0.9)] = 0.0
    seed: int | None = None


class Redelivery(Body):
    """How many of the updates that were confirmed last come once more."""

    last: Annotated[int, Field(ge=1, le=REMEMBERED)] = 1


class Advance(Body):
    """How much time passes at once."""

    seconds: Annotated[float, Field(ge=0, le=10 * 365 * 86_400)]


class NewPhone(Body):
    """Somebody without the app."""

    name: Name


class PhoneChange(Body):
    """What changes about a phone."""

    name: Name | None = None
    is_on: bool | None = None


class NewText(Body):
    """What somebody texts to the bot's number."""

    phone: int
    text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
