"""`python -m test_support.migration NAME` writes a migration for changed models; read it before you keep it."""

import subprocess
import sys
import tempfile

from telegram_bot.feature import install
from telegram_bot.features import FEATURES
from telegram_bot.storage import schema
from telegram_bot.storage.database import connect

if __name__ == "__main__":
    install(FEATURES)
    with tempfile.TemporaryDirectory() as scratch:
        engine = connect(f"sqlite:///{scratch}/empty.db")
        schema.upgrade(engine)
        written = schema.revise(engine, sys.argv[1])
        engine.dispose()
    for fix in ("check --fix", "format"):
        subprocess.run([sys.executable, "-m", "ruff", *fix.split(), "--quiet", written], check=False)  # noqa: S603 - our own linter
