"""Errors in the words of the command line."""

from __future__ import annotations


def explanation(error: Exception) -> str | None:
    """What somebody can do about the failures that are nobody's bug. None for the others: they deserve a traceback."""
    from sqlalchemy.exc import DBAPIError, NoSuchModuleError  # noqa: PLC0415

    from telegram_bot.errors import StartError  # noqa: PLC0415
    from telegram_bot.storage.schema import NewerSchemaError  # noqa: PLC0415

    words: str | None = None
    match error:
        case StartError():
            words = str(error)
        case NewerSchemaError():
            words = str(error)
        case NoSuchModuleError():
            words = "database_url names a database that is not supported: sqlite:///perudo.db or postgresql://…"
        case DBAPIError():
            words = f"the database does not work ({str(error.orig).splitlines()[0]}): try perudo-bot doctor"
        case ModuleNotFoundError(name="psycopg"):
            words = "PostgreSQL needs psycopg, of the bot's extra postgresql: make install and make run have it"
    return words
