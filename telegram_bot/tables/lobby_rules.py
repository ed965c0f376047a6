"""The lobby: joining, leaving, the host's choices, the start."""

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final

from perudo_core import PRESETS, Rules, RulesError, Subject, new_game
from perudo_core.fair import SCHEMA
from perudo_core.stirs import SIGNS
from telegram_bot.tables.events import (
    HostChanged,
    PlainEvent,
    RejectedError,
    RejectionReason,
    TableChange,
)
from telegram_bot.tables.faces import free_face
from telegram_bot.tables.handovers import owned_by
from telegram_bot.tables.house_rules import TWISTS, book_of, has_twist
from telegram_bot.tables.model import (
    COMPUTER_MARK,
    CloseReason,
    Moment,
    OnTimeout,
    Seat,
    Status,
    StepState,
    Table,
    TurnClock,
)
from telegram_bot.tables.names import told_apart
from telegram_bot.tables.play import CORE_VERSION, deal_round
from telegram_bot.tables.sealed_dice import commitment_of, may_stir, with_stir

CLOCK_CHOICES = (0, 30, 60, 120, 300, 900, 3600, 21600, 86400)
"""The turn clocks of a lobby, in seconds; 0 is off."""
LEAST_WITH_NIGHTS = 3600
"""The shortest clock that stops at night: a quick game would wait until the morning."""

HOUSE_OPTIONS: Final = tuple(
    name
    for subject in Subject
    for name, row in Rules.options().items()
    if row.subject is subject and subject is not Subject.SEATS
)
"""The options of the rules that a lobby changes, by subject."""
FORMER_OPTIONS: Final = {"opener_method": "opener"}
"""Options by the names that buttons and notices of release 1.0 contain."""


@dataclass(frozen=True, slots=True)
class NewTable:
    """The values that distinguish a new table from all others."""

    id: int
    code: str
    secret: str | None = None
    """The secret that seals the dice of its game, or None if fair dice are off."""
    evening_code: str | None = None
    """See `Table`."""


def open_lobby(new: NewTable, host: Seat, rules: Rules, clock: TurnClock, *, moment: Moment) -> TableChange:
    """Return a new lobby with its host seated."""
    table = Table(
        id=new.id,
        code=new.code,
        evening_code=new.evening_code,
        host=host.player,
        opened_by=host.player,
        seats=(host,),
        rules=rules,
        clock=clock,
        most_seats=moment.timings.most_seats,
        secret=new.secret,
        dice_schema=SCHEMA,
        idle_at=moment.now + moment.timings.lobby_idle(clock),
    )
    return TableChange(table, (PlainEvent.LOBBY_CHANGED,))


def rematch(
    finished: Table,
    new: NewTable,
    by: int,
    *,
    moment: Moment,
    gone: Collection[int] = (),
    waiting: int = 0,
    unrated: bool = False,
    watcher: Seat | None = None,
) -> TableChange:
    """Return a new lobby that seats the players of a finished game, under the same rules, with the same host.

    The player who asks, `by`, becomes host if the last one has left, or was away at the end. Players who are `gone`
    from the chat meanwhile, and forgotten ones, get no seat. Computer players leave seats to the `waiting` people.
    `watcher`: the seat of the person who asks, if they did not play; a player becomes host before they do.
    """
    if finished.status not in (Status.FINISHED, Status.CLOSED):
        raise RejectedError(RejectionReason.ALREADY_RUNNING)
    seat = finished.seat_of(by)
    asking = watcher if seat is None else finished.seats[seat]
    if asking is None:
        raise RejectedError(RejectionReason.NOT_SEATED)
    opened = open_lobby(new, asking, finished.rules, finished.clock, moment=moment)
    stay = staying(finished, gone)
    computers = [each for each in stay if each.computer is not None]
    crowded_out = computers[max(0, len(computers) - max(0, len(stay) + waiting - opened.table.max_seats)) :]
    here = [each.player for each in stay if each.computer is None and not each.away]
    host = finished.host if finished.host in here else by if seat is not None else next(iter(here), by)
    table = opened.table.replace(
        host=host,
        host_awaited_since=None if host == by else moment.now,
        ready=(by,),
        seats=tuple(each.model_copy(update=_AS_NEW) for each in stay if each not in crowded_out),
        practice=finished.practice,
        options=finished.options,
        unrated=unrated,
    )
    return TableChange(table, opened.events) if seat is not None else join(table, asking, moment=moment)


_AS_NEW: Final = {
    "away": False,
    "left_to_bot": False,
    "misses": 0,
    "dice_before": None,
    "next": None,
    "owner": None,
    "changed_hands": False,
}


