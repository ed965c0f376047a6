"""Show something without playing: dice, a keyboard for a bid, the table as it stands, the record of a game."""

from __future__ import annotations

from sqlmodel import col, select

from telegram_bot.service.announcer import Announcer, deal_slot, table_for_one
from telegram_bot.service.game_record import game_record
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import BrowseBids, ShowBidKeyboard
from telegram_bot.service.members import ephemeral_unreachable_in
from telegram_bot.service.notices import (
    Confirmation,
    ConfirmationNotice,
    DiceNotice,
    Envelope,
    HandNotice,
    KeyboardNotice,
    LobbyNotice,
    Notice,
    SendMode,
    TableNotice,
    Toast,
)
from telegram_bot.service.private_routes import PREFERRED, PrivateRoute, needs_start_link
from telegram_bot.service.replies import answer, say
from telegram_bot.storage.models import NoticeStatus, OutboxEntry, PrivateView
from telegram_bot.tables.events import RejectedError, RejectionReason, Step
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import hand_view, lobby_view, table_view

QUERY_SECONDS = 12
"""How long after a tap an ephemeral answer is worth trying; Telegram allows 15."""

RECORD_SECONDS = 600
"""How long the record of a game is not sent again to where it was sent."""

RECORD_SLOT = "record"


def see_dice(context: TableContext, *, by_tap: bool) -> Toast | None:
    """Show the player their dice: in an alert where they tapped, else in the way that is theirs."""
    seat = context.seat()
    if context.table.game is None:
        raise RejectedError(RejectionReason.NO_GAME)
    if not context.table.in_play(seat):
        raise RejectedError(RejectionReason.OUT)
    context.save_and_answer(Step(context.table))
    if by_tap:
        return DiceNotice(view=hand_view(context.table, seat))
    announcer = Announcer(context.uow, context.row, context.chat)
    if context.intent.where is None:
        send_hand(context, seat)
    elif not announcer.send_hand(context.table, seat, fresh=False):
        announcer.send_round(context.table)
        say(
            context.uow,
            context.intent,
            context.player,
            ConfirmationNotice(done=Confirmation.VIEW_CHOSEN, view=PrivateView.ALERT),
        )
    return None


def hand_notice(context: TableContext, seat: int) -> HandNotice:
    """What tells the player of their dice, and on their turn asks for a call."""
    return HandNotice(
        view=hand_view(context.table, seat),
        player=context.player_id,
        title=context.chat.title,
        deal=context.table.deals,
    )


def send_hand(context: TableContext, seat: int) -> None:
    """Send the dice where the player asked for them: to their private chat."""
    say(context.uow, context.intent, context.player, hand_notice(context, seat), table=context.table.id)


def show_bid_keyboard(context: TableContext, what: ShowBidKeyboard) -> Toast | None:
    """Open a keyboard in the group: one that only the player sees if the channel can, else the table's own."""
    seat = context.seat()
    game = context.table.game
    if game is None or not context.table.in_play(seat):
        raise RejectedError(RejectionReason.OUT if game is not None else RejectionReason.NO_GAME)
    if game.turn != seat:
        on_turn = None if game.turn is None else context.table.seats[game.turn].name
        raise RejectedError(RejectionReason.ILLEGAL, on_turn=on_turn)
    announcer = Announcer(context.uow, context.row, context.chat)
    if context.intent.where is None:
        context.save_and_answer(Step(context.table))
        send_hand(context, seat)
        return None
    if what.query is not None and _may_send_ephemeral(context):
        context.table = context.table.replace(whispered=context.table.step)
        context.save_and_answer(Step(context.table))
        envelope = announcer.private_envelope(context.player, PrivateRoute.EPHEMERAL, hand_notice(context, seat))
        context.uow.enqueue(
            envelope.model_copy(update={"query": what.query}),
            table=context.table.id,
            expires_at=context.uow.now + QUERY_SECONDS,
        )
        return ConfirmationNotice(done=Confirmation.DICE_SENT)
    context.save_and_answer(Step(context.table))
    notice = TableNotice(
        view=table_view(context.table),
        shared=True,
        unreachable=needs_start_link(context.player, context.chat, announcer.ephemeral_unreachable),
    )
    announcer.to_group(notice, deal_slot(context.table), supersedable=True)
    return ConfirmationNotice(done=Confirmation.SHARED_KEYBOARD)


