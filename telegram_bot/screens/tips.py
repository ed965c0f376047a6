"""Tips for new players: each is shown at most once."""

from typing import Final

from sqlmodel import col, func, select

from telegram_bot.repositories.repositories import Repositories
from telegram_bot.storage.models import GameTable, Player, TableSeat
from telegram_bot.tables.model import Status
from telegram_bot.tables.tip_rules import Tip, fitting_tips
from telegram_bot.tables.views import HandView

FIRST_GAMES: Final = 3
"""A player who has finished so many games needs no more tips."""
_IN_FIRST_GAMES: Final = (Tip.WILD, Tip.DUDO, Tip.UNSEEN)


def take_tip(player: Player, tip: Tip) -> bool:
    """Return True if the player gets the tip now; it then counts as shown."""
    return player.tips and count_as_told(player, tip)


def count_as_told(player: Player, tip: Tip) -> bool:
    """Store that the player knows the tip; False if they knew it before."""
    if tip in player.tips_told:
        return False
    player.tips_told = [*player.tips_told, tip]
    return True


def tip_at(player: Player, hand: HandView) -> Tip | None:
    """Return the tip that the player was given at the table and step of a hand, or None."""
    last = player.last_tip or {}
    is_here = (last.get("table"), last.get("step")) == (hand.table.table, hand.table.step)
    return Tip(last["tip"]) if is_here and last["tip"] in set(Tip) else None


def may_get_tip(player: Player, *, calza: bool) -> bool:
    """Return True if there are tips that the player wants and has not been told; `calza`: whether the rules have it."""
    return player.tips and any(tip not in player.tips_told for tip in Tip if calza or tip is not Tip.CALZA)


def is_new(repositories: Repositories, player: Player) -> bool:
    """Return True if the player has finished fewer than `FIRST_GAMES` games."""
    seats = select(func.count()).select_from(TableSeat).join(GameTable, col(GameTable.id) == col(TableSeat.table_id))
    finished = seats.where(TableSeat.player_id == player.id, GameTable.status == Status.FINISHED)
    return repositories.session.exec(finished).one() < FIRST_GAMES


def tip_for(repositories: Repositories, player: Player, hand: HandView) -> Tip | None:
    """Return the tip at the table and step of a hand. If there is none, give a new player one, and store it."""
    if (given := tip_at(player, hand)) is not None:
        return given
    fitting = [tip for tip in fitting_tips(hand) if tip not in player.tips_told]
    if not fitting or not player.tips:
        return None
    if not is_new(repositories, player):
        player.tips_told = sorted({*player.tips_told, *_IN_FIRST_GAMES})  # so that nothing is counted again
        return None
    if not take_tip(player, fitting[0]):
        return None
    player.last_tip = {"table": hand.table.table, "step": hand.table.step, "tip": fitting[0]}
    return fitting[0]
