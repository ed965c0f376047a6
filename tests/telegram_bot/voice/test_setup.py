"""The setup of a model: from a hub, from a folder, and refusals."""

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from telegram_bot import cli
from telegram_bot.channels.sms.gateways.base import WebRequest
from telegram_bot.errors import OperatorError
from telegram_bot.operations.doctor import voice as doctor
from telegram_bot.settings import Settings
from telegram_bot.voice import models, setup
from telegram_bot.voice.beam import Width
from telegram_bot.voice.models import Pinned, PinnedFile, sha256
from test_support.tiny_model import make_model
from tests.telegram_bot.channels.sms.conftest import Answer, http_server

REPOSITORY = "publisher/tiny"
REVISION = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_model(tmp_path_factory.mktemp("published") / "tiny")


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr("telegram_bot.voice.whisper.SILENCE_WIDTH", Width(beam=8, paths=24))  # else half a minute
    monkeypatch.setattr(setup, "SMALLEST_MOST", 3)
    monkeypatch.setattr(setup, "GRAMMARS", ("it", "nl"))  # each takes a second
    return tmp_path / "cache" / "perudo-bot" / "models"


@dataclass
class Hub:
    """The hub's endpoint for files, from any byte on; its connections may break."""

    folder: Path
    url: str = ""
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    """The requested files, each with the first byte of the request."""
    bytes_left: int | None = None
    """The number of further bytes before every connection breaks."""

    def answer(self, path: str, request: WebRequest) -> Answer:
        file, asked = self.folder / path.rpartition("/")[2], request.headers.get("range")
        self.asked.append((file.name, asked))
        if not path.startswith(f"/{REPOSITORY}/resolve/{REVISION}/") or not file.is_file():
            return 404, {}, b""
        content = file.read_bytes()[int((asked or "bytes=0-").removeprefix("bytes=").partition("-")[0]) :]
        body = content[: self.bytes_left]
        if self.bytes_left is not None:
            self.bytes_left -= len(body)
        return 206 if asked else 200, {"Content-Length": str(len(content))}, body


@pytest.fixture
def hub(published: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    hub = Hub(Path(shutil.copytree(published, tmp_path / "hub")))
    with http_server(hub.answer) as hub.url:
        monkeypatch.setenv("HF_ENDPOINT", f"{hub.url}/")
        yield hub


def pinned(hub: Hub) -> Pinned:
    files = sorted(hub.folder.iterdir())
    return Pinned(
        REPOSITORY, REVISION, tuple(PinnedFile(file.name, file.stat().st_size, sha256(file)) for file in files)
    )


def test_a_model_is_downloaded_checked_and_learns_silence(hub: Hub, cache: Path) -> None:
    said: list[str] = []
    folder = setup.set_up("base", said.append, pinned=pinned(hub))
    assert folder == cache / "base" == models.find_model("base")
    manifest = models.read_manifest(folder)
    assert manifest.revision == REVISION
    assert manifest.files["tokenizer.json"].sha256 == sha256(hub.folder / "tokenizer.json")
    assert models.read_silence(folder).keys() == {"it", "nl"}
    assert models.verified(folder) == folder
    assert said[:2] == [f"Downloading publisher/tiny (1 MB), revision {REVISION[:10]}", "Checking the files"]
    assert not (cache / "base.unfinished").exists()


def test_other_files_than_the_known_ones_are_refused(hub: Hub, cache: Path) -> None:
    known, weights = pinned(hub), hub.folder / "model.bin"
    content = weights.read_bytes()
    weights.write_bytes(content[::-1])
    with pytest.raises(OperatorError, match=r"model\.bin is not the file it should be"):
        setup.set_up("base", print, pinned=known)
    assert models.find_model("base") is None
    weights.write_bytes(content)
    assert setup.set_up("base", print, pinned=known) == cache / "base"


def test_a_download_that_broke_off_goes_on_where_it_was_and_fetches_nothing_again(hub: Hub) -> None:
    known, missing = pinned(hub), hub.folder / "model.bin"
    content = missing.read_bytes()
    missing.unlink()
    with pytest.raises(OperatorError, match=r"model\.bin answers 404"):
        setup.set_up("base", print, pinned=known)
    missing.write_bytes(content)
    hub.bytes_left = 1000
    with pytest.raises(OperatorError, match="it goes on where it was"):
        setup.set_up("base", print, pinned=known)
    hub.bytes_left = None
    hub.asked.clear()
    folder = setup.set_up("base", print, pinned=known)
    assert [each for each in hub.asked if each[0] <= "model.bin"] == [("model.bin", "bytes=1000-")]
    assert (folder / "model.bin").read_bytes() == content


def test_a_hub_out_of_reach_has_an_alternative(
    hub: Hub, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    del hub
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert cli.main(["voice", "setup", "--model", "base"]) == 1
    told = capsys.readouterr().err
    assert "127.0.0.1:9" in told
    assert "cannot be reached" in told
    assert "--from DIR" in told


def test_the_command_copies_a_folder(published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (nothing,) = doctor.examine(Settings())
    assert nothing.ok
    assert "en by pocketsphinx" in nothing.says
    assert "perudo-bot voice setup" in nothing.mend
    assert cli.main(["voice", "setup", "--from", str(tmp_path)]) == 1
    assert "config.json, model.bin, tokenizer.json" in capsys.readouterr().err
    assert cli.main(["voice", "setup", "--from", str(published)]) == 0
    assert "is ready" in capsys.readouterr().out
    voice, model = doctor.examine(Settings())
    assert voice.ok
    assert "fr by Whisper" in voice.says
    assert model.ok
    assert "MB" in model.says


def test_a_changed_file_is_found_at_the_next_load(published: Path) -> None:
    folder = setup.set_up("small", print, source=published)
    with (folder / "vocabulary.json").open("a") as file:
        file.write(" ")
    with pytest.raises(OperatorError, match="has changed"):
        models.verified(folder)
    broken = [finding for finding in doctor.examine(Settings()) if finding.ok is False]
    assert broken[0].mend == "perudo-bot voice setup"


def test_a_copy_is_checked_by_the_manifest_beside_it(published: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(published, source)
    models.write_manifest(source, REPOSITORY, REVISION)
    (source / "config.json").write_text("{}")
    with pytest.raises(OperatorError, match="not the file it should be"):
        setup.set_up("small", print, source=source)


def test_kokoro_is_downloaded_and_checked_file_by_file(hub: Hub, cache: Path) -> None:
    address = f"{hub.url}/{REPOSITORY}/resolve/{REVISION}"
    files = pinned(hub).files
    folder = setup.set_up_kokoro(print, url=address, files=files)
    assert folder == cache.parent / "voices" / "kokoro"
    assert {file.name: sha256(folder / file.name) for file in files} == {file.name: file.sha256 for file in files}
    (hub.folder / "model.bin").write_bytes((hub.folder / "model.bin").read_bytes()[::-1])
    with pytest.raises(OperatorError, match=r"model\.bin is not the file it should be"):
        setup.set_up_kokoro(print, url=address, files=files)
    assert sha256(folder / "model.bin") == next(file.sha256 for file in files if file.name == "model.bin")


def test_the_command_refuses_voices_that_it_does_not_know(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["voice", "setup", "--voices", "--from", str(tmp_path)]) == 1
    assert "kokoro-v1.0.fp16.onnx cannot be read" in capsys.readouterr().err
    for file in models.KOKORO:
        (tmp_path / file.name).write_bytes(b"something else")
    assert cli.main(["voice", "setup", "--voices", "--from", str(tmp_path)]) == 1
    assert "is not the file it should be" in capsys.readouterr().err
