"""Make a Whisper of random weights that faster-whisper loads: one layer for tests, or the size of a published model.

It hears nothing, but it works as a real one does: the same files, the same calls, and for the same size the same costs.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import tokenizers
from ctranslate2.specs import model_spec, whisper_spec
from tokenizers import decoders, pre_tokenizers

from telegram_bot.voice import calls
from telegram_bot.words.language_files import GRAMMARS

SPECIAL: Final = (
    "<|endoftext|>",
    "<|startoftranscript|>",
    *(f"<|{language}|>" for language in GRAMMARS),
    "<|translate|>",
    "<|transcribe|>",
    "<|startoflm|>",
    "<|startofprev|>",
    "<|nospeech|>",
    "<|notimestamps|>",
)
TIMESTAMPS: Final = tuple(f"<|{step * 0.02:.2f}|>" for step in range(1501))
_ENCODER_PLACES: Final = 1500
_DECODER_PLACES: Final = 448
_MELS: Final = 80


@dataclass(frozen=True, slots=True)
class Size:
    """The dimensions of a model; `vocabulary`: how many tokens, at least those that the calls need."""

    layers: int
    heads: int
    width: int
    vocabulary: int = 0
    quantization: str | None = None


TINY: Final = Size(1, 2, 16)
PUBLISHED: Final = {"base": Size(6, 8, 512, 51865, "int8"), "small": Size(12, 12, 768, 51865, "int8")}


def make_model(folder: Path, size: Size = TINY) -> Path:
    folder.mkdir(parents=True)
    words = _vocabulary(size.vocabulary)
    tokenizer = tokenizers.Tokenizer(
        tokenizers.models.BPE({word: number for number, word in enumerate(words)}, [], ignore_merges=True)
    )
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([*SPECIAL, *TIMESTAMPS])
    spec = whisper_spec.WhisperSpec(size.layers, size.heads, size.layers, size.heads)
    spec.register_vocabulary(words)
    rng = np.random.default_rng(0)

    def fill(layer: Any, name: str, value: Any) -> None:
        """Give a weight of the model random numbers in the right shape."""
        last = name.rpartition("/")[2]
        if value is None or last == "encodings" or (last == "bias" and "projection" not in name):
            spread = 1.0 if last == "gamma" else 0.02
            numbers = rng.standard_normal(_shape(name, size.width, len(words)), dtype=np.float32)
            setattr(layer, last, numbers * np.float32(spread))

    model_spec.visit_spec(spec, fill)
    spec.config.suppress_ids = []
    spec.config.suppress_ids_begin = []
    spec.config.alignment_heads = [(0, 0)]
    spec.config.lang_ids = [words.index(f"<|{language}|>") for language in GRAMMARS]
    spec.validate()
    spec.optimize(quantization=size.quantization)
    spec.save(str(folder))
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _vocabulary(least: int) -> list[str]:
    """Bytes, and every word of the calls as one token, as in a real vocabulary most of them are."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    found: dict[str, None] = dict.fromkeys(alphabet)

    def split(text: str) -> list[int]:
        found.update(dict.fromkeys(word for word, _ in splitter.pre_tokenize_str(text)))
        return []

    for language in GRAMMARS:
        calls.build_trie(language, 6, split)
    ordinary = [*found]
    missing = least - len(ordinary) - len(SPECIAL) - len(TIMESTAMPS)
    ordinary += [f"Ġunused{number}" for number in range(missing)]
    return [*ordinary, *SPECIAL, *TIMESTAMPS]


def _shape(name: str, width: int, words: int) -> tuple[int, ...]:
    if name in {"decoder/embeddings/weight", "decoder/projection/weight"}:
        return (words, width)
    if name.endswith("encodings"):
        return (_ENCODER_PLACES if name.startswith("encoder") else _DECODER_PLACES, width)
    if "conv" in name and name.endswith("weight"):
        return (width, _MELS if "conv1" in name else width, 3)
    heights = {"/self_attention/linear_0": 3, "/attention/linear_1": 2, "/ffn/linear_0": 4}
    height = width * next((times for part, times in heights.items() if part in name), 1)
    if name.endswith("weight"):
        return (height, 4 * width if "/ffn/linear_1" in name else width)
    return (height,)
