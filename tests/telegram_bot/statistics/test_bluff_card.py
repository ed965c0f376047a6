"""The card after a game: what is worth telling of it, and that it goes out once, behind the end."""

import pytest

from perudo_core import Action, Bid, Calza, Dudo, OpenerDraw, Roll, Rules
from telegram_bot.service import intents as i
from telegram_bot.service.notices import BluffCardNotice
from telegram_bot.statistics.bluff_card import BluffCard, Feat, card_of
from telegram_bot.statistics.game_facts import PlayedAction
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame

RULES = Rules.preset("box_2009").with_options(calza=True)
ANA, BO = 0, 1
BLUFF = (Bid(ANA, 3, 5), Bid(BO, 4, 5), Dudo(ANA))
"""On the dice below: Ana bids three fives with none, and Bo, who has four, raises."""
DICE = ((2, 2, 3, 4, 6), (5, 5, 5, 5, 6))


def card(dice: tuple[tuple[int, ...], ...], *calls: Action, automatic: bool = False, of: int = ANA) -> BluffCard | None:
    """What is told of a player after a game whose first round is this."""
    actions = (OpenerDraw(ANA), Roll(dice), *calls)
    return card_of(RULES, len(dice), [PlayedAction(each, automatic) for each in actions], [of])


def test_a_bid_on_nothing_that_was_not_caught_is_worth_telling() -> None:
    assert card(DICE, *BLUFF) == BluffCard(feat=Feat.BLUFF, seat=ANA, total=10, chance=21, quantity=3, face=5)


def test_a_bluff_that_was_caught_is_not() -> None:
    assert card(((2, 2, 3, 4, 6), (5, 5, 6, 6, 6)), Bid(ANA, 4, 5), Dudo(BO)) is None


def test_what_the_bot_played_for_somebody_is_not() -> None:
    assert card(DICE, *BLUFF, automatic=True) is None


def test_a_likely_bid_is_not_worth_telling() -> None:
    assert card(DICE, Bid(ANA, 1, 5), Bid(BO, 4, 5), Dudo(ANA)) is None


def test_a_calza_against_the_odds_is() -> None:
    found = card((*DICE, (6, 6, 6, 6, 6)), Bid(ANA, 4, 4), Bid(BO, 4, 5), Calza(ANA))
    assert found is not None
    assert (found.feat, found.quantity, found.face) == (Feat.CALZA, 4, 5)


def test_a_dudo_against_the_odds_is() -> None:
    found = card(((5, 5, 2, 3, 4), (2, 2, 3, 3, 4)), Bid(ANA, 3, 4), Bid(BO, 3, 5), Dudo(ANA))
    assert found is not None
    assert (found.feat, found.chance) == (Feat.DUDO, 13)


@pytest.mark.parametrize("hidden", [False, True])
async def test_the_group_gets_it_once_behind_the_end_of_the_game(
    harness: GroupHarness, play_game: PlayGame, hidden: bool
) -> None:
    if hidden:
        for name in ("Ana", "Bo"):
            await harness.say(name, i.Choose("hidden", value=True))
    await play_game("Ana", "Bo", seed=1)
    kinds = [kind for kind, chat in harness.waiting_kinds() if chat == harness.group.address]
    assert kinds.count("bluff_card") == (not hidden)
    if not hidden:
        assert kinds.index("bluff_card") > kinds.index("game_over")
        (told,) = harness.notices("bluff_card")
        assert isinstance(told, BluffCardNotice)
        assert told.name in ("Ana", "Bo")
