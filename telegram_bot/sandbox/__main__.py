"""A sandbox alone, for a bot that somebody else starts: python -m telegram_bot.sandbox --help."""

import argparse
import asyncio
import contextlib
import json
import signal
import sys
from dataclasses import replace

from telegram_bot.sandbox.server import PortTakenError, running_sandbox
from telegram_bot.sandbox.settings import SandboxSettings

FAILED = 1


def options(arguments: list[str]) -> SandboxSettings:
    """The settings that a command line asks for."""
    usual = SandboxSettings()
    parser = argparse.ArgumentParser(prog="python -m telegram_bot.sandbox", description=__doc__)
    parser.add_argument("--host", default=usual.host, help=f"where to listen ({usual.host})")
    parser.add_argument("--port", type=int, default=usual.port, help=f"0 takes any free one ({usual.port})")
    parser.add_argument(
        "--people", type=int, metavar="COUNT", help="so many people, P1, P2 …, instead of Ana, Bo, Cy, Dee"
    )
    parser.add_argument("--no-flood-limits", action="store_true", help="let the bot send as fast as it can")
    parser.add_argument("--no-audit", action="store_true", help="for load: check less, remember less")
    chosen = parser.parse_args(arguments)
    people = usual.people if chosen.people is None else tuple(f"P{number + 1}" for number in range(chosen.people))
    return replace(
        usual,
        host=chosen.host,
        port=chosen.port,
        people=people,
        flood_limits=not chosen.no_flood_limits,
        audit=not chosen.no_audit,
    )


async def serve(settings: SandboxSettings) -> int:
    """Serve until interrupted; the first line of output says where, as JSON."""
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        with contextlib.suppress(NotImplementedError):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        async with running_sandbox(settings) as sandbox:
            where = {
                "url": sandbox.url,
                "token": sandbox.token,
                "api_base_url": sandbox.bot_base_url,
                "api_file_url": sandbox.file_base_url,
            }
            sys.stdout.write(f"{json.dumps(where)}\n")
            sys.stdout.flush()
            await stop.wait()
    except PortTakenError as error:
        sys.stderr.write(f"The sandbox cannot start: {error}.\n")
        return FAILED
    return 0


if __name__ == "__main__":
    sys.exit(asyncio.run(serve(options(sys.argv[1:]))))
