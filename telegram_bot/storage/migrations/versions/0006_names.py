"""Renamed columns: web pages are called pages, the menus of a lobby menus."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for change in (
        "ALTER TABLE game_table RENAME COLUMN page TO menu",
        "ALTER TABLE player RENAME COLUMN window_open TO page_open",
    ):
        op.execute(sa.text(change))
