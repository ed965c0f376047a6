"""Fair dice by commitment and reveal: the players do not need to trust the host of a game.

Before any player stirs, the host publishes `FairDice.commitment`: a SHA-256 of a secret of 32 bytes, the rules and the
name of the table. Then the players add their stirs, which make the public salt, and the game begins. Every roll follows
from the secret, the context (rules and table) and the salt, and so does the chance in the calls of computer players. At
the end the host reveals the secret. Then everybody with the record can compute everything again: `verify`.

This proves that the host chose the secret, the rules and the table before it saw the salt, so the host did not choose
the dice. It also proves that no player could predict a roll, because HMAC-SHA256 reveals nothing without the secret.
Three things remain. The host knows all dice during the game, as every host does. The host can break off a game, and
all players see that. A host that also adds the last stir, or works with the player who adds it, can try stirs until
the dice are to its liking. Players who doubt the host add a stir, or have a trusted player add the last one, and keep
the commitment that was shown at the start.

Derivation (`perudo-fair/3`), for a port to another language. All texts are UTF-8. `framed` puts the length of each part
in bytes before it, as four bytes, big-endian, so two different lists of parts never look alike::

    commitment = SHA256(framed("perudo-fair/2", secret, context))
    key        = HMAC-SHA256(secret, framed("perudo-fair/2", context, salt))
    stream     = HMAC-SHA256(key, label + " block 0") + HMAC-SHA256(key, label + " block 1") + ...

`context` is JSON with sorted keys and without spaces: `{"rules":{every option, as in a record},"table":"its name"}`.
`preset` is not among the options, because the name of a rulebook is only a label. In `perudo-fair/2` the context had
the name too; all else is the same, so the derivation keeps that text. `any_higher` raises with ones that rank `highest`
are `"plain_raise":"ones_highest"` in the context, as before there was the option `ones_rank`.

A number below n is taken from a stream w bytes at a time (w is the least number with 256**w >= n), big-endian: a value
v at or above 256**w - 256**w mod n is thrown away, otherwise the number is v mod n. A die is a number below 6, plus 1.
The labels, with decimal numbers:

- `round R seat S`: the hand of seat S (from 0) in round R. R counts from 1, and a round that is rolled again has the
  next number, so no label is used twice.
- `round R call C seat S`: what seat S rolls again in round R after C bids, once it has shown some dice.
- `opener of N`: a number below N picks the opener among the N seats in, in turn order.
- `contest of N attempt A seat S`: a roll for the opener among N contenders. A, from 1, is the first attempt without a
  tie of all N, because such a roll would change nothing. N falls with each roll, so no label is used twice.
- `choice R call C seat S`: the first eight bytes, big-endian, seed the decision of a computer player at seat S in round
  R, in which C calls have been made.
"""

from __future__ import annotations

import hmac
import json
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import count, islice
from typing import Final

from perudo_core._actions import ChanceAction, Dice, OpenerDraw, OpeningRoll, Reroll, Roll, Seat
from perudo_core._errors import IllegalActionError, Reason, abbreviated, expect_type, is_encodable, whole_number
from perudo_core._legality import dice_to_reroll, opening_counts
from perudo_core._phase import Phase
from perudo_core._public_names import Listed, publish
from perudo_core._rules import ONES_HIGHEST, ONES_HIGHEST_TODAY, OpenerMethod, Rules
from perudo_core._state import State

__all__ = ["FairDice"]

SCHEMA: Final = "perudo-fair/3"
SCHEMA_2: Final = "perudo-fair/2"
SCHEMAS: Final = (SCHEMA_2, SCHEMA)
DERIVATION: Final = SCHEMA_2.encode()
SECRET_BYTES: Final = 32
SEED_BYTES: Final = 8
LONGEST_SALT: Final = 65_536
LONGEST_TABLE: Final = 256


