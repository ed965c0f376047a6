"""The evidence of a run: what people did and were told, what they saw, and what was stored."""

import json
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from test_support.screen_recorder import Json
from test_support.world import World

COMPUTER: Final = 0
"""The address of a computer player, to whom nothing can be sent."""
CallMade: TypeAlias = tuple[int, int] | None
"""A call: quantity and face of a bid, or None for dudo."""


@dataclass(frozen=True, slots=True)
class Move:
    """A call that someone tapped or typed, and the answer."""

    name: str
    """The id of the tap or of the message."""
    person: int
    chat: int
    """The group whose game was meant."""
    call: CallMade
    heard: str | None = None
    """The toast or alert, or None until there is one, and for typed calls."""

    @property
    def accepted(self) -> bool:
        """Whether the answer says that the call counts."""
        return (self.heard or "").startswith(("You bid ", "Dudo!"))

    @property
    def refused(self) -> bool:
        """Whether the answer says that the call does not count."""
        return bool(self.heard) and not self.accepted


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot as it appeared or changed on a screen, in the order of `at`."""

    at: int
    chat: int
    person: int | None
    """The one person who sees the message, or None if the whole group does."""
    key: str
    text: str
    fresh: bool
    """Whether this is a new message and not an edit."""


@dataclass(frozen=True, slots=True)
class Stored:
    """One game as the database keeps it."""

    table: int
    chat: int
    title: str
    status: str
    live: bool
    due_at: float | None
    state: Json
    people: tuple[int, ...]
    """The players' addresses, seat by seat; `COMPUTER` for a computer player."""
    actions: tuple[tuple[int, str, Json], ...]
    """Number, cause, action."""

    def is_computer(self, seat: int) -> bool:
        """Return whether a computer player has the seat."""
        return self.people[seat] == COMPUTER


def stored_games(world: World) -> tuple[Stored, ...]:
    """Return all games of the database."""
    addresses = dict(world.rows("SELECT id, address FROM player"))
    actions: dict[int, list[tuple[int, str, Json]]] = {}
    for table, number, cause, action in world.rows(
        "SELECT table_id, number, cause, action FROM game_action ORDER BY table_id, number"
    ):
        actions.setdefault(table, []).append((number, cause, json.loads(action)))
    found = []
    for table, chat, title, status, live, due_at, raw in world.rows(
        "SELECT game_table.id, chat.address, chat.title, status, live, due_at, state FROM game_table"
        " JOIN chat ON chat.id = game_table.chat_id ORDER BY game_table.id"
    ):
        state = json.loads(raw)
        people = tuple(COMPUTER if seat["computer"] else addresses[seat["player"]] for seat in state["seats"])
        took = tuple(actions.get(table, ()))
        found.append(Stored(table, chat, title, status, live, due_at, state, people, took))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Evidence:
    """All evidence of a run."""

    games: tuple[Stored, ...]
    shown: tuple[Shown, ...]
    moves: tuple[Move, ...] = ()
    updates: dict[str, str] = field(default_factory=dict)
    """The moves by the id of the update that brought them."""
    deleted: frozenset[str] = frozenset()
    """The keys of the messages that the bot deleted: a player's board is posted anew below their own words."""
    repeated: tuple[tuple[int, int], ...] = ()
    """Table and chat of each send that may be seen twice: it may have arrived, and was sent or announced once more."""
    asked_for: int = 0
    """How often someone asked to see the table again."""
    unsure: int = 0
    """Notices that may not have arrived and are not repeated: perhaps no one saw them."""
    thought_of_nothing: int = 0
    """How often no call was found for a computer player in time."""
    undone: tuple[str, ...] = field(default=())
    """Updates and notices that still wait or were set aside."""

    def replace(self, **changes: Any) -> "Evidence":
        """Return the same evidence with other fields."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Finding:
    """An error that the audit found."""

    kind: str
    """One of `KINDS`."""
    words: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


LOST, DOUBLED, INVENTED = "lost move", "doubled move", "move that no one made"
GAP, WRONG_DICE, ORDER = "gap", "wrong dice", "out of order"
TWICE, UNSEEN, UNTRUE, UNDONE = "doubled message", "unseen message", "untrue message", "left undone"
KINDS = (LOST, DOUBLED, INVENTED, GAP, WRONG_DICE, ORDER, UNTRUE, TWICE, UNSEEN, UNDONE)
