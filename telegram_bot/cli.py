"""The command line, `perudo-bot`.

A command imports its modules when it runs, so that `--help` is quick and Ctrl-C works from the start.
"""

from __future__ import annotations

import argparse
import atexit
import gc
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from telegram_bot.errors import MisconfiguredError, OperatorError

if TYPE_CHECKING:
    from telegram_bot.settings import Settings

FINE, FAILED, MISUSED, INTERRUPTED = 0, 1, 2, 130
"""MISUSED is for wrong settings too: the units in config/deploy do not restart the bot after it."""
OBJECTS_BEFORE_COLLECTION: Final = 50_000
"""With Python's 700, the garbage collector takes a quarter of the time of a start."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit status."""
    if arguments is None:  # a process of its own, most of whose objects are modules, which stay
        gc.set_threshold(OBJECTS_BEFORE_COLLECTION)
        atexit.register(gc.freeze)  # the end of the process visits none of them
    options = _parser().parse_args(arguments)
    os.umask(0o077)  # dice are in the bot's files
    if options.command in {run, sandbox}:
        for each in (signal.SIGINT, signal.SIGTERM):
            signal.signal(each, _leave)
    try:
        status: int = options.command(options)
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as error:
        if words := _explanation(error):
            _complain(*words.split("\n"))
            return MISUSED if isinstance(error, MisconfiguredError) else FAILED
        raise
    return status


SERVER_FILES: Final = (
    "backup-perudo.service",
    "backup-perudo.timer",
    "Caddyfile",
    "nginx.conf",
    "perudo",
    "perudo.env.example",
    "perudo.service",
    "perudo@.service",
    "prometheus.yml",
)
"""The files of `config/deploy` that `init` writes; the wheel lists them by name, so no other file gets into it."""

# Commands


def run(options: argparse.Namespace) -> int:
    """Play: the bot itself, until it is stopped."""
    settings = _settings(options)
    settings.require_token()
    from telegram_bot import app  # noqa: PLC0415
    from telegram_bot.confinement import hide_memory  # noqa: PLC0415
    from telegram_bot.observability import logging  # noqa: PLC0415
    from telegram_bot.operations.until_stopped import until_stopped  # noqa: PLC0415

    hide_memory()  # it contains the token, and programs of the same user read strangers' data
    logging.set_up(settings)
    until_stopped(app.run(settings))
    return FINE


def sandbox(options: argparse.Namespace) -> int:
    """Try it out: a chat in your browser, with the bot in it. Needs no account and no network."""
    import tempfile  # noqa: PLC0415

    from telegram_bot import sandbox_launcher  # noqa: PLC0415
    from telegram_bot.operations.until_stopped import until_stopped  # noqa: PLC0415

    with tempfile.TemporaryDirectory(prefix="perudo-sandbox-", ignore_cleanup_errors=True) as scratch:
        database = Path(scratch, "perudo.db")
        room = sandbox_launcher.run(
            options.host,
            options.port,
            database,
            options.config,
            flood_limits=options.flood_limits,
            judge=options.judge,
            allowed_hosts=tuple(options.allow_host),
        )
        status = until_stopped(room)
    return FINE if status is None else status


def party(options: argparse.Namespace) -> int:
    """Play at home this evening: pages for phones and the television in your network, without an account."""
    import tempfile  # noqa: PLC0415
    from contextlib import nullcontext  # noqa: PLC0415

    from telegram_bot import app  # noqa: PLC0415
    from telegram_bot.observability import logging  # noqa: PLC0415
    from telegram_bot.operations.until_stopped import until_stopped  # noqa: PLC0415
    from telegram_bot.party import invitation, party_settings  # noqa: PLC0415
    from telegram_bot.tunnel import open_tunnel  # noqa: PLC0415

    with (
        tempfile.TemporaryDirectory(prefix="perudo-party-", ignore_cleanup_errors=True) as scratch,
        open_tunnel(options.port) if options.share else nullcontext() as tunnel,
    ):
        database = options.database or Path(scratch, "perudo.db")
        settings = party_settings(_settings(options), options.host, options.port, database, tunnel, texts=options.texts)
        logging.set_up(settings)
        sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr] # a terminal without blocks shows ?
        until_stopped(app.run(settings, lambda: print(invitation(settings), flush=True)))  # noqa: T201
    return FINE


