"""Announce the seal and the stirs of a lobby; check the dice at the end of a game."""

from typing import Final

from telegram_bot.features.fair_dice.notices import DiceCheckNotice, SealNotice
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.results.game_record import game_record
from telegram_bot.service.unit_of_work import CommittedStep, UnitOfWork
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.events import PlainEvent
from telegram_bot.tables.model import Status, Table
from telegram_bot.tables.sealed_dice import commitment_of, stirred

SEAL_SLOT: Final = "seal"
GATHER_STIRS_SECONDS: Final = 2
"""How long stirs are gathered into one edit of the lobby's message."""


def announce_seal(outbox: TableOutbox, committed: CommittedStep) -> None:
    """Tell of a new seal and of stirs; the signs go when the lobby ends, and a phone that joins gets the seal."""
    before, table, events = committed.before, committed.step.table, committed.step.events
    if before is None or before.status is not Status.LOBBY:
        return
    if table.status is not Status.LOBBY:
        outbox.withdraw(SEAL_SLOT, deleted=False)
    elif (commitment := commitment_of(table)) is not None:
        seal = SealNotice(table=table.id, commitment=commitment)
        new = {seat.player for seat in table.seats} - {seat.player for seat in before.seats}
        if PlainEvent.DICE_SEALED in events:
            new = {seat.player for seat in table.seats}
            outbox.withdraw(SEAL_SLOT, deleted=False)
            # A message of its own, because the lobby's message is edited: an edit could replace the seal after the
            # stirs, and the messenger would not show that the text was another one.
            outbox.say(outbox.chat, seal, slot=SEAL_SLOT)
        outbox.to_remote(sorted(new), seal)
    if PlainEvent.DICE_STIRRED in events:
        _show_stirs(outbox, table)


def _show_stirs(outbox: TableOutbox, table: Table) -> None:
    """Show the stirs in the lobby: one edit for taps of some seconds. Without a chat tell the host."""
    if not outbox.shared:
        outbox.send_lobby(table, news=True)
        return
    outbox.show_chat(at=outbox.uow.now + GATHER_STIRS_SECONDS)


def dice_check_of(uow: UnitOfWork, _: GameTable, table: Table) -> DiceCheckNotice | None:
    """Return the check of a finished game's dice, or None if no player shook them: then the bot alone chose them."""
    if table.secret is None or not table.stirs:
        return None
    passed = game_record(uow, table).rolls is not None
    return DiceCheckNotice(passed=passed, secret=table.secret, stirs=stirred(table))
