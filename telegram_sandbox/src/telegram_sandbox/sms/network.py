"""A phone network for one machine: texts from phones to the bot's number, and the bot's texts to phones."""

import asyncio
import logging
import uuid
from dataclasses import asdict, dataclass
from typing import Final, Literal

import aiohttp

from telegram_sandbox.clock import Clock
from telegram_sandbox.event_log import EventLog
from telegram_sandbox.model import Json
from telegram_sandbox.settings import SandboxSettings
from telegram_sandbox.sms import gsm

LOG = logging.getLogger(__name__)
FIRST_PHONE: Final = "+12025550111"
"""Numbers that are reserved for films, so no person has one."""
ANSWER_TIMEOUT: Final = aiohttp.ClientTimeout(total=30)
LONGEST_TEXT: Final = 1000
FIRST_PAUSE_SECONDS: Final = 0.5
LONGEST_PAUSE_SECONDS: Final = 10.0

Status = Literal["waiting", "delivered", "undelivered"]


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
    status: Status

    @property
    def segments(self) -> int:
        """How many messages it was sent as."""
        return gsm.segments(self.body)


class SmsNetwork:
    """All text messages, and their delivery to the bot."""

    def __init__(self, settings: SandboxSettings, clock: Clock, events: EventLog) -> None:
        self._settings = settings
        self._clock = clock
        self._events = events
        self._sending: set[asyncio.Task[None]] = set()
        self._queues: dict[int, asyncio.Lock] = {}
        self._phones_made = 0
        self.clear()

    def clear(self) -> None:
        """Forget every text and create the phones of the settings."""
        self.close()
        self.phones: dict[int, TextPhone] = {}
        self.texts: list[Text] = []
        for name in self._settings.phones:
            self.make_phone(name)

    def close(self) -> None:
        """Stop delivering texts."""
        for task in self._sending:
            task.cancel()

    def make_phone(self, name: str) -> TextPhone:
        """Return a phone with a number of its own."""
        phone = TextPhone(-1 - self._phones_made, name, f"+{int(FIRST_PHONE[1:]) + self._phones_made}")
        self._phones_made += 1
        self.phones[phone.id] = phone
        self._queues[phone.id] = asyncio.Lock()
        self.show_phones()
        return phone

    def show_phones(self) -> None:
        """Send the pages the list of phones."""
        self._events.emit("phones", phones=self.listing())

    def by_number(self, number: str) -> TextPhone | None:
        """Return the phone with this number, in any spelling."""
        digits = "".join(filter(str.isdigit, number)).removeprefix("00")
        return next((phone for phone in self.phones.values() if phone.number[1:] == digits), None)

    # From a phone to the bot

    def text_bot(self, phone: TextPhone, body: str) -> Text:
        """Text the bot's number; the message arrives as soon as the bot's gateway takes it."""
        text = self._add(phone, body, from_bot=False)
        task = asyncio.create_task(self._deliver_until_taken(phone, text))
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)
        return text

    async def _deliver_until_taken(self, phone: TextPhone, text: Text) -> None:
        """Deliver a text as a gateway does: in order, repeated with the same id until the bot accepts it."""
        message = {
            "id": str(uuid.uuid4()),
            "from": phone.number,
            "to": self._settings.sms_number,
            "text": text.body,
            "time": str(text.date),
            "charset": "UTF-8",
            "coding": "0" if gsm.is_gsm(text.body) else "2",
        }
        pause = FIRST_PAUSE_SECONDS
        async with (
            self._queues[phone.id],
            aiohttp.ClientSession(timeout=ANSWER_TIMEOUT) as session,
        ):
            while not await self._deliver(session, message):
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_SECONDS)
        text.status = "delivered"
        self._show(text)

    async def _deliver(self, session: aiohttp.ClientSession, message: dict[str, str]) -> bool:
        if not self._settings.sms_hook:
            return False
        try:
            async with session.get(self._settings.sms_hook, params=message) as answer:
                return answer.ok
        except (aiohttp.ClientError, TimeoutError) as error:
            LOG.info("a text could not be delivered: %s", type(error).__name__)
            return False

    # From the bot to a phone

    def text_phone(self, phone: TextPhone, body: str) -> Text:
        """Return the bot texts a phone; a phone that is off gets no text."""
        text = self._add(phone, body, from_bot=True)
        text.status = "delivered" if phone.is_on else "undelivered"
        self._show(text)
        return text

    # The page's view

    def _add(self, phone: TextPhone, body: str, *, from_bot: bool) -> Text:
        text = Text(len(self.texts) + 1, phone.id, from_bot, body, self._clock.unix(), "waiting")
        self.texts.append(text)
        self._show(text)
        return text

    def _show(self, text: Text) -> None:
        self._events.emit("text", text=text_json(text))

    def listing(self) -> list[Json]:
        """Return every phone as the page draws it."""
        return [asdict(phone) for phone in self.phones.values()]

    def state(self) -> Json:
        """Return everything a page needs to begin."""
        return {
            "number": self._settings.sms_number if self._settings.sms_hook else None,
            "price": self._settings.sms_price,
            "phones": self.listing(),
            "texts": [text_json(text) for text in self.texts],
        }


def text_json(text: Text) -> Json:
    """Return one text as the page draws it."""
    return {
        "key": text.key,
        "phone": text.phone,
        "from_bot": text.from_bot,
        "body": text.body,
        "date": text.date,
        "status": text.status,
        "segments": text.segments,
        "length": gsm.length(text.body),
        "alphabet": "GSM-7" if gsm.is_gsm(text.body) else "UCS-2",
    }
