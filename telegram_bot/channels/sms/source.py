"""Turn stored texts into intents and handle each once: carriers' keywords, answers to questions, requests."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from sqlmodel import Session, col, select

from telegram_bot.channels.sms import TRAITS, questions
from telegram_bot.channels.sms.gateways.base import Gateway
from telegram_bot.channels.sms.numbers import language_of_country
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.questions import TextAnswer, TextQuestion
from telegram_bot.channels.sms.text_parser import (
    CarrierKeyword,
    ParsedMessage,
    TextRequest,
    carrier_keyword,
    command_of,
    parse_message,
)
from telegram_bot.channels.sms.text_patterns import OptOut, plain_words, read_opt_out
from telegram_bot.ingress.enrichers import Enrichment, look_ups_of_features
from telegram_bot.intents import intents as i
from telegram_bot.intents.envelope import Envelope
from telegram_bot.intents.request import Request
from telegram_bot.notices import Notice, PhoneMessage, PhoneNotice
from telegram_bot.notices.base import About
from telegram_bot.parsing.joining import CARRIERS_WORDS, name_in
from telegram_bot.parsing.parsed import ParsedCommand
from telegram_bot.repositories.repositories import is_on_turn
from telegram_bot.screens.posting import Notification
from telegram_bot.service.handlers.ending import Leave, Stop
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.handlers.lobby_requests import Kick, Start, StartPrivateChat
from telegram_bot.service.handlers.pages import AnswerKnock
from telegram_bot.service.handlers.phone_requests import LinkPhone, UnlinkPhone
from telegram_bot.service.handlers.queries import SeeDice, SeeHelp
from telegram_bot.service.handlers.settings import Choose
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.database import Database, in_transaction
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import LaneName, Player, PrivateView
from telegram_bot.storage.phone_models import Phone, TextSent
from telegram_bot.tables.quiet_hours import USUAL_NIGHT, QuietHours
from telegram_bot.words.catalogue import catalogue

log = logging.getLogger(__name__)

TOO_OLD_SECONDS: Final = 2 * 86400
HINT_SECONDS: Final = 86400
"""How often an unknown number gets the hint how to begin."""
FIRST_TRIES: Final = 5
"""The number of texts in an hour of an unknown number that are searched for misspelt commands."""
HOUR: Final = 3600
_RESUMING: Final = (CarrierKeyword.START, CarrierKeyword.YES)
"""Requests of a phone that wants texts again."""
_ONCE_AN_HOUR: Final = (PhoneMessage.STOPPED, PhoneMessage.RESUMED, PhoneMessage.TOO_OLD)
"""Sentences that a stranger can ask for again and again, or that a gateway's late texts ask for all at once."""
ANSWERED_REPEATS: Final = 3
"""How often in a row the same text is answered."""
IN_A_ROW_SECONDS: Final = 3600
"""A text that arrives later than this after the last one begins a new row."""
LONG_TEXT: Final = 40
"""In longer texts digits are ignored: times and message numbers differ in a machine's repetitions."""
KEYWORDS_KEPT: Final = 20


class SmsSource:
    """Makes jobs of stored texts."""

    name = TRAITS.name

    def __init__(
        self, service: Service, phones: PhoneStore, gateways: Mapping[str, Gateway], *, texts_an_hour: int
    ) -> None:
        """`texts_an_hour`: the number of one phone's texts that are handled; further ones are ignored."""
        self.service = service
        self.phones = phones
        self.gateways = gateways
        self.enrichment = Enrichment(service.inbox_store, look_ups_of_features(service))
        self.texts_an_hour = texts_an_hour

    def admit(self, payload: dict[str, Any]) -> dict[str, Any]:
        """Return every text: each costs its sender money, and `PhoneStore` counts them."""
        return payload

    def job_for(self, received: StoredUpdate) -> TextJob:
        """Return the job for a text."""
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

    async def give_up(self, received: StoredUpdate) -> None:
        """Do nothing: no phone waits for an answer."""


