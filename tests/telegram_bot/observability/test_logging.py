"""The log for its readers: structured, and without secrets."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from sqlmodel import Session

from telegram_bot.observability.logging import MIN_SECRET_LENGTH, Redaction, trace
from telegram_bot.settings import Settings
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import GameTable

TOKEN = "123456789:AAdiceAreSecretAndSoIsThisToken_-xyz"
PASSWORD = 'p@ss/w ord"x'
URL = "postgresql://perudo:p%40ss%2Fw%20ord%22x@db.example/perudo"

PROGRAM = """
import asyncio, logging, os, structlog
from telegram_bot.observability import logging as bot_logging
from telegram_bot.settings import Settings, load_settings

bot_logging.set_up(load_settings())
ours = logging.getLogger("telegram_bot.anything")
theirs = logging.getLogger("someone.else")
"""


def log_of(program: str, **variables: str) -> list[str]:
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PERUDO_", "DATABASE_URL"))}
    outcome = subprocess.run(  # noqa: S603
        [sys.executable, "-c", PROGRAM + program],
        env=own | {"PERUDO_TOKEN": TOKEN, "DATABASE_URL": URL, "PERUDO_CONFIG": os.devnull} | variables,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert outcome.stdout == ""
    return outcome.stderr.splitlines()


def json_of(program: str, **variables: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log_of(program, PERUDO_LOGGING__FORMAT="json", **variables)]


def test_a_line_of_json_is_the_event_and_its_story_and_a_warning_is_one_that_quotes_no_dice() -> None:
    line, old, quoting = json_of(
        """
import warnings
from pydantic import BaseModel

structlog.contextvars.bind_contextvars(update="77", table=5)
ours.warning("table %s rests %.0f s", 5, 2.4, extra={"intent": "Join"})
warnings.warn("old", stacklevel=1)

class Hand(BaseModel):
    dice: int

Hand.model_construct(dice="2 2 5").model_dump()
"""
    )
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", line.pop("timestamp"))
    assert re.fullmatch(r".+-\d+-[0-9a-f]{4}", line.pop("worker"))
    assert line == {
        "event": "table 5 rests 2 s",
        "intent": "Join",
        "level": "warning",
        "logger": "telegram_bot.anything",
        "table": 5,
        "update": "77",
    }
    assert (old["level"], old["logger"]) == ("warning", "py.warnings")
    assert "UserWarning: Pydantic serializer warnings:" in quoting["event"]
    assert "2 2 5" not in json.dumps(quoting)


def test_a_line_for_people_is_one_line_without_colours_in_a_file() -> None:
    (line,) = log_of('structlog.contextvars.bind_contextvars(update="77"); ours.info("hello")')
    assert re.fullmatch(r"\S+Z \[info     \] hello +\[telegram_bot\.anything\] update=77", line)


def test_the_level_is_ours_and_others_only_warn() -> None:
    lines = json_of(
        """
for chosen in ("DEBUG", "INFO", "WARNING", "ERROR"):
    os.environ["PERUDO_LOG_LEVEL"] = chosen
    bot_logging.set_up(load_settings())
    for level in ("debug", "info", "warning", "error"):
        getattr(ours, level)(f"{chosen}: {level}")
        getattr(theirs, level)(f"{chosen}: their {level}")
    logging.getLogger("httpx").info("a request, and the token in its address")
    logging.getLogger("telegram.Bot").info("an update and all it held")
"""
    )
    warnings = ["warning", "their warning", "error", "their error"]
    said = {
        "DEBUG": ["debug", "info", *warnings],
        "INFO": ["info", *warnings],
        "WARNING": warnings,
        "ERROR": ["error", "their error"],
    }
    expected = [f"{chosen}: {each}" for chosen, all_said in said.items() for each in all_said]
    assert [line["event"] for line in lines] == expected


def test_the_token_and_the_passwords_show_nowhere() -> None:
    program = f"""
