"""What can be set about the bot: `config/bot.toml`, environment variables over it, and friendly refusals.

The defaults stand here. `config/bot.toml` says the same in a newcomer's words, and a test holds the two together.
"""

from telegram_bot.settings.base import SettingsError
from telegram_bot.settings.loading import USUAL_CONFIG, default_config, load_settings
from telegram_bot.settings.model import WEB_PORT, Settings
from telegram_bot.settings.sections import WebhookSettings

__all__ = [
    "USUAL_CONFIG",
    "WEB_PORT",
    "Settings",
    "SettingsError",
    "WebhookSettings",
    "default_config",
    "load_settings",
]
