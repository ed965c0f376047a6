"""The story of a finished game: whether it was told, how it is kept, and how its players are named in it."""

import json
from dataclasses import replace
from typing import Final

from sqlalchemy import func
from sqlmodel import select

from perudo_core import (
    Action,
    Call,
    Calza,
    FairDice,
    IllegalActionError,
    PerudoError,
    RecordError,
    dump_action,
    record_of,
)
from perudo_core.fair_record import FairRecord
from telegram_bot.service.computer_requests import agent_of
from telegram_bot.service.intents import COMPUTER
from telegram_bot.service.notices import BluffCardNotice, RecordNotice, StoryNotice
from telegram_bot.service.repositories import actions_of
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import card_of
from telegram_bot.statistics.story import GameStory
from telegram_bot.storage.models import GameAction
from telegram_bot.tables.fair_dice import dice_of, stirred
from telegram_bot.tables.model import Table


def game_record(uow: UnitOfWork, table: Table) -> RecordNotice:
    """The record of a finished game, from the actions that were stored as it was played, with the secret revealed.

    Every roll is computed again from secret and stirs. `python -m perudo_core verify` also decides the calls of
    computer players again, which takes too long for a transaction.
    """
    rows = actions_of(uow.session, table.id)
    actions = [action for action, _, _ in rows]
    computers = {
        index: "/".join(agent_of(table, action.seat))
        for index, (action, cause, _) in enumerate(rows)
        if isinstance(action, Call)
        # A claimed calza is applied by the clock, whoever has decided it.
        and (cause == COMPUTER or (isinstance(action, Calza) and table.is_computer(action.seat)))
    }
    name, dice = f"perudo-{table.code}.json", dice_of(table)
    if dice is None:
        document = record_of(table.rules, [seat.name for seat in table.seats], actions).to_json()
        return RecordNotice(document=document, name=name)
    told = stirred(table)
    try:
        record = FairRecord.of(dice, [seat.name for seat in table.seats], actions, computers=computers)
        record = replace(record, version=", ".join(table.core_versions))
    except (IllegalActionError, RecordError):  # after a changed roll the later actions may be impossible
        return RecordNotice(document=_raw_document(table, dice, actions), name=name, failed=True, stirs=told)
    try:
        rolls = record.verify(dice.commitment, computers=False).rolls
    except RecordError:
        return RecordNotice(document=record.to_json(), name=name, failed=True, stirs=told)
    return RecordNotice(document=record.to_json(), name=name, rolls=rolls, stirs=told)


def _raw_document(table: Table, dice: FairDice, actions: list[Action]) -> str:
    """What is stored of a game that cannot be replayed, for people to read."""
    return json.dumps(
        {
            "commitment": dice.commitment,
            "secret": dice.secret.hex(),
            "salt": dice.salt,
            "rules": table.rules.to_dict(),
            "seats": [seat.name for seat in table.seats],
            "actions": [dump_action(action) for action in actions],
        },
        ensure_ascii=False,
        indent=2,
    )


STORY_SLOT: Final = "story"
MOST_ACTIONS: Final = 1000
"""Of a game whose story is told: a longer one takes longer to analyse than an analysis may, whoever asks for it."""


def story_key(table: int) -> str:
    """The name in the key-value store of a game's story, which is kept as long as the game."""
    return f"story:{table}"


def is_too_long(uow: UnitOfWork, table: int) -> bool:
    """Whether a game has too many actions for its story to be found out."""
    return uow.session.exec(select(func.count()).where(GameAction.table_id == table)).one() > MOST_ACTIONS


def bluff_card_notice(uow: UnitOfWork, table: Table) -> BluffCardNotice | None:
    """The moment of a finished game that is worth telling, of a person who does not hide; None: there is none."""
    players = uow.players_by_id(seat.player for seat in table.seats if seat.player > 0)
    told_of = [at for at, seat in enumerate(table.seats) if seat.player > 0 and not players[seat.player].hidden]
    try:
        card = card_of(table.rules, len(table.seats), played_game(uow.session, table)[0], told_of)
    except PerudoError:  # what is stored cannot be played again
        return None
    return None if card is None else BluffCardNotice(card=card, name=table.seats[card.seat].name)


def story_notice(uow: UnitOfWork, table: Table, story: GameStory) -> StoryNotice:
    """The story with the players' names; who hides from leagues is not named, as their luck and skill are compared."""
    players = uow.players_by_id(seat.player for seat in table.seats if seat.player > 0)
    names = tuple("" if seat.player > 0 and players[seat.player].hidden else seat.name for seat in table.seats)
    return StoryNotice(table=table.id, story=story, names=names, theme=uow.config.story_theme)