import httpx
token, password = {TOKEN!r}, {PASSWORD!r}
ours.error("calling https://api.telegram.org/bot%s/getMe", token)
logging.getLogger("httpx").warning(f"POST https://api.telegram.org/bot{{token}}/getMe")
structlog.get_logger("telegram_bot.x").error("bound", address=f"bot{{token}}", passwords=[password])
ours.error("the password is %s", password)
ours.error("someone else's: postgresql://a:hidden@b/c and 987654321:AnotherBotsTokenThatIsLong")
try:
    raise httpx.ConnectError(f"no way to {{token}} with {{password}}")
except httpx.ConnectError:
    ours.exception("failed")
raise RuntimeError(token)
"""
    for form in ("json", "console"):
        lines = log_of(program, PERUDO_LOGGING__FORMAT=form)
        text = "\n".join(lines)
        for secret in (TOKEN, PASSWORD, "p%40ss", "ord\\", "hidden", "AnotherBots"):
            assert secret not in text
        assert "https://api.telegram.org/bot<secret>/getMe" in text
        assert "postgresql://a:<secret>@b/c" in text
        assert "ConnectError: no way to <secret> with <secret>" in text
        if form == "json":
            uncaught = json.loads(lines[-1])
            assert (uncaught["event"], uncaught["level"]) == ("stopped by a fault of the bot", "critical")
            assert uncaught["exception"].splitlines()[-1] == "RuntimeError", "it is quoted nowhere"


def test_a_chat_has_a_name_in_the_log_that_only_its_bot_can_tell() -> None:
    one, same, another = (Redaction(key=key)("lane telegram:-1001234 rests") for key in ("a", "a", "b"))
    assert re.fullmatch(r"lane telegram:#[0-9a-f]{8} rests", one)
    assert one == same != another
    assert Redaction(key="a")("telegram:-1001235") not in one


NUMBERS = (
    "+39 340 000 0001",
    "+39\u00a0340\u00a0000\u00a00001",
    "+1 (202) 555-0143",
    "+33 6.12.34.56.78",
    "0039 340 000 0001",
    "%2B39%20340%20000%200001",
    "+39\u2009340\u2007000\u30000001",
    "+39 - 340 - 000 - 0001",
    "+39\u2011340\u2013000\u22120001",
    "+39_340[000]0001",
    "+39\t340\t0000001",
    "+39%C2%A0340%2D0000001",
    "+39\u200b340\u2060000·0001",
    "\uff0b39 340 0000001",
    "06 12 34 56 78",
    "340 000 0001",
    "(202) 555-0143",
)
LINES_WITH_A_NUMBER = (
    "to %2B33612345678",
    "GET /sms?from=%2b33612345678&x=1",
    "GET /sms?from=33612345678&to=393401234567",
    "0033612345678 texted",
    "phone 4512345678",
    '{"from": "33612345678"}',
)


def test_telephone_numbers_are_struck_out_however_they_are_written() -> None:
    told = {number: Redaction()(f"a text to {number} failed after 3 tries") for number in NUMBERS}
    assert told == dict.fromkeys(NUMBERS, "a text to <number> failed after 3 tries")
    assert Redaction()("sms to +491701234567 failed, +44 20 is short") == "sms to <number> failed, +44 20 is short"
    for line in map(Redaction(), LINES_WITH_A_NUMBER):
        assert "<number>" in line
        assert not re.search(r"\d{7}", line)


@pytest.mark.parametrize("group", [-1001234567890, -4012345])
def test_groups_are_struck_out_wherever_they_stand(group: int) -> None:
    line = f"2026-11-20T10:51:23 chat {group}, id={group}, {{'id': {group}}} worker=bot-1204-9c1f2 in -25 s"
    told = Redaction()(line)
    assert str(group) not in told
    assert told == line.replace(str(group), "<group>")


@given(
    secret=st.text(min_size=MIN_SECRET_LENGTH, max_size=60).filter(lambda text: text.strip() == text),
    around=st.text(max_size=30),
)
def test_no_line_however_it_is_written_holds_a_secret(secret: str, around: str) -> None:
    redact = Redaction((secret,))
    for line in (f"{around}{secret}{around}", json.dumps({"event": around + secret})):
        assert secret not in redact(line).replace("<secret>", "\0")


def caught(act: Callable[[], object]) -> str:
    try:
        act()
    except BaseException as error:  # noqa: BLE001 - whatever it is
        return trace(error)
    raise AssertionError("nothing was raised")


class Hand(BaseModel):
    dice: list[int]


def test_a_traceback_says_where_and_keeps_what_for_itself() -> None:
    hand = {"dice": ["six", 5]}
    shown = caught(lambda: Hand.model_validate(hand))
    assert "test_logging.py" in shown
    assert shown.splitlines()[-1] == "ValidationError"
    assert "six" not in shown


def test_what_led_to_an_error_is_told_as_well() -> None:
    def act() -> None:
        try:
            {"Bo": 5}["Ana"]
        except KeyError as error:
            raise httpx.ReadTimeout("too slow") from error

    lines = caught(act).splitlines()
    assert lines.index("KeyError") < lines.index("which led to:") < lines.index("ReadTimeout: too slow")


def test_every_error_of_a_group_is_told() -> None:
    def act() -> None:
        raise ExceptionGroup("dice 5 5", [OSError("disk full"), ValueError("dice 5 5")])

    shown = caught(act)
    assert "OSError: disk full" in shown
    assert "| ValueError" in shown
    assert "ExceptionGroup: " not in shown


def test_an_error_that_leads_to_itself_ends() -> None:
    error = ValueError()
    error.__context__ = OSError("a")
    error.__context__.__context__ = error
    assert trace(error).endswith("ValueError")


def test_a_database_does_not_quote_the_row(database: Database) -> None:
    def act() -> None:
        with Session(database.engine) as session:
            times: dict[str, Any] = {"created_at": 0, "updated_at": 0}
            session.add(GameTable(code="SECRET", chat_id=999, status="x", state={"dice": "2 2 5"}, **times))
            session.commit()

    shown = caught(act)
    last = shown.splitlines()[-1]
    assert "FOREIGN KEY constraint failed" in last or 'violates foreign key constraint "fk_game_table_chat' in last
    assert "2 2 5" not in shown
    assert "SECRET" not in shown


def test_what_is_secret_is_known_by_its_type() -> None:
    settings = Settings.model_validate({"token": TOKEN, "database_url": URL, "metrics": {"token": "scrape-me-please"}})
    known = {TOKEN, settings.webhook_secret(), "scrape-me-please", PASSWORD, "p%40ss%2Fw%20ord%22x"}
    assert set(settings.secrets()) == known


def test_what_strangers_say_begins_no_line_and_moves_no_cursor() -> None:
    """A player's name, a path, a gateway's answer: one line each, without characters that a terminal executes."""
    forged = "x\n2026-01-01T00:00:00Z [info] all is well\r\x1b[2J\x1b]0;owned\x07\x9b31m\u2028\u202eend\x00"
    program = f"""
