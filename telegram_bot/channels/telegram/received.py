"""The parts of an update that the bot reads, each with its type: the door for everything that Telegram delivers.

Other parts are not looked at, so a part that is new, odd or from an older server never hides an update. Ids are whole
numbers that a database can store. An update whose parts have another type is refused before it is stored.
"""

from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from telegram_bot.errors import UnreadableError

LARGEST_ID: Final = 2**63 - 1
"""The largest number that a database stores."""
_GROUPS: Final = ("group", "supergroup")
_GONE: Final = ("left", "kicked")


def _storable(text: object) -> object:
    """Return a text without the characters that no database stores: NUL, and the halves of a surrogate pair."""
    if not isinstance(text, str):
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


Id = Annotated[int, Field(strict=True, ge=-LARGEST_ID, le=LARGEST_ID)]
Count = Annotated[int, Field(strict=True, ge=0, le=LARGEST_ID)]
Text = Annotated[str, BeforeValidator(_storable)]
Presence = Annotated[bool, BeforeValidator(lambda part: part is not False)]
"""Whether an update has a part whose content the bot does not read."""


class Part(BaseModel):
    """A part of an update. A field with null counts as missing."""

    model_config = ConfigDict(frozen=True, populate_by_name=True, defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _without_nulls(cls, given: Any) -> Any:
        if not isinstance(given, dict):
            return given
        return {name: value for name, value in given.items() if value is not None}


class User(Part):
    """A person or a bot."""

    id: Id
    is_bot: bool = False
    first_name: Text = ""
    last_name: Text = ""
    username: Text | None = None
    language_code: Text | None = None

    @property
    def full_name(self) -> str:
        """The first and the last name."""
        return f"{self.first_name} {self.last_name}".strip()


class Chat(Part):
    """A private chat, a group or a channel."""

    id: Id
    type: Text
    title: Text = ""

    @property
    def is_group(self) -> bool:
        """True for both kinds of groups."""
        return self.type in _GROUPS


class Entity(Part):
    """A marked part of a text."""

    type: Text = ""
    offset: Count = 0
    url: Text | None = None


class Voice(Part):
    """A voice note."""

    file_id: Text
    duration: float = 0
    file_size: Count = 0


class RepliedMessage(Part):
    """The message that another one answers."""

    message_id: Id
    from_user: User | None = Field(None, alias="from")
    forum_topic_created: Presence = False


class Message(Part):
    """A message. The bot's own, below which a button is tapped, has the date 0 if it is too old."""

    message_id: Id
    date: Count = 0
    chat: Chat
    from_user: User | None = Field(None, alias="from")
    message_thread_id: Id | None = None
    is_topic_message: bool = False
    ephemeral_message_id: Id | None = None
    sender_chat: Presence = False
    text: Text | None = None
    entities: tuple[Entity, ...] = ()
    photo: Presence = False
    voice: Voice | None = None
    video_note: Presence = False
    audio: Presence = False
    forward_origin: Presence = False
    forward_date: Presence = False
    """Servers before Bot API 7.0 send it in place of `forward_origin`."""
    via_bot: User | None = None
    reply_to_message: RepliedMessage | None = None
    migrate_to_chat_id: Id | None = None
    left_chat_member: User | None = None
    new_chat_members: tuple[User, ...] = ()
    forum_topic_reopened: Presence = False
    general_forum_topic_unhidden: Presence = False

    @property
    def is_forward(self) -> bool:
        """True if its words are not its sender's."""
        return self.forward_origin or self.forward_date


class CallbackQuery(Part):
    """A tap on a button."""

    id: Text
    from_user: User = Field(alias="from")
    message: Message | None = None
    data: Text | None = None
    chat_instance: Text | None = None


class InlineQuery(Part):
    """Words in a text field that name the bot."""

    id: Text
    from_user: User = Field(alias="from")
    query: Text = ""
    offset: Text = ""
    chat_type: Text | None = None


class ChosenInlineResult(Part):
    """The result that a person chose."""

    result_id: Text
    from_user: User = Field(alias="from")


class ChatMember(Part):
    """The standing of a person in a chat."""

    status: Text
    user: User
    is_member: bool = True
    can_send_messages: bool = True

    @property
    def is_gone(self) -> bool:
        """True if the member has left the chat. A restricted member may be in the chat or not."""
        return self.status in _GONE or (self.status == "restricted" and not self.is_member)

    @property
    def is_admin(self) -> bool:
        """True for the owner as well."""
        return self.status in ("administrator", "creator")


class ChatMemberUpdated(Part):
    """A change of a standing."""

    chat: Chat
    from_user: User = Field(alias="from")
    old_chat_member: ChatMember
    new_chat_member: ChatMember


class Update(Part):
    """One update."""

    update_id: Count
    message: Message | None = None
    callback_query: CallbackQuery | None = None
    inline_query: InlineQuery | None = None
    chosen_inline_result: ChosenInlineResult | None = None
    my_chat_member: ChatMemberUpdated | None = None
    chat_member: ChatMemberUpdated | None = None

    @classmethod
    def read(cls, given: Any) -> Self:
        """Return an update as Telegram or the inbox has it.

        Raises:
            UnreadableError: a part that the bot reads has another type. The error names the part, not its content.
        """
        try:
            return cls.model_validate(given)
        except ValidationError as error:
            raise UnreadableError(unreadable_part(error)) from None

    @property
    def as_stored(self) -> dict[str, Any]:
        """The parts that the bot reads, in Telegram's form."""
        return self.model_dump(mode="json", by_alias=True, exclude_defaults=True)

    @property
    def chat(self) -> Chat | None:
        """The chat that it is about."""
        tap = None if self.callback_query is None else self.callback_query.message
        part = self.message or tap or self.my_chat_member or self.chat_member
        return None if part is None else part.chat

    @property
    def user(self) -> User | None:
        """The person who caused it."""
        query = self.callback_query or self.inline_query or self.chosen_inline_result
        part = self.message or query or self.my_chat_member or self.chat_member
        return None if part is None else part.from_user


def update_number(given: object) -> int | None:
    """Return the number of an update, or None if it has none: such an update cannot be stored or confirmed."""
    number = given.get("update_id") if isinstance(given, dict) else None
    return number if type(number) is int and 0 <= number <= LARGEST_ID else None


def unreadable_part(error: ValidationError) -> str:
    """Return the first part that cannot be read, and its fault."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    return f"{'.'.join(map(str, first['loc'])) or 'all'} ({first['type']})"
