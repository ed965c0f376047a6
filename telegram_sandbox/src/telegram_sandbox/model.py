"""The data classes of the sandbox: people, chats, messages, files, taps, inline queries."""

import secrets
from dataclasses import dataclass, field
from typing import Any, Literal

from telegram_sandbox.permissions import PERMISSIONS, Flags, Restriction, admin_rights

Json = dict[str, Any]
ChatType = Literal["private", "group", "supergroup", "channel"]
BotStatus = Literal["member", "administrator", "restricted", "kicked", "left"]
MediaKind = Literal["photo", "animation", "voice", "document", "video", "video_note", "audio", "sticker"]

GROUP_TYPES = ("group", "supergroup")


@dataclass(slots=True)
class Person:
    """A person with a Telegram account.

    `started` is true after the person's first message to the bot, which may write to them from then on.
    """

    id: int
    name: str
    username: str | None = None
    language_code: str = "en"
    blocked_bot: bool = False
    started: bool = False
    deleted: bool = False

    @property
    def contact(self) -> Json:
        """The person's own contact, in the fields of the Bot API."""
        number = f"1202555{self.id % 10_000:04}"
        return {"phone_number": number, "first_name": self.name, "user_id": self.id}


@dataclass(slots=True)
class Topic:
    """One thread of a forum; its id is the id of the message that created it, and 0 for General."""

    thread_id: int
    name: str
    closed: bool = False


@dataclass(slots=True)
class InviteLink:
    """A link that leads into a group."""

    url: str
    name: str = ""
    expires: int = 0
    member_limit: int = 0
    creates_join_request: bool = False
    is_primary: bool = False
    is_revoked: bool = False
    joined: set[int] = field(default_factory=set)
    """The people who came by it."""

    @staticmethod
    def new_url() -> str:
        """Return a new address."""
        return f"https://t.me/+{secrets.token_urlsafe(12)}"


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """A person's wish to join a group, and when they expressed it."""

    link: InviteLink
    date: float


