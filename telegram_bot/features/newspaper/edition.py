"""Find what a newspaper tells of an evening: of people who are not hidden, and of calls that they made themselves.

Its morning, and the evening of a revenge, are in the operator's time zone.
"""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime, time, timedelta
from fractions import Fraction
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from perudo_core import Action, Bid, Dudo, PerudoError, Revealed, SeatOut, apply, new_game
from telegram_bot.service.results.bluff_cards import shown_seats
from telegram_bot.service.results.evenings import finished_games, was_spoken
from telegram_bot.service.results.game_results import played_game
from telegram_bot.service.unit_of_work import UnitOfWork
from telegram_bot.statistics.bluff_card import Feat, shown_successes
from telegram_bot.statistics.game_facts import PlayedAction
from telegram_bot.storage.models import GameTable
from telegram_bot.tables.faces import Face
from telegram_bot.tables.model import FrozenModel, Table

MOST_LINES: Final = 3
"""The number of catches, and of falls, that one newspaper tells of."""
LEAST_DICE: Final = 20
"""With fewer dice a player has neither luck nor bad luck."""
FALL: Final = 2
"""A fall counts as so many catches for a revenge."""


class Lie(FrozenModel):
    """The least likely bid without a die that counted, which was not caught."""

    name: str
    face: Face | None
    quantity: int
    bid_face: int
    dice: tuple[int, ...]
    spoken: bool = False
    """Whether it was a voice note."""


class Between(FrozenModel):
    """Something that a player did to another one, and how often."""

    name: str
    other: str
    times: int


class Luck(FrozenModel):
    """The part of ones among a player's dice."""

    name: str
    ones: int
    dice: int


class Revenge(FrozenModel):
    """A revenge that a player owes another one."""

    name: str
    other: str
    at: float


class Edition(NamedTuple):
    """The contents of a newspaper."""

    lie: Lie | None
    catches: tuple[Between, ...]
    falls: tuple[Between, ...]
    sun: Luck | None
    rain: Luck | None
    owes: tuple[str, str] | None


class _Who(NamedTuple):
    """A player of the evening. `number`: of a person, or 0 for a computer player."""

    number: int
    name: str


class Evening:
    """The facts of the games that were read, newest game first."""

    def __init__(self) -> None:
        self.lies: list[tuple[Fraction, Lie, tuple[int, int]]] = []
        self.catches, self.falls = Counter[tuple[_Who, _Who]](), Counter[tuple[_Who, _Who]]()
        self.ones, self.dice = Counter[_Who](), Counter[_Who]()
        self.names: dict[int, _Who] = {}

    def read(self, table: Table, actions: list[PlayedAction], shown: list[int]) -> None:
        """Add a game."""
        people = {at: self._who(table, at) for at in shown}
        named = people | {at: _Who(0, seat.name) for at, seat in enumerate(table.seats) if seat.computer is not None}
        bluffs = [
            each
            for each in shown_successes(table.rules, len(table.seats), actions)
            if each.card.feat is Feat.BLUFF and each.card.seat in people
        ]
        state, own_bid = new_game(table.rules, [seat.name for seat in table.seats]), False
        for number, (action, by_bot) in enumerate(actions):
            state, events = apply(state, action)
            if isinstance(action, Bid):
                own_bid = not by_bot
            counted = next((event for event in events if isinstance(event, Revealed)), None)
            if counted is None:
                continue
            for chance, at, card in bluffs:
                if at == number:
                    bid = {"quantity": card.quantity, "bid_face": card.face, "dice": counted.dice[card.seat]}
                    lie = Lie(name=people[card.seat].name, face=table.seats[card.seat].face, **bid)
                    self.lies.append((chance, lie, (table.id, card.seat)))
            for at, who in people.items():
                if counted.ones_are_wild:
                    self.dice[who] += len(counted.dice[at])
                    self.ones[who] += counted.dice[at].count(1)
            if own_bid and not by_bot:
                out = {event.seat for event in events if isinstance(event, SeatOut)}
                self._settle(counted, action, named, set() if table.rules.first_out_wins else out)

    def _who(self, table: Table, at: int) -> _Who:
        seat = table.seats[at]
        return self.names.setdefault(seat.player, _Who(seat.player, seat.name))

    def _settle(self, counted: Revealed, call: Action, named: dict[int, _Who], out: set[int]) -> None:
        """Note the catch of a call, and the falls of its round."""
        caller, bidder = call.seat if isinstance(call, Dudo) else None, counted.bid.seat
        if caller in named and bidder in named and caller is not None and not counted.holds:
            self.catches[named[caller], named[bidder]] += 1
        victor = caller if not counted.holds else bidder
        if caller is not None and victor in named and victor is not None:
            for fallen in out & named.keys() - {victor}:
                self.falls[named[victor], named[fallen]] += 1