@dataclass(frozen=True, slots=True)
class TextJob:
    """One text to handle, in one transaction for each change."""

    source: SmsSource
    received: StoredUpdate
    order_key: int
    gateway: str
    text: str
    arrived: float
    sent: float | None

    @property
    def database(self) -> Database:
        """The bot's database."""
        return self.source.service.database

    async def act(self) -> Iterable[LaneName]:
        """Handle the text's intent."""
        phone = await self._heard()
        return await self._ignore() if phone is None else await self.act_for(phone)

    async def act_for(self, phone: Phone) -> Iterable[LaneName]:
        """Handle the intent of a text within the limits."""
        carrier = carrier_keyword(self.text)
        if carrier is CarrierKeyword.STOP:
            return await self._stop(phone)
        answer = questions.read_answer(self.text)
        if answer is not None and (handled := await self._answer_question(phone, answer)) is not None:
            return handled
        if carrier in _RESUMING and phone.opted_out_at is not None:
            return await self._start(phone)
        if phone.opted_out_at is not None:
            return await self._call_in_silence(phone)
        starts = phone.agreed_at is not None and plain_words(self.text) == "start"  # a player's word for GO
        if carrier is not None and self._answered_already():
            is_go = starts and self._age() <= TOO_OLD_SECONDS
            return await (self._handle(phone, Start(), answered=False) if is_go else self._ignore())
        if starts:
            return await replace(self, text="GO").act_for(phone)
        if self._age() > TOO_OLD_SECONDS:
            return await self._say(PhoneMessage.TOO_OLD) if phone.agreed_at is not None else await self._ignore()
        if read_opt_out(self.text) is OptOut.PERHAPS:
            unasked = phone.agreed_at is None or _is_answered_enough(phone)
            return await self._ignore() if unasked else await self._say(PhoneMessage.MEANT, "STOP")
        if carrier is CarrierKeyword.HELP and phone.agreed_at is None:
            return await self._aside(self._explain)
        return await self._wish(phone)

    async def answer(self) -> None:
        """Do nothing: the answer is in the outbox."""

    # Texts of all senders

    @in_transaction
    def _heard(self, session: Session) -> Phone | None:
        """Return the phone, or None if it texts too often, or if its STOP or START is delivered again.

        A new STOP is handled, and so is a call of the player whose turn it is: a forger may have sent all the others.
        """
        carrier = carrier_keyword(self.text)
        phone = session.get(Phone, self.order_key)
        if phone is None or _is_delivered_again(phone, carrier, self.received.cause, self.sent):
            return None
        words = plain_words(self.text)
        alike = re.sub(r"\d+", "", words) if len(words) > LONG_TEXT else words
        digest = self.source.phones.encryption.text_hash(alike)
        same = digest == phone.last_text and self.arrived - phone.same_at < IN_A_ROW_SECONDS
        phone.last_text, phone.same_count, phone.same_at = digest, phone.same_count + 1 if same else 1, self.arrived
        if self.arrived - phone.heard_since >= HOUR:
            phone.heard_since, phone.heard_count = self.arrived, 0
        phone.heard_count += 1
        too_often = phone.heard_count > self.source.texts_an_hour and carrier is not CarrierKeyword.STOP
        if too_often and not self._is_awaited(session, phone):
            if phone.heard_count == self.source.texts_an_hour + 1:
                log.warning("phone %s texts too often; it is not listened to for a while", phone.id)
            return None
        return phone

    async def _stop(self, phone: Phone) -> Iterable[LaneName]:
        """Stop texting this phone, and tell the service that its owner cannot be reached."""
        if phone.agreed_at is not None and not await self._is_linked(phone):
            await self._handle(phone, i.PrivateChatBlocked(), part="close")

        def opt_out(uow: UnitOfWork, row: Phone) -> None:
            already = row.opted_out_at is not None
            _note_keyword(row, CarrierKeyword.STOP, self.received.cause, self._said_at())
            if not already and not self._answered_already():
                self._tell(uow, row, PhoneMessage.STOPPED)

        return await self._aside(opt_out)

    async def _start(self, phone: Phone) -> Iterable[LaneName]:
        """Resume texting this phone. If senders can be forged, ask the phone first, a few times a day."""
        if self._has_sender_proof():
            return await self._resume(phone)

        def ask(uow: UnitOfWork, row: Phone) -> None:
            if questions.may_ask_to_resume(uow.session, self.order_key, uow.now):
                self._tell(uow, row, PhoneMessage.ASK_START)

        return await self._aside(ask)

    async def _resume(self, phone: Phone) -> Iterable[LaneName]:
        def opt_in(uow: UnitOfWork, row: Phone) -> None:
            _note_keyword(row, CarrierKeyword.START, self.received.cause, self._said_at())
            if not self._answered_already():
                self._tell(uow, row, PhoneMessage.RESUMED)

        lanes = set(await self._aside(opt_in))
        if phone.agreed_at is not None:
            linked = await self._is_linked(phone)
            request = Choose("view", PrivateView.TEXT) if linked else StartPrivateChat(greeted=False)
            lanes |= set(await self._handle(phone, request, part="open"))
            if linked:
                lanes |= set(await self._handle(phone, SeeDice(), part="dice"))
        return lanes

    # Answers to questions

    async def _answer_question(self, phone: Phone, answer: TextAnswer) -> Iterable[LaneName] | None:
        """Do what the question asked, if the code is right. Return None if the text answers no question."""
        now, run = self.source.service.now(), self.database.run
        asked = await run(
            lambda session: questions.take_answer(session, self.order_key, answer.code, self.received.cause, now)
        )
        if asked is not None:
            return await self._do_what_was_asked(phone, asked)
        if answer.words and not self._names_a_question(phone, answer.words):
            return None
        if wrong := await run(lambda session: questions.count_wrong_answer(session, self.order_key, now)):
            unasked = phone.opted_out_at is not None or wrong > questions.WRONG_ANSWERS_PER_DAY + 1
            return await self._ignore() if unasked else await self._say(PhoneMessage.WRONG_CODE)
        return await replace(self, text=answer.words).act_for(phone) if answer.words else None

    async def _do_what_was_asked(self, phone: Phone, asked: TextQuestion) -> Iterable[LaneName]:
        if asked.about is About.START:
            return await self._resume(phone)
        if phone.opted_out_at is not None:
            return await self._ignore()
        request: i.AnyRequest
        match asked.about:
            case About.LEAVE:
                request = Leave(confirmed=True)
            case About.CLOSE:
                request = Stop(confirmed=True)
            case About.UNLINK:
                request = UnlinkPhone(confirmed=True)
            case About.NAME:
                request = Choose("name", asked.name)
            case About.KNOCK:
                request = AnswerKnock(asked.player, admit=True)
            case About.KICK:
                request = Kick(asked.player)
            case About.LINK:
                request = LinkPhone(asked.link, confirmed=True)
            case _:
                assert_never(asked.about)
        return await self._handle(phone, request, table=asked.table)

    def _names_a_question(self, phone: Phone, words: str) -> bool:
        """Return True if the words are a command that needs a confirmation."""
        if carrier_keyword(words) in _RESUMING:
            return True
        command = command_of(words, self._language(phone))
        # Alone: a link's own code is no answer.
        if command in (ParsedCommand("link"), ParsedCommand("name"), ParsedCommand("kick")):
            return True
        read = parse_message(words, self._language(phone), phone.zone)
        return isinstance(read, TextRequest) and isinstance(read.request, Leave | Stop | UnlinkPhone)

    # Texts of players

    def _is_awaited(self, session: Session, phone: Phone) -> bool:
        """Return True if the text is a call, and a table waits for this phone's player."""
        read = parse_message(self.text, self._language(phone), phone.zone)
        parse = self.source.service.parse_text
        if parse is None or not isinstance(read, TextRequest) or not isinstance(read.request, i.TypedText):
            return False
        call = parse(read.request.text, self._language(phone))
        linkable = self.source.service.config.channels.linkable
        return isinstance(call, MakeBid | CallDudo | CallCalza) and is_on_turn(
            session, TRAITS.name, self.order_key, linkable, now=self.source.service.now()
        )

    async def _call_in_silence(self, phone: Phone) -> Iterable[LaneName]:
        """Handle the call of a player to call who gets no texts: a forger may have texted STOP for them."""
        awaited = await self.database.run(lambda session: self._is_awaited(session, phone))
        if self._age() > TOO_OLD_SECONDS or not awaited:
            return await self._ignore()
        read = parse_message(self.text, self._language(phone), phone.zone)
        assert isinstance(read, TextRequest)  # noqa: S101 - a call is one
        return await self._handle(phone, read.request, answered=False, round=read.round)

    async def _wish(self, phone: Phone) -> Iterable[LaneName]:
        language = self._language(phone)
        houses = self.source.service.config.house_rules
        read = parse_message(self.text, language, phone.zone, houses)
        if await self._is_unheard(phone, read):
            return await self._ignore()
        if phone.agreed_at is None and not await self._consents(read):
            return await self._hint(phone, read)
        if not isinstance(read, TextRequest):
            word, detail = read
            return await self._say(word, detail)
        read = await self._with_name(read)
        new = phone.agreed_at is None
        phone = await self._learn(phone, read)
        if new:
            quiet = Choose("quiet", QuietHours(*USUAL_NIGHT, phone.zone))
            await self._handle(phone, quiet, part="quiet", answered=False)
        about_last = isinstance(read.request, Request) and read.request.about_last_table
        table = await self._last_table(phone) if about_last else None
        answered = not _is_answered_enough(phone)
        if (name := await self._new_name(phone, read.request)) is not None:
            return await self._say(PhoneMessage.ASK_NAME, name) if answered else await self._ignore()
        return await self._handle(phone, read.request, answered=answered, table=table, round=read.round)

    async def _with_name(self, read: TextRequest) -> TextRequest:
        """Return the request; a text that is only a name answers the question for the person's name."""
        name = name_in(read.request.text, short=True) if isinstance(read.request, i.TypedText) else None
        if name is None:
            return read
        asked = select(Player.id).where(
            Player.channel == TRAITS.name, Player.address == self.order_key, col(Player.nameless)
        )
        is_asked = await self.source.service.database.run(lambda session: session.exec(asked).first()) is not None
        return replace(read, request=Choose("name", name)) if is_asked else read

    async def _new_name(self, phone: Phone, request: i.AnyRequest) -> str | None:
        """Return the name that replaces another, if senders can be forged; the bot asked for the first one."""
        if not isinstance(request, Choose) or request.name != "name" or self._has_sender_proof():
            return None
        named = select(Player.name).where(
            Player.channel == TRAITS.name, Player.address == phone.id, col(Player.nameless).is_(False)
        )
        name = await self.database.run(lambda session: session.exec(named).first())
        return None if name in (None, request.value) or await self._is_linked(phone) else str(request.value)

    @in_transaction
    def _consents(self, session: Session, read: ParsedMessage) -> bool:
        """Return True if a text clearly asks for further texts: it opens a table, or names a code that exists."""
        if not isinstance(read, TextRequest) or not read.consents:
            return False
        if read.code is None:
            return True
        return read.codes is not None and read.codes.exist(session, read.code, self.source.service.now())

    async def _is_unheard(self, phone: Phone, read: ParsedMessage) -> bool:
        """Return True if a text only asks what was answered often enough, or guesses one more code of a link."""
        if not isinstance(read, TextRequest):
            return _is_answered_enough(phone)
        only_asks = isinstance(read.request, Request) and read.request.only_asks
        changes_nothing = only_asks or (phone.agreed_at is None and not read.consents)
        if _is_answered_enough(phone) and changes_nothing:
            return True
        if not isinstance(read.request, LinkPhone):
            return False
        return not await self.source.phones.may_try_link(self.order_key, read.request.code)

    # Requests about the phone itself

    async def _hint(self, phone: Phone, read: ParsedMessage) -> Iterable[LaneName]:
        """Explain to an unknown number how to begin: once a day, and a few times more after commands with mistakes."""
        if isinstance(read, TextRequest) and read.code and read.codes is not None and read.codes.unknown is not None:
            unknown = read.codes.unknown(read.code)
            if await self._may_tell_unknown_code():
                return await self._aside(lambda uow, row: self._post(uow, row, unknown))
        if phone.heard_count <= FIRST_TRIES:
            match read:
                case (PhoneMessage.NEEDS_CODE, detail) if " " not in self.text.strip():
                    return await self._say(PhoneMessage.NEEDS_CODE, detail)
                case TextRequest(request=SeeHelp()):  # carriers reserve HELP for themselves
                    return await self._say(PhoneMessage.WHO)
                case TextRequest(request=i.TypedText(suggestion=str(call))) if await self._has_code(phone, call):
                    return await self._say(PhoneMessage.MEANT, call)
                case _:
                    pass

        def hint(uow: UnitOfWork, row: Phone) -> None:
            if row.hinted_at is None or uow.now - row.hinted_at >= HINT_SECONDS:
                row.hinted_at = uow.now
                self._tell(uow, row, PhoneMessage.HINT)

        return await self._aside(hint)

    @in_transaction
    def _may_tell_unknown_code(self, session: Session) -> bool:
        return questions.may_tell_unknown_code(session, self.order_key, self.source.service.now())

    async def _has_code(self, phone: Phone, call: str) -> bool:
        """Return True if the misspelt request may be a command with a code that exists."""
        read = parse_message(call, self._language(phone), phone.zone)
        return isinstance(read, TextRequest) and read.code is not None and await self._consents(read)

    # Facts about a text, its phone and its gateway

    def _language(self, phone: Phone) -> str | None:
        return phone.language or phone.spoken or _spoken_there(phone, self.source.service.config.languages)

    @in_transaction
    def _is_linked(self, session: Session, phone: Phone) -> bool:
        """Return True if the phone is linked to a person of another channel."""
        return session.exec(select(Player.id).where(Player.phone == phone.id)).first() is not None

    @in_transaction
    def _last_table(self, session: Session, phone: Phone) -> int | None:
        query = (
            select(TextSent.table_id)
            .where(TextSent.phone_id == phone.id, TextSent.kind == "game_over")
            .order_by(col(TextSent.id).desc())
            .limit(1)
        )
        return session.exec(query).first()

    def _answered_already(self) -> bool:
        """Return True if the gateway answers this text itself, as one of the carriers' keywords."""
        gateway = self.source.gateways.get(self.gateway)
        answers = gateway is None or gateway.answers_carrier_words
        return answers and plain_words(self.text) in CARRIERS_WORDS

    def _has_sender_proof(self) -> bool:
        """Return True if the gateway of this text vouches for its sender."""
        gateway = self.source.gateways.get(self.gateway)
        return gateway is not None and gateway.sender_proof

    def _said_at(self) -> float:
        """Return when the text was sent, but never a time in the future, even if the phone's clock is wrong."""
        return self.arrived if self.sent is None else min(self.sent, self.arrived)

    def _age(self) -> float:
        return self.source.service.now() - self._said_at()

    @in_transaction
    def _learn(self, session: Session, phone: Phone, read: TextRequest) -> Phone:
        """Store a request's facts about the phone."""
        row = session.get_one(Phone, phone.id)
        row.agreed_at = row.agreed_at or self.source.service.now()
        if read.consents:  # a later wish than a STOP that has not arrived yet
            row.resumed_at = max(row.resumed_at or 0, self._said_at())
        row.language = read.language or row.language or read.speaks
        return row

    async def _handle(
        self,
        phone: Phone,
        request: i.AnyRequest,
        *,
        part: str = "",
        answered: bool = True,
        table: int | None = None,
        round: int | None = None,  # noqa: A002 - as the intent calls it
    ) -> Iterable[LaneName]:
        guess = _spoken_there(phone, self.source.service.config.languages)
        # The name until the person gives one. It contains nothing of the number.
        friend = catalogue(phone.language or guess).say("Friend {number}", number=str(phone.id))
        intent = i.Intent(
            source=TRAITS.name,
            cause=f"{self.received.cause}/{part}" if part else self.received.cause,
            who=i.Person(
                TRAITS.name,
                phone.id,
                friend,
                name_is_guess=True,
                language=phone.language or guess,
                language_is_guess=phone.language is None,
            ),
            request=request,
            table=table,
            round=round,
            said_at=self._said_at(),
            answered_by="message" if answered and not part else "nothing",
            sender_proof=self._has_sender_proof(),
            may_come_again=self.sent is None,
        )
        intent = await self.source.enrichment.enrich(self.received, intent)
        return (await self.source.service.handle(intent)).lanes

    async def _say(self, word: PhoneMessage, detail: str = "") -> Iterable[LaneName]:
        return await self._aside(lambda uow, row: self._tell(uow, row, word, detail))

    async def _ignore(self) -> Iterable[LaneName]:
        await self.source.service.inbox_store.close_ignored(self.received)
        return ()

    @in_transaction
    def _aside(self, session: Session, act: Callable[[UnitOfWork, Phone], None]) -> Iterable[LaneName]:
        """Change the phone once, in one transaction."""
        service, received = self.source.service, self.received
        if service.inbox_store.mark_done(session, received.source, received.cause):
            return ()
        uow = service.unit_of_work(session, f"{received.source}:{received.cause}")
        act(uow, session.get_one(Phone, self.order_key))
        return uow.finish()

    def _explain(self, uow: UnitOfWork, row: Phone) -> None:
        """Answer HELP of a stranger, once an hour."""
        if questions.may_tell_again(uow.session, row.id, PhoneMessage.WHO, uow.now):
            self._tell(uow, row, PhoneMessage.WHO)

    def _tell(self, uow: UnitOfWork, row: Phone, word: PhoneMessage, detail: str = "") -> None:
        may_repeat = word not in _ONCE_AN_HOUR or (row.agreed_at is not None and word is not PhoneMessage.TOO_OLD)
        if not may_repeat and not questions.may_tell_again(uow.session, row.id, word, uow.now):
            return
        self._post(uow, row, PhoneNotice(word=word, detail=detail))

    @staticmethod
    def _post(uow: UnitOfWork, row: Phone, notice: Notice) -> None:
        language = row.language or row.spoken or _spoken_there(row, uow.config.languages) or uow.config.language
        uow.enqueue(Notification(Envelope(channel=TRAITS.name, chat=row.id, language=language, notice=notice)))


