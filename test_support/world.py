"""A sandbox, the real bot in a process of its own, and people who see only their own screens."""

import asyncio
import ctypes
import json
import multiprocessing
import os
import shutil
import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Literal, TypeVar

from sqlalchemy import create_engine, text

from telegram_bot import sandbox_launcher
from telegram_bot.sandbox_launcher.phones import Phones
from telegram_sandbox import RunningSandbox, running_sandbox
from test_support.bot_process import ended, start_bot
from test_support.open_database import copy_migrated_database
from test_support.person import Person
from test_support.screen_recorder import PATIENCE, Json, ScreenRecorder

W = TypeVar("W", bound="World")
ROOT = Path(__file__).parents[1]
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
WAITING = {
    "undone": "SELECT cause, attempts, error FROM inbox WHERE done_at IS NULL",
    "unsent": "SELECT * FROM outbox WHERE status IN ('pending', 'sending')",
}


class World:
    """One sandbox with its people, one bot, one database."""

    served = staticmethod(running_sandbox)
    size = 1
    """How many processes the bot has."""

    def __init__(
        self, sandbox: RunningSandbox, folder: Path, database_url: str, plan: Json, variables: dict[str, str]
    ) -> None:
        self.sandbox = sandbox
        self.folder = folder
        self.database_url = database_url
        self.engine = create_engine(database_url, pool_pre_ping=True)
        # The bots of one cache share the process that hears voice notes. A short path: it contains a socket.
        self.cache = Path(tempfile.mkdtemp(prefix="perudo-"))
        self.log = folder / "bot.log"
        self.recorder = ScreenRecorder(sandbox.world, self.log)
        self.people = {name: Person(self.recorder, sandbox.user(name)) for name in sandbox.people}
        self.group = sandbox.world.chats[sandbox.group_id]
        self.variables = variables
        self.plan = plan
        self.bots: dict[int, BaseProcess] = {}
        self.readers: dict[int, ctypes.c_int] = {}
        """How many readers each bot still compares."""
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

    def text(self, words: str) -> None:
        """Let Gran text the bot."""
        (phones,) = (one for one in self.sandbox.world.extensions if isinstance(one, Phones))
        (gran,) = phones.phones
        phones.text_bot(gran, words)

    # The bot

    def environment(self, number: int) -> dict[str, str]:
        """Return the variables of one of the bot's processes."""
        del number
        own = {name: value for name, value in os.environ.items() if not name.startswith(("PERUDO_", "DATABASE_URL"))}
        return own | {
            "PERUDO_TOKEN": self.sandbox.token,
            "PERUDO_API_BASE_URL": self.sandbox.bot_base_url,
            "DATABASE_URL": self.database_url,
            "PERUDO_TABLE__RULEBOOK": "box_2009",
            "PERUDO_PICTURES__REVEALS": "false",  # what a picture shows its caption leaves out, and tests read
            "PERUDO_POLLING__PROBE_SECONDS": "0",
            "PERUDO_VOICE__SECONDS": "60",  # a busy machine hears a note as well
            "XDG_CACHE_HOME": str(self.cache),
            "BOT_PLAN": json.dumps(self.plan),
            **self.variables,
        }

    def spawn(self, number: int) -> BaseProcess:
        self.readers[number] = multiprocessing.Value("i", 0, lock=False)
        return start_bot(self.environment(number), self.folder, self.log, self.readers[number])

    async def restart(self) -> None:
        """Start each process that does not run, and wait until one plays."""
        self.calls_before = self.sandbox.world.calls.total
        for number in range(self.size):
            if number not in self.bots or self.bots[number].exitcode is not None:
                self.bots[number] = self.spawn(number)
        await self.playing()

    async def playing(self) -> int:
        """Wait until a process plays; return its number."""

        def asked() -> bool:
            assert self.bots[0].exitcode is None, self.log.read_text()
            return any(call.method == "getUpdates" for call in self.sandbox.world.calls.since(self.calls_before))

        await self.recorder.until(asked, "the bot to ask for updates")
        return 0

    async def kill(self) -> None:
        """Kill the process that plays with SIGKILL."""
        bot = self.bots[await self.playing()]
        bot.kill()
        await ended(bot)

    async def stop_bot(self) -> int:
        """Ask all processes to stop; return the largest exit code."""
        for bot in self.bots.values():
            bot.terminate()
        async with asyncio.timeout(PATIENCE):
            return max([abs(await ended(bot)) for bot in self.bots.values()])

    async def destroy_bot(self) -> None:
        for bot in self.bots.values():
            bot.kill()
            await ended(bot)

    # The database

    def rows(self, query: str, **values: Any) -> list[tuple[Any, ...]]:
        """Query the bot's database; JSON columns are text."""
        with self.engine.connect() as connection:
            found = connection.execute(text(query), values).all()
        return [tuple(json.dumps(cell) if isinstance(cell, dict | list) else cell for cell in row) for row in found]

    async def settled(self, within: float = PATIENCE) -> None:
        """Wait until no update, no notice and no reader waits."""

        def quiet() -> bool:
            if len(self.sandbox.world.updates):
                return False
            ((self.newest_settled,),) = self.rows("SELECT coalesce(max(id), 0) FROM outbox")
            return not any(map(self.rows, WAITING.values())) and not any(each.value for each in self.readers.values())

        try:
            async with asyncio.timeout(within):
                calm = 0
                while calm < 2:
                    calm = calm + 1 if quiet() else 0
                    await asyncio.sleep(0.03)
        except TimeoutError:
            waits = "".join(f"{what}: {self.rows(query)}\n" for what, query in WAITING.items())
            waits += f"unheard: {len(self.sandbox.world.updates)}\n"
            waits += f"readers: {[each.value for each in self.readers.values()]}\n"
            raise AssertionError(f"not settled within {within} s\n{waits}{self.log.read_text()[-3000:]}") from None

    def expect(self, what: Literal["error", "log line", "sending"], pattern: str, *, must: bool = True) -> None:
        """Expect what else fails the test.

        An `error` of the Bot API is `method: description`; a `log line` has a warning or an error of the bot; a
        `sending` that fails is `status: error`.
        """
        self.expected[what][pattern] = must


