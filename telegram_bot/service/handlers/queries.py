"""Handle queries, which change no game: dice, legal bids, the table, the record of a game."""

from dataclasses import dataclass
from typing import Annotated, Literal, NoReturn

from pydantic import Field

from perudo_core import NotationError, Reason, parse_call, smallest_raise
from telegram_bot import notices as n
from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import Intent
from telegram_bot.intents.request import (
    Arguments,
    AtAnyStep,
    Command,
    Fits,
    HelpLines,
    Scope,
    TellsNothing,
    Who,
    everywhere,
)
from telegram_bot.intents.slots import TABLES_CHAT, hand_slot
from telegram_bot.repositories.membership import ephemeral_unreachable_in
from telegram_bot.repositories.repositories import load_table
from telegram_bot.screens.facts import read_facts
from telegram_bot.screens.routes import PREFERRED, Way
from telegram_bot.screens.surface_notices import lobby_notice
from telegram_bot.screens.tips import tip_for
from telegram_bot.screens.wants import wants_of
from telegram_bot.service.announcing.replies import answer, help_notice
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox, table_for_one
from telegram_bot.service.handlers.base import PersonRequest, TableRequest
from telegram_bot.service.handlers.game_requests import help_player, offer_call
from telegram_bot.service.handlers.settings import settings_notice
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.table_lookup import find_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DirectMessages, Player, PrivateView, SentMessage
from telegram_bot.tables.events import RejectedError, RejectionReason, no_running_game
from telegram_bot.tables.model import Status, TableRules
from telegram_bot.tables.views import hand_view, table_view
from telegram_bot.words.languages import mark

MOVES = ("pass", "same")
"""Wishes of a player to call that no rule allows."""


@dataclass(frozen=True, slots=True)
class SeeHelp(PersonRequest):
    """Show how to play and which commands there are."""

    only_asks = True
    fits = Fits.TURN
    commands = (
        Command(
            name="help",
            scope=Scope.EVERYWHERE,
            anonymous=True,
            help=HelpLines(group_menu=mark("how to play"), private_menu=mark("how to play")),
        ),
    )

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Explain how to play; without buttons, show what the player can say, or how to begin."""
        if uow.traits(intent.who.channel).buttons:
            chat = None if intent.where is None else uow.ensure_chat(intent.where)
            rules = _rules_here(uow, intent, player, asks=False)
            say(uow, player, help_notice(chat, rules, voice=uow.config.hears_voice), at=intent)
            return
        _help_at_table(uow, intent, player, asked=True)


def _rules_here(uow: UnitOfWork, intent: Intent, player: Player, *, asks: bool) -> TableRules:
    """Return the rules of the table, or those of the place's next one.

    Raises:
        RejectedError: which one of several tables is meant? `asks`: without the question the rules of the next one.
    """
    try:
        return load_table(find_table(uow, intent, player, fits=Fits.TURN)).rules
    except RejectedError as rejected:
        if asks and rejected.reason is RejectionReason.WHICH_TABLE:
            raise
        return settings_notice(uow, intent, player).rules


@dataclass(frozen=True, slots=True)
class SeeRules(PersonRequest):
    """Show this table's rules in words; `about`: only the meaning of one word of the game."""

    only_asks = True
    fits = Fits.TURN
    buttons = (Button("rules"),)
    commands = (
        Command(
            name="rules",
            scope=Scope.EVERYWHERE,
            arguments=Arguments.PARSED,
            anonymous=True,
            help=everywhere(mark("this table's rules in words"), private_menu=mark("your table's rules in words")),
            in_phone_help=True,
        ),
    )

    about: str | None = None

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Show the rules of the table, or those of the place's next one; `about`: only the meaning of one word."""
        rules = _rules_here(uow, intent, player, asks=self.about is None)
        smallest = _smallest_bid(uow, intent, player) if self.about in MOVES else None
        notice = n.RulesNotice(rules=rules, about=self.about, smallest=smallest, house_rules=uow.config.house_rules)
        say(uow, player, notice, at=intent)


@dataclass(frozen=True, slots=True)
class IdentifyAdmin(PersonRequest):
    """Ask for a tap, because the request of a person who writes as the group or as a channel needs a known person."""

    command: Literal["open", "stop"]

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> None:
        """Ask a person who writes as the group or as a channel to tap a button, which identifies them."""
        if intent.where is None:
            return
        stop = self.command == "stop"
        row = uow.live_table_in(uow.ensure_chat(intent.where)) if stop else None
        if stop and row is None:
            raise RejectedError(RejectionReason.NO_TABLE)
        say(uow, player, n.IdentifyAdminNotice(table=None if row is None else row.id), at=intent)


