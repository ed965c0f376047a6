"""The names of a table's rules, descriptions of rulebooks and house rules, and the answer to `/rules`."""

from collections.abc import Iterable, Sequence
from typing import Final

from perudo_core import PRESETS, Rules
from telegram_bot.tables.house_rules import (
    CLASSIC,
    TWISTS,
    HouseRules,
    QuickChoice,
    book_of,
    classic_rules,
    quick_table,
    with_effect,
)
from telegram_bot.tables.model import TurnClock
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.phrases import cut, plain_name
from telegram_bot.words.rules import (
    option_differences,
    options_differing,
    preset_label,
)

CLASSIC_LINE: Final = "five dice each, and an exact call wins one back"
"""The line in the bot's own file. An operator who edits the file writes another one."""
LONGEST_LABEL: Final = 20
"""The maximum length of a button's label in the lobby."""


def quick_label(choice: QuickChoice, w: Catalogue) -> str:
    """Return the name of a quick choice."""
    return {
        QuickChoice.CLASSIC: w.context_say("rules", "Classic"),
        QuickChoice.SHORT: w.context_say("rules", "Short"),
        QuickChoice.SLOW: w.context_say("rules", "Slow"),
    }[choice]


def quick_choice_of(
    rules: Rules, clock: TurnClock, houses: Iterable[HouseRules], usual: TurnClock | None
) -> QuickChoice | None:
    """Return the quick choice by which a table plays, or None if it is another choice, or if there are none here."""
    classic = classic_rules(houses)
    if classic is None or usual is None:
        return None
    for choice in QuickChoice:
        quick_rules, quick_clock = quick_table(choice, classic, usual, clock.quiet)
        if (quick_rules, quick_clock.seconds) == (rules, clock.seconds):
            return choice
    return None


def house_title(house: HouseRules, w: Catalogue) -> str:
    """Return the title of house rules; the operator's own, except for the rules that come with the bot."""
    title = plain_name(house.title)
    return quick_label(QuickChoice.CLASSIC, w) if house.key == CLASSIC and title == "Classic" else title


def house_label(house: HouseRules, w: Catalogue) -> str:
    """Return the title as a button shows it."""
    return cut(house_title(house, w), LONGEST_LABEL)


def house_line(house: HouseRules, w: Catalogue) -> str:
    """Return the description of house rules: the operator's line, or their differences from the rulebook."""
    if house.key == CLASSIC and house.line == CLASSIC_LINE:
        return w.say("five dice each, and an exact call wins one back")
    return " ".join(house.line.split()) or ", ".join(options_differing(house.rules, w))


def rules_title(
    rules: Rules, houses: Sequence[HouseRules], w: Catalogue, *, in_full: bool = True, twist: str | None = None
) -> str:
    """Return the name of a table's rules: house rules with their line, else the nearest rules and the differences.

    `in_full`: False for the name alone. `twist`: the twist that another line tells.
    """
    for house in houses:
        if house.rules == rules:
            line = house_line(house, w) if in_full and twist is None else ""
            title = house_title(house, w)
            return w.say("{option}: {value}", option=title, value=line) if line else title
    told = () if twist is None else TWISTS[twist]
    by_book = option_differences(rules, book_of(rules), w, told=told)
    classic = next((house for house in houses if house.key == CLASSIC and house.rules.book == rules.book), None)
    if classic is not None and len(by_classic := option_differences(rules, classic.rules, w, told=told)) < len(by_book):
        return " · ".join([house_title(classic, w), *(by_classic if in_full else ())])
    return " · ".join([preset_label(rules.book, w), *(by_book if in_full else ())])


def book_line(preset: str, houses: Iterable[HouseRules], w: Catalogue) -> str:
    """Return a rulebook's differences from Classic; or the earlier rulebook that it plays like."""
    rules = Rules.preset(preset)
    for earlier in PRESETS[: PRESETS.index(preset)]:
        if with_effect(rules) == with_effect(Rules.preset(earlier)):
            return w.say("plays like the {book} while calza is off", book=preset_label(earlier, w))
    classic = classic_rules(houses)
    return ", ".join(option_differences(rules, classic or Rules(), w)) or w.say("plays like Classic")
