"""Whatever strangers, gateways, browsers and operators send: the bot lives, serves others, and answers or refuses."""

import ast
import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, get_args
from urllib.parse import parse_qs, urlsplit

import pytest
import telegram
from hypothesis import HealthCheck, Phase, given, settings
from sqlalchemy.exc import DBAPIError
from starlette.requests import Request
from telegram.request import HTTPXRequest

import perudo_core
import telegram_bot
from telegram_bot.channels.sms import text_patterns
from telegram_bot.channels.sms.gateways import kannel
from telegram_bot.channels.sms.gateways.base import WebRefusedError
from telegram_bot.channels.telegram import http_client, received
from telegram_bot.channels.telegram.inline_mode import InlineMode
from telegram_bot.channels.telegram.source import TelegramSource
from telegram_bot.channels.web.routes import WebRoutes
from telegram_bot.channels.web.sessions import RefusedRequestError
from telegram_bot.errors import OperatorError
from telegram_bot.ingress.inbox import InboxWorker
from telegram_bot.operations import backup
from telegram_bot.settings.sms import KINDS
from telegram_bot.storage import inbox_store, models
from telegram_bot.storage.database import Database
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import LaneName
from test_support.doors.doors import DOORS, Door
from test_support.doors.open_house import OpenHouse
from test_support.open_database import copy_migrated_database


@contextmanager
def an_open_house(folder: Path) -> Iterator[OpenHouse]:
    database = Database(f"sqlite:///{copy_migrated_database(folder / 'doors.db')}")
    house = OpenHouse(database)
    try:
        yield house
    finally:
        house.close()
        database.close()


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenHouse]:
    with an_open_house(tmp_path_factory.mktemp("doors")) as house:
        yield house


def let_in(house: OpenHouse, door: Door, *, shrink: bool = True) -> None:
    phases = tuple(Phase) if shrink else (Phase.generate,)

    @settings(
        max_examples=door.examples, suppress_health_check=list(HealthCheck), phases=phases, report_multiple_bugs=False
    )
    @given(door.inputs)
    def holds(one: object) -> None:
        house.run(door.check(house, one))

    holds()


@pytest.mark.parametrize("door", DOORS, ids=[door.name for door in DOORS])
def test_whatever_comes_through_a_door_nobody_else_suffers(house: OpenHouse, door: Door) -> None:
    let_in(house, door)


def test_each_route_and_each_gateway_comes_through_a_door(house: OpenHouse) -> None:
    served = {each for door in DOORS for each in door.serves if each.startswith(("GET ", "POST "))}
    assert {*house.routes} == {*house.pages} | served
    assert set(KINDS) <= {door.name for door in DOORS}


PACKAGED: frozenset[str] = frozenset(
    f"telegram_bot.{reader}"
    for reader in (
        "channels.web.routes.WebRoutes._file",
        "channels.web.static_files.static_file",
        "channels.web.static_files.page_html",
        "channels.web.static_files._modules",
        "cli.__init__.parser_for",
        "cli.init.execute",
        "pictures.canvas.font",
        "pictures.canvas.face_image",
        "settings.loading.default_config",
        "settings.text_files.read_text",
        "tables.names._confusables",
        "words.catalogue._compile",
        "words.extract._found_in",
        "words.extract._read",
        "words.extract.main",
        "words.language_files.read_grammar",
        "words.language_files.read_everywhere",
        "parsing.readings._read_weights",
    )
) | {"perudo_core._rules._read_preset", "perudo_core.agents._headup._compressed"}
"""The functions that read files of the packages themselves, or what their callers name."""
WRITERS: frozenset[str] = frozenset(
    (
        "perudo_core.agents.__main__._arena",
        "telegram_bot.operations.backup._write_through",
        "telegram_bot.operations.doctor.database._unwritable",
        "telegram_bot.operations.evening_file.write_evening",
        "telegram_bot.voice.setup._fetch_file",
        "telegram_bot.voice.speaking.encode_note",
    )
)


def _readers(package: Path) -> Iterator[str]:
    def inside(node: ast.AST, name: str) -> Iterator[str]:
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                yield from inside(part, f"{name}.{part.name}")
                continue
            if isinstance(part, ast.Call):
                called = ast.unparse(part.func)
                opens = (
                    called == "open" or called.endswith((".read_text", ".read_bytes", ".open")) or called == "read_text"
                )
                if opens and not called.startswith(("os.", "Image.", "wave.", "self.")):
                    yield name
            yield from inside(part, name)

    for file in sorted(package.rglob("*.py")):
        yield from inside(
            ast.parse(file.read_text("utf-8")), ".".join(file.relative_to(package.parent).with_suffix("").parts)
        )


def test_each_file_that_the_packages_read_is_their_own_or_comes_through_a_door() -> None:
    packages = (Path(telegram_bot.__path__[0]), Path(perudo_core.__path__[0]))
    found = {reader for package in packages for reader in _readers(package)}
    served = {each for door in DOORS for each in door.serves if each.startswith(("telegram_bot.", "perudo_core."))}
    assert found == served | PACKAGED | WRITERS


