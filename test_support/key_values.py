"""A test's rows in a database's key-value store."""

from contextlib import closing

from sqlmodel import select

from telegram_bot.storage.database import Database
from telegram_bot.storage.models import KeyValue


def note(url: str, what: str) -> None:
    with closing(Database(url)) as database:
        database.run_now(lambda session: session.add(KeyValue(key=what, value="1")))


def noted(url: str) -> list[str]:
    with closing(Database(url)) as database:
        return database.run_now(lambda session: sorted(session.exec(select(KeyValue.key))))
