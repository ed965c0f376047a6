"""The rules that a lobby offers with one tap: five presets, the operator's house rules, and twists."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import lru_cache
from typing import Final

from perudo_core import PRESETS, CalzaBy, Rules, RulesError
from telegram_bot.tables.model import DAY, FrozenModel, TableRules, TurnClock
from telegram_bot.tables.quiet_hours import QuietHours

CLASSIC: Final = "classic"
"""The key of the house rules from which the first presets are made."""
SHORT_DICE: Final = 3
SHORT_SECONDS: Final = 60


class HouseRules(FrozenModel):
    """House rules with the operator's own title, and a line that describes them."""

    key: str
    title: str
    line: str = ""
    rules: TableRules


class QuickChoice(StrEnum):
    """A preset: a whole table, rules and turn clock, with one tap."""

    CLASSIC = "classic"
    SHORT = "short"
    SLOW = "slow"
    BOX = "box_2009"
    ACES = "aces"


def classic_rules(houses: Iterable[HouseRules]) -> Rules:
    """Return the rules of Classic; an installation without them has those of the 2009 edition."""
    return next((house.rules for house in houses if house.key == CLASSIC), Rules())


def quick_table(
    choice: QuickChoice, classic: Rules, usual: TurnClock, night: QuietHours | None
) -> tuple[Rules, TurnClock]:
    """Return a preset's rules and clock; `usual`: the installation's clock, `night`: a slow one's pause."""
    match choice:
        case QuickChoice.CLASSIC:
            return classic, usual
        case QuickChoice.SHORT:
            return (
                classic.with_options(starting_dice=SHORT_DICE),
                usual.model_copy(update={"seconds": SHORT_SECONDS, "quiet": None}),
            )
        case QuickChoice.SLOW:
            return classic, usual.model_copy(update={"seconds": DAY, "quiet": night})
        case QuickChoice.BOX | QuickChoice.ACES:
            return Rules.preset(choice.value), usual


def book_of(rules: Rules) -> Rules:
    """Return the rulebook of some rules, without their differences from it."""
    return Rules.preset(rules.book) if rules.book in PRESETS else Rules()


@lru_cache(maxsize=256)  # a table's rules are named in each of its pages and lobbies
def with_effect(rules: Rules) -> Mapping[str, object]:
    """Return the options that can change a game under these rules: equal options make equal games."""
    return {name: getattr(rules, name) for name, row in Rules.options().items() if row.has_effect(rules)}


BOOKS: Final = tuple({tuple(with_effect(Rules.preset(book)).items()): book for book in reversed(PRESETS)}.values())[
    ::-1
]
"""The rulebooks that a host chooses from: of those that play alike the first. The others are known by name alone."""


# Twists

EXTRA_DIE: Final = "extra_die"
"""The twist that gives one player a die more."""
TWISTS: Final[Mapping[str, Mapping[str, bool | int | str]]] = {
    "calza": {"calza": True, "calza_by": CalzaBy.ANYONE_BUT_BIDDER},
    "calza_costs_others": {"calza": True, "calza_costs_others": True},
    EXTRA_DIE: {EXTRA_DIE: True},
    "first_out_wins": {"first_out_wins": True},
    "palifico_every_round": {"palifico": True, "palifico_every_round": True},
    "reverse_after_call": {"reverse_after_call": True},
    "starting_dice": {"starting_dice": 6},
}
"""The rules that each twist sets, by the rule that names it."""
TWIST: Final = "twist"
TWIST_BY: Final = "twist_by"
"""The twist among a table's choices, and the ghost's number as a player if others may read their name."""


def has_twist(rules: Rules, twist: str) -> bool:
    """Return True if a twist is on."""
    return all(getattr(rules, name) == value for name, value in TWISTS[twist].items())


def twist_of(rules: Rules, options: Mapping[str, str]) -> str | None:
    """Return the twist that a ghost chose for a table, or None if the host has changed its rules since."""
    twist = options.get(TWIST, "")
    return twist if twist in TWISTS and has_twist(rules, twist) else None


def twisted(rules: Rules, twist: str) -> Rules | None:
    """Return the rules with a twist, or None if they contradict it or it changes nothing, or if it is no help."""
    if twist == EXTRA_DIE and rules.first_out_wins:
        return None
    try:
        changed = rules.with_options(**TWISTS[twist])
    except (RulesError, KeyError):
        return None
    return None if with_effect(changed) == with_effect(rules) else changed


def offered_twists(rules: Rules, preset: Rules, options: Mapping[str, str]) -> list[str]:
    """Return the twists that a host can switch on or off; a ghost's is refused, and the last player is a ghost's idea.

    `preset`: the rules whose twists are no twists here.
    """
    return [
        twist
        for twist in TWISTS
        if twist not in (EXTRA_DIE, twist_of(rules, options))
        and not has_twist(preset, twist)
        and (has_twist(rules, twist) or twisted(rules, twist) is not None)
    ]
