"""A page of a person of another channel knows the room that it shows, in place of one flag for all rooms."""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    op.drop_column("player", "window_open")
    op.add_column("web_session", sa.Column("shown_chat_id", sa.Integer(), nullable=True))
    op.create_index("ix_web_session_shown_chat_id", "web_session", ["shown_chat_id"])
