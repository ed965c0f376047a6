"""Review a round at a table with hints: have the decisions judged, and tell each player their costliest one in private.

The judge gets an `Observation` and public events for each decision, from the time of the decision: nothing of the
reveal.
"""

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from sqlalchemy import func
from sqlmodel import col, select

from perudo_core import EVERYONE, Bid, Calza, Dudo, PerudoError, Roll, apply, audience, new_game, observe
from perudo_core.agents import new_memory, remember_all
from telegram_bot.features.coach.judgement import JudgedDecision
from telegram_bot.features.coach.judging import judge
from telegram_bot.features.coach.lobby_option import are_allowed
from telegram_bot.features.coach.notices import RoundReviewNotice
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.computer_requests import SEED_FACTOR, Computation
from telegram_bot.service.repositories import actions_of, load_table
from telegram_bot.service.routes import Way
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import DirectMessages, GameTable, Player, RoundEnd
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import ANIMATION_SECONDS

log = logging.getLogger(__name__)

REVIEW: Final = "review"
"""The timer of a round that must be judged; while a worker does, of the time at which another one takes over."""
LEASE_SECONDS: Final = 30
"""How long one worker judges a round. Then another one does, because the first may have died."""
LEAST_LOST: Final = 5
"""In tenths of a die: a smaller loss is not reported."""
SECONDS_OF_USE: Final = 60
"""The maximum delay of the review: the next round is running."""
_JUDGED: Final = TypeAdapter(tuple[JudgedDecision, ...])


@dataclass(frozen=True, slots=True)
class ReviewedRound:
    """The round that one worker judges."""

    table: int
    number: int
    wild_by: str | None
    """The rulebook by which ones were wild in the round, or None if they were not."""
    leased_until: float


def begin_review(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Let a worker judge the round that dudo or calza has ended, unless the game is over."""
    table = committed.step.table
    goes_on = table.status is Status.PLAYING and not table.begun_game.is_terminal
    ended = any(isinstance(action, Dudo | Calza) for action in committed.step.actions)
    if are_allowed(table) and goes_on and ended:
        outbox.uow.set_timer(committed.row, REVIEW, outbox.uow.now)


def have_judged(uow: UnitOfWork, table: Table) -> float | None:
    """Let this worker judge the last round, and no other one for a while; a round without listeners is not judged."""
    leased_until = uow.now + LEASE_SECONDS
    row = uow.session.get_one(GameTable, table.id)
    found = _last_round(TableOutbox(uow, row, uow.chat_of(row)), table, leased_until)
    if found is None:
        return None
    reviewed, decisions = found
    key = (REVIEW, reviewed.table, reviewed.number)
    uow.computations.append(Computation(key, judge, (decisions,), partial(tell_review, reviewed)))
    return leased_until


def tell_review(reviewed: ReviewedRound, uow: UnitOfWork, found: bytes | None) -> bool:
    """Tell each player their costliest decision; False if that was done, or another round is over by now.

    Players whose mistake cost less than half a die get no message. `found`: the judgements, or None if they are not
    available.
    """
    row = uow.lock_table(reviewed.table)
    if row is None or not row.live or row.status != Status.PLAYING:
        return False
    table = load_table(row)
    if table.timers.get(REVIEW) != reviewed.leased_until:
        return False
    uow.set_timer(row, REVIEW, None)
    judged, outbox = _read(found), TableOutbox(uow, row, uow.chat_of(row))
    for seat in sorted({each.seat for each in judged}):
        player = _listener(outbox, table, seat)
        worst = max((each for each in judged if each.seat == seat), key=lambda each: each.lost)
        if player is not None and worst.lost >= LEAST_LOST:
            notice = RoundReviewNotice(round=reviewed.number, worst=worst, wild_by=reviewed.wild_by)
            _tell(outbox, player, notice)
    return True


def _read(found: bytes | None) -> tuple[JudgedDecision, ...]:
    try:
        return () if found is None else _JUDGED.validate_json(found)
    except ValidationError:
        log.warning("the judgement of a round cannot be read")
        return ()


def _tell(outbox: TableOutbox, player: Player, notice: RoundReviewNotice) -> None:
    # The animation of the round's end begins late if drawing and sending take time.
    last = select(func.max(col(RoundEnd.dice_at))).where(col(RoundEnd.table_id) == outbox.row.id)
    counted_at = outbox.uow.session.exec(last).one() + ANIMATION_SECONDS
    expires_at = max(outbox.uow.now, counted_at) + SECONDS_OF_USE
    own_chat = outbox.routes.by(Way.DIRECT, player)
    outbox.to_player(player, own_chat, notice, silent=True, expires_at=expires_at, not_before=counted_at)


def _listener(outbox: TableOutbox, table: Table, seat: int) -> Player | None:
    """Return the reader of a review, or None if that is a computer player, or absent, or pays for messages."""
    sitting = table.seats[seat]
    if sitting.computer is not None or sitting.away or sitting.misses:  # the bot has called for them
        return None
    player = outbox.uow.player_by_id(sitting.player)
    traits = outbox.uow.traits(player.channel)
    reached = player.direct == DirectMessages.OPEN or player.id in outbox.routes.page_readers or traits.reads_rooms
    return player if reached and traits.buttons and not traits.paid else None


def _last_round(
    outbox: TableOutbox, table: Table, leased_until: float
) -> tuple[ReviewedRound, list[tuple[Any, ...]]] | None:
    """Return the last round that ended by dudo or calza, and the arguments of `judge`, or None without a reader."""
    told = {seat for seat in range(len(table.seats)) if _listener(outbox, table, seat) is not None}
    if table.game is None or table.status is not Status.PLAYING or not told:
        return None
    actions = [action for action, _, _ in actions_of(outbox.uow.session, table.id)]
    ends = [number for number, action in enumerate(actions) if isinstance(action, Dudo | Calza)]
    state, memory = new_game(table.rules, list(table.game.seats)), new_memory(table.rules, len(table.seats))
    before = state
    decisions: list[tuple[Any, ...]] = []
    try:
        for number, action in enumerate(actions[: max(ends, default=-1) + 1]):
            if isinstance(action, Roll):
                decisions = []
            elif isinstance(action, Bid | Dudo | Calza) and action.seat in told:
                decisions.append((observe(state, action.seat), memory, action, table.id * SEED_FACTOR + number))
            before = state
            state, events = apply(state, action)
            memory = remember_all(memory, [event for event in events if audience(event) is EVERYONE])
    except PerudoError:
        log.warning("the stored actions of a game are not its own: the round is not reviewed")
        return None
    if not decisions:
        return None
    wild_by = table.rules.book if before.ones_are_wild else None
    return ReviewedRound(table.id, before.round, wild_by, leased_until), decisions
