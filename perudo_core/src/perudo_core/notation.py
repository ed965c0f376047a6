"""A round and a game in one line, for chat and for tests.

A round is the players' actions and then the result. Seats are letters: the illustrated round of the 2009 box is::

    A 4x4 B 6x4 C 4x1 D 9x5 E dudo! 9/9 E-1

It reads: 4 fours, 6 fours, 4 ones, 9 fives, a dudo; 9 dice match of 9 bid; E loses one die. The full form begins with
the dice, a hand for each seat that is in. A game is its rules, names, opener and rounds::

    box_2009 calza=true; A=Ana B=Bo C="Cy Lee"; A opens; [A 12256 B 33441 C 26655] A 4x2 B 5x2 C dudo! 5/5 C-1

The grammar, with spaces between any two words::

    game   = rules ";" names ";" seat "opens" { ";" round }
    rules  = preset { option "=" value }             only the options that differ from the preset
    names  = { seat "=" name }                       a name of more than letters, digits, _ . - is a JSON text
    round  = [ "[" { seat faces } "]" ] { seat action } [ result ]
    action = quantity "x" face | "dudo!" | "calza!" | "concedes" | "leaves" | faces ">" [ faces ]
    result = [ count "/" quantity ] { seat ( "-" | "+" ) dice }
    seat   = "A" ... "Z", "AA", "AB" ...             in turn order

The exclamation marks and the result may be left out. `×` may stand for `x`, capitals for small letters in words, and
`forfeit` for `concedes`, as in records. `22>145` shows two
twos and rolls the other dice again; in the short form, which has no hidden dice, it is `22>`. `[]` is a round in which
players left before the roll.

A line is for people. It has at most a million characters, and its presets are those of the library that reads it. To
keep a game, keep its record, which contains every option.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

from perudo_core import _notation_words as words
from perudo_core._actions import FACES, Bid, PlayerAction, Reroll, Seat
from perudo_core._errors import NotationError, abbreviated, expect_int, expect_tuple_of, expect_type, is_encodable
from perudo_core._events import DiceLost, DieRegained, Revealed
from perudo_core._public_names import Listed, publish
from perudo_core._record import Record, RecordRound, schema_for
from perudo_core._replay import replay_steps
from perudo_core._rules import CUSTOM, Rules, book_of, options_of
from perudo_core._tokenizer import Token, parts_of, tokens_of

__all__ = ["GameText", "RoundText"]


@dataclass(frozen=True, slots=True)
class RoundText(metaclass=Listed):
    """A round as a line: `str` writes it, `parse` reads it.

    Raises `TypeError` or `ValueError` for fields that cannot be written as a line.

    >>> line = RoundText.parse("A 4x4 B 6x4 C dudo! 5/6 B-1")
    >>> line.actions[-1], line.matching, line.changes
    (Dudo(seat=2), 5, ((1, -1),))
    """

    actions: tuple[PlayerAction, ...]
    """The players' actions in order: calls, conceding, leaving."""
    hands: tuple[tuple[Seat, tuple[int, ...]], ...] | None = None
    """The hand of each seat that is in, or None in the short form, which has no dice."""
    matching: int | None = None
    """The number of dice that counted for the bid when all were shown, or None for a round without a reveal."""
    changes: tuple[tuple[Seat, int], ...] = ()
    """The seats that lost or regained dice, with the number: (1, -1) for a die that seat 1 lost."""

    def __post_init__(self) -> None:
        """Refuse what cannot be written as a line."""
        expect_tuple_of(self.actions, PlayerAction, "actions")
        for action in self.actions:
            expect_int(action.seat, "an action's seat", 0, words.LAST_SEAT)
            if isinstance(action, Bid):
                expect_int(action.quantity, "a bid's quantity", 0, words.MAX_NUMBER)
                expect_int(action.face, "a bid's face", 0, 9)
            if isinstance(action, Reroll):
                _expect_hand(action.shown, "shown")
                if action.rolled != ():
                    _expect_hand(action.rolled, "rolled")
        if self.hands is not None:
            _expect_pairs(self.hands, "hands")
            for seat, hand in self.hands:
                expect_int(seat, "a hand's seat", 0, words.LAST_SEAT)
                _expect_hand(hand, "each of hands")
        if self.matching is not None:
            expect_int(self.matching, "matching", 0, words.MAX_NUMBER)
            if _last_quantity(self.actions) is None:
                raise ValueError("matching must be None where nothing was bid")
        _expect_pairs(self.changes, "changes")
        for seat, amount in self.changes:
            expect_int(seat, "a change's seat", 0, words.LAST_SEAT)
            expect_int(amount, "a change", -words.MAX_NUMBER, words.MAX_NUMBER)

    @classmethod
    def parse(cls, text: str) -> RoundText:
        """Read a round in either form; only a record proves that it is legal.

        Raises `NotationError` with the place of the first word that is not in the notation.
        """
        return _round(tokens_of(text), len(text))

    def __str__(self) -> str:
        parts = []
        if self.hands is not None:
            hands = (f"{words.seat_word(seat)} {words.hand_word(hand)}" for seat, hand in self.hands)
            parts.append(f"[{' '.join(hands)}]")
        parts += [f"{words.seat_word(action.seat)} {words.action_word(action)}" for action in self.actions]
        return " ".join(filter(None, (*parts, self.result())))

    def result(self) -> str:
        """Return the result at the end of the line: `9/9 E-1`."""
        count = [] if self.matching is None else [f"{self.matching}/{_last_quantity(self.actions)}"]
        return " ".join((*count, *(f"{words.seat_word(seat)}{amount:+}" for seat, amount in self.changes)))


