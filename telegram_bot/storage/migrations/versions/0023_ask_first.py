"""A host chooses whether people who scan the big screen's code have to ask."""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"


def upgrade() -> None:
    op.add_column("web_room", sa.Column("asks_first", sa.Boolean(), nullable=True))
