"""Handle the hand of the day: one decision a person, in private, with an immediate answer.

Before the decision, a notice depends only on the `DailyQuestion` and on the number of the reader's days in a row.
"""

from dataclasses import dataclass
from typing import Final

from sqlmodel import col, func, select

from telegram_bot.features.daily.hand import DailyAnswer, DailyHand, day_at, hours_left, judge_call
from telegram_bot.features.daily.notices import DailyLinkNotice, DailyNotice
from telegram_bot.features.daily.tables import DailyDecision
from telegram_bot.notices import AnswerNotice, Toast
from telegram_bot.parsing.grammar import parse
from telegram_bot.service.announcing.replies import answer, say
from telegram_bot.service.forms import Button
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.handlers.game_requests import CallCalza, CallDudo, MakeBid
from telegram_bot.service.intents import Intent
from telegram_bot.service.presentation import notify
from telegram_bot.service.request import Arguments, Command, Scope, TellsNothing, everywhere
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.key_value import kept
from telegram_bot.storage.models import DirectMessages, Player
from telegram_bot.words.languages import mark, mark_in_context

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
        """Show the hand of the day, or its answer to a person who has decided; in a group only a link to it."""
        today = day_at(uow.now)
        if intent.where is not None:
            say(uow, intent, player, DailyLinkNotice(day=today))
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
            hours=hours_left(uow.now),
        )
        if intent.tapped is None or self.day != today:
            say(uow, intent, player, notice)
        else:
            notify(uow, player, notice, at=intent.who, target=intent.tapped)
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
