"""How a player can be shown something alone: the first of their ways that works, remembered."""

from __future__ import annotations

from enum import StrEnum

from telegram_bot.storage.rows import Chat, DirectMessages, Player, PrivateView


class Way(StrEnum):
    """A private message's way to one player."""

    EPHEMERAL = "ephemeral"
    DIRECT = "direct"


PREFERRED: dict[str, tuple[Way, ...]] = {
    PrivateView.AUTO: (Way.EPHEMERAL, Way.DIRECT),
    PrivateView.EPHEMERAL: (Way.EPHEMERAL, Way.DIRECT),
    PrivateView.DIRECT: (Way.DIRECT, Way.EPHEMERAL),
    PrivateView.ALERT: (),
    PrivateView.SHARED: (),
}


def way_to(player: Player, chat: Chat) -> Way | None:
    """The best private way that may work; None: alerts show the dice and the table's own keyboard takes the bids."""
    for way in PREFERRED[player.view]:
        if way is Way.EPHEMERAL and chat.ephemeral and player.channel == chat.channel:
            return way
        if way is Way.DIRECT and player.direct != DirectMessages.REFUSED:
            return way
    return None


def wants_link(player: Player, chat: Chat) -> bool:
    """Whether a link to the bot would help: the player would take private messages, and none gets through."""
    return way_to(player, chat) is None and bool(PREFERRED[player.view])
