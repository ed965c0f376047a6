"""Setting a model up: from a hub that speaks Hugging Face's endpoints, from a folder, and what is refused."""

from __future__ import annotations

import hashlib
import json
import shutil
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from telegram_bot import cli
from telegram_bot.operations.doctor import voice as doctor
from telegram_bot.settings import Settings
from telegram_bot.voice import models, setup
from telegram_bot.voice.beam import Width
from telegram_bot.voice.models import ModelError, Pinned, sha256
from test_support.tiny_model import make_model

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
    return tmp_path / "cache" / "perudo-bot" / "models"


class Hub(ThreadingHTTPServer):
    """The two endpoints that a download takes: a revision's files with their hashes, and a file, from any byte on."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), _HubRequest)
        self.folder = folder
        self.asked: list[tuple[str, str]] = []
        self.revision = REVISION


class _HubRequest(BaseHTTPRequestHandler):
    server: Hub

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self.do_GET()

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        self.server.asked.append((self.command, path))
        if path.startswith(f"/api/models/{REPOSITORY}"):
            files = [_described(file) for file in sorted(self.server.folder.iterdir())]
            tree = [{"type": "file", "path": each["rfilename"], "oid": each["blobId"], **each} for each in files]
            told = tree if "/tree/" in path else {"id": REPOSITORY, "sha": self.server.revision, "siblings": files}
            return self._send(json.dumps(told).encode(), {})
        file = self.server.folder / path.rpartition("/")[2]
        if not file.is_file():
            return self.send_error(404)
        content = file.read_bytes()
        etag = sha256(file) if file.suffix == ".bin" else setup._git_hash(file)
        return self._send(content, {"ETag": f'"{etag}"', "X-Repo-Commit": REVISION, "Accept-Ranges": "bytes"})

    def _send(self, content: bytes, headers: dict[str, str]) -> None:
        start = 0
        if asked := self.headers.get("Range"):
            start = int(asked.removeprefix("bytes=").partition("-")[0])
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        self.send_response(206 if asked else 200)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content[start:])


def _described(file: Path) -> dict[str, object]:
    told: dict[str, object] = {"rfilename": file.name, "size": file.stat().st_size, "blobId": setup._git_hash(file)}
    if file.suffix == ".bin":
        told["lfs"] = {"sha256": sha256(file), "oid": sha256(file), "size": file.stat().st_size, "pointerSize": 100}
    return told


@pytest.fixture
def hub(published: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Hub]:
    copy = tmp_path / "hub"
    shutil.copytree(published, copy)
    server = Hub(copy)
    address = f"http://127.0.0.1:{server.server_port}"
    for module in ("huggingface_hub.constants", "huggingface_hub.hf_api"):
        monkeypatch.setattr(f"{module}.ENDPOINT", address, raising=False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr(
        "huggingface_hub.constants.HUGGINGFACE_CO_URL_TEMPLATE", address + "/{repo_id}/resolve/{revision}/{filename}"
    )
    monkeypatch.setattr("huggingface_hub.hf_api.api.endpoint", address)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    server.server_close()
    thread.join()


def pinned(hub: Hub) -> Pinned:
    return Pinned(REPOSITORY, REVISION, sha256(hub.folder / "model.bin"), 1)


def test_a_model_is_downloaded_checked_and_learns_silence(hub: Hub, cache: Path) -> None:
    said: list[str] = []
    folder = setup.set_up("base", said.append, pinned=pinned(hub))
    assert folder == cache / "base" == models.find_model("base")
    manifest = models.read_manifest(folder)
    assert manifest["revision"] == REVISION
    assert manifest["files"]["tokenizer.json"]["sha256"] == sha256(hub.folder / "tokenizer.json")
    assert models.read_silence(folder).keys() == {"en", "it", "fr", "es", "nl"}
    assert models.verified(folder) == folder
    assert any("Downloading" in line for line in said)
    assert not (cache / "base.unfinished").exists()


def test_another_revision_is_refused(hub: Hub) -> None:
    hub.revision = "f" * 40
    with pytest.raises(ModelError, match="revision"):
        setup.set_up("base", print, pinned=pinned(hub))


def test_other_weights_than_the_known_ones_are_refused(hub: Hub) -> None:
    known = pinned(hub)
    (hub.folder / "model.bin").write_bytes(b"something else")
    with pytest.raises(ModelError, match=r"another model\.bin"):
        setup.set_up("base", print, pinned=known)
    assert models.find_model("base") is None


def test_what_was_fetched_is_not_fetched_again(hub: Hub) -> None:
    missing = hub.folder / "config.json"
    content = missing.read_bytes()
    missing.unlink()
    with pytest.raises(ModelError, match=r"config\.json"):
        setup.set_up("base", print, pinned=pinned(hub))
    missing.write_bytes(content)
    hub.asked.clear()
    setup.set_up("base", print, pinned=pinned(hub))
    fetched = {path.rpartition("/")[2] for method, path in hub.asked if method == "GET" and "/resolve/" in path}
    assert fetched == {"config.json"}


def test_the_command_copies_a_folder_and_the_doctor_is_content(
    published: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["voice", "setup", "--from", str(published)]) == 0
    assert "is ready" in capsys.readouterr().out
    voice, model = doctor.examine(Settings())
    assert voice.ok
    assert "fr by Whisper" in voice.says
    assert model.ok
    assert "MB" in model.says


def test_the_command_tells_what_a_folder_lacks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["voice", "setup", "--from", str(tmp_path)]) == 1
    assert "config.json, model.bin, tokenizer.json" in capsys.readouterr().err


def test_a_changed_file_is_found_at_the_next_load(published: Path) -> None:
    folder = setup.set_up("small", print, source=published)
    with (folder / "vocabulary.json").open("a") as file:
        file.write(" ")
    with pytest.raises(ModelError, match="has changed"):
        models.verified(folder)
    broken = [finding for finding in doctor.examine(Settings()) if finding.ok is False]
    assert broken[0].mend == "perudo-bot voice setup"


def test_a_copy_is_checked_by_the_manifest_beside_it(published: Path, tmp_path: Path) -> None:
    source = tmp_path / "source"
    shutil.copytree(published, source)
    models.write_manifest(source, REPOSITORY, REVISION)
    (source / "config.json").write_text("{}")
    with pytest.raises(ModelError, match="not the file it should be"):
        setup.set_up("small", print, source=source)


def test_without_a_model_the_doctor_tells_how_to_get_one() -> None:
    (voice,) = doctor.examine(Settings())
    assert voice.ok
    assert "en by pocketsphinx" in voice.says
    assert "perudo-bot voice setup" in voice.mend


def test_hashes_are_those_of_git_and_sha256(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"what is up, doc?")
    assert setup._git_hash(file) == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"  # from Git's own book
    assert sha256(file) == hashlib.sha256(b"what is up, doc?").hexdigest()
