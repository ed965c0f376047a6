"""Play round zero with the pages of a table that a television shows, before the first game of an evening."""

from dataclasses import dataclass
from random import SystemRandom
from typing import Final

from sqlmodel import Session

from telegram_bot.features.learning.lesson import RoundZero, Stage, deal
from telegram_bot.features.learning.notices import PracticeDiceNotice, RoundZeroNotice
from telegram_bot.intents.forms import Act
from telegram_bot.intents.request import AtAnyStep
from telegram_bot.notices import AnswerNotice, Toast
from telegram_bot.repositories.room_access import has_screen
from telegram_bot.screens.routes import own_page, room_of
from telegram_bot.screens.tips import is_new
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.key_value import delete_of_deleted_chats, kept
from telegram_bot.storage.models import GameTable, KeyValue, Player
from telegram_bot.tables import lobby_rules
from telegram_bot.tables.events import RejectedError, TableChange
from telegram_bot.tables.model import FrozenModel, Status, Table
from telegram_bot.words.languages import mark

COMES_FIRST: Final = AnswerNotice(sentence=mark("A practice round comes first. Look at the television!"))
TIMER: Final = "round_zero"
SLOT: Final = "round_zero"
_KEYS: Final = "round_zero:"
roll: Final = SystemRandom()
"""Not the random numbers of a step: they are the game's own."""


class Evening(FrozenModel):
    """The last evening of a place with a round zero: it is played once in an evening."""

    since: float
    """See `Chat.plays_since`."""
    table: int
    zero: RoundZero | None
    """The running round zero, or None if it is over."""


def prune(session: Session, _: float) -> None:
    """Delete the evenings of deleted places."""
    delete_of_deleted_chats(session, _KEYS)


def play_first(context: TableContext) -> AnswerNotice | None:
    """Begin round zero before the game, if one is due; the start of a host who does not want to wait ends it."""
    uow, row, chat, now = context.uow, context.row, context.chat, context.uow.now
    evening = kept(uow.session, f"{_KEYS}{chat.id}", Evening)
    if evening is not None and evening.since == chat.plays_since:
        context.table = _over(uow, row, context.table) if evening.zero is not None else context.table
        return None
    outbox = TableOutbox(uow, row, chat)
    players = _with_pages(outbox, context.table) if has_screen(uow.session, chat.id, now) else []
    if not any(is_new(uow, each) for each in players):
        return None
    numbers = [each.id for each in players]
    zero = deal(lambda: roll.randint(1, 6), numbers, context.table.rules, host=context.player_id, now=now)
    awake = lobby_rules.lobby_changed(context.table, uow.moment).table
    context.table = _keep(uow, row, awake, zero)
    for player, dice in zip(players, zero.hands, strict=False):
        notice = PracticeDiceNotice(table=row.id, rules=zero.rules, dice=dice)
        say(uow, player, notice, at=own_page(uow, player), about=row.id)
    _show(outbox, zero)
    return COMES_FIRST


@dataclass(frozen=True, slots=True)
class AnswerRoundZero(AtAnyStep, TableRequest):
    """Answer the question of a stage of round zero; without a stage: I know the game, so let us begin."""

    acts = (Act("round_zero", "stage", "answer"), Act("known", stage=None))

    stage: Stage | None = None
    answer: int = 0

    def handle(self, context: TableContext) -> Toast | None:
        """Note an answer. The host alone, or all its players, can end round zero, and so begin the game."""
        uow, row, player = context.uow, context.row, context.player_id
        zero = _running(uow, row, context.table)
        if zero is None or context.table.seat_of(player) is None:
            return None
        if self.stage is None:
            after = zero.known(player, now=uow.now)
            if after.is_known(context.table.host, {seat.player for seat in context.table.seats}):
                step = _game(uow, zero, context.table)
                context.save(TableChange(_over(uow, row, step.table), step.events, step.actions))
                return None
        else:
            after = zero.answered(player, self.stage, self.answer, now=uow.now)
        if after != zero:
            context.table = _keep(uow, row, context.table, after)
            _show(TableOutbox(uow, row, context.chat), after)
        return None


def go_on(uow: UnitOfWork, table: Table) -> float | None:
    """Go on to the next stage, whether or not all have answered; after the last one the game begins."""
    row = uow.table_by_id(table.id)
    zero = None if row is None else _running(uow, row, table)
    if row is None or zero is None:
        return None
    outbox, after = TableOutbox(uow, row, uow.chat_of(row)), zero.following(uow.now)
    if after is not None:
        _keep(uow, row, table, after)
        _show(outbox, after)
        return after.ends
    try:
        step = _game(uow, zero, table)
        uow.commit_step(row, table, step)
    except RejectedError:  # too few are left
        _show_on_pages(outbox, RoundZeroNotice(table=row.id))
    _over(uow, row, table)
    return None


def _game(uow: UnitOfWork, zero: RoundZero, table: Table) -> TableChange:
    """Begin the game, as its host has asked.

    Raises:
        RejectedError: the table has changed, so that it cannot begin.
    """
    host = table.host if table.seat_of(zero.host) is None else zero.host
    return lobby_rules.start(table, host, moment=uow.moment)


def _running(uow: UnitOfWork, row: GameTable, table: Table) -> RoundZero | None:
    evening = kept(uow.session, f"{_KEYS}{row.chat_id}", Evening)
    is_here = evening is not None and evening.table == row.id and table.status is Status.LOBBY
    return evening.zero if evening is not None and is_here else None


def _keep(uow: UnitOfWork, row: GameTable, table: Table, zero: RoundZero | None) -> Table:
    """Store it; return the table with its timer."""
    evening = Evening(since=uow.chat_of(row).plays_since, table=row.id, zero=zero)
    uow.session.merge(KeyValue(key=f"{_KEYS}{row.chat_id}", value=evening.model_dump_json()))
    return table.with_timer(TIMER, None if zero is None else zero.ends)


def _over(uow: UnitOfWork, row: GameTable, table: Table) -> Table:
    return _keep(uow, row, table, None)


def _with_pages(outbox: TableOutbox, table: Table) -> list[Player]:
    """Return the players who follow the table on a page."""
    rooms = outbox.uow.channels.rooms
    people = map(outbox.uow.player_by_id, table.people)
    return [each for each in people if each.channel == rooms or each.id in outbox.routes.page_readers]


def _show(outbox: TableOutbox, zero: RoundZero) -> None:
    is_open = zero.stage is Stage.REVEAL
    notice = RoundZeroNotice(
        table=outbox.table_id,
        stage=zero.stage,
        rules=zero.rules,
        players=zero.players,
        answered=tuple(zero.answers),
        knowing=zero.knowing,
        quantity=zero.quantity,
        hands=zero.hands if is_open else (),
        calls=tuple(map(zero.answers.get, zero.players)) if is_open else (),
    )
    _show_on_pages(outbox, notice)


def _show_on_pages(outbox: TableOutbox, notice: RoundZeroNotice) -> None:
    at = room_of(outbox.chat, outbox.uow.channels)
    say(outbox.uow, outbox.chat, notice, about=outbox, at=at, slot=SLOT)
