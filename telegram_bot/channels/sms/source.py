"""Turn stored texts into intents and handle each once. Requests about the phone itself are handled here."""

from __future__ import annotations

import logging
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from babel import Locale, UnknownLocaleError
from sqlmodel import Session, col, select

from telegram_bot.channels.sms import repeats, text_parser
from telegram_bot.channels.sms.consent import consents, is_table_code
from telegram_bot.channels.sms.gateways.base import Gateway
from telegram_bot.channels.sms.opt_out import CARRIERS_WORDS, OptOut, plain_words, read_opt_out
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.text_parser import CarrierKeyword, ParsedMessage, TextRequest
from telegram_bot.channels.sms.traits import TRAITS
from telegram_bot.service import intents as i
from telegram_bot.service.notices import Envelope, PhoneMessage, PhoneNotice
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import Player, PrivateView
from telegram_bot.storage.phone_models import Phone, TextSent
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.catalogue import catalogue

log = logging.getLogger(__name__)

TOO_OLD_SECONDS: Final = 2 * 86400
HINT_SECONDS: Final = 86400
"""How often an unknown number gets the hint how to begin."""
FIRST_TRIES: Final = 5
"""How many texts an hour of an unknown number are searched for misspelt commands."""
NIGHT: Final = (22 * 60, 8 * 60)
"""The quiet hours of a new phone until its owner chooses others, in minutes after midnight."""
HOUR: Final = 3600


class SmsSource:
    """Makes jobs of stored texts."""

    name = TRAITS.name

    def __init__(
        self, service: Service, phones: PhoneStore, gateways: Mapping[str, Gateway], *, texts_an_hour: int
    ) -> None:
        """`texts_an_hour`: how many texts of one phone are handled; further ones are ignored."""
        self.service = service
        self.phones = phones
        self.gateways = gateways
        self.texts_an_hour = texts_an_hour

    def ignores(self, payload: dict[str, Any]) -> bool:  # noqa: ARG002 - as a source
        """False for every text: each costs its sender money, and `PhoneStore` counts them."""
        return False

    def job_for(self, received: StoredUpdate) -> TextJob:
        """The job for a text."""
        payload = received.payload
        return TextJob(
            self,
            received,
            order_key=int(payload.get("phone", 0)),
            gateway=str(payload.get("gateway", "")),
            text=str(payload.get("text", "")),
            arrived=float(payload.get("at", 0)),
            sent=None if payload.get("sent") is None else float(payload["sent"]),
        )


