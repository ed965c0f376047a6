"""Map each type of system intent to its handler; the type checker proves that none is missing."""

from __future__ import annotations

from typing import assert_never

from telegram_bot.service import intents as system
from telegram_bot.service import membership as members
from telegram_bot.service.announcing.replies import answer, rejection_notice, say
from telegram_bot.service.announcing.table_outbox import release_after
from telegram_bot.service.handlers import (
    chats,
    clock,
    coach,
    ending,
    game,
    lobby,
    phones,
    queries,
    settings,
    statistics,
    voice,
)
from telegram_bot.service.handlers import chats as delivery_results
from telegram_bot.service.handlers import clock as clock_restart
from telegram_bot.service.handlers import clock as computer_turns
from telegram_bot.service.handlers import coach as round_reviews
from telegram_bot.service.handlers import learning as practice
from telegram_bot.service.handlers import learning as tutorial
from telegram_bot.service.handlers import lobby as lobby_choices
from telegram_bot.service.handlers import queries as pages
from telegram_bot.service.handlers import statistics as predictions
from telegram_bot.service.handlers import statistics as story
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import (
    AddComputers,
    AnswerNote,
    AskCoach,
    BidHere,
    BotMembershipChanged,
    CallCalza,
    CallDudo,
    ChangeComputer,
    ChangeOption,
    ChatMoved,
    ChatUpdate,
    Choose,
    ChooseTable,
    ConfirmCall,
    FailedNote,
    HideMe,
    IdentifyAdmin,
    Intent,
    Join,
    Kick,
    KickNamed,
    Leave,
    LinkPhone,
    MakeBid,
    MemberLeft,
    MembersJoined,
    OpenLobby,
    OpenPrivateLobby,
    OtherRecording,
    PersonIntent,
    PersonRequest,
    PlayAgain,
    PlayOn,
    PostedElsewhere,
    Practise,
    PredictCall,
    PrivateChatBlocked,
    RequestPhoneLink,
    ReturnToSeat,
    SayCalls,
    SeeBids,
    SeeDice,
    SeeHelp,
    SeeLeague,
    SeeRecord,
    SeeRules,
    SeeSettings,
    SeeStatistics,
    SeeStatus,
    Start,
    StartPrivateChat,
    StirDice,
    Stop,
    SystemIntent,
    TableIntent,
    TakeTutorial,
    TellStory,
    TopicReopened,
    TurnPage,
    UnknownChoice,
    UnlinkPhone,
    UnparsedText,
    WishNextGame,
)
from telegram_bot.service.notices import RejectionNotice, Toast, WelcomeNotice
from telegram_bot.service.table_lookup import ask_which_table, find_table, in_known_topic
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DiceStyle, DirectMessages, Player
from telegram_bot.tables.events import RejectedError, RejectionReason
from telegram_bot.tables.lobby import player_named

ALLOWED_WHILE_SUSPENDED = (Leave, Stop, SeeDice, SeeRecord, TellStory)
"""The intents that are allowed at a table while the bot cannot write to its chat."""

TELLS_OF_THE_NEXT_ROUND = (SeeDice, BidHere, SeeStatus)
"""The intents whose answers would tell how a round ended; calls are others, as far as they are typed."""

AWAKE_SECONDS = 3600
"""For how long a person who has texted is considered awake. In seconds."""