# Each fault that was found by hand is found by the doors too, if its fix is undone


def _name_in_link(url: str) -> str:
    (carried, *_) = parse_qs(urlsplit(url).query).get("start", [""])
    return carried


def _takes(_self: InlineMode, update: dict[str, Any]) -> bool:
    mine = "inline_query" in update or "chosen_inline_result" in update
    with suppress(LookupError, TypeError, AttributeError):
        message = update.get("message") or {}
        if not mine and "via_bot" in message:
            list(map(_name_in_link, (entity["url"] for entity in message.get("entities", ()) if "url" in entity)))
    return mine


def _parse_all(given: dict[str, Any]) -> received.Update:
    telegram.Update.de_json(given, telegram.Bot("1:x"))
    return received.Update.model_validate(given)


def _loose(model: type[Any], given: Any) -> Any:
    """Return a part without a look at its types."""
    values = {}
    for name, field in model.model_fields.items():
        value = given.get(field.alias or name)
        kinds = (field.annotation, *get_args(field.annotation))
        part = next((each for each in kinds if isinstance(each, type) and issubclass(each, received.Part)), None)
        if value is not None:
            several = isinstance(value, list)
            parts = [each if part is None else _loose(part, each) for each in (value if several else [value])]
            values[name] = parts if several else parts[0]
    return model.model_construct(**values)


def _as_lane(_self: object, value: str, _dialect: object) -> LaneName:
    channel, chat = value.split(":")
    return LaneName(channel, int(chat))


def _begin(self: InboxWorker, received: StoredUpdate, *, tries_once: bool = False) -> asyncio.Task[Any]:
    job = self.sources[received.source].job_for(received)
    hash(job.order_key)
    return USUAL(self, received, tries_once=tries_once)


def _require(self: WebRoutes, request: Request) -> None:
    origin = request.headers.get("origin", "")
    if urlsplit(origin).netloc not in {urlsplit(self.settings.url).netloc, request.headers.get("host", "")}:
        raise RefusedRequestError(403, "foreign")


def _decoded(text: bytes, charset: str) -> str:
    try:
        return text.decode({"iso-8859-1": "latin-1"}.get(charset.lower(), "utf-8"))
    except UnicodeDecodeError:
        raise WebRefusedError(400, "a text that cannot be decoded") from None


async def _as_the_library_does(request: HTTPXRequest, *given: Any, **named: Any) -> tuple[int, bytes]:
    return await HTTPXRequest.do_request(request, *given, **named)


USUAL = InboxWorker._begin
IDS_ARE_NOT_LOOKED_AT = (
    (received.Update, "read", lambda given: _loose(received.Update, given)),
    (TelegramSource, "admit", lambda _self, payload: payload),
)
LIBRARYS = (http_client.BotApiRequest, "do_request", _as_the_library_does)
FAULTS: dict[str, tuple[str, type[Exception] | tuple[type[Exception], ...], tuple[Any, str, Callable[..., Any]]]] = {
    "unreadable_link_ends_polling": ("an update of Telegram", ValueError, (InlineMode, "takes", _takes)),
    "one_unread_part_voids_the_update": (
        "a part of a message that the bot does not read",
        Exception,
        (received.Update, "read", _parse_all),
    ),
    "a_lane_that_cannot_be_read_stops_all": (
        "an update of Telegram",
        (AssertionError, ValueError),
        (models._LaneColumn, "process_result_value", _as_lane),
    ),
    "an_unhashable_id_stops_the_take_over": (
        "an update that is stored",
        (TypeError, AssertionError),
        (InboxWorker, "_begin", _begin),
    ),
    "a_reaction_plays_its_bid": (
        "a reaction of a phone",
        AssertionError,
        (text_patterns, "is_reaction", lambda _: False),
    ),
    "a_network_in_no_proxy_ends_the_start": (
        "the proxies",
        OperatorError,
        (http_client, "drop_unreadable_exceptions", lambda: None),
    ),
    "an_unreadable_origin_is_a_traceback": (
        "a request of a page",
        ValueError,
        (WebRoutes, "_require_own_origin", _require),
    ),
    "a_text_in_another_charset_is_refused": ("kannel", AssertionError, (kannel, "_decoded", _decoded)),
    "a_page_counts_as_telegrams_word": ("a page in place of the Bot API's answer", AssertionError, LIBRARYS),
    "a_backup_is_not_looked_into": ("a backup", DBAPIError, (backup, "_try_sqlite", lambda *_: None)),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_that_comes_back_is_found(fault: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    name, errors, planted = FAULTS[fault]
    (door,) = [door for door in DOORS if door.name == name]
    monkeypatch.setattr(inbox_store, "FIRST_PAUSE_SECONDS", 0.0)
    with an_open_house(tmp_path) as house:
        for each in (*(IDS_ARE_NOT_LOOKED_AT if planted[2] in (_as_lane, _begin) else ()), planted):
            monkeypatch.setattr(*each)
        with pytest.raises(errors):
            let_in(house, door, shrink=False)
        monkeypatch.undo()
