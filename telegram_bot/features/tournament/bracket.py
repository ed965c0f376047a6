"""The whole tournament at its end: the tables of each stage, and the best bluff."""

from telegram_bot.features.tournament.board import entrants_of, stage_tables
from telegram_bot.features.tournament.draw import ranking
from telegram_bot.features.tournament.notices import BracketNotice, SeatLine, TableLine
from telegram_bot.features.tournament.tables import StageTable, Tournament
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import Feat
from telegram_bot.storage.models import Chat
from telegram_bot.tables.model import Table


def bracket_notice(uow: UnitOfWork, tournament: Tournament, winner: int) -> BracketNotice:
    """Return the whole tournament; `winner`: the player in the first place."""
    people = entrants_of(uow, tournament)
    places = {each.player_id: each.place or 0 for each in people}
    stages: dict[int, list[tuple[StageTable, Table]]] = {}
    for entry, table in stage_tables(uow, tournament):
        stages.setdefault(entry.stage, []).append((entry, table))
    drawn = []
    for stage, tables in stages.items():
        following = {seat.player for _, table in stages.get(stage + 1, ()) for seat in table.seats} or {winner}
        drawn.append(tuple(_line(entry, table, following, places) for entry, table in tables))
    bluffs = [
        (card, table.seats[card.seat].name)
        for tables in stages.values()
        for _, table in tables
        if (card := highlight_of(uow, table, [Feat.BLUFF])) is not None
    ]
    bluff, bluffer = min(bluffs, key=lambda each: each[0].chance, default=(None, ""))
    return BracketNotice(
        tournament=tournament.id,
        title=uow.session.get_one(Chat, tournament.chat_id).title,
        winner=uow.player_by_id(winner).name,
        people=len(people),
        stages=tuple(drawn),
        bluffer=bluffer,
        bluff=bluff,
    )


def _line(entry: StageTable, table: Table, following: set[int], places: dict[int, int]) -> TableLine:
    seats = [table.seats[seat] for seat in ranking(table.begun_game)]
    lines = [
        SeatLine(name=seat.name, face=seat.face, goes_on=seat.player in following, place=places.get(seat.player, 0))
        for seat in seats
    ]
    return TableLine(number=entry.number, seats=tuple(lines), over=True)