@dataclass(frozen=True, slots=True)
class PostedElsewhere(TellsNothing, PersonRequest):
    """Report a call that was posted outside the table's chat, where it has no effect.

    `table` and `step` are given if only the message with the call is missing: if the table has moved on, the call has
    counted.
    """

    table: int | None = None
    step: int | None = None

    def handle(self, uow: UnitOfWork, _: Intent, player: Player) -> None:
        """Tell a player, if possible, that their posted call does not count in that chat.

        Raises:
            RejectedError: it does not count, and the player can be told.
        """
        if self.table is None:
            raise RejectedError(RejectionReason.ELSEWHERE)
        row = uow.table_by_id(self.table)
        table = None if row is None or not row.live else load_table(row)
        seat = None if table is None else table.seat_of(player.id)
        if table is None or seat is None or table.step != self.step or player.direct != DirectMessages.OPEN:
            return
        if seat not in table.this_step.claims:
            raise RejectedError(RejectionReason.ELSEWHERE)


QUERY_SECONDS = 12
"""How many seconds after a tap an ephemeral answer is tried; Telegram allows 15."""


@dataclass(frozen=True, slots=True)
class SeeDice(AtAnyStep, TableRequest):
    """Show the player's dice."""

    fits = Fits.GAME
    only_asks = True
    allowed_while_suspended = True
    buttons = (Button("dice"),)
    commands = (
        Command(
            name="dice",
            scope=Scope.EVERYWHERE,
            who=Who.PLAYER,
            help=HelpLines(help_page=mark("see your dice")),
            in_phone_help=True,
        ),
    )

    def handle(self, context: TableContext) -> n.Toast | None:
        """Show the player their dice: in the answer to their tap, otherwise in private by their route.

        A player who taps it in the group on their turn gets their bids again: they may have lost the message.
        """
        seat = context.seat()
        if context.table.game is None:
            raise no_running_game(context.table)
        if not context.table.in_play(seat):
            raise RejectedError(RejectionReason.OUT)
        outbox = TableOutbox(context.uow, context.row, context.chat)
        if context.intent.answered_by == "toast":
            route = outbox.routes.to(context.player)
            asks_for_bids = context.table.game.turn == seat and context.intent.where is not None
            if asks_for_bids and route.way is Way.EPHEMERAL:
                _offer_bids_here(context, seat)
            elif asks_for_bids and route.has_board:
                board = context.uow.session.get(SentMessage, (context.table.id, hand_slot(context.player_id)))
                is_newest = board is not None and not board.followed
                if board is not None and is_newest:
                    board.digest = None  # if the player has deleted it, the edit fails, and a new one follows
                outbox.send_hand(context.table, seat, on_board=is_newest)
            view = hand_view(context.table, seat)
            return n.DiceNotice(view=view, tip=tip_for(context.uow, context.player, view))
        if context.intent.where is None:
            context.send_hand(seat)
        elif not outbox.send_hand(context.table, seat):
            context.uow.mark_table(context.table.id)
            say(
                context.uow,
                context.player,
                n.ConfirmationNotice(done=n.Confirmation.SETTING_CHOSEN, setting="view", value=PrivateView.ALERT),
                at=context.intent,
            )
        return None


@dataclass(frozen=True, slots=True)
class BidHere(AtAnyStep, TableRequest):
    """Let the player choose a bid here in the group, for their eyes alone if the channel can."""

    buttons = (Button("here"),)  # messages of version 1.0 have it

    def handle(self, context: TableContext) -> n.Toast | None:
        """Offer bids in the group: for the player's eyes only if possible, otherwise in the table's message."""
        seat = context.require_turn()
        if context.intent.where is None:
            context.send_hand(seat)
            return None
        return _offer_bids_here(context, seat)


def _offer_bids_here(context: TableContext, seat: int) -> n.Toast:
    outbox = TableOutbox(context.uow, context.row, context.chat)
    if context.intent.reply_handle is not None and _may_send_ephemeral(context):
        context.table = context.table.noting(ephemeral_sent=True)
        here = outbox.routes.by(Way.EPHEMERAL, context.player)
        handle, until = context.intent.reply_handle, context.uow.now + QUERY_SECONDS
        hand, about = context.hand_notice(seat), context.table.id
        say(context.uow, context.player, hand, about=about, at=here, reply_handle=handle, until=until)
        return n.ConfirmationNotice(done=n.Confirmation.DICE_SENT)
    context.table = context.table.noting(shared=True)
    context.uow.mark_table(context.table.id)
    return n.ConfirmationNotice(done=n.Confirmation.BIDS_SHOWN_TO_ALL)


