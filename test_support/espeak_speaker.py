"""Say texts as voice notes in this process, with several speakers and at several speeds: people, for the tests."""

from telegram_bot.voice.speaking import speakable, voice_note
from telegram_bot.voice.voices import WORDS_PER_MINUTE, espeak


class EspeakSpeaker:
    """Speaks with espeak-ng.

    `variant`: another speaker of espeak-ng, such as `f2` or `m3`; `rate`: words a minute.
    """

    def __init__(self, *, variant: str = "", rate: int = WORDS_PER_MINUTE) -> None:
        self._engine = espeak()
        self._variant = variant
        self._rate = rate

    def say(self, text: str, language: str) -> bytes:
        return voice_note(self._engine.speak(speakable(text), language, variant=self._variant, rate=self._rate))
