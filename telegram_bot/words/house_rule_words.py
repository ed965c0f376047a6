"""The names of a table's rules, descriptions of rulebooks and house rules, and the answer to `/rules`."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from perudo_core import Rules
from telegram_bot.tables.house_rules import (
    BOOKS,
    CLASSIC,
    TWISTS,
    HouseRules,
    QuickChoice,
    book_of,
    classic_rules,
    quick_table,
    with_effect,
)
from telegram_bot.tables.lobby_rules import CLOCK_CHOICES, HOUSE_OPTIONS, is_offered
from telegram_bot.tables.model import OnTimeout, TurnClock
from telegram_bot.tables.views import LobbyView
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.lobby_options import LOBBY_OPTIONS
from telegram_bot.words.phrases import clock_label, cut, on_timeout_button, plain_name
from telegram_bot.words.rules import (
    option_differences,
    option_label,
    option_value_label,
    options_differing,
    preset_label,
    switched_on,
)

CLASSIC_LINE: Final = "five dice each, and an exact call wins one back"
"""The line in the bot's own file. An operator who edits the file writes another one."""
LONGEST_LABEL: Final = 20
"""The maximum length of a button's label in the lobby."""


def quick_label(choice: QuickChoice, w: Catalogue) -> str:
    """Return the name of a preset."""
    match choice:
        case QuickChoice.CLASSIC:
            return w.context_say("rules", "Classic")
        case QuickChoice.SHORT:
            return w.context_say("rules", "Short")
        case QuickChoice.SLOW:
            return w.context_say("rules", "Slow")
        case QuickChoice.BOX | QuickChoice.ACES:
            return preset_label(choice.value, w)


def quick_line(choice: QuickChoice, houses: Sequence[HouseRules], usual: TurnClock, w: Catalogue) -> str:
    """Return the description of a preset: Classic's own, the dice and the time, or the differences from Classic."""
    classic = classic_rules(houses)
    rules, clock = quick_table(choice, classic, usual, None)
    match choice:
        case QuickChoice.CLASSIC:
            house = next((each for each in houses if each.key == CLASSIC), None)
            return dice_each(rules, w) if house is None else house_line(house, w)
        case QuickChoice.SHORT | QuickChoice.SLOW:
            return f"{dice_each(rules, w)}, ⏱ {clock_label(clock, w)}"
        case QuickChoice.BOX | QuickChoice.ACES:
            return ", ".join(option_differences(rules, classic, w))


def dice_each(rules: Rules, w: Catalogue) -> str:
    """Return the number of dice with which each player begins."""
    return w.count("{n} die each", "{n} dice each", rules.starting_dice)


def quick_choice_of(
    rules: Rules, clock: TurnClock, houses: Iterable[HouseRules], usual: TurnClock
) -> QuickChoice | None:
    """Return the preset by which a table plays, or None if it is none of them."""
    classic = classic_rules(houses)
    for choice in QuickChoice:
        quick_rules, quick_clock = quick_table(choice, classic, usual, clock.quiet)
        if (quick_rules, quick_clock.seconds) == (rules, clock.seconds):
            return choice
    return None


def nearest_rules(rules: Rules, houses: Iterable[HouseRules]) -> Rules:
    """Return the rules from which some rules differ least: Classic or their rulebook."""
    book, classic = book_of(rules), classic_rules(houses)
    return classic if classic.book == rules.book and _distance(rules, classic) < _distance(rules, book) else book


def _distance(rules: Rules, other: Rules) -> int:
    return sum(value != getattr(other, name) for name, value in with_effect(rules).items())


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
    nearest = nearest_rules(rules, houses)
    differing = option_differences(rules, nearest, w, told=() if twist is None else TWISTS[twist])
    classic = next((house for house in houses if house.key == CLASSIC and house.rules == nearest), None)
    title = preset_label(rules.book, w) if classic is None else house_title(classic, w)
    return " · ".join([title, *(differing if in_full else ())])


class SingleOption(NamedTuple):
    """One option of a lobby in words."""

    name: str
    title: str
    values: Mapping[str, str]
    """Each value, as `ChangeOption` has it, and its words."""
    about: str = ""
    """How the game is played with it."""
    off: str = ""
    """The value of a switch that is off, or nothing for another option."""

    def value_at(self, view: LobbyView) -> str:
        """Return the value at a table."""
        match self.name:
            case "rulebook":
                return view.rules.book
            case "clock":
                return str(view.clock.seconds)
            case "on_timeout":
                return view.clock.on_timeout.value
            case name if name in LOBBY_OPTIONS:
                return LOBBY_OPTIONS[name].value_in(view.options)
            case name:
                return _written(getattr(view.rules, name))

    def is_changed(self, view: LobbyView, nearest: Rules) -> bool:
        """Return True if a table differs from the rules that it began with, or from what is usual."""
        if self.name in LOBBY_OPTIONS:
            return self.value_at(view) != LOBBY_OPTIONS[self.name].usual
        return self.name in HOUSE_OPTIONS and bool(getattr(view.rules, self.name) != getattr(nearest, self.name))


def single_options(w: Catalogue) -> Iterator[SingleOption]:
    """Yield every option that a host can set alone."""
    books = {book: preset_label(book, w) for book in BOOKS}
    yield SingleOption("rulebook", option_label("preset", w), books)
    for name in HOUSE_OPTIONS:
        values = {_written(value): option_value_label(name, value, w) for value in Rules.options()[name].values}
        about = switched_on(name, w)
        yield SingleOption(name, option_label(name, w), values, about, _written(False) if about else "")
    times = {str(seconds): clock_label(TurnClock(seconds=seconds), w) for seconds in CLOCK_CHOICES}
    yield SingleOption("clock", w.say("Clock"), times)
    yield SingleOption("on_timeout", w.say("When time is up"), {each: on_timeout_button(each, w) for each in OnTimeout})
    off_and_on = w.context_say("option", "off"), w.context_say("option", "on")
    for option in LOBBY_OPTIONS.values():
        words = {value: w.say(label) for value, label in option.values.items()}
        about = w.say(next(iter(option.explained.values()))) if option.explained else ""
        if option.is_switch:
            words = dict(zip(option.values, off_and_on, strict=True))
        off_value = option.usual if option.is_switch else ""
        yield SingleOption(option.name, w.say(option.title), words, about, off_value)


def options_at(view: LobbyView, w: Catalogue) -> list[SingleOption]:
    """Return the options that can change the game of a table."""
    rules = view.rules
    return [each for each in single_options(w) if each.name not in HOUSE_OPTIONS or is_offered(rules, each.name)]


def _written(value: object) -> str:
    """Return an option's value as rulebook files write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
