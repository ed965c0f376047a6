"""The channel of pages: guests, Mini Apps and big screens; cards out, acts in, all from the outbox and the inbox."""

from typing import Final

from telegram_bot.service.channel_traits import ChannelTraits

TRAITS: Final = ChannelTraits("web", supersedes=True, reads_rooms=True)
"""What pages can do, for the service."""

MOST_STREAMS: Final = 2000
"""Streams of one process; they do not count among the connections of other requests."""
