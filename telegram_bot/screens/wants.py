"""The content that each surface of a table should show: a pure function of the facts.

A surface is one message that a reader sees, and that is kept up to date: the message of a round in a group, a player's
board in their own chat, a card on a page.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final, NamedTuple

from telegram_bot import notices as n
from telegram_bot.intents.slots import (
    CLOSED_SLOT,
    LOBBY_SLOT,
    OVER_SLOT,
    TABLES_CHAT,
    deal_slot,
    hand_slot,
    menu_slot,
    reveal_slot,
)
from telegram_bot.screens.facts import Facts
from telegram_bot.screens.pictures_of_dice import pictures_for
from telegram_bot.screens.routes import Address
from telegram_bot.screens.surface_notices import (
    closed_notice,
    hand_notice,
    knocked_out_notice,
    lobby_notice,
    round_notice,
    started_notice,
)
from telegram_bot.screens.switches import by_ear
from telegram_bot.storage.models import Player
from telegram_bot.tables.model import Status
from telegram_bot.tables.play import RESULT

AFTER_ALL_ROUNDS: Final = 10**6
AFTER_ALL_BIDS: Final = 10**6


class Want(NamedTuple):
    """The content that one surface should show now."""

    slot: str
    to: Address
    notice: n.Notice
    key: tuple[int, ...] = (0,)
    """A greater key than that of the message means a new message; any other an edit. Its last number is a moment."""
    newest: bool = False
    """Whether a greater moment edits the message as well, unless another message was written below it."""
    edit_only: bool = False
    """Whether an existing message is edited whatever its key, and none is sent."""
    once: bool = False
    """Whether the message stays as it is until another key is wanted: only its player's turn changes it."""
    frozen: bool = False
    """Whether the message stays as it is, once it is sent: it is history."""
    player: Player | None = None
    """The only reader, or None if all in the chat read it."""
    at: float | None = None
    """Since when the chat shows it: a page that hears late of a call or its dice goes on where the others are."""


def wants_of(facts: Facts, reader: int) -> Iterator[Want]:
    """Return the surfaces that delivery keeps up to date for a reader: a player or `TABLES_CHAT`. Pages read theirs."""
    if reader != TABLES_CHAT:
        wants = own_wants(facts, reader)
    elif facts.shared and facts.chat.lost_at is None:
        wants = chat_wants(facts)
    else:
        return
    yield from (want for want in wants if want.to.channel != facts.channels.rooms)


def page_wants(facts: Facts, reader: int | None, *, is_first: bool) -> Iterator[Want]:
    """Return the cards of a page that reads the room of the table: those for everyone, then its reader's own.

    They show no dice before the table's chat does. `is_first`: the page shows nothing of the table yet, so until the
    dice are seen it needs the round that has ended, and the seats of a game that is over.
    """
    table, end = facts.table, facts.unrevealed
    before = None
    if is_first and end is not None and end.before is not None:
        before = replace(facts, table=end.before)
    elif is_first and end is None and table.game is not None and table.status is not Status.PLAYING:
        before = facts
    if before is not None:
        yield Want(deal_slot(before.table.deals), Address(facts.chat.channel, facts.chat.address), round_notice(before))
    yield from chat_wants(facts, on_pages=True)
    if reader is None:
        return
    yield from (want for want in own_wants(facts, reader) if want.to.channel == facts.channels.rooms)
    player, seat = facts.player(reader), facts.seat_of(reader)
    if before is None or end is None or player is None or seat is None or not end.was_awake(seat, player):
        return
    to, call = facts.route_to(player).to, end.call
    if to is not None and to.channel == facts.channels.rooms and call is not None:
        hand = hand_notice(before, seat, player, called=call.call, caller=end.view.caller)
        yield Want(hand_slot(player.id), to, hand, player=player)


def own_wants(facts: Facts, reader: int) -> Iterator[Want]:
    """Return the surfaces of one player: as the host of a lobby, and of a game."""
    if facts.table.status is Status.LOBBY and facts.table.host == reader:
        yield from (want for want in host_wants(facts) if facts.channels.traits(want.to.channel).buttons)
    player, seat = facts.player(reader), facts.seat_of(reader)
    if player is None or seat is None or facts.table.game is None:
        return
    route = facts.route_to(player)
    if route.kept is None or (facts.chat.lost_at is not None and route.kept.lane == facts.chat.lane):
        return
    yield from private_wants(facts, seat, player)


