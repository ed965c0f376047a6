"""The table that the group's television shows during a stage: the one with the fewest dice, until its round ends."""

from typing import Final

from sqlmodel import col, select

from telegram_bot.features.tournament.board import show_on_pages, stage_tables
from telegram_bot.features.tournament.notices import Phase, TelevisedRevealNotice, TelevisedRoundNotice
from telegram_bot.features.tournament.tables import StageTable, Tournament
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import Chat, GameTable
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import reveal_view
from telegram_bot.tables.views import table_view

ROUND_SLOT: Final = "televised"
REVEAL_SLOT: Final = "televised_end"


def show_again(uow: UnitOfWork, chat: Chat) -> None:
    """Show the chat's running tournament again, because a room loses its cards when a new table begins there."""
    running = select(Tournament).where(Tournament.chat_id == chat.id, col(Tournament.live))
    tournament = uow.session.exec(running).first()
    if tournament is not None:
        show_on_pages(uow, tournament)
        televise(uow, tournament, again=True)


def televise(uow: UnitOfWork, tournament: Tournament, *, again: bool = False) -> None:
    """Choose a table and show it, unless the chosen one is in the middle of a round; `again`: show it then as well."""
    tables = _playing(uow, tournament) if tournament.phase == Phase.TABLES else {}
    if tables and (again or tournament.televised not in tables):
        if tournament.televised not in tables:
            rows = {number: uow.session.get_one(GameTable, number) for number in tables}
            shown = [number for number, row in rows.items() if uow.hidden_dice(row) is None]
            tournament.televised = min(shown, key=lambda number: (_dice_left(tables[number][1]), number), default=None)
        if tournament.televised is not None:
            _show_round(uow, tournament, *tables[tournament.televised])


def show_step(uow: UnitOfWork, row: GameTable, table: Table) -> None:
    """Show a bid at the chosen table."""
    entry = uow.session.get(StageTable, row.id)
    tournament = None if entry is None else uow.session.get(Tournament, entry.tournament_id)
    if entry is not None and tournament is not None and (tournament.televised, tournament.live) == (row.id, True):
        _show_round(uow, tournament, entry.number, table)


def end_round(outbox: TableOutbox, committed: CommittedStep, tournament: Tournament, entry: StageTable) -> None:
    """Show the dice of the chosen table when its players see them; then another table may be chosen."""
    if tournament.televised != entry.table_id or committed.before is None:
        return
    reveal = reveal_view(committed.before, committed.step.table, committed.step.game_events)
    if reveal is not None:
        notice = TelevisedRevealNotice(number=entry.number, view=reveal)
        at = outbox.uow.now if outbox.delay is None else outbox.delay.at
        show_on_pages(outbox.uow, tournament, notice, REVEAL_SLOT, not_before=at)
    tournament.televised = None


def _show_round(uow: UnitOfWork, tournament: Tournament, number: int, table: Table) -> None:
    view = table_view(table).model_copy(update={"code": ""})
    show_on_pages(uow, tournament, TelevisedRoundNotice(number=number, view=view), ROUND_SLOT)


def _playing(uow: UnitOfWork, tournament: Tournament) -> dict[int, tuple[int, Table]]:
    """Return the tables of the stage whose games run, with their numbers within the stage."""
    return {
        table.id: (entry.number, table)
        for entry, table in stage_tables(uow, tournament, tournament.stage)
        if table.status is Status.PLAYING
    }


def _dice_left(table: Table) -> int:
    """Return the number of dice at a table; the group's message tells it, by any rules."""
    return sum(table.begun_game.dice_counts)
