"""Thousands of games at once, in NumPy arrays: `pip install perudo-core[numpy]`.

>>> import numpy as np
>>> from perudo_core import Rules
>>> from perudo_core.batch import play_policy, play_random
>>> result = play_random(Rules.preset("azteca"), seats=4, games=100, rng=np.random.default_rng(1))
>>> result.winners.shape, result.placements.shape
((100,), (100, 4))
>>> shares = np.bincount(result.winners, minlength=4) / 100  # how often each seat won
>>> round(float(shares.sum()), 3)
1.0

A policy of your own is a function of the `Batch`. It returns the index of a legal call for each game, in the order of
`legal_calls(state)`: bids by quantity and then by face, then the dudos, then the calzas.

>>> def cautious(batch):  # doubt a bid above a third of the dice in play, else make the least bid
...     doubts = 3 * batch.bid_quantity > batch.dice_counts.sum(axis=1)
...     return np.where(doubts, batch.legal_bid_count, 0)
>>> play_policy(Rules(), 4, 100, np.random.default_rng(1), cautious).winners.shape
(100,)

A learning program needs numbers that always mean the same call. These are the numbers of `ActionEncoding`:

    number     0    1  ...    5     6    7  ...  6Q-1     6Q     6Q+1
    call      1x1  1x2 ...   1x6   2x1  2x2 ...   Qx6    dudo    calza

If only 1x6, 2x1, 2x2 and dudo are legal in a game, the numbers look like this:

    legal_mask()        number     5     6     7    ...    6Q
                        legal     yes   yes   yes    no   yes
    choice for `step`   index      0     1     2            3
                                 `legal_bid_count` is 3, `legal_call_count` 4

`Batch.to_choice` converts the upper line to the lower, `Batch.to_action` converts it back. `Batch.bids` are the numbers
of the bids so far:

>>> def learnt(batch):  # replace the random scores by those of a network, from own_dice, dice_counts and bids
...     scores = np.random.default_rng(2).random(batch.legal_mask().shape)
...     return batch.to_choice(np.where(batch.legal_mask(), scores, -1).argmax(axis=1))
>>> play_policy(Rules(), 2, 100, np.random.default_rng(1), learnt, keep_bids=True).winners.shape
(100,)

The bids come from the engine's own table of raises. Tests play every option in both engines and compare the games.
"""

from __future__ import annotations

from perudo_core._errors import missing_extra

try:
    import numpy as np
except ModuleNotFoundError as error:
    raise missing_extra(error, "perudo_core.batch", "numpy") from None

from collections.abc import Callable

from perudo_core._public_names import publish
from perudo_core._rules import Rules
from perudo_core.batch._arrays import MAX_BATCH_DICE, BatchResult
from perudo_core.batch._bid_tables import Ints
from perudo_core.batch._games import Batch

__all__ = ["MAX_BATCH_DICE", "Batch", "BatchResult", "play_policy", "play_random"]


def play_random(rules: Rules, seats: int, games: int, rng: np.random.Generator) -> BatchResult:
    """Play games to their ends; each call is drawn evenly from `legal_calls(state)`, calls out of turn included.

    Raises the same errors as `Batch`.
    """
    batch = Batch(rules, seats, games, rng)
    while len(batch.game):
        choice = (rng.random(len(batch.game)) * batch.legal_call_count).astype(np.int64)
        batch.step(choice, check=False)
    return batch.result


def play_policy(
    rules: Rules,
    seats: int,
    games: int,
    rng: np.random.Generator,
    policy: Callable[[Batch], Ints],
    *,
    keep_bids: bool = False,
) -> BatchResult:
    """Play games to their ends: the policy picks a legal call in each running game, by its index.

    With `keep_bids` the policy may read `Batch.bids`. Raises the same errors as `Batch` and `Batch.step`.
    """
    batch = Batch(rules, seats, games, rng, keep_bids=keep_bids)
    while len(batch.game):
        batch.step(policy(batch))
    return batch.result


publish(globals())