def _may_send_ephemeral(context: TableContext) -> bool:
    """Whether a tap can be answered with a keyboard that only the player sees; once a turn, it may not arrive."""
    wanted = PrivateRoute.EPHEMERAL in PREFERRED[context.player.view]
    if not wanted or not context.chat.ephemeral_replies or context.table.whispered == context.table.step:
        return False
    return context.player_id not in ephemeral_unreachable_in(context.uow, context.chat)


def browse_bids(context: TableContext, what: BrowseBids) -> Toast | None:
    """Turn one message's keyboard to a face's quantities; the bids offered are the same for all eyes."""
    seat = context.seat()
    game = context.table.game
    if context.table.status is not Status.PLAYING or game is None:
        raise RejectedError(RejectionReason.NO_GAME)
    if context.intent.step != context.table.step:
        raise RejectedError(RejectionReason.STALE)
    if game.turn != seat:
        on_turn = None if game.turn is None else context.table.seats[game.turn].name
        raise RejectedError(RejectionReason.ILLEGAL, on_turn=on_turn)
    context.save_and_answer(Step(context.table))
    private = what.receiver is not None or what.chat == context.player.address
    notice = KeyboardNotice(
        view=hand_view(context.table, seat).table if private else table_view(context.table),
        seat=seat,
        face=what.face,
        message=what.message,
        private=private,
    )
    envelope = Envelope(
        channel=context.player.channel if private else context.chat.channel,
        chat=what.chat,
        receiver=what.receiver,
        language=context.uow.language_for(context.player) if private else context.uow.language_of(context.chat),
        mode=SendMode.TARGET,
        notice=notice,
    )
    # Who leafs quickly through the pages is shown the last one: each costs the chat one of its edits.
    page = f"page:{what.receiver or 0}:{what.message}"
    context.uow.enqueue(envelope, table=context.table.id, slot=page, supersedable=True)
    return None


def see_record(context: TableContext) -> Toast | None:
    """Send the finished game as a file."""
    if context.table.status is not Status.FINISHED:
        raise RejectedError(RejectionReason.NO_GAME)
    if _record_is_above(context):
        return answer(context.uow, context.intent, context.player, ConfirmationNotice(done=Confirmation.RECORD_ABOVE))
    record = game_record(context.uow, context.table)
    say(context.uow, context.intent, context.player, record, table=context.table.id, slot=RECORD_SLOT)
    return None


def _record_is_above(context: TableContext) -> bool:
    """Whether the file was sent to this chat a short while ago, or is about to be."""
    where = context.intent.who if context.intent.where is None else context.intent.where
    query = (
        select(OutboxEntry.id)
        .where(OutboxEntry.table_id == context.table.id, OutboxEntry.slot == RECORD_SLOT)
        .where(OutboxEntry.lane == f"{where.channel}:{where.address}")
        .where(col(OutboxEntry.status).in_((NoticeStatus.PENDING, NoticeStatus.SENDING, NoticeStatus.SENT)))
        .where(OutboxEntry.created_at > context.uow.now - RECORD_SECONDS)
    )
    return context.uow.session.exec(query.limit(1)).first() is not None


def see_status(context: TableContext) -> Toast | None:
    """Show how the table stands, where it was asked."""
    context.save_and_answer(Step(context.table))
    notice: Notice
    if context.table.status is Status.LOBBY:
        notice = LobbyNotice(view=lobby_view(context.table), numbers=context.uow.config.numbers)
    elif context.table.status is Status.PLAYING:
        notice = table_for_one(context.table, context.table.seat_of(context.player_id))
    else:
        raise RejectedError(RejectionReason.NO_TABLE)
    if context.intent.where is None:
        say(context.uow, context.intent, context.player, notice)
        return None
    show_again(context)
    return None


def show_again(context: TableContext) -> None:
    """Bring the table's message down to the end of the chat."""
    announcer = Announcer(context.uow, context.row, context.chat)
    announcer.repost_at_bottom(context.table)
    if context.table.status is Status.LOBBY:
        announcer.send_lobby(context.table)
    else:
        announcer.send_round(context.table)
