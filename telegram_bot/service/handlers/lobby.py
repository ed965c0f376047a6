"""Handle the lobby: open, join, start."""

from __future__ import annotations

from telegram_bot.service import members
from telegram_bot.service.handlers.table_context import TableContext
from telegram_bot.service.intents import Intent, OpenLobby, StartPrivateChat
from telegram_bot.service.naming import has_own_name, require_same_person, take_name
from telegram_bot.service.next_game import wish_for_next_game
from telegram_bot.service.notices import (
    Confirmation,
    ConfirmationNotice,
    NextGameOfferNotice,
    RejectionNotice,
    Toast,
    WelcomeNotice,
)
from telegram_bot.service.records import load_table
from telegram_bot.service.replies import answer, say
from telegram_bot.service.seating import new_lobby, require_may_host, seat_for
from telegram_bot.service.table_lookup import find_named_table, has_dice_anywhere
from telegram_bot.service.table_outbox import OFFER_SLOT, TableOutbox
from telegram_bot.service.text_allowance import text_shortage
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.storage.models import DirectMessages, Player
from telegram_bot.tables import lobby
from telegram_bot.tables.events import RejectedError, RejectionReason, Step
from telegram_bot.tables.fair_dice import seal_beginning
from telegram_bot.tables.model import Status
from telegram_bot.tables.second_tap import SOONEST_SECONDS

WARNED_SECONDS = 600
"""For how long a host may begin a game for which the day's texts may not last. In seconds."""


def open_lobby(uow: UnitOfWork, intent: Intent, player: Player, what: OpenLobby) -> None:
    """Open a lobby in the group, or show again what stands there."""
    if intent.where is None:
        say(uow, intent, player, WelcomeNotice(name=player.name, titles=_titles(uow, player)))
        return
    chat = uow.ensure_chat(intent.where)
    chat.ephemeral_replies = True  # a private way that was refused may work for a new table
    if what.can_whisper is not None:
        chat.ephemeral = what.can_whisper
    running = uow.lock_live_table_in(chat)
    if running is not None:
        table, outbox = load_table(running), TableOutbox(uow, running, chat)
        running.page = None  # whoever asks for the lobby finds Join in it
        outbox.show_at_bottom(table)
        if table.status is Status.PLAYING and table.seat_of(player.id or 0) is None:
            outbox.to_group(NextGameOfferNotice(), OFFER_SLOT, supersedable=True)  # the second time nothing is sent
        return
    row, step = new_lobby(uow, chat, player)
    uow.commit_step(row, None, step)


