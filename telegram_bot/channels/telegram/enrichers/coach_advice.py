"""Ask the coach what it would do, before the player on turn is told; the advice is stored with the update."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Final

from pydantic import JsonValue, ValidationError
from sqlmodel import Session

from perudo_core import Observation
from perudo_core.agents import Memory
from telegram_bot.ingress.computations import advise
from telegram_bot.service.handlers.coach import Question, question_of
from telegram_bot.service.intents import AskCoach, Intent
from telegram_bot.service.repositories import load_table
from telegram_bot.service.service import Service
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.tables.advice import Advice

log = logging.getLogger(__name__)


class CoachAdvice:
    """Finds out what the coach would do, for `AskCoach`."""

    name: Final = "coach_advice"
    seconds: Final = 10.0

    def __init__(self, service: Service, coach: SideProcess[[Observation, Memory, int]] | None = None) -> None:
        self.service = service
        self.coach = coach or SideProcess(advise, seconds=8, niceness=0)

    def is_needed_for(self, intent: Intent) -> bool:
        """Whether somebody asks the coach."""
        return isinstance(intent.what, AskCoach)

    async def look_up(self, intent: Intent) -> JsonValue:
        """The advice, unless the person has nothing to decide at a table with a coach."""
        question = await self.service.database.run(lambda session: self._question(session, intent))
        if question is None:
            return None
        try:
            return Advice.model_validate_json(await self.coach.ask(*question)).model_dump(mode="json")
        except (SideProcessError, ValidationError) as error:
            log.warning("the coach says nothing: %s", type(error).__name__, extra={"table": intent.table})
            return None

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """The intent with the advice, if there is any."""
        try:
            advice = None if fact is None else Advice.model_validate(fact)
        except ValidationError:  # another version has found it
            advice = None
        return replace(intent, what=AskCoach(advice))

    def _question(self, session: Session, intent: Intent) -> Question | None:
        uow = self.service.unit_of_work(session, "")
        row = None if intent.table is None else uow.read_table_unlocked(intent.table)
        player = uow.find_player(intent.who.channel, intent.who.address)
        if row is None or player is None or player.id is None:
            return None
        return question_of(uow, load_table(row), player.id, intent.step)
