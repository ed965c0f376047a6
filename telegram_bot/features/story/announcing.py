"""Send the card of a game's least likely moment to the group, below the end of the game."""

from perudo_core import GameOver
from telegram_bot.features.story.storage import bluff_card_notice
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.envelope import SendMode
from telegram_bot.service.posting import Post
from telegram_bot.service.unit_of_work import CommittedStep


def announce_bluff_card(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Send the card after the last step of a game."""
    step, table = committed.step, committed.step.table
    if table.practice or not outbox.shared or not any(isinstance(event, GameOver) for event in step.game_events):
        return
    card = bluff_card_notice(outbox.uow, table)
    if card is not None:
        outbox.enqueue(Post(outbox.group_envelope(card, SendMode.SEND).model_copy(update={"silent": True})))
