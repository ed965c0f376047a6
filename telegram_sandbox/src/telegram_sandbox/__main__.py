"""The command line: a sandbox alone, or with a bot in it. python -m telegram_sandbox --help."""

import argparse
import asyncio
import json
import sys

from telegram_sandbox import launcher
from telegram_sandbox.errors import StartError
from telegram_sandbox.server import RunningSandbox, running_sandbox
from telegram_sandbox.settings import SandboxSettings

DESCRIPTION = """A Telegram Bot API server for one machine, with a page on which you play everyone in a group chat.
With COMMAND it starts your bot as well, which finds BOT_TOKEN, BOT_API_BASE_URL and BOT_API_FILE_URL in its
environment."""


def main(arguments: list[str] | None = None) -> int:
    """Run until Ctrl-C or SIGTERM; return the exit status."""
    chosen = _parser().parse_args(arguments)
    settings = _settings(chosen)
    if chosen.command:
        return asyncio.run(launcher.run(settings, chosen.command))
    return asyncio.run(serve(settings, as_json=chosen.json))


async def serve(settings: SandboxSettings, *, as_json: bool) -> int:
    """Serve a sandbox alone until interrupted; the first lines of output contain its addresses."""
    stop = asyncio.Event()
    with launcher.stopped_by_signals(stop):
        try:
            async with running_sandbox(settings) as sandbox:
                launcher.warn_if_open(settings)
                where = _addresses(sandbox)
                sys.stdout.write(f"{json.dumps(where) if as_json else TEXT.format(**where)}\n")
                sys.stdout.flush()
                await stop.wait()
        except StartError as error:
            sys.stderr.write(f"The sandbox cannot start: {error}.\n")
            return launcher.FAILED
    return launcher.STOPPED


def _parser() -> argparse.ArgumentParser:
    """Return the options, each under the name of its setting."""
    usual = SandboxSettings()
    parser = argparse.ArgumentParser(prog="python -m telegram_sandbox", description=DESCRIPTION)
    add = parser.add_argument
    add("--host", default=usual.host, help="where to listen (%(default)s)")
    add("--port", type=int, default=usual.port, help="the page's port, or the next free; 0 is any (%(default)s)")
    add("--bot-port", type=int, default=usual.bot_port, help="the bot's own port (any free one)")
    add("--allow-host", dest="allowed_hosts", action="append", metavar="NAME", help="a name of this machine; repeat it")
    add("--deliver-anywhere", action="store_true", help="let webhooks lead to other machines")
    add("--token", default=usual.token, help="the token that the bot must use (a new one each time)")
    add("--bot-username", default=usual.bot_username, help="the bot's @name (%(default)s)")
    add("--bot-name", default=usual.bot_name, help="the bot's first name (%(default)s)")
    add("--group", dest="group_title", default=usual.group_title, help="the first group's title (%(default)s)")
    people = f"who is in it; repeat it ({', '.join(usual.people)})"
    add("--person", dest="people", action="append", metavar="NAME", help=people)
    inline = "inline mode, with every chosen result told to the bot"
    add("--inline", dest="inline_mode", action="store_true", help=inline)
    reads = "let the bot read everything in groups, as /setprivacy in BotFather does"
    add("--no-privacy-mode", dest="privacy_mode", action="store_false", help=reads)
    add("--bot-admin", dest="bot_is_admin", action="store_true", help="make the bot an admin of every group")
    add("--guest-mode", action="store_true", help="let people ask the bot by its name where it is not")
    add("--no-flood-limits", dest="flood_limits", action="store_false", help="let the bot send as fast as it can")
    add("--judge", action="store_true", help="check every call with the models of aiogram (telegram-sandbox[schema])")
    add("--no-log", dest="keep_log", action="store_false", help="for load tests: remember less of the bot's calls")
    add("--json", action="store_true", help="print the addresses and the token as one line of JSON")
    add("command", nargs=argparse.REMAINDER, metavar="COMMAND", help="starts your bot")
    return parser


def _settings(chosen: argparse.Namespace) -> SandboxSettings:
    given = {name: value for name, value in vars(chosen).items() if name not in ("json", "command")}
    given["allowed_hosts"] = tuple(chosen.allowed_hosts or ())
    given["people"] = tuple(chosen.people or SandboxSettings().people)
    return SandboxSettings(**given, inline_feedback=float(chosen.inline_mode))


TEXT = """The sandbox is at {url}
Token:    {token}
Bot API:  {api_base_url}
Files:    {api_file_url}"""


def _addresses(sandbox: RunningSandbox) -> dict[str, str]:
    return {
        "url": sandbox.url,
        "token": sandbox.token,
        "api_base_url": sandbox.bot_base_url,
        "api_file_url": sandbox.file_base_url,
    }


if __name__ == "__main__":
    sys.exit(main())
