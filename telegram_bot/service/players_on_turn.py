"""Whether a table waits for somebody: reads only, and locks nothing."""

from __future__ import annotations

from sqlalchemy import or_
from sqlmodel import Session, col, select

from telegram_bot.storage.models import GameTable, Player, TableSeat
from telegram_bot.tables.model import Table


def is_on_turn(
    session: Session,
    channel: str,
    address: int,
    linkable: str | None,
    *,
    table: int | None = None,
    step: int | None = None,
) -> bool:
    """Whether the person with this address is on turn anywhere, or at this table and step.

    `linkable`: the channel of addresses that are linked to people of other channels.
    """
    own = (col(Player.channel) == channel) & (col(Player.address) == address)
    people = select(Player.id).where(or_(own, col(Player.phone) == address) if channel == linkable else own)
    sits = select(TableSeat.table_id).where(col(TableSeat.player_id).in_(people), col(TableSeat.live))
    states = session.exec(select(GameTable.state).where(col(GameTable.id).in_(sits), col(GameTable.live))).all()
    players = set(session.exec(people)) if states else set()
    for state in states:
        played = Table.model_validate(state)
        turn = None if played.game is None else played.game.turn
        meant = table in (None, played.id) and step in (None, played.step)
        if meant and turn is not None and played.seats[turn].player in players:
            return True
    return False
