"""Keep and send what a finished game leaves behind: its least likely moment, its story, its reel.

Where a television shows the table, the pages have the story unasked: the screen makes a ceremony of it.
"""

import logging
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import partial
from typing import Final, Literal

from pydantic import ValidationError
from sqlalchemy import String, cast, func, literal
from sqlmodel import Session, col, delete, select

from telegram_bot.features.story.analysis import GameStory, tell_story
from telegram_bot.features.story.notices import BluffCardNotice, ReelNotice, StoryNotice
from telegram_bot.features.story.reel import choose_reveals
from telegram_bot.features.story.tells import BIDS_KEYS, find_tell, note_bid
from telegram_bot.operations.evening_file import EveningPart
from telegram_bot.repositories.repositories import load_table
from telegram_bot.repositories.room_access import has_screen
from telegram_bot.screens.routes import room_of
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.computer_requests import Computation
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.results.bluff_cards import highlight_of
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.settings.sections import Section
from telegram_bot.statistics.bluff_card import BluffCard
from telegram_bot.storage.key_value import kept
from telegram_bot.storage.models import GameAction, GameTable, KeyValue
from telegram_bot.tables.events import PlainEvent
from telegram_bot.tables.model import Table
from telegram_bot.tables.views import seat_colours
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lines import Format, Medium

STORY_SLOT: Final = "story"
UNASKED_SLOT: Final = "story_unasked"
"""The slot of the story that pages alone have: the chat of the table may still ask for it."""
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


def bluff_card_of(uow: UnitOfWork, _: GameTable, table: Table) -> BluffCardNotice | None:
    """Return the highlight of a finished game, by a person who is not hidden.

    None without one, and for a game that is a part of something larger, which tells its own.
    """
    card = None if table.practice or not table.again else highlight_of(uow, table)
    return None if card is None else BluffCardNotice(table=table.id, card=card, name=table.seats[card.seat].name)


def story_notice(uow: UnitOfWork, row: GameTable, table: Table, story: GameStory) -> StoryNotice:
    """Return the story with the names of players who are not hidden from leagues, because it compares skill."""
    players = uow.players_by_id(table.people)
    names = tuple("" if seat.is_person and players[seat.player].hidden else seat.name for seat in table.seats)
    return StoryNotice(
        table=table.id,
        story=story,
        names=names,
        faces=tuple(seat.face if name else None for seat, name in zip(table.seats, names, strict=True)),
        colours=seat_colours(table),
        tell=find_tell(uow, row, table),
        told=_told(uow, row, table),
        theme=uow.config.features.of("story", StorySettings).theme,
    )


def _told(uow: UnitOfWork, row: GameTable, table: Table) -> tuple[BluffCard, ...]:
    """Return what the end of a game has told, and its reel."""
    highlight = highlight_of(uow, table) if table.again and not table.practice else None
    reel = choose_reveals(uow, row, None) if is_sent(uow.session, table.id, REEL_SLOT) else ()
    cards = [each.card for each in reel if each.view.table == table.id]
    return tuple(cards if highlight is None else [highlight, *cards])


def in_evening(uow: UnitOfWork, rows: Sequence[GameTable], _: datetime, w: Catalogue) -> Iterator[EveningPart]:
    """Yield the stories that an evening's games have told, with their tells, for its file."""
    for row in rows:
        story = kept(uow.session, story_key(row.id), GameStory)
        if story is not None:
            notice = story_notice(uow, row, load_table(row), story)
            f = Format(w, Medium.CHAT)
            yield EveningPart(row.id, notice.beside_picture(f), notice.picture(w), notice.on_picture(f))


def send_to_all(outbox: TableOutbox, table: Table, notice: StoryNotice | ReelNotice, slot: str) -> None:
    """Send a notice about a finished game to the table's chat and to its players elsewhere."""
    say(outbox.uow, outbox.chat, notice, about=outbox, slot=slot)
    outbox.say_elsewhere(table.people, notice)


log = logging.getLogger(__name__)

UNASKED: Final = "story"
"""The timer of a game whose story is due; while a worker finds it, of the time at which another one takes over."""
AGAIN: Final = "story_again"
"""The same for a story that was not found in time: it is tried once more."""
LEASE_SECONDS: Final = 30


def follow(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Note a bid for the tells. After the last step of a game, have a television's story found."""
    note_bid(outbox.uow, committed)
    if PlainEvent.RESULT_SHOWN not in committed.step.events:
        return
    uow = outbox.uow
    if has_screen(uow.session, outbox.chat.id, uow.now):
        uow.set_timer(committed.row, UNASKED, uow.now)


def have_analysed(uow: UnitOfWork, table: Table, timer: str = UNASKED) -> float | None:
    """Let this worker find the story, and no other one for a while; one that was told is not told again."""
    if is_sent(uow.session, table.id, STORY_SLOT) or is_too_long(uow, table.id):
        return None
    leased_until = uow.now + LEASE_SECONDS
    record = game_record(uow, table).document
    told = partial(tell_unasked, table.id, timer, leased_until)
    uow.computations.append(Computation((timer, table.id), tell_story, (record,), told))
    return leased_until


def tell_unasked(number: int, timer: str, leased_until: float, uow: UnitOfWork, found: bytes | None) -> bool:
    """Tell the story, unless that was done, or the room has gone on to another game; False if there is nothing to do.

    `found`: the story, or None if it was not found in time: then it is tried once more.
    """
    row = uow.table_by_id(number)
    if row is None or load_table(row).timers.get(timer) != leased_until:
        return False
    uow.set_timer(row, timer, None)
    try:
        story = None if found is None else GameStory.model_validate_json(found)
    except ValidationError:
        story = None
    if story is None:
        if timer == UNASKED:
            uow.set_timer(row, AGAIN, uow.now)
        else:
            log.warning("the story of a game is not told", extra={"table": number})
        return True
    uow.session.merge(KeyValue(key=story_key(number), value=story.model_dump_json()))
    newer = select(GameTable.id).where(GameTable.chat_id == row.chat_id, col(GameTable.id) > number).limit(1)
    if not is_sent(uow.session, number, STORY_SLOT) and uow.session.exec(newer).first() is None:
        table = load_table(row)
        chat = uow.chat_of(row)
        outbox, at = TableOutbox(uow, row, chat), room_of(chat, uow.channels)
        say(uow, chat, story_notice(uow, row, table, story), about=outbox, at=at, slot=UNASKED_SLOT)
    return True
