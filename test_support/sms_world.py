"""The whole SMS channel (webhooks, inbox, service, outbox) with gateways that only record."""

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import httpx
from starlette.applications import Starlette

from telegram_bot.channels.sms import TRAITS as SMS_TRAITS
from telegram_bot.channels.sms.gateways import base
from telegram_bot.channels.sms.number_encryption import NumberEncryption
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.sender import SmsSender
from telegram_bot.channels.sms.source import SmsSource
from telegram_bot.channels.sms.webhooks import GatewayRoutes
from telegram_bot.channels.telegram import TRAITS as TELEGRAM_TRAITS
from telegram_bot.delivery.limits import Limits
from telegram_bot.intents import intents as i
from telegram_bot.intents.channel_traits import ChannelDirectory
from telegram_bot.intents.config import TextCaps
from telegram_bot.intents.intents import DeadlineReached
from telegram_bot.parsing.to_intent import parse_text
from telegram_bot.service.handlers.phone_requests import RequestPhoneLink
from telegram_bot.storage.database import Database
from telegram_bot.storage.models import HEARTBEAT, LaneName, OutboxEntry
from telegram_bot.storage.phone_models import Phone, TextStatus
from telegram_bot.tables.model import Timings, TurnClock
from telegram_bot.words.sms import gsm
from test_support.in_process_world import InProcessWorld

KEY = "k" * 40
ANA, BO, CY = "+447400123401", "+447400123402", "+33612345603"
DEE = i.Person("telegram", 77, "Dee", language="en")
GROUP = i.Place("telegram", -5, title="Group")
OURS = "+393400000001"


