"""The command line: called in this process; and as a person or a service runs it, in one of its own."""

import asyncio
import json
import os
import signal
import socket
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from fnmatch import fnmatchcase
from importlib.metadata import version
from io import BytesIO, TextIOWrapper
from pathlib import Path
from subprocess import CompletedProcess
from types import SimpleNamespace
from typing import Final

import httpx
import pytest

from telegram_bot import cli
from telegram_bot.cli.init import SERVER_FILES
from telegram_bot.cli.read import main
from telegram_sandbox import running_sandbox
from test_support.child_processes import WITHOUT_PRIVILEGES, has_in_sight, run
from test_support.documents import ROOT
from test_support.open_database import copy_migrated_database
from test_support.postgres import PostgresServer


class CommandLine:
    """`perudo-bot` in an empty folder, with only the given settings."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._monkeypatch = monkeypatch
        self._capsys = capsys

    def __call__(self, *arguments: str, **variables: str) -> CompletedProcess[str]:
        with self._monkeypatch.context() as patch:
            patch.chdir(self.folder)
            for name in [each for each in os.environ if each.startswith(("PERUDO_", "DATABASE_URL"))]:
                patch.delenv(name)
            for name, value in variables.items():
                patch.setenv(name, value)
            patch.setattr("signal.signal", lambda *_: None)  # pytest's own stay
            patch.setattr(asyncio.SelectorEventLoop, "add_signal_handler", lambda *_: None)
            mask = os.umask(0o022)
            try:
                status = cli.main(arguments)
            except SystemExit as leaving:
                status = int(str(leaving.code))
            finally:
                os.umask(mask)
        return CompletedProcess(arguments, status, *self._capsys.readouterr())


@pytest.fixture
def perudo_bot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(tmp_path, monkeypatch, capsys)


def lines_of(outcome: CompletedProcess[str]) -> list[str]:
    assert "Traceback" not in outcome.stderr
    assert outcome.stdout == ""
    return outcome.stderr.splitlines()


def test_it_tells_its_version_and_imports_no_library_for_it() -> None:
    told = run(sys.executable, "-X", "importtime", "-m", "telegram_bot.cli", "--version", check=True)
    assert told.stdout == f"perudo-bot {version('perudo-bot')}\n"
    assert [name for name in ("asyncio", "pydantic", "perudo_core") if f" {name}\n" in told.stderr] == []


def test_every_command_explains_itself(perudo_bot: CommandLine) -> None:
    for command in cli.COMMANDS:
        outcome = perudo_bot(command, "--help")
        assert (outcome.returncode, outcome.stdout.split("-h")[0].strip(" [")) == (0, f"usage: perudo-bot {command}")


@pytest.mark.parametrize("arguments", ["", "dance", "run --fast", "sandbox --port 99999"])
def test_a_command_line_that_makes_no_sense_is_refused(perudo_bot: CommandLine, arguments: str) -> None:
    outcome = perudo_bot(*arguments.split())
    assert outcome.returncode == 2
    assert lines_of(outcome)[-1].startswith("perudo-bot")


HIDDEN: Final = "postgresql://me:hidden@127.0.0.1:1/perudo"


@pytest.mark.parametrize(
    ("database", "command", "line"),
    [
        ("", f"copy-database x {HIDDEN}", "*to the new database, then: perudo-bot restore URL_OF_THE_OLD_ONE"),
        ("", "run", "token is not set: send /newbot to @BotFather*by a line PERUDO_TOKEN=… in the file .env"),
        (HIDDEN, "migrate", "the database does not work (*): try perudo-bot doctor"),
        ("sqlite:///photos", "migrate", "the database does not work (file is not a database): try perudo-bot doctor"),
        ("sqlite:///photos/perudo.db", "migrate", "photos cannot be used (*)"),
        ("sqlite:///migrated.db", f"backup {'n' * 300}", "n*n cannot be used (*)"),
    ],
    ids=["a command that is gone", "no token", "no server", "no database", "no folder", "no name of a file"],
)
def test_what_prevents_a_command_is_one_friendly_line(
    perudo_bot: CommandLine, database: str, command: str, line: str
) -> None:
    copy_migrated_database(perudo_bot.folder / "migrated.db")
    (perudo_bot.folder / "photos").write_bytes(b"holiday photos" * 1000)
    outcome = perudo_bot(*command.split(), **({"DATABASE_URL": database} if database else {}))
    assert outcome.returncode == (1 if database else 2)
    (said,) = lines_of(outcome)
    assert fnmatchcase(said, f"perudo-bot: {line}")
    assert "hidden" not in said


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_enough_sees_no_traceback(unbuffered: str, tmp_path: Path) -> None:
    program = f"{sys.executable} -m telegram_bot.cli init {tmp_path}/server | true"
    assert run("sh", "-c", program, check=True, env={"PYTHONUNBUFFERED": unbuffered}).stderr == ""


def test_it_writes_what_a_server_needs_and_replaces_nothing(perudo_bot: CommandLine) -> None:
    written = perudo_bot("init", "server")
    assert written.returncode == 0
    assert (perudo_bot.folder / "server/bot.toml").read_bytes() == (ROOT / "config/bot.toml").read_bytes()
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


@pytest.mark.parametrize("command", ["migrate --recount", "forget 12345", "restore sqlite:///of_a_newer.db"])
def test_a_database_of_a_newer_version_is_refused(perudo_bot: CommandLine, command: str) -> None:
    copy_migrated_database(perudo_bot.folder / "of_a_newer.db")
    with closing(sqlite3.connect(perudo_bot.folder / "of_a_newer.db")) as database, database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
    own = "new" if "restore" in command else "of_a_newer"
    refused = perudo_bot(*command.split(), DATABASE_URL=f"sqlite:///{own}.db")
    assert refused.returncode == 1
    assert "belongs to a newer version of the bot. Install that version" in refused.stderr


def test_a_house_is_moved_and_no_password_shown(perudo_bot: CommandLine, postgresql: PostgresServer) -> None:
    assert perudo_bot("migrate").returncode == 0
    with postgresql.fresh(migrated=False) as url:
        target = url.replace("postgres:@", "postgres:hidden@")
        outcome = perudo_bot("restore", "sqlite:///perudo.db", DATABASE_URL=target)
        assert outcome.returncode == 0, outcome.stderr
        assert outcome.stdout.splitlines()[-1].startswith("All 0 rows are there. Start the bot.")
        assert "hidden" not in outcome.stdout + outcome.stderr


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
    calls = [{"call": call} for call in ("5x4", "dudo", "calza")]
    answers = [*calls, {"ask": "5x4"}, {"command": "dice"}, {}, {"call": "5x4"}]
    assert read(said, "--language", "it", "--dice", "30") == answers
    assert read(b"54\n", "--dice", "60") == [{"ask": "5x4"}], "there may be 54 dice"


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
import ctypes, os, sys
from telegram_bot.cli import main, party, run
prctl = ctypes.CDLL(None).prctl
def begun(play):
    play.close()
    print("memory is readable:", prctl(3, 0, 0, 0, 0), file=sys.stderr)
party.until_stopped = run.until_stopped = begun
party._keep_evening = lambda *_: None
for mode, *words in ((0o644, "run"), (0o640, "party", "--host", "127.0.0.1")):
    os.chmod(".env", mode)
    prctl(4, 1, 0, 0, 0)
    print("then", prctl(3, 0, 0, 0, 0), main(words), file=sys.stderr)
"""


