"""A sandbox, the real bot in a process of its own, and people who see only their own screens."""

import asyncio
import json
import multiprocessing
import os
import shutil
import signal
import sqlite3
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

import psycopg
from psycopg.types.json import set_json_loads
from sqlalchemy import make_url

from telegram_bot import sandbox_launcher
from telegram_bot.sandbox_launcher.phones import Phones
from telegram_bot.storage.database import sqlite_file
from telegram_sandbox import RunningSandbox, running_sandbox
from test_support.bot_process import BotProcess
from test_support.open_database import copy_migrated_database
from test_support.person import Person
from test_support.screen_recorder import PATIENCE, Json, ScreenRecorder

ROOT = Path(__file__).parents[1]
BOT = "telegram_bot.cli"
SCRIPTED_BOT = "test_support.scripted_bot"
UNHURRIED = {
    "PERUDO_LIMITS__PER_BOT_PER_SECOND": "1000",
    "PERUDO_LIMITS__PER_CHAT_SECONDS": "0",
    "PERUDO_LIMITS__PER_GROUP_PER_MINUTE": "1000",
    **{
        f"PERUDO_QUOTAS__{acts}_PER_MINUTE": "0"
        for acts in ("PERSON_TAPS", "PERSON_COMMANDS", "CHAT_TAPS", "CHAT_COMMANDS")
    },
}
"""Settings that lift the bot's own limits: tests act faster than people, and would only wait."""
AT_ONCE = {"PERUDO_TABLE__REVEAL_SECONDS": "0", "PERUDO_TABLE__CELEBRATE": "false"}
"""Settings without the pause before the dice are shown, and without the celebrations after a reveal."""


class World:
    """One sandbox with its people, one bot, one database."""

    served = staticmethod(running_sandbox)

    def __init__(self, sandbox: RunningSandbox, folder: Path, plan: Json | None, **variables: str) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.database_url = f"sqlite:///{folder}/perudo.db"
        # The bots of one cache share the process that hears voice notes. A short path: it contains a socket.
        self.cache = Path(tempfile.mkdtemp(prefix="perudo-"))
        self.log = folder / "bot.log"
        self.recorder = ScreenRecorder(sandbox.world, self.log)
        self.people = {name: Person(self, name) for name in sandbox.people}
        self.group = sandbox.world.chats[sandbox.group_id]
        self.variables = variables
        self.plan = plan
        self.bot: BotProcess | None = None
        self.readers = multiprocessing.Value("i", 0, lock=False)
        self.expected = defaultdict[str, dict[str, bool]](dict)
        """Patterns, by what they fit, and whether it must happen."""
        self.newest_settled = 0
        """The newest notice when the world was last settled; computer players may write others until the bot stops."""

    def __getitem__(self, name: str) -> Person:
        return self.people[name]

    def some(self, *names: str) -> list[Person]:
        return [self.people[name] for name in names]

    @property
    def pages(self) -> str:
        """The address of the web seat's pages."""
        return (self.sandbox.world.settings.main_web_app or "").removesuffix("/app")

    # The sandbox

    @property
    def texts(self) -> Phones:
        return next(one for one in self.sandbox.world.extensions if isinstance(one, Phones))

    def mark(self) -> int:
        """Return the number of the last event, to look for later ones."""
        return self.sandbox.world.events.cursor

    # The bot

    async def start_bot(self) -> None:
        self.calls_before = len(self.recorder.calls)
        self.bot = self.spawn()

    def environment(self, **variables: str) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PERUDO_", "DATABASE_URL"))}
        variables = {
            "PERUDO_TOKEN": self.sandbox.token,
            "PERUDO_API_BASE_URL": self.sandbox.bot_base_url,
            "DATABASE_URL": self.database_url,
            "PERUDO_TABLE__RULEBOOK": "box_2009",
            "PERUDO_PICTURES__REVEALS": "false",  # what a picture shows its caption leaves out, and tests read
            "PERUDO_POLLING__PROBE_SECONDS": "0",
            "PERUDO_VOICE__SECONDS": "60",  # a busy machine hears a note as well
            "XDG_CACHE_HOME": str(self.cache),
            **self.variables,
            **variables,
        }
        if self.plan is not None:
            variables["BOT_PLAN"] = json.dumps(self.plan)
        return own | variables

    def spawn(self, **variables: str) -> BotProcess:
        module, environment = (BOT if self.plan is None else SCRIPTED_BOT), self.environment(**variables)
        return BotProcess(module, environment, self.folder, self.log, self.readers)

    async def bot_listens(self) -> None:
        def asked() -> bool:
            assert self.bot is not None
            assert self.bot.returncode is None, self.log.read_text()
            return any(call["method"] == "getUpdates" for call in self.recorder.calls[self.calls_before :])

        await self.recorder.until(asked, "the bot to ask for updates")

    async def kill(self) -> None:
        assert self.bot is not None
        self.bot.kill()
        await self.bot.wait()

    async def restart(self) -> None:
        await self.start_bot()
        await self.bot_listens()

    async def stop_bot(self) -> int:
        """Ask the bot to stop; return its exit code."""
        assert self.bot is not None
        self.bot.send_signal(signal.SIGTERM)
        return await asyncio.wait_for(self.bot.wait(), PATIENCE)

    async def destroy_bot(self) -> None:
        if self.bot is not None:
            await self.kill()

    # The database

    def rows(self, query: str, *values: Any) -> list[tuple[Any, ...]]:
        """Query the bot's database; JSON columns are text."""
        file = sqlite_file(self.database_url)
        if file is not None:
            with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True, timeout=10)) as connection:
                return connection.execute(query, values).fetchall()
        address = make_url(self.database_url).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True) as asking:
            set_json_loads(lambda stored: stored.decode() if isinstance(stored, bytes) else stored, asking)
            return asking.execute(query.replace("?", "%s").encode(), values).fetchall()

    def waiting_readers(self) -> int:
        """Return how many readers the bot still compares."""
        return int(self.readers.value)

    async def settled(self, within: float = PATIENCE) -> None:
        """Wait until no update, no notice and no reader waits, and all messages have been shown."""

        def quiet() -> bool:
            if len(self.sandbox.world.updates):
                return False
            ((working, self.newest_settled),) = self.rows(
                "SELECT (SELECT count(*) FROM inbox WHERE done_at IS NULL)"
                " + (SELECT count(*) FROM outbox WHERE status IN ('pending', 'sending')),"
                " (SELECT coalesce(max(id), 0) FROM outbox)"
            )
            return not working and not self.waiting_readers()

        try:
            async with asyncio.timeout(within):
                calm = 0
                while calm < 2:
                    calm = calm + 1 if quiet() else 0
                    await asyncio.sleep(0.03)
        except TimeoutError:
            heard = self.rows("SELECT cause, attempts, error FROM inbox WHERE done_at IS NULL")
            unsent = self.rows("SELECT * FROM outbox WHERE status IN ('pending', 'sending')")
            log = self.log.read_text()[-3000:]
            story = f"unheard: {len(self.sandbox.world.updates)}\nundone: {heard}\nunsent: {unsent}\n"
            story += f"readers: {self.waiting_readers()}\nlog:\n{log}"
            raise AssertionError(f"not settled within {within} s\n{story}") from None
        here = self.mark()
        await self.recorder.until(lambda: self.recorder.cursor >= here or None, "the stream")

    def expect(self, what: Literal["error", "log line", "sending"], pattern: str, *, must: bool = True) -> None:
        """Expect what else fails the test.

        An `error` of the Bot API is `method: description`; a `log line` has a warning or an error of the bot; a
        `sending` that fails is `status: error`.
        """
        self.expected[what][pattern] = must


