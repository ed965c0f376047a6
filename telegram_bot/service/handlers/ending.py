"""Handle requests to leave a table or to close it, with a question during a game."""

from dataclasses import dataclass
from typing import Literal

from telegram_bot import notices as n
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.intents import ForAdmins
from telegram_bot.intents.request import Arguments, AtAnyStep, Command, HelpLines, Scope, Who, texted
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.queries import IdentifyAdmin
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.tables import lobby_rules, play, sleepers
from telegram_bot.tables.events import RejectedError, TableChange
from telegram_bot.tables.model import Status
from telegram_bot.words.languages import mark


@dataclass(frozen=True, slots=True)
class Leave(AtAnyStep, TableRequest):
    """Give the seat up, before or during the game; in a game only after `confirmed`.

    `asked` is the player (by the players' own id) for whom the button was made, in a group where all can tap it.
    """

    allowed_while_suspended = True
    buttons = (Button("leave"), Button("quit={asked}", confirmed=True))
    acts = (Act("leave", "confirmed"),)
    commands = (
        Command(
            name="leave",
            scope=Scope.EVERYWHERE,
            who=Who.PLAYER,
            arguments=Arguments.FORBIDDEN,
            help=HelpLines(
                help_page=mark("leave the table"), guide="leave; the bot asks first, and `LEAVE` with its code leaves"
            ),
            in_phone_help=True,
        ),
    )

    confirmed: bool = False
    asked: int | None = None

    def handle(self, context: TableContext) -> n.Toast | None:
        """Leave the lobby, or the game after a confirmation; the lobby needs one too if the sender is uncertain."""
        context.require_asked(self.asked)
        confirmed = self.confirmed
        moment = context.uow.moment
        done = n.ConfirmationNotice(done=n.Confirmation.LEFT, title=context.chat.title)
        if (harmless := _harmless_leave(context)) is not None and (confirmed or context.intent.sender_proof):
            context.save(harmless)
            if context.intent.where is None and context.intent.answered_by == "message":
                say(context.uow, context.player, done, at=context.intent)  # the lobby is in another chat
            return done
        seat = context.seat() if harmless is None else None
        if seat is not None and (why := play.why_gone(context.table, seat)) is not None:
            if confirmed and (step := lobby_rules.hand_over_host(context.table, context.player_id)).events:
                context.save(step)
                return done
            raise RejectedError(why)
        if not confirmed:
            _ask(context, "leave", harmless=harmless is not None)
            return None
        assert seat is not None  # noqa: S101 - a harmless leave was confirmed above
        context.close_question(n.OutdatedNotice())
        step = play.resign(context.table, seat, moment=moment)
        context.save(step.then(lobby_rules.hand_over_host(step.table, context.player_id)))
        return done


def _harmless_leave(context: TableContext) -> TableChange | None:
    """Return the step of a player who loses no dice by it: they leave a lobby or another's seat. Else None."""
    table, player, moment = context.table, context.player_id, context.uow.moment
    if table.status is Status.LOBBY:
        context.seat()
        return lobby_rules.leave(table, player, moment=moment)
    seat, handed = table.seat_of(player), lobby_rules.hand_over_host(table, player)
    left = (
        sleepers.give_up(handed.table, player)
        if seat is None
        else sleepers.leave_to_owner(handed.table, seat, moment=moment)
    )
    return None if left is None else handed.then(left)


@dataclass(frozen=True, slots=True)
class Stop(AtAnyStep, TableRequest, ForAdmins):
    """End the table for everyone, a running game only after `confirmed`.

    `asked` is the player (by the players' own id) for whom the button was made.
    """

    allowed_while_suspended = True
    buttons = (Button("stop"), Button("close", confirmed=True), Button("close={asked}", confirmed=True))
    acts = (Act("stop", "confirmed"),)
    commands = (
        Command(
            name="stop",
            scope=Scope.CHATS,
            who=Who.HOST_OR_ADMIN,
            anonymous=IdentifyAdmin("stop"),
            help=HelpLines(help_page=mark("close the table (host or admin)")),
        ),
        texted(
            "close",
            "close the table; if others sit there, the bot asks first, and `CLOSE` with its code closes it",
            who=Who.HOST,
            is_guessed=False,
        ),
    )

    confirmed: bool = False
    asked: int | None = None

    def handle(self, context: TableContext) -> None:
        """Close the table for everyone; a running game only after a confirmation."""
        context.require_asked(self.asked)
        step = lobby_rules.stop(context.table, context.player_id, is_admin=self.is_admin)
        if self.confirmed:
            context.close_question(n.OutdatedNotice())
        if self.confirmed or not _asks_before_closing(context):
            context.save(step)
        else:
            _ask(context, "stop")


def _ask(context: TableContext, about: Literal["leave", "stop"], *, harmless: bool | None = None) -> None:
    question = n.ConfirmNotice(
        about=about,
        table=context.table.id,
        title=context.chat.title,
        player=context.player_id,
        name=context.player.name,
        lobby=context.table.status is Status.LOBBY if harmless is None else harmless,
    )
    say(context.uow, context.player, question, at=context.intent)


def _asks_before_closing(context: TableContext) -> bool:
    """Return True if closing needs a confirmation: in a game, and in a lobby of several without buttons."""
    if context.table.status is not Status.LOBBY:
        return True
    typed_blindly = not context.uow.traits(context.intent.who.channel).buttons
    return typed_blindly and len(context.table.seats) > 1


@dataclass(frozen=True, slots=True)
class PlayOn(AtAnyStep, TableRequest):
    """Answer no to the question whether to leave or to close the table. `asked` as in `Leave`."""

    buttons = (Button("play_on={asked}"),)

    asked: int | None = None

    def handle(self, context: TableContext) -> n.Toast | None:
        """Keep everything as it is: the tapped question says so, and loses its buttons."""
        context.require_asked(self.asked)
        done = n.ConfirmationNotice(done=n.Confirmation.PLAYS_ON)
        context.close_question(done)
        return done
