"""The session of one transaction, which bypasses the ORM where it only costs time."""

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, TypeVar, cast

from sqlalchemy import ColumnElement, Connection, RowMapping, Select, select
from sqlmodel import Session, SQLModel
from sqlmodel.sql.expression import SelectOfScalar

Model = TypeVar("Model", bound=SQLModel)


def columns_of(model: type[SQLModel]) -> Select[Any]:
    """Return the statement that reads the columns of a model, for `plain`."""
    return select(*model.__table__.columns)  # type: ignore[attr-defined]


def plain(_: type[Model], columns: Mapping[str, Any] | RowMapping) -> Model:
    """Return a row that belongs to no session: the ORM takes longer to build one than a message to compare."""
    return cast("Model", SimpleNamespace(**columns))


class TransactionSession(Session):
    """A session that reads columns without the ORM, which takes three times as long, and keeps its connection."""

    _connection: Connection | None = None

    def connection(self, *args: Any, **options: Any) -> Connection:
        """Return the connection of the transaction."""
        if self._connection is None:
            self._connection = super().connection(*args, **options)
        return self._connection

    def exec(self, statement: Any, **options: Any) -> Any:
        """Run a statement; read whole rows with the ORM, and columns without it."""
        columns = getattr(statement, "_raw_columns", (None,))  # there is no public way as quick
        if not all(isinstance(column, ColumnElement) for column in columns):
            return super().exec(statement, **options)
        self._autoflush()
        result = self.connection().execute(statement, options.get("params"))
        return result.scalars() if isinstance(statement, SelectOfScalar) else result
