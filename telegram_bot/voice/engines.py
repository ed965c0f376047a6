"""Choose the engine of a language: Whisper if a model is set up; without one, pocketsphinx for English."""

import importlib.util
import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Final

from telegram_bot.confinement import Needed
from telegram_bot.errors import OperatorError
from telegram_bot.parsing.vocabulary import vocabulary
from telegram_bot.service.requests import fill_requests
from telegram_bot.settings.sections import VoiceSettings
from telegram_bot.side_process import FunctionFailedError
from telegram_bot.voice.meanings import Engine, Label, label_of, spoken_of
from telegram_bot.voice.models import find_model, verified
from telegram_bot.words.language_files import GRAMMARS
from telegram_bot.words.languages import ENGLISH

WHISPER: Final = "Whisper"
EMBEDDED: Final = "pocketsphinx"


def can_hear(settings: VoiceSettings) -> bool:
    """Return True if there is a decoder, and an engine for some language."""
    if not settings.enabled or not _is_installed("av"):
        return False
    model = find_model(settings.model)
    return any(engine_name(language, model) is not None for language in GRAMMARS)


def engine_name(language: str, model: Path | None) -> str | None:
    """Return the engine for a language, or None if there is none.

    `model`: the folder of a Whisper model that is set up.
    """
    if model is not None and language in GRAMMARS and _is_installed("faster_whisper"):
        return WHISPER
    return EMBEDDED if language == ENGLISH and _is_installed("pocketsphinx") else None


@cache
def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None


def load_engines(model: Path | None) -> Needed:
    """Load the engines, and run each once: the side process opens no file afterwards."""
    fill_requests(())  # features add nothing that is heard
    for language in GRAMMARS:
        vocabulary(language)
    try:
        for name in {engine_name(language, model) for language in GRAMMARS} - {None}:
            _engine(name, model).rehearse()
    except OperatorError as error:
        raise FunctionFailedError(str(error)) from None
    return Needed()


def hear(model: Path | None, language: str, legal: Sequence[Label], pcm: bytes) -> bytes:
    """Recognise a note, as JSON with the label and the score of each guess. Runs in a side process."""
    heard = _engine(engine_name(language, model), model).hear(pcm, language, [spoken_of(label) for label in legal])
    guesses = [[label_of(guess.spoken), guess.score] for guess in heard.guesses]
    return json.dumps({"verdict": heard.verdict, "guesses": guesses}).encode()


@cache
def _engine(name: str | None, model: Path | None) -> Engine:
    if name == WHISPER and model is not None:
        from telegram_bot.voice.whisper import Whisper  # noqa: PLC0415 - an extra, and slow to import

        return Whisper(verified(model))
    from telegram_bot.voice.embedded import Pocketsphinx  # noqa: PLC0415 - an extra

    return Pocketsphinx()