# Repeated texts: the same text again and again, or a STOP or START that a gateway delivers once more


def _is_answered_enough(phone: Phone) -> bool:
    """Return True if the last text was repeated so often that a machine may have sent it: it gets no answer."""
    return phone.same_count > ANSWERED_REPEATS


def _is_delivered_again(phone: Phone, keyword: CarrierKeyword | None, cause: str, sent: float | None) -> bool:
    """Return True if a STOP or START is known by its id, or by the time that the gateway reports: the later counts."""
    if keyword is None or keyword is CarrierKeyword.HELP:
        return False
    if cause in (phone.keywords or ()):
        return True
    answered_by = phone.resumed_at if keyword is CarrierKeyword.STOP else phone.opted_out_at
    return sent is not None and answered_by is not None and sent < answered_by


def _note_keyword(phone: Phone, keyword: CarrierKeyword, cause: str, said_at: float) -> None:
    """Store that a STOP or START was handled."""
    phone.keywords = [*(phone.keywords or ()), cause][-KEYWORDS_KEPT:]
    if keyword is CarrierKeyword.STOP:
        phone.opted_out_at = said_at
    else:
        phone.opted_out_at, phone.resumed_at = None, said_at


def _spoken_there(phone: Phone, ours: Container[str]) -> str | None:
    """Return the language of the phone's country, if the bot speaks it."""
    language = language_of_country(phone.region)
    return language if language in ours else None
