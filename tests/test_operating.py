"""Type the commands of the operators' pages: the sandbox for Telegram, the test's folders for the machine's."""

import os
import re
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from sqlmodel import Session

from telegram_bot import sandbox_launcher
from telegram_bot.cli import main
from telegram_bot.storage import schema
from telegram_bot.storage.database import connect
from telegram_bot.storage.models import KeyValue
from telegram_sandbox import running_sandbox
from test_support.child_processes import run
from test_support.documents import ROOT
from test_support.key_values import noted
from test_support.open_database import migrated
from test_support.postgres import PostgresServer
from tests.telegram_bot.test_cli import started

PAGES = (ROOT / "docs/operating.md", *sorted((ROOT / "docs/operating").glob("*.md")))
PAGE = "".join(page.read_text(encoding="utf-8") for page in PAGES)
TOKEN = "PERUDO_TOKEN=123456789:AA-a-token-for-this-test-0123\n"


def environment(**variables: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PERUDO_", "DATABASE_URL"))}
    return own | {"PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "perudo_core/src")))} | variables


def shell(*script: str, **options: Any) -> CompletedProcess[str]:
    return run("sh", "-c", *script, **{"env": environment()} | options)


def line_with(words: str) -> str:
    """The only command line of the page that contains these words."""
    (found,) = {line for line in PAGE.splitlines() if words in line and not line.startswith(("|", "#"))}
    return found


async def test_the_two_commands_start_the_bot(tmp_path: Path) -> None:
    """As on the page, except for the address of the Bot API, which is the sandbox's."""
    write = line_with("read -r token")
    async with running_sandbox(replace(sandbox_launcher.SETTINGS, port=0)) as sandbox:
        assert shell(write, cwd=tmp_path, input=f"{sandbox.token}\n").returncode == 0
        assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
        assert (tmp_path / ".env").read_text() == f"PERUDO_TOKEN={sandbox.token}\n"
        async with started(tmp_path, "run", PERUDO_API_BASE_URL=sandbox.bot_base_url) as bot:
            assert bot.stdout
            while "playing as @perudo_sandbox_bot" not in (line := (await bot.stdout.readline()).decode()):
                assert line, "it ended"
            assert "to add it to a group: https://t.me/perudo_sandbox_bot?startgroup=play" in line
            bot.send_signal(signal.SIGINT)
            assert "the games continue when it starts again" in (await bot.communicate())[0].decode()
    assert (tmp_path / "perudo.db").exists()


def units_command(tmp_path: Path) -> str:
    """config/deploy/perudo, with folders of the test in place of the machine's."""
    bot = f"{sys.executable} -m telegram_bot.cli"
    script = (ROOT / "config/deploy/perudo").read_text(encoding="utf-8")
    for there, here in (
        ("/etc/perudo/", f"{tmp_path}/"),
        ("/var/lib/perudo", str(tmp_path / "games")),
        ("/opt/perudo/bin/perudo-bot", bot),
    ):
        assert there in script
        script = script.replace(there, here)
    return script


def perudo(tmp_path: Path, *words: str, **options: Any) -> CompletedProcess[str]:
    return shell(units_command(tmp_path), "perudo", *words, **options)


def test_the_units_command_runs_with_the_services_settings(tmp_path: Path) -> None:
    """Even before the service was ever started and created its folder."""
    url = f"sqlite:///{tmp_path}/games/of the house & others.db"
    (tmp_path / "perudo.env").write_text(f'{TOKEN}DATABASE_URL="{url}"\n')
    done = perudo(tmp_path, "migrate")
    assert (done.returncode, done.stdout) == (0, "The database is up to date.\n"), done.stderr
    assert (tmp_path / "games/of the house & others.db").exists()


def test_settings_are_read_as_systemd_does_and_what_root_makes_is_the_services(tmp_path: Path, games: Path) -> None:
    """A shell does not cut a URL at &, and a .env that the service's user wrote does not choose root's database.

    systemd has made the folder a link.
    """
    games.rename(tmp_path / "private")
    games.symlink_to(tmp_path / "private")
    (games / ".env").write_text(f"DATABASE_URL=sqlite:///{tmp_path}/trap.db\n")
    url = f"sqlite:///{tmp_path}/games/right.db?timeout=9&cache=private"
    (tmp_path / "perudo.env").write_text(f"{TOKEN}DATABASE_URL={url}\n")
    done = perudo(tmp_path, "migrate", cwd=games)
    assert done.returncode == 0, done.stderr
    assert (games / "right.db").exists()
    assert not (tmp_path / "trap.db").exists()
    assert {file.stat().st_uid for file in games.iterdir()} == {games.stat().st_uid}


def test_the_command_has_the_services_cache_and_what_its_file_says_of_the_network(tmp_path: Path, games: Path) -> None:
    with (tmp_path / "perudo.env").open("a") as settings:
        settings.write("HF_ENDPOINT=http://127.0.0.1:9\n")
    assert "http://127.0.0.1:9/" in perudo(tmp_path, "voice", "setup", umask=0o077).stderr
    folder = games / "cache/perudo-bot/models/small.unfinished"
    assert folder.stat().st_uid == games.stat().st_uid, "the service's user reads it"


def test_the_command_names_files_from_the_operators_folder_and_itself_as_typed(tmp_path: Path, games: Path) -> None:
    (own := tmp_path / "my backups").mkdir()
    command = partial(perudo, tmp_path, cwd=own)
    (games / "perudo.db").touch()
    told = command("forget", "1")
    assert (told.returncode, "the database is not up to date: sudo perudo migrate" in told.stderr) == (1, True)
    (games / "perudo.db").write_bytes(migrated())
    assert f"{own}/mine.backup holds everything" in command("backup", "mine.backup").stdout
    assert command("restore", "--force", "mine.backup").returncode == 0
    assert (games / "perudo.db").exists()


@pytest.mark.parametrize(
    ("called", "typed"),
    [*[(each, each) for each in ("perudo-bot", ".venv/bin/perudo-bot")], ("a b/perudo-bot", "'a b/perudo-bot'")],
)
def test_advice_names_the_command_as_it_was_called(
    called: str, typed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "perudo-bot").touch(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("sys.argv", [str(tmp_path / called) if called == typed == "perudo-bot" else called])
    main(["doctor"])
    assert f"{typed} run makes it, or {typed} migrate" in capsys.readouterr().out


def typed(tmp_path: Path, words: str, path: str = "") -> None:
    """Type the page's line with these words; `sudo perudo` is the unit's command."""
    install_command(tmp_path)
    line = line_with(words).removeprefix("sudo ").replace("/var/backups", str(tmp_path))
    done = shell(line, env=environment(PATH=f"{tmp_path}:{path}:{os.environ['PATH']}"))
    assert done.returncode == 0, done.stderr


def install_command(tmp_path: Path) -> None:
    (tmp_path / "perudo").write_text(f"#!/bin/sh\n{units_command(tmp_path)}")
    (tmp_path / "perudo").chmod(0o700)


def note(session: Session, what: str) -> None:
    session.add(KeyValue(key=what, value="1"))
    session.flush()


@pytest.fixture
def games(tmp_path: Path) -> Path:
    """The folder of the service's games, which belongs to a user of its own."""
    (tmp_path / "perudo.env").write_text(TOKEN)
    games = tmp_path / "games"
    games.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(games, 61234, 61234)
    return games


@pytest.mark.parametrize("link", [os.link, os.symlink])
def test_no_link_leads_root_out_of_the_folder(link: Callable[[Path, Path], None], tmp_path: Path, games: Path) -> None:
    victim = tmp_path / "shadow"
    victim.touch()
    link(victim, games / "perudo.db")
    before = victim.stat()
    done = perudo(tmp_path, "migrate")
    assert done.returncode == 1
    assert "perudo.db is a link" in done.stderr
    after = victim.stat()
    assert (after.st_uid, after.st_size) == (before.st_uid, 0)


@pytest.mark.usefixtures("games")
def test_a_backup_of_postgresql_is_taken_while_the_bot_runs_and_put_back(
    postgresql: PostgresServer, postgresql_url: str, tmp_path: Path
) -> None:
    (tmp_path / "perudo.env").write_text(f"DATABASE_URL='{postgresql_url}'\n")
    programs = str(postgresql.programs)
    engine = connect(postgresql_url)
    with Session(engine) as session:
        note(session, "kept")
        session.commit()
        note(session, "under way")
        typed(tmp_path, "sudo perudo backup", programs)
        session.commit()
    engine.dispose()
    typed(tmp_path, "sudo perudo restore --force /var", programs)
    assert noted(postgresql_url) == ["kept"]


def test_the_nightly_unit_writes_a_backup_for_the_day_of_the_week(tmp_path: Path, games: Path) -> None:
    engine = connect(f"sqlite:///{games}/perudo.db")
    schema.upgrade(engine)
    engine.dispose()
    install_command(tmp_path)
    unit = (ROOT / "config/deploy/backup-perudo.service").read_text(encoding="utf-8").replace("%%", "%")
    unit = unit.replace("/usr/local/bin/perudo", str(tmp_path / "perudo")).replace("/var/backups", f"{tmp_path}/saved")
    for line in re.findall(r"(?m)^ExecStart(?:Pre)?=(.*)$", unit):
        done = shell(line)
        assert done.returncode == 0, done.stderr
    (saved,) = tmp_path.glob("saved/perudo/day-[1-7]")
    assert saved.read_bytes().startswith(b"SQLite format 3")
