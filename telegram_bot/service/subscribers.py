"""All subscribers, in the order in which they see a step."""

from typing import Final

from perudo_core import Revealed, RoundConceded
from telegram_bot.notices import NextGameNotice
from telegram_bot.repositories.next_game import end_mentions, people_to_tell
from telegram_bot.service.announcing.announcer import announce
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.own_seats import open_moved_seats
from telegram_bot.service.parts import record_start
from telegram_bot.service.round_ends import await_result, record_result, record_round_end
from telegram_bot.service.unit_of_work import CommittedStep, Subscriber, UnitOfWork
from telegram_bot.storage.database import insert_into
from telegram_bot.storage.models import GameTally
from telegram_bot.tables.events import PlainEvent
from telegram_bot.tables.model import Status

SHARDS: Final = 16
"""The number of rows that share the counts, by table, so that transactions of several tables rarely wait."""
_COUNTS: Final = ("games_started", "games_finished", "rounds_played")


def count_games(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Add the counts of the step in one statement; most steps add nothing."""
    counted = count(committed)
    if any(counted.values()):
        adding = insert_into(uow.session, GameTally).values(shard=committed.row.id % SHARDS, **counted)
        total = {name: getattr(GameTally, name) + added for name, added in counted.items()}
        uow.session.execute(adding.on_conflict_do_update(index_elements=["shard"], set_=total))


def count(committed: CommittedStep) -> dict[str, int]:
    """Return a step's additions to each count. A round that ended because a player left is not counted."""
    step = committed.step
    started, finished = (step.events.count(event) for event in (PlainEvent.GAME_STARTED, PlainEvent.RESULT_SHOWN))
    played = sum(isinstance(event, Revealed | RoundConceded) for event in step.game_events)
    return dict(zip(_COUNTS, (started, finished, played), strict=True))


def tell_of_next_game(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Tell people of a new lobby in private; the lobby's message mentions the others, so it is announced later.

    A practice table calls no one: it has no seat for them.
    """
    table = committed.step.table
    if committed.before is None and table.status is Status.LOBBY and not table.practice:
        chat = uow.chat_of(committed.row)
        for player in people_to_tell(uow, chat, table):
            say(uow, player, NextGameNotice(title=chat.title, code=table.join_code, chat=chat.id))
    elif any(event in committed.step.events for event in (PlainEvent.GAME_STARTED, PlainEvent.TABLE_CLOSED)):
        end_mentions(uow, table.id)


SUBSCRIBERS: Final[tuple[Subscriber, ...]] = (
    tell_of_next_game,
    record_result,
    record_round_end,
    record_start,
    open_moved_seats,
    announce,
    count_games,
    await_result,
)
