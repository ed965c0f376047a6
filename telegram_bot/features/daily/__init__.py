"""The hand of the day, one decision a person, with an immediate answer; in a group a bid of its last night."""

import asyncio
import logging
import secrets
from dataclasses import dataclass
from typing import Final
from urllib.parse import quote, urlencode

from pydantic import JsonValue
from sqlalchemy import Column, Integer
from sqlmodel import Field, Session, SQLModel, col, delete, func, select

from perudo_core import Rules
from telegram_bot.feature import Feature
from telegram_bot.features.daily.hand import DailyAnswer, DailyHand, day_at, deal, hours_left, judge_call
from telegram_bot.features.daily.last_night import (
    GuessLastNight,
    LastNightNotice,
    guess_keys,
    last_night_of,
)
from telegram_bot.features.daily.notices import DailyLinkNotice, DailyNotice, shared_text
from telegram_bot.ingress.computer_calls import load_rules
from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import Arguments, Command, Scope, TellsNothing, everywhere
from telegram_bot.notices import AnswerNotice, Toast
from telegram_bot.notices.base import start_link
from telegram_bot.parsing.grammar import parse
from telegram_bot.presentation.features import Extension
from telegram_bot.presentation.keys import KEYS_A_ROW, Key, Keys, Style, rows_of
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.requests import write_button
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.storage.key_value import kept
from telegram_bot.storage.models import DirectMessages, KeyValue, Player
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import call_label
from telegram_bot.words.languages import mark, mark_in_context


class DailyDecision(SQLModel, table=True):
    """A person's decision in the hand of a day."""

    __tablename__ = "daily_decision"
    player_id: int = Field(foreign_key="player.id", ondelete="CASCADE", primary_key=True)
    day: int = Field(sa_column=Column(Integer, primary_key=True, autoincrement=False, index=True))
    """See `day_at`."""
    call: str
    """As `perudo_core` writes it."""
    streak: int
    """The number of days in a row with a decision, including this day."""


NO_HAND: Final = AnswerNotice(sentence=mark("The hand of the day isn't ready yet. Ask again in a minute."))
MOST_VERDICTS: Final = 7
"""The maximum number of squares that a player shares: those of a week."""
SEED_KEY: Final = "daily_seed"
"""The key of the stored secret from which all hands of this installation follow."""


def hand_key(day: int | str) -> str:
    """Return the key of a day's stored hand; with "" the prefix of all these keys."""
    return f"daily:{day}"


def _call_in(words: str, language: str | None) -> str | None:
    """Return a call as `perudo_core` writes it."""
    match parse(words, language):
        case MakeBid(quantity=quantity, face=face):
            return f"{quantity}x{face}"
        case CallDudo():
            return "dudo"
        case CallCalza():
            return "calza"
        case _:
            return None


@dataclass(frozen=True, slots=True)
class PlayDaily(TellsNothing, PersonRequest):
    """Show the hand of the day, or decide it: `call` as `perudo_core` writes it.

    The hand is that of `day`, or today's if `day` is None. An enricher deals the hand before the request is handled.
    """

    only_asks = True
    buttons = (Button("daily"), Button("daily={day}_{call}"))
    commands = (
        Command(
            name="daily",
            reader=lambda words, language: PlayDaily(call=_call_in(words, language)),
            words=mark_in_context("typed", "daily hand, the daily hand, hand of the day, the hand of the day"),
            scope=Scope.CHATS | Scope.TEXT,
            arguments=Arguments.PARSED,
            help=everywhere(
                mark("the hand of the day, the same for everyone"),
                guide="the hand of the day: decide once, by text `DAILY DUDO`, and the answer follows immediately",
            ),
        ),
    )

    day: int | None = None
    call: str | None = None

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Show the hand of the day or, after the decision, its answer; in a group last night's hand, or a link."""
        today = day_at(uow.now, uow.config.time_zone)
        if intent.where is not None:
            asked = last_night_of(uow, uow.ensure_chat(intent.where), today)
            table = None if asked is None else asked.table
            say(uow, player, asked or DailyLinkNotice(day=today), at=intent, about=table)
            return None
        if uow.traits(intent.who.channel).buttons:
            player.direct = DirectMessages.OPEN
        hand = kept(uow.session, hand_key(today), DailyHand)
        if hand is None:
            return answer(uow, intent, player, NO_HAND)
        decided = uow.session.get(DailyDecision, (player.id, today))
        is_new = decided is None and self.day in (None, today) and self.call in hand.question.calls
        before = uow.session.get(DailyDecision, (player.id, today - 1))
        streak = 0 if before is None else before.streak
        if is_new and self.call is not None:
            decided = DailyDecision(player_id=player.id, day=today, call=self.call, streak=streak + 1)
            uow.session.add(decided)
        notice = DailyNotice(
            day=today,
            question=hand.question,
            said=None if decided is None else decided.call,
            streak=streak if decided is None else decided.streak,
            answer=None if decided is None else _answer(uow, decided, hand),
            hours=hours_left(uow.now, uow.config.time_zone),
        )
        if intent.tapped is None or self.day != today:
            say(uow, player, notice, at=intent)
        else:
            say(uow, player, notice, at=intent.who, target=intent.tapped)
        return None