def _may_send_ephemeral(context: TableContext) -> bool:
    """Return True if a tap can be answered with a message for the player only.

    Once per turn only: it may not arrive.
    """
    wanted = Way.EPHEMERAL in PREFERRED[context.player.view]
    if not wanted or not context.chat.ephemeral_replies or context.table.this_step.ephemeral_sent:
        return False
    return context.player_id not in ephemeral_unreachable_in(context.uow, context.chat)


@dataclass(frozen=True, slots=True)
class SeeBids(TableRequest):
    """Show all bids on a face in the tapped message, or the most likely bids on all faces if it is None."""

    buttons = (Button("face={face}"), Button("faces", face=None))

    face: Annotated[int, Field(ge=0, le=6)] | None

    def handle(self, context: TableContext) -> n.Toast | None:
        """Show the bids on a face in the tapped message. Those in a message that all see depend on no hidden dice."""
        tapped, where = context.intent.tapped, context.intent.where
        if tapped is None:
            raise RejectedError(RejectionReason.UNKNOWN_OPTION)
        context.seat()
        if context.table.status is Status.PLAYING and context.intent.step != context.table.step:
            raise RejectedError(RejectionReason.STALE)
        seat = context.require_turn()
        private = tapped.receiver is not None or where is None
        hand = hand_view(context.table, seat)
        notice = n.BidsNotice(
            view=hand.table if private else table_view(context.table),
            seat=seat,
            face=self.face,
            private=private,
            dice=hand.dice if private else (),
        )
        reader = context.player if private else context.chat
        at = where or context.intent.who
        # If several keyboards are opened quickly, only the last one is shown: each costs the chat an edit.
        slot = f"bids:{tapped.receiver or 0}:{tapped.message}"
        say(context.uow, reader, notice, at=at, target=tapped, about=context.table.id, slot=slot)
        return None


@dataclass(frozen=True, slots=True)
class SeeMore(AtAnyStep, TableRequest):
    """Show all keys below the end of a game."""

    allowed_while_suspended = True
    buttons = (Button("more"),)

    def handle(self, context: TableContext) -> None:
        """Edit the tapped message, which delivery leaves as it is."""
        uow, table, intent, player = context.uow, context.table, context.intent, context.player
        facts = read_facts(uow, table.id)
        reader = player.id if intent.where is None and not table.practice else TABLES_CHAT
        wants = () if facts is None else wants_of(facts, reader)
        over = next((want.notice for want in wants if isinstance(want.notice, n.GameOverNotice)), None)
        if over is None or intent.tapped is None:
            raise RejectedError(RejectionReason.STALE)
        notice = over.model_copy(update={"unfolded": True})
        to, at = player if intent.where is None else context.chat, intent.where or intent.who
        say(uow, to, notice, at=at, target=intent.tapped, about=table.id, slot=f"more:{intent.tapped.message}")


@dataclass(frozen=True, slots=True)
class SeeStatus(AtAnyStep, TableRequest):
    """Show the state of the table."""

    only_asks = True
    buttons = (Button("status"),)
    commands = (
        Command(
            name="status",
            scope=Scope.EVERYWHERE,
            arguments=Arguments.PARSED,
            anonymous=True,
            help=HelpLines(
                help_page=mark("show the table again"),
                guide="how your table stands; with a code (`TABLE ABC234`): which of your tables your words are for; "
                "with a call as well (`TABLE ABC234 2x3`): plays it there",
            ),
            in_phone_help=True,
        ),
    )

    def handle(self, context: TableContext) -> n.Toast | None:
        """Show the state of the table, in the place of the question."""
        notice: n.Notice
        if context.table.status is Status.LOBBY:
            notice = _lobby_of(context)
        elif context.table.status is Status.PLAYING:
            notice = table_for_one(context.table, context.table.seat_of(context.player_id))
        else:
            raise RejectedError(RejectionReason.NO_TABLE)
        if context.intent.where is None:
            say(context.uow, context.player, notice, at=context.intent)
            return None
        TableOutbox(context.uow, context.row, context.chat).show_at_bottom(context.table)
        return None


