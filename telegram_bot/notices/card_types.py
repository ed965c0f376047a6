"""The fields of cards: what web pages get of each notice. `test_support/typed_pages.py` writes the same for JavaScript.

PROTOCOL.md of the web seat explains them.
"""

from collections.abc import Mapping
from typing import Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

Fields: TypeAlias = Mapping[str, object]
"""The fields of any card."""


class ComputerField(TypedDict):
    """A computer player."""

    level: str
    character: str
    engine: str


class SeatField(TypedDict):
    """A seat in public form."""

    player: int
    name: str
    face: str | None
    colour: int
    dice: int | None
    out: bool
    place: int | None
    away: bool
    left_to_bot: bool
    taken_by: int
    owner: int
    by_text: bool
    guest: bool
    computer: ComputerField | None


class CalledBidField(TypedDict):
    """The number and the face of a bid."""

    quantity: int
    face: int


class BidField(CalledBidField):
    """A bid with its seat."""

    seat: int


class StirField(TypedDict):
    """A stir of the sealed dice."""

    name: str
    what: str


class ChoiceField(TypedDict):
    """One value of an option, with its label."""

    value: str
    text: str
    about: NotRequired[str]
    on: bool


class OptionField(TypedDict):
    """A choice of the host."""

    option: str
    title: str
    kind: Literal["one", "several", "single", "switch"]
    """One or several of these, each with a sentence; or a single option, or one that is off or on."""
    choices: list[ChoiceField]
    about: NotRequired[str]
    on: NotRequired[bool]
    changed: NotRequired[bool]


class ClockField(TypedDict):
    """The turn clock of a lobby."""

    seconds: int


class RulesField(TypedDict):
    """The rules of a lobby in words."""

    preset: str
    title: str
    lines: list[str]
    how: list[str]
    """How to play, in four steps."""


class ActField(TypedDict):
    """A key of the page: the act that it sends, with the act's fields."""

    act: str
    text: str
    code: NotRequired[str | None]
    guess: NotRequired[str]


class ChangeField(TypedDict):
    """The dice that a seat has lost, below zero, or won back."""

    seat: int
    dice: int


class SeatLineField(TypedDict):
    """A sentence at the end of a round, about a seat."""

    seat: int | None
    text: str


class ShownField(TypedDict):
    """The dice that a seat has shown before it rolled the others again, and the sentence about it."""

    seat: int
    dice: list[int]
    text: str


class LobbyFields(TypedDict):
    """The lobby."""

    code: str
    host: int
    started: bool
    seats: list[SeatField]
    min_seats: int
    max_seats: int
    ready: list[int]
    awaits_host: bool
    clock: ClockField
    note: str
    by_text: list[str]
    rules: RulesField
    options: list[OptionField]
    acts: list[ActField]
    sealed: str | None
    stirs: list[StirField]
    signs: list[str]
    engines: NotRequired[list[str]]


class RoundFields(TypedDict):
    """The running round."""

    step: int
    round: int
    seats: list[SeatField]
    turn: int | None
    opener: int | None
    bids: list[BidField]
    palifico: str
    facts: list[str]
    shown: list[ShownField]
    ones_wild: bool
    clock_ends: float | None
    paused: str
    dudo: list[int]
    calza: list[int]
    raises: list[list[int]]
    start: list[int] | None
    acts: list[ActField]


class CallFields(TypedDict):
    """A call."""

    round: int
    call: str
    caller: int
    bid: BidField
    bids: list[BidField]
    seats: list[SeatField]


class RevealFields(TypedDict):
    """The end of a round."""

    round: int
    call: str | None
    caller: int | None
    bid: BidField | None
    count: int | None
    ones_wild: bool
    dice: list[list[int]]
    changes: list[ChangeField]
    out: list[int]
    lines: list[SeatLineField]
    verdict: str
    next_opener: int | None
    next_palifico: bool
    timed_out: bool
    seats: list[SeatField]
    bids: list[BidField]
    reaction: str


class OverFields(TypedDict):
    """The end of a game."""

    winner: int
    winner_name: str
    rounds: int
    going_on: bool
    seats: list[SeatField]
    acts: list[ActField]


class ClosedFields(TypedDict):
    """A table that was closed without a winner."""

    why: str
    by: str


class NewsFields(TypedDict):
    """News of the table: only its sentence."""

    about: str


class HandFields(TypedDict):
    """The reader's dice."""

    step: int
    round: int
    deal: int
    seat: int
    dice: list[int]
    on_turn: bool
    may_dudo: bool
    may_calza: bool
    raises: list[list[int]]
    start: list[int] | None
    shows: str
    tip_shows_dice: bool
    tip: str


class ReminderFields(TypedDict):
    """The player to call has little time left."""

    clock_ends: float


class QuestionFields(TypedDict):
    """The question before a player leaves a game, or ends it."""

    about: str
    text: str


class DoorFields(TypedDict):
    """A visitor who waits."""

    player: int
    name: str


class NoFields(TypedDict):
    """A card with a sentence alone."""
