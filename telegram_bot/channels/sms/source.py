"""Turn stored texts into intents and handle each once: carriers' words, answers to questions, what players want."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, assert_never

from sqlmodel import Session

from telegram_bot.channels.sms import questions, repeats, text_parser
from telegram_bot.channels.sms.consent import consents, is_table_code
from telegram_bot.channels.sms.gateways.base import Gateway
from telegram_bot.channels.sms.opt_out import OptOut, read_opt_out
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.questions import About, Answer, Question
from telegram_bot.channels.sms.received_text import ReceivedText, TextContext
from telegram_bot.channels.sms.text_parser import CarrierKeyword, ParsedMessage, TextRequest
from telegram_bot.channels.sms.traits import TRAITS
from telegram_bot.ingress.enrichers import Enrichment
from telegram_bot.ingress.game_stories import GameStories
from telegram_bot.service import intents as i
from telegram_bot.service.notices import PhoneMessage
from telegram_bot.service.repositories import is_on_turn
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.inbox_store import StoredUpdate
from telegram_bot.storage.models import PrivateView
from telegram_bot.storage.phone_models import Phone
from telegram_bot.tables.quiet_hours import QuietHours
from telegram_bot.words.parsing.parsed import ParsedCommand

log = logging.getLogger(__name__)

TOO_OLD_SECONDS: Final = 2 * 86400
HINT_SECONDS: Final = 86400
"""How often an unknown number gets the hint how to begin."""
FIRST_TRIES: Final = 5
"""How many texts an hour of an unknown number are searched for misspelt commands."""
NIGHT: Final = (22 * 60, 8 * 60)
"""The quiet hours of a new phone until its owner chooses others, in minutes after midnight."""
HOUR: Final = 3600
_RESUMING: Final = (CarrierKeyword.START, CarrierKeyword.YES)
"""What a phone texts that wants texts again."""


class SmsSource:
    """Makes jobs of stored texts."""

    name = TRAITS.name

    def __init__(
        self, service: Service, phones: PhoneStore, gateways: Mapping[str, Gateway], *, texts_an_hour: int
    ) -> None:
        """`texts_an_hour`: how many texts of one phone are handled; further ones are ignored."""
        enrichment = Enrichment(service.inbox_store, (GameStories(service),))
        self.context = TextContext(service, phones, gateways, enrichment, texts_an_hour)

    def ignores(self, payload: dict[str, Any]) -> bool:  # noqa: ARG002 - as a source
        """False for every text: each costs its sender money, and `PhoneStore` counts them."""
        return False

    def job_for(self, received: StoredUpdate) -> TextJob:
        """The job for a text."""
        payload = received.payload
        return TextJob(
            self.context,
            received,
            order_key=int(payload.get("phone", 0)),
            gateway=str(payload.get("gateway", "")),
            text=str(payload.get("text", "")),
            arrived=float(payload.get("at", 0)),
            sent=None if payload.get("sent") is None else float(payload["sent"]),
        )


@dataclass(frozen=True, slots=True)
class TextJob(ReceivedText):
    """One text to act on."""

    async def act(self) -> Iterable[str]:
        """Handle the text's intent."""
        phone = await self._heard()
        if phone is None:
            return await self._ignore()
        return await self.act_for(phone)

    async def act_for(self, phone: Phone) -> Iterable[str]:  # noqa: PLR0911 - one answer for each kind of text
        """Handle the intent of a text that is heard."""
        carrier = text_parser.carrier_keyword(self.text)
        if carrier is CarrierKeyword.STOP:
            return await self._stop(phone)
        answer = questions.read_answer(self.text)
        if answer is not None and (handled := await self._answer_question(phone, answer)) is not None:
            return handled
        if carrier in _RESUMING and phone.opted_out_at is not None:
            return await self._start(phone)
        if phone.opted_out_at is not None:
            return await self._call_in_silence(phone)
        if carrier is not None and self._answered_already():
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
        """The phone; None if it texts too often, or if its STOP or START is delivered again.

        A new STOP is handled, and so is a call of the player on turn: somebody else may have texted all the others.
        """
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
            if phone.heard_count > self.context.texts_an_hour and unheard and not self._is_awaited(session, phone):
                if phone.heard_count == self.context.texts_an_hour + 1:
                    log.warning("phone %s texts too often; it is not listened to for a while", phone.id)
                return None
            return phone

        return await self.context.phones.database.run(count)

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
        """Resume texting this phone; where a sender can be forged, ask the phone first, a few times a day."""
        if self._has_sender_proof():
            return await self._resume(phone)

        def ask(uow: UnitOfWork, row: Phone) -> None:
            if questions.may_ask_to_resume(uow.session, self.order_key, uow.now):
                self._tell(uow, row, PhoneMessage.ASK_START)

        return await self._aside(ask)

    async def _resume(self, phone: Phone) -> Iterable[str]:
        def opt_in(uow: UnitOfWork, row: Phone) -> None:
            repeats.note_keyword(row, CarrierKeyword.START, self.received.cause, self._said_at())
            if not self._answered_already():
                self._tell(uow, row, PhoneMessage.RESUMED)

        lanes = set(await self._aside(opt_in))
        if phone.agreed_at is not None:
            linked = await self._is_linked(phone)
            what = i.Choose("view", PrivateView.TEXT) if linked else i.StartPrivateChat(greeted=False)
            lanes |= set(await self._handle(phone, what, part="open"))
            if linked:
                lanes |= set(await self._handle(phone, i.SeeDice(), part="dice"))
        return lanes

    # Answers to questions

    async def _answer_question(self, phone: Phone, answer: Answer) -> Iterable[str] | None:
        """Do what the phone was asked about, if the code is the question's; None: the text answers no question."""
        now, run = self.context.service.now(), self.context.phones.database.run
        asked = await run(
            lambda session: questions.take_answer(session, self.order_key, answer.code, self.received.cause, now)
        )
        if asked is not None:
            return await self._do_what_was_asked(phone, asked)
        if answer.words and not self._names_a_question(phone, answer.words):
            return None
        if await run(lambda session: questions.count_wrong_answer(session, self.order_key, now)):
            unasked = phone.opted_out_at is not None
            return await self._ignore() if unasked else await self._say(PhoneMessage.WRONG_CODE)
        return await replace(self, text=answer.words).act_for(phone) if answer.words else None

    async def _do_what_was_asked(self, phone: Phone, asked: Question) -> Iterable[str]:
        if asked.about is About.START:
            return await self._resume(phone)
        if phone.opted_out_at is not None:
            return await self._ignore()
        match asked.about:
            case About.LEAVE:
                return await self._handle(phone, i.Leave(confirmed=True), table=asked.table)
            case About.CLOSE:
                return await self._handle(phone, i.Stop(confirmed=True), table=asked.table)
            case About.UNLINK:
                return await self._handle(phone, i.UnlinkPhone(confirmed=True))
            case About.LINK:
                return await self._handle(phone, i.LinkPhone(asked.link, confirmed=True))
            case _:
                assert_never(asked.about)

    def _names_a_question(self, phone: Phone, words: str) -> bool:
        """Whether the words are a command that a phone is asked about."""
        if text_parser.carrier_keyword(words) in _RESUMING:
            return True
        command = text_parser.command_of(words, self._language(phone))
        if command == ParsedCommand("link"):  # alone: a link's own code is no answer
            return True
        read = text_parser.parse_message(words, self._language(phone), phone.zone)
        return isinstance(read, TextRequest) and isinstance(read.what, i.Leave | i.Stop | i.UnlinkPhone)

    # Texts of players

    def _is_awaited(self, session: Session, phone: Phone) -> bool:
        """Whether the text is a call, and a table waits for this phone's player."""
        read = text_parser.parse_message(self.text, self._language(phone), phone.zone)
        parse = self.context.service.parse_text
        if parse is None or not isinstance(read, TextRequest) or not isinstance(read.what, i.TypedText):
            return False
        call = parse(read.what.text, self._language(phone), None, None)
        linkable = self.context.service.config.channels.linkable
        return isinstance(call, i.MakeBid | i.CallDudo | i.CallCalza) and is_on_turn(
            session, TRAITS.name, self.order_key, linkable
        )

    async def _call_in_silence(self, phone: Phone) -> Iterable[str]:
        """Handle the call of a player on turn who gets no texts: perhaps somebody else has texted STOP for them."""
        run = self.context.phones.database.run
        if self._age() > TOO_OLD_SECONDS or not await run(lambda session: self._is_awaited(session, phone)):
            return await self._ignore()
        read = text_parser.parse_message(self.text, self._language(phone), phone.zone)
        assert isinstance(read, TextRequest)  # noqa: S101 - a call is one
        return await self._handle(phone, read.what, answered=False, round=read.round)

    async def _wish(self, phone: Phone) -> Iterable[str]:
        language = self._language(phone)
        houses = self.context.service.config.house_rules
        read = text_parser.parse_message(self.text, language, phone.zone, houses)
        if await self._is_unheard(phone, read):
            return await self._ignore()
        now = self.context.service.now()
        run = self.context.phones.database.run
        if phone.agreed_at is None and not await run(lambda session: consents(session, read, now)):
            return await self._hint(phone, read)
        if not isinstance(read, TextRequest):
            word, detail = read
            return await self._say(word, detail)
        new = phone.agreed_at is None
        phone = await self._learn(phone, read)
        if new:
            quiet = i.Choose("quiet", QuietHours(*NIGHT, phone.zone))
            await self._handle(phone, quiet, part="quiet", answered=False)
        table = await self._last_table(phone) if isinstance(read.what, i.PlayAgain | i.TellStory) else None
        answered = not repeats.is_answered_enough(phone)
        return await self._handle(phone, read.what, answered=answered, table=table, round=read.round)

    async def _is_unheard(self, phone: Phone, read: ParsedMessage) -> bool:
        """Whether a text only asks what was answered often enough, or guesses at one more code of a link."""
        guess = read.what if isinstance(read, TextRequest) and isinstance(read.what, i.LinkPhone) else None
        return repeats.asks_once_more(phone, read) or (
            guess is not None and not await self.context.phones.may_try_link(self.order_key, guess.code)
        )

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
        return bool(code) and await self.context.phones.database.run(lambda session: is_table_code(session, code))
