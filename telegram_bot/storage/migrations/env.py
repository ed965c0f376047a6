"""Alembic's entry: runs the migrations on the connection that `upgrade` hands over."""

from alembic import context
from sqlmodel import SQLModel

from telegram_bot.storage import models as _models  # noqa: F401 - defines the tables
from telegram_bot.storage import phone_models as _phone_models  # noqa: F401 - defines the tables
from telegram_bot.storage import statistics_models as _statistics_models  # noqa: F401 - defines the tables
from telegram_bot.storage import web_models as _web_models  # noqa: F401 - defines the tables

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=SQLModel.metadata,
    render_as_batch=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
