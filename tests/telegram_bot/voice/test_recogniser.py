"""A process recognises voice notes: English without a model, or with one of one layer and random weights."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from faster_whisper.tokenizer import Tokenizer

from perudo_core import Bid, Calza, Dudo
from telegram_bot.confinement import Needed
from telegram_bot.settings.sections import VoiceSettings
from telegram_bot.side_process import SideProcess
from telegram_bot.voice import models
from telegram_bot.voice.beam import Width
from telegram_bot.voice.engines import WHISPER, _engine, hear, load_engines
from telegram_bot.voice.meanings import Spoken, VoiceCommand, VoiceUnavailable, label_of
from telegram_bot.voice.recogniser import Recogniser
from telegram_bot.voice.whisper import RATE, WINDOW_SECONDS, Whisper, as_samples, speech_window
from test_support.side_functions import load_nothing, refuse
from test_support.tiny_model import make_model
from test_support.voice_notes import spoken_pcm

LEGAL: list[Spoken] = [Bid(1, quantity, face) for quantity in range(2, 16) for face in range(1, 7)]
LEGAL += [Dudo(1), Calza(1), *VoiceCommand]
FEW = LEGAL[:54]
"""The bids of at most ten dice, whose trie is built sooner."""


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


@asynccontextmanager
async def ears_of(function: Callable[..., bytes], load: Callable[..., Needed]) -> AsyncIterator[Recogniser]:
    opened = Recogniser(VoiceSettings(seconds=60), function=function, load=load)
    try:
        yield opened
    finally:
        await opened.close()


async def test_english_is_heard_without_a_model_and_always_asked_about() -> None:
    async with ears_of(hear, load_engines) as ears:
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
    async with ears_of(refuse, load_nothing) as ears:
        with pytest.raises(VoiceUnavailable):
            await ears.hear(b"", "en", LEGAL)
    assert "a voice note cannot be heard: a reason" in caplog.text


async def test_switched_off_nothing_is_heard() -> None:
    ears = Recogniser(VoiceSettings(enabled=False))
    assert not ears.can_hear("en")
    with pytest.raises(VoiceUnavailable):
        await ears.hear(b"", "en", LEGAL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = make_model(tmp_path_factory.mktemp("whisper") / "tiny")
    models.write_manifest(made, "tiny", "1")
    return made


@pytest.fixture(scope="module")
def recogniser(folder: Path) -> Whisper:
    """The recogniser of this process, with which `hear` hears too: each trie is built once."""
    engine = _engine(WHISPER, folder)
    assert isinstance(engine, Whisper)
    return engine


@pytest.fixture(scope="module")
def speech() -> bytes:
    return spoken_pcm("five fours")


def test_paths_are_scored_as_the_model_scores_each_alone(recogniser: Whisper, speech: bytes) -> None:
    encoded = recogniser._encode(as_samples(speech))
    tokenizer = Tokenizer(recogniser._model.hf_tokenizer, True, "transcribe", "en")
    prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
    paths = [tuple(tokenizer.encode(text)) for text in (" five fours", " 5-4.", " Um, five fours!", "", " Liar")]
    for path, along in zip(paths, recogniser._read(encoded, prompt, paths), strict=True):
        assert len(along) == len(path) + 1
        for size in range(len(path) + 1):
            alone = recogniser._read(encoded, prompt, [path[:size]])[0][size]
            assert np.allclose(np.asarray(along[size]), np.asarray(alone), atol=1e-3)
            assert np.exp(np.asarray(along[size], dtype=np.float64)).sum() == pytest.approx(1, abs=1e-3)


def test_no_more_paths_are_read_than_allowed(recogniser: Whisper, speech: bytes) -> None:
    scores = recogniser.scores(as_samples(speech), "en", 30, Width(beam=8, paths=60, prune=40.0))
    assert scores
    assert all(score < 0 for score in scores.values())
    assert recogniser.paths_read <= 60


def test_a_model_that_knows_nothing_is_not_sure(recogniser: Whisper, speech: bytes) -> None:
    assert recogniser.hear(speech, "en", [*FEW, Dudo(0)]).verdict != "sure"


async def test_the_process_that_hears_opens_no_file_once_it_is_loaded(folder: Path, speech: bytes) -> None:
    ears = SideProcess(hear, seconds=250, prepare=partial(load_engines, folder), idle_seconds=250)
    try:
        for language in ("en", "it"):
            answer = json.loads(await ears.ask(folder, language, [*map(label_of, FEW)], speech))
            assert answer == json.loads(hear(folder, language, [*map(label_of, FEW)], speech))
    finally:
        await ears.close()


@pytest.mark.parametrize("pcm", [b"", bytes(1), bytes(3 * 2 * RATE)])
def test_silence_is_not_heard(recogniser: Whisper, pcm: bytes) -> None:
    assert recogniser.hear(pcm, "en", FEW).verdict == "unheard"


def test_the_window_is_where_somebody_speaks(speech: bytes) -> None:
    said = as_samples(speech)
    late = np.concatenate([np.zeros(6 * RATE, dtype=np.float32), said, np.zeros(RATE, dtype=np.float32)])
    window = speech_window(late)
    assert window is not None
    assert len(window) == WINDOW_SECONDS * RATE
    assert float(np.abs(window).sum()) >= 0.95 * float(np.abs(said).sum())


def test_silence_is_learnt_and_read_again(folder: Path, recogniser: Whisper) -> None:
    learnt = recogniser.silence_scores("it", 30)
    models.write_silence(folder, {"it": learnt})
    assert models.read_silence(folder)["it"] == pytest.approx(learnt, abs=0.001)
