"""Whether a day's limits leave enough text messages for a game, which is asked before the game begins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlmodel import col, select

from telegram_bot.service.private_routes import PrivateRoute, route_to
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import Chat, Player
from telegram_bot.storage.phone_models import EVERYBODY, TextTally, day_of
from telegram_bot.tables.model import Table

USUAL_DICE: Final = 5


def texts_needed(players: int, dice: int = USUAL_DICE, *, verbose: bool = False) -> int:
    """About how many texts a phone gets in a game, as `benchmarks.sms_cost` measures them with five dice each."""
    usual = 11 * players - 1 if verbose else 4 * players + 12
    return round(usual * dice / USUAL_DICE)


@dataclass(frozen=True, slots=True)
class TextShortage:
    """Texts that the phones of a game need today, and those that are left for them."""

    phones: int
    needed: int
    left: int
    none_for_some: bool
    """Whether some phone cannot be sent even its first dice."""


def text_shortage(uow: UnitOfWork, table: Table, chat: Chat) -> TextShortage | None:
    """What is missing for a game of this table; None: the day's limits leave enough, or nobody plays by text."""
    players = uow.players_by_id(seat.player for seat in table.seats if seat.computer is None)
    needed = {
        phone: texts_needed(len(table.seats), table.rules.starting_dice, verbose=player.verbose)
        for player in players.values()
        if (phone := _phone_of(uow, player, chat)) is not None
    }
    if not needed:
        return None
    caps, spent = uow.config.text_caps, _spent_today(uow, table, needed)
    total = sum(needed.values())
    in_all = [
        caps.per_day - spent.get(EVERYBODY, (0, 0))[0] if caps.per_day else total,
        caps.per_table - spent.get(f"table:{table.id}", (0, 0))[0] if caps.per_table else total,
        (caps.spend - spent.get(EVERYBODY, (0, 0))[1]) // caps.cost if caps.spend and caps.cost else total,
    ]
    left_in_all = max(min(in_all), 0)
    if left_in_all < total:
        return TextShortage(len(needed), total, left_in_all, none_for_some=left_in_all < len(needed))
    left = {phone: max(caps.per_phone - spent.get(f"phone:{phone}", (0, 0))[0], 0) for phone in needed}
    short = [phone for phone in needed if caps.per_phone and left[phone] < needed[phone]]
    if not short:
        return None
    return TextShortage(
        len(short),
        sum(needed[phone] for phone in short),
        sum(left[phone] for phone in short),
        none_for_some=any(not left[phone] for phone in short),
    )


def _phone_of(uow: UnitOfWork, player: Player, chat: Chat) -> int | None:
    """The address to which the player's texts go; None: they get none."""
    way = route_to(player, chat)
    if way is PrivateRoute.LINKED:
        return player.phone
    return player.address if way is PrivateRoute.DIRECT and uow.traits(player.channel).paid else None


def _spent_today(uow: UnitOfWork, table: Table, phones: dict[int, int]) -> dict[str, tuple[int, int]]:
    scopes = [EVERYBODY, f"table:{table.id}", *(f"phone:{phone}" for phone in phones)]
    query = select(TextTally).where(TextTally.day == day_of(uow.now), col(TextTally.scope).in_(scopes))
    return {tally.scope: (tally.texts, tally.cost) for tally in uow.session.exec(query)}
