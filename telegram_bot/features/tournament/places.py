"""The notices at the end of a tournament: the place of each person, and all stages for the group."""

from collections.abc import Iterator
from typing import TypeAlias

from telegram_bot.features.tournament.board import entrants_of, sleepers, stage_tables
from telegram_bot.features.tournament.draw import ranking
from telegram_bot.features.tournament.notices import BracketNotice, PlaceNotice, SeatLine, TableLine
from telegram_bot.features.tournament.tables import StageTable, Tournament
from telegram_bot.service.intents import Person
from telegram_bot.service.presentation import own_address
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.service.results.game_results import record_places
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import Feat
from telegram_bot.storage.models import Chat, Player
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


LastNotice: TypeAlias = tuple[Player | Chat, PlaceNotice | BracketNotice, Person | None]
"""A notice, its reader, and its place if that is not the reader's own chat."""


def last_notices(uow: UnitOfWork, tournament: Tournament) -> Iterator[LastNotice]:
    """Count and store the place of each person, and yield the notice that tells it; then the group's, of all stages.

    Finalists come first; then the last stage of a person decides, and in a stage the place at the table. People who are
    equal by both share a place. The winner is the first of them who did not sleep
    through their last game.
    """
    reached: dict[int, tuple[int, int]] = {}
    played = stage_tables(uow, tournament)
    for entry, table in played:
        for rank, seat in enumerate(ranking(table.begun_game)):
            reached[table.seats[seat].player] = -entry.stage, rank
    people = entrants_of(uow, tournament)
    order = {each.player_id: (each.out, *reached.get(each.player_id, (0, 0))) for each in people}
    group, slept = uow.session.get_one(Chat, tournament.chat_id), sleepers(uow, tournament)
    winner = min(people, key=lambda each: (each.player_id in slept, order[each.player_id]))
    order[winner.player_id], winner.out = (False, -tournament.stage, -1), False
    for each in people:
        each.place = 1 + sum(other < order[each.player_id] for other in order.values())
        in_final = not each.out or reached.get(each.player_id, (0, 0))[0] == -tournament.stage
        notice = PlaceNotice(
            place=each.place,
            people=len(people),
            finalist=in_final,
            slept=each.player_id in slept,
            title=group.title,
        )
        player = uow.player_by_id(each.player_id)
        yield player, notice, own_address(uow, player)
    places = {each.player_id: each.place for each in people if each.place is not None}
    record_places(uow.session, group.id, uow.now, places, [table.id for _, table in played])
    yield group, bracket_notice(uow, tournament, winner.player_id), None
