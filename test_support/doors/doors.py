"""One function for each door: it says which inputs come through it, and checks what must hold for each of them.

For all doors `OpenHouse.run` also checks the time, and that the log has neither a secret nor a traceback.
"""

import hashlib
import hmac
import json
import os
import sqlite3
import time
from collections.abc import Callable, Coroutine, Mapping
from contextlib import closing, redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from io import BytesIO, StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias
from unittest.mock import AsyncMock, patch
from urllib.parse import urlencode

import pytest
from av import FFmpegError
from hypothesis import strategies as st
from sqlmodel import Session, SQLModel
from telegram.error import NetworkError, TelegramError
from telegram.request import HTTPXRequest, RequestData

from perudo_core import Bid, Rules, observe, set_up
from perudo_core import __main__ as perudo_command
from perudo_core.agents import new_memory
from perudo_core.agents.engines import Question
from telegram_bot.channels.sms.gateways.twilio import signature
from telegram_bot.channels.sms.text_parser import parse_message
from telegram_bot.channels.sms.text_patterns import is_automatic
from telegram_bot.channels.telegram import callback_data
from telegram_bot.channels.telegram.answers import refusal
from telegram_bot.channels.telegram.channel import make_bot
from telegram_bot.channels.telegram.http_client import BotApiRequest, NoAnswerError
from telegram_bot.channels.telegram.received import Update
from telegram_bot.channels.telegram.webhook import SECRET_HEADER
from telegram_bot.cli import COMMANDS, parser_for
from telegram_bot.errors import OperatorError
from telegram_bot.ingress.engine_process import EngineProcess
from telegram_bot.ingress.inbox import ProcessingResult
from telegram_bot.operations import backup
from telegram_bot.parsing.grammar import parse
from telegram_bot.service.handlers.clock import RESTART
from telegram_bot.service.outages import SILENT, Outages
from telegram_bot.service.requests import REQUESTS, read_link
from telegram_bot.settings import Settings, loading
from telegram_bot.settings.house_rule_settings import read_house_rules
from telegram_bot.settings.sections import SettingsError
from telegram_bot.side_process import SideProcessError
from telegram_bot.storage import schema
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import FORGOTTEN_SPAN, HEARTBEAT, LAST_BACKUP, RESTORED, InboxEntry
from telegram_bot.storage.status_queries import query_status
from telegram_bot.voice import decode_child, models
from telegram_bot.voice.voices import PIPER, PiperVoice, VoiceError
from telegram_bot.words.catalogue import LANGUAGES
from test_support.doors import odd_inputs
from test_support.doors.odd_inputs import SECRET, UPDATES, altered, named, spoilt, spoilt_json
from test_support.doors.open_house import KANNEL, OURS, SMSGATE, TOKEN, TWILIO, URL, WEBHOOK_SECRET, OpenHouse
from test_support.open_database import migrated

Json = dict[str, Any]
Check: TypeAlias = Callable[[OpenHouse, Any], Coroutine[Any, Any, None]]
REFUSALS: Final = frozenset((400, 401, 403, 404, 405, 408, 409, 413, 415, 429))
THEIRS: Final = "+393471234567"


@dataclass(frozen=True, slots=True)
class Door:
    """One kind of input."""

    name: str
    inputs: st.SearchStrategy[Any]
    check: Check
    examples: int
    """The number of inputs that `make test` lets in."""
    serves: tuple[str, ...]
    """The routes and readers of files that it serves, as `test_doors` names the real ones; a page's door serves all."""


DOORS: Final[list[Door]] = []


def door(
    name: str, inputs: st.SearchStrategy[Any], examples: int, *serves: str | Callable[..., Any]
) -> Callable[[Check], Check]:
    def add(check: Check) -> Check:
        named = (each if isinstance(each, str) else f"{each.__module__}.{each.__qualname__}" for each in serves)
        DOORS.append(Door(name, inputs, check, examples, tuple(named)))
        return check

    return add


# Telegram


