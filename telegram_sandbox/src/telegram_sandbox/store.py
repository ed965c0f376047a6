"""The store of people, chats, messages and files, and how to find them."""

import itertools
import secrets
from collections.abc import Mapping
from pathlib import PurePath

from telegram_sandbox import file_types
from telegram_sandbox.clock import Clock
from telegram_sandbox.model import (
    Chat,
    ChatType,
    InlineAnswer,
    InlineQuery,
    Invoice,
    Json,
    MediaKind,
    Payment,
    Person,
    StickerSet,
    StoredFile,
    StoredMessage,
    Tap,
)
from telegram_sandbox.permissions import Flags
from telegram_sandbox.settings import SandboxSettings

# Like Telegram's own ids, none of these fits in 32 bits.
FIRST_PERSON_ID = 7_000_000_001
FIRST_SUPERGROUP_ID = -1_002_000_000_001
FIRST_GROUP_ID = -5_000_000_001
SUPERGROUPS_BELOW = -1_000_000_000_000

SMALLER_PHOTO_SIDES = (90, 320, 800)

FOLDERS: dict[MediaKind, tuple[str, str]] = {
    "photo": ("photos", "jpg"),
    "animation": ("animations", "gif"),
    "voice": ("voice", "oga"),
    "document": ("documents", "bin"),
    "video": ("videos", "mp4"),
    "video_note": ("video_notes", "mp4"),
    "audio": ("music", "mp3"),
    "sticker": ("stickers", "webp"),
}
"""The folder and the extension of a file's path, as the bot sees it."""


