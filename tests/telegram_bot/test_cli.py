"""The command line: called in this process; once, as a person runs it, in one of its own."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from io import BytesIO, TextIOWrapper
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest

from telegram_bot import cli
from telegram_bot.cli.init import SERVER_FILES
from telegram_bot.cli.read import main
from test_support.postgres import PostgresServer

CONFIG = Path(__file__).parents[2] / "config" / "bot.toml"


class CommandLine:
    """`perudo-bot` in an empty folder, with only the given settings."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        with self._monkeypatch.context() as patch:
            patch.chdir(self.folder)
            for name in [each for each in os.environ if each.startswith(("PERUDO_", "DATABASE_URL"))]:
                patch.delenv(name)
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr("signal.signal", lambda *_: None)  # pytest's own stay
            mask = os.umask(0o022)
            try:
                status = cli.main(arguments)
            except SystemExit as leaving:
                status = int(str(leaving.code))
            finally:
                os.umask(mask)
        return subprocess.CompletedProcess(arguments, status, *self._capsys.readouterr())


@pytest.fixture
def perudo_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(tmp_path, monkeypatch, capsys)


def lines_of(outcome: subprocess.CompletedProcess[str]) -> list[str]:
    assert "Traceback" not in outcome.stderr
    assert outcome.stdout == ""
    return outcome.stderr.splitlines()


def test_it_tells_its_version_and_imports_no_library_for_it() -> None:
    program = [sys.executable, "-X", "importtime", "-m", "telegram_bot.cli", "--version"]
    told = subprocess.run(program, capture_output=True, encoding="utf-8", check=True)  # noqa: S603 - our own program
    assert told.stdout == f"perudo-bot {version('perudo-bot')}\n"
    assert [name for name in ("asyncio", "pydantic", "perudo_core") if f" {name}\n" in told.stderr] == []


def test_every_command_explains_itself(perudo_bot: CommandLine) -> None:
    for command in cli.COMMANDS:
        outcome = perudo_bot(command, "--help")
        assert (outcome.returncode, outcome.stdout.split("-h")[0].strip(" [")) == (0, f"usage: perudo-bot {command}")


@pytest.mark.parametrize("arguments", [(), ("dance",), ("run", "--fast"), ("sandbox", "--port", "99999")])
def test_a_command_line_that_makes_no_sense_is_refused(perudo_bot: CommandLine, arguments: tuple[str, ...]) -> None:
    outcome = perudo_bot(*arguments)
    assert outcome.returncode == 2
    assert lines_of(outcome)[-1].startswith("perudo-bot")


def test_a_command_that_is_gone_says_what_to_type_instead(perudo_bot: CommandLine) -> None:
    outcome = perudo_bot("copy-database", "sqlite:///perudo.db", "postgresql://me:hidden@localhost/perudo")
    assert outcome.returncode == 2
    (line,) = lines_of(outcome)
    assert line.endswith("set DATABASE_URL to the new database, then: perudo-bot restore URL_OF_THE_OLD_ONE")


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_enough_sees_no_traceback(unbuffered: str, tmp_path: Path) -> None:
    program = f"{sys.executable} -m telegram_bot.cli init {tmp_path}/server | true"
    told = subprocess.run(  # noqa: S602 - our own program
        program, shell=True, capture_output=True, encoding="utf-8", check=True, env={"PYTHONUNBUFFERED": unbuffered}
    )
    assert told.stderr == ""


def test_it_writes_what_a_server_needs_and_replaces_nothing(perudo_bot: CommandLine) -> None:
    written = perudo_bot("init", "server")
    assert written.returncode == 0
    assert (perudo_bot.folder / "server/bot.toml").read_text(encoding="utf-8") == CONFIG.read_text(encoding="utf-8")
    names = {Path(line).name for line in written.stdout.splitlines()}
    assert names == {path.name for path in (perudo_bot.folder / "server").iterdir()}
    assert names == {"bot.toml", *SERVER_FILES}
    again = perudo_bot("init", "server")
    assert again.returncode == 1
    assert "is there already" in again.stderr


def test_init_says_in_one_line_that_it_cannot_write_there(perudo_bot: CommandLine) -> None:
    (perudo_bot.folder / "notes.txt").touch()
    for folder in ("notes.txt", "notes.txt/server", "/proc/server"):
        refused = perudo_bot("init", folder)
        assert refused.returncode == 1
        assert len(lines_of(refused)) == 1
        assert f"cannot write into {folder}" in refused.stderr


