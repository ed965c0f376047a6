"""The notices of surfaces: each follows from the facts about its table."""

from typing import Literal

from telegram_bot import notices as n
from telegram_bot.screens.facts import Facts
from telegram_bot.screens.tips import tip_at
from telegram_bot.storage.models import Player, PrivateView
from telegram_bot.tables.house_rules import TWIST_BY
from telegram_bot.tables.model import CloseReason
from telegram_bot.tables.result_views import RevealView
from telegram_bot.tables.views import hand_view, lobby_view


def lobby_notice(facts: Facts) -> n.LobbyNotice:
    """Return the lobby with the menu that its host has opened."""
    config = facts.config
    return n.LobbyNotice(
        view=lobby_view(facts.table),
        menu=facts.menu,
        numbers=config.numbers,
        house_rules=config.house_rules,
        engines=config.engines,
        usual_clock=config.clock,
        mentions=facts.mentions,
        ghost=_ghost(facts),
    )


def _ghost(facts: Facts) -> str:
    """Return the name of the ghost who chose the table's twist, if others may read it."""
    ghost = facts.player(int(facts.table.options.get(TWIST_BY, 0)))
    return "" if ghost is None or ghost.hidden else ghost.name


def started_notice(facts: Facts) -> n.StartedNotice:
    """Return the lobby's message as the beginning of a game."""
    houses, parts = facts.config.house_rules, facts.started_parts
    return n.StartedNotice(view=lobby_view(facts.table), house_rules=houses, ghost=_ghost(facts), parts=parts)


def round_notice(facts: Facts) -> n.TableNotice:
    """Return the message of the running round."""
    table = facts.table
    turn = table.begun_game.turn
    on_turn = None if turn is None else facts.player_at(turn)
    players = [facts.player_at(seat) for seat in table.begun_game.active_seats]
    asked = table.this_step.shared
    return n.TableNotice(
        view=facts.view,
        shared=asked or (on_turn is not None and facts.route_to(on_turn).way is None),
        unreachable=any(facts.route_to(player).needs_start_link for player in players if player is not None),
        own_chat=table.practice,
        in_text_field=not asked and on_turn is not None and on_turn.view == PrivateView.INLINE,
    )


def closed_notice(facts: Facts) -> n.ClosedNotice | None:
    """Return the words of a table that was closed without a winner, or None if its readers are not told."""
    table = facts.table
    if table.closed_why is None or table.closed_why is CloseReason.LOST_CHAT:
        return None
    if table.practice and table.closed_why is CloseReason.EMPTY:
        return None
    by = None if table.closed_by is None else facts.player(table.closed_by)
    names = tuple(seat.name for seat in table.seats)
    return n.ClosedNotice(why=table.closed_why, names=names, by="" if by is None else by.name)


def hand_notice(
    facts: Facts,
    seat: int,
    player: Player,
    *,
    called: Literal["dudo", "calza"] | None = None,
    caller: int | None = None,
) -> n.HandNotice:
    """Return a player's dice in the running round, and their bids on their turn.

    `called`: the call that has ended the round, until its player may see the dice.
    """
    table, last, route = facts.table, facts.last, facts.route_to(player)
    view = hand_view(table, seat, facts.view)
    if called is not None:
        view = view.model_copy(update={"on_turn": False, "may_calza": False, "may_show": ()})
    return n.HandNotice(
        view=view,
        player=player.id,
        title=facts.chat.title,
        deal=table.deals,
        previous=last.view if route.reads_messages and last is not None else None,
        board=route.has_board,
        called=called,
        caller=caller,
        tip=None if called is not None else tip_at(player, view),
    )


def knocked_out_notice(facts: Facts, end: RevealView) -> n.KnockedOutNotice | None:
    """Return the message to a player whom a round's end has knocked out, or None if the player left."""
    if end.call == "leave" and not end.timed_out and not facts.table.practice:
        return None
    return n.KnockedOutNotice(
        place=end.place_when_out,
        players=len(end.seats),
        title=facts.chat.title,
        practice=facts.table.id if facts.table.practice else None,
        options=facts.table.options,
    )