@door("an update of Telegram", altered(*UPDATES), 150)
@door("a command of a chat", altered(*odd_inputs.commands_of_chats()), 40)
async def take_update(house: OpenHouse, given: Any) -> None:
    """Check that the update is acted on or set aside; an inline query may be ignored."""
    update = {**given, "update_id": house.number()}
    if house.inline.takes(update):
        return
    begun = await house.inbox.take("telegram", str(update["update_id"]), update)
    if begun is not None:
        assert await begun is not ProcessingResult.FAILED, "the update fails, and would be tried again"
    await house.others_are_served()


@door("a part of a message that the bot does not read", odd_inputs.UNREAD_PARTS, 100)
async def take_unread_part(_house: OpenHouse, given: tuple[Json, str, Any]) -> None:
    """Check that a part that the bot does not read changes nothing, whatever it is and wherever it stands."""
    usual, part, odd = given
    message = usual["message"] | {part: odd}
    if "reply_to_message" in message:
        message["reply_to_message"] |= {part: odd}
    plain, changed = (Update.read({"update_id": 1, "message": each}) for each in (usual["message"], message))
    assert changed == plain


@door("an update that is stored", altered(*UPDATES), 30)
async def take_stored(house: OpenHouse, given: Any) -> None:
    """Let a new worker find an update that an earlier version has stored."""
    number = house.number()
    update = {**given, "update_id": number}
    stored = InboxEntry(source="telegram", cause=str(number), payload=update, received_at=time.time())
    with suppress(OverflowError, ValueError):  # no database has stored it
        await house.database.run(lambda session: session.add(stored))
    await house.inbox.take_over()
    await house.others_are_served()


_BODIES: Final = st.one_of(
    altered(*({"update_id": 7, **update} for update in UPDATES)).map(lambda update: json.dumps(update).encode()),
    st.binary(max_size=60),
    st.sampled_from((b"[" * 5000, b'{"a":' * 5000, b"{}", b'{"update_id": NaN}', b'{"update_id": 1e400}', b"\xff\xfe")),
)
_OF_WEBHOOK: Final = named(
    (SECRET_HEADER.lower(), "content-type", "content-length", "x-forwarded-for"),
    ("application/json; charset=x", "text/plain", WEBHOOK_SECRET, *odd_inputs.ODD_WORDS),
)


@door("a request to the webhook", st.tuples(_BODIES, _OF_WEBHOOK), 40, "POST /telegram")
async def bring(house: OpenHouse, given: tuple[bytes, Mapping[str, str]]) -> None:
    body, headers = given
    body = body.replace(b'"update_id": 7,', b'"update_id": %d,' % house.number())
    usual = {SECRET_HEADER.lower(): WEBHOOK_SECRET, "content-type": "application/json"}
    status = await house.request("POST", "/telegram", body, headers={**usual, **headers})
    assert status == 200 or status in REFUSALS, status
    await house.others_are_served()


_NEAR: Final = st.builds(
    lambda key, at, odd: key[:at] + odd + key[at:],
    st.sampled_from(("g:1:0:bid=3x4", "l:1:join", "p:0:set=view__direct", "g:1:0:dudo", "l:9:opt=x__y")),
    st.integers(0, 22),
    st.text("0123456789:=_\u0663lgp", max_size=20),
)


@door("the data of a button or link", st.one_of(_NEAR, st.sampled_from(odd_inputs.LINKS), st.text()), 200)
async def read_callback(_house: OpenHouse, given: str) -> None:
    tap = callback_data.parse_callback(given)
    assert callback_data.parse_result_id(given) in (None, tap)
    read_link(given)
    assert isinstance(callback_data.name_in_link(given), str)


_MESSAGE: Final = {"message_id": 9, "date": 1, "chat": {"id": 101, "type": "private"}, "ephemeral_message_id": 3}
_REFUSED: Final = {"ok": False, "description": "x", "parameters": {"migrate_to_chat_id": -1, "retry_after": 3}}
_ANSWERS: Final = st.one_of(
    st.tuples(st.just("sendMessage"), altered({"ok": True, "result": _MESSAGE})),
    st.tuples(
        st.just("sendMessage"), st.sampled_from((b"[" * 100_000, b'{"ok": true, "result": ' + b"9" * 5000, b"\xff"))
    ),
    st.tuples(st.just("getMe"), altered({"ok": True, "result": odd_inputs.ME})),
    st.tuples(st.just("editMessageText"), altered(_REFUSED)),
)