@dataclass(frozen=True, slots=True)
class GameText(metaclass=Listed):
    """A game as a line: `str` writes it, `parse` reads it; `of` converts a record to it, and `record` converts it back.

    Raises `TypeError` or `ValueError` for fields that cannot be written as a line.

    >>> game = GameText.parse("aces; A=Ana B=Bo; B opens; [A 22256 B 12344] B 3x2 A 5x2 B dudo!")
    >>> print(GameText.of(game.record()).rounds[0].result())
    5/5 B-1
    """

    rules: Rules
    seats: tuple[str, ...]
    opener: Seat
    rounds: tuple[RoundText, ...]

    def __post_init__(self) -> None:
        """Refuse what cannot be written as a line."""
        expect_type(self.rules, Rules, "rules")
        expect_tuple_of(self.seats, str, "seats")
        for name in self.seats:
            if not is_encodable(name):
                raise ValueError(f"each of seats must be a whole text, not {abbreviated(name)}")
        expect_int(self.opener, "opener", 0, words.LAST_SEAT)
        expect_tuple_of(self.rounds, RoundText, "rounds")

    @classmethod
    def of(cls, record: Record, *, dice: bool = True) -> GameText:
        """Return a record's game, with its dice or without.

        Raises `RecordError` for a record that cannot be replayed.
        """
        expect_type(record, Record, "record")
        results: list[_Result] = [_Result(None, []) for _ in record.rounds]
        for step in replay_steps(record):
            for event in step.events:
                if isinstance(event, Revealed):
                    results[step.round - 1] = _Result(event.matching, [])
                elif isinstance(event, DiceLost | DieRegained):
                    amount = event.amount if isinstance(event, DieRegained) else -event.amount
                    results[step.round - 1].changes.append((event.seat, amount))
        rounds = (
            RoundText(_actions_of(entry, dice), _hands_of(entry) if dice else None, result.found, tuple(result.changes))
            for entry, result in zip(record.rounds, results, strict=True)
        )
        return cls(record.rules, record.seats, record.opener, tuple(rounds))

    @classmethod
    def parse(cls, text: str) -> GameText:
        """Read a game in either form.

        Raises `NotationError` with the place of the first word that is not in the notation.
        """
        parts = list(parts_of(tokens_of(text)))
        if len(parts) < 3:  # noqa: PLR2004 - the rules, the names, who opens
            raise NotationError("a game begins: rules; names; who opens", len(text))
        rules, names, opens, *rounds = parts
        seats = words.read_names(names)
        if len(opens) != 2 or opens[1].text.lower() != "opens":  # noqa: PLR2004 - who, and the word
            raise NotationError("the third part must be a seat and 'opens'", opens[0].at if opens else len(text))
        opener = words.read_seat(opens[0])
        return cls(words.read_rules(rules), seats, opener, tuple(_round(part, len(text)) for part in rounds))

    def record(self) -> Record:
        """Return the record of the game, which is replayed for that; only the full form has one.

        Raises `RecordError` for an action that is not legal, `NotationError` for a result that does not follow and for
        an opener that is not a seat.
        """
        if self.opener >= len(self.seats):
            raise NotationError("the opener must be one of the seats")
        entries = tuple(self._entry(number, line) for number, line in enumerate(self.rounds, 1))
        record = Record(schema_for(entries), self.rules, self.seats, self.opener, entries)
        for number, (line, true) in enumerate(zip(self.rounds, GameText.of(record).rounds, strict=True), 1):
            if line.matching not in {None, true.matching} or line.changes not in {(), true.changes}:
                raise NotationError(f"round {number}: not the result, which is {true.result() or 'none'}")
        return record

    def _entry(self, number: int, line: RoundText) -> RecordRound:
        if line.hands is None:
            raise NotationError(f"round {number}: the short form, without dice, makes no record")
        if not line.hands:
            return RecordRound((), line.actions)
        hands = dict(line.hands)
        if len(hands) < len(line.hands) or not set(hands) <= set(range(len(self.seats))):
            raise NotationError(f"round {number}: a hand of no seat, or a second one")
        return RecordRound(tuple(hands.get(seat, ()) for seat in range(len(self.seats))), line.actions)

    def __str__(self) -> str:
        book = book_of(self.rules)
        options, before = options_of(self.rules), options_of(book.rules if book else Rules())
        rules = [
            book.name if book else CUSTOM,
            *(f"{k}={words.option_word(v)}" for k, v in options.items() if v != before[k]),
        ]
        names = (f"{words.seat_word(seat)}={words.quoted_name(name)}" for seat, name in enumerate(self.seats))
        return "; ".join(
            (" ".join(rules), " ".join(names), f"{words.seat_word(self.opener)} opens", *map(str, self.rounds))
        )


