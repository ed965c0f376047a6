"""Store the results of a finished game: places, sums, ratings, achievements."""

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import tuple_
from sqlmodel import Session, col, select

from perudo_core import Action, PerudoError
from telegram_bot.intents.intents import COMPUTER, DEADLINE
from telegram_bot.repositories.repositories import actions_of
from telegram_bot.statistics.achievements import Career, earned
from telegram_bot.statistics.game_facts import PlayedAction, SeatFacts, facts_of
from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN, Rating, mean_rating, rate
from telegram_bot.storage.database import insert_into
from telegram_bot.storage.statistics_models import (
    COUNTS,
    Award,
    ComputerStatistics,
    GameResult,
    PlayerKind,
    PlayerStatistics,
    SeatResult,
)
from telegram_bot.tables.model import Table

log = logging.getLogger(__name__)

Kind: TypeAlias = tuple[str, str]
"""A level and a character."""


def kind_of(row: SeatResult) -> Kind | None:
    """Return the kind of the computer player, or None for a person, or if it is unknown."""
    return None if row.level is None or row.character is None else (row.level, row.character)


def computers_of(session: Session, seats: Sequence[SeatResult]) -> dict[Kind | None, ComputerStatistics]:
    """Return the rows of the kinds at the table; a new kind gets one."""
    kinds = sorted({kind for row in seats if (kind := kind_of(row)) is not None})
    if not kinds:
        return {}
    new = Rating()
    rows = [
        {"level": level, "character": character, "mu": new.mu, "sigma": new.sigma, "games": 0, "wins": 0}
        for level, character in kinds
    ]
    adding = insert_into(session, ComputerStatistics).values(rows)
    session.execute(adding.on_conflict_do_nothing(index_elements=["level", "character"]))
    key = (col(ComputerStatistics.level), col(ComputerStatistics.character))
    query = select(ComputerStatistics).where(tuple_(*key).in_(kinds)).execution_options(populate_existing=True)
    return {(row.level, row.character): row for row in session.exec(query)}


def ratings_of_opponents(session: Session, seats: Sequence[SeatResult]) -> dict[int | None, Rating]:
    """Return the ratings of the people at the table.

    A person whose rating is not shown yet counts as a newcomer.
    """
    sums = _sums_of(session, [row.player_id for row in seats if row.player_id is not None])
    return {player: Rating(row.mu, row.sigma) for player, row in sums.items() if row.games >= GAMES_BEFORE_SHOWN}


def add_game(
    kinds: dict[Kind | None, ComputerStatistics], seats: Sequence[SeatResult], rated: Sequence[Rating]
) -> None:
    """Add a game: the new rating of a kind is the mean of its seats' new ratings."""
    results: defaultdict[Kind | None, list[tuple[SeatResult, Rating]]] = defaultdict(list)
    for row, rating in zip(seats, rated, strict=True):
        results[kind_of(row)].append((row, rating))
    for kind, sums in kinds.items():
        sums.mu, sums.sigma = mean_rating([rating for _, rating in results[kind]])
        sums.games += 1
        sums.wins += any(row.place == 1 for row, _ in results[kind])


def record_game(
    session: Session, table: Table, chat_id: int, strangers: Mapping[int, Rating] | None = None
) -> GameResult | None:
    """Store the results of a stored game that is over. Return None, without a row, if its actions are no game.

    `strangers`: the ratings that forgotten players had, by seat.
    """
    actions, ended_at = played_game(session, table)
    try:
        facts = facts_of(table.rules, len(table.seats), actions)
    except PerudoError:
        facts = ()
    if not facts or not all(each.place for each in facts):
        log.warning("a finished game cannot be played again: no statistics", extra={"table": table.id})
        return None
    kinds = [PlayerKind.PERSON if seat.computer is None else PlayerKind.COMPUTER for seat in table.seats]
    result = GameResult(table_id=table.id, chat_id=chat_id, ended_at=ended_at, counted=table.counts_for_league)
    seats = []
    for index, (seat, each) in enumerate(zip(table.seats, facts, strict=True)):
        forgotten = seat.computer is None and (not seat.is_person or seat.changed_hands)
        before = (strangers or {}).get(index, Rating())
        values: dict[str, Any] = {} if forgotten else {name: getattr(each, name) for name in COUNTS}
        if seat.computer is not None and not seat.computer.engine:  # a program has no level, and so no rating
            values |= {"level": seat.computer.level, "character": seat.computer.character}
        player = None if forgotten or kinds[index] is not PlayerKind.PERSON else seat.player
        row = SeatResult(
            result_id=0, seat=index, player_id=player, kind=kinds[index], place=each.place, mu=before.mu,
            sigma=before.sigma, **values,
        )  # fmt: skip
        seats.append(row)
    store_result(session, result, seats, facts)
    return result


