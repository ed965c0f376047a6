"""Storage: SQLModel tables, the engine for SQLite and PostgreSQL, Alembic migrations."""
