"""Measure what hears voice notes: the costs of a model's size, or how well a model hears human number words.

python -m benchmarks.voice costs small base     CPU and memory, with random weights: needs no model
python -m benchmarks.voice ears DIR             accuracy of a model, as `.ci/run test-voice MODEL=DIR` runs it
"""

import argparse
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from perudo_core import Bid, Calza, Dudo
from telegram_bot.voice.meanings import Heard, Spoken, VoiceCommand, label_of
from telegram_bot.voice.models import MANIFEST, SILENCE, verified
from telegram_bot.voice.whisper import RATE, Whisper
from telegram_bot.words.language_files import GRAMMARS
from test_support.tiny_model import PUBLISHED, make_model
from test_support.voice_notes import note_pcm

SOUNDS: Final = (Path("/usr/share/asterisk/sounds"), Path("/usr/share/asterisk/prompts"))
FORMS: Final = (".g722", ".wav", ".gsm")
NOTES: Final = 5
BIDS: Final = 60
TALK: Final = 40
GAP_SECONDS: Final = 0.08
NOISE: Final = 60.0
MOST_TALK_SECONDS: Final = 4
GOALS: Final = "goals: first >= 95, among three >= 98, talk passing <= 1, wrong among sure <= 0.5"


def main(arguments: list[str] | None = None) -> int:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    what = parser.add_subparsers(dest="what", required=True)
    what.add_parser("costs").add_argument("sizes", nargs="+", choices=[*PUBLISHED])
    making = what.add_parser("make")
    making.add_argument("folder", type=Path)
    making.add_argument("size", choices=[*PUBLISHED])
    what.add_parser("cost").add_argument("folder", type=Path)
    what.add_parser("ears").add_argument("folder", type=Path)
    options = parser.parse_args(arguments)
    if options.what == "cost":
        _cost(options.folder)
    elif options.what == "make":
        make_model(options.folder, PUBLISHED[options.size])
    elif options.what == "ears":
        return _ears(options.folder)
    else:
        for size in options.sizes:
            with tempfile.TemporaryDirectory() as scratch:
                folder = str(Path(scratch, size))
                print(f"{size}, random weights: ", end="", flush=True)
                for step in (["make", folder, size], ["cost", folder]):  # a child's peak counts its parent's too
                    subprocess.run([sys.executable, "-m", "benchmarks.voice", *step], check=True)  # noqa: S603
    return 0


def _cost(folder: Path) -> None:
    """CPU of a note, and the peak of this process's memory.

    Random weights never agree, so every search is as long as can be.
    """
    begin = time.process_time()
    recogniser = Whisper(folder)
    loaded = time.process_time() - begin
    noise = np.random.default_rng(1).normal(0, 0.1, 3 * RATE).astype(np.float32)
    begin = time.process_time()
    recogniser.scores(noise, "en", 30)
    first = time.process_time() - begin
    taken = []
    for _ in range(NOTES):
        begin = time.process_time()
        recogniser.scores(noise, "en", 30)
        taken.append(time.process_time() - begin)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform != "darwin" else 2**30)
    paths = f"{recogniser.paths_read} paths, the most that are read"
    print(f"{np.median(taken):.2f} CPU s a note ({paths}; best {min(taken):.2f}), ", end="")
    print(f"first of a language {first:.2f}, load {loaded:.2f}, peak {peak:.2f} GB")


@dataclass(slots=True)
class Row:
    """The counts for one language."""

    bids: int = 0
    first: int = 0
    among_three: int = 0
    sure: int = 0
    wrong_sure: int = 0
    talk: int = 0
    talk_passed: int = 0
    seconds: float = 0.0

    def count(self, label: str, heard: Heard) -> None:
        """One bid that was said."""
        guesses = [label_of(guess.spoken) for guess in heard.guesses]
        self.bids += 1
        self.first += guesses[:1] == [label]
        self.among_three += label in guesses
        self.sure += heard.verdict == "sure"
        self.wrong_sure += heard.verdict == "sure" and guesses[0] != label

    def line(self, name: str) -> str:
        """Return the row of the table."""
        shares = ((self.first, self.bids), (self.among_three, self.bids), (self.sure, self.bids))
        shown = [f"{100 * part / whole:5.1f}" if whole else "    -" for part, whole in shares]
        wrong = f"{100 * self.wrong_sure / self.sure:5.1f}" if self.sure else "    -"
        passed = f"{100 * self.talk_passed / self.talk:5.1f}" if self.talk else "    -"
        notes = self.bids + self.talk
        cpu = f"{self.seconds / notes:5.2f}" if notes else "    -"
        return f"| {name:<4} | {self.bids:>4} | {' | '.join(shown)} | {wrong} | {self.talk:>4} | {passed} | {cpu} |"


