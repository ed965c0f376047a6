"""Rows about a person or a table are deleted with them, even if the code that wrote them was removed."""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

REFERENCES = {
    "award": {"player_id": "player"},
    "daily_decision": {"player_id": "player"},
    "player_statistics": {"player_id": "player"},
    "prediction": {"table_id": "game_table", "player_id": "player"},
}


def upgrade() -> None:
    for table, references in REFERENCES.items():
        with op.batch_alter_table(table) as batch:
            for column, referred in references.items():
                name = f"fk_{table}_{column}_{referred}"
                batch.drop_constraint(name, type_="foreignkey")
                batch.create_foreign_key(name, referred, [column], ["id"], ondelete="CASCADE")
