"""Which engine hears a language here: Whisper if a model is set up, pocketsphinx for English without one."""

from __future__ import annotations

import importlib.util
from collections.abc import Collection
from functools import cache
from pathlib import Path
from typing import Final

from telegram_bot.service.languages import ENGLISH
from telegram_bot.voice import models
from telegram_bot.voice.spoken import Heard, Recogniser, Spoken, VoiceUnavailable
from telegram_bot.words.parsing.vocabulary import GRAMMARS

WHISPER: Final = "Whisper"
EMBEDDED: Final = "pocketsphinx"


@cache
def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def engine_name(language: str, model: Path | None) -> str | None:
    """What hears a language; None if nothing does. `model`: the folder of a Whisper model that is set up."""
    if model is not None and language in GRAMMARS and _is_installed("faster_whisper"):
        return WHISPER
    return EMBEDDED if language == ENGLISH and _is_installed("pocketsphinx") else None


class Engines:
    """The engines of one process; each is loaded when it is first needed."""

    def __init__(self, model: Path | None) -> None:
        self._model = model
        self._loaded: dict[str, Recogniser] = {}

    def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """What was said; raises `VoiceUnavailable`."""
        name = engine_name(language, self._model)
        if name is None:
            raise VoiceUnavailable(language)
        if name not in self._loaded:
            self._loaded[name] = self._load(name)
        return self._loaded[name].hear(pcm, language, legal)

    def _load(self, name: str) -> Recogniser:
        if name == WHISPER and self._model is not None:
            from telegram_bot.voice.whisper import WhisperRecogniser  # noqa: PLC0415 - an extra, and slow to import

            return WhisperRecogniser(models.verified(self._model))
        from telegram_bot.voice.embedded import EmbeddedRecogniser  # noqa: PLC0415 - an extra

        return EmbeddedRecogniser()