def doctor(options: argparse.Namespace) -> int:
    """Check that everything is in place for the bot to run, and explain how to fix the rest."""
    settings = _settings(options)
    from telegram_bot.feature import install  # noqa: PLC0415
    from telegram_bot.features import FEATURES  # noqa: PLC0415
    from telegram_bot.operations import doctor as practice  # noqa: PLC0415
    from telegram_bot.operations.until_stopped import until_stopped  # noqa: PLC0415

    install(FEATURES, settings.features.off)
    findings = until_stopped(practice.examine(settings, remove_webhook=options.remove_webhook))
    if findings is None:
        return INTERRUPTED
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr] # a terminal without ✓ shows ?
    print(practice.as_json(findings) if options.json else practice.as_text(findings))  # noqa: T201
    return FAILED if any(finding.ok is False for finding in findings) else FINE


def migrate(options: argparse.Namespace) -> int:
    """Bring the database up to date with this version of the bot."""
    settings = _settings(options)
    from telegram_bot.storage import schema  # noqa: PLC0415

    schema.migrate(settings.database_url)
    print("The database is up to date.")  # noqa: T201
    return FINE


def copy_database(options: argparse.Namespace) -> int:
    """Move to another database: copy all games from one that no bot runs on to one that is empty."""
    from telegram_bot.storage import copy_database  # noqa: PLC0415

    rows = copy_database.copy_database(options.source, options.target, tell=partial(print, flush=True))
    print(f"All {rows} rows are there. Now set DATABASE_URL to the new one, and start the bot.")  # noqa: T201
    return FINE


def backup(options: argparse.Namespace) -> int:
    """Write the whole database into one file, while the bot runs or not."""
    settings = _settings(options)
    from telegram_bot.operations import backup as practice  # noqa: PLC0415

    version = practice.backup(settings.database_url, options.file, force=options.force)
    from telegram_bot.storage.database import redacted_url  # noqa: PLC0415

    size = options.file.stat().st_size / 2**20
    print(f"Database: {redacted_url(settings.database_url)}")  # noqa: T201
    print(f"{options.file} holds everything ({size:.1f} MiB, schema {version}). It also holds dice: keep it safe.")  # noqa: T201
    return FINE


def restore(options: argparse.Namespace) -> int:
    """Replace the database with a backup. Stop all bots first."""
    settings = _settings(options)
    from telegram_bot.operations import backup as practice  # noqa: PLC0415

    if options.check:
        print("\n".join(practice.check(options.file, settings.database_url)))  # noqa: T201
        return FINE
    version = practice.restore(options.file, settings.database_url, force=options.force)
    print(f"Everything is restored (schema {version}). Start the bot: it updates the schema if need be.")  # noqa: T201
    return FINE


def forget(options: argparse.Namespace) -> int:
    """Delete a person: their data goes, and in other players' games they become Someone."""
    import asyncio  # noqa: PLC0415

    settings = _settings(options)
    from telegram_bot.app import service_config  # noqa: PLC0415
    from telegram_bot.feature import install  # noqa: PLC0415
    from telegram_bot.features import FEATURES  # noqa: PLC0415
    from telegram_bot.operations import forget as practice  # noqa: PLC0415
    from telegram_bot.service.service import Service  # noqa: PLC0415
    from telegram_bot.storage import schema  # noqa: PLC0415
    from telegram_bot.storage.database import Database, require_existing  # noqa: PLC0415

    install(FEATURES, settings.features.off)
    require_existing(settings.database_url)
    database = Database(settings.database_url)
    try:
        if not schema.is_current(database.engine):
            raise OperatorError("the database is not up to date: perudo-bot migrate")
        forgetting = practice.PersonDeletion(Service(database, service_config(settings)))
        for line in asyncio.run(forgetting.all_of(options.user, dry_run=options.dry_run, leave=options.leave)):
            print(line)  # noqa: T201
    finally:
        database.close()
    return FINE


def recount(options: argparse.Namespace) -> int:
    """Compute all statistics again from the stored games, while no bot runs; after an update or a repair."""
    settings = _settings(options)
    from telegram_bot.operations import recount as practice  # noqa: PLC0415
    from telegram_bot.storage.database import require_existing  # noqa: PLC0415

    require_existing(settings.database_url)
    done = practice.recount(settings.database_url, tell=partial(print, flush=True))
    for line in done.lines():
        print(line)  # noqa: T201
    return FINE


def config(_options: argparse.Namespace) -> int:
    """Print the commented settings to start from: perudo-bot config > my-bot.toml."""
    from telegram_bot.settings import default_config  # noqa: PLC0415

    sys.stdout.write(default_config())
    return FINE