@dataclass(frozen=True, slots=True)
class TextJob:
    """One text to act on."""

    source: SmsSource
    received: StoredUpdate
    order_key: int
    gateway: str
    text: str
    arrived: float
    sent: float | None

    async def act(self) -> Iterable[str]:  # noqa: PLR0911 - one answer for each kind of text
        """Handle the text's intent."""
        phone = await self._heard()
        if phone is None:
            return await self._ignore()
        carrier = text_parser.carrier_keyword(self.text)
        if carrier is CarrierKeyword.STOP:
            return await self._stop(phone)
        if carrier in (CarrierKeyword.START, CarrierKeyword.YES) and phone.opted_out_at is not None:
            return await self._start(phone)
        if phone.opted_out_at is not None or (carrier is not None and self._answered_already()):
            return await self._ignore()
        if self._age() > TOO_OLD_SECONDS:
            return await self._say(PhoneMessage.TOO_OLD) if phone.agreed_at is not None else await self._ignore()
        if read_opt_out(self.text) is OptOut.PERHAPS:
            return await self._say(PhoneMessage.MEANT, "STOP") if phone.agreed_at is not None else await self._ignore()
        if carrier is CarrierKeyword.HELP and phone.agreed_at is None:
            return await self._say(PhoneMessage.WHO)
        return await self._wish(phone)

    async def answer(self) -> None:
        """Nothing: the answer is in the outbox."""

    async def give_up(self) -> None:
        """Nothing: no phone waits for an answer."""

    # Texts that anybody may send

    async def _heard(self) -> Phone | None:
        """The phone; None if it texts too often, or if its STOP or START is delivered again. A new STOP is handled."""
        carrier = text_parser.carrier_keyword(self.text)
        unheard = carrier is not CarrierKeyword.STOP

        def count(session: Session) -> Phone | None:
            phone = session.get(Phone, self.order_key, with_for_update=True)
            if phone is None or repeats.is_delivered_again(phone, carrier, self.received.cause, self.sent):
                return None
            repeats.count_repeats(phone, self.text, self.arrived)
            if self.arrived - phone.heard_since >= HOUR:
                phone.heard_since, phone.heard_count = self.arrived, 0
            phone.heard_count += 1
            if phone.heard_count > self.source.texts_an_hour and unheard:
                if phone.heard_count == self.source.texts_an_hour + 1:
                    log.warning("phone %s texts too often; it is not listened to for a while", phone.id)
                return None
            return phone

        return await self.source.phones.database.run(count)

    async def _stop(self, phone: Phone) -> Iterable[str]:
        """Stop texting this phone, and tell the service that its owner cannot be reached."""
        if phone.agreed_at is not None and not await self._is_linked(phone):
            await self._handle(phone, i.PrivateChatBlocked(), part="close")

        def opt_out(uow: UnitOfWork, row: Phone) -> None:
            already = row.opted_out_at is not None
            repeats.note_keyword(row, CarrierKeyword.STOP, self.received.cause, self._said_at())
            if not already and not self._answered_already():
                self._tell(uow, row, PhoneMessage.STOPPED)

        return await self._aside(opt_out)

    async def _start(self, phone: Phone) -> Iterable[str]:
        """Resume texting this phone."""

        def opt_in(uow: UnitOfWork, row: Phone) -> None:
            repeats.note_keyword(row, CarrierKeyword.START, self.received.cause, self._said_at())
            if not self._answered_already():
                self._tell(uow, row, PhoneMessage.RESUMED)

        lanes = set(await self._aside(opt_in))
        if phone.agreed_at is not None:
            linked = await self._is_linked(phone)
            what = i.ChooseView(PrivateView.TEXT) if linked else i.StartPrivateChat(greeted=False)
            lanes |= set(await self._handle(phone, what, part="open"))
            if linked:
                lanes |= set(await self._handle(phone, i.SeeDice(), part="dice"))
        return lanes

    def _answered_already(self) -> bool:
        """Whether the gateway answers this text itself, as one of the carriers' words."""
        gateway = self.source.gateways.get(self.gateway)
        answers = gateway is None or gateway.answers_carrier_words
        return answers and plain_words(self.text) in CARRIERS_WORDS

    # Texts of players

    async def _wish(self, phone: Phone) -> Iterable[str]:
        language = phone.language or phone.spoken or self._guess(phone)
        houses = self.source.service.config.house_rules
        read = text_parser.parse_message(self.text, language, phone.zone, houses)
        if await self._is_unheard(phone, read):
            return await self._ignore()
        now = self.source.service.now()
        run = self.source.phones.database.run
        if phone.agreed_at is None and not await run(lambda session: consents(session, read, now)):
            return await self._hint(phone, read)
        if not isinstance(read, TextRequest):
            word, detail = read
            return await self._say(word, detail)
        new = phone.agreed_at is None
        phone = await self._learn(phone, read)
        if new:
            quiet = i.ChooseQuiet(QuietHours(*NIGHT, phone.zone))
            await self._handle(phone, quiet, part="quiet", answered=False)
        what, table = await self._meant(phone, read.what)
        answered = not repeats.is_answered_enough(phone)
        return await self._handle(phone, what, answered=answered, table=table, round=read.round)

    async def _is_unheard(self, phone: Phone, read: ParsedMessage) -> bool:
        """Whether a text only asks what was answered often enough, or guesses at one more code of a link."""
        guess = read.what if isinstance(read, TextRequest) and isinstance(read.what, i.LinkPhone) else None
        return repeats.asks_once_more(phone, read) or (
            guess is not None and not await self.source.phones.may_try_link(self.order_key, guess.code)
        )

    async def _learn(self, phone: Phone, read: TextRequest) -> Phone:
        """Store what a request says about the phone."""

        def write(session: Session) -> Phone:
            row = session.get_one(Phone, phone.id)
            row.agreed_at = row.agreed_at or self.source.service.now()
            if read.consents:  # a later wish than a STOP that is still on its way
                row.resumed_at = max(row.resumed_at or 0, self._said_at())
            row.language = read.language or row.language or read.speaks
            return row

        return await self.source.phones.database.run(write)

    def _guess(self, phone: Phone) -> str | None:
        return _spoken_in(phone.region, self.source.service.config.languages)

    def _placeholder(self, row: Phone) -> str:
        """What a person is called until they tell their name. It tells nothing of the number."""
        return catalogue(row.language or self._guess(row)).say("Friend {number}", number=row.id)

    async def _meant(self, phone: Phone, what: i.What) -> tuple[i.What, int | None]:
        """The intent, completed by this phone's last texts: the table to leave or to close, or to play again.

        The question whether to do so is open only until the next text.
        """
        now = self.source.service.now()
        if phone.leaving_until or phone.closing_until:
            await self._forget_question(phone)
        if isinstance(what, i.Leave) and phone.leaving_until > now:
            return i.Leave(confirmed=True), phone.leaving_table
        if isinstance(what, i.Stop) and phone.closing_until > now:
            return i.Stop(confirmed=True), phone.leaving_table
        return what, await self._last_table(phone) if isinstance(what, i.PlayAgain) else None

    async def _forget_question(self, phone: Phone) -> None:
        def write(session: Session) -> None:
            row = session.get_one(Phone, phone.id)
            row.leaving_until = row.closing_until = 0

        await self.source.phones.database.run(write)

    async def _last_table(self, phone: Phone) -> int | None:
        query = (
            select(TextSent.table_id)
            .where(TextSent.phone_id == phone.id, TextSent.kind == "game_over")
            .order_by(col(TextSent.id).desc())
            .limit(1)
        )
        return await self.source.phones.database.run(lambda session: session.exec(query).first())

    async def _is_linked(self, phone: Phone) -> bool:
        """Whether the phone is linked to a person of another channel."""
        query = select(Player.id).where(Player.phone == phone.id)
        return await self.source.phones.database.run(lambda session: session.exec(query).first() is not None)

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
        assert phone.id is not None  # noqa: S101 - read from the database
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
        )
        return (await self.source.service.handle(intent)).lanes

    # Requests about the phone itself

    async def _hint(self, phone: Phone, read: ParsedMessage) -> Iterable[str]:
        """Explain to an unknown number how to begin: once a day, and a few times more after misspelt commands."""
        if phone.heard_count <= FIRST_TRIES:
            match read:
                case (PhoneMessage.NEEDS_CODE, detail) if " " not in self.text.strip():
                    return await self._say(PhoneMessage.NEEDS_CODE, detail)
                case TextRequest(what=i.SeeHelp()):  # carriers reserve HELP for themselves
                    return await self._say(PhoneMessage.WHO)
                case TextRequest(what=i.TypedText(suggestion=str(call))) if await self._names_a_table(call):
                    return await self._say(PhoneMessage.MEANT, call)
                case _:
                    pass

        def hint(uow: UnitOfWork, row: Phone) -> None:
            if row.hinted_at is None or uow.now - row.hinted_at >= HINT_SECONDS:
                row.hinted_at = uow.now
                self._tell(uow, row, PhoneMessage.HINT)

        return await self._aside(hint)

    async def _names_a_table(self, call: str) -> bool:
        """Whether what was meant, perhaps, is a command with the code of a table."""
        code = call.partition(" ")[2]
        return bool(code) and await self.source.phones.database.run(lambda session: is_table_code(session, code))

    async def _say(self, word: PhoneMessage, detail: str = "") -> Iterable[str]:
        return await self._aside(lambda uow, row: self._tell(uow, row, word, detail))

    async def _ignore(self) -> Iterable[str]:
        await self.source.service.inbox_store.close_ignored(self.received)
        return ()

    async def _aside(self, act: Callable[[UnitOfWork, Phone], None]) -> Iterable[str]:
        """Change the phone once, in one transaction."""
        service = self.source.service

        def run(session: Session) -> frozenset[str]:
            if service.inbox_store.mark_done(session, self.received.source, self.received.cause):
                return frozenset()
            uow = service.unit_of_work(session, f"{self.received.source}:{self.received.cause}")
            act(uow, session.get_one(Phone, self.order_key, with_for_update=True))
            return frozenset(uow.lanes)

        return await service.database.run(run)

    @staticmethod
    def _tell(uow: UnitOfWork, row: Phone, word: PhoneMessage, detail: str = "") -> None:
        language = row.language or row.spoken or _spoken_in(row.region, uow.config.languages) or uow.config.language
        notice = PhoneNotice(word=word, detail=detail)
        uow.enqueue(Envelope(channel=TRAITS.name, chat=row.id or 0, language=language, notice=notice))

    def _said_at(self) -> float:
        """When the text was sent, but never in the future, whatever the phone's clock says."""
        return self.arrived if self.sent is None else min(self.sent, self.arrived)

    def _age(self) -> float:
        return self.source.service.now() - self._said_at()


def _spoken_in(region: str, ours: Container[str]) -> str | None:
    """The language of most people in a country, if the bot speaks it."""
    try:
        language = Locale.parse(f"und_{region}").language
    except (UnknownLocaleError, ValueError):
        return None
    return language if language in ours else None
