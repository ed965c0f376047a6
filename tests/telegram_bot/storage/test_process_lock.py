"""A SQLite database has one worker at a time."""

import subprocess
import sys
from pathlib import Path

import pytest

from telegram_bot.errors import OperatorError
from telegram_bot.storage import process_lock

HOLD = """
import sys, time
from telegram_bot.storage.process_lock import single_process_lock
with single_process_lock(sys.argv[1]):
    print("held", flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_lock, "LOCK_TIMEOUT_SECONDS", 0.2)


def test_a_second_worker_is_told_what_several_need(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/deep/perudo.db"
    other = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        with pytest.raises(OperatorError, match=r"perudo\.db\. Stop it first; several workers at once need PostgreSQL"):
            process_lock.single_process_lock(url).__enter__()
        with process_lock.single_process_lock(f"sqlite:///{tmp_path}/another.db"):
            pass
    finally:
        other.kill()
        other.communicate()
    with process_lock.single_process_lock(url):
        pass  # a killed process releases it
    with process_lock.single_process_lock(url):
        pass


def test_a_place_that_cannot_be_written_to_is_told(tmp_path: Path) -> None:
    (tmp_path / "perudo.db.lock").mkdir()
    with pytest.raises(OperatorError, match=r"perudo\.db\.lock cannot be used"):
        process_lock.single_process_lock(f"sqlite:///{tmp_path}/perudo.db").__enter__()


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "postgresql://perudo@localhost/perudo"])
def test_others_need_no_lock(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with process_lock.single_process_lock(url), process_lock.single_process_lock(url):
        assert list(tmp_path.iterdir()) == []
