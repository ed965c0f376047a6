"""Set up models in the cache: download them from their hub or copy them from a folder, check them, measure silence.

`huggingface_hub` 2 would restart a broken download, because its partial files have random names.
"""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import Final, TypeAlias

import httpx

from telegram_bot import internet
from telegram_bot.errors import OperatorError
from telegram_bot.voice import models
from telegram_bot.voice.calls import SMALLEST_MOST
from telegram_bot.words.language_files import GRAMMARS

Tell: TypeAlias = Callable[[str], object]
"""Receives a line for each step."""

HUB: Final = "https://huggingface.co"
"""The hub of the published models; the environment variable HF_ENDPOINT names a mirror."""
PATIENCE: Final = 30.0
"""Seconds without a byte after which the connection counts as broken."""
TRIES: Final = 5
_ELSEWHERE: Final = "Copy the model's folder from another machine and use --from DIR"


def set_up(name: str, tell: Tell, *, source: Path | None = None, pinned: models.Pinned | None = None) -> Path:
    """Set a model up in the cache, and return its folder; raises `OperatorError`.

    Args:
        name: `small` or `base`.
        tell: receives a line for each step.
        source: a folder that holds the model, or None if it is downloaded.
        pinned: what is downloaded, by default the published model of this name.
    """
    with _filled(models.model_folder(name)) as unfinished:
        if source is None:
            _download(pinned or models.PINNED[name], unfinished, tell)
        else:
            _copy(source, unfinished, tell)
        _learn_silence(unfinished, tell)
    return models.model_folder(name)


def set_up_kokoro(
    tell: Tell,
    *,
    source: Path | None = None,
    url: str = models.KOKORO_URL,
    files: Sequence[models.PinnedFile] = models.KOKORO,
) -> Path:
    """Set the voices of Kokoro up in the cache, and return their folder; raises `OperatorError`.

    Args:
        tell: receives a line for each step.
        source: a folder that holds the files, or None if they are downloaded.
        url: where they are downloaded from.
        files: what is downloaded, by default the published model and voices.
    """
    with _filled(models.kokoro_folder()) as unfinished:
        if source is None:
            tell(f"Downloading Kokoro ({round(sum(file.size for file in files) / 1e6)} MB)")
            _fetch(url, files, unfinished)
        else:
            for file in files:
                try:
                    shutil.copyfile(source / file.name, unfinished / file.name)
                except OSError as error:
                    raise OperatorError(f"{source / file.name} cannot be read ({error.strerror})") from None
        tell("Checking the files")
        for file in files:
            if models.sha256(unfinished / file.name) != file.sha256:
                (unfinished / file.name).unlink()
                raise OperatorError(f"{file.name} is not the file it should be: run the command again")
    return models.kokoro_folder()


@contextmanager
def _filled(folder: Path) -> Iterator[Path]:
    """Yield a folder to fill, which replaces the other one once it is complete.

    Until then the next attempt finds it.
    """
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    unfinished.mkdir(mode=0o700, parents=True, exist_ok=True)
    yield unfinished
    with suppress(FileNotFoundError):
        shutil.rmtree(folder)
    unfinished.rename(folder)


def _download(pinned: models.Pinned, folder: Path, tell: Tell) -> None:
    """Download the pinned revision; the bytes of an earlier attempt are kept."""
    endpoint = os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUB
    tell(f"Downloading {pinned.repository} ({pinned.megabytes} MB), revision {pinned.revision[:10]}")
    _fetch(f"{endpoint}/{pinned.repository}/resolve/{pinned.revision}", pinned.files, folder)
    tell("Checking the files")
    models.write_manifest(folder, pinned.repository, pinned.revision, expected=pinned.hashes)


def _fetch(url: str, files: Sequence[models.PinnedFile], folder: Path) -> None:
    try:
        for file in files:
            _fetch_file(f"{url}/{file.name}", folder / file.name, file.size)
    except ModuleNotFoundError as missing:
        raise OperatorError(f"{missing.name} is not installed: it comes with the bot's extra voice") from None
    except OSError as error:
        raise OperatorError(f"{folder} cannot be written ({error.strerror or error})") from None


def _fetch_file(url: str, path: Path, size: int) -> None:
    """Download a file of known size, with a progress bar; continue an interrupted download."""
    from tqdm import tqdm  # noqa: PLC0415 - of the extra

    trouble = "cannot be reached, or breaks off"
    for _ in range(TRIES):
        start = path.stat().st_size if path.exists() else 0
        if start == size:
            return
        headers = {"Range": f"bytes={start}-"} if 0 < start < size else {}
        with (
            suppress(httpx.TransportError),
            internet.client(httpx.Client, timeout=PATIENCE, follow_redirects=True) as client,
            client.stream("GET", url, headers=headers) as answer,
        ):
            if answer.is_error:
                trouble = f"answers {answer.status_code}"
                break
            goes_on = answer.status_code == HTTPStatus.PARTIAL_CONTENT
            with (
                path.open("ab" if goes_on else "wb") as written,
                tqdm(total=size, initial=start if goes_on else 0, unit="B", unit_scale=True, desc=path.name) as bar,
            ):
                for piece in answer.iter_bytes():
                    written.write(piece)
                    bar.update(len(piece))
            return
    raise OperatorError(
        f"{url}{internet.by_proxy(url)} {trouble}. Run the command again: it goes on where it was. {_ELSEWHERE}"
    )


def _copy(source: Path, folder: Path, tell: Tell) -> None:
    """Copy a model; if the source has a manifest, it must agree."""
    names = models.present_files(source)
    tell(f"Copying {', '.join(names)}")
    for name in names:
        shutil.copyfile(source / name, folder / name)
    if (source / "manifest.json").is_file():
        manifest = models.read_manifest(source)
        expected = {name: file.sha256 for name, file in manifest.files.items()}
        models.write_manifest(folder, manifest.repository, manifest.revision, expected=expected)
        return
    models.write_manifest(folder, "", "")
    found = models.read_manifest(folder).files["model.bin"].sha256
    known = next((each for each in models.PINNED.values() if each.hashes["model.bin"] == found), None)
    tell(
        f"This is {known.repository}" if known else "This model is not a known one: its hashes are recorded as they are"
    )


def _learn_silence(folder: Path, tell: Tell) -> None:
    """Measure the model's scores in silence, in each language."""
    try:
        from telegram_bot.voice.whisper import Whisper  # noqa: PLC0415 - an extra, and slow to import

        recogniser = Whisper(folder)
        measured = {}
        for language in GRAMMARS:
            tell(f"Learning what silence sounds like: {language}")
            measured[language] = recogniser.silence_scores(language, SMALLEST_MOST)
    except ModuleNotFoundError as missing:
        raise OperatorError(f"{missing.name} is not installed: it comes with the bot's extra voice") from None
    except (RuntimeError, ValueError) as error:  # an error of ctranslate2: not a model, or not one of this kind
        raise OperatorError(f"this model cannot be used ({error})") from None
    models.write_silence(folder, measured)
