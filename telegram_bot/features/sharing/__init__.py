"""Share a game in one line of text, without spoilers: the place, and the bluffs that were not caught."""

from dataclasses import dataclass
from typing import Final, Literal

from sqlmodel import col, select

from perudo_core import PerudoError
from telegram_bot.feature import Feature
from telegram_bot.intents.forms import Button
from telegram_bot.intents.intents import Intent
from telegram_bot.notices import AnswerNotice, FeatureToast, GameOverNotice, Toast
from telegram_bot.presentation.features import Extension
from telegram_bot.presentation.keys import Key, Keys
from telegram_bot.repositories.repositories import load_table
from telegram_bot.service.announcing.replies import answer
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.handlers.base import PersonRequest
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.game_facts import SeatFacts, facts_of
from telegram_bot.storage.models import GameTable, Player, TableSeat
from telegram_bot.tables.model import FrozenModel, Status, Table
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.languages import mark, mark_in_context
from telegram_bot.words.lines import Format, Line

NOT_YOURS: Final = AnswerNotice(sentence=mark("You didn't finish that game."))
_PLACES: Final = {
    1: mark_in_context("place", "{n}st of {players}"),
    2: mark_in_context("place", "{n}nd of {players}"),
    3: mark_in_context("place", "{n}rd of {players}"),
}
_OTHER_PLACE: Final = mark_in_context("place", "{n}th of {players}")


class OwnResult(FrozenModel):
    """A person's part in a game."""

    player: int
    place: int
    players: int
    bluffs: int = 0
    """The bids on a face of which they held no die, in rounds whose dice were shown."""
    held: int = 0
    """Those of them that were not caught."""


class OwnResultNotice(FeatureToast):
    """The line, told to the person who asked, with a key that copies it."""

    kind: Literal["own_result"] = "own_result"
    result: OwnResult

    def lines(self, f: Format) -> list[Line]:
        return [Line(result_line(self.result, f.w))]


def result_line(result: OwnResult, w: Catalogue) -> str:
    """Return the line that a person shares: it tells neither dice nor names."""
    context, place = _PLACES.get(result.place, _OTHER_PLACE)
    told = "Perudo 🎲 " + w.context_say(context, place, n=str(result.place), players=str(result.players))
    if not result.bluffs:
        return told
    bluffs = w.count("{held} of {n} bluff", "{held} of {n} bluffs", result.bluffs, held=str(result.held))
    return f"{told} · 🦊 {bluffs}"


@dataclass(frozen=True, slots=True)
class ShareResult(PersonRequest):
    """Tell the person their line of a finished game."""

    only_asks = True
    buttons = (Button("share={game}"),)
    links = (Button("share_{game}"),)

    game: int
    """The number of its table."""

    def handle(self, uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
        """Tell the line of a game that the person has finished."""
        query = (
            select(GameTable)
            .join(TableSeat, col(TableSeat.table_id) == col(GameTable.id))
            .where(TableSeat.player_id == player.id, GameTable.id == self.game, GameTable.status == Status.FINISHED)
        )
        row = uow.session.exec(query).first()
        found = [] if row is None else _results(uow, load_table(row))
        own = next((each for each in found if each.player == player.id), None)
        if own is None:
            return answer(uow, intent, player, NOT_YOURS)
        say(uow, player, OwnResultNotice(result=own), at=intent)
        return None


def _results(uow: UnitOfWork, table: Table) -> list[OwnResult]:
    try:
        facts = facts_of(table.rules, len(table.seats), played_game(uow.session, table)[0])
    except PerudoError:  # the stored actions cannot be replayed
        return []
    return [_result(seat.player, each) for seat, each in zip(table.seats, facts, strict=True) if seat.is_person]


def _result(player: int, facts: SeatFacts) -> OwnResult:
    return OwnResult(
        player=player, place=facts.place, players=facts.players, bluffs=facts.bluffs, held=facts.bluffs_held
    )


def game_over_keys(notice: GameOverNotice, w: Catalogue) -> Keys:
    """Below the end of a game in chats: the line comes in the private chat."""
    share = ShareResult(notice.view.table)
    return [[Key(w.say("Share my result"), share, sign="📋", in_private=notice.in_group)]]


def own_result_keys(notice: OwnResultNotice, w: Catalogue) -> Keys:
    """Below the line: a key that copies it."""
    return [[Key(w.say("Copy"), sign="📋", copies=result_line(notice.result, w))]]


_GAME_OVER: Final = Extension(GameOverNotice, keys=game_over_keys)
_OWN_RESULT: Final = Extension(OwnResultNotice, keys=own_result_keys)

FEATURE: Final = Feature(
    "sharing",
    place=70,
    requests=(ShareResult,),
    extensions=(_GAME_OVER, _OWN_RESULT),
)
