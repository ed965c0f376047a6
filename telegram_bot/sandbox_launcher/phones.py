"""Phones without the app in the sandbox: their texts to the bot's number, and the bot's texts to them."""

import asyncio
import logging
import secrets
import uuid
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Final, Literal

import httpx
from pydantic import Field
from starlette.routing import Route

from telegram_bot.internet import certificates
from telegram_bot.sandbox_launcher.kannel import KannelEndpoint
from telegram_bot.words.sms import gsm
from telegram_sandbox import ControlError, Extension, World, change

LOG = logging.getLogger(__name__)
FIRST_PHONE: Final = "+12025550111"
"""Numbers that are reserved for films, so no person has one."""
ANSWER_TIMEOUT: Final = 30.0
LONGEST_TEXT: Final = 1000
FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 10.0

Status = Literal["waiting", "delivered", "undelivered"]
Name = Annotated[str, Field(min_length=1, max_length=64)]


@dataclass(frozen=True, slots=True)
class PhoneSettings:
    """The phones of a sandbox and the bot's gateway; one of `SandboxSettings.extensions`."""

    hook: str
    """The address that gets text messages to the bot's number, as a Kannel smsbox delivers them."""
    phones: tuple[str, ...] = ("Gran",)
    """People without the app, who can only text."""
    hint: str = "Text {number} to reach the bot."
    """The hint on a phone without texts; `{number}` is the bot's number."""
    number: str = "+12025550100"
    username: str = "sandbox"
    password: str = field(default_factory=lambda: secrets.token_urlsafe(26))
    """The bot's password to send text messages; a new one for each sandbox by default."""
    price: float = 0.01
    """The price of one message in either direction, which the page shows."""

    def __call__(self, world: World) -> "Phones":
        """Add the phones to a sandbox."""
        return Phones(world, self)


@dataclass(slots=True)
class TextPhone:
    """A phone without the app. Its id is negative; those of people are positive."""

    id: int
    name: str
    number: str
    is_on: bool = True


@dataclass(slots=True)
class Text:
    """One text message."""

    key: int
    phone: int
    from_bot: bool
    body: str
    date: int
    status: Status = "waiting"

    def as_json(self) -> dict[str, object]:
        """Return the text as the page draws it."""
        return asdict(self) | gsm.count_segments(self.body)._asdict()


class Phones(Extension):
    """All phones and text messages, and their delivery to the bot."""

    name = "sms"
    folder = Path(__file__).parent / "static/phones"

    def __init__(self, world: World, settings: PhoneSettings) -> None:
        super().__init__(world)
        self.settings = settings
        self._sending: set[asyncio.Task[None]] = set()
        self._queues: dict[int, asyncio.Lock] = {}
        self._phones_made = 0
        self.clear()

    def routes(self) -> list[Route]:
        """Return the address of the gateway."""
        kannel = KannelEndpoint(self.world.settings, (self.settings.username, self.settings.password), self.text_number)
        return [Route("/cgi-bin/sendsms", kannel.send_sms, methods=["GET", "POST"])]

    def clear(self) -> None:
        """Forget every text and create the phones of the settings."""
        self.close()
        self.phones: dict[int, TextPhone] = {}
        self.texts: list[Text] = []
        for name in self.settings.phones:
            self._make_phone(name)

    def close(self) -> None:
        """Stop delivering texts."""
        for task in self._sending:
            task.cancel()

    @change("POST /phones")
    def add_phone(self, name: Name) -> TextPhone:
        """Create a phone with a number of its own."""
        return self._make_phone(name)

    @change("PATCH /phones/{phone}")
    def change_phone(self, phone: int, *, name: Name | None = None, is_on: bool | None = None) -> TextPhone:
        """Rename a phone's owner, or turn the phone off and on."""
        found = self._found(phone)
        found.name = found.name if name is None else name
        found.is_on = found.is_on if is_on is None else is_on
        self._show_phones()
        return found

    @change("POST /texts")
    def text_bot(
        self, phone: int, text: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)]
    ) -> dict[str, object]:
        """Text the bot's number; the message arrives as soon as the bot's gateway takes it."""
        sent = self._add(self._found(phone), text, from_bot=False)
        task = asyncio.create_task(self._deliver_until_taken(self._found(phone), sent))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return sent.as_json()

    def text_number(self, number: str, body: str) -> bool | None:
        """Let the bot text a number, in any spelling; return False if its phone is off, None if no one has it."""
        digits = "".join(filter(str.isdigit, number)).removeprefix("00")
        phone = next((phone for phone in self.phones.values() if phone.number[1:] == digits), None)
        if phone is None:
            return None
        text = self._add(phone, body, from_bot=True)
        text.status = "delivered" if phone.is_on else "undelivered"
        self._show(text)
        return phone.is_on

    def state(self) -> dict[str, object]:
        """Return everything a page needs to begin."""
        return {
            "number": self.settings.number,
            "price": self.settings.price,
            "hint": self.settings.hint,
            "phones": self._listing(),
            "texts": [text.as_json() for text in self.texts],
        }

    def _make_phone(self, name: str) -> TextPhone:
        phone = TextPhone(-1 - self._phones_made, name, f"+{int(FIRST_PHONE[1:]) + self._phones_made}")
        self._phones_made += 1
        self.phones[phone.id] = phone
        self._queues[phone.id] = asyncio.Lock()
        self._show_phones()
        return phone

    def _found(self, phone: int) -> TextPhone:
        if phone not in self.phones:
            raise ControlError("no such phone")
        return self.phones[phone]

    async def _deliver_until_taken(self, phone: TextPhone, text: Text) -> None:
        """Deliver a text as a gateway does: in order, repeated with the same id until the bot accepts it."""
        message = {
            "id": str(uuid.uuid4()),
            "from": phone.number,
            "to": self.settings.number,
            "text": text.body,
            "time": str(text.date),
            "charset": "UTF-8",
            "coding": "0" if gsm.is_gsm(text.body) else "2",
        }
        pause = FIRST_PAUSE_SECONDS
        hook = httpx.URL(self.settings.hook).copy_merge_params(message)
        async with (
            self._queues[phone.id],
            httpx.AsyncClient(verify=certificates(), timeout=ANSWER_TIMEOUT, trust_env=False) as client,
        ):
            while not await _is_delivered(client, hook):
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        text.status = "delivered"
        self._show(text)

    def _add(self, phone: TextPhone, body: str, *, from_bot: bool) -> Text:
        text = Text(len(self.texts) + 1, phone.id, from_bot, body, self.world.clock.unix())
        self.texts.append(text)
        self._show(text)
        return text

    def _show(self, text: Text) -> None:
        self.world.events.emit("text", text=text.as_json())

    def _show_phones(self) -> None:
        self.world.events.emit("phones", phones=self._listing())

    def _listing(self) -> list[dict[str, object]]:
        return [asdict(phone) for phone in self.phones.values()]


async def _is_delivered(client: httpx.AsyncClient, hook: httpx.URL) -> bool:
    try:
        return (await client.get(hook)).is_success
    except httpx.HTTPError as error:
        LOG.info("a text could not be delivered: %s", type(error).__name__)
        return False
