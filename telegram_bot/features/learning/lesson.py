"""The tutorial's lesson: one scripted round and two situations, played by the rules of a table.

Only the dice are fixed. The rules decide which bids are legal, which calls win and who loses a die, so the lesson
differs with the rules.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import Any, Final

from perudo_core import (
    Bid,
    Call,
    Calza,
    Dudo,
    OnesRank,
    Reason,
    Rules,
    State,
    apply,
    count_matching,
    is_legal,
    set_up,
    why_illegal,
)
from telegram_bot.tables.model import FrozenModel, TableRules
from telegram_bot.words.rules import ones_are_wild

FACE: Final = 2
"""The face that is counted, and bid."""


class Stage(StrEnum):
    """The stages, in their order."""

    LIFT = "lift"
    COUNT = "count"
    CALL = "call"
    REVEAL = "reveal"


STAGES: Final = tuple(Stage)
SECONDS: Final = {Stage.LIFT: 10, Stage.COUNT: 15, Stage.CALL: 18, Stage.REVEAL: 15}
"""The longest time of each stage."""
PAUSE_SECONDS: Final = 2
"""After the last answer: enough to read whether it was right."""
DUDO: Final = 1
"""The answer to a bid; 0 is a higher bid."""


class RoundZero(FrozenModel):
    """A running round zero."""

    stage: Stage = Stage.LIFT
    ends: float
    """When the stage ends at the latest."""
    host: int
    """The player who started the game."""
    rules: TableRules
    players: tuple[int, ...]
    hands: tuple[tuple[int, ...], ...]
    """The dice of each player, then those of the bot's friend, who bids."""
    answers: Mapping[int, int] = {}
    """The answers to the last question, by player."""
    knowing: tuple[int, ...] = ()
    """The players who know the game and would like to begin."""

    @property
    def quantity(self) -> int:
        """Return the number of the first bid: one more than can be expected, so that both answers are a risk."""
        return len(self.hands) * DICE // (3 if self.rules.wild_ones else 6) + 1

    def is_known(self, host: int, here: Collection[int]) -> bool:
        """Return True if the host would like to begin, or all its players who are still at the table."""
        return host in self.knowing or {each for each in self.players if each in here} <= {*self.knowing}

    def following(self, now: float) -> "RoundZero | None":
        """Return its next stage, or None after the last one."""
        if self.stage is STAGES[-1]:
            return None
        stage = STAGES[STAGES.index(self.stage) + 1]
        answers = self.answers if stage is Stage.REVEAL else {}
        return self.model_copy(update={"stage": stage, "ends": now + SECONDS[stage], "answers": answers})

    def answered(self, player: int, stage: Stage, answer: int, *, now: float) -> "RoundZero":
        """Return it with a player's first answer to its question; after the last one, the stage ends soon."""
        if stage != self.stage or stage is Stage.REVEAL or player not in self.players or player in self.answers:
            return self
        return self._with(now, answers={**self.answers, player: answer})

    def known(self, player: int, *, now: float) -> "RoundZero":
        """Return it with a player who knows the game; the others do not wait for this player's answers."""
        return self if player in self.knowing else self._with(now, knowing=(*self.knowing, player))

    def _with(self, now: float, **changes: Any) -> "RoundZero":
        after = self.model_copy(update=changes)
        if self.stage is Stage.REVEAL or not {*self.players} <= {*after.answers, *after.knowing}:
            return after
        return after.model_copy(update={"ends": min(self.ends, now + PAUSE_SECONDS)})


def deal(roll: Callable[[], int], players: Sequence[int], rules: TableRules, *, host: int, now: float) -> RoundZero:
    """Return a round zero at its first stage."""
    hands = tuple(tuple(roll() for _ in range(DICE)) for _ in (*players, None))
    if rules.is_always_palifico:
        rules = rules.with_options(wild_ones=False)
    return RoundZero(ends=now + SECONDS[Stage.LIFT], host=host, rules=rules, players=tuple(players), hands=hands)


LEARNER: Final = 0
FRIEND: Final = 1
FRIEND_NAME: Final = "Wayra"
OTHER_NAME: Final = "Inti"
DICE: Final = 5
FOURS: Final = 4
_SEATS: Final = ("You", FRIEND_NAME, OTHER_NAME)