@door("an answer of the Bot API", _ANSWERS, 150)
async def hear_answer(_house: OpenHouse, given: tuple[str, Any]) -> None:
    """Check that an answer of a Bot API server is read, or counts as no answer."""
    method, answer = given
    body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
    with suppress(NoAnswerError):
        read = json.loads(BotApiRequest._as_read(BotApiRequest.__new__(BotApiRequest), method, body))
        if method == "sendMessage" and read["result"] is not True:
            assert type(read["result"]["message_id"]) is int
    if isinstance(answer, dict):
        moved = refusal(answer)["parameters"].get("migrate_to_chat_id", 1)
        assert type(moved) is int
        assert abs(moved) < 2**63


_PAGES: Final = (
    f"<html><title>403 Forbidden</title>{SECRET}: {TOKEN}</html>".encode(),
    json.dumps({"error": SECRET, "message": "chat not found", "description": "Unauthorized"}).encode(),
    b'{"parameters": {"migrate_to_chat_id": -5, "retry_after": 5}}',
    b'["ok"]',
    b"ok",
    b"",
)
_STATUSES: Final = (200, 204, 302, 400, 401, 403, 404, 407, 409, 413, 429, 500, 502, 503, 504, 520, 524)
_ANY_PAGE: Final = st.tuples(st.sampled_from(_STATUSES), st.sampled_from(_PAGES) | st.binary(max_size=60))


@door("a page in place of the Bot API's answer", _ANY_PAGE, 60)
async def hear_page(_house: OpenHouse, given: tuple[int, bytes]) -> None:
    """Check that what no server of the Bot API says is no word about the chat or the token, and is not quoted."""
    address = f"https://api.telegram.org/bot{TOKEN}/sendMessage"
    with patch.object(HTTPXRequest, "do_request", AsyncMock(return_value=given)), pytest.raises(TelegramError) as found:
        await BotApiRequest.__new__(BotApiRequest).post(address, RequestData())
    assert found.type in (NetworkError, NoAnswerError), found
    assert SECRET not in str(found.value)


# Words, by chat, voice and text

_TOKENS: Final = (*"3456789xI/'“½٣é", "fours", "quattro", "dudo", "say", "no", "STOP")
_WORDS: Final = st.one_of(
    st.text(max_size=60),
    st.lists(st.sampled_from(_TOKENS), max_size=40).map(" ".join),
    st.sampled_from(("/" * 5000, "9" * 5000, "no " * 2000, "\ud800", "a\0b", "three " * 900, "((((" * 900)),
)


@door("words", st.tuples(_WORDS, st.sampled_from((*LANGUAGES, "xx"))), 80)
async def read_words(_house: OpenHouse, given: tuple[str, str]) -> None:
    words, language = given
    parse_message(words, language, "UTC")
    parse(words, language, total_dice=20, standing=(3, 4))


# Gateways

_FORMS: Final = (
    "Liked “{}”", "Disliked “{}”", "Loved “{}”", "Laughed at “{}”", "Emphasized “{}”", "Questioned “{}”",
    "Removed a like from “{}”", "👍 to “{}”", "A aimé « {} »", "Hat „{}“ geliked",
)  # fmt: skip
_REACTIONS: Final = st.builds(
    str.format,
    st.sampled_from(_FORMS),
    st.sampled_from(("2x3", "dudo", "R4 Ana: 5x4. You: 2 3 4", "say “5x4” or DUDO", "JOIN ABC234")),
)


@door("a reaction of a phone", _REACTIONS, 30)
async def react(_house: OpenHouse, given: str) -> None:
    """Check that a reaction is no call of the phone's owner."""
    assert is_automatic(given), given


