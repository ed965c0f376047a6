"""A round and a game in one line, for chat and for tests.

A round is what was called, then what came of it. Seats are letters: the illustrated round of the 2009 box is::

    A 4x4 B 6x4 C 4x1 D 9x5 E dudo! 9/9 E-1

that is 4 fours, 6 fours, 4 ones, 9 fives, a dudo; 9 on the table of 9 bid; E loses one. The full form tells the dice
first, a hand for each seat that is in. A game is its rules, its names, who opens, and its rounds::

    box_2009 calza=true; A=Ana B=Bo C="Cy Lee"; A opens; [A 12256 B 33441 C 26655] A 4x2 B 5x2 C dudo! 5/5 C-1

The grammar, with spaces between any two words::

    game   = rules ";" names ";" seat "opens" { ";" round }
    rules  = preset { option "=" value }             only the options that differ from the preset
    names  = { seat "=" name }                       a name of more than letters, digits, _ . - is a JSON text
    round  = [ "[" { seat faces } "]" ] { seat call } [ result ]
    call   = quantity "x" face | "dudo!" | "calza!" | "forfeit" | "leaves"
    result = [ count "/" quantity ] { seat ( "-" | "+" ) dice }
    seat   = "A" ... "Z", "AA", "AB" ...             in turn order

The exclamation marks may be left out, and so may the result; `×` will do for `x`, and capitals for a word's small
letters. `[]` is a round in which players left before anything was rolled.

A line is for people: it is read with the presets of the library that reads it, and is at most a million characters
long. To keep a game, keep its record, which holds every option in full.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from perudo_core import _json_reading as read
from perudo_core._tokenizer import Token, parts_of, tokens_of
from perudo_core.actions import FACES, Bid, Calza, Concede, Dudo, Leave, PlayerAction, Seat
from perudo_core.errors import (
    NotationError,
    RulesError,
    StateError,
    abbreviated,
    expect_int,
    expect_tuple_of,
    expect_type,
    is_encodable,
)
from perudo_core.events import DiceLost, DieRegained, Revealed
from perudo_core.record import SCHEMA_1, SCHEMA_2, Record, RecordRound
from perudo_core.replay import replay_steps
from perudo_core.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["GameText", "RoundText"]

MOST: Final = 999_999_999
LAST_SEAT: Final = 475_253  # ZZZZ

_WORDS: Final[dict[str, Callable[[Seat], PlayerAction]]] = {
    "dudo": Dudo,
    "calza": Calza,
    "forfeit": Concede,
    "leaves": Leave,
}
_WORD_OF: Final[dict[type, str]] = {Dudo: "dudo!", Calza: "calza!", Concede: "forfeit", Leave: "leaves"}

_SEAT: Final = re.compile(r"[A-Z]{1,4}")
_BID: Final = re.compile(r"(0|[1-9][0-9]{0,8})[x×X]([0-9])")
_COUNT: Final = re.compile(r"(0|[1-9][0-9]{0,8})/(0|[1-9][0-9]{0,8})")
_CHANGE: Final = re.compile(r"([A-Z]{1,4})([+-](?:0|[1-9][0-9]{0,8}))")
_FACES: Final = re.compile(r"[1-6]+")
_OPTION: Final = re.compile(r"([a-z_]+)=(?:(true|false)|([0-9]{1,9})|([a-z_]+))")
_BARE: Final = re.compile(r"[\w.-]+")


@dataclass(frozen=True, slots=True)
class RoundText:
    """A round as a line: `str` writes it, `parse` reads it.

    >>> line = RoundText.parse("A 4x4 B 6x4 C dudo! 5/6 B-1")
    >>> line.count, line.changes
    (5, ((1, -1),))
    """

    calls: tuple[PlayerAction, ...]
    hands: tuple[tuple[Seat, tuple[int, ...]], ...] | None = None
    """Who rolled what; None in the short form, which does not tell."""
    count: int | None = None
    """How many dice a reveal found."""
    changes: tuple[tuple[Seat, int], ...] = ()
    """Who lost or regained how many."""

    def __post_init__(self) -> None:
        """Refuse what cannot be written as a line."""
        expect_tuple_of(self.calls, PlayerAction, "calls")
        for call in self.calls:
            expect_int(call.seat, "a call's seat", 0, LAST_SEAT)
            if isinstance(call, Bid):
                expect_int(call.quantity, "a bid's quantity", 0, MOST)
                expect_int(call.face, "a bid's face", 0, 9)
        if self.hands is not None:
            _expect_pairs(self.hands, "hands")
            for seat, hand in self.hands:
                expect_int(seat, "a hand's seat", 0, LAST_SEAT)
                expect_type(hand, tuple, "each of hands")
                if not hand:
                    raise ValueError("each of hands must be of one die at least")
                for die in hand:
                    expect_int(die, "each die of hands", FACES[0], FACES[-1])
        if self.count is not None:
            expect_int(self.count, "count", 0, MOST)
            if _last_quantity(self.calls) is None:
                raise ValueError("count must be None where nothing was bid")
        _expect_pairs(self.changes, "changes")
        for seat, amount in self.changes:
            expect_int(seat, "a change's seat", 0, LAST_SEAT)
            expect_int(amount, "a change", -MOST, MOST)

    @classmethod
    def parse(cls, text: str) -> RoundText:
        """Read a round in either form; whether it is legal is for a record to say."""
        return _round(tokens_of(text), len(text))

    def __str__(self) -> str:
        words = []
        if self.hands is not None:
            words.append(f"[{' '.join(f'{letters(seat)} {_digits(hand)}' for seat, hand in self.hands)}]")
        words += [
            f"{letters(call.seat)} {call if isinstance(call, Bid) else _WORD_OF[type(call)]}" for call in self.calls
        ]
        return " ".join(filter(None, (*words, self.result())))

    def result(self) -> str:
        """What came of it, as the line ends: `9/9 E-1`."""
        count = [] if self.count is None else [f"{self.count}/{_last_quantity(self.calls)}"]
        return " ".join((*count, *(f"{letters(seat)}{amount:+}" for seat, amount in self.changes)))


@dataclass(frozen=True, slots=True)
class GameText:
    """A game as a line: `str` writes it, `parse` reads it; `of` takes it from a record, and `record` goes back.

    >>> GameText.parse("aces; A=Ana B=Bo; A opens; [A 22256 B 12344] A 5x2 B dudo! 4/5 A-1").seats
    ('Ana', 'Bo')
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
        expect_int(self.opener, "opener", 0, LAST_SEAT)
        expect_tuple_of(self.rounds, RoundText, "rounds")

    @classmethod
    def of(cls, record: Record, *, dice: bool = True) -> GameText:
        """A record's game, with its dice or without; a `RecordError` if it is none."""
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
            RoundText(entry.calls, _hands_of(entry) if dice else None, result.found, tuple(result.changes))
            for entry, result in zip(record.rounds, results, strict=True)
        )
        return cls(record.rules, record.seats, record.opener, tuple(rounds))

    @classmethod
    def parse(cls, text: str) -> GameText:
        """Read a game in either form."""
        parts = list(parts_of(tokens_of(text)))
        if len(parts) < 3:  # noqa: PLR2004 - the rules, the names, who opens
            raise NotationError("a game begins: rules; names; who opens", len(text))
        rules, names, opens, *rounds = parts
        seats = _names(names)
        if len(opens) != 2 or opens[1].text.lower() != "opens":  # noqa: PLR2004 - who, and the word
            raise NotationError("the third part must be a seat and 'opens'", opens[0].at if opens else len(text))
        return cls(_rules(rules), seats, _seat(opens[0]), tuple(_round(part, len(text)) for part in rounds))

    def record(self) -> Record:
        """The record of the game, which is played through: only the full form has one.

        A `RecordError` for what is not legal, a `NotationError` for a result that does not follow.
        """
        entries = tuple(self._entry(number, line) for number, line in enumerate(self.rounds, 1))
        says_more = any(isinstance(call, Concede | Leave) for entry in entries for call in entry.calls)
        record = Record(SCHEMA_2 if says_more else SCHEMA_1, self.rules, self.seats, self.opener, entries)
        for number, (line, true) in enumerate(zip(self.rounds, GameText.of(record).rounds, strict=True), 1):
            if line.count not in {None, true.count} or line.changes not in {(), true.changes}:
                raise NotationError(f"round {number}: not the result, which is {true.result() or 'none'}")
        return record

    def _entry(self, number: int, line: RoundText) -> RecordRound:
        if line.hands is None:
            raise NotationError(f"round {number}: the short form, without dice, makes no record")
        if not line.hands:
            return RecordRound((), line.calls)
        hands = dict(line.hands)
        if len(hands) < len(line.hands) or not set(hands) <= set(range(len(self.seats))):
            raise NotationError(f"round {number}: a hand of no seat, or a second one")
        return RecordRound(tuple(hands.get(seat, ()) for seat in range(len(self.seats))), line.calls)

    def __str__(self) -> str:
        options = self.rules.to_dict()
        preset = Rules.from_dict({"preset": options["preset"]}).to_dict()
        rules = [options["preset"], *(f"{k}={_option(v)}" for k, v in options.items() if v != preset[k])]
        names = (f"{letters(seat)}={_quoted(name)}" for seat, name in enumerate(self.seats))
        return "; ".join((" ".join(rules), " ".join(names), f"{letters(self.opener)} opens", *map(str, self.rounds)))


