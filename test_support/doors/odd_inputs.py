"""Strategies for what strangers, gateways, browsers and operators may send: usual inputs, altered at some places."""

import datetime as dt
import enum
import json
import types
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import reduce
from operator import getitem
from random import Random
from typing import Any, Final, Literal, Union, get_args, get_origin

from aiogram import types as bot_api
from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from telegram_bot.channels.telegram.received import Message, RepliedMessage
from telegram_bot.intents.request import Scope
from telegram_bot.service.commands import commands

SECRET: Final = "only-their-eyes"
MISSING: Final = object()

LINKS: Final = (
    "https://t.me/perudo_bot?start=g-1-0-bid_3x4",
    "http://a\u2100b.org/",
    "https://example.com\uff1a8080/",
    "http://[",
    "https://[::1",
    "tg://user?id=1",
    "//",
    "",
    "https://t.me/" + "/" * 5000,
    "https://t.me/?" + "&start" * 300,
)
_ODD: Final[tuple[Any, ...]] = (
    *(MISSING, None, "", [], {}, True, False, -1, 2**31, 2**63, -(2**70), 1.5, 1e308, [1], {"id": 1}, [[]]),
    *LINKS, "/" * 5000, "\ud800", "\udfff\ud800", "a\0b", "\u202e\u2067x", f"{SECRET} 3x4", "9" * 5000, "\u0663",
)  # fmt: skip
ODD_WORDS: Final = (
    "", "x", "-1", "1.2", "[", "{}", "*", "true", "1e400", "%00", "\u0663", "é", "é\udcff", "9" * 5000, "x" * 5000,
    "null", "http://[", "[::1", "https://a\u2100b",
)  # fmt: skip
"""For headers, variables and the like, which have no line breaks."""
_NO_IDS: Final = (True, [1], {"id": 1}, 1.5, 2**63, "1", MISSING)
ODD: Final = st.one_of(st.sampled_from(_ODD), st.text(max_size=20), st.integers(), st.floats())

ME: Final = {"id": 424242, "is_bot": True, "first_name": "Perudo", "username": "perudo_bot"}
_ANA: Final = {"id": 101, "is_bot": False, "first_name": "Ana", "username": "ana", "language_code": "en"}
_GROUP: Final = {"id": -1001, "type": "supergroup", "title": "Friends"}
_PRIVATE: Final = {"id": 101, "type": "private", "first_name": "Ana"}
_SAID: Final = {"message_id": 5, "date": 1_700_000_000, "chat": _GROUP, "from": _ANA}
_VOICE: Final = {"file_id": "F", "file_unique_id": "U", "duration": 2, "file_size": 4000}
_MEMBER: Final = {"status": "member", "user": _ANA}
_CHANGE: Final = {"chat": _GROUP, "from": _ANA, "date": 1, "old_chat_member": _MEMBER, "new_chat_member": _MEMBER}
_TAP: Final = {"id": "q", "from": _ANA, "chat_instance": "1", "data": "l:1:join", "message": _SAID | {"from": ME}}

UPDATES: Final[tuple[dict[str, Any], ...]] = (
    {"message": _SAID | {"text": "/perudo"}},
    {"message": _SAID | {"text": "/status", "chat": _PRIVATE}},
    {"message": _SAID | {"text": "3x4", "reply_to_message": _SAID | {"from": ME}}},
    *(
        {
            "message": _SAID
            | {"text": "🎲 3 × 4", "via_bot": ME, "entities": [{"type": "text_link", "offset": 0, "url": link}]}
        }
        for link in LINKS[:4]
    ),
    {"message": _SAID | {"voice": _VOICE}},
    {"message": _SAID | {"new_chat_members": [_ANA]}},
    {"message": _SAID | {"left_chat_member": _ANA}},
    {"message": _SAID | {"migrate_to_chat_id": -1002}},
    {"callback_query": _TAP},
    {"my_chat_member": _CHANGE},
    {"chat_member": _CHANGE},
    {"inline_query": {"id": "i", "from": _ANA, "query": "3", "offset": ""}},
    {"chosen_inline_result": {"result_id": "g:1:0:bid=3x4", "from": _ANA, "query": ""}},
)
"""The shapes of updates that the bot receives."""


def commands_of_chats() -> tuple[dict[str, Any], ...]:
    """Return a message with each command of the chats, in a group and in private."""
    texts = (f"/{command.name} 3x4" for command in commands() if command.scope & Scope.CHATS)
    return tuple({"message": _SAID | {"text": text, "chat": chat}} for text in texts for chat in (_GROUP, _PRIVATE))


