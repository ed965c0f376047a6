"""Send what a finished game leaves behind to the group: the card of its least likely moment, its story, its reel."""

from telegram_bot.features.story.notices import ReelNotice, StoryNotice
from telegram_bot.features.story.storage import bluff_card_notice
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.tables.model import Table


def announce_bluff_card(outbox: TableOutbox, table: Table) -> None:
    """Send the card, if the game has one."""
    card = None if table.practice or not outbox.shared else bluff_card_notice(outbox.uow, table)
    if card is not None:
        outbox.say(outbox.chat, card, silent=True)


def send_to_all(
    outbox: TableOutbox, table: Table, notice: StoryNotice | ReelNotice, slot: str, *, asked: bool = True
) -> None:
    """Send a notice about a finished game to the table's chat and to its players elsewhere.

    Unless a person has asked for it, it makes no sound, and no message costs money.
    """
    uow, people = outbox.uow, [seat.player for seat in table.seats if seat.player > 0]
    outbox.say(outbox.chat, notice, silent=not asked, slot=slot, again=True)
    outbox.to_remote([each for each in people if asked or not uow.is_paid(uow.player_by_id(each))], notice)
