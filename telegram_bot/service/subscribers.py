"""Every subscriber there is, in the order in which they are told of a step."""

from typing import Final

from perudo_core import GameOver, Revealed, RoundConceded
from telegram_bot.service.announcing.announcer import Announcer
from telegram_bot.service.announcing.next_game import end_mentions, take_requests
from telegram_bot.service.announcing.presentation import envelope_to
from telegram_bot.service.notices import NextGameNotice
from telegram_bot.service.posting import Post
from telegram_bot.service.results.game_results import record_game
from telegram_bot.service.unit_of_work import CommittedStep, Subscriber, UnitOfWork
from telegram_bot.storage.database import insert_into
from telegram_bot.storage.models import GameTally
from telegram_bot.tables.events import PlainEvent, TableClosed
from telegram_bot.tables.model import Status

SHARDS: Final = 16
"""The number of rows over which the counts are spread by table, so that transactions of several tables rarely wait."""


class GameCounter:
    """Counts games that began, games that have a winner, and rounds that came to an end."""

    def step_committed(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        """Add the counts of the step in one statement; most steps add nothing."""
        counted = count(committed)
        if any(counted.values()):
            insert = insert_into(uow.session, GameTally).values(shard=committed.row.id % SHARDS, **counted)
            added = {name: getattr(GameTally, name) + number for name, number in counted.items()}
            uow.session.execute(insert.on_conflict_do_update(index_elements=["shard"], set_=added))


def count(committed: CommittedStep) -> dict[str, int]:
    """What one step adds to each count. A round that ended because somebody left is not counted."""
    step, before = committed.step, committed.before
    was_finished = before is not None and before.status is Status.FINISHED
    return {
        "games_started": step.events.count(PlainEvent.GAME_STARTED),
        "games_finished": int(step.table.status is Status.FINISHED and not was_finished),
        "rounds_played": sum(isinstance(event, Revealed | RoundConceded) for event in step.game_events),
    }


class NextGame:
    """Tells people in private; the lobby's message mentions the others, so this comes before the announcer.

    A practice table calls nobody: there is no seat for them.
    """

    def step_committed(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        """Look at lobbies that open, begin or close."""
        table = committed.step.table
        if committed.before is None and table.status is Status.LOBBY and not table.practice:
            chat = uow.chat_of(committed.row)
            for player in take_requests(uow, chat, table):
                uow.enqueue(Post(envelope_to(uow, player, NextGameNotice(title=chat.title, code=table.code))))
        elif any(e is PlainEvent.GAME_STARTED or isinstance(e, TableClosed) for e in committed.step.events):
            end_mentions(uow, table.id)


class Statistics:
    """Stores results before the announcer tells of new achievements; a step that ends no game costs nothing."""

    def step_committed(self, uow: UnitOfWork, committed: CommittedStep) -> None:
        """Look at games that somebody has won."""
        if any(isinstance(event, GameOver) for event in committed.step.game_events):
            record_game(uow.session, committed.step.table, committed.row.chat_id)


SUBSCRIBERS: Final[tuple[Subscriber, ...]] = (NextGame(), Statistics(), Announcer(), GameCounter())
