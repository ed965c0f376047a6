"""Copy every row of one database into another, SQLite or PostgreSQL. An error leaves the copy empty."""

import time
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final

from sqlalchemy import (
    JSON,
    Column,
    ColumnElement,
    Connection,
    Engine,
    Insert,
    MetaData,
    Select,
    Table,
    Text,
    bindparam,
    cast,
    func,
    insert,
    inspect,
    make_url,
    select,
    text,
)
from sqlmodel import col

from telegram_bot.errors import OperatorError
from telegram_bot.storage import schema
from telegram_bot.storage.database import connect, sqlite_file
from telegram_bot.storage.key_value import as_time
from telegram_bot.storage.models import HEARTBEAT, KeyValue
from telegram_bot.storage.process_lock import single_process_lock

BATCH: Final = 1000
PROGRESS_SECONDS: Final = 2.0
LONG_IDLE_SECONDS: Final = 60.0
"""A bot with an older heartbeat is not running, even if its machine's clock is wrong."""
IDLE_SECONDS: Final = 25.0
"""How long to watch a newer heartbeat for a change. A running bot renews its heartbeat every ten seconds."""


def copy_database(
    source_url: str,
    target_url: str,
    *,
    tell: Callable[[str], None],
    now: Callable[[], float] = time.time,
    sleep: Callable[[float], None] = time.sleep,
) -> int:
    """Copy every table, compare the copies, and return the number of rows. The target is committed once, at the end.

    Raises:
        OperatorError: nothing was copied; the target is still empty.
    """
    file = sqlite_file(source_url)
    if file is not None and not file.exists():
        raise OperatorError(f"{file} is not there")
    if make_url(source_url) == make_url(target_url):
        raise OperatorError("both are the same database")
    with single_process_lock(source_url), single_process_lock(target_url):
        return _copy_database(source_url, target_url, tell, now, sleep)


def _copy_database(
    source_url: str,
    target_url: str,
    tell: Callable[[str], None],
    now: Callable[[], float],
    sleep: Callable[[float], None],
) -> int:
    source, target = connect(source_url), connect(target_url)
    try:
        schema.require_current(source, "the database to copy")
        tables = _tables_of(source)
        _require_no_other_tables(target, tables)
        wait_until_idle(source, tell, now, sleep)
        schema.upgrade(target)
        with target.connect() as connection:
            _require_empty(connection, tables)
        with source.begin() as old, target.begin() as new:  # on SQLite no other process can write then
            names = ", ".join(table.name for table in tables)
            for connection, mode in ((old, "SHARE"), (new, "EXCLUSIVE")):
                if connection.dialect.name == "postgresql":
                    connection.execute(text(f"LOCK TABLE {names} IN {mode} MODE"))
            _require_empty(new, tables)
            return sum(_copy(old, new, table, tell) for table in tables)
    finally:
        source.dispose()
        target.dispose()


# Conditions before the copy


def _tables_of(source: Engine) -> Sequence[Table]:
    """Return the tables as the database itself lists them: a table without a model in this version is copied as well.

    They are ordered so that each row is copied after the rows to which it refers.
    """
    metadata = MetaData()
    metadata.reflect(source, only=lambda name, _: name != "alembic_version")
    return metadata.sorted_tables


def _require_no_other_tables(target: Engine, tables: Sequence[Table]) -> None:
    strange = set(inspect(target).get_table_names()) - {table.name for table in tables} - {"alembic_version"}
    if strange:
        names = ", ".join(sorted(strange))
        raise OperatorError(f"the target holds other tables ({names}): give the bot a database of its own")


def _require_empty(target: Connection, tables: Sequence[Table]) -> None:
    for table in tables:
        if target.execute(select(table).limit(1)).first() is not None:
            raise OperatorError(
                f"the target is not empty, there are rows in {table.name}: nothing is copied over a game"
            )


