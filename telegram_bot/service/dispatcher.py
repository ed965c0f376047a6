"""Serve one intent inside one transaction: the handler of each type; the type checker proves that none is missing."""

from typing import NamedTuple, assert_never

from telegram_bot.service import intents as i
from telegram_bot.service import membership
from telegram_bot.service.announcing.replies import answer, rejection_notice, say
from telegram_bot.service.announcing.timeline import lanes_waiting_for
from telegram_bot.service.handlers import (
    chats,
    clock,
    coach,
    daily,
    ending,
    game,
    learning,
    lobby,
    pages,
    phones,
    queries,
    settings,
    statistics,
)
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.notices import RejectionNotice, Toast, WelcomeNotice
from telegram_bot.service.table_lookup import ask_which_table, find_table, in_known_topic
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DiceStyle, DirectMessages, Player
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.lobby import player_named
from telegram_bot.tables.model import Status

ALLOWED_WHILE_SUSPENDED = (i.Leave, i.Stop, i.SeeDice, i.SeeRecord, i.TellStory)
"""The intents that are allowed at a table while the bot cannot write to its chat."""

TELLS_OF_THE_NEXT_ROUND = (i.SeeDice, i.BidHere, i.SeeStatus, i.AskCoach)
"""The intents whose answers would tell how a round ended; calls are others, as far as they are typed."""

TELLS_OF_THE_END = (
    *(i.SeeStatistics, i.SeeLeague, i.UnparsedText, i.ChooseTable),
    *(i.PlayAgain, i.Practise, i.OpenPrivateLobby),
)
"""The intents that concern no table, and whose answers would tell that somebody is out, or that a game is over."""

AWAKE_SECONDS = 3600
"""For how long a person who has texted is considered awake. In seconds."""


class Served(NamedTuple):
    """The answer to a person, their language and dice style."""

    toast: Toast | None
    language: str
    dice_style: DiceStyle = DiceStyle.KEYCAPS


def dispatch(
    uow: UnitOfWork, intent: i.Intent, what: i.PersonRequest | i.ChatUpdate, refused: RejectionReason | None = None
) -> Served:
    """Act on the intent inside one transaction, and tell the person the result; `refused`: why nothing is done."""
    if isinstance(what, i.ChatUpdate):
        _resume_chat(uow, intent)
        update_chat(uow, intent, what)
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
        # Who writes in their quiet hours is awake: what waits is sent now, and what comes in the next hour too.
        player.awake_until = uow.now + AWAKE_SECONDS
        if player.quiet is not None:
            uow.release_lane(f"{intent.who.channel}:{intent.who.address}")
    _resume_chat(uow, intent)
    try:
        toast = serve(uow, intent, player, what)
    except RejectedError as rejected:
        toast = None
        if rejected.reason is RejectionReason.WHICH_TABLE:
            ask_which_table(uow, intent, player)
        else:
            toast = answer(uow, intent, player, rejection_notice(rejected))
    # Other errors may have broken the session: they propagate.
    return Served(toast, uow.language_for(player), uow.dice_style_for(player))


def _resume_chat(uow: UnitOfWork, intent: i.Intent) -> None:
    """Try to write again to a lost chat from which an intent has arrived."""
    if intent.where is None or isinstance(intent.what, i.BotMembershipChanged | i.ChatMoved | i.MemberLeft):
        return
    chat = uow.find_chat(intent.where)
    if chat is not None:
        chats.resume_chat(uow, chat)


def serve(uow: UnitOfWork, intent: i.Intent, player: Player, request: i.PersonRequest) -> Toast | None:
    """Handle what a person wants: at the table that it concerns, which is locked, or by itself."""
    if not isinstance(request, i.TableIntent):
        if isinstance(request, TELLS_OF_THE_END) and uow.awaits_reveal(player, intent.where or intent.who):
            raise RejectedError(RejectionReason.REVEALING)
        return serve_person(uow, intent, player, request)
    try:
        row = find_table(uow, intent, player)
    except RejectedError as rejected:
        if (
            rejected.reason is RejectionReason.NO_TABLE
            and not uow.traits(intent.who.channel).buttons
            and not isinstance(request, i.Join)
        ):
            say(uow, intent, player, WelcomeNotice(name=player.name))
            return None
        raise
    return TableContext(uow, row, intent, player).serve(lambda context: serve_at_table(context, request))


