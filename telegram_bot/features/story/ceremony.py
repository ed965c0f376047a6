"""The ceremony of a finished game: its beats on a television, and for each player a title with three numbers."""

from enum import StrEnum
from typing import Final, NotRequired, TypedDict

from telegram_bot.features.story.analysis import GameStory, StoryCall
from telegram_bot.features.story.notices import StoryNotice
from telegram_bot.features.story.words import signed, story_names
from telegram_bot.notices.card_types import CalledBidField
from telegram_bot.storage.models import DiceStyle
from telegram_bot.tables.model import COMPUTER_MARK
from telegram_bot.words.catalogue import Catalogue
from telegram_bot.words.dice import bid_figure
from telegram_bot.words.languages import mark


class FigureField(TypedDict):
    """A number of a player's card, with its label."""

    label: str
    n: str


class OwnField(TypedDict):
    """The card of a player."""

    title: str
    why: str
    figures: list[FigureField]
    share: str
    share_key: str
    copied: str


class BeatDieField(TypedDict):
    """A die of a beat, and whether it counts for the bid."""

    face: int
    counts: bool


class BeatField(TypedDict):
    """A beat of the ceremony."""

    about: str
    seat: int
    title: str
    text: str
    bid: NotRequired[CalledBidField]
    dice: NotRequired[list[BeatDieField]]


UNLUCKY: Final = -0.5
"""In dice: a player with more luck than this is not unlucky."""


class Title(StrEnum):
    """A player's title in this game."""

    FOX = "fox"
    GAMBLER = "gambler"
    HOUND = "hound"
    NERVES = "nerves"
    LUCKY = "lucky"
    UNLUCKY = "unlucky"
    EXPERT = "expert"
    SPORT = "sport"


_TITLES: Final = {
    Title.FOX: (mark("The Fox"), mark("You bluffed, and they believed you.")),
    Title.GAMBLER: (mark("The Gambler"), mark("You bluffed, and they knew.")),
    Title.HOUND: (mark("The Bloodhound"), mark("You smell a fib from across the table.")),
    Title.NERVES: (mark("Iron Nerves"), mark("One die left, and no panic.")),
    Title.LUCKY: (mark("The Lucky Star"), mark("The dice love you.")),
    Title.UNLUCKY: (mark("The Black Cat"), mark("The dice owe you one.")),
    Title.EXPERT: (mark("The Professor"), mark("You know the odds by heart.")),
    Title.SPORT: (mark("The Good Sport"), mark("Without you it's only dice.")),
}
LEAST: Final = 0.5
"""The least measure for a title; players without one are good sports."""


def titles_of(story: GameStory) -> list[Title]:
    """Return the title of each seat. Only one player at a table has it: the one whom it fits best."""
    measured = sorted(
        (
            (measure, title, seat)
            for seat in range(len(story.seats))
            for title, measure in _measures(story, seat).items()
        ),
        key=lambda each: -each[0],
    )
    given: dict[int, Title] = {}
    for measure, title, seat in measured:
        if measure >= LEAST and seat not in given and title not in given.values():
            given[seat] = title
    return [given.get(seat, Title.SPORT) for seat in range(len(story.seats))]


def _measures(story: GameStory, seat: int) -> dict[Title, float]:
    """Return how well each title fits a seat; 1 is a very good game."""
    own = story.seats[seat]
    return {
        Title.FOX: own.bluffs_through / 6,
        Title.GAMBLER: (own.bluffs - own.bluffs_through) / 3,
        Title.HOUND: own.right_doubts / 5,
        Title.NERVES: story.steady_rounds / 3 if story.steady == seat else 0,
        Title.LUCKY: own.luck / 3,
        Title.UNLUCKY: -own.luck / 3,
        Title.EXPERT: own.skill / 2,
    }


def own_cards(notice: StoryNotice, w: Catalogue) -> list[OwnField]:
    """Return the card of each seat's player: title, three numbers, and a text to share."""
    return [_own_card(notice.story, seat, title, w) for seat, title in enumerate(titles_of(notice.story))]


