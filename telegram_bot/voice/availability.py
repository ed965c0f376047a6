"""Whether voice notes can be heard in this installation."""

from __future__ import annotations

import importlib.util

from telegram_bot.settings.voice import VoiceSettings
from telegram_bot.voice import models
from telegram_bot.voice.engines import engine_name
from telegram_bot.words.catalogue import LANGUAGES


def can_hear(settings: VoiceSettings) -> bool:
    """Whether there is a decoder, and an engine for some language."""
    if not settings.enabled or importlib.util.find_spec("av") is None:
        return False
    model = models.find_model(settings.model)
    return any(engine_name(language, model) is not None for language in LANGUAGES)
