"""The highlight of a stored game."""

from collections.abc import Collection

from perudo_core import PerudoError
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import BluffCard, Feat, find_highlight
from telegram_bot.tables.model import Table


def highlight_of(uow: UnitOfWork, table: Table, feats: Collection[Feat] = tuple(Feat)) -> BluffCard | None:
    """Return the highlight of a finished game, by a person who is not hidden, or None if there is none."""
    try:
        return find_highlight(
            table.rules, len(table.seats), played_game(uow.session, table)[0], shown_seats(uow, table), feats
        )
    except PerudoError:  # the stored actions cannot be replayed
        return None


def shown_seats(uow: UnitOfWork, table: Table) -> list[int]:
    """Return the seats of people who are not hidden, and have played the whole game."""
    players = uow.players_by_id(table.people)
    own = ((at, seat.player) for at, seat in enumerate(table.seats) if seat.is_person and not seat.changed_hands)
    return [at for at, player in own if not players[player].hidden]
