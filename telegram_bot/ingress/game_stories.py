"""Have a finished game analysed before its story is told; the story is stored with the update, without names."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from pydantic import JsonValue, ValidationError
from sqlmodel import Session

from telegram_bot.ingress.computations import load_rules
from telegram_bot.service.intents import Intent, TellStory
from telegram_bot.service.repositories import load_table
from telegram_bot.service.results.story import game_record, is_told
from telegram_bot.service.service import Service
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.statistics.story import GameStory, tell_story
from telegram_bot.tables.model import Status

log = logging.getLogger(__name__)


class GameStories:
    """Finds out the story of a finished game, for `TellStory`."""

    name: Final = "game_story"
    seconds: Final = 28.0
    """Only who asks for the same story again waits that long."""

    def __init__(self, service: Service, analyst: SideProcess[[str]] | None = None) -> None:
        self.service = service
        self.analyst = analyst or SideProcess(tell_story, seconds=25, prepare=load_rules)

    def is_needed_for(self, intent: Intent) -> bool:
        """Whether a story is to be told."""
        return isinstance(intent.what, TellStory)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Analyse the game, unless it is not over or its story was told already."""
        record = await self.service.database.run(lambda session: self._record(session, intent.table))
        if record is None:
            return None
        try:
            return GameStory.model_validate_json(await self.analyst.ask(record)).model_dump(mode="json")
        except (SideProcessError, ValidationError) as error:
            log.warning("the story of a game is not told: %s", type(error).__name__, extra={"table": intent.table})
            return None

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """The intent with the story, if there is one."""
        try:
            story = None if fact is None else GameStory.model_validate(fact)
        except ValidationError:  # another version has analysed it
            story = None
        return replace(intent, what=TellStory(story))

    def _record(self, session: Session, number: int | None) -> str | None:
        uow = self.service.unit_of_work(session, "")
        row = None if number is None else uow.read_table_unlocked(number)
        if row is None:
            return None
        table = load_table(row)
        if table.status is not Status.FINISHED or is_told(uow, table.id):
            return None
        return game_record(uow, table).document
