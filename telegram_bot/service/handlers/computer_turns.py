"""Handle what nobody plays by hand: have turns and calls out of turn thought about, and play what was thought of."""

from __future__ import annotations

import logging

from perudo_core import Call, is_legal
from telegram_bot.service.config import timings_in
from telegram_bot.service.records import load_table, postpone_deadline
from telegram_bot.service.thoughts import thought_for
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.tables import play, turn_clock
from telegram_bot.tables.events import RejectedError, Step
from telegram_bot.tables.model import Status, Table, Timings

log = logging.getLogger(__name__)

LEASE_SECONDS = 8
"""For how long one worker thinks for a table. Then, if it has died, another one does."""


def have_thought(uow: UnitOfWork, row: GameTable, table: Table) -> None:
    """Let this worker think about the turn, and no other one for a while; what else is due at the table still is."""
    assert row.id is not None  # noqa: S101 - a stored row
    assert table.game is not None  # noqa: S101 - a turn is part of a game
    assert table.game.turn is not None  # noqa: S101
    uow.thoughts.append(thought_for(uow.session, uow.memories, table, table.game.turn, uow.rng.getrandbits(64)))
    other = turn_clock.next_due(table.replace(think_at=None))
    until = uow.now + LEASE_SECONDS
    postpone_deadline(uow.session, row.id, until if other is None else min(until, other))


def have_interruptions_thought(uow: UnitOfWork, row: GameTable, table: Table) -> Table:
    """Let this worker ask the computer players who are not on turn, once: if the worker dies, they say nothing."""
    uow.thoughts += [
        thought_for(uow.session, uow.memories, table, seat, uow.rng.getrandbits(64))
        for seat in play.may_interrupt(table)
    ]
    after = table.replace(interrupt_at=None)
    uow.commit_step(row, table, Step(after))
    return after


def play_thought(uow: UnitOfWork, table: int, step: int, seat: int, call: Call | None) -> bool:
    """Play what was thought of; False if the table has moved on meanwhile. None: nothing was, so the bot plays.

    A player who was away and came back meanwhile plays for themselves: no call is thought of for them.
    """
    row = uow.lock_table(table)
    if row is None or not row.live or row.status != Status.PLAYING:
        return False
    before = load_table(row)
    if before.step != step or before.game is None:
        return False
    timings = timings_in(uow.chat_of(row), uow.config)
    if before.game.turn != seat:
        return _interrupt(uow, row, before, call, timings)
    if before.think_at is None:
        return False
    if call is None:
        log.warning("no call was thought of in time: the bot plays")
    elif call.seat != seat or not is_legal(before.game, call):
        log.warning("a call was thought of that is not legal: the bot plays")
        call = None
    moved = turn_clock.time_out(before, now=uow.now, rng=uow.rng, timings=timings, thought=call)
    uow.commit_step(row, before, moved)
    return True


def _interrupt(uow: UnitOfWork, row: GameTable, table: Table, call: Call | None, timings: Timings) -> bool:
    """Play a call out of turn; False if there is none, or the table does not take it any more."""
    if call is None:
        return False
    try:
        moved = play.make_call(table, call, step=table.step, now=uow.now, rng=uow.rng, timings=timings)
    except RejectedError:
        return False
    uow.commit_step(row, table, moved)
    return True
