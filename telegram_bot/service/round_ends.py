"""The end of a round as a stored fact: its step writes it, and delivery adds when the table's chat saw the dice."""

from dataclasses import replace
from typing import Final, Protocol

from sqlalchemy import and_, case, func, null, or_, update
from sqlmodel import Session, col, select

from perudo_core import GameOver
from telegram_bot.intents.slots import deal_of
from telegram_bot.notices import GameOverNotice, RevealNotice, call_notice
from telegram_bot.repositories.repositories import load_table
from telegram_bot.screens.pictures_of_dice import animations_offered, timings_in
from telegram_bot.screens.posting import Awaited
from telegram_bot.screens.routes import Routes
from telegram_bot.service.parts import parts_of
from telegram_bot.service.results.game_results import record_game
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import Chat, GameTable, RoundEnd
from telegram_bot.storage.statistics_models import GameResult
from telegram_bot.tables.events import PlainEvent, TableChange
from telegram_bot.tables.model import Table
from telegram_bot.tables.play import RESULT, dice_shown_at
from telegram_bot.tables.result_views import game_over_view, reveal_view


def _see(session: Session, table: int, last: int, now: float) -> None:
    """Store that a table's chat shows the dice of its rounds up to this one."""
    plays_animation = and_(col(RoundEnd.deal) == last, col(RoundEnd.cups_at) < col(RoundEnd.dice_at))
    session.execute(
        update(RoundEnd)
        .where(
            col(RoundEnd.table_id) == table,
            col(RoundEnd.deal) <= last,
            or_(col(RoundEnd.seen_at).is_(None), col(RoundEnd.before).is_not(None)),
        )
        .values(
            seen_at=func.coalesce(col(RoundEnd.seen_at), now),
            before=case((plays_animation, RoundEnd.before), else_=null()),
        )
    )


def record_round_end(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Store the end of the round that this step ended, if it did: a subscriber before all that announce it."""
    before, step = committed.before, committed.step
    if before is None or before.game is None:
        return
    table, chat = step.table, uow.chat_of(committed.row)
    view = reveal_view(before, table, step.game_events)
    if view is None:
        return
    moment = replace(uow.moment, timings=timings_in(chat, uow.config))
    called, dice_at = call_notice(view) is not None, dice_shown_at(before, step.actions[0], moment=moment)
    animated = called and dice_at > uow.now and chat.animations and animations_offered(chat, uow.config)
    shared_chat, over = uow.traits(chat.channel).shared_chats, game_over_view(table, step.game_events)
    is_told, on_pages = shared_chat and chat.lost_at is None, uow.traits(chat.channel).reads_rooms
    if on_pages:  # pages read the dice when they are due
        _see(uow.session, committed.row.id, before.deals - 1, uow.now)
    end = RoundEnd(
        table_id=committed.row.id,
        deal=before.deals,
        at=uow.now,
        cups_at=uow.now if animated else dice_at,
        dice_at=dice_at,
        seen_at=None if is_told and not on_pages else uow.now,
        view=view.model_dump(mode="json"),
        before=before.replace(secret=None).model_dump(mode="json") if called else None,
        awake=[
            seat
            for seat, sitting in enumerate(before.seats)
            if sitting.computer is None and before.in_play(seat) and not sitting.away
        ],
        shared=shared_chat and _offers_bids_to_somebody(uow, chat, before),
        over=None if over is None else over.model_dump(mode="json"),
    )
    end = uow.session.merge(end)
    if shared_chat:
        end.reveal_parts = parts_of(RevealNotice, uow, committed.row, table)


LOOKS_AGAIN_SECONDS: Final = 0.5
"""The pause before another look whether a chat shows its dice."""


def await_result(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Let the result of a game that this step has ended count once its last dice are shown: the last subscriber."""
    if any(isinstance(event, GameOver) for event in committed.step.game_events):
        unrevealed = uow.unrevealed(committed.row)
        uow.set_timer(committed.row, RESULT, uow.now if unrevealed is None else unrevealed[1])
        if unrevealed is None:
            show_result(uow, load_table(committed.row))


def show_result(uow: UnitOfWork, table: Table) -> float | None:
    """Let the result of a game count, unless its last dice are unrevealed; return when to look again in that case."""
    row = uow.session.get_one(GameTable, table.id)
    if RESULT not in table.timers:
        return None
    if (unrevealed := uow.unrevealed(row)) is not None:
        return max(unrevealed[1], uow.now + LOOKS_AGAIN_SECONDS)
    uow.commit_step(row, table, TableChange(table.with_timer(RESULT, None), (PlainEvent.RESULT_SHOWN,)))
    return None


def record_result(uow: UnitOfWork, committed: CommittedStep) -> None:
    """Store the result of a game, and what features add to its end, before these are announced."""
    row, table = committed.row, committed.step.table
    if PlainEvent.RESULT_SHOWN not in committed.step.events:
        return
    if uow.session.exec(select(GameResult.id).where(GameResult.table_id == row.id)).first() is None:  # or a recount has
        record_game(uow.session, table, row.chat_id)
    end = uow.session.get(RoundEnd, (row.id, table.deals))
    if end is not None and uow.traits(uow.chat_of(row).channel).shared_chats:
        end.parts = parts_of(GameOverNotice, uow, row, table)


def _offers_bids_to_somebody(uow: UnitOfWork, chat: Chat, table: Table) -> bool:
    """Return True if the round's message offers bids to a player whom no private route reaches."""
    players = uow.players_by_id(table.people).values()
    routes = Routes.about(uow, chat)
    return any(routes.to(player).way is None for player in players)


def bring_forward(session: Session, table: int, now: float) -> None:
    """Let the unrevealed dice of a table be due now: the clock may have been set back."""
    is_later = or_(col(RoundEnd.seen_at).is_(None), col(RoundEnd.seen_at) > now), col(RoundEnd.dice_at) > now
    ends = update(RoundEnd).where(col(RoundEnd.table_id) == table, *is_later)
    session.execute(ends.values(cups_at=now, dice_at=now))


class _Notice(Protocol):
    """A notice of the outbox, as a row or as delivery takes it."""

    @property
    def table_id(self) -> int | None: ...
    @property
    def slot(self) -> str | None: ...
    @property
    def awaited(self) -> str | None: ...


def count_as_seen_in(session: Session, chat: int, now: float) -> set[int]:
    """Let the dice of all tables of a lost chat count as seen; return the tables whose dice it had not seen."""
    ends = select(RoundEnd.table_id).join(GameTable, col(GameTable.id) == col(RoundEnd.table_id))
    tables = set(session.exec(ends.where(GameTable.chat_id == chat, col(RoundEnd.seen_at).is_(None))))
    for table in sorted(tables):
        _see(session, table, _NO_DEAL_IS_LATER, now)
    return tables


_NO_DEAL_IS_LATER: Final = 2**31 - 1


def reveal_settled(uow: UnitOfWork, notice: _Notice) -> None:
    """Store that the table's chat has seen the dice of a round, or never will, if that is what the notice shows.

    The surfaces of the table's readers follow from it.
    """
    deal = deal_of(notice.slot)
    if notice.awaited == Awaited.REVEAL and notice.table_id is not None and deal is not None:
        _see(uow.session, notice.table_id, deal, uow.now)
        uow.tables.mark(notice.table_id, uow.now)
