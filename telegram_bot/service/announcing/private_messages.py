"""Keep a player's newest private message true: what they bid or called, that they are out, that the game is over.

These notices go to private chats alone. A phone's texts cannot be edited and are told by `TableOutbox.to_remote`; an
ephemeral message stands in the group, where everybody reads the same.
"""

from collections.abc import Iterator
from typing import Literal

from telegram_bot.service.announcing.presentation import reads_aloud
from telegram_bot.service.announcing.private_routes import PrivateRoute, route_to
from telegram_bot.service.announcing.table_outbox import TableOutbox, hand_slot
from telegram_bot.service.notices import ClosedNotice, GameOverNotice, HandNotice, KnockedOutNotice, Notice, SendMode
from telegram_bot.storage.models import Player
from telegram_bot.tables.model import Table
from telegram_bot.tables.result_views import GameOverView, RevealView
from telegram_bot.tables.views import hand_view


def show_bid_made(outbox: TableOutbox, table: Table, seat: int) -> None:
    """Let the bidder's message say what they bid, instead of asking them; it loses its buttons."""
    _show_hand(outbox, table, seat)


def show_call_made(outbox: TableOutbox, before: Table, reveal: RevealView) -> None:
    """Let the message of whoever ended the round say what they called; `before`: the table they saw."""
    caller, call = reveal.caller, reveal.call
    if caller is None or before.seats[caller].away:
        return
    match call:
        case "dudo" | "calza":
            _show_hand(outbox, before, caller, call)


def tell_knocked_out(outbox: TableOutbox, table: Table, reveal: RevealView, seat: int) -> bool:
    """Tell a player that they are out, and which place is theirs; False if they have no private chat."""
    if table.is_computer(seat):
        return False
    left = sum(not other.out for other in reveal.seats)
    notice = KnockedOutNotice(
        view=reveal, seat=seat, place=left + 1, players=len(reveal.seats), title=outbox.chat.title
    )
    return _tell(outbox, outbox.uow.player_by_id(table.seats[seat].player), notice, SendMode.REPLACE)


def tell_game_over(outbox: TableOutbox, table: Table, over: GameOverView, reveal: RevealView | None) -> set[int]:
    """Tell everybody in their private chat who has won; return the players who were told.

    Where the table itself is in that chat, as in practice, its own message tells it, and this one is for the ear alone.
    """
    told = set()
    for seat, player in _players(outbox, table):
        if table.practice and not reads_aloud(player, outbox.uow.config):
            if reveal is not None and reveal.caller == seat:
                told.add(table.seats[seat].player)  # their message says what they called
            continue
        notice = GameOverNotice(view=over, previous=reveal, seat=seat, title=outbox.chat.title)
        festive = outbox.uow.config.celebrate and over.winner == seat
        if _tell(outbox, player, notice, SendMode.REPLACE, festive=festive):
            told.add(table.seats[seat].player)
    return told


def tell_closed(outbox: TableOutbox, table: Table, notice: ClosedNotice) -> set[int]:
    """Let everybody's message say that the game was closed; return the players whose message says it."""
    return {
        table.seats[seat].player
        for seat, player in _players(outbox, table)
        if _tell(outbox, player, notice, SendMode.EDIT_EXISTING)
    }


def _show_hand(outbox: TableOutbox, table: Table, seat: int, called: Literal["dudo", "calza"] | None = None) -> None:
    if table.is_computer(seat):
        return
    view = hand_view(table, seat)
    if called is not None:
        view = view.model_copy(update={"on_turn": False, "may_calza": False})
    player = outbox.uow.player_by_id(table.seats[seat].player)
    notice = HandNotice(
        view=view, player=table.seats[seat].player, title=outbox.chat.title, deal=table.deals, called=called
    )
    _tell(outbox, player, notice, SendMode.EDIT_EXISTING)


def _tell(outbox: TableOutbox, player: Player, notice: Notice, mode: SendMode, *, festive: bool = False) -> bool:
    way = route_to(player, outbox.chat, outbox.ephemeral_unreachable)
    if way is not PrivateRoute.DIRECT or not outbox.uow.traits(player.channel).buttons:
        return False
    envelope = outbox.private_envelope(player, way, notice, mode=mode)
    envelope = envelope.model_copy(update={"silent": not festive, "festive": festive})
    outbox.to_player(player, envelope, slot=hand_slot(player.id))
    return True


def _players(outbox: TableOutbox, table: Table) -> Iterator[tuple[int, Player]]:
    players = outbox.uow.players_by_id(seat.player for seat in table.seats if seat.computer is None)
    for seat, sitting in enumerate(table.seats):
        if sitting.computer is None:
            yield seat, players[sitting.player]
