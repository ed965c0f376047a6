"""What text messages can do, and what they cost, for the service."""

from typing import Final

from telegram_bot.service.channel_traits import ChannelTraits

TRAITS: Final = ChannelTraits(
    "sms",
    shared_chats=False,
    buttons=False,
    paid=True,
    slow=True,
    quiet_hours=True,
    supersedes=True,
    unordered=True,
    linkable=True,
)
