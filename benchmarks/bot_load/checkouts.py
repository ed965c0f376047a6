"""Run the bot of an earlier commit: a folder with its files, and a database that its own code has filled."""

import asyncio
import io
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Final

PROJECT: Final = Path(__file__).resolve().parents[2]


def checked_out(commit: str, folder: Path) -> Path:
    """Return the folder with the files of a commit."""
    archive = subprocess.run(["git", "archive", commit], cwd=PROJECT, capture_output=True, check=True)  # noqa: S603, S607
    with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
        files.extractall(folder / commit)  # noqa: S202 - our own commit; Python before 3.11.4 has no filters
    return folder / commit


def environment(source: Path) -> dict[str, str]:
    """Variables with which Python imports a checkout, and keeps what it compiles, as an installed bot does."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": os.pathsep.join((str(source), str(source / "perudo_core/src")))}


async def seed_by(source: Path, url: str, tables: int, *, seats: int, past: int) -> None:
    """Fill a database by the models of a checkout; see `seed`."""
    call = f"asyncio.run(seed({url!r}, {tables}, seats={seats}, past={past}))"
    program = f"import asyncio; from benchmarks.bot_load.seed import seed; {call}"
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, env=environment(source), cwd=source)
    if await process.wait():
        raise RuntimeError("the database could not be filled")
