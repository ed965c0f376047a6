"""The state of one table: seats, rules, game, clock."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, Final, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema

from perudo_core import Rules, State, dump_state, load_state
from perudo_core.agents import Character, Level
from telegram_bot.tables.faces import Face
from telegram_bot.tables.quiet_hours import QuietHours

UNLIMITED_SEATS: Final = 10
"""Seats at a table whose rulebook sets no limit, unless the installation says otherwise."""


COMPUTER_MARK: Final = "🤖 "
"""The beginning of computer players' names, in every text."""


class FrozenModel(BaseModel):
    """A frozen value that refuses unknown fields; its errors do not quote the input, which may contain dice."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return the same value with some fields changed; pydantic would add a field of an unknown name."""
        for name in update or ():
            if name not in type(self).model_fields:
                raise TypeError(f"{type(self).__name__} has no field {name}")
        return super().model_copy(update=update, deep=deep)


def _read_state(value: Any) -> State:
    return value if isinstance(value, State) else load_state(value)


def _read_rules(value: Any) -> Rules:
    return value if isinstance(value, Rules) else Rules.from_dict(value)


def _write_rules(rules: Rules) -> dict[str, Any]:
    return dict(_options_of(rules, rules.book))


@lru_cache(1000)
def _options_of(rules: Rules, preset: str) -> dict[str, Any]:
    """Return the options.

    `preset` distinguishes rules that are equal, because the name of a rulebook is only a label.
    """
    del preset
    return rules.to_dict()