_UNREAD: Final = {*bot_api.Message.model_fields}.difference(Message.model_fields, RepliedMessage.model_fields)
UNREAD_PARTS: Final = st.tuples(
    st.sampled_from((UPDATES[1], UPDATES[2])),
    st.sampled_from(sorted(_UNREAD)),
    st.sampled_from(
        ({}, [], True, 3, "x", [{}], {"type": "hidden_user", "date": 1}, {"origin": {}, "story": {}}, 2**70)
    ),
)
"""Parts of a message that the bot does not read."""
_TYPES: Final[dict[str, type[BaseModel]]] = {
    "message": bot_api.Message,
    "reply_to_message": bot_api.Message,
    "chat": bot_api.Chat,
    "from": bot_api.User,
    "callback_query": bot_api.CallbackQuery,
    "voice": bot_api.Voice,
    "inline_query": bot_api.InlineQuery,
}
"""The Bot API's types of the parts to which an alteration adds an optional part."""


@st.composite
def altered(draw: st.DrawFn, *bases: Any) -> Any:
    """Return one of these JSON values with up to four places that are odd, missing, or added."""
    value = deepcopy(draw(st.sampled_from(bases)))
    for _ in range(draw(st.integers(0, 4))):
        places = list(_places(value))
        if not places:
            break
        *path, key = draw(st.sampled_from(places))
        inside = reduce(getitem, path, value)
        model = _TYPES.get(key) if isinstance(key, str) else None
        if model is not None and isinstance(inside[key], dict) and draw(st.booleans()):
            name, field = draw(st.sampled_from(sorted(model.model_fields.items())))
            inside[key][field.alias or name] = draw(_of_type(field.annotation, 3))
            continue
        odd = draw(st.sampled_from(LINKS if key == "url" else _NO_IDS) if key in ("url", "id") else ODD)
        if odd is not MISSING:
            inside[key] = deepcopy(odd)
        elif isinstance(inside, dict):
            del inside[key]
    return value


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield (*path, key)
            yield from _places(inner, (*path, key))


def _of_type(kind: Any, depth: int) -> st.SearchStrategy[Any]:
    """Return a strategy for a value of a type of the Bot API, which has its required parts alone."""
    origin = get_origin(kind)
    if origin in (Union, types.UnionType):
        return st.one_of([_of_type(each, depth) for each in get_args(kind) if each is not type(None)])
    if origin is Literal:
        return st.sampled_from(get_args(kind))
    if origin is list:
        return st.lists(_of_type(get_args(kind)[0], depth - 1), max_size=1)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        fields = kind.model_fields.items() if depth > 0 else ()
        required = {field.alias or name: field.annotation for name, field in fields if field.is_required()}
        return st.fixed_dictionaries({name: _of_type(each, depth - 1) for name, each in required.items()})
    if isinstance(kind, type) and issubclass(kind, enum.Enum):
        return st.sampled_from([each.value for each in kind])
    numbers = dict.fromkeys((int, dt.datetime, dt.timedelta), (0, 1, 1_700_000_000, -1001))
    return st.sampled_from({bool: (False, True), float: (1.5,), **numbers}.get(kind, ("x", "", LINKS[1])))


def an_altered(base: Any, chance: Random) -> Any:
    """Return one of the values of `altered`, which `chance` decides."""
    found = [base]

    @settings(max_examples=4, phases=[Phase.generate], database=None, deadline=None, derandomize=False)
    @seed(chance.randrange(2**32))
    @given(altered(base))
    def keep(value: Any) -> None:
        found.append(value)

    keep()
    return found[-1]  # the first ones have the fewest alterations


def named(names: Sequence[str], values: Sequence[str]) -> st.SearchStrategy[dict[str, str]]:
    """Return a strategy for headers or variables."""
    return st.dictionaries(st.sampled_from(names), st.sampled_from(values), max_size=3)


def spoilt(*usual: bytes) -> st.SearchStrategy[bytes]:
    """Return a strategy for these contents, with some bytes replaced, and for other bytes."""

    def replaced(content: bytes, at: int, odd: bytes) -> bytes:
        at %= len(content) + 1
        return content[:at] + odd + content[at + len(odd) :]

    spoil = st.builds(replaced, st.sampled_from(usual), st.integers(0, 5000), st.binary(max_size=9))
    others = (b"\xff\xfe\x00", b"\xef\xbb\xbf", b"", "é".encode("latin-1"), b"[" * 3000, "x = 1".encode("utf-16"))
    return st.one_of(spoil, st.sampled_from(others), *(st.just(b"\xef\xbb\xbf" + each) for each in usual))


def spoilt_json(usual: bytes) -> st.SearchStrategy[bytes]:
    return spoilt(usual) | altered(json.loads(usual)).map(lambda each: json.dumps(each).encode())