def staying(finished: Table, gone: Collection[int]) -> list[Seat]:
    """Return the seats of a finished game that have one in the next: not those of people who are gone or forgotten."""
    return [
        each for each in finished.seats if each.computer is not None or (each.is_person and each.player not in gone)
    ]


HOST_AWAITED_SECONDS: Final = 30.0
"""How long a lobby that was opened again waits for the last game's host."""


def play_along(table: Table, person: Seat, *, moment: Moment) -> TableChange:
    """Count a person who taps *Play again* too, and seat them if they have no seat.

    It makes a seated player host if the awaited host does not come.
    """
    player = person.player
    if table.seat_of(player) is None:
        taken = join(table, person, moment=moment)
    else:
        taken = take_over(table, player, now=moment.now)
    ready = (*table.ready, *([] if player in table.ready else [player]))
    return taken.then(lobby_changed(taken.table.replace(ready=ready), moment))


def take_over(table: Table, player: int, *, now: float) -> TableChange:
    """Make a seated player host if the last game's host has not acted for a while in the lobby opened for them."""
    since = table.host_awaited_since
    late = since is not None and now - since >= HOST_AWAITED_SECONDS
    if not late or player == table.host or table.seat_of(player) is None:
        return TableChange(table)
    return TableChange(table.replace(host=player, host_awaited_since=None), (HostChanged(player),))


def join(table: Table, seat: Seat, *, moment: Moment) -> TableChange:
    """Seat a player at the end of the turn order; in a full lobby the last computer player makes room."""
    require_lobby(table)
    if table.seat_of(seat.player) is not None:
        raise RejectedError(RejectionReason.ALREADY_JOINED)
    if seat.player in table.kicked:
        raise RejectedError(RejectionReason.SENT_OUT)
    seats = table.seats
    if len(seats) >= table.max_seats:
        computers = [each for each in seats if each.computer is not None]
        if not computers or seat.computer is not None:
            raise RejectedError(RejectionReason.FULL, number=table.max_seats)
        seats = tuple(each for each in seats if each != computers[-1])
    name = told_apart(seat.name, (each.name for each in seats))
    face = None if seat.face is None else free_face(seat.face, (each.face for each in seats))
    seated = seat.model_copy(update={"name": name, "face": face})
    return lobby_changed(table.replace(seats=(*seats, seated)), moment)


def leave(table: Table, player: int, *, moment: Moment) -> TableChange:
    """Free a seat before the start; the next player becomes host, a lobby without people closes."""
    require_lobby(table)
    if table.seat_of(player) is None:
        raise RejectedError(RejectionReason.NOT_SEATED)
    seats = tuple(seat for seat in table.seats if seat.player != player)
    if all(seat.computer is not None for seat in seats):
        return close(table.replace(seats=()), CloseReason.EMPTY)
    handed = hand_over_host(table, player)
    changed = lobby_changed(handed.table.replace(seats=seats), moment)
    return changed.then(TableChange(changed.table, handed.events))


def hand_over_host(table: Table, gone: int) -> TableChange:
    """Make the next person to the left host when the host leaves their seat, also one that another player has now.

    A person for whom the bot plays is host only if no other person is there; one who has left for good never is.
    """
    seat = owned_by(table, gone) if (sits := table.seat_of(gone)) is None else sits
    if table.host != gone or seat is None:
        return TableChange(table)
    to_the_left = ((seat + step) % len(table.seats) for step in range(len(table.seats)))
    in_game = [table.seats[left] for left in to_the_left if table.game is None or left in table.game.active_seats]
    heirs = [each for each in in_game if each.player != gone and each.computer is None and not each.left_to_bot]
    if not heirs:
        return TableChange(table)
    host = min(heirs, key=lambda heir: heir.away).player
    return TableChange(table.replace(host=host), (HostChanged(host),))


def kick(table: Table, by: int, player: int, *, moment: Moment) -> TableChange:
    """Remove a player from the lobby for good, for the host only; a computer player may be added again."""
    require_host(table, by)
    if player == by:
        raise RejectedError(RejectionReason.NOT_ALLOWED)
    seat = table.seat_of(player)
    kept = seat is not None and table.is_computer(seat)
    out = table if kept else table.replace(kicked=(*table.kicked, player))
    return leave(out, player, moment=moment)


def consider(table: Table, by: int, *, moment: Moment) -> TableChange:
    """Keep the lobby open while the host reads the options; the table does not change."""
    require_host(table, by)
    return lobby_changed(table, moment)


