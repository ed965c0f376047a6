"""The stored story of a game: its key, whether it was told, and how its players are named in it."""

from typing import Final, Literal

from sqlalchemy import String, cast, func, literal
from sqlmodel import Session, col, delete, select

from telegram_bot.features.story.analysis import GameStory
from telegram_bot.features.story.notices import BluffCardNotice, StoryNotice
from telegram_bot.features.story.tells import BIDS_KEYS, find_tell
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.settings.sections import Section
from telegram_bot.storage.models import GameAction, GameTable, KeyValue
from telegram_bot.tables.model import Table
from telegram_bot.tables.views import seat_colours

STORY_SLOT: Final = "story"
REEL_SLOT: Final = "reel"
MOST_ACTIONS: Final = 1000
"""The limit of actions for a story: the analysis of a longer game takes too long."""
_KEYS: Final = "story:"
_KEPT: Final = (_KEYS, BIDS_KEYS)


class StorySettings(Section):
    """The operator's choices."""

    theme: Literal["dark", "light"] = "dark"
    """The colours of the picture that "Tell the story" sends after a game: "dark" or "light"."""


def story_key(table: int) -> str:
    """Return the key of a game's story in the key-value store; it is kept as long as the game."""
    return f"{_KEYS}{table}"


def prune(session: Session, _: float) -> None:
    """Delete the stories of deleted games, and what is known of their bids."""
    for prefix in _KEPT:
        key = literal(prefix) + cast(col(GameTable.id), String)
        is_kept = select(GameTable.id).where(key == col(KeyValue.key)).exists()
        session.exec(delete(KeyValue).where(col(KeyValue.key).startswith(prefix, autoescape=True), ~is_kept))


def is_too_long(uow: UnitOfWork, table: int) -> bool:
    """Return True if a game has too many actions for a story."""
    return uow.session.exec(select(func.count()).where(GameAction.table_id == table)).one() > MOST_ACTIONS


def bluff_card_notice(uow: UnitOfWork, table: Table) -> BluffCardNotice | None:
    """Return the card with the highlight of a finished game, by a person who is not hidden, or None without one."""
    card = highlight_of(uow, table)
    return None if card is None else BluffCardNotice(table=table.id, card=card, name=table.seats[card.seat].name)


def story_notice(uow: UnitOfWork, row: GameTable, table: Table, story: GameStory) -> StoryNotice:
    """Return the story with the names of players who are not hidden from leagues, because it compares skill."""
    players = uow.players_by_id(seat.player for seat in table.seats if seat.player > 0)
    names = tuple("" if seat.player > 0 and players[seat.player].hidden else seat.name for seat in table.seats)
    return StoryNotice(
        table=table.id,
        story=story,
        names=names,
        faces=tuple(seat.face if name else None for seat, name in zip(table.seats, names, strict=True)),
        colours=seat_colours(table),
        tell=find_tell(uow, row, table),
        theme=uow.config.features.of("story", StorySettings).theme,
    )
