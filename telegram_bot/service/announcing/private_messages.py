"""Show the whole game in a player's private chat: the board, the end of a round, knock-outs, the winner.

These notices go to private chats only, with one exception: an ephemeral message in the group loses its bids after one
was made. A phone's texts cannot be edited; `TableOutbox.to_remote` sends them.
"""

from collections.abc import Iterator
from typing import Literal

from telegram_bot.service import notices as n
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.announcing.timeline import RevealDelay
from telegram_bot.service.envelope import SendMode
from telegram_bot.service.posting import Post
from telegram_bot.service.presentation import pictures_for
from telegram_bot.service.private_routes import PrivateRoute
from telegram_bot.service.surfaces.notices import hand_notice, knocked_out_notice
from telegram_bot.service.surfaces.slots import hand_slot, reveal_slot
from telegram_bot.service.switches import by_ear
from telegram_bot.storage.models import Player
from telegram_bot.tables.model import Table
from telegram_bot.tables.result_views import GameOverView, RevealView


def show_bid(outbox: TableOutbox, before: Table, table: Table, bidder: int) -> None:
    """Show a bid on the boards of all but the player on turn, who is asked; the bidder's board loses its buttons."""
    for seat, player, route in _awake(outbox, before):  # a late player sees the bid that the bot made for them
        if seat == table.begun_game.turn:
            continue
        if outbox.has_board(player, route):
            _show_hand(outbox, table, seat, SendMode.NEWEST if seat == bidder else SendMode.EDIT_EXISTING)
        elif seat == bidder and route is PrivateRoute.EPHEMERAL:
            _show_hand(outbox, table, seat, SendMode.EDIT_EXISTING)


def show_call(outbox: TableOutbox, before: Table, reveal: RevealView, delay: RevealDelay, *, to_caller: bool) -> None:
    """Show a call on the board of its caller, or on all others; `before`: the table that they saw."""
    match reveal.call:
        case "dudo" | "calza" as call:
            for seat, player, route in _awake(outbox, before):
                if (seat == reveal.caller) is to_caller and outbox.has_board(player, route):
                    mode = SendMode.NEWEST if to_caller else SendMode.EDIT_EXISTING
                    _show_hand(outbox, before, seat, mode, called=call, caller=reveal.caller, delay=delay)


def show_reveal(
    outbox: TableOutbox,
    before: Table,
    view: RevealView,
    cups_lift: RevealDelay,
    dice_seen: RevealDelay,
    *,
    slot: str | None = None,
) -> int | None:
    """Show the end of a round to all its players; return the number of the last notice.

    Readers of an animation get it together with the chat, the others after the chat has seen the dice.
    """
    shown = None
    for seat, player, route in _awake(outbox, before):
        if not outbox.has_board(player, route):
            continue
        pictures = pictures_for(player, outbox.uow.config, reveal=True)
        notice = n.RevealNotice(view=view, seat=seat, animated=pictures and cups_lift.at < dice_seen.at)
        envelope = outbox.private_envelope(player, PrivateRoute.DIRECT, notice)
        post = Post(
            envelope.model_copy(update={"pictures": pictures, "silent": True}), slot=slot or reveal_slot(player.id)
        )
        shown = outbox.send_reveal((cups_lift if notice.animated else dice_seen).hold(post), player)
    return shown


def tell_knocked_out(outbox: TableOutbox, table: Table, reveal: RevealView, seat: int) -> bool:
    """Tell a player that they are out, with their place; False if they have no private chat."""
    notice = knocked_out_notice(outbox.facts(table), reveal)
    if notice is None or table.is_computer(seat):
        return False
    return _tell(outbox, outbox.uow.player_by_id(table.seats[seat].player), notice, SendMode.REPLACE)


def tell_game_over(outbox: TableOutbox, table: Table, over: GameOverView) -> set[int]:
    """Tell all players the winner in their private chat; return the players who were told.

    If the table itself is in that chat, as in practice, its own message shows the winner, and this one is only for
    people who hear their messages.
    """
    reached = set()
    for seat, player in _players(outbox, table):
        if table.practice and not by_ear(player, outbox.uow.config):
            continue
        notice = n.GameOverNotice(view=over, seat=seat, title=outbox.chat.title)
        festive = outbox.uow.config.celebrate and over.winner == seat
        if _tell(outbox, player, notice, SendMode.REPLACE, festive=festive):
            reached.add(table.seats[seat].player)
    return reached


def tell_closed(outbox: TableOutbox, table: Table, notice: n.ClosedNotice) -> set[int]:
    """Show in all private messages that the game was closed; return the players whose message shows it."""
    return {
        table.seats[seat].player
        for seat, player in _players(outbox, table)
        if _tell(outbox, player, notice, SendMode.EDIT_EXISTING)
    }


def _show_hand(
    outbox: TableOutbox,
    table: Table,
    seat: int,
    mode: SendMode,
    *,
    called: Literal["dudo", "calza"] | None = None,
    caller: int | None = None,
    delay: RevealDelay | None = None,
) -> None:
    player = outbox.uow.player_by_id(table.seats[seat].player)
    route = outbox.route_to(player)
    assert route is not None  # noqa: S101 - callers have chosen people whom a private route reaches
    notice = hand_notice(outbox.facts(table), seat, player, called=called, caller=caller)
    envelope = outbox.private_envelope(player, route, notice, mode=mode)
    post = Post(envelope.model_copy(update={"silent": True}), slot=hand_slot(player.id))
    outbox.to_player(player, post if delay is None else delay.hold(post))


def _tell(outbox: TableOutbox, player: Player, notice: n.Notice, mode: SendMode, *, festive: bool = False) -> bool:
    route = outbox.route_to(player)
    if route is None or not outbox.has_board(player, route):
        return False
    envelope = outbox.private_envelope(player, route, notice, mode=mode)
    envelope = envelope.model_copy(update={"silent": not festive, "festive": festive})
    outbox.to_player(player, Post(envelope, slot=hand_slot(player.id)))
    return True


def _players(outbox: TableOutbox, table: Table) -> Iterator[tuple[int, Player]]:
    players = outbox.uow.players_by_id(seat.player for seat in table.seats if seat.computer is None)
    for seat, sitting in enumerate(table.seats):
        if sitting.computer is None:
            yield seat, players[sitting.player]


def _awake(outbox: TableOutbox, table: Table) -> Iterator[tuple[int, Player, PrivateRoute | None]]:
    """Yield the present people of the game, each with the private route that reaches them."""
    for seat, player in _players(outbox, table):
        if table.in_play(seat) and not table.seats[seat].away:
            yield seat, player, outbox.route_to(player)
