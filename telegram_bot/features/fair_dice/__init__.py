"""Fair dice: players shake the sealed dice before the game, and a file proves every roll after it."""

from pathlib import Path
from typing import Final

from telegram_bot.feature import Feature
from telegram_bot.features.fair_dice import keys, notices, requests
from telegram_bot.features.fair_dice.announcing import announce_seal, dice_check_of
from telegram_bot.features.fair_dice.notices import DiceCheckNotice, FairDiceAnswerNotice, RecordNotice, SealNotice
from telegram_bot.notices import GameOverNotice, LobbyNotice
from telegram_bot.presentation.features import Extension, FeatureCard, PagePart, Presentation

_SEAL: Final = Presentation(SealNotice, keys=keys.seal_keys, card=FeatureCard("seal", notices.seal_card))
_ANSWER: Final = Presentation(FairDiceAnswerNotice)
_CHECK: Final = Presentation(DiceCheckNotice, card=FeatureCard("over", notices.check_card))
_RECORD: Final = Presentation(RecordNotice)
_LOBBY: Final = Extension(LobbyNotice, keys=keys.lobby_keys, acts=keys.lobby_acts)
_GAME_OVER: Final = Extension(GameOverNotice, keys=keys.game_over_keys, part=dice_check_of)

FEATURE: Final = Feature(
    "fair_dice",
    requests=(requests.StirDice, requests.SealDice, requests.SeeRecord),
    notices=(_SEAL, _ANSWER, _CHECK, _RECORD),
    extensions=(_LOBBY, _GAME_OVER),
    page=PagePart(Path(__file__).with_name("static"), notices.page_words),
    announce=announce_seal,
)
