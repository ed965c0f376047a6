"""Limit the requests of one person or one chat. All workers share the counts, which are in the database.

A person beyond a limit is told once and then ignored for some seconds. A call in turn is always served.
"""

import time
from collections.abc import Callable
from enum import Enum, auto
from typing import Final

from sqlmodel import Session

from telegram_bot.intents import intents as i
from telegram_bot.intents.config import Quota, Quotas
from telegram_bot.repositories.repositories import is_on_turn
from telegram_bot.service.handlers.game_requests import AnswerNote, CallCalza, CallDudo, ConfirmCall, MakeBid, SayCalls
from telegram_bot.storage.rate_limit import take

MINUTE: Final = 60.0
MUTE_SECONDS: Final = 10.0
"""How long a person is ignored after the message about the limit, in seconds."""
MUTE_CALLS_SECONDS: Final = 1.0
"""The same for calls: shorter, so that a person who tapped too often is served when it is their turn."""
TURN_SECONDS: Final = 1.0
TURN_BURST: Final = 5
MOST_MUTED: Final = 10_000
"""The maximum number of people whom a worker ignores without asking the database."""

_CALLS: Final = (MakeBid, CallDudo, CallCalza, SayCalls, AnswerNote, ConfirmCall)


class Bucket(Enum):
    """The kinds of intents with a limit of their own."""

    CALLS = "calls"
    TYPED = "typed"
    """Typed words without a call, such as talk among players."""
    TAPS = "taps"
    WORDS = "words"


_MAY_CALL: Final = (Bucket.CALLS, Bucket.TYPED)


class QuotaDecision(Enum):
    """The decision about an intent."""

    SERVE = auto()
    REJECT = auto()
    """The limit is exceeded: tell the person once."""
    IGNORE = auto()


def person_key(channel: str, address: int | str) -> str:
    """Return the beginning of all keys of a person."""
    return f"person:{channel}:{address}"


def bucket_of(intent: i.Intent, request: i.AnyRequest) -> Bucket | None:
    """Return the kind of an intent, or None if it is unlimited. `what` is the meaning of an intent's words."""
    if isinstance(request, i.ChatUpdate):
        return None
    if isinstance(request, _CALLS):
        return Bucket.CALLS
    if isinstance(intent.request, i.TypedText):
        return Bucket.TYPED
    return Bucket.TAPS if intent.answered_by == "toast" else Bucket.WORDS


class QuotaGate:
    """Decides which intents are served."""

    def __init__(
        self,
        quotas: Quotas,
        now: Callable[[], float] = time.time,
        parse_text: i.ParseText | None = None,
        linkable: str | None = None,
    ) -> None:
        """`linkable`: the channel whose addresses are linked to people of other channels."""
        self.quotas = quotas
        self.now = now
        self.parse_text = parse_text
        self.linkable = linkable
        self._muted_until: dict[str, float] = {}

    @property
    def mutes_anybody(self) -> bool:
        """True if this worker may be ignoring a person."""
        return bool(self._muted_until)

    def is_muted(self, intent: i.Intent) -> bool:
        """Return True if this worker knows without the database that the intent must be ignored."""
        if self._muted_until and max(self._muted_until.values()) <= self.now():
            self._muted_until.clear()
        if not self._muted_until:
            return False
        if not isinstance(intent.request, i.TypedText):
            return self._is_bucket_muted(intent, bucket_of(intent, intent.request))
        as_call, as_talk = (self._is_bucket_muted(intent, bucket) for bucket in (Bucket.CALLS, Bucket.TYPED))
        if as_call == as_talk:
            return as_call
        return as_call if self._may_be_call(intent, intent.request) else as_talk

    def _is_bucket_muted(self, intent: i.Intent, bucket: Bucket | None) -> bool:
        counted, now = () if bucket is None else self._counted(intent, bucket), self.now()
        # A time further ahead was noted before the clock was set back.
        return any(now < self._muted_until.get(key, 0.0) <= now + MUTE_SECONDS for key, _ in counted)

    def _may_be_call(self, intent: i.Intent, typed: i.TypedText) -> bool:
        """Return True if words may be a call.

        Only for people beyond a limit they are parsed here, before their step.
        """
        parse = self.parse_text
        return parse is None or isinstance(parse(typed.text, intent.who.language), _CALLS)

    def check(self, session: Session, intent: i.Intent, request: i.AnyRequest) -> QuotaDecision:
        """Count the intent and decide about it; `what` as for `bucket_of`."""
        bucket = bucket_of(intent, request)
        if bucket is None:
            return QuotaDecision.SERVE
        now = self.now()
        for key, quota in self._counted(intent, bucket):
            if not quota.per_minute:
                continue
            if not take(session, key, interval=MINUTE / quota.per_minute, burst=quota.burst, now=now):
                if bucket in _MAY_CALL and self._is_awaited_call(session, intent, now):
                    return QuotaDecision.SERVE
                return self._mute(session, key, bucket, now)
        return QuotaDecision.SERVE

    def _counted(self, intent: i.Intent, bucket: Bucket) -> list[tuple[str, Quota]]:
        """Return the keys that count it, the person's first."""
        words = bucket in (Bucket.WORDS, Bucket.TYPED)
        who = f"{person_key(intent.who.channel, intent.who.address)}:{bucket.value}"
        counted = [(who, self.quotas.person_words if words else self.quotas.person_taps)]
        if intent.where is not None:
            where = f"chat:{intent.where.channel}:{intent.where.address}:{bucket.value}"
            counted.append((where, self.quotas.chat_words if words else self.quotas.chat_taps))
        return counted

    def _is_awaited_call(self, session: Session, intent: i.Intent, now: float) -> bool:
        """Return True if the table waits for this call; some wrong ones may precede the right one, but not any number.

        If a sender can be forged, any number may: others may have sent them.
        """
        channel, address = intent.who.channel, intent.who.address
        if not is_on_turn(session, channel, address, self.linkable, table=intent.table, step=intent.step, now=now):
            return False
        key = f"{person_key(channel, address)}:turn"
        return not intent.sender_proof or take(session, key, interval=TURN_SECONDS, burst=TURN_BURST, now=now)

    def _mute(self, session: Session, key: str, bucket: Bucket, now: float) -> QuotaDecision:
        seconds = MUTE_CALLS_SECONDS if bucket in _MAY_CALL else MUTE_SECONDS
        first = take(session, f"{key}:told", interval=MUTE_SECONDS, burst=1, now=now)
        if len(self._muted_until) >= MOST_MUTED:
            self._muted_until.clear()
        self._muted_until[key] = now + seconds
        return QuotaDecision.REJECT if first else QuotaDecision.IGNORE