def _paths(gateway: str, *methods: str) -> tuple[str, ...]:
    return tuple(f"{method} /sms/{gateway}{end}" for method in methods for end in ("", "/", "/receipt"))


async def _delivered(house: OpenHouse, path: str, answer: int, *, accepted: bool = False) -> None:
    """Check the answer to a gateway: the request is taken or refused. `accepted`: it must be taken."""
    assert answer == 200 or (not accepted and answer in REFUSALS), f"{path}: {answer}"
    await house.others_are_served()


_CHARSETS: Final = (
    "utf-8", "UTF-8", "windows-1252", "cp1252", "latin1", "ISO-8859-1", "ISO-8859-15", "", "koi8-r", "x-unknown",
    "hex", "rot13",
)  # fmt: skip
_TEXTS: Final = st.builds(
    lambda words, coded: words.encode(coded, "replace"),
    st.sampled_from(("JOIN", "5x4", "perché no?", "£3: naïve", "ciò è 3x4", "Ünter", "STOP", "œuf €")),
    st.sampled_from(("utf-8", "cp1252", "iso-8859-15")),
)
_KANNEL: Final = st.tuples(
    st.none() | altered({"id": "1", "time": "2023-11-15 12:00:00", "from": THEIRS}),
    st.sampled_from(_CHARSETS),
    _TEXTS | st.binary(max_size=30),
    st.sampled_from(("POST", "GET")),
)


@door("kannel", _KANNEL, 40, *_paths("modem", "GET", "POST"))
async def kannel(house: OpenHouse, given: tuple[Any, str, bytes, str]) -> None:
    """Check that a text is taken in whatever charset: the person who wrote it cannot choose one."""
    fields, charset, words, method = given
    usual = {"secret": KANNEL["secret"], "id": f"k{house.number()}", "time": "2023-11-15 12:00:00", "from": THEIRS}
    asked = {name: str(value) for name, value in (usual | (fields or {})).items() if value is not None}
    headers = {"x-kannel-from": asked["from"].encode("utf-8", "replace")} if "from" in asked else {}
    if method == "POST":
        headers["content-type"] = f"text/plain; charset={charset}".encode("utf-8", "replace")
    else:
        asked |= {"text": words.decode("latin-1"), "charset": charset}
    query = urlencode(asked, encoding="latin-1", errors="replace").encode()
    path = f"/sms/{KANNEL['name']}"
    status = await house.request(method, path, words if method == "POST" else b"", headers=headers, query=query)
    await _delivered(house, path, status, accepted=not fields)
    query = urlencode({"secret": KANNEL["secret"], "id": "x", "type": charset}).encode("ascii", "replace")
    await _delivered(house, path, await house.request("GET", f"{path}/receipt", query=query))


_RECEIVED: Final = {"sender": THEIRS, "message": "5x4", "receivedAt": "2023-11-15T12:00:00.000+01:00", "simNumber": 1}
_EVENTS: Final = (
    {"id": "e1", "event": "sms:received", "deviceId": "d", "payload": _RECEIVED},
    {"id": "e2", "event": "sms:failed", "payload": {"messageId": "m", "reason": f"{SECRET}"}},
)


@door("smsgate", altered(*_EVENTS), 25, *_paths("phone", "POST"))
async def smsgate(house: OpenHouse, event: Any) -> None:
    body, moment = json.dumps(event).encode(), str(int(time.time()))
    signed = hmac.new(SMSGATE["signing_key"].encode(), body + moment.encode(), hashlib.sha256).hexdigest()
    headers = {"x-signature": signed, "x-timestamp": moment}
    for path in ("/sms/phone", "/sms/phone/receipt"):
        await _delivered(house, path, await house.request("POST", path, body, headers=headers))


_FORM: Final = {"AccountSid": TWILIO["account"], "MessageSid": "SM1", "From": THEIRS, "To": OURS, "Body": "5x4"}
_TWILIO: Final = altered(_FORM | {"MessageStatus": "failed", "ErrorCode": "30003"})