def choose_rules(table: Table, by: int, rules: Rules, clock: TurnClock | None = None, *, moment: Moment) -> TableChange:
    """Change the rules, for the host only; without a `clock`, the turn clock stays."""
    require_host(table, by)
    return lobby_changed(_with_rules(table, rules).replace(clock=clock or table.clock), moment)


def choose_options(table: Table, by: int, options: Mapping[str, str], *, unrated: bool, moment: Moment) -> TableChange:
    """Store the choices that are no rules, for the host only."""
    require_host(table, by)
    return lobby_changed(table.replace(options=options, unrated=unrated), moment)


def change_option(table: Table, by: int, option: str, value: str | None = None, *, moment: Moment) -> TableChange:
    """Set an option of the lobby, for the host only: rules, turn clock, missed turn.

    `value` is written as in a file. If it is None, the option changes to its next value.

    Raises:
        RejectedError: no such option or value, or the value contradicts another option.
    """
    require_host(table, by)
    option = FORMER_OPTIONS.get(option, option)
    match option, value:
        case "rulebook", str(preset) if preset in PRESETS:
            changed = _with_rules(table, Rules.preset(preset))
        case "twist", str(twist) if twist in TWISTS:
            is_on = has_twist(table.rules, twist)
            options = {twist: getattr(book_of(table.rules), twist)} if is_on else TWISTS[twist]
            changed = _with_rules(table, _allowed(table.rules, options))
        case "clock", str(choice) if choice in map(str, CLOCK_CHOICES):
            seconds = int(choice)
            quiet = table.clock.quiet if seconds >= LEAST_WITH_NIGHTS else None
            changed = table.replace(clock=table.clock.model_copy(update={"seconds": seconds, "quiet": quiet}))
        case "on_timeout", str(choice) if choice in set(OnTimeout):
            changed = table.replace(clock=table.clock.model_copy(update={"on_timeout": OnTimeout(choice)}))
        case _:
            changed = _with_rules(table, with_option(table.rules, option, value))
    return lobby_changed(changed, moment)


def is_offered(rules: Rules, option: str) -> bool:
    """Return True if an option can change the game, and can have another value under these rules."""
    row = Rules.options()[option]
    return row.has_effect(rules) and any(_is_allowed(rules, option, value) for value in row.values)


def _is_allowed(rules: Rules, option: str, value: object) -> bool:
    try:
        return rules.with_options(**{option: value}) != rules
    except RulesError:
        return False


def with_option(rules: Rules, option: str, value: str | None = None) -> Rules:
    """Return the rules with one of `HOUSE_OPTIONS` set; arguments and errors are those of `change_option`."""
    if option not in HOUSE_OPTIONS:
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)
    choices = Rules.options()[option].values
    chosen = [choice for choice in choices if str(choice).lower() == value]  # as a file writes True
    if value is None:
        chosen = [choices[(choices.index(getattr(rules, option)) + 1) % len(choices)]]
    if not chosen:
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)
    return _allowed(rules, {option: chosen[0]})


def _allowed(rules: Rules, options: Mapping[str, Any]) -> Rules:
    try:
        return rules.with_options(**options)
    except RulesError as error:
        raise RejectedError(RejectionReason.CONTRADICTION) from error


def _with_rules(table: Table, rules: Rules) -> Table:
    """Return the table with other rules; if the seal covers what changed, stirs under the old seal become void."""
    changed = table.replace(rules=rules)
    return changed if commitment_of(changed) == commitment_of(table) else changed.replace(sealed=False, stirs=())


def seal_dice(table: Table, player: int, *, moment: Moment) -> TableChange:
    """Publish the seal of the dice, because a player wants to stir, unless it is published already."""
    require_lobby(table)
    if table.seat_of(player) is None:
        raise RejectedError(RejectionReason.JOIN_FIRST)
    if table.sealed or table.secret is None:
        return TableChange(table)
    return TableChange(lobby_changed(table.replace(sealed=True), moment).table, (PlainEvent.DICE_SEALED,))


def stir_dice(table: Table, player: int, what: str, *, moment: Moment) -> TableChange:
    """Add a player's sign to the dice, for good: it stays even if the player leaves the lobby.

    The chat has shown it, and others have stirred after it. A stir before the seal only publishes the seal: stirs must
    not be known when the secret is sealed.
    """
    if what not in SIGNS:
        raise RejectedError(RejectionReason.UNKNOWN_OPTION)
    sealed = seal_dice(table, player, moment=moment)
    if sealed.events:
        return sealed
    if not may_stir(table, player):
        raise RejectedError(RejectionReason.STIRRED_ENOUGH)
    return TableChange(lobby_changed(with_stir(table, player, what), moment).table, (PlainEvent.DICE_STIRRED,))


