"""How a player can be shown something alone: the first of their ways that works, remembered."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum

from telegram_bot.storage.models import TEXTING, Chat, DirectMessages, Player, PrivateView


class Way(StrEnum):
    """A private message's way to one player."""

    EPHEMERAL = "ephemeral"
    DIRECT = "direct"
    TEXT = "text"


PREFERRED: dict[str, tuple[Way, ...]] = {
    PrivateView.AUTO: (Way.EPHEMERAL, Way.DIRECT),
    PrivateView.EPHEMERAL: (Way.EPHEMERAL, Way.DIRECT),
    PrivateView.DIRECT: (Way.DIRECT, Way.EPHEMERAL),
    PrivateView.ALERT: (),
    PrivateView.SHARED: (),
    PrivateView.TEXT: (Way.TEXT, Way.EPHEMERAL, Way.DIRECT),
}


def way_to(player: Player, chat: Chat, deaf: Collection[int] = ()) -> Way | None:
    """The best private way that may work; None: alerts show the dice and the table's own keyboard takes the bids.

    Ephemeral messages do not reach the `deaf`, players by their ids, in this chat.
    """
    for way in PREFERRED[player.view]:
        if way is Way.EPHEMERAL and chat.ephemeral and player.channel == chat.channel and player.id not in deaf:
            return way
        if way is Way.DIRECT and player.direct != DirectMessages.REFUSED:
            return Way.TEXT if player.channel == TEXTING else way
        if way is Way.TEXT and player.phone is not None:
            return way
    return None


def wants_link(player: Player, chat: Chat, deaf: Collection[int] = ()) -> bool:
    """Whether a link to the bot would help: the player would take private messages, and none gets through."""
    return player.channel == chat.channel and way_to(player, chat, deaf) is None and bool(PREFERRED[player.view])


def is_remote(player: Player, chat: Chat) -> bool:
    """Whether the player sees nothing of what is told in the table's chat, and needs it told in private."""
    return chat.channel == TEXTING or player.channel != chat.channel
