"""Compute the coach's advice in a side process, from the player's own dice and public events."""

import logging
from dataclasses import replace
from typing import Final, NamedTuple

from pydantic import JsonValue, ValidationError
from sqlmodel import Session

from perudo_core import Observation, observe
from perudo_core.agents import Memory
from telegram_bot.features.coach.advice import advise
from telegram_bot.features.coach.judgement import Advice
from telegram_bot.features.coach.lobby_option import are_allowed
from telegram_bot.features.coach.requests import AskCoach
from telegram_bot.ingress.computer_calls import load_rules
from telegram_bot.service.computer_requests import SEED_FACTOR, public_memory
from telegram_bot.service.intents import Intent
from telegram_bot.service.repositories import load_table
from telegram_bot.service.service import Service
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.tables.model import Status, Table

log = logging.getLogger(__name__)


class Question(NamedTuple):
    """A decision for the coach. It contains no `State`: no other player's dice leave the transaction."""

    observation: Observation
    memory: Memory
    seed: int
    """The seed of the advice's random choices, which follows from public facts."""


def advice_question(uow: UnitOfWork, table: Table, player: int, step: int | None) -> Question | None:
    """Return a player's present decision, or None if the table has no coach, or they have none to make."""
    seat = table.seat_of(player)
    game = table.game
    if seat is None or game is None or table.status is not Status.PLAYING or not are_allowed(table):
        return None
    if game.turn != seat or step not in (None, table.step):
        return None
    memory = public_memory(uow.session, table)
    return Question(observe(game, seat), memory, table.id * SEED_FACTOR + table.step)


class CoachAdvice:
    """Looks up the coach's advice, for `AskCoach`."""

    name: Final = "coach_advice"
    intent_type: Final = AskCoach
    seconds: Final = 10.0

    def __init__(self, service: Service, coach: SideProcess[[Observation, Memory, int]] | None = None) -> None:
        self.service = service
        self.coach = coach or SideProcess(advise, seconds=8, prepare=load_rules, niceness=0)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the advice, or None if the person has nothing to decide, or the table has no coach."""
        question = await self.service.database.run(lambda session: self._question(session, intent))
        if question is None:
            return None
        try:
            return Advice.model_validate_json(await self.coach.ask(*question)).model_dump(mode="json")
        except (SideProcessError, ValidationError) as error:
            log.warning("the coach says nothing: %s", type(error).__name__, extra={"table": intent.table})
            return None

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the intent with the advice, if there is any."""
        try:
            advice = None if fact is None else Advice.model_validate(fact)
        except ValidationError:  # found by another version
            advice = None
        return replace(intent, request=AskCoach(advice))

    def _question(self, session: Session, intent: Intent) -> Question | None:
        uow = self.service.unit_of_work(session, "")
        row = None if intent.table is None else uow.read_table_unlocked(intent.table)
        player = uow.find_player(intent.who.channel, intent.who.address)
        if row is None or player is None:
            return None
        return advice_question(uow, load_table(row), player.id, intent.step)
