"""The end of a tournament: the place of each person, and all stages for the group."""

from collections.abc import Iterator
from typing import TypedDict

from telegram_bot.features.tournament.board import entrants_of, sleepers, stage_tables
from telegram_bot.features.tournament.draw import ranking
from telegram_bot.features.tournament.notices import PlaceNotice, SeatLine, TableLine
from telegram_bot.features.tournament.tables import Entrant, StageTable, Tournament
from telegram_bot.service.intents import Person
from telegram_bot.service.presentation import own_address
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.service.results.game_results import record_places
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.storage.models import Chat, Player
from telegram_bot.tables.model import Table


class Whole(TypedDict):
    """The fields of a notice about the whole tournament."""

    tournament: int
    title: str
    winner: str
    people: int
    stages: tuple[tuple[TableLine, ...], ...]
    places: tuple[SeatLine, ...]
    bluffer: str
    bluff: BluffCard | None


def whole_tournament(uow: UnitOfWork, tournament: Tournament) -> Whole:
    """Return all stages and everyone's place."""
    people = placed(uow, tournament)
    places = {each.player_id: each.place or 0 for each in people}
    winner = people[0].player_id
    stages: dict[int, list[tuple[StageTable, Table]]] = {}
    for entry, table in stage_tables(uow, tournament):
        stages.setdefault(entry.stage, []).append((entry, table))
    drawn = []
    for stage, tables in stages.items():
        following = {seat.player for _, table in stages.get(stage + 1, ()) for seat in table.seats} or {winner}
        drawn.append(tuple(_line(entry, table, following, places) for entry, table in tables))
    seats = {seat.player: seat for tables in stages.values() for _, table in tables for seat in table.seats}
    players, slept = uow.players_by_id(places), sleepers(uow, tournament)
    bluffs = [
        (card, table.seats[card.seat].name)
        for tables in stages.values()
        for _, table in tables
        if (card := highlight_of(uow, table, [Feat.BLUFF])) is not None
    ]
    bluff, bluffer = min(bluffs, key=lambda each: each[0].chance, default=(None, ""))
    return {
        "tournament": tournament.id,
        "title": uow.session.get_one(Chat, tournament.chat_id).title,
        "winner": players[winner].name,
        "people": len(people),
        "stages": tuple(drawn),
        "places": tuple(
            SeatLine(
                name=players[player].name,
                face=seats[player].face if player in seats else None,
                place=place,
                slept=player in slept,
            )
            for player, place in places.items()
        ),
        "bluffer": bluffer,
        "bluff": bluff,
    }


def _line(entry: StageTable, table: Table, following: set[int], places: dict[int, int]) -> TableLine:
    seats = [table.seats[seat] for seat in ranking(table.begun_game)]
    lines = [
        SeatLine(name=seat.name, face=seat.face, goes_on=seat.player in following, place=places.get(seat.player, 0))
        for seat in seats
    ]
    return TableLine(number=entry.number, seats=tuple(lines), over=True)


def placed(uow: UnitOfWork, tournament: Tournament) -> list[Entrant]:
    """Return all people in the order of their places, which are stored the first time.

    Finalists come first; then the last stage of a person decides, and in a stage the place at the table. People who are
    equal by both share a place. The winner is the first of them who did not sleep
    through their last game.
    """
    people = entrants_of(uow, tournament)
    if any(each.place is None for each in people):
        reached = _reached(uow, tournament)
        order = {each.player_id: (each.out, *reached.get(each.player_id, (0, 0))) for each in people}
        slept = sleepers(uow, tournament)
        winner = min(people, key=lambda each: (each.player_id in slept, order[each.player_id]))
        order[winner.player_id], winner.out = (False, -tournament.stage, -1), False
        for each in people:
            each.place = 1 + sum(other < order[each.player_id] for other in order.values())
        uow.session.flush()
    return sorted(people, key=lambda each: each.place or 0)


def _reached(uow: UnitOfWork, tournament: Tournament) -> dict[int, tuple[int, int]]:
    """Return the last stage of each player, as a number below zero, and their rank there."""
    return {
        table.seats[seat].player: (-entry.stage, rank)
        for entry, table in stage_tables(uow, tournament)
        for rank, seat in enumerate(ranking(table.begun_game))
    }


def place_notices(uow: UnitOfWork, tournament: Tournament) -> Iterator[tuple[Player, PlaceNotice, Person | None]]:
    """Count the place of each person, and yield the notice that tells it, and where they read it."""
    group, slept, reached = (
        uow.session.get_one(Chat, tournament.chat_id),
        sleepers(uow, tournament),
        _reached(uow, tournament),
    )
    people = placed(uow, tournament)
    for each in people:
        in_final = not each.out or reached.get(each.player_id, (0, 0))[0] == -tournament.stage
        notice = PlaceNotice(
            place=each.place or 0,
            people=len(people),
            finalist=in_final,
            slept=each.player_id in slept,
            title=group.title,
        )
        player = uow.player_by_id(each.player_id)
        yield player, notice, own_address(uow, player)
    places = {each.player_id: each.place for each in people if each.place is not None}
    tables = [table.id for _, table in stage_tables(uow, tournament)]
    record_places(uow.session, group.id, uow.now, places, tables)
