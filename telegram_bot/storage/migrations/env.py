"""Alembic's entry: runs the migrations on the connection that `upgrade` hands over."""

from alembic import context
from sqlmodel import SQLModel

from telegram_bot.storage import models as _models  # noqa: F401 - defines the tables
from telegram_bot.storage import phone_models as _phone_models  # noqa: F401 - defines the tables
from telegram_bot.storage import statistics_models as _statistics_models  # noqa: F401 - defines the tables
from telegram_bot.storage import web_models as _web_models  # noqa: F401 - defines the tables


def _is_compared(_: object, name: str | None, kind: str, reflected: bool, __: object) -> bool:
    """Return True unless it is a table without a model: the feature that stored it is gone, and its rows stay."""
    return kind != "table" or not reflected or name in SQLModel.metadata.tables


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    compare_type=True,
    include_object=_is_compared,
)
with context.begin_transaction():
    context.run_migrations()