class Topic(StrEnum):
    """The subject of a step of the lesson."""

    COUNT = "count"
    RAISE = "raise"
    DUDO = "dudo"
    LOSER = "loser"
    CALZA = "calza"
    PALIFICO = "palifico"
    ONES = "ones"
    BLUFF = "bluff"
    HIGHER = "higher"


_LAST_ONES: Final = (Topic.ONES, Topic.HIGHER, Topic.BLUFF, Topic.CALZA, Topic.PALIFICO)
"""The order of the last two steps: bids first, exceptions last."""


@dataclass(frozen=True, slots=True)
class Answer:
    """One of the answers that a step offers: a call, a number, or a seat."""

    call: Call | None = None
    number: int = 0
    right: bool = False
    why_not: Reason | None = None
    """The rule that forbids the call."""


@dataclass(frozen=True, slots=True)
class LessonStep:
    """One question: the situation in which it is asked, and the answers."""

    topic: Topic
    state: State
    answers: tuple[Answer, ...]
    after: State
    """The situation after the right answer."""

    @property
    def standing(self) -> Bid | None:
        """The bid that the learner has to answer."""
        return self.state.bids[-1] if self.state.bids else None

    @property
    def hand(self) -> tuple[int, ...]:
        """The learner's dice."""
        return self.state.dice[LEARNER]

    def held(self, face: int) -> int:
        """Return how many of the learner's dice count for a bid on a face."""
        return self._count(self.hand, face)

    def total(self, face: int) -> int:
        """Return how many of all dice count for a bid on a face."""
        return sum(self._count(hand, face) for hand in self.state.dice)

    def _count(self, hand: Sequence[int], face: int) -> int:
        return count_matching(hand, face, self.state.ones_are_wild)


@lru_cache(maxsize=64)
def lesson(rules: Rules) -> tuple[LessonStep, ...]:
    """Return the steps of the lesson under these rules: six, or five where every round is palifico without calza."""
    first_round = _first_round(rules)
    left = first_round[-1].after.dice_counts[FRIEND] or DICE  # a friend who is out plays the next steps with all dice
    makers = (_calza, _palifico, _ones, _bluff, _higher)
    extra = [step for make in makers if (step := make(rules, left)) is not None]
    return (*first_round, *sorted(extra[:2], key=lambda step: _LAST_ONES.index(step.topic)))


def _state(
    rules: Rules, *dice: tuple[int, ...], opener: int, palifico: int | None = None, bids: Sequence[Bid]
) -> State:
    seats = _SEATS[: len(dice)]
    # With room for the lesson's people and dice: the lesson does not teach these limits.
    roomy = rules.with_options(starting_dice=DICE, extra_die=False, min_seats=2, max_seats=None)
    return set_up(roomy, dice, bids, seats=seats, opener=opener, palifico=palifico)


def _first_round(rules: Rules) -> list[LessonStep]:
    """Return the scripted round: count your dice, bid, doubt, see who loses."""
    opened = _state(rules, (4, 4, 1, 2, 6), (4, 1, 3, 5, 6), opener=FRIEND, bids=[Bid(FRIEND, 2, FOURS)])
    counting = LessonStep(Topic.COUNT, opened, (), opened)
    held = counting.held(FOURS)
    numbers = tuple(Answer(number=number, right=number == held) for number in (held - 1, held, held + 1))
    bid = Bid(LEARNER, 3, FOURS)
    raised = apply(opened, bid).state
    higher = Bid(LEARNER, 2, FOURS + 1)
    bids = _checked(opened, [Bid(LEARNER, 2, FOURS - 1), higher, bid], right=[higher, bid])
    high = apply(raised, Bid(FRIEND, 7, FOURS)).state
    dudo = Dudo(LEARNER)
    doubted = apply(high, dudo).state
    calls = _checked(high, [Bid(LEARNER, 8, FOURS), dudo], right=[dudo])
    changed = next(seat for seat in (LEARNER, FRIEND) if doubted.dice_counts[seat] < high.dice_counts[seat])
    loser = FRIEND if rules.first_out_wins else changed
    seats = tuple(Answer(number=seat, right=seat == loser) for seat in (LEARNER, FRIEND))
    return [
        LessonStep(Topic.COUNT, opened, numbers, opened),
        LessonStep(Topic.RAISE, opened, bids, raised),
        LessonStep(Topic.DUDO, high, calls, doubted),
        LessonStep(Topic.LOSER, high, seats, doubted),
    ]