def test_try_says_in_one_line_that_the_port_is_taken(perudo_bot: CommandLine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        refused = perudo_bot("try", "--port", str(port))
    assert refused.returncode == 1
    assert refused.stdout == f"The sandbox cannot start: port {port} on 127.0.0.1 is taken, choose another one.\n"
    assert refused.stderr == ""


def test_without_a_token_the_bot_does_not_start(perudo_bot: CommandLine) -> None:
    outcome = perudo_bot("run")
    assert outcome.returncode == 2
    (line,) = lines_of(outcome)
    assert line.startswith("perudo-bot: token is not set: send /newbot to @BotFather in Telegram")
    assert line.endswith("such as by a line PERUDO_TOKEN=… in the file .env")


@pytest.mark.parametrize("command", ["run", "doctor", "migrate"])
def test_a_bad_value_stops_the_start_with_a_line_for_each(perudo_bot: CommandLine, command: str) -> None:
    (perudo_bot.folder / "mine.toml").write_text("[table]\nclock_seconds = 5\nclok = 1\n")
    outcome = perudo_bot(command, "--config", "mine.toml", PERUDO_TOKEN="not-a-token")
    assert outcome.returncode == 2
    token, clock, unknown = lines_of(outcome)
    assert token.startswith("perudo-bot: token (in PERUDO_TOKEN) is not allowed (this is no token); it may be ")
    assert clock.startswith("perudo-bot: table.clock_seconds = 5 (in mine.toml) is not allowed; it may be 0 ")
    assert unknown == "perudo-bot: table.clok (in mine.toml) is no setting; did you mean table.clock_seconds?"


def test_migrating_makes_the_database_and_can_be_repeated(perudo_bot: CommandLine) -> None:
    for _ in range(2):
        outcome = perudo_bot("migrate")
        assert (outcome.returncode, outcome.stdout) == (0, "The database is up to date.\n"), outcome.stderr
    files = {file.name: file.stat().st_mode & 0o077 for file in perudo_bot.folder.glob("perudo.db*")}
    assert files["perudo.db"] == 0
    assert set(files.values()) == {0}, "there are dice in it, which no one else on the machine can read"


@pytest.mark.parametrize(
    "command",
    [("migrate", "--recount"), ("forget", "12345"), ("restore", "sqlite:///perudo.db")],
)
def test_a_database_of_a_newer_version_is_told_from_an_older_one(
    perudo_bot: CommandLine, sqlite_url: str, command: tuple[str, ...]
) -> None:
    with sqlite3.connect(sqlite_url.removeprefix("sqlite:///")) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.close()
    words = [word.replace("sqlite:///perudo.db", sqlite_url) for word in command]
    refused = perudo_bot(*words, DATABASE_URL="sqlite:///new.db" if sqlite_url in words else sqlite_url)
    assert refused.returncode == 1
    assert "belongs to a newer version of the bot. Install that version" in refused.stderr


def test_a_database_that_is_not_there_is_one_friendly_line(perudo_bot: CommandLine) -> None:
    outcome = perudo_bot("migrate", DATABASE_URL="postgresql://me:hidden@127.0.0.1:1/perudo")
    assert outcome.returncode == 1
    (line,) = lines_of(outcome)
    assert line.startswith("perudo-bot: the database does not work (")
    assert line.endswith("): try perudo-bot doctor")
    assert "hidden" not in line


def test_a_file_that_is_no_database_is_one_friendly_line(perudo_bot: CommandLine) -> None:
    (perudo_bot.folder / "perudo.db").write_bytes(b"holiday photos" * 1000)
    outcome = perudo_bot("migrate")
    assert outcome.returncode == 1
    assert lines_of(outcome) == [
        "perudo-bot: the database does not work (file is not a database): try perudo-bot doctor"
    ]


@pytest.mark.parametrize("command", [("migrate",), ("backup", "n" * 300)])
def test_a_place_where_no_file_can_be_is_one_friendly_line(perudo_bot: CommandLine, command: tuple[str, ...]) -> None:
    (perudo_bot.folder / "file").touch()
    url = "sqlite:///file/perudo.db" if command == ("migrate",) else "sqlite:///perudo.db"
    assert command == ("migrate",) or perudo_bot("migrate").returncode == 0
    outcome = perudo_bot(*command, DATABASE_URL=url)
    assert outcome.returncode == 1
    (line,) = lines_of(outcome)
    assert re.fullmatch(r"perudo-bot: \S+ cannot be used \(.+\)", line)


def test_a_house_is_moved_and_no_password_shown(perudo_bot: CommandLine, postgresql: PostgresServer) -> None:
    assert perudo_bot("migrate").returncode == 0
    with postgresql.fresh(migrated=False) as url:
        target = url.replace("postgres:@", "postgres:hidden@")
        outcome = perudo_bot("restore", "sqlite:///perudo.db", DATABASE_URL=target)
        assert outcome.returncode == 0, outcome.stderr
        assert outcome.stdout.splitlines()[-1].startswith("All 0 rows are there. Start the bot.")
        assert "hidden" not in outcome.stdout + outcome.stderr


# Phrases in, one line of JSON for each


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., list[dict[str, str]]]:
    def answers(phrases: bytes, *options: str) -> list[dict[str, str]]:
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(phrases)))
        monkeypatch.setattr("sys.argv", ["read", *options])
        main()
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return answers