@door("twilio", _TWILIO, 25, *_paths("main", "POST"))
async def twilio(house: OpenHouse, given: Json) -> None:
    pairs = [(str(name), str(value).encode("utf-8", "replace").decode()) for name, value in given.items()]
    body = urlencode(pairs).encode()
    for path in ("/sms/main", "/sms/main/receipt"):
        signed = signature(TWILIO["auth_token"], URL + path, pairs)
        headers = {"x-twilio-signature": signed, "content-type": "application/x-www-form-urlencoded"}
        await _delivered(house, path, await house.request("POST", path, body, headers=headers))


# Pages

_PARTS: Final = (
    "ABC234",
    "ABC234#KEY",
    "../../etc/passwd",
    "..%2f",
    "\0",
    "room.js",
    "a" * 5000,
    ".",
    "words/xx",
    "..",
)
_OF_PAGES: Final = named(
    (
        "origin", "referer", "cookie", "range", "authorization", "sec-fetch-site", "if-none-match", "accept-language",
        "accept-encoding", "content-type", "content-length", "host", "x-forwarded-for", "last-event-id",
    ),
    (
        URL, "bytes=0-", "bytes=9999-1", "gzip", "Bearer x", "Bearer", '__Host-seat=x; seat="\\400', "same-origin",
        "perudo.test:x", "application/json", "it-IT;q=9", "::ffff:1.2.3.4%eth0", *odd_inputs.ODD_WORDS,
    ),
)  # fmt: skip
_QUERIES: Final = (b"", b"after=1.2", b"after=\xff", b"language=xx", b"slot=1&n=9999999999999999999", b"%", b"&" * 999)
_ASKED: Final = altered(
    {"name": "Ana", "language": "it", "face": "fox", "code": "ABC234", "key": "k"},
    {"code": "ABC234", "key": "k", "seat": "k"},
    {"code": "ABC234", "claims": 1, "language": "it"},
    {"do": "keep_seat"},
    {"act": "bid", "id": "a1", "table": 1, "step": 0, "quantity": 3, "face": 4, "lifts": 2},
    {"act": "switch", "id": "a5", "name": "no_tells", "value": True},
    {"act": "join", "id": "a2"},
    {"act": "wake", "id": "a3", "player": 1},
    {"act": "sleeper_out", "id": "a4", "player": 1},
    {"do": "admit", "player": 1},
    {"do": "pair", "code": "ABCD"},
    {"init_data": "user=%7B%7D&auth_date=1&hash=00"},
)
_ORIGINS: Final = (URL, URL, "http://[", "https://[::1", b"http://\xef\xbc\x9a", "null", "")
_REQUESTS: Final = st.tuples(
    *(st.integers(0, 2**20), st.sampled_from(_PARTS), st.sampled_from(_ORIGINS)),
    *(_OF_PAGES, _ASKED, st.sampled_from(_QUERIES)),
)


@door("a request of a page", _REQUESTS, 300)
async def ask_page(house: OpenHouse, given: tuple[int, str, bytes, dict[str, str | bytes], Any, bytes]) -> None:
    """Check each route but those of the messengers."""
    number, part, origin, headers, asked, query = given
    method, _, path = house.pages[number % len(house.pages)].partition(" ")
    path = path.replace("{link:path}", part).replace("{path:path}", part)
    body, headers = asked if method == "POST" else b"", {"origin": origin, **headers}
    status = await house.request(method, path, body, headers=headers, query=query, client=house.address())
    assert status in (200, 206, 304, 307, 416, 503 if path == "/readyz" else 200) or status in REFUSALS, status


