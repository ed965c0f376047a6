"""Handle one intent inside one transaction, by the handler of its type."""

from typing import NamedTuple, assert_never

from telegram_bot.intents import intents as i
from telegram_bot.intents.request import Request
from telegram_bot.notices import RejectionNotice, Toast, WelcomeNotice
from telegram_bot.repositories import membership
from telegram_bot.service.announcing.replies import answer, rejection_notice
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.timeline import lanes_waiting_for, wait_for_animation
from telegram_bot.service.handlers import chats, clock, pages
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.lobby_requests import Join
from telegram_bot.service.handlers.queries import SeeDice
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.requests import write_button
from telegram_bot.service.table_lookup import ask_which_table, find_table, in_known_topic, require_revealed
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DiceStyle, LaneName, Player
from telegram_bot.tables.events import RejectedError, RejectionReason

AWAKE_SECONDS = 3600
"""How long a person who has texted counts as awake, in seconds."""


class Served(NamedTuple):
    """The answer to a person, their language and dice style."""

    toast: Toast | None
    language: str
    dice_style: DiceStyle = DiceStyle.KEYCAPS


def dispatch(
    uow: UnitOfWork, intent: i.Intent, request: Request | i.ChatUpdate, refused: RejectionReason | None = None
) -> Served:
    """Handle the intent inside one transaction, and send the person the result; `refused`: the reason for a refusal."""
    if isinstance(request, i.ChatUpdate):
        _resume_chat(uow, intent)
        update_chat(uow, intent, request)
        return Served(None, uow.config.language)
    if refused is None:
        intent = in_known_topic(uow, intent)
        if intent.table is not None:
            uow.read_players_at(intent.table)
    player = uow.ensure_player(intent.who)
    if refused is not None:
        toast = answer(uow, intent, player, RejectionNotice(reason=refused))
        return Served(toast, uow.language_for(player), uow.dice_style_for(player))
    if uow.traits(intent.who.channel).quiet_hours:
        # A person who writes in their quiet hours is awake: waiting notices are sent now, and so are those of the next
        # hour.
        player.awake_until = uow.now + AWAKE_SECONDS
        if player.quiet is not None:
            uow.release_lane(LaneName(intent.who.channel, intent.who.address))
    _resume_chat(uow, intent)
    try:
        toast = serve(uow, intent, player, request)
    except RejectedError as rejected:
        toast = None
        if rejected.reason is RejectionReason.WHICH_TABLE:
            ask_which_table(uow, intent, player, _button_for(request), request.fits)
        else:
            toast = answer(uow, intent, player, rejection_notice(rejected))
    # Other errors may have broken the session: they propagate.
    return Served(toast, uow.language_for(player), uow.dice_style_for(player))


def _button_for(request: Request) -> str:
    """Return the data of the button that repeats this request at one of several tables.

    A request without a button gets the button for the dice.
    """
    try:
        return write_button(request)
    except ValueError:
        return write_button(SeeDice())


def _resume_chat(uow: UnitOfWork, intent: i.Intent) -> None:
    """Try to write again to a lost chat from which an intent has arrived."""
    if intent.where is None or isinstance(intent.request, i.BotMembershipChanged | i.ChatMoved | i.MemberLeft):
        return
    chat = uow.find_chat(intent.where)
    if chat is not None:
        chats.resume_chat(uow, chat)


def serve(uow: UnitOfWork, intent: i.Intent, player: Player, request: Request) -> Toast | None:
    """Handle a person's request: at its table, or without one."""
    if request.tells_of_reveal:
        require_revealed(uow, intent, player)
    if isinstance(request, PersonRequest):
        return request.handle(uow, intent, player)
    assert isinstance(request, TableRequest)  # noqa: S101 - there are no others
    try:
        code = request.code if isinstance(request, Join) else None
        row = find_table(uow, intent, player, code=code, fits=request.fits)
    except RejectedError as rejected:
        if (
            rejected.reason is RejectionReason.NO_TABLE
            and not uow.traits(intent.who.channel).buttons
            and not isinstance(request, Join)
        ):
            say(uow, player, WelcomeNotice(name=player.name), at=intent)
            return None
        raise
    context = TableContext(uow, row, intent, player)
    with context.seat_returned():
        _require_allowed(context, request)
        toast = request.handle(context)
    return toast if intent.answered_by == "toast" else None