def edition_of(uow: UnitOfWork, row: GameTable) -> Edition | None:
    """Return the contents of the newspaper about the evening until a finished game, or None if there are none."""
    evening = Evening()
    for table in finished_games(uow, row):
        try:
            evening.read(table, played_game(uow.session, table)[0], shown_seats(uow, table))
        except PerudoError:  # the stored actions cannot be replayed
            continue
    lie = _best(uow, evening)
    sun, rain = _weather(evening)
    found = Edition(lie, _most(evening.catches), _most(evening.falls), sun, rain, _revenge(evening))
    return found if evening.names and any(found) else None


def _best(uow: UnitOfWork, evening: Evening) -> Lie | None:
    if not evening.lies:
        return None
    _, lie, (table, seat) = min(evening.lies, key=lambda each: each[0])
    return lie.model_copy(update={"spoken": was_spoken(uow, table, seat, lie.quantity, lie.bid_face)})


def _most(counted: Counter[tuple[_Who, _Who]]) -> tuple[Between, ...]:
    best = sorted(counted.items(), key=lambda each: -each[1])[:MOST_LINES]
    return tuple(Between(name=who.name, other=other.name, times=times) for (who, other), times in best)


def _weather(evening: Evening) -> tuple[Luck | None, Luck | None]:
    """Return the most and the fewest ones of people with enough dice, or none if they are the same person's."""
    judged = sorted(
        (who for who, dice in evening.dice.items() if dice >= LEAST_DICE),
        key=lambda who: evening.ones[who] / evening.dice[who],
    )
    if len({evening.ones[who] / evening.dice[who] for who in judged}) < 2:  # noqa: PLR2004 - the most and the fewest
        return None, None
    rain, sun = (Luck(name=who.name, ones=evening.ones[who], dice=evening.dice[who]) for who in (judged[0], judged[-1]))
    return sun, rain


def _revenge(evening: Evening) -> tuple[str, str] | None:
    """Return the names of the person with the most against another one, and of that one, or None if all are even."""
    score = Counter[tuple[_Who, _Who]]()
    for counted, weight in ((evening.catches, 1), (evening.falls, FALL)):
        for (who, other), times in _of_people(counted):
            score[who, other] += weight * times
            score[other, who] -= weight * times
    pair = max(score, key=lambda each: score[each], default=None)
    return None if pair is None or score[pair] <= 0 else (pair[0].name, pair[1].name)


def _of_people(counted: Counter[tuple[_Who, _Who]]) -> Iterable[tuple[tuple[_Who, _Who], int]]:
    return (each for each in counted.items() if each[0][0].number and each[0][1].number)


NINE: Final = time(9)
EVENING: Final = time(20)
FRIDAY: Final = 4
"""As `datetime.weekday` counts."""


def local_time(at: float, zone: str) -> datetime:
    """Return a time in a zone."""
    return datetime.fromtimestamp(at, ZoneInfo(zone))


def next_nine(at: float, zone: str) -> float:
    """Return the first nine in the morning after a time."""
    return _first_after(at, local_time(at, zone), NINE, every_days=1)


def next_friday(at: float, zone: str) -> float:
    """Return the first Friday evening after a time."""
    day = local_time(at, zone)
    return _first_after(at, day + timedelta(days=(FRIDAY - day.weekday()) % 7), EVENING, every_days=7)


def _first_after(at: float, day: datetime, clock: time, *, every_days: int) -> float:
    """Return the hour of the day, or the same hour so many days later."""
    days = (day, day + timedelta(days=every_days))
    times = (datetime.combine(each, clock, day.tzinfo).timestamp() for each in days)
    return next(each for each in times if each > at)
