"""The messenger of the heart's evenings: the messages that people see, and the answers that a sender gets."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from telegram_bot.delivery import sender
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices import Notice, OutdatedNotice
from telegram_bot.presentation.keys import Key
from telegram_bot.presentation.notice_keys import keys_of
from telegram_bot.words.catalogue import Catalogue

ENGLISH: Final = Catalogue("en")


@dataclass(frozen=True)
class Faults:
    """How likely each answer is: every evening draws its own."""

    slow_down: float = 0
    not_sent: float = 0
    unknown: float = 0
    invalid: float = 0
    dies_in_send: float = 0
    dies_at_commit: float = 0
    slowest: float = 0.3
    """The longest time of a send, in seconds."""


@dataclass
class Message:
    """One message in a chat, as it is shown now."""

    number: int
    envelope: Envelope
    changed_at: float
    keyboard: bool
    deleted: bool = False

    @property
    def keys(self) -> list[Key]:
        """The keys below it that make a request."""
        if not self.keyboard:
            return []
        return [key for row in keys_of(self.envelope.notice, ENGLISH) for key in row if key.request is not None]


@dataclass
class Sent:
    """One call of a sender: when it arrived, and the message that it sent or edited."""

    envelope: Envelope
    known: bool = True
    """Whether its worker learns that it arrived, and stores that before another one may repeat it."""
    at: float = 0
    number: int = 0
    is_new: bool = False


@dataclass
class Messenger:
    """All chats of the evening."""

    faults: Faults
    chance: random.Random
    clock: Callable[[], float]
    """Monotonic seconds."""
    chats: dict[tuple[str, int], list[Message]] = field(default_factory=lambda: defaultdict(list))
    log: list[Sent] = field(default_factory=list)
    lost: set[int] = field(default_factory=set)
    """The groups where the bot cannot write."""
    moved: dict[int, int] = field(default_factory=dict)
    blocked: set[int] = field(default_factory=set)
    """The people who refuse private messages."""
    unreachable_until: float = 0
    """Until when no call arrives."""
    last: int = 1000

    def seen_by(self, channel: str, address: int, groups: tuple[int, ...]) -> list[Message]:
        """Return the messages that a person sees, the oldest first."""
        mine = self.chats[channel, address]
        shared = [
            message
            for group in groups
            if channel == "telegram"
            for message in self.chats[channel, group]
            if message.envelope.receiver in (None, address)
        ]
        return sorted(
            (message for message in (*mine, *shared) if not message.deleted), key=lambda message: message.number
        )

    def trouble(self, envelope: Envelope) -> Exception | None:
        """Return the answer of a messenger that does not take the message, or None if it takes it."""
        chat, chance, faults = envelope.chat, self.chance, self.faults
        if self.clock() < self.unreachable_until:
            return sender.NotSentError("unreachable")
        if chat in self.moved:
            return sender.ChatMovedError(self.moved[chat])
        if chat in self.lost:
            return sender.ChatLostError("no rights")
        if chat in self.blocked or envelope.receiver in self.blocked:
            return sender.RefusedError("blocked")
        if chance.random() < faults.slow_down:
            return sender.SlowDownError(chance.choice((1, 3, 20)))
        if chance.random() < faults.not_sent:
            return sender.NotSentError("no connection")
        if chance.random() < faults.invalid:
            return sender.InvalidError("not accepted")
        return None

    def take(self, sent: Sent, target: MessageRef | None) -> sender.SendResult:
        """Show a message, or edit one.

        Raises:
            TargetGoneError: the message to edit is deleted.
        """
        envelope, now = sent.envelope, self.clock()
        shown, has_keys = self.chats[envelope.channel, envelope.chat], bool(keys_of(envelope.notice, ENGLISH))
        if target is None:
            self.last += 1
            found = Message(self.last, envelope, now, has_keys)
            shown.append(found)
        else:
            edited = next((each for each in shown if each.number == target.message and not each.deleted), None)
            if edited is None:
                raise sender.TargetGoneError
            found = edited
            found.changed_at = now
            if isinstance(envelope.notice, OutdatedNotice):
                found.keyboard = False
            else:
                found.envelope, found.keyboard = envelope, has_keys
        sent.at, sent.number, sent.is_new = now, found.number, target is None
        self.log.append(sent)
        has_number = envelope.channel != "sms" if target is None else envelope.target is None
        return sender.SendResult(found.number if has_number else None, keyboard=has_keys)

    def is_unknown(self) -> bool:
        """Return True if the worker will not learn how a send ended."""
        return self.chance.random() < self.faults.unknown

    def move(self, old: int, new: int) -> None:
        self.moved[old] = new
        self.chats["telegram", new] = []


def same_content(one: Notice, other: Notice) -> bool:
    """Return True if two notices say the same, apart from the clock."""
    clock = {"clock_since": True, "clock_ends": True}
    left_out: Any = {"view": {**clock, "table": clock, "commitment": True}}
    return type(one) is type(other) and one.model_dump(exclude=left_out) == other.model_dump(exclude=left_out)
