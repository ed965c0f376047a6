"""A process recognises voice notes: English without a model, and it says what it cannot hear."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from perudo_core import Bid, Calza, Dudo
from telegram_bot.confinement import Needed
from telegram_bot.settings.sections import VoiceSettings
from telegram_bot.voice.engines import hear, load_engines
from telegram_bot.voice.meanings import Spoken, VoiceCommand, VoiceUnavailable
from telegram_bot.voice.recogniser import Recogniser
from test_support.side_functions import cannot_hear, load_nothing
from test_support.voice_notes import spoken_pcm

LEGAL: list[Spoken] = [Bid(1, quantity, face) for quantity in range(2, 16) for face in range(1, 7)]
LEGAL += [Dudo(1), Calza(1), *VoiceCommand]


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@asynccontextmanager
async def recogniser(
    function: Callable[..., bytes] = cannot_hear, load: Callable[[Path | None], Needed] = load_nothing
) -> AsyncIterator[Recogniser]:
    opened = Recogniser(VoiceSettings(seconds=60), function=function, load=load)
    try:
        yield opened
    finally:
        await opened.close()


async def test_english_is_heard_without_a_model_and_always_asked_about() -> None:
    async with recogniser(hear, load_engines) as ears:
        for text, meant in (("five fours", "5x4"), ("I say seven twos", "7x2"), ("liar", "dudo"), ("exactly", "calza")):
            heard = await ears.hear(spoken_pcm(text, rate=120), "en", LEGAL)
            assert heard.verdict == "ask"
            assert meant in [str(guess.spoken) for guess in heard.guesses], text
            assert len(heard.guesses) <= 3
        assert (await ears.hear(bytes(32000), "en", LEGAL)).verdict == "unheard"
        assert not ears.can_hear("fr")
        with pytest.raises(VoiceUnavailable):
            await ears.hear(bytes(32000), "fr", LEGAL)


async def test_a_model_that_cannot_be_used_is_told_to_the_operator(caplog: pytest.LogCaptureFixture) -> None:
    async with recogniser() as ears:
        with pytest.raises(VoiceUnavailable):
            await ears.hear(b"", "en", LEGAL)
    assert "a voice note cannot be heard: the model has changed" in caplog.text


async def test_switched_off_nothing_is_heard() -> None:
    ears = Recogniser(VoiceSettings(enabled=False))
    assert not ears.can_hear("en")
    with pytest.raises(VoiceUnavailable):
        await ears.hear(b"", "en", LEGAL)
