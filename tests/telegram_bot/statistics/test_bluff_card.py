"""The least likely success of a game."""

import pytest

from perudo_core import Action, Bid, Calza, Dudo, OpenerDraw, Reroll, Roll, Rules
from telegram_bot.statistics.bluff_card import BluffCard, Feat, find_highlight, shown_successes
from telegram_bot.statistics.game_facts import PlayedAction, facts_of

RULES = Rules.preset("box_2009").with_options(calza=True)
ANA, BO = 0, 1
BLUFF = (Bid(ANA, 3, 5), Bid(BO, 4, 5), Dudo(ANA))
"""The calls with the dice below: Ana bids three fives without a five, and Bo, who has four, raises."""
DICE = ((2, 2, 3, 4, 6), (5, 5, 5, 5, 6))


def card(dice: tuple[tuple[int, ...], ...], *calls: Action, automatic: bool = False, of: int = ANA) -> BluffCard | None:
    """The card of a player after a game whose first round is this."""
    actions = (OpenerDraw(ANA), Roll(dice), *calls)
    return find_highlight(RULES, len(dice), [PlayedAction(each, automatic) for each in actions], [of])


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


def test_a_bid_whose_dice_were_rolled_again_later_was_no_bluff() -> None:
    rules = RULES.with_options(reroll_after_bid=True)
    bids = (OpenerDraw(ANA), Roll(((2, 5, 5, 3, 4), (2, 2, 2, 6, 3))), Bid(ANA, 3, 2), Bid(BO, 4, 2), Bid(ANA, 4, 5))
    again = (*bids, Reroll(ANA, (5, 5), (3, 4, 4)), Dudo(BO))
    actions = [PlayedAction(each, automatic=False) for each in again]
    assert find_highlight(rules, 2, actions, [ANA], (Feat.BLUFF,)) is None
    assert facts_of(rules, 2, actions)[ANA].bluffs == 0


def test_among_the_bluffs_alone_a_less_likely_calza_does_not_count() -> None:
    dice = ((2, 2, 3, 4, 6), (5, 5, 5, 6, 6))
    calls = (OpenerDraw(ANA), Roll(dice), Bid(ANA, 3, 5), Calza(BO))
    actions = [PlayedAction(each, automatic=False) for each in calls]
    highlight = find_highlight(RULES, len(dice), actions, [ANA, BO])
    assert highlight is not None
    assert (highlight.seat, highlight.feat) == (BO, Feat.CALZA)
    bluff = find_highlight(RULES, len(dice), actions, [ANA, BO], [Feat.BLUFF])
    assert bluff is not None
    assert (bluff.seat, bluff.feat) == (ANA, Feat.BLUFF)


@pytest.mark.parametrize("first_out_wins", [False, True])
def test_to_win_from_one_die_is_a_comeback_unless_the_first_player_without_dice_wins(first_out_wins: bool) -> None:
    rules = Rules(starting_dice=1, first_out_wins=first_out_wins)
    calls = (OpenerDraw(ANA), Roll(((2,), (3,))), Bid(ANA, 1, 2), Dudo(BO))
    actions = [PlayedAction(each, automatic=False) for each in calls]
    feats = {success.card.feat for success in shown_successes(rules, 2, actions)}
    assert (Feat.COMEBACK in feats) != first_out_wins