def serve_person(uow: UnitOfWork, intent: i.Intent, player: Player, what: i.PersonIntent) -> Toast | None:
    """Handle what a person wants that concerns no table, or whose handler finds the table."""
    match what:
        case i.OpenLobby():
            lobby.open_lobby(uow, intent, player, what)
        case i.PlayAgain():
            return lobby.play_again(uow, intent, player)
        case i.Practise(opponents=opponents):
            learning.practise(uow, intent, player, opponents)
        case i.RequestNextGame():
            return lobby.ask_for_next_game(uow, intent, player)
        case i.SeeHelp():
            queries.see_help(uow, intent, player)
        case i.SeeRules(about=about):
            queries.see_rules(uow, intent, player, about)
        case i.SeeSettings():
            queries.see_settings(uow, intent, player)
        case i.TakeTutorial():
            learning.take_tutorial(uow, intent, player, what)
        case i.PlayDaily():
            return daily.play_daily(uow, intent, player, what)
        case i.SeeStatistics(of=of):
            statistics.see_statistics(uow, intent, player, of)
        case i.SeeLeague(computers=computers):
            statistics.see_league(uow, intent, player, computers=computers)
        case i.Choose():
            return settings.choose(uow, intent, player, what)
        case i.FailedNote(why=why):
            game.note_failed(uow, intent, player, why)
        case i.OtherRecording():
            raise RejectedError(RejectionReason.NOTE_OTHER_KIND)
        case i.IdentifyAdmin(command=command):
            queries.identify_admin(uow, intent, player, stop=command == "stop")
        case i.OpenPrivateLobby(name=name):
            phones.open_private_lobby(uow, intent, player, name)
        case i.ChooseTable(code=code):
            return phones.choose_table(uow, intent, player, code)
        case i.RequestPhoneLink():
            phones.request_phone_link(uow, intent, player)
        case i.LinkPhone():
            return phones.link_phone(uow, intent, player, what)
        case i.UnlinkPhone(confirmed=confirmed):
            return phones.unlink_phone(uow, intent, player, confirmed=confirmed)
        case i.StartPrivateChat():
            lobby.start_private_chat(uow, intent, player, what)
        case i.UnparsedText(suggestion=suggestion):
            return queries.answer_unparsed(uow, intent, player, suggestion)
        case i.PostedElsewhere():
            queries.posted_elsewhere(uow, player, what)
        case i.UnknownChoice():
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        case _:
            assert_never(what)
    return None


def serve_at_table(context: TableContext, what: i.TableIntent) -> Toast | None:
    """Handle what a person wants at one table, whose row is locked."""
    if context.table.suspended_at is not None and not isinstance(what, ALLOWED_WHILE_SUSPENDED):
        raise RejectedError(RejectionReason.SUSPENDED)
    seat = context.table.seat_of(context.player_id)
    if (
        isinstance(what, TELLS_OF_THE_NEXT_ROUND)
        or (isinstance(what, i.MakeBid | i.CallDudo | i.CallCalza | i.SayCalls) and context.intent.step is None)
        or context.table.status is Status.FINISHED
        or (seat is not None and context.table.game is not None and not context.table.in_play(seat))
    ) and context.uow.is_revealing(context.row, context.table):
        raise RejectedError(RejectionReason.REVEALING)
    match what:
        case i.Join(name=name):
            return lobby.join(context, name)
        case i.Leave(confirmed=confirmed, asked=asked):
            return ending.leave(context, confirmed=confirmed, asked=asked)
        case i.Kick(player=player):
            return lobby.kick(context, player)
        case i.KickNamed(name=name):
            return lobby.kick(context, player_named(context.table, name))
        case i.AnswerKnock():
            return pages.answer_knock(context, what)
        case i.AddComputers(count=count, level=level):
            return lobby.add_computers(context, count, level)
        case i.ChangeComputer(player=player, trait=trait):
            return lobby.change_computer(context, player, trait)
        case i.TurnPage(page=page):
            return lobby.turn_page(context, page)
        case i.ChangeOption(option=option, value=value):
            return lobby.change_option(context, option, value)
        case i.AskCoach(advice=advice):
            return coach.advise(context, advice)
        case i.Start():
            return lobby.start(context)
        case i.Stop():
            return ending.stop(context, what)
        case i.PlayOn(asked=asked):
            return ending.play_on(context, asked)
        case i.MakeBid() | i.CallDudo() | i.CallCalza():
            return game.call(context, what)
        case i.SayCalls():
            return game.say_calls(context, what)
        case i.ConfirmCall(spoken=spoken, choice=choice):
            return game.confirm_call(context, spoken=spoken, choice=choice)
        case i.AnswerNote():
            return game.answer_note(context, what)
        case i.PredictCall(call=call):
            return statistics.predict_call(context, call)
        case i.ReturnToSeat():
            return game.return_to_seat(context)
        case i.SeeDice():
            return queries.see_dice(context)
        case i.BidHere():
            return queries.offer_bids_here(context)
        case i.SeeBids(face=face):
            return queries.see_bids(context, face)
        case i.WatchEnd():
            return learning.watch_end(context)
        case i.SealDice():
            return game.seal_dice(context)
        case i.StirDice(what=stir):
            return game.stir_dice(context, stir)
        case i.SeeRecord():
            return queries.see_record(context)
        case i.TellStory(story=story):
            return statistics.tell_story(context, story)
        case i.SeeStatus():
            return queries.see_status(context)
        case _:
            assert_never(what)


