"""The card after a game: its contents, and that the bot sends it once, after the end."""

import pytest

from perudo_core import Action, Bid, Calza, Dudo, OpenerDraw, Roll, Rules
from telegram_bot.features.story.bluff_card import BluffCard, Feat, card_of
from telegram_bot.features.story.notices import BluffCardNotice
from telegram_bot.service import intents as i
from telegram_bot.statistics.game_facts import PlayedAction
from tests.telegram_bot.conftest import GroupHarness
from tests.telegram_bot.statistics.conftest import PlayGame

RULES = Rules.preset("box_2009").with_options(calza=True)
ANA, BO = 0, 1
BLUFF = (Bid(ANA, 3, 5), Bid(BO, 4, 5), Dudo(ANA))
"""The calls with the dice below: Ana bids three fives without a five, and Bo, who has four, raises."""
DICE = ((2, 2, 3, 4, 6), (5, 5, 5, 5, 6))


def card(dice: tuple[tuple[int, ...], ...], *calls: Action, automatic: bool = False, of: int = ANA) -> BluffCard | None:
    """The card of a player after a game whose first round is this."""
    actions = (OpenerDraw(ANA), Roll(dice), *calls)
    return card_of(RULES, len(dice), [PlayedAction(each, automatic) for each in actions], [of])


def test_an_uncaught_bluff_and_a_call_against_the_odds_are_worth_telling() -> None:
    assert card(DICE, *BLUFF) == BluffCard(feat=Feat.BLUFF, seat=ANA, total=10, chance=21, quantity=3, face=5)
    calza = card((*DICE, (6, 6, 6, 6, 6)), Bid(ANA, 4, 4), Bid(BO, 4, 5), Calza(ANA))
    assert calza is not None
    assert (calza.feat, calza.quantity, calza.face) == (Feat.CALZA, 4, 5)
    dudo = card(((5, 5, 2, 3, 4), (2, 2, 3, 3, 4)), Bid(ANA, 3, 4), Bid(BO, 3, 5), Dudo(ANA))
    assert dudo is not None
    assert (dudo.feat, dudo.chance) == (Feat.DUDO, 13)


def test_a_bluff_that_was_caught_or_that_the_bot_made_and_a_likely_bid_are_not() -> None:
    assert card(((2, 2, 3, 4, 6), (5, 5, 6, 6, 6)), Bid(ANA, 4, 5), Dudo(BO)) is None
    assert card(DICE, *BLUFF, automatic=True) is None
    assert card(DICE, Bid(ANA, 1, 5), Bid(BO, 4, 5), Dudo(ANA)) is None


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
