"""Distinguish a notice that always fails from a server that accepts no notice at all."""

from __future__ import annotations

MAX_FAILURES_ALONE = 10


class PoisonDetector:
    """Counts how often a notice failed while other notices were sent.

    During an outage no notice is sent, so no failure is counted, however long the outage lasts.
    """

    def __init__(self) -> None:
        self._successes = 0
        self._alone: dict[int, tuple[int, int]] = {}

    def sent(self, notice: int) -> None:
        """Record that a notice was sent."""
        self._successes += 1
        self._alone.pop(notice, None)

    def failed(self, notice: int) -> bool:
        """Record that a notice failed; True if it has failed too often while others were sent.

        The notices behind it in its lane wait, so those sent since its last failure were for other chats.
        """
        times, successes = self._alone.get(notice, (0, self._successes))
        if successes != self._successes:
            times += 1
        self._alone[notice] = times, self._successes
        return times >= MAX_FAILURES_ALONE

    def forget(self, notice: int) -> None:
        """Forget a notice that is not tried any more."""
        self._alone.pop(notice, None)