def _lobby_of(context: TableContext) -> n.LobbyNotice:
    """Return the lobby for one reader, or in the group."""
    to_host = context.intent.where is None and context.player_id == context.table.host
    lobby = lobby_notice(TableOutbox(context.uow, context.row, context.chat).facts(context.table))
    return lobby.model_copy(update={"to_host": to_host, "menu": None})


@dataclass(frozen=True, slots=True)
class UnparsedText(PersonRequest):
    """A text that is almost a call; it never acts. `suggestion` is the text to send instead."""

    fits = Fits.TURN

    suggestion: str | None

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> n.Toast | None:
        """Suggest a text that works: a legal call, or a command; in private, without a game, the way to one."""
        suggestion = self.suggestion
        if suggestion is not None and _is_call(suggestion):
            try:
                row = find_table(uow, intent, player, fits=Fits.TURN)
            except RejectedError as rejected:
                if rejected.reason is RejectionReason.WHICH_TABLE:
                    raise
                suggestion = None
            else:
                context = TableContext(uow, row, intent, player)
                with context.seat_returned():
                    return offer_call(context, suggestion)
        smallest = _smallest_bid(uow, intent, player)
        greets = suggestion is None and smallest is None and intent.where is None and intent.answered_by == "message"
        if suggestion is not None or (uow.traits(intent.who.channel).buttons and not greets):
            notice = n.RejectionNotice(
                reason=RejectionReason.ILLEGAL, rule=Reason.BID_MALFORMED, suggestion=suggestion, smallest=smallest
            )
            if suggestion is None and notice.smallest and intent.where is None and intent.answered_by == "message":
                context = TableContext(uow, find_table(uow, intent, player, fits=Fits.TURN), intent, player)
                if context.table.seat_of(player.id) is not None:
                    help_player(context, notice, notice)
                    return None
            return answer(uow, intent, player, notice)
        if intent.answered_by == "nothing":
            return None
        _help_at_table(uow, intent, player, asked=False)
        return None


@dataclass(frozen=True, slots=True)
class UnknownChoice(TellsNothing, PersonRequest):
    """A choice that no message of the bot offers: forged, or from an earlier version."""

    def handle(self, _uow: UnitOfWork, _intent: Intent, _player: Player) -> NoReturn:
        """Tell a person that their button is from an earlier version."""
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)


def _help_at_table(uow: UnitOfWork, intent: Intent, player: Player, *, asked: bool) -> None:
    """Answer with the possible words at the player's table, or the way to one."""
    try:
        row = find_table(uow, intent, player, fits=Fits.TURN)
    except RejectedError as rejected:
        if rejected.reason is RejectionReason.WHICH_TABLE:
            raise
        say(uow, player, n.WelcomeNotice(name=player.name), at=intent)
        return
    _show_what_can_be_said(TableContext(uow, row, intent, player), asked=asked)


def _is_call(word: str) -> bool:
    try:
        parse_call(word, 0)
    except NotationError:
        return False
    return True


def _smallest_bid(uow: UnitOfWork, intent: Intent, player: Player) -> tuple[int, int] | None:
    """Return the smallest bid that the person's table accepts now, or None without a running game."""
    try:
        table = load_table(find_table(uow, intent, player, fits=Fits.TURN))
    except RejectedError:
        return None
    bid = None if table.game is None or table.status is not Status.PLAYING else smallest_raise(table.game)
    return None if bid is None else (bid.quantity, bid.face)


def _show_what_can_be_said(context: TableContext, *, asked: bool) -> None:
    """Show the state of the table, and the player's possible words; `asked`: they asked how to play."""
    if context.return_if_away():
        return
    seat, game = context.seat(), context.table.game
    commands = help_notice(None, context.table.rules, voice=False)
    if game is None:
        host = next((seat.name for seat in context.table.seats if seat.player == context.table.host), "")
        waits_for = None if context.player_id == context.table.host else host
        guide: n.Notice = commands.model_copy(update={"waits_for": waits_for, "lobby": context.table.join_code})
        lobby = _lobby_of(context)
        help_player(context, *((guide, lobby) if asked else (lobby, guide)))
    elif not context.table.in_play(seat):
        raise RejectedError(RejectionReason.OUT)
    elif game.turn in (None, seat) or not asked:
        notice = context.hand_notice(seat).model_copy(update={"help": "asked" if asked else "unheard"})
        help_player(context, notice, commands)
    else:
        waits_for = context.table.seats[game.turn].name
        help_player(context, commands.model_copy(update={"waits_for": waits_for}), commands)
