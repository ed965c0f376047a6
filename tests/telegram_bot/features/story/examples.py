"""An example of every notice about a finished game, and of every button."""

from collections.abc import Callable, Iterator

from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat
from telegram_bot.features.story.notices import BluffCardNotice, StoryAnswer, StoryAnswerNotice, StoryNotice
from telegram_bot.features.story.requests import TellStory
from telegram_bot.service.notices import Notice
from telegram_bot.statistics.bluff_card import BluffCard, Feat

WISHES = (TellStory(),)
OUR_NAMES = {"bluff_card": {"t", "me", "bot"}}


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Stories with every highlight, or none; of many players, one of them hidden; each card and each answer."""
    seats = tuple(StorySeat(place=seat + 1, luck=2.25 - seat / 2, skill=seat / 2 - 2.25) for seat in range(10))
    calls = [
        StoryCall(seat=seat, round=7, call=call, quantity=12, face=1, dice=(1, 2, 3, 4, 6), chance=100)
        for seat, call in ((3, "bid"), (0, "dudo"), (9, "calza"))
    ]
    course = ((5,) * 10, (5, *(4,) * 9), (5, *(0,) * 9))
    names = tuple(name(seat) for seat in range(10))
    for best, instead in zip(calls[1:], ("calza", None), strict=True):
        story = GameStory(
            course=course, seats=seats, bluff=calls[0], best=best, steady=5, steady_rounds=11,
            decider=calls[0], instead=instead,
        )  # fmt: skip
        yield StoryNotice(table=1, story=story, names=names)
    two = GameStory(course=((1, 1), (1, 0)), seats=seats[:2], steady=0, steady_rounds=1)
    yield StoryNotice(table=1, story=two, names=("", name(1)), theme="light")
    for feat in Feat:
        card = BluffCard(feat=feat, seat=0, total=30, chance=3, quantity=9, face=1)
        yield BluffCardNotice(card=card, name=name(0), bot="perudo_bot")
    for answer in StoryAnswer:
        yield StoryAnswerNotice(table=1, answer=answer)
