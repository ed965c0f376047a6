"""Handle the roll after a bid: its player shows dice that support the bid and rolls the others again."""

from dataclasses import dataclass

from telegram_bot import notices as n
from telegram_bot.intents.forms import Act, Button
from telegram_bot.intents.request import Fits, Scope, Who, texted
from telegram_bot.service.handlers.base import TableRequest
from telegram_bot.service.handlers.queries import SeeDice
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.tables import play


@dataclass(frozen=True, slots=True)
class ShowDice(TableRequest):
    """Show the dice that support the player's own bid, and roll the others again."""

    fits = Fits.GAME
    buttons = (Button("reroll"),)
    acts = (Act("reroll"),)
    commands = (
        texted(
            "reroll",
            "where the rules allow it: after your bid, show all your dice that count for it and roll the others again",
            who=Who.PLAYER,
            scope=Scope.CHATS | Scope.TEXT,
        ),
    )

    def handle(self, context: TableContext) -> n.Toast | None:
        """Show the dice; a player who has typed the words gets the new hand as if they had asked for it."""
        seat, step = context.seat(), context.intent.step
        context.save(play.show_dice(context.table, seat, step=step, moment=context.uow.moment))
        if context.intent.answered_by == "toast":
            return n.ConfirmationNotice(done=n.Confirmation.REROLLED)
        return SeeDice().handle(context)