class RecordingGateway(base.Gateway):
    """A gateway that a test controls: plain requests in, a list of sent texts out."""

    def __init__(
        self, name: str = "air", *, number: str = OURS, cost: int = 0, answers: bool = False, proof: bool = False
    ) -> None:
        self.name, self.number, self.home, self.cost, self.sender_proof = name, number, "GB", cost, proof
        self.answers_carrier_words = answers
        self.sent: list[tuple[str, str, int]] = []
        self.refuse: Exception | None = None

    def receive(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        match = re.fullmatch(rb"(\S+) (\S+) (\S+) (.*)", request.body, re.DOTALL)
        if match is None:
            raise base.WebRefusedError(400, "malformed")
        message, sender, sent, text = (group.decode() for group in match.groups())
        return [base.IncomingText(message, sender, text, None if sent == "-" else float(sent))]

    def receipt(self, request: base.WebRequest) -> list[base.GatewayEvent]:
        message, status = request.body.decode().split()
        return [base.DeliveryReceipt(message, TextStatus(status), opted_out=status == "failed")]

    async def send(self, number: str, text: str, *, seconds: int) -> str:
        if self.refuse is not None:
            raise self.refuse
        self.sent.append((number, text, seconds))
        return f"{self.name}-{len(self.sent)}"


class SmsWorld(InProcessWorld):
    """Phones that text, and a bot that answers. The clock changes only when a test changes it."""

    def __init__(
        self,
        database: Database,
        *gateways: RecordingGateway,
        caps: TextCaps | None = None,
        countries: Iterable[str] = ("GB", "FR"),
        keys: Iterable[str] = (KEY,),
        an_hour: int = 1000,
        seed: int = 3,
        languages: tuple[str, ...] = ("en",),
    ) -> None:
        self.air = {gateway.name: gateway for gateway in gateways or (RecordingGateway(),)}
        super().__init__(
            database,
            seed,
            parse_text=parse_text,
            channels=ChannelDirectory((TELEGRAM_TRAITS, SMS_TRAITS)),
            clock=TurnClock(seconds=3600),
            timings=Timings(reveal_seconds=0),
            numbers=(OURS,),
            text_caps=replace(caps or TextCaps(), cost=max(air.cost for air in self.air.values())),
            sealed_dice=False,
            languages=languages,
        )
        self.phones = PhoneStore(database, NumberEncryption(list(keys)), lambda: self.now)
        self.sender = SmsSender(
            self.phones, self.air, caps=self.service.config.text_caps, limits=Limits(0, 0, 0), now=lambda: self.now
        )
        source = SmsSource(self.service, self.phones, self.air, texts_an_hour=an_hour)
        self.connect({"sms": self.sender}, source)
        webhooks = GatewayRoutes(list(self.air.values()), self.phones, frozenset(countries))
        app = Starlette(routes=list(webhooks.routes(self.inbox)))
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://bot")
        self._texts = 0
        self._read: dict[str, int] = defaultdict(int)

    async def text(
        self,
        number: str,
        words: str,
        *,
        gateway: str = "air",
        message: str | None = None,
        sent: float | Literal["now"] | None = "now",
    ) -> list[str]:
        """Send a text to the bot; return the answers. `sent`: the time that the gateway reports, if any."""
        self._texts += 1
        name = message or f"m{self._texts}"
        moment = "-" if sent is None else str(self.now if sent == "now" else sent)
        answer = await self.client.post(f"/sms/{gateway}", content=f"{name} {number} {moment} {words}".encode())
        assert answer.status_code == 200, answer.status_code
        await self.settle()
        return self.got(number)

    async def confirm(self, number: str, words: str, **more: Any) -> list[str]:
        question = (await self.text(number, words, **more))[-1]
        found = re.search(r"\b([A-Z]+ \d{4})\.", question)
        assert found is not None, question
        return await self.text(number, found[1], **more)

    async def link_code(self, who: i.Person = DEE) -> str:
        await self.from_telegram(who, RequestPhoneLink())
        lane = LaneName("telegram", who.address)
        told = [row.notice["notice"] for row in self.rows(OutboxEntry) if row.notice and row.lane == lane]
        return str([notice["code"] for notice in told if notice["kind"] == "link_code"][-1])

    def got(self, number: str) -> list[str]:
        """Return the texts to a phone since the last call, oldest first."""
        every = self.every_text(number)
        fresh = every[self._read[number] :]
        self._read[number] = len(every)
        return fresh

    def every_text(self, number: str) -> list[str]:
        texts = [text for air in self.air.values() for to, text, _ in air.sent if to == number]
        assert all(gsm.count_segments(text) == ("GSM-7", len(text), 1) for text in texts)
        return texts

    async def pass_time(self, seconds: float) -> None:
        """Let time pass and handle the deadlines that are due."""
        self.now += seconds
        await self.service.key_values.put(HEARTBEAT, repr(self.now))  # the bot ran all the time
        for table in (await self.service.outages.find_due()).tables:
            await self.service.handle(DeadlineReached(table))
        await self.settle()

    def phone(self, number: str) -> Any:
        return next(phone for phone in self.rows(Phone) if self.phones.number_of(phone) == number)


def code_in(texts: list[str]) -> str:
    found = re.search(r"\b([A-Z2-9]{6})\b", " ".join(texts))
    assert found is not None, texts
    return found[1]


async def a_lobby(world: SmsWorld) -> str:
    """Ana opens a table, and Bo joins. Returns the code."""
    code = code_in(await world.text(ANA, "NEW Ana"))
    await world.text(BO, f"JOIN {code} Bo")
    for number in (ANA, BO):
        world.got(number)
    return code


async def a_game(world: SmsWorld) -> str:
    """Ana opens a table, Bo and Cy join, the game starts, and Ana is on turn. Returns the code."""
    code = await a_lobby(world)
    await world.text(CY, f"join {code.lower()} Cy")
    await world.text(ANA, "GO")
    for number in (ANA, BO, CY):
        world.got(number)
    return code


async def on_turn(world: SmsWorld) -> str:
    game = world.table().begun_game
    assert game.turn is not None
    return (ANA, BO, CY)[game.turn]