class _Result(NamedTuple):
    found: int | None
    changes: list[tuple[Seat, int]]


def _expect_pairs(values: object, name: str) -> None:
    expect_tuple_of(values, tuple, name)
    if any(len(pair) != 2 for pair in cast("tuple[tuple[Any, ...], ...]", values)):  # noqa: PLR2004 - a pair
        raise ValueError(f"{name} must be pairs")


def letters(seat: Seat) -> str:
    """A seat's letters: A to Z, then AA, AB and so on."""
    text, rest = "", seat + 1
    while rest > 0:
        rest, letter = divmod(rest - 1, 26)
        text = chr(ord("A") + letter) + text
    return text


def _round(tokens: list[Token], end: int) -> RoundText:
    at, hands = 0, None
    if tokens and tokens[0].text == "[":
        closing = next((at for at, token in enumerate(tokens) if token.text == "]"), None)
        if closing is None:
            raise NotationError("'[' without ']'", tokens[0].at)
        hands, at = tuple(_hands(tokens[1:closing], tokens[closing].at)), closing + 1
    calls: list[PlayerAction] = []
    while at < len(tokens) and _SEAT.fullmatch(tokens[at].text):
        if at + 1 == len(tokens):
            raise NotationError(f"{abbreviated(tokens[at].text)} calls nothing", end)
        calls.append(_call(_seat(tokens[at]), tokens[at + 1]))
        at += 2
    count = None
    if at < len(tokens) and (found := _COUNT.fullmatch(tokens[at].text)):
        count = int(found[1])
        if int(found[2]) != _last_quantity(calls):
            raise NotationError(f"{found[0]} is not of the last bid", tokens[at].at)
        at += 1
    return RoundText(tuple(calls), hands, count, tuple(map(_change, tokens[at:])))