def _require_allowed(context: TableContext, request: Request) -> None:
    """Make sure that the table may answer now.

    While its dice are unrevealed it serves no request: a call of the round before is late, whatever the dice.

    Raises:
        RejectedError: the table is suspended, or its chat does not show the dice of the last round yet.
    """
    table, step = context.table, context.intent.step
    if table.suspension is not None and not request.allowed_while_suspended:
        raise RejectedError(RejectionReason.SUSPENDED)
    if context.uow.unrevealed(context.row) is None:
        return
    if request.bound_to_step and step not in (None, table.step):
        raise RejectedError(RejectionReason.STALE)
    raise RejectedError(RejectionReason.REVEALING)


def update_chat(uow: UnitOfWork, intent: i.Intent, request: i.ChatUpdate) -> None:
    """Handle a report of a messenger."""
    player = uow.find_player(intent.who.channel, intent.who.address)
    match request:
        case i.PrivateChatBlocked():
            if player is not None:
                chats.private_chat_blocked(uow, player)
        case i.MemberLeft():  # `multi_table` serves it
            if intent.where is not None:
                membership.mark_left(uow, intent.where, intent.who)
        case i.MembersJoined(addresses=addresses):
            if intent.where is not None:
                membership.mark_joined(uow, intent.where, addresses)
        case i.BotMembershipChanged():
            chats.bot_membership_changed(uow, intent, request)
        case i.ChatMoved(address=address):
            if intent.where is not None:
                chats.move_chat(uow, intent.where.channel, intent.where.address, address)
        case i.TopicReopened():  # `dispatch` has resumed the chat
            pass
        case _:
            assert_never(request)


def act_on(uow: UnitOfWork, request: i.SystemIntent) -> bool:
    """Handle a system intent; False: there was no work."""
    match request:
        case i.DeadlineReached(table=table):
            return clock.reach_deadline(uow, table)
        case i.OutageEnded():
            return clock.restart_batch(uow)
        case i.TurnDeliveryUnknown(table=table, turn=turn):
            clock.turn_delivery_unknown(uow, table, turn)
        case i.RevealSettled(table=table, lane=lane, deal=deal):
            if deal is not None:
                wait_for_animation(uow.session, table, deal, lane, uow.now)
            clock.reveal_settled(uow, table)
            uow.wake(lane, *lanes_waiting_for(uow.session, table))
        case i.PrivateRouteFailed():
            chats.private_route_failed(uow, request)
        case i.PrivateRoutesWork(channel=channel, addresses=addresses):
            chats.private_routes_work(uow, channel, addresses)
        case i.ChatLost(channel=channel, address=address, topic=topic):
            chats.lose_chat(uow, channel, address, topic)
        case i.ChatWritable(channel=channel, address=address, topic=topic):
            chats.mark_writable(uow, channel, address, topic)
        case i.NoteBeingHeard(table=table, step=step, seat=seat):
            clock.note_being_heard(uow, table, step, seat)
        case i.CallComputed(table=table, step=step, seat=seat, call=call):
            return clock.play_computed_call(uow, table, step, seat, call)
        case i.ComputationDone(hand_in=hand_in):
            return hand_in(uow)
        case i.ChatAddressChanged(channel=channel, old=old, new=new):
            chats.move_chat(uow, channel, old, new)
        case i.PageChanged(page=page, chat=chat):
            pages.change_page(uow, page, chat)
        case _:
            assert_never(request)
    return True