def test_a_bot_that_plays_hides_its_memory_and_tells_secrets_that_all_can_read(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"PERUDO_TOKEN=12345678:{'x' * 35}\n")
    done = run(sys.executable, "-c", BEGUN, cwd=tmp_path, check=True)
    a_run, a_party, rest = done.stderr.split("then 1 0\n")
    assert ["memory is readable: 0" in told for told in (a_run, a_party)] == [True, True]
    assert ["chmod 600 .env" in told for told in (a_run, a_party)] == [True, False]
    assert rest == ""


def test_a_server_without_the_sandbox_is_told_how_to_install_it() -> None:
    program = "import sys; sys.modules['telegram_sandbox'] = None; from telegram_bot.cli import main; sys.exit(main())"
    done = run(sys.executable, "-c", program, "try")
    assert done.returncode == 1
    assert "pip install 'perudo-bot[sandbox]'" in done.stderr
    assert "Traceback" not in done.stderr


@asynccontextmanager
async def started(folder: Path, *arguments: str, **variables: str) -> AsyncIterator[asyncio.subprocess.Process]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PERUDO_", "DATABASE_URL"))}
    program = f"{WITHOUT_PRIVILEGES}import sys; from telegram_bot.cli import main; sys.exit(main())"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, *arguments),
        cwd=folder,
        env=own | {"TMPDIR": str(folder), "PYTHONUNBUFFERED": "1"} | variables,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        async with asyncio.timeout(60):
            yield process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def test_the_sandbox_shows_its_page_stops_cleanly_by_ctrl_c_and_leaves_nothing(tmp_path: Path) -> None:
    async with started(tmp_path, "sandbox", "--port", "0") as sandbox, httpx.AsyncClient(timeout=60) as client:
        assert sandbox.stdout
        address = (await sandbox.stdout.readline()).decode().split()[-1]
        assert (await client.get(address)).headers["content-type"].startswith("text/html")
        sandbox.send_signal(signal.SIGINT)
        said, _ = await sandbox.communicate()
    assert (sandbox.returncode, b"Traceback" in said, [*Path.rglob(tmp_path, "*")]) == (0, False, [])


@pytest.mark.parametrize("token", [None, "123456:a-token-that-nobody-knows-anything-about"])
async def test_the_bot_ends_when_it_is_stopped_or_has_an_unknown_token(tmp_path: Path, token: str | None) -> None:
    async with running_sandbox() as sandbox:
        own, variables = token or sandbox.token, {"PERUDO_API_BASE_URL": sandbox.bot_base_url}
        async with started(tmp_path, "run", PERUDO_TOKEN=own, PERUDO_LOG_LEVEL="DEBUG", **variables) as bot:
            if token is None:
                while not sandbox.world.calls.named("getMe"):  # noqa: ASYNC110 - nothing tells
                    await asyncio.sleep(0.05)
                assert not has_in_sight(own, bot.pid), "other processes of its user read its environment"
                bot.send_signal(signal.SIGTERM)
            said = (await bot.communicate())[0].decode()
    assert (own in said, "Traceback" in said) == (False, False)
    assert bot.returncode == (2 if token else 0), "the units do not restart it after the former"
    assert said.splitlines()[-1].startswith("perudo-bot: Telegram does not know this token") is bool(token)
