"""Players for whom the bot plays: the host can remove them amid a game, and another player can take their seat."""

from telegram_bot.tables import play
from telegram_bot.tables.events import (
    Handover,
    RejectedError,
    RejectionReason,
    SeatHandover,
    TableChange,
    no_running_game,
)
from telegram_bot.tables.faces import free_face
from telegram_bot.tables.handovers import awaited_by, goes_back, owned_by, withdraw
from telegram_bot.tables.model import Moment, Seat, Status, Table
from telegram_bot.tables.names import told_apart


def asleep(table: Table) -> tuple[int, ...]:
    """Return the seats of people who may come back, and for whom the bot plays until then."""
    return tuple(seat for seat in _played_by_the_bot(table) if not table.seats[seat].left_to_bot)


def _played_by_the_bot(table: Table) -> tuple[int, ...]:
    return tuple(
        index for index, seat in enumerate(table.seats) if table.in_play(index) and seat.away and seat.computer is None
    )


def remove(table: Table, by: int, player: int, *, dice_go: bool, moment: Moment) -> TableChange:
    """Remove a sleeper, for the host only: their dice go, or the bot plays with them until the game is over.

    Raises:
        RejectedError: no game runs, the asker is not the host, or the player is not asleep.
    """
    if table.status is not Status.PLAYING:
        raise no_running_game(table)
    if by != table.host:
        host = next((seat.name for seat in table.seats if seat.player == table.host), None)
        raise RejectedError(RejectionReason.NOT_HOST, on_turn=host)
    seat = table.seat_of(player)
    if seat is None or seat not in asleep(table):
        raise RejectedError(RejectionReason.STALE)
    if dice_go:
        return play.resign(table, seat, moment=moment)
    return TableChange(table.with_seat(seat, left_to_bot=True))


def takeable(table: Table) -> tuple[int, ...]:
    """Return the seats that another player may take. People practise alone."""
    if table.practice:
        return ()
    return tuple(seat for seat in _played_by_the_bot(table) if table.seats[seat].next is None)


def take(table: Table, newcomer: Seat, player: int = 0, *, moment: Moment) -> TableChange:
    """Let a person take a sleeper's seat at the next deal; the owner of a seat takes it back from any player.

    `player`: the player whose seat it is; 0 means any.

    Raises:
        RejectedError: the person sits here, or was removed, or no such seat is free.
    """
    if table.status is not Status.PLAYING:
        raise no_running_game(table)
    if table.seat_of(newcomer.player) is not None:
        raise RejectedError(RejectionReason.ALREADY_RUNNING)
    if awaited_by(table, newcomer.player) is not None:
        raise RejectedError(RejectionReason.ALREADY_JOINED)
    own = owned_by(table, newcomer.player)
    owner = None if own is None else table.seats[own].owner
    if newcomer.player in table.kicked or (owner is not None and owner.left_to_bot):
        raise RejectedError(RejectionReason.SENT_OUT)
    if own is not None and not table.in_play(own):
        raise RejectedError(RejectionReason.OUT)
    if own is not None:
        kept = withdraw(table, own, Handover.KEPT)
        return kept.then(_promise(kept.table, own, newcomer, Handover.TAKEN_BACK, moment))
    free = takeable(table)
    if player:
        seat = table.seat_of(player)
        waiting = None if seat is None else table.seats[seat].next
        if waiting is not None:
            raise RejectedError(RejectionReason.SEAT_TAKEN, on_turn=waiting.name)
        free = tuple(each for each in free if each == seat)
    if not free:
        raise RejectedError(RejectionReason.STALE if player else RejectionReason.LATE)
    return _promise(table, free[0], newcomer, Handover.TAKEN, moment)


def _promise(table: Table, index: int, newcomer: Seat, what: Handover, moment: Moment) -> TableChange:
    """Note the next player of a seat; a game that waits for people goes on, so that the next deal comes."""
    others = [seat for other, seat in enumerate(table.seats) if other != index]
    others += [seat.next for seat in others if seat.next is not None]
    name = told_apart(newcomer.name, (seat.name for seat in others))
    face = None if newcomer.face is None else free_face(newcomer.face, (seat.face for seat in others))
    promised = table.with_seat(index, next=newcomer.model_copy(update={"name": name, "face": face}))
    happened = SeatHandover(index, what, newcomer.player, name, table.seats[index].name)
    step = TableChange(promised, (happened,))
    return step.then(play.start_clock(promised, now=moment.now, timings=moment.timings)) if table.paused else step


def move(table: Table, index: int, *, moment: Moment) -> TableChange:
    """Open a seat on another device of its player: one that has dice at the next deal, until which the bot plays."""
    seat = table.seats[index]
    has_dice = table.status is Status.PLAYING and table.in_play(index)
    what = Handover.MOVES if has_dice else Handover.MOVED
    happened = (SeatHandover(index, what, seat.player, seat.name, seat.name),)
    if not has_dice:
        return TableChange(table, happened)
    kept = withdraw(table, index, Handover.KEPT)
    back = kept.table.seats[index].model_copy(update={"away": False, "misses": 0, "dice_before": None})
    left = kept.table.with_seat(index, away=True, next=back)
    step = TableChange(left, (*kept.events, *happened))
    if not (table.paused or table.begun_game.turn == index):
        return step
    return step.then(play.start_clock(left, now=moment.now, timings=moment.timings))


def give_up(table: Table, player: int) -> TableChange | None:
    """Let a player leave who waits for a seat, or whose seat another one has. None means that they do neither."""
    waits, own = awaited_by(table, player), owned_by(table, player)
    if table.status is not Status.PLAYING or (waits is None and own is None):
        return None
    what = Handover.GIVEN_UP if own is None else Handover.KEPT
    step = TableChange(table) if waits is None else withdraw(table, waits, what)
    return step if own is None else step.then(TableChange(step.table.with_seat(own, owner=None)))


def leave_to_owner(table: Table, index: int, *, moment: Moment) -> TableChange | None:
    """Let a player leave a seat that is another's: the bot plays on, and the owner's seat is as it was.

    None if the seat is their own, or the bot plays on there already.
    """
    seat = table.seats[index]
    if seat.owner is None or seat.left_to_bot or not table.in_play(index):
        return None
    back = seat.next if goes_back(seat) else seat.owner
    left = table.with_seat(index, away=True, left_to_bot=True, next=back)
    step = TableChange(left, (SeatHandover(index, Handover.GIVEN_UP, seat.player, seat.name, seat.owner.name),))
    if table.begun_game.turn != index:
        return step
    return step.then(play.start_clock(left, now=moment.now, timings=moment.timings))
