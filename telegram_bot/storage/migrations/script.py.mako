"""${message}."""

import sqlalchemy as sa
% if upgrades and "sqlmodel." in upgrades:
import sqlmodel.sql.sqltypes
% endif
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = ${repr(branch_labels)}
depends_on = ${repr(depends_on)}


def upgrade() -> None:
    ${upgrades if upgrades else "pass"}
