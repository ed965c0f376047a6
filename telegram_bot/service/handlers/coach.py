"""Handle the coach: whether a table has one, and what it would do in the place of the player on turn."""

from __future__ import annotations

from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import AllowHints, AskCoach
from telegram_bot.service.notices import CoachNotice, Confirmation, ConfirmationNotice, Envelope, Toast
from telegram_bot.service.replies import answer
from telegram_bot.storage.models import DirectMessages
from telegram_bot.tables import lobby
from telegram_bot.tables.advice import Advice
from telegram_bot.tables.events import RejectedError, RejectionReason, Step, no_running_game


def serve(context: TableContext, what: AllowHints | AskCoach) -> Toast | None:
    """Handle what concerns the coach."""
    return allow_hints(context) if isinstance(what, AllowHints) else advise(context, what.advice)


def allow_hints(context: TableContext) -> Toast | None:
    """The host lets the coach help everybody, or no longer."""
    step = lobby.allow_hints(context.table, context.player_id, now=context.uow.now, timings=context.uow.timings)
    done = Confirmation.HINTS_ALLOWED if step.table.hints else Confirmation.NO_HINTS
    return context.save_and_answer(step, ConfirmationNotice(done=done))


def advise(context: TableContext, advice: Advice | None) -> Toast | None:
    """Tell the player on turn in their private chat what the coach would do.

    Raises:
        RejectedError: the table has no coach or has moved on, it is somebody else's turn, or the bot cannot write to
            the player in private.
    """
    table, player, uow = context.table, context.player, context.uow
    seat = context.seat()
    if table.game is None:
        raise no_running_game(table)
    if not table.coached:
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)
    if context.intent.step not in (None, table.step):
        raise RejectedError(RejectionReason.STALE)
    if table.game.turn != seat:
        on_turn = None if table.game.turn is None else table.seats[table.game.turn].name
        raise RejectedError(RejectionReason.ILLEGAL, on_turn=on_turn)
    if context.intent.where is not None and player.direct != DirectMessages.OPEN:
        raise RejectedError(RejectionReason.IN_PRIVATE)
    context.save_and_answer(Step(table))
    if advice is None:
        return answer(uow, context.intent, player, ConfirmationNotice(done=Confirmation.NO_ADVICE))
    envelope = Envelope(
        channel=player.channel,
        chat=player.address,
        language=uow.language_for(player),
        dice_style=uow.dice_style_for(player),
        silent=True,
        notice=CoachNotice(advice=advice, wild_by=table.wild_by),
    )
    uow.enqueue(envelope, table=table.id)
    return ConfirmationNotice(done=Confirmation.HINT_SENT) if context.intent.where is not None else None