def _ears(folder: Path) -> int:
    if (folder / MANIFEST).is_file():
        verified(folder)
    if not (folder / SILENCE).is_file():
        print(f"{folder} has no {SILENCE}: run perudo-bot voice setup --from {folder}, and name the folder it tells")
        return 1
    recogniser = Whisper(folder)
    print("| lang | bids | first | three | sure  | wrong | talk | pass  | CPU s |")
    print("|------|------|-------|-------|-------|-------|------|-------|-------|")
    missing = []
    for language in GRAMMARS:
        speakers = [*_speakers(language)]
        if not speakers:
            missing.append(language)
            continue
        print(_measure(recogniser, language, speakers).line(language), flush=True)
    print(f"Per cent. {GOALS}")
    if missing:
        print(f"NOT MEASURED, for want of human number words here: {', '.join(missing)}")
    return 0


def _measure(recogniser: Whisper, language: str, speakers: list[Path]) -> Row:
    rng = random.Random(language)
    row = Row()
    begin = time.process_time()
    for number in range(BIDS):
        speaker = speakers[number % len(speakers)]
        quantity, face = rng.randint(1, 10), rng.randint(1, 6)
        words = [sound for each in (quantity, face) if (sound := _number(speaker, each)) is not None]
        if len(words) == len((quantity, face)):
            legal = _legal_around(quantity, face, rng)
            row.count(f"{quantity}x{face}", recogniser.hear(_spliced(words, rng), language, legal))
    for file in _talk(speakers, rng):
        heard = recogniser.hear(
            _spliced([_sound(file)[: MOST_TALK_SECONDS * RATE]], rng), language, _legal_around(3, 3, rng)
        )
        row.talk += 1
        row.talk_passed += heard.verdict != "unheard"
    row.seconds = time.process_time() - begin
    return row


def _legal_around(quantity: int, face: int, rng: random.Random) -> list[Spoken]:
    """Return the legal calls after an earlier bid that makes this one legal: more dice, or as many of a higher face."""
    before = (rng.randint(max(1, quantity - 3), quantity), rng.randint(0, face - 1))
    most = quantity + rng.randint(3, 12)
    bids = [Bid(0, dice, side) for dice in range(before[0], most) for side in range(1, 7)]
    higher: list[Spoken] = [bid for bid in bids if bid.quantity > before[0] or bid.face > before[1]]
    return [*higher, Dudo(0), Calza(0), *VoiceCommand]


def _speakers(language: str) -> Iterator[Path]:
    """Yield the folders of the speakers of a language that have number words."""
    for root in SOUNDS:
        for folder in sorted(root.glob("*")):
            if folder.name.startswith(language) and not folder.is_symlink() and _number(folder, 5) is not None:
                yield folder


def _number(speaker: Path, value: int) -> npt.NDArray[np.float64] | None:
    file = next((file for form in FORMS if (file := speaker / "digits" / f"{value}{form}").is_file()), None)
    return None if file is None else _sound(file)


def _sound(file: Path) -> npt.NDArray[np.float64]:
    return np.frombuffer(note_pcm(file.read_bytes()), dtype="<i2").astype(float)


def _spliced(words: list[npt.NDArray[np.float64]], rng: random.Random) -> bytes:
    """Words one after the other in the noise of a room."""
    gap = np.zeros(round(GAP_SECONDS * RATE))
    quiet = np.zeros(RATE // 4)
    sound = np.concatenate([quiet, *(part for word in words for part in (word, gap)), quiet])
    noisy = sound + np.random.default_rng(rng.randrange(2**32)).normal(0, NOISE, len(sound))
    return noisy.clip(-32768, 32767).astype("<i2").tobytes()


def _talk(speakers: list[Path], rng: random.Random) -> list[Path]:
    """Prompts that say no number."""
    files = [file for folder in speakers for form in FORMS for file in sorted(folder.glob(f"*{form}"))]
    return rng.sample(files, min(TALK, len(files)))


if __name__ == "__main__":
    sys.exit(main())
