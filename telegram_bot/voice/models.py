"""The models on this host: found in the cache, checked by hash at each load."""

import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pydantic import TypeAdapter

from telegram_bot.errors import OperatorError

MANIFEST: Final = "manifest.json"
SILENCE: Final = "silence.json"
FILES: Final = ("config.json", "model.bin", "tokenizer.json", "vocabulary.txt", "vocabulary.json")
OPTIONAL: Final = ("preprocessor_config.json",)


@dataclass(frozen=True, slots=True)
class Fingerprint:
    """The hash and the size of a file when its model was set up."""

    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """The origin and the files of a model that was set up."""

    repository: str
    revision: str
    files: dict[str, Fingerprint]


_MANIFEST: Final = TypeAdapter(Manifest)
_SILENCE: Final = TypeAdapter(dict[str, dict[str, float]])


@dataclass(frozen=True, slots=True)
class PinnedFile:
    """One file of a published model."""

    name: str
    size: int
    """Bytes."""
    sha256: str


@dataclass(frozen=True, slots=True)
class Pinned:
    """A published model: its repository, the pinned revision, and the hashes of its files."""

    repository: str
    revision: str
    files: tuple[PinnedFile, ...]

    @property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each file."""
        return {file.name: file.sha256 for file in self.files}

    @property
    def megabytes(self) -> int:
        """The size of all files."""
        return round(sum(file.size for file in self.files) / 1e6)


_SHARED_FILES: Final = (
    PinnedFile("tokenizer.json", 2203239, "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"),
    PinnedFile("vocabulary.txt", 459861, "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913"),
)
PINNED: Final[Mapping[str, Pinned]] = {
    "small": Pinned(
        "Systran/faster-whisper-small",
        "536b0662742c02347bc0e980a01041f333bce120",
        (
            PinnedFile("config.json", 2370, "b55496ac7940a7ae47d2c01eab40edfd8701feec1229d9cce3b40014383fb828"),
            PinnedFile("model.bin", 483546902, "3e305921506d8872816023e4c273e75d2419fb89b24da97b4fe7bce14170d671"),
            *_SHARED_FILES,
        ),
    ),
    "base": Pinned(
        "Systran/faster-whisper-base",
        "ebe41f70d5b6dfa9166e2c581c45c9c0cfc57b66",
        (
            PinnedFile("config.json", 2309, "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a"),
            PinnedFile("model.bin", 145217532, "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"),
            *_SHARED_FILES,
        ),
    ),
}


KOKORO_URL: Final = "https://github.com/thewh1teagle/kokoro-onnx/releases/download/model-files-v1.1"
KOKORO: Final = (
    PinnedFile("kokoro-v1.0.fp16.onnx", 163527961, "f3a290d384fbb27966d462905c71a46cef9e5fd00516b40df32a0b4afe77ac96"),
    PinnedFile("voices-v1.0.bin", 28214398, "bca610b8308e8d99f32e6fe4197e7ec01679264efed0cac9140fe9c29f1fbf7d"),
)
"""The voices that read messages aloud in English, Italian, French and Spanish."""


def cache_folder() -> Path:
    """Return the bot's folder in the user's cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser()) / "perudo-bot"


def kokoro_folder() -> Path:
    """Return Kokoro's folder, even before it exists."""
    return cache_folder() / "voices" / "kokoro"


def model_folder(setting: str) -> Path:
    """Return the folder of the setting `voice.model`, even before it exists."""
    return cache_folder() / "models" / setting if setting in PINNED else Path(setting).expanduser().absolute()


def find_model(setting: str) -> Path | None:
    """Return the folder of a model that is set up, or None if it is not."""
    folder = model_folder(setting)
    try:
        return folder if (folder / MANIFEST).is_file() else None
    except OSError:
        return None


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a model that was set up; raises `OperatorError`."""
    try:
        return _MANIFEST.validate_json((folder / MANIFEST).read_bytes())
    except (OSError, ValueError) as error:
        why = f"{folder / MANIFEST} cannot be read ({type(error).__name__}): perudo-bot voice setup"
        raise OperatorError(why) from None


def verified(folder: Path) -> Path:
    """Return the folder after checking the hash of every file in its manifest; raises `OperatorError`."""
    for name, expected in read_manifest(folder).files.items():
        try:
            found = sha256(folder / name)
        except OSError as error:
            raise OperatorError(f"{folder / name} cannot be read ({error.strerror}): perudo-bot voice setup") from None
        if found != expected.sha256:
            raise OperatorError(f"{folder / name} has changed since it was set up: perudo-bot voice setup")
    return folder


def write_manifest(folder: Path, repository: str, revision: str, *, expected: Mapping[str, str] | None = None) -> None:
    """Store the hash of every file.

    `expected`: hashes from another source. If one differs, raises `OperatorError` and deletes the folder, so that the
    next attempt downloads everything again.
    """
    files: dict[str, Fingerprint] = {}
    for name in present_files(folder):
        found = sha256(folder / name)
        if expected is not None and expected.get(name, found) != found:
            shutil.rmtree(folder)
            raise OperatorError(f"{name} is not the file it should be (SHA-256 {found}, not {expected[name]})")
        files[name] = Fingerprint(found, (folder / name).stat().st_size)
    text = _MANIFEST.dump_json(Manifest(repository, revision, files), indent=2)
    (folder / MANIFEST).write_bytes(text + b"\n")


def present_files(folder: Path) -> list[str]:
    """Return the files of a model in a folder; raises `OperatorError` if one is missing."""
    names = [name for name in (*FILES, *OPTIONAL) if (folder / name).is_file()]
    missing = {"config.json", "model.bin", "tokenizer.json"} - {*names}
    if missing or not any(name.startswith("vocabulary.") for name in names):
        lacking = sorted(missing) or ["vocabulary.txt or vocabulary.json"]
        raise OperatorError(f"{folder} is no model of faster-whisper: it has no {', '.join(lacking)}")
    return names


def sha256(file: Path) -> str:
    """Return the hash of a file."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def read_silence(folder: Path) -> dict[str, dict[str, float]]:
    """Return each label's score in silence, by language. Empty if it was not measured."""
    try:
        return _SILENCE.validate_json((folder / SILENCE).read_bytes())
    except (OSError, ValueError):
        return {}


def write_silence(folder: Path, measured: Mapping[str, Mapping[str, float]]) -> None:
    """Store the model's scores in silence."""
    rounded = {
        language: {label: round(score, 3) for label, score in scores.items()} for language, scores in measured.items()
    }
    (folder / SILENCE).write_text(json.dumps(rounded), encoding="utf-8")
