"""Tell a notice that fails alone from a server that takes nothing."""

from __future__ import annotations

MAX_FAILURES_ALONE = 10


class PoisonDetector:
    """Counts how often a notice failed while others went out.

    During an outage nothing goes out and nothing is counted, however long it lasts.
    """

    def __init__(self) -> None:
        self._successes = 0
        self._alone: dict[int, tuple[int, int]] = {}

    def sent(self, notice: int) -> None:
        """A notice went out."""
        self._successes += 1
        self._alone.pop(notice, None)

    def failed(self, notice: int) -> bool:
        """A notice could not be sent; True once it has failed alone too often.

        Its lane waits behind it, so whatever went out since its last failure was for another chat.
        """
        times, successes = self._alone.get(notice, (0, self._successes))
        if successes != self._successes:
            times += 1
        self._alone[notice] = times, self._successes
        return times >= MAX_FAILURES_ALONE

    def forget(self, notice: int) -> None:
        """Whatever became of it, it is not tried any more."""
        self._alone.pop(notice, None)
