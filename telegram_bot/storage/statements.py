"""Statements that every tap needs: SQLAlchemy makes their text once and executes it as the driver's own.

`Session.execute` takes about twice as long for each. What is not needed for every tap stays with SQLModel.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import JSON, Connection, CursorResult
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.dml import UpdateBase
from sqlalchemy.sql.selectable import SelectBase
from sqlmodel import Session

Clause = UpdateBase | SelectBase

_DIALECTS: Final = {"sqlite": sqlite.dialect(), "postgresql": psycopg.dialect(paramstyle="format")}  # type: ignore[no-untyped-call]
INSERTS: Final[dict[str, Callable[[Any], Any]]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
"""How each database spells `INSERT … ON CONFLICT`."""


def insert_into(session: Session, table: Any) -> Any:
    """An `INSERT` of the session's database, which knows `ON CONFLICT`."""
    return INSERTS[session.get_bind().dialect.name](table)


@dataclass(frozen=True, slots=True)
class _Text:
    sql: str
    parameters: tuple[tuple[str, Callable[[Any], Any] | None], ...]
    """In the order of the text: the name, and what makes a value one that the driver takes."""
    constants: dict[str, Any]


class Statement:
    """A statement of SQLAlchemy as text. Lists among the values fill `IN`; JSON is read as the driver gives it."""

    def __init__(self, clause: Clause | Callable[[Any], Clause]) -> None:
        """`clause`: the statement, or what makes it of a database's own `insert`."""
        self._clause = clause
        self._texts: dict[tuple[object, ...], _Text] = {}

    def all(self, session: Session, values: Mapping[str, Any]) -> list[tuple[Any, ...]]:
        """Execute the statement and return its rows; no rows if it has none to return."""
        result = self._executed(session, [values])
        return list(map(tuple, result)) if result.returns_rows else []

    def first(self, session: Session, values: Mapping[str, Any]) -> tuple[Any, ...] | None:
        """The first row, if there is one."""
        found = self._executed(session, [values]).fetchone()
        return None if found is None else tuple(found)

    def for_each(self, session: Session, rows: Sequence[Mapping[str, Any]]) -> int:
        """Execute the statement once for each of these, which contain no lists; return how many rows it changed."""
        return self._executed(session, rows).rowcount if rows else 0

    def _executed(self, session: Session, rows: Sequence[Mapping[str, Any]]) -> CursorResult[Any]:
        session.flush()  # as for any statement: it sees what the session holds
        connection = session.bind if isinstance(session.bind, Connection) else session.connection()
        rows = [
            {name: _padded(value) if isinstance(value, list) else value for name, value in row.items()} for row in rows
        ]
        key = (connection.dialect.name, *[len(value) for value in rows[0].values() if isinstance(value, list)])
        text = self._texts.get(key)
        if text is None:
            text = self._texts[key] = self._compiled(connection.dialect.name, rows[0])
        given = []
        for row in rows:
            values = _flat(row) if len(key) > 1 else row
            given.append(
                tuple(
                    [
                        (values[name] if process is None else process(values[name]))
                        if name in values
                        else text.constants[name]
                        for name, process in text.parameters
                    ]
                )
            )
        return connection.exec_driver_sql(text.sql, given if len(given) > 1 else given[0])

    def _compiled(self, dialect: str, values: Mapping[str, Any]) -> _Text:
        clause = self._clause(INSERTS[dialect]) if callable(self._clause) else self._clause
        compiled = clause.compile(dialect=_DIALECTS[dialect])
        assert isinstance(compiled, SQLCompiler)  # noqa: S101 - for the type checker
        missing = [*compiled.insert_prefetch, *compiled.update_prefetch]
        assert not missing, f"the models' defaults do not apply here: {missing}"  # noqa: S101 - a mistake of the author
        expanded = compiled.construct_expanded_state(dict(values))
        is_json = {name for name, bind in compiled.binds.items() if isinstance(bind.type, JSON)}
        parameters = tuple((name, _json if name in is_json else None) for name in expanded.positiontup or ())
        given = _flat(values)  # which must not be kept: there may be dice among them
        constants = {name: _plain(value) for name, value in expanded.parameters.items() if name not in given}
        return _Text(expanded.statement, parameters, constants)


def _padded(elements: list[Any]) -> list[Any]:
    """The list with its last element repeated: so there are few texts, each for a power of two, which mean the same."""
    return elements + elements[-1:] * ((1 << max(0, len(elements) - 1).bit_length()) - len(elements))


def _json(value: Any) -> str | None:
    """JSON as text; a text is JSON already."""
    return value if value is None or isinstance(value, str) else json.dumps(value)


def json_value(value: Any) -> Any:
    """A value of a JSON column as a `Statement` read it: SQLite's driver gives text, PostgreSQL's what it means."""
    return json.loads(value) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """Members of an Enum are strings for the driver."""
    return str(value) if isinstance(value, str) else value


def _flat(values: Mapping[str, Any]) -> dict[str, Any]:
    """Each element of a list under the name that SQLAlchemy gives it."""
    flat: dict[str, Any] = {}
    for name, value in values.items():
        if not isinstance(value, list):
            flat[name] = value
            continue
        for number, element in enumerate(value, start=1):
            if isinstance(element, tuple):
                flat.update((f"{name}_{number}_{place}", part) for place, part in enumerate(element, start=1))
            else:
                flat[f"{name}_{number}"] = element
    return flat
