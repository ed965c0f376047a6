"""The moment of a finished game for the bluff card: the least likely success."""

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias

from pydantic import BaseModel, ConfigDict

from perudo_core import (
    Bid,
    Calza,
    Dudo,
    GameOver,
    Revealed,
    RoundStarted,
    Rules,
    apply,
    new_game,
    probability_exact,
    probability_holds,
)
from telegram_bot.statistics.game_facts import PlayedAction

WORTH_TELLING: Final = Fraction(1, 4)
"""The highest probability of a moment for a card."""
IS_A_FEAT: Final = Fraction(1, 2)
"""A success with a higher probability is no feat. Two games of four in three have a moment for a card."""


class Feat(StrEnum):
    """The kind of event that a card shows."""

    BLUFF = "bluff"
    """A bid without a die that counts, which was not caught."""
    CALZA = "calza"
    """A right calza."""
    DUDO = "dudo"
    """A right dudo against a likely bid."""
    COMEBACK = "comeback"
    """A win from one die."""


class BluffCard(BaseModel):
    """A moment of a game; `total` dice were in play."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    feat: Feat
    seat: int
    total: int
    chance: int
    """The probability of success in per cent, as far as the player's own dice showed it."""
    quantity: int = 0
    face: int = 0
    """The bid's face; 0 if there is no bid."""


_Found = tuple[Fraction, BluffCard]
Hand: TypeAlias = tuple[int, ...]


class ShownSuccess(NamedTuple):
    """A success in a game, and the number of the action that showed the dice."""

    chance: Fraction
    action: int
    card: BluffCard


def find_highlight(
    rules: Rules,
    seats: int,
    actions: Iterable[PlayedAction],
    told_of: Collection[int],
    feats: Collection[Feat] = tuple(Feat),
) -> BluffCard | None:
    """Return the least likely of these feats of these seats in a game, or None if no feat is worth a card.

    Only rounds whose dice were shown count, without the bot's calls for absent players. Raises IllegalActionError: the
    actions are no game under these rules.
    """
    found = [
        moment
        for moment in shown_successes(rules, seats, actions)
        if moment.card.seat in told_of and moment.card.feat in feats and moment.chance <= WORTH_TELLING
    ]
    return min(found, key=lambda moment: moment.chance).card if found else None


def shown_successes(rules: Rules, seats: int, actions: Iterable[PlayedAction]) -> Iterator[ShownSuccess]:
    """Yield every feat of a game, also the likely ones. Raises IllegalActionError as `find_highlight`."""
    state, behind = new_game(rules, [f"seat {seat}" for seat in range(seats)]), dict[int, int]()
    bids: list[tuple[Bid, Hand]] = []
    for number, (action, automatic) in enumerate(actions):
        state, events = apply(state, action)
        found: list[_Found] = []
        if isinstance(action, Bid) and not automatic:
            bids.append((action, state.dice[action.seat]))
        for event in events:
            match event:
                case Revealed():
                    found += _bluffs(event, bids, last=not event.holds)
                    if isinstance(action, Dudo | Calza) and not automatic:
                        found += _call(event, action)
                case RoundStarted():
                    bids = []
                    for seat, dice in enumerate(state.dice_counts):
                        if dice == 1:
                            behind[seat] = max(behind.get(seat, 0), state.total_dice)
                case GameOver(outcome=outcome) if outcome.winner in behind and not rules.first_out_wins:
                    total = behind[outcome.winner]
                    found.append(_found(Feat.COMEBACK, outcome.winner, total, Fraction(1, total)))
                case _:
                    pass
        yield from (ShownSuccess(chance, number, card) for chance, card in found)


def _bluffs(shown: Revealed, bids: list[tuple[Bid, Hand]], *, last: bool) -> Iterator[_Found]:
    """Yield the bids without a die that counts, unless the last one was caught; each with its bidder's dice then."""
    total = sum(map(len, shown.dice))
    for bid, own in bids[:-1] if last and bids and bids[-1][0] == shown.bid else bids:
        if own and probability_holds(own, 0, 1, bid.face, shown.ones_are_wild) == 0:
            chance = probability_holds(own, total - len(own), bid.quantity, bid.face, shown.ones_are_wild)
            yield _found(Feat.BLUFF, bid.seat, total, chance, bid)


def _call(shown: Revealed, call: Dudo | Calza) -> Iterator[_Found]:
    """Yield a right dudo or calza."""
    total, own, bid = sum(map(len, shown.dice)), shown.dice[call.seat], shown.bid
    known = (own, total - len(own), bid.quantity, bid.face, shown.ones_are_wild)
    if isinstance(call, Calza) and shown.exact:
        yield _found(Feat.CALZA, call.seat, total, probability_exact(*known), bid)
    if isinstance(call, Dudo) and not shown.holds:
        yield _found(Feat.DUDO, call.seat, total, 1 - probability_holds(*known), bid)


def _found(feat: Feat, seat: int, total: int, chance: Fraction, bid: Bid | None = None) -> _Found:
    said = {} if bid is None else {"quantity": bid.quantity, "face": bid.face}
    return chance, BluffCard(feat=feat, seat=seat, total=total, chance=round(100 * chance), **said)