# Everyone's messages


def chat_wants(facts: Facts, *, on_pages: bool = False) -> Iterator[Want]:
    """Return the messages of the table's chat: one for the lobby, one for each round, one for the end.

    `on_pages`: for the pages that read them as well. They show no dice before the chat does.
    """
    table = facts.table
    here = Address(facts.chat.channel, facts.chat.address)
    if table.status is Status.LOBBY:
        host = facts.player(table.host)
        invites = host is not None and host.channel == facts.chat.channel and not facts.route_to(host).has_menus
        lobby = lobby_notice(facts).model_copy(update={"menu": None, "invites_host": invites})
        yield Want(LOBBY_SLOT, here, lobby)
        return
    if table.game is None:
        if (closed := closed_notice(facts)) is not None:
            yield Want(LOBBY_SLOT, here, closed)
        return
    yield Want(LOBBY_SLOT, here, started_notice(facts), edit_only=on_pages, frozen=True)
    person = practising(facts)
    for end in facts.ends:
        slot = deal_slot(end.deal)
        if person is not None and table.seat_of(person.id) in end.awake:  # their board shows the call
            pictures = pictures_for(person, facts.config, reveal=True)
            if facts.now >= (end.cups_at if pictures else end.dice_at):
                animated = pictures and end.is_animated
                reveal = n.RevealNotice(view=end.view, seat=table.seat_of(person.id), animated=animated)
                yield Want(slot, here, reveal, frozen=True, player=person)
            continue
        # The call becomes the newest message of the chat, and the dice edit it. If the bot does not see all messages,
        # one may have been written below the round's message.
        key = (0,) if end.call is None else (1,)
        if facts.now >= end.cups_at and (end.seen or not on_pages):
            reveal = n.RevealNotice(view=end.view, shared=end.shared, animated=end.is_animated, parts=end.reveal_parts)
            yield Want(slot, here, reveal, key, newest=facts.sees_all, frozen=True, at=end.shown_at)
        elif end.call is not None:
            # An edited message could not answer a voice note.
            newest = facts.sees_all and end.call.answers is None
            call = end.call.model_copy(update={"shared": end.shared})
            yield Want(slot, here, call, key, newest=newest, at=end.at)
    last = facts.last
    if last is not None and (facts.now < last.dice_at or (on_pages and not last.seen)):
        return
    if table.status is Status.FINISHED and last is not None and last.over is not None:
        if RESULT in table.timers:
            return
        in_group = facts.shared and facts.chat.channel != facts.channels.rooms and not table.practice
        over = n.GameOverNotice(view=last.over, parts=last.parts, in_group=in_group, unfolded=False)
        yield Want(OVER_SLOT, here, over, frozen=True)
    elif table.status is Status.PLAYING and (not table.practice or is_watched(facts)):
        yield Want(deal_slot(table.deals), here, round_notice(facts))
    elif table.status is Status.CLOSED and (closed := closed_notice(facts)) is not None:
        yield Want(CLOSED_SLOT, here, closed)


# One person's messages


def host_wants(facts: Facts) -> Iterator[Want]:
    """Return the lobby for its host in private: their menus, or all of it if they do not see the chat."""
    host = facts.player(facts.table.host)
    if host is None:
        return
    lobby = lobby_notice(facts).model_copy(update={"to_host": True})
    slot = menu_slot(host.id)
    route = facts.route_to(host)
    if route.has_menus:
        yield Want(slot, Address(host.channel, host.address), lobby, player=host)
    elif route.is_remote and route.to is not None:
        named = lobby.model_copy(update={"asks_name": host.nameless, "alone": True})
        yield Want(slot, route.to, named, player=host)


def private_wants(facts: Facts, seat: int, player: Player) -> Iterator[Want]:
    """Return the surfaces of one player of a game: a board and the end of their last round, or one message for each."""
    route = facts.route_to(player)
    if route.to is not None:
        wants = board_wants if route.has_board else message_wants
        yield from wants(facts, seat, player, route.to)