def _hands(tokens: list[Token], end: int) -> Iterator[tuple[Seat, tuple[int, ...]]]:
    if len(tokens) % 2:
        raise NotationError("a seat without its dice", end)
    for seat, faces in zip(tokens[::2], tokens[1::2], strict=True):
        if not _FACES.fullmatch(faces.text):
            raise NotationError(f"a hand is of faces 1 to 6, not {abbreviated(faces.text)}", faces.at)
        yield _seat(seat), tuple(map(int, faces.text))


def _call(seat: Seat, token: Token) -> PlayerAction:
    bid = _BID.fullmatch(token.text)
    if bid is not None:
        return Bid(seat, int(bid[1]), int(bid[2]))
    made = _WORDS.get(token.text.lower().removesuffix("!"))
    if made is None:
        raise NotationError(f"unknown call {abbreviated(token.text)}", token.at)
    return made(seat)


def _change(token: Token) -> tuple[Seat, int]:
    found = _CHANGE.fullmatch(token.text)
    if found is None:
        raise NotationError(f"unknown word {abbreviated(token.text)}", token.at)
    return _seat(Token(found[1], token.at)), int(found[2])


def _seat(token: Token) -> Seat:
    if not _SEAT.fullmatch(token.text):
        raise NotationError(f"a seat is a letter, A for the first, not {abbreviated(token.text)}", token.at)
    seat = 0
    for letter in token.text:
        seat = 26 * seat + ord(letter) - ord("A") + 1
    return seat - 1


def _rules(tokens: list[Token]) -> Rules:
    options: dict[str, object] = {}
    for number, token in enumerate(tokens):
        found = _OPTION.fullmatch(token.text)
        if number == 0:
            options["preset"] = token.text
        elif found is None or found[1] in options:
            raise NotationError(f"no option, or one that stands twice: {abbreviated(token.text)}", token.at)
        else:
            options[found[1]] = found[2] == "true" if found[2] else int(found[3]) if found[3] else found[4]
    try:
        return Rules.from_dict(options)
    except RulesError as error:
        raise NotationError(str(error), tokens[0].at if tokens else 0) from None


def _names(tokens: list[Token]) -> tuple[str, ...]:
    return tuple(_name(seat, token) for seat, token in enumerate(tokens))


def _name(seat: Seat, token: Token) -> str:
    letter, equals, name = token.text.partition("=")
    if letter != letters(seat) or not equals:
        raise NotationError(f"expected '{letters(seat)}=' and a name, not {abbreviated(token.text)}", token.at)
    if not name.startswith('"'):
        if _BARE.fullmatch(name) is None:
            raise NotationError(f"a name of other characters must be quoted: {abbreviated(name)}", token.at)
        return name
    try:
        return read.string(read.parse_json(name), "a seat's name")
    except StateError as error:
        raise NotationError(str(error), token.at) from None


def _quoted(name: str) -> str:
    plain = name.isprintable()
    return name if plain and _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=not plain)


def _option(value: Any) -> str:
    return "unlimited" if value is None else str(value).lower()


def _hands_of(entry: RecordRound) -> tuple[tuple[Seat, tuple[int, ...]], ...]:
    return tuple((seat, hand) for seat, hand in enumerate(entry.dice) if hand)


def _last_quantity(calls: Sequence[PlayerAction]) -> int | None:
    return next((call.quantity for call in reversed(calls) if isinstance(call, Bid)), None)


def _digits(hand: Sequence[int]) -> str:
    return "".join(map(str, hand))
