"""Send notices as texts, through the gateway that the phone texted last."""

import asyncio
import logging
import time
from collections.abc import Callable, Mapping
from typing import Final
from zoneinfo import ZoneInfo

from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import Session

from telegram_bot import notices as n
from telegram_bot.channels.sms import TRAITS, questions
from telegram_bot.channels.sms.budget import Cap, Charge, SpentError, TextBudget
from telegram_bot.channels.sms.gateways.base import Gateway, OptedOutError
from telegram_bot.channels.sms.phone_store import PhoneStore
from telegram_bot.channels.sms.questions import TextQuestion
from telegram_bot.delivery.limits import Limits
from telegram_bot.delivery.sender import (
    DeliveryError,
    InvalidError,
    NotSentError,
    RefusedError,
    SendResult,
    UnknownOutcomeError,
)
from telegram_bot.intents.config import TextCaps
from telegram_bot.intents.envelope import Envelope, MessageRef
from telegram_bot.notices.rendering import sms_text
from telegram_bot.observability import metrics
from telegram_bot.storage.database import is_transient, log_failure, reason
from telegram_bot.storage.phone_models import Phone, TextSent, day_of
from telegram_bot.words.catalogue import catalogue
from telegram_bot.words.sms import gsm
from telegram_bot.words.sms.layout import TextReader

log = logging.getLogger(__name__)

MIN_VALIDITY_SECONDS, MAX_VALIDITY_SECONDS = 30, 10 * 3600
"""The limits of a text's validity: networks keep no text longer, and a shorter time is useless."""
USUAL_SECONDS: Final = 4 * 3600
NOTED_AGAIN_SECONDS: Final = (0.1, 0.5)
"""The pauses between the tries to store that a text was sent; its chat's next text waits meanwhile."""
_LAST_WORDS: Final = (
    n.PhoneMessage.STOPPED,
    n.PhoneMessage.ASK_START,
    n.PhoneMessage.LIMIT,
    n.PhoneMessage.TALK_LIMIT,
)
"""Notices that are sent beyond the limits, once a day, to phones that asked for texts, and after STOP."""
_TALK_CAPS: Final = (Cap.TALK, Cap.TABLE_TALK)
"""Limits of one person that leave them dice and turns."""


