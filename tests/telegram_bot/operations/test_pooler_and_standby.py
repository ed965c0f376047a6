"""PgBouncer between the workers and PostgreSQL, and a synchronous standby that does not answer."""

import asyncio
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import SecretStr
from sqlalchemy import make_url, text

from telegram_bot.app import App
from telegram_bot.operations.doctor import database as doctor
from telegram_bot.sandbox_launcher import free_port
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.storage.key_value import KeyValueStore
from test_support.postgres import running_postgres
from tests.telegram_bot.channels.sms.conftest import running


@pytest.fixture
def pooled_url(postgresql_url: str, tmp_path: Path) -> Iterator[str]:
    """The database behind PgBouncer, which gives each transaction another session."""
    parsed, port = make_url(postgresql_url), free_port()
    folder = str(parsed.query["host"])
    settings = tmp_path / "pgbouncer.ini"
    settings.write_text(
        f"[databases]\n* = host={folder} user={parsed.username}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\npool_mode = transaction\nauth_type = any\n"
        f"unix_socket_dir =\ndefault_pool_size = 3\nserver_lifetime = 0\n"
        + (f"user = {Path(folder).owner()}\n" if os.geteuid() == 0 else "")  # it refuses to be root
    )
    program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
    assert program, "apt-get install pgbouncer"
    with running(program, "-q", settings, port=port, log=tmp_path / "log"):
        yield parsed.set(host="127.0.0.1", port=port, query={}).render_as_string(hide_password=False)


async def test_behind_a_pooler_transactions_bring_their_own_settings_and_prepare_nothing(pooled_url: str) -> None:
    database = Database(pooled_url)
    notes = KeyValueStore(database, time.time)

    async def one(number: int) -> str:
        await notes.put(str(number), "1")
        return str(await database.run(lambda session: session.execute(text("SHOW lock_timeout")).scalar_one()))

    for _ in range(8):
        assert set(await asyncio.gather(*map(one, range(8)))) == {"6s"}
    found = {each.check: each for each in doctor.examine(pooled_url)}
    assert found["database"].ok, found["database"].says
    database.close()


async def test_a_commit_that_hangs_is_noticed_by_the_doctor_and_by_readyz(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "COMMIT_SECONDS", 0.2)
    with running_postgres() as server:
        url = server.create()
        database = Database(url)
        app = App(Settings(token=SecretStr("123456789:AA-a-token-for-this-test-0123"), database_url=url), database)
        assert await app._database_trouble() is None
        server._do("ALTER SYSTEM SET synchronous_standby_names = 'two'")
        server._do("SELECT pg_reload_conf()")
        found = {each.check: each for each in await asyncio.to_thread(lambda: list(doctor.examine(url)))}
        assert (found["database"].ok, found["commit"].ok) == (True, False)
        assert "ANY 1 (two, three)" in found["commit"].mend
        for _ in range(3):
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(app._database_trouble(), 0.05)
        server._do("ALTER SYSTEM SET synchronous_standby_names = ''")
        server._do("SELECT pg_reload_conf()")
        assert await app._database_trouble() is None
        database.close()