class InlineCache:
    """The cached answers to inline queries; a personal answer is for the person who asked."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, str, int | None], tuple[float, InlineAnswer]] = {}

    def find(self, query: InlineQuery, now: float) -> InlineAnswer | None:
        """Return the cached answer to the same question, or None if the bot must be asked."""
        for owner in (query.user_id, None):
            expires, answer = self._kept.get((query.text.strip(), query.offset, owner), (0.0, None))
            if now < expires:
                return answer
        return None

    def keep(self, query: InlineQuery, answer: InlineAnswer, now: float) -> None:
        """Keep an answer for as long as the bot allows."""
        if answer.cache_seconds > 0:
            owner = query.user_id if answer.is_personal else None
            self._kept[query.text.strip(), query.offset, owner] = (now + answer.cache_seconds, answer)


class Store:
    """Everything that exists in a sandbox; `clear` begins again with the people of the settings."""

    def __init__(self, settings: SandboxSettings) -> None:
        self.settings = settings
        self.clock = Clock()
        self.privacy_mode = settings.privacy_mode
        self.guest_mode = settings.guest_mode
        self.inline_mode = settings.inline_mode
        self.inline_feedback = settings.inline_feedback
        self.commands: dict[tuple[str, str], list[Json]] = {}
        """By the JSON of their scope and by language. `clear` keeps these, the profile and games, set at start."""
        self.profile: dict[tuple[str, str], str] = {}
        self.menu_buttons: dict[int, Json] = {}
        self.default_rights: dict[bool, Flags] = {}
        """Those that the bot asks for in channels and in groups."""
        self.games: dict[str, Json] = {}
        """By their short names."""
        self._people_made = 0
        self._chats_made = 0
        self.clear()

    def clear(self) -> None:
        """Forget everything and create the people and the first group of the settings.

        Their ids are new, so that a bot, which remembers the earlier ones, does not confuse them.
        """
        self.people: dict[int, Person] = {}
        self.chats: dict[int, Chat] = {}
        self.messages: dict[str, StoredMessage] = {}
        self.files: dict[str, StoredFile] = {}
        self.sticker_sets: dict[str, StickerSet] = {}
        """By their names in lower case."""
        self.taps: dict[str, Tap] = {}
        self.inline_queries: dict[str, InlineQuery] = {}
        self.guest_queries: dict[str, StoredMessage] = {}
        """The messages in which people ask the bot where it is not, until it answers."""
        self.inline_cache = InlineCache()
        self.inline_messages: dict[str, str] = {}
        """The key of each message that the bot names by an inline_message_id."""
        self.invoice_links: dict[str, Invoice] = {}
        self.payments: dict[tuple[str, str], Payment] = {}
        """The payments that wait for the bot, by the kind and the id of its query."""
        self.paid: dict[str, Payment] = {}
        """The settled payments, by their charge id."""
        self.gifts: list[tuple[str, int, Chat, Json]] = []
        """Those of the bot: the id and the time of the transaction, the receiver, and the gift."""
        self.scores: dict[tuple[int, str], dict[int, int]] = {}
        """Those of people, by the chat and the short name of the game."""
        self.bot_last_message_id = 0
        for name in self.settings.people:
            self.make_person(name)
        self.default_group_id = self.make_chat("supergroup", self.settings.group_title, list(self.people)).id

    # People and chats

    def make_person(self, name: str, user_id: int | None = None) -> Person:
        """Create an account in no group; its private chat with the bot exists and is empty."""
        person_id = user_id or self._free(self.people, FIRST_PERSON_ID + self._people_made, 1)
        self._people_made += 1
        username = "".join(letter for letter in name.lower() if letter.isascii() and letter.isalnum())
        person = Person(person_id, name, f"{username}_{self._people_made}" if username else None)
        self.people[person_id] = person
        self.chats[person_id] = Chat(person_id, "private", title=name, members=[person_id])
        return person

    def make_chat(
        self, kind: ChatType, title: str, members: list[int], *, is_forum: bool = False, chat_id: int | None = None
    ) -> Chat:
        """Create a group or a channel; its first member owns it.

        The bot is an admin of a channel, and of a group if the settings say so.
        """
        first = FIRST_GROUP_ID if kind == "group" else FIRST_SUPERGROUP_ID
        chat_id = chat_id or self._free(self.chats, first - self._chats_made, -1)
        chat = Chat(chat_id, kind, title=title, members=list(members), is_forum=is_forum)
        self._chats_made += 1
        chat.owner = chat.members[0] if chat.members else None
        if chat.is_channel or self.settings.bot_is_admin:
            chat.bot_status = "administrator"
        self.chats[chat.id] = chat
        return chat

    @staticmethod
    def _free(taken: Mapping[int, object], first: int, step: int) -> int:
        return next(number for number in itertools.count(first, step) if number not in taken)

    def active_people(self) -> list[Person]:
        """Return all people who have not deleted their account."""
        return [person for person in self.people.values() if not person.deleted]

    # Messages

    def next_message_id(self, chat: Chat) -> int:
        """Return the next id: a supergroup and a channel have a counter each, all other chats share the bot's."""
        if chat.type in ("supergroup", "channel"):
            chat.last_message_id += 1
            return chat.last_message_id
        self.bot_last_message_id += 1
        return self.bot_last_message_id

    def find_message(self, chat_id: int, message_id: int) -> StoredMessage | None:
        """Return a message that everyone in the chat sees."""
        return self.messages.get(f"{chat_id}:{message_id}") if message_id else None

    def find_ephemeral(self, chat_id: int, user_id: int, ephemeral_id: int) -> StoredMessage | None:
        """Return a message that one member of the chat sees."""
        return self.messages.get(f"{chat_id}:e{user_id}:{ephemeral_id}")

    def find_inline_message(self, inline_message_id: str) -> StoredMessage | None:
        """Return a message that was posted via the bot and has a keyboard."""
        return self.messages.get(self.inline_messages.get(inline_message_id, ""))

    # Files

    def keep_file(
        self,
        kind: MediaKind,
        content: bytes,
        mime_type: str,
        name: str,
        *,
        file_id: str | None = None,
        whole: StoredFile | None = None,
    ) -> StoredFile:
        """Store bytes under a file_id, a new one or this, and a path for the bot, and a key for the page.

        A photo gets its smaller sizes, unless it is one of `whole`.
        """
        number = len(self.files) + 1
        folder, extension = FOLDERS[kind]
        if kind == "document":
            extension = PurePath(name).suffix[1:] or extension
        key = secrets.token_urlsafe(12)
        stored = StoredFile(
            key=key,
            kind=kind,
            file_id=file_id or f"SB{kind[0].upper()}{number:06d}-{secrets.token_urlsafe(24)}",
            file_unique_id=f"SBU{number:06d}{secrets.token_hex(4)}",
            path=f"{folder}/file_{number}.{extension}",
            content=content,
            mime_type=mime_type,
            name=name,
            whole=whole,
        )
        self.files[key] = stored
        if kind == "photo" and whole is None and (size := file_types.size_of(content)):
            for side in SMALLER_PHOTO_SIDES:
                if side < max(size):
                    picture = file_types.black_png(*file_types.scaled(size, side))
                    stored.smaller.append(self.keep_file(kind, picture, "image/png", name, whole=stored))
        return stored

    def find_file(self, file_id: str) -> StoredFile | None:
        """Return a stored file by the file_id that the bot was given."""
        return next((stored for stored in self.files.values() if stored.file_id == file_id), None)
