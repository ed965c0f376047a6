"""Look up facts for a step that only Telegram or another process knows."""

import logging
from dataclasses import replace
from typing import Final

from pydantic import JsonValue, ValidationError
from sqlmodel import Session

from perudo_core import Observation
from perudo_core.agents import Memory
from telegram_bot.channels.telegram.heard_notes import HeardNotes, Hearing
from telegram_bot.channels.telegram.sender import TelegramSender
from telegram_bot.ingress.computations import advise, load_rules
from telegram_bot.ingress.enrichers import Enricher, look_ups_of_features
from telegram_bot.service.handlers.coach import Question, question_of
from telegram_bot.service.intents import AskCoach, Intent, OpenLobby, Stop
from telegram_bot.service.repositories import load_table
from telegram_bot.service.service import Service
from telegram_bot.side_process import SideProcess, SideProcessError
from telegram_bot.tables.advice import Advice

log = logging.getLogger(__name__)


def all_enrichers(sender: TelegramSender, service: Service, hearing: Hearing | None) -> tuple[Enricher, ...]:
    """Return all enrichers. `hearing`: the recognition of voice notes; None: off."""
    return (
        ChatAdmin(sender),
        EphemeralPermission(sender),
        HeardNotes(service, hearing),
        CoachAdvice(service),
        *look_ups_of_features(service),
    )


class ChatAdmin:
    """Looks up whether the person is an admin of the chat, for `Stop`."""

    name: Final = "chat_admin"
    intent_type: Final = Stop
    seconds: Final = 4.0

    def __init__(self, sender: TelegramSender) -> None:
        self.sender = sender

    async def look_up(self, intent: Intent) -> JsonValue:
        """Ask Telegram about the person; a private chat has no admins."""
        return intent.where is not None and await self.sender.is_admin(intent.where.address, intent.who.address)

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the request to stop, by an admin or not.

        If that is unknown, all but the host are asked to try again.
        """
        assert isinstance(intent.what, Stop)  # noqa: S101 - `intent_type`
        return replace(intent, what=replace(intent.what, is_admin=fact if isinstance(fact, bool) else None))


class EphemeralPermission:
    """Looks up whether the bot may send ephemeral messages at any time, for `OpenLobby`."""

    name: Final = "ephemeral_permission"
    intent_type: Final = OpenLobby
    seconds: Final = 4.0

    def __init__(self, sender: TelegramSender) -> None:
        self.sender = sender

    async def look_up(self, intent: Intent) -> JsonValue:
        """Ask Telegram about the bot itself."""
        return None if intent.where is None else await self.sender.can_send_ephemeral(intent.where.address)

    def add_fact(self, intent: Intent, fact: JsonValue) -> Intent:
        """Return the request for a lobby; if the permission is unknown, the group's last known one is used."""
        return replace(intent, what=OpenLobby(fact if isinstance(fact, bool) else None))


class CoachAdvice:
    """Looks up the coach's advice, for `AskCoach`."""

    name: Final = "coach_advice"
    intent_type: Final = AskCoach
    seconds: Final = 10.0

    def __init__(self, service: Service, coach: SideProcess[[Observation, Memory, int]] | None = None) -> None:
        self.service = service
        self.coach = coach or SideProcess(advise, seconds=8, prepare=load_rules, niceness=0)

    async def look_up(self, intent: Intent) -> JsonValue:
        """Return the advice; None if the person has nothing to decide, or the table has no coach."""
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
        return replace(intent, what=AskCoach(advice))

    def _question(self, session: Session, intent: Intent) -> Question | None:
        uow = self.service.unit_of_work(session, "")
        row = None if intent.table is None else uow.read_table_unlocked(intent.table)
        player = uow.find_player(intent.who.channel, intent.who.address)
        if row is None or player is None:
            return None
        return question_of(uow, load_table(row), player.id, intent.step)