class _Result(NamedTuple):
    found: int | None
    changes: list[tuple[Seat, int]]


def _expect_hand(hand: tuple[int, ...], name: str) -> None:
    expect_type(hand, tuple, name)
    if not hand:
        raise ValueError(f"{name} must be of one die at least")
    for die in hand:
        expect_int(die, f"each die of {name.removeprefix('each of ')}", FACES[0], FACES[-1])


def _expect_pairs(values: object, name: str) -> None:
    expect_tuple_of(values, tuple, name)
    if any(len(pair) != 2 for pair in cast("tuple[tuple[Any, ...], ...]", values)):  # noqa: PLR2004 - a pair
        raise ValueError(f"{name} must be pairs")


def _round(tokens: list[Token], end: int) -> RoundText:
    at, hands = 0, None
    if tokens and tokens[0].text == "[":
        closing = next((at for at, token in enumerate(tokens) if token.text == "]"), None)
        if closing is None:
            raise NotationError("'[' without ']'", tokens[0].at)
        hands, at = tuple(words.read_hands(tokens[1:closing], tokens[closing].at)), closing + 1
    actions: list[PlayerAction] = []
    while at < len(tokens) and words.is_seat(tokens[at]):
        if at + 1 == len(tokens):
            raise NotationError(f"{abbreviated(tokens[at].text)} calls nothing", end)
        actions.append(words.read_action(words.read_seat(tokens[at]), tokens[at + 1]))
        at += 2
    matching = None
    if at < len(tokens) and (found := words.read_count(tokens[at])):
        matching, quantity = found
        if quantity != _last_quantity(actions):
            raise NotationError(f"{tokens[at].text} is not of the last bid", tokens[at].at)
        at += 1
    return RoundText(tuple(actions), hands, matching, tuple(map(words.read_change, tokens[at:])))


def _actions_of(entry: RecordRound, dice: bool) -> tuple[PlayerAction, ...]:
    return tuple(
        replace(action, rolled=()) if isinstance(action, Reroll) and not dice else action for action in entry.actions
    )


def _hands_of(entry: RecordRound) -> tuple[tuple[Seat, tuple[int, ...]], ...]:
    return tuple((seat, hand) for seat, hand in enumerate(entry.dice) if hand)


def _last_quantity(actions: Sequence[PlayerAction]) -> int | None:
    return next((action.quantity for action in reversed(actions) if isinstance(action, Bid)), None)


publish(globals())
