"""The web channel: guests, Mini Apps and televisions. The outbox becomes cards, acts go through the inbox."""

from typing import Final

from telegram_bot.intents.channel_traits import ChannelTraits

TRAITS: Final = ChannelTraits("web", supersedes=True, reads_rooms=True)
"""The capabilities of web pages, for the service."""

MOST_STREAMS: Final = 2000
"""The maximum number of streams in one process; they do not count among the connections of other requests."""