def record_places(
    session: Session, chat_id: int, ended_at: float, places: Mapping[int, int], tables: Collection[int]
) -> None:
    """Count a competition of several games as one game of a chat, by the final place of each person.

    `places`: by player. `tables`: the tables of its games, which are unrated; their calls are added up. The result has
    no table of its own, so a recount keeps the places.
    """
    query = (
        select(SeatResult)
        .join(GameResult, col(GameResult.id) == col(SeatResult.result_id))
        .where(col(GameResult.table_id).in_(tables), col(SeatResult.player_id).in_(places))
    )
    calls: dict[int | None, dict[str, Any]] = {player: dict.fromkeys(COUNTS, 0) for player in places}
    for row in session.exec(query):
        for name in COUNTS:
            calls[row.player_id][name] += getattr(row, name)
    seats = [
        SeatResult(result_id=0, seat=seat, player_id=player, place=place, mu=0, sigma=0, **calls[player])
        for seat, (player, place) in enumerate(places.items())
    ]
    result = GameResult(table_id=None, chat_id=chat_id, ended_at=ended_at, counted=True)
    store_result(session, result, seats, [None] * len(seats))


def played_game(session: Session, table: Table) -> tuple[list[PlayedAction], float]:
    """Return the actions of a stored game, and the time of the last one."""
    rows = actions_of(session, table.id)
    actions = [_played(table, action, cause.partition(":")[0]) for action, cause, _ in rows]
    return actions, rows[-1][2] if rows else 0


def _played(table: Table, action: Action, cause: str) -> PlayedAction:
    """Return an action, and whether the bot played it for a player; a computer player's calls are its own."""
    seat = getattr(action, "seat", None)
    own = cause == COMPUTER and seat is not None and table.is_computer(seat)
    return PlayedAction(action, cause in {DEADLINE, COMPUTER} and not own)


def store_result(
    session: Session, result: GameResult, seats: list[SeatResult], facts: Iterable[SeatFacts | None]
) -> None:
    """Store one game's rows and add them to the players' sums; `facts`: None for a deleted game."""
    players = [row.player_id for row in seats if row.player_id is not None] if result.counted else []
    sums = _ensure_sums(session, players)
    computers = computers_of(session, seats)
    before = {player: Rating(row.mu, row.sigma) for player, row in sums.items()}
    if computers and not result.counted:
        before = ratings_of_opponents(session, seats)
    for row in seats:
        if row.player_id in before:
            row.mu, row.sigma = before[row.player_id]
        elif row.player_id is not None:
            row.mu, row.sigma = Rating()
        elif (kind := kind_of(row)) is not None:
            row.mu, row.sigma = computers[kind].mu, computers[kind].sigma
    session.add(result)
    session.flush()
    for row in seats:
        row.result_id = result.id
    session.add_all(seats)
    if result.counted or computers:
        rated = rate([Rating(row.mu, row.sigma) for row in seats], [row.place for row in seats])
        add_game(computers, seats, rated)
    if result.counted:
        for row, rating, each in zip(seats, rated, facts, strict=True):
            if row.player_id is None:
                continue
            career = _add(sums[row.player_id], row, rating, players=len(seats))
            if each is not None:
                _award(session, row.player_id, result.id, earned(each, career))
    session.flush()


def _ensure_sums(session: Session, players: list[int]) -> dict[int | None, PlayerStatistics]:
    """Return the players' rows; missing ones are created."""
    if not players:
        return {}
    new = Rating()
    rows = [
        {"player_id": player, "mu": new.mu, "sigma": new.sigma} | dict.fromkeys(_SUMS, 0) for player in sorted(players)
    ]
    adding = insert_into(session, PlayerStatistics).values(rows)
    session.execute(adding.on_conflict_do_nothing(index_elements=["player_id"]))
    return _sums_of(session, players)


def _sums_of(session: Session, players: list[int]) -> dict[int | None, PlayerStatistics]:
    query = (
        select(PlayerStatistics)
        .where(col(PlayerStatistics.player_id).in_(players))
        .execution_options(populate_existing=True)
    )
    return {row.player_id: row for row in session.exec(query)}


_SUMS: Final = [name for name in PlayerStatistics.model_fields if name not in {"player_id", "mu", "sigma"}]


def _add(sums: PlayerStatistics, row: SeatResult, rating: Rating, *, players: int) -> Career:
    """Add a game to a player's sums."""
    won, drought = row.place == 1, sums.drought
    sums.mu, sums.sigma = rating
    sums.games += 1
    sums.wins += won
    sums.streak = sums.streak + 1 if won else 0
    sums.best_streak = max(sums.best_streak, sums.streak)
    sums.drought = 0 if won else drought + 1
    sums.last_places = sums.last_places + 1 if row.place == players else 0
    for name in COUNTS:
        setattr(sums, name, getattr(sums, name) + getattr(row, name))
    return Career(games=sums.games, wins=sums.wins, streak=sums.streak, drought=drought, last_places=sums.last_places)


def _award(session: Session, player: int, result: int, names: list[str]) -> None:
    if not names:
        return
    had = set(session.exec(select(Award.name).where(Award.player_id == player, col(Award.name).in_(names))))
    session.add_all(Award(player_id=player, name=name, result_id=result) for name in names if name not in had)