_ACTS: Final = (*(act.word for kind in REQUESTS for act in kind.acts), "name", "language", "face", "twice", "x")
_IN_A_ROOM: Final = (
    "", "admit", "refuse", "show", "pair", "lock", "unlock", "ask_first", "ask_nobody", "renew", "end_screens", "x",
)  # fmt: skip
_FIELDS: Final = dict.fromkeys(("table", "step", "player"), 1) | {
    "quantity": 3, "face": 4, "count": 2, "level": "strong", "trait": "level", "option": "calza", "value": "x",
    "code": "ABC234",
}  # fmt: skip
"""The fields that acts of pages have."""
_WITH_SESSION: Final = st.one_of(
    st.tuples(st.just("POST act"), altered(*({"act": act} | _FIELDS for act in _ACTS))),
    st.tuples(st.just("POST room"), altered(*({"do": word, "player": 1, "code": "ABCD"} for word in _IN_A_ROOM))),
    st.tuples(st.just("POST look"), altered({"code": "ABC234"})),
    st.tuples(st.just("POST enter"), altered({"name": "Bo", "face": "fox", "code": "ABC234", "language": "it"})),
    st.tuples(st.just("POST pair"), st.just({})),
    st.tuples(st.sampled_from(("GET me", "GET picture?slot=round", "GET stream?after=0.0")), st.just(b"")),
)


@door("a request of a page with a session", st.lists(_WITH_SESSION, min_size=1, max_size=8), 25)
async def ask_with_session(house: OpenHouse, given: list[tuple[str, Any]]) -> None:
    """Check that a guest at a game with computer players is answered or refused, and keeps the session."""
    guest = house.address()
    assert await house.request("POST", "/seat/open", {"name": "Ana", "language": "en"}, client=guest) == 200
    for act in ({"act": "computers", "count": 2, "level": "regular"}, {"act": "start"}):
        assert await house.request("POST", "/seat/act", act | {"id": act["act"]}, client=guest) == 200
    await house.inbox.idle()
    for number, (route, asked) in enumerate(given):
        body = asked | {"id": f"i{number}"} if route == "POST act" else asked
        method, _, path = route.partition(" ")
        path, _, query = path.partition("?")
        status = await house.request(method, f"/seat/{path}", body, query=query.encode(), client=guest)
        assert status in (200, 503) or status in REFUSALS, f"{route}: {status}"
    assert await house.request("GET", "/seat/me", client=guest) == 200
    await house.others_are_served()


# Files, settings and commands of operators

_Edited: TypeAlias = tuple[str, str, Mapping[int, int]]
"""The arguments of `_edited_backup`: a whole backup would be too long for the report of a failure."""


def _in_a_file(read: Callable[[Path], Any], *refusals: type[Exception], name: str = "given.toml") -> Check:
    """Return the check that a file is read, or refused by an error with a sentence."""

    async def check(_house: OpenHouse, content: bytes | _Edited) -> None:
        with TemporaryDirectory() as folder:
            file = Path(folder) / name
            file.write_bytes(content if isinstance(content, bytes) else _edited_backup(*content))
            words = "read"
            try:
                read(file)
            except refusals as refused:
                words = str(refused)
            assert words
            assert SECRET not in words

    return check


def _load_variables(file: Path) -> None:
    with patch.dict(os.environ, {"PERUDO_ENV_FILE": str(file)}):
        loading.load_settings(None)


_VARIABLES: Final = (
    "PERUDO_TOKEN", "PERUDO_TABLE__CLOCK_SECONDS", "PERUDO_TABLE", "PERUDO_WEB__PORT", "PERUDO_LANGUAGE",
    "DATABASE_URL", "PERUDO_FEATURES__OFF", "PERUDO_SMS__GATEWAYS", "PERUDO_CONFIG", "PERUDO_WEB_SEAT__URL",
)  # fmt: skip


@door("the environment", named(_VARIABLES, ("sqlite:///x.db", *odd_inputs.ODD_WORDS)), 40)
async def load_environment(_house: OpenHouse, given: Mapping[str, str]) -> None:
    with patch.dict(os.environ, given), suppress(SettingsError):
        loading.load_settings(None)


_PROXIES: Final = (
    "localhost,127.0.0.0/8,::1", "fd07:b51a:cc66::/64", "localhost,127.0.0.0/8,fd07:b51a:cc66:f0::/64,*.orb.local",
    "proxy:3128", "socks5://x", "http://proxy.test:x", "[::1]:80", " , ,", "http://u:p@h:1", "", "*", "http://[", "é",
)  # fmt: skip
_ALL_PROXIES: Final = named(("NO_PROXY", "HTTPS_PROXY", "ALL_PROXY", "HTTP_PROXY", "no_proxy"), _PROXIES)


