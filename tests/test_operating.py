"""What docs/operating.md tells one to type, typed: the sandbox for Telegram, folders of the test for the machine's."""

from __future__ import annotations

import asyncio
import os
import re
import shlex
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlmodel import Session, select

from telegram_bot import sandbox_launcher
from telegram_bot.storage import schema
from telegram_bot.storage.database import connect
from telegram_bot.storage.models import KeyValue
from telegram_sandbox import running_sandbox

if TYPE_CHECKING:
    from test_support.postgres import PostgresServer

ROOT = Path(__file__).parent.parent
PAGE = (ROOT / "docs/operating.md").read_text(encoding="utf-8")


def environment(**variables: str) -> dict[str, str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PERUDO_", "DATABASE_URL"))}
    return own | variables


def shell(*script: str, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run what a page says, as a shell does."""
    return subprocess.run(["sh", "-c", *script], encoding="utf-8", capture_output=True, check=False, **options)  # noqa: S603, S607


def line_with(words: str) -> str:
    """The one line of the page that one types and that has these words in it."""
    (found,) = {line for line in PAGE.splitlines() if words in line and not line.startswith(("|", "#"))}
    return found


async def test_the_two_commands_start_the_bot(tmp_path: Path) -> None:
    """As on the page, but for the address of the Bot API, which is the sandbox's."""
    write = line_with("echo 'PERUDO_TOKEN=")
    async with running_sandbox(replace(sandbox_launcher.SETTINGS, port=0)) as sandbox:
        write = re.sub(r"PERUDO_TOKEN=[^']+", f"PERUDO_TOKEN={sandbox.token}", write)
        assert shell(write, cwd=tmp_path).returncode == 0
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "telegram_bot.cli", "run"),
            cwd=tmp_path,
            env=environment(PERUDO_API_BASE_URL=sandbox.bot_base_url),
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stderr
        try:
            async with asyncio.timeout(60):
                while "playing as @perudo_sandbox_bot" not in (line := (await process.stderr.readline()).decode()):
                    assert line, "it ended"
        finally:
            process.kill()
            await process.communicate()
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


PATHS = os.pathsep.join((str(ROOT), str(ROOT / "perudo_core/src")))


def test_the_units_command_runs_with_the_services_settings(tmp_path: Path) -> None:
    """Also before the service has ever been started, and made a folder for its games."""
    url = f"sqlite:///{tmp_path}/games/of the house & others.db"
    (tmp_path / "perudo.env").write_text(
        f'PERUDO_TOKEN=123456789:AA-a-token-for-this-test-0123\nDATABASE_URL="{url}"\n'
    )
    script = units_command(tmp_path)
    done = shell(script, "perudo", "migrate", env=environment(PYTHONPATH=PATHS))
    assert (done.returncode, done.stdout) == (0, "The database is up to date.\n"), done.stderr
    assert (tmp_path / "games/of the house & others.db").exists()
    assert shell(script, "perudo", "fly", env=environment(PYTHONPATH=PATHS)).returncode == 2


def test_a_backup_that_root_puts_back_is_the_services(tmp_path: Path) -> None:
    games = tmp_path / "games"
    (tmp_path / "perudo.env").write_text("PERUDO_TOKEN=123456789:AA-a-token-for-this-test-0123\n")
    games.mkdir(mode=0o700)
    if os.geteuid() == 0:
        os.chown(games, 61234, 61234)
    backup = f"sqlite:///{tmp_path}/perudo.db"
    engine = connect(backup)
    schema.upgrade(engine)
    with Session(engine) as session:
        note(session, "kept")
        session.commit()
    engine.dispose()
    for later in ("perudo.db", "perudo.db-wal", "perudo.db-shm"):
        (games / later).write_bytes(b"what was played since")
    (tmp_path / "perudo").write_text(f"#!/bin/sh\n{units_command(tmp_path)}")
    (tmp_path / "perudo").chmod(0o700)
    line = line_with("cp /var/backups/perudo.db").replace("/var/lib/perudo", str(games))
    programs = environment(PYTHONPATH=PATHS, PATH=f"{tmp_path}:{os.environ['PATH']}")
    done = shell(line.replace("/var/backups", str(tmp_path)), env=programs)
    assert done.returncode == 0, done.stderr
    assert noted(f"sqlite:///{games}/perudo.db") == ["kept"]
    assert {file.stat().st_uid for file in games.iterdir()} == {games.stat().st_uid}


def note(session: Session, what: str) -> None:
    session.add(KeyValue(key=what, value="1"))
    session.flush()


def noted(url: str) -> list[str]:
    engine = connect(url)
    with Session(engine) as session:
        found = sorted(session.exec(select(KeyValue.key)))
    engine.dispose()
    return found


def test_a_backup_of_sqlite_is_taken_while_the_bot_runs(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/perudo.db"
    engine = connect(url)
    schema.upgrade(engine)
    with Session(engine) as session:
        note(session, "kept")
        session.commit()
        line = line_with("import sqlite3").replace("python3", sys.executable)
        line = line.replace("/var/lib/perudo/perudo.db", url.removeprefix("sqlite:///"))
        assert shell(line.replace("/var/backups/", f"{tmp_path}/copy-of-")).returncode == 0
        note(session, "later")
        session.commit()
    engine.dispose()
    with closing(sqlite3.connect(tmp_path / "copy-of-perudo.db")) as copy:
        assert copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert noted(f"sqlite:///{tmp_path}/copy-of-perudo.db") == ["kept"]
    assert noted(url) == ["kept", "later"]


def test_a_backup_of_postgresql_is_taken_while_the_bot_runs_and_restored(
    postgresql: PostgresServer, postgresql_url: str, tmp_path: Path
) -> None:
    def typed(line: str, url: str) -> None:
        line = re.sub(r'"?postgresql://[^ "]+"?', shlex.quote(url.replace("+psycopg", "")), line)
        programs = environment(PATH=f"{postgresql._server.bin_path}:{os.environ['PATH']}")
        done = shell(line.replace("/var/backups", str(tmp_path)), env=programs)
        assert done.returncode == 0, done.stderr

    engine = connect(postgresql_url)
    with Session(engine) as session:
        note(session, "kept")
        session.commit()
        note(session, "under way")
        typed(line_with("pg_dump --format"), postgresql_url)
        session.rollback()
    engine.dispose()
    restore = line_with("pg_restore --clean")
    with postgresql.fresh(migrated=False) as elsewhere:
        typed(restore, elsewhere)
        assert noted(elsewhere) == ["kept"]
        typed(restore, elsewhere)
        assert noted(elsewhere) == ["kept"], "over what is there"