@dataclass(slots=True)
class Chat:
    """A private chat (its id is the person's), a group or a channel.

    A group that became a supergroup stays, without members, and refers the bot to the supergroup.
    """

    id: int
    type: ChatType
    title: str = ""
    username: str | None = None
    """Public channels and groups have one."""
    is_forum: bool = False
    topics: dict[int, Topic] = field(default_factory=dict)
    general: Topic = field(default_factory=lambda: Topic(0, "General"))
    """A forum's topic of the messages that name none."""
    general_is_hidden: bool = False
    members: list[int] = field(default_factory=list)
    owner: int | None = None
    admins: dict[int, Flags] = field(default_factory=dict)
    """With their rights."""
    promoted_by_bot: set[int] = field(default_factory=set)
    custom_titles: dict[int, str] = field(default_factory=dict)
    tags: dict[int, str] = field(default_factory=dict)
    bot_status: BotStatus = "member"
    bot_rights: Flags = field(init=False)
    """The bot's, while it is an admin."""
    migrated_to: int | None = None
    anonymous: list[int] = field(default_factory=list)
    """Admins who write as the group itself."""
    permissions: Flags = field(default_factory=lambda: dict.fromkeys(PERMISSIONS, True))
    """Those of all members who are no admins."""
    restrictions: dict[int, Restriction] = field(default_factory=dict)
    last_message_id: int = 0
    last_ephemeral_id: int = 0
    pinned: list[int] = field(default_factory=list)
    banned: dict[int, int] = field(default_factory=dict)
    """Until when; 0 is for ever."""
    description: str = ""
    invite_links: dict[str, InviteLink] = field(default_factory=dict)
    """Those of the bot."""
    join_requests: dict[int, JoinRequest] = field(default_factory=dict)
    photo: "tuple[StoredFile, StoredFile] | None" = None
    """Small and big."""
    boosts: dict[int, list[Json]] = field(default_factory=dict)
    """By person, as Telegram's ChatBoost."""
    sticker_set: str | None = None
    """The name of the set that its members see first."""

    def __post_init__(self) -> None:
        self.bot_rights = admin_rights(self.type)

    @property
    def is_channel(self) -> bool:
        """True where admins post in the name of the chat, and the others read."""
        return self.type == "channel"

    @property
    def is_group(self) -> bool:
        """True for a group or a supergroup."""
        return self.type in GROUP_TYPES

    @property
    def bot_is_inside(self) -> bool:
        """True while the bot is a member."""
        return self.bot_status in ("member", "administrator", "restricted")

    def bot_may(self, right: str) -> bool:
        """Return whether the bot is an admin with this right."""
        return self.bot_status == "administrator" and self.bot_rights.get(right, False)

    def permits(self, user_id: int, permission: str) -> bool:
        """Return whether a member may do this: an admin anyway, another one by both lists of permissions."""
        if user_id == self.owner or user_id in self.admins:
            return True
        if self.is_channel:
            return False
        own = self.restrictions.get(user_id)
        return self.permissions[permission] and (own is None or own.permissions[permission])

    def end_restrictions(self, now: float) -> None:
        """Lift the bans and restrictions whose time has come."""
        for user_id in [one for one, until in self.banned.items() if 0 < until <= now]:
            del self.banned[user_id]
        for user_id in [one for one, found in self.restrictions.items() if 0 < found.until <= now]:
            del self.restrictions[user_id]


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file that a person or the bot sent, with its names in the Bot API."""

    key: str
    kind: MediaKind
    file_id: str
    file_unique_id: str
    path: str
    content: bytes
    mime_type: str
    name: str
    whole: "StoredFile | None" = None
    """The photo of which this is a smaller size."""
    smaller: list["StoredFile"] = field(default_factory=list, compare=False, repr=False)
    """The other sizes of a photo, the smallest first; each is black."""


@dataclass(frozen=True, slots=True)
class Media:
    """The file in a message, with the fields that its kind has."""

    kind: MediaKind
    file: StoredFile
    duration: int = 0
    width: int = 0
    height: int = 0
    details: Json = field(default_factory=dict)
    """Further fields of the Bot API: an audio file's title and performer, a sticker's emoji."""
    has_spoiler: bool = False
    caption_above: bool = False


@dataclass(slots=True)
class StickerSet:
    """A sticker set of the bot; `kind` is regular, mask or custom_emoji."""

    name: str
    title: str
    kind: str
    needs_repainting: bool = False
    stickers: list[Media] = field(default_factory=list)
    thumbnail: StoredFile | None = None


@dataclass(slots=True)
class Poll:
    """A poll and the options that each person has chosen."""

    id: str
    question: str
    options: tuple[str, ...]
    is_anonymous: bool = True
    allows_multiple_answers: bool = False
    allows_revoting: bool = True
    correct: list[int] = field(default_factory=list)
    """The right options of a quiz; empty for a plain poll."""
    explanation: str | None = None
    explanation_entities: list[Json] = field(default_factory=list)
    is_closed: bool = False
    open_period: int = 0
    close_date: int = 0
    """When it closes by itself, with `open_period`; 0 for never."""
    votes: dict[int, list[int]] = field(default_factory=dict)

    @staticmethod
    def new_id() -> str:
        """Return an id as long as Telegram's."""
        return str(secrets.randbelow(9 * 10**18) + 10**18)

    def count(self, option: int) -> int:
        """Return how many people chose an option."""
        return sum(option in chosen for chosen in self.votes.values())


@dataclass(frozen=True, slots=True)
class Invoice:
    """An invoice of the bot; `total` is in the smallest units of the currency."""

    title: str
    description: str
    payload: str
    currency: str
    total: int
    start_parameter: str = ""
    is_flexible: bool = False
    """Whether the price depends on the way of shipping."""
    asks: tuple[str, ...] = ()
    """The fields of OrderInfo that a person fills in."""


