"""One file with all games of a tournament that has ended, and the proof of their dice."""

import json
from dataclasses import dataclass
from typing import Final

from sqlmodel import col

from telegram_bot.features.tournament.board import is_in_group, stage_tables
from telegram_bot.features.tournament.notices import DiceFileNotice, Phase, TournamentAnswer, TournamentAnswerNotice
from telegram_bot.features.tournament.tables import Entrant, Standing, Tournament
from telegram_bot.notices import Toast
from telegram_bot.service.announcing.replies import answer, say
from telegram_bot.service.forms import Button
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.intents import Intent
from telegram_bot.service.outbox_dedupe import is_sent
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import LaneName, OutboxEntry, Player

SLOT: Final = "tournament_dice"
SENT_AGAIN_SECONDS: Final = 600
"""For so long the file is not sent to the same chat again."""


@dataclass(frozen=True, slots=True)
class CheckTournamentDice(PersonRequest):
    """Send the file with all games of a tournament that has ended, and the proof of their dice."""

    buttons = (Button("proof={tournament}"),)

    tournament: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Send the file, a game's record in each line, in the group or to a person who took part."""
        tournament = uow.session.get(Tournament, self.tournament)
        is_told = (
            tournament is not None and tournament.phase == Phase.OVER and _may_see(uow, intent, player, tournament)
        )
        played = stage_tables(uow, tournament) if is_told and tournament is not None else []
        if tournament is None or not played:
            return answer(uow, intent, player, TournamentAnswerNotice(answer=TournamentAnswer.FILE_GONE))
        where = intent.where or intent.who
        lately = col(OutboxEntry.created_at) > uow.now - SENT_AGAIN_SECONDS
        here = col(OutboxEntry.lane) == LaneName(where.channel, where.address)
        if is_sent(uow.session, -tournament.id, SLOT, here, lately):
            return answer(uow, intent, player, TournamentAnswerNotice(answer=TournamentAnswer.FILE_ABOVE))
        records = {table.code: game_record(uow, table) for _, table in played}
        file = DiceFileNotice(
            document="".join(json.dumps(json.loads(record.document)) + "\n" for record in records.values()),
            name=f"perudo-tournament-{tournament.code}.jsonl",
            games=len(records),
            failed=tuple(code for code, record in records.items() if record.failed),
        )
        say(uow, intent, player, file, table=-tournament.id, slot=SLOT)
        return None


def _may_see(uow: UnitOfWork, intent: Intent, player: Player, tournament: Tournament) -> bool:
    """Return True in the tournament's group, and in the private chat of a person who took part."""
    if intent.where is None:
        entrant = uow.session.get(Entrant, (tournament.id, player.id))
        return entrant is not None and entrant.standing == Standing.IN
    return is_in_group(uow, intent, tournament)
