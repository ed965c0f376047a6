"""Statements that go to the driver as text: rows and errors are as by SQLAlchemy, and no value is kept."""

import pytest
from sqlalchemy import bindparam, insert, select, tuple_
from sqlalchemy.exc import IntegrityError
from sqlmodel import Session, SQLModel
from sqlmodel import select as model_select

from telegram_bot.storage.database import Database
from telegram_bot.storage.models import InboxEntry, KeyValue
from telegram_bot.storage.statements import Statement

NOTES = SQLModel.metadata.tables["note"]
INBOX = SQLModel.metadata.tables["inbox"]
ADD = Statement(insert(NOTES).values(key=bindparam("the_key"), value=bindparam("the_value")))
FIND = Statement(select(NOTES.c.key).where(NOTES.c.key.in_(bindparam("keys", expanding=True))).order_by(NOTES.c.key))


def test_lists_of_any_length_fill_a_statement(database: Database) -> None:
    of_pairs = tuple_(NOTES.c.key, NOTES.c.value).in_(bindparam("pairs", expanding=True))
    pairs = Statement(select(NOTES.c.key).where(of_pairs))
    with database.transaction() as session:
        for key in "abc":
            ADD.all(session, {"the_key": key, "the_value": key * 2})
        for wanted in ([], ["b"], ["c", "a"], ["a", "b", "c", "d"]):
            assert [key for (key,) in FIND.all(session, {"keys": wanted})] == sorted(set(wanted) & set("abc"))
        assert pairs.all(session, {"pairs": [("a", "aa"), ("b", "cc")]}) == [("a",)]
        assert FIND.first(session, {"keys": ["x"]}) is None


def test_a_statement_sees_what_the_session_holds(database: Database) -> None:
    with database.transaction() as session:
        session.add(KeyValue(key="new", value="1"))
        assert FIND.first(session, {"keys": ["new"]}) == ("new",)


def test_json_is_stored_as_the_models_store_it(database: Database) -> None:
    add = Statement(
        insert(INBOX)
        .values(source="s", received_at=1.0, attempts=0, claimed_until=0)
        .values(cause=bindparam("cause"), payload=bindparam("payload"))
        .returning(INBOX.c.id)
    )
    with database.transaction() as session:
        for cause, payload in (("value", {"a": "é"}), ("text", '{"a":"é"}'), ("none", None)):
            assert add.first(session, {"cause": cause, "payload": payload})
        rows = {row.cause: row.payload for row in session.exec(model_select(InboxEntry))}
    assert rows == {"value": {"a": "é"}, "text": {"a": "é"}, "none": None}


def test_errors_are_sqlalchemys_and_quote_no_value(database: Database) -> None:
    row = {"the_key": "⚀⚁⚂", "the_value": "secret dice"}
    database.run_now(lambda session: ADD.all(session, row))
    with Session(database.engine) as session, pytest.raises(IntegrityError) as error:
        ADD.all(session, row)
    assert "⚀" not in str(error.value)
    assert "secret" not in str(error.value)


def test_a_default_of_a_model_is_not_forgotten_silently(database: Database) -> None:
    add = Statement(insert(INBOX).values(source="s", cause="c", received_at=1.0))
    with database.transaction() as session, pytest.raises(AssertionError, match="claimed_until"):
        add.all(session, {})


def test_nothing_of_the_values_is_kept(database: Database) -> None:
    add = Statement(insert(NOTES).values(key=bindparam("the_key"), value=bindparam("the_value")))
    with database.transaction() as session:
        add.all(session, {"the_key": "k", "the_value": "secret dice"})
        FIND.all(session, {"keys": ["secret dice"]})
    assert "secret" not in repr([*add._texts.values(), *FIND._texts.values()])
    with pytest.raises(KeyError), database.transaction() as session:
        add.all(session, {"the_key": "another"})