def wait_until_idle(
    source: Engine, tell: Callable[[str], None], now: Callable[[], float], sleep: Callable[[float], None]
) -> None:
    """Refuse a database whose heartbeat shows that a bot uses it. For SQLite the process lock has excluded that."""
    if source.dialect.name == "sqlite":
        return
    last = _beats(source)
    if not last or now() - max(as_time(beat) or 0 for beat in last.values()) > LONG_IDLE_SECONDS:
        return
    tell(f"Watching for {IDLE_SECONDS:.0f} seconds whether a bot still runs there")
    for _ in range(int(IDLE_SECONDS)):
        sleep(1)
        if _beats(source) != last:
            raise OperatorError("a bot runs on the database: stop it, or what is played meanwhile would be lost")


def _beats(source: Engine) -> dict[str, str]:
    with source.connect() as connection:
        query = select(col(KeyValue.key), col(KeyValue.value)).where(col(KeyValue.key).startswith(HEARTBEAT))
        return {row.key: row.value for row in connection.execute(query)}


# Copying


def _copy(old: Connection, new: Connection, table: Table, tell: Callable[[str], None]) -> int:
    """Copy one table, read it back and compare."""
    total = old.execute(select(func.count()).select_from(table)).scalar_one()
    columns = list(table.columns)
    statement = _insertion(table, new)
    there = _Digest()
    reported_at = time.monotonic()
    for batch in _batches(old, columns):
        rows = batch
        if new.dialect.name == "postgresql":  # a text cannot contain NUL, which is invisible in a name
            rows = [tuple(v.replace("\0", "") if isinstance(v, str) else v for v in row) for row in batch]
        new.execute(statement, [{f"new_{c.name}": v for c, v in zip(columns, row, strict=True)} for row in rows])
        there.add(rows)
        if time.monotonic() - reported_at > PROGRESS_SECONDS:
            reported_at = time.monotonic()
            tell(f"{table.name:<14} {there.rows:>9} of {total}")
    _continue_numbers(new, table)
    here = _Digest()
    for rows in _batches(new, columns):
        here.add(rows)
    if (here.rows, here.sum) != (total, there.sum):
        raise OperatorError(f"{table.name}: {total} rows went in and {here.rows} came out, or others: nothing is kept")
    tell(f"{table.name:<{max(map(len, table.metadata.tables))}} {total:>9} rows, checksum {here.sum % 2**32:08x}")
    return int(total)


def _batches(connection: Connection, columns: Sequence[Column[Any]]) -> Iterator[Sequence[tuple[Any, ...]]]:
    """Yield all rows as stored: JSON columns stay text."""
    shown = (cast(each, Text).label(each.name) if isinstance(each.type, JSON) else each for each in columns)
    query: Select[*tuple[Any, ...]] = select(*shown).execution_options(yield_per=BATCH)
    for rows in connection.execute(query).partitions():
        yield [tuple(row) for row in rows]


def _insertion(table: Table, new: Connection) -> Insert:
    def value(column: Column[Any]) -> ColumnElement[Any]:
        if not isinstance(column.type, JSON):
            return bindparam(f"new_{column.name}", type_=column.type)
        written = bindparam(f"new_{column.name}", type_=Text())
        return cast(written, JSON) if new.dialect.name == "postgresql" else written

    return insert(table).values({column.name: value(column) for column in table.columns})


def _continue_numbers(new: Connection, table: Table) -> None:
    """Set PostgreSQL's sequences to continue after the last copied row; SQLite does so by itself."""
    column = table.autoincrement_column
    if new.dialect.name != "postgresql" or column is None:
        return
    last = new.execute(select(func.max(column))).scalar_one()
    if last is not None:
        new.execute(select(func.setval(func.pg_get_serial_sequence(table.name, column.name), last)))


class _Digest:
    """Counts rows and adds up their hashes. The order of rows, which differs between databases, changes neither."""

    def __init__(self) -> None:
        self.rows = 0
        self.sum = 0

    def add(self, rows: Sequence[tuple[Any, ...]]) -> None:
        self.rows += len(rows)
        for row in rows:
            self.sum += int.from_bytes(sha256(repr(row).encode()).digest())