def _own_card(story: GameStory, seat: int, of: Title, w: Catalogue) -> OwnField:
    own, (title, why) = story.seats[seat], map(w.say, _TITLES[of])
    figures = {
        w.say("Bluffs that held"): w.say("{n} of {all}", n=str(own.bluffs_through), all=str(own.bluffs)),
        w.say("Right calls"): w.say("{n} of {all}", n=str(own.right_doubts), all=str(own.doubts)),
        w.say("Luck, in dice"): signed(own.luck, w),
    }
    lines = [w.say("At Perudo I was: {title}", title=title), *(f"{label}: {n}" for label, n in figures.items())]
    return {
        "title": title,
        "why": why,
        "figures": [{"label": label, "n": n} for label, n in figures.items()],
        "share": "\n".join(["🎲 " + lines[0], *lines[1:]]),
        "share_key": w.say("Share my card"),
        "copied": w.say("Copied. Show it to your friends!"),
    }


def beats(notice: StoryNotice, w: Catalogue) -> list[BeatField]:
    """Return the beats in order; one with nothing to tell is left out."""
    story, names = notice.story, [name.removeprefix(COMPUTER_MARK) for name in story_names(notice, w)]
    unlucky = min(range(len(names)), key=lambda seat: story.seats[seat].luck)
    found: list[BeatField] = []
    if (call := story.bluff) is not None:
        values = _values(call, names, w)
        found.append(
            _beat("liar", call, w.say("Best liar"), w.say("{name} bid {bid}, and got away with it.", **values))
        )
    if (call := story.best) is not None:
        found.append(_beat("nose", call, w.say("Best nose"), _right(call, names, w)))
    if story.seats[unlucky].luck <= UNLUCKY:
        luck = -story.seats[unlucky].luck
        told = w.count(
            "Bad luck cost {name} {dice} die.",
            "Bad luck cost {name} {dice} dice.",
            w.form_of(round(luck, 1)),
            name=names[unlucky],
            dice=signed(luck, w).removeprefix("+"),
        )
        found.append({"about": "unlucky", "seat": unlucky, "title": w.say("Unluckiest"), "text": _sentence(told)})
    if (call := story.decider) is not None:
        found.append(_beat("decider", call, w.say("The turning point"), _wrong(call, names, w)))
    return found


def _beat(about: str, call: StoryCall, title: str, told: str) -> BeatField:
    counted = {call.face, 1} if call.ones_wild else {call.face}
    return {
        "about": about,
        "seat": call.seat,
        "title": title,
        "text": _sentence(told),
        "bid": {"quantity": call.quantity, "face": call.face},
        "dice": [{"face": face, "counts": face in counted} for face in call.dice],
    }


def _right(call: StoryCall, names: list[str], w: Catalogue) -> str:
    values = _values(call, names, w)
    match call.call:
        case "bid":
            return w.say("{name} bid {bid}, and there they were.", **values)
        case "dudo":
            return w.say("{name} doubted {bid}, and was right.", **values)
        case "calza":
            return w.say("{name} called calza on {bid}, and was right.", **values)


def _wrong(call: StoryCall, names: list[str], w: Catalogue) -> str:
    values = _values(call, names, w)
    match call.call:
        case "bid":
            return w.say("{name} bid {bid}, and was caught.", **values)
        case "dudo":
            return w.say("{name} doubted {bid}, and was wrong.", **values)
        case "calza":
            return w.say("{name} called calza on {bid}, and was wrong.", **values)


def _values(call: StoryCall, names: list[str], w: Catalogue) -> dict[str, str]:
    bid = bid_figure(call.quantity, call.face, w.with_dice(DiceStyle.WORDS))
    return {"name": names[call.seat], "bid": bid}


def _sentence(told: str) -> str:
    """Return it with a capital: a hidden player is "someone"."""
    return told[:1].upper() + told[1:]
