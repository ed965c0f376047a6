"""A text that was received: what its phone speaks, which table it is for, and how it is answered in one transaction."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass

from sqlmodel import Session, col, select

from telegram_bot.channels.sms.country_language import language_of_country
from telegram_bot.channels.sms.gateways.base import Gateway
from telegram_bot.channels.sms.opt_out import CARRIERS_WORDS, plain_words
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.text_parser import TextRequest
from telegram_bot.channels.sms.traits import TRAITS
from telegram_bot.ingress.enrichers import Enrichment
from telegram_bot.service import intents as i
from telegram_bot.service.notices import Envelope, PhoneMessage, PhoneNotice
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import Player
from telegram_bot.storage.phone_models import Phone, TextSent
from telegram_bot.words.catalogue import catalogue


@dataclass(frozen=True, slots=True)
class TextContext:
    """What acting on any text needs."""

    service: Service
    phones: PhoneStore
    gateways: Mapping[str, Gateway]
    enrichment: Enrichment
    texts_an_hour: int
    """How many texts of one phone are handled; further ones are ignored."""


@dataclass(frozen=True, slots=True)
class ReceivedText:
    """One text, what is known of its phone, and the ways to answer it."""

    context: TextContext
    received: StoredUpdate
    order_key: int
    gateway: str
    text: str
    arrived: float
    sent: float | None

    def _language(self, phone: Phone) -> str | None:
        return phone.language or phone.spoken or self._guess(phone)

    def _guess(self, phone: Phone) -> str | None:
        return _spoken_there(phone, self.context.service.config.languages)

    def _placeholder(self, row: Phone) -> str:
        """What a person is called until they tell their name. It tells nothing of the number."""
        return catalogue(row.language or self._guess(row)).say("Friend {number}", number=row.id)

    async def _is_linked(self, phone: Phone) -> bool:
        """Whether the phone is linked to a person of another channel."""
        query = select(Player.id).where(Player.phone == phone.id)
        return await self.context.phones.database.run(lambda session: session.exec(query).first() is not None)

    async def _last_table(self, phone: Phone) -> int | None:
        query = (
            select(TextSent.table_id)
            .where(TextSent.phone_id == phone.id, TextSent.kind == "game_over")
            .order_by(col(TextSent.id).desc())
            .limit(1)
        )
        return await self.context.phones.database.run(lambda session: session.exec(query).first())

    def _answered_already(self) -> bool:
        """Whether the gateway answers this text itself, as one of the carriers' words."""
        gateway = self.context.gateways.get(self.gateway)
        answers = gateway is None or gateway.answers_carrier_words
        return answers and plain_words(self.text) in CARRIERS_WORDS

    def _has_sender_proof(self) -> bool:
        """Whether the gateway that brought this text vouches for its sender."""
        gateway = self.context.gateways.get(self.gateway)
        return gateway is not None and gateway.sender_proof

    def _said_at(self) -> float:
        """When the text was sent, but never in the future, whatever the phone's clock says."""
        return self.arrived if self.sent is None else min(self.sent, self.arrived)

    def _age(self) -> float:
        return self.context.service.now() - self._said_at()

    async def _learn(self, phone: Phone, read: TextRequest) -> Phone:
        """Store what a request says about the phone."""

        def write(session: Session) -> Phone:
            row = session.get_one(Phone, phone.id)
            row.agreed_at = row.agreed_at or self.context.service.now()
            if read.consents:  # a later wish than a STOP that is still on its way
                row.resumed_at = max(row.resumed_at or 0, self._said_at())
            row.language = read.language or row.language or read.speaks
            return row

        return await self.context.phones.database.run(write)

    async def _handle(
        self,
        phone: Phone,
        what: i.What,
        *,
        part: str = "",
        answered: bool = True,
        table: int | None = None,
        round: int | None = None,  # noqa: A002 - as the intent calls it
    ) -> Iterable[str]:
        intent = i.Intent(
            source=TRAITS.name,
            cause=f"{self.received.cause}/{part}" if part else self.received.cause,
            who=i.Person(
                TRAITS.name,
                phone.id,
                self._placeholder(phone),
                name_is_guess=True,
                language=phone.language or self._guess(phone),
                language_is_guess=phone.language is None,
            ),
            what=what,
            table=table,
            round=round,
            said_at=self._said_at(),
            answered_by="message" if answered and not part else "nothing",
            sender_proof=self._has_sender_proof(),
        )
        intent = await self.context.enrichment.enrich(self.received, intent)
        return (await self.context.service.handle(intent)).lanes

    async def _say(self, word: PhoneMessage, detail: str = "") -> Iterable[str]:
        return await self._aside(lambda uow, row: self._tell(uow, row, word, detail))

    async def _ignore(self) -> Iterable[str]:
        await self.context.service.inbox_store.close_ignored(self.received)
        return ()

    async def _aside(self, act: Callable[[UnitOfWork, Phone], None]) -> Iterable[str]:
        """Change the phone once, in one transaction."""
        service = self.context.service

        def run(session: Session) -> frozenset[str]:
            if service.inbox_store.mark_done(session, self.received.source, self.received.cause):
                return frozenset()
            uow = service.unit_of_work(session, f"{self.received.source}:{self.received.cause}")
            act(uow, session.get_one(Phone, self.order_key, with_for_update=True))
            return frozenset(uow.lanes)

        return await service.database.run(run)

    @staticmethod
    def _tell(uow: UnitOfWork, row: Phone, word: PhoneMessage, detail: str = "") -> None:
        language = row.language or row.spoken or _spoken_there(row, uow.config.languages) or uow.config.language
        notice = PhoneNotice(word=word, detail=detail)
        uow.enqueue(Envelope(channel=TRAITS.name, chat=row.id, language=language, notice=notice))


def _spoken_there(phone: Phone, ours: Container[str]) -> str | None:
    """The language of the phone's country, if the bot speaks it."""
    language = language_of_country(phone.region)
    return language if language in ours else None
