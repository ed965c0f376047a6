"""The contents of a finished game's story: seats and figures, no names."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Final, Literal

from pydantic import BaseModel, ConfigDict

from perudo_core import Bid, Call, Calza, Concede, Dudo, Record, Revealed, count_matching, read_record, replay
from perudo_core.analysis import WORLDS, Decision, GameAnalysis, analyse, highlights
from perudo_core.fair_record import FairRecord
from telegram_bot.statistics.bluff_card import IS_A_FEAT, WORTH_TELLING, BluffCard, Feat

SEED: Final = 0
BOLD: Final = 1 / 3
"""A bluff that is more probable than this is not bold."""
WORLDS_IN_ALL: Final = 40_000
"""The number of imagined hands for one game: a long game takes fewer for each call."""


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)


class StoryCall(_Frozen):
    """A remarkable call."""

    seat: int
    round: int
    call: Literal["bid", "dudo", "calza"]
    quantity: int
    face: int
    """The face of the bid, or of the bid that was answered."""
    dice: tuple[int, ...]
    """The player's dice."""
    chance: int
    """The probability in per cent that the call was right, from the player's point of view."""
    ones_wild: bool = True
    """Whether ones counted for the bid; in a story of release 1.0 always true."""

    def is_on(self, card: BluffCard) -> bool:
        """Return True if the card tells of the same call."""
        feat = {"bid": Feat.BLUFF, "dudo": Feat.DUDO, "calza": Feat.CALZA}[self.call]
        return (card.feat, card.seat, card.quantity, card.face) == (feat, self.seat, self.quantity, self.face)


class StorySeat(_Frozen):
    """One player's game."""

    place: int
    luck: float
    """In dice."""
    skill: float
    """In dice."""
    bluffs: int = 0
    """The number of bids without a die that counted, as statistics count them; in a story of release 1.0 zero."""
    bluffs_through: int = 0
    doubts: int = 0
    """Dudo and calza."""
    right_doubts: int = 0


SILENCE: Final = "None"
"""The expert's call if that was to say nothing, because it was another player's turn. Stored stories contain it."""


class GameStory(_Frozen):
    """The story of a game."""

    course: tuple[tuple[int, ...], ...]
    """The number of dice of each seat, at the start and after each round."""
    seats: tuple[StorySeat, ...]
    bluff: StoryCall | None = None
    """The boldest bluff that held."""
    best: StoryCall | None = None
    """The best call."""
    steady: int | None = None
    """Nerves of steel: the seat that survived most rounds with one die."""
    steady_rounds: int = 0
    decider: StoryCall | None = None
    """The call that cost the last opponent the last die, if it was counted."""
    instead: str | None = None
    """The expert's call, as `perudo_core` writes it, or `SILENCE`, or None if there was no better call."""


def tell_story(record: str) -> bytes:
    """Return the story of a finished game, as JSON of a `GameStory`.

    `record` is the game's as JSON. For a side process.
    """
    return story_of(read_record(record)).model_dump_json().encode()


def story_of(record: Record | FairRecord) -> GameStory:
    """Return the story of a finished game; it takes seconds of CPU. The same record gives the same story.

    It tells of rounds whose dice were shown; a conceded or void round adds only its counts of dice.

    Raises `RecordError` for a record that cannot be replayed, and for a game that is not over.
    """
    plain = record.record if isinstance(record, FairRecord) else record
    calls = sum(len(each.actions) for each in plain.rounds)
    game = analyse(record, seed=SEED, worlds=min(WORLDS, max(1, WORLDS_IN_ALL // max(calls, 1))))
    ones = {step.round: end.ones_are_wild for step in replay(plain) for end in step.events if isinstance(end, Revealed)}
    shown = replace(game, rounds=tuple(each for each in game.rounds if each.number in ones))
    found, survived = highlights(shown), highlights(game)
    bluff = _told_bluff(shown, ones) or found.boldest_bluff
    is_bold = bluff is not None and bluff.chosen is not None and bluff.chosen.after_calls < BOLD
    best = found.best_call
    counted = [each for each in game.rounds[-1].decisions if each.was_counted] if game.rounds else []
    decider = next((each for each in counted if each.is_right is False), None)
    return GameStory(
        course=game.course,
        seats=tuple(_seat(shown, seat, ones) for seat in range(len(game.seats))),
        bluff=_call(bluff, ones) if is_bold else None,
        best=_call(best, ones) if best is not None and best.chosen and best.chosen.after_calls <= IS_A_FEAT else None,
        steady=None if game.rules.first_out_wins else survived.steady,
        steady_rounds=0 if game.rules.first_out_wins else survived.steady_rounds,
        decider=_call(decider, ones),
        instead=None if decider is None or not decider.lost else said_instead(decider.weighing.best.call),
    )


def _told_bluff(shown: GameAnalysis, ones: Mapping[int, bool]) -> Decision | None:
    """Return the bluff that the card of the game tells, if it tells one: see `find_highlight`."""
    held = [
        (each.chosen.by_dice, each)
        for each in shown.decisions
        if each.got_through and each.chosen is not None
        if each.chosen.by_dice <= WORTH_TELLING and _is_without_dice(each, ones)
    ]
    return min(held, key=lambda each: each[0])[1] if held else None


def _is_without_dice(decision: Decision, ones: Mapping[int, bool]) -> bool:
    """Return True for a bid of whose face the bidder held no die that counted."""
    if not isinstance(decision.call, Bid):
        return False
    return not count_matching(decision.dice, decision.call.face, ones[decision.round])


def said_instead(call: Call | None) -> str:
    """Return the expert's call for a story."""
    return SILENCE if call is None else str(call)


def _seat(shown: GameAnalysis, seat: int, ones: Mapping[int, bool]) -> StorySeat:
    own = [each for each in shown.decisions if each.seat == seat]
    bluffs = [each for each in own if _is_without_dice(each, ones)]
    doubts = [each for each in own if isinstance(each.call, Dudo | Calza)]
    return StorySeat(
        place=shown.players[seat].place,
        luck=round(sum(each.luck[seat] for each in shown.rounds), 2),
        skill=round(sum(each.skill[seat] for each in shown.rounds), 2),
        bluffs=len(bluffs),
        bluffs_through=sum(each.got_through for each in bluffs),
        doubts=len(doubts),
        right_doubts=sum(each.is_right is True for each in doubts),
    )


def _call(decision: Decision | None, ones: Mapping[int, bool]) -> StoryCall | None:
    if decision is None or decision.chosen is None or isinstance(decision.call, Concede):
        return None
    is_bid = isinstance(decision.call, Bid)
    bid = decision.call if isinstance(decision.call, Bid) else decision.answered
    if bid is None:
        return None
    return StoryCall(
        seat=decision.seat,
        round=decision.round,
        call="bid" if is_bid else "calza" if isinstance(decision.call, Calza) else "dudo",
        quantity=bid.quantity,
        face=bid.face,
        dice=tuple(sorted(decision.dice)),
        chance=round(100 * decision.chosen.after_calls),
        ones_wild=ones[decision.round],
    )