@asynccontextmanager
async def opened(
    folder: Path,
    kind: type[W],
    *,
    plan: Json | None = None,
    database_url: str | None = None,
    with_phone: bool = False,
    with_pages: bool = False,
    variables: dict[str, str] | None = None,
    **sandbox: Any,
) -> AsyncIterator[W]:
    """Yield a world with a running bot, for the length of a `with`.

    Without a `database_url` it has a new SQLite file. `with_phone`: Gran can text. `with_pages`: the bot serves the
    pages of the web seat, as in `make play`. `variables`: more for the bot; `sandbox`: more fields of its settings.
    """
    settings = replace(
        sandbox_launcher.SETTINGS,
        port=0,
        chat_burst=1,  # stricter than Telegram: the bot keeps its pace and needs no patience for bursts
        judge=True,
        remembered_calls=100_000,
        inline_query_lives_seconds=PATIENCE,
        inline_answer_seconds=PATIENCE,
        **{"people": ("Ana", "Bo", "Cy", "Dee"), "flood_limits": False, **sandbox},
    )
    if with_phone:
        settings = sandbox_launcher.with_phone(settings)
    if with_pages:
        settings = sandbox_launcher.with_pages(settings)
    async with kind.served(settings) as running:
        usual = AT_ONCE | ({} if settings.flood_limits else UNHURRIED)
        usual |= sandbox_launcher.page_variables(settings, running.url)
        usual |= sandbox_launcher.sms_variables(settings, running.url)
        url = database_url or f"sqlite:///{copy_migrated_database(folder / 'perudo.db')}"
        world = kind(running, folder, url, plan or {}, usual | (variables or {}))
        try:
            await world.restart()
            yield world
        finally:
            await world.destroy_bot()
            world.engine.dispose()
            shutil.rmtree(world.cache, ignore_errors=True)