def play_again(uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
    """Open a lobby for those who played before; a seat in it where another was quicker.

    Raises:
        RejectedError: a game runs there, or the player was not in the last one.
    """
    if intent.table is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    old = find_named_table(uow, intent, intent.table, player, locked=False)
    chat = uow.chat_of(old)
    running = uow.lock_live_table_in(chat)
    if running is not None:
        table = load_table(running)
        if table.status is Status.LOBBY and table.seat_of(player.id or 0) is None:
            return join(TableContext(uow, running, intent, player))
        raise RejectedError(RejectionReason.TABLE_EXISTS)
    if load_table(old).seat_of(player.id or 0) is None:
        raise RejectedError(RejectionReason.NOT_SEATED)  # a rejection commits: no row may be written before it
    if intent.where is not None:
        members.mark_joined(uow, intent.where, (player.address,))
    require_may_host(uow, player)
    gone = members.players_who_left(uow, chat)
    row, secret = uow.new_table(chat)
    step = lobby.rematch(
        load_table(old),
        row.id or 0,
        row.code,
        player.id or 0,
        gone=gone,
        now=uow.now,
        timings=uow.timings,
        secret=secret,
    )
    if step.table.practice:
        started = lobby.start(step.table, player.id or 0, now=uow.now, rng=uow.rng, timings=uow.timings)
        uow.commit_step(row, None, step.then(started))
        return None
    uow.commit_step(row, None, step)
    if intent.where is not None or intent.answered_by != "toast":
        return None
    return ConfirmationNotice(done=Confirmation.OPENED_AGAIN, title=chat.title)


def wish_next_game(uow: UnitOfWork, intent: Intent, player: Player) -> Toast | None:
    """Remember that the person wants to be told of the next lobby in the group.

    Raises:
        RejectedError: a lobby is open, or they play already.
    """
    if intent.where is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    chat = uow.ensure_chat(intent.where)
    running = uow.lock_live_table_in(chat)
    if running is not None:
        table = load_table(running)
        if table.status is Status.LOBBY:
            raise RejectedError(RejectionReason.TABLE_EXISTS)
        seat = table.seat_of(player.id or 0)
        if seat is not None and table.in_play(seat):
            raise RejectedError(RejectionReason.ALREADY_JOINED)
    wish_for_next_game(uow, chat, player)
    done = ConfirmationNotice(done=Confirmation.NEXT_GAME, reachable=player.direct == DirectMessages.OPEN)
    return answer(uow, intent, player, done)


def start_private_chat(uow: UnitOfWork, intent: Intent, player: Player, what: StartPrivateChat) -> None:
    """Greet the person, and seat them at the table of their link. `multi_table` has sent the dice of running games."""
    player.direct = DirectMessages.OPEN
    uow.session.flush()
    joined = _join_by_code(uow, intent, player, what.code) if what.code is not None else False
    if what.greeted and not joined and not has_dice_anywhere(uow, player):
        say(uow, intent, player, WelcomeNotice(name=player.name, titles=_titles(uow, player)))


def join(context: TableContext, name: str | None = None) -> Toast | None:
    """Take a seat in the lobby. A player whose language is not known gets the table's language.

    `name`: what the player wants to be called from now on. Who sits here without a name only gets it.
    """
    uow, player = context.uow, context.player
    require_same_person(uow, player, name)
    if name is not None and player.nameless and context.table.seat_of(context.player_id) is not None:
        context.rename_seat(name)
        return answer(uow, context.intent, player, ConfirmationNotice(done=Confirmation.NAMED, title=name))
    if context.intent.who.language_is_guess and context.player.channel == context.intent.who.channel:
        context.player.language = context.uow.language_of(context.chat)
    name = name if has_own_name(context.intent, player) else None
    step = lobby.join(context.table, seat_for(uow, player, name), now=uow.now, timings=uow.timings)
    take_name(uow, player, name)
    context.uow.commit_step(context.row, context.table, step)
    done = ConfirmationNotice(
        done=Confirmation.JOINED,
        title=context.chat.title,
        nameless=player.nameless,
        seal=seal_beginning(step.table),
        reachable=player.direct == DirectMessages.OPEN,
    )
    if context.intent.where is None or context.intent.answered_by == "toast":
        return answer(context.uow, context.intent, context.player, done)
    return None


def kick(context: TableContext, player: int) -> Toast | None:
    """Send a player out of the lobby; a player who does not see the lobby's chat is told in private."""
    step = lobby.kick(context.table, context.player_id, player, now=context.uow.now, timings=context.uow.timings)
    toast = context.save_and_answer(step)
    outbox = TableOutbox(context.uow, context.row, context.chat)
    outbox.to_remote([player], ConfirmationNotice(done=Confirmation.SENT_OUT, title=context.chat.title))
    return toast


def start(context: TableContext) -> Toast | None:
    """Begin the game. If the day's texts may not last for it, the host is told first, and begins it the second time."""
    step = lobby.start(
        context.table, context.player_id, now=context.uow.now, rng=context.uow.rng, timings=context.uow.timings
    )
    short = text_shortage(context.uow, context.table, context.chat)
    if short is not None and (short.none_for_some or not _was_warned(context)):
        context.save_and_answer(Step(context.table.replace(warned_at=context.uow.now)))
        notice = RejectionNotice(
            denial=RejectionReason.TEXTS_USED_UP if short.none_for_some else RejectionReason.TEXTS_SHORT,
            number=short.phones,
            texts=(short.needed, short.left),
        )
        return answer(context.uow, context.intent, context.player, notice)
    return context.save_and_answer(step, ConfirmationNotice(done=Confirmation.STARTED))


def _was_warned(context: TableContext) -> bool:
    """Whether the host was told that the day's texts may not last, and has not just tapped twice."""
    warned_at = context.table.warned_at
    soonest = SOONEST_SECONDS if context.intent.answered_by == "toast" else 0
    return warned_at is not None and soonest <= context.uow.now - warned_at <= WARNED_SECONDS


def _join_by_code(uow: UnitOfWork, intent: Intent, player: Player, code: str) -> bool:
    """Take the seat that a link offers; a player who sits there already only opened the private chat."""
    row = uow.lock_table_by_code(code.upper())
    if row is None:
        raise RejectedError(RejectionReason.NO_TABLE)
    if load_table(row).seat_of(player.id or 0) is not None:
        return False
    join(TableContext(uow, row, intent, player))
    return True


def _titles(uow: UnitOfWork, player: Player) -> tuple[str, ...]:
    return tuple(uow.chat_of(row).title for row in uow.live_tables_of(player))
