"""Handle the end of a round at a table with a coach: let the decisions be judged, and tell each player in private.

The judge gets an `Observation` and public events for each decision, from the time of the decision: nothing of the
reveal.
"""

import logging
from typing import Final, NamedTuple

from perudo_core import (
    EVERYONE,
    Bid,
    Calza,
    Dudo,
    Observation,
    PerudoError,
    apply,
    audience,
    new_game,
    observe,
)
from perudo_core.agents import Memory, new_memory, remember_all
from telegram_bot.service import notices as n
from telegram_bot.service.announcing.presentation import envelope_to, own_page
from telegram_bot.service.announcing.private_routes import PrivateRoute
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.table_outbox import TableOutbox, hint_slot
from telegram_bot.service.computer_requests import DecisionToJudge, RoundToReview, public_memory
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.request import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import AskCoach, RoundReviewed
from telegram_bot.service.posting import Post
from telegram_bot.service.repositories import actions_of, load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DirectMessages, GameTable, Player
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.result_views import ANIMATION_SECONDS

log = logging.getLogger(__name__)

_SPREAD: Final = 1_000_003
"""The factor on a table's number in a seed: larger than a game's number of steps, so decisions get different seeds."""


class Question(NamedTuple):
    """A decision for the coach. It contains no `State`: no other player's dice leave the transaction."""

    observation: Observation
    memory: Memory
    seed: int
    """The seed of the advice's random choices, which follows from public facts."""


def question_of(uow: UnitOfWork, table: Table, player: int, step: int | None) -> Question | None:
    """Return a player's present decision; None if the table has no coach, or they have none to make."""
    seat = table.seat_of(player)
    game = table.game
    if seat is None or game is None or table.status is not Status.PLAYING or not table.coached:
        return None
    if game.turn != seat or step not in (None, table.step):
        return None
    memory = public_memory(uow.session, table)
    return Question(observe(game, seat), memory, table.id * _SPREAD + table.step)


def advise(context: TableContext, what: AskCoach) -> n.Toast | None:
    """Tell the player on turn the coach's call in their private chat.

    Raises:
        RejectedError: the table has no coach or has moved on, another player is on turn, or the bot cannot write to the
            player in private.
    """
    table, player, uow, advice = context.table, context.player, context.uow, what.advice
    context.seat()
    if table.status is Status.PLAYING and not table.coached:
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)
    if table.status is Status.PLAYING and context.intent.step not in (None, table.step):
        raise RejectedError(RejectionReason.STALE)
    context.require_turn()
    if context.intent.where is not None and player.direct != DirectMessages.OPEN:
        raise RejectedError(RejectionReason.IN_PRIVATE)
    context.save_and_answer(TableChange(table))
    if advice is None:
        return answer(uow, context.intent, player, n.ConfirmationNotice(done=n.Confirmation.NO_ADVICE))
    notice = n.CoachNotice(table=table.id, step=table.step, advice=advice, wild_by=table.wild_by)
    at = own_page(uow, player) if uow.traits(context.intent.source).reads_rooms else None
    envelope = envelope_to(uow, player, notice, at=at)
    slot = hint_slot(player.id) if at is None else None
    uow.enqueue(Post(envelope.model_copy(update={"silent": True}), table=table.id, slot=slot))
    return n.ConfirmationNotice(done=n.Confirmation.HINT_SENT) if context.intent.where is not None else None


ASK_COACH: Final = TableRequest(AskCoach, advise, buttons=(Button("hint"),), acts=(Act("coach"),))


LEASE_SECONDS: Final = 30
"""How long one worker judges a round. Then another one does, because the first may have died."""
LEAST_LOST: Final = 5
"""In tenths of a die: a smaller loss is not reported."""
SECONDS_OF_USE: Final = 60
"""The maximum delay of the coach's review: the next round is running."""


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
    """Return the people's decisions in the table's last round; None without a reader."""
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
                    seed = table.id * _SPREAD + number
                    decisions.append(DecisionToJudge(observe(state, action.seat), memory, action, seed))
            state, events = apply(state, action)
            if state.round == table.review_round and state.turn is None:
                break  # the round is over
            memory = remember_all(memory, [event for event in events if audience(event) is EVERYONE])
    except PerudoError:
        log.warning("the stored actions of a game are not its own: the coach says nothing")
        return None
    if not decisions:
        return None
    wild_by = table.rules.preset if wild else None
    return RoundToReview(table.id, table.review_round, wild_by, tuple(decisions))