ours.warning("from %s", {forged!r}, extra={{"intent": {forged!r}}})
try:
    raise OSError({forged!r})
except OSError:
    ours.exception("it failed")
"""
    for variables in ({}, {"PERUDO_LOGGING__FORMAT": "json"}):
        lines = log_of(program, **variables)
        written = "\n".join(lines)
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u202e]", written)
        assert not any(line.lstrip().startswith("2026-01-01") for line in lines), "a forged line"
        assert "\\x1b[2J" in written.replace("\\\\", "\\")
    assert [line["event"][:6] for line in map(json.loads, lines)] == ["from x", "it fai"]
    assert "\n" in json.loads(lines[1])["exception"], "a traceback keeps its lines"


@pytest.mark.parametrize(
    "line",
    [
        '{"update": "2147483647", "table": 17}',
        "update=2147483647 version=12",
        "update 2147483647 is set aside",
        "2026-05-01T18:03:11.201932Z after 0.12345678901234 s at 1763704800.1234567890",
        "worker bot-1-20400-9c1f, 123456789 bytes, port 65535",
        "2026-11-22 03:45:40+00:00 1204 took 12 ms, 2026-11-22 11 20",
        "step +1: table 17, round 3, 20 dice",
    ],
)
def test_other_numbers_stay(line: str) -> None:
    assert Redaction()(line) == line