def test_each_line_has_one_answer(read: Callable[..., list[dict[str, str]]]) -> None:
    said = b"cinque quattro, grazie\ndudo\ncalzaaa\ncinqe quattro\ni miei dadi\nciao\n54"
    assert read(said, "--language", "it", "--dice", "30") == [
        {"call": "5x4"},
        {"call": "dudo"},
        {"call": "calza"},
        {"ask": "5x4"},
        {"command": "dice"},
        {},
        {"call": "5x4"},
    ]


def test_54_is_asked_about_where_so_many_dice_are(read: Callable[..., list[dict[str, str]]]) -> None:
    assert read(b"54\n", "--dice", "60") == [{"ask": "5x4"}]


def test_any_bytes_have_an_answer(read: Callable[..., list[dict[str, str]]]) -> None:
    odd = [b"", b"\xff\xfe", b"\x00dudo\x00", b"x" * 1_000_000, "⚃⚃".encode(), b"5x4\r"]
    assert read(b"\n".join(odd), "--dice", "30") == [{}, {}, {"call": "dudo"}, {}, {"ask": "2x4"}, {"call": "5x4"}]


def test_an_answer_comes_before_the_next_phrase_does(monkeypatch: pytest.MonkeyPatch) -> None:
    answers, counts = BytesIO(), list[int]()

    class Phrases(BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            counts.append(answers.getvalue().count(b"\n"))
            return super().readline(size)

    monkeypatch.setattr("sys.argv", ["read"])
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=Phrases(b"5x4\nhello\n")))
    monkeypatch.setattr("sys.stdout", TextIOWrapper(answers))
    main()
    assert counts == [0, 1, 2]


BEGUN: Final = """
import ctypes, sys
from telegram_bot.cli import main, party, run
def begun(play):
    play.close()
    print("memory is readable:", ctypes.CDLL(None).prctl(3, 0, 0, 0, 0))
party.until_stopped = run.until_stopped = begun
party._keep_evening = lambda *_: None
sys.exit(main())
"""


@pytest.mark.parametrize(
    ("arguments", "mode"), [(("run",), 0o640), (("run",), 0o644), (("party", "--host", "127.0.0.1"), 0o644)]
)
def test_a_bot_that_plays_hides_its_memory_and_warns_of_secrets_that_all_can_read(
    tmp_path: Path, arguments: tuple[str, ...], mode: int
) -> None:
    (tmp_path / ".env").write_text(f"PERUDO_TOKEN=12345678:{'x' * 35}\n")
    (tmp_path / ".env").chmod(mode)
    program = [sys.executable, "-c", BEGUN, *arguments]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, encoding="utf-8", check=True)  # noqa: S603 - our own program
    assert "memory is readable: 0" in done.stdout
    assert ("chmod 600 .env" in done.stdout + done.stderr) == (mode == 0o644)


def test_a_server_without_the_sandbox_is_told_how_to_install_it() -> None:
    program = "import sys; sys.modules['telegram_sandbox'] = None; from telegram_bot.cli import main; sys.exit(main())"
    done = subprocess.run([sys.executable, "-c", program, "try"], capture_output=True, encoding="utf-8", check=False)  # noqa: S603 - Python itself
    assert done.returncode == 1
    assert "pip install 'perudo-bot[sandbox]'" in done.stderr
    assert "Traceback" not in done.stderr
