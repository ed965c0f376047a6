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

NO_LOCKS = """
import ctypes, errno, os, struct, sys
from telegram_bot.errors import OperatorError
from telegram_bot.operations.doctor import database
from telegram_bot.storage import process_lock, schema

# The kernel refuses locks as it does on a network disk without them: fcntl with F_SETLK ends with ENOLCK.
fcntl = {"x86_64": 72, "aarch64": 25}[os.uname().machine]
load, equal, ret, number, command, allow = 0x20, 0x15, 0x06, 0, 24, 0x7FFF0000
steps = [(load, 0, 0, number), (equal, 0, 3, fcntl), (load, 0, 0, command), (equal, 0, 1, 6),
         (ret, 0, 0, 0x00050000 | errno.ENOLCK), (ret, 0, 0, allow)]
code = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *step) for step in steps))
prctl = ctypes.CDLL(None).prctl
assert prctl(38, 1, 0, 0, 0) == prctl(22, 2, struct.pack("HP", len(steps), ctypes.addressof(code)), 0, 0) == 0

url = sys.argv[1]
process_lock.LOCK_TIMEOUT_SECONDS = 0.2
for refused in (process_lock.single_process_lock(url).__enter__, lambda: schema.migrate(url)):
    try:
        refused()
    except OperatorError as error:
        print(error)
print(*(check.mend for check in database.examine(url) if check.check == "database"))
"""


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process_lock, "LOCK_TIMEOUT_SECONDS", 0.2)


def test_a_second_process_is_told_what_it_needs_to_stand_by(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/deep/perudo.db"
    other = subprocess.Popen([sys.executable, "-c", HOLD, url], stdout=subprocess.PIPE, text=True)  # noqa: S603
    try:
        assert other.stdout
        assert other.stdout.readline() == "held\n"
        with pytest.raises(OperatorError, match=r"perudo\.db\. Stop it first; a second one .* PostgreSQL"):
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


def test_run_migrate_and_doctor_say_that_a_disk_has_no_locks(tmp_path: Path) -> None:
    told = subprocess.run(  # noqa: S603
        [sys.executable, "-c", NO_LOCKS, f"sqlite:///{tmp_path}/perudo.db"], capture_output=True, text=True, check=True
    )
    first, *others = told.stdout.splitlines()
    assert first.startswith(f"the disk of {tmp_path} locks no files")
    assert others == [first, first]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["perudo.db", "perudo.db.lock"]


@pytest.mark.parametrize("url", ["sqlite://", "sqlite:///:memory:", "postgresql://perudo@localhost/perudo"])
def test_others_need_no_lock(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with process_lock.single_process_lock(url), process_lock.single_process_lock(url):
        assert list(tmp_path.iterdir()) == []