class SmsSender:
    """Sends notices to phones."""

    name = TRAITS.name

    def __init__(
        self,
        phones: PhoneStore,
        gateways: Mapping[str, Gateway],
        *,
        caps: TextCaps,
        limits: Limits,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.phones = phones
        self.gateways = gateways
        self.budget = TextBudget(phones.database, caps)
        self.limits = limits
        self.now = now

    def is_group(self, address: int) -> bool:
        """Return True for tables of phones, which have negative addresses and get no texts."""
        return address < 0

    async def send(self, envelope: Envelope, target: MessageRef | None) -> SendResult:  # noqa: ARG002 - a text is never edited
        """Send a notice as one text; see `Sender.send`."""
        try:
            return await self._send_text(envelope)
        except SQLAlchemyError as error:  # before the text was sent: later errors are only logged
            if is_transient(error):
                raise NotSentError(reason(error)) from None
            raise

    async def _send_text(self, envelope: Envelope) -> SendResult:
        phone = await self.phones.get(envelope.chat)
        if phone is None:
            raise InvalidError("no such phone")
        gateway = self.gateways.get(phone.gateway)
        if gateway is None:
            raise InvalidError("no such gateway is configured any more")
        w = catalogue(envelope.language)
        asked = envelope.notice.text_question
        question = None if asked is None else questions.with_code(phone, TextQuestion(*asked), self.now())
        code = "" if question is None else question.code
        reader = TextReader(ZoneInfo(phone.zone), self.now(), gateway.number, envelope.round, code)
        text = sms_text(envelope.notice, w, reader)
        if text is None:
            return SendResult(None)
        if phone.opted_out_at is not None and not _is_last_word(envelope.notice):
            raise RefusedError("opted out")
        await self._send(phone, gateway, envelope, text, question)
        return SendResult(None)

    async def _send(
        self, phone: Phone, gateway: Gateway, envelope: Envelope, text: str, question: TextQuestion | None = None
    ) -> None:
        table = envelope.notice.about_table
        segments = gsm.count_segments(text).segments
        talk, stranger = not _is_play(envelope), phone.agreed_at is None
        charge = Charge(day_of(self.now()), phone.id, table, segments, gateway.cost, talk=talk, stranger=stranger)
        cap = await self.budget.take(charge)
        last_word = cap is not None and not stranger and _is_last_word(envelope.notice)
        # Each kind may exceed the limits once a day, however often the phone texts STOP.
        free = last_word and await self.budget.once(charge.day, f"last:{charge.phone}:{envelope.notice.phone_word}")
        if cap is not None and not free:
            await self._limit_reached(cap, phone, gateway, envelope, charge)
            metrics.TEXTS_CAPPED.labels(cap).inc()
            raise SpentError(f"no more texts today: {cap}")
        if question is not None:  # stored before the send: its reader can answer it immediately
            asked, phone_id = question, phone.id
            await self.phones.database.run(lambda session: questions.store(session, phone_id, asked))
        seconds = seconds_worth(envelope, self.now())
        try:
            message = await gateway.send(self.phones.number_of(phone), text, seconds=seconds)
        except DeliveryError as error:
            metrics.TEXTS.labels(gateway.name, metrics.result_of(error)).inc()
            if not free and not isinstance(error, UnknownOutcomeError):  # it may have been sent
                await self.budget.refund(charge)
            if isinstance(error, OptedOutError):
                await self.phones.opted_out(phone.id)
            raise
        metrics.TEXTS.labels(gateway.name, "sent").inc()
        await self._note(phone.id, gateway, envelope, message, charge)

    async def _limit_reached(
        self, cap: Cap, phone: Phone, gateway: Gateway, envelope: Envelope, charge: Charge
    ) -> None:
        """Report once a day that a limit is reached: to the person, or in the log if the person may not be texted."""
        of_all = charge.stranger or cap in (Cap.DAY, Cap.DAY_TALK)
        talk = "talk:" if cap in _TALK_CAPS else ""
        scope = f"told:{cap}" if of_all else f"told:{talk}{charge.phone}"
        if not await self.budget.once(charge.day, scope):
            return
        if cap is Cap.DAY:
            log.error("the day's limit for texts is reached: nothing is texted until midnight UTC; see [sms] caps")
            return
        log.warning("a day's limit for texts is reached: %s", cap)
        if of_all:
            return
        notice = n.PhoneNotice(word=n.PhoneMessage.TALK_LIMIT if cap in _TALK_CAPS else n.PhoneMessage.LIMIT)
        told = envelope.model_copy(update={"notice": notice})
        reader = TextReader(number=gateway.number, round=envelope.round)
        text = sms_text(notice, catalogue(envelope.language), reader) or ""
        await self._send(phone, gateway, told, text)

    async def _note(self, phone_id: int, gateway: Gateway, envelope: Envelope, message: str, charge: Charge) -> None:
        """Store that a text was sent. A last failure is only logged, because the text must not be sent again."""
        notice = envelope.notice

        def write(session: Session) -> None:
            session.add(
                TextSent(
                    gateway=gateway.name,
                    message=message,
                    phone_id=phone_id,
                    table_id=charge.table,
                    kind=notice.kind,
                    at=self.now(),
                    segments=charge.segments,
                    cost=charge.cost * charge.segments,
                )
            )
            session.get_one(Phone, phone_id).spoken = envelope.language

        for pause in (*NOTED_AGAIN_SECONDS, None):
            try:
                return await self.phones.database.run(write)
            except Exception as error:  # noqa: BLE001 - see above
                if pause is None or not is_transient(error):
                    return log_failure(log, error, "a text that was sent could not be noted")
                await asyncio.sleep(pause)
        return None


def _is_last_word(notice: n.Notice) -> bool:
    return notice.phone_word in _LAST_WORDS


def _is_play(envelope: Envelope) -> bool:
    """Return True if the game needs the notice: dealt dice, turns, and the ends of rounds and games."""
    return envelope.notice.is_play(is_new=envelope.key is not None)


def seconds_worth(envelope: Envelope, now: float) -> int:
    """Return for how many seconds a text is useful: until it expires, or the turn that it announces ends."""
    ends = envelope.notice.turn_ends if envelope.expires is None else envelope.expires
    left = USUAL_SECONDS if ends is None else round(ends - now)
    return min(max(left, MIN_VALIDITY_SECONDS), MAX_VALIDITY_SECONDS)
