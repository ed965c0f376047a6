"""Turn the acts of web pages into intents, and handle each once."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any, Final

from telegram_bot.channels.web import TRAITS
from telegram_bot.ingress.enrichers import Enricher, Enrichment
from telegram_bot.intents import intents as i
from telegram_bot.intents.forms import LARGEST
from telegram_bot.intents.request import Request
from telegram_bot.parsing.joining import without_introduction
from telegram_bot.screens.switches import SWITCHES
from telegram_bot.service.handlers.lobby_requests import Join, PlayAgain
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.requests import read_act
from telegram_bot.service.service import HandleResult, Service
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import LaneName
from telegram_bot.tables.faces import Face
from telegram_bot.tables.names import is_blank
from telegram_bot.words.catalogue import LANGUAGES
from telegram_bot.words.languages import nearest_language
from telegram_bot.words.phrases import LONGEST_SHOWN_NAME

log = logging.getLogger(__name__)

NAME: Final = TRAITS.name
LONGEST_TEXT: Final = 200
_LINKED: Final = re.compile(r"[@#$/\\:]|[.\u3002\uff0e\uff61](?=\S)|\+(?=\d)")
"""Signs that turn words into a mention, a tag, an address, a command or a telephone number."""


class BadActError(ValueError):
    """The act is malformed."""


class WebSource:
    """Makes jobs of stored acts."""

    name = NAME

    def __init__(self, service: Service, enrichers: Iterable[Enricher]) -> None:
        self.service = service
        self.enrichment = Enrichment(service.inbox_store, tuple(enrichers))
        self.waiting: dict[str, asyncio.Future[HandleResult | None]] = {}
        """The requests that wait for the result of an act, by its cause."""

    def admit(self, payload: dict[str, Any]) -> dict[str, Any] | None:
        """Return the act, or None if the person has exceeded a quota and is ignored for some seconds."""
        gate = self.service.quota_gate
        return None if gate.mutes_anybody and gate.is_muted(intent_of("", payload)) else payload

    def job_for(self, received: StoredUpdate) -> ActJob:
        """Return the job for an act."""
        return ActJob(self, received, intent_of(received.cause, received.payload))

    async def give_up(self, received: StoredUpdate) -> None:
        """Tell the request that there is no result."""
        self.hand_over(received.cause, None)

    def hand_over(self, cause: str, result: HandleResult | None) -> None:
        """Hand a result to the request that waits for it."""
        waiting = self.waiting.get(cause)
        if waiting is not None and not waiting.done():
            waiting.set_result(result)


@dataclass(slots=True)
class ActJob:
    """One act to handle."""

    source: WebSource
    received: StoredUpdate
    intent: i.Intent
    result: HandleResult | None = None

    @property
    def order_key(self) -> tuple[str, int]:
        """One person's acts run one after the other."""
        return self.intent.who.channel, self.intent.who.address

    async def act(self) -> Iterable[LaneName]:
        """Handle the act's intent."""
        intent = await self.source.enrichment.enrich(self.received, self.intent)
        self.result = await self.source.service.handle(intent)
        return self.result.lanes

    async def answer(self) -> None:
        """Hand the result to the request that waits for it."""
        self.source.hand_over(self.received.cause, self.result)


def intent_of(cause: str, payload: dict[str, Any]) -> i.Intent:
    """Return the intent of an act.

    Raises:
        BadActError: it is malformed.
    """
    who, act = payload["who"], payload["act"]
    return i.Intent(
        source=NAME,
        cause=cause,
        who=i.Person(who["channel"], who["address"], who["name"], who["username"], who["language"]),
        request=what_of(act, payload["code"]),
        where=None if payload["place"] is None else i.Place(NAME, payload["place"], title=who["name"]),
        table=None if act["act"] == "join" else table_of(act),
        step=_number(act, "step"),
        answered_by="toast",
        reads=payload["code"],
    )


def what_of(act: dict[str, Any], code: str) -> Request:
    """Return the request of an act; `code`: the code of the table in the page's room.

    Raises:
        BadActError: it is malformed.
    """
    match act.get("act"):
        case "name":
            return Choose("name", guest_name(_text(act)))
        case "language":
            return Choose("chosen_language", _language(act))
        case "face":
            return Choose("face", _face(act))
        case "twice":
            return Choose("asks_twice", _is_on(act))
        case "switch":
            return Choose(_switch(act), _is_on(act))
    request = read_act({name: value[:LONGEST_TEXT] if isinstance(value, str) else value for name, value in act.items()})
    if request is None:
        raise BadActError("no such act, or a malformed one")
    return replace(request, code=code) if isinstance(request, Join | PlayAgain) else request


def table_of(act: dict[str, Any]) -> int | None:
    """Return the table that an act names.

    Raises:
        BadActError: it is no number.
    """
    return _number(act, "table")


def _number(act: dict[str, Any], name: str) -> int | None:
    value = act.get(name)
    if value is not None and (type(value) is not int or abs(value) >= LARGEST):
        raise BadActError(f"{name} is no number")
    return value


def _text(act: dict[str, Any]) -> str:
    value = act.get("value")
    if not isinstance(value, str):
        raise BadActError("value is no text")
    return value[:LONGEST_TEXT]


def _is_on(act: dict[str, Any]) -> bool:
    value = act.get("value")
    if not isinstance(value, bool):
        raise BadActError("value is neither true nor false")
    return value


def _switch(act: dict[str, Any]) -> str:
    switch = SWITCHES.get(str(act.get("name")))
    if switch is None or switch.person is None or not switch.person.label:
        raise BadActError("no such switch")
    return switch.name


def guest_name(text: str) -> str:
    """Return a guest's name without signs that messengers turn into links.

    Raises:
        BadActError: the name is empty then, or cannot be seen.
    """
    name = without_introduction(i.person_name(_LINKED.sub(" ", text), LONGEST_SHOWN_NAME))
    if is_blank(name):
        raise BadActError("no name")
    return name


def _face(act: dict[str, Any]) -> Face:
    try:
        return Face(_text(act))
    except ValueError:
        raise BadActError("no such face") from None


def _language(act: dict[str, Any]) -> str:
    language = nearest_language(_text(act), LANGUAGES)
    if language is None:
        raise BadActError("no such language")
    return language
