"""A test's rows in a database's key-value store."""

from sqlmodel import Session, select

from telegram_bot.storage.database import connect
from telegram_bot.storage.models import KeyValue


def note(url: str, what: str) -> None:
    engine = connect(url)
    with Session(engine) as session:
        session.add(KeyValue(key=what, value="1"))
        session.commit()
    engine.dispose()


def noted(url: str) -> list[str]:
    engine = connect(url)
    with Session(engine) as session:
        found = sorted(session.exec(select(KeyValue.key)))
    engine.dispose()
    return found
