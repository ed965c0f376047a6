"""Limit the requests of one session, one person, one network and its site, counted in this process."""

import math
from collections import OrderedDict, deque
from typing import Final

from telegram_bot.ingress.networks import A_SITE, site_of

MINUTE: Final = 60.0
MOST: Final = {
    "request": 200,
    "stream": 30,
    "join": 5,
    "app": 5,
    "act": 60,
    "name": 6,
    "open": 2,
    "ask": 1,
    "pair": 3,
    "guess": 5,
}
"""The requests allowed in a minute for one session, or one person of a messenger."""
SECONDS: Final = {"ask": 600.0, "pair": 600.0, "guess": 600.0}
"""The period in seconds of the kinds that are counted for longer than a minute."""
A_HOUSEHOLD: Final = 6
"""The factor for one network, which a family or a room of friends shares."""
MOST_KEYS: Final = 10_000
"""The maximum number of remembered keys; the oldest are forgotten first."""


class CallLimits:
    """Counts calls by kind and by caller."""

    def __init__(self) -> None:
        self._times: OrderedDict[tuple[str, int | str], deque[float]] = OrderedDict()

    def take(self, kind: str, key: int | str, now: float) -> int:
        """Count a call by a session or a person (a number) or by a network; return 0, or the seconds to wait."""
        seconds, counted = SECONDS.get(kind, MINUTE), []
        for caller, factor in _callers(key).items():
            times = self._times.setdefault((kind, caller), deque(maxlen=MOST[kind] * factor))
            self._times.move_to_end((kind, caller))
            if len(self._times) > MOST_KEYS:
                self._times.popitem(last=False)
            if len(times) == times.maxlen and 0 <= now - times[0] < seconds:  # else the clock was set back
                return math.ceil(times[0] + seconds - now)
            counted.append(times)
        for times in counted:
            times.append(now)
        return 0

    def give_back(self, kind: str, key: int | str) -> None:
        """Count the caller's last call no more."""
        for caller in _callers(key):
            if times := self._times.get((kind, caller)):
                times.pop()


def _callers(key: int | str) -> dict[int | str, int]:
    """Return all as whom a caller is counted, and their factors. A site comes first: it has many networks."""
    return {key: 1} if isinstance(key, int) else {site_of(key): A_SITE * A_HOUSEHOLD, key: A_HOUSEHOLD}


class ListGuests:
    """Counts the guests of each site on each list, in this process: addresses are not stored."""

    def __init__(self) -> None:
        self._guests: OrderedDict[tuple[str, str], set[int]] = OrderedDict()

    def must_ask(self, code: str, site: str, guest: int) -> bool:
        """Count a guest who joins a list; return True if a household of the site is on it without them."""
        guests = self._guests.setdefault((code, site), set())
        self._guests.move_to_end((code, site))
        if len(self._guests) > MOST_KEYS:
            self._guests.popitem(last=False)
        if len(guests) < A_HOUSEHOLD:
            guests.add(guest)
        return guest not in guests
