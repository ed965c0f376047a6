"""Handle requests to leave a table or to close it, with a question during a game."""

from typing import Final, Literal

from telegram_bot.service import intents as i
from telegram_bot.service import notices as n
from telegram_bot.service.announcing.replies import say
from telegram_bot.service.command import Arguments, Command, HelpLines, Scope, Who, everywhere, texted
from telegram_bot.service.forms import Act, Button
from telegram_bot.service.handlers.request import TableRequest
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.languages import mark
from telegram_bot.tables import lobby, play
from telegram_bot.tables.events import RejectedError, RejectionReason, TableChange
from telegram_bot.tables.model import Status


def leave(context: TableContext, request: i.Leave) -> n.Toast | None:
    """Leave the lobby, or the game after a confirmation; the lobby needs one too if the sender is uncertain."""
    context.require_asked(request.asked)
    confirmed = request.confirmed
    seat = context.seat()
    now, rng, timings = context.uow.now, context.uow.rng, context.uow.timings
    done = n.ConfirmationNotice(done=n.Confirmation.LEFT, title=context.chat.title)
    if context.table.status is Status.LOBBY and (confirmed or context.intent.sender_proof):
        toast = context.save_and_answer(lobby.leave(context.table, context.player_id, now=now, timings=timings), done)
        if context.intent.where is None and context.intent.answered_by == "message":
            say(context.uow, context.intent, context.player, done)  # the lobby, which shows it, is in another chat
        return toast
    if context.table.status is not Status.LOBBY and not context.table.in_play(seat):
        if confirmed and (step := lobby.hand_over_host(context.table, context.player_id)).events:
            return context.save_and_answer(step, done)
        raise RejectedError(RejectionReason.OUT)
    if not confirmed:
        _ask(context, "leave")
        return None
    context.close_question(n.OutdatedNotice())
    step = play.resign(context.table, seat, now=now, rng=rng, timings=timings)
    return context.save_and_answer(step.then(lobby.hand_over_host(step.table, context.player_id)), done)


LEAVE: Final = TableRequest(
    i.Leave,
    leave,
    buttons=(Button("leave"), Button("quit={asked}", confirmed=True)),
    acts=(Act("leave", "confirmed"),),
    commands=(
        Command(
            name="leave",
            intent=i.Leave(),
            scope=Scope.EVERYWHERE,
            who=Who.PLAYER,
            arguments=Arguments.FORBIDDEN,
            help=everywhere(
                mark("leave the table"), guide="leave; the bot asks first, and `LEAVE` with its code leaves"
            ),
            in_phone_help=True,
        ),
    ),
)


def stop(context: TableContext, request: i.Stop) -> n.Toast | None:
    """Close the table for everyone; a running game only after a confirmation."""
    context.require_asked(request.asked)
    step = lobby.stop(context.table, context.player_id, is_admin=request.is_admin)
    if request.confirmed:
        context.close_question(n.OutdatedNotice())
    if request.confirmed or not _asks_before_closing(context):
        return context.save_and_answer(step)
    _ask(context, "stop")
    return None


STOP: Final = TableRequest(
    i.Stop,
    stop,
    buttons=(Button("stop"), Button("close", confirmed=True), Button("close={asked}", confirmed=True)),
    acts=(Act("stop", "confirmed"),),
    commands=(
        Command(
            name="stop",
            intent=i.Stop(),
            scope=Scope.CHATS,
            who=Who.HOST_OR_ADMIN,
            anonymous=i.IdentifyAdmin("stop"),
            help=HelpLines(
                group_menu=mark("close the table (host or admin)"), help_page=mark("close the table (host or admin)")
            ),
        ),
        texted(
            "close",
            "close the table; if others sit there, the bot asks first, and `CLOSE` with its code closes it",
            intent=i.Stop(),
            who=Who.HOST,
            is_guessed=False,
        ),
    ),
)


def _ask(context: TableContext, about: Literal["leave", "stop"]) -> None:
    question = n.ConfirmNotice(
        about=about,
        table=context.table.id,
        title=context.chat.title,
        player=context.player_id,
        name=context.player.name,
        lobby=context.table.status is Status.LOBBY,
    )
    context.save_and_answer(TableChange(context.table))
    say(context.uow, context.intent, context.player, question)


def _asks_before_closing(context: TableContext) -> bool:
    """Return True if closing needs a confirmation: in a game, and in a lobby of several without buttons."""
    if context.table.status is not Status.LOBBY:
        return True
    typed_blindly = not context.uow.traits(context.intent.who.channel).buttons
    return typed_blindly and len(context.table.seats) > 1


def play_on(context: TableContext, request: i.PlayOn) -> n.Toast | None:
    """Keep everything as it is: the tapped question says so, and loses its buttons."""
    context.require_asked(request.asked)
    done = n.ConfirmationNotice(done=n.Confirmation.PLAYS_ON)
    context.close_question(done)
    return context.save_and_answer(TableChange(context.table), done)


PLAY_ON: Final = TableRequest(i.PlayOn, play_on, buttons=(Button("play_on={asked}"),))