@door("the proxies", _ALL_PROXIES | named(("NO_PROXY", "no_proxy"), _PROXIES), 40)
async def reach_out(_house: OpenHouse, given: Mapping[str, str]) -> None:
    """Check that the bot starts, or says which variable is wrong; the exceptions from a proxy never prevent a start."""
    proxies = {name: "" for name in os.environ if name.lower().endswith("_proxy")}
    only_exceptions = all(name.lower() == "no_proxy" for name in given)
    with patch.dict(os.environ, proxies | dict(given)), suppress(*() if only_exceptions else (OperatorError,)):
        make_bot(Settings.model_validate({"token": TOKEN}), connections=1)


def _restore(file: Path) -> None:
    """Check that the database is replaced by what a bot can use, or stays as it is."""
    games = file.with_name("games.db")
    games.write_bytes(b"games")
    try:
        backup.restore(file, f"sqlite:///{games}", force=True)
    except OperatorError:
        assert games.read_bytes() == b"games"
        raise
    schema.migrate(f"sqlite:///{games}")
    with closing(Database(f"sqlite:///{games}")) as database:
        for table in SQLModel.metadata.sorted_tables:
            database.run_now(partial(Session.execute, statement=table.select().limit(1)))
        database.run_now(lambda session: Outages(database, time.time)._find_due(session, fresh=True))
        database.run_now(lambda session: query_status(session, time.time()))


def _edited_backup(edit: str, value: str, noise: Mapping[int, int]) -> bytes:
    """Return a backup of a bot without games, with a change of its rows and of some bytes."""
    with closing(sqlite3.connect(":memory:")) as connection:
        games = migrated()
        connection.deserialize(games[:18] + b"\1\1" + games[20:])  # without WAL, which a database in memory cannot have
        connection.execute(edit, (value,) if "?" in edit else ())
        connection.commit()
        edited = bytearray(connection.serialize())
    for at, odd in noise.items():
        edited[at % len(edited)] = odd
    return bytes(edited)


_EDITS: Final = (
    *(
        f"INSERT INTO note VALUES ('{key}', ?)"  # noqa: S608 - constants
        for key in (HEARTBEAT, RESTORED, RESTART, LAST_BACKUP, FORGOTTEN_SPAN, f"{SILENT}telegram")
    ),
    "UPDATE alembic_version SET version_num = ?",
    "INSERT INTO alembic_version VALUES (?)",
    "DELETE FROM alembic_version",
    "DROP TABLE note",
    "DROP TABLE rate",
    "ALTER TABLE player DROP COLUMN name",
    "INSERT INTO member VALUES ('telegram', 1, 1, 0, 0)",
)
_EDITED_BACKUPS: Final = st.tuples(
    st.sampled_from(_EDITS),
    st.sampled_from(("", "abc", "nan", "-inf", "-1", "1e300", "1e11", "0", "{}", "9" * 400)),
    st.one_of(*[st.just({})] * 3, st.dictionaries(st.integers(0, 2**20), st.integers(0, 255), max_size=200)),
)
_BACKUPS: Final = st.one_of(spoilt(b"SQLite format 3\0" + b"\0" * 100, b"PGDMP\x01\x0e"), *[_EDITED_BACKUPS] * 3)


def _find_voice(file: Path) -> None:
    (file.parent / PIPER).touch(0o755)
    with patch.dict(os.environ, {"PATH": str(file.parent)}):
        PiperVoice(file.with_suffix(""))


def _print_record(file: Path) -> None:
    """Check that the library's command prints a game, or what is wrong with it."""
    with redirect_stderr(StringIO()) as said, redirect_stdout(StringIO()):
        status = perudo_command.main(["replay", str(file)])
    assert status == int(bool(said.getvalue()))