class Dispatcher:
    """Serves one intent inside one transaction."""

    def __init__(self, uow: UnitOfWork) -> None:
        self.uow = uow
        self.language = uow.config.language
        """The language of the answer."""
        self.dice_style = DiceStyle.KEYCAPS

    def dispatch(self, intent: Intent, what: PersonRequest | ChatUpdate) -> Toast | None:
        """Act on the intent, and tell the person the result."""
        if isinstance(what, ChatUpdate):
            self._resume_chat(intent)
            update_chat(self.uow, intent, what)
            return None
        intent = in_known_topic(self.uow, intent)
        if intent.table is not None:
            self.uow.read_players_at(intent.table)
        player = self.uow.ensure_player(intent.who)
        self._mark_awake(intent, player)
        self._resume_chat(intent)
        try:
            toast = self._dispatch_wish(intent, what, player)
        except RejectedError as rejected:
            toast = answer(self.uow, intent, player, rejection_notice(rejected))
        # Other errors may have broken the session: they propagate.
        self.language, self.dice_style = self.uow.language_for(player), self.uow.dice_style_for(player)
        return toast

    def reject(self, intent: Intent, why: RejectionReason) -> Toast | None:
        """Tell the person why nothing is done."""
        player = self.uow.ensure_player(intent.who)
        self.language, self.dice_style = self.uow.language_for(player), self.uow.dice_style_for(player)
        return answer(self.uow, intent, player, RejectionNotice(denial=why))

    def _mark_awake(self, intent: Intent, player: Player) -> None:
        """A person who writes in their quiet hours is awake: send waiting notices now, and others for a while."""
        if not self.uow.traits(intent.who.channel).quiet_hours:
            return
        player.awake_until = self.uow.now + AWAKE_SECONDS
        if player.quiet is not None:
            self.uow.release_lane(f"{intent.who.channel}:{intent.who.address}")

    def _resume_chat(self, intent: Intent) -> None:
        """Try to write again to a lost chat from which an intent has arrived."""
        if intent.where is None or isinstance(intent.what, BotMembershipChanged | ChatMoved | MemberLeft):
            return
        place = self.uow.find_chat(intent.where)
        if place is not None:
            chats.resume_chat(self.uow, place)

    def _dispatch_wish(self, intent: Intent, wish: PersonRequest, player: Player) -> Toast | None:
        if not isinstance(wish, TableIntent):
            return serve_person(self.uow, intent, player, wish)
        try:
            row = find_table(self.uow, intent, player)
        except RejectedError as rejected:
            if rejected.denial is RejectionReason.WHICH_TABLE:
                ask_which_table(self.uow, intent, player)
                return None
            if (
                rejected.denial is RejectionReason.NO_TABLE
                and not self.uow.traits(intent.who.channel).buttons
                and not isinstance(wish, Join)
            ):
                say(self.uow, intent, player, WelcomeNotice(name=player.name))
                return None
            raise
        return TableContext(self.uow, row, intent, player).serve(lambda context: serve_at_table(context, wish))


def serve_person(  # noqa: C901, PLR0911, PLR0912 - one case per type
    uow: UnitOfWork, intent: Intent, player: Player, what: PersonIntent
) -> Toast | None:
    """Handle what a person wants that concerns no table, or whose handler finds the table."""
    match what:
        case OpenLobby():
            lobby.open_lobby(uow, intent, player, what)
        case PlayAgain():
            return lobby.play_again(uow, intent, player)
        case Practise(opponents=opponents):
            practice.practise(uow, intent, player, opponents)
        case WishNextGame():
            return lobby.wish_next_game(uow, intent, player)
        case SeeHelp() | SeeRules() | SeeSettings():
            pages.serve(uow, intent, player, what)
        case TakeTutorial():
            tutorial.take_tutorial(uow, intent, player, what)
        case SeeStatistics() | SeeLeague() | HideMe():
            return statistics.serve(uow, intent, player, what)
        case Choose():
            return settings.choose(uow, intent, player, what)
        case FailedNote():
            return voice.note_failed(uow, intent, player, what)
        case OtherRecording():
            raise RejectedError(RejectionReason.NOTE_OTHER_KIND)
        case IdentifyAdmin(wish=wish):
            pages.identify_admin(uow, intent, player, stop=wish == "stop")
        case OpenPrivateLobby(name=name):
            phones.open_private_lobby(uow, intent, player, name)
        case ChooseTable(code=code):
            return phones.choose_table(uow, intent, player, code)
        case RequestPhoneLink():
            phones.request_phone_link(uow, intent, player)
        case LinkPhone():
            return phones.link_phone(uow, intent, player, what)
        case UnlinkPhone(confirmed=confirmed):
            return phones.unlink_phone(uow, intent, player, confirmed=confirmed)
        case StartPrivateChat():
            lobby.start_private_chat(uow, intent, player, what)
        case UnparsedText(suggestion=suggestion):
            return queries.answer_unparsed(uow, intent, player, suggestion)
        case PostedElsewhere():
            pages.posted_elsewhere(uow, player, what)
        case UnknownChoice():
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        case _:
            assert_never(what)
    return None


