"""Say the ends of rounds and games to players who hear their messages, and show the words below animations."""

from collections.abc import Iterator
from functools import partial

from telegram_bot import notices as n
from telegram_bot.intents.slots import reveal_slot
from telegram_bot.screens.pictures_of_dice import pictures_for
from telegram_bot.screens.routes import Route
from telegram_bot.screens.surface_notices import knocked_out_notice
from telegram_bot.screens.switches import by_ear
from telegram_bot.service.announcing.saying import say
from telegram_bot.service.announcing.table_outbox import TableOutbox
from telegram_bot.service.announcing.timeline import RevealDelay
from telegram_bot.storage.models import Player
from telegram_bot.tables.model import Table
from telegram_bot.tables.result_views import GameOverView, RevealView


def show_reveal(
    outbox: TableOutbox,
    before: Table,
    view: RevealView,
    cups_lift: RevealDelay,
    dice_seen: RevealDelay,
    *,
    slot: str | None = None,
) -> bool:
    """Say the end of a round to players who hear it, and the words below animations; False if no player has a board.

    Readers of an animation get it together with the chat, the others after the chat has seen the dice.
    """
    readers = [(player, route) for player, route in _awake(outbox, before) if route.has_board]
    for player, route in readers:
        seat = before.seat_of(player.id)
        has_picture = route.is_remote or before.practice  # others see it in the table's chat
        animated = has_picture and cups_lift.at < dice_seen.at and pictures_for(player, outbox.uow.config, reveal=True)
        if by_ear(player, outbox.uow.config):
            heard = n.RevealNotice(view=view, seat=seat, animated=animated)
            after = cups_lift if animated else dice_seen
            say(outbox.uow, player, heard, about=outbox, at=route, after=after, is_shown=True)
        if animated:
            opened = n.OpenedRevealNotice(view=view, seat=seat)
            where = slot or reveal_slot(player.id)
            words = partial(say, outbox.uow, player, opened, about=outbox, at=route, slot=where)
            outbox.opened_reveals.append(partial(words, silent=True, edit_only=True))
    return bool(readers)


def tell_knocked_out(outbox: TableOutbox, table: Table, reveal: RevealView, seat: int) -> bool:
    """Tell a player that they are out, with their place; False if they have no private chat."""
    notice = knocked_out_notice(outbox.facts(table), reveal)
    if notice is None or table.is_computer(seat):
        return False
    return _tell(outbox, outbox.uow.player_by_id(table.seats[seat].player), notice)


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
        if _tell(outbox, player, notice):
            reached.add(player.id)
    return reached


def _tell(outbox: TableOutbox, player: Player, notice: n.Notice) -> bool:
    """Read a notice of a surface aloud to a player who hears their messages; False if they have no board."""
    route = outbox.routes.to(player)
    if not route.has_board:
        return False
    if by_ear(player, outbox.uow.config):
        say(outbox.uow, player, notice, about=outbox, at=route, is_shown=True)
    return True


def _players(outbox: TableOutbox, table: Table) -> Iterator[tuple[int, Player]]:
    players = outbox.uow.players_by_id(table.people)
    for seat, sitting in enumerate(table.seats):
        if sitting.is_person:
            yield seat, players[sitting.player]


def _awake(outbox: TableOutbox, table: Table) -> Iterator[tuple[Player, Route]]:
    """Yield the present people of the game, each with the route of their private messages."""
    for seat, player in _players(outbox, table):
        if table.in_play(seat) and not table.seats[seat].away:
            yield player, outbox.routes.to(player)