def init(options: argparse.Namespace) -> int:
    """Write a server's files into a folder: commented settings, systemd units, files for proxies and Prometheus."""
    from telegram_bot.settings import default_config, packaged  # noqa: PLC0415

    files = {"bot.toml": default_config()} | {
        name: (packaged("deploy") / name).read_text(encoding="utf-8") for name in SERVER_FILES
    }
    try:
        options.folder.mkdir(parents=True, exist_ok=True)
        for name in sorted(files):
            path = options.folder / name
            if path.exists():
                raise OperatorError(f"{path} is there already: nothing is replaced")
            path.write_text(files[name], encoding="utf-8")
            print(path)  # noqa: T201
    except OSError as error:
        raise OperatorError(
            f"cannot write into {options.folder} ({error.strerror}): name a folder that you may write to"
        ) from error
    return FINE


def read(options: argparse.Namespace) -> int:
    """Show how the bot understands phrases: one a line on standard input, one line of JSON for each."""
    from telegram_bot.feature import install  # noqa: PLC0415
    from telegram_bot.features import FEATURES  # noqa: PLC0415
    from telegram_bot.operations.read import answers  # noqa: PLC0415

    install(FEATURES)
    try:
        for answer in answers(sys.stdin.buffer, options.language, options.dice):
            print(answer, flush=True)  # noqa: T201
    except BrokenPipeError:  # the reader has closed the pipe
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FINE


def voice(options: argparse.Namespace) -> int:
    """Set up speech recognition for voice notes, or better voices: download or copy the files once, and check them."""
    from telegram_bot.voice import setup  # noqa: PLC0415

    if options.voices:
        folder, use = setup.set_up_kokoro(print, source=options.source), "speaks with it as voice.voices says"
    else:
        folder, use = setup.set_up(options.model, print, source=options.source), "hears with it"
    print(f"{folder} is ready. A bot that runs {use} after a restart.")  # noqa: T201
    return FINE


# Reading the command line


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="perudo-bot", description="Play Perudo with the people you know, in the chat you already share."
    )
    parser.add_argument("--version", action=_Version)
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    def command(function: Any, *aliases: str) -> argparse.ArgumentParser:
        summary = function.__doc__.splitlines()[0]
        name = function.__name__.replace("_", "-")
        added = commands.add_parser(name, aliases=aliases, help=summary, description=summary)
        added.set_defaults(command=function)
        return added

    def takes_config(command: argparse.ArgumentParser) -> argparse.ArgumentParser:
        command.add_argument(
            "--config", type=Path, metavar="FILE", help="your settings (else PERUDO_CONFIG, else config/bot.toml)"
        )
        return command

    takes_config(command(run))

    sandbox_parser = takes_config(command(sandbox, "try"))
    sandbox_parser.add_argument(
        "--host", default="127.0.0.1", help="the address to listen on; 0.0.0.0 for other machines (127.0.0.1)"
    )
    sandbox_parser.add_argument(
        "--allow-host", action="append", default=[], metavar="NAME", help="a name under which other machines may ask"
    )
    sandbox_parser.add_argument("--port", type=_port, metavar="N", help="the page's port (8080, or the next free one)")
    sandbox_parser.add_argument(
        "--no-flood-limits", dest="flood_limits", action="store_false", help="let the bot write as fast as it likes"
    )
    sandbox_parser.add_argument(
        "--judge",
        action="store_true",
        help="check each call of the bot with the models of aiogram; the page counts them",
    )

    party_parser = takes_config(command(party))
    party_parser.add_argument(
        "--host", metavar="ADDRESS", help="this machine's address in your network, if guessed wrong"
    )
    party_parser.add_argument(
        "--share", action="store_true", help="invite friends elsewhere, by cloudflared or tailscale if installed"
    )
    party_parser.add_argument(
        "--texts", action="store_true", help="friends may also play by text message, with your settings' gateway"
    )
    party_parser.add_argument("--port", type=_port, default=8088, metavar="N", help="the pages' port (8088)")
    party_parser.add_argument(
        "--database", type=Path, metavar="FILE", help="keep the games here (else nothing is kept)"
    )

    check = takes_config(command(doctor))
    check.add_argument("--json", action="store_true", help="for programs to read")
    check.add_argument("--remove-webhook", action="store_true", help="remove a webhook that prevents polling")

    takes_config(command(migrate))

    save = takes_config(command(backup))
    save.add_argument("file", type=Path, metavar="FILE", help="a new file, or an earlier backup, which is replaced")
    save.add_argument("--force", action="store_true", help="also of a database that no bot has used for a day")

    put_back = takes_config(command(restore))
    put_back.add_argument("file", type=Path, metavar="FILE", help="what perudo-bot backup has written")
    put_back.add_argument("--force", action="store_true", help="replace the games that are there")
    put_back.add_argument(
        "--check", action="store_true", help="open the backup, replace nothing, and say what is in it"
    )

    gone = takes_config(command(forget))
    gone.add_argument("user", metavar="USER", help="their id, such as 12345 or sms:7 (a phone), or their @name")
    gone.add_argument("--dry-run", action="store_true", help="only list what would be deleted")
    gone.add_argument("--leave", action="store_true", help="take them from the tables where they sit, as if they left")

    takes_config(command(recount))

    move = command(copy_database)
    move.add_argument("source", type=_database_url, metavar="FROM", help="such as sqlite:///perudo.db")
    move.add_argument(
        "target", type=_database_url, metavar="TO", help="such as postgresql://user:password@host/database"
    )

    command(config)

    start = command(init)
    start.add_argument("folder", type=Path, metavar="DIR", help="a folder, which is made if need be")

    hearing = command(voice)
    hearing.add_argument("action", choices=["setup"], help="what to do")
    hearing.add_argument(
        "--model", choices=["small", "base"], default="small", help="base takes half the memory and hears worse (small)"
    )
    hearing.add_argument(
        "--from", dest="source", type=Path, metavar="DIR", help="a folder with the files; nothing is downloaded"
    )
    hearing.add_argument("--voices", action="store_true", help="Kokoro, better voices for some of the languages")

    reading = command(read)
    reading.add_argument(
        "--language", type=_language, default="en", metavar="CODE", help="of the phrases, such as it (en)"
    )
    reading.add_argument(
        "--dice", type=_dice, metavar="N", help="the dice in play, which tell 54 from 5x4 (else it is not known)"
    )
    return parser


