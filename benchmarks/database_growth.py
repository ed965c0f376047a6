"""The growth of the database by finished games, and what pruning frees: `python -m benchmarks.database_growth`."""

import argparse
import asyncio
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Final

from benchmarks.bot_load.seed import seed
from telegram_bot.operations.pruning import DAY_SECONDS, Pruning
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database

MIB: Final = 2**20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=1000)
    measure(parser.parse_args().games)


def measure(games: int) -> None:
    """Print a line for each stage of so many finished games."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "perudo.db")
        url = f"sqlite:///{file}"
        asyncio.run(seed(url, 1, past=games))
        tell(file, f"{games} games, just over")
        for days, what in ((8, "a week later: updates and notices are pruned"), (366, "a year later: games too")):
            asyncio.run(prune(url, days))
            tell(file, what)
        with closing(sqlite3.connect(file)) as connection:
            connection.execute("VACUUM")
        tell(file, "after VACUUM")


async def prune(url: str, days: int) -> None:
    """Let housekeeping run once, so many days from now."""
    database = Database(url)
    keep = Settings().storage.keep_games_days
    await Pruning(database, lambda: time.time() + days * DAY_SECONDS, keep_games_days=keep).run()
    database.close()


def tell(file: Path, what: str) -> None:
    """Measure the file's size, and the part of it that is free for later rows."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (page,) = connection.execute("PRAGMA page_size").fetchone()
        (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    print(f"{what}: {file.stat().st_size / MIB:.1f} MiB, of which {free * page / MIB:.1f} MiB free")


if __name__ == "__main__":
    main()
