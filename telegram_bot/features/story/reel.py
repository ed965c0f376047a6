"""Choose the reveals of an evening's reel: the least likely successes of its games."""

from collections.abc import Iterator
from typing import Final

from sqlmodel import col, select

from perudo_core import PerudoError, apply, new_game
from telegram_bot.service.repositories import load_table
from telegram_bot.service.results.bluff_cards import shown_seats
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import BluffCard, ShownSuccess, shown_successes
from telegram_bot.statistics.game_facts import PlayedAction
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.model import FrozenModel, Status, Table
from telegram_bot.tables.result_views import RevealView, reveal_view

REVEALS: Final = 3
MOST_GAMES: Final = 6
"""The number of games, the newest of the evening, that a step replays for a reel."""


class ReelReveal(FrozenModel):
    """One reveal of a reel."""

    card: BluffCard
    view: RevealView
    """Hidden and forgotten players have no name and no face."""

    @property
    def name(self) -> str:
        """The name of the player whose success it shows."""
        return self.view.seats[self.card.seat].name


def choose_reveals(uow: UnitOfWork, row: GameTable) -> tuple[ReelReveal, ...]:
    """Return the least likely successes of the evening until a finished game, the least likely one last."""
    query = (
        select(GameTable)
        .where(
            GameTable.chat_id == row.chat_id,
            col(GameTable.id) <= row.id,
            GameTable.status == Status.FINISHED,
            GameTable.created_at >= min(uow.chat_of(row).plays_since, row.created_at),
        )
        .order_by(col(GameTable.id).desc())
        .limit(MOST_GAMES)
    )
    found: list[tuple[ShownSuccess, ReelReveal]] = []
    for table in map(load_table, uow.session.exec(query)):
        try:
            found += _reveals(table, played_game(uow.session, table)[0], shown_seats(uow, table))
        except PerudoError:  # the stored actions cannot be replayed
            continue
    found.sort(key=lambda each: each[0].chance)
    return tuple(reveal for _, reveal in reversed(found[:REVEALS]))


def _reveals(table: Table, actions: list[PlayedAction], shown: list[int]) -> Iterator[tuple[ShownSuccess, ReelReveal]]:
    """Yield the least likely success of each reveal of a game."""
    moments = [each for each in shown_successes(table.rules, len(table.seats), actions) if each.card.seat in shown]
    best = {moment.action: moment for moment in sorted(moments, key=lambda each: -each.chance)}
    state = new_game(table.rules, [seat.name for seat in table.seats])
    for number, (action, _) in enumerate(actions):
        before, (state, events) = state, apply(state, action)
        if number in best:
            old, new = (table.model_copy(update={"game": game}) for game in (before, state))
            view = reveal_view(old, new, events)
            if view is not None and view.bid is not None:
                yield best[number], ReelReveal(card=best[number].card, view=_without_names(view, shown))


def _without_names(view: RevealView, shown: list[int]) -> RevealView:
    """Return a reveal without the names and faces of hidden and forgotten players: the reel is forwarded."""
    seats = (
        seat if at in shown or seat.computer is not None else seat.model_copy(update={"name": "", "face": None})
        for at, seat in enumerate(view.seats)
    )
    return view.model_copy(update={"seats": tuple(seats)})