def serve_at_table(  # noqa: C901, PLR0911, PLR0912 - one case per type
    context: TableContext, what: TableIntent
) -> Toast | None:
    """Handle what a person wants at one table, whose row is locked."""
    if context.table.suspended_at is not None and not isinstance(what, ALLOWED_WHILE_SUSPENDED):
        raise RejectedError(RejectionReason.SUSPENDED)
    if context.is_revealing and (
        isinstance(what, TELLS_OF_THE_NEXT_ROUND)
        or (isinstance(what, MakeBid | CallDudo | CallCalza | SayCalls) and context.intent.step is None)
    ):
        raise RejectedError(RejectionReason.REVEALING)
    match what:
        case Join(name=name):
            return lobby.join(context, name)
        case Leave(confirmed=confirmed, asked=asked):
            return ending.leave(context, confirmed=confirmed, asked=asked)
        case Kick(player=player):
            return lobby.kick(context, player)
        case KickNamed(name=name):
            return lobby.kick(context, player_named(context.table, name))
        case AddComputers() | ChangeComputer():
            return lobby_choices.choose_computers(context, what)
        case TurnPage():
            return lobby_choices.turn_page(context, what.page)
        case ChangeOption(option=option, value=value):
            return lobby_choices.change_option(context, option, value)
        case AskCoach(advice=advice):
            return coach.advise(context, advice)
        case Start():
            return lobby.start(context)
        case Stop():
            return ending.stop(context, what)
        case PlayOn(asked=asked):
            return ending.play_on(context, asked)
        case MakeBid() | CallDudo() | CallCalza():
            return game.call(context, what)
        case SayCalls():
            return game.say_calls(context, what)
        case ConfirmCall():
            return game.confirm_call(context)
        case AnswerNote():
            return game.answer_note(context, what)
        case PredictCall():
            return predictions.predict_call(context, what)
        case ReturnToSeat():
            return game.return_to_seat(context)
        case SeeDice():
            return queries.see_dice(context)
        case BidHere():
            return queries.offer_bids_here(context)
        case SeeBids():
            return queries.see_bids(context, what)
        case StirDice(what=stir):
            return game.stir_dice(context, stir)
        case SeeRecord():
            return queries.see_record(context)
        case TellStory():
            return story.tell_story(context, what)
        case SeeStatus():
            return queries.see_status(context)
        case _:
            assert_never(what)


def update_chat(uow: UnitOfWork, intent: Intent, what: ChatUpdate) -> None:
    """Handle a report of a messenger; a person without a row gets none for it."""
    player = uow.find_player(intent.who.channel, intent.who.address)
    match what:
        case PrivateChatBlocked():
            if player is not None:
                player.direct = DirectMessages.REFUSED
        case MemberLeft():  # the tables are left one by one: see `multi_table`
            if intent.where is not None and player is not None:
                members.mark_left(uow, intent.where, player)
        case MembersJoined(addresses=addresses):
            if intent.where is not None:
                members.mark_joined(uow, intent.where, addresses)
        case BotMembershipChanged():
            chats.bot_membership_changed(uow, intent, what)
        case ChatMoved(address=address):
            if intent.where is not None:
                chats.move_chat(uow, intent.where.channel, intent.where.address, address)
        case TopicReopened():  # `dispatch` has resumed the chat
            pass
        case _:
            assert_never(what)


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