def require_may_start(table: Table, by: int, *, moment: Moment) -> TableChange:
    """Return the table whose game this player may begin.

    Raises:
        RejectedError: another player is the host, or too few or too many sit there.
    """
    taken = take_over(table, by, now=moment.now)
    table = taken.table
    require_host(table, by)
    if len(table.seats) < table.rules.min_seats:
        raise RejectedError(RejectionReason.TOO_FEW, number=table.rules.min_seats)
    if len(table.seats) > table.max_seats:
        raise RejectedError(RejectionReason.TOO_MANY, number=table.max_seats)
    return taken


def start(table: Table, by: int, *, moment: Moment) -> TableChange:
    """Begin the game: draw or roll for the opener, then roll the first dice."""
    taken = require_may_start(table, by, moment=moment)
    table = taken.table
    begun = table.replace(
        status=Status.PLAYING,
        idle_at=None,
        core_versions=(CORE_VERSION,),
        game=new_game(table.rules, [seat.name for seat in table.seats]),
        this_step=StepState(),
    )
    return taken.then(TableChange(begun, (PlainEvent.GAME_STARTED,))).then(
        deal_round(begun, begins=moment.now, moment=moment)
    )


def stop(table: Table, by: int, *, is_admin: bool | None) -> TableChange:
    """End a lobby or a game for everyone, for the host or an admin of the chat (`is_admin` is None if unknown)."""
    if table.status not in (Status.LOBBY, Status.PLAYING):
        raise RejectedError(RejectionReason.NO_TABLE)
    if table.going_on:
        raise RejectedError(RejectionReason.NOT_ALLOWED)  # others wait for its end
    if by != table.host and is_admin is None:
        raise RejectedError(RejectionReason.CANNOT_TELL)
    if by != table.host and not is_admin:
        raise RejectedError(RejectionReason.NOT_ALLOWED)
    return close(table, CloseReason.STOPPED, by)


def close(table: Table, why: CloseReason, by: int | None = None) -> TableChange:
    """Close a table without a winner."""
    closed = table.ended(Status.CLOSED).replace(closed_why=why, closed_by=by)
    return TableChange(closed, (PlainEvent.TABLE_CLOSED,))


def require_lobby(table: Table) -> None:
    """Make sure that the game has not begun."""
    if table.status is Status.PLAYING:
        raise RejectedError(RejectionReason.ALREADY_RUNNING)
    if table.status is not Status.LOBBY:
        raise RejectedError(RejectionReason.GAME_OVER)


def require_host(table: Table, by: int) -> None:
    """Make sure that the host acts, before the game."""
    require_lobby(table)
    if by != table.host:
        host = next((seat.name for seat in table.seats if seat.player == table.host), None)
        raise RejectedError(RejectionReason.NOT_HOST, on_turn=host)


def lobby_changed(table: Table, moment: Moment) -> TableChange:
    """Return the step to a changed lobby; its idle deadline begins anew."""
    return TableChange(
        table.replace(idle_at=moment.now + moment.timings.lobby_idle(table.clock)), (PlainEvent.LOBBY_CHANGED,)
    )


def others_changed(before: Table | None, table: Table) -> bool:
    """Return True if another person than the host joined, left or changed."""
    return (
        before is not None
        and (before.host, before.kicked) == (table.host, table.kicked)
        and _guests(before) != _guests(table)
    )


def _guests(table: Table) -> list[Seat]:
    return [seat for seat in table.seats if seat.computer is None and seat.player != table.host]


def player_named(table: Table, name: str) -> int:
    """Find a player by name, by its beginning, or by place in the list.

    Raises:
        RejectedError: no player matches, or several do.
    """
    if name.isdecimal():
        found = table.seats[int(name) - 1 : int(name)] if int(name) else ()
    else:
        whole = [seat for seat in table.seats if _plain(seat.name) == _plain(name)]
        found = tuple(whole or [seat for seat in table.seats if _plain(seat.name).startswith(_plain(name))])
    if len(found) != 1:
        raise RejectedError(RejectionReason.NOBODY)
    return found[0].player


def _plain(name: str) -> str:
    """Return a name for comparison: without capitals and accents."""
    parted = unicodedata.normalize("NFKD", name.removeprefix(COMPUTER_MARK).casefold())
    return " ".join("".join(letter for letter in parted if not unicodedata.combining(letter)).split())
