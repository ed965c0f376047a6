"""The rows that refer to a row, as the schema names them: a new table cannot be forgotten."""

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Column, delete, exists, select, text, update
from sqlmodel import Session, SQLModel


def references_to(model: type[SQLModel]) -> Iterator[Column[Any]]:
    """Return the columns of all tables that refer to the `id` of a table."""
    target = SQLModel.metadata.tables[str(model.__tablename__)].c["id"]
    for table in SQLModel.metadata.sorted_tables:
        yield from (foreign.parent for foreign in table.foreign_keys if foreign.column is target)


def move_references(session: Session, model: type[SQLModel], old: int, new: int) -> None:
    """Let all rows that refer to the old row refer to the new one; of two rows that exclude each other that remains."""
    for column in references_to(model):
        table, own = column.table, column == old
        if column.primary_key:
            twin = table.alias()
            same = [key == twin.c[key.name] for key in table.primary_key if key is not column]
            taken = exists().where(twin.c[column.name] == new, *same).correlate(table)
            session.execute(delete(table).where(own, taken))
        for index in table.indexes:
            condition = index.dialect_options["sqlite"]["where"]
            if index.unique and list(index.columns) == [column] and condition is not None:
                limited = text(str(condition))
                if session.execute(select(column).where(column == new, limited)).first() is not None:
                    session.execute(delete(table).where(own, limited))
        session.execute(update(table).where(own).values({column: new}))
