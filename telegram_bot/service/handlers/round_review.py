"""Handle the end of a round at a table with hints: let the decisions be judged, and tell each player in private.

The judge gets an `Observation` and public events for each decision, from the time of the decision: nothing of the
reveal.
"""

import logging
from typing import Final

from perudo_core import (
    EVERYONE,
    Bid,
    Calza,
    Dudo,
    PerudoError,
    apply,
    audience,
    new_game,
    observe,
)
from perudo_core.agents import new_memory, remember_all
from telegram_bot.service import notices as n
from telegram_bot.service.announcing.private_routes import PrivateRoute
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.computer_requests import SEED_FACTOR, DecisionToJudge, RoundToReview
from telegram_bot.service.intents import RoundReviewed
from telegram_bot.service.lobby_options import LOBBY_OPTIONS
from telegram_bot.service.posting import Post
from telegram_bot.service.repositories import actions_of, load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DirectMessages, GameTable, Player
from telegram_bot.tables.events import TableChange
from telegram_bot.tables.model import HINTS, Status, Table
from telegram_bot.tables.result_views import ANIMATION_SECONDS

log = logging.getLogger(__name__)

LEASE_SECONDS: Final = 30
"""How long one worker judges a round. Then another one does, because the first may have died."""
LEAST_LOST: Final = 5
"""In tenths of a die: a smaller loss is not reported."""
SECONDS_OF_USE: Final = 60
"""The maximum delay of the review: the next round is running."""


def have_reviewed(uow: UnitOfWork, row: GameTable, table: Table) -> Table:
    """Let this worker judge the last round, and no other one for a while; a round without listeners is not judged."""
    uow.review = _round_to_review(uow, table)
    leased = None if uow.review is None else uow.now + LEASE_SECONDS
    after = table.replace(review_at=leased)
    uow.commit_step(row, table, TableChange(after))
    return after


def tell_review(uow: UnitOfWork, what: RoundReviewed) -> bool:
    """Tell each player their costliest decision; False if that was done, or another round is over by now.

    Players whose mistake cost less than half a die get no message.
    """
    row = uow.lock_table(what.table)
    if row is None or not row.live or row.status != Status.PLAYING:
        return False
    before = load_table(row)
    if before.review_at is None or before.review_round != what.round:
        return False
    uow.commit_step(row, before, TableChange(before.replace(review_at=None)))
    for seat in sorted({each.seat for each in what.judged}):
        player = _listener(uow, before, seat)
        worst = max((each for each in what.judged if each.seat == seat), key=lambda each: each.lost)
        if player is not None and worst.lost >= LEAST_LOST:
            _tell(uow, row, player, n.RoundReviewNotice(round=what.round, worst=worst, wild_by=what.wild_by))
    return True


def _tell(uow: UnitOfWork, row: GameTable, player: Player, notice: n.RoundReviewNotice) -> None:
    outbox = TableOutbox(uow, row, uow.chat_of(row))
    envelope = outbox.private_envelope(player, PrivateRoute.DIRECT, notice)
    # The animation of the round's end begins late if drawing and sending take time.
    counted_at = load_table(row).reveal_at + ANIMATION_SECONDS
    expires_at = max(uow.now, counted_at) + SECONDS_OF_USE
    outbox.to_player(
        player, Post(envelope.model_copy(update={"silent": True}), expires_at=expires_at, not_before=counted_at)
    )


def _listener(uow: UnitOfWork, table: Table, seat: int) -> Player | None:
    """Return the reader of a review; None: a computer player, an absent player, or one whose messages cost money."""
    sitting = table.seats[seat]
    if sitting.computer is not None or sitting.away or sitting.misses:  # the bot has called for them
        return None
    player = uow.player_by_id(sitting.player)
    traits = uow.traits(player.channel)
    reached = player.direct == DirectMessages.OPEN or player.page_open or traits.reads_rooms
    return player if reached and traits.buttons and not traits.paid else None


def _round_to_review(uow: UnitOfWork, table: Table) -> RoundToReview | None:
    """Return the people's decisions in the table's last round; None without a reader, or if this bot has no hints."""
    if HINTS not in LOBBY_OPTIONS:
        return None
    told = {seat for seat in range(len(table.seats)) if _listener(uow, table, seat) is not None}
    if table.game is None or table.status is not Status.PLAYING or not told:
        return None
    state, memory = new_game(table.rules, list(table.game.seats)), new_memory(table.rules, len(table.seats))
    decisions: list[DecisionToJudge] = []
    wild = False
    try:
        for number, (action, _, _) in enumerate(actions_of(uow.session, table.id)):
            if state.round == table.review_round and isinstance(action, Bid | Dudo | Calza):
                wild = state.ones_are_wild
                if action.seat in told:
                    seed = table.id * SEED_FACTOR + number
                    decisions.append(DecisionToJudge(observe(state, action.seat), memory, action, seed))
            state, events = apply(state, action)
            if state.round == table.review_round and state.turn is None:
                break  # the round is over
            memory = remember_all(memory, [event for event in events if audience(event) is EVERYONE])
    except PerudoError:
        log.warning("the stored actions of a game are not its own: the round is not reviewed")
        return None
    if not decisions:
        return None
    wild_by = table.rules.preset if wild else None
    return RoundToReview(table.id, table.review_round, wild_by, tuple(decisions))
