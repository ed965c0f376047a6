"""Mark a hint as outdated when its turn is over, and begin the review when the round is."""

from telegram_bot.features.coach.lobby_option import are_allowed
from telegram_bot.features.coach.requests import hint_slot
from telegram_bot.features.coach.review import begin_review
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.unit_of_work import CommittedStep


def follow(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Do both after a step."""
    withdraw_hint(outbox, committed)
    begin_review(outbox, committed)


def withdraw_hint(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Remove the button with the advised call from the message of the player who was on turn."""
    before = committed.before
    if not committed.step.game_events or before is None or not are_allowed(before):
        return
    if before.game is not None and before.game.turn is not None:
        player = before.seats[before.game.turn].player
        outbox.strip_buttons(player, hint_slot(player))
