from collections.abc import Callable, Iterator, Sequence

from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat, said_instead
from telegram_bot.features.story.notices import BluffCardNotice, ReelNotice, StoryAnswer, StoryAnswerNotice, StoryNotice
from telegram_bot.features.story.reel import ReelReveal
from telegram_bot.features.story.requests import ShowReel, TellStory
from telegram_bot.features.story.significance import Measure, Tell
from telegram_bot.notices import Notice
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.tables.result_views import DiceChange, RevealView
from telegram_bot.tables.views import BidView, SeatView

WISHES = (TellStory(), ShowReel())
OUR_NAMES = {"bluff_card": {"t", "me", "bot"}, "reel": {"t", "me", "bot"}}


def a_reveal(names: Sequence[str]) -> RevealView:
    """The end of a round: the first player's bid of 9 ones held, and the second one lost a die."""
    seats = tuple(SeatView(player=number, name=name, colour=number) for number, name in enumerate(names))
    bid = BidView(seat=0, quantity=9, face=1)
    return RevealView(
        table=1, round=3, seats=seats, bids=(bid,), call="dudo", caller=1, dice=((2, 3), (1,) * 9), bid=bid, count=9,
        ones_wild=True, changes=(DiceChange(seat=1, dice=-1),), out=(), next_opener=1, next_palifico=False,
        timed_out=False,
    )  # fmt: skip


def notices(name: Callable[[int], str]) -> Iterator[Notice]:
    """Stories with every highlight, or none; of many players, one of them hidden; each card and each answer."""
    seats = tuple(StorySeat(place=seat + 1, luck=2.25 - seat / 2, skill=seat / 2 - 2.25) for seat in range(10))
    calls = [
        StoryCall(seat=seat, round=7, call=call, quantity=12, face=1, dice=(1, 2, 3, 4, 6), chance=100)
        for seat, call in ((3, "bid"), (0, "dudo"), (9, "calza"))
    ]
    course = ((5,) * 10, (5, *(4,) * 9), (5, *(0,) * 9))
    names = tuple(name(seat) for seat in range(10))
    tell = Tell(seat=0, measure=Measure.SECONDS, more=True, twice=True)
    for best, instead in zip((*calls[1:], calls[1]), ("calza", None, said_instead(None)), strict=True):
        story = GameStory(
            course=course, seats=seats, bluff=calls[0], best=best, steady=5, steady_rounds=11,
            decider=calls[0], instead=instead,
        )  # fmt: skip
        yield StoryNotice(table=1, story=story, names=names, tell=tell)
    two = GameStory(course=((1, 1), (1, 0)), seats=seats[:2], steady=0, steady_rounds=1)
    yield StoryNotice(table=1, story=two, names=("", name(1)), theme="light")
    for feat in Feat:
        card = BluffCard(feat=feat, seat=0, total=30, chance=3, quantity=9, face=1)
        yield BluffCardNotice(card=card, name=name(0), bot="perudo_bot")
        yield ReelNotice(table=1, reveals=(ReelReveal(card=card, view=a_reveal([name(0), ""])),), bot="perudo_bot")
    yield from (StoryAnswerNotice(table=1, answer=answer) for answer in StoryAnswer)
