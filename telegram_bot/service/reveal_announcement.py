"""Announce the end of a round: the call, after a beat the dice, then everything that must not be told before."""

from __future__ import annotations

from typing import Final

from telegram_bot.service.game_notices import GameOverNotice, RevealNotice
from telegram_bot.service.notice_kinds import SendMode
from telegram_bot.service.private_routes import PrivateRoute, route_to
from telegram_bot.service.reveal_hold import RevealHold
from telegram_bot.service.reveal_notices import ReactionNotice, call_notice, celebration_of
from telegram_bot.service.table_outbox import TableOutbox
from telegram_bot.service.talk import sees_all_messages
from telegram_bot.tables.model import Table
from telegram_bot.tables.result_views import RevealView

REACTION_SECONDS: Final = 20
"""A reaction that could not be sent for so long after the reveal is left out."""


def show_reveal(outbox: TableOutbox, view: RevealView, slot: str, *, at: float) -> None:
    """Show the end of a round in the table's chat at this time, and the call before; private notices wait for it.

    The call becomes the newest message of the chat, and the reveal is an edit of it. Where the bot does not see what
    people write, anybody may have written something after the round's message.
    """
    if not outbox.shared:
        return
    now = outbox.uow.now
    call = call_notice(view)
    mode = SendMode.EDIT
    if call is not None:
        mode = SendMode.NEWEST if sees_all_messages(outbox.uow, outbox.chat) else SendMode.REPLACE
        if at > now:
            outbox.hold = None
            outbox.to_room(outbox.group_envelope(call, mode), slot=slot)
            mode = SendMode.EDIT
    outbox.hold = RevealHold(at, outbox.lane)
    envelope = outbox.group_envelope(RevealNotice(view=view), mode)
    reveal = outbox.to_room(envelope, slot=slot, not_before=at if at > now else 0)
    outbox.hold = RevealHold(at, outbox.lane, reveal)


def congratulate(outbox: TableOutbox, table: Table, notice: GameOverNotice) -> None:
    """Tell the winner in their private chat, with an effect; who does not see the table's chat is told anyway."""
    if not outbox.uow.config.celebrate or not outbox.shared:
        return
    winner = outbox.uow.player_by_id(table.seats[notice.view.winner].player)
    way = route_to(winner, outbox.chat, outbox.ephemeral_unreachable)
    if way is PrivateRoute.DIRECT and not outbox.is_remote(winner):
        envelope = outbox.private_envelope(winner, way, notice)
        outbox.to_player(winner, envelope.model_copy(update={"festive": True}))


def celebrate(outbox: TableOutbox, view: RevealView, slot: str, *, won: bool) -> None:
    """React to the reveal if there is something to celebrate."""
    what = celebration_of(view, won=won)
    if what is None or not outbox.uow.config.celebrate or outbox.hold is None:
        return
    envelope = outbox.group_envelope(ReactionNotice(celebration=what), SendMode.EDIT)
    outbox.to_room(envelope, slot=slot, expires_at=outbox.hold.at + REACTION_SECONDS)
