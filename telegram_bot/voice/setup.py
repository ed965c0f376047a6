"""Set a Whisper model up: download it from its hub or copy it from a folder, check it, learn what silence says."""

from __future__ import annotations

import hashlib
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from telegram_bot.voice.calls import SMALLEST_MOST
from telegram_bot.voice.models import (
    FILES,
    OPTIONAL,
    PINNED,
    ModelError,
    Pinned,
    model_folder,
    present_files,
    read_manifest,
    write_manifest,
    write_silence,
)
from telegram_bot.words.parsing.vocabulary import GRAMMARS

Tell = Callable[[str], object]

_ELSEWHERE: Final = "Copy the model's folder from another machine and use --from DIR"


def set_up(name: str, tell: Tell, *, source: Path | None = None, pinned: Pinned | None = None) -> Path:
    """Set a model up in the cache, and return its folder; raises `ModelError`.

    Args:
        name: `small` or `base`.
        tell: is told each step.
        source: a folder that holds the model; None: it is downloaded.
        pinned: what is downloaded, by default the published model of this name.
    """
    folder = model_folder(name)
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    unfinished.mkdir(mode=0o700, parents=True, exist_ok=True)
    if source is None:
        _download(pinned or PINNED[name], unfinished, tell)
    else:
        _copy(source, unfinished, tell)
    _learn_silence(unfinished, tell)
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    unfinished.rename(folder)
    return folder


def _download(pinned: Pinned, folder: Path, tell: Tell) -> None:
    """Download the pinned revision; what an earlier attempt has fetched is kept."""
    import httpx  # noqa: PLC0415
    from huggingface_hub import HfApi, snapshot_download  # noqa: PLC0415 - an extra, and slow to import
    from huggingface_hub.errors import HfHubHTTPError  # noqa: PLC0415

    tell(f"Downloading {pinned.repository} ({pinned.megabytes} MB), revision {pinned.revision[:10]}")
    try:
        info = HfApi().model_info(pinned.repository, revision=pinned.revision, files_metadata=True)
        if info.sha != pinned.revision:
            raise ModelError(f"the hub has revision {info.sha} in the place of {pinned.revision}")
        snapshot_download(
            pinned.repository, revision=pinned.revision, local_dir=folder, allow_patterns=[*FILES, *OPTIONAL]
        )
    except (HfHubHTTPError, httpx.HTTPError, OSError) as error:
        why = f"the hub cannot be used ({type(error).__name__}). Run the command again to go on"
        raise ModelError(f"{why}. {_ELSEWHERE}") from None
    tell("Checking the files")
    present_files(folder)
    told = {"model.bin": pinned.weights}
    for each in info.siblings or ():
        if each.rfilename not in {*FILES, *OPTIONAL}:
            continue
        if each.lfs is not None:
            if told.setdefault(each.rfilename, each.lfs.sha256) != each.lfs.sha256:
                raise ModelError(f"the hub offers another {each.rfilename} than the one that is known")
        elif each.blob_id is not None and _git_hash(folder / each.rfilename) != each.blob_id:
            raise ModelError(f"{each.rfilename} is not the file of this revision: run the command again")
    _write_manifest(folder, pinned.repository, pinned.revision, told)
    shutil.rmtree(folder / ".cache", ignore_errors=True)  # the downloader's notes of what it has fetched


def _copy(source: Path, folder: Path, tell: Tell) -> None:
    """Copy a model; if a manifest lies beside it, it must agree."""
    names = present_files(source)
    tell(f"Copying {', '.join(names)}")
    for name in names:
        shutil.copyfile(source / name, folder / name)
    if (source / "manifest.json").is_file():
        manifest = read_manifest(source)
        told = {name: file["sha256"] for name, file in manifest["files"].items()}
        _write_manifest(folder, manifest["repository"], manifest["revision"], told)
        return
    write_manifest(folder, "", "")
    found = read_manifest(folder)["files"]["model.bin"]["sha256"]
    known = next((each for each in PINNED.values() if each.weights == found), None)
    tell(
        f"This is {known.repository}" if known else "This model is not a known one: its hashes are recorded as they are"
    )


def _write_manifest(folder: Path, repository: str, revision: str, told: dict[str, str]) -> None:
    """Record the hashes. A file that is not as it should be is deleted, so that the next attempt fetches it again."""
    try:
        write_manifest(folder, repository, revision, told=told)
    except ModelError:
        shutil.rmtree(folder)
        raise


def _learn_silence(folder: Path, tell: Tell) -> None:
    """Measure what the model hears where nobody speaks, in each language."""
    try:
        from telegram_bot.voice.whisper import WhisperRecogniser  # noqa: PLC0415 - an extra, and slow to import

        recogniser = WhisperRecogniser(folder)
        measured = {}
        for language in GRAMMARS:
            tell(f"Learning what silence sounds like: {language}")
            measured[language] = recogniser.silence_scores(language, SMALLEST_MOST)
    except ModuleNotFoundError as missing:
        raise ModelError(f"{missing.name} is not installed: it comes with the bot's extra voice") from None
    except (RuntimeError, ValueError) as error:  # of ctranslate2: not a model, or not one of this kind
        raise ModelError(f"this model cannot be used ({error})") from None
    write_silence(folder, measured)


def _git_hash(file: Path) -> str:
    content = file.read_bytes()
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def say(line: str) -> None:
    """Tell a step on the terminal."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
