"""What a player looks at: their dice, a keyboard for their bid, the table as it stands, the record of a game."""

from __future__ import annotations

from sqlmodel import col, select

from telegram_bot.service.announcer import Announcer, deal_slot, own_table
from telegram_bot.service.game_record import game_record
from telegram_bot.service.handlers.table_context import Visit
from telegram_bot.service.intents import BidHere, BrowseBids
from telegram_bot.service.members import deaf_in
from telegram_bot.service.notices import (
    DiceNotice,
    Done,
    DoneNotice,
    Envelope,
    HandNotice,
    KeyboardNotice,
    LobbyNotice,
    Mode,
    Notice,
    TableNotice,
    Toast,
)
from telegram_bot.service.private_routes import PREFERRED, Way, wants_link
from telegram_bot.service.replies import answer, say
from telegram_bot.storage.models import Outbox, PrivateView, Sending
from telegram_bot.tables.events import Denial, DeniedError, Step
from telegram_bot.tables.model import Status
from telegram_bot.tables.views import hand_view, lobby_view, table_view

QUERY_SECONDS = 12
"""How long after a tap an ephemeral answer is worth trying; Telegram allows 15."""

RECORD_SECONDS = 600
"""How long the record of a game is not sent again to where it was sent."""

RECORD_SLOT = "record"


def see_dice(visit: Visit, *, by_tap: bool) -> Toast | None:
    """Show the player their dice: in an alert where they tapped, else in the way that is theirs."""
    seat = visit.seat()
    if visit.table.game is None:
        raise DeniedError(Denial.NO_GAME)
    if not visit.table.in_play(seat):
        raise DeniedError(Denial.OUT)
    visit.do(Step(visit.table))
    if by_tap:
        return DiceNotice(view=hand_view(visit.table, seat))
    announcer = Announcer(visit.work, visit.row, visit.chat)
    if visit.intent.where is None:
        bring_hand(visit, seat)
    elif not announcer.hand(visit.table, seat, fresh=False):
        announcer.round(visit.table)
        say(visit.work, visit.intent, visit.player, DoneNotice(done=Done.VIEW_CHOSEN, view=PrivateView.ALERT))
    return None


def hand_notice(visit: Visit, seat: int) -> HandNotice:
    """What tells the player of their dice, and on their turn asks for a call."""
    return HandNotice(
        view=hand_view(visit.table, seat), player=visit.me, title=visit.chat.title, deal=visit.table.deals
    )


def bring_hand(visit: Visit, seat: int) -> None:
    """Send the dice where the player asked for them: to their private chat."""
    say(visit.work, visit.intent, visit.player, hand_notice(visit, seat), table=visit.table.id)


def bid_here(visit: Visit, what: BidHere) -> Toast | None:
    """Open a keyboard in the group: one that only the player sees if the channel can, else the table's own."""
    seat = visit.seat()
    game = visit.table.game
    if game is None or not visit.table.in_play(seat):
        raise DeniedError(Denial.OUT if game is not None else Denial.NO_GAME)
    if game.turn != seat:
        on_turn = None if game.turn is None else visit.table.seats[game.turn].name
        raise DeniedError(Denial.ILLEGAL, on_turn=on_turn)
    announcer = Announcer(visit.work, visit.row, visit.chat)
    if visit.intent.where is None:
        visit.do(Step(visit.table))
        bring_hand(visit, seat)
        return None
    if what.query is not None and _may_whisper(visit):
        visit.table = visit.table.but(whispered=visit.table.step)
        visit.do(Step(visit.table))
        envelope = announcer.private(visit.player, Way.EPHEMERAL, hand_notice(visit, seat))
        visit.work.send(
            envelope.model_copy(update={"query": what.query}),
            table=visit.table.id,
            expires_at=visit.work.now + QUERY_SECONDS,
        )
        return DoneNotice(done=Done.DICE_SENT)
    visit.do(Step(visit.table))
    notice = TableNotice(
        view=table_view(visit.table), shared=True, unreachable=wants_link(visit.player, visit.chat, announcer.deaf)
    )
    announcer.to_group(notice, deal_slot(visit.table), supersedable=True)
    return DoneNotice(done=Done.SHARED_KEYBOARD)


