"""Send what a finished game leaves behind: the card of its least likely moment, its story, its reel.

Where a television shows the table, the story is told unasked: the screen makes a ceremony of it.
"""

import logging
from functools import partial
from typing import Final

from pydantic import ValidationError
from sqlmodel import col, select

from perudo_core import GameOver
from telegram_bot.features.story.analysis import GameStory, tell_story
from telegram_bot.features.story.notices import ReelNotice, StoryNotice
from telegram_bot.features.story.storage import STORY_SLOT, bluff_card_notice, is_too_long, story_key, story_notice
from telegram_bot.features.story.tells import note_bid
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.computer_requests import Computation
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.repositories import load_table
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.room_access import has_screen
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameTable, KeyValue
from telegram_bot.tables.model import Table


def announce_bluff_card(outbox: TableOutbox, table: Table) -> None:
    """Send the card, if the game has one."""
    card = None if table.practice or not outbox.shared else bluff_card_notice(outbox.uow, table)
    if card is not None:
        outbox.say(outbox.chat, card, silent=True)


def send_to_all(
    outbox: TableOutbox, table: Table, notice: StoryNotice | ReelNotice, slot: str, *, asked: bool = True
) -> None:
    """Send a notice about a finished game to the table's chat and to its players elsewhere.

    Unless a person has asked for it, it makes no sound, and no message costs money.
    """
    uow, people = outbox.uow, [seat.player for seat in table.seats if seat.player > 0]
    outbox.say(outbox.chat, notice, silent=not asked, slot=slot, again=True)
    outbox.to_remote([each for each in people if asked or not uow.is_paid(uow.player_by_id(each))], notice)


log = logging.getLogger(__name__)

UNASKED: Final = "story"
"""The timer of a game whose story is due; while a worker finds it, of the time at which another one takes over."""
LEASE_SECONDS: Final = 30


def follow(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Note a bid for the tells. After the last step of a game, send its card, and have a television's story found."""
    note_bid(outbox.uow, committed)
    if not any(isinstance(event, GameOver) for event in committed.step.game_events):
        return
    announce_bluff_card(outbox, committed.step.table)
    uow = outbox.uow
    if has_screen(uow.session, outbox.chat.id, uow.now):
        uow.set_timer(committed.row, UNASKED, uow.now)


def have_analysed(uow: UnitOfWork, table: Table) -> float | None:
    """Let this worker find the story, and no other one for a while; one that was told is not told again."""
    if is_sent(uow.session, table.id, STORY_SLOT) or is_too_long(uow, table.id):
        return None
    leased_until = uow.now + LEASE_SECONDS
    record = game_record(uow, table).document
    told = partial(tell_unasked, table.id, leased_until)
    uow.computations.append(Computation((UNASKED, table.id), tell_story, (record,), told))
    return leased_until


def tell_unasked(number: int, leased_until: float, uow: UnitOfWork, found: bytes | None) -> bool:
    """Tell the story, unless that was done, or the room has gone on to another game; False if there is nothing to do.

    `found`: the story, or None if it was not found in time.
    """
    row = uow.lock_table(number)
    if row is None or load_table(row).timers.get(UNASKED) != leased_until:
        return False
    uow.set_timer(row, UNASKED, None)
    try:
        story = None if found is None else GameStory.model_validate_json(found)
    except ValidationError:
        story = None
    if story is None:
        log.warning("the story of a game is not told", extra={"table": number})
        return True
    uow.session.merge(KeyValue(key=story_key(number), value=story.model_dump_json()))
    newer = select(GameTable.id).where(GameTable.chat_id == row.chat_id, col(GameTable.id) > number).limit(1)
    if not is_sent(uow.session, number, STORY_SLOT) and uow.session.exec(newer).first() is None:
        table = load_table(row)
        outbox = TableOutbox(uow, row, uow.chat_of(row))
        send_to_all(outbox, table, story_notice(uow, row, table, story), STORY_SLOT, asked=False)
    return True
