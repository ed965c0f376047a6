"""Map each type of system intent to its handler; the type checker proves that none is missing."""

from __future__ import annotations

from typing import assert_never

from telegram_bot.service import system_intents as system
from telegram_bot.service.handlers import chats, clock, clock_restart, computer_turns, delivery_results, round_reviews
from telegram_bot.service.reveal_hold import release_after
from telegram_bot.service.system_intents import SystemIntent
from telegram_bot.service.unit_of_work import UnitOfWork


def act_on(  # noqa: C901, PLR0912 - one case per type
    uow: UnitOfWork, what: SystemIntent
) -> bool:
    """Handle a system intent; False: there was nothing to do, or another worker is doing it."""
    match what:
        case system.DeadlineReached(table=table):
            return clock.reach_deadline(uow, table)
        case system.OutageEnded():
            return clock_restart.restart_page(uow)
        case system.TurnDeliveredLate(table=table, turn=turn, at=at):
            clock.turn_delivered_late(uow, table, turn, at)
        case system.TurnDeliveryUnknown(table=table, turn=turn):
            clock.turn_delivery_unknown(uow, table, turn)
        case system.RevealSettled(notice=notice):
            uow.lanes |= release_after(uow.session, notice)
        case system.LanePaused(lane=lane, until=until):
            clock.lane_paused(uow, lane, until)
        case system.PrivateRouteFailed():
            delivery_results.private_route_failed(uow, what)
        case system.PrivateRouteWorks(channel=channel, address=address):
            delivery_results.private_route_works(uow, channel, address)
        case system.ChatLost(channel=channel, address=address, topic=topic):
            chats.lose_chat(uow, channel, address, topic)
        case system.ChatWritable(channel=channel, address=address, topic=topic):
            chats.mark_writable(uow, channel, address, topic)
        case system.NoteBeingHeard(table=table, step=step, seat=seat):
            clock.note_being_heard(uow, table, step, seat)
        case system.ThoughtPlayed(table=table, step=step, seat=seat, call=call):
            return computer_turns.play_thought(uow, table, step, seat, call)
        case system.RoundReviewed():
            return round_reviews.tell_review(uow, what)
        case system.ChatAddressChanged(channel=channel, old=old, new=new):
            chats.move_chat(uow, channel, old, new)
        case _:
            assert_never(what)
    return True
