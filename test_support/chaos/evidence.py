"""The evidence of a chaos run: what people did and were told, what they saw, and what was stored."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]
CallMade: TypeAlias = tuple[int, int] | None
"""What somebody wanted to call: a bid as how many and which face; None: dudo."""


@dataclass(frozen=True, slots=True)
class Move:
    """Somebody tapped a call or typed one, and what they were told of it."""

    name: str
    """The tap's id, or the message's."""
    person: int
    chat: int
    """The group whose game was meant."""
    call: CallMade
    heard: str | None
    """The toast or alert; None while nobody answered, and for what was typed."""

    @property
    def accepted(self) -> bool:
        """Whether they were told that it counts."""
        return (self.heard or "").startswith(("You bid ", "Dudo!"))

    @property
    def refused(self) -> bool:
        """Whether they were told that it does not."""
        return bool(self.heard) and not self.accepted


@dataclass(frozen=True, slots=True)
class Shown:
    """A message of the bot as it appeared or changed on a screen, in the order of `at`."""

    at: int
    chat: int
    person: int | None
    """Who alone sees it; None for what all of a group see."""
    key: str
    text: str
    fresh: bool
    """A message of its own rather than an edit."""


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
    """Who sits where, by their addresses."""
    actions: tuple[tuple[int, str, Json], ...]
    """Number, cause, action."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All of it."""

    games: tuple[Stored, ...]
    moves: tuple[Move, ...]
    updates: dict[str, str]
    """Which move an update brought, by the update's number."""
    shown: tuple[Shown, ...]
    sent_again: int = 0
    """Sends that were under way when a worker or the database died and were tried again: each may be seen twice."""
    asked_for: int = 0
    """How often somebody asked to see the table again."""
    unsure: int = 0
    """Notices of which nobody knows whether they arrived: those are not repeated, so nobody may have seen them."""
    undone: tuple[str, ...] = field(default=())
    """What was received or was to be sent, and is still waiting or was set aside."""

    def replace(self, **changes: Any) -> Evidence:
        """The same with something changed."""
        return replace(self, **changes)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be."""

    kind: str
    """One of `KINDS`."""
    words: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.words}"


LOST, DOUBLED, INVENTED = "lost move", "doubled move", "move that nobody made"
GAP, WRONG_DICE, ORDER = "gap", "wrong dice", "out of order"
TWICE, UNSEEN, UNTRUE, UNDONE = "doubled message", "unseen message", "untrue message", "left undone"
KINDS = (LOST, DOUBLED, INVENTED, GAP, WRONG_DICE, ORDER, UNTRUE, TWICE, UNSEEN, UNDONE)