def board_wants(facts: Facts, seat: int, player: Player, to: Address) -> Iterator[Want]:
    """Return a board that is edited during the round, and the end of the last round above it.

    The end is an edit of its round's board, in words, for a reader of the table's chat, which shows the picture.
    """
    table, slot, unrevealed = facts.table, hand_slot(player.id), facts.unrevealed
    is_remote = facts.route_to(player).is_remote
    animates = is_remote and pictures_for(player, facts.config, reveal=True)
    # An animation hides the dice at first: it begins when the chat's own does.
    read = [end for end in facts.ends if end.seen and (facts.now >= end.dice_at or (end.is_animated and animates))]
    if read and read[-1].was_awake(seat, player) and practising(facts) is None:
        end = read[-1]
        reveal = n.RevealNotice(view=end.view, seat=seat, animated=end.is_animated and animates)
        if is_remote:
            yield Want(reveal_slot(player.id), to, reveal, (end.deal,), frozen=True, player=player)
        else:
            yield Want(slot, to, reveal, (end.deal, AFTER_ALL_BIDS), edit_only=True, frozen=True, player=player)
    shown = unrevealed or (facts.last if table.show_at is not None else None)
    if shown is not None:
        if shown.was_awake(seat, player) and shown.before is not None and (call := shown.call) is not None:
            before = replace(facts, table=shown.before)
            board = hand_notice(before, seat, player, called=call.call, caller=shown.view.caller)
            yield Want(slot, to, board, (shown.deal, 0), edit_only=True, player=player)
        return
    if table.seats[seat].player != player.id:
        return
    last = facts.last
    if table.status is Status.FINISHED and last is not None and last.over is not None:
        says_more = facts.shared and any(part.replaces for part in last.parts)  # and its feature writes to each player
        if not says_more and (not table.practice or by_ear(player, facts.config)):
            unfolded = None if facts.shared else False
            told = n.GameOverNotice(view=last.over, seat=seat, title=facts.chat.title, unfolded=unfolded)
            yield Want(slot, to, told, (AFTER_ALL_ROUNDS + 1,), frozen=True, player=player)
    elif table.status is Status.CLOSED:
        if not table.practice and (closed := closed_notice(facts)) is not None:
            yield Want(slot, to, closed, (AFTER_ALL_ROUNDS + 1,), edit_only=True, player=player)
    elif table.in_play(seat):
        hand, bids = hand_notice(facts, seat, player), facts.view.bids
        # The board of a player who is asked, or who bids, becomes the newest message of their chat.
        on_turn, has_bid = hand.view.on_turn, bool(bids) and bids[-1].seat == seat
        moment = 2 * (len(bids) + facts.view.rerolls) + on_turn
        key = (table.deals, moment if on_turn or has_bid else 0)
        edits = not (on_turn and by_ear(player, facts.config))
        yield Want(slot, to, hand, key, newest=edits, edit_only=table.seats[seat].away, player=player)
    elif last is not None and seat in last.view.out and (out := knocked_out_notice(facts, last.view)) is not None:
        yield Want(slot, to, out, (AFTER_ALL_ROUNDS,), frozen=True, player=player)


def message_wants(facts: Facts, seat: int, player: Player, to: Address) -> Iterator[Want]:
    """Return the message for each turn and each round of a player without a board; after the turn it loses its bids."""
    table = facts.table
    if facts.unrevealed is not None or not table.in_play(seat) or table.seats[seat].away:
        return
    if table.seats[seat].player != player.id:
        return
    hand = hand_notice(facts, seat, player)
    key = (table.deals, table.step if hand.view.is_theirs else 0)
    yield Want(hand_slot(player.id), to, hand, key, once=True, player=player)


def is_watched(facts: Facts) -> bool:
    """Return True if the person who practised here watches the computer players, and has looked at the last dice."""
    table = facts.table
    return table.without_people and table.watched and table.show_at is None


def practising(facts: Facts) -> Player | None:
    """Return the person who practises at the table."""
    if not facts.table.practice:
        return None
    return next((player for seat in range(len(facts.table.seats)) if (player := facts.player_at(seat))), None)