def _answer(uow: UnitOfWork, decided: DailyDecision, hand: DailyHand) -> DailyAnswer:
    """Return the end of today's hand for a player, with the decisions of all players so far."""
    uow.session.flush()
    chosen = select(DailyDecision.call, func.count()).where(DailyDecision.day == decided.day)
    counts = uow.session.exec(chosen.group_by(col(DailyDecision.call))).all()
    days = min(decided.streak, MOST_VERDICTS)
    own = select(DailyDecision).where(
        DailyDecision.player_id == decided.player_id, col(DailyDecision.day) > decided.day - days
    )
    decisions = uow.session.exec(own.order_by(col(DailyDecision.day))).all()
    hands = ((kept(uow.session, hand_key(each.day), DailyHand), each.call) for each in decisions)
    return DailyAnswer(
        hand=hand,
        everybody=tuple(sorted(((call, number) for call, number in counts), key=lambda each: (-each[1], each[0]))),
        verdicts=tuple(judge_call(dealt, call) for dealt, call in hands if dealt is not None),
    )


log = logging.getLogger(__name__)


class DailyHands:
    """Ensures that the hand of the day exists, for `PlayDaily`. The update's facts do not contain the hand."""

    name: Final = "daily_hand"
    intent_type: Final = PlayDaily
    seconds: Final = 10.0

    def __init__(self, service: Service, dealer: SideProcess[[str, int, Rules]] | None = None) -> None:
        self.service = service
        self.dealer = dealer or SideProcess(deal, seconds=8, prepare=load_rules, niceness=0)
        self._dealing = asyncio.Lock()

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the day of the hand, or None in a group, where it is not shown."""
        if intent.where is not None:
            return None
        day, key_values = day_at(self.service.now(), self.service.config.time_zone), self.service.key_values
        async with self._dealing:
            if await key_values.get(hand_key(day)) is None:
                secret = await key_values.put_first(SEED_KEY, secrets.token_hex(16))
                try:
                    dealt = await self.dealer.ask(secret, day, self.service.config.rules)
                except SideProcessError as error:
                    log.warning("there is no hand of the day: %s", type(error).__name__)
                    return None
                await key_values.put_first(hand_key(day), dealt.decode())
        return day

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:  # noqa: ARG002 - the hand is read where it is kept
        """Return the intent unchanged."""
        return intent


_SHARE: Final = "https://t.me/share/url"
"""Telegram asks for a chat and writes the text there."""


def daily_keys(notice: DailyNotice, w: Catalogue) -> Keys:
    """Return one button for each call that can be decided: the bids, then dudo and calza side by side; then *Share*."""
    if notice.answer is not None:
        link = start_link(notice.bot, write_button(PlayDaily()))
        shared = urlencode({"url": link, "text": shared_text(notice, notice.answer, w)}, quote_via=quote)
        return [[Key(w.say("Share, without the answer"), sign="📣", url=f"{_SHARE}?{shared}")]]
    keys = {
        call: Key(
            call_label(call, w, notice.question.wild_by),
            PlayDaily(notice.day, call),
            style={"dudo": Style.DANGER, "calza": Style.SUCCESS}.get(call),
        )
        for call in notice.question.calls
    }
    bids = rows_of((key for call, key in keys.items() if "x" in call), KEYS_A_ROW)
    return [*bids, [keys[call] for call in ("dudo", "calza") if call in keys]]


def daily_link_keys(_: DailyLinkNotice, w: Catalogue) -> Keys:
    """Return the way to the hand, in the private chat with the bot."""
    return [[Key(w.say("Play the hand of the day"), PlayDaily(), sign="🎲", in_private=True)]]


def last_night_keys(notice: LastNightNotice, w: Catalogue) -> Keys:
    """Return the guesses about the group's last night, and the way to the hand of the day."""
    return [*guess_keys(notice), *daily_link_keys(DailyLinkNotice(day=notice.day), w)]


KEPT_DAYS: Final = 30


def prune(session: Session, now: float) -> None:
    """Delete hands and decisions older than `KEPT_DAYS`; the secret from which hands follow remains."""
    last = day_at(now, "UTC") - KEPT_DAYS
    session.exec(delete(DailyDecision).where(col(DailyDecision.day) < last))
    kept = [hand_key(last + day) for day in range(KEPT_DAYS + 2)]  # in some zones it is tomorrow
    dealt = col(KeyValue.key).startswith(hand_key(""), autoescape=True)
    session.exec(delete(KeyValue).where(dealt, col(KeyValue.key).not_in(kept)))


_DAILY: Final = Extension(DailyNotice, keys=daily_keys)
_LAST_NIGHT: Final = Extension(LastNightNotice, keys=last_night_keys)
_DAILY_LINK: Final = Extension(DailyLinkNotice, keys=daily_link_keys)

FEATURE: Final = Feature(
    "daily",
    place=20,
    requests=(PlayDaily, GuessLastNight),
    extensions=(
        _DAILY,
        _DAILY_LINK,
        _LAST_NIGHT,
    ),
    look_ups=(DailyHands,),
    rows={DailyDecision: "{} decision(s) in hands of the day"},
    prune=prune,
)
