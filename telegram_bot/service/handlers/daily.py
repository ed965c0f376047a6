"""Handle the hand of the day: one decision a person, in private, of which others hear the day after.

What is told of today's hand follows from its `DailyQuestion` and the reader's own decision alone.
"""

from typing import Final

from sqlmodel import col, func, select

from telegram_bot.service import notices as n
from telegram_bot.service.announcing.presentation import envelope_to
from telegram_bot.service.announcing.replies import answer, say
from telegram_bot.service.command import Arguments, Command, Scope, everywhere
from telegram_bot.service.envelope import SendMode
from telegram_bot.service.forms import Button
from telegram_bot.service.handlers.request import PersonRequest
from telegram_bot.service.intents import Intent, PlayDaily
from telegram_bot.service.posting import Post
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.key_value import kept
from telegram_bot.storage.models import DirectMessages, Player
from telegram_bot.storage.statistics_models import DailyDecision
from telegram_bot.tables.daily_hand import DailyHand, DailyResult, day_at

SEED_KEY: Final = "daily_seed"
"""The key of the stored value of what all hands of this installation follow from."""


def hand_key(day: int | str) -> str:
    """The key of the stored value of the hand of a day; "" for what all these keys begin with."""
    return f"daily:{day}"


def play_daily(uow: UnitOfWork, intent: Intent, player: Player, what: PlayDaily) -> n.Toast | None:
    """Show the hand of the day, with the person's decision if it is theirs; in a group only the way to it."""
    today = day_at(uow.now)
    if intent.where is not None:
        say(uow, intent, player, n.DailyLinkNotice(day=today))
        return None
    buttons = uow.traits(intent.who.channel).buttons
    if buttons:
        player.direct = DirectMessages.OPEN
    hand = kept(uow.session, hand_key(today), DailyHand)
    if hand is None:
        return answer(uow, intent, player, n.ConfirmationNotice(done=n.Confirmation.NO_DAILY_HAND))
    decided = uow.session.get(DailyDecision, (player.id, today))
    is_new = decided is None and what.day in (None, today) and what.call in hand.question.calls
    before = uow.session.get(DailyDecision, (player.id, today - 1))
    streak = 0 if before is None else before.streak
    if is_new and what.call is not None:
        decided = DailyDecision(player_id=player.id, day=today, call=what.call, streak=streak + 1)
        uow.session.add(decided)
    notice = n.DailyNotice(
        day=today,
        question=hand.question,
        said=None if decided is None else decided.call,
        streak=streak if decided is None else decided.streak,
        last=_last_result(uow, player, today),
    )
    if intent.tapped is None or what.day != today:
        say(uow, intent, player, notice)
    else:
        uow.enqueue(Post(envelope_to(uow, player, notice, at=intent.who, mode=SendMode.TARGET, target=intent.tapped)))
    if is_new and buttons:
        say(uow, intent, player, n.DailyLinkNotice(day=today, streak=notice.streak))
    return None


PLAY_DAILY: Final = PersonRequest(
    PlayDaily,
    play_daily,
    buttons=(Button("daily"), Button("daily={day}_{call}")),
    commands=(
        Command(
            name="daily",
            intent=PlayDaily(),
            scope=Scope.CHATS | Scope.TEXT,
            arguments=Arguments.PARSED,
            help=everywhere("daily_hand", guide="daily_hand_by_text"),
        ),
    ),
)


def _last_result(uow: UnitOfWork, player: Player, today: int) -> DailyResult | None:
    """How the hand of the last day ended that the person decided; None: there is no such day, or it was long ago."""
    query = select(DailyDecision).where(DailyDecision.player_id == player.id, col(DailyDecision.day) < today)
    last = uow.session.exec(query.order_by(col(DailyDecision.day).desc()).limit(1)).first()
    hand = None if last is None else kept(uow.session, hand_key(last.day), DailyHand)
    if last is None or hand is None:
        return None
    chosen = select(DailyDecision.call, func.count()).where(DailyDecision.day == last.day)
    counts = uow.session.exec(chosen.group_by(col(DailyDecision.call))).all()
    everybody = sorted(counts, key=lambda each: (-each[1], each[0]))
    return DailyResult(
        day=last.day, hand=hand, said=last.call, everybody=tuple((call, number) for call, number in everybody)
    )
