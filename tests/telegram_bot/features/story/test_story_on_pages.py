"""The story and the bluff card on web pages."""

from telegram_bot.features.story.analysis import GameStory, StorySeat
from telegram_bot.features.story.notices import BluffCardNotice, StoryNotice
from telegram_bot.notices import GameOverNotice
from telegram_bot.presentation.cards import card_of
from telegram_bot.statistics.bluff_card import BluffCard, Feat
from telegram_bot.tables.result_views import GameOverView
from telegram_bot.tables.views import SeatView
from telegram_bot.words.page import page_catalogue

ENGLISH = page_catalogue("en")


def test_the_finale_draws_the_dice_round_by_round_and_the_boldest_moment() -> None:
    story = GameStory(
        course=((2, 2), (2, 1), (2, 0)),
        seats=(StorySeat(place=1, luck=0.5, skill=0.25), StorySeat(place=2, luck=-0.5, skill=-0.25)),
    )
    card = card_of(StoryNotice(table=1, story=story, names=("Ana", "")), -1, 1, ENGLISH)
    assert (card["course"], card["names"], card["places"]) == ([[2, 2], [2, 1], [2, 0]], ["Ana", "someone"], [1, 2])
    moment = BluffCard(feat=Feat.BLUFF, seat=0, total=10, chance=12, quantity=4, face=1)
    over = GameOverView(table=1, seats=(SeatView(player=1, name="Ana", place=1),), winner=0, rounds=3)
    ended = GameOverNotice(view=over, parts=(BluffCardNotice(card=moment, name="Ana"),))
    wonder = card_of(ended, -1, 1, ENGLISH)["wonder"]
    assert wonder["sentence"] == "Ana bid 4 ones with none of them, and got away with it."
    assert wonder["bid"] == {"quantity": 4, "face": 1}
