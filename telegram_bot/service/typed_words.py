"""Parse typed words: in the languages of the player and the table, with the number of dice that can be bid."""

from __future__ import annotations

from contextlib import suppress
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
    TypedText,
    UnparsedText,
    Wish,
)
from telegram_bot.service.records import load_table
from telegram_bot.service.table_lookup import find_table
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.tables.events import RejectedError
from telegram_bot.tables.model import Status, Table

LONGEST_WORD: Final = 64
"""What is read of a lucky word."""
_CALLS: Final = (MakeBid, CallDudo, CallCalza, UnparsedText)


def resolve_typed_text(uow: UnitOfWork, intent: Intent) -> tuple[Intent, Wish | ChatUpdate]:
    """The intent with what its words mean, if it is made of words; the table is locked."""
    if not isinstance(intent.what, TypedText):
        return intent, intent.what
    wish = _meaning(uow, intent, intent.what)
    if isinstance(wish, AddLuckyWord):
        return replace(intent, what=wish, answered_by="nothing"), wish
    return replace(intent, what=wish), wish


def _meaning(uow: UnitOfWork, intent: Intent, typed: TypedText) -> Wish:
    player = uow.ensure_player(intent.who)
    table, spoken = None, None
    with suppress(RejectedError):
        row = find_table(uow, intent, player)
        table, spoken = load_table(row), uow.language_of(uow.chat_of(row))
    most_dice = None if table is None else _most_dice(table)
    parse = uow.parse_text
    wish = None if parse is None else parse(typed.text, uow.language_for(player), spoken, most_dice)
    lucky_word = AddLuckyWord(typed.text[:LONGEST_WORD])
    if wish is None:
        wish = lucky_word if typed.may_be_talk else UnparsedText(typed.suggestion)
    in_lobby = table is not None and table.status is Status.LOBBY
    if in_lobby and intent.replied_to is not None and isinstance(wish, _CALLS):
        return lucky_word  # no bid can be made before the game, but a lucky word can be any word
    return wish


def _most_dice(table: Table) -> int | None:
    """As many dice as a bid may name: those in play, or those of the start where lost dice are hidden."""
    if table.game is None:
        return None
    if table.game.rules.lost_dice is LostDice.VISIBLE:
        return table.game.total_dice
    return len(table.seats) * table.game.rules.starting_dice