@dataclass(frozen=True, slots=True)
class Setting:
    """The configuration of a world."""

    people: tuple[str, ...] = ("Ana", "Bo", "Cy", "Dee")
    bot_is_admin: bool = False
    flood_limits: bool = False
    plan: Json | None = None
    variables: dict[str, str] = field(default_factory=dict)
    with_phone: bool = False
    """Whether the page has Gran's phone, which can only text."""
    with_pages: bool = False
    """Whether the bot serves the pages of the web seat, as in `make play`."""
    database_url: str | None = None
    """The bot's database, or None for a new SQLite file."""


@asynccontextmanager
async def opened(folder: Path, setting: Setting, kind: type[World] = World) -> AsyncIterator[World]:
    """Yield a world with a running bot, for the length of a `with`."""
    settings = replace(
        sandbox_launcher.SETTINGS,
        port=0,
        people=setting.people,
        bot_is_admin=setting.bot_is_admin,
        flood_limits=setting.flood_limits,
        chat_burst=1,  # stricter than Telegram: the bot keeps its pace and needs no patience for bursts
        judge=True,
        remembered_calls=100_000,
        remembered_events=20_000,
        inline_query_lives_seconds=PATIENCE,
        inline_answer_seconds=PATIENCE,
    )
    if setting.with_phone:
        settings = sandbox_launcher.with_phone(settings)
    if setting.with_pages:
        settings = sandbox_launcher.with_pages(settings)
    async with kind.served(settings) as sandbox:
        variables = AT_ONCE | ({} if setting.flood_limits else UNHURRIED)
        variables |= sandbox_launcher.page_variables(settings, sandbox.url)
        variables |= sandbox_launcher.sms_variables(settings, sandbox.url) | setting.variables
        world = kind(sandbox, folder, setting.plan, **variables)
        if setting.database_url is not None:
            world.database_url = setting.database_url
        else:
            copy_migrated_database(folder / "perudo.db")
        try:
            await world.restart()
            yield world
        finally:
            await world.destroy_bot()
            shutil.rmtree(world.cache, ignore_errors=True)
            if not world.recorder.watching.cancel():
                world.recorder.watching.result()
