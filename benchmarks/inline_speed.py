"""How long the list over the text field takes: the read, the words and the JSON of one inline query.

`.venv/bin/python -m benchmarks.inline_speed` plays a round of six people with five dice each in a new SQLite file, in
which bids are made all the time, and asks for the lists of whoever is on turn.
"""

import asyncio
import json
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Final

from telegram import Bot, User

from perudo_core import Rules
from telegram_bot.app import CHANNELS
from telegram_bot.channels.telegram.inline_mode import PAGE, InlineMode
from telegram_bot.service import intents as i
from telegram_bot.service.config import ServiceConfig
from telegram_bot.service.own_tables import own_tables
from telegram_bot.service.service import Service
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import Table
from telegram_bot.words.chat.inline_results import inline_results

PEOPLE: Final = ("Ana", "Bo", "Cy", "Dee", "Eve", "Fay")
PLACE: Final = i.Place("telegram", -1001, 0, "Friends")
QUERIES: Final = ("", "4", "3x", "3x4", "5 fou", "zzz")
ROUNDS: Final = 60
HIGHEST: Final = 5
"""The highest quantity that is bid before somebody doubts."""


def person(number: int) -> i.Person:
    """Who has this seat."""
    return i.Person("telegram", 100 + number, PEOPLE[number], language="it")


async def begin(service: Service) -> None:
    """Six people sit down and begin."""
    wishes: list[i.What] = [i.OpenLobby(), *[i.Join()] * (len(PEOPLE) - 1)]
    for number, what in enumerate(wishes):
        await service.handle(i.Intent("telegram", f"join {number}", person(number), what, PLACE))
    await service.handle(i.Intent("telegram", "start", person(0), i.Start(), PLACE, table=1, answered_by="toast"))


def state(database: Database) -> Table:
    """The table as it is now."""
    with database.transaction() as session:
        return Table.model_validate(session.get_one(GameTable, 1).state)


async def answer(service: Service, inline: InlineMode, who: i.Person, typed: str) -> bytes:
    """What `InlineMode.answer` does, without the call of the Bot API."""
    own = await service.database.run(lambda session: own_tables(service.unit_of_work(session, ""), who))
    return json.dumps(inline.articles(inline_results(own, typed, in_group=True)[:PAGE])).encode()


async def measure(database: Database) -> dict[str, list[float]]:
    """The milliseconds of each query, by what was typed."""
    service = Service(database, ServiceConfig(rules=Rules.preset("box_2009"), channels=CHANNELS), rng=random.Random(1))
    bot = Bot("424242:none")
    bot._bot_user = User(424242, "Perudo", is_bot=True, username="perudo_bot")  # noqa: SLF001 - as after getMe
    inline = InlineMode(bot, service)
    await begin(service)
    took: dict[str, list[float]] = {typed: [] for typed in QUERIES}
    for number in range(ROUNDS):
        table = state(database)
        if table.game is None:
            raise RuntimeError("there is no game")
        turn = table.game.turn or 0
        for typed in QUERIES:
            begun = time.perf_counter()
            await answer(service, inline, person(turn), typed)
            took[typed].append(1000 * (time.perf_counter() - begun))
        bid = table.game.current_bid
        what = (
            i.CallDudo()
            if bid is not None and bid.quantity > HIGHEST
            else i.MakeBid((bid.quantity if bid else 0) + 1, 4)
        )
        await service.handle(
            i.Intent("telegram", f"call {number}", person(turn), what, PLACE, table=1, step=table.step)
        )
    return took


def main() -> None:
    """Print the milliseconds of each query."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(f"sqlite:///{Path(folder)}/perudo.db")
        schema.upgrade(database.engine)
        took = asyncio.run(measure(database))
        database.close()
    print("typed        median    95 %     max  (ms)")
    for typed, times in took.items():
        p95 = statistics.quantiles(times, n=20)[-1]
        print(f"{typed or '(nothing)':<12} {statistics.median(times):6.1f}  {p95:6.1f}  {max(times):6.1f}")


if __name__ == "__main__":
    main()
