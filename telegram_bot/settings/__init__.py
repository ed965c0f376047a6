"""The bot's settings: read from `config/bot.toml` and environment variables, with helpful error messages.

The defaults are defined here. `config/bot.toml` explains them; a test checks that both agree.
"""

from telegram_bot.settings.house_rule_settings import packaged
from telegram_bot.settings.loading import (
    USUAL_CONFIG,
    advice_on_open_file,
    default_config,
    load_settings,
    removed_settings,
)
from telegram_bot.settings.model import WEB_PORT, Settings
from telegram_bot.settings.sections import PollingSettings, SettingsError, WebhookSettings

__all__ = [
    "USUAL_CONFIG",
    "WEB_PORT",
    "PollingSettings",
    "Settings",
    "SettingsError",
    "WebhookSettings",
    "advice_on_open_file",
    "default_config",
    "load_settings",
    "packaged",
    "removed_settings",
]
