"""The options a game is played by, and the five rulebooks as sets of them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, overload

from perudo_core.errors import RulesError, expect, shown

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["DEFAULT_PRESET", "PRESETS", "CalzaBy", "LostDice", "Opener", "PlainRaise", "Rules"]

PRESETS: Final[tuple[str, ...]] = ("box_2009", "italian_box", "aces", "azteca", "french_guide")
DEFAULT_PRESET: Final = "box_2009"

MOST_DICE: Final = 10
MOST_SEATS: Final = 100_000  # "no limit" must stop somewhere
UNLIMITED: Final = "unlimited"  # TOML has no null
CUSTOM: Final = "custom"


class Opener(StrEnum):
    """Who opens the game."""

    RANDOM = "random"
    HIGHEST_DIE = "highest_die"  # each rolls one die; ties roll again
    HIGHEST_SUM = "highest_sum"  # each rolls two dice; ties roll again


class PlainRaise(StrEnum):
    """How a bid on a plain face rises to a plain face."""

    ONE_THING = "one_thing"  # the face at the same quantity, or the quantity on the same face
    NO_DECREASE = "no_decrease"  # the quantity on the same face, or a higher face at no lower a quantity
    ANY_HIGHER = "any_higher"  # a greater quantity on any face, or a higher face at the same quantity


class CalzaBy(StrEnum):
    """Who may say calza. Never the last bidder."""

    ANYONE_BUT_BIDDER = "anyone_but_bidder"
    BYSTANDERS = "bystanders"  # nor the player on turn
    ON_TURN = "on_turn"  # only the player on turn


class LostDice(StrEnum):
    """Whether the table sees how many dice each player has lost."""

    HIDDEN = "hidden"
    VISIBLE = "visible"


class _Preset:
    """One word with two readings: `Rules.preset("azteca")` opens a book, `rules.preset` names the one it came from."""

    @overload
    def __get__(self, rules: None, owner: type[Rules]) -> Callable[[str], Rules]: ...
    @overload
    def __get__(self, rules: Rules, owner: type[Rules]) -> str: ...
    def __get__(self, rules: Rules | None, owner: type[Rules]) -> Callable[[str], Rules] | str:
        return _read_preset if rules is None else rules.based_on


@dataclass(frozen=True, slots=True)
class Rules:
    """A house's rules: options that mix freely. The defaults are those of `box_2009`.

    An option that another one leaves without effect (`palifico_once` without `palifico`) is allowed. A combination
    that nobody could play is refused with a `RulesError`.
    """

    preset = _Preset()

    based_on: str = DEFAULT_PRESET
    """The preset these rules came from, or `custom`: to show, never to decide by."""
    min_seats: int = 2
    max_seats: int | None = 6
    """None: no limit."""
    starting_dice: int = 5
    """Also the most a player can ever hold."""
    opener: Opener = Opener.RANDOM
    plain_raise: PlainRaise = PlainRaise.ONE_THING
    wild_ones: bool = True
    """Off: 1 is a plain face, the lowest in rank, that may be opened on."""
    ones_may_open: bool = False
    """Where ones are wild. Where they are not they may always be opened on."""
    palifico: bool = True
    palifico_once: bool = False
    """Once a game for each player, though he regain dice."""
    palifico_with_two_players: bool = True
    palifico_face_change: bool = False
    """Another player who holds exactly one die may change the face."""
    calza: bool = False
    calza_by: CalzaBy = CalzaBy.ANYONE_BUT_BIDDER
    calza_in_palifico: bool = True
    calza_with_two_players: bool = True
    lost_dice: LostDice = LostDice.HIDDEN
    out_of_turn_dudo: bool = False
    """Any player but the last bidder may doubt."""
    lose_by_difference: bool = False
    """A dudo costs as many dice as the bid was off by, at least one. A wrong calza still costs one."""
    sudden_death: bool = False
    """Who would lose a die is out."""

    def __post_init__(self) -> None:
        """Refuse what is not an option's value, then what contradicts itself."""
        for field in fields(self):
            object.__setattr__(self, field.name, _checked(field.name, getattr(self, field.name), field.default))
        if self.max_seats is not None and self.max_seats < self.min_seats:
            raise RulesError(f"max_seats {self.max_seats} is below min_seats {self.min_seats}")
        if self.calza and self.max_seats == 2 and self.calza_by is CalzaBy.BYSTANDERS:  # noqa: PLR2004 - a bidder and who is on turn
            raise RulesError("calza is for bystanders, and at a table of two there are none")
        if self.sudden_death and self.lose_by_difference:
            raise RulesError("sudden_death puts the loser out at once, so lose_by_difference has nothing to count")

    def with_options(self, **options: object) -> Rules:
        """These rules with some options changed, by their names; values as in TOML will do."""
        return _with(self, options)

    @staticmethod
    def clauses(preset: str) -> Mapping[str, str]:
        """The rulebook's clause behind each option of a preset."""
        return _notes(preset, "clauses")

    @staticmethod
    def about(preset: str) -> Mapping[str, str]:
        """The edition behind a preset: its `title`, `language` and `word_for_one`."""
        return _notes(preset, "about")

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Rules:
        """Rules from a preset's id (`box_2009` where none is given) and the options that differ from it."""
        expect(data, Mapping, "data")
        options = dict(data)
        preset = options.setdefault("preset", DEFAULT_PRESET)
        base = cls() if preset == CUSTOM else _read_preset(preset)
        return _with(base, options)

    def to_dict(self) -> dict[str, Any]:
        """Every option in full, as JSON values."""
        options = {field.name: getattr(self, field.name) for field in fields(self)}
        return {"preset": options.pop("based_on")} | {
            name: value.value if isinstance(value, StrEnum) else value for name, value in options.items()
        }

    @classmethod
    def from_toml(cls, text: str) -> Rules:
        """Rules from a house's file, which has the form of a preset: its tables `about` and `clauses` are notes."""
        data = _parse_toml(text)
        for notes in ("about", "clauses"):
            if not isinstance(data.pop(notes, {}), dict):
                raise RulesError(f"{notes} must be a table")
        return cls.from_dict(data)

    def to_toml(self) -> str:
        """Every option in full, as a house's file."""
        options = self.to_dict() | {"max_seats": UNLIMITED if self.max_seats is None else self.max_seats}
        return "".join(
            f'{name} = "{value}"\n' if isinstance(value, str) else f"{name} = {str(value).lower()}\n"
            for name, value in options.items()
        )