_TOML: Final = b'token = "1:x"\nlanguage = "it"\n[table]\nclock_seconds = 60\n[sms]\nkey = ""\n[web]\nport = 8080\n'
_ENV: Final = b"PERUDO_TOKEN=1:x\nPERUDO_WEB__PORT=80\n"
_RULES: Final = b'preset = "box_2009"\ncalza = true\n[about]\ntitle = "Ours"\nline = "x"\n'
_MANIFEST: Final = b'{"repository": "x/y", "revision": "1", "files": {"model.bin": {"sha256": "%b", "bytes": 3}}}' % (
    b"0" * 64
)
_RECORD: Final = (
    b'{"schema": "perudo-record/1", "seats": ["Ana", "Bo"], "rules": {"preset": "aces"}, "opener": 0, "rounds": []}'
)

door("settings", spoilt(_TOML), 30, loading._text_of)(_in_a_file(loading.load_settings, SettingsError))
door("variables in a file", spoilt(_ENV), 30)(_in_a_file(_load_variables, SettingsError))
door("house rules", spoilt(_RULES), 40, read_house_rules)(_in_a_file(read_house_rules, ValueError))
door("a backup", _BACKUPS, 40, backup.restore, backup._try_script)(_in_a_file(_restore, OperatorError))
door("the manifest of a voice model", spoilt_json(_MANIFEST), 40, models.read_manifest, models.sha256)(
    _in_a_file(lambda file: models.verified(file.parent), OperatorError, name=models.MANIFEST)
)
door("the silence of a voice model", spoilt_json(b'{"en": {"x": 1.5}}'), 30, models.read_silence)(
    _in_a_file(lambda file: models.read_silence(file.parent), name=models.SILENCE)
)
door("the description of a voice of Piper", spoilt_json(b'{"audio": {"sample_rate": 22050}}'), 30, PiperVoice.__init__)(
    _in_a_file(_find_voice, VoiceError, name="x.onnx.json")
)
door("a file of records", spoilt(_RECORD, b"{}\n{}"), 30, perudo_command._text)(
    _in_a_file(_print_record, name="given.jsonl")
)


@door("a voice note", spoilt(decode_child.TINY_NOTE), 40, decode_child.decode)
async def decode(_house: OpenHouse, given: bytes) -> None:
    with suppress(decode_child.NotOggOpusError, FFmpegError):
        decode_child.decode(given, BytesIO())


_QUESTION: Final = Question(observe(set_up(Rules(), ((2, 2, 5), (1, 6, 6)), [Bid(0, 2, 2)]), 1), new_memory(Rules(), 2))
_CALLS: Final = altered({"call": "3x2"}, {"type": "bid", "quantity": 3, "face": 2}, "3x2")
_SAID: Final = spoilt_json(b'{"call": "3x2", "reason": "two of mine", "estimate": 0.5}')


@door("the answer of an engine", _CALLS | _SAID, 80)
async def hear_engine(_house: OpenHouse, given: object) -> None:
    """Check that an engine's answer is a legal call, or refused without a word of it: it knows its own dice."""
    answer = given if isinstance(given, bytes) else json.dumps(given).encode()
    try:
        with patch.object(EngineProcess, "_answer_to", AsyncMock(return_value=answer)):
            said = str(await EngineProcess("odds", "no-program", seconds=1).choose(_QUESTION))
    except SideProcessError as refused:
        said = str(refused)
    calls = set(map(str, _QUESTION.observation.legal_calls))
    assert said in calls | {"an answer that is no call", "no call on its turn", "a call that is not legal"}


_OPTIONS: Final = ("--config", "x", "", "-1", "--force", "--json", "9" * 5000, "\u0663", "--port", "--help", "\udcff")
_ARGUMENTS: Final = st.builds(
    lambda command, rest: [command, *rest],
    st.sampled_from((*COMMANDS, "try", "", "--version", "x")),
    st.lists(st.sampled_from(_OPTIONS), max_size=4),
)


@door("the command line", _ARGUMENTS, 25)
async def give_command(_house: OpenHouse, given: list[str]) -> None:
    with redirect_stderr(StringIO()), redirect_stdout(StringIO()):
        try:
            parser_for(given).parse_args(given)
            status: object = 0
        except SystemExit as left:
            status = left.code
    assert status in (0, 2)
