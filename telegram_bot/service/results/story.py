"""The story of a finished game: whether it was told, its storage, and the names in it."""

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
    """Return the record of a finished game, from its stored actions, with the secret revealed.

    Every roll is computed again from secret and stirs. `python -m perudo_core verify` also computes the calls of
    computer players again, which takes too long for a transaction.
    """
    rows = actions_of(uow.session, table.id)
    actions = [action for action, _, _ in rows]
    computers = {
        index: "/".join(agent_of(table, action.seat))
        for index, (action, cause, _) in enumerate(rows)
        if isinstance(action, Call)
        # The clock applies a claimed calza, for people and for computer players.
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
    """Return the stored data of a game that cannot be replayed, for people to read."""
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
"""The limit of actions for a story: the analysis of a longer game takes too long."""


def story_key(table: int) -> str:
    """Return the key of a game's story in the key-value store; it is kept as long as the game."""
    return f"story:{table}"


def is_too_long(uow: UnitOfWork, table: int) -> bool:
    """True if a game has too many actions for a story."""
    return uow.session.exec(select(func.count()).where(GameAction.table_id == table)).one() > MOST_ACTIONS


def bluff_card_notice(uow: UnitOfWork, table: Table) -> BluffCardNotice | None:
    """Return the card with the highlight of a finished game, by a person who is not hidden; None: there is none."""
    players = uow.players_by_id(seat.player for seat in table.seats if seat.player > 0)
    told_of = [at for at, seat in enumerate(table.seats) if seat.player > 0 and not players[seat.player].hidden]
    try:
        card = card_of(table.rules, len(table.seats), played_game(uow.session, table)[0], told_of)
    except PerudoError:  # the stored actions cannot be replayed
        return None
    return None if card is None else BluffCardNotice(card=card, name=table.seats[card.seat].name)


def story_notice(uow: UnitOfWork, table: Table, story: GameStory) -> StoryNotice:
    """Return the story with the names of players who are not hidden from leagues, because it compares skill."""
    players = uow.players_by_id(seat.player for seat in table.seats if seat.player > 0)
    names = tuple("" if seat.player > 0 and players[seat.player].hidden else seat.name for seat in table.seats)
    return StoryNotice(table=table.id, story=story, names=names, theme=uow.config.story_theme)