def _may_whisper(visit: Visit) -> bool:
    """Whether a tap can be answered with a keyboard that only the player sees; once a turn, it may not arrive."""
    wanted = Way.EPHEMERAL in PREFERRED[visit.player.view]
    if not wanted or not visit.chat.ephemeral_replies or visit.table.whispered == visit.table.step:
        return False
    return visit.me not in deaf_in(visit.work, visit.chat)


def browse(visit: Visit, what: BrowseBids) -> Toast | None:
    """Turn one message's keyboard to a face's quantities; the bids offered are the same for all eyes."""
    seat = visit.seat()
    game = visit.table.game
    if visit.table.status is not Status.PLAYING or game is None:
        raise DeniedError(Denial.NO_GAME)
    if visit.intent.step != visit.table.step:
        raise DeniedError(Denial.STALE)
    if game.turn != seat:
        on_turn = None if game.turn is None else visit.table.seats[game.turn].name
        raise DeniedError(Denial.ILLEGAL, on_turn=on_turn)
    visit.do(Step(visit.table))
    private = what.receiver is not None or what.chat == visit.player.address
    notice = KeyboardNotice(
        view=hand_view(visit.table, seat).table if private else table_view(visit.table),
        seat=seat,
        face=what.face,
        message=what.message,
        private=private,
    )
    envelope = Envelope(
        channel=visit.player.channel if private else visit.chat.channel,
        chat=what.chat,
        receiver=what.receiver,
        language=visit.work.language_for(visit.player) if private else visit.work.language_of(visit.chat),
        mode=Mode.TARGET,
        notice=notice,
    )
    # Who leafs quickly through the pages is shown the last one: each costs the chat one of its edits.
    page = f"page:{what.receiver or 0}:{what.message}"
    visit.work.send(envelope, table=visit.table.id, slot=page, supersedable=True)
    return None


def see_record(visit: Visit) -> Toast | None:
    """Send the finished game as a file."""
    if visit.table.status is not Status.FINISHED:
        raise DeniedError(Denial.NO_GAME)
    if _record_is_above(visit):
        return answer(visit.work, visit.intent, visit.player, DoneNotice(done=Done.RECORD_ABOVE))
    record = game_record(visit.work, visit.table)
    say(visit.work, visit.intent, visit.player, record, table=visit.table.id, slot=RECORD_SLOT)
    return None


def _record_is_above(visit: Visit) -> bool:
    """Whether the file was sent to this chat a short while ago, or is about to be."""
    where = visit.intent.who if visit.intent.where is None else visit.intent.where
    query = (
        select(Outbox.id)
        .where(Outbox.table_id == visit.table.id, Outbox.slot == RECORD_SLOT)
        .where(Outbox.lane == f"{where.channel}:{where.address}")
        .where(col(Outbox.status).in_((Sending.PENDING, Sending.SENDING, Sending.SENT)))
        .where(Outbox.created_at > visit.work.now - RECORD_SECONDS)
    )
    return visit.work.session.exec(query.limit(1)).first() is not None


def see_status(visit: Visit) -> Toast | None:
    """Show how the table stands, where it was asked."""
    visit.do(Step(visit.table))
    notice: Notice
    if visit.table.status is Status.LOBBY:
        notice = LobbyNotice(view=lobby_view(visit.table), numbers=visit.work.house.numbers)
    elif visit.table.status is Status.PLAYING:
        notice = own_table(visit.table, visit.table.seat_of(visit.me))
    else:
        raise DeniedError(Denial.NO_TABLE)
    if visit.intent.where is None:
        say(visit.work, visit.intent, visit.player, notice)
        return None
    show_again(visit)
    return None


def show_again(visit: Visit) -> None:
    """Bring the table's message down to the end of the chat."""
    announcer = Announcer(visit.work, visit.row, visit.chat)
    announcer.bring_down(visit.table)
    if visit.table.status is Status.LOBBY:
        announcer.lobby(visit.table)
    else:
        announcer.round(visit.table)
