"""The ceremony of a game and the card of each player: about its highlights, from dice that a reveal has shown alone."""

from typing import Any

import pytest

from perudo_core import Action, Bid, Concede, Dudo, Leave, Roll, Rules, record_of
from telegram_bot.features.story.analysis import GameStory, StoryCall, StorySeat, story_of
from telegram_bot.features.story.notices import StoryNotice, Title, titles_of
from telegram_bot.presentation.cards import card_of
from telegram_bot.words.catalogue import LANGUAGES
from telegram_bot.words.page import page_catalogue

RULES = Rules(starting_dice=2, sudden_death=True, palifico=False)
Hands = tuple[tuple[int, ...], ...]


def story_card(story: GameStory, names: tuple[str, ...], language: str = "en") -> dict[str, Any]:
    return card_of(StoryNotice(table=1, story=story, names=names), -1, 1, page_catalogue(language))


def played(conceded: Hands, void: Hands) -> GameStory:
    """The story of a game whose first round is conceded after a bluff, and whose second one is void."""
    actions: list[Action] = [
        *(Roll(conceded), Bid(0, 1, 6), Bid(1, 4, 6), Concede(2)),
        *(Roll(void), Bid(3, 2, 5), Bid(0, 5, 5), Leave(1)),
        *(Roll(((2, 3), (), (), (4, 4))), Bid(3, 2, 4), Bid(0, 3, 4), Dudo(3)),
    ]
    return story_of(record_of(RULES, ["Ana", "Bo", "Cy", "Dee"], actions, opener=0))


def test_dice_that_no_reveal_has_shown_change_nothing() -> None:
    one = played(((2, 2), (3, 3), (4, 5), (1, 6)), ((5, 5), (1, 1), (), (3, 5)))
    other = played(((6, 5), (6, 6), (6, 1), (2, 3)), ((2, 3), (5, 1), (), (4, 6)))
    assert one == other
    assert [seat.bluffs for seat in one.seats] == [1, 0, 0, 0], "of the round that was counted"
    assert one.decider is not None


def call(seat: int, what: Any = "bid", face: int = 4, *, wild: bool = True) -> StoryCall:
    dice = (1, 2, face)
    return StoryCall(
        seat=seat, round=2, call=what, quantity=5, face=face, dice=dice, chance=12, ones_wild=wild
    )  # fmt: skip


def seats(*luck: float) -> tuple[StorySeat, ...]:
    return tuple(StorySeat(place=place, luck=each, skill=0) for place, each in enumerate(luck, 1))


def test_the_ceremony_has_four_beats_in_order() -> None:
    story = GameStory(
        course=((2, 2), (2, 0)), seats=seats(1.5, -1.5), bluff=call(0), best=call(1, "dudo"), decider=call(1, "calza")
    )
    beats = story_card(story, ("Ana", "🤖 Bo"))["beats"]
    assert [(beat["about"], beat["seat"], beat["title"], beat["text"]) for beat in beats] == [
        ("liar", 0, "Best liar", "Ana bid 5 fours, and got away with it."),
        ("nose", 1, "Best nose", "Bo doubted 5 fours, and was right."),
        ("unlucky", 1, "Unluckiest", "Bad luck cost Bo 1.5 dice."),
        ("decider", 1, "The turning point", "Bo called calza on 5 fours, and was wrong."),
    ]
    assert beats[0]["bid"] == {"quantity": 5, "face": 4}


@pytest.mark.parametrize(("wild", "counted"), [(True, [1, 4]), (False, [4])])
def test_below_the_liars_cup_the_dice_that_counted_are_marked(wild: bool, counted: list[int]) -> None:
    story = GameStory(course=(), seats=seats(0, 0), bluff=call(0, wild=wild))
    (beat,) = story_card(story, ("Ana", "Bo"))["beats"]
    assert [die["face"] for die in beat["dice"] if die["counts"]] == counted


def test_a_beat_with_nothing_to_tell_is_left_out() -> None:
    assert story_card(GameStory(course=(), seats=seats(0.4, -0.4)), ("Ana", "Bo"))["beats"] == []


def test_a_title_goes_to_the_player_whom_it_fits_best_and_to_no_other() -> None:
    own = {
        Title.FOX: StorySeat(place=1, luck=0, skill=0, bluffs=9, bluffs_through=8),
        Title.GAMBLER: StorySeat(place=2, luck=0, skill=0, bluffs=7, bluffs_through=3),
        Title.HOUND: StorySeat(place=3, luck=0, skill=0, doubts=6, right_doubts=5),
        Title.NERVES: StorySeat(place=4, luck=0, skill=0),
        Title.LUCKY: StorySeat(place=5, luck=3, skill=0),
        Title.UNLUCKY: StorySeat(place=6, luck=-3, skill=0),
        Title.EXPERT: StorySeat(place=7, luck=0, skill=2),
        Title.SPORT: StorySeat(place=8, luck=0.2, skill=0.2, bluffs=2, bluffs_through=2, doubts=2, right_doubts=1),
    }
    story = GameStory(course=(), seats=(*own.values(), own[Title.FOX]), steady=3, steady_rounds=3)
    assert titles_of(story) == [*own, Title.SPORT]


@pytest.mark.parametrize(
    ("figures", "title"),
    [
        ({"bluffs": 4, "bluffs_through": 2}, Title.GAMBLER),
        ({"bluffs": 8, "bluffs_through": 4}, Title.FOX),
        ({"doubts": 8, "right_doubts": 4}, Title.HOUND),
        ({"doubts": 5, "right_doubts": 2, "skill": 2}, Title.EXPERT),
    ],
)
def test_no_title_contradicts_its_figures(figures: dict[str, float], title: Title) -> None:
    seat = StorySeat.model_validate({"place": 1, "luck": 0, "skill": 0} | figures)
    assert titles_of(GameStory(course=(), seats=(seat,))) != [title]


def test_each_player_has_a_title_three_numbers_and_a_text_to_share() -> None:
    fox = StorySeat(place=1, luck=1.25, skill=0, bluffs=5, bluffs_through=4, doubts=3, right_doubts=2)
    (card, _) = story_card(GameStory(course=(), seats=(fox, *seats(-1.25))), ("Ana", "Bo"))["own"]
    assert (card["title"], card["why"]) == ("The Fox", "You bluffed, and they believed you.")
    assert card["figures"] == [
        {"label": "Bluffs that held", "n": "4 of 5"},
        {"label": "Right calls", "n": "2 of 3"},
        {"label": "Luck, in dice", "n": "+1.2"},
    ]
    assert card["share"].split("\n") == [
        "🎲 At Perudo I was: The Fox", "Bluffs that held: 4 of 5", "Right calls: 2 of 3", "Luck, in dice: +1.2",
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_hidden_player_is_somebody_in_every_language(language: str) -> None:
    story = GameStory(course=(), seats=seats(0, 0), bluff=call(0), decider=call(0, "dudo"))
    card = story_card(story, ("", "Bo"), language)
    someone = page_catalogue(language).say("someone").capitalize()
    assert all(beat["text"].startswith(someone) for beat in card["beats"])
