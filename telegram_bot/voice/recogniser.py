"""Recognise voice notes in a side process, whose model takes up to 0.8 GB and leaves the memory after a while."""

import json
import logging
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from telegram_bot.confinement import Needed
from telegram_bot.settings.sections import VoiceSettings
from telegram_bot.side_process import FunctionFailedError, SideProcess
from telegram_bot.voice.engines import engine_name, hear, load_engines
from telegram_bot.voice.meanings import Guess, Heard, Label, Spoken, VoiceUnavailable, label_of
from telegram_bot.voice.models import find_model

log = logging.getLogger(__name__)

NICENESS: Final = 5
"""Below the bot's: taps are answered during recognition. At 10, a busy host never finished a note in time."""
_MOST_WAITING: Final = 8
"""How many notes wait; the senders of further ones are asked to tap or type."""
_IDLE_SECONDS: Final = 600
"""Without a note for so long the model leaves the memory."""


class Recogniser:
    """Recognises notes in a process of its own."""

    def __init__(
        self,
        settings: VoiceSettings,
        *,
        function: Callable[[Path | None, str, Sequence[Label], bytes], bytes] = hear,
        load: Callable[[Path | None], Needed] = load_engines,
    ) -> None:
        """`load`, `function`: the recognition."""
        self._enabled = settings.enabled
        self._model = find_model(settings.model)
        self.process = SideProcess(
            function,
            seconds=settings.seconds,
            prepare=partial(load, self._model),
            most_waiting=_MOST_WAITING,
            idle_seconds=_IDLE_SECONDS,
            niceness=NICENESS,
        )

    def can_hear(self, language: str) -> bool:
        """Return True if there is an engine for the language."""
        return self._enabled and engine_name(language, self._model) is not None

    async def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """Recognise a note; `pcm` is 16 kHz, mono, signed 16 bits.

        Raises:
            VoiceUnavailable: there is no engine for the language here.
            SideProcessError: too many notes wait, the process has died, or recognition took too long.
        """
        if not self.can_hear(language):
            raise VoiceUnavailable(language)
        possible = {label_of(spoken): spoken for spoken in legal}
        try:
            answer = json.loads(await self.process.ask(self._model, language, list(possible), pcm))
        except FunctionFailedError as error:
            log.error("a voice note cannot be heard: %s", error)  # noqa: TRY400 - a traceback tells no more
            raise VoiceUnavailable(str(error)) from None
        guesses = (Guess(possible[label], score) for label, score in answer["guesses"] if label in possible)
        return Heard(answer["verdict"], tuple(guesses))

    async def close(self) -> None:
        """End the process."""
        await self.process.close()
