"""Fair dice by commitment and reveal: nobody needs to trust the host of a game.

Before anything else the host publishes `FairDice.commitment`, the SHA-256 of a secret of 32 bytes. Then the players add
their words, which make the table's public salt, and the game begins. Every roll follows from the secret and the salt.
At the end the secret is revealed, and whoever has the record computes every roll again: `verify`.

What this proves: the host chose the secret before it saw the salt, so it did not choose the dice; and nobody without
the secret could foretell one, for HMAC-SHA256 gives nothing away. What it does not: the host knows all dice while the
game runs, as every host does; it can break a game off, which all see; and a host that also writes the salt's last word,
or is friends with who does, can try words until the dice please it. Who doubts adds a word, or lets somebody trusted
add the last one, and keeps the commitment that was shown at the start.

Derivation (`perudo-fair/1`), for a port to another language. All texts are UTF-8, numbers decimal::

    key    = HMAC-SHA256(secret, "perudo-fair/1 " + salt)
    stream = HMAC-SHA256(key, label + " block 0") + HMAC-SHA256(key, label + " block 1") + ...

A number below n is taken from a stream w bytes at a time (w the fewest with 256**w >= n), big-endian: v at or above
256**w - 256**w mod n is thrown away, else v mod n is the number. A die is a number below 6, plus 1. The labels:

- `round R seat S`: the hand of seat S (from 0) in round R, which counts from 1 and is never used twice: also a round
  that is rolled again has the next number.
- `opener of N`: a number below N picks the opener among the N seats in, in turn order.
- `contest of N attempt A seat S`: a roll for who opens, among N contenders. A, from 1, is the first attempt in which
  not all tie: a roll that all tie would change nothing. N falls with each roll, so no label is used twice.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import count
from typing import Final

from perudo_core.actions import ChanceAction, Dice, OpenerDraw, OpeningRoll, Roll
from perudo_core.errors import IllegalActionError, Reason, abbreviated, expect_type, is_encodable
from perudo_core.legality import opening_counts
from perudo_core.rules import OpenerMethod
from perudo_core.state import Phase, State

__all__ = ["FairDice"]

SCHEMA: Final = "perudo-fair/1"
SECRET_BYTES: Final = 32
LONGEST_SALT: Final = 65_536


@dataclass(frozen=True, slots=True)
class FairDice:
    """All dice of one game, derived from a secret of 32 bytes and the players' salt; a secret is for one game only.

    Raises `TypeError` and `ValueError` for a secret or a salt of the wrong type or length; no message tells the secret.

    >>> dice = FairDice(secret=bytes(32), salt="Ana: llama")
    >>> dice.commitment[:8]
    '66687aad'
    """

    secret: bytes = field(repr=False)
    salt: str = ""

    def __post_init__(self) -> None:
        """Refuse a secret or a salt of the wrong kind, without telling the secret."""
        expect_type(self.secret, bytes, "secret")
        if len(self.secret) != SECRET_BYTES:
            raise ValueError(f"secret must be {SECRET_BYTES} bytes, not {len(self.secret)}")
        _check_salt(self.salt)

    @classmethod
    def new(cls, rng_bytes: Callable[[int], bytes] = secrets.token_bytes, salt: str = "") -> FairDice:
        """Dice with a fresh secret, to commit to before the salt is known: see `with_salt`."""
        expect_type(rng_bytes, Callable, "rng_bytes")  # type: ignore[arg-type]
        return cls(rng_bytes(SECRET_BYTES), salt)

    def with_salt(self, salt: str) -> FairDice:
        """The same secret, and so the same commitment, with the salt that the table agreed on."""
        return FairDice(self.secret, salt)

    @property
    def commitment(self) -> str:
        """What to publish before the salt is known: the SHA-256 of the secret alone, in hex."""
        return sha256(self.secret).hexdigest()

    def roll(self, state: State) -> ChanceAction:
        """What chance does next: the counterpart of `sample_roll`, always the same for the same state.

        Raises `IllegalActionError` where the game does not wait for chance.

        >>> from perudo_core import Rules, new_game
        >>> FairDice(bytes(32)).roll(new_game(Rules(starting_dice=2), 2, opener=0))
        Roll(dice=((5, 3), (2, 6)))
        """
        expect_type(state, State, "state")
        if state.phase is Phase.ROLLING:
            return Roll(self._dice(state.dice_counts, f"round {state.round + 1}"))
        if state.phase is not Phase.OPENING:
            raise IllegalActionError(Reason.ROLL_NOT_NOW, Roll(()))
        if state.rules.opener_method is OpenerMethod.RANDOM:
            seats = state.active_seats
            return OpenerDraw(seats[next(numbers(self._stream(f"opener of {len(seats)}"), len(seats)))])
        counts = opening_counts(state)
        many = len(state.contenders)
        attempts = (self._dice(counts, f"contest of {many} attempt {attempt}") for attempt in count(1))
        return OpeningRoll(next(dice for dice in attempts if many < 2 or not _all_tie(dice)))  # noqa: PLR2004 - a contest

    def _dice(self, counts: tuple[int, ...], what: str) -> Dice:
        return tuple(self._hand(many, f"{what} seat {seat}") if many else () for seat, many in enumerate(counts))

    def _hand(self, many: int, label: str) -> tuple[int, ...]:
        faces = numbers(self._stream(label), 6)
        return tuple(next(faces) + 1 for _ in range(many))

    def _stream(self, label: str) -> Iterator[int]:
        key = hmac.digest(self.secret, f"{SCHEMA} {self.salt}".encode(), "sha256")
        block = 0
        while True:
            yield from hmac.digest(key, f"{label} block {block}".encode(), "sha256")
            block += 1


def _all_tie(dice: Dice) -> bool:
    return len({sum(hand) for hand in dice if hand}) == 1


def numbers(stream: Iterator[int], below: int) -> Iterator[int]:
    """Numbers below a limit from a stream of bytes, each as likely as any other."""
    width = max(1, ((below - 1).bit_length() + 7) // 8)
    most = 256**width
    while True:
        value = int.from_bytes(bytes(next(stream) for _ in range(width)), "big")
        if value < most - most % below:
            yield value % below


def _check_salt(salt: str) -> None:
    expect_type(salt, str, "salt")
    if len(salt) > LONGEST_SALT:
        raise ValueError(f"salt must be at most {LONGEST_SALT} characters, not {len(salt)}")
    if not is_encodable(salt):
        raise ValueError(f"salt must be a whole text, not {abbreviated(salt)}")
