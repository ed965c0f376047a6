"""All languages by Whisper: scores the calls against the sound, without a transcript.

Most of the work is not in the encoder but in the paths that the beam reads: for each path the decoder projects the
encoded window again. Therefore few paths are read (`beam`), several in one batch.
"""

import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, Final, TypeAlias

# Before the import, which reads it: a model is never downloaded while a player waits.
os.environ["HF_HUB_OFFLINE"] = "1"

import ctranslate2
import numpy as np
import numpy.typing as npt
from faster_whisper import WhisperModel
from faster_whisper.tokenizer import Tokenizer
from faster_whisper.vad import VadOptions, get_speech_timestamps

from telegram_bot.voice.beam import LogProbs, Width, search
from telegram_bot.voice.beam import Path as TokenPath
from telegram_bot.voice.calls import Node, build_trie, most_dice
from telegram_bot.voice.meanings import UNHEARD, Heard, Label, Spoken, decide
from telegram_bot.voice.models import read_silence
from telegram_bot.words.languages import ENGLISH

Samples: TypeAlias = npt.NDArray[np.float32]

RATE: Final = 16000
WINDOW_SECONDS: Final = 5
"""Recognition of shorter windows, cut to the speech, was worse."""
THREADS: Final = 2
SILENCE_WIDTH: Final = Width(beam=16, paths=400, prune=25.0)
"""Measuring silence, which is done once, reads nearly everything."""
_SPEECH: Final = VadOptions(threshold=0.35, min_silence_duration_ms=1000, speech_pad_ms=300)
_SILENCE_SEED: Final = 5


class Whisper:
    """Recognises the languages of one multilingual model."""

    def __init__(self, folder: Path, *, threads: int = THREADS, width: Width | None = None) -> None:
        self._model = WhisperModel(
            str(folder), device="cpu", compute_type="int8", cpu_threads=threads, local_files_only=True
        )
        self._width = width or Width()
        self._silence = read_silence(folder)
        self._tries: dict[tuple[str, int], Node] = {}
        self.paths_read = 0
        """The number of paths that the last note took."""

    def hear(self, pcm: bytes, language: str, legal: Collection[Spoken]) -> Heard:
        """Recognise a note."""
        samples = speech_window(as_samples(pcm))
        if samples is None:
            return UNHEARD
        scores = self.scores(samples, language, most_dice(legal))
        return decide(scores, self._silence.get(language, {}), legal)

    def scores(self, samples: Samples, language: str, most: int, width: Width | None = None) -> dict[Label, float]:
        """Return the score of each likely label; `samples`: at most the window's."""
        encoded = self._encode(samples)
        tokenizer = Tokenizer(self._model.hf_tokenizer, self._model.model.is_multilingual, "transcribe", language)
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        if (language, most) not in self._tries:
            self._tries[language, most] = build_trie(language, most, tokenizer.encode)

        def read(paths: Sequence[TokenPath]) -> list[list[LogProbs]]:
            return self._read(encoded, prompt, paths)

        scores, self.paths_read = search(self._tries[language, most], read, tokenizer.eot, width or self._width)
        return scores

    def silence_scores(self, language: str, most: int) -> dict[Label, float]:
        """Return each label's score in silence."""
        return self.scores(_quiet_noise(), language, most, SILENCE_WIDTH)

    def rehearse(self) -> None:
        """Run once everything that reads a file at its first use."""
        speech_window(_quiet_noise())
        self.scores(_quiet_noise(), ENGLISH, 1, Width(beam=1, paths=1))

    def _encode(self, samples: Samples) -> npt.NDArray[np.float32]:
        padded = np.pad(samples, (0, WINDOW_SECONDS * RATE - len(samples)))
        features = self._model.feature_extractor(padded, padding=0)[:, : WINDOW_SECONDS * 100]
        return np.asarray(self._model.encode(features), dtype=np.float32)

    def _read(
        self, encoded: npt.NDArray[np.float32], prompt: list[int], paths: Sequence[TokenPath]
    ) -> list[list[LogProbs]]:
        """Return the log-probabilities along paths, in one batch.

        `generate` allows `min(max_length / 2, max_length - prompt)` new tokens and counts the forced ones; its logits
        begin with the forced steps. The paths of a batch are as long as the longest; logits after a path's own end are
        not read.
        """
        longest = max(map(len, paths))
        prompts = [[*prompt, *path, *[path[-1] if path else 0] * (longest - len(path))] for path in paths]
        batch = np.ascontiguousarray(np.repeat(encoded, len(paths), axis=0))
        results: Any = self._model.model.generate(
            ctranslate2.StorageView.from_array(batch),
            prompts,
            beam_size=1,
            max_length=max(len(prompt) + longest + 1, 2 * longest + 2),
            return_logits_vocab=True,
            suppress_blank=False,
            suppress_tokens=[],
        )
        return [
            [_log_softmax(np.asarray(result.logits[0][step])) for step in range(len(path) + 1)]
            for path, result in zip(paths, results, strict=True)
        ]


def _quiet_noise() -> Samples:
    """Return the sound that a phone records in a quiet room."""
    return np.random.default_rng(_SILENCE_SEED).normal(0, 0.002, WINDOW_SECONDS * RATE).astype(np.float32)


def as_samples(pcm: bytes) -> Samples:
    """Return PCM of signed 16 bits as numbers from -1 to 1."""
    return np.frombuffer(pcm[: len(pcm) // 2 * 2], dtype="<i2").astype(np.float32) / np.float32(32768)


def speech_window(samples: Samples) -> Samples | None:
    """Return the five seconds with the most speech, or None if there is none."""
    stretches = get_speech_timestamps(samples, _SPEECH) if len(samples) else []
    if not stretches:
        return None
    size = WINDOW_SECONDS * RATE
    if len(samples) <= size:
        return samples
    starts = [min(each["start"], len(samples) - size) for each in stretches]

    def speech_from(start: int) -> int:
        return sum(max(0, min(each["end"], start + size) - max(each["start"], start)) for each in stretches)

    best = max(starts, key=speech_from)
    return samples[best : best + size]


def _log_softmax(logits: Samples) -> Samples:
    shifted = logits - logits.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()), dtype=np.float32)
