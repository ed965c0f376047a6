"""Want a revenge, and end the newspaper of a group."""

from dataclasses import dataclass
from typing import Final

from sqlmodel import col, select

from telegram_bot.features.newspaper import printing
from telegram_bot.features.newspaper.edition import next_friday
from telegram_bot.features.newspaper.notices import NewspaperNotice, when
from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import ForAdmins, Intent
from telegram_bot.intents.request import TellsNothing
from telegram_bot.notices import AnswerNotice, Toast
from telegram_bot.presentation.keys import Key, Keys, Style
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.handlers.table_context import require_may_host
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.model import Status
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark

WANTED: Final = AnswerNotice(sentence=mark("Settled: I'll open the table then."))
TAKEN: Final = AnswerNotice(sentence=mark("Someone was faster: the table opens then."))
PASSED: Final = AnswerNotice(sentence=mark("That evening is over. Open a table with /perudo."))
NO_MORE: Final = AnswerNotice(sentence=mark("No more morning papers here. /settings brings them back."))


@dataclass(frozen=True, slots=True)
class WantRevenge(TellsNothing, PersonRequest):
    """Have the table of a revenge opened on its evening: `game` is the last table of the evening before, `at` when."""

    buttons = (Button("revenge={game}_{at}"),)

    game: int
    at: int

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Note the first person's wish, and say so below the newspaper.

        Raises:
            RejectedError: the person has opened too many tables.
        """
        chat = None if intent.where is None else uow.find_chat(intent.where)
        row = uow.table_by_id(self.game)
        is_here = row is not None and chat is not None and row.chat_id == chat.id and row.status == Status.FINISHED
        is_to_come = self.at == int(next_friday(uow.now, uow.config.time_zone))
        if row is None or chat is None or not is_here or not is_to_come:
            return answer(uow, intent, player, PASSED)
        if printing.REVENGE in load_table(row).timers:
            return answer(uow, intent, player, TAKEN)
        require_may_host(uow, player, chat)
        printing.want_revenge(uow, row, player, self.at)
        paper = printing.newspaper_of(uow, row, uow.now)
        if paper is not None and intent.tapped is not None:
            say(uow, chat, paper, target=intent.tapped)
        return answer(uow, intent, player, WANTED)


@dataclass(frozen=True, slots=True)
class EndNewspaper(TellsNothing, PersonRequest, ForAdmins):
    """End the newspaper of the group, by the host of its last table or an admin."""

    buttons = (Button("end_newspaper"),)

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Switch it off.

        Raises:
            RejectedError: the person is neither, or it is unknown whether they are an admin.
        """
        chat = None if intent.where is None else uow.find_chat(intent.where)
        if chat is None:
            raise RejectedError(RejectionReason.NOT_ALLOWED)
        newest = select(GameTable).where(GameTable.chat_id == chat.id).order_by(col(GameTable.id).desc()).limit(1)
        last = uow.session.exec(newest).first()
        if last is None or load_table(last).host != player.id:
            if self.is_admin is None:
                raise RejectedError(RejectionReason.CANNOT_TELL)
            if not self.is_admin:
                raise RejectedError(RejectionReason.NOT_ALLOWED)
        printing.ENDED.turn(chat, on=True)
        return answer(uow, intent, player, NO_MORE)


def newspaper_keys(paper: NewspaperNotice, w: Catalogue) -> Keys:
    """Below the newspaper: a key for the revenge until a person wants it, and one that ends all newspapers."""
    end = [Key(w.say("No more papers"), EndNewspaper())]
    if paper.revenge is None or paper.wanted_by is not None:
        return [end]
    at = paper.revenge.at
    label = when(at, paper.zone, w)
    revenge = Key(label[:1].upper() + label[1:], WantRevenge(paper.table, int(at)), sign="⚔️", style=Style.SUCCESS)
    return [[revenge], end]