def _calza(rules: Rules, left: int) -> LessonStep | None:
    """Return an exact bid to which the learner may say calza; the rules decide whose bid that can be."""
    if not rules.calza:
        return None
    # The learner has lost a die, which the calza wins back. Under sudden death the learner still has all five.
    hand = (2, 2, 1, 5) if not rules.sudden_death else (2, 2, 1, 5, 6)
    others = ((2, 3, 4, 5, 6)[:left], (3, 3, 4, 5, 6))
    for bidder in (2, FRIEND):
        empty = _state(rules, hand, *others, opener=bidder, bids=[])
        exact = LessonStep(Topic.CALZA, empty, (), empty).total(2)
        state = apply(empty, Bid(bidder, exact, 2)).state
        calza = Calza(LEARNER)
        if is_legal(state, calza):
            answers = _checked(state, [Dudo(LEARNER), Bid(LEARNER, exact + 1, 2), calza], right=[calza])
            return LessonStep(Topic.CALZA, state, answers, apply(state, calza).state)
    return None


def _palifico(rules: Rules, left: int) -> LessonStep | None:
    """Return the player before the learner is down to one die, and opens a palifico round."""
    if not rules.can_drop_to_palifico:
        return None
    hands = ((5, 1, 3, 2, 6), (2, 4, 6, 3, 4)[:left], (5,))
    state = _state(rules, *hands, opener=2, palifico=2, bids=[Bid(2, 1, 5)])
    right = Bid(LEARNER, 2, 5)
    answers = _checked(state, [Bid(LEARNER, 1, 6), right, Dudo(LEARNER)], right=[right])
    return LessonStep(Topic.PALIFICO, state, answers, apply(state, right).state)


def _ones(rules: Rules, left: int) -> LessonStep | None:
    """Return a raise from a plain face to ones, for which as many dice are enough, or fewer."""
    if not ones_are_wild(rules) or rules.ones_rank is OnesRank.LOWEST:
        return None
    state = _state(rules, (1, 1, 2, 3, 6), (2, 4, 4, 6, 5)[:left], opener=FRIEND, bids=[Bid(FRIEND, 5, FOURS)])
    enough = next(ones for ones in range(1, 2 * DICE) if is_legal(state, Bid(LEARNER, ones, 1)))
    right = Bid(LEARNER, enough, 1)
    offered = [Bid(LEARNER, enough - 1, 1), right, Bid(LEARNER, 5, 3)]
    return LessonStep(Topic.ONES, state, _checked(state, offered, right=[right]), apply(state, right).state)


def _bluff(rules: Rules, left: int) -> LessonStep:
    """Return a bid on a face that the learner does not hold."""
    state = _state(rules, (2, 3, 3, 6, 6), (4, 5, 5, 2, 3)[:left], opener=FRIEND, bids=[Bid(FRIEND, 2, FOURS)])
    bluffs = [Bid(LEARNER, 2, 5), Bid(LEARNER, 3, FOURS)]
    answers = _checked(state, [*bluffs, Dudo(LEARNER)], right=bluffs)
    return LessonStep(Topic.BLUFF, state, answers, apply(state, bluffs[1]).state)


def _higher(rules: Rules, left: int) -> LessonStep | None:
    """Return a bid that is raised by its face, and two that are no raises; where the face stays as it is, None."""
    if rules.is_always_palifico:
        return None
    state = _state(rules, (2, 3, 4, 4, 6), (2, 3, 3, 5, 6)[:left], opener=FRIEND, bids=[Bid(FRIEND, 4, 3)])
    right = Bid(LEARNER, 4, FOURS)
    answers = _checked(state, [Bid(LEARNER, 4, 2), Bid(LEARNER, 3, 6), right], right=[right])
    return LessonStep(Topic.HIGHER, state, answers, apply(state, right).state)


def _checked(state: State, calls: Sequence[Call], *, right: Sequence[Call]) -> tuple[Answer, ...]:
    """Return the calls as answers, each with what the rules say about it; only a legal one can be right."""
    checked = [(call, why_illegal(state, call)) for call in calls]
    return tuple(Answer(call=call, right=call in right and not why_not, why_not=why_not) for call, why_not in checked)