@dataclass(slots=True)
class StoredMessage:
    """One message of a person, of the bot, or of Telegram itself.

    `text` and `entities` are the caption where there is media. An ephemeral message has `message_id` 0, its own
    `ephemeral_message_id`, and one person who sees it: `seen_by`.
    """

    chat_id: int
    message_id: int
    sender_id: int
    date: int
    text: str | None = None
    entities: list[Json] = field(default_factory=list)
    media: Media | None = None
    reply_to: int | None = None
    quote: Json | None = None
    """The part of that message that this one answers, as Telegram's TextQuote."""
    thread_id: int | None = None
    is_topic_message: bool = False
    reply_markup: Json | None = None
    """The inline keyboard."""
    reply_interface: Json | None = None
    """The change of people's own keyboards: a reply keyboard, its removal, or a forced reply."""
    service: Json | None = None
    service_text: str | None = None
    silent: bool = False
    protected: bool = False
    effect_id: str | None = None
    link_preview_options: Json | None = None
    edit_date: int | None = None
    ephemeral_message_id: int | None = None
    seen_by: int | None = None
    replaces: int | None = None
    for_bot: bool = False
    reactions: list[Json] = field(default_factory=list)
    """The bot's."""
    reactions_of: dict[int, list[Json]] = field(default_factory=dict)
    """Those of people."""
    forwarded_from: int | None = None
    """The author, or the channel where it was posted."""
    forwarded_id: int | None = None
    """The id that it had in the channel."""
    anonymous: bool = False
    """Written in the name of the group."""
    lost: bool = False
    """Accepted from the bot and never shown to anyone."""
    via_bot: bool = False
    """A result of an inline query, posted by the person who chose it."""
    guest_of: int | None = None
    """The person who has asked the bot in a chat where it is not."""
    inline_message_id: str | None = None
    """How the bot names such a message to edit it; only where it has a keyboard."""
    attachment: Json | None = None
    """A location, venue, contact, dice, game or rich message, in the fields of the Bot API."""
    poll: Poll | None = None
    invoice: Invoice | None = None
    game: str | None = None
    """The short name of the game in `attachment`."""
    media_group_id: str | None = None

    @property
    def key(self) -> str:
        """One name for every message of the sandbox."""
        if self.ephemeral_message_id is not None:
            return f"{self.chat_id}:e{self.seen_by}:{self.ephemeral_message_id}"
        return f"{self.chat_id}:{self.message_id}"


@dataclass(slots=True)
class Tap:
    """A press on a callback button, waiting for the bot's answer."""

    id: str
    user_id: int
    chat_id: int
    date: float
    message_id: int = 0
    from_ephemeral: bool = False
    game: str | None = None
    """The short name of the game that it starts."""
    answered: bool = False
    text: str | None = None
    show_alert: bool = False
    url: str | None = None
    sent: StoredMessage | None = None
    """The message that a button of a reply keyboard sent."""


@dataclass(slots=True)
class Payment:
    """A person's payment, from the first question to the bot until the receipt or a refusal."""

    person: Person
    chat_id: int
    invoice: Invoice
    total: int
    asked_at: float = 0.0
    """When the bot was asked last."""
    shipping_option: str | None = None
    refusal: str | None = None
    """The words with which the bot has refused it."""
    receipt: StoredMessage | None = None
    refunded_at: int | None = None


@dataclass(frozen=True, slots=True)
class InlineResult:
    """One line of the list under the text field, and the message that choosing it posts."""

    id: str
    title: str
    description: str
    text: str
    entities: list[Json]
    reply_markup: Json | None = None
    link_preview_options: Json | None = None
    media: Media | None = None
    failure: str = ""
    """The reason why its file cannot be had from its address."""


@dataclass(frozen=True, slots=True)
class InlineAnswer:
    """The bot's answer to an inline query."""

    results: tuple[InlineResult, ...]
    next_offset: str = ""
    button: Json | None = None
    """The button above the results, which leads to the private chat."""
    cache_seconds: int = 0
    is_personal: bool = False

    @property
    def titles(self) -> list[str]:
        """The titles of the results, in the order in which they are shown."""
        return [result.title for result in self.results]


@dataclass(slots=True)
class InlineQuery:
    """The text that a person has typed after the bot's name in the text field of a chat."""

    id: str
    user_id: int
    chat_id: int
    text: str
    offset: str
    date: float
    answer: InlineAnswer | None = None


@dataclass(slots=True)
class LastAct:
    """The state of the sandbox when a person last acted, and their inline queries by chat."""

    changes: int = 0
    calls: int = 0
    seen: dict[str, int] = field(default_factory=dict)
    """The number of changes when `sees` last found a message, by its key."""
    queries: dict[int, InlineQuery] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class InlineMode:
    """Whether the bot takes inline queries, and how likely it is told of a chosen result."""

    enabled: bool
    feedback: float
