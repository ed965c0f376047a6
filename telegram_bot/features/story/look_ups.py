"""Analyse a finished game before its story is told: once a game, for permitted readers, and without names."""

import asyncio
import logging
from dataclasses import replace
from typing import Final

from pydantic import JsonValue, ValidationError
from sqlmodel import Session

from telegram_bot.features.story.analysis import GameStory, tell_story
from telegram_bot.features.story.requests import TellStory
from telegram_bot.features.story.storage import STORY_SLOT, is_too_long, story_key
from telegram_bot.ingress.computer_calls import load_rules
from telegram_bot.service.intents import Intent
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.repositories import load_table
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.service import Service
from telegram_bot.service.table_lookup import find_named_table
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.storage.key_value import kept
from telegram_bot.tables.events import RejectedError
from telegram_bot.tables.model import Status

log = logging.getLogger(__name__)


class GameStories:
    """Looks up the story of a finished game, for `TellStory`."""

    name: Final = "game_story"
    intent_type: Final = TellStory
    seconds: Final = 28.0
    """Only people who ask for the same story again wait so long."""

    def __init__(self, service: Service, analyst: SideProcess[[str]] | None = None) -> None:
        self.service = service
        self.analyst = analyst or SideProcess(tell_story, seconds=25, prepare=load_rules)
        self._running: dict[int, asyncio.Task[GameStory | None]] = {}
        """The running analyses, by game."""

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the story, or None before the game's end, without permission, or if the story was told already."""
        table = intent.table
        if table is None or not await self.service.database.run(lambda session: self._is_due(session, intent, table)):
            return None
        if table not in self._running:
            task = asyncio.create_task(self._story(table), name=f"story of table {table}")
            self._running[table] = task
            task.add_done_callback(lambda _: self._running.pop(table))
        story = await asyncio.shield(self._running[table])  # another reader may wait for the same analysis
        return None if story is None else story.model_dump(mode="json")

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the intent with the story, if there is one."""
        try:
            story = None if fact is None else GameStory.model_validate(fact)
        except ValidationError:  # analysed by another version
            story = None
        return replace(intent, request=TellStory(story))

    def _is_due(self, session: Session, intent: Intent, number: int) -> bool:
        """Return True if there is a story to tell, and the step will permit this person to ask for it."""
        uow = self.service.unit_of_work(session, "")
        player = uow.find_player(intent.who.channel, intent.who.address)
        try:
            row = find_named_table(uow, intent, number, player, locked=False)
        except RejectedError:
            return False
        return (
            row.status == Status.FINISHED
            and (uow.traits(intent.who.channel).paid or not is_sent(uow.session, number, STORY_SLOT))
            and not is_too_long(uow, number)
        )

    async def _story(self, table: int) -> GameStory | None:
        """Return the stored story, or analyse the game and store its story."""
        found = await self.service.database.run(lambda session: self._kept_or_record(session, table))
        if not isinstance(found, str):
            return found
        try:
            story = GameStory.model_validate_json(await self.analyst.ask(found))
        except (SideProcessError, ValidationError) as error:
            log.warning("the story of a game is not told: %s", type(error).__name__, extra={"table": table})
            return None
        await self.service.key_values.put(story_key(table), story.model_dump_json())
        return story

    def _kept_or_record(self, session: Session, number: int) -> GameStory | str | None:
        uow = self.service.unit_of_work(session, "")
        row = uow.read_table_unlocked(number)
        if row is None:
            return None
        return kept(uow.session, story_key(number), GameStory) or game_record(uow, load_table(row)).document