@dataclass(frozen=True, slots=True)
class FairDice(metaclass=Listed):
    """All dice of one game, derived from a secret of 32 bytes and the players' salt; a secret is for one game only.

    Raises `TypeError` and `ValueError` for a field of the wrong type or length; no message contains the secret.

    >>> dice = FairDice(bytes(32), table="ABC234", salt="Ana: llama")
    >>> dice.commitment[:8]
    '10489345'
    """

    secret: bytes = field(repr=False)
    rules: Rules = field(default_factory=Rules)
    table: str = ""
    """A text of at most 256 characters that distinguishes this game from others of the same host."""
    salt: str = ""
    schema: str = SCHEMA
    """`perudo-fair/2` for a game whose commitment was published in that form."""
    context: str = field(init=False, repr=False)
    """The rules and the table as JSON, public before the commitment."""

    def __post_init__(self) -> None:
        """Refuse fields of the wrong kind, without showing the secret."""
        expect_type(self.secret, bytes, "secret")
        if len(self.secret) != SECRET_BYTES:
            raise ValueError(f"secret must be {SECRET_BYTES} bytes, not {len(self.secret)}")
        expect_type(self.rules, Rules, "rules")
        _check_text(self.table, "table", LONGEST_TABLE)
        _check_text(self.salt, "salt", LONGEST_SALT)
        expect_type(self.schema, str, "schema")
        if self.schema not in SCHEMAS:
            raise ValueError(f"schema must be {' or '.join(SCHEMAS)}, not {abbreviated(self.schema)}")
        options = self.rules.to_dict()
        if ONES_HIGHEST_TODAY.items() <= options.items():
            del options["ones_rank"]
            options |= ONES_HIGHEST
        if self.schema != SCHEMA_2:
            del options["preset"]
        given = {"rules": options, "table": self.table}
        context = json.dumps(given, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        object.__setattr__(self, "context", context)

    @classmethod
    def new(
        cls, rules: Rules | None = None, table: str = "", *, rng_bytes: Callable[[int], bytes] = secrets.token_bytes
    ) -> FairDice:
        """Dice with a fresh secret: publish the commitment, then add the salt by `with_salt`."""
        expect_type(rng_bytes, Callable, "rng_bytes")  # type: ignore[arg-type]
        return cls(rng_bytes(SECRET_BYTES), Rules() if rules is None else rules, table)

    def with_salt(self, salt: str) -> FairDice:
        """Return the same secret, rules and table, and so the same commitment, with the players' salt."""
        return replace(self, salt=salt)

    @property
    def commitment(self) -> str:
        """The commitment in hex, to be published before the salt is known; it does not depend on the salt."""
        return commitment(self.secret, self.context)

    def roll(self, state: State) -> ChanceAction:
        """Return the next roll or draw, always the same for the same state: the counterpart of `sample_roll`.

        Raises `IllegalActionError` while the game does not wait for chance, `ValueError` for a game by other rules.

        >>> from perudo_core import Rules, new_game
        >>> rules = Rules(starting_dice=2)
        >>> FairDice(bytes(32), rules).roll(new_game(rules, 2, opener=0))
        Roll(dice=((6, 2), (3, 6)))
        """
        key = self._key_of(state)
        if state.phase is Phase.ROLLING:
            return Roll(_hands(key, state.dice_counts, f"round {state.round + 1}"))
        if state.phase is not Phase.OPENING:
            raise IllegalActionError(Reason.ROLL_NOT_NOW, Roll(()))
        if state.rules.opener is OpenerMethod.RANDOM:
            seats = state.active_seats
            return OpenerDraw(seats[number_below(len(seats), key, f"opener of {len(seats)}")])
        return OpeningRoll(contest(key, opening_counts(state), len(state.contenders)))

    def reroll(self, state: State, seat: Seat, shown: tuple[int, ...]) -> Reroll:
        """Return what a seat rolls again once it shows these dice after its bid: the counterpart of `sample_reroll`.

        Raises `IllegalActionError` if the seat may not show them now, `ValueError` for a game by other rules.
        """
        key = self._key_of(state)
        many = dice_to_reroll(state, seat, shown)
        return Reroll(seat, shown, hand(key, many, f"round {state.round} call {len(state.bids)} seat {seat}"))

    def _key_of(self, state: State) -> bytes:
        expect_type(state, State, "state")
        if state.rules != self.rules:
            raise ValueError("state must be of a game by the rules of the dice")
        return derived_key(self.secret, self.context, self.salt)

    def choice_seed(self, state: State, seat: Seat) -> int:
        """Return the seed for a computer player's next decision: 64 bits, the same for the same call of a round.

        >>> from random import Random
        >>> from perudo_core import set_up
        >>> dice = FairDice(bytes(32))
        >>> Random(dice.choice_seed(set_up(Rules(), ((2, 2), (3, 4))), 0)).randrange(100)
        43
        """
        expect_type(state, State, "state")
        seat = whole_number(seat, "seat", 0, len(state.seats) - 1)
        key = derived_key(self.secret, self.context, self.salt)
        label = f"choice {state.round} call {len(state.bids)} seat {seat}"
        return int.from_bytes(bytes(islice(stream(key, label), SEED_BYTES)), "big")


def commitment(secret: bytes, context: str) -> str:
    """Return the commitment to a secret and a context, in hex."""
    return sha256(_framed(DERIVATION, secret, context.encode())).hexdigest()


def seal_digits(commitment: str) -> str:
    """Return the last 15 decimal digits of a commitment, which people compare by voice or by text message.

    >>> seal_digits("ff" * 32)
    '007 913 129 639 935'
    """
    digits = f"{int(commitment, 16) % 10**15:015}"
    return " ".join(digits[at : at + 3] for at in range(0, 15, 3))


def derived_key(secret: bytes, context: str, salt: str) -> bytes:
    """Return the key of all streams of one game."""
    return hmac.digest(secret, _framed(DERIVATION, context.encode(), salt.encode()), "sha256")


def stream(key: bytes, label: str) -> Iterator[int]:
    """Yield the endless bytes with this label."""
    block = 0
    while True:
        yield from hmac.digest(key, f"{label} block {block}".encode(), "sha256")
        block += 1


def hand(key: bytes, many: int, label: str) -> tuple[int, ...]:
    """So many dice of the stream with this label."""
    faces = numbers(stream(key, label), 6)
    return tuple(next(faces) + 1 for _ in range(many))


def number_below(limit: int, key: bytes, label: str) -> int:
    """Return the first number below a limit of the stream with this label."""
    return next(numbers(stream(key, label), limit))


def contest(key: bytes, counts: tuple[int, ...], contenders: int) -> Dice:
    """Return the first roll for the opener that is not a tie of all.

    `counts`: each seat's dice, 0 if it does not roll.
    """
    attempts = (_hands(key, counts, f"contest of {contenders} attempt {attempt}") for attempt in count(1))
    return next(dice for dice in attempts if contenders < 2 or len({sum(hand) for hand in dice if hand}) > 1)  # noqa: PLR2004 - a contest


def _framed(*parts: bytes) -> bytes:
    return b"".join(len(part).to_bytes(4, "big") + part for part in parts)


def _hands(key: bytes, counts: tuple[int, ...], what: str) -> Dice:
    return tuple(hand(key, many, f"{what} seat {seat}") if many else () for seat, many in enumerate(counts))


def numbers(stream: Iterator[int], below: int) -> Iterator[int]:
    """Numbers below a limit from a stream of bytes, each as likely as any other."""
    width = max(1, ((below - 1).bit_length() + 7) // 8)
    most = 256**width
    while True:
        value = int.from_bytes(bytes(next(stream) for _ in range(width)), "big")
        if value < most - most % below:
            yield value % below


def _check_text(text: str, name: str, longest: int) -> None:
    expect_type(text, str, name)
    if len(text) > longest:
        raise ValueError(f"{name} must be at most {longest} characters, not {len(text)}")
    if not is_encodable(text):
        raise ValueError(f"{name} must be a whole text, not {abbreviated(text)}")


publish(globals())
