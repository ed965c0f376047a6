"""Parse typed words again once the player, the table and the number of dice on it are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from perudo_core import LostDice
from telegram_bot.service.intents import AddLuckyWord, CallCalza, CallDudo, Intent, MakeBid, UnparsedText
from telegram_bot.service.unit_of_work import UnitOfWork, load_table
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.model import Status, Table

LONGEST_WORD: Final = 64
"""What is read of a lucky word."""


def parse_typed_words(uow: UnitOfWork, intent: Intent, player: Player, row: GameTable | None) -> Intent:
    """The intent as it was meant in the player's language, at this table; what the channel read stands otherwise."""
    if intent.typed is None or uow.parse_text is None:
        return intent
    table = None if row is None else load_table(row)
    spoken = None if row is None else uow.language_of(uow.chat_of(row))
    what = uow.parse_text(intent.typed, uow.language_for(player), spoken, None if table is None else _most_dice(table))
    if (
        table is not None
        and table.status is Status.LOBBY
        and intent.replied_message is not None
        and _is_call(what or intent.what)
    ):
        # No bid can be made before the game, but a lucky word can be any word.
        return replace(intent, what=AddLuckyWord(intent.typed[:LONGEST_WORD]), answered_by="nothing")
    if what is None:
        return intent
    return replace(intent, what=what, answered_by="message")


def _is_call(what: object) -> bool:
    return isinstance(what, MakeBid | CallDudo | CallCalza | UnparsedText)


def _most_dice(table: Table) -> int | None:
    """As many dice as a bid may name: those in play, or those of the start where lost dice are hidden."""
    if table.game is None:
        return None
    if table.game.rules.lost_dice is LostDice.VISIBLE:
        return table.game.total_dice
    return len(table.seats) * table.game.rules.starting_dice