def update_chat(uow: UnitOfWork, intent: i.Intent, what: i.ChatUpdate) -> None:
    """Handle a report of a messenger; a person without a row gets none for it."""
    player = uow.find_player(intent.who.channel, intent.who.address)
    match what:
        case i.PrivateChatBlocked():
            if player is not None:
                player.direct = DirectMessages.REFUSED
        case i.MemberLeft():  # the tables are left one by one: see `multi_table`
            if intent.where is not None and player is not None:
                membership.mark_left(uow, intent.where, player)
        case i.MembersJoined(addresses=addresses):
            if intent.where is not None:
                membership.mark_joined(uow, intent.where, addresses)
        case i.BotMembershipChanged():
            chats.bot_membership_changed(uow, intent, what)
        case i.ChatMoved(address=address):
            if intent.where is not None:
                chats.move_chat(uow, intent.where.channel, intent.where.address, address)
        case i.TopicReopened():  # `dispatch` has resumed the chat
            pass
        case _:
            assert_never(what)


def act_on(uow: UnitOfWork, what: i.SystemIntent) -> bool:
    """Handle a system intent; False: there was nothing to do, or another worker is doing it."""
    match what:
        case i.DeadlineReached(table=table):
            return clock.reach_deadline(uow, table)
        case i.OutageEnded():
            return clock.restart_page(uow)
        case i.TurnDeliveredLate(table=table, turn=turn, at=at):
            clock.turn_delivered_late(uow, table, turn, at)
        case i.TurnDeliveryUnknown(table=table, turn=turn):
            clock.turn_delivery_unknown(uow, table, turn)
        case i.RevealSettled(notice=notice):
            uow.lanes |= lanes_waiting_for(uow.session, notice)
        case i.LanePaused(lane=lane, until=until):
            clock.lane_paused(uow, lane, until)
        case i.PrivateRouteFailed():
            chats.private_route_failed(uow, what)
        case i.PrivateRouteWorks(channel=channel, address=address):
            chats.private_route_works(uow, channel, address)
        case i.ChatLost(channel=channel, address=address, topic=topic):
            chats.lose_chat(uow, channel, address, topic)
        case i.ChatWritable(channel=channel, address=address, topic=topic):
            chats.mark_writable(uow, channel, address, topic)
        case i.NoteBeingHeard(table=table, step=step, seat=seat):
            clock.note_being_heard(uow, table, step, seat)
        case i.CallComputed(table=table, step=step, seat=seat, call=call):
            return clock.play_computed_call(uow, table, step, seat, call)
        case i.RoundReviewed():
            return coach.tell_review(uow, what)
        case i.ChatAddressChanged(channel=channel, old=old, new=new):
            chats.move_chat(uow, channel, old, new)
        case i.RoomWatched(table=table):
            pages.watch_room(uow, table)
        case i.WindowChanged(player=player, is_open=is_open):
            pages.change_window(uow, player, is_open=is_open)
        case _:
            assert_never(what)
    return True