@dataclass(frozen=True, slots=True)
class _Codec:
    """Lets pydantic read and write a value of `perudo_core` with that library's own functions."""

    read: Callable[[Any], Any]
    write: Callable[[Any], Any]

    def __get_pydantic_core_schema__(self, _source: object, _handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(
            self.read, serialization=core_schema.plain_serializer_function_ser_schema(self.write)
        )


GameState = Annotated[State, _Codec(_read_state, dump_state)]
TableRules = Annotated[Rules, _Codec(_read_rules, _write_rules)]


class Status(StrEnum):
    """The stage of a table's life."""

    LOBBY = "lobby"
    PLAYING = "playing"
    FINISHED = "finished"
    CLOSED = "closed"


class CloseReason(StrEnum):
    """Why a table closed."""

    IDLE = "idle"
    STOPPED = "stopped"
    EMPTY = "empty"
    LOST_CHAT = "lost_chat"


class OnTimeout(StrEnum):
    """The house's choice when a player's clock runs out."""

    AUTO = "auto"
    LOSE_DIE = "lose_die"
    DROP_OUT = "drop_out"


DAY: Final = 86400
SLOW: Final = 3600
"""From this many seconds for a turn on, players do not watch the table all the time."""


class TurnClock(FrozenModel):
    """A table's turn clock: `seconds` per turn (0: off)."""

    seconds: int = 120
    on_timeout: OnTimeout = OnTimeout.AUTO
    misses_allowed: int = 3
    quiet: QuietHours | None = None
    """Its pause for all players, in addition to their own quiet hours."""


class Timings(FrozenModel):
    """The installation's own timings, in seconds, the same for every table."""

    reminder_seconds: float = 30
    claim_window_seconds: float = 2
    reveal_seconds: float = 2
    practice_pause_seconds: float = 4
    """How long the dice of a practice round stay the newest message."""
    lobby_idle_seconds: float = 1800
    paused_idle_seconds: float = 86400
    unclocked_idle_seconds: float = 7 * 86400
    think_least_seconds: float = 1
    think_most_seconds: float = 4
    """The longest pause of a computer player before its call, as if it were thinking."""
    think_patience_seconds: float = 15
    """How long after that pause its call may take; then the bot plays for it as for an absent player."""
    most_seats: int = UNLIMITED_SEATS

    def warning(self, clock: TurnClock) -> float:
        """Return how long before its end a turn's player is reminded: earlier for turns of hours, never before half."""
        return min(max(self.reminder_seconds, clock.seconds / 12), clock.seconds / 2) if self.reminder_seconds else 0

    def reveal_delay(self, clock: TurnClock) -> float:
        """Return how long a call is shown before the dice: not at all for turns of hours."""
        return 0 if clock.seconds >= SLOW else self.reveal_seconds

    def lobby_idle(self, clock: TurnClock) -> float:
        """Return how long a lobby waits for a change: players with hours for a turn need hours to join as well."""
        return max(self.lobby_idle_seconds, min(2 * clock.seconds, DAY))


@dataclass(frozen=True)
class Moment:
    """When a step is computed, in seconds since the epoch, with the timings that count and the source of its chance."""

    now: float
    timings: Timings
    rng: random.Random


class ComputerPlayer(FrozenModel):
    """The computer player of a seat: its level and character. Unknown values become the regular ones."""

    level: Annotated[Level, BeforeValidator(lambda level: level if level in set(Level) else Level.REGULAR)]
    character: Annotated[
        Character, BeforeValidator(lambda character: character if character in set(Character) else Character.PLAIN)
    ] = Character.PLAIN
    engine: str = ""
    """The name of the operator's program that calls for it; it has no level then."""


def is_person(player: int) -> bool:
    """Return True for a person's number: those of computer players and forgotten players are below zero, 0 is none."""
    return player > 0


class Seat(FrozenModel):
    """One player's place; `away` means that the bot plays for them until they return."""

    player: int
    """Below zero: a forgotten player or a computer player."""
    name: str
    computer: ComputerPlayer | None = None
    """The computer player of this seat, if no person plays here."""
    face: Face | None = None
    """None for a computer player, or a seat of a table of release 1.0."""
    away: bool = False
    left_to_bot: bool = False
    """Whether the host has removed the absent player: the bot plays until the game is over."""
    misses: int = 0
    """The turns in a row that the player missed; an away player misses none, because the bot plays them."""
    dice_before: int | None = None
    """How many dice the player had when they missed a turn and the bot began to play for them, or None while they play.
    """
    by_text: bool = False
    """Whether the player sits here by text message and sees nothing of the chat."""
    guest: bool = False
    """Whether the player came by a link, without an account."""
    quiet: QuietHours | None = None
    """The hours in which the player's clock waits."""
    awake_until: float = 0
    """Until this time the quiet hours do not count, because the player has just sent a message."""
    next: Seat | None = None
    """The seat as it is from the next deal on, with another player."""
    owner: Seat | None = None
    """The seat as its owner left it, while another player has it."""
    changed_hands: bool = False
    """Whether two players had the seat in this game, so that it counts in the statistics of neither."""

    @property
    def is_person(self) -> bool:
        """Return True if a person has the seat."""
        return is_person(self.player)


class Stir(FrozenModel):
    """One player's stir: a sign; in games of release 1.0 also a word."""

    player: int
    """Below zero: a forgotten player."""
    name: str
    """The player's name. The player may leave before the game."""
    what: str


class FirstTap(FrozenModel):
    """A call that was tapped once; a later tap confirms it."""

    player: int
    call: str
    at: float


class HelpGiven(FrozenModel):
    """How often in a row a player got an explanation: each answer is different."""

    player: int
    about: str
    """The subject of the last answer."""
    times: int


class SpokenNote(FrozenModel):
    """A voice note in the table's chat in which a bid was recognised."""

    player: int
    message: int
    """Its number in the chat."""


class SpokenBid(FrozenModel):
    """A bid that was made by a voice note in the table's chat."""

    deal: int
    bid: int
    """Its number among the bids of the round, from 0 on."""
    message: int
    """The note's number in the chat."""


class StepState(FrozenModel):
    """The state of a table that lasts until the next call, which begins with an empty one."""

    timed_out: int | None = None
    """The seat whose clock ran out at the last call, so that its late tap gets an explanation."""
    spoken: bool = False
    """Whether the bid to beat was made by voice note."""
    notes: tuple[SpokenNote, ...] = ()
    """The last voice note of each player that may become a bid."""
    shared: bool = False
    """Whether the player to call has asked for their bids in the message that all see."""
    ephemeral_sent: bool = False
    """Whether a tap was answered with an ephemeral message, which may not have arrived."""
    waited_for_note: bool = False
    """Whether the clock has waited for a voice note of the player whose turn it is."""
    first_taps: tuple[FirstTap, ...] = ()
    """Each player's dudo or calza that waits for the same player's second tap."""
    help_given: tuple[HelpGiven, ...] = ()
    claims: tuple[int, ...] = ()
    """The seats whose players have called calza out of turn."""
    claims_close: float | None = None
    """When the first of them counts, unless the player to call acts before."""


class Clock(FrozenModel):
    """The clock of the player whose turn it is: each start is a new one. A stopped clock has no deadlines."""

    since: float = 0
    """Since when it runs: the turn's beginning, or later after an outage, or when its player returned."""
    ends: float | None = None
    """When the turn ends if it was shown in time: see `begin_when_shown`."""
    reminder_at: float | None = None
    retell_at: float | None = None
    """When the turn is announced again unless the player acts: the first announcement may not have arrived."""
    think_at: float | None = None
    """When the computer player whose turn it is must call, or the bot for an absent player."""


class Suspension(FrozenModel):
    """The wait of a table whose chat the bot cannot write to."""

    since: float
    probe_at: float
    """When the bot tries to write there again."""


class Table(FrozenModel):
    """A table and everything that decides what may happen next.

    `step` counts the calls of the game. A button contains the step for which it was made, so that a tap for an earlier
    state has no effect on a later one. Seats keep their index for the whole game. Times are seconds since the epoch.
    """

    id: int
    code: str
    """The table's own code, which its seal, its record and its file contain."""
    evening_code: str | None = None
    """The code of the evening's first table here, or None if this is the first."""
    status: Status = Status.LOBBY
    closed_why: CloseReason | None = None
    """Why the table closed without a winner, or None for other tables, and for those that release 1.0 closed."""
    closed_by: int | None = None
    """The player who closed it, who may sit at no table, or None if the bot did, or for a forgotten player."""
    host: int
    opened_by: int | None = None
    """The player who opened the table, which counts in their quota, or None for a forgotten player."""
    seats: tuple[Seat, ...]
    rules: TableRules
    most_seats: int = UNLIMITED_SEATS
    """The number of seats if the rulebook sets no limit."""
    clock: TurnClock = TurnClock()
    secret: str | None = Field(default=None, repr=False)
    """The secret, in hex, from which all dice follow; committed to in the lobby, published at the end."""
    dice_schema: str = "perudo-fair/2"
    """The form of the commitment; tables of release 1.0 have no such field."""
    sealed: bool = False
    """Whether the commitment to the secret, the code and the rules was published."""
    stirs: tuple[Stir, ...] = ()
    """The stirs since then, in order, as the chat shows them."""
    core_versions: tuple[str, ...] = ("1.0.0",)
    """The versions of `perudo_core` that the game was played with; tables of release 1.0 have no such field."""
    game: GameState | None = Field(default=None, repr=False)
    step: int = 0
    this_step: StepState = StepState()
    spoken_bids: tuple[SpokenBid, ...] = ()
    """Those of the last round in which there was one."""
    deals: int = 0
    """How often all dice were rolled: each roll has a message of its own."""
    turn_since: float = 0
    """Since when the player whose turn it is can call: a round begins when the dice of the round before are shown."""
    running: Clock = Clock()
    idle_at: float | None = None
    paused: bool = False
    suspension: Suspension | None = None
    timers: Mapping[str, float] = Field(default_factory=dict)
    """Times at which other work than the clock's is due, by the name of the timer."""
    practice: bool = False
    """Whether one person practises here against computer players, by `/practise`."""
    watched: bool = False
    """Whether that person, who is out, watches the end of the game."""
    spectated: bool = False
    """Whether a person who came too late for a seat looks on in the chat."""
    show_at: float | None = None
    """When the practising player sees the new dice: until then the end of the round before is their newest message."""
    going_on: int = 0
    """How many people go on from here to another table: the game ends once no more people are left. It never pauses,
    because others wait for its end."""
    again: bool = True
    """Whether its people are asked to play again: not where the game is a part of something larger."""
    options: Mapping[str, str] = Field(default_factory=dict)
    """The host's choices that are no rules, by name, without usual values."""
    unrated: bool = False
    """Whether one of these choices, or a competition of several games, keeps the game out of people's statistics and
    leagues."""
    warned_at: float | None = None
    """When the host was told before the game that the day's texts may not last."""
    kicked: tuple[int, ...] = ()
    """The players whom the host has removed from the lobby: they stay out of it."""
    ready: tuple[int, ...] = ()
    """The players who have tapped *Play again* for this lobby."""
    host_awaited_since: float | None = None
    """When another player opened this lobby for the last game's host, or None if the host opened it, or has acted here.
    """

    @property
    def begun_game(self) -> State:
        """Return the game of a table whose game has begun."""
        assert self.game is not None  # noqa: S101 - callers know that it has
        return self.game

    @property
    def join_code(self) -> str:
        """Return the code by which people reach the table, the same for all tables of an evening at a place."""
        return self.evening_code or self.code

    @property
    def max_seats(self) -> int:
        """Return the number of seats under the table's rules."""
        return self.rules.max_seats or self.most_seats

    @property
    def wild_by(self) -> str | None:
        """Return the rulebook by which ones are wild in the running round, or None if they are not, or no game runs."""
        return self.rules.book if self.game is not None and self.game.ones_are_wild else None

    @property
    def counts_for_league(self) -> bool:
        """True if its game counts for people's statistics and leagues: only people play, and no option forbids it."""
        return not self.practice and not self.unrated and all(seat.computer is None for seat in self.seats)

    @property
    def people(self) -> list[int]:
        """Return the numbers of the people who have a seat, in its order."""
        return [seat.player for seat in self.seats if seat.is_person]

    def is_computer(self, seat: int) -> bool:
        """Return True if a computer player sits here."""
        return self.seats[seat].computer is not None

    def seat_of(self, player: int) -> int | None:
        """Return the index of a player's seat, or None if they have none."""
        return next((index for index, seat in enumerate(self.seats) if seat.player == player), None)

    @property
    def without_people(self) -> bool:
        """True if only computer players are left in the game."""
        return self.game is not None and all(map(self.is_computer, self.game.active_seats))

    def is_attended(self, seat: int) -> bool:
        """Return True if a person plays here, or waits for the next deal to do so."""
        sitting = self.seats[seat]
        return sitting.computer is None and not (sitting.away and (sitting.next is None or sitting.next.away))

    def in_play(self, seat: int) -> bool:
        """Return True if the seat still takes part in a running game."""
        return self.status is Status.PLAYING and self.game is not None and seat in self.game.active_seats

    def replace(self, **changes: Any) -> Table:
        """Return the same table with some fields changed."""
        return self.model_copy(update=changes)

    def noting(self, **changes: Any) -> Table:
        """Return the same table with something noted until the next call."""
        return self.replace(this_step=self.this_step.model_copy(update=changes))

    def ended(self, status: Status) -> Table:
        """Return the same table at its end: nothing waits there any more."""
        over = {"status": status, "running": Clock(), "suspension": None, "timers": {}}
        return self.replace(**over, idle_at=None, show_at=None, paused=False)

    def with_clock(self, **changes: Any) -> Table:
        """Return the same table with its running clock changed."""
        return self.replace(running=self.running.model_copy(update=changes))

    def with_timer(self, name: str, at: float | None) -> Table:
        """Return the same table with a timer set to a time, or without it if that is None."""
        others = {other: time for other, time in self.timers.items() if other != name}
        return self.replace(timers=others if at is None else others | {name: at})

    def with_seat(self, index: int, **changes: Any) -> Table:
        """Return the same table with one seat's fields changed."""
        seats = list(self.seats)
        seats[index] = seats[index].model_copy(update=changes)
        return self.replace(seats=tuple(seats))
