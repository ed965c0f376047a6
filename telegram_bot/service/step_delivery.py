"""The notices that one step has put into the outbox, and how delivery begins to send them with the step's commit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar

from sqlmodel import Session


class HasLane(Protocol):
    """What is sent in a lane: an envelope."""

    @property
    def lane(self) -> str:
        """The lane's name."""


EnvelopeT = TypeVar("EnvelopeT", bound=HasLane)


@dataclass(frozen=True, slots=True)
class WrittenNotice(Generic[EnvelopeT]):
    """A notice that the running transaction has put into the outbox."""

    id: int
    envelope: EnvelopeT
    table_id: int | None
    slot: str | None
    turn: int | None
    created_at: float
    expires_at: float | None
    last: bool = True
    """Whether the transaction has put nothing else into the lane."""


@dataclass(slots=True)
class WrittenNotices(Generic[EnvelopeT]):
    """What a transaction has put into the lanes."""

    _first: dict[str, WrittenNotice[EnvelopeT]] = field(default_factory=dict)
    _count: Counter[str] = field(default_factory=Counter)
    _crowded: set[str] = field(default_factory=set)

    def add(self, notice: WrittenNotice[EnvelopeT], *, lane_busy: bool) -> None:
        """Remember a notice; `lane_busy`: something waits before it."""
        lane = notice.envelope.lane
        self._first.setdefault(lane, notice)
        self._count[lane] += 1
        if lane_busy:
            self._crowded.add(lane)

    def first_of_lanes(self) -> list[WrittenNotice[EnvelopeT]]:
        """The first notice of each lane in which, as far as the transaction knows, it is the first to be sent."""
        return [
            replace(notice, last=self._count[lane] == 1)
            for lane, notice in self._first.items()
            if lane not in self._crowded
        ]


class StepDelivery(Protocol):
    """Delivery, as far as it takes part in a step: this saves a transaction for each lane."""

    def take_first(self, session: Session, notices: Sequence[WrittenNotice[Any]]) -> Sequence[Any]:
        """In the step's transaction: lease idle lanes and take their first notices; return what was taken."""

    def send_taken(self, taken: Sequence[Any]) -> set[str]:
        """After the commit: begin to send what was taken; return the lanes."""