_OPTIONS: Final = frozenset(field.name for field in fields(Rules)) - {"based_on"}


def _with(base: Rules, options: Mapping[str, Any]) -> Rules:
    values = {field.name: getattr(base, field.name) for field in fields(base)}
    for name, value in options.items():
        if name == "preset":
            values["based_on"] = value
        elif name in _OPTIONS:
            values[name] = value
        else:
            raise RulesError(f"unknown option {shown(name)}")
    return Rules(**values)


def _checked(name: str, value: Any, default: Any) -> Any:
    """The value an option may have: of its default's kind, in its range."""
    if name == "max_seats" and (value is None or value == UNLIMITED):
        return None
    if isinstance(default, StrEnum):
        if isinstance(value, str) and value in list(type(default)):
            return type(default)(value)
        raise RulesError(f"{name} must be one of {', '.join(type(default))}")
    if type(value) is not type(default):
        raise RulesError(f"{name} must be of type {type(default).__name__}, not {type(value).__name__}")
    if name == "starting_dice" and not 1 <= value <= MOST_DICE:
        raise RulesError(f"starting_dice must be 1 to {MOST_DICE}")
    if name in {"min_seats", "max_seats"} and not 2 <= value <= MOST_SEATS:  # noqa: PLR2004 - the fewest who can play
        raise RulesError(f"{name} must be 2 to {MOST_SEATS}")
    if name == "based_on" and value not in {*PRESETS, CUSTOM}:
        raise RulesError(f"unknown preset {shown(value)}; there are {', '.join(PRESETS)}, and {CUSTOM}")
    return value


def _parse_toml(text: str) -> dict[str, Any]:
    expect(text, str, "text")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"not TOML: {str(error)[:200] or 'nested too deeply'}") from error


def _read_preset(preset: str) -> Rules:
    return _book(_known(preset))


def _notes(preset: str, table: str) -> Mapping[str, str]:
    return MappingProxyType(_file(_known(preset))[table])


def _known(preset: str) -> str:
    if preset not in PRESETS:
        raise RulesError(f"unknown preset {shown(preset)}; there are {', '.join(PRESETS)}")
    return preset


@cache
def _file(preset: str) -> dict[str, Any]:
    return _parse_toml(files("perudo_core").joinpath("presets", f"{preset}.toml").read_text(encoding="utf-8"))


@cache
def _book(preset: str) -> Rules:
    return _with(Rules(), {name: value for name, value in _file(preset).items() if name not in {"about", "clauses"}})
