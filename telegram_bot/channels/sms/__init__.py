"""The channel of text messages: texts become intents, notices become texts, through one or several gateways."""

from typing import Final

from telegram_bot.intents.channel_traits import ChannelTraits

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
"""The capabilities and costs of text messages, for the service."""