def _settings(options: argparse.Namespace) -> Settings:
    from telegram_bot.settings import load_settings  # noqa: PLC0415

    return load_settings(options.config)


# Stopping and complaining


def _leave(_signal: int, _frame: object) -> NoReturn:
    """Exit during the start, when there is no connection to close."""
    sys.exit(FINE)


def _complain(*lines: str) -> None:
    for line in lines:
        print(f"perudo-bot: {line}", file=sys.stderr)  # noqa: T201


# Types of arguments

MOST_DICE: Final = 999


def _port(text: str) -> int:
    """Return a port; 0 for any free one."""
    highest = 65535
    if not text.isdecimal() or int(text) > highest:
        raise argparse.ArgumentTypeError(f"{text!r} is no port: 0 (any free one) to {highest}")
    return int(text)


def _language(text: str) -> str:
    """Return the code of one of the bot's languages."""
    from telegram_bot.service.languages import nearest_language  # noqa: PLC0415
    from telegram_bot.words.parsing.language_files import GRAMMARS  # noqa: PLC0415

    found = nearest_language(text, GRAMMARS)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text!r} is none of the bot's languages: {', '.join(GRAMMARS)}")
    return found


def _dice(text: str) -> int:
    """Return a number of dice in play."""
    if not text.isdecimal() or not 0 < int(text) <= MOST_DICE:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of dice: 1 to {MOST_DICE}")
    return int(text)


def _database_url(text: str) -> str:
    """Return the URL of a database; an error never repeats it."""
    from telegram_bot.settings import Settings  # noqa: PLC0415

    try:
        return Settings(database_url=text).database_url
    except ValueError:  # the input is not repeated: it may contain a password
        words = "no database: sqlite:///perudo.db or postgresql://user:password@host/database"
        raise argparse.ArgumentTypeError(words) from None


class _Version(argparse.Action):
    """Looks up the version only if it is asked for."""

    def __init__(self, option_strings: Sequence[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="print the version and exit")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print the version, and exit."""
        from importlib.metadata import version  # noqa: PLC0415

        print(f"perudo-bot {version('perudo-bot')}")  # noqa: T201
        parser.exit()


def _explanation(error: Exception) -> str | None:
    """Return the cure of a failure that is no bug, or None for a bug, which needs a traceback."""
    if isinstance(error, OperatorError):
        return str(error)
    from sqlalchemy.exc import DBAPIError, NoSuchModuleError  # noqa: PLC0415

    match error:
        case NoSuchModuleError():
            return "database_url names a database that is not supported: sqlite:///perudo.db or postgresql://…"
        case DBAPIError():
            return f"the database does not work ({str(error.orig).splitlines()[0]}): try perudo-bot doctor"
        case ModuleNotFoundError(name="psycopg"):
            return "PostgreSQL needs psycopg, of the bot's extra postgresql: make install and make run have it"
        case ModuleNotFoundError(name="telegram_sandbox"):
            return "The sandbox is missing: pip install 'perudo-bot[sandbox]' (or, in the repository, make play)"
    return None


if __name__ == "__main__":
    sys.exit(main())
