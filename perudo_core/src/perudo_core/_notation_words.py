"""The words of the notation, each as a value and back: a seat, a hand, an action, a result, a name, an option."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from perudo_core import _json_reading as read
from perudo_core._actions import Bid, Calza, Concede, Dudo, Leave, PlayerAction, Reroll, Seat
from perudo_core._call_text import exact_call
from perudo_core._errors import NotationError, RulesError, StateError, abbreviated
from perudo_core._rules import Rules
from perudo_core._tokenizer import Token

__all__ = [
    "LAST_SEAT", "MAX_NUMBER", "action_word", "hand_word", "is_seat", "option_value", "option_word", "quoted_name",
    "read_action", "read_change", "read_count", "read_hands", "read_names", "read_rules", "read_seat", "seat_word",
]  # fmt: skip

MAX_NUMBER: Final = 999_999_999
LAST_SEAT: Final = 475_253  # ZZZZ

_ACTION_OF_WORD: Final[dict[str, Callable[[Seat], PlayerAction]]] = {
    "dudo": Dudo,
    "calza": Calza,
    "concedes": Concede,
    "forfeit": Concede,  # the word of records
    "leaves": Leave,
}
_WORD_OF_ACTION: Final[dict[type, str]] = {Dudo: "dudo!", Calza: "calza!", Concede: "concedes", Leave: "leaves"}

_SEAT: Final = re.compile(r"[A-Z]{1,4}")
_COUNT: Final = re.compile(r"(0|[1-9][0-9]{0,8})/(0|[1-9][0-9]{0,8})")
_CHANGE: Final = re.compile(r"([A-Z]{1,4})([+-](?:0|[1-9][0-9]{0,8}))")
_SHOWS: Final = re.compile(r"([1-6]+)>([1-6]*)")
_FACES: Final = re.compile(r"[1-6]+")
_OPTION: Final = re.compile(r"([a-z_]+)=([a-z_]+|[0-9]{1,9})")
_BARE: Final = re.compile(r"[\w.-]+")


def seat_word(seat: Seat) -> str:
    """Return a seat's letters: A to Z, then AA, AB and so on."""
    text, rest = "", seat + 1
    while rest > 0:
        rest, letter = divmod(rest - 1, 26)
        text = chr(ord("A") + letter) + text
    return text


def is_seat(token: Token) -> bool:
    """Return whether the word is a seat's letters."""
    return _SEAT.fullmatch(token.text) is not None


def read_seat(token: Token) -> Seat:
    """Return the seat of these letters."""
    if not is_seat(token):
        raise NotationError(f"a seat is a letter, A for the first, not {abbreviated(token.text)}", token.at)
    seat = 0
    for letter in token.text:
        seat = 26 * seat + ord(letter) - ord("A") + 1
    return seat - 1


def hand_word(hand: Sequence[int]) -> str:
    """Return a hand's faces: `12256`."""
    return "".join(map(str, hand))


def read_hands(tokens: list[Token], end: int) -> Iterator[tuple[Seat, tuple[int, ...]]]:
    """Yield the hands between the brackets; `end` is the position of the closing bracket."""
    if len(tokens) % 2:
        raise NotationError("a seat without its dice", end)
    for seat, faces in zip(tokens[::2], tokens[1::2], strict=True):
        if not _FACES.fullmatch(faces.text):
            raise NotationError(f"a hand is of faces 1 to 6, not {abbreviated(faces.text)}", faces.at)
        yield read_seat(seat), tuple(map(int, faces.text))


def action_word(action: PlayerAction) -> str:
    """Return a player's action as a word: `5x3`, `dudo!`, `calza!`, `concedes`, `leaves` or `22>145`."""
    if isinstance(action, Reroll):
        return f"{hand_word(action.shown)}>{hand_word(action.rolled)}"
    return str(action) if isinstance(action, Bid) else _WORD_OF_ACTION[type(action)]


def read_action(seat: Seat, token: Token) -> PlayerAction:
    """Return the seat's action that a word means."""
    made = _ACTION_OF_WORD.get(token.text.lower().removesuffix("!"))
    if made is not None:
        return made(seat)
    if shows := _SHOWS.fullmatch(token.text):
        return Reroll(seat, *(tuple(map(int, faces)) for faces in shows.groups()))
    bid = exact_call(token.text.replace("X", "x").replace("×", "x"), seat)
    if bid is None:
        raise NotationError(f"unknown call {abbreviated(token.text)}", token.at)
    return bid


def read_count(token: Token) -> tuple[int, int] | None:
    """`9/8`: nine dice where eight were bid, or None for another word."""
    found = _COUNT.fullmatch(token.text)
    return None if found is None else (int(found[1]), int(found[2]))


def read_change(token: Token) -> tuple[Seat, int]:
    """`E-1`: the seat and how many dice it lost or regained."""
    found = _CHANGE.fullmatch(token.text)
    if found is None:
        raise NotationError(f"unknown word {abbreviated(token.text)}", token.at)
    return read_seat(Token(found[1], token.at)), int(found[2])


def option_word(value: Any) -> str:
    """Return an option's value, as `Rules.to_dict` gives it."""
    return "unlimited" if value is None else str(value).lower()


def option_value(text: str) -> bool | int | str:
    """Return the value that an option's text means: the counterpart of `option_word`."""
    return {"true": True, "false": False}.get(text, int(text) if text.isdecimal() else text)


def read_rules(tokens: list[Token]) -> Rules:
    """Return a preset and the options that differ from it."""
    options: dict[str, object] = {}
    for number, token in enumerate(tokens):
        found = _OPTION.fullmatch(token.text)
        if number == 0:
            options["preset"] = token.text
        elif found is None or found[1] in options:
            raise NotationError(f"no option, or one that stands twice: {abbreviated(token.text)}", token.at)
        else:
            options[found[1]] = option_value(found[2])
    try:
        return Rules.from_dict(options)
    except RulesError as error:
        raise NotationError(str(error), tokens[0].at if tokens else 0) from None


def quoted_name(name: str) -> str:
    """Return a name as it is, or as a JSON text if it has more than letters, digits, `_`, `.` and `-`."""
    plain = name.isprintable()
    return name if plain and _BARE.fullmatch(name) else json.dumps(name, ensure_ascii=not plain)


def read_names(tokens: list[Token]) -> tuple[str, ...]:
    """Return the names of the seats, in turn order."""
    return tuple(_read_name(seat, token) for seat, token in enumerate(tokens))


def _read_name(seat: Seat, token: Token) -> str:
    letters, equals, name = token.text.partition("=")
    if letters != seat_word(seat) or not equals:
        raise NotationError(f"expected '{seat_word(seat)}=' and a name, not {abbreviated(token.text)}", token.at)
    if not name.startswith('"'):
        if _BARE.fullmatch(name) is None:
            raise NotationError(f"a name of other characters must be quoted: {abbreviated(name)}", token.at)
        return name
    try:
        return read.string(read.parse_json(name), "a seat's name")
    except StateError as error:
        raise NotationError(str(error), token.at) from None
