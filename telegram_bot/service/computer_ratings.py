"""Rate computer players by level and character: one rating for all that play alike, from all games where they sat."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from sqlalchemy import tuple_
from sqlalchemy.dialects import postgresql, sqlite
from sqlmodel import Session, SQLModel, col, select

from telegram_bot.statistics.ratings import GAMES_BEFORE_SHOWN, Rating, mean_rating
from telegram_bot.storage.statistics_models import ComputerStatistics, PlayerStatistics, SeatResult

Kind: TypeAlias = tuple[str, str]
"""A level and a character."""

_INSERT: Final[dict[str, Callable[..., Any]]] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}
_STATISTICS: Final = SQLModel.metadata.tables["computer_statistics"]


def kind_of(row: SeatResult) -> Kind | None:
    """Which kind of computer player sat there; None: a person, or nobody knows."""
    return None if row.level is None or row.character is None else (row.level, row.character)


def lock_computers(session: Session, seats: Sequence[SeatResult]) -> dict[Kind | None, ComputerStatistics]:
    """The rows of the kinds that sit there, locked in their order; a new kind gets one."""
    kinds = sorted({kind for row in seats if (kind := kind_of(row)) is not None})
    if not kinds:
        return {}
    new = Rating()
    rows = [
        {"level": level, "character": character, "mu": new.mu, "sigma": new.sigma, "games": 0, "wins": 0}
        for level, character in kinds
    ]
    insert = _INSERT[session.get_bind().dialect.name]
    session.execute(insert(_STATISTICS).values(rows).on_conflict_do_nothing(index_elements=["level", "character"]))
    key = (col(ComputerStatistics.level), col(ComputerStatistics.character))
    query = (
        select(ComputerStatistics)
        .where(tuple_(*key).in_(kinds))
        .order_by(*key)
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return {(row.level, row.character): row for row in session.exec(query)}


def ratings_of_opponents(session: Session, seats: Sequence[SeatResult]) -> dict[int | None, Rating]:
    """The ratings of the people who sat there, locked, so that a recount finds the same.

    Somebody whose rating is not shown yet plays as a newcomer: little is known of them.
    """
    query = (
        select(PlayerStatistics)
        .where(col(PlayerStatistics.player_id).in_([row.player_id for row in seats if row.player_id is not None]))
        .order_by(col(PlayerStatistics.player_id))
        .with_for_update()
        .execution_options(populate_existing=True)
    )
    return {row.player_id: Rating(row.mu, row.sigma) for row in session.exec(query) if row.games >= GAMES_BEFORE_SHOWN}


def add_game(
    kinds: dict[Kind | None, ComputerStatistics], seats: Sequence[SeatResult], rated: Sequence[Rating]
) -> None:
    """Add a game: the new rating of a kind is the mean of what its seats have come to."""
    results: defaultdict[Kind | None, list[tuple[SeatResult, Rating]]] = defaultdict(list)
    for row, rating in zip(seats, rated, strict=True):
        results[kind_of(row)].append((row, rating))
    for kind, sums in kinds.items():
        sums.mu, sums.sigma = mean_rating([rating for _, rating in results[kind]])
        sums.games += 1
        sums.wins += any(row.place == 1 for row, _ in results[kind])
