"""The daily hand: one decision, on one day the same for everyone, and how it ends."""

import random
from datetime import date, datetime, time
from enum import StrEnum
from math import ceil
from typing import Final
from zoneinfo import ZoneInfo

from pydantic import Field

from perudo_core import (
    Bid,
    Dudo,
    LostDice,
    Rules,
    State,
    apply,
    count_matching,
    legal_calls,
    observe,
    parse_call,
    set_up,
)
from perudo_core.agents import Character, Level, bid_chances, create_agent, new_memory
from perudo_core.analysis import weigh
from telegram_bot.tables.computer_players import NAMES
from telegram_bot.tables.model import FrozenModel
from telegram_bot.tables.views import BidView

_FIRST_DAY: Final = date(1970, 1, 1).toordinal()
_FEWEST: Final = 3
_MOST: Final = 5
"""Players, and dice of one of them."""
_OPEN_QUESTION: Final = (0.15, 0.75)
"""A hand is used only if the chance of the bid to beat, by the dice alone, is between these values."""


class DailyQuestion(FrozenModel):
    """The public part of the hand, for every player who decides."""

    names: tuple[str, ...]
    """By seat; "" for the seat of the player who decides, which is on turn."""
    counts: tuple[int, ...]
    """How many dice each seat has."""
    dice: tuple[int, ...]
    bids: tuple[BidView, ...]
    calls: tuple[str, ...]
    """The possible calls, as `perudo_core` writes them."""
    wild_by: str | None = None
    """The rulebook by which ones are wild, or None if they are not."""


class DailyHand(FrozenModel):
    """A day's hand, with the solution, which is secret until a player has decided, and then for others."""

    question: DailyQuestion
    dice: tuple[tuple[int, ...], ...] = Field(repr=False)
    """Everyone's, by seat."""
    counted: int
    """How many dice count for the last bid."""
    chance: int
    """The chance in percent that the last bid is true, from the dice of the player who decides."""
    expert: str
    """The best of the possible calls."""
    right: int
    """The chance in percent, after what was said, that the expert's call is right."""

    def is_right(self, call: str) -> bool:
        """Return True if the dice prove a call right: a bid that holds, dudo on a false bid, calza on an exact one."""
        said, standing = parse_call(call, 0), self.question.bids[-1].quantity
        if isinstance(said, Bid):
            wild = self.question.wild_by is not None
            return said.quantity <= _count_dice(self.dice, said.face, ones_are_wild=wild)
        return self.counted < standing if isinstance(said, Dudo) else self.counted == standing


class Verdict(StrEnum):
    """The quality of a decision, which does not reveal the call."""

    BEST = "best"
    """The expert's call."""
    LUCKY = "lucky"
    """Another call that was right."""
    WRONG = "wrong"


def judge_call(hand: DailyHand, call: str) -> Verdict:
    """Return the quality of a call in a hand."""
    if call == hand.expert:
        return Verdict.BEST
    return Verdict.LUCKY if hand.is_right(call) else Verdict.WRONG


class DailyAnswer(FrozenModel):
    """The end of today's hand for a player who has decided it."""

    hand: DailyHand
    everybody: tuple[tuple[str, int], ...]
    """The number of players who decided for each call so far, the most frequent call first."""
    verdicts: tuple[Verdict, ...]
    """The player's last decisions, on days in a row; today's is the last."""


def day_at(now: float, zone: str) -> int:
    """Return the number of a day, which begins at midnight in a time zone: the days from 1970 to its date."""
    return datetime.fromtimestamp(now, ZoneInfo(zone)).toordinal() - _FIRST_DAY


def hours_left(now: float, zone: str) -> int:
    """Return the number of hours until the next day, rounded up."""
    tomorrow = datetime.combine(date_of(day_at(now, zone) + 1), time(), ZoneInfo(zone))
    return ceil((tomorrow.timestamp() - now) / 3600)


def date_of(day: int) -> date:
    """Return the date of a day by its number."""
    return date.fromordinal(_FIRST_DAY + day)


def deal(secret: str, day: int, rules: Rules) -> bytes:
    """Return the hand of a day, as JSON of a `DailyHand`: it follows from the arguments alone. For a side process."""
    rng = random.Random(f"{secret}:{day}")  # noqa: S311 - a secret of the installation seeds it
    rules = rules.with_options(lost_dice=LostDice.VISIBLE)  # hidden counts would make it guesswork
    while (state := _position(rules, rng)) is None:
        pass
    turn = state.turn or 0
    observation, memory = observe(state, turn), new_memory(rules, len(state.dice))
    standing = observation.current_bid or Bid(0, 1, 1)
    calls = _offered(state, turn)
    weighed = weigh(observation, memory, rng).calls
    expert = next(each for each in weighed if str(each.call) in calls)
    names = rng.sample(NAMES, len(state.dice))
    names[turn] = ""
    wild = observation.ones_are_wild
    question = DailyQuestion(
        names=tuple(names),
        counts=tuple(map(len, state.dice)),
        dice=observation.dice,
        bids=tuple(BidView(seat=bid.seat, quantity=bid.quantity, face=bid.face) for bid in state.bids),
        calls=calls,
        wild_by=rules.book if wild else None,
    )
    return (
        DailyHand(
            question=question,
            dice=state.dice,
            counted=_count_dice(state.dice, standing.face, ones_are_wild=wild),
            chance=_percent(bid_chances(observation, memory, standing)[0]),
            expert=str(expert.call),
            right=_percent(expert.after_calls),
        )
        .model_dump_json()
        .encode()
    )


def _position(rules: Rules, rng: random.Random) -> State | None:
    """Random hands and the first bids of computer players, or None if there is not much to decide."""
    seats = rng.randint(_FEWEST, _MOST)
    most = min(_MOST, rules.starting_dice)
    hands = tuple(tuple(rng.choices(range(1, 7), k=rng.randint(1, most))) for _ in range(seats))
    state, memory = set_up(rules, hands), new_memory(rules, seats)
    for seat in range(rng.randint(2, seats - 1)):
        agent = create_agent(Level.STRONG, rng.choice(list(Character)))
        bid = agent.choose(observe(state, seat), memory, rng)
        if not isinstance(bid, Bid):
            return None
        state = apply(state, bid).state
    least, most_likely = _OPEN_QUESTION
    chance = bid_chances(observe(state, state.turn or 0), memory, state.bids[-1])[0]
    return state if least < chance < most_likely else None


def _offered(state: State, seat: int) -> tuple[str, ...]:
    """Return the lowest raise on each face, and the calls that end the round."""
    legal = legal_calls(state, seat)
    lowest: dict[int, Bid] = {}
    for call in legal:
        if isinstance(call, Bid) and (call.face not in lowest or call.quantity < lowest[call.face].quantity):
            lowest[call.face] = call
    raises = sorted(lowest.values(), key=lambda bid: (bid.quantity, bid.face))
    return tuple(map(str, [*raises, *(call for call in legal if not isinstance(call, Bid))]))


def _count_dice(dice: tuple[tuple[int, ...], ...], face: int, *, ones_are_wild: bool) -> int:
    return sum(count_matching(hand, face, ones_are_wild) for hand in dice)


def _percent(chance: float) -> int:
    """Return a chance in percent, rounded to the precision of an estimate."""
    return 5 * round(20 * chance)
