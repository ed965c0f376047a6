"""Parse typed words again once the player, the table and the number of dice on it are known."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from perudo_core import LostDice
from telegram_bot.service.intents import (
    AddLuckyWord,
    CallCalza,
    CallDudo,
    ChatUpdate,
    Intent,
    MakeBid,
    UnparsedText,
    Wish,
)
from telegram_bot.service.records import load_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import GameTable, Player
from telegram_bot.tables.model import Status, Table

LONGEST_WORD: Final = 64
"""What is read of a lucky word."""


def parse_typed_words(
    uow: UnitOfWork, intent: Intent, wish: Wish, player: Player, row: GameTable | None
) -> tuple[Intent, Wish]:
    """The intent as it was meant in the player's language, at this table; what the channel read stands otherwise."""
    if intent.typed is None or uow.parse_text is None:
        return intent, wish
    table = None if row is None else load_table(row)
    spoken = None if row is None else uow.language_of(uow.chat_of(row))
    what = uow.parse_text(intent.typed, uow.language_for(player), spoken, None if table is None else _most_dice(table))
    if table is not None and table.status is Status.LOBBY and intent.replied_to is not None and _is_call(what or wish):
        # No bid can be made before the game, but a lucky word can be any word.
        word = AddLuckyWord(intent.typed[:LONGEST_WORD])
        return replace(intent, what=word, answered_by="nothing"), word
    if what is None or isinstance(what, ChatUpdate):
        return intent, wish
    return replace(intent, what=what, answered_by="message"), what


def _is_call(what: object) -> bool:
    return isinstance(what, MakeBid | CallDudo | CallCalza | UnparsedText)


def _most_dice(table: Table) -> int | None:
    """As many dice as a bid may name: those in play, or those of the start where lost dice are hidden."""
    if table.game is None:
        return None
    if table.game.rules.lost_dice is LostDice.VISIBLE:
        return table.game.total_dice
    return len(table.seats) * table.game.rules.starting_dice
