"""Compare the messages that a reader of a table sees with those that they should see."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from telegram_bot import notices as n
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.slots import is_of_a_reveal
from telegram_bot.repositories.repositories import Repositories
from telegram_bot.screens.envelopes import envelope_to
from telegram_bot.screens.facts import Facts
from telegram_bot.screens.pictures_of_dice import pictures_for
from telegram_bot.screens.posting import Notification
from telegram_bot.screens.wants import Want
from telegram_bot.storage.models import SentMessage
from telegram_bot.tables.model import Table


@dataclass(frozen=True)
class Difference:
    """A message that is missing or outdated."""

    want: Want
    notification: Notification
    """The message that the reader should see."""
    digest: str
    key: list[int]
    edited: SentMessage | None
    """The message that is edited, or None if a new one is sent."""
    replaced: SentMessage | None
    """The message that a new one replaces."""
    asked: list[float] | None
    """See `SentMessage.asked`, without the time if the message is shown for the first time in this turn."""

    @property
    def content(self) -> str:
        """Return what identifies the content among those that were given up."""
        return f"{self.key} {self.digest}"


_CLOCK: Final = {"clock_since": True, "clock_ends": True}
_UNCOMPARED: Final[Any] = {"view": {**_CLOCK, "table": _CLOCK, "commitment": True}}
"""A turn's end moves if the turn is shown late; a chat's lobby does not show the commitment."""


def digest_of(envelope: Envelope, *, is_surface: bool = False) -> str:
    """Return a hash that is equal for notices with the same text and keys in the same language and dice style.

    Features add to notices when these are written, so a message is written again after a feature is switched off or on.
    """
    content = envelope.notice.model_dump_json(exclude=_UNCOMPARED if is_surface else None)
    return sha256(f"{envelope.language} {envelope.dice_style} {content}{' '.join(n.SWITCHED_OFF)}".encode()).hexdigest()


def changes(facts: Facts) -> Iterator[float]:
    """Return the times at which the surfaces of a table change without a step."""
    if facts.table.show_at is not None:
        yield facts.table.show_at
    for end in facts.ends:
        yield from (end.cups_at, end.dice_at)


def next_change(facts: Facts) -> float | None:
    """Return when the surfaces of a table change next without a step, or None."""
    return min((time for time in changes(facts) if time > facts.now), default=None)


def differences(
    repositories: Repositories, facts: Facts, wanted: Sequence[Want], shown: Mapping[str, SentMessage]
) -> Iterator[Difference]:
    """Return the messages of one reader that are missing or outdated, in the order of reading."""
    for want in wanted:
        message, key, edited = shown.get(want.slot), [*want.key], None
        if message is None:
            if want.edit_only:
                continue
        elif message.frozen and message.key >= key and (want.frozen or not message.again):
            continue  # a reader who asks again is not sent history again
        elif want.frozen and want.edit_only and message.key > key:
            continue  # the end of a round, where the next one has begun
        elif (message.chat, message.receiver) != want.to[1:]:
            if want.edit_only:
                continue
        elif want.once and message.key == key and not message.again:
            continue
        elif want.edit_only or (
            not message.again
            and ((message.key >= key and not _lost_its_keys(want, message)) or _grows_into(want, message, key))
        ):
            edited = message
        envelope = _envelope(repositories, facts, want)
        digest = digest_of(envelope, is_surface=True)
        turn, asked = None, None if message is None else message.asked
        if _asks(want) and not is_asked(facts.table, message):
            turn, asked = facts.table.step, [facts.table.step, facts.table.running.since]
        if edited is not None and edited.digest == digest and turn is None:  # a clock that begins anew is shown
            continue
        yield Difference(
            want,
            Notification(
                envelope,
                table=facts.table.id,
                slot=want.slot,
                turn=turn,
                is_edit=edited is not None,
            ),
            digest,
            key,
            edited,
            message if edited is None and not is_of_a_reveal(want.slot) else None,
            asked,
        )


def is_asked(table: Table, message: SentMessage | None) -> bool:
    """Return True if a message asks for the running turn."""
    return message is not None and (message.asked or [])[:2] == [table.step, table.running.since]


def _grows_into(want: Want, message: SentMessage, key: list[int]) -> bool:
    """Return True if the message is edited although another moment of the same round has come."""
    return want.newest and not message.followed and message.key[:-1] == key[:-1]


def _lost_its_keys(want: Want, message: SentMessage) -> bool:
    """Return True if the message cannot ask again: its keys were taken away, and another message is below it."""
    return want.newest and message.followed and not message.keyboard and _asks(want)


def _asks(want: Want) -> bool:
    """Return True if the surface asks its reader, or tells everyone whose turn it is."""
    asks = want.notice.asks
    return asks is not None and (asks or want.player is None)


def _envelope(repositories: Repositories, facts: Facts, want: Want) -> Envelope:
    """Return the message of a surface in its reader's language and dice style."""
    notice, player = want.notice, want.player
    is_here = want.to[:2] == (facts.chat.channel, facts.chat.address)
    more: dict[str, Any] = {**want.to._asdict(), "topic": facts.chat.topic if is_here else 0}
    if player is None:
        return envelope_to(repositories, facts.chat, notice).model_copy(update=more)
    seat = facts.table.seat_of(player.id)
    festive = isinstance(notice, n.GameOverNotice) and facts.config.celebrate and notice.view.winner == seat
    is_asked = bool(notice.asks) or (isinstance(notice, n.LobbyNotice) and notice.alone)
    more |= {"silent": not (is_asked or festive), "festive": festive}
    if facts.route_to(player).by_the_room:
        more["pictures"] = False
    if isinstance(notice, n.RevealNotice):
        more["pictures"] = not want.edit_only and pictures_for(player, facts.config, reveal=True)
    return envelope_to(repositories, player, notice).model_copy(update=more)
