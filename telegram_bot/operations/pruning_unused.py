"""Find rows that anybody can make and nobody uses: lobbies that never became a game, people and places without one.

Strangers make them by a command, or by adding the bot to a group. What somebody chose, and what another row refers to,
is kept.
"""

from __future__ import annotations

from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, func, text
from sqlalchemy import select as sql_select
from sqlmodel import Session, SQLModel, col, select

from telegram_bot.service.config import ServiceConfig
from telegram_bot.storage.models import (
    OVER,
    Chat,
    DiceStyle,
    GameAction,
    GameTable,
    Member,
    Player,
    PrivateView,
)
from telegram_bot.tables.model import Status

UNUSED_KEPT_SECONDS: Final = 90 * 86400
"""How long a row is kept that nobody uses."""
_NIGHT_OF_NEW_PHONES: Final = {"start": 22 * 60, "end": 8 * 60}
"""The quiet hours that nobody chose."""
_OF_NO_USE_ALONE: Final = frozenset({"member"})
"""The tables whose rows say nothing once the person is gone."""


def lobbies_never_begun(session: Session, before: float, limit: int) -> list[int]:
    """Lobbies that were closed before this time, and whose game never began."""
    begun = select(GameAction.number).where(col(GameAction.table_id) == col(GameTable.id)).exists()
    query = (
        select(GameTable.id)
        .where(text(OVER), GameTable.status == Status.CLOSED, col(GameTable.updated_at) < before, ~begun)
        .limit(limit)
    )
    return [table for table in session.exec(query) if table is not None]


def prune_people(session: Session, before: float, after: int, limit: int) -> int | None:
    """Delete some of the people whom nobody has seen since, who chose nothing, and who never sat at a stored table.

    `after`: the number after which to look; returns the number after which to go on, None at the end. The newest person
    stays: a database may give the number of the last row again, and tables name people by it.
    """
    nothing_chosen = and_(
        col(Player.chosen_language).is_(None),
        col(Player.dice_style) == DiceStyle.KEYCAPS,
        col(Player.pictures).is_(None),
        col(Player.view) == PrivateView.AUTO,
        col(Player.phone).is_(None),
        ~col(Player.verbose),
        ~col(Player.asks_twice),
        ~col(Player.hidden),
    )
    unused = [nothing_chosen, col(Player.seen_at) < before, *_unreferenced(Player, "id")]
    newest = select(func.max(Player.id)).scalar_subquery()
    query = select(Player).where(col(Player.id) > after, col(Player.id) < newest, *unused)
    people = session.exec(query.order_by(col(Player.id)).limit(limit)).all()
    gone = [person.id for person in people if _is_usual_night(person.quiet)]
    session.exec(delete(Member).where(col(Member.player_id).in_(gone)))
    session.exec(delete(Player).where(col(Player.id).in_(gone), col(Player.seen_at) < before))
    return people[-1].id if len(people) == limit else None


def prune_places(session: Session, before: float, after: int, limit: int, config: ServiceConfig | None) -> int | None:
    """Delete some of the places where nobody wanted anything since, nothing was chosen, and no stored table stood.

    The last lobby's rules and clock are no choice if they are those of the house.
    """
    nothing_chosen = and_(
        col(Chat.chosen_language).is_(None),
        col(Chat.dice_style) == DiceStyle.KEYCAPS,
        col(Chat.pictures).is_(None),
    )
    unused = [nothing_chosen, col(Chat.seen_at) < before, *_unreferenced(Chat, "id")]
    query = select(Chat).where(col(Chat.id) > after, *unused).order_by(col(Chat.id)).limit(limit)
    places = session.exec(query).all()
    gone = [place.id for place in places if _has_the_usual_rules(place, config)]
    session.exec(delete(Chat).where(col(Chat.id).in_(gone), col(Chat.seen_at) < before))
    return places[-1].id if len(places) == limit else None


def _unreferenced(model: type[SQLModel], key: str) -> list[ColumnElement[bool]]:
    """Conditions that no row of any table refers to the row."""
    target = SQLModel.metadata.tables[str(model.__tablename__)].c[key]
    return [
        ~sql_select(foreign.parent).where(foreign.parent == target).exists()
        for table in SQLModel.metadata.tables.values()
        for foreign in table.foreign_keys
        if foreign.column is target and table.name not in _OF_NO_USE_ALONE
    ]


def _is_usual_night(quiet: dict[str, Any] | None) -> bool:
    return quiet is None or quiet.items() >= _NIGHT_OF_NEW_PHONES.items()


def _has_the_usual_rules(place: Chat, config: ServiceConfig | None) -> bool:
    if config is None:
        return place.rules is None and place.clock is None
    clocks = [None, *(clock.model_dump(mode="json") for clock in (config.clock, config.slow_table_clock))]
    return place.rules in (None, config.rules.to_dict()) and place.clock in clocks
