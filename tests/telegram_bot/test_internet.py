import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import httpx
import pytest
from pydantic import SecretStr
from telegram import Bot

from telegram_bot import internet
from telegram_bot.channels.sms.gateways import base
from telegram_bot.channels.telegram.channel import make_bot
from telegram_bot.channels.telegram.http_client import server_of
from telegram_bot.cli import main
from telegram_bot.errors import MisconfiguredError
from telegram_bot.settings import Settings

TOKEN = "123456:" + "A" * 35
CERTIFICATES = ("SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE")


def telegram() -> Bot:
    return make_bot(Settings(token=SecretStr(TOKEN)))


others = partial(internet.client, httpx.Client)


@pytest.fixture(autouse=True)
def _anew(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", *CERTIFICATES):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    internet.certificates.cache_clear()
    yield
    internet.certificates.cache_clear()


@pytest.mark.parametrize(
    ("listed", "kept"),
    [
        ("fd00::/8", ""),
        ("localhost, 10.0.0.0/8,fd00::/8,.example.org", "localhost,10.0.0.0/8,.example.org"),
        ("[::1]:80, [::1], ::1", "::1,::1"),
        ("a:b,%$§,http://x:y", ""),
        ("*", "*"),
    ],
)
def test_an_exception_of_no_address_stops_no_client(listed: str, kept: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, listed)
        for create in (telegram, others, base.client):
            create()
        assert os.environ.pop(name) == kept


@pytest.mark.parametrize(
    ("name", "file"),
    [*((name, "nowhere/file") for name in CERTIFICATES), ("SSL_CERT_FILE", "empty"), ("SSL_CERT_FILE", "")],
)
def test_unreadable_certificates_are_named(
    name: str, file: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "empty").write_text("no certificate")
    monkeypatch.setenv(name, str(tmp_path / file))
    for create in (telegram, base.client, others):
        with pytest.raises(MisconfiguredError, match=f"{name}={tmp_path / file}"):
            create()


@pytest.mark.parametrize("proxy", ["socks5://me:secret@127.0.0.1:1080", "ftp://x", "http://[::1"])
def test_a_proxy_of_an_unknown_kind_is_explained(proxy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", proxy)
    for create in (telegram, others):
        with pytest.raises(Exception, match=r"HTTPS_PROXY or ALL_PROXY: it must be http://host:port$") as refused:
            create()
        assert "secret" not in str(refused.value)


@pytest.mark.parametrize(
    ("variables", "words"),
    [
        ({"HTTPS_PROXY": "http://me:secret@10.0.0.1:3128"}, " through the proxy 10.0.0.1:3128 (in HTTPS_PROXY)"),
        ({"all_proxy": "10.0.0.1:3128", "HTTP_PROXY": "other:1"}, " through the proxy 10.0.0.1:3128 (in all_proxy)"),
        ({"HTTPS_PROXY": "http://10.0.0.1:3128", "NO_PROXY": "localhost,.telegram.org"}, ""),
        ({"HTTP_PROXY": "http://10.0.0.1:3128"}, ""),
    ],
)
def test_an_unreached_server_is_named_with_its_proxy(
    variables: dict[str, str], words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert server_of(telegram()) == f"api.telegram.org{words}"


def test_the_doctor_names_a_proxy_that_is_dead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERUDO_TOKEN", TOKEN)
    monkeypatch.setenv("HTTPS_PROXY", "http://me:secret@127.0.0.1:9")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert "✗ token     api.telegram.org through the proxy 127.0.0.1:9 (in HTTPS_PROXY) cannot be asked (" in said
    assert "secret" not in said


def test_the_doctor_names_a_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PERUDO_TOKEN", TOKEN)
    monkeypatch.setenv("SSL_CERT_FILE", "/nowhere")
    assert main(["doctor"]) == 2
    told = "perudo-bot: the certificates of SSL_CERT_FILE=/nowhere in the environment cannot be read"
    assert told in capsys.readouterr().err
